"""The expert: what it does in positions by hand, what it believes, and what it is worth."""

import numpy as np
import pytest

import kgb_env
from agents import make_agent
from agents.secret_formula.value import VALUES, WEIGHTS
from experiments.calibration import calibrate
from experiments.match import decisions, play_match
from kgb_env.games.secret_formula.spec import TURN_LIMIT
from tests.secret_formula.positions import at, own_game, run
from tests.secret_formula.told import by_place, finished, wins

nojit = pytest.mark.nojit
SEED = np.ones(1, np.uint64)
GATES = ("formula i5", "first 0", "gate oak", "gate elm", "gate west", "gate east")
OPTIONS = {
    "two": {"players": 2},
    "standard": {},
    "mercy": {"players": 3, "mercy": True},
    "deluxe": {"deluxe": True},
    "mini": {"board": "mini", "players": 2},
}


@pytest.fixture
def camp(tmp_path):
    return own_game(tmp_path)


def choice(game, states):
    """Return what the seat to move chooses, as a text."""
    actions, _ = make_agent(game, "expert").act(game.view(states, states["to_move"]), SEED)
    return game.notation.action(game, states, int(actions[0]))


def holders(game, states, seat):
    """Return how likely a seat believes each seat, and last nobody, to carry the formula."""
    return make_agent(game, "expert").beliefs(game.view(states, seat))[0]


# Positions


@nojit
def test_it_takes_the_formula_out(camp):
    states = at(camp, "formula i5", "envelope i5 seat 0", "seat 0 h2", "turn 0", "then throw 3 5")
    assert choice(camp, states) == "leave oak"


@nojit
def test_with_the_formula_it_comes_nearer_to_a_gate(tmp_path):
    """Nobody can rob it: three steps do not get it out, but its next throw will."""
    game = own_game(tmp_path, players=2)
    states = at(game, "formula n5", "envelope n5 seat 0", "seat 0 n2", "seat 1 h6 knocked-out", "then throw 1 2")
    assert choice(game, states) in {"go k2", "go q2"}


@nojit
def test_it_robs_whom_it_knows_to_have_the_formula(camp):
    lines = ("formula i5", "examined 0 i5", "envelope i5 seat 1", "seat 0 f2", "seat 1 m2", "seat 2 d2")
    assert choice(camp, at(camp, *lines, "then throw 3 4")) == "go m2"


@nojit
def test_it_takes_what_is_within_reach(camp):
    """Seat 0 has seen all but two envelopes; one of them lies on its way."""
    lines = ("formula i5", "examined 0 d5 n5 c6 h6", "seat 0 j2")
    assert choice(camp, at(camp, *lines, "then throw 3 4")) == "go i5"


@nojit
def test_it_leaves_the_sector_that_the_guard_enters_next(camp):
    """In the Tower nobody escapes (S8)."""
    lines = ("guard KIT", "formula p7", "envelope p7 seat 0", "seat 0 p5")
    assert choice(camp, at(camp, *lines, "then throw 1 2")) in {"go p2", "go o3", "go q3"}


@nojit
def test_it_cuts_off_the_gate(camp):
    """It cannot reach who has the formula, at the end of the Tower, but it can stand on the way to the gate east."""
    lines = ("guard GAR", "formula i5", "examined 0 i5", "envelope i5 seat 1", "seat 0 i2", "seat 1 p7")
    assert choice(camp, at(camp, *lines, "then throw 1 4")) in {"go n2", "go l4"}


@nojit
def test_it_surrenders_to_come_in_by_another_gate(camp):
    """The formula is at the other end of the camp, twenty steps away; from the gate east it is seven."""
    lines = ("guard GAR", "formula p7", "examined 0 p7")
    assert choice(camp, at(camp, *lines, "seat 0 a2", "then throw 1 2")) == "surrender b4"
    assert choice(camp, at(camp, *lines, "seat 1 a2")) == "gate east"


@nojit
def test_it_hits_whom_it_can(camp):
    lines = ("formula i5", "envelope i5 seat 1", "seat 0 k2 woken", "seat 1 k2")
    assert choice(camp, at(camp, *lines)) == "hit"


# Beliefs


def after_seat_0_has_taken_two(camp, *texts):
    """Return the state after seat 0 has taken two envelopes below the gate oak, and the others none."""
    others = ("throw 1 2", "go e2", "throw 1 2", "go c2", "throw 1 2", "go o2")
    return run(camp, camp.begin(), *GATES, "throw 3 5", "go i5", "go h6", *others, *texts)


@nojit
def test_everybody_is_suspected_alike_at_first(camp):
    states = run(camp, camp.begin(), *GATES)
    assert np.allclose(holders(camp, states, 0), [0, 0, 0, 0, 1])


@nojit
def test_beliefs_sum_to_one_and_know_what_has_been_seen(camp):
    states = after_seat_0_has_taken_two(camp)
    assert holders(camp, states, 0).tolist() == [1, 0, 0, 0, 0]
    for seat in (1, 2, 3):
        believed = holders(camp, states, seat)
        assert np.isclose(believed.sum(), 1.0)
        assert believed[seat] == 0.0
        assert believed[0] > 0.1


@nojit
def test_who_could_have_left_has_not_the_formula(camp):
    before = after_seat_0_has_taken_two(camp)
    stayed = run(camp, before, "throw 5 6", "go c2")
    assert holders(camp, stayed, 1)[0] < 0.05 < holders(camp, before, 1)[0]


@nojit
def test_who_heads_for_a_gate_may_have_it(camp):
    before = after_seat_0_has_taken_two(camp)
    nearer, aside = (run(camp, before, "throw 1 2", text) for text in ("go i4", "go j5"))
    assert holders(camp, nearer, 1)[0] > holders(camp, aside, 1)[0]


@nojit
def test_it_explains_itself(camp):
    agent, seen = make_agent(camp, "expert"), 0
    for states, _ in decisions(camp, agent, 1):
        if not states["over"][0]:
            tables = agent.explain(camp.view(states, states["to_move"]))
            assert len(tables) == 3
            assert all(len(row) == len(table.columns) for table in tables for row in table.rows)
            seen += 1
    assert seen > 4


@nojit
def test_weights_have_names():
    assert set(WEIGHTS.names) == set(VALUES)


# The contract


@nojit
def test_a_choice_depends_on_nothing_but_its_row():
    game = kgb_env.game("secret_formula-mini")
    batch = kgb_env.BatchEnv(game, 12, seed=3)
    for _ in range(8):
        batch.step(batch.frame.action_mask.argmax(axis=1))
    views, seeds, agent = batch.frame.views.copy(), np.arange(12, dtype=np.uint64), make_agent(game, "expert")
    seen = views.tobytes()
    together, carry = agent.act(views, seeds)
    backwards = agent.act(views[::-1].copy(), seeds[::-1].copy())[0][::-1]
    alone = [agent.act(views[i : i + 1], seeds[i : i + 1])[0][0] for i in range(12)]
    assert carry is None
    assert together.tolist() == backwards.tolist() == alone
    assert views.tobytes() == seen


@pytest.mark.parametrize("name", OPTIONS)
def test_it_plays_every_option_legally_and_to_an_end(name):
    """The match runner refuses what is illegal."""
    game = kgb_env.game("secret_formula", **OPTIONS[name])
    played = play_match(game, {"expert": make_agent(game, "expert")}, games=30, seed=3)
    assert (played.reasons > 0).all()
    assert (played.reasons == TURN_LIMIT).mean() < 0.3


# What it is worth: samples of `python -m tests.secret_formula.told`


@pytest.fixture(scope="module")
def standard():
    return kgb_env.game("secret_formula")


def test_it_beats_collectors(standard):
    ends = finished(standard, ["expert", "collector", "collector", "collector"], 600)
    assert wins(ends, 0).mean() > 0.38


def test_it_beats_random_players(standard):
    ends = finished(standard, ["expert", "random", "random", "random"], 100)
    assert wins(ends, 0).mean() > 0.9


def test_between_experts_no_seat_is_better_and_games_end(standard):
    ends = finished(standard, ["expert"] * 4, 600)
    assert (ends.states["reason"] == TURN_LIMIT).mean() < 0.02
    places = by_place(ends)
    assert max(places) - min(places) < 0.14  # 0.05 and less in many games


def test_its_beliefs_about_experts_are_calibrated(standard):
    assert calibrate(standard, "expert", games=60).deviation < 0.07
