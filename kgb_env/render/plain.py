"""The picture of a game that does not draw itself: its text."""

from __future__ import annotations

from kgb_env.render.picture import Picture
from kgb_env.render.svg import MONOSPACE, text

LINE, LETTER, MARGIN = 18, 8.5, 16


def picture_of_text(title: str, drawn: str) -> Picture:
    """Return a text as a picture of it."""
    lines = drawn.rstrip("\n").split("\n")
    width = round(2 * MARGIN + LETTER * max(map(len, lines)))
    layer = "".join(
        text(MARGIN, MARGIN + LINE * (n + 0.75), line, font_family=MONOSPACE, xml__space="preserve")
        for n, line in enumerate(lines)
    )
    return Picture(width, round(2 * MARGIN + LINE * len(lines)), (layer,), title)
