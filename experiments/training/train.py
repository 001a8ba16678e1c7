"""A policy learns by playing against itself, its past, and scripted agents.

A training is a series of generations.  Each begins with new games and seeds of its own, draws its opponents from the
pool, and ends with an evaluation and a checkpoint.  So a training that was killed goes on from the last checkpoint as
if nothing had happened: the generation that was broken off begins anew, with the same seeds.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any, Self
from zipfile import BadZipFile

import numpy as np
import torch
from filelock import FileLock, Timeout
from sb3_contrib import MaskablePPO
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import configure
from stable_baselines3.common.on_policy_algorithm import OnPolicyAlgorithm

from agents import Agent
from agents.names import file_of, is_from_outside
from agents.sb3 import PolicyAgent, in_double_precision, rebuild
from kgb_env import KGBVectorEnv, derive_seed

from ..config import ConfigError
from ..outside import make_player, make_steady_player
from ..progress import MatchProgress
from ..tournament.manifest import file_digest, game_digests, source_digest
from .curves import draw_curves
from .evaluation import Places, figure, mean_of, play_against, row_of, title_of
from .imitation import Teacher, imitate
from .network import PiecesPolicy, UnmaskedPiecesPolicy
from .pool import OpponentPool, parts_of
from .settings import BEST, CURVES, LAST, STATE, Training
from .vec_env import SB3VecEnv

LOCK = ".lock"
STREAMS = PLAY, DRAW, EVALUATE, TEACH = 0, 1, 2, 3  # what seeds of a generation are for


class Trainer:
    """A training in a folder.

    Args:
        config: what is trained.
        folder: where checkpoints and figures are; what is there already is gone on with.

    Attributes:
        history: a row a generation: what was met, and how the evaluation went.
        best: which generation's checkpoint is the best, and its score in the evaluation that chose it.
        notes: what whoever goes on should know.

    Raises:
        ConfigError: the folder holds another training or is in use, or a setting does not fit.
    """

    def __init__(self, config: Training, folder: Path) -> None:
        self.config, self.folder, self.game = config, folder, config.game_of()
        torch.set_num_threads(config.threads)
        torch.distributions.Distribution.set_default_validate_args(False)  # it refuses sums of many probabilities
        scripted = {name: make_steady_player(self.game, name, config.deadline) for name in config.pool.scripted}
        self._judges = {name: make_player(self.game, name, config.deadline) for name in config.evaluation.opponents}
        self._teacher = self._make_teacher()
        self.pool = OpponentPool(self.game, config.pool, scripted, folder / "past")
        self._envs = SB3VecEnv(
            KGBVectorEnv(
                self.game,
                config.environment.num_envs,
                config.environment.seat,
                oracle=config.network.asymmetric,
                penalty=config.ppo.penalty,
                illegal="penalty" if config.ppo.algorithm == "PPO" else "raise",
                skip_forced=config.environment.skip_forced,
            ),
            config.environment.bootstrap_truncated,
        )
        self._told = {
            "config": config.model_dump(),
            "agents": self._outside_agents(),
            "data": game_digests(self.game),
        }
        self.notes: list[str] = []
        self.history: list[dict[str, Any]] = []
        self.best: dict[str, Any] = {}
        self.sources: list[str] = []  # digests of this project's files, more than one if they have changed meanwhile
        self._lock = FileLock(folder / LOCK, timeout=0)
        try:
            self._lock.acquire()
            self.model = self._begin_or_go_on()
        except Timeout:
            raise ConfigError(f"{folder} is in use by another training") from None
        except BaseException:
            self.close()
            raise
        if source_digest() not in self.sources:
            if self.sources:
                self.notes.append("kgb-env has changed since this training began: other weights may come out")
            self.sources.append(source_digest())
        self.model.set_logger(configure(str(folder / "tensorboard"), ["tensorboard"]))

    @property
    def generation(self) -> int:
        """How many generations have ended."""
        return len(self.history)

    def run(self, progress: MatchProgress) -> Self:
        """Train until the steps are used up.

        Args:
            progress: is told how far it is.
        """
        while self.generation < self.config.generations:
            begun = time.monotonic()
            self._learn(progress)
            learned = time.monotonic()
            row = self._evaluate()
            row |= {"learning_seconds": learned - begun, "evaluation_seconds": time.monotonic() - learned}
            self._keep(row)
            progress.say(told(row, self.config))
        return self

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Let others use the folder."""
        self._lock.release()

    def _make_teacher(self) -> Agent | None:
        """Return who is imitated, or raise ConfigError if it cannot teach."""
        name = self.config.imitation.agent
        if not name:
            return None
        teacher = make_steady_player(self.game, name, self.config.deadline)
        Teacher(name, teacher, 0)
        return teacher

    def draw(self) -> Path:
        """Draw the learning curves; return where."""
        path, measure, title = self.folder / CURVES, self.config.evaluation.measure, self.game.title
        taught = self.config.taught * self.config.steps_of_generation
        draw_curves(self.history, measure, f"{title}: {self.config.total_steps:,} decisions", path, taught)
        return path

    def _begin_or_go_on(self) -> OnPolicyAlgorithm:
        """Return the model of the last checkpoint, or a new one."""
        path = self.folder / STATE
        if not path.exists():
            return self._new_model()
        try:
            state = json.loads(path.read_text(encoding="utf-8"))
            told = {name: state[name] for name in self._told}
            self.history, self.best, self.sources = state["history"], state["best"], state["sources"]
            self.pool.restore(state["pool"])
            checkpoint = self.folder / state["checkpoint"]
        except (ValueError, KeyError, TypeError) as error:
            raise ConfigError(f"{path} is damaged ({type(error).__name__}: {error}); it stays as it is") from None
        if told["config"] != self._told["config"]:
            raise ConfigError(f"{self.folder} holds another training; give --out another folder, or remove that one")
        for name, what in (("agents", "an agent's file"), ("data", "a data file of the game")):
            if told[name] != self._told[name]:
                raise ConfigError(f"{self.folder}: {what} has changed since; give --out another folder")
        try:
            model = self._algorithm.load(checkpoint, env=self._envs, device="cpu")
        except (OSError, ValueError, EOFError, BadZipFile) as error:
            raise ConfigError(f"{checkpoint}, from which the training would go on: {error}") from None
        self._show(checkpoint)
        return model

    def _outside_agents(self) -> dict[str, str]:
        """Return digests of the files of agents that are none of this project's."""
        teacher = self.config.imitation.agent
        names = {*self.config.pool.scripted, *self.config.evaluation.opponents, *([teacher] if teacher else [])}
        return {
            name: file_digest(file_of(self.game.id, name))
            for name in sorted(names)
            if is_from_outside(self.game.id, name)
        }

    @property
    def _algorithm(self) -> type[OnPolicyAlgorithm]:
        return MaskablePPO if self.config.ppo.algorithm == "MaskablePPO" else PPO

    def _new_model(self) -> OnPolicyAlgorithm:
        config, network = self.config, self.config.network
        settings = config.ppo.model_dump(
            exclude={"algorithm", "penalty", "learning_rate", "final_learning_rate", "ent_coef", "final_ent_coef"}
        )
        policy: Any = PiecesPolicy if self._algorithm is MaskablePPO else UnmaskedPiecesPolicy
        return self._algorithm(
            policy,
            self._envs,
            policy_kwargs={
                "game": self.game,
                "channels": network.channels,
                "features": network.features,
                "hidden": tuple(network.hidden),
                "critic": tuple(network.critic),
            },
            seed=config.seed % 2**32,
            device="cpu",
            **settings,
        )

    def _seed(self, stream: int) -> int:
        return derive_seed(self.config.seed, self.generation, stream) % 2**32

    def _learn(self, progress: MatchProgress) -> None:
        """Let the policy learn for one generation."""
        config, model = self.config, self.model
        part = max(0, self.generation - config.taught) / max(1, config.generations - config.taught - 1)
        model.ent_coef = between(config.ppo.ent_coef, config.ppo.final_ent_coef, part)
        model.learning_rate = between(config.ppo.learning_rate, config.ppo.final_learning_rate, part)
        model._setup_lr_schedule()
        self._envs.envs.set_opponents(self.pool.draw(model.policy, np.random.default_rng(self._seed(DRAW))))
        model.set_env(self._envs)  # begins new games
        model.set_random_seed(self._seed(PLAY))
        model.ep_info_buffer = None  # what it reports is of this generation
        steps = _Steps(progress, config.total_steps)
        if self._teacher and self.generation < config.taught:
            teacher = Teacher(config.imitation.agent or "", self._teacher, self._seed(TEACH))
            imitate(model, teacher, config.imitation, config.rollouts, steps)
        else:
            model.learn(config.steps_of_generation, callback=steps, reset_num_timesteps=False, log_interval=1)
        self.pool.learn_from(self._envs.envs.batch.record)
        if not all(bool(torch.isfinite(weights).all()) for weights in model.policy.parameters()):
            raise ConfigError(
                f"generation {self.generation + 1} has made weights that are no numbers; a lower ppo.learning_rate or "
                "ppo.max_grad_norm may help (in another folder). The last checkpoint stays"
            )

    def _evaluate(self) -> dict[str, Any]:
        """Return how good the policy is now: a row of the history."""
        config, model = self.config, self.model
        number = self.generation + 1
        returns = [episode["r"] for episode in model.ep_info_buffer or []]  # of the last games, a hundred at most
        row: dict[str, Any] = {
            "generation": number,
            "steps": int(model.num_timesteps),
            "mean_return": float(np.mean(returns)) if returns else None,
            "opponents": self.pool.told(self._envs.envs.batch.record),
            "evaluation": [],
        }
        if number % config.evaluation.every and number < config.generations:
            return row
        policy = in_double_precision(rebuild(**parts_of(model), weights=model.policy.state_dict()))
        agent = PolicyAgent(self.game, policy, is_best=config.evaluation.choice == "best")
        seed = derive_seed(config.seed, 0, EVALUATE) >> 1
        places = Places(config.environment.seat, config.evaluation.alone)
        scores = play_against(self.game, agent, self._judges, config.evaluation.games, seed, places)
        row["evaluation"] = [row_of(self.game, of, config.seed) for of in scores]
        for result in row["evaluation"]:
            model.logger.record(f"evaluation/{title_of(result)}", result[config.evaluation.measure])
        model.logger.dump(model.num_timesteps)
        return row

    def _keep(self, row: dict[str, Any]) -> None:
        """Write a checkpoint; with STATE, which names it, the generation has been."""
        number, model = row["generation"], self.model
        if row["evaluation"]:
            score = mean_of(row["evaluation"], self.config.evaluation.measure)
            if not self.best or score > self.best["score"]:
                self.best = {"generation": number, "steps": row["steps"], "score": score}
        checkpoint = self.folder / f"checkpoint-{number:05d}.zip"
        unfinished = self.folder / f"unfinished-{checkpoint.name}"
        model.save(unfinished, exclude=["_last_obs", "_last_episode_starts", "ep_info_buffer"])
        unfinished.replace(checkpoint)
        gone = self.pool.add(number, model)
        self.history.append(row)
        state = {
            **self._told,
            "sources": self.sources,
            "checkpoint": checkpoint.name,
            "best": self.best,
            "pool": self.pool.state(),
            "history": self.history,
        }
        write_whole(self.folder / STATE, json.dumps(state, indent=1).encode())
        self._show(checkpoint)
        for path in (*gone, *self.folder.glob("checkpoint-*.zip")):
            if path != checkpoint:
                path.unlink()

    def _show(self, checkpoint: Path) -> None:
        """Copy the last checkpoint to where users look for it; also after a kill between STATE and this."""
        for name in (LAST, *([BEST] if self.best.get("generation") == self.generation else [])):
            write_whole(self.folder / name, checkpoint.read_bytes())


class _Steps(BaseCallback):
    """Shows how many steps there were."""

    def __init__(self, progress: MatchProgress, total: int) -> None:
        super().__init__()
        self._progress, self._total = progress, total

    def _on_step(self) -> bool:
        self._progress.update(self.num_timesteps, self._total)
        return True


def between(first: float, last: float, part: float) -> float:
    """Return what lies a part of the way between two numbers."""
    return first + part * (last - first)


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that it is either the old one or the new one, whenever we are killed."""
    unfinished = path.with_name(f"unfinished-{path.name}")
    unfinished.write_bytes(content)
    unfinished.replace(path)


def told(row: dict[str, Any], config: Training) -> str:
    """Say how a generation went, in a line."""
    measure = config.evaluation.measure
    results = [f"{title_of(result)} {figure(result, measure)}" for result in row["evaluation"]]
    seconds = row["learning_seconds"]
    speed = f"{config.steps_of_generation / seconds:,.0f} steps/s" if seconds else ""
    return f"generation {row['generation']} of {config.generations}, {row['steps']:,} steps, {speed}: " + (
        ", ".join(results) or "not evaluated"
    )
