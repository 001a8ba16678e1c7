"""The agent that knows nothing but the rules."""

from typing import Any

import numpy as np

from agents.agent import require_deciders
from kgb_env import Game, loops


class RandomAgent:
    """Choose uniformly among the legal actions, in any game."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self._mask = np.zeros(game.actions.size, np.int8)

    def initial_carry(self, n: int) -> None:
        """Return nothing: there is nothing to remember."""

    def act(self, views: np.ndarray, seeds: np.ndarray, carry: Any = None) -> tuple[np.ndarray, Any]:
        """Return one action for each view, and the carry."""
        seeds = require_deciders(self.game, views, seeds)
        actions = np.empty(views.size, np.int64)
        loops.choose_random(views, seeds, actions, self._mask, self.game.tables)
        return actions, carry
