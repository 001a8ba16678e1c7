"""Rulings C15, C16, C22 and C23: the variant "Promotion, sir?" with the others and with tokens.

The expected answers come from the rulings and the rulebook; positions.py says which letter has which piece.
"""

import pytest

import kgb_env
from tests.confusion.positions import (
    HONEST,
    RED,
    SMALL_DEAL,
    WHITE,
    briefcase,
    legal,
    own_game,
    play,
    position,
    possible,
    promoted,
    proposers,
    result,
    squares,
    to_move,
)

pytestmark = pytest.mark.nojit

SAFE_SIR = kgb_env.game("confusion", promotion_sir=True, safe_extraction=True)
WHITE_WINS, RED_WINS = [1, -1], [-1, 1]
QUESTION, OFFER = {"promote yes", "promote no"}, {"take", "decline"}
FORWARD_1 = {1, 3, 4, 5, 6, 7, 10}


def at(white, red, briefcase="k6", turn=0, game=SAFE_SIR, **others):
    return position(game, white, red, briefcase, turn, **others)


def test_c15_sir_with_honor_nobody_is_asked_and_every_spy_is_promoted_on_arrival():
    game = kgb_env.game("confusion", promotion_sir=True, honor_among_spies=True)
    states = at({"J": "f10", "A": "a1"}, {"A": "k8"}, game=game, deals=(HONEST, HONEST))
    states = play(game, states, "J f10-f11", "answer yes")
    assert to_move(states) == RED
    assert promoted(game, states, WHITE) == {"J"}
    assert possible(game, states, WHITE)["J"] == FORWARD_1  # the promotion tells nothing
    states = play(game, states, "A k8-k7", "answer yes", "J f11-d9")
    assert legal(game, states) == {"answer yes"}
    along = at({"J": "f11", "A": "a1"}, {"A": "k8"}, game=game, deals=(HONEST, HONEST))
    along = play(game, along, "J f11-e11", "answer yes")
    assert promoted(game, along, WHITE) == set()  # from off that row only
    won = at({"J": "f10", "A": "a1"}, {"A": "k8"}, "f10", game=game, deals=(HONEST, HONEST))
    won = play(game, won, "J f10-f11", "answer yes")
    assert result(game, won) == ("extraction", WHITE_WINS)
    assert promoted(game, won, WHITE) == set()


def test_c16_with_sir_every_set_reaches_as_far_as_the_promoted_side(tmp_path):
    pieces = "Lance F 1\nMan F B L R 1\nBishop FL FR BL BR 1"
    for is_sir, longest in ((False, 1), (True, 2)):
        game = own_game(tmp_path, pieces, promotion_sir=is_sir)
        states = position(game, {"A": "c1"}, {"A": "a5"}, "e3", deals=(SMALL_DEAL, SMALL_DEAL))
        assert ("A c1-c3" in legal(game, states)) == (longest == 2)


def test_c15_sir_with_safe_extraction_asks_who_carries_it_there():
    states = at({"S": "f10", "A": "a1"}, {"A": "k8"}, "f10", game=SAFE_SIR)
    states = play(SAFE_SIR, states, "S f10-f11", "answer yes")
    assert result(SAFE_SIR, states) is None
    assert legal(SAFE_SIR, states) == QUESTION
    states = play(SAFE_SIR, states, "promote yes")
    assert promoted(SAFE_SIR, states, WHITE) == {"S"}
    assert to_move(states) == RED
    states = play(SAFE_SIR, states, "A k8-k7", "answer yes")
    assert result(SAFE_SIR, states) == ("extraction", WHITE_WINS)


def test_c15_sir_with_safe_extraction_an_uncovered_carrier_leaves_it_loose_and_the_opponent_may_take_it():
    states = at({"X": "f10", "A": "a1"}, {"C": "k8", "D": "c6"}, "f10", game=SAFE_SIR)
    states = play(SAFE_SIR, states, "X f10-f11", "answer yes", "promote yes")
    assert briefcase(states) == "f11"
    assert legal(SAFE_SIR, states) == OFFER
    taken = play(SAFE_SIR, states, "take")
    assert briefcase(taken) == "k8"
    assert result(SAFE_SIR, taken) is None
    declined = play(SAFE_SIR, states, "decline", "D c6-b6", "answer yes")
    assert result(SAFE_SIR, declined) is None  # loose when White's turn begins
    assert briefcase(declined) == "f11"


def test_c22_with_safe_extraction_an_offer_on_the_far_row_wins_when_the_turn_begins():
    states = at({"X": "f10", "A": "a1"}, {"C": "k1", "D": "c6"}, "c4", game=SAFE_SIR)
    states = play(SAFE_SIR, states, "X f10-f11", "answer yes", "promote yes", "take")
    assert result(SAFE_SIR, states) == ("extraction", RED_WINS)  # Red's turn begins at once


def test_c23_question_and_offer_come_before_the_second_proposal_of_move_two(tmp_path):
    game = own_game(tmp_path, special_actions=True, promotion_sir=True)
    white, red = {"F": "a4", "C": "e2", "A": "e1"}, {"D": "c4", "C": "b3"}
    start = position(game, white, red, "c3", deals=(SMALL_DEAL, SMALL_DEAL))
    states = play(game, start, "move two", "F a4-a5", "answer yes")
    assert legal(game, states) == QUESTION
    for texts, case in ((["promote yes", "take"], "b3"), (["promote yes", "decline"], "c3"), (["promote no"], "c3")):
        then = play(game, states, *texts)
        assert to_move(then) == WHITE
        assert briefcase(then) == case
        assert proposers(game, then) == "AC"
        assert "out A" not in legal(game, then)
        then = play(game, then, "C e2-d2", "answer yes")
        assert to_move(then) == RED
        assert then["turn"][0] == 1


def test_c23_a_take_that_wins_ends_move_two(tmp_path):
    game = own_game(tmp_path, special_actions=True, promotion_sir=True)
    white, red = {"F": "a4", "C": "e2", "A": "e1"}, {"C": "c1", "D": "c4"}
    states = position(game, white, red, "c3", deals=(SMALL_DEAL, SMALL_DEAL))
    states = play(game, states, "move two", "F a4-a5", "answer yes", "promote yes", "take")
    assert result(game, states) == ("extraction", RED_WINS)
    assert to_move(states) is None


def test_c15_sir_a_revealed_double_agent_is_asked_about_too():
    game = kgb_env.game("confusion", promotion_sir=True, special_actions=True)
    states = at({"X": "f10", "A": "a1"}, {"A": "k8", "C": "c6"}, game=game)
    states = play(game, states, "reveal X", "A a1-a2", "answer yes", "A k8-k7", "answer yes", "X f10-f11", "answer yes")
    assert legal(game, states) == QUESTION
    states = play(game, states, "promote yes")
    assert legal(game, states) == OFFER
    assert squares(game, states, WHITE) == {"A": "a2"}


@pytest.mark.parametrize(("text", "expected"), [("promote yes", {"S"}), ("promote no", set())])
def test_c15_sir_a_revealed_ordinary_spy_is_asked_about_too(text, expected):
    game = kgb_env.game("confusion", promotion_sir=True, special_actions=True)
    states = at({"S": "f10", "A": "a1"}, {"A": "k8"}, game=game)
    states = play(game, states, "reveal S", "A a1-a2", "answer yes", "A k8-k7", "answer yes", "S f10-f11", "answer yes")
    assert legal(game, states) == QUESTION
    states = play(game, states, text)
    assert promoted(game, states, WHITE) == expected
    assert possible(game, states, WHITE)["S"] == {10}
    assert to_move(states) == RED
