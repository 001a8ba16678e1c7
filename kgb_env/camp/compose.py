"""The deluxe camp: two boards side by side along the fence.  (Rulings K2, K7)"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from kgb_env.camp.board import CELLS, GATES, GREY, HIDING_PLACES, SECTORS, START_CELLS, Board, Place
from kgb_env.camp.cells import around
from kgb_env.camp.drawing import place_name
from kgb_env.errors import DataFileError

OUTWARD = {"east": (0, 1), "west": (0, -1), "south": (1, 0), "north": (-1, 0)}
OPPOSITE = {"east": "west", "west": "east", "south": "north", "north": "south"}
ROOM = {"cells": CELLS, "sectors": SECTORS, "gates": GATES, "hiding": HIDING_PLACES, "start": START_CELLS}


def compose(first: Board, second: Board) -> Board:
    """Return two boards as one, their fences along each other and their gates in it open.

    The sectors, gates and the guard's route of ``first`` come first; the route goes on where the
    other board is nearest to the fence.  Where they lie is decided by their fences.

    Raises:
        DataFileError: the fences do not fit each other, both use a name, or it is too much for the tables.
    """
    one, two = _side_by_side(first, second)
    _check_names(first, second)
    offset = len(one.sectors)
    cells = one.cells | two.cells | dict.fromkeys(one.grey + two.grey, GREY)
    cells = {place: cells[place] for place in sorted(cells)}
    links = {**one.links, **two.links}
    for grey in one.grey + two.grey:
        links[grey] = tuple(to for to in around(grey) if to in cells)
        links |= {to: tuple(sorted({*links.get(to, ()), grey})) for to in links[grey]}
    whole = Board(
        title=f"{first.title} and {second.title}",
        rows=_paint(one.rows, two.rows),
        cells=cells,
        links={place: links[place] for place in cells},
        sector_of=dict(sorted({**one.sector_of, **{p: s + offset for p, s in two.sector_of.items()}}.items())),
        sectors=one.sectors + two.sectors,
        gates=one.gates + two.gates,
        route=one.route + tuple(sector + offset for sector in two.route),
        hiding=tuple(sorted(one.hiding + two.hiding)),
        gazebo=one.gazebo + two.gazebo,
        start=one.start + two.start,
        grey=tuple(sorted(one.grey + two.grey)),
        scenery=one.scenery | two.scenery,
    )
    _check_room(whole)
    return replace(whole, route=_route(whole, offset))


def _check_names(first: Board, second: Board) -> None:
    for what, one, two in (
        ("letter of a sector", [s.letter for s in first.sectors], [s.letter for s in second.sectors]),
        ("code of a sector", [s.code for s in first.sectors], [s.code for s in second.sectors]),
        ("name of a sector", [s.name for s in first.sectors], [s.name for s in second.sectors]),
        ("name of a gate", [g.name for g in first.gates], [g.name for g in second.gates]),
    ):
        if twice := [name for name in one if name in two]:
            raise DataFileError(f"{first.title} and {second.title} both have the {what} {', '.join(twice)}")
    for character, meaning in first.scenery.items():
        other = second.scenery.get(character, meaning)
        if other != meaning:
            raise DataFileError(f"{character!r} is {meaning} in {first.title}, {other} in {second.title}")


def _check_room(board: Board) -> None:
    for what, most in ROOM.items():
        if (count := len(getattr(board, what))) > most:
            raise DataFileError(f"{board.title} together have {count} {what}; at most {most} are allowed")


def _side_by_side(first: Board, second: Board) -> tuple[Board, Board]:
    """Return the boards moved so that each grey cell lies beside its counterpart."""
    if not first.fence or second.fence != OPPOSITE[first.fence]:
        lie = " and ".join(f"that of {board.title} {board.fence or 'nowhere'}" for board in (first, second))
        raise DataFileError(f"the fences must be on opposite sides of the maps: {lie}")
    down, right = OUTWARD[first.fence]
    beyond = [(row + down, column + right) for row, column in first.grey]
    shifts = {(a - c, b - d) for (a, b), (c, d) in zip(beyond, second.grey, strict=False)}
    if len(first.grey) != len(second.grey) or len(shifts) > 1:
        lie = " and ".join(", ".join(map(place_name, board.grey)) for board in (first, second))
        raise DataFileError(
            f"the gates in the fences of {first.title} and {second.title} do not face each other: {lie}"
        )
    down, right = shifts.pop()
    return _moved(first, max(0, -down), max(0, -right)), _moved(second, max(0, down), max(0, right))


def _moved(board: Board, down: int, right: int) -> Board:
    """Return a board that lies farther from the top left of its map."""

    def move(place: Place) -> Place:
        return place[0] + down, place[1] + right

    def move_all(places: Iterable[Place]) -> tuple[Place, ...]:
        return tuple(map(move, places))

    return replace(
        board,
        rows=("",) * down + tuple(" " * right + row for row in board.rows),
        cells={move(place): kind for place, kind in board.cells.items()},
        links={move(place): move_all(links) for place, links in board.links.items()},
        sector_of={move(place): sector for place, sector in board.sector_of.items()},
        sectors=tuple(sector._replace(post=move(sector.post)) for sector in board.sectors),
        gates=tuple(gate._replace(place=move(gate.place)) for gate in board.gates),
        hiding=move_all(board.hiding),
        gazebo=move_all(board.gazebo),
        start=move_all(board.start),
        grey=move_all(board.grey),
    )


def _paint(*maps: tuple[str, ...]) -> tuple[str, ...]:
    """Lay maps over each other; they do not overlap."""
    height, width = max(map(len, maps)), max(len(row) for rows in maps for row in rows)
    padded = [[row.ljust(width) for row in (*rows, *[""] * (height - len(rows)))] for rows in maps]
    return tuple("".join(map(max, *rows)) for rows in zip(*padded, strict=True))  # a blank sorts before all others


def _route(board: Board, offset: int) -> tuple[int, ...]:
    """Begin the second board's part of the guard's tour with the sector nearest to the fence."""
    second = board.route[offset:]
    begin = min(range(len(second)), key=lambda turn: board.nearest(board.floor(second[turn]), board.grey))
    return board.route[:offset] + second[begin:] + second[:begin]
