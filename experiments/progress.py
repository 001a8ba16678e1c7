"""Something to see while a match is played, or an agent learns."""

from __future__ import annotations

import time
from threading import Event, Thread
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

STARTING = "preparing (the rules are compiled on the first run)"
PREPARING = "compiling, and first games of"
SECONDS_BETWEEN_LINES = 5.0


class MatchProgress:
    """A progress bar in a terminal; elsewhere (a log file, CI) a line every few seconds.

    Use as a context manager and pass ``update`` to the match runner.

    Args:
        total: games to play.
        console: where to show it.
        when_left: what to say of the results when it is broken off.
        unit: what is counted.
        pause: seconds between two lines.
    """

    def __init__(
        self,
        total: int,
        console: Console,
        when_left: str = "no result was written",
        unit: str = "games",
        pause: float = SECONDS_BETWEEN_LINES,
    ) -> None:
        self.total, self.finished, self._when_left, self._unit, self._pause = total, 0, when_left, unit, pause
        self._console, self._text, self._begun = console, STARTING, time.monotonic()
        self._bar = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(bar_width=16),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._task = self._bar.add_task(STARTING, total=None)
        self._left = Event()
        self._printer = Thread(target=self._print_lines, daemon=True)

    def __enter__(self) -> Self:
        self._bar.start()
        if not self._console.is_terminal:
            self._printer.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._left.set()
        if self._printer.is_alive():
            self._printer.join()
        self._bar.stop()

    def update(self, finished: int, total: int, plies: int = 0, preparing: str = "") -> None:
        """Show that a ply, or some games, have been played, or what is being prepared."""
        self.finished, self.total = finished, total
        going_on = f", others at ply {plies:,}" if plies else ""
        first = f", {PREPARING} {preparing}" if preparing else ""
        self._show(f"{finished:,} of {self.total:,} {self._unit}{going_on}{first}")

    def summarizing(self) -> None:
        """Say that the games are over and the figures are due."""
        self._show(f"{self.total:,} games, computing intervals")

    def say(self, line: str) -> None:
        """Print a line that stays."""
        self._console.print(line, highlight=False, markup=False, soft_wrap=True)

    def summary(self) -> str:
        """Say how far the match has come, for those who break it off."""
        return f"{self.finished:,} of {self.total:,} {self._unit} were finished, {self._when_left}"

    def _show(self, text: str) -> None:
        self._text = text
        self._bar.update(self._task, completed=self.finished, total=self.total, description=text)

    def _print_lines(self) -> None:
        """Print what goes on, from a thread: a compilation or a slow agent takes its time."""
        while True:
            seconds = time.monotonic() - self._begun
            self._console.print(f"{seconds:4.0f} s  {self._text}", highlight=False, markup=False, soft_wrap=True)
            if self._left.wait(self._pause):
                return
