"""What can go wrong, each derived from the exception that a caller would expect."""

from collections.abc import Sequence
from typing import Self

MOST_FAULTS = 20  # of a file, in a message


class KGBError(Exception):
    """Base of every error that this package raises on purpose."""


class OptionError(KGBError, ValueError):
    """An option does not exist, or its value is not allowed."""


class DataFileError(KGBError, ValueError):
    """A file of pieces, a set-up or a board is faulty; the message names file and line."""

    @classmethod
    def listing(cls, faults: Sequence[str]) -> Self:
        """Return the error that tells faults, one a line: all, or the first of very many."""
        more = ["and more faults"] if len(faults) > MOST_FAULTS else []
        return cls("\n".join([*faults[:MOST_FAULTS], *more]))


class IllegalActionError(KGBError, ValueError):
    """An action is not legal in this position, or is no action at all."""


class GameOverError(KGBError, RuntimeError):
    """The game has ended, or has not been started."""


class SeedError(KGBError, ValueError):
    """A seed is not an integer from 0 to 2**63 - 1."""


class RecordError(KGBError, TypeError):
    """A record is of another game, or a view where a state is needed, or the reverse."""


class NotationError(KGBError, ValueError):
    """A text does not name an action or an outcome."""


class RenderError(KGBError, RuntimeError):
    """A picture cannot be shown: there is no display, or a package is missing."""


class ReplayError(KGBError, ValueError):
    """A game that was written down cannot be read, or not be played again; the message names file, line and move."""
