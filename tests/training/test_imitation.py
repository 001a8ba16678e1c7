"""Learning from a teacher: its answers stand beside the very observations that they answer."""

import numpy as np
import pytest
import torch
from rich.console import Console
from sb3_contrib import MaskablePPO

from agents import make_agent
from experiments.config import ConfigError
from experiments.progress import MatchProgress
from experiments.training.imitation import Teacher
from experiments.training.settings import Training
from experiments.training.train import Trainer

TINY = {
    "game": "confusion-mini",
    "steps": 1024,
    "generation": 512,
    "environment": {"num_envs": 8},
    "imitation": {"agent": "greedy", "generations": 2, "batch_size": 64},
    "network": {"channels": 4, "features": 32, "hidden": [32], "critic": [8]},
    "ppo": {"n_steps": 16, "batch_size": 64},
    "evaluation": {"games": 4},
}


class FirstLegal:
    """A teacher whose answer can be read off the mask."""

    def __init__(self, game):
        self.game = game

    def initial_carry(self, n):
        return None

    def act(self, views, seeds, carry=None):
        return self.game.encode(views).action_mask.argmax(axis=1), carry


def trainer_of(folder, **changed):
    return Trainer(Training.parse({**TINY, **changed}), folder)


def test_answers_belong_to_their_observations(tmp_path):
    trainer = trainer_of(tmp_path)
    model = trainer.model
    teacher = Teacher("first", FirstLegal(trainer.game), seed=1)
    _, hears = model._setup_learn(128, teacher, reset_num_timesteps=False)
    hears.on_training_start(locals(), globals())
    assert model.collect_rollouts(model.env, hears, model.rollout_buffer, n_rollout_steps=16)
    buffer = model.rollout_buffer
    masks = buffer.action_masks.reshape(16, 8, -1)
    assert (buffer.actions[:, :, 0] == masks.argmax(axis=2)).all()
    assert (masks.sum(axis=2) > 1).all()  # decisions that leave no choice teach nothing
    assert len(np.unique(buffer.actions)) > 3


def test_the_teacher_becomes_likelier(tmp_path):
    trainer = trainer_of(tmp_path)
    game, teacher = trainer.game, make_agent(trainer.game, "greedy")
    batch = trainer._envs.envs.batch
    batch.reset(99)
    frame, views = batch.frame, batch.frame.views.copy()
    answers, _ = teacher.act(views, np.arange(views.size, dtype=np.uint64))

    def likelihood():
        seen = {
            name: torch.as_tensor(part)
            for name, part in zip(("observation", "observation_mask"), frame[1:3], strict=True)
        }
        distribution = trainer.model.policy.get_distribution(seen, frame.action_mask)
        return float(distribution.log_prob(torch.as_tensor(answers)).mean().detach())

    before = likelihood()
    trainer.run(MatchProgress(1, Console(quiet=True)))
    assert likelihood() > before + 0.3
    assert game.encode(views).action_mask[np.arange(views.size), answers].all()


def test_after_the_teacher_rewards_count(tmp_path, monkeypatch):
    """The second generation is PPO's."""
    trainer = trainer_of(tmp_path, imitation={"agent": "greedy", "generations": 1})
    learned = []
    learn = MaskablePPO.learn

    def noted(self, *args, **kwargs):
        learned.append(trainer.generation)
        return learn(self, *args, **kwargs)

    monkeypatch.setattr(MaskablePPO, "learn", noted)
    trainer.run(MatchProgress(1, Console(quiet=True)))
    assert learned == [1]


def test_a_teacher_needs_no_memory():
    class Remembering(FirstLegal):
        def initial_carry(self, n):
            return np.zeros(n)

    with pytest.raises(ConfigError, match="'old' has a memory"):
        Teacher("old", Remembering(None), 1)


def test_a_teacher_that_breaks_the_rules_is_named(tmp_path):
    class Cheat(FirstLegal):
        def act(self, views, seeds, carry=None):
            return np.full(views.size, self.game.actions.size - 1), carry

    trainer = trainer_of(tmp_path)
    trainer._teacher = Cheat(trainer.game)
    with pytest.raises(ConfigError, match=r"agent 'greedy', the teacher: .* is illegal"):
        trainer.run(MatchProgress(1, Console(quiet=True)))
