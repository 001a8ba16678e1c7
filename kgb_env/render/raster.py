"""Pictures as pixels, without any display, through resvg."""

from __future__ import annotations

import io
from functools import cache
from pathlib import Path

import numpy as np

from kgb_env.render.picture import Picture


@cache
def _fonts() -> list[str]:
    """Return the fonts that come with matplotlib: the same everywhere, and there on machines that have none."""
    import matplotlib

    folder = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
    return [str(folder / f"{name}.ttf") for name in ("DejaVuSans", "DejaVuSans-Bold", "DejaVuSansMono")]


def png(picture: Picture, width: int | None = None) -> bytes:
    """Return a picture as the bytes of a PNG file; see ``Picture.rgb``."""
    import resvg_py

    return bytes(
        resvg_py.svg_to_bytes(
            svg_string=picture.svg, width=width, skip_system_fonts=True, font_files=_fonts(), font_family="DejaVu Sans"
        )
    )


def pixels(picture: Picture, width: int | None = None) -> np.ndarray:
    """Return a picture as pixels, (height, width, 3) uint8."""
    from PIL import Image

    with Image.open(io.BytesIO(png(picture, width))) as image:
        return np.asarray(image.convert("RGB")).copy()
