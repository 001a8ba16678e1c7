"""The variable set-up: each seat places its spies as it likes, within limits.  (Ruling C15)"""

import numpy as np

from kgb_env.games.confusion.board import place
from kgb_env.games.confusion.spec import (
    COLUMNS,
    EMPTY,
    FULL_COLUMNS,
    MOST_IN_A_ROW,
    PLACE_AT,
    PROPOSE,
    RED,
    SETUP_ROWS,
    WHITE,
)
from kgb_env.jit import kernel


@kernel
def legal_places(v, mask, tables):
    """Allow the free squares from which the set-up can still be completed."""
    seat = np.int64(v.to_move)
    for row in range(SETUP_ROWS):
        for column in range(tables.columns):
            square = COLUMNS * row + column
            if tables.open[square] and not is_taken(v, seat, square, tables):
                mask[PLACE_AT + square] = can_complete_from(v, seat, square, tables)


@kernel
def is_taken(v, seat, square, tables):
    """Tell if a square, counted from the seat's own left corner, is occupied."""
    return v.board[tables.turned[seat, square]] != EMPTY


@kernel
def can_complete_from(v, seat, chosen, tables):
    """Tell if the set-up can be completed once the next spy stands on the chosen square."""
    back, front, full, only_back, only_front, free = 0, 0, 0, 0, 0, 0
    for column in range(tables.columns):
        if tables.open[column]:
            has_back = column == chosen or is_taken(v, seat, column, tables)
            has_front = COLUMNS + column == chosen or is_taken(v, seat, COLUMNS + column, tables)
            back += has_back
            front += has_front
            full += has_back and has_front
            only_back += has_back and not has_front
            only_front += has_front and not has_back
            free += not has_back and not has_front
    return can_complete(back, front, full, only_back, only_front, free, tables.spies - back - front)


@kernel
def can_complete(back, front, full, only_back, only_front, free, left):
    """Tell if ``left`` more spies can make the set-up legal.

    ``back`` and ``front`` count spies in the first and second row, ``full``, ``only_back``, ``only_front`` and
    ``free`` the columns that have both, one or none of them.
    """
    columns = full + only_back + only_front + free
    for more_back in range(left + 1):
        more_front = left - more_back
        if back + more_back > min(MOST_IN_A_ROW, columns) or front + more_front > min(MOST_IN_A_ROW, columns):
            continue
        by_back, by_front = min(more_back, only_front), min(more_front, only_back)
        both = min(free, more_back - by_back, more_front - by_front)
        if full + by_back + by_front + both >= FULL_COLUMNS:
            return True
    return False


@kernel
def put_next(s, action, tables):
    """Place the next spy in alphabetical order; White places all of its own first."""
    seat = np.int64(s.to_move)
    place(s, seat, np.int64(s.in_play[seat]), tables.turned[seat, action - PLACE_AT])
    s.in_play[seat] += 1
    if s.in_play[seat] == tables.spies:
        if seat == RED:
            s.phase = PROPOSE
        s.to_move = RED if seat == WHITE else WHITE
