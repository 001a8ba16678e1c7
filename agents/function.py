"""An agent made of a function on PettingZoo's observations."""

from collections.abc import Callable
from operator import index
from typing import Any

import numpy as np

from agents.agent import require_deciders
from kgb_env import Game


class FunctionAgent:
    """Ask a function for each decision, one at a time.

    Args:
        game: a configured game.
        choose: gets what ``env.last()`` gives for an observation, a dict of ``observation``,
            ``observation_mask`` and ``action_mask``, and returns an action.
    """

    is_reproducible = False  # nobody knows what it makes its choices from

    def __init__(self, game: Game, choose: Callable[[dict[str, np.ndarray]], int]) -> None:
        self.game, self._choose = game, choose

    def initial_carry(self, n: int) -> None:
        """Return nothing: a function has no memory."""

    def act(self, views: np.ndarray, seeds: np.ndarray, carry: Any = None) -> tuple[np.ndarray, Any]:
        """Return one action for each view, and the carry."""
        require_deciders(self.game, views, seeds)
        frame = self.game.encode(views)
        actions = [
            index(self._choose({"observation": observation, "observation_mask": mask, "action_mask": legal}))
            for observation, mask, legal in zip(
                frame.observation, frame.observation_mask, frame.action_mask, strict=True
            )
        ]
        return np.array(actions, np.int64), carry
