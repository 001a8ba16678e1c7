"""Pictures as pixels, without any display, through resvg."""

from __future__ import annotations

import io
from functools import cache, lru_cache
from pathlib import Path
from threading import local

import numpy as np
from PIL import Image

from kgb_env.render.picture import Picture

KEPT = 32  # first layers, which most pictures of a game share: they are the longer part of the work


class _Fonts(local):
    """The fonts that come with matplotlib: the same everywhere, and there on machines that have none.

    Each thread loads its own: resvg's options cannot go from one to another.
    """

    def __init__(self) -> None:
        import matplotlib
        from resvg import usvg

        folder = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
        self.options = usvg.Options.default()
        for name in ("DejaVuSans", "DejaVuSans-Bold", "DejaVuSansMono"):
            # Not load_font_file: resvg would map the file into memory again for each piece of text.
            self.options.load_font_data((folder / f"{name}.ttf").read_bytes())
        self.options.font_family = "DejaVu Sans"


_FONTS = cache(_Fonts)


def png(picture: Picture, svg: str, width: int | None = None) -> bytes:
    """Return a document as the bytes of a PNG file.

    Args:
        picture: whose size the document has.
        svg: the document.
        width: in pixels; by default that of the picture.
    """
    import resvg
    from resvg import usvg

    scale = (width or picture.width) / picture.width
    size = width or picture.width, round(picture.height * scale)
    return bytes(resvg.render(usvg.Tree.from_str(svg, _FONTS().options), (scale, 0, 0, 0, scale, 0), bg_size=size))


def pixels(picture: Picture, width: int | None = None) -> np.ndarray:
    """Return a picture as pixels, (height, width, 3) uint8; see ``Picture.rgb``."""
    first, *others = picture.layers
    image = _image(Picture(picture.width, picture.height, (first,)), width)
    if others:
        over = png(picture, f"{picture.frame}{''.join(others)}</svg>", width)
        image = Image.alpha_composite(image, Image.open(io.BytesIO(over)).convert("RGBA"))
    return np.array(image.convert("RGB"))


@lru_cache(maxsize=KEPT)
def _image(picture: Picture, width: int | None) -> Image.Image:
    return Image.open(io.BytesIO(png(picture, picture.svg, width))).convert("RGBA")
