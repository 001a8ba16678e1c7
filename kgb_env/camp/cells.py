"""Cells of a camp: their kinds, where they lie, and how many there may be."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

# The most that the tables have room for.
CELLS, SECTORS, GATES, HIDING_PLACES, START_CELLS, NEIGHBOURS = 640, 18, 8, 40, 4, 4
AREA = 8192  # places on a map, at most
LONGEST = 126  # rows or columns of a map, at most: observations count them in int8, from 1

# What a cell is; the gazebo and, where the fence is closed, the grey cells are no cells (K2, K5).
KINDS = ("floor", "walkway", "door", "gate", "grey")
FLOOR, WALKWAY, DOOR, GATE, GREY = range(len(KINDS))

Place = tuple[int, int]  # row and column on the map, from 0 at the top left


def fault_of_size(rows: int, columns: int) -> str:
    """Say why a map is too large; nothing if it is not."""
    if max(rows, columns) <= LONGEST and rows * columns <= AREA:
        return ""
    return f"the map has {rows} rows and {columns} columns; at most {LONGEST} of each fit, and {AREA} places"


def around(place: Place) -> list[Place]:
    """Return the four places beside one."""
    row, column = place
    return [(row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column)]


def connected(places: Iterable[Place], beside: Callable[[Place], Iterable[Place]]) -> Iterator[list[Place]]:
    """Yield each connected part of some places, in reading order."""
    left = dict.fromkeys(places)
    while left:
        part = [next(iter(left))]
        del left[part[0]]
        for place in part:
            for to in beside(place):
                if to in left:
                    del left[to]
                    part.append(to)
        yield sorted(part)
