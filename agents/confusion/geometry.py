"""How many turns each piece needs from cell to cell of an empty board."""

from functools import cache

import numpy as np

from kgb_env.game import Game
from kgb_env.games.confusion.board import is_goal
from kgb_env.games.confusion.spec import BEYOND, CELLS, DIRECTIONS, LONGEST, PROMOTED, SEATS
from kgb_env.jit import kernel

FAR = 40  # turns: never
GEOMETRY = np.dtype(
    (
        np.record,
        [
            ("turns", "i1", (SEATS, PROMOTED + 1, CELLS, CELLS)),  # of a seat's piece, from cell to cell
            ("home", "i1", (SEATS, PROMOTED + 1, CELLS)),  # to the opponent's first row
        ],
    )
)


@cache
def geometry_of(game: Game) -> np.ndarray:
    """Return one read-only record for the game's board and pieces."""
    geometry, queue = np.empty(1, GEOMETRY), np.empty(CELLS, np.int64)
    measure(geometry, queue, game.tables)
    geometry.flags.writeable = False
    return geometry


@kernel
def measure(geometry, queue, tables):
    """Search breadth first from every cell, for every piece of either seat."""
    g, t = geometry[0], tables[0]
    g.turns[:] = FAR
    g.home[:] = FAR
    for seat in range(SEATS):
        for piece in range(PROMOTED + 1):
            for start in range(CELLS):
                if t.open[start]:
                    measure_from(g.turns[seat, piece], seat, piece, start, queue, t)
                    for cell in range(CELLS):
                        if t.open[cell] and is_goal(cell, seat, t):
                            g.home[seat, piece, start] = min(
                                g.home[seat, piece, start], g.turns[seat, piece, start, cell]
                            )


@kernel
def shortest_home(turns, seat, t):
    """Return the least of the turns to cells of the opponent's first row."""
    least = np.int64(FAR)
    for cell in range(CELLS):
        if t.open[cell] and is_goal(cell, seat, t) and turns[cell] < least:
            least = np.int64(turns[cell])
    return least


@kernel
def measure_from(turns, seat, piece, start, queue, t):
    """Fill ``turns[start]``."""
    turns[start, start] = 0
    queue[0] = start
    head, tail = 0, 1
    while head < tail:
        cell = queue[head]
        head += 1
        for direction in range(len(DIRECTIONS)):
            for distance in range(min(LONGEST, t.reach[piece, direction])):
                target = np.int64(t.path[seat, cell, direction, distance])
                if target == BEYOND:
                    break
                if turns[start, target] == FAR:
                    turns[start, target] = turns[start, cell] + 1
                    queue[tail] = target
                    tail += 1
