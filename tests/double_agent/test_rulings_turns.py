"""Rulings D5 to D11: going, inspecting, the Security List, accusing, escaping."""

import pytest

import kgb_env
from kgb_env import PUBLIC, IllegalActionError
from kgb_env.games.double_agent.spec import SECURITY_AGENT
from kgb_env.record import UNKNOWN
from tests.double_agent.positions import (
    MONITORS,
    condition,
    dealt,
    findings,
    inspected,
    is_throw_due,
    landings,
    legal,
    list_of,
    others,
    own_game,
    result,
    run,
    standing,
    thrown,
    where,
    whose_turn,
)

pytestmark = pytest.mark.nojit

AGENT, DOUBLE = 0, 3  # seats: a Security Agent, and the Double Agent, whose opening play was at HUT


@pytest.fixture
def camp(tmp_path):
    return own_game(tmp_path)


@pytest.fixture
def start(camp):
    return dealt(camp, double_agent=DOUBLE)


def turn(camp, states, seat, cells, throw):
    """Return the position in which a seat has thrown, with the seats on these cells."""
    return thrown(standing(camp, states, cells), seat, throw)


def reach(camp, cell, throw):
    """Return the cells that a Security Agent alone in the camp can land on."""
    return landings(camp, turn(camp, dealt(camp, DOUBLE), AGENT, {AGENT: cell}, throw))


# D5


def test_d5_the_count_must_be_used_in_full_to_and_fro_if_need_be(camp):
    assert reach(camp, "g3", 2) == {"g3", "g5", "f4", "h4", "f2", "h2"}
    assert reach(camp, "g3", 3) == {"g2", "e2", "i2", "g4", "f5", "h5", "g6"}


def test_d5_the_own_cell_with_even_counts_only(camp):
    for throw in range(2, 13):
        assert ("g4" in reach(camp, "g4", throw)) == (throw % 2 == 0)


def test_d5_doors_gates_and_walkways_included(camp):
    assert {"a2", "b2", "c3"} <= reach(camp, "c2", 2) | reach(camp, "c2", 3)
    assert "a2" in reach(camp, "c2", 2)
    assert "c3" in reach(camp, "c2", 3)


def test_d5_no_cell_that_somebody_else_occupies(camp, start):
    for seat in (AGENT, DOUBLE):
        states = turn(camp, start, seat, {seat: "g3", 1: "f4", 2: "h2"}, 2)
        assert landings(camp, states) == {"g3", "g5", "h4", "f2"}


def boxed_in(camp, start, seat):
    """Return the dead end of the Garden, with others on the only cells within three steps."""
    rest = [other for other in range(4) if other != seat]
    return turn(camp, start, seat, {seat: "b6", rest[0]: "b5", rest[1]: "c4", rest[2]: "p6"}, 3)


def test_d5_a_seat_stays_only_if_it_must_and_may_still_accuse(camp, start):
    states = boxed_in(camp, start, AGENT)
    assert legal(camp, states) == {"stay", "accuse 1", "accuse 2"}
    after = run(camp, states, "stay")
    assert where(camp, after, AGENT) == "b6"
    assert whose_turn(camp, after) == 1
    assert legal(camp, boxed_in(camp, start, DOUBLE)) == {"stay"}
    assert "stay" not in legal(camp, turn(camp, start, AGENT, {AGENT: "b6", 1: "b5"}, 3))


def test_d5_staying_is_no_move_and_opens_no_monitor(camp, start):
    """D17: a seat that had skipped, and stays, may not inspect."""
    states = run(camp, boxed_in(camp, start, AGENT), "stay")
    assert is_throw_due(states)


# D6


def test_d6_only_in_the_sector_where_the_move_ended(camp, start):
    for cell, is_inside in (("g6", True), ("g4", True), ("g2", False), ("e2", False)):
        states = run(camp, turn(camp, start, AGENT, {AGENT: "g3"}, 3), f"go {cell}")
        assert (not is_throw_due(states)) == is_inside


def test_d6_a_door_is_in_no_sector(camp, start):
    assert is_throw_due(run(camp, turn(camp, start, AGENT, {AGENT: "g4"}, 3), "go g3"))


def test_d6_a_security_agent_skips_or_inspects_and_changes_nothing(camp, start):
    states = run(camp, turn(camp, start, AGENT, {AGENT: "g3"}, 3), "go g6")
    assert legal(camp, states) == {"skip", "inspect"}
    skipped, seen = run(camp, states, "skip"), run(camp, states, "inspect")
    assert skipped["listed"][0] == 0
    assert list_of(camp, seen, AGENT) == ["(HUT OFF)"]
    assert [condition(camp, seen, code) for code in MONITORS] == ["ON", "OFF", "ON", "ON"]


def test_d6_the_double_agent_may_also_sabotage_what_is_on(camp, start):
    states = run(camp, turn(camp, start, DOUBLE, {DOUBLE: "k3"}, 3), "go k4")
    assert legal(camp, states) == {"skip", "inspect", "sabotage"}
    assert condition(camp, run(camp, states, "inspect"), "KIT") == "ON"
    after = run(camp, states, "sabotage")
    assert condition(camp, after, "KIT") == "OFF"
    assert findings(after) == ["sabotaged"]
    assert list_of(camp, after, DOUBLE) == ["(KIT OFF)"]


def test_d6_nobody_turns_a_monitor_on(camp, start):
    states = run(camp, turn(camp, start, DOUBLE, {DOUBLE: "g3"}, 3), "go g4")
    assert legal(camp, states) == {"skip", "inspect"}
    for text in ("skip", "inspect"):
        assert condition(camp, run(camp, states, text), "HUT") == "OFF"


# D7


def back_in(camp, states, *moves):
    """Return the state after these throws and cells of AGENT, the others staying where they are."""
    for throw, cell in moves:
        states = run(camp, thrown(states, AGENT, throw), f"go {cell}")
        if not is_throw_due(states):
            return states
    return states


def test_d7_not_again_before_a_turn_has_ended_outside(camp, start):
    states = turn(camp, start, AGENT, {AGENT: "k3"}, 3)
    states = run(camp, states, "go k4", "inspect")
    assert is_throw_due(back_in(camp, states, (2, "k6")))
    assert is_throw_due(back_in(camp, states, (4, "k4")))  # it may have gone out and in again: not enough
    for cell, throw in (("k3", 3), ("j2", 3)):
        outside = back_in(camp, states, (throw, cell))
        assert not is_throw_due(back_in(camp, outside, (5, "k4") if cell == "k3" else (3, "k4")))


def test_d7_a_door_is_outside_too_and_another_sector(camp, start):
    states = run(camp, turn(camp, start, AGENT, {AGENT: "k3"}, 3), "go k4", "inspect")
    states = back_in(camp, states, (8, "g4"))
    assert legal(camp, states) == {"skip", "inspect"}
    states = back_in(camp, run(camp, states, "inspect"), (8, "k4"))
    assert legal(camp, states) == {"skip", "inspect"}


def test_d7_at_the_start_the_same_holds_for_the_garden(camp, start):
    states = run(camp, start, "throw 2", "go b4")
    assert is_throw_due(states)
    states = run(camp, thrown(states, AGENT, 2), "go d4")
    assert is_throw_due(states)
    states = run(camp, thrown(states, AGENT, 2), "go c3")
    states = run(camp, thrown(states, AGENT, 3), "go b5")
    assert legal(camp, states) == {"skip", "inspect"}


def test_d7_who_skipped_may_inspect_later_without_leaving(camp, start):
    states = run(camp, turn(camp, start, AGENT, {AGENT: "k3"}, 3), "go k4", "skip")
    states = run(camp, thrown(states, AGENT, 2), "go k6")
    assert legal(camp, states) == {"skip", "inspect"}


# D8


def test_d8_all_learn_who_and_where_only_the_inspector_learns_the_condition(camp, start):
    states = inspected(camp, start, "1 HUT", "0 GAR", "1 GAR")
    assert findings(camp.view(states, 1)) == ["OFF", "?", "ON"]
    assert findings(camp.view(states, 0)) == ["?", "ON", "?"]
    assert findings(camp.view(states, 2)) == ["?", "?", "?"]
    assert findings(camp.view(states, PUBLIC)) == ["?", "?", "?"]
    assert list_of(camp, states, 0) == ["HUT 1", "(GAR ON)", "GAR 1"]
    assert list_of(camp, states, 2) == ["HUT 1", "GAR 0", "GAR 1"]


def test_d8_a_sabotage_is_announced_as_an_inspection(camp, start):
    one, two = inspected(camp, start, "3 GAR"), inspected(camp, start, "3 GAR sabotage")
    for seat in (0, 1, 2, PUBLIC):
        assert camp.view(one, seat).tobytes() == camp.view(two, seat).tobytes()
    assert camp.view(one, DOUBLE).tobytes() != camp.view(two, DOUBLE).tobytes()


def test_d8_the_double_agent_knows_every_monitor_at_all_times(camp, start):
    states = inspected(camp, start, "0 GAR", "3 KIT sabotage", "1 KIT")
    view = camp.view(states, DOUBLE)
    assert [condition(camp, view, code) for code in MONITORS] == ["ON", "OFF", "OFF", "ON"]
    assert findings(view) == ["ON", "sabotaged", "OFF"]


def test_d8_off_is_for_good_but_on_is_known_for_no_longer_than_the_moment(camp, start):
    states = inspected(camp, start, "0 HUT", "0 GAR")
    view = camp.view(states, 0)
    assert [condition(camp, view, code) for code in MONITORS] == ["?", "OFF", "?", "?"]
    sectors = camp.observation.split(camp.encode(view).observation[0])["seen"]
    assert sectors.tolist() == [[1, 0], [0, 1], [0, 0], [0, 0]]


def test_d8_the_view_holds_the_whole_list(camp, start):
    inspections = [f"{k % 4} {MONITORS[k % 3]}" for k in range(240)]
    states = inspected(camp, start, *inspections)
    assert len(list_of(camp, states, 2)) == 240
    own = [k for k, found in enumerate(findings(camp.view(states, 2))) if found != "?"]
    assert own == [k for k in range(240) if k % 4 == 2]


# D9


@pytest.mark.parametrize(("throw", "is_near"), [(3, False), (4, True), (5, True), (12, True)])
def test_d9_accuse_whoever_is_within_the_count_not_exactly(camp, start, throw, is_near):
    states = turn(camp, start, AGENT, {AGENT: "f4", 1: "h2"}, throw)  # f4 g4 g3 g2 h2
    assert ("accuse 1" in legal(camp, states)) == is_near


def test_d9_not_who_is_still_in_the_gazebo(camp, start):
    states = turn(camp, start, AGENT, {AGENT: "c4", 1: "c2"}, 12)
    assert others(camp, states) == {"accuse 1"}


def test_d9_who_is_in_the_gazebo_may_accuse_by_its_first_steps(camp, start):
    """To c4 and on to c3, c2: three steps."""
    for throw, found in ((2, set()), (3, {"accuse 1"})):
        assert others(camp, turn(camp, start, AGENT, {1: "c2"}, throw)) == found


def test_d9_right_wins_alone(camp, start):
    states = run(camp, turn(camp, start, 1, {1: "f4", DOUBLE: "h4"}, 5), "accuse 3")
    assert result(camp, states) == ("exposure", [-0.333333, 1.0, -0.333333, -0.333333])
    assert camp.outcome(states).winners == (1,)


def test_d9_wrong_is_out_and_the_accused_plays_on_exposed(camp, start):
    states = run(camp, turn(camp, start, AGENT, {AGENT: "f4", 1: "h4"}, 5), "accuse 1")
    assert where(camp, states, AGENT) is None
    assert where(camp, states, 1) == "h4"
    assert states["out"][0].tolist() == [1, 0, 0, 0, 0, 0]
    assert states["exposed"][0].tolist() == [0, 1, 0, 0, 0, 0]
    assert result(camp, states) is None
    for seat in (2, PUBLIC):
        assert camp.view(states, seat)["role"][0, 1] == SECURITY_AGENT
    assert whose_turn(camp, states) == 1


def test_d9_who_is_out_takes_no_turns_and_nobody_else_is_skipped(camp, start):
    states = run(camp, turn(camp, start, 1, {1: "f4", 2: "h4", AGENT: "k4", DOUBLE: "o4"}, 5), "accuse 2")
    order = []
    for _ in range(6):
        order.append(whose_turn(camp, states))
        seat = order[-1]
        states = run(camp, states, "throw 2", f"go {where(camp, states, seat)}")
        if not is_throw_due(states):
            states = run(camp, states, "skip")
    assert order == [2, 3, 0, 2, 3, 0]


def test_d9_who_is_out_sees_what_is_public(camp, start):
    states = run(camp, turn(camp, start, AGENT, {AGENT: "f4", 1: "h4", 2: "k3"}, 5), "accuse 1")
    states = run(camp, thrown(states, 2, 3), "go k4", "inspect")
    view = camp.view(states, AGENT)
    assert list_of(camp, states, AGENT) == ["KIT 2"]
    assert view["role"][0, :4].tolist() == [0, 0, UNKNOWN, UNKNOWN]
    assert not camp.encode(view).action_mask.any()


def test_d9_an_exposed_agent_cannot_be_accused_again(camp, start):
    states = run(camp, turn(camp, start, AGENT, {AGENT: "f4", 1: "h4", 2: "g4"}, 5), "accuse 1")
    assert others(camp, thrown(states, 2, 5)) == set()
    assert "accuse 2" in legal(camp, thrown(states, 1, 5))


# D10


def test_d10_a_security_agent_never_lands_on_an_exposed_agent(camp, start):
    states = run(camp, turn(camp, start, AGENT, {AGENT: "f4", 1: "h4", 2: "g4"}, 5), "accuse 1")
    assert "h4" not in landings(camp, thrown(states, 2, 3))
    assert "h4" not in landings(camp, thrown(states, 2, 5))


def test_d10_the_double_agent_never_accuses_and_lands_on_nobody(camp, start):
    states = turn(camp, start, DOUBLE, {AGENT: "f4", 1: "h4", 2: "g5", DOUBLE: "g3"}, 2)
    assert others(camp, states) == set()
    assert landings(camp, states) == {"g3", "f2", "h2"}


# D11


def sabotaged(camp, start, *codes):
    return inspected(camp, start, *(f"{DOUBLE} {code} sabotage" for code in codes))


@pytest.mark.parametrize(("codes", "can_escape"), [((), False), (("KIT",), False), (("KIT", "LAB"), True)])
def test_d11_enough_monitors_must_be_off_the_opening_one_included(camp, start, codes, can_escape):
    states = turn(camp, sabotaged(camp, start, *codes), DOUBLE, {DOUBLE: "b2"}, 12)
    assert ("leave west" in legal(camp, states)) == can_escape


@pytest.mark.parametrize(("throw", "can_escape"), [(2, False), (3, False), (4, True), (5, True)])
def test_d11_the_point_outside_must_lie_within_the_count(camp, start, throw, can_escape):
    """From d2 the gate's cell a2 is three steps away, the point outside four."""
    states = turn(camp, sabotaged(camp, start, "KIT", "LAB"), DOUBLE, {DOUBLE: "d2"}, throw)
    assert others(camp, states) == ({"leave west"} if can_escape else set())


def test_d11_by_any_gate_and_over_others(camp, start):
    states = turn(camp, sabotaged(camp, start, "KIT", "LAB"), DOUBLE, {DOUBLE: "i2", AGENT: "b2", 1: "a2"}, 9)
    assert others(camp, states) == {"leave west", "leave east"}
    after = run(camp, states, "leave east")
    assert result(camp, after) == ("escape", [-0.333333, -0.333333, -0.333333, 1.0])


def test_d11_from_the_gate_itself_it_is_one_step(camp, start):
    states = turn(camp, sabotaged(camp, start, "KIT", "LAB"), DOUBLE, {DOUBLE: "q2"}, 2)
    assert others(camp, states) == {"leave east"}


def test_d11_nobody_else_may_leave(camp, start):
    states = turn(camp, sabotaged(camp, start, "KIT", "LAB"), AGENT, {AGENT: "b2"}, 12)
    assert others(camp, states) == set()
    with pytest.raises(IllegalActionError):
        camp.play(states, camp.notation.parse_action(camp, states, "leave west"))


def test_d11_standard_and_deluxe_need_five_and_eight():
    assert kgb_env.game("double_agent").tables[0].needed == 5
