"""How results are shown: a table in the terminal, a Markdown report, and files."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console, JustifyMethod
from rich.markup import escape
from rich.table import Table

from .config import ConfigError, MatchConfig
from .files import whole_file
from .match import Played
from .statistics import lead, points

AGENT_COLUMNS = ("Agent", "Games", "Wins", "Draws", "Losses", "Win rate", "Return", "Score", "95 % interval")
ROLE_COLUMNS = ("Agent", "Role", "Games", "Wins", "Win rate", "95 % interval")
TEXT_COLUMNS = ("Agent", "Role")
FEW_DEALS = 30  # below it a bootstrap promises too much


def to_json(result: Mapping[str, Any]) -> str:
    """Return a result as JSON text."""
    return json.dumps(result, indent=2, ensure_ascii=False) + "\n"


def print_result(result: Mapping[str, Any], notes: list[str], console: Console) -> None:
    """Print a result as a table."""
    console.print(f"{result['game']}: {result['games']:,} games, seed {result['seed']}", markup=False, highlight=False)
    if _has_opponents(result):
        console.print(table(AGENT_COLUMNS, map(_agent_cells, result["agents"])))
    if "by_role" in result:
        console.print(table(ROLE_COLUMNS, map(_role_cells, result["by_role"])))
    for line in [f"Score by seat: {_seats_line(result)}", *_facts(result), *notes]:
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def notes_on(played: Played) -> list[str]:
    """Say what the figures do and do not show."""
    notes = []
    if len(played.labels) == 1:
        telling = "endings and length do" if played.roles is None else "roles, endings and length do"
        notes.append(f"{played.labels[0]} sits in all seats: its score says nothing, {telling}.")
    if len(played.labels) == 2:
        first, second = played.labels
        score, low, high = lead(played)
        shown = f"lead {score:.3f}, 95 % interval {low:.3f} to {high:.3f}, where 0.5 is a tie"
        if low <= 0.5 <= high:
            notes.append(f"No significant difference between {first} and {second} ({shown}).")
        else:
            better, worse = (first, second) if low > 0.5 else (second, first)
            notes.append(f"{better} is significantly better than {worse} ({first}'s {shown}).")
    if played.roles is not None:
        notes += _notes_on_roles(played)
    seatings = "1 seating" if len(played.seatings) == 1 else f"{len(played.seatings)} seatings"
    notes.append(
        f"{played.deals:,} deals, each played in {seatings}; "
        "intervals by resampling deals, since games of one deal are dependent."
    )
    if played.deals < FEW_DEALS:
        notes.append(f"Fewer than {FEW_DEALS} deals: the intervals are rough and rather too narrow.")
    return notes


def _notes_on_roles(played: Played) -> list[str]:
    """Say what a win is by role, and how many games gave one without an end by the rules."""
    notes = [
        "By role, wins are those of seats, not of sides: all win who share the highest return, as a team does. "
        "How often a side wins is in the endings."
    ]
    is_won = (points(played.returns) == 1).any(axis=1)
    cut_off = int((is_won & played.game.is_truncation(played.reasons)).sum())
    if cut_off:
        games = "1 truncated game has" if cut_off == 1 else f"{cut_off:,} truncated games have"
        notes.append(f"{games} winners: there too the seats win whose return is the highest.")
    return notes


def markdown(result: Mapping[str, Any], notes: list[str], config: MatchConfig) -> str:
    """Return a report as Markdown."""
    agents = []
    if _has_opponents(result):
        agents = [_markdown_table(AGENT_COLUMNS, [_agent_cells(row) for row in result["agents"]])]
    seats = _markdown_table(
        ("Agent", "Seat", "Games", "Score"),
        [(row["name"], str(row["seat"]), f"{row['games']:,}", f"{row['score']:.3f}") for row in result["by_seat"]],
    )
    options = ", ".join(f"{name} = {json.dumps(value)}" for name, value in result["options"].items()) or "none"
    roles = []
    if "by_role" in result:
        roles = ["## By role", _markdown_table(ROLE_COLUMNS, [_role_cells(row) for row in result["by_role"]])]
    return "\n\n".join(
        [
            f"# {result['game']}: {' against '.join(row['name'] for row in result['agents'])}",
            f"{result['games']:,} games, seed {result['seed']}, kgb-env {result['version']}. Options: {options}.",
            *agents,
            "Score = (wins + draws / 2) / games. A seat wins whose return is the highest; equal returns are a draw.",
            "\n".join(f"- {note}" for note in notes),
            "## By seat",
            seats,
            *roles,
            "## Endings and length",
            "\n".join(f"- {fact}" for fact in _facts(result)),
            "## The same figures again",
            f"```\n{command_of(config)}\n```\n",
        ]
    )


def command_of(config: MatchConfig) -> str:
    """Return the command that plays a match."""
    words = ["kgb", "match", config.game, *config.agents, "--games", str(config.games), "--seed", str(config.seed)]
    for role, player in config.roles.items():
        words += ["--role", f"{role}={player}"]
    for name, value in config.options.items():
        words += ["--option", f"{name}={json.dumps(value)}"]
    return shlex.join(words)


def write_files(folder: Path, texts: Mapping[str, str]) -> list[Path]:
    """Write files into a folder; each is there as a whole or not at all.

    Raises:
        ConfigError: the folder cannot be written to.
    """
    paths = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        TemporaryFile(dir=folder).close()
        for name, text in texts.items():
            with whole_file(folder / name) as fresh:
                fresh.write_text(text, encoding="utf-8")
            paths.append(folder / name)
    except OSError as error:
        raise ConfigError(f"--out {folder}: {error}") from None
    return paths


def _has_opponents(result: Mapping[str, Any]) -> bool:
    """Tell if the agents' rows compare anything: one alone in all seats is told by its roles, if there are any."""
    return len(result["agents"]) > 1 or "by_role" not in result


def table(columns: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Table:
    """Return a table for the terminal; agents' names may wrap, figures not."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    for name in columns:
        is_agent = name == "Agent"  # its name may be long: figures come first
        justify: JustifyMethod = "left" if name in TEXT_COLUMNS else "right"
        table.add_column(name, justify=justify, no_wrap=not is_agent, overflow="fold")
    for row in rows:
        table.add_row(*map(escape, row))
    return table


def _agent_cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    counts = (f"{row[key]:,}" for key in ("games", "wins", "draws", "losses"))
    figures = (f"{row['win_rate']:.3f}", f"{row['mean_return']:+.3f}", f"{row['score']:.3f}")
    return row["name"], *counts, *figures, f"{row['score_low']:.3f}-{row['score_high']:.3f}"


def _role_cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    counts = f"{row['games']:,}", f"{row['wins']:,}"
    return row["agent"], row["role"], *counts, f"{row['win_rate']:.3f}", f"{row['low']:.3f}-{row['high']:.3f}"


def _seats_line(result: Mapping[str, Any]) -> str:
    """Return, for instance, ``greedy 0.98 | 0.97, random 0.03 | 0.02``."""
    scores: dict[str, list[str]] = {}
    for row in result["by_seat"]:
        scores.setdefault(row["name"], []).append(f"{row['score']:.3f}")
    return ", ".join(f"{name} {' | '.join(figures)}" for name, figures in scores.items())


def _facts(result: Mapping[str, Any]) -> list[str]:
    length = result["length"]
    endings = ", ".join(f"{name} {count:,}" for name, count in result["endings"].items())
    return [
        f"Endings: {endings}",
        f"Plies a game: mean {length['mean']:.1f}, median {length['median']:g}, {length['min']} to {length['max']}",
    ]


def _markdown_table(header: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [header, ("---", *("---:" for _ in header[1:])), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
