"""The players that infer: what they do in positions by hand, and what it is worth."""

import numpy as np
import pytest

import kgb_env
from agents import AgentError, make_agent
from agents.double_agent.bluffing import BLUFF, BLUFFS, added_suspicion, read_minds
from agents.double_agent.deduction import DEDUCES, DEDUCTION
from experiments.calibration import calibrate
from experiments.match import decisions, play_match
from experiments.statistics import summarize
from kgb_env.games.double_agent.spec import DOUBLE_AGENT, ESCAPE, EXPOSURE, GO, INSPECTION, SECURITY_AGENT
from tests.double_agent.positions import MONITORS, dealt, inspected, own_game, standing, thrown
from tests.double_agent.told import endings

nojit = pytest.mark.nojit
SEED = np.ones(1, np.uint64)
HUT = MONITORS.index("HUT")


@pytest.fixture
def camp(tmp_path):
    return own_game(tmp_path)


def choice(game, states, name="expert"):
    """Return what the seat to move chooses, as a text."""
    actions, _ = make_agent(game, name).act(game.view(states, states["to_move"]), SEED)
    return game.notation.action(game, states, int(actions[0]))


def suspicious(camp):
    """Return a position in which seat 0 can tell that seat 2 is the Double Agent: it alone was at two monitors."""
    states = standing(camp, dealt(camp, double_agent=2, opening="LAB"), {0: "e2", 1: "p2", 2: "h2", 3: "n2"})
    return inspected(camp, states, "0 GAR", "0 HUT", "2 GAR sabotage", "2 HUT sabotage", "0 GAR", "0 HUT")


# Security Agents


@nojit
def test_it_accuses_whom_it_is_sure_of(camp):
    states = thrown(suspicious(camp), seat=0, throw=7)
    assert choice(camp, states) == choice(camp, states, "deduction") == "accuse 2"


@nojit
def test_it_does_not_accuse_before_it_knows_anything(camp):
    states = standing(camp, dealt(camp, double_agent=2), {0: "e2", 1: "f2", 2: "h2", 3: "g2"})
    assert choice(camp, thrown(states, seat=0, throw=7)).startswith("go ")
    assert choice(camp, thrown(states, seat=0, throw=7), "blind") == "accuse 1"


@nojit
def test_without_a_stake_less_certainty_is_enough(tmp_path):
    """What a wrong accusation costs decides how sure one must be (D14)."""
    needed = {}
    for stake in (0.0, 1.0, 5.0):
        game = own_game(tmp_path, stake=stake)
        states = standing(game, dealt(game, double_agent=2, opening="LAB"), {0: "e2", 1: "f2", 2: "h2", 3: "n2"})
        thinking = make_agent(game, "expert").explain(game.view(thrown(states, seat=0, throw=7), 0))
        needed[stake] = int(thinking[-1].rows[0][-1])
    assert needed[0.0] < 55 < needed[1.0] < needed[5.0] < 100


@nojit
def test_it_always_inspects(camp):
    game = camp
    for states, _ in decisions(game, make_agent(game, "expert"), 3):
        seat = int(states["to_move"][0])
        if states["phase"][0] == INSPECTION and states["role"][0, seat] == SECURITY_AGENT:
            assert choice(game, states) == "inspect"


@nojit
def test_it_goes_where_a_reading_tells_most(camp):
    """The Hut was ON; both others have been there since, the Kitchen nobody has touched."""
    states = standing(camp, dealt(camp, double_agent=2, opening="LAB"), {0: "g2", 1: "p2", 2: "n2", 3: "m2"})
    states = inspected(camp, states, "0 HUT", "0 KIT", "2 HUT sabotage")
    states["barred"][0, 0] = -1
    landed = choice(camp, thrown(states, seat=0, throw=5)).removeprefix("go ")
    assert landed[0] in "efgh"
    assert int(landed[1:]) >= 4, "in the Hut"


# The Double Agent


@nojit
def test_it_leaves_when_it_can(camp):
    states = standing(camp, dealt(camp, double_agent=0, opening="LAB"), {0: "d2", 1: "p2", 2: "n2", 3: "m2"})
    states["monitor"][0, :3] = 2  # OFF
    assert choice(camp, thrown(states, seat=0, throw=5)).startswith("leave")


def at_the_hut(camp, cells, *inspections):
    """Return a position in which seat 0, the Double Agent, has the choice at the monitor of the Hut."""
    states = standing(camp, dealt(camp, double_agent=0, opening="LAB"), {0: "g5"} | cells)
    states = thrown(inspected(camp, states, *inspections), seat=0, throw=5)
    states["phase"], states["barred"][0, 0] = INSPECTION, -1
    return states


def added(camp, cells, *inspections):
    """Return how much likelier the Double Agent would become to be accused by a sabotage at the Hut."""
    agent, view = make_agent(camp, "expert"), camp.view(at_the_hut(camp, cells, *inspections), 0)
    tables, minds, model = camp.tables[0], agent._beliefs, agent._model[0]
    read_minds(view[0], 0, minds, model, tables)
    return added_suspicion(view[0], 0, HUT, minds, agent._plan[0], model, agent._bluff[0], tables)


@nojit
def test_a_sabotage_adds_most_suspicion_under_the_eyes_of_one_who_would_know(camp):
    """Seat 1 read ON last, so it would know; at the door it is likelier to come and see."""
    far, door = {1: "p2", 2: "p2", 3: "o2"}, {1: "g3", 2: "p2", 3: "o2"}
    assert added(camp, door, "1 HUT") > 1.5 * added(camp, far, "1 HUT")
    assert added(camp, door, "1 HUT") > added(camp, door, "1 HUT", "2 HUT", "3 HUT") > 0
    assert added(camp, door, "1 HUT") > added(camp, door)


@nojit
def test_it_sabotages_where_nobody_will_know(camp):
    """All are far away, and the only one who has read ON there was not the last one to inspect."""
    states = at_the_hut(camp, {1: "p2", 2: "o2", 3: "n2"}, "3 HUT", "2 HUT", "1 HUT", "2 HUT", "3 HUT")
    assert choice(camp, states) == "sabotage"


@nojit
def test_weights_have_names():
    assert set(DEDUCTION.names) == set(DEDUCES)
    assert set(BLUFF.names) == set(BLUFFS)


@nojit
def test_rate_is_a_probability():
    for name in ("expert", "deduction", "bluffing"):
        with pytest.raises(AgentError, match=r"rate=1\.5"):
            make_agent("double_agent", f"{name}(rate=1.5)")


# What it is worth: samples of `python -m tests.double_agent.told` and of matches


@pytest.fixture(scope="module")
def standard():
    return kgb_env.game("double_agent")


def share(ends, reason):
    return (ends["reason"] == reason).mean()


def test_deduction_exposes_a_naive_double_agent_more_than_twice_as_often_as_naive(standard):
    naive = share(endings(standard, "naive", "naive", 200), EXPOSURE)
    deduction = share(endings(standard, "deduction", "naive", 200), EXPOSURE)
    told = share(endings(standard, "deduction", "naive", 200, is_told=True), EXPOSURE)
    assert deduction > 2 * naive
    assert deduction > 0.6 * told


def test_bluffing_escapes_from_naive_security_agents(standard):
    naive = share(endings(standard, "naive", "naive", 400), ESCAPE)
    bluffing = share(endings(standard, "naive", "bluffing", 400), ESCAPE)
    assert 1 - bluffing < 0.6 * (1 - naive)  # at most half in 2,000 games; 400 are few


def test_between_experts_both_sides_have_a_chance(standard):
    ends = endings(standard, "expert", "expert", 400)
    assert 0.3 < share(ends, ESCAPE) < 0.5
    assert share(ends, EXPOSURE) + share(ends, ESCAPE) > 0.99


def test_blind_accusers_pay_for_it(standard):
    agents = {name: make_agent(standard, name) for name in ("blind", "deduction")}
    rows = {row["name"]: row for row in summarize(play_match(standard, agents, games=280))["agents"]}
    assert rows["deduction"]["mean_return"] > 0.1 > rows["blind"]["mean_return"]


def test_the_beliefs_of_experts_are_calibrated(standard):
    result = calibrate(standard, "expert", games=30)
    full = [row for row in result.bins if row.size >= 200]
    assert len(full) >= 4
    assert all(abs(row.predicted - row.observed) < 0.15 for row in full)


@nojit
def test_it_explains_both_roles(camp):
    titles = {}
    for states, _ in decisions(camp, make_agent(camp, "expert"), 1):
        seat = int(states["to_move"][0])
        if seat >= 0 and states["phase"][0] == GO:
            tables = make_agent(camp, "expert").explain(camp.view(states, seat))
            titles[int(states["role"][0, seat])] = tables[-1].title
            assert all(len(row) == len(table.columns) for table in tables for row in table.rows)
    assert "How sure each Security Agent" in titles[DOUBLE_AGENT]
    assert "accuse" in titles[SECURITY_AGENT]
