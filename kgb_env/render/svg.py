"""What all pictures are made of: elements of SVG as text, and one palette."""

from __future__ import annotations

from typing import NamedTuple
from xml.sax.saxutils import escape

FONTS = "DejaVu Sans, Verdana, Arial, sans-serif"
MONOSPACE = "DejaVu Sans Mono, Consolas, monospace"


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
    return value if isinstance(value, int) else escape(str(value), {'"': "&quot;"})  # type: ignore[return-value]


def text(x: float, y: float, content: str, size: float = 14, **attributes: object) -> str:
    """Return a line of text that begins at a point; y is that of its base line."""
    return element("text", escape(content), x=x, y=y, font_size=size, **{"fill": PALETTE.ink, **attributes})


def group(*parts: str, **attributes: object) -> str:
    """Return elements as one."""
    return element("g", "".join(parts), **attributes)
