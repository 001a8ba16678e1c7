"""Spy games with hidden information as reinforcement-learning environments."""

import warnings
from functools import partial
from typing import Any

import gymnasium
import pettingzoo

from kgb_env.aec import KGBEnv
from kgb_env.answer import parse_move
from kgb_env.batch import BatchEnv
from kgb_env.errors import (
    DataFileError,
    GameOverError,
    IllegalActionError,
    KGBError,
    NotationError,
    OptionError,
    RecordError,
    RenderError,
    ReplayError,
    SeedError,
)
from kgb_env.game import Game, derive_seed
from kgb_env.gym import KGBGymEnv, KGBVectorEnv
from kgb_env.learner import LearnerBatch, Opponents
from kgb_env.prompt import text_view
from kgb_env.record import CHANCE, NOBODY, PUBLIC, UNKNOWN
from kgb_env.recording import Recording
from kgb_env.registry import BUILT_IN, game, games, preset_ids
from kgb_env.replay import Replay, append_replay, read_replays

__version__ = "0.1.0"
__all__ = [
    "CHANCE",
    "NOBODY",
    "PUBLIC",
    "UNKNOWN",
    "BatchEnv",
    "DataFileError",
    "Game",
    "GameOverError",
    "IllegalActionError",
    "KGBEnv",
    "KGBError",
    "KGBGymEnv",
    "KGBVectorEnv",
    "LearnerBatch",
    "NotationError",
    "OptionError",
    "RecordError",
    "Recording",
    "RenderError",
    "Replay",
    "ReplayError",
    "SeedError",
    "append_replay",
    "derive_seed",
    "game",
    "games",
    "make",
    "make_batch",
    "make_gym",
    "make_gym_vec",
    "parse_move",
    "read_replays",
    "text_view",
]


def make(
    id: str,
    /,
    *,
    illegal: str = "raise",
    penalty: float = 1.0,
    env_index: int = 0,
    render_mode: str | None = None,
    render_as: str = "public",
    **options: Any,
) -> KGBEnv:
    """Return a PettingZoo AEC environment of a game; see KGBEnv for the arguments."""
    return KGBEnv(game(id, **options), illegal, penalty, env_index, render_mode, render_as)


def make_batch(
    id: str, /, num_envs: int, seed: int = 0, *, illegal: str = "raise", penalty: float = 1.0, **options: Any
) -> BatchEnv:
    """Return a batch of environments of a game; see BatchEnv for the arguments."""
    return BatchEnv(game(id, **options), num_envs, seed, illegal=illegal, penalty=penalty)


def make_gym(
    id: str,
    /,
    *,
    seat: int | str = "random",
    opponents: Opponents = "random",
    observation: str = "dict",
    oracle: bool = False,
    illegal: str = "terminate",
    penalty: float = 1.0,
    env_index: int = 0,
    skip_forced: bool = False,
    render_mode: str | None = None,
    **options: Any,
) -> KGBGymEnv:
    """Return a Gymnasium environment in which one seat of a game learns; see KGBGymEnv for the arguments."""
    chosen = game(id, **options)
    return KGBGymEnv(
        chosen, seat, opponents, observation, oracle, illegal, penalty, env_index, skip_forced, render_mode
    )


def make_gym_vec(
    id: str,
    /,
    num_envs: int,
    *,
    seat: int | str = "random",
    opponents: Opponents = "random",
    observation: str = "dict",
    oracle: bool = False,
    illegal: str = "terminate",
    penalty: float = 1.0,
    skip_forced: bool = False,
    render_mode: str | None = None,
    **options: Any,
) -> KGBVectorEnv:
    """Return a Gymnasium vector environment of such games; see KGBVectorEnv for the arguments."""
    chosen = game(id, **options)
    return KGBVectorEnv(
        chosen, num_envs, seat, opponents, observation, oracle, illegal, penalty, skip_forced, render_mode
    )


def _make_registered(game: str, **arguments: Any) -> KGBGymEnv:
    return make_gym(game, **arguments)


def _make_registered_vec(game: str, num_envs: int, **arguments: Any) -> KGBVectorEnv:
    return make_gym_vec(game, num_envs, **arguments)


def _register() -> None:
    """Let ``pettingzoo.make("aec", "kgb/confusion-v0")`` and ``gymnasium.make`` work once this package is imported."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a reload would warn that we override ourselves
        for id in (*BUILT_IN, *preset_ids()):
            pettingzoo.register("aec", f"kgb/{id}-v0", partial(make, id))
            gymnasium.register(
                f"kgb/{id}-v0",
                entry_point="kgb_env:_make_registered",
                vector_entry_point="kgb_env:_make_registered_vec",
                kwargs={"game": id},
            )


_register()
