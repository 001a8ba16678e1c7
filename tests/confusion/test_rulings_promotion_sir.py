"""Rulings C15 and C23: the variant "Promotion, sir?"; with it C17.

The expected answers come from the rulings and the rulebook; positions.py says which letter has which piece.
"""

import numpy as np
import pytest

import kgb_env
from kgb_env import PUBLIC, UNKNOWN
from kgb_env.games.confusion import notebook
from tests.confusion.positions import (
    DA,
    DEAL,
    EVERYTHING,
    RED,
    SMALL_DEAL,
    WHITE,
    briefcase,
    dealt,
    legal,
    own_game,
    play,
    position,
    possible,
    promoted,
    result,
    revealed,
    squares,
    to_move,
)

pytestmark = pytest.mark.nojit

SIR = kgb_env.game("confusion", promotion_sir=True)
WHITE_WINS, RED_WINS = [1, -1], [-1, 1]
QUESTION, OFFER = {"promote yes", "promote no"}, {"take", "decline"}
FORWARD_1 = {1, 3, 4, 5, 6, 7, 10}


def at(white, red, briefcase="k6", turn=0, game=SIR, **others):
    return position(game, white, red, briefcase, turn, **others)


def after(states, *texts, game=SIR):
    return play(game, states, *texts)


# The question


@pytest.mark.parametrize("letter", sorted(DEAL))
def test_c15_sir_every_unpromoted_spy_is_asked_about_the_double_agent_included(letter):
    starts = {"A": "f10", "C": "e10", "D": "f10", "F": "f10", "N": "e10", "P": None, "T": "e10", "V": None}
    start = starts.get(letter, "f10")
    if start is None:  # it cannot go forward, and comes as the Double Agent
        deals = (DEAL | {letter: DA, "X": DEAL[letter]}, DEAL)
        states = at({letter: "f10", "H": "a1"}, {"A": "k8"}, deals=deals)
        start = "f10"
    else:
        states = at({letter: start, ("A" if letter != "A" else "C"): "a1"}, {"A": "k8"})
    states = after(states, f"{letter} {start}-f11", "answer yes")
    assert to_move(states) == WHITE
    assert legal(SIR, states) == QUESTION
    assert squares(SIR, states, WHITE)[letter] == "f11"
    assert promoted(SIR, states, WHITE) == set()  # not of itself, whatever its piece (C10 is replaced)
    assert not SIR.encode(SIR.view(states, RED)).action_mask.any()


def test_c15_sir_the_question_is_the_same_for_a_double_agent_and_an_ordinary_spy():
    views = []
    for deal in (DEAL, DEAL | {"S": DA, "X": 10}, DEAL | {"S": 1, "A": 10}):
        states = at({"S": "f10", "A": "a1"}, {"A": "k8"}, deals=(deal, DEAL))
        for texts in ((), ("S f10-f11", "answer yes"), ("promote no",)):
            states = after(states, *texts)
            views.append((texts, SIR.view(states, WHITE).tobytes(), SIR.encode(SIR.view(states, WHITE)).observation))
    for texts in {texts for texts, *_ in views}:
        same = [(view, observation.tobytes()) for which, view, observation in views if which == texts]
        assert len(same) == 3
        assert len(set(same)) == 1, texts


def test_c15_sir_with_auto_answer_the_question_is_the_same_too():
    game = kgb_env.game("confusion", promotion_sir=True, auto_answer=True)
    views = []
    for deal in (DEAL, DEAL | {"S": DA, "X": 10}):
        states = play(game, at({"S": "f10", "A": "a1"}, {"A": "k8"}, game=game, deals=(deal, DEAL)), "S f10-f11")
        if to_move(states) == RED:
            assert deal["S"] == DA
            states = play(game, states, "answer yes")
        assert legal(game, states) == QUESTION
        views.append(game.view(states, WHITE).tobytes())
    assert views[0] == views[1]


def test_c15_sir_no_leaves_it_unpromoted_and_tells_nothing():
    states = after(at({"S": "f10", "A": "a1"}, {"A": "k8"}), "S f10-f11", "answer yes")
    before = possible(SIR, states, WHITE)
    assert before["S"] == FORWARD_1 | {DA}
    states = after(states, "promote no")
    assert to_move(states) == RED
    assert states["turn"][0] == 1
    assert promoted(SIR, states, WHITE) == set()
    assert revealed(SIR, states, WHITE) == {}
    assert possible(SIR, states, WHITE) == before


def test_c15_sir_yes_promotes_any_piece_but_the_double_agent_unrevealed():
    states = after(at({"S": "f10", "A": "a1"}, {"A": "k8"}), "S f10-f11", "answer yes", "promote yes")
    assert to_move(states) == RED
    assert promoted(SIR, states, WHITE) == {"S"}
    assert revealed(SIR, states, WHITE) == {}
    assert SIR.view(states, WHITE)["piece"][0, WHITE, 9] == UNKNOWN
    assert possible(SIR, states, WHITE)["S"] == FORWARD_1  # C23: the Double Agent is struck
    assert possible(SIR, states, WHITE)["A"] == EVERYTHING
    states = after(states, "A k8-k7", "answer yes")
    for text, answer in (("S f11-d9", "yes"), ("S f11-h11", "yes"), ("S f11-f8", "no")):
        assert legal(SIR, after(states, text)) == {f"answer {answer}"}  # 2 in all eight directions
    assert possible(SIR, after(states, "S f11-f8", "answer no"), WHITE)["S"] == FORWARD_1
    assert to_move(after(states, "S f11-h11", "answer yes")) == RED  # a promoted spy is not asked about


def test_c15_sir_of_red_on_row_1():
    states = after(at({"A": "k4"}, {"S": "f2", "A": "a9"}, turn=1), "S f2-f1", "answer yes")
    assert to_move(states) == RED
    assert legal(SIR, states) == QUESTION
    states = after(states, "promote yes")
    assert promoted(SIR, states, RED) == {"S"}
    assert to_move(states) == WHITE
    home = after(at({"J": "f2", "A": "a1"}, {"A": "a9"}), "J f2-f1", "answer yes")
    assert to_move(home) == RED  # the own first row is no edge to be promoted on


def test_c15_sir_asks_again_when_it_has_left_the_row_and_come_back_but_not_along_it():
    states = after(at({"J": "f10", "A": "a1"}, {"A": "k8"}), "J f10-f11", "answer yes", "promote no")
    states = after(states, "A k8-k7", "answer yes", "J f11-e11", "answer yes")
    assert to_move(states) == RED
    assert possible(SIR, states, WHITE)["J"] == {3, 5, 6, DA}  # not promotable by itself: that is not told here
    states = after(states, "A k7-k6", "answer yes", "J e11-e10", "answer yes", "A k6-k5", "answer yes")
    states = after(states, "J e10-e11", "answer yes")
    assert legal(SIR, states) == QUESTION
    assert promoted(SIR, after(states, "promote yes"), WHITE) == {"J"}


def test_c15_sir_a_promoted_spy_that_comes_back_is_not_asked_about():
    states = after(at({"J": "f10", "A": "a1"}, {"A": "k8"}), "J f10-f11", "answer yes", "promote yes")
    states = after(states, "A k8-k7", "answer yes", "J f11-d9", "answer yes", "A k7-k6", "answer yes")
    states = after(states, "J d9-d11", "answer yes")
    assert to_move(states) == RED
    assert legal(SIR, states) != QUESTION


@pytest.mark.parametrize(
    ("texts", "is_asked"),
    [
        (["S f10-f11 leave", "answer yes"], True),
        (["pass f10-f11", "answer yes"], False),  # the briefcase arrives alone
        (["S f10-f11 leave", "answer no"], False),
        (["S f10-f9", "answer yes"], False),
    ],
)
def test_c15_sir_asks_about_spies_that_have_moved_there(texts, is_asked):
    deals = (DEAL | {"S": DA, "X": 10}, DEAL)
    states = after(at({"S": "f10", "A": "a1"}, {"A": "k8"}, "f10", deals=deals), *texts)
    assert (legal(SIR, states) == QUESTION) == is_asked
    assert to_move(states) == (WHITE if is_asked else RED)


def test_c15_sir_a_capture_there_is_asked_about_and_a_win_is_not():
    states = after(at({"S": "f10", "A": "a1"}, {"H": "f11", "A": "k8"}), "S f10xf11", "answer yes")
    assert legal(SIR, states) == QUESTION
    assert squares(SIR, states, RED) == {"A": "k8"}
    states = after(at({"S": "f10", "A": "a1"}, {"A": "k8"}, "f10"), "S f10-f11", "answer yes")
    assert result(SIR, states) == ("extraction", WHITE_WINS)
    assert legal(SIR, states) == set()
    states = after(at({"S": "f10", "A": "a1"}, {"A": "f11"}), "S f10xf11", "answer yes")
    assert result(SIR, states) == ("elimination", WHITE_WINS)
    assert promoted(SIR, states, WHITE) == set()


def test_c17_an_arrival_that_takes_the_last_spy_announces_no_promotion():
    game = kgb_env.game("confusion")
    states = play(game, at({"A": "f10", "C": "a1"}, {"A": "f11"}, game=game), "A f10xf11", "answer yes")
    assert result(game, states) == ("elimination", WHITE_WINS)
    assert promoted(game, states, WHITE) == set()
    assert possible(game, states, WHITE)["A"] == FORWARD_1 | {DA}


# The Double Agent uncovered


def uncovered(white, red, briefcase="c4", game=SIR):
    return play(game, at(white, red, briefcase, game=game), "X f10-f11", "answer yes", "promote yes")


def test_c15_sir_a_double_agent_that_is_promoted_is_uncovered_and_removed():
    states = uncovered({"X": "f10", "A": "a1"}, {"C": "k8", "D": "c6"})
    assert squares(SIR, states, WHITE) == {"A": "a1"}
    assert promoted(SIR, states, WHITE) == set()
    for viewer in (WHITE, RED, PUBLIC):
        view = SIR.view(states, viewer)
        assert revealed(SIR, view, WHITE) == {"X": DA}
        assert possible(SIR, view, WHITE) == dict.fromkeys(DEAL, EVERYTHING - {DA}) | {"X": frozenset({DA})}  # C18
    assert to_move(states) == RED
    assert legal(SIR, states) == OFFER
    assert briefcase(states) == "c4"


def test_c15_sir_the_briefcase_goes_to_the_opponents_alphabetically_first_spy_in_play():
    states = uncovered({"X": "f10", "A": "a1"}, {"C": "k8", "D": "c6"})  # Red's A is gone
    taken = after(states, "take")
    assert briefcase(taken) == "k8"
    assert to_move(taken) == RED
    assert taken["turn"][0] == 1
    assert {"pass k8-k7", "C k8-j7 leave"} <= legal(SIR, taken)
    declined = after(states, "decline")
    assert briefcase(declined) == "c4"
    assert to_move(declined) == RED
    assert declined["turn"][0] == 1
    with_a = uncovered({"X": "f10", "A": "a1"}, {"C": "k8", "D": "c6", "A": "e7"})
    assert briefcase(after(with_a, "take")) == "e7"


@pytest.mark.parametrize("case", ["a1", "k8", "c6", "f6"])
def test_c15_sir_wherever_it_is_even_if_the_spy_has_it_already(case):
    states = uncovered({"X": "f10", "A": "a1"}, {"C": "k8", "D": "c6"}, case)
    assert legal(SIR, states) == OFFER
    assert briefcase(after(states, "take")) == "k8"
    assert briefcase(after(states, "decline")) == case
    assert SIR.view(after(states, "take"), WHITE).tobytes() != SIR.view(after(states, "decline"), WHITE).tobytes()


def test_c15_sir_after_a_take_the_first_owner_controls_it_no_more():
    states = after(uncovered({"X": "f10", "A": "a1"}, {"C": "k8", "D": "c6"}, "a1"), "take", "D c6-b6", "answer yes")
    assert not any(text.startswith("pass") for text in legal(SIR, states))
    states = after(uncovered({"X": "f10", "A": "a1"}, {"C": "k8", "D": "c6"}, "a1"), "decline", "D c6-b6", "answer yes")
    assert "pass a1-a2" in legal(SIR, states)


def test_c23_bringing_it_home_by_the_offer_wins():
    states = uncovered({"X": "f10", "A": "a1"}, {"C": "k1", "D": "c6"})
    assert result(SIR, states) is None
    assert result(SIR, after(states, "take")) == ("extraction", RED_WINS)
    assert result(SIR, after(states, "decline")) is None
    red = at({"C": "k11", "D": "c6"}, {"X": "f2", "A": "a9"}, "c4", turn=1)
    red = after(red, "X f2-f1", "answer yes", "promote yes")
    assert to_move(red) == WHITE
    assert result(SIR, after(red, "take")) == ("extraction", WHITE_WINS)


def test_c23_who_uncovers_its_last_spy_has_lost_before_anything_is_taken():
    states = uncovered({"X": "f10"}, {"C": "k1", "D": "c6"})
    assert result(SIR, states) == ("elimination", RED_WINS)
    assert legal(SIR, states) == set()
    assert briefcase(states) == "c4"


def test_c15_sir_a_double_agent_that_is_not_promoted_stays_and_lies_on():
    states = after(at({"X": "f10", "A": "a1"}, {"A": "k8"}), "X f10-f11", "answer yes", "promote no")
    states = after(states, "A k8-k7", "answer yes", "X f11-f10")
    assert legal(SIR, states) == {"answer yes", "answer no"}
    assert revealed(SIR, states, WHITE) == {}


def test_c15_sir_the_limit_comes_after_question_and_offer():
    game = kgb_env.game("confusion", promotion_sir=True, max_turns=1)
    states = position(game, {"A": "a1", "C": "b1"}, {"X": "f2", "A": "k8"}, "c4")
    states = play(game, states, "A a1-a2", "answer yes", "X f2-f1", "answer yes")
    assert legal(game, states) == QUESTION
    states = play(game, states, "promote yes")
    assert legal(game, states) == OFFER
    assert result(game, play(game, states, "take")) == ("turn limit", [0, 0])
    assert result(game, play(game, states, "decline")) == ("turn limit", [0, 0])


def test_c13_sir_notebook_and_worlds_know_promotions():
    states = after(at({"S": "f10", "A": "a1"}, {"A": "k8"}), "S f10-f11", "answer yes")
    for text, can_be in (("promote yes", False), ("promote no", True)):
        view = SIR.view(after(states, text), WHITE)
        page = notebook(SIR, view, WHITE)
        assert page.possible[9, 12] == can_be  # S is the Double Agent
        worlds = SIR.determinize(view, np.arange(200, dtype=np.uint64))
        assert (worlds["piece"][:, WHITE, 9] == 12).any() == can_be
        assert SIR.view(worlds, WHITE).tobytes() == np.repeat(view, 200).tobytes()
    states = uncovered({"X": "f10", "A": "a1"}, {"C": "k8", "D": "c6"})
    worlds = SIR.determinize(SIR.view(states, WHITE), np.arange(50, dtype=np.uint64))
    assert (worlds["piece"][:, WHITE, 12] == 12).all()
    assert SIR.view(worlds, WHITE).tobytes() == np.repeat(SIR.view(states, WHITE), 50).tobytes()


# The log


def test_the_log_of_questions_and_offers(tmp_path):
    game = own_game(tmp_path, promotion_sir=True)
    states = dealt(game, SMALL_DEAL, SMALL_DEAL)
    way = ["F c2-b3", "answer yes", "D b5-a4", "answer yes", "F b3-b5", "answer yes"]
    asked = play(game, states, *way)
    assert legal(game, asked) == QUESTION
    for texts, end in (
        (["promote no"], ", promotion declined"),
        (["promote yes", "decline"], ", uncovered as the Double Agent, briefcase declined"),
        (["promote yes", "take"], ", uncovered as the Double Agent, briefcase taken"),
    ):
        states = play(game, asked, *texts)
        for viewer in (WHITE, RED, PUBLIC):
            log = game.notation.log(game, game.view(states, viewer))
            assert log == ["White: F c2-b3: yes", "Red: D b5-a4: yes", f"White: F b3-b5: yes{end}"]
    taken = play(game, states, "pass d5-d4", "answer yes")
    assert game.notation.log(game, game.view(taken, PUBLIC))[-1] == "Red: pass d5-d4: yes"


def test_the_log_of_a_promotion(tmp_path):
    game = own_game(tmp_path, promotion_sir=True)
    states = dealt(game, SMALL_DEAL | {"F": 2, "C": DA}, SMALL_DEAL)
    states = play(game, states, "F c2-b2", "answer yes", "D b5-a4", "answer yes")
    states = play(game, states, "F b2-b3", "answer yes", "F c4-c3", "answer yes")
    states = play(game, states, "F b3-b4", "answer yes", "F c3-c4", "answer no")
    states = play(game, states, "F b4-b5", "answer yes", "promote yes")
    assert promoted(game, states, WHITE) == {"F"}
    assert game.notation.log(game, game.view(states, RED))[-1] == "White: F b4-b5: yes, promoted"
