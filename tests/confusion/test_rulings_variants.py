"""Rulings C15, C22 and C24: honor among spies, tight set-up, safe extraction.

The expected answers come from the rulings and the rulebook; positions.py says which letter has which piece.
"""

import numpy as np
import pytest

import kgb_env
from kgb_env import UNKNOWN, kernels
from kgb_env.errors import IllegalActionError, NotationError, OptionError
from kgb_env.games.confusion import notebook
from kgb_env.games.confusion.spec import ACTIONS
from tests.confusion.positions import (
    DA,
    EVERYTHING,
    HONEST,
    RED,
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
    squares,
    to_move,
)

pytestmark = pytest.mark.nojit

WHITE_WINS, RED_WINS = [1, -1], [-1, 1]
HONOR = kgb_env.game("confusion", honor_among_spies=True, special_actions=True)
TIGHT = kgb_env.game("confusion", tight_setup=True)
SAFE = kgb_env.game("confusion", safe_extraction=True)


# honor_among_spies (C15, C24)


def test_c15_honor_has_no_double_agent_and_no_spy_x():
    states = dealt(HONOR, HONEST, HONEST)
    for seat in (WHITE, RED):
        assert set(squares(HONOR, states, seat)) == set("ACDFHJLNPSTV")
        assert possible(HONOR, states, seat) == dict.fromkeys(HONEST, EVERYTHING - {DA})
    assert states["in_play"][0].tolist() == [12, 12]
    assert "P e2-f2" in legal(HONOR, states)  # X's square is empty
    weights = HONOR.weights()
    kernels.chance(HONOR.begin()[0], weights, HONOR.tables[0])
    assert weights.tolist() == [1] * 12 + [0]


def test_c15_honor_knows_no_removals_but_tokens():
    states = dealt(HONOR, HONEST, HONEST)
    assert not any(text.startswith(("out", "expose")) for text in legal(HONOR, states))
    assert {"reveal A", "move two", "swap A C"} <= legal(HONOR, states)
    assert "reveal X" not in legal(HONOR, states)
    states = play(HONOR, states, "L c2-c3", "answer yes")
    assert not any(text.startswith(("out", "expose")) for text in legal(HONOR, states))
    for action in (ACTIONS.index("out", 0), ACTIONS.expose.start):
        with pytest.raises(IllegalActionError):
            HONOR.play(states.copy(), action)


def test_c15_honor_every_answer_is_the_truth():
    states = play(HONOR, dealt(HONOR, HONEST, HONEST), "S g2-g4")
    assert legal(HONOR, states) == {"answer yes"}
    states = play(HONOR, states, "answer yes")
    assert possible(HONOR, states, WHITE)["S"] == {1, 3, 4, 6, 7, 10}  # with nobody to lie
    states = play(HONOR, states, "S e10-d9")
    assert legal(HONOR, states) == {"answer no"}


def test_c15_honor_in_the_notebook_and_in_possible_worlds():
    states = play(HONOR, dealt(HONOR, HONEST, HONEST), "S g2-g4", "answer yes")
    view = HONOR.view(states, WHITE)
    page = notebook(HONOR, view, WHITE)
    assert (page.letters, len(page.pieces)) == ("ACDFHJLNPSTV", 12)
    assert page.deals == 6 * 39916800  # six pieces for S, 11! for the others
    worlds = HONOR.determinize(view, np.arange(50, dtype=np.uint64))
    assert (np.sort(worlds["piece"][:, WHITE, :12], axis=1) == np.arange(12)).all()
    assert (worlds["piece"][:, :, 12] == UNKNOWN).all()


def test_c15_honor_with_auto_answer_never_asks():
    game = kgb_env.game("confusion", honor_among_spies=True, auto_answer=True)
    states = play(game, dealt(game, HONEST, HONEST), "S g2-g4", "L i10-i8", "S g4-g5")
    assert squares(game, states, WHITE)["S"] == "g5"
    assert to_move(states) == RED


@pytest.mark.parametrize(("preset", "left"), [("confusion-mini", "ACD"), ("confusion-mini7", "ACDFHJL")])
def test_c24_honor_leaves_the_alphabetically_last_spy_out_of_any_set_up(preset, left):
    states = kgb_env.game(preset, honor_among_spies=True).start()
    for seat in (WHITE, RED):
        assert "".join(squares(kgb_env.game(preset, honor_among_spies=True), states, seat)) == left


# tight_setup


def test_c15_tight_the_outer_columns_are_out_of_play():
    states = position(TIGHT, {"A": "b3", "C": "j1"}, {"A": "e9"}, "b4")
    reached = {text[-2:] for text in legal(TIGHT, states) if text[0] in "AC"}
    assert not {square for square in reached if square[0] in "ak"}
    assert {"A b3-c3", "A b3-b4", "A b3-b1", "C j1-i1", "C j1-j5"} <= legal(TIGHT, states)
    for way in ("A L1", "A FL1", "A FL2", "C R1", "C FR1"):
        with pytest.raises(IllegalActionError):
            play(TIGHT, states, way)
    with pytest.raises(NotationError):
        play(TIGHT, states, "A b3-a3")


def test_c15_tight_the_set_up_and_the_goal_are_as_ever():
    start = dealt(TIGHT)
    assert squares(TIGHT, start, WHITE) == squares(SAFE, dealt(SAFE), WHITE)
    assert briefcase(start) == "f6"
    states = position(TIGHT, {"S": "b9", "A": "c1"}, {"A": "e9"}, "b9")
    assert result(TIGHT, play(TIGHT, states, "S b9-b11", "answer yes")) == ("extraction", WHITE_WINS)


def test_c15_tight_the_briefcase_is_not_passed_there_either_for_both_seats():
    for seat, square in ((WHITE, "b6"), (RED, "j6")):
        sides = [{"A": "i1"}, {"A": "i11"}]
        sides[seat] = {"H": square}
        states = position(TIGHT, *sides, square, turn=seat)
        options = legal(TIGHT, states)
        assert not any(text.split()[-1][-2:-1] in "ak" for text in options if text.startswith("pass"))
        assert sum(text.startswith("pass") for text in options) == 5 * 4  # forward, back, and three ways inward


def test_c15_tight_in_small_games_and_with_variable_setup():
    game = kgb_env.game("confusion-mini", tight_setup=True)
    deal = {"A": 1, "C": 2, "D": 3, "F": DA}
    states = dealt(game, deal, deal)
    assert legal(game, states) & {"A b1-b2", "D d1-d2", "A b1-a1", "D d1-e1", "F c2-a4"} == {"A b1-b2", "D d1-d2"}
    game = kgb_env.game("confusion", tight_setup=True, variable_setup=True)
    states = dealt(game)
    assert legal(game, states) == {f"place A {column}{row}" for column in "bcdefghij" for row in (1, 2)}
    assert game.notation.parse_action(game, states, "place A b2") in game.legal(states)


def test_c15_tight_is_refused_where_spies_would_stand_out_of_play(tmp_path):
    setup = "board 5 x 5\nrow 2 ..F..\nrow 1 ACD.."
    with pytest.raises(OptionError, match="tight_setup: A would stand out of play"):
        own_game(tmp_path, setup=setup, tight_setup=True)


def test_c24_a_spy_that_honor_leaves_out_does_not_stand_out_of_play(tmp_path):
    game = own_game(tmp_path, setup="board 5 x 5\nrow 2 F....\nrow 1 .ACD.", tight_setup=True, honor_among_spies=True)
    assert set(squares(game, game.start(), WHITE)) == set("ACD")


# safe_extraction (C15, C22)


def safe(white, red, briefcase="k6", turn=0, game=SAFE):
    return position(game, white, red, briefcase, turn)


def test_c15_safe_extraction_wins_when_its_owners_next_turn_begins():
    states = play(SAFE, safe({"S": "f9", "A": "a1"}, {"A": "k8"}, "f9"), "S f9-f11", "answer yes")
    assert result(SAFE, states) is None
    assert to_move(states) == RED
    assert briefcase(states) == "f11"
    states = play(SAFE, states, "A k8-k7")
    assert result(SAFE, states) is None
    states = play(SAFE, states, "answer yes")
    assert result(SAFE, states) == ("extraction", WHITE_WINS)
    assert to_move(states) is None


def test_c15_safe_extraction_of_red():
    states = play(SAFE, safe({"A": "k4"}, {"S": "f3", "A": "a9"}, "f3", turn=1), "S f3-f1", "answer yes")
    assert result(SAFE, states) is None
    states = play(SAFE, states, "A k4-k5", "answer yes")
    assert result(SAFE, states) == ("extraction", RED_WINS)


@pytest.mark.parametrize("answer", ["answer yes", "answer no"])
def test_c15_safe_extraction_captured_in_time_the_game_goes_on(answer):
    states = safe({"S": "f11", "A": "a1"}, {"X": "f10", "A": "k8"}, "f11", turn=1)
    states = play(SAFE, states, "X f10xf11", answer)
    if answer == "answer yes":
        assert result(SAFE, states) is None
        assert to_move(states) == WHITE
        assert squares(SAFE, states, RED)["X"] == briefcase(states) == "f11"
    else:
        assert result(SAFE, states) == ("extraction", WHITE_WINS)


def test_c15_safe_extraction_the_double_agent_is_exposed_in_time():
    states = play(SAFE, safe({"X": "f11", "A": "a1"}, {"A": "k8"}, "f11", turn=1), "expose")
    assert briefcase(states) == "f11"
    states = play(SAFE, states, "A k8-k7", "answer yes")
    assert result(SAFE, states) is None
    assert to_move(states) == WHITE


def test_c15_safe_extraction_comes_before_the_limit():
    game = kgb_env.game("confusion", safe_extraction=True, max_turns=1)
    states = safe({"A": "f9", "C": "a1"}, {"A": "k8"}, "f9", game=game)
    states = play(game, states, "A f9-f11", "answer yes", "A k8-k7", "answer yes")
    assert result(game, states) == ("extraction", WHITE_WINS)
    states = safe({"A": "a1"}, {"S": "f3", "A": "k8"}, "f3", game=game)
    states = play(game, states, "A a1-a2", "answer yes", "S f3-f1", "answer yes")
    assert result(game, states) == ("turn limit", [0, 0])  # Red's next turn never begins
    assert game.is_truncation(states["reason"])[0]


def test_c15_safe_extraction_an_arrival_with_the_briefcase_has_not_won_and_promotes():
    states = play(SAFE, safe({"A": "f9", "C": "a1"}, {"A": "k8"}, "f9"), "A f9-f11", "answer yes")
    assert promoted(SAFE, states, WHITE) == {"A"}
    assert possible(SAFE, states, WHITE)["A"] == {1, 3, 4}


def test_c15_safe_extraction_needs_control_and_the_right_row():
    loose = play(SAFE, safe({"S": "f9", "A": "a1"}, {"A": "k8"}, "f9"), "pass f9-f11", "answer yes")
    assert result(SAFE, play(SAFE, loose, "A k8-k7", "answer yes")) is None
    own = play(SAFE, safe({"S": "f3", "A": "a1"}, {"A": "k8"}, "f3"), "S f3-f1", "answer yes")
    assert result(SAFE, play(SAFE, own, "A k8-k7", "answer yes")) is None
    lost = play(SAFE, safe({"S": "f11", "J": "e5"}, {"A": "k8"}, "f11"), "S f11-f10 leave", "answer yes")
    assert result(SAFE, play(SAFE, lost, "A k8-k7", "answer yes")) is None


def test_c22_it_does_not_matter_which_spy_nor_how_long():
    # Red hands the briefcase to White's A on Red's own first row: White's turn begins, and White has won.
    states = safe({"A": "f11", "C": "a1"}, {"J": "f9", "A": "k8"}, "f9", turn=1)
    states = play(SAFE, states, "pass f9-f11", "answer yes")
    assert result(SAFE, states) == ("extraction", WHITE_WINS)
    states = safe({"S": "f3", "A": "a1"}, {"A": "f1"}, "f3")
    assert result(SAFE, play(SAFE, states, "pass f3-f1", "answer yes")) == ("extraction", RED_WINS)


def test_c22_another_spy_may_have_it_by_then():
    # S brought it, Red takes it there and, in the same row of turns, White takes it back: again it must last.
    states = safe({"S": "f11", "J": "f9"}, {"H": "e11", "A": "k8"}, "f11", turn=1)
    states = play(SAFE, states, "H e11xf11", "answer yes")
    assert result(SAFE, states) is None
    states = play(SAFE, states, "J f9xf11", "answer yes")
    assert result(SAFE, states) is None
    assert result(SAFE, play(SAFE, states, "A k8-k7", "answer yes")) == ("extraction", WHITE_WINS)


def test_c17_with_safe_extraction_the_last_spy_taken_on_that_row_is_an_elimination():
    states = play(SAFE, safe({"J": "c9"}, {"A": "c11"}, "c9"), "J c9xc11", "answer yes")
    assert result(SAFE, states) == ("elimination", WHITE_WINS)


def test_c15_safe_extraction_a_removal_of_ones_own_loses_it():
    states = safe({"S": "f3", "A": "a1"}, {"X": "f1", "A": "k8", "C": "k9"}, "f1")  # Red's X waits on row 1
    states = play(SAFE, states, "A a1-a2", "answer yes")
    assert result(SAFE, states) == ("extraction", RED_WINS)
    states = safe({"S": "f3", "A": "a1"}, {"X": "f1", "A": "k8", "C": "k9"}, "f1")
    states = play(SAFE, states, "expose", "A a1-a2", "answer yes")
    assert result(SAFE, states) is None
