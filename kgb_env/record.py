"""Records: one is a complete state or a view; an array of them is a batch."""

from pathlib import Path

import numpy as np

from kgb_env.jit import PACKAGE, digest

# Distinct negative numbers, so that one never passes for another.
UNKNOWN = -1  # in a secret field: the viewer may not know
NOBODY = -2  # `viewer` of a full state; `to_move` after the end
CHANCE = -3  # `to_move` while a die, a card or a deal is due
PUBLIC = -4  # `viewer` of what everybody at the table knows

GOING_ON, ILLEGAL = 0, -1  # `reason` in every game; games count their own endings from 1


def head(seats: int) -> list[tuple]:
    """Return the fields with which every game's record starts."""
    return [
        ("rng", "u8"),  # the luck to come; read by `advance` alone
        ("game", "u4"),  # fingerprint of id, options and data
        ("returns", "f4", (seats,)),  # what each seat has got so far; in most games zero until the end
        ("viewer", "i1"),  # a seat, PUBLIC, or NOBODY in a full state
        ("to_move", "i1"),  # a seat, CHANCE, or NOBODY after the end
        ("reason", "i1"),  # why the game ended
        ("over", "?"),
        ("is_oracle", "?"),  # a view that hides nothing but the luck to come
    ]


def record(fields: list[tuple], file: str) -> np.dtype:
    """Lay out a record by falling item size, without padding.

    Args:
        fields: NumPy field descriptions, ``head(seats)`` first.
        file: ``__file__`` of the caller.  A game outside this package gets a field of no bytes
            named after its sources, so that its edited rules never meet loops cached for old ones.

    Returns:
        A dtype whose items have attributes, in plain arrays (``states[0].reason``) and in kernels.
    """
    folder = Path(file).resolve().parent
    if not folder.is_relative_to(PACKAGE):
        fields = [*fields, (f"sources_{digest(folder)}", "i1", (0,))]
    by_size = sorted(fields, key=lambda field: -np.dtype(field[1]).itemsize)
    return np.dtype((np.record, by_size))
