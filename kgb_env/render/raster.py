"""Pictures as pixels, without any display, through resvg."""

from __future__ import annotations

import io
from functools import cache, lru_cache
from pathlib import Path

import numpy as np
from PIL import Image

from kgb_env.render.picture import Picture

KEPT = 32  # first layers, which most pictures of a game share: they are the longer part of the work


@cache
def _fonts() -> list[str]:
    """Return the fonts that come with matplotlib: the same everywhere, and there on machines that have none."""
    import matplotlib

    folder = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
    return [str(folder / f"{name}.ttf") for name in ("DejaVuSans", "DejaVuSans-Bold", "DejaVuSansMono")]


def png(svg: str, width: int | None = None) -> bytes:
    """Return a picture as the bytes of a PNG file; see ``Picture.png``."""
    import resvg_py

    return bytes(
        resvg_py.svg_to_bytes(
            svg_string=svg, width=width, skip_system_fonts=True, font_files=_fonts(), font_family="DejaVu Sans"
        )
    )


def pixels(picture: Picture, width: int | None = None) -> np.ndarray:
    """Return a picture as pixels, (height, width, 3) uint8; see ``Picture.rgb``."""
    first, *others = picture.layers
    image = _image(f"{picture.head}{first}</svg>", width)
    if others:
        over = png(f"{picture.frame}{''.join(others)}</svg>", width)
        image = Image.alpha_composite(image, Image.open(io.BytesIO(over)).convert("RGBA"))
    return np.array(image.convert("RGB"))


@lru_cache(maxsize=KEPT)
def _image(svg: str, width: int | None) -> Image.Image:
    return Image.open(io.BytesIO(png(svg, width))).convert("RGBA")
