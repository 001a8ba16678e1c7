"""A camp in words, for a player who cannot see it: how to read the map, where things are, how far they are."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from kgb_env.camp.board import GREY, Board, Place
from kgb_env.camp.drawing import column_name, place_name
from kgb_env.camp.header import GREY_CHARACTER


def how_to_read_the_map(camp: Board, marks: Iterable[str]) -> list[str]:
    """Say what the characters of a drawn map mean and how cells are named.

    Args:
        camp: the board.
        marks: what a game draws on it besides.
    """
    beside = ["`@` the gazebo, closed"] if camp.gazebo else []
    passages = f"`{GREY_CHARACTER}` an open passage in the fence, " if GREY in camp.cells.values() else ""
    rows, columns = len(camp.rows), len(camp.rows[0])
    return [
        f"Cells are named by column, {column_name(0)} to {column_name(columns - 1)} from the left (after z come aa, ab "
        f"and so on), and row, 1 to {rows} from the top: {place_name(next(iter(camp.cells)))} is the first one.",
        "One walks from a cell to a cell that touches it at a side, never diagonally. "
        f"`:` is a walkway, `+` a door, `=` a gate, {passages}capital letters and `.` the floor of a "
        "sector; all of these are cells. "
        f"{', '.join([*beside, *marks])}. Every other character (walls, fences, lawns, trees) cannot be walked on.",
    ]


def sectors_in_words(camp: Board, remarks: list[str]) -> list[str]:
    """Say of each sector where it lies and by which doors it is entered.

    Args:
        camp: the board.
        remarks: something more about each sector, or nothing.
    """
    lines = []
    for number, (sector, remark) in enumerate(zip(camp.sectors, remarks, strict=True)):
        floor = camp.floor(number)
        columns, rows = [column for _, column in floor], [row for row, _ in floor]
        corners = f"{place_name((min(rows), min(columns)))} to {place_name((max(rows), max(columns)))}"
        doors = ", ".join(map(place_name, camp.doors(number))) or "none"
        path = f"; one path: {', '.join(map(place_name, _spiral(camp, number)))}" if sector.is_spiral else ""
        lines.append(
            f"{sector.letter} `{sector.code}` {sector.name}: within {corners}, doors {doors}{path}"
            f"{f'; {remark}' if remark else ''}"
        )
    return lines


def gates_in_words(camp: Board) -> str:
    """Name the gates and their cells."""
    return ", ".join(f"{gate.name} ({place_name(gate.place)})" for gate in camp.gates)


def shortest(steps: np.ndarray, cells: Iterable[int]) -> float:
    """Return the length of the shortest of some walks, inf if there is none.

    Args:
        steps: the length of the walk to each cell.
        cells: those to go to.
    """
    return min((float(steps[cell]) for cell in cells), default=float("inf"))


def distances_in_words(named: Iterable[tuple[str, float]]) -> str:
    """List how far things are; what cannot be reached is left out."""
    return ", ".join(f"{name} {length:.0f}" for name, length in named if np.isfinite(length)) or "nothing"


def _spiral(camp: Board, sector: int) -> list[Place]:
    """Return the cells of a sector that is one path, from a door to its end."""
    doors = [camp.number[place] for place in camp.doors(sector)]
    return sorted(camp.floor(sector), key=lambda place: camp.steps[doors, camp.number[place]].min(initial=np.inf))
