"""The PettingZoo environment, beyond what the contract test checks."""

import copy
import pickle

import numpy as np
import pytest

import kgb_env
from kgb_env import GameOverError, IllegalActionError, KGBEnv, OptionError, SeedError
from kgb_env.record import ILLEGAL
from tests.random_play import play_to_the_end, random_action

pytestmark = pytest.mark.nojit


@pytest.fixture
def env(any_game):
    env = KGBEnv(any_game)
    env.reset(seed=5)
    return env


def illegal_actions(env):
    mask = env.observe(env.agent_selection)["action_mask"]
    return [*np.flatnonzero(mask == 0)[:1].tolist(), mask.size, -1, 10**9]


def test_an_illegal_action_raises_and_changes_nothing(env):
    before = env._states.tobytes()
    for action in [*illegal_actions(env), None, 1.0, True, np.array(True), "answer no", [0, 1], np.array([0, 1])]:
        with pytest.raises(IllegalActionError, match="action"):
            env.step(action)
    assert env._states.tobytes() == before
    env.step(random_action(env, np.random.default_rng(0)))


def test_the_message_names_the_action_and_what_is_legal():
    env = kgb_env.make("confusion")
    env.reset(seed=1)
    with pytest.raises(IllegalActionError, match=r"action 480 \(answer no\) is illegal for seat 0; legal are .* more"):
        env.step(480)


@pytest.mark.parametrize(("illegal", "loss"), [("terminate", 0.0), ("penalty", 2.5)])
def test_an_illegal_action_ends_the_game(any_game, illegal, loss):
    env = KGBEnv(any_game, illegal=illegal, penalty=2.5)
    env.reset(seed=1)
    offender = env.agent_selection
    env.step(10**6)
    assert all(env.terminations.values())
    assert not any(env.truncations.values())
    assert env.rewards == {agent: -loss if agent == offender else 0.0 for agent in env.possible_agents}
    assert env.outcome.reason == "illegal action"
    assert env.infos[offender]["reason"] == ILLEGAL
    for _ in env.possible_agents:
        env.step(None)
    assert env.agents == []


def test_the_turn_limit_truncates_exactly_to_the_turn():
    env = kgb_env.make("confusion", max_turns=2)
    env.reset(seed=3)
    turns = 0
    while env.outcome is None:
        assert not any(env.truncations.values())
        mask = env.observe(env.agent_selection)["action_mask"]
        answering = bool(mask[480:482].any())
        env.step(int(np.flatnonzero(mask[:482])[-1] if answering else np.flatnonzero(mask)[0]))
        turns += answering
    assert turns == 4
    assert all(env.truncations.values())
    assert not any(env.terminations.values())
    assert env.outcome == ("turn limit", (0.0, 0.0), ())


def test_after_the_end_errors_are_clear(env):
    play_to_the_end(env, np.random.default_rng(0))
    with pytest.raises(GameOverError, match="over"):
        env.step(0)
    for _ in env.possible_agents:
        env.last()
        env.step(None)
    for call in (env.last, lambda: env.step(None), lambda: env.step(0)):
        with pytest.raises(GameOverError, match="reset"):
            call()
    env.reset()
    env.last()


def test_before_the_start_errors_are_clear(any_game):
    env = KGBEnv(any_game, render_mode="ansi")
    for call in (
        env.last,
        lambda: env.step(0),
        lambda: env.observe("player_0"),
        env.state,
        env.render,
        lambda: env.clone(seed=1),
    ):
        with pytest.raises(GameOverError, match="reset"):
            call()


@pytest.mark.parametrize("seed", [-1, 2**63, 1.5, "7", True])
def test_a_bad_seed_is_refused(env, seed):
    before = env._states.tobytes()
    with pytest.raises(SeedError, match=r"from 0 to 2\*\*63 - 1"):
        env.reset(seed=seed)
    assert env._states.tobytes() == before


def test_a_bad_argument_is_refused(any_game):
    for arguments in ({"illegal": "ignore"}, {"render_mode": "video"}, {"render_as": "player_9"}):
        with pytest.raises(ValueError, match="choose"):
            KGBEnv(any_game, **arguments)
    with pytest.raises(ValueError, match="no agent 'player_9'"):
        KGBEnv(any_game).view("player_9")


def test_bad_options_are_refused():
    for options, message in (
        ({"max_turn": 3}, "did you mean 'max_turns'"),
        ({"max_turns": 0}, "max_turns=0"),
        ({"max_turns": 201}, "less than or equal to 200"),
        ({"max_turns": "many"}, "integer"),
        ({"auto_answer": 1}, "boolean"),
        ({"pieces": "nowhere.txt"}, "shipped file"),
        ({"id": 3}, "there is no 'id'"),
    ):
        with pytest.raises(OptionError, match=message):
            kgb_env.make("confusion", **options)
    for id in ("confusing", "tests.kuhn:STATE", "tests.nowhere:GAME"):
        with pytest.raises(OptionError, match=r"no game|not a"):
            kgb_env.make(id)


def test_resets_play_the_next_episode_of_the_seed(any_game):
    one, two = KGBEnv(any_game), KGBEnv(any_game)
    one.reset(seed=9)
    two.reset(seed=9)
    deals = set()
    for _ in range(5):
        assert one._states.tobytes() == two._states.tobytes()
        deals.add(one._states.tobytes())
        one.reset(options={"unknown": 1})
        two.reset()
    assert len(deals) == 5


def test_without_a_seed_games_differ(any_game):
    luck = set()
    for _ in range(4):
        env = KGBEnv(any_game)
        env.reset()
        luck.add(int(env._states["rng"][0]))
    assert len(luck) == 4


def test_what_a_caller_keeps_never_changes(env):
    """Observations handed out earlier are not written to, and writing to them changes nothing."""
    agent, rng = env.agent_selection, np.random.default_rng(1)
    kept = env.observe(agent)
    copies = copy.deepcopy(kept)
    before = env._states.tobytes()
    env.observe(agent)["action_mask"][:] = 1
    env.view(agent)["returns"] = 7
    assert env._states.tobytes() == before
    for _ in range(2):
        if env.outcome is None:
            env.step(random_action(env, rng))
    assert all((kept[name] == copies[name]).all() for name in kept)


def test_observing_any_agent_in_any_order_changes_nothing(env):
    rng = np.random.default_rng(2)
    while env.outcome is None:
        before, selection = env._states.tobytes(), env.agent_selection
        first = {agent: env.observe(agent) for agent in env.possible_agents}
        for agent in reversed(env.possible_agents):
            for name, value in env.observe(agent).items():
                assert (value == first[agent][name]).all()
        assert (env._states.tobytes(), env.agent_selection) == (before, selection)
        waiting = [agent for agent in env.possible_agents if agent != selection]
        assert not any(first[agent]["action_mask"].any() for agent in waiting)
        env.step(random_action(env, rng))


def test_a_pickle_from_before_the_end_goes_on_in_any_phase(env):
    """Mask, rewards and the seat to move survive a copy at every ply."""
    rng = np.random.default_rng(3)
    while env.outcome is None:
        twin = pickle.loads(pickle.dumps(env))
        assert twin.agent_selection == env.agent_selection
        assert twin.rewards == env.rewards
        mask = env.observe(env.agent_selection)["action_mask"]
        assert (twin.observe(twin.agent_selection)["action_mask"] == mask).all()
        action = random_action(env, rng)
        env.step(action)
        twin.step(action)
        assert twin._states.tobytes() == env._states.tobytes()
        twin.reset()  # the copy has its own episode counter
        if rng.random() < 0.8:  # a long game: not every ply
            for _ in range(20):
                if env.outcome is None:
                    env.step(random_action(env, rng))


def test_render_draws_what_its_viewer_knows():
    drawings = {}
    for render_as in ("public", "mover", "oracle", "player_0", "player_1"):
        env = kgb_env.make("confusion", render_mode="ansi", render_as=render_as)
        env.reset(seed=4)
        drawings[render_as] = env.render()
    assert drawings["mover"] == drawings["player_0"] != drawings["player_1"]
    assert "Double Agent" not in drawings["public"]
    assert drawings["player_0"].count("Double Agent") == 1
    assert drawings["oracle"].count("Double Agent") == 2
    assert kgb_env.make("confusion").render() is None


@pytest.mark.parametrize("penalty", [-1.0, float("nan"), float("inf")])
def test_a_penalty_is_a_loss(any_game, penalty):
    with pytest.raises(ValueError, match="penalty"):
        KGBEnv(any_game, illegal="penalty", penalty=penalty)


def smallest(action):
    """Return an action as NumPy's smallest signed integer that holds it."""
    return np.min_scalar_type(-1 - action).type(action)


def test_actions_may_be_any_kind_of_integer(any_game):
    ends = set()
    for kind in (int, smallest, np.int64, lambda a: np.array(a), lambda a: np.array([a])):
        env = KGBEnv(any_game)
        env.reset(seed=5)
        legal = any_game.legal(env._states)
        env.step(kind(int(legal[0])))
        ends.add(env._states.tobytes())
    assert len(ends) == 1


def test_an_illegal_action_makes_nobody_the_winner(any_game):
    env = KGBEnv(any_game, illegal="penalty")
    env.reset(seed=1)
    env.step(-1)
    assert env.outcome.winners == ()


def test_env_index_is_a_row_of_a_batch(any_game):
    assert kgb_env.make("confusion", env_index=3).env_index == 3
    with pytest.raises(SeedError):
        KGBEnv(any_game, env_index=-1)
    with pytest.raises(TypeError, match=r"kgb_env\.game"):
        KGBEnv("confusion")


def test_options_may_come_from_numpy_and_pathlib(tmp_path):
    shipped = kgb_env.game("confusion").data["pieces"]
    mine = tmp_path / "mine.txt"
    mine.write_text(shipped)
    game = kgb_env.game("confusion", max_turns=np.int64(5), auto_answer=np.True_, pieces=mine)
    assert game.options["max_turns"] == 5
    assert game.options["pieces"] == str(mine)
