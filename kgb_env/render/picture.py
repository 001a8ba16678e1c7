"""A picture of a game, as SVG."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from kgb_env.record import PUBLIC
from kgb_env.render.svg import FONTS, PALETTE, escape

SUFFIXES = (".svg", ".png")  # of files


@dataclass(frozen=True)
class Picture:
    """A picture; Jupyter shows it.

    It is drawn from one record.  From a view, it can show no more than that seat knows.

    Attributes:
        width: of the drawing, in its own units.
        height: likewise.
        layers: fragments of SVG, each drawn over those before it.  What changes together is in one layer, and
            the first holds what stays the same during a game, so that many pictures of a game can share layers.
            Elements that a person can point at carry ``data-mark``; ``Game.marks`` tells which of them an
            action is about.
        title: what it shows, for those who cannot see it.
    """

    width: int
    height: int
    layers: tuple[str, ...]
    title: str = ""

    @property
    def svg(self) -> str:
        """The picture as one SVG document."""
        return f"{self.head}{''.join(self.layers)}</svg>\n"

    @property
    def head(self) -> str:
        """The beginning of the document: the opening tag, the title, the background."""
        return (
            f'{self.frame}<title>{escape(self.title)}</title><rect width="100%" height="100%" fill="{PALETTE.paper}"/>'
        )

    @property
    def frame(self) -> str:
        """The opening tag of the document."""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" '
            f'width="{self.width}" height="{self.height}" font-family="{FONTS}" role="img">'
        )

    def _repr_svg_(self) -> str:
        return self.svg

    def rgb(self, width: int | None = None) -> np.ndarray:
        """Return the picture as pixels, (height, width, 3) uint8.

        Args:
            width: in pixels; by default that of the drawing.
        """
        from kgb_env.render.raster import pixels

        return pixels(self, width)

    def png(self, width: int | None = None) -> bytes:
        """Return the picture as the bytes of a PNG file; see ``rgb``."""
        from kgb_env.render.raster import png

        return png(self.svg, width)

    def save(self, path: str | Path, width: int | None = None) -> None:
        """Write the picture into a file, as SVG or PNG by the ending of its name.

        Raises:
            ValueError: the name ends otherwise.
        """
        path = Path(path)
        if path.suffix.lower() not in SUFFIXES:
            raise ValueError(f"{path.name}: a picture is saved as {' or '.join(SUFFIXES)}")
        path.write_bytes(self.svg.encode() if path.suffix.lower() == ".svg" else self.png(width))


def seen_by(s: np.record) -> str:
    """Say whose eyes a record is seen through."""
    if s.viewer == PUBLIC:
        return "as everybody at the table sees it"
    return "with open cards" if s.viewer < 0 or s.is_oracle else f"as seat {s.viewer} sees it"
