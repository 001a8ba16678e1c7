"""Accuse whoever is within reach, without a thought: what deduction has to be better than."""

from typing import Any

import numpy as np

from agents.double_agent.naive import NaiveAgent
from kgb_env import Game
from kgb_env.games.double_agent.legality import legal, steps_to
from kgb_env.games.double_agent.spec import GO
from kgb_env.jit import kernel, mix


class BlindAgent(NaiveAgent):
    """Play like ``naive``, but as a Security Agent accuse the nearest seat as soon as one is within reach."""

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        self._mask = np.zeros(game.actions.size, np.int8)

    def act(self, views: np.ndarray, seeds: np.ndarray, carry: Any = None) -> tuple[np.ndarray, Any]:
        """Return one action for each view, and the carry."""
        actions, carry = super().act(views, seeds, carry)
        accuse_nearest(views, np.asarray(seeds, np.uint64), actions, self._mask, self.game.tables)
        return actions, carry


@kernel
def accuse_nearest(views, seeds, actions, mask, tables):
    """Put an accusation of the nearest seat in place of each action where there is one; chance breaks ties."""
    for i in range(views.size):
        v, t, seat = views[i], tables[0], np.int64(views[i].to_move)
        if v.phase != GO:
            continue
        legal(v, mask, t)
        nearest, ties = np.int64(v.throw) + 1, 0
        for left in range(1, v.players):
            accused = (seat + left) % v.players
            if mask[t.accuse + left - 1]:
                steps = steps_to(v, seat, np.int64(v.cell[accused]), t)
                ties = ties + 1 if steps == nearest else 1
                if steps < nearest or (steps == nearest and mix(seeds[i] + np.uint64(left)) % np.uint64(ties) == 0):
                    nearest, actions[i] = steps, t.accuse + left - 1
