"""The vector environment as Stable-Baselines3 wants it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvObs, VecEnvStepReturn

from kgb_env import KGBVectorEnv

MASKS = "action_masks"  # the method that sb3-contrib asks for


class SB3VecEnv(VecEnv):
    """Many games at once for Stable-Baselines3 and sb3-contrib's MaskablePPO.

    Games, seats and opponents are those of a KGBVectorEnv, and so are seeds: ``seed(s)`` takes effect with the next
    reset.  ``env_method("action_masks")`` gives the masks, one row a game.  The info of a game that has ended holds
    ``terminal_observation``, ``TimeLimit.truncated`` and ``episode`` (return, length, seconds since the start), as
    Monitor would, ``reason`` and ``seat``.

    Args:
        envs: the games.
        bootstrap_truncated: let a game that was cut off by its limit be worth what the critic thinks of its last
            observation, as Stable-Baselines3 does; else what it paid.  Our limits are part of the observation.
    """

    def __init__(self, envs: KGBVectorEnv, bootstrap_truncated: bool = True) -> None:
        self.envs = envs  # first: the base class asks it how it is drawn
        self.num_envs = envs.num_envs
        super().__init__(envs.num_envs, envs.single_observation_space, envs.single_action_space)
        self._actions = np.zeros(envs.num_envs, np.int64)
        self._returns, self._lengths = np.zeros(envs.num_envs), np.zeros(envs.num_envs, np.int64)
        self._bootstraps = bootstrap_truncated
        self._next_seed: int | None = None
        self._begun = time.monotonic()

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Let the next reset start from a seed; every row derives its own from it."""
        self._next_seed = seed
        return [seed] * self.num_envs

    def reset(self) -> VecEnvObs:
        """Start a game in every row."""
        observations, _ = self.envs.reset(seed=self._next_seed)
        self._next_seed = None
        self._returns[:], self._lengths[:] = 0, 0
        return observations

    def step_async(self, actions: np.ndarray) -> None:
        """Keep the actions for ``step_wait``."""
        self._actions = actions

    def step_wait(self) -> VecEnvStepReturn:
        """Make the learners' decisions, and those of all others up to the learners' next ones."""
        observations, rewards, terminated, truncated, all_infos = self.envs.step(self._actions)
        self._returns += rewards
        self._lengths += 1
        dones = terminated | truncated
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for row in np.flatnonzero(dones).tolist():
            infos[row] = {
                "terminal_observation": all_infos["final_obs"][row],
                "TimeLimit.truncated": bool(truncated[row]) and self._bootstraps,
                "reason": int(all_infos["final_info"]["reason"][row]),
                "seat": int(all_infos["final_info"]["seat"][row]),
                "episode": {
                    "r": float(self._returns[row]),
                    "l": int(self._lengths[row]),
                    "t": round(time.monotonic() - self._begun, 6),
                },
            }
        self._returns[dones], self._lengths[dones] = 0, 0
        return observations, rewards.astype(np.float32), dones, infos

    def close(self) -> None:
        """Release nothing: there is nothing to release."""

    def env_method(
        self, method_name: str, *method_args: Any, indices: VecEnvIndices = None, **method_kwargs: Any
    ) -> list[Any]:
        """Call ``action_masks``, or any method of the KGBVectorEnv, for all rows at once; return an entry a row."""
        if method_name == MASKS:
            return list(self.envs.action_masks()[self._rows(indices)])
        answer = getattr(self.envs, method_name)(*method_args, **method_kwargs)
        return [answer] * len(self._rows(indices))

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """Return an attribute of the KGBVectorEnv, the same for every row."""
        return [getattr(self.envs, attr_name)] * len(self._rows(indices))

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Set an attribute of the KGBVectorEnv, for all rows."""
        setattr(self.envs, attr_name, value)

    def env_is_wrapped(self, wrapper_class: Any, indices: VecEnvIndices = None) -> list[bool]:
        """Tell that no row is wrapped in anything."""
        return [False] * len(self._rows(indices))

    def _rows(self, indices: VecEnvIndices) -> np.ndarray:
        return np.arange(self.num_envs)[slice(None) if indices is None else np.atleast_1d(np.array(indices))]
