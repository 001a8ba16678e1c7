"""Rulings C14, C20 and C21: the tokens Move 2 and Swap 2.

The expected answers come from the rulings and the rulebook; positions.py says which letter has which piece.
"""

from dataclasses import replace

import pytest

import kgb_env
from kgb_env.games.confusion.spec import BEYOND, DIRECTIONS, TOKENS
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
    proposers,
    result,
    revealed,
    squares,
    to_move,
)

pytestmark = pytest.mark.nojit

GAME = kgb_env.game("confusion", special_actions=True)
WHITE_WINS = [1, -1]
ALL = set(TOKENS)


def at(white, red, briefcase="k6", turn=0, game=GAME, **others):
    return position(game, white, red, briefcase, turn, **others)


def after(states, *texts, game=GAME):
    return play(game, states, *texts)


def special(states, game=GAME):
    """Return the words with which the legal tokens and removals begin."""
    words = {text.split()[0] for text in legal(game, states)}
    return words & {"reveal", "move", "swap", "out", "expose"}


def narrow():
    """Return the game on a board where spies go forward and back only."""
    tables = GAME.tables.copy()
    for way, direction in enumerate(DIRECTIONS):
        if direction not in "FB":
            tables["path"][:, :, :, way] = BEYOND
    return replace(GAME, tables=tables)


# Move 2


def test_c14_move_two_gives_two_proposals_by_two_spies_and_no_third():
    states = after(dealt(GAME), "move two")
    assert states["double"][0] == 2
    assert proposers(GAME, states) == "ADFJLNPSTVX"  # C and H are shut in
    assert "skip" not in legal(GAME, states)
    states = after(states, "L c2-c4", "answer yes")
    assert to_move(states) == WHITE
    assert states["double"][0] == 1
    assert proposers(GAME, states) == "ACDFJNPSTVX"  # the same spy not twice; c2 is free for C
    states = after(states, "N d2-b4")
    assert to_move(states) == RED
    states = after(states, "answer yes")
    assert to_move(states) == RED
    assert states["turn"][0] == 1
    assert states["double"][0] == 0
    assert proposers(GAME, states) == "ADFJLNPSTVX"  # nothing is barred in the next turn
    assert GAME.notation.log(GAME, GAME.view(states, RED)) == [
        "White: move two",
        "White: L c2-c4: yes",
        "White: N d2-b4: yes",
    ]


def test_c14_move_two_a_no_ends_only_that_proposal():
    states = after(dealt(GAME), "move two", "L c2-b3", "answer no")
    assert to_move(states) == WHITE
    assert "L" not in proposers(GAME, states)  # whether the move was legal or not
    assert possible(GAME, states, WHITE)["L"] == EVERYTHING - {2, 4, 5, 8, 11}
    states = after(states, "X f2-f4", "answer no")
    assert to_move(states) == RED
    assert squares(GAME, states, WHITE) == squares(GAME, dealt(GAME), WHITE)
    assert states["turn"][0] == 1


def test_c14_move_two_is_for_spies_on_the_own_first_five_rows_without_the_briefcase():
    white = {"A": "a1", "C": "c5", "D": "e6", "F": "g5", "J": "i11"}
    states = after(at(white, {"A": "k8"}, "g5"), "move two")
    assert proposers(GAME, states) == "AC"
    assert not any(text.startswith("pass") or text.endswith("leave") for text in legal(GAME, states))
    assert "C c5-d6" in legal(GAME, states)  # the way may lead beyond
    states = after(states, "C c5-d6", "answer yes")
    assert proposers(GAME, states) == "A"
    assert to_move(after(states, "A a1-a2", "answer yes")) == RED


def test_c14_red_counts_rows_from_its_own_side():
    red = {"A": "k11", "C": "c7", "D": "e6", "F": "g7", "J": "i1"}
    states = after(at({"A": "a1"}, red, "g7", turn=1), "move two")
    assert proposers(GAME, states) == "AC"
    assert {"C c7-d6", "C c7-b6"} <= legal(GAME, states)
    states = after(states, "C c7-d6", "answer yes")  # Red's forward left
    assert to_move(states) == RED
    assert proposers(GAME, states) == "A"
    assert {f"swap {pair}" for pair in ("A C", "A F", "C F", "A D")} & legal(
        GAME, at({"A": "a1"}, red, "g7", turn=1)
    ) == {"swap A C"}


@pytest.mark.parametrize(
    ("white", "case", "is_allowed"),
    [
        ({"A": "a1", "C": "e5"}, "k1", True),
        ({"A": "a1", "C": "e6"}, "k1", False),  # too far
        ({"A": "a1", "C": "e5"}, "e5", False),  # has the briefcase
        ({"A": "a1", "C": "e5"}, "a1", False),
        ({"A": "a1"}, "k1", False),  # alone
        ({"A": "a1", "C": "e5", "D": "b1"}, "e5", True),
    ],
)
def test_c14_move_two_and_swap_need_two_such_spies(white, case, is_allowed):
    states = at(white, {"A": "k8"}, case)
    assert special(states) == {"reveal", "out"} | ({"move", "swap"} if is_allowed else set())


def test_c14_move_two_a_spy_that_has_just_taken_the_briefcase_is_not_in_the_way():
    states = after(at({"A": "a1", "J": "f4"}, {"A": "k8"}, "f5"), "move two", "J f4-f5", "answer yes")
    assert briefcase(states) == "f5"
    assert proposers(GAME, states) == "A"
    assert not any(text.startswith("pass") for text in legal(GAME, states))
    states = after(states, "A a1-a2", "answer yes", "A k8-k7", "answer yes")
    assert "pass f5-f6" in legal(GAME, states)


def test_c14_move_two_the_first_may_open_the_way_for_the_second():
    states = after(at({"A": "a1", "J": "a2"}, {"A": "k8"}), "move two")
    assert "A a1-a2" not in legal(GAME, states)
    states = after(states, "J a2-a4", "answer yes")
    assert {"A a1-a2", "A a1-a3"} <= legal(GAME, states)
    assert "A a1-a4" not in legal(GAME, states)


def test_c14_move_two_ends_with_the_game_in_the_first():
    states = after(at({"J": "c5", "A": "a1"}, {"A": "e5"}), "move two", "J c5xe5", "answer yes")
    assert result(GAME, states) == ("elimination", WHITE_WINS)
    assert to_move(states) is None
    assert legal(GAME, states) == set()


def test_c14_move_two_the_first_may_promote_as_any_move(tmp_path):
    game = own_game(tmp_path, special_actions=True)  # 5 x 5: every row is one of the first five
    start = position(game, {"A": "a3", "C": "b1"}, {"A": "e5", "C": "e4"}, "e1", deals=(SMALL_DEAL, SMALL_DEAL))
    states = play(game, start, "move two", "A a3-a5", "answer yes")
    assert promoted(game, states, WHITE) == {"A"}
    assert to_move(states) == WHITE
    assert proposers(game, states) == "C"


def test_c14_move_two_the_second_lapses_if_none_is_legal():
    game = narrow()
    states = at({"A": "a1", "C": "a2"}, {"A": "k8"}, game=game)
    moved = play(game, states, "move two", "C a2-a3", "answer no")
    assert to_move(moved) == RED  # A is stuck behind C
    assert moved["double"][0] == 0
    assert moved["barred"][0] == 0
    deals = (DEAL | {"A": 2, "C": 1}, DEAL)
    states = at({"A": "a1", "C": "a2"}, {"A": "k8"}, game=game, deals=deals)
    moved = play(game, states, "move two", "C a2-a3", "answer yes")
    assert to_move(moved) == WHITE
    assert legal(game, moved) == {"A a1-a2"}


def test_c21_move_two_asks_where_spies_stand_and_not_whether_they_can_move():
    game = narrow()
    states = at({"A": "a1", "C": "a2", "D": "a3", "F": "b8"}, {"A": "k8"}, "a3", game=game)
    assert {"F b8-b9", "D a3-a4"} <= legal(game, states)
    assert "move two" in legal(game, states)  # A and C are at home, and both are stuck behind D
    states = play(game, states, "move two")
    assert legal(game, states) == {"skip"}  # without a first proposal the whole turn is skipped
    states = play(game, states, "skip")
    assert to_move(states) == RED
    assert states["turn"][0] == 1
    assert states["double"][0] == 0


# Swap 2


def test_c14_swap_lets_two_spies_change_places_and_another_one_is_proposed():
    white = {"A": "a1", "C": "c5", "D": "e6"}
    states = after(at(white, {"A": "k8"}), "swap A C")
    assert squares(GAME, states, WHITE) == {"A": "c5", "C": "a1", "D": "e6"}
    assert to_move(states) == WHITE
    assert proposers(GAME, states) == "D"
    assert revealed(GAME, states, WHITE) == {}
    assert possible(GAME, states, WHITE) == dict.fromkeys(DEAL, EVERYTHING)  # nothing is learned
    states = after(states, "D e6-e7", "answer yes", "A k8-k7", "answer yes")
    assert proposers(GAME, states) == "ACD"
    assert "A c5-c9" in legal(GAME, states)
    assert legal(GAME, after(states, "A c5-c9")) == {"answer yes"}  # the pieces go with the spies


def test_c14_swap_whoever_stands_at_home_and_no_pair_twice():
    white = {"A": "a1", "C": "c5", "D": "e6", "F": "g5"}
    states = at(white, {"A": "k8"}, "g5")
    assert {text for text in legal(GAME, states) if text.startswith("swap")} == {"swap A C"}  # D too far, F has it
    states = at(white, {"A": "k8"}, "k1")
    assert {text for text in legal(GAME, states) if text.startswith("swap")} == {"swap A C", "swap A F", "swap C F"}
    one, two = after(states, "swap A F"), after(states, "swap F A")
    assert one.tobytes() == two.tobytes()


def test_c14_swap_of_the_last_two_leaves_either_to_be_proposed():
    states = after(at({"A": "a1", "C": "c5"}, {"A": "k8"}), "swap A C")
    assert squares(GAME, states, WHITE) == {"A": "c5", "C": "a1"}
    assert proposers(GAME, states) == "AC"
    assert states["barred"][0] == 0
    red = after(at({"A": "a1"}, {"A": "k8", "C": "c7"}, turn=1), "swap A C")
    assert squares(GAME, red, RED) == {"A": "c7", "C": "k8"}
    assert proposers(GAME, red) == "AC"


def test_c14_swap_bars_the_two_even_if_the_third_has_the_briefcase():
    states = after(at({"A": "a1", "C": "c5", "J": "f6"}, {"A": "k8"}, "f6"), "swap A C")
    assert proposers(GAME, states) == "J"
    assert {"pass f6-f7", "J f6-f7 leave"} <= legal(GAME, states)


def test_c21_swap_may_leave_nothing_but_a_skip():
    game = narrow()
    states = at({"A": "a1", "C": "a2", "F": "b2"}, {"A": "k8"}, game=game)
    states = play(game, states, "swap C F")
    assert legal(game, states) == {"skip"}  # A is left, and stuck behind F
    assert to_move(play(game, states, "skip")) == RED


def test_c20_a_swap_is_not_a_move_and_promotes_nobody(tmp_path):
    for is_sir in (False, True):
        game = own_game(tmp_path, special_actions=True, promotion_sir=is_sir)  # all five rows are the own first five
        start = position(
            game, {"A": "a1", "C": "a5", "D": "e1"}, {"A": "d4", "C": "e4"}, "c3", deals=(SMALL_DEAL, SMALL_DEAL)
        )
        states = play(game, start, "swap A C")
        assert squares(game, states, WHITE) == {"A": "a5", "C": "a1", "D": "e1"}
        assert promoted(game, states, WHITE) == set()
        assert possible(game, states, WHITE)["A"] == {1, 2, 3, DA}
        assert to_move(states) == WHITE
        assert proposers(game, states) == "D"


def test_c20_five_rows_are_all_of_a_small_board_and_not_of_seven():
    game = kgb_env.game("confusion-mini", special_actions=True)
    deal = {"A": 1, "C": 2, "D": 3, "F": DA}
    states = position(game, {"A": "a5", "C": "e5"}, {"A": "c1", "C": "a1"}, "c3", deals=(deal, deal))
    assert {"move two", "swap A C"} <= legal(game, states)
    middle = kgb_env.game("confusion-mini7", special_actions=True)
    deal = dict(zip("ACDFHJLN", [1, 2, 3, 4, 5, 6, 7, DA], strict=True))
    for seat, rows in ((WHITE, "56"), (RED, "32")):
        for row, is_home in zip(rows, (True, False), strict=True):
            sides = [{"A": "g4", "C": "e4"}, {"A": "g4", "C": "e4"}]
            sides[1 - seat] = {"A": "a4"}
            sides[seat] = {"A": f"a{row}", "C": f"c{4 if is_home else row}"}
            states = position(middle, *sides, "d4", turn=seat, deals=(deal, deal))
            assert ("move two" in legal(middle, states)) == is_home
