"""The notebook of Confusion: what can be deduced, exactly, from all that was said aloud.  (Ruling C13)"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from kgb_env.game import Game
from kgb_env.games.confusion.spec import DOUBLE_AGENT, LETTERS, RED, SPIES, WHITE
from kgb_env.games.confusion.text import pieces_of
from kgb_env.games.confusion.views import count_marginals

KEPT = 256  # notebooks


class Notebook(NamedTuple):
    """What can be known about one side's pieces from everything said aloud.

    Attributes:
        letters: the spies, rows of the table.
        pieces: names of the pieces, columns of the table; the Double Agent, if there is one, last.
        deals: number of deals that agree with everything.
        counts: (spies, pieces) int64, in how many of them the spy has the piece.
    """

    letters: str
    pieces: tuple[str, ...]
    deals: int
    counts: np.ndarray

    @property
    def possible(self) -> np.ndarray:
        """(spies, pieces) bool: the exact closure, each piece being dealt once."""
        return self.counts > 0

    def __str__(self) -> str:
        numbers = ["DA" if name == "Double Agent" else str(n) for n, name in enumerate(self.pieces, start=1)]
        rows = ["   " + "".join(f"{n:>3}" for n in numbers)]
        for letter, row in zip(self.letters, self.possible, strict=True):
            rows.append(f"{letter:>3}" + "".join("  ?" if cell else "  ." for cell in row))
        return "\n".join([*rows, f"{self.deals:,} deals are possible"])


def notebook(game: Game, view: np.ndarray, seat: int) -> Notebook:
    """Return the exact notebook on the spies of ``seat``, as that seat can keep it itself.

    Args:
        game: Confusion with any options.
        view: one view, by either seat: both hear the same answers, so both can keep both notebooks.
        seat: whose spies.

    Returns:
        The counts over all deals that agree with every answer, promotion and reveal (C13).
    """
    game.require_view(view)
    if seat not in (WHITE, RED):
        raise ValueError(f"seat={seat!r}; seats are 0 and 1")
    return keep(game, view, seat)


def keep(game: Game, record: np.ndarray, seat: int) -> Notebook:
    """Return the notebook from any record: what it is made from is public."""
    book = _counted(game, seat, record["possible"][0, seat].tobytes())
    return book._replace(counts=book.counts.copy())


@lru_cache(maxsize=KEPT)
def _counted(game: Game, seat: int, possible: bytes) -> Notebook:
    """Count the deals; pictures and texts ask for the same notebooks again and again."""
    record = game.new()
    record["possible"][0, seat] = np.frombuffer(possible, record["possible"].dtype)
    counts = np.zeros((SPIES, SPIES), np.int64)
    deals = int(count_marginals(record, seat, counts, game.scratch(), game.tables))
    spies = int(game.tables[0].spies)
    pieces = pieces_of(game)
    columns, names = [*range(len(pieces))], [piece.name for piece in pieces]
    if not game.options["honor_among_spies"]:
        columns, names = [*columns, DOUBLE_AGENT], [*names, "Double Agent"]
    return Notebook(LETTERS[:spies], tuple(names), deals, counts[:spies, columns])
