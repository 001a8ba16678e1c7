"""Rulings S3 to S5 and S9: moving by waypoints, knocking out, missing turns, coming in again."""

from itertools import product

import pytest

from kgb_env.games.secret_formula import rules
from kgb_env.games.secret_formula.spec import AWAKE, HIT, NOWHERE, RETURN, WOKEN
from tests.secret_formula.positions import (
    at,
    carried,
    is_down,
    is_turn_due,
    known,
    legal,
    lying,
    named,
    others,
    own_game,
    run,
    where,
)

pytestmark = pytest.mark.nojit


@pytest.fixture
def camp(tmp_path):
    return own_game(tmp_path)


# S3


def test_s3_a_cell_with_nothing_on_it_takes_the_whole_count(camp):
    assert named(camp, at(camp, "seat 0 b2", "then throw 1 1")) == {"b2", "d2", "b4"}
    assert named(camp, at(camp, "seat 0 b2", "then throw 1 2")) == {"a2", "c2", "e2", "d1", "b3", "c4", "b5"}


def test_s3_the_own_cell_with_even_counts(camp):
    for throw in ("1 1", "1 2", "2 2", "1 4", "6 6"):
        low, high = map(int, throw.split())
        states = at(camp, "seat 0 b2", f"then throw {throw}")
        assert ("b2" in named(camp, states)) == ((low + high) % 2 == 0)
        if "b2" in named(camp, states):
            assert run(camp, states, "go b2")["actor"][0] == 1


def test_s3_an_envelope_within_the_count_is_taken_and_the_move_goes_on(camp):
    states = at(camp, "seat 0 e4", "then throw 2 3")  # d5 is two steps away
    states = run(camp, states, "go d5")
    assert carried(camp, states, 0) == {"d5"}
    assert states["left"][0] == 3
    assert states["to_move"][0] == 0
    assert "c6" in named(camp, states)
    states = run(camp, states, "go c6")
    assert carried(camp, states, 0) == {"d5", "c6"}
    assert states["left"][0] == 1
    assert named(camp, states) == {"b6", "d6", "c5"}
    assert where(camp, run(camp, states, "go c5"), 0) == "c5"


def test_s3_out_of_reach_or_exactly_reached(camp):
    assert "d5" not in named(camp, at(camp, "seat 0 e2", "then throw 1 2"))
    states = run(camp, at(camp, "seat 0 e2", "then throw 2 2"), "go d5")
    assert carried(camp, states, 0) == {"d5"}
    assert states["actor"][0] == 1


def test_s3_a_waypoint_needs_no_exact_count_but_other_cells_do(camp):
    states = at(camp, "seat 0 e3", "then throw 1 3")
    assert "d5" in named(camp, states)  # three steps
    assert "d4" in named(camp, states)
    assert "e4" not in named(camp, states)  # one step: the parity does not fit


def test_s3_all_envelopes_on_a_cell_are_taken(camp):
    states = at(camp, "formula n5", "seat 0 e4", "envelope n5 d5", "envelope h6 d5", "then throw 1 2, go d5")
    assert carried(camp, states, 0) == {"d5", "n5", "h6"}
    assert known(camp, states, 0)["n5"]


def test_s3_passing_is_quiet(camp):
    states = at(camp, "seat 0 d2", "seat 1 e2", "then throw 1 2, go g2")
    assert not is_down(states, 1)
    assert where(camp, states, 0) == "g2"


def test_s3_a_rival_may_be_named_on_the_way_and_is_always_hit_when_landed_on(camp):
    states = at(camp, "seat 0 d2", "seat 1 e2", "then throw 1 2")
    assert "e2" in named(camp, states)
    states = run(camp, states, "go e2")
    assert is_down(states, 1)
    assert states["left"][0] == 2
    states = at(camp, "seat 0 d2", "seat 1 f2", "then throw 1 1, go f2")
    assert states["status"][0, 1] == WOKEN  # it has missed its turn already
    assert states["actor"][0] == 2


def test_s3_every_rival_on_the_cell_is_knocked_out(camp):
    states = at(camp, "seat 0 d2", "seat 1 e2", "seat 2 e2", "seat 3 g2", "then throw 1 2, go e2")
    assert [is_down(states, seat) for seat in range(4)] == [False, True, True, False]


def test_s3_back_to_the_own_cell_as_a_waypoint_is_two_steps(camp):
    states = at(camp, "seat 0 d2", "seat 1 d2", "then throw 1 2")
    assert "d2" in named(camp, states)
    states = run(camp, states, "go d2")
    assert states["left"][0] == 1
    assert is_down(states, 1)
    assert "d2" not in named(camp, at(camp, "seat 0 d2", "then throw 1 2"))


def test_s3_hitting_the_same_rival_again_and_again_in_one_move(camp):
    states = at(camp, "seat 0 d2", "seat 1 e2", "then throw 2 3, go e2, go e2")
    assert states["left"][0] == 2
    assert states["to_move"][0] == 0


def test_s3_no_cell_of_the_guards_sector_is_a_waypoint(camp):
    """Its cells can only be surrendered in, with the exact count (S10); what lies there does not matter."""
    states = at(camp, "guard GAR", "seat 0 e3", "then throw 1 3")
    assert not named(camp, states) & {"d5", "c6", "d4", "e4"}
    assert "d5" not in named(camp, states, "surrender")
    assert "d5" in named(camp, at(camp, "guard GAR", "seat 0 e3", "then throw 1 2"), "surrender")


def test_s3_from_outside_a_rival_on_the_gate_is_one_step_away(camp):
    states = at(camp, "seat 0 outside elm", "seat 1 d1", "then throw 1 2")
    assert "d1" in named(camp, states)
    states = run(camp, states, "go d1")
    assert states["left"][0] == 2
    assert is_down(states, 1)


def test_s3_from_outside_there_is_no_swinging_before_the_gate(camp):
    """Three: the gate, then two steps from it, its own cell included."""
    states = at(camp, "seat 0 outside oak", "then throw 1 2")
    assert named(camp, states) == {"i2", "k2", "j3", "j1"}
    assert named(camp, at(camp, "guard HUT", "seat 0 outside oak", "then throw 1 1")) == {"j2"}


# S4


def test_s4_the_envelopes_go_to_the_attacker_who_examines_them(camp):
    states = at(
        camp, "formula n5", "seat 0 d2", "seat 1 e2", "envelope n5 seat 1", "envelope d5 seat 1", "then throw 1 2"
    )
    states = run(camp, states, "go e2")
    assert carried(camp, states, 0) == {"n5", "d5"}
    assert carried(camp, states, 1) == set()
    assert known(camp, states, 0)["n5"]
    assert known(camp, states, 1)["n5"]  # it has not forgotten
    assert known(camp, states, 2) == {}
    assert where(camp, states, 1) == "e2"


def test_s4_the_next_turn_is_waking_up_and_it_moves_on_the_one_after(camp):
    states = at(camp, "seat 0 d2", "seat 1 f2", "seat 2 m2", "seat 3 p2", "then throw 1 1, go f2")
    assert is_turn_due(states, 2)  # no ply for seat 1
    states = run(camp, states, "throw 1 1", "go m2", "throw 1 1", "go p2", "throw 1 2", "go c2")
    assert is_turn_due(states, 1)


def play_out(camp, sequence, is_merciful):
    """Return what happens at each turn of seat 1 ("T"): whether it misses it; H is a hit, C a capture."""
    states, missed = at(camp, "seat 0 d2", "seat 1 f2", "turn 1"), []
    s, t = states[0], camp.tables[0]
    s.is_merciful = is_merciful
    home = int(s.cell[1])
    for event in sequence:
        if event == "H":
            s.cell[0] = s.cell[1] if s.cell[1] != NOWHERE else s.cell[0]
            rules.attack(s, 0, t)
        elif event == "C":
            rules.capture(s, 1)
        else:
            s.cell[0] = NOWHERE
            s.turn, s.status[[0, 2, 3]] = 1, AWAKE
            rules.go_on(s, t)
            is_missed = int(s.actor) != 1
            missed.append(is_missed)
            if not is_missed:
                if s.phase == RETURN:
                    rules.choose_gate(s, 1, 0, t)
                s.status[1], s.cell[1] = AWAKE, home
            s.actor = 0
            s.hunted = 0
            s.cell[0] = home
    return missed


def expected(sequence, is_merciful):
    """Say the same by the token of the rulebook: upside-down, and right-side-up after a turn missed."""
    is_down, has_just_woken, is_outside, missed = False, False, False, []
    for event in sequence:
        if event == "C":
            is_down, is_outside, has_just_woken = True, True, False
        elif event == "H":
            if not is_outside and not (is_merciful and has_just_woken):
                is_down, has_just_woken = True, False
        else:
            missed.append(is_down)
            has_just_woken, is_down = is_down, False
            if not has_just_woken:
                is_outside = False
    return missed


@pytest.mark.parametrize("is_merciful", [False, True])
def test_s4_turns_missed_after_every_sequence_up_to_length_four(camp, is_merciful):
    for length in range(1, 5):
        for sequence in product("HCT", repeat=length):
            sequence = (*sequence, *"TTT")
            assert play_out(camp, sequence, is_merciful) == expected(sequence, is_merciful), sequence


@pytest.mark.parametrize(
    ("sequence", "missed", "with_mercy"),
    [
        ("HTT", [True, False], [True, False]),
        ("HHTT", [True, False], [True, False]),  # no additional turn while upside-down
        ("HTHTT", [True, True, False], [True, False, False]),  # after waking it counts afresh
        ("HCTT", [True, False], [True, False]),  # captured while unconscious: no extra turn
        ("CTT", [True, False], [True, False]),
        ("CHTT", [True, False], [True, False]),  # outside nobody is attacked
        ("HTHTHTT", [True, True, True, False], [True, False, True, False]),
        ("HTCTT", [True, True, False], [True, True, False]),
    ],
)
def test_s4_known_sequences(camp, sequence, missed, with_mercy):
    assert play_out(camp, sequence, False) == missed
    assert play_out(camp, sequence, True) == with_mercy


def test_s4_envelopes_of_one_hit_before_it_wakes_are_taken_too(camp):
    """It can have none by the rules; the ruling is kept all the same."""
    states = at(camp, "seat 0 d2", "seat 1 e2 knocked-out", "envelope h6 e2", "then throw 1 2, go e2")
    assert carried(camp, states, 0) == {"h6"}
    assert is_down(states, 1)


def test_s4_mercy_spares_who_has_woken_and_not_moved(tmp_path):
    for mercy in (False, True):
        camp = own_game(tmp_path, mercy=mercy)
        states = at(camp, "seat 0 d2", "seat 1 e2 woken", "then throw 1 2, go e2")
        assert is_down(states, 1) is not mercy
        assert states["left"][0] == 2


# S5


def test_s5_who_missed_its_turn_may_hit_before_throwing(camp):
    lines = "formula n5", "turn 1", "seat 0 e2", "seat 1 e2 woken", "envelope n5 seat 0"
    states = at(camp, *lines)
    assert states["phase"][0] == HIT
    assert legal(camp, states) == {"wait", "hit"}
    hit, waited = run(camp, states, "hit"), run(camp, states, "wait")
    assert is_turn_due(hit, 1)
    assert is_turn_due(waited, 1)
    assert is_down(hit, 0)
    assert carried(camp, hit, 1) == {"n5"}
    assert not is_down(waited, 0)
    assert carried(camp, waited, 0) == {"n5"}


def test_s5_it_hits_them_all(camp):
    states = at(camp, "turn 1", "seat 0 e2", "seat 1 e2 woken", "seat 2 e2", "seat 3 g2", "then hit")
    assert [is_down(states, seat) for seat in range(4)] == [True, False, True, False]


@pytest.mark.parametrize(
    "lines",
    [
        ("seat 0 e2", "seat 1 e2"),  # has not missed its turn: it must step off and come back
        ("seat 0 e2 knocked-out", "seat 1 e2 woken"),  # the rival is knocked out
        ("seat 0 f2", "seat 1 e2 woken"),  # stands alone
    ],
)
def test_s5_nobody_else_may(camp, lines):
    assert is_turn_due(at(camp, "turn 1", *lines), 1)


def test_s5_in_play(tmp_path):
    """With mercy an attacker can stay until its victim moves again."""
    camp = own_game(tmp_path, mercy=True)
    states = at(camp, "seat 0 d2", "seat 1 f2", "seat 2 m2", "seat 3 p2", "then throw 1 1, go f2")
    states = run(camp, states, "throw 1 1", "go m2", "throw 1 1", "go p2", "throw 1 1", "go f2")
    assert states["status"][0, 1] == WOKEN
    assert legal(camp, states) == {"wait", "hit"}
    assert is_turn_due(run(camp, states, "wait"), 1)
    assert is_down(run(camp, states, "hit"), 0)


# S9


def test_s9_captured_with_envelopes_they_stay_where_it_stood(camp):
    carries = "envelope n5 seat 0", "envelope h6 seat 0"
    states = at(camp, "formula n5", "seat 0 b5", *carries, "then throw 1 1, throw 1 1")
    assert where(camp, states, 0) is None
    assert {name: cell for name, cell in lying(camp, states).items() if cell == "b5"} == {"n5": "b5", "h6": "b5"}
    assert is_down(states, 0)
    assert known(camp, states, 0)["n5"]


def test_s9_on_the_first_turn_that_it_moves_again_it_names_any_gate(camp):
    states = at(camp, "seat 0 b5", "seat 1 outside elm", "seat 2 m2", "seat 3 p2", "then throw 1 1, throw 1 1")
    states = run(camp, states, "throw 1 1", "go d2", "throw 1 1", "go m2", "throw 1 1", "go p2")
    assert is_turn_due(states, 1)  # the turn that seat 0 misses makes no ply
    states = run(camp, states, "throw 1 1", "go d2", "throw 1 1", "go m2", "throw 1 1", "go p2")
    assert states["phase"][0] == RETURN
    assert legal(camp, states) == {"gate elm", "gate oak", "gate west", "gate east"}
    states = run(camp, states, "gate elm", "throw 1 1")
    assert named(camp, states) == {"d2"}


def test_s9_several_seats_may_use_one_gate(camp):
    states = at(camp, "seat 1 outside elm")
    assert others(camp, states) == {"gate elm", "gate oak", "gate west", "gate east"}
    states = run(camp, states, "gate elm")
    assert states["gate"][0, :2].tolist() == [0, 0]
