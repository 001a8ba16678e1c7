"""Rulings C10 and C13: promotion, and what both seats know.

The expected answers come from the rulings and the rulebook; positions.py says which letter has which piece.
"""

import pytest

import kgb_env
from kgb_env import PUBLIC, UNKNOWN
from kgb_env.games.confusion.spec import PROMOTION
from tests.confusion.positions import (
    DA,
    DEAL,
    EVERYTHING,
    RED,
    WHITE,
    dealt,
    legal,
    play,
    position,
    possible,
    promoted,
    result,
    revealed,
)

pytestmark = pytest.mark.nojit

GAME = kgb_env.game("confusion")
WHITE_WINS, RED_WINS = [1, -1], [-1, 1]
FORWARD_2 = {1, 3, 4, 6, 7, 10}  # the pieces that go forward by 2


def at(white, red, briefcase="k6", turn=0, game=GAME):
    return position(game, white, red, briefcase, turn)


def after(states, *texts):
    return play(GAME, states, *texts)


# C10


def test_c10_a_promotable_piece_turns_over_on_the_opponents_first_row():
    states = after(at({"A": "f9", "C": "a1"}, {"A": "k8"}), "A f9-f11", "answer yes")
    assert promoted(GAME, states, WHITE) == {"A"}
    assert possible(GAME, states, WHITE)["A"] == {1, 3, 4}  # forward by 2 and promotable: which is not announced
    assert revealed(GAME, states, WHITE) == {}
    assert GAME.view(states, WHITE)["piece"][0, WHITE, 0] == UNKNOWN
    states = after(states, "A k8-k7", "answer yes")
    for text, answer in (("A f11-d9", "yes"), ("A f11-f9", "yes"), ("A f11-e11", "yes"), ("A f11-f8", "no")):
        assert legal(GAME, after(states, text)) == {f"answer {answer}"}  # 2 in all eight directions
    states = after(states, "A f11-f8", "answer no", "A k7-k6", "answer yes", "A f11-f9", "answer yes")
    assert possible(GAME, states, WHITE)["A"] == {1, 3, 4}  # its new side says nothing about the old one
    assert promoted(GAME, states, WHITE) == {"A"}  # for good


def test_c10_a_promotion_is_announced_once():
    states = after(at({"A": "f9", "C": "a1"}, {"A": "k8"}), "A f9-f11", "answer yes", "A k8-k7", "answer yes")
    promotion = int(states["log"][0, 0])
    states = after(states, "A f11-e11", "answer yes")  # along the row
    assert promotion & PROMOTION
    assert not int(states["log"][0, 2]) & PROMOTION


def test_c10_a_promoted_spy_passes_the_briefcase_as_it_moves():
    states = after(at({"A": "f9", "C": "a1"}, {"A": "k8"}, "g10"), "A f9-f11", "answer yes", "A k8-k7", "answer yes")
    states = after(states, "A f11-g10", "answer yes", "A k7-k6", "answer yes")
    assert legal(GAME, after(states, "pass g10-i8")) == {"answer yes"}
    assert legal(GAME, after(states, "pass g10-g7")) == {"answer no"}


@pytest.mark.parametrize(("letter", "start"), [("A", "f10"), ("C", "e10"), ("D", "f10"), ("F", "e10")])
def test_c10_all_four_and_with_a_capture(letter, start):
    states = at({letter: start, "V": "a1"}, {"H": "f11", "A": "k8"})
    states = after(states, f"{letter} {start}xf11", "answer yes")
    assert promoted(GAME, states, WHITE) == {letter}
    assert possible(GAME, states, WHITE)[letter] <= {1, 2, 3, 4}


def test_c10_others_are_not_promoted_and_that_is_known():
    states = after(at({"S": "f9", "X": "g10", "C": "a1"}, {"A": "k8"}), "S f9-f11", "answer yes")
    assert promoted(GAME, states, WHITE) == set()
    assert possible(GAME, states, WHITE)["S"] == {6, 7, 10, DA}
    states = after(states, "A k8-k7", "answer yes", "X g10-g11", "answer yes")
    assert promoted(GAME, states, WHITE) == set()  # the Double Agent is not promotable
    assert possible(GAME, states, WHITE)["X"] == {5, 6, 7, 10, DA}


def test_c10_neither_a_pass_nor_a_refused_move_promotes():
    states = after(at({"A": "f9", "C": "a1"}, {"A": "k8"}, "f9"), "pass f9-f11", "answer yes")
    assert promoted(GAME, states, WHITE) == set()
    assert possible(GAME, states, WHITE)["A"] == FORWARD_2 | {DA}
    states = after(at({"A": "f10", "C": "a1"}, {"A": "k8"}), "A f10-e11", "answer no")
    assert promoted(GAME, states, WHITE) == set()
    assert possible(GAME, states, WHITE)["A"] == EVERYTHING - {2, 4, 5, 8, 11}


def test_c10_leaving_the_briefcase_promotes_like_any_move():
    states = after(at({"A": "f10", "C": "a1"}, {"A": "k8"}, "f10"), "A f10-f11 leave", "answer yes")
    assert promoted(GAME, states, WHITE) == {"A"}


def test_c10_red_promotes_on_row_1_and_the_own_first_row_does_nothing():
    states = after(at({"J": "a3", "C": "k5"}, {"A": "f3", "C": "a9"}), "J a3-a1", "answer yes")
    assert promoted(GAME, states, WHITE) == set()
    assert possible(GAME, states, WHITE)["J"] >= {6, 7, DA}
    states = after(states, "A f3-f1", "answer yes")
    assert promoted(GAME, states, RED) == {"A"}
    assert promoted(GAME, states, WHITE) == set()


def test_c10_an_arrival_that_wins_announces_no_promotion():
    states = after(at({"A": "f9", "C": "a1"}, {"A": "k8"}, "f9"), "A f9-f11", "answer yes")
    assert result(GAME, states) == ("extraction", WHITE_WINS)
    assert promoted(GAME, states, WHITE) == set()
    assert possible(GAME, states, WHITE)["A"] == FORWARD_2 | {DA}


# C13


def test_c13_yes_and_no_tell_both_seats_the_same():
    states = after(dealt(GAME), "L c2-c4", "answer yes", "L i10-h9", "answer no")  # forward 2; Red's forward right
    expected = [{"L": FORWARD_2 | {DA}}, {"L": EVERYTHING - {2, 4, 5, 8, 11}}]
    for viewer in (WHITE, RED, PUBLIC):
        view = GAME.view(states, viewer)
        for seat in (WHITE, RED):
            assert possible(GAME, view, seat) == dict.fromkeys(DEAL, EVERYTHING) | expected[seat]


def test_c13_nothing_is_known_before_the_answer():
    assert possible(GAME, after(dealt(GAME), "L c2-c4"), WHITE) == dict.fromkeys(DEAL, EVERYTHING)


def test_c13_captured_spies_keep_what_is_known_of_them():
    states = after(at({"C": "a1", "L": "c3"}, {"J": "c5", "A": "k8"}), "L c3-c4", "answer yes", "J c5xc4", "answer yes")
    assert possible(GAME, states, WHITE)["L"] == {1, 3, 4, 5, 6, 7, 10, DA}


def test_c13_the_double_agent_may_answer_anything_until_only_it_is_left():
    states = after(at({"X": "f3", "A": "a1"}, {"A": "k8"}), "X f3-f7", "answer yes")
    assert possible(GAME, states, WHITE)["X"] == {1, DA}
    states = after(states, "A k8-k7", "answer yes", "X f7-f8", "answer no")  # who goes 4 goes 1
    assert possible(GAME, states, WHITE)["X"] == {DA}
    assert possible(GAME, states, WHITE)["A"] == EVERYTHING  # raw sets: the closure is the notebook's


def test_c13_promotions_made_exclude_the_double_agent():
    states = after(at({"C": "f10", "A": "a1"}, {"A": "k8"}), "C f10-e11", "answer yes")
    assert possible(GAME, states, WHITE)["C"] == {2, 4}


def test_c13_a_later_arrival_tells_again():
    states = at({"J": "f11", "A": "a1"}, {"A": "k8"})
    states = after(states, "J f11-e11", "answer yes")  # along the row: the move ends there, unpromoted
    assert promoted(GAME, states, WHITE) == set()
    assert possible(GAME, states, WHITE)["J"] == {5, 6, 9, 12, DA}
