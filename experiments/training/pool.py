"""Who a learner plays against: itself, its past, and scripted agents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from stable_baselines3.common.on_policy_algorithm import OnPolicyAlgorithm
from stable_baselines3.common.save_util import save_to_zip_file

from agents import Agent
from agents.sb3 import PARTS, PolicyAgent, load_policy
from kgb_env import Game
from kgb_env.learner import Player, Record

from .settings import Pool

CURRENT = "current"
WEIGHT_OF_OLD = 100  # meetings that count as much as all that is known of a past checkpoint
LEAST_WEIGHT = 0.01  # of a checkpoint that never wins, so that it is met again


@dataclass
class Past:
    """A past checkpoint: where it is, and how often it beats the learner, as far as known."""

    file: str
    wins: float = 0.5


class OpponentPool:
    """The pool of opponents.

    Args:
        game: a configured game.
        config: the mixture.
        scripted: agents by name.
        folder: where past checkpoints are.
    """

    def __init__(self, game: Game, config: Pool, scripted: Mapping[str, Agent], folder: Path) -> None:
        self.game, self.config, self._scripted, self._folder = game, config, dict(scripted), folder
        self._past: list[Past] = []
        self._policies: dict[str, Any] = {}
        self._drawn: list[str] = []

    def draw(self, policy: Any, rng: np.random.Generator) -> list[tuple[Player, float]]:
        """Return the opponents of a generation, with their shares.

        Args:
            policy: that learns; as an opponent it is always what it is then.
            rng: by which past checkpoints are drawn.
        """
        config = self.config
        named: list[tuple[str, Player, float]] = []
        past = self._draw_past(rng) if config.past else []
        current = config.current + (config.past if not past else 0)  # as long as there is no past
        if current:
            named.append((CURRENT, PolicyAgent(self.game, policy), current))
        for one in past:
            if one.file not in self._policies:
                self._policies[one.file], _ = load_policy(self.game, self._folder / one.file)
            named.append((one.file, PolicyAgent(self.game, self._policies[one.file]), config.past / len(past)))
        named += [(name, self._scripted[name], share) for name, share in config.scripted.items() if share]
        self._drawn = [name for name, _, _ in named]
        return [(player, share) for _, player, share in named]

    def _draw_past(self, rng: np.random.Generator) -> list[Past]:
        if not self._past:
            return []
        logs = self.config.priority * np.log([max(one.wins, LEAST_WEIGHT) for one in self._past])
        weights = np.maximum(np.exp(logs - logs.max()), np.finfo(float).tiny)  # of several none may vanish
        number = min(self.config.at_a_time, weights.size)
        chosen = rng.choice(weights.size, number, replace=False, p=weights / weights.sum())
        return [self._past[i] for i in sorted(chosen.tolist())]

    def learn_from(self, record: Record) -> None:
        """Note how often past checkpoints have won in a generation."""
        by_file = {one.file: one for one in self._past}
        for name, met, won in zip(self._drawn, record.met, record.won, strict=True):
            if name in by_file and met:
                weight = met / (met + WEIGHT_OF_OLD)
                by_file[name].wins += float(weight * (1 - won / met - by_file[name].wins))

    def told(self, record: Record) -> dict[str, list[float]]:
        """Return how many seats of each opponent the learner has met in a generation, and what share it has beaten."""
        numbers = zip(self._drawn, record.met.tolist(), record.won.tolist(), strict=True)
        return {name: [met, won / met if met else 0.5] for name, met, won in numbers}

    def add(self, generation: int, model: OnPolicyAlgorithm) -> list[Path]:
        """Keep a checkpoint of the policy; return the files of checkpoints that have left the pool for it."""
        if not self.config.past:
            return []
        self._folder.mkdir(exist_ok=True)
        one = Past(f"{generation:05d}.zip")
        save_policy(model, self._folder / one.file)
        gone = []
        while len(self._past) >= self.config.keep:
            weakest = min(self._past, key=lambda past: past.wins)
            self._past.remove(weakest)
            self._policies.pop(weakest.file, None)
            gone.append(self._folder / weakest.file)
        self._past.append(one)
        return gone

    def state(self) -> list[dict[str, Any]]:
        """Return what is to be kept of the pool, as JSON has it."""
        return [asdict(one) for one in self._past]

    def restore(self, state: list[dict[str, Any]]) -> None:
        """Take over what ``state`` has given; files of other checkpoints go."""
        self._past = [Past(**one) for one in state]
        known = {one.file for one in self._past}
        for path in self._folder.glob("*.zip"):
            if path.name not in known:
                path.unlink()


def save_policy(model: OnPolicyAlgorithm, path: Path) -> None:
    """Save what an agent needs of a model, without its optimiser."""
    save_to_zip_file(path, data=parts_of(model), params={"policy": model.policy.state_dict()})


def parts_of(model: OnPolicyAlgorithm) -> dict[str, Any]:
    """Return what the policy of a model is made of, but for its weights."""
    return {name: getattr(model, name) for name in PARTS}
