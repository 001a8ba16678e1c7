"""The variable set-up: each seat places its spies as it likes, within limits.  (Ruling C15)"""

from kgb_env.games.confusion.board import place
from kgb_env.games.confusion.spec import (
    COLUMNS,
    EMPTY,
    FULL_COLUMNS,
    MOST_IN_A_ROW,
    PLACE_AT,
    PROPOSE,
    RED,
    WHITE,
)
from kgb_env.jit import kernel


@kernel
def legal_places(v, mask, tables):
    """Allow the free squares from which the set-up can still be completed."""
    seat, left = int(v.to_move), tables.spies - int(v.in_play[v.to_move])
    back, front, full, only_back, only_front, free = 0, 0, 0, 0, 0, 0
    for column in range(tables.columns):
        if tables.open[column]:
            has_back, has_front = is_taken(v, seat, column, tables), is_taken(v, seat, COLUMNS + column, tables)
            back += has_back
            front += has_front
            full += has_back and has_front
            only_back += has_back and not has_front
            only_front += has_front and not has_back
            free += not has_back and not has_front
    for column in range(tables.columns):
        if not tables.open[column]:
            continue
        has_back, has_front = is_taken(v, seat, column, tables), is_taken(v, seat, COLUMNS + column, tables)
        if not has_back:
            if has_front:
                fits = can_complete(back + 1, front, full + 1, only_back, only_front - 1, free, left - 1)
            else:
                fits = can_complete(back + 1, front, full, only_back + 1, only_front, free - 1, left - 1)
            mask[PLACE_AT + column] = fits
        if not has_front:
            if has_back:
                fits = can_complete(back, front + 1, full + 1, only_back - 1, only_front, free, left - 1)
            else:
                fits = can_complete(back, front + 1, full, only_back, only_front + 1, free - 1, left - 1)
            mask[PLACE_AT + COLUMNS + column] = fits


@kernel
def is_taken(v, seat, cell, tables):
    """Tell if a square, counted from the seat's own left corner, is occupied."""
    return v.board[tables.turned[seat, cell]] != EMPTY


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
    seat = int(s.to_move)
    place(s, seat, int(s.in_play[seat]), tables.turned[seat, action - PLACE_AT])
    s.in_play[seat] += 1
    if s.in_play[seat] == tables.spies:
        if seat == RED:
            s.phase = PROPOSE
        s.to_move = RED if seat == WHITE else WHITE
