"""Do beliefs come true?  Of all that an agent held to be so with a probability near p, a share near p should be so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.progress import Progress, TimeElapsedColumn
from rich.table import Table

from agents import agent_names, make_agent
from kgb_env import Game
from kgb_env.game import require_seed

from .config import ConfigError
from .explain import can
from .match import decisions

BINS = 10


class Bin(NamedTuple):
    """Probabilities of one tenth: how many, their mean, and how many of these came true."""

    size: int
    predicted: float
    observed: float


class Calibration(NamedTuple):
    """How well beliefs come true.

    Attributes:
        bins: from probabilities 0 to 0.1, then 0.1 to 0.2, and so on; empty bins have NaN in them.
        deviation: mean distance of predicted and observed, over the bins that are not empty.
    """

    bins: list[Bin]
    deviation: float


def reliability(predicted: np.ndarray, came_true: np.ndarray) -> Calibration:
    """Sort probabilities into ten bins and compare each bin with what happened.

    Args:
        predicted: probabilities, any shape.
        came_true: bool, the same shape.
    """
    predicted, came_true = predicted.ravel(), came_true.ravel()
    number = np.minimum((predicted * BINS).astype(np.int64), BINS - 1)
    count = np.bincount(number, minlength=BINS)
    with np.errstate(invalid="ignore"):
        mean = np.bincount(number, predicted, BINS) / count
        share = np.bincount(number, came_true, BINS) / count
    bins = [Bin(*row) for row in zip(count.tolist(), mean.tolist(), share.tolist(), strict=True)]
    return Calibration(bins, float(np.nanmean(np.abs(mean - share))))


def calibrate(
    game: Game, name: str, games: int, seed: int = 1, on_progress: Callable[[int], None] = lambda done: None
) -> Calibration:
    """Let an agent play itself, and hold all that it believes at its decisions against what is so.

    Args:
        game: a configured game.
        name: an agent that has ``beliefs(views)`` and ``facts(states, seats)``.
        games: how many to play: deals 0, 1, ... of a match.
        seed: of the match.
        on_progress: called with the number of games played.

    Raises:
        ConfigError: the agent does not say what it believes.
    """
    agent: Any = make_agent(game, name)
    if not hasattr(agent, "beliefs"):
        raise ConfigError(f"agent {name!r} does not say what it believes")
    predicted, came_true = [], []
    for deal in range(games):
        for states, _ in decisions(game, agent, require_seed(seed), deal):
            if not states["over"][0]:
                seats = states["to_move"].astype(np.int64)
                predicted.append(agent.beliefs(game.view(states, seats)))
                came_true.append(agent.facts(states, seats))
        on_progress(deal + 1)
    return reliability(np.concatenate(predicted), np.concatenate(came_true))


def believing_agent(game: Game) -> str:
    """Return the name of the agent of this game that says what it believes.

    Raises:
        ConfigError: none does.
    """
    for name in agent_names(game.id):
        if can(game, name, "beliefs"):
            return name
    raise ConfigError(f"no agent of {game.id} says what it believes")


def print_calibration(game: Game, name: str | None, games: int, seed: int) -> None:
    """Calibrate an agent and print the bins."""
    name = name or believing_agent(game)
    with Progress(*Progress.get_default_columns(), TimeElapsedColumn(), console=Console(stderr=True)) as progress:
        task = progress.add_task("playing", total=games)
        result = calibrate(game, name, games, seed, lambda done: progress.update(task, completed=done))
    table = Table("Believed", "How often", "Mean belief", "Came true")
    for k, row in enumerate(result.bins):
        if row.size:
            tenth = f"{k / BINS:.1f} to {(k + 1) / BINS:.1f}"
            table.add_row(tenth, f"{row.size:,}", f"{row.predicted:.3f}", f"{row.observed:.3f}")
    console = Console()
    console.print(table)
    console.print(f"{name}, {games:,} games against itself: mean deviation {result.deviation:.3f} over the bins")
