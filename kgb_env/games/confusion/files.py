"""The data files of Confusion: movement pieces and set-ups, read and validated.  (Rulings C1, C2)"""

from __future__ import annotations

import re
from functools import partial
from itertools import combinations, product
from pathlib import Path
from typing import NamedTuple, NoReturn

import numpy as np

from kgb_env.errors import DataFileError
from kgb_env.games.confusion.spec import (
    BACKWARD,
    BEYOND,
    COLUMNS,
    DIRECTIONS,
    DOUBLE_AGENT,
    LETTERS,
    LONGEST,
    NOWHERE,
    ORDINARY,
    PROMOTED,
    PROMOTED_DISTANCE,
    RED,
    ROWS,
    SPIES,
    STEPS,
    TABLES,
    WHITE,
)
from kgb_env.options import unprintable

PIECES = Path(__file__).parent / "pieces"
SETUPS = Path(__file__).parent / "setups"


class Piece(NamedTuple):
    """A movement piece, from its owner's view."""

    name: str
    directions: frozenset[str]
    distance: int
    is_promotable: bool

    def __str__(self) -> str:
        ways = " ".join(d for d in DIRECTIONS if d in self.directions)
        return f"{self.name} ({ways} {self.distance}{', promotable' if self.is_promotable else ''})"


PROMOTED_SIDE = Piece("promoted", frozenset(DIRECTIONS), PROMOTED_DISTANCE, False)


class Setup(NamedTuple):
    """A board and where one side's spies start, seen from that side; cells as (column, row) from 0."""

    columns: int
    rows: int
    spies: dict[str, tuple[int, int]]


def _lines(text: str, source: str):
    """Yield (number, line) of the lines that say something, if all of the file can be printed."""
    for number, column, reason in unprintable(text):
        raise DataFileError(f"{source}, line {number}, column {column}: {reason}")
    for number, line in enumerate(text.splitlines(), start=1):
        line = line.partition("#")[0].rstrip()
        if line.strip():
            yield number, line


def _refuse(source: str, number: int, line: str, reason: str) -> NoReturn:
    raise DataFileError(f"{source}, line {number}: {reason} in {line.strip()!r}")


def parse_pieces(text: str, source: str) -> tuple[Piece, ...]:
    """Return the movement pieces of a file.

    Raises:
        DataFileError: names ``source``, the line, what is wrong and what is allowed.
    """
    pieces: list[Piece] = []
    for number, line in _lines(text, source):
        refuse = partial(_refuse, source, number, line)
        name, *words = line.split()
        is_promotable = bool(words) and words[-1] == "promotable"
        if is_promotable:
            words.pop()
        if not words or not re.fullmatch(r"\d{1,3}", words[-1]):
            refuse("expected a name, directions, a distance and perhaps 'promotable'")
        distance, directions = int(words.pop()), words
        for direction in directions:
            if direction not in DIRECTIONS:
                refuse(f"{direction!r} is no direction (allowed: {' '.join(DIRECTIONS)})")
        if not directions:
            refuse("a piece needs at least one direction")
        if len(set(directions)) < len(directions):
            refuse("a direction is named twice")
        if not 1 <= distance <= LONGEST:
            refuse(f"the distance must be from 1 to {LONGEST}")
        piece = Piece(name, frozenset(directions), distance, is_promotable)
        for other in pieces:
            if other.name == name:
                refuse(f"there is another piece called {name!r}")
            if other[1:3] == piece[1:3]:
                refuse(f"this piece moves just like {other.name!r}; pieces must differ")
        pieces.append(piece)
        if len(pieces) > ORDINARY:
            refuse(f"more than {ORDINARY} pieces")
    if not pieces:
        raise DataFileError(f"{source}: there is no piece in it")
    return tuple(pieces)


def check_published_facts(pieces: tuple[Piece, ...]) -> None:
    """Check what is known about the published set (C1); for our own default file.

    Raises:
        DataFileError: a fact does not hold.
    """
    moves = {(p.directions, p.distance) for p in pieces}
    backward = {"B", "BL", "BR"}
    facts = {
        "there are 12 pieces, all different": len(pieces) == len(moves) == 12,
        "four are promotable": sum(p.is_promotable for p in pieces) == 4,
        "just those cannot move backward at all": all(p.is_promotable != bool(p.directions & backward) for p in pieces),
        "none equals the promoted side": PROMOTED_SIDE[1:3] not in moves,
        "one goes 4 straight forward": (frozenset("F"), 4) in moves,
        "one goes 1 in all eight directions": (frozenset(DIRECTIONS), 1) in moves,
        "one goes 2 orthogonally": (frozenset("FBLR"), 2) in moves,
    }
    wrong = [fact for fact, holds in facts.items() if not holds]
    if wrong:
        raise DataFileError(f"the default pieces contradict what is known: {'; '.join(wrong)}")


def parse_setup(text: str, source: str) -> Setup:
    """Return the set-up of a file.

    Raises:
        DataFileError: names ``source``, the line, what is wrong and what is allowed.
    """
    size: tuple[int, int] | None = None
    spies: dict[str, tuple[int, int]] = {}
    rows: set[int] = set()
    for number, line in _lines(text, source):
        refuse = partial(_refuse, source, number, line)
        if board := re.fullmatch(r"\s*board\s+(\d{1,3})\s*x\s*(\d{1,3})", line):
            if size is not None:
                refuse("the board has been given already")
            size = int(board[1]), int(board[2])
            if not all(n % 2 and 5 <= n <= most for n, most in zip(size, (COLUMNS, ROWS), strict=True)):
                refuse(f"columns and rows must be odd (the briefcase starts in the centre), 5 to {COLUMNS}")
        elif drawn := re.fullmatch(r"\s*row\s+(\d{1,3})\s+(\S+)", line):
            if size is None:
                refuse("the line 'board COLUMNS x ROWS' must come first")
            row, squares = int(drawn[1]), drawn[2]
            if row in rows or not 1 <= row <= size[1] // 2:
                refuse(f"rows are 1 to {size[1] // 2}, each once")
            if len(squares) != size[0]:
                refuse(f"{len(squares)} squares where the board has {size[0]} columns")
            rows.add(row)
            for column, letter in enumerate(squares):
                if letter == ".":
                    continue
                if letter not in LETTERS or letter in spies:
                    refuse(f"{letter!r} is no spy that is still free (allowed: {LETTERS}, each once)")
                spies[letter] = column, row - 1
        else:
            refuse("expected 'board COLUMNS x ROWS' or 'row NUMBER SQUARES'")
    if size is None or len(spies) < 2:
        raise DataFileError(f"{source}: a set-up needs a line 'board COLUMNS x ROWS' and rows with spies, two at least")
    missing = [letter for letter in LETTERS[: len(spies)] if letter not in spies]
    if missing:
        raise DataFileError(f"{source}: {len(spies)} spies must be the first of {LETTERS}; missing {' '.join(missing)}")
    return Setup(*size, spies)


def build_tables(
    pieces: tuple[Piece, ...],
    setup: Setup,
    source: str,
    *,
    is_tight: bool = False,
    has_double_agents: bool = True,
    is_sir: bool = False,
) -> np.ndarray:
    """Return the read-only tables of a game, one record.

    Args:
        pieces: the ordinary movement pieces.
        setup: the board and where the spies start.
        source: of the pieces, for the message.
        is_tight: the outer columns are out of play (C15).
        has_double_agents: else the alphabetically last spy is left out, X in the standard set-up (C15).
        is_sir: every piece but the Double Agent's may be promoted (C15).

    Raises:
        DataFileError: the pieces are not as many as the spies besides the Double Agent.
    """
    if len(pieces) != len(setup.spies) - 1:
        raise DataFileError(
            f"{source}: {len(pieces)} pieces, but the set-up has {len(setup.spies)} spies, one the Double Agent; "
            f"{len(setup.spies) - 1} pieces are needed"
        )
    count = len(pieces) + has_double_agents
    tables = np.zeros(1, TABLES)
    t = tables[0]
    t.rows, t.columns, t.spies, t.is_tight = setup.rows, setup.columns, count, is_tight
    t.briefcase = setup.rows // 2 * COLUMNS + setup.columns // 2
    longest = max(p.distance for p in pieces)
    if is_sir or any(p.is_promotable for p in pieces):
        longest = max(longest, PROMOTED_DISTANCE)
    t.pieces = has_double_agents << DOUBLE_AGENT
    t.pair[:] = list(combinations(range(SPIES), 2))
    for number, piece in enumerate(pieces):
        t.pieces |= 1 << number
        t.promotable |= piece.is_promotable << number
        for d, direction in enumerate(DIRECTIONS):
            if direction in piece.directions:
                t.reach[number, d] = piece.distance
                t.can[d, : piece.distance] |= 1 << number
    t.reach[PROMOTED] = PROMOTED_DISTANCE
    draw_paths(t, range(is_tight, setup.columns - is_tight), range(setup.rows), longest)
    t.start[:] = NOWHERE
    for spy, letter in enumerate(LETTERS[:count]):
        column, row = setup.spies[letter]
        t.start[WHITE, spy] = row * COLUMNS + column
        t.start[RED, spy] = (setup.rows - 1 - row) * COLUMNS + setup.columns - 1 - column
    tables.flags.writeable = False
    return tables


def draw_paths(t: np.record, columns: range, rows: range, longest: int) -> None:
    """Fill the tables of the board: what is in play, where each way leads, and how each seat counts cells."""
    t.path[:] = BEYOND
    for column, row in product(columns, rows):
        cell = row * COLUMNS + column
        t.open[cell] = 1
        for d, (right, up) in enumerate(STEPS):
            for distance in range(1, longest + 1):
                x, y = column + distance * right, row + distance * up
                if x in columns and y in rows:
                    t.path[WHITE, cell, d, distance - 1] = y * COLUMNS + x
    t.path[RED] = np.roll(t.path[WHITE], BACKWARD, axis=1)  # what is forward for White is backward for Red
    for row, column in product(range(t.rows), range(t.columns)):
        turned = t.rows - 1 - row, t.columns - 1 - column
        for seat, (own_row, own_column) in ((WHITE, (row, column)), (RED, turned)):
            cell = row * COLUMNS + column
            t.own_row[seat, cell], t.own_column[seat, cell] = own_row, own_column
            t.turned[seat, cell] = own_row * COLUMNS + own_column
