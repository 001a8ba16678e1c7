"""Ruling C15: the variable set-up.

The expected answers come from the rulings and the rulebook; positions.py says which letter has which piece.
"""

from itertools import combinations

import numpy as np
import pytest

import kgb_env
from kgb_env import PUBLIC, UNKNOWN
from kgb_env.errors import NotationError
from kgb_env.games.confusion.spec import ACTIONS
from tests.confusion.positions import (
    DA,
    DEAL,
    EVERYTHING,
    HONEST,
    RED,
    WHITE,
    briefcase,
    dealt,
    legal,
    play,
    possible,
    proposers,
    squares,
    to_move,
)

pytestmark = pytest.mark.nojit

VARIABLE = kgb_env.game("confusion", variable_setup=True)
MINI7_DEAL = dict(zip("ACDFHJLN", [1, 2, 3, 4, 5, 6, 7, DA], strict=True))


def place(states, columns_of_rows, game=VARIABLE):
    """Place the next spies on these columns of the seat's first rows, in the notation of the board."""
    for squares_of_row in columns_of_rows:
        row, columns = squares_of_row[-2:].lstrip("abcdefghijk"), squares_of_row.rstrip("0123456789")
        for column in columns:
            letter = next(iter(legal(game, states))).split()[1]
            states = play(game, states, f"place {letter} {column}{row}")
    return states


def test_c15_variable_each_seat_white_first_places_in_alphabetical_order():
    states = dealt(VARIABLE)
    assert squares(VARIABLE, states, WHITE) == squares(VARIABLE, states, RED) == {}
    assert briefcase(states) == "f6"
    order = []
    for turn in range(26):
        seat = to_move(states)
        assert seat == turn // 13
        options = legal(VARIABLE, states)
        assert len({text.split()[1] for text in options}) == 1
        order.append(min(options).split()[1])
        assert {text.split()[0] for text in options} == {"place"}  # no skip, no removal
        states = play(VARIABLE, states, min(options))
    assert "".join(order) == 2 * "ACDFHJLNPSTVX"
    assert to_move(states) == WHITE
    assert states["turn"][0] == 0
    assert {"out A", "expose"} <= legal(VARIABLE, states)


def test_c15_variable_on_the_first_two_rows_free_squares_only():
    states = dealt(VARIABLE)
    assert legal(VARIABLE, states) == {f"place A {column}{row}" for column in "abcdefghijk" for row in (1, 2)}
    states = play(VARIABLE, states, "place A f1")
    assert "place C f1" not in legal(VARIABLE, states)
    assert len(legal(VARIABLE, states)) == 21
    with pytest.raises(NotationError):
        play(VARIABLE, states, "place C f3")
    with pytest.raises(NotationError):
        play(VARIABLE, states, "place D f2")  # it is C's turn


def test_c15_variable_red_counts_from_its_own_corner():
    states = place(dealt(VARIABLE), ["abcdefg1", "abcdef2"])
    assert to_move(states) == RED
    assert {text.split()[2][1:] for text in legal(VARIABLE, states)} == {"10", "11"}
    for index, square in (((0, 0), "k11"), ((0, 10), "a11"), ((1, 0), "k10"), ((1, 4), "g10")):
        states_after = states.copy()
        VARIABLE.play(states_after, ACTIONS.index("place", *index))
        assert squares(VARIABLE, states_after, RED) == {"A": square}


def test_c15_variable_at_most_seven_in_a_row():
    states = place(dealt(VARIABLE), ["abcdef1"])
    assert any(text[-1] == "1" for text in legal(VARIABLE, states))
    states = play(VARIABLE, states, "place L k1")
    assert {text.split()[2] for text in legal(VARIABLE, states)} == {f"{column}2" for column in "abcdefghijk"}
    red = place(states, ["abcdef2"])
    red = place(red, ["abcdefg10"])
    assert {text.split()[2] for text in legal(VARIABLE, red)} == {f"{column}11" for column in "abcdefghijk"}


def test_c15_variable_at_least_four_columns_with_both():
    states = place(dealt(VARIABLE), ["abcdefg1", "h2"])
    assert "place P k2" in legal(VARIABLE, states)
    states = play(VARIABLE, states, "place P i2")  # four are left, and all of them must double
    assert {text.split()[2] for text in legal(VARIABLE, states)} == {f"{column}2" for column in "abcdefg"}
    states = place(states, ["abc2"])
    assert {text.split()[2] for text in legal(VARIABLE, states)} == {f"{column}2" for column in "defg"}


def test_c15_variable_both_limits_together():
    states = place(dealt(VARIABLE), ["acegi1", "bdfh2"])  # nobody behind anybody; four are left
    doubling = {f"{column}2" for column in "acegi"} | {f"{column}1" for column in "bdfh"}
    assert {text.split()[2] for text in legal(VARIABLE, states)} == doubling
    states = place(states, ["ace2"])  # seven in the front row
    assert {text.split()[2] for text in legal(VARIABLE, states)} == {f"{column}1" for column in "bdfh"}
    states = place(states, ["h1"])
    assert to_move(states) == RED


def test_c15_variable_mirrored_for_red():
    states = place(dealt(VARIABLE), ["abcdefg1", "abcdef2"])
    states = place(states, ["acegi11", "bdfh10"])
    doubling = {f"{column}10" for column in "acegi"} | {f"{column}11" for column in "bdfh"}
    assert {text.split()[2] for text in legal(VARIABLE, states)} == doubling


def test_c15_variable_where_only_full_columns_fit():
    game = kgb_env.game("confusion-mini7", variable_setup=True)  # eight spies must fill four columns
    states = place(dealt(game, MINI7_DEAL, MINI7_DEAL), ["aceg1"], game)
    assert {text.split()[2] for text in legal(game, states)} == {f"{column}2" for column in "aceg"}
    states = place(dealt(game, MINI7_DEAL, MINI7_DEAL), ["ab1", "cd2"], game)
    assert {text.split()[2] for text in legal(game, states)} == {"a2", "b2", "c1", "d1"}
    tight = kgb_env.game("confusion-mini7", variable_setup=True, tight_setup=True)
    states = place(dealt(tight, MINI7_DEAL, MINI7_DEAL), ["bc1", "de2"], tight)
    assert {text.split()[2] for text in legal(tight, states)} == {"b2", "c2", "d1", "e1"}


def is_fine(back, front):
    return len(back) <= 7 and len(front) <= 7 and len(set(back) & set(front)) >= 4


@pytest.mark.parametrize("options", [{}, {"tight_setup": True}])
def test_c15_variable_just_what_can_be_completed_by_brute_force(options):
    """Every subset of squares of the right size on the small board, against the mask, along random placements."""
    game = kgb_env.game("confusion-mini7", variable_setup=True, **options)
    columns = "bcdef" if options else "abcdefg"
    cells = [f"{column}{row}" for column in columns for row in (1, 2)]
    whole = [
        set(chosen)
        for chosen in combinations(cells, 8)
        if is_fine([c[0] for c in chosen if c[1] == "1"], [c[0] for c in chosen if c[1] == "2"])
    ]
    rng = np.random.default_rng(0)
    for _ in range(6):
        states = dealt(game, MINI7_DEAL, MINI7_DEAL)
        taken: set[str] = set()
        for _ in range(8):
            options_now = {text.split()[2] for text in legal(game, states)}
            assert options_now == {cell for final in whole if taken <= final for cell in final - taken}
            square = str(rng.choice(sorted(options_now)))
            states = place(states, [square], game)
            taken.add(square)
        assert to_move(states) == RED


def test_c15_variable_with_honor_places_twelve():
    game = kgb_env.game("confusion", variable_setup=True, honor_among_spies=True)
    states = place(dealt(game, HONEST, HONEST), ["abcdefg1", "h2"], game)
    assert {text.split()[2] for text in legal(game, states)} == {f"{column}2" for column in "abcdefg"}
    states = place(states, ["abcd2"], game)
    assert to_move(states) == RED
    assert states["in_play"][0].tolist() == [12, 0]


def test_c15_variable_nobody_sees_its_own_pieces_while_placing():
    states = dealt(VARIABLE)
    for squares_of_row in ("ab1", "cd2"):
        states = place(states, [squares_of_row])
        for viewer, hidden in ((WHITE, [13, 0]), (RED, [0, 13]), (PUBLIC, [13, 13])):
            view = VARIABLE.view(states, viewer)
            assert (view["piece"][0] == UNKNOWN).sum(axis=1).tolist() == hidden
            assert possible(VARIABLE, view, WHITE) == dict.fromkeys(DEAL, EVERYTHING)
    other = place(dealt(VARIABLE, dict(zip(DEAL, list(DEAL.values())[::-1], strict=True))), ["ab1", "cd2"])
    assert VARIABLE.view(states, WHITE).tobytes() == VARIABLE.view(other, WHITE).tobytes()
    assert VARIABLE.view(states, RED).tobytes() != VARIABLE.view(other, RED).tobytes()
    worlds = VARIABLE.determinize(VARIABLE.view(states, WHITE), np.arange(10, dtype=np.uint64))
    assert VARIABLE.view(worlds, WHITE).tobytes() == np.repeat(VARIABLE.view(states, WHITE), 10).tobytes()
    assert len({row.tobytes() for row in worlds["piece"]}) == 10


def test_c15_variable_the_order_of_placements_is_in_the_log():
    states = place(dealt(VARIABLE), ["abcdefg1", "abcdef2"])
    states = place(states, ["k11"])
    for viewer in (WHITE, RED, PUBLIC):
        log = VARIABLE.notation.log(VARIABLE, VARIABLE.view(states, viewer))
        assert log[:2] == ["White: place A a1", "White: place C b1"]
        assert log[-2:] == ["White: place X f2", "Red: place A k11"]
    states = place(states, ["abcdef11", "abcdef10"])
    states = play(VARIABLE, states, "N a2-a3", "answer no")
    assert VARIABLE.notation.log(VARIABLE, VARIABLE.view(states, RED))[-1] == "White: N a2-a3: no"
    assert proposers(VARIABLE, states)
