"""What every agent promises, and what the scripted ones do."""

import numpy as np
import pytest

from agents import AgentError, agent_names, make_agent
from kgb_env import BatchEnv, derive_seed, game
from kgb_env.games.confusion import spec

nojit = pytest.mark.nojit
SEEDS = np.array([derive_seed(1, i, 0) for i in range(40)], np.uint64)


ELSEWHERE = ("ismcts", "llm", "pimc")  # tests/test_search.py, tests/llm
SLOW = ("inference",)  # takes minutes on the standard board without the JIT: see tests/confusion/test_inference.py


@pytest.fixture(
    params=[
        pytest.param(name, marks=() if name in SLOW else nojit)
        for name in agent_names("confusion")
        if name not in ELSEWHERE
    ]
)
def agent(request, confusion):
    return make_agent(confusion, request.param)


def positions(confusion, plies=60):
    """Return views of seats to move, from the middle of games."""
    batch, rng = BatchEnv(confusion, SEEDS.size, seed=3), np.random.default_rng(0)
    for _ in range(plies):
        mask = batch.frame.action_mask
        batch.step((mask * rng.random(mask.shape)).argmax(axis=1))
    return batch.frame


def test_a_choice_depends_on_nothing_but_its_row(confusion, agent):
    frame = positions(confusion)
    before = frame.views.tobytes()
    together, carry = agent.act(frame.views, SEEDS, agent.initial_carry(SEEDS.size))
    alone = [agent.act(frame.views[i : i + 1], SEEDS[i : i + 1])[0][0] for i in range(SEEDS.size)]
    reverse = agent.act(frame.views[::-1].copy(), SEEDS[::-1].copy())[0][::-1]
    assert together.tolist() == alone == reverse.tolist()
    assert frame.views.tobytes() == before
    assert carry is None
    assert frame.action_mask[np.arange(SEEDS.size), together].all()


def test_other_seeds_give_other_choices(confusion, agent):
    views = positions(confusion).views
    assert (agent.act(views, SEEDS)[0] != agent.act(views, SEEDS[::-1].copy())[0]).any()


@nojit
def test_names():
    general = ["ismcts", "llm", "pimc", "random"]
    assert agent_names("another") == general
    assert set(agent_names("confusion")) > {*general, "greedy"}
    for name, arguments in (("clever", {}), ("confusion.greedy", {}), ("greedy", {"depth": 3})):
        with pytest.raises(AgentError, match=name):
            make_agent("confusion", name, **arguments)


def greedy_choice(confusion, states):
    agent = make_agent(confusion, "greedy")
    views = confusion.view(states, states["to_move"])
    return confusion.notation.action(confusion, states, int(agent.act(views, SEEDS[:1])[0][0]))


def put(states, seat, letter, cell):
    """Move a spy to an empty cell, by hand."""
    s, spy = states[0], spec.LETTERS.index(letter)
    s.board[s.cell[seat, spy]] = spec.EMPTY
    s.cell[seat, spy] = spec.cell_number(cell)
    s.board[spec.cell_number(cell)] = 1 + spec.SPIES * seat + spy


@nojit
def test_greedy_brings_the_briefcase_home(confusion):
    states = confusion.start(1)
    put(states, 0, "L", "b10")
    states["briefcase"] = spec.cell_number("b10")
    assert greedy_choice(confusion, states) in ("L b10-a11", "L b10-b11")


@nojit
def test_greedy_fetches_and_retakes_the_briefcase(confusion):
    states = confusion.start(1)
    states["briefcase"] = spec.cell_number("f3")
    assert greedy_choice(confusion, states).endswith("f3")
    put(states, 1, "X", "f3")
    assert greedy_choice(confusion, states).endswith("xf3")


@nojit
def test_greedy_removes_what_can_only_be_the_double_agent(confusion):
    states = confusion.start(1)
    states["possible"][0, 0, 4] = 1 << spec.DOUBLE_AGENT
    assert greedy_choice(confusion, states) == f"out {spec.LETTERS[4]}"


@nojit
def test_greedy_exposes_a_double_agent_that_has_the_briefcase(confusion):
    states = confusion.start(1)
    spy = int(np.flatnonzero(states["piece"][0, 1] == spec.DOUBLE_AGENT)[0])
    put(states, 1, spec.LETTERS[spy], "f6")
    assert greedy_choice(confusion, states) == "expose"


@nojit
def test_greedy_never_answers_yes_to_its_own_defeat(confusion):
    states = confusion.start(1)
    spy = int(np.flatnonzero(states["piece"][0, 0] == spec.DOUBLE_AGENT)[0])
    letter = spec.LETTERS[spy]
    put(states, 0, letter, "b10")
    states["briefcase"] = spec.cell_number("b10")
    for text in (f"{letter} b10-b11", f"{letter} b10-a11"):
        asked = states.copy()
        confusion.play(asked, confusion.notation.parse_action(confusion, asked, text))
        assert len(confusion.legal(asked)) == 2
        assert greedy_choice(confusion, asked) == "answer no"


@nojit
def test_greedy_tells_one_story_about_a_double_agent(confusion):
    """Its answers always leave the piece that it pretends to be possible."""
    for seed in range(5):
        states = confusion.start(seed)
        agents = [make_agent(confusion, "random"), make_agent(confusion, "greedy")]
        spy = int(np.flatnonzero(states["piece"][0, 0] == spec.DOUBLE_AGENT)[0])
        k = 0
        while not states["over"][0]:
            seat, k = int(states["to_move"][0]), k + 1
            seeds = np.array([derive_seed(seed, k, 1)], np.uint64)
            confusion.play(states, agents[seat].act(confusion.view(states, seat), seeds)[0])
            is_promoted = states["promoted"][0, 0, spy]
            assert is_promoted or states["possible"][0, 0, spy] & ~(1 << spec.DOUBLE_AGENT) or states["over"][0]


def test_greedy_beats_random_clearly():
    """The full figure (1,000 games) is measured by `kgb match demo`; this is a sample of it."""
    from experiments.match import play_match
    from experiments.statistics import summarize

    confusion = game("confusion")
    agents = {name: make_agent(confusion, name) for name in ("greedy", "random")}
    result = summarize(play_match(confusion, agents, games=60, seed=2))
    assert result["agents"][0]["name"] == "greedy"
    assert result["agents"][0]["score_low"] >= 0.8
