"""What all pictures are made of: elements of SVG as text, and one palette."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from math import cos, pi, sin
from typing import NamedTuple
from xml.sax import saxutils

FONTS = "DejaVu Sans, Verdana, Arial, sans-serif"
MONOSPACE = "DejaVu Sans Mono, Consolas, monospace"
NO_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # not even escaped


class _Palette(NamedTuple):
    """Colours, told apart by those who see no red or no green: after Okabe and Ito (2008), muted for surfaces."""

    paper: str = "#faf8f3"
    ink: str = "#22252b"
    faint: str = "#8b8f98"  # text of less weight
    line: str = "#c9c5ba"
    field: str = "#f1ecdf"  # a place where something may stand
    shade: str = "#e4dece"
    wall: str = "#5b5648"
    ground: str = "#dfe6d0"
    water: str = "#bcd7e8"
    back: str = "#4d5a74"  # the back of a hidden piece
    gold: str = "#e69f00"  # what everybody is after
    good: str = "#0072b2"
    bad: str = "#d55e00"
    mark: str = "#f0e442"  # a highlight


PALETTE = _Palette()
SEAT_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7a5195", "#6b6b6b")
DARK_SEATS = (0, 1, 2, 6, 7)  # with a white number; the others with a dark one
LEAST = 7  # the smallest size of letters that is read without effort
NARROW, BROAD = frozenset("fijlrtI.,:;'!|()[]- "), frozenset("mwMW")
BOLD, PLAIN = 1.0, 0.9  # how wide letters are, one with another
CHIP = 17  # the height of a chip
SLICES = {2: (1.1, 1.0, 0.5), 3: (1.25, 0.95, 0.55), 4: (1.4, 0.9, 0.62)}
# By how many seats share a disc: how much larger it is, the size of numbers, how far out they stand.
_corners = ((1, 1), (3, 3), (1, 3), (3, 1))
PIPS = (
    (),
    ((2, 2),),
    _corners[:2],
    (*_corners[:2], (2, 2)),
    _corners,
    (*_corners, (2, 2)),
    (*_corners, (1, 2), (3, 2)),
)


def escape(content: str, entities: Mapping[str, str] = {}) -> str:
    """Return a text as XML holds it; U+FFFD stands for what XML cannot hold, such as control characters."""
    return saxutils.escape(NO_XML.sub("\ufffd", content), dict(entities))


def element(tag: str, content: str = "", /, **attributes: object) -> str:
    """Return an element; in names of attributes ``_`` stands for ``-``, and what is None is left out.

    The content is taken as it is: ``text`` escapes what people or files have written.
    """
    named = "".join(
        f' {name.replace("__", ":").replace("_", "-")}="{_value(value)}"'
        for name, value in attributes.items()
        if value is not None
    )
    return f"<{tag}{named}>{content}</{tag}>" if content else f"<{tag}{named}/>"


def _value(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.2f}".rstrip("0").rstrip(".")
    return escape(str(value), {'"': "&quot;"})


def text(x: float, y: float, content: str, size: float = 14, **attributes: object) -> str:
    """Return a line of text that begins at a point; y is that of its base line."""
    return element("text", escape(content), x=x, y=y, font_size=size, **{"fill": PALETTE.ink, **attributes})


def group(*parts: str, **attributes: object) -> str:
    """Return elements as one."""
    return element("g", "".join(parts), **attributes)


def seat_token(x: float, y: float, seat: int, radius: float = 11, ring: str = "#ffffff") -> str:
    """Return the disc of a seat: its colour and, for those who cannot tell colours, its number."""
    colour = SEAT_COLOURS[seat % len(SEAT_COLOURS)]
    return element(
        "circle", cx=x, cy=y, r=radius, fill=colour, stroke=ring, stroke_width=radius / 7, pointer_events="none"
    ) + _number(x, y, seat, 1.15 * radius)


def shared_radius(seats: int, radius: float) -> float:
    """Return the radius of a disc for so many seats, from that of the disc of one."""
    return SLICES[min(seats, max(SLICES))][0] * radius


def seats_token(x: float, y: float, seats: Sequence[int], radius: float = 11) -> str:
    """Return one disc for all seats on a spot: a slice for each, the first one on the left, and so on clockwise.

    Args:
        x: of its middle.
        y: likewise.
        seats: two at least.
        radius: of the disc of one seat; the more seats, the larger it is.
    """
    _, letters, out = SLICES[min(len(seats), max(SLICES))]
    outer, half = shared_radius(len(seats), radius), pi / len(seats)
    drawn = []
    for place, seat in enumerate(seats):
        middle = pi + 2 * half * place
        start, end = (
            f"{x + outer * cos(angle):.2f} {y + outer * sin(angle):.2f}" for angle in (middle - half, middle + half)
        )
        drawn.append(
            element(
                "path",
                d=f"M{x:g} {y:g}L{start}A{outer:g} {outer:g} 0 0 1 {end}z",
                fill=SEAT_COLOURS[seat % len(SEAT_COLOURS)],
                stroke="#ffffff",
                stroke_width=radius / 9,
                pointer_events="none",
            )
            + _number(x + out * outer * cos(middle), y + out * outer * sin(middle), seat, letters * radius)
        )
    return "".join(drawn)


def _number(x: float, y: float, seat: int, size: float) -> str:
    """Return the number of a seat around a point of its disc."""
    return text(
        x,
        y + 0.33 * size,
        str(seat),
        round(size, 1),
        fill="#ffffff" if seat % len(SEAT_COLOURS) in DARK_SEATS else PALETTE.ink,
        font_weight="bold",
        text_anchor="middle",
        pointer_events="none",
    )


def chip(x: float, y: float, content: str, width: float, fill: str = PALETTE.field, ink: str = PALETTE.ink) -> str:
    """Return a small label of a line's height, its top left corner at a point."""
    return element("rect", x=x, y=y, width=width, height=CHIP, rx=4, fill=fill) + text(
        x + width / 2, y + 0.72 * CHIP, content, 11, fill=ink, text_anchor="middle"
    )


def runs(places: Iterable[tuple[int, int]], size: int) -> str:
    """Return a path over the squares of a grid, (row, column) each; neighbours in a row become one piece."""
    path, rows = [], sorted(places)
    while rows:
        row, column = rows[0]
        length = next((n for n in range(1, len(rows)) if rows[n] != (row, column + n)), len(rows))
        path.append(f"M{column * size} {row * size}h{length * size}v{size}h-{length * size}z")
        rows = rows[length:]
    return "".join(path)


def dice(x: float, y: float, values: Iterable[int], size: float = 22) -> str:
    """Return dice that show values, side by side."""
    drawn = []
    for n, value in enumerate(values):
        left = x + n * (size + 6)
        drawn.append(element("rect", x=left, y=y, width=size, height=size, rx=4, fill="#ffffff", stroke=PALETTE.wall))
        drawn += [
            element("circle", cx=left + size * column / 4, cy=y + size * row / 4, r=size / 10, fill=PALETTE.ink)
            for column, row in PIPS[value]
        ]
    return "".join(drawn)


def width_of(content: str, weight: float = BOLD) -> float:
    """Return how wide a text is at most, of the size of its letters."""
    letters = (
        0.5 if c in NARROW else 1.11 if c in BROAD else 0.72 if c.islower() or c.isdigit() else 0.86 for c in content
    )
    return weight * sum(letters)


def fitting(content: str, size: float, width: float, weight: float = BOLD) -> float:
    """Return the size in which a text (bold, unless PLAIN) is no wider than ``width``, at most ``size``."""
    return int(10 * min(size, width / max(width_of(content, weight), 0.1))) / 10


def cut(content: str, width: float, weight: float = BOLD) -> str:
    """Return a text without its end, where even the smallest letters would be wider than ``width``."""
    if fitting(content, LEAST, width, weight) == LEAST:
        return content
    kept = next(n for n in range(len(content), -1, -1) if width_of(f"{content[:n]}...", weight) * LEAST <= width)
    return f"{content[:kept]}..."


def wrap(content: str, letters: int) -> list[str]:
    """Return a text in lines of at most so many letters."""
    return textwrap.wrap(content, letters, break_on_hyphens=False)
