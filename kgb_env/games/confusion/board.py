"""Who stands where in Confusion, and which way is forward."""

from kgb_env.games.confusion.spec import BACKWARD, COLUMNS, DIRECTIONS, EMPTY, HOME_ROWS, NOWHERE, SPIES, WHITE
from kgb_env.jit import kernel

WAYS = len(DIRECTIONS)


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
def controller(s):
    """Return the spy that controls the briefcase, without its seat; call it only if there is one."""
    return (int(s.board[s.briefcase]) - 1) % SPIES


@kernel
def goal_row(seat, tables):
    """Return the opponent's first row."""
    return tables.rows - 1 if seat == WHITE else 0


@kernel
def way(seat, direction):
    """Turn a direction as the seat sees it into White's."""
    return (direction + BACKWARD * seat) % WAYS


@kernel
def own_row(cell, seat, tables):
    """Return the row of a cell from a seat's side, from 0."""
    row = int(cell) // COLUMNS
    return row if seat == WHITE else tables.rows - 1 - row


@kernel
def turned(cell, seat, tables):
    """Return the cell as the seat counts it, from its own left corner; and back."""
    if seat == WHITE:
        return cell
    return (tables.rows - 1 - cell // COLUMNS) * COLUMNS + tables.columns - 1 - cell % COLUMNS


@kernel
def is_at_home(v, seat, spy, tables):
    """Tell if a spy stands on its own first five rows without the briefcase (C14)."""
    cell = v.cell[seat, spy]
    return cell != NOWHERE and cell != v.briefcase and own_row(cell, seat, tables) < HOME_ROWS


@kernel
def first_in_play(v, seat):
    """Return the alphabetically first spy that is left."""
    spy = 0
    while v.cell[seat, spy] == NOWHERE:
        spy += 1
    return spy
