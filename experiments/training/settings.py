"""What a training is made of: read from a file, and checked.  Every field says what it is for."""

from __future__ import annotations

import copy
import json
from typing import Annotated, Any, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from kgb_env import Game, KGBError
from kgb_env import game as configure
from kgb_env.learner import require_seat

from ..config import DEADLINE_FIELD, ConfigError, Configuration

STATE, CURVES, LAST, BEST = "state.json", "curves.png", "last.zip", "best.zip"  # files of a training


Share = Annotated[float, Field(ge=0)]
Width = Annotated[int, Field(ge=1)]


class Part(Configuration):
    """A part of a training; its numbers are finite."""

    model_config = ConfigDict(allow_inf_nan=False)


class Environment(Part):
    """The games that are learned from."""

    num_envs: int = Field(64, ge=1, le=65_536, description="games played side by side")
    seat: int | str = Field("random", description="where the learner sits: a seat, a role, or random: each in turn")
    skip_forced: bool = Field(True, description="decisions that leave no choice are made without asking")
    bootstrap_truncated: bool = Field(
        False, description="a game cut off by its limit is worth what the critic thinks, instead of what it paid"
    )


class Pool(Part):
    """Who plays the other seats: the mixture, as shares that need not add up to 1."""

    current: Share = Field(1.0, description="share of the policy that learns, as it is now")
    past: Share = Field(0.0, description="share of its past checkpoints, together")
    scripted: dict[str, Share] = Field({}, description="share of each scripted agent, or any other, by name")
    at_a_time: int = Field(4, ge=1, description="past checkpoints in a generation")
    priority: float = Field(
        1.0, ge=0, description="a past checkpoint that wins a share p of its games comes with weight p**priority"
    )
    keep: int = Field(50, ge=1, description="past checkpoints in the pool; of more, the one that wins least goes")

    @model_validator(mode="after")
    def _refuse_nobody(self) -> Self:
        if not (self.current or self.past or any(self.scripted.values())):
            raise ValueError("nobody plays the other seats; give current, past or a scripted agent a share above 0")
        return self


class Imitation(Part):
    """A beginning in which a teacher says what it would do, and rewards do not count yet."""

    agent: str | None = Field(None, description="the teacher: a scripted agent, or any other that needs no memory")
    generations: int = Field(4, ge=0, description="in which it is imitated; after them the learner is on its own")
    learning_rate: float = Field(1e-3, gt=0, description="of Adam meanwhile")
    batch_size: int = Field(256, ge=2, description="decisions in a gradient step")
    n_epochs: int = Field(4, ge=1, description="passes over a rollout")


class Network(Part):
    """The actor and the critic; see ``experiments/training/network.py``."""

    channels: int = Field(16, ge=1, description="of the first convolution over a board; the second has twice as many")
    features: int = Field(256, ge=1, description="from the board, and as many from all other pieces")
    hidden: list[Width] = Field([256], min_length=1, description="layers above the features, of actor and critic")
    critic: list[Width] = Field([128], description="layers of the critic above these")
    asymmetric: bool = Field(False, description="the critic sees what is hidden: the oracle observation")


class PPO(Part):
    """Settings of Proximal Policy Optimization, named as in Stable-Baselines3."""

    algorithm: Literal["MaskablePPO", "PPO"] = Field(
        "MaskablePPO", description="sb3-contrib's, or plain PPO that learns from a penalty what is illegal"
    )
    learning_rate: float = Field(3e-4, gt=0, description="of Adam, when rewards begin to count")
    final_learning_rate: float = Field(3e-5, ge=0, description="at the end; in between it falls along a line")
    n_steps: int = Field(128, ge=2, description="decisions of each game in a rollout")
    batch_size: int = Field(1024, ge=2, description="decisions in a gradient step")
    n_epochs: int = Field(4, ge=1, description="passes over a rollout")
    gamma: float = Field(0.997, ge=0, le=1, description="discount a decision")
    gae_lambda: float = Field(0.95, ge=0, le=1, description="of generalised advantage estimation")
    clip_range: float = Field(0.2, gt=0, description="how far a probability ratio may go")
    ent_coef: float = Field(0.01, ge=0, description="weight of the entropy in the loss, likewise")
    final_ent_coef: float = Field(0.002, ge=0, description="at the end")
    vf_coef: float = Field(0.5, ge=0, description="weight of the critic's loss")
    max_grad_norm: float = Field(0.5, gt=0, description="longest gradient")
    target_kl: float | None = Field(None, gt=0, description="stop the passes over a rollout at 1.5 times this")
    penalty: float = Field(1.0, ge=0, description="what an illegal action costs plain PPO; it ends the game too")


class Evaluation(Part):
    """Against whom the learner is measured as it learns; never who it learns from."""

    opponents: list[str] = Field(["random"], min_length=1, description="one after the other, in all other seats")
    games: int = Field(200, ge=1, description="against each, rounded up to whole deals")
    every: int = Field(1, ge=1, description="generations between two evaluations; the last is always evaluated")
    alone: bool = Field(False, description="of a role the learner has one seat, as when it learns, instead of all")
    choice: Literal["sample", "best"] = Field("sample", description="how the policy chooses: see `sb3:`")
    measure: Literal["wins", "returns"] = Field("wins", description="by which the best checkpoint is chosen")


class Training(Part):
    """A training: a number of generations, each with new games, an opponents' draw, and a checkpoint at its end."""

    game: str = Field(description="id of the game")
    options: dict[str, Any] = Field({}, description="options of the game")
    seed: int = Field(1, ge=0, lt=2**63, description="same seed, same weights, on one thread")
    steps: int = Field(ge=1, description="decisions of the learner, rounded up to whole generations")
    generation: int = Field(200_000, ge=1, description="decisions in a generation, rounded up to whole rollouts")
    deadline: float = DEADLINE_FIELD
    threads: int = Field(1, ge=1, description="of torch; with more than one the same seed may differ")
    environment: Environment = Environment()
    pool: Pool = Pool()
    imitation: Imitation = Imitation()
    network: Network = Network()
    ppo: PPO = PPO()
    evaluation: Evaluation = Evaluation()

    @model_validator(mode="after")
    def _refuse_a_step_on_one_decision(self) -> Self:
        decisions = self.environment.num_envs * self.ppo.n_steps
        if decisions % self.ppo.batch_size == 1:
            raise ValueError(
                f"a rollout of {decisions} decisions leaves one for the last gradient step, which has no spread to be "
                f"normalised by; change ppo.batch_size={self.ppo.batch_size}"
            )
        return self

    @property
    def rollouts(self) -> int:
        """How many rollouts a generation has."""
        return -(-self.generation // (self.environment.num_envs * self.ppo.n_steps))

    @property
    def steps_of_generation(self) -> int:
        """How many decisions a generation has."""
        return self.rollouts * self.environment.num_envs * self.ppo.n_steps

    @property
    def generations(self) -> int:
        """How many generations there are."""
        return -(-self.steps // self.steps_of_generation)

    @property
    def taught(self) -> int:
        """In how many generations the learner has a teacher."""
        return min(self.imitation.generations, self.generations) if self.imitation.agent else 0

    @property
    def total_steps(self) -> int:
        """How many decisions there are."""
        return self.generations * self.steps_of_generation

    def game_of(self) -> Game:
        """Return the configured game.

        Raises:
            ConfigError: there is no such game, it does not take the options, or has not the seat.
        """
        try:
            game = configure(self.game, **self.options)
            require_seat(game, self.environment.seat)
        except KGBError as error:
            raise ConfigError(f"{self.game}: {error}") from error
        return game


NAMED_FREELY = "pool.scripted.", "options."  # what follows is one name, whatever stands in it


def with_settings(described: dict[str, Any], assignments: list[str]) -> dict[str, Any]:
    """Return a description in which some fields have other values.

    Args:
        described: a training, unchecked.
        assignments: texts such as ``ppo.n_steps=256``, ``pool.scripted.sb3:old/best.zip=0.5``; values are JSON, or
            else texts.

    Raises:
        ConfigError: a text is no assignment, or goes into what is no part.
    """
    changed = copy.deepcopy(described)
    for assignment in assignments:
        prefix = next((prefix for prefix in NAMED_FREELY if assignment.startswith(prefix)), "")
        if prefix:
            *parts, _ = prefix.split(".")
            name, separator, value = assignment.removeprefix(prefix).rpartition("=")
        else:
            path, separator, value = assignment.partition("=")
            *parts, name = path.split(".")
        if not (separator and name and all(parts)):
            raise ConfigError(f"--set {assignment!r}: write PART.NAME=VALUE, as in ppo.n_steps=256")
        place = changed
        for part in parts:
            place = place.setdefault(part, {})
            if not isinstance(place, dict):
                raise ConfigError(f"--set {assignment!r}: {part} is {place!r} and has no parts")
        try:
            place[name] = json.loads(value)
        except ValueError:
            place[name] = value
    return changed
