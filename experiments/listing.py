"""What ``kgb list``, ``kgb show`` and ``kgb check`` print."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.padding import Padding
from rich.progress import Progress, TimeElapsedColumn
from rich.table import Table

from agents import agent_names, make_agent
from kgb_env import PUBLIC, Game
from kgb_env.game import require_seed
from kgb_env.registry import definition, games
from kgb_env.render.picture import SUFFIXES
from kgb_env.testing import check_game

from .config import ConfigError
from .files import require_writable, whole_file
from .match import decisions


def print_games() -> None:
    """Print every game with its options and agents."""
    console = Console(highlight=False)
    for info in games():
        console.print(f"[bold]{info.id}[/] - {info.title}: {info.summary}", soft_wrap=True)
        console.print(f"  agents: {', '.join(agent_names(info.id))}", soft_wrap=True)
        for id, options in info.presets.items():
            values = ", ".join(f"{name}={value}" for name, value in options.items())
            console.print(f"  preset {id}: {values}", soft_wrap=True)
        fields = definition(info.id).options.model_fields
        table = Table("Option", "Default", "Meaning", box=None, pad_edge=False)
        for name, default in info.options.items():
            table.add_row(name, json.dumps(default), fields[name].description or "")
        console.print(Padding(table, (0, 0, 1, 2)))


def print_table(game: Game, seed: int, seat: int | None, plies: int, name: str = "random") -> None:
    """Print table and log after some plies of an agent against itself, as ``seat`` (None: everybody) sees them."""
    view = _seen(game, seed, seat, plies, name)
    print(game.notation.draw(game, view))
    for line in game.notation.log(game, view):
        print(line)


def save_picture(path: Path, game: Game, seed: int, seat: int | None, plies: int, name: str = "random") -> None:
    """Write a picture of the same."""
    if path.suffix.lower() not in SUFFIXES:
        raise ConfigError(f"--picture {path}: its name must end in {' or '.join(SUFFIXES)}")
    require_writable(path)
    view = _seen(game, seed, seat, plies, name)
    with whole_file(path) as fresh:
        game.picture(view).save(fresh)
    print(f"Written: {path}")


def _seen(game: Game, seed: int, seat: int | None, plies: int, name: str) -> np.ndarray:
    """Return what a seat sees after some plies."""
    if seat is not None and not 0 <= seat < game.seats:
        raise ConfigError(f"seat={seat}: the seats of {game.id} are 0 to {game.seats - 1}")
    states, played = position(game, name, require_seed(seed), plies)
    if played < plies:
        print(f"The game was over after {played} plies.\n")
    return game.view(states, PUBLIC if seat is None else seat)


def print_check(game: Game, pairs: int, seed: int) -> None:
    """Run the contract test and print what it has checked."""
    with Progress(*Progress.get_default_columns(), TimeElapsedColumn(), console=Console(stderr=True)) as progress:
        task = progress.add_task("checking", total=pairs)
        report = check_game(game, pairs, seed, on_progress=lambda done: progress.update(task, completed=done))
    varied = ", ".join(f"{name} {count:,} times" for name, count in report.secrets.items())
    print(f"{game.id} keeps the contract: {report.pairs:,} (state, seat) pairs in {report.games:,} games.")
    print(f"Secrets varied: {varied or 'none'}. Possible worlds sampled: {report.worlds:,}.")


def position(game: Game, name: str, seed: int, plies: int) -> tuple[np.ndarray, int]:
    """Return game 0 of a match of an agent against itself after at most ``plies``, and how many were played."""
    for played, (states, _) in enumerate(decisions(game, make_agent(game, name), seed)):
        if played == plies or states["over"][0]:
            break
    return states, played
