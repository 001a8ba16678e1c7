"""A board as text: names of cells, the map, its legend and distances."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kgb_env.camp.board import Board, Place
from kgb_env.camp.header import GROUND, LETTERS, MEANING, STEPS
from kgb_env.errors import NotationError

RANGES = {LETTERS: "A-Z", STEPS: "1-9"}


def column_name(column: int) -> str:
    """Return the letters of a column: a, b, ..., z, aa, ab, ..."""
    letters = ""
    column += 1
    while column:
        column, letter = divmod(column - 1, 26)
        letters = chr(ord("a") + letter) + letters
    return letters


def place_name(place: Place) -> str:
    """Return the name of a place on the map, as ``m14``: column from the left, row from the top."""
    return f"{column_name(place[1])}{place[0] + 1}"


def cell_name(board: Board, cell: int) -> str:
    """Return the name of a cell, as ``m14``: column from the left, row from the top."""
    return place_name(board.places[cell])


def cell_number(board: Board, text: str) -> int:
    """Return the number of the cell that a name stands for.

    Raises:
        NotationError: no walkable cell has that name.
    """
    found = re.fullmatch(r"([a-z]{1,3})([1-9]\d{0,3})", text)
    if found:
        column = 0
        for letter in found[1]:
            column = 26 * column + ord(letter) - ord("a") + 1
        if (number := board.number.get((int(found[2]) - 1, column - 1))) is not None:
            return number
    raise NotationError(f"{text!r} is no cell of {board.title} (cells are named as {cell_name(board, 0)!r})")


def board_file(board: Board) -> str:
    """Return a board of one map as the text of a file, which reads back as the same board."""
    lines = [f"title    {board.title}", ""]
    lines += [f"sector   {sector.letter}  {sector.code}  {sector.name}" for sector in board.sectors]
    for place in sorted(place for place in board.sector_of if board.at(place) == STEPS[0]):
        number = board.sector_of[place]
        sector = board.sectors[number]
        hiding = [board.at(place) for place in board.hiding if board.sector_of[place] == number]
        words = ["spiral  ", sector.code, "post", board.at(sector.post), *(["hiding", *hiding] if hiding else [])]
        lines.append(" ".join(words))
    lines += [
        "",
        f"gates    {' '.join(gate.name for gate in board.gates)}",
        f"route    {' '.join(board.sectors[sector].code for sector in board.route)}",
    ]
    if unmonitored := [sector.code for sector in board.sectors if not sector.is_monitored]:
        lines.append(f"unmonitored {' '.join(unmonitored)}")
    lines += [f"scenery  {character}  {meaning}" for character, meaning in board.scenery.items()]
    return "\n".join([*lines, "", "map", *board.rows, ""])


def draw_map(board: Board) -> str:
    """Return the map between rulers, from which the names of cells can be read."""
    names = [column_name(column) for column in range(len(board.rows[0]))]
    longest = max(map(len, names))
    rulers = ["    " + "".join(name.rjust(longest)[line] for name in names).rstrip() for line in range(longest)]
    rows = [f"{number:3} {row}" for number, row in enumerate(board.rows, start=1)]
    return "\n".join([*rulers, *rows])


def legend(board: Board) -> Iterator[tuple[str, str]]:
    """Yield the characters that occur on a map, with their meanings."""
    drawn = set().union(*board.rows)
    for characters, meaning in (MEANING | board.scenery).items():
        if characters in RANGES and drawn.intersection(characters):
            yield RANGES[characters], meaning
        elif found := [character for character in characters if character in drawn and character != GROUND]:
            yield " ".join(found), meaning


def route_text(board: Board) -> str:
    """Return the guard's tour by the codes of the sectors."""
    return " > ".join(board.sectors[sector].code for sector in board.route)


def distance_rows(board: Board) -> Iterator[tuple[str, ...]]:
    """Yield the steps between sectors as a table: a head, then a line for each sector and each gate."""
    floors = [board.floor(sector) for sector in range(len(board.sectors))]
    yield ("Steps", *(sector.code for sector in board.sectors))
    for sector, floor in zip(board.sectors, floors, strict=True):
        yield (sector.code, *("-" if to is floor else str(board.nearest(floor, to)) for to in floors))
    for gate in board.gates:
        yield (gate.name, *(str(board.nearest([gate.place], to)) for to in floors))


def sector_rows(board: Board) -> Iterator[tuple[object, ...]]:
    """Yield the sectors as a table: a head, then a line for each sector."""
    yield ("Letter", "Code", "Sector", "Cells", "Doors", "Guard post", "Hiding places")
    for number, sector in enumerate(board.sectors):
        doors = ", ".join(map(place_name, board.doors(number)))
        hiding = ", ".join(place_name(place) for place in board.hiding if board.sector_of[place] == number)
        cells = len(board.floor(number))
        yield (sector.letter, sector.code, sector.name, cells, doors, place_name(sector.post), hiding or "none")
