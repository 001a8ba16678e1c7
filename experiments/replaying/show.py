"""The command ``kgb replay``: check games that were written down, and show them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from kgb_env import Replay, read_replays
from kgb_env.replay import Position

from ..config import ConfigError
from ..files import require_writable, whole_file
from .film import MOST_FPS_OF_A_GIF, write_film
from .page import frames_in, options_told, page, result_text
from .players import players
from .timeline import NOTHING_SEEN, SPECTATOR, last_seen, timeline

MOST_ON_A_PAGE = 12  # games
Numbered = tuple[int, Replay]


def require_outputs(path: Path, outs: Sequence[tuple[Path | None, tuple[str, ...]]]) -> None:
    """Make sure that files can be written, before the work that goes into them.

    Args:
        path: of the games, which must not be written over.
        outs: files, or None, each with the endings that its name may have.

    Raises:
        ConfigError: a name ends otherwise, or there can be no such file.
    """
    for out, endings in outs:
        if out is None:
            continue
        if out.suffix.lower() not in endings:
            raise ConfigError(f"{out}: its name must end in {' or '.join(endings)}")
        if out.exists() and path.exists() and out.samefile(path):
            raise ConfigError(f"{out} holds the games; write into another file")
        require_writable(out)


def require_speed(gif: Path | None, fps: float) -> None:
    """Make sure that a GIF, if one is to be written, can be that fast.

    Raises:
        ConfigError: it cannot.
    """
    if gif and fps > MOST_FPS_OF_A_GIF:
        raise ConfigError(f"--fps {fps:g}: a GIF has at most {MOST_FPS_OF_A_GIF} steps a second; --mp4 may have more")


def print_list(path: Path, number: int | None, seat: int | None) -> None:
    """Check the games of a file, and print a line for each.

    Raises:
        ReplayError: one is faulty; those before it have been printed.
    """
    table = Table("Game", "What", "Agents", "Plies", "Result", box=SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    checked = 0
    try:
        with _progress() as progress:
            task = progress.add_task("checking", total=1 if number else _count_lines(path))
            for place, replay in numbered(path, number):
                _require_seat(replay, seat)
                positions = list(replay.positions())
                checked += 1
                progress.update(task, completed=checked, description=f"checking game {place}")
                table.add_row(*map(Text, _row(place, replay, positions, seat)))  # names and reasons hold no markup
    finally:
        if checked:
            Console().print(table)
    games = "1 game" if checked == 1 else f"{checked:,} games"
    print(f"{games} checked: every move is legal under the rules here, and the results are the same.")


def print_game(path: Path, number: int | None, seat: int | None) -> None:
    """Print games step by step, as a seat or a spectator sees them."""
    for place, replay in numbered(path, number):
        _require_seat(replay, seat)
        positions = list(replay.positions())
        seats = ", ".join(players(replay, last_seen(replay, positions, seat)))
        print(f"Game {place}: {replay.game.id}, seats: {seats}. {options_told(replay.game)}".rstrip())
        steps = list(timeline(replay, positions, seat))
        if not steps:
            print(f"\n{NOTHING_SEEN}")
        for step in steps:
            print("\n" + "\n".join(step.told) if step.told else "")
            print(f"\n{replay.game.notation.draw(replay.game, step.record).rstrip()}")
        print(f"\n{result_text(replay, seat)}\n")


def write_page(path: Path, number: int | None, seat: int | None, out: Path, with_thoughts: bool) -> None:
    """Write games as one HTML page.

    Raises:
        ConfigError: they are too many, or the page cannot be written.
    """
    chosen = []
    for each in numbered(path, number):
        chosen.append(each)
        if len(chosen) > MOST_ON_A_PAGE:
            raise ConfigError(f"{path} holds more than {MOST_ON_A_PAGE} games, too many for a page; take one: --game 1")
        _require_seat(each[1], seat)
    with _progress() as progress:
        task = progress.add_task("drawing", total=sum(frames_in(r, list(r.positions()), seat) for _, r in chosen))
        told = page(chosen, seat, with_thoughts, partial(progress.advance, task))
    with whole_file(out) as fresh:
        fresh.write_text(told, encoding="utf-8")
    print(f"Written: {out} ({len(told) / 1e6:.1f} MB)")


def write_films(path: Path, number: int | None, seat: int | None, outs: Sequence[Path], fps: float, width: int) -> None:
    """Write one game as films.

    Args:
        path: of the games.
        number: which of them; may be left out if there is only one.
        seat: whose view is filmed, or SPECTATOR.
        outs: files.
        fps: frames a second.
        width: in pixels.

    Raises:
        ConfigError: no game is chosen, or a film cannot be written.
    """
    for place, replay in numbered(path, number):
        if place > 1 and number is None:
            raise ConfigError(f"{path} holds several games; film one: --game 1")
        chosen = replay
    _require_seat(chosen, seat)
    steps = list(timeline(chosen, chosen.positions(), seat))
    if not steps:
        raise ConfigError(f"--seat {seat}: there is nothing to film; {NOTHING_SEEN[0].lower()}{NOTHING_SEEN[1:-1]}")
    for out in outs:
        with _progress() as progress:
            task = progress.add_task(f"filming {out.name}", total=len(steps))
            with whole_file(out) as fresh:
                write_film(fresh, chosen.game, steps, fps, width, partial(progress.advance, task))
        print(f"Written: {out} ({len(steps)} frames)")


def numbered(path: Path, number: int | None) -> Iterator[Numbered]:
    """Return the games of a file with their numbers, or only the one with a number."""
    return enumerate(read_replays(path, number), number or 1)


def _require_seat(replay: Replay, seat: int | None) -> None:
    if seat is not SPECTATOR and not 0 <= seat < replay.game.seats:
        raise ConfigError(f"--seat {seat}: the seats of {replay.game.id} are 0 to {replay.game.seats - 1}")


def _row(place: int, replay: Replay, positions: Sequence[Position], seat: int | None) -> tuple[str, ...]:
    """Return a line of the list; how many decisions there were is nothing for a seat to know."""
    plies = str(len(positions) - 1) if seat is SPECTATOR else ""
    names = players(replay, last_seen(replay, positions, seat))
    return str(place), replay.game.id, ", ".join(names), plies, result_text(replay, seat)


def _progress() -> Progress:
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=24),
        TextColumn("{task.completed}/{task.total}"),
    )
    return Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True)


def _count_lines(path: Path) -> int | None:
    """Return how many lines a file has, or None if it cannot be read: who reads it says why."""
    try:
        with path.open("rb") as file:
            return sum(1 for _ in file)
    except OSError:
        return None
