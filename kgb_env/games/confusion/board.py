"""Who stands where in Confusion."""

import numpy as np

from kgb_env.games.confusion.spec import COLUMNS, EMPTY, HOME_ROWS, NOWHERE, SPIES, WHITE
from kgb_env.jit import kernel


@kernel
def place(s, seat, spy, cell):
    """Put a spy on an empty cell."""
    s.board[cell] = 1 + SPIES * seat + spy
    s.cell[seat, spy] = cell


@kernel
def take_off(s, seat, spy):
    """Take a spy out of play; a briefcase that it controls stays, loose (C9)."""
    s.board[s.cell[seat, spy]] = EMPTY
    s.cell[seat, spy] = NOWHERE
    s.in_play[seat] -= 1


@kernel
def is_own(occupant, seat):
    """Tell if it is a spy of the seat that stands there."""
    return 1 + SPIES * seat <= occupant < 1 + SPIES * (seat + 1)


@kernel
def has_briefcase(v, seat):
    """Tell if a spy of the seat controls the briefcase: if it stands there (C7)."""
    return is_own(v.board[v.briefcase], seat)


@kernel
def controller(v):
    """Return the spy that controls the briefcase, without its seat; call it only if there is one."""
    return (np.int64(v.board[v.briefcase]) - 1) % SPIES


@kernel
def is_goal(cell, seat, tables):
    """Tell if a cell is on the opponent's first row."""
    return cell // COLUMNS == (tables.rows - 1 if seat == WHITE else 0)


@kernel
def is_at_home(v, seat, spy, tables):
    """Tell if a spy stands on its own first five rows without the briefcase (C14)."""
    cell = v.cell[seat, spy]
    return cell != NOWHERE and cell != v.briefcase and tables.own_row[seat, cell] < HOME_ROWS


@kernel
def first_in_play(v, seat):
    """Return the alphabetically first spy that is left."""
    spy = 0
    while v.cell[seat, spy] == NOWHERE:
        spy += 1
    return spy
