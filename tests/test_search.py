"""ISMCTS and PIMC: what every agent promises, their arguments, and that they beat random play."""

import os
import subprocess
import sys
import time
import tracemalloc

import numpy as np
import pytest

from agents import AgentError, make_agent, notes_of
from agents.agent import with_parts
from agents.search import BYTES_AT_A_TIME, ROWS_AT_A_TIME
from kgb_env import BatchEnv, derive_seed, game
from tests.kuhn import BET, ID, PASS

AGENTS = ("ismcts(simulations=12, rollout_plies=6)", "pimc(worlds=3, simulations=12, rollout_plies=6)")
VARIANTS = {
    "standard": ("confusion", {}),
    "tokens": ("confusion", {"special_actions": True, "max_turns": 30}),
    "sir": ("confusion", {"promotion_sir": True, "honor_among_spies": True}),
    "setup": ("confusion", {"variable_setup": True, "tight_setup": True, "auto_answer": True}),
    "mini7": ("confusion-mini7", {"safe_extraction": True}),
}


def seeds(n, k=0):
    """Return different seeds for n decisions."""
    return np.array([derive_seed(k, i, 0) for i in range(n)], np.uint64)


def positions(any_game, n, plies):
    """Return views of the seats to move in n games after some random plies."""
    batch, rng = BatchEnv(any_game, n, seed=3), np.random.default_rng(0)
    for _ in range(plies):
        mask = batch.frame.action_mask
        batch.step((mask * rng.random(mask.shape)).argmax(axis=1))
    return batch.frame


# What every agent promises


@pytest.mark.nojit
@pytest.mark.parametrize("id", [ID, "confusion-mini"])
@pytest.mark.parametrize("text", [*AGENTS, "ismcts(simulations=6, opponents=random, rollout=random, rollout_plies=4)"])
def test_a_choice_depends_on_nothing_but_its_row(id, text):
    played = game(id)
    agent, n = make_agent(played, text), 6
    frame = positions(played, n, 2)
    before = frame.views.tobytes()
    together, carry = agent.act(frame.views, seeds(n), agent.initial_carry(n))
    again = agent.act(frame.views, seeds(n))[0]
    alone = [int(agent.act(frame.views[i : i + 1], seeds(n)[i : i + 1])[0][0]) for i in range(n)]
    reverse = agent.act(frame.views[::-1], seeds(n)[::-1])[0][::-1]
    assert together.tolist() == again.tolist() == alone == reverse.tolist()
    assert together.dtype == np.int64
    assert carry is None
    assert frame.views.tobytes() == before
    assert frame.action_mask[np.arange(n), together].all()


def test_the_agents_in_simulations_are_its_parts_and_their_notes_are_told():
    configured = game("confusion-mini")
    rollout = make_agent(configured, "random")
    rollout.notes = lambda: ["I was asked."]
    inner = make_agent(configured, "ismcts", rollout=rollout)
    agent = make_agent(configured, "pimc", rollout=inner, opponents="greedy")
    assert [type(part).__name__ for part in with_parts(agent)] == [
        "PimcAgent",
        "GreedyAgent",
        "IsmctsAgent",
        "RandomAgent",
    ]
    assert notes_of(agent) == ["in simulations: in simulations: I was asked."]


@pytest.mark.parametrize("text", AGENTS)
def test_every_game_is_played(any_game, text):
    agent = make_agent(any_game, text)
    for plies in (0, 3, 40):
        frame = positions(any_game, 20, plies)
        actions, _ = agent.act(frame.views, seeds(20))
        assert frame.action_mask[np.arange(20), actions].all()


@pytest.mark.parametrize("text", AGENTS)
@pytest.mark.parametrize("variant", VARIANTS)
def test_every_variant_is_played_to_the_end(variant, text):
    id, options = VARIANTS[variant]
    played = game(id, **options)
    agent, states, ply = make_agent(played, text), played.start(seeds(3)), 0
    while states.size:
        actions, _ = agent.act(played.view(states, states["to_move"]), seeds(states.size, ply))
        played.play(states, actions)  # refuses what is illegal
        states, ply = states[~states["over"]], ply + 1
    assert ply > 10


@pytest.mark.nojit
@pytest.mark.parametrize("text", AGENTS)
def test_other_seeds_give_other_choices(text):
    mini = game("confusion-mini")
    views = np.repeat(mini.view(mini.start(1), 0), 5)
    assert len(set(make_agent(mini, text).act(views, seeds(5))[0].tolist())) > 1


@pytest.mark.parametrize("text", AGENTS)
def test_what_a_seat_cannot_see_does_not_matter(text):
    mini = game("confusion-mini")
    states = mini.start(5)
    for ply in range(12):
        seat = int(states["to_move"][0])
        worlds = np.append(states, mini.determinize(mini.view(states, seat), seeds(7, ply)))
        assert (worlds["piece"] != worlds["piece"][0]).any() or ply > 6
        actions, _ = make_agent(mini, text).act(mini.view(worlds, seat), np.full(8, ply, np.uint64))
        assert len(set(actions.tolist())) == 1
        mini.play(states, actions[:1])


@pytest.mark.parametrize("text", AGENTS)
def test_the_jit_changes_nothing(text):
    code = (
        "import sys, numpy as np\n"
        "from agents import make_agent\n"
        "from kgb_env import game\n"
        "from tests.test_search import positions, seeds\n"
        "for id in sys.argv[2:]:\n"
        "    played = game(id)\n"
        "    views = positions(played, 5, 2).views\n"
        "    print(make_agent(played, sys.argv[1]).act(views, seeds(5))[0].tolist())\n"
    )
    printed = [
        subprocess.run(
            [sys.executable, "-c", code, text, ID, "confusion-mini"],
            env={**os.environ, "NUMBA_DISABLE_JIT": mode},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for mode in "01"
    ]
    assert printed[0] == printed[1]
    assert printed[0].count("[") == 2


@pytest.mark.parametrize("text", ["ismcts(time_budget=0.05)", "pimc(time_budget=0.05, worlds=4)"])
def test_a_time_budget_is_kept(text):
    mini = game("confusion-mini")
    agent, views = make_agent(mini, text), np.repeat(mini.view(mini.start(1), 0), 4)
    agent.act(views[:1], seeds(1))  # compiles
    begin = time.perf_counter()
    agent.act(views, seeds(4))
    assert 0.2 <= time.perf_counter() - begin < 1
    begin = time.perf_counter()
    make_agent(mini, "ismcts(time_budget=60, simulations=4)").act(views, seeds(4))
    assert time.perf_counter() - begin < 5


def test_a_large_batch_takes_no_more_memory():
    poker = game(ID)
    agent, n = make_agent(poker, "ismcts(simulations=200)"), 3000
    views = positions(poker, n, 0).views
    agent.act(views[:1], seeds(1))
    tracemalloc.start()
    agent.act(views, seeds(n))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1.2 * ROWS_AT_A_TIME * agent.row_nbytes + 10 * views.nbytes < n * agent.row_nbytes
    assert make_agent("confusion", "ismcts(simulations=1000000000)").row_nbytes < BYTES_AT_A_TIME


@pytest.mark.nojit
def test_no_views_no_actions():
    poker = game(ID)
    assert make_agent(poker, "ismcts").act(poker.new(0), seeds(0))[0].shape == (0,)


# Arguments


def first_views(n):
    poker = game(ID)
    return poker, np.repeat(poker.view(poker.start(1), 0), n)


@pytest.mark.nojit
@pytest.mark.parametrize("name", ["ismcts", "pimc"])
@pytest.mark.parametrize("good", [PASS, BET])
def test_an_evaluation_decides_where_rollouts_are_cut(name, good):
    def evaluation(states):
        is_good = states["log"][:, 2] == good
        return np.stack([is_good, ~is_good], axis=1) * 2.0

    poker, views = first_views(4)
    agent = make_agent(poker, name, simulations=20, rollout_plies=0, evaluation=evaluation)
    assert agent.act(views, seeds(4))[0].tolist() == [good] * 4


@pytest.mark.nojit
@pytest.mark.parametrize(
    ("evaluation", "fault"),
    [(lambda states: np.zeros(states.size), "shape"), (lambda states: np.full((states.size, 2), np.nan), "finite")],
)
def test_a_bad_evaluation_is_refused(evaluation, fault):
    poker, views = first_views(2)
    with pytest.raises(AgentError, match=fault):
        make_agent(poker, "ismcts", simulations=4, rollout_plies=0, evaluation=evaluation).act(views, seeds(2))
    with pytest.raises(AgentError, match="say with rollout_plies where"):
        make_agent(poker, "ismcts", evaluation=evaluation)


@pytest.mark.nojit
@pytest.mark.parametrize("part", ["rollout", "opponents"])
def test_a_player_with_a_memory_is_refused(part):
    class Remembering:
        def initial_carry(self, n):
            return np.zeros(n)

        def act(self, views, seeds, carry=None):
            return np.zeros(views.size, np.int64), carry

    with pytest.raises(AgentError, match=f"{part}: an agent that has a memory"):
        make_agent(ID, "ismcts", **{part: Remembering()})


def test_players_in_simulations_matter():
    mini = game("confusion-mini")
    views = positions(mini, 40, 6).views
    choices = [
        make_agent(mini, f"ismcts(simulations=60{part})").act(views, seeds(40))[0].tolist()
        for part in ("", ", rollout=greedy", ", opponents=greedy", ", rollout_plies=8")
    ]
    assert len(set(map(tuple, choices))) == 4


# Strength


@pytest.mark.parametrize(("id", "games", "bound"), [("confusion-mini", 60, 0.75), (ID, 400, 0.5)])
def test_ismcts_beats_random(id, games, bound):
    from experiments.match import play_match
    from experiments.statistics import summarize

    played = game(id)
    agents = {text: make_agent(played, text) for text in ("ismcts(simulations=200)", "random")}
    rows = summarize(play_match(played, agents, games, seed=4))["agents"]
    assert next(row for row in rows if row["name"] != "random")["score_low"] > bound
