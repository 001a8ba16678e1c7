"""What the games that are played in a camp have in common: their texts, the names of places, how large a map may be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from kgb_env.camp.board import Board
from kgb_env.camp.cells import fault_of_size
from kgb_env.camp.drawing import place_name
from kgb_env.errors import DataFileError


def texts_of(options: Mapping[str, Any], data: Mapping[str, str]) -> tuple[str, ...]:
    """Return the text and the name of one board, or of both in the deluxe game."""
    used = ("board", "other_board") if options["deluxe"] else ("board",)
    return tuple(text for name in used for text in (data[name], options[name]))


class Names(NamedTuple):
    """What things are called, by number."""

    cells: list[str]
    sectors: list[str]  # their codes
    gates: list[str]
    envelopes: list[str]  # the hiding places that they come from


def names_on(camp: Board) -> Names:
    """Return the names of what is on a board."""
    return Names(
        [place_name(place) for place in camp.cells],
        [sector.code for sector in camp.sectors],
        [gate.name for gate in camp.gates],
        [place_name(place) for place in camp.hiding],
    )


def area_of(camp: Board) -> int:
    """Return the number of places on a map.

    Raises:
        DataFileError: the map is larger than games can hold.
    """
    rows, columns = len(camp.rows), len(camp.rows[0])
    if reason := fault_of_size(rows, columns):
        raise DataFileError(f"{camp.title}: {reason}")
    return rows * columns
