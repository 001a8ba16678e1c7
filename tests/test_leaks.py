"""The contract test is tested: faults planted on every channel must be found.

The faulty games are only played without the JIT: compiling each would take minutes.
"""

import numpy as np
import pytest

from kgb_env import KGBEnv, game, loops
from kgb_env.jit import numba_config
from kgb_env.testing import ContractError, check_game
from tests import kuhn

pytestmark = [
    pytest.mark.nojit,
    pytest.mark.skipif(not numba_config.DISABLE_JIT, reason="part of the run without the JIT (make test-nojit)"),
]

if numba_config.DISABLE_JIT:
    from tests import leaks

    FAULTS = leaks.FAULTS
else:
    FAULTS = {}


def check(id=kuhn.ID):
    return check_game(game(id), pairs=1500, other_mode=False)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_in_the_rules_is_found(fault):
    with pytest.raises(ContractError, match=FAULTS[fault][1]):
        check(f"tests.leaks:{fault}")


def test_luck_in_the_view_is_found(monkeypatch):
    def oracle(s, seat, out, j):
        out[j] = s
        out[j].viewer = seat

    monkeypatch.setattr(loops, "oracle", oracle)
    with pytest.raises(ContractError, match="luck to come"):
        check()


def hidden_card(env):
    """Return what an environment should keep to itself."""
    return int(env._states["cards"][0][1])


@pytest.mark.parametrize(
    ("channel", "leak"),
    [
        ("info", lambda env, shown: [info.update(secret=np.array(hidden_card(env))) for info in env.infos.values()]),
        ("rewards", lambda env, shown: env.rewards.update(player_0=float(hidden_card(env)))),
    ],
)
def test_a_leak_in_the_report_is_found(monkeypatch, channel, leak):
    report = KGBEnv._report

    def leaky(env):
        report(env)
        leak(env, None)

    monkeypatch.setattr(KGBEnv, "_report", leaky)
    with pytest.raises(ContractError, match=f"{channel}|keys of an info"):
        check()


@pytest.mark.parametrize("method", ["render", "__repr__", "__str__", "observe", "last", "view"])
def test_a_leak_in_what_the_environment_shows_is_found(monkeypatch, method):
    original = getattr(KGBEnv, method)

    def leaky(env, *arguments):
        shown = original(env, *arguments)
        if method == "observe":
            return shown | {"observation": shown["observation"] + np.int8(hidden_card(env))}
        if method == "last":
            return shown[0], float(hidden_card(env)), *shown[2:]
        if method == "view":
            shown["events"] += hidden_card(env)
            return shown
        return f"{shown} {hidden_card(env)}"

    monkeypatch.setattr(KGBEnv, method, leaky)
    with pytest.raises(ContractError, match="sees the hidden"):
        check()


@pytest.mark.parametrize("channel", ["log", "draw"])
def test_a_text_that_is_made_from_the_state_is_found(monkeypatch, channel):
    """The environment must hand the view to the notation, not the state."""
    view = KGBEnv.view
    monkeypatch.setattr(KGBEnv, "view", lambda env, agent: env._states.copy() if channel == "log" else view(env, agent))
    if channel == "draw":
        monkeypatch.setattr(KGBEnv, "render", lambda env: kuhn.draw(env.game, env._states))
    with pytest.raises(ContractError, match=r"sees the hidden|is no view by its seat"):
        check()


def test_a_mask_for_the_seat_that_is_not_to_move_is_found(monkeypatch):
    def encode(v, observation, observation_mask, action_mask, tables):
        from kgb_env.kernels import legal, observe

        observe(v, observation, observation_mask, tables)
        legal(v, action_mask, tables)

    monkeypatch.setattr(loops, "encode", encode)
    with pytest.raises(ContractError, match="not to move"):
        check()


def test_the_sound_game_passes():
    assert check().pairs >= 1500
