"""What stands above a map: title, sectors, gates, the guard's route, scenery.  (Rulings K1, K7)"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

# The characters of a map.
FLAGSTONE, HIDING_PLACE, GUARD_POST, BOTH = ".X*&"
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWYZ"  # of sectors, on their floor
STEPS = "123456789"  # of a spiral
WALKWAY_CHARACTER, DOOR_CHARACTER, GATE_CHARACTER, GREY_CHARACTER, GAZEBO = ":+=%@"
WALL, FENCE, GROUND = "#", "|-", " "
HIDING, POST = HIDING_PLACE + BOTH, GUARD_POST + BOTH
FLOOR_CHARACTERS = FLAGSTONE + HIDING_PLACE + GUARD_POST + BOTH + LETTERS
MEANING = {
    FLAGSTONE: "floor of a sector",
    HIDING_PLACE: "floor, a hiding place",
    GUARD_POST: "floor, the guard's post",
    BOTH: "floor, the guard's post and a hiding place",
    LETTERS: "floor, and the letter of its sector",
    STEPS: "floor, a step of a path: connected to the steps before and after it only",
    WALKWAY_CHARACTER: "walkway",
    DOOR_CHARACTER: "door",
    GATE_CHARACTER: "gate of the camp",
    GREY_CHARACTER: "grey cell before a gate in the fence",
    GAZEBO: "gazebo, closed but for the start of The Double Agent",
    WALL: "wall",
    FENCE: "fence",
    GROUND: "ground that nobody walks on",
}
CHARACTERS = "".join(MEANING)


class Fault(NamedTuple):
    """Something wrong in a board's file; lines and columns count from 1, column 0 is the whole line."""

    line: int
    column: int
    reason: str

    def __str__(self) -> str:
        return f"line {self.line}{f', column {self.column}' if self.column else ''}: {self.reason}"


class Word(NamedTuple):
    """A word of the header, and where it stands."""

    line: int
    column: int
    text: str

    def fault(self, reason: str) -> Fault:
        """Return a fault at this word."""
        return Fault(self.line, self.column, reason)


class SectorLine(NamedTuple):
    """A sector as the header names it."""

    line: int
    letter: str
    code: str
    name: str


class Spiral(NamedTuple):
    """A sector whose cells are the steps of one path, numbered in the map (K6)."""

    code: Word
    post: int
    hiding: tuple[int, ...]


@dataclass
class Header:
    """The header of a board's file, as far as it could be read."""

    title: str = ""
    sectors: list[SectorLine] = field(default_factory=list)
    spirals: list[Spiral] = field(default_factory=list)
    gates: list[Word] = field(default_factory=list)
    route: list[Word] = field(default_factory=list)
    unmonitored: list[Word] = field(default_factory=list)
    scenery: dict[str, str] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)  # where each keyword stands first

    @property
    def codes(self) -> list[str]:
        """The codes of the sectors, in order."""
        return [sector.code for sector in self.sectors]


def read_header(lines: list[str]) -> tuple[Header, list[Fault]]:
    """Return what the lines above the map say, and what is wrong with them; a bad line is left out."""
    header, faults = Header(), []
    for number, line in enumerate(lines, start=1):
        words = [Word(number, found.start() + 1, found[0]) for found in re.finditer(r"\S+", line.partition("#")[0])]
        if not words:
            continue
        keyword, *rest = words
        first = header.lines.get(keyword.text)
        if keyword.text not in READERS:
            faults.append(keyword.fault(f"{keyword.text!r} begins no line (allowed: {', '.join(READERS)}, map)"))
        elif first and keyword.text not in REPEATED:
            faults.append(keyword.fault(f"{keyword.text!r} has been given in line {first} already"))
        else:
            header.lines.setdefault(keyword.text, number)
            faults += READERS[keyword.text](header, keyword, rest)
    for needed, form in NEEDED.items():
        if needed not in header.lines:
            faults.append(Fault(len(lines) + 1, 0, f"the header has no line '{form}'"))
    return header, faults + list(_check_codes(header))


def _check_codes(header: Header) -> Iterator[Fault]:
    """Find codes that no sector has, and what keeps the route from being a tour (K7)."""
    for word in (*header.route, *header.unmonitored, *(spiral.code for spiral in header.spirals)):
        if word.text not in header.codes:
            yield word.fault(f"no sector has the code {word.text!r} (there are {' '.join(header.codes) or 'none'})")
    seen: set[str] = set()
    for word in header.route:
        if word.text in seen:
            yield word.fault(f"the guard's route names {word.text} twice; it is a tour of all sectors")
        seen.add(word.text)
    left_out = [code for code in header.codes if code not in seen]
    if header.route and left_out:
        yield Fault(header.lines["route"], 0, f"the guard's route leaves out {' '.join(left_out)}")


def _title(header: Header, keyword: Word, words: list[Word]) -> Iterator[Fault]:
    header.title = " ".join(word.text for word in words)
    if not words:
        yield keyword.fault(f"expected '{NEEDED['title']}'")


def _sector(header: Header, keyword: Word, words: list[Word]) -> Iterator[Fault]:
    if len(words) < 3:
        yield keyword.fault("expected 'sector LETTER CODE NAME', as in 'sector G GAR Garden'")
        return
    letter, code, *name = words
    new = SectorLine(keyword.line, letter.text, code.text, " ".join(word.text for word in name))
    if letter.text not in tuple(LETTERS):
        yield letter.fault(f"{letter.text!r} is no letter for a sector (allowed: A to Z without X)")
    elif not re.fullmatch("[A-Z]{3}", code.text):
        yield code.fault(f"{code.text!r} is no code: three capital letters")
    elif twin := next((o for o in header.sectors if {o.letter, o.code, o.name} & {*new[1:]}), None):
        yield keyword.fault(f"letter, code and name must differ from those of the sector in line {twin.line}")
    else:
        header.sectors.append(new)


def _spiral(header: Header, keyword: Word, words: list[Word]) -> Iterator[Fault]:
    found = re.fullmatch(r"\S+ post ([1-9])(?: hiding((?: [1-9])+))?", " ".join(word.text for word in words))
    if found:
        header.spirals.append(Spiral(words[0], int(found[1]), tuple(map(int, (found[2] or "").split()))))
    else:
        yield keyword.fault("expected 'spiral CODE post STEP hiding STEP ...', as in 'spiral TOW post 1 hiding 9'")


def _gates(header: Header, keyword: Word, words: list[Word]) -> Iterator[Fault]:
    for word in words:
        if not re.fullmatch("[a-z][a-z0-9_-]*", word.text):
            yield word.fault(f"{word.text!r} is no name for a gate: one word in small letters")
        elif word.text in (other.text for other in header.gates):
            yield word.fault(f"there is another gate {word.text!r}")
        header.gates.append(word)


def _route(header: Header, keyword: Word, words: list[Word]) -> Iterator[Fault]:
    header.route += words
    yield from () if words else [keyword.fault(f"expected '{NEEDED['route']}'")]


def _unmonitored(header: Header, keyword: Word, words: list[Word]) -> Iterator[Fault]:
    header.unmonitored += words
    yield from () if words else [keyword.fault("expected 'unmonitored CODE ...'")]


def _scenery(header: Header, keyword: Word, words: list[Word]) -> Iterator[Fault]:
    if len(words) < 2 or len(words[0].text) != 1:
        yield keyword.fault("expected 'scenery CHARACTER MEANING', as in 'scenery ~ pond'")
    elif words[0].text in CHARACTERS or words[0].text in header.scenery:
        yield words[0].fault(f"{words[0].text!r} has a meaning already")
    else:
        header.scenery[words[0].text] = " ".join(word.text for word in words[1:])


READERS: dict[str, Callable[[Header, Word, list[Word]], Iterator[Fault]]] = {
    "title": _title,
    "sector": _sector,
    "spiral": _spiral,
    "gates": _gates,
    "route": _route,
    "unmonitored": _unmonitored,
    "scenery": _scenery,
}
REPEATED = ("sector", "spiral", "scenery")
NEEDED = {
    "title": "title TEXT",
    "sector": "sector LETTER CODE NAME",
    "gates": "gates NAME ...",
    "route": "route CODE ...",
}
