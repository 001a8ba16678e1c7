"""Rulings S6 to S8, S10, S11: the guard's rounds, alarms, escapes, surrender."""

import pytest

from kgb_env.games.secret_formula.spec import ESCAPE, ESCAPE_THROW, WOKEN
from tests.secret_formula.positions import (
    BOARD,
    at,
    carried,
    guard,
    is_down,
    is_turn_due,
    legal,
    lying,
    named,
    others,
    own_game,
    result,
    run,
    throws_next,
    where,
)

pytestmark = pytest.mark.nojit


@pytest.fixture
def camp(tmp_path):
    return own_game(tmp_path)


def escapes(states, seat):
    """Tell if a throw of this seat to escape is due."""
    return states["phase"][0] == ESCAPE_THROW and throws_next(states) == seat


IDLE = ("throw 1 1", "go m2", "throw 1 1", "go p2")  # seats 2 and 3 where LAST has them
LAST = ("seat 2 m2", "seat 3 p2")


# S6


def test_s6_the_guard_starts_in_the_tower_and_goes_on_from_the_second_revolution(camp):
    states = run(camp, camp.begin(), "formula d5", "first 1", "gate oak", "gate east", "gate elm", "gate west")
    tour = [guard(camp, states)]
    cells = {1: "j2", 2: "p2", 3: "d2", 0: "b2"}
    for _ in range(5):
        for seat in (1, 2, 3, 0):
            assert guard(camp, states) == tour[-1]
            states = run(camp, states, "throw 1 1", f"go {cells[seat]}")
        tour.append(guard(camp, states))
    assert tour == ["TOW", "GAR", "HUT", "KIT", "TOW", "GAR"]


def test_s6_he_goes_on_his_round_also_when_the_first_seat_misses_its_turn(camp):
    states = at(camp, "turn 3", "seat 0 d2 knocked-out", "seat 3 p2", "then throw 1 1, go p2")
    assert guard(camp, states) == "GAR"
    assert states["status"][0, 0] == WOKEN
    assert states["actor"][0] == 1


def test_s6_he_is_placed_and_nothing_happens_on_the_way(camp):
    """From the Kitchen to the Tower: past seats on the walkway."""
    states = at(
        camp, "guard KIT", "turn 3", "seat 0 l2", "seat 1 p3", "seat 2 l3", "seat 3 p2", "then throw 1 1, go p2"
    )
    assert guard(camp, states) == "TOW"
    assert [where(camp, states, seat) for seat in range(4)] == ["l2", "p3", "l3", "p2"]
    assert is_turn_due(states, 0)


# S7


def test_s7_a_double_in_a_sector_is_an_alarm_and_no_move(camp):
    states = at(camp, "seat 0 d4", "seat 1 d2", "then throw 3 3")
    assert guard(camp, states) == "GAR"
    assert escapes(states, 0)
    states = run(camp, states, "throw 1 4", "go e2")
    assert where(camp, states, 0) == "e2"
    assert is_turn_due(states, 1)  # its turn is over


@pytest.mark.parametrize("cell", ["b3", "d1", "d2", "k5"])
def test_s7_a_double_elsewhere_is_an_ordinary_throw(camp, cell):
    states = at(camp, f"seat 0 {cell}", "then throw 2 2")
    assert guard(camp, states) == "TOW"
    assert states["left"][0] == 4


def test_s7_a_double_outside_is_an_ordinary_throw(camp):
    assert at(camp, "seat 0 outside elm", "then throw 2 2")["left"][0] == 4


def test_s7_later_rounds_go_on_from_where_the_alarm_was(camp):
    states = at(camp, "seat 0 h4", *LAST, "seat 1 d2", "then throw 3 3, throw 1 1, throw 1 1, go d2")
    states = run(camp, states, *IDLE)
    assert guard(camp, states) == "KIT"


def test_s7_a_double_to_escape_is_an_ordinary_throw(camp):
    states = at(camp, "seat 0 d4", "then throw 3 3, throw 2 2")
    assert states["phase"][0] == ESCAPE
    assert states["left"][0] == 4


# S8


def test_s8_the_shortest_way_out_goes_round_the_guard(camp):
    """From b5 the door b3 is two steps away, but past the guard; e3 is five."""
    for throw, is_asked in (("1 1", False), ("1 2", False), ("1 3", False), ("1 4", True), ("6 6", True)):
        states = at(camp, "seat 0 b5", "then throw 3 3", f"then throw {throw}")
        assert (states["phase"][0] == ESCAPE) == is_asked
        assert (where(camp, states, 0) is None) != is_asked  # too far: captured at once, nothing to decide


def test_s8_it_may_let_itself_be_captured(camp):
    states = at(camp, "seat 0 d4", "seat 1 d2", "envelope h6 seat 0", "then throw 3 3, throw 6 6")
    assert "stay" in legal(camp, states)
    states = run(camp, states, "stay")
    assert is_down(states, 0)
    assert lying(camp, states)["h6"] == "d4"
    assert is_turn_due(states, 1)


def test_s8_it_must_end_outside_the_sector(camp):
    states = at(camp, "seat 0 e4", "envelope d5 a2", "envelope c6 a2", "then throw 3 3, throw 1 2")
    assert named(camp, states) == {"e3", "d2", "f2"}


def test_s8_the_guards_cell_is_closed(camp):
    """b3 is two steps beyond c4, but the guard stands between."""
    states = at(camp, "seat 0 c4", "then throw 3 3, throw 1 2")
    assert named(camp, states) == {"e3"}
    assert "b3" not in named(camp, at(camp, "seat 0 c4", "then throw 3 3, throw 1 4"))


def test_s8_once_out_the_whole_sector_is_closed(camp):
    states = at(camp, "seat 0 e4", "seat 1 e3", "then throw 3 3, throw 1 3, go e3")
    assert states["left"][0] == 3
    assert states["phase"][0] == ESCAPE
    assert others(camp, states) == set()  # no surrender either
    assert not named(camp, states) & {"d4", "e4", "e5", "d5", "c4"}


def test_s8_a_waypoint_inside_only_if_the_rest_still_gets_out(camp):
    """From e4 it is two steps to d5 and three from there to the door e3."""
    for throw, is_possible in (("1 3", False), ("2 3", True), ("3 3", True)):
        states = at(camp, "seat 0 e4", "then throw 3 3", f"then throw {throw}")
        assert ("d5" in named(camp, states)) == is_possible
    states = run(camp, at(camp, "seat 0 e4", "then throw 3 3, throw 2 3"), "go d5")
    assert carried(camp, states, 0) == {"d5"}
    assert legal(camp, states) == {"go e3"}  # it has begun to move: no staying


def test_s8_in_turn_order_from_the_seat_whose_turn_it_is(camp):
    states = at(camp, "turn 2", "seat 0 d4", "seat 1 d6", "seat 2 c5", "seat 3 e6", "then throw 3 3")
    order = []
    while states["phase"][0] == ESCAPE_THROW:
        order.append(throws_next(states))
        states = run(camp, states, "throw 1 1")
        if states["phase"][0] == ESCAPE:
            states = run(camp, states, "stay")
    assert order == [2, 3, 0, 1]


def test_s8_knocked_out_or_on_the_guards_cell_captured_without_a_throw(camp):
    states = at(camp, "seat 0 d4", "seat 1 d6 knocked-out", "seat 2 b4", "seat 3 e6", "then throw 3 3, throw 1 1")
    states = run(camp, states, "stay")
    assert where(camp, states, 1) is where(camp, states, 2) is None
    assert escapes(states, 3)


def test_s8_who_throws_the_alarm_on_the_guards_cell_is_captured(camp):
    states = at(camp, "seat 0 b4", "seat 1 d2", "then throw 3 3")
    assert where(camp, states, 0) is None
    assert is_turn_due(states, 1)


def test_s8_nobody_escapes_from_the_tower(camp):
    states = at(camp, "guard HUT", "seat 0 p6", "seat 1 p4", "seat 2 p7", "seat 3 d2", "then throw 3 3")
    assert [where(camp, states, seat) for seat in range(4)] == [None, None, None, "d2"]
    assert is_turn_due(states, 3)


def test_s8_captures_happen_at_once_and_later_throwers_can_take_what_was_dropped(camp):
    """Seat 0 is too far from a way out; for seat 1 it is three steps there, and five from there to the door."""
    states = at(camp, "seat 0 b5", "seat 1 e5", "envelope h6 seat 0", "then throw 3 3, throw 1 1")
    assert lying(camp, states)["h6"] == "b5"
    assert escapes(states, 1)
    assert "b5" not in named(camp, run(camp, states, "throw 2 5"))
    states = run(camp, states, "throw 2 6", "go b5")
    assert carried(camp, states, 1) == {"h6"}


def test_s8_whom_an_escaping_rival_knocks_out_is_captured_when_its_throw_comes(camp):
    states = at(camp, "seat 0 d5", "seat 1 e5", "seat 2 d6", "envelope h6 seat 1", "then throw 3 3, throw 2 3")
    states = run(camp, states, "go e5")
    assert carried(camp, states, 0) == {"h6"}
    assert where(camp, states, 1) == "e5"
    states = run(camp, states, "go d2")
    assert where(camp, states, 1) is None
    assert escapes(states, 2)


def test_s8_who_has_escaped_is_not_captured_when_hit_on_the_door(camp):
    states = at(camp, "seat 0 e4", "seat 1 e5", "then throw 3 3, throw 1 2")
    states = run(camp, states, "go d2")
    states = run(camp, states, "throw 1 3")
    assert "d2" in named(camp, states)
    states = run(camp, states, "go d2")
    assert where(camp, states, 0) == "d2"
    assert is_down(states, 0)


def test_s8_with_the_formula_it_may_leave(camp):
    """From e4: e3 e2 d2 d1 and out."""
    for throw, can_leave in (("1 3", False), ("1 4", True)):
        states = at(camp, "formula h6", "seat 0 e4", "envelope h6 seat 0", "then throw 3 3", f"then throw {throw}")
        assert ("leave elm" in legal(camp, states)) == can_leave
    assert result(camp, run(camp, states, "leave elm"))[0] == "escape"


DEAD_END = BOARD.replace("#G.X.#", "=G.X.#").replace("gates elm oak west east", "gates elm oak west east back")


def test_s8_a_gate_that_leads_nowhere_else_ends_the_move_there(tmp_path):
    camp = own_game(tmp_path, DEAD_END)
    states = at(camp, "formula h6", "seat 0 b5", "seat 1 d2", "envelope h6 seat 0", "then throw 3 3, throw 1 2")
    assert legal(camp, states) == {"stay", "go a5", "leave back"}
    states = run(camp, states, "go a5")
    assert where(camp, states, 0) == "a5"
    assert is_turn_due(states, 1)


def test_s18_who_could_only_leave_is_asked_whatever_it_carries(tmp_path):
    """Otherwise everybody would learn from the question whether it carries the formula."""
    camp = own_game(tmp_path, DEAD_END)
    for formula, more in (("h6", {"leave back"}), ("i5", set())):
        lines = f"formula {formula}", "seat 0 b5", "seat 1 a5", "seat 2 d2", "envelope h6 seat 0"
        states = at(camp, *lines, "then throw 3 3, throw 1 2, go a5")
        assert legal(camp, states) == {"stay"} | more
        states = run(camp, states, "stay")
        assert where(camp, states, 0) == "a5"
        assert is_turn_due(states, 2)


# S10


def test_s10_no_walk_touches_the_guards_sector(camp):
    """The Hut lies between the door k5 and g3: while he is there, k5 is reached through the Kitchen only."""
    assert "k5" in named(camp, at(camp, "seat 0 j3", "then throw 1 2"))
    assert "k5" not in named(camp, at(camp, "guard HUT", "seat 0 j3", "then throw 1 2"))
    assert "k5" in named(camp, at(camp, "guard HUT", "seat 0 j3", "then throw 1 6"))  # j2 k2 l2 l3 l4 l5 k5


def test_s10_surrender_on_any_cell_landed_on_with_the_exact_count_were_it_open(camp):
    states = at(camp, "guard HUT", "seat 0 j3", "then throw 1 2")
    assert named(camp, states, "surrender") == {"j4", "i5", "h4", "j6"}
    states = at(camp, "guard HUT", "seat 0 j2", "then throw 1 3")
    assert "g4" not in named(camp, states, "surrender")
    assert "g4" in named(camp, at(camp, "guard HUT", "seat 0 g2", "then throw 1 1"), "surrender")  # his own cell


def test_s10_it_takes_nothing_is_captured_and_leaves_its_envelopes_there(camp):
    states = at(camp, "guard HUT", "seat 0 j3", "seat 1 d2", "envelope c6 seat 0", "then throw 1 2, surrender i5")
    assert where(camp, states, 0) is None
    assert is_down(states, 0)
    assert {name for name, cell in lying(camp, states).items() if cell == "i5"} == {"i5", "c6"}
    assert states["examined"][0, 0] == 1 << 3
    assert is_turn_due(states, 1)


def test_s10_from_outside_the_camp_too(tmp_path):
    camp = own_game(tmp_path)
    states = at(camp, "guard GAR", "seat 0 outside elm", "then throw 1 4")
    assert named(camp, states, "surrender") == {"e4"}


# S11


def test_s11_on_regular_rounds_all_escape_first_then_the_first_seat_throws(camp):
    states = at(camp, "turn 3", "seat 0 d4", "seat 1 e5", "seat 3 p2", "then throw 1 1, go p2")
    assert guard(camp, states) == "GAR"
    assert escapes(states, 0)
    states = run(camp, states, "throw 1 2", "go e2")
    assert escapes(states, 1)
    states = run(camp, states, "throw 1 1", "stay")
    assert is_turn_due(states, 0)


def test_s11_if_it_was_captured_this_is_the_turn_that_it_misses(camp):
    states = at(camp, "turn 3", "seat 0 b5", "seat 1 m2", "seat 3 p2", "then throw 1 1, go p2, throw 1 1")
    assert states["status"][0, 0] == WOKEN
    assert is_turn_due(states, 1)


def test_s11_likewise_if_an_escaping_rival_knocked_it_out(camp):
    """The first seat has escaped to the door, and is hit there by the next."""
    states = at(camp, "turn 3", "seat 0 e4", "seat 1 e5", "seat 3 p2", "then throw 1 1, go p2")
    states = run(camp, states, "throw 1 2", "go d2", "throw 1 3", "go d2")
    assert where(camp, states, 0) == "d2"
    assert states["status"][0, 0] == WOKEN
    assert is_turn_due(states, 1)


def test_s11_who_is_not_in_the_sector_does_not_throw(camp):
    states = at(camp, "turn 3", "seat 0 e3", "seat 1 h4", "seat 3 p2", "then throw 1 1, go p2")
    assert is_turn_due(states, 0)
