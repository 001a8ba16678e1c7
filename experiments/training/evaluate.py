"""The command ``kgb evaluate``: agents against others, all on the same deals."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console

from agents import Agent, agent_names
from kgb_env import Game

from ..config import ConfigError
from ..outside import make_player
from ..progress import MatchProgress
from ..report import table, to_json, write_files
from ..statistics import interval, rounded
from .evaluation import EVERYWHERE, Places, Scores, figure, play_against, roles_played, row_of, title_of
from .settings import BEST, STATE, Training

FIGURES = "wins", "returns"


def trained_in(folder: Path) -> Training:
    """Return the training that a folder holds.

    Raises:
        ConfigError: it holds none, or has no best checkpoint yet.
    """
    path = folder / STATE
    if not path.is_file():
        raise ConfigError(f"{folder} holds no training (there is no {STATE})")
    try:
        config = json.loads(path.read_text(encoding="utf-8"))["config"]
    except (ValueError, KeyError, TypeError) as error:
        raise ConfigError(f"{path} is damaged ({type(error).__name__}: {error})") from None
    if not (folder / BEST).is_file():
        raise ConfigError(f"{folder} has no {BEST}: nothing was evaluated yet")
    return Training.parse(config, str(path))


def run_evaluation(
    game: Game,
    agents: Mapping[str, Agent | None],
    opponents: Sequence[str],
    games: int,
    seed: int,
    deadline: float,
    as_json: bool,
    out: Path | None,
) -> None:
    """Measure agents against opponents, all on the same deals; print the scores and how the agents differ.

    Args:
        game: a configured game.
        agents: by name; those that are None are made.
        opponents: names of those who have all other seats.
        games: against each opponent and in each role.
        seed: of the deals.
        deadline: seconds that an agent from outside has for an answer.
        as_json: print JSON and nothing else.
        out: a folder for the result.

    Raises:
        AgentError: there is no such agent.
        ConfigError: nobody to measure or to play against.
    """
    if not agents or not opponents:
        known = ", ".join(agent_names(game.id))
        raise ConfigError(f"name an agent, and with --against who it plays: sb3:model.zip, or one of {known}")
    if out:
        write_files(out, {})
    measured = {name: agent or make_player(game, name, deadline) for name, agent in agents.items()}
    judges = {name: make_player(game, name, deadline) for name in opponents}
    rows: list[dict[str, Any]] = []
    differences: list[dict[str, Any]] = []
    reference: list[Scores] = []
    of_one = len(judges) * len(roles_played(game)) * games
    with MatchProgress(len(measured) * of_one, Console(stderr=True)) as progress:
        for number, (name, agent) in enumerate(measured.items()):
            scores = measure(game, agent, judges, games, seed, progress, number * of_one)
            rows += [{"agent": name, **row_of(game, of, seed)} for of in scores]
            reference = reference or scores
            if number:
                pairs = zip(reference, scores, strict=True)
                differences += [difference_of(game, next(iter(measured)), name, *pair, seed) for pair in pairs]
    result = {"game": game.id, "options": game.options, "seed": seed, "scores": rows, "differences": differences}
    if as_json:
        print(to_json(result), end="")
    else:
        say(f"{game.id}, seed {seed}")
        print_scores(rows)
        for difference in differences:
            say(told_difference(difference))
    if out:
        path = write_files(out, {"evaluation.json": to_json(result)})[-1]
        if not as_json:
            say(f"Written to {path}")


def measure(
    game: Game,
    agent: Agent,
    opponents: Mapping[str, Agent],
    games: int,
    seed: int,
    progress: MatchProgress,
    before: int = 0,
    places: Places = EVERYWHERE,
) -> list[Scores]:
    """Return how an agent does against each opponent, and show how far it is."""

    def tell(finished: int) -> None:
        progress.update(before + finished, progress.total)

    try:
        return play_against(game, agent, opponents, games, seed, places, tell)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(progress.summary()) from None


def difference_of(game: Game, one: str, other: str, ones: Scores, others: Scores, seed: int) -> dict[str, Any]:
    """Return by how much an agent wins more often than another on the same deals, with a 95 % interval."""
    found: dict[str, Any] = {"agent": one, "than": other, "opponent": ones.opponent, "role": ones.role}
    width = game.max_return - game.min_return
    for name, gained, scale in (
        ("wins", ones.wins - others.wins, 1.0),
        ("returns", ones.returns - others.returns, width),
    ):
        low, high = interval((gained / scale + 1) / 2, seed)
        found |= {
            name: rounded(gained.mean()),
            f"{name}_low": rounded((2 * low - 1) * scale),
            f"{name}_high": rounded((2 * high - 1) * scale),
        }
    return found


def told_difference(found: Mapping[str, Any]) -> str:
    """Say who is better in a line."""
    gains = ", ".join(f"{name} {figure(found, name, '+.3f')}" for name in FIGURES)
    return f"{found['agent']} {title_of(found)}, compared with {found['than']} on the same deals: {gains}"


def print_scores(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print the rows of an evaluation, a table for each opponent and role; in brackets are 95 % intervals."""
    for title, deals in dict.fromkeys((title_of(row), row["deals"]) for row in rows):
        failed = sum(row["forfeits"] for row in rows if title_of(row) == title)
        say(f"{title[0].upper()}{title[1:]}, {deals:,} deals{f', {failed:,} games forfeited' if failed else ''}")
        cells = [(row["agent"], *map(partial(figure, row), FIGURES)) for row in rows if title_of(row) == title]
        Console().print(table(("Agent", *map(str.capitalize, FIGURES)), cells))


def say(line: str) -> None:
    """Print a line of results."""
    Console().print(line, markup=False, highlight=False, soft_wrap=True)
