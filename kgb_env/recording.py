"""Games that are written down while they are played."""

from __future__ import annotations

import copy
from collections.abc import Sequence

import numpy as np

from kgb_env import loops
from kgb_env.game import Game, require_seeds
from kgb_env.record import CHANCE
from kgb_env.replay import BROKEN_OFF, Replay, printable

MOVES_AT_ONCE = 32  # that are played before they are put into words: each needs a state


class Recording:
    """A game that is being played and written down.

    Args:
        game: a configured game.
        seed: a derived seed, as for ``Game.start``; chance is played up to the first decision.

    Attributes:
        states: one row, at every moment the same as ``Game.start`` and ``Game.play`` give.  Not to be written to.
        moves: outcomes of chance and actions in notation, in order.

    Raises:
        SeedError: the seed is none.
    """

    def __init__(self, game: Game, seed: int) -> None:
        self.game, self.states, self.moves = game, game.begin(), list[str]()
        self.states["rng"] = require_seeds(seed, 1)
        self._play(np.empty(0, np.int64))

    def play(self, actions: int | np.ndarray) -> None:
        """Play a legal action of the seat to move, or several one after the other, each followed by chance.

        Raises:
            IllegalActionError: an action is not legal; it has changed nothing, those before it have been played.
            GameOverError: the game has ended.
        """
        actions = self.game.require_actions(actions, np.size(actions))
        rest = self._play(actions)
        if rest.size:
            self.game.play(self.states.copy(), rest[:1])  # it says why that cannot be played

    def copy(self) -> Recording:
        """Return a recording of the game so far, which goes on by itself."""
        other = copy.copy(self)
        other.states, other.moves = self.states.copy(), self.moves.copy()
        return other

    def replay(self, agents: Sequence[str], reason: str = BROKEN_OFF) -> Replay:
        """Return the game so far.  What cannot be printed in the texts becomes "?".

        Args:
            agents: who plays, one a seat.
            reason: why the game ends here, if it is not over; BROKEN_OFF if it is empty.
        """
        from kgb_env import __version__

        outcome = self.game.outcome(self.states)
        returns, reason = (None, reason) if outcome is None else (outcome.returns, outcome.reason)
        names, reason = tuple(map(printable, agents)), printable(reason) or BROKEN_OFF
        return Replay(self.game, names, tuple(self.moves), returns, reason, __version__)

    def _play(self, actions: np.ndarray) -> np.ndarray:
        """Play actions and chance, and put them into words; return the actions that could not be played."""
        game, made = self.game, MOVES_AT_ONCE
        moves, before = np.empty(MOVES_AT_ONCE, np.int64), np.empty(MOVES_AT_ONCE, game.state)
        mask, weights = np.empty(game.actions.size, np.int8), game.weights()
        while made == MOVES_AT_ONCE:
            made, played = loops.play_openly(self.states, actions, mask, moves, before, weights, game.tables)
            actions = actions[played:]
            by_chance = before["to_move"][:made] == CHANCE
            for i, (move, is_outcome) in enumerate(zip(moves[:made].tolist(), by_chance.tolist(), strict=True)):
                write = game.notation.outcome if is_outcome else game.notation.action
                self.moves.append(write(game, before[i : i + 1], move))
        return actions
