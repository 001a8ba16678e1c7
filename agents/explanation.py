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
