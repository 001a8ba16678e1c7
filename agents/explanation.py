"""How an agent says what it thinks: tables for ``kgb explain``."""

from collections.abc import Sequence
from typing import NamedTuple


class Table(NamedTuple):
    """A table of texts.

    Attributes:
        title: what it shows.
        columns: heads of the columns.
        rows: as many texts each as there are columns.
        note: a sentence below it, or nothing.
    """

    title: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    note: str = ""


def percent(chance: float) -> str:
    """Write a probability: a dot for never, and no 100 that is not certain."""
    if chance <= 0.0:
        return "."
    if chance >= 1.0 - 1e-12:
        return "100"
    return f"{min(99.0, 100 * chance):.0f}" if chance >= 0.005 else "<1"
