"""Rulings S1, S2, S12 to S16: the start, what is known of the envelopes, leaving, the end."""

import numpy as np
import pytest

import kgb_env
from kgb_env import PUBLIC, kernels
from kgb_env.games.secret_formula.boards import camp_of, names_of
from tests.secret_formula.positions import (
    at,
    carried,
    guard,
    is_down,
    known,
    legal,
    lying,
    named,
    others,
    own_game,
    result,
    run,
    where,
)

pytestmark = pytest.mark.nojit


@pytest.fixture
def camp(tmp_path):
    return own_game(tmp_path)


def weights_of(game, states):
    weights = game.weights()
    kernels.chance(states[0], weights, game.tables[0])
    return weights


# S1


@pytest.mark.parametrize(
    ("options", "seats"),
    [({}, 4), ({"players": 2}, 2), ({"deluxe": True}, 6), ({"deluxe": True, "players": 2}, 2)],
)
def test_s1_players(options, seats):
    assert kgb_env.game("secret_formula", **options).seats == seats


def test_s1_the_first_seat_is_uniformly_random(camp):
    states = run(camp, camp.begin(), "formula d5")
    assert weights_of(camp, states)[:6].tolist() == [1, 1, 1, 1, 0, 0]


def test_s1_each_in_turn_chooses_a_gate_that_nobody_has_chosen(camp):
    states = run(camp, camp.begin(), "formula d5", "first 2")
    gates = ["elm", "oak", "west", "east"]
    for seat, gate in ((2, "oak"), (3, "east"), (0, "elm"), (1, "west")):
        assert states["to_move"][0] == seat
        assert legal(camp, states) == {f"gate {name}" for name in gates}
        states = run(camp, states, f"gate {gate}")
        gates.remove(gate)
        assert where(camp, states, seat) is None
    assert states["actor"][0] == 2


def test_s1_play_goes_to_the_left_from_the_first_seat(camp):
    states = run(camp, camp.begin(), "formula d5", "first 2", "gate oak", "gate east", "gate elm", "gate west")
    for seat, cell in ((2, "j2"), (3, "p2"), (0, "d2"), (1, "b2"), (2, "j2")):
        assert states["actor"][0] == seat
        states = run(camp, states, "throw 1 1", f"go {cell}")


def test_s1_all_come_in_by_their_gate_its_cell_first(camp):
    states = at(camp, "seat 0 outside elm", "then throw 1 2")
    assert named(camp, states) == {"c2", "e2", "d1"}  # d1 d2 and on, or back
    states = at(camp, "seat 0 outside elm", "then throw 1 3")
    assert named(camp, states) == {"b2", "f2", "d2", "e3"}


# S2


def test_s2_one_envelope_on_each_hiding_place_and_the_formula_in_any(camp):
    states = camp.begin()
    assert weights_of(camp, states).tolist()[:8] == [1, 1, 1, 1, 1, 1, 0, 0]
    assert lying(camp, states) == {name: name for name in ("d5", "i5", "n5", "c6", "h6", "p7")}
    assert (run(camp, states, "formula c6")["contents"][0, :6] == [0, 0, 0, 1, 0, 0]).all()


@pytest.mark.parametrize(("options", "envelopes"), [({}, 17), ({"deluxe": True}, 35)])
def test_s2_published_numbers_of_envelopes(options, envelopes):
    assert len(names_of(kgb_env.game("secret_formula", **options)).envelopes) == envelopes


def test_s2_who_holds_what_is_public_and_what_is_in_it_is_not(camp):
    states = at(camp, "formula d5", "seat 0 e4", "then throw 1 2, go d5, go d4")
    view = camp.view(states, PUBLIC)
    assert carried(camp, view, 0) == {"d5"}
    assert "d5" not in lying(camp, view)
    assert known(camp, states, 0)["d5"]
    assert known(camp, states, 1) == known(camp, states, PUBLIC) == {}


def test_s2_who_has_once_held_an_envelope_knows_it(camp):
    states = at(camp, "formula n5", "seat 0 e4", "seat 1 c4", "envelope d5 seat 0", "then throw 1 2, go d4")
    states = run(camp, states, "throw 1 2", "go d4", "go b4")
    assert carried(camp, states, 1) == {"d5"}
    assert known(camp, states, 0) == known(camp, states, 1) == {"d5": False}


def test_s2_who_has_the_formula_knows_all_and_so_does_who_has_examined_all_others(camp):
    states = at(camp, "formula n5", "envelope n5 seat 0", "seat 0 e4", "examined 1 d5 i5 c6 h6 p7", "examined 2 d5 i5")
    assert known(camp, states, 0) == known(camp, states, 1)
    assert [name for name, holds in known(camp, states, 1).items() if holds] == ["n5"]
    assert known(camp, states, 2) == {"d5": False, "i5": False}


def test_s2_the_formula_is_anywhere_that_the_seat_cannot_exclude(camp):
    states = at(camp, "formula n5", "seat 2 b2", "envelope n5 seat 2", "examined 1 d5 c6 p7")
    worlds = camp.determinize(camp.view(states, 1), np.arange(600, dtype=np.uint64))
    counts = worlds["contents"][:, :6].sum(axis=0)
    assert (worlds["contents"].sum(axis=1) == 1).all()
    assert counts[[0, 3, 5]].sum() == 0
    assert (counts[[1, 2, 4]] > 160).all()


# S12


@pytest.mark.parametrize(
    ("throw", "gates"),
    [
        ("1 1", {"elm"}),
        ("1 2", {"elm"}),
        ("1 3", {"elm", "west"}),
        ("3 4", {"elm", "west"}),
        ("4 4", {"elm", "west", "oak"}),
    ],
)
def test_s12_leaving_through_any_gate_within_the_count_with_the_formula(camp, throw, gates):
    """From d2: d1 and out are two steps, a2 and out four, j1 and out eight."""
    states = at(camp, "formula n5", "seat 0 d2", "envelope n5 seat 0", f"then throw {throw}")
    assert named(camp, states, "leave") == gates


def test_s12_nobody_else_may_leave(camp):
    states = at(camp, "formula n5", "seat 0 c2", "envelope d5 seat 0", "envelope c6 seat 0", "then throw 6 6")
    assert named(camp, states, "leave") == set()


def test_s12_from_the_gate_itself_it_is_one_step_and_it_wins(camp):
    states = at(camp, "formula n5", "turn 2", "seat 2 d1", "envelope n5 seat 2", "then throw 1 2")
    states = run(camp, states, "leave elm")
    assert result(camp, states) == ("escape", [-0.333333, -0.333333, 1.0, -0.333333])
    assert camp.outcome(states).winners == (2,)


def test_s12_in_the_middle_of_a_move_with_the_formula_just_found(camp):
    """From d5, two steps away, it is seven steps out by either gate."""
    for throw, gates in (("3 5", set()), ("3 6", {"elm", "west"})):
        states = at(camp, "formula d5", "seat 0 e4", f"then throw {throw}")
        assert named(camp, states, "leave") == set()
        assert named(camp, run(camp, states, "go d5"), "leave") == gates


def test_s12_not_through_the_guards_sector(camp):
    """From the door k5 the way to east is by the Kitchen, or eight steps longer through the Hut."""
    lines = "formula n5", "seat 0 k5", "envelope n5 seat 0", "then throw 4 6"
    assert named(camp, at(camp, "guard TOW", *lines), "leave") == {"oak", "east"}
    assert named(camp, at(camp, "guard HUT", *lines), "leave") == {"oak", "east"}
    assert named(camp, at(camp, "guard KIT", *lines), "leave") == {"oak"}


# S13


def test_s13_on_doors_gates_and_walkways_nobody_is_caught(camp):
    for cell in ("b3", "e3", "d2", "d1"):
        states = at(camp, "turn 3", f"seat 0 {cell}", "seat 3 outside west", "then throw 1 2, go c2")
        assert guard(camp, states) == "GAR"
        assert where(camp, states, 0) == cell
        assert not is_down(states, 0)


def test_s13_nobody_outside_the_camp_can_be_attacked(camp):
    states = at(camp, "seat 0 d2", "seat 1 outside elm", "then throw 1 2, go d1")
    assert states["actor"][0] == 1
    assert not is_down(states, 1)


# S14, S15


def test_s14_after_the_last_revolution_nobody_wins(tmp_path):
    camp = own_game(tmp_path, max_rounds=3)
    states = at(camp, "round 3", "turn 3", "seat 3 d2", "then throw 1 1")
    states = run(camp, states, "go d2")
    assert result(camp, states) == ("turn limit", [0, 0, 0, 0])
    assert camp.is_truncation(states["reason"]).all()
    before = at(camp, "round 3", "turn 2", "seat 2 d2", "seat 3 b2", "then throw 1 1, go d2")
    assert result(camp, before) is None


@pytest.mark.parametrize("players", [2, 3, 4])
def test_s15_the_winner_gets_one_the_others_share_the_loss(tmp_path, players):
    camp = own_game(tmp_path, players=players)
    states = at(camp, "formula n5", "turn 1", "seat 1 d1", "envelope n5 seat 1", "then throw 1 2, leave elm")
    reason, returns = result(camp, states)
    assert reason == "escape"
    assert returns == [1 if seat == 1 else round(-1 / (players - 1), 6) for seat in range(players)]


# S16


def test_s16_deluxe_both_boards_six_gates_and_a_tour_of_all_sectors():
    game = kgb_env.game("secret_formula", deluxe=True)
    camp = camp_of(game)
    assert (len(camp.sectors), len(camp.gates), len(camp.hiding)) == (18, 6, 35)
    assert sorted(camp.route) == list(range(18))
    assert set(camp.route[:9]) == set(range(9))
    t = game.tables[0]
    tour = [int(camp.route[0])]
    for _ in range(18):
        tour.append(int(t.next_sector[tour[-1]]))
    assert tour == [*camp.route, camp.route[0]]


def test_s16_the_formula_may_leave_by_the_other_boards_gate():
    game = kgb_env.game("secret_formula", deluxe=True)
    names = names_of(game)
    for number, gate in enumerate(names.gates):
        cell = names.cells[game.tables[0].gate_cell[number]]
        first = names.envelopes[0]
        states = at(game, f"formula {first}", f"seat 0 {cell}", f"envelope {first} seat 0", "then throw 1 2")
        assert f"leave {gate}" in others(game, states)
