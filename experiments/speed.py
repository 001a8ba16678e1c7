"""The command ``kgb speed``: moves a second, start-up time and memory of a game.

A move is one decision of one seat.  All contenders play uniformly random legal moves, game after
game, in turns of a few tenths of a second: noise on the machine hits all of them alike.
"""

from __future__ import annotations

import json
import os
import platform
import tempfile
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from rich.box import SIMPLE_HEAD
from rich.console import Console, Group
from rich.padding import Padding
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

import kgb_env
from kgb_env import Game, KGBError

from .contenders import Contender, our_contenders
from .fresh import Tick, measure_memory, measure_start

LARGEST = 8192


class MissingExtraError(KGBError, ImportError):
    """The packages that ``--peers`` measures are not installed."""


class Budget(NamedTuple):
    """How long to measure: ``rounds`` turns of about ``seconds`` for every contender."""

    rounds: int = 7
    seconds: float = 0.35
    starts: int = 3


DEFAULT = Budget()

# Speed


def calibrate(play: Callable[[int], int], seconds: float) -> int:
    """Return the amount that takes about ``seconds``; the first call compiles."""
    play(1)
    amount = 1
    while True:
        began = time.perf_counter()
        play(amount)
        taken = time.perf_counter() - began
        if taken > seconds / 4:
            return max(1, round(amount * seconds / taken))
        amount *= 2


def measure_speeds(contenders: Sequence[Contender], budget: Budget, tick: Tick) -> dict[str, list[float]]:
    """Return the moves a second of every contender in each round."""
    amounts = {}
    for contender in contenders:
        tick(f"preparing {contender.name}")
        amounts[contender.name] = calibrate(contender.play, budget.seconds)
    rates: dict[str, list[float]] = {contender.name: [] for contender in contenders}
    for turn in range(budget.rounds):
        for contender in contenders:
            tick(f"round {turn + 1} of {budget.rounds}: {contender.name}")
            began = time.perf_counter()
            moves = contender.play(amounts[contender.name])
            rates[contender.name].append(moves / (time.perf_counter() - began))
    return rates


def summary(contender: Contender, rates: Sequence[float]) -> dict[str, Any]:
    """Return the median and the extremes of a contender's rounds."""
    spread = {"median": median(rates), "low": min(rates), "high": max(rates)}
    return {**spread, "unit": "moves/s", "includes": contender.includes}


def compare(rates: dict[str, list[float]], compared: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """Return how many times faster the first of each pair is: by the medians, and at least and at most in a round."""
    names = {f"{ours}/{theirs}": (rates[ours], rates[theirs]) for ours, theirs in compared}
    rounds = {name: [a / b for a, b in zip(*pair, strict=True)] for name, pair in names.items()}
    return {
        "ratios": {name: median(ours) / median(theirs) for name, (ours, theirs) in names.items()},
        "ratio_spreads": {name: {"low": min(found), "high": max(found)} for name, found in rounds.items()},
    }


# The report


def processor() -> str:
    """Return the name of the processor as far as the system tells."""
    listing = Path("/proc/cpuinfo")
    lines = listing.read_text().splitlines() if listing.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def versions(peers: bool) -> dict[str, str]:
    """Return the versions of what the figures depend on."""
    packages = ["numpy", "numba", "pettingzoo", *(["open_spiel", "rlcard"] if peers else [])]
    installed = {package: version(package) for package in packages}
    return {"python": platform.python_version(), "kgb_env": kgb_env.__version__, **installed}


def enter_peers(game: Game) -> tuple[list[Contender], list[Contender], Sequence[tuple[str, str]]]:
    """Return ways to play ours that need their packages, theirs, and the pairs (ours, theirs) to compare."""
    try:
        from . import peers
    except ImportError as error:
        raise MissingExtraError(
            f"--peers needs the extra 'peers': pip install -c constraints.txt -e '.[peers]' ({error})"
        ) from error
    return peers.our_contenders(game), peers.contenders(), peers.COMPARED


def measure(game: Game, *, peers: bool, budget: Budget = DEFAULT, tick: Tick = lambda doing: None) -> dict[str, Any]:
    """Return the whole report, ready for JSON.

    Args:
        game: any configured game.
        peers: also measure other people's environments, in the same rounds.
        budget: how long to measure.
        tick: called with a few words before each piece of work.

    Raises:
        MissingExtraError: the peers are not installed.
    """
    with_theirs, theirs, compared = enter_peers(game) if peers else ([], [], ())
    with tempfile.TemporaryDirectory() as cache:
        start = measure_start(game, budget.starts, cache, tick)
        tick(f"memory of {LARGEST:,} games")
        memory = measure_memory(game, LARGEST, cache)
    tick("compiling the loops")
    ours = [*our_contenders(game), *with_theirs]
    rates = measure_speeds([*ours, *theirs], budget, tick)
    report = {
        "game": game.id,
        "options": game.options,
        "machine": {"processor": processor(), "cores": os.cpu_count(), "system": platform.platform()},
        "versions": versions(peers),
        "speeds": {contender.name: summary(contender, rates[contender.name]) for contender in ours},
        "start": start,
        "memory": memory,
    }
    if peers:
        report["peers"] = {contender.name: summary(contender, rates[contender.name]) for contender in theirs}
        report |= compare(rates, compared)
    return report


# The terminal


def figures(title: str, *columns: str) -> Table:
    """Return an empty table of a name and numbers."""
    table = Table(title=title, title_justify="left", title_style="bold", box=SIMPLE_HEAD)
    table.add_column(columns[0], overflow="fold")
    for column in columns[1:]:
        table.add_column(column, justify="right", no_wrap=True)
    return table


def speed_table(title: str, speeds: dict[str, dict[str, Any]]) -> Table:
    """Return a table of speeds, with what each includes below its name."""
    table = figures(title, "a move includes", "moves/s", "lowest", "highest")
    for name, speed in speeds.items():
        numbers = [f"{speed[key]:,.0f}" for key in ("median", "low", "high")]
        includes = Padding(Text(speed["includes"], style="dim"), (0, 0, 0, 2))
        table.add_row(Group(name, includes), *numbers)
    return table


def ratio_table(ratios: dict[str, float], spreads: dict[str, dict[str, float]]) -> Table:
    """Return a table of ours against theirs."""
    table = figures("Ours against theirs", "ours/theirs", "times", "lowest", "highest")
    for name, ratio in ratios.items():
        table.add_row(name, f"{ratio:.1f}", f"{spreads[name]['low']:.1f}", f"{spreads[name]['high']:.1f}")
    return table


def start_table(start: dict[str, Any]) -> Table:
    """Return a table of start-up times."""
    table = figures("Start-up", "seconds from starting Python to", "cold (compiling)", "warm")
    for name in start["warm"]:
        table.add_row(name, f"{start['cold'][name]:.2f}", f"{start['warm'][name]:.2f}")
    return table


def memory_table(memory: dict[str, Any]) -> Table:
    """Return a table of sizes."""
    table = figures("Memory", "of", memory["unit"])
    for name, size in memory.items():
        if name != "unit":
            table.add_row(name, "unknown" if size is None else f"{size:,}")
    return table


def show(report: dict[str, Any], console: Console) -> None:
    """Print the report for people."""
    options = ", ".join(f"{name}={value!r}" for name, value in report["options"].items())
    console.print(f"[bold]{report['game']}[/bold] ({options})", highlight=False)
    console.print(" · ".join(map(str, report["machine"].values())), highlight=False)
    console.print(" · ".join(f"{name} {number}" for name, number in report["versions"].items()), highlight=False)
    console.print(speed_table("Speed (median, lowest and highest of the rounds)", report["speeds"]))
    if "peers" in report:
        console.print(speed_table("Peers", report["peers"]))
        console.print(ratio_table(report["ratios"], report["ratio_spreads"]))
    console.print(start_table(report["start"]))
    console.print(memory_table(report["memory"]))


def run(game_id: str, options: dict[str, Any], *, as_json: bool, peers: bool) -> None:
    """Measure a game and print the report, as JSON or as tables; progress goes to stderr.

    Raises:
        OptionError: there is no such game or option.
        MissingExtraError: ``peers`` without the extra of that name.
    """
    game = kgb_env.game(game_id, **options)
    columns = SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("starting", total=None)
        report = measure(game, peers=peers, tick=lambda doing: progress.update(task, description=doing))
    if as_json:
        print(json.dumps(report, indent=2))
    else:
        show(report, Console())
