"""Rulings C8, C9, C11, C12: winning, removals, elimination, the cap.

The expected answers come from the rulings and the rulebook; positions.py says which letter has which piece.
"""

import numpy as np
import pytest

import kgb_env
from kgb_env import PUBLIC, UNKNOWN, kernels
from kgb_env.errors import GameOverError
from kgb_env.games.confusion.spec import ACTIONS, BEYOND
from tests.confusion.positions import (
    DA,
    DEAL,
    EVERYTHING,
    RED,
    WHITE,
    briefcase,
    dealt,
    legal,
    play,
    position,
    possible,
    result,
    revealed,
    squares,
    to_move,
)

pytestmark = pytest.mark.nojit

GAME = kgb_env.game("confusion")
WHITE_WINS, RED_WINS = [1, -1], [-1, 1]
FORWARD_2 = {1, 3, 4, 6, 7, 10}  # the pieces that go forward by 2


def at(white, red, briefcase="k6", turn=0, game=GAME):
    return position(game, white, red, briefcase, turn)


def after(states, *texts):
    return play(GAME, states, *texts)


# C8


def test_c8_carrying_the_briefcase_onto_the_opponents_first_row_wins():
    states = after(at({"S": "f9", "A": "a1"}, {"A": "k8"}, "f9"), "S f9-f11", "answer yes")
    assert result(GAME, states) == ("extraction", WHITE_WINS)
    assert to_move(states) is None
    assert legal(GAME, states) == set()
    assert not GAME.is_truncation(states["reason"])[0]
    with pytest.raises(GameOverError):
        GAME.play(states, 0)


def test_c8_red_wins_on_row_1():
    states = after(at({"A": "a5"}, {"S": "f3", "A": "k8"}, "f3", turn=1), "S f3-f1", "answer yes")
    assert result(GAME, states) == ("extraction", RED_WINS)


def test_c8_landing_on_a_briefcase_that_lies_there_wins():
    states = after(at({"S": "f9", "A": "a1"}, {"A": "k8"}, "f11"), "S f9-f11", "answer yes")
    assert result(GAME, states) == ("extraction", WHITE_WINS)


def test_c8_capturing_the_controller_there_wins():
    states = after(at({"S": "f9", "A": "a1"}, {"A": "f11", "C": "k8"}, "f11"), "S f9xf11", "answer yes")
    assert result(GAME, states) == ("extraction", WHITE_WINS)


def test_c8_passing_to_an_own_spy_there_wins():
    states = after(at({"S": "f9", "A": "f11"}, {"A": "k8"}, "f9"), "pass f9-f11", "answer yes")
    assert result(GAME, states) == ("extraction", WHITE_WINS)


def test_c8_passing_to_an_enemy_on_ones_own_first_row_loses_in_ones_own_turn():
    states = after(at({"S": "f3", "A": "a1"}, {"A": "f1"}, "f3"), "pass f3-f1", "answer yes")
    assert result(GAME, states) == ("extraction", RED_WINS)


def test_c8_a_double_agent_may_win():
    states = at({"X": "f10", "A": "a1"}, {"A": "k8"}, "f10")
    assert result(GAME, after(states, "X f10-e11", "answer yes")) == ("extraction", WHITE_WINS)
    assert result(GAME, after(states, "X f10-e11", "answer no")) is None  # the opponent need not be so foolish


@pytest.mark.parametrize(
    ("white", "case", "texts"),
    [
        ({"S": "f9"}, "f9", ["pass f9-f11"]),  # loose there: nobody controls it
        ({"S": "f10"}, "f10", ["S f10-f11 leave"]),  # left behind
        ({"S": "f2"}, "f2", ["S f2-f1"]),  # carried home, but to the own first row
        ({"J": "f9"}, "f9", ["J f9-f10"]),  # not quite there
        ({"S": "f9"}, "k11", ["S f9-f11"]),  # there without the briefcase
    ],
)
def test_c8_nothing_less_wins(white, case, texts):
    states = after(at(white | {"A": "a1"}, {"A": "k8"}, case), *texts, "answer yes")
    assert result(GAME, states) is None
    assert to_move(states) == RED


# C9


def test_c9_removing_an_own_spy_is_free_and_leaves_its_briefcase_loose():
    states = after(at({"X": "f6", "A": "a1"}, {"X": "b9", "A": "k8"}, "f6"), "out X")
    assert to_move(states) == WHITE
    assert squares(GAME, states, WHITE) == {"A": "a1"}
    assert briefcase(states) == "f6"
    assert revealed(GAME, states, WHITE) == {}
    assert possible(GAME, states, WHITE) == dict.fromkeys(DEAL, EVERYTHING)  # unrevealed: nothing is learned
    assert GAME.view(states, WHITE)["piece"][0, WHITE, 12] == UNKNOWN
    options = legal(GAME, states)
    assert "A a1-a2" in options
    assert not {"out A", "expose", "skip"} & options  # one removal a turn, not one of each
    assert not any(text.startswith("pass") for text in options)


def test_c9_any_own_spy_may_go():
    states = dealt(GAME)
    assert {f"out {letter}" for letter in DEAL} <= legal(GAME, states)
    states = after(states, "out A")
    assert "A" not in squares(GAME, states, WHITE)
    assert "L c2-c4" in legal(GAME, states)


def test_c9_exposing_removes_and_reveals_the_opponents_real_double_agent():
    states = after(at({"A": "a1"}, {"X": "f6", "A": "k8"}, "f6"), "expose")
    assert to_move(states) == WHITE
    assert squares(GAME, states, RED) == {"A": "k8"}
    assert briefcase(states) == "f6"
    assert revealed(GAME, states, RED) == {"X": DA}
    for viewer in (WHITE, RED, PUBLIC):
        assert GAME.view(states, viewer)["piece"][0, RED, 12] == states["piece"][0, RED, 12]
    assert possible(GAME, states, RED)["X"] == {DA}
    assert possible(GAME, states, RED)["A"] == EVERYTHING - {DA}  # each piece is dealt once (C13)
    assert possible(GAME, states, WHITE)["A"] == EVERYTHING  # nothing about one's own
    assert not {"out A", "expose"} & legal(GAME, states)


def test_c9_the_rulebooks_example_expose_the_agent_then_move_onto_the_briefcase():
    states = at({"J": "f1", "A": "a1"}, {"X": "f3", "A": "k8"}, "f3")
    states = after(states, "expose", "J f1-f3", "answer yes", "A k8-k7", "answer yes")
    assert "pass f3-f4" in legal(GAME, states)


def test_c9_only_the_real_double_agent_is_exposed_and_it_may_be_any_spy():
    deals = ({**DEAL, "A": DA, "X": 1}, {**DEAL, "C": DA, "X": 2})
    states = after(position(GAME, {"A": "a1"}, {"X": "f6", "C": "k8"}, deals=deals), "expose")
    assert squares(GAME, states, RED) == {"X": "f6"}
    assert revealed(GAME, states, RED) == {"C": DA}


def test_c9_once_a_turn_and_again_in_the_next_turns():
    states = after(dealt(GAME), "out A", "L c2-c3", "answer yes")
    assert {"out A", "out X", "expose"} <= legal(GAME, states)  # Red, of its own
    states = after(states, "expose", "L i10-i9", "answer yes")
    assert "X" not in squares(GAME, states, WHITE)
    assert {"out C", "expose"} <= legal(GAME, states)
    assert "out A" not in legal(GAME, states)
    states = after(states, "out C", "L c3-c4", "answer yes", "out A", "L i9-i8", "answer yes", "expose")
    assert "out D" not in legal(GAME, states)


def test_c9_removing_stays_possible_when_the_own_double_agent_is_gone():
    states = after(at({"X": "f6", "A": "a1", "C": "b1"}, {"A": "k8"}), "out X", "A a1-a2", "answer yes")
    states = after(states, "A k8-k7", "answer yes")
    assert {"out A", "out C"} <= legal(GAME, states)
    exposed = after(at({"A": "a1"}, {"X": "f6", "A": "k8", "C": "k9"}), "expose", "A a1-a2", "answer yes")
    assert {"out A", "out C"} <= legal(GAME, exposed)
    assert "expose" not in legal(GAME, exposed)  # White's Double Agent is out of play
    assert "expose" not in legal(GAME, after(exposed, "A k8-k7", "answer yes"))  # and Red's is gone


def test_c9_a_captured_double_agent_cannot_be_exposed():
    states = after(at({"J": "c3"}, {"X": "c5", "A": "k8"}), "J c3xc5", "answer yes", "A k8-k7", "answer yes")
    assert "expose" not in legal(GAME, states)
    assert revealed(GAME, states, RED) == {}


def test_c9_before_the_proposal_not_after():
    states = after(dealt(GAME), "X f2-f3")
    assert legal(GAME, states) == {"answer yes", "answer no"}
    states = after(states, "answer no")
    assert to_move(states) == RED


def test_c9_a_removal_opens_the_way_for_the_proposal():
    states = at({"A": "f2", "X": "f3"}, {"X": "f5", "A": "k8"})
    assert not {"A f2-f4", "A f2-f6"} & legal(GAME, states)
    assert {"A f2-f4", "A f2xf5"} <= legal(GAME, after(states, "out X"))
    assert {"X f3-f5", "X f3-f6"} <= legal(GAME, after(states, "expose"))


# C11


@pytest.mark.parametrize(
    ("white", "red", "texts", "returns"),
    [
        ({"J": "c3"}, {"A": "c5"}, ["J c3xc5", "answer yes"], WHITE_WINS),
        ({"J": "c3"}, {"A": "c5"}, ["out J"], RED_WINS),
        ({"J": "c3"}, {"X": "c5"}, ["expose"], WHITE_WINS),
        ({"J": "c3"}, {"A": "c5"}, ["J c3-c4", "answer yes", "out A"], WHITE_WINS),
    ],
)
def test_c11_a_seat_whose_last_spy_is_gone_loses_at_once(white, red, texts, returns):
    assert result(GAME, after(at(white, red), *texts[:-1])) is None
    states = after(at(white, red), *texts)
    assert result(GAME, states) == ("elimination", returns)
    assert legal(GAME, states) == set()


def test_c11_a_move_that_wins_both_ways_is_an_extraction():
    states = after(at({"J": "c9"}, {"A": "c11"}, "c9"), "J c9xc11", "answer yes")
    assert result(GAME, states) == ("extraction", WHITE_WINS)


def legal_without_neighbours(states):
    """Return what may be chosen on a board whose squares have no neighbours."""
    tables = GAME.tables.copy()
    tables["path"] = BEYOND
    mask = np.zeros(GAME.actions.size, np.int8)
    kernels.legal(states[0], mask, tables[0])
    return {GAME.notation.action(GAME, states, int(action)) for action in np.flatnonzero(mask)}


def test_c11_a_seat_without_a_proposal_passes_and_may_still_remove_a_spy():
    # On an open board this cannot happen: a block of own spies that fills all it could enter fills the board.
    states = at({"A": "a1", "C": "c1"}, {"X": "k11"})
    assert "skip" not in legal(GAME, states)
    assert legal_without_neighbours(states) == {"skip", "out A", "out C", "expose"}
    assert legal_without_neighbours(after(states, "out A")) == {"skip"}
    kernels.step(states[0], ACTIONS.skip.start, GAME.tables[0])
    assert to_move(states) == RED
    assert squares(GAME, states, WHITE) == {"A": "a1", "C": "c1"}
    assert {"skip", "out X"} == legal_without_neighbours(states)


# C12


def test_c12_after_max_turns_of_each_seat_the_game_is_cut_off_without_a_winner():
    game = kgb_env.game("confusion", max_turns=2)
    states = dealt(game)
    for turn in range(4):
        assert result(game, states) is None
        assert to_move(states) == turn % 2
        text = "A c1-b1" if turn % 2 == 0 else "A i11-j11"
        states = play(game, states, *(["out C"] if turn < 2 else []), text)
        assert result(game, states) is None  # not before the answer
        states = play(game, states, "answer no")
    assert result(game, states) == ("turn limit", [0, 0])
    assert to_move(states) is None
    assert legal(game, states) == set()
    assert game.is_truncation(states["reason"])[0]


def test_c12_a_win_in_the_last_turn_counts():
    game = kgb_env.game("confusion", max_turns=1)
    states = position(game, {"A": "a1"}, {"S": "f3", "A": "k8"}, "f3")
    states = play(game, states, "A a1-a2", "answer yes", "S f3-f1", "answer yes")
    assert result(game, states) == ("extraction", RED_WINS)


def test_c12_a_pass_for_want_of_a_proposal_is_a_turn():
    game = kgb_env.game("confusion", max_turns=1)
    states = position(game, {"A": "a1"}, {"A": "k8"})
    for _ in range(2):
        assert result(game, states) is None
        kernels.step(states[0], ACTIONS.skip.start, game.tables[0])
    assert result(game, states) == ("turn limit", [0, 0])


def test_c12_200_turns_a_seat_unless_told_otherwise():
    states = at({"A": "a1"}, {"A": "k8"}, turn=398)
    states = after(states, "A a1-b1", "answer no")
    assert result(GAME, states) is None
    assert result(GAME, after(states, "A k8-j8", "answer no")) == ("turn limit", [0, 0])
