"""A board: what stands where in a camp, read from a text map.  (Rulings K1 to K7)"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np

from kgb_env.camp.cells import (
    CELLS,
    DOOR,
    FLOOR,
    GATE,
    GATES,
    GREY,
    HIDING_PLACES,
    KINDS,
    NEIGHBOURS,
    SECTORS,
    START_CELLS,
    WALKWAY,
    Place,
    fault_of_size,
)
from kgb_env.camp.header import GATE_CHARACTER, GREY_CHARACTER, Fault, read_header
from kgb_env.camp.reading import Reading
from kgb_env.errors import DataFileError
from kgb_env.options import unprintable

__all__ = [
    "CELLS",
    "DOOR",
    "FLOOR",
    "GATE",
    "GATES",
    "GREY",
    "HIDING_PLACES",
    "KINDS",
    "MAPS",
    "NEIGHBOURS",
    "SECTORS",
    "START_CELLS",
    "WALKWAY",
    "Board",
    "Gate",
    "Place",
    "Sector",
    "load_board",
    "read_board",
    "shipped_board",
]

MAPS = Path(__file__).parent / "maps"


class Sector(NamedTuple):
    """A building or a ground."""

    letter: str
    code: str
    name: str
    post: Place  # where the guard stands
    is_monitored: bool  # in the deluxe Double Agent (D15)
    is_spiral: bool  # one path (K6)


class Gate(NamedTuple):
    """An exit of the camp."""

    name: str
    place: Place


@dataclass(frozen=True)
class Board:
    """A camp.

    Attributes:
        title: from the header.
        rows: the map, as in the file.
        cells: the kind of every walkable cell, in reading order.
        links: the cells one step away from each.
        sector_of: the sector of every floor cell.
        sectors: the sectors, as the header lists them.
        gates: the gates, in reading order.
        route: the guard's tour: sectors in order.
        hiding: the hiding places, in reading order.
        gazebo: the closed cells where The Double Agent starts.
        start: the cells beside the gazebo.
        grey: the cells before the gates in the fence, closed unless two boards are put together.
        scenery: what the characters that only look nice stand for.
    """

    title: str
    rows: tuple[str, ...]
    cells: dict[Place, int]
    links: dict[Place, tuple[Place, ...]]
    sector_of: dict[Place, int]
    sectors: tuple[Sector, ...]
    gates: tuple[Gate, ...]
    route: tuple[int, ...]
    hiding: tuple[Place, ...]
    gazebo: tuple[Place, ...]
    start: tuple[Place, ...]
    grey: tuple[Place, ...]
    scenery: dict[str, str]

    @property
    def fence(self) -> str:
        """The side of the map on which the fence is, or nothing."""
        if not self.grey:
            return ""
        row, column = self.grey[0]
        sides = {"north": row == 0, "south": row == len(self.rows) - 1, "west": column == 0}
        return next((side for side, is_there in sides.items() if is_there), "east")

    @cached_property
    def places(self) -> tuple[Place, ...]:
        """The cells in the order of their numbers."""
        return tuple(self.cells)

    @cached_property
    def number(self) -> dict[Place, int]:
        """The number of each cell in the tables: row by row from the top left."""
        return {place: number for number, place in enumerate(self.places)}

    @cached_property
    def steps(self) -> np.ndarray:
        """The length of the shortest walk between any two cells, by number, (cells, cells)."""
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import shortest_path

        graph = np.zeros((len(self.cells), len(self.cells)), np.int8)
        for place, links in self.links.items():
            graph[self.number[place], [self.number[to] for to in links]] = 1
        return shortest_path(csr_array(graph), unweighted=True)

    def at(self, place: Place) -> str:
        """Return the character of a place on the map."""
        return self.rows[place[0]][place[1]]

    def nearest(self, places: Iterable[Place], others: Iterable[Place]) -> int:
        """Return the least number of steps from any of some cells to any of others."""
        start, end = [self.number[place] for place in places], [self.number[place] for place in others]
        return int(self.steps[np.ix_(start, end)].min())

    def floor(self, sector: int) -> list[Place]:
        """Return the cells of a sector."""
        return [place for place, its in self.sector_of.items() if its == sector]

    def doors(self, sector: int) -> list[Place]:
        """Return the doors and gates of a sector."""
        return [
            place
            for place, kind in self.cells.items()
            if kind in (DOOR, GATE) and sector in map(self.sector_of.get, self.links[place])
        ]


def load_board(text: str, source: str) -> Board:
    """Return the board of a file.

    Args:
        text: of the file.
        source: its name, for the message.

    Raises:
        DataFileError: a line for each fault, with source, line and column, saying what is wrong and what is allowed.
    """
    board, faults = read_board(text)
    if board is None:
        raise DataFileError.listing([f"{source}, {fault}" for fault in faults])
    return board


def shipped_board(name: str) -> Board:
    """Return a board of ours, by the name of its file."""
    return load_board((MAPS / f"{name}.txt").read_text(encoding="utf-8"), f"{name}.txt")


def read_board(text: str) -> tuple[Board | None, list[Fault]]:
    """Return the board of a file, or None and all that is wrong with it."""
    if faults := [Fault(*found) for found in unprintable(text)]:
        return None, faults
    lines = text.splitlines()
    while lines and not lines[-1].strip():
        lines.pop()
    start = next((number for number, line in enumerate(lines) if line.split() == ["map"]), len(lines))
    header, faults = read_header(lines[:start])
    if not lines[start + 1 :]:
        return None, [*faults, Fault(len(lines), 0, "there is no line 'map' with the map below it")]
    rows = lines[start + 1 :]
    if reason := fault_of_size(len(rows), max(map(len, rows))):
        return None, [*faults, Fault(start + 2, 0, reason)]
    reading = Reading(rows, start + 2, header)
    faults = sorted(faults + reading.faults)
    return None if faults else _board(reading), faults


def _board(reading: Reading) -> Board:
    header = reading.header
    unmonitored, spirals = [word.text for word in header.unmonitored], [spiral.code.text for spiral in header.spirals]
    return Board(
        title=header.title,
        rows=tuple(reading.rows),
        cells=reading.cells,
        links=reading.links,
        sector_of=reading.sector_of,
        sectors=tuple(
            Sector(
                sector.letter,
                sector.code,
                sector.name,
                reading.posts[number],
                is_monitored=sector.code not in unmonitored,
                is_spiral=sector.code in spirals,
            )
            for number, sector in enumerate(header.sectors)
        ),
        gates=tuple(
            Gate(name.text, place) for name, place in zip(header.gates, reading.places(GATE_CHARACTER), strict=True)
        ),
        route=tuple(header.codes.index(word.text) for word in header.route),
        hiding=tuple(reading.hiding),
        gazebo=tuple(reading.gazebo),
        start=tuple(reading.start),
        grey=tuple(reading.places(GREY_CHARACTER)),
        scenery=header.scenery,
    )
