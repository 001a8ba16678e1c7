"""A board as tables for kernels, and the kernels that read them.  (Rulings K1, K9)

A game puts ``*BOARD`` into the dtype of its own tables; the kernels take any record with these fields.

On a grid every walk between two cells has the same parity, so one of a pair's two entries in
``walk`` is always FAR.
"""

from __future__ import annotations

import numpy as np

from kgb_env.camp.board import (
    CELLS,
    DOOR,
    FLOOR,
    GATE,
    GATES,
    GREY,
    HIDING_PLACES,
    NEIGHBOURS,
    SECTORS,
    START_CELLS,
    WALKWAY,
    Board,
)
from kgb_env.jit import kernel

__all__ = [
    "BOARD",
    "BOARD_TABLES",
    "CELLS",
    "DOOR",
    "FAR",
    "FLOOR",
    "GATE",
    "GATES",
    "GREY",
    "HIDING_PLACES",
    "NEIGHBOURS",
    "NOWHERE",
    "SECTORS",
    "START_CELLS",
    "WALKWAY",
    "build_board",
    "can_land",
    "can_land_from_outside",
    "distance",
    "fill_board",
    "is_landing",
    "mark_landings",
    "mark_landings_from_outside",
    "search",
]

NOWHERE = -1  # no cell, no sector, no neighbour
FAR = 255  # no such walk

BOARD: list[tuple] = [
    ("cells", "i8"),  # true sizes
    ("sectors", "i8"),
    ("gates", "i8"),
    ("hiding_places", "i8"),
    ("height", "i8"),  # of the map, in characters
    ("width", "i8"),
    ("row", "i2", (CELLS,)),  # where a cell is on the map; cells are numbered row by row from the top left
    ("column", "i2", (CELLS,)),
    ("neighbour", "i2", (CELLS, NEIGHBOURS)),  # cells one step away, padded with NOWHERE
    ("gate_cell", "i2", (GATES,)),
    ("guard_post", "i2", (SECTORS,)),
    ("start_cell", "i2", (START_CELLS,)),  # beside the gazebo: the first count of a walk from it
    ("hiding_place", "i2", (HIDING_PLACES,)),
    ("kind", "i1", (CELLS,)),  # FLOOR, WALKWAY, DOOR, GATE, GREY
    ("sector", "i1", (CELLS,)),  # of a floor cell, else NOWHERE
    ("route", "i1", (SECTORS,)),  # the guard's tour: sectors in order
    ("walk", "u1", (2, CELLS, CELLS)),  # shortest even and shortest odd walk of at least one step
]
# A board alone.  The last field takes no room and no game has it: without it numba would hold the tables of a
# game, which begin with the same fields, for a subtype of these, and warn.
BOARD_TABLES = np.dtype((np.record, [*BOARD, ("alone", "i1", (0,))]))


# Kernels


@kernel
def can_land(tables, start, count, target):
    """Say whether a walk of exactly ``count`` steps leads from one cell to another, or back to it."""
    return tables.walk[count & 1, start, target] <= count


@kernel
def can_land_from_outside(tables, entry, count, target):
    """Say whether ``count`` leads to a cell when the first step is the one from outside to ``entry``."""
    rest = count - 1
    return (rest == 0 and target == entry) or tables.walk[rest & 1, entry, target] <= rest


@kernel
def distance(tables, start, target):
    """Return the length of the shortest walk, 0 from a cell to itself."""
    if start == target:
        return 0
    return min(np.int64(tables.walk[0, start, target]), np.int64(tables.walk[1, start, target]))


@kernel
def mark_landings(tables, start, count, mask):
    """Write 1 for every cell that a walk of exactly ``count`` steps leads to; leave the rest."""
    lengths = tables.walk[count & 1, start]
    for cell in range(tables.cells):
        mask[cell] |= lengths[cell] <= count


@kernel
def mark_landings_from_outside(tables, entry, count, mask):
    """Write 1 for every cell that ``count`` leads to from outside ``entry``; leave the rest."""
    if count == 1:
        mask[entry] = 1
    else:
        mark_landings(tables, entry, count - 1, mask)


@kernel
def search(tables, start, steps, closed_sector, closed_cell, reach):
    """Find the shortest walks of 1 to ``steps`` steps that neither enter a sector nor touch a cell.

    A walk that starts inside the closed sector may go on there until it is out, and then not come back.

    Args:
        tables: a record with the fields of BOARD.
        start: a cell.
        steps: the most that a walk may have.
        closed_sector: a sector, or NOWHERE.
        closed_cell: a cell, or NOWHERE.
        reach: (CELLS,) integers to write to: the length of the shortest walk of at least one step
            to each cell, or 0; ``is_landing`` reads it.
    """
    reach[: tables.cells] = 0
    low = high = start
    for step in range(steps):
        first, last = low, high
        for cell in range(first, last + 1):
            if reach[cell] != step or (step == 0 and cell != start):
                continue
            for way in range(NEIGHBOURS):
                to = np.int64(tables.neighbour[cell, way])
                if to == NOWHERE:
                    break
                is_entering = tables.sector[to] == closed_sector and tables.sector[cell] != closed_sector
                if reach[to] or to == closed_cell or (is_entering and closed_sector != NOWHERE):
                    continue
                reach[to] = step + 1
                low, high = min(low, to), max(high, to)


@kernel
def is_landing(reach, count, cell):
    """Say whether a walk of exactly ``count`` steps leads to a cell, by what ``search`` found.

    A step can be taken and taken back, so every longer walk of the same parity is possible too; one
    of the other parity never is, on a grid.
    """
    return 0 < reach[cell] <= count and (count - reach[cell]) % 2 == 0


# Building


def walks(steps: np.ndarray) -> np.ndarray:
    """Return the shortest even and the shortest odd walk of at least one step between cells, (2, CELLS, CELLS).

    Args:
        steps: (cells, cells) the shortest walk between two cells, 0 from one to itself.
    """
    found, size = np.full((2, CELLS, CELLS), FAR, np.uint8), len(steps)
    lengths = np.minimum(steps, FAR)
    np.fill_diagonal(lengths, 2)  # a step and back
    for parity in range(2):
        found[parity, :size, :size] = np.where(lengths % 2 == parity, lengths, FAR)
    return found


def fill_board(board: Board, record: np.record) -> None:
    """Fill the fields of BOARD in a record."""
    cells = board.number
    record.cells, record.sectors, record.gates = len(cells), len(board.sectors), len(board.gates)
    record.height, record.width = len(board.rows), len(board.rows[0])
    record.row[: len(cells)] = [row for row, _ in cells]
    record.column[: len(cells)] = [column for _, column in cells]
    record.kind[: len(cells)] = list(board.cells.values())
    record.neighbour[:] = NOWHERE
    record.sector[:] = NOWHERE
    for place, number in cells.items():
        links = sorted(cells[to] for to in board.links[place])
        record.neighbour[number, : len(links)] = links
        record.sector[number] = board.sector_of.get(place, NOWHERE)
    for field, places in (
        ("gate_cell", [gate.place for gate in board.gates]),
        ("guard_post", [sector.post for sector in board.sectors]),
        ("start_cell", board.start),
        ("hiding_place", board.hiding),
    ):
        record[field][:] = NOWHERE
        record[field][: len(places)] = [cells[place] for place in places]
    record.hiding_places = len(board.hiding)
    record.route[:] = NOWHERE
    record.route[: len(board.route)] = board.route
    record.walk[:] = walks(board.steps)


def build_board(board: Board, dtype: np.dtype = BOARD_TABLES) -> np.ndarray:
    """Return one record with the fields of BOARD filled and all others zero, (1,)."""
    tables = np.zeros(1, dtype)
    fill_board(board, tables[0])
    return tables
