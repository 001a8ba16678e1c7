"""Where the texts of a picture are: their boxes, measured with the font that draws them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import count
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import matplotlib
import numpy as np
from PIL import ImageFont

FONTS = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
EXACT = 100  # the size in which letters are measured
STARTS = {"start": 0.0, "middle": 0.5, "end": 1.0}


class Box(NamedTuple):
    """A rectangle of a picture, and the text in it; the layer it is in, its place among the layer's elements."""

    left: float
    top: float
    right: float
    bottom: float
    content: str
    layer: int
    place: int


def _overlaps(some: list[Box], others: list[Box], by: float = 0.5) -> np.ndarray:
    """Tell which rectangles share more than an edge with which others, (some, others)."""
    one = np.array([box[:4] for box in some]).reshape(-1, 1, 4)
    other = np.array([box[:4] for box in others]).reshape(1, -1, 4)
    shared = np.minimum(one[..., 2:], other[..., 2:]) - np.maximum(one[..., :2], other[..., :2])
    return (shared > by).all(axis=2)


@cache
def _font(is_bold: bool) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(str(FONTS / f"DejaVuSans{'-Bold' * is_bold}.ttf"), EXACT)


@cache
def _ink(content: str, is_bold: bool) -> tuple[float, float, float, float, float]:
    """Return the edges of what is drawn around the beginning of the base line, and the width, for size 1."""
    font = _font(is_bold)
    edges = font.getbbox(content, anchor="ls")
    return (*(edge / EXACT for edge in edges), font.getlength(content) / EXACT)


def boxes_of(picture) -> tuple[list[Box], list[Box]]:
    """Return the texts of a picture, and what can hide those drawn before it: its rectangles and discs."""
    boxes = [
        box
        for number, layer in enumerate(picture.layers)
        for box in _walk(ElementTree.fromstring(f"<g>{layer}</g>"), number)
    ]
    return [box for box in boxes if box.content], [box for box in boxes if not box.content]


def _walk(root: ElementTree.Element, layer: int) -> Iterator[Box]:
    """Yield the boxes of all texts, rectangles and discs of a layer, in the units of the picture."""
    places = count()

    def walk(node, x, y, scale, inherited):
        for kind, numbers in re.findall(r"(translate|scale)\(([^)]*)\)", node.get("transform", "")):
            values = [float(number) for number in numbers.split()]
            if kind == "translate":
                x, y = x + scale * values[0], y + scale * values[1]
            else:
                scale *= values[0]
        inherited = {name: node.get(name, value) for name, value in inherited.items()}
        place = next(places)
        if edges := _edges(node, inherited):
            moved = (off + scale * edge for off, edge in zip((x, y, x, y), edges, strict=True))
            yield Box(*moved, node.text or "", layer, place)
        for child in node:
            yield from walk(child, x, y, scale, inherited)

    yield from walk(root, 0.0, 0.0, 1.0, {"text-anchor": "start", "font-weight": "normal", "fill-opacity": "1"})


def _edges(node: ElementTree.Element, inherited: dict[str, str]) -> tuple[float, float, float, float] | None:
    """Return left, top, right and bottom of an element, None if it neither is a text nor hides one."""

    def number(name: str) -> float:
        return float(node.get(name, 0))

    if node.tag == "text" and node.text:
        size = number("font-size")
        left, top, right, bottom, width = _ink(node.text, inherited["font-weight"] == "bold")
        start, base = number("x") - STARTS[inherited["text-anchor"]] * width * size, number("y")
        return start + left * size, base + top * size, start + right * size, base + bottom * size
    if inherited["fill-opacity"] != "1" or node.get("fill") == "none":
        return None
    if node.tag == "rect":
        return number("x"), number("y"), number("x") + number("width"), number("y") + number("height")
    if node.tag == "circle":
        reach = number("r") / 2**0.5  # the square within
        return number("cx") - reach, number("cy") - reach, number("cx") + reach, number("cy") + reach
    return None


def faults_of(picture, top: float = 0.0) -> list[str]:
    """Return which texts leave a picture; and which that are not above ``top`` lie on others or are hidden."""
    texts, shapes = boxes_of(picture)
    outside = [
        f"{box.content!r} leaves the picture"
        for box in texts
        if min(box.left, box.top) < 0 or box.right > picture.width or box.bottom > picture.height
    ]
    below = [box for box in texts if box.bottom > top]
    crossed = [
        f"{below[one].content!r} lies on {below[other].content!r}"
        for one, other in np.argwhere(_overlaps(below, below))
        if one < other
    ]
    hidden = [
        f"{below[one].content!r} is hidden"
        for one, other in np.argwhere(_overlaps(below, shapes))
        if below[one][-2:] < shapes[other][-2:]
    ]
    return outside + crossed + hidden
