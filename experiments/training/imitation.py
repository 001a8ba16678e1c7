"""Learning from a teacher before learning from rewards (DAgger).

The learner plays, and a teacher says what it would have done where the learner was to decide.  So the learner also
sees what to do in positions that the teacher would never have come into (Ross, Gordon and Bagnell, "A Reduction of
Imitation Learning and Structured Prediction to No-Regret Online Learning", AISTATS 2011).  The critic learns the
learner's own returns meanwhile.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.utils import update_learning_rate

from agents import Agent
from kgb_env import IllegalActionError
from kgb_env.game import derive_seed

from ..config import ConfigError
from .settings import Imitation
from .vec_env import SB3VecEnv


class Teacher(BaseCallback):
    """Notes during a rollout what a teacher would choose, and lets the policy learn that instead of its own choices.

    Args:
        name: of the teacher, for messages.
        agent: the teacher; one that needs no memory.
        seed: from which it gets the seeds of its decisions.
    """

    def __init__(self, name: str, agent: Agent, seed: int) -> None:
        super().__init__()
        if agent.initial_carry(1) is not None:
            raise ConfigError(f"agent {name!r} has a memory of its own games and cannot teach")
        self._name, self._agent, self._seed, self._asked = name, agent, seed, 0
        self._answers: list[np.ndarray] = []

    @property
    def _envs(self) -> SB3VecEnv:
        assert isinstance(self.training_env, SB3VecEnv)
        return self.training_env

    def _ask(self) -> np.ndarray:
        batch = self._envs.envs.batch
        views = batch.frame.views
        seeds = np.array([derive_seed(self._seed, self._asked, row) for row in range(views.size)], np.uint64)
        self._asked += 1
        actions, _ = self._agent.act(views, seeds)
        try:
            actions = batch.game.require_actions(actions, views.size)
            batch.game.require_legal(batch.frame.action_mask, actions, batch.states)
        except IllegalActionError as error:
            raise ConfigError(f"agent {self._name!r}, the teacher: {error}") from None
        return actions

    def _on_rollout_start(self) -> None:
        self._answers = [self._ask()]

    def _on_step(self) -> bool:
        self._answers.append(self._ask())  # the last one, after the rollout, is not needed
        return True

    def _on_rollout_end(self) -> None:
        buffer = self.locals["rollout_buffer"]
        buffer.actions[:] = np.stack(self._answers[:-1])[:, :, None]


def imitate(model: Any, teacher: Teacher, config: Imitation, rollouts: int, callback: BaseCallback) -> None:
    """Let a policy learn what a teacher would do.

    Args:
        model: PPO or MaskablePPO, with new games.
        teacher: who is imitated.
        config: how fast it learns.
        rollouts: how many are played and learned from.
        callback: is told every step.
    """
    steps = rollouts * model.n_steps * model.n_envs
    _, hears = model._setup_learn(steps, [teacher, callback], reset_num_timesteps=False)
    hears.on_training_start(locals(), globals())
    for _ in range(rollouts):
        model.collect_rollouts(model.env, hears, model.rollout_buffer, n_rollout_steps=model.n_steps)
        losses = _fit(model, config)
        model.logger.record("imitation/cross_entropy", float(np.mean(losses)))
        model.dump_logs(0)
    hears.on_training_end()


def _fit(model: Any, config: Imitation) -> list[float]:
    """Make the teacher's choices likelier, and the critic's opinion nearer to the returns; return the losses."""
    policy, losses = model.policy, []
    policy.set_training_mode(True)
    update_learning_rate(policy.optimizer, config.learning_rate)
    for _ in range(config.n_epochs):
        for part in model.rollout_buffer.get(config.batch_size):
            masks = {"action_masks": part.action_masks} if hasattr(part, "action_masks") else {}
            values, log_prob, _ = policy.evaluate_actions(part.observations, part.actions.long().flatten(), **masks)
            loss = -log_prob.mean()
            losses.append(loss.item())
            policy.optimizer.zero_grad()
            (loss + model.vf_coef * torch.nn.functional.mse_loss(values.flatten(), part.returns)).backward()
            torch.nn.utils.clip_grad_norm_(policy.parameters(), model.max_grad_norm)
            policy.optimizer.step()
        model._n_updates += 1
    return losses
