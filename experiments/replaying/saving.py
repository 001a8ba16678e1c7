"""Write the games of a match into a file, each as soon as it is over."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Self

import numpy as np

from kgb_env import Game, Recording, derive_seed
from kgb_env.replay import ReplayWriter

from ..config import ConfigError


class Saver:
    """Writes games down; a match calls ``save`` for each that ends.  Use as a context manager.

    Args:
        path: of a file that does not exist yet, or is empty.
        first: only the games with lower numbers are written; None for all.

    Raises:
        ConfigError: the file holds something, or cannot be written.
    """

    def __init__(self, path: Path, first: int | None = None) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("a") as file:
                if file.tell():
                    raise ConfigError(f"--save {path}: the file holds something already; name another, or take it away")
        except OSError as error:
            raise ConfigError(f"--save {path}: no games can be written there: {error.strerror}") from None
        self._writer = ReplayWriter(path)
        self.path, self._first, self.written = path, first, 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._writer.close()

    def wants(self, number: int) -> bool:
        """Tell if a game is to be written."""
        return self._first is None or number < self._first

    def save(
        self, game: Game, seed: int, deal: int, actions: Sequence[int], agents: Sequence[str], fault: str | None
    ) -> None:
        """Play a game of a match again and write it down.

        Args:
            game: a configured game.
            seed: of the match.
            deal: which one it was played from.
            actions: that were chosen, in order.
            agents: who played, one a seat.
            fault: why one of them forfeited, or None.
        """
        recording = Recording(game, derive_seed(seed, deal, 0))
        recording.play(np.array(actions, np.int64))
        replay = recording.replay(agents, f"forfeit: {fault}") if fault else recording.replay(agents)
        self._writer.write(replay)
        self.written += 1
