"""A game as a Gymnasium environment: one seat learns, agents play the others."""

from __future__ import annotations

import secrets
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from kgb_env import loops
from kgb_env.errors import GameOverError, OptionError
from kgb_env.game import Game
from kgb_env.learner import RANDOM_SEAT, LearnerBatch, Opponents
from kgb_env.render.renderer import Renderer

OBSERVATIONS = ("dict", "vector")


def observation_space(game: Game, observation: str = "dict", oracle: bool = False) -> spaces.Space:
    """Return the space of what a learner observes.

    Args:
        game: a configured game.
        observation: ``"dict"``: ``observation`` and ``observation_mask``; ``"vector"``: both, end to end.
        oracle: with ``"dict"``, also the observation with nothing hidden, as ``oracle``: for critics, never for actors.
    """
    if observation not in OBSERVATIONS:
        raise OptionError(f"observation={observation!r}; choose one of {', '.join(OBSERVATIONS)}")
    bounds = game.observation.low(), game.observation.high()
    low, high = (bound.astype(game.observation_dtype) for bound in bounds)
    seen = spaces.Box(low, high, dtype=high.dtype.type)
    if observation == "vector":
        if oracle:
            raise OptionError("oracle=True goes with observation='dict': an actor must be able to tell it apart")
        ends = np.concatenate([low, np.zeros_like(low)]), np.concatenate([high, np.ones_like(high)])
        return spaces.Box(*ends, dtype=high.dtype.type)
    parts: dict[str, spaces.Space] = {"observation": seen, "observation_mask": spaces.Box(0, 1, high.shape, np.int8)}
    if oracle:
        parts["oracle"] = spaces.Box(low, high, dtype=high.dtype.type)
    return spaces.Dict(parts)


class Observer:
    """Makes of frames what a learner observes; see ``observation_space``."""

    def __init__(self, game: Game, observation: str, oracle: bool) -> None:
        self.space = observation_space(game, observation, oracle)
        self._game, self._is_vector, self._has_oracle = game, observation == "vector", oracle

    def observe(self, frame: loops.Frame, states: np.ndarray, seats: np.ndarray) -> Any:
        """Return observations, one row each, in arrays of their own."""
        if self._is_vector:
            mask = frame.observation_mask.astype(frame.observation.dtype, copy=False)
            return np.concatenate([frame.observation, mask], axis=1)
        seen = {"observation": frame.observation, "observation_mask": frame.observation_mask}
        if self._has_oracle:
            seen["oracle"] = self._game.encode(self._game.oracle(states, seats)).observation
        return seen


def row_of(observations: Any, row: int) -> Any:
    """Return one row of what ``Observer.observe`` gives."""
    if isinstance(observations, dict):
        return {name: values[row] for name, values in observations.items()}
    return observations[row]


class KGBGymEnv(gymnasium.Env):
    """One seat of a game as a Gymnasium environment.

    The action mask is in ``action_masks()`` and in the info, never in the observation, where it would become input of
    a network.  The reward is what the learner got since its last decision, whoever made it so, up to the end of the
    game.  An info holds ``action_mask``, ``seat``, and ``reason``: 0 while the game goes on, else the number of its
    ending.  ``reset(seed=s)`` plays episode 0 of seed s, each ``reset()`` after it the next one, as in a row of the
    vector environment.

    Args:
        game: a configured game.
        seat: the learner's seat, ``"random"``, or the name of a role.
        opponents: who plays the others: see ``kgb_env.learner.make_players``.
        observation: ``"dict"`` or ``"vector"``; see ``observation_space``.
        oracle: also show what is hidden, as ``oracle``, for a critic.
        illegal: what an illegal action does: ``"terminate"`` the game, the same with a ``"penalty"``, or ``"raise"``.
        penalty: what it costs then.
        env_index: which row of a vector environment this one plays like.
        skip_forced: make decisions that leave no choice without asking; see ``LearnerBatch``.
        render_mode: the table as the learner sees it; see KGBEnv.
    """

    def __init__(
        self,
        game: Game,
        seat: int | str = RANDOM_SEAT,
        opponents: Opponents = "random",
        observation: str = "dict",
        oracle: bool = False,
        illegal: str = "terminate",
        penalty: float = 1.0,
        env_index: int = 0,
        skip_forced: bool = False,
        render_mode: str | None = None,
    ) -> None:
        self.game, self.render_mode = game, render_mode
        self._renderer = Renderer(game, render_mode)
        self.metadata = self._renderer.metadata
        self._observer = Observer(game, observation, oracle)
        self.observation_space = self._observer.space
        self.action_space = spaces.Discrete(game.actions.size)
        self._batch = LearnerBatch(
            game, 1, seat, opponents, illegal, penalty, first_env=env_index, skip_forced=skip_forced
        )
        self._is_seeded = self._is_started = self._is_over = False

    @property
    def seat(self) -> int:
        """Where the learner sits."""
        return int(self._batch.seats[0])

    def reset(self, *, seed: int | None = None, options: dict | None = None) -> tuple[Any, dict[str, Any]]:
        """Start an episode; see the class.  ``options`` is ignored: a game has its options for good."""
        super().reset(seed=seed)
        if seed is None and not self._is_seeded:
            seed = secrets.randbits(63)
        if seed is not None or not self._is_over:  # else the batch has begun the next episode already
            self._batch.reset(seed)
        self._is_seeded = self._is_started = True
        self._is_over = False
        if self._renderer.shows_by_itself:
            self.render()
        return self._seen()

    def _seen(self) -> tuple[Any, dict[str, Any]]:
        batch = self._batch
        seen = row_of(self._observer.observe(batch.frame, batch.states, batch.seats), 0)
        return seen, {"action_mask": batch.frame.action_mask[0].copy(), "seat": self.seat, "reason": 0}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Make the learner's decision, and those of the others up to its next one.

        Raises:
            GameOverError: the game is over, or none was started.
            IllegalActionError: what is no integer; with ``illegal="raise"`` what is forbidden.
        """
        if not self._is_started or self._is_over:
            raise GameOverError("no game is going on; call reset()")
        step = self._batch.step(np.atleast_1d(action))
        self._is_over = bool(step.ended.size)
        if self._is_over:
            self._final = step.final_states, int(step.final_seats[0])
        if self._renderer.shows_by_itself:
            self.render()
        reward, terminated, truncated = float(step.rewards[0]), bool(step.terminated[0]), bool(step.truncated[0])
        if not self._is_over:
            seen, info = self._seen()
            return seen, reward, terminated, truncated, info
        seen = row_of(self._observer.observe(step.final, step.final_states, step.final_seats), 0)
        mask, seat, reason = step.final.action_mask[0], int(step.final_seats[0]), int(step.final_states["reason"][0])
        return seen, reward, terminated, truncated, {"action_mask": mask, "seat": seat, "reason": reason}

    def action_masks(self) -> np.ndarray:
        """Return 1 for every action that the learner may choose now: (actions,) int8, zeros after the end."""
        return np.zeros(self.game.actions.size, np.int8) if self._is_over else self._batch.frame.action_mask[0].copy()

    def set_opponents(self, opponents: Opponents) -> None:
        """Let others play from now on; see ``LearnerBatch.set_opponents``."""
        self._batch.set_opponents(opponents)

    def render(self) -> Any:
        """Return the table as the learner sees it: a text, or pixels (height, width, 3) uint8; see ``render_mode``."""
        return None if self.render_mode is None else self._renderer.show(self._rendered())

    def _rendered(self) -> np.ndarray:
        """Return the record that is drawn; after the end the last one of the game."""
        if not self._is_started:
            raise GameOverError("no game has been started; call reset()")
        states, seat = self._final if self._is_over else (self._batch.states, self.seat)
        return self.game.view(states, seat)

    def _repr_svg_(self) -> str | None:
        return self.game.picture(self._rendered()).svg if self._is_started else None

    def close(self) -> None:
        """Close the window, if there is one."""
        self._renderer.close()


class KGBVectorEnv(gymnasium.vector.VectorEnv):
    """Many games at once, each with one learner, as a Gymnasium vector environment.

    A game that has ended is followed by the next one in the same step (``AutoresetMode.SAME_STEP``): the observation
    is the first of the new game, the last of the old one is in ``infos["final_obs"]`` and what belongs to it in
    ``infos["final_info"]``.  Row i plays like ``KGBGymEnv(..., env_index=i)``.

    Args:
        game: a configured game.
        num_envs: how many games.
        seat, opponents, observation, oracle, illegal, penalty, skip_forced: as in KGBGymEnv.
    """

    def __init__(
        self,
        game: Game,
        num_envs: int,
        seat: int | str = RANDOM_SEAT,
        opponents: Opponents = "random",
        observation: str = "dict",
        oracle: bool = False,
        illegal: str = "terminate",
        penalty: float = 1.0,
        skip_forced: bool = False,
        render_mode: str | None = None,
    ) -> None:
        if render_mode is not None:
            raise ValueError(f"render_mode={render_mode!r}: a vector environment is not drawn; make one game instead")
        self.render_mode = None
        self.game, self.num_envs = game, num_envs
        self.metadata = {"autoreset_mode": AutoresetMode.SAME_STEP}
        self._observer = Observer(game, observation, oracle)
        self.batch = LearnerBatch(game, num_envs, seat, opponents, illegal, penalty, skip_forced=skip_forced)
        self.single_observation_space = self._observer.space
        self.single_action_space = spaces.Discrete(game.actions.size)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._is_seeded = False

    def reset(self, *, seed: Any = None, options: dict | None = None) -> tuple[Any, dict[str, Any]]:
        """Start an episode in every row: of one seed, from which every row derives its own."""
        if seed is not None and not isinstance(seed, int | np.integer):
            raise ValueError(f"seed={seed!r}: give one integer; every row derives its own from it")
        super().reset(seed=None if seed is None else int(seed))
        if seed is None and not self._is_seeded:
            seed = secrets.randbits(63)
        self._is_seeded = True
        self.batch.reset(seed)
        return self._seen()

    def _seen(self) -> tuple[Any, dict[str, Any]]:
        batch = self.batch
        infos = self._infos(batch.frame.action_mask, batch.seats.copy(), np.zeros(self.num_envs, np.int64))
        return self._observer.observe(batch.frame, batch.states, batch.seats), infos

    def _infos(self, masks: np.ndarray, seats: np.ndarray, reasons: np.ndarray, rows: Any = slice(None)) -> dict:
        """Return infos as Gymnasium has them: of every entry also in which rows there is one."""
        infos: dict[str, Any] = {}
        for name, values in (("action_mask", masks), ("seat", seats), ("reason", reasons)):
            infos[name] = np.zeros((self.num_envs, *values.shape[1:]), values.dtype)
            infos[name][rows] = values
            infos[f"_{name}"] = np.zeros(self.num_envs, bool)
            infos[f"_{name}"][rows] = True
        return infos

    def step(self, actions: np.ndarray) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Make the learners' decisions, and those of all others up to the learners' next ones."""
        step = self.batch.step(actions)
        seen, infos = self._seen()
        if step.ended.size:
            last = self._observer.observe(step.final, step.final_states, step.final_seats)
            infos["final_obs"] = np.full(self.num_envs, None, object)
            for i, row in enumerate(step.ended.tolist()):
                infos["final_obs"][row] = row_of(last, i)
            infos["_final_obs"] = step.terminated | step.truncated
            reasons = step.final_states["reason"].astype(np.int64)
            infos["final_info"] = self._infos(step.final.action_mask, step.final_seats, reasons, step.ended)
            infos["_final_info"] = infos["_final_obs"].copy()
        return seen, step.rewards.astype(np.float64), step.terminated, step.truncated, infos

    def action_masks(self) -> np.ndarray:
        """Return 1 for every action that the learners may choose now: (num_envs, actions) int8."""
        return self.batch.frame.action_mask.copy()

    def set_opponents(self, opponents: Opponents) -> None:
        """Let others play from now on; see ``LearnerBatch.set_opponents``."""
        self.batch.set_opponents(opponents)
