"""Named pieces of a flat vector: declare once, index by name, decode, print as a table."""

from __future__ import annotations

from functools import cached_property
from math import prod
from typing import NamedTuple

import numpy as np


def markdown_table(*lines: tuple[object, ...]) -> str:
    """Return a Markdown table; the first line is its head."""
    head, *body = [f"| {' | '.join(map(str, line))} |" for line in lines]
    return "\n".join([head, "|" + "---|" * len(lines[0]), *body])


class Field(NamedTuple):
    """One named piece of a vector, with the highest and the lowest value that an entry may have."""

    name: str
    shape: tuple[int, ...]
    meaning: str
    high: int = 1
    low: int = 0


class Layout:
    """Fields laid end to end.

    ``layout.name`` is the slice of the field ``name``; the encoder, the decoder, the spaces, the
    documentation and the tests all read their offsets here.
    """

    def __init__(self, *fields: Field) -> None:
        self.fields = fields
        self.size = 0
        self._slices: dict[str, slice] = {}
        for field in fields:
            if field.name in self._slices or hasattr(Layout, field.name) or field.name in ("fields", "size"):
                raise ValueError(f"field {field.name!r} is declared twice or is a reserved name")
            self._slices[field.name] = slice(self.size, self.size + prod(field.shape))
            self.size += prod(field.shape)

    def __getattr__(self, name: str) -> slice:
        try:
            return self.__dict__["_slices"][name]
        except KeyError:
            raise AttributeError(f"no field {name!r}; there are {list(self.__dict__.get('_slices', {}))}") from None

    def __repr__(self) -> str:
        fields = ", ".join(f"{field.name} {'x'.join(map(str, field.shape))}" for field in self.fields)
        return f"Layout({self.size}: {fields})"

    def index(self, name: str, *place: int) -> int:
        """Return the index of one entry of a field."""
        shape = next(field.shape for field in self.fields if field.name == name)
        return getattr(self, name).start + int(np.ravel_multi_index(place, shape))

    def where(self, index: int) -> tuple[str, tuple[int, ...]]:
        """Return the field that ``index`` lies in, and the place in that field."""
        if not 0 <= index < self.size:
            raise IndexError(f"index {index} is not from 0 to {self.size - 1}")
        return self._places[index]

    @cached_property
    def _places(self) -> list[tuple[str, tuple[int, ...]]]:
        return [(field.name, place) for field in self.fields for place in np.ndindex(*field.shape)]

    def split(self, vector: np.ndarray) -> dict[str, np.ndarray]:
        """Return the named pieces of ``vector`` (..., size), each in its own shape, without copying."""
        return {f.name: vector[..., self._slices[f.name]].reshape(*vector.shape[:-1], *f.shape) for f in self.fields}

    def high(self) -> np.ndarray:
        """Return the highest value of every entry, (size,)."""
        return np.concatenate([np.full(prod(f.shape), f.high, np.int8) for f in self.fields])

    def low(self) -> np.ndarray:
        """Return the lowest value of every entry, (size,)."""
        return np.concatenate([np.full(prod(f.shape), f.low, np.int8) for f in self.fields])

    def table(self) -> str:
        """Return the fields as a Markdown table."""
        rows: list[tuple[object, ...]] = []
        for field in self.fields:
            piece = self._slices[field.name]
            shape = " x ".join(map(str, field.shape))
            rows.append((f"{piece.start} to {piece.stop - 1}", f"`{field.name}`", shape, field.meaning))
        return markdown_table(("Index", "Field", "Shape", "Meaning"), *rows)
