"""Many games of one kind at once: arrays in, arrays out, finished games start anew."""

from __future__ import annotations

import sys
from typing import NamedTuple

import numpy as np

from kgb_env import loops
from kgb_env.aec import require_illegal_mode
from kgb_env.errors import OptionError
from kgb_env.game import Game, derive_seed, require_game, require_seed


class Step(NamedTuple):
    """What one step of a batch gives, one row an environment."""

    frame: loops.Frame  # what the seats to move see now, in the new game where one has ended
    rewards: np.ndarray  # (num_envs, seats) float32, what the seats got by this step
    terminated: np.ndarray  # (num_envs,) bool, ended by the rules
    truncated: np.ndarray  # (num_envs,) bool, ended by the cap


class FrameMemory:
    """Frames to write into, used again once nobody holds them.

    A step writes some kilobytes a row.  On memory fresh from the system that takes twice as long as
    all the rest, and memory that a caller still looks at must not be written to.  Slices, tensors
    and other views of an array hold a reference to it, so counting references tells.
    """

    def __init__(self, game: Game, rows: int) -> None:
        self._game, self._rows = game, rows
        self._frames: list[list[np.ndarray]] = []
        self._new()
        self._idle = self._references(self._frames[0])

    def __reduce__(self) -> tuple:
        # Arrays that come out of a pickle may not own their memory, and then counting would not tell.
        return FrameMemory, (self._game, self._rows)

    def _new(self) -> None:
        self._frames.append(list(self._game.frame(self._rows)))

    def _references(self, arrays: list[np.ndarray]) -> list[int]:
        return [sys.getrefcount(array) for array in arrays]

    def spare_nbytes(self, used: loops.Frame) -> int:
        """Return the bytes of the frames that are not ``used``."""
        return sum(a.nbytes for arrays in self._frames for a in arrays if not any(a is b for b in used))

    def free(self) -> loops.Frame:
        """Return a frame that nobody else holds, with anything in it."""
        for arrays in self._frames:
            if self._references(arrays) == self._idle:
                return loops.Frame(*arrays)
        self._frames = self._frames[-1:]  # whoever keeps frames has them for good; do not keep them too
        self._new()
        return loops.Frame(*self._frames[-1])


def require_num_envs(num_envs: int) -> int:
    """Return a number of environments, or raise OptionError."""
    if isinstance(num_envs, bool) or not isinstance(num_envs, int | np.integer) or num_envs < 1:
        raise OptionError(f"num_envs={num_envs!r}: it must be an integer of at least 1")
    return int(num_envs)


class BatchEnv:
    """A batch of games.

    Row i plays exactly the episodes that ``KGBEnv(game, env_index=i)`` plays after
    ``reset(seed=seed)``.  All arrays that are handed out are the caller's: they never change.

    Attributes:
        frame: views, observations (num_envs, observation.size), observation masks and action masks
            (num_envs, actions.size) of the seats to move.

    Args:
        game: a configured game, from ``kgb_env.game``.
        num_envs: how many.
        seed: an integer from 0 to 2**63 - 1.
        illegal: as in KGBEnv; with ``"raise"`` no row has changed when IllegalActionError is raised.
        penalty: as in KGBEnv.
    """

    def __init__(self, game: Game, num_envs: int, seed: int = 0, illegal: str = "raise", penalty: float = 1.0) -> None:
        require_game(game)
        require_illegal_mode(illegal, penalty)
        self.game, self.num_envs, self.illegal = game, require_num_envs(num_envs), illegal
        self._penalty = float(penalty) if illegal == "penalty" else 0.0
        self._weights = game.weights()
        self._memory = FrameMemory(game, self.num_envs)
        self.reset(seed)

    def reset(self, seed: int | None = None) -> loops.Frame:
        """Start episode 0 of ``seed`` in every environment, or without a seed every environment's next episode.

        Returns:
            What the seats to move see.
        """
        if seed is not None:
            self._seed, self._episodes = require_seed(seed), np.zeros(self.num_envs, np.int64)
        else:
            self._episodes += 1
        seeds = [derive_seed(self._seed, i, int(k)) for i, k in enumerate(self._episodes)]
        self._states = self.game.start(np.array(seeds, np.uint64))
        self._final_states = self.game.new(self.num_envs)
        return self._hand_out(self.game.encode(self.game.view(self._states, self.to_move)))

    def _hand_out(self, frame: loops.Frame) -> loops.Frame:
        """Give the caller the frame to do with as he likes; the masks that count stay here."""
        self._action_mask = frame.action_mask.copy()
        self.frame = frame
        return frame

    @property
    def to_move(self) -> np.ndarray:
        """(num_envs,) int8, the seats to move."""
        return self._states["to_move"].copy()

    @property
    def states(self) -> np.ndarray:
        """(num_envs,) full states."""
        return self._states.copy()

    @property
    def episodes(self) -> np.ndarray:
        """(num_envs,) int64, the number of the episode that each row plays."""
        return self._episodes.copy()

    @property
    def final_states(self) -> np.ndarray:
        """(num_envs,) full states: the last of the latest game that ended in each row, blank before the first."""
        return self._final_states.copy()

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays that the batch holds."""
        held = (self._states, self._final_states, self._episodes, self._action_mask, *self.frame)
        return sum(array.nbytes for array in held) + self._memory.spare_nbytes(self.frame)

    def step(self, actions: np.ndarray) -> Step:
        """Play one action in every game; see Step.

        Args:
            actions: (num_envs,) integers, chosen by the seats to move.

        Raises:
            IllegalActionError: with ``illegal="raise"`` for a forbidden action, and always for an
                array of the wrong shape or kind; nothing has changed.
        """
        actions = self.game.require_actions(actions, self.num_envs)
        if self.illegal == "raise":
            self.game.require_legal(self._action_mask, actions, self._states)
        frame = self._memory.free()
        rewards = np.empty((self.num_envs, self.game.seats), np.float32)
        reasons = np.empty(self.num_envs, np.int8)
        loops.step_batch(
            self._states,
            self._seed,
            self._episodes,
            actions,
            self._action_mask,
            frame,
            (self._final_states, rewards, reasons),
            self._penalty,
            self._weights,
            self.game.tables,
        )
        ended = reasons != 0
        truncated = ended & self.game.is_truncation(reasons) if ended.any() else np.zeros_like(ended)
        return Step(self._hand_out(frame), rewards, ended & ~truncated, truncated)
