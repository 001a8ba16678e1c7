"""The command ``kgb benchmark``: an agent's score in a named, versioned task."""

from __future__ import annotations

import csv
import json
import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

import joblib
import numpy as np
from pydantic import Field
from rich.console import Console

from agents import Agent, agent_names, parse_agent
from agents.names import file_of, is_from_outside
from kgb_env import Game, __version__
from kgb_env import game as configure

from .config import ConfigError, Configuration, config_folder, configuration_names, read_configuration
from .match import Table, whole_sets
from .outside import DEADLINE, make_player
from .progress import MatchProgress
from .report import table as terminal_table
from .seating import lineups_against
from .statistics import interval, points, rounded
from .tournament.manifest import file_digest, game_digests, source_digest

FOLDER = "benchmark"
REFERENCE = "reference.csv"
COLUMNS = ("task", "agent", "score", "low", "high", "games", "forfeits", "seed", "version")
CHUNK = 120  # games that are played side by side, and kept when the command is broken off


class Task(Configuration):
    """A task: how an agent is measured.  A change of anything here makes another version of the name."""

    title: str = Field(description="what the score says")
    game: str = Field(description="id of the game")
    options: dict[str, Any] = Field({}, description="options of the game")
    opponents: list[str] = Field(min_length=1, description="who is played against, one after the other")
    role: str = Field("", description="the role that the agent plays, all others being an opponent's; else one seat")
    score: Literal["wins", "returns"] = Field("wins", description="the share of wins, draws counting half; or returns")
    games: int = Field(ge=1, description="games against each opponent, rounded up to whole deals")
    seed: int = Field(ge=0, lt=2**63, description="of the deals")

    def game_of(self) -> Game:
        """Return the configured game.

        Raises:
            ConfigError: it has not the role of the task.
        """
        game = configure(self.game, **self.options)
        if self.role and self.role not in game.roles:
            raise ConfigError(f"role={self.role!r}: the roles of {game.id} are {', '.join(game.roles) or 'none'}")
        return game


def task_names() -> list[str]:
    """Return the names of the tasks that we ship."""
    return configuration_names(FOLDER)


def read_task(name: str) -> Task:
    """Return a task by its name or the path of a file.

    Raises:
        ConfigError: there is no such task, or it is not described rightly.
    """
    return Task.parse(read_configuration(FOLDER, name), name)


class Part(NamedTuple):
    """Some games of a task, and all that their scores depend on."""

    task: str  # as JSON
    agent: str
    opponent: str
    first: int
    last: int
    deadline: float  # seconds that an agent from outside has for an answer
    sources: str  # digests of this project's files, and of the agent's if it is from outside


def measure(
    name: str,
    agent: str,
    games: int | None = None,
    workers: int = 1,
    progress: MatchProgress | None = None,
    kept: Path | None = None,
    deadline: float = DEADLINE,
) -> dict[str, Any]:
    """Return the score of an agent in a task, as a row of the table of results.

    The score is the mean over opponents, of its share of wins (draws counting half) or of its returns; the
    95 % interval comes from resampling deals.  In every deal the agent sits in each seat once, or has its role.

    Args:
        name: of the task.
        agent: who is measured.
        games: fewer games than the task says.
        workers: processes; the score is the same with any number.
        progress: to be told how far it is.
        kept: a folder for scores of games; what is there already is not played again.
        deadline: seconds that an agent from outside has for an answer.

    Raises:
        AgentError: there is no such agent.
        ConfigError: there is no such task.
    """
    task = read_task(name)
    game = task.game_of()
    seatings = len(lineups_against(game, task.role))
    of_each = whole_sets(min(games or task.games, task.games), seatings)
    sources = json.dumps([source_digest(), game_digests(game)], sort_keys=True)
    if is_from_outside(game.id, agent):
        sources += file_digest(file_of(game.id, agent))
    parts = [
        Part(task.model_dump_json(), agent, opponent, first, min(first + CHUNK, of_each), deadline, sources)
        for opponent in task.opponents
        for first in range(0, of_each, CHUNK)
    ]
    play = joblib.Memory(kept, verbose=0).cache(_play)
    scores, faults, finished = [], Counter[str](), 0
    for score, failed in joblib.Parallel(n_jobs=workers, return_as="generator")(
        joblib.delayed(play)(part) for part in parts
    ):
        scores.append(score)
        faults.update(failed)
        finished += score.size
        if progress:
            progress.update(finished, of_each * len(task.opponents))
    by_deal = np.concatenate(scores).reshape(len(task.opponents), -1, seatings).mean(axis=(0, 2))
    least, most = (game.min_return, game.max_return) if task.score == "returns" else (0, 1)
    low, high = interval((by_deal - least) / (most - least), task.seed)
    if faults and progress:
        progress.say(f"{agent}: {faults.total():,} games were forfeited, the first reason: {next(iter(faults))}")
    return {
        "task": name,
        "agent": str(parse_agent(agent)),
        "score": rounded(by_deal.mean()),
        "low": rounded(least + low * (most - least)),
        "high": rounded(least + high * (most - least)),
        "games": of_each * len(task.opponents),
        "forfeits": faults.total(),
        "seed": task.seed,
        "version": __version__,
    }


def _play(part: Part) -> tuple[np.ndarray, list[str]]:
    """Play some games of a task; return the agent's score in each, (n,) float64, and why some were forfeited."""
    task, game, players = _set_up(part.task, part.agent, part.opponent, part.deadline)
    lineups = lineups_against(game, task.role)
    deals, lineup = np.divmod(np.arange(part.first, part.last), len(lineups))
    results = Table(game, players, task.seed, deals, lineups[lineup], by_role=bool(task.role), may_forfeit=True).play()
    own = results.players == 0
    scores = points(results.returns) if task.score == "wins" else results.returns
    return np.where(own, scores, 0).sum(axis=1) / own.sum(axis=1), list(results.faults.values())


@lru_cache(maxsize=8)
def _set_up(described: str, agent: str, opponent: str, deadline: float) -> tuple[Task, Game, dict[str, Agent]]:
    """Return a task, its game and those who play it, made once a process."""
    task = Task.model_validate_json(described)
    game = task.game_of()
    players = {name: make_player(game, text, deadline) for name, text in (("agent", agent), ("opponent", opponent))}
    return task, game, players


def run(
    name: str, agents: list[str], games: int | None, path: Path, workers: int, deadline: float | None = None
) -> None:
    """Measure agents in a task, print their scores and append them to a table.

    Raises:
        ConfigError: there is no such task, nobody is to be measured, or the table is another one's.
    """
    task = read_task(name)
    if not agents:
        raise ConfigError(f"who is to be measured in {name}? Name an agent: --agent random")
    seconds = DEADLINE if deadline is None else deadline
    if not 0 < seconds < float("inf"):
        raise ConfigError(f"--deadline {seconds}: it must be a number of seconds above 0")
    for agent in agents:
        make_player(task.game_of(), agent, seconds)  # better to know of the last before the first is measured
    require_table(path)
    total = task.games * len(task.opponents)
    rows = []
    for agent in agents:
        kept = path.parent / f".{path.name}.{joblib.hash((name, agent, games))}"
        with MatchProgress(total, Console(stderr=True), "the same command goes on") as progress:
            try:
                row = measure(name, agent, games, workers, progress, kept, seconds)
            except KeyboardInterrupt:
                raise KeyboardInterrupt(progress.summary()) from None
        append(path, [row])
        shutil.rmtree(kept, ignore_errors=True)
        rows.append(row)
    print_rows(rows)
    if games is not None and games < task.games:
        Console().print(f"Fewer games than {name} has: these are not its scores.", markup=False, highlight=False)
    Console().print(f"Appended to {path}", markup=False, highlight=False, soft_wrap=True)


def print_rows(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print rows of a table of results."""
    cells = [
        (
            row["task"],
            row["agent"],
            f"{float(row['score']):.3f}",
            f"{float(row['low']):.3f} to {float(row['high']):.3f}",
            f"{int(row['games']):,}",
            f"{int(row['forfeits']):,}",
        )
        for row in rows
    ]
    Console().print(terminal_table(("Task", "Agent", "Score", "95 % interval", "Games", "Forfeits"), cells))


def list_tasks() -> None:
    """Print the tasks, and the scores of this project's agents in them."""
    reference = read_table(config_folder() / FOLDER / REFERENCE)
    for name in task_names():
        task = read_task(name)
        Console().print(f"{name}: {task.title}", markup=False, highlight=False, soft_wrap=True)
        rows = [row for row in reference if row["task"] == name]
        print_rows(sorted(rows, key=lambda row: -float(row["score"])))


# The table of results


def read_table(path: Path) -> list[dict[str, str]]:
    """Return the rows of a table of results; none where there is no file."""
    if not path.exists():
        return []
    require_table(path)
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def require_table(path: Path) -> None:
    """Refuse a file that is there and is no table of results."""
    try:
        if path.exists() and path.stat().st_size:
            with path.open(encoding="utf-8", newline="") as file:
                head = next(csv.reader(file))
            if tuple(head) != COLUMNS:
                raise ConfigError(f"--table {path} has other columns ({', '.join(head)}); it stays as it is")
        path.parent.mkdir(parents=True, exist_ok=True)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ConfigError(f"--table {path}: {error}") from None


def append(path: Path, rows: list[dict[str, Any]]) -> None:
    """Append rows to a table of results."""
    is_new = not path.exists() or not path.stat().st_size
    with path.open("a", encoding="utf-8", newline="") as file:
        if not is_new and not path.read_text(encoding="utf-8").endswith("\n"):
            file.write("\n")
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        if is_new:
            writer.writeheader()
        writer.writerows(rows)


# The reference: all our agents in all tasks


def baselines(task: Task) -> list[str]:
    """Return this project's agents that the reference table has for a task.

    Not ``roles``, which is made of two others, nor those that are as strong as the time or the model that they get.
    """
    return [name for name in agent_names(task.game) if name not in ("ismcts", "llm", "pimc", "roles")]


def write_reference(path: Path, workers: int) -> None:
    """Measure this project's agents in all tasks; those that the table has already are left out.

    Raises:
        ConfigError: the table is another one's.
    """
    there = {(row["task"], row["agent"]) for row in read_table(path)}
    for name in task_names():
        agents = [agent for agent in baselines(read_task(name)) if (name, agent) not in there]
        if agents:
            run(name, agents, None, path, workers)
