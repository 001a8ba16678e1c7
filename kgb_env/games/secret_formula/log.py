"""The log of The Secret Formula as text."""

from __future__ import annotations

import numpy as np

from kgb_env.camp.shared import Names
from kgb_env.game import Game
from kgb_env.games.secret_formula.boards import names_of
from kgb_env.games.secret_formula.spec import (
    ALARM,
    CAPTURED,
    LOG,
    LOG_CHOICE,
    LOG_ESCAPE,
    LOG_GATE,
    LOG_GO,
    LOG_GUARD,
    LOG_SEAT,
    LOG_THROW,
    MISSED,
    NUMBER,
    NUMBER_BITS,
    SURRENDERED,
    TOLD,
    TOLD_BITS,
    TOLD_HIT,
    TOLD_LAPSE,
    TOLD_LEAVE,
    TOLD_STAY,
    TOLD_WAIT,
)
from kgb_env.games.secret_formula.text import THROW_TEXTS

CHOICES = {
    TOLD_STAY: "stay",
    TOLD_WAIT: "waits, then",
    TOLD_HIT: "hits, then",
    TOLD_LAPSE: "the rest lapses",
}
SEAT_BITS = 3


def events(s: np.record) -> list[tuple[int, int]]:
    """Return what the log holds, the oldest event first: what happened, and to what."""
    count = int(s.events)
    entries = np.roll(s.log, -(count % LOG)) if count > LOG else s.log[:count]
    return [(entry >> TOLD_BITS, entry & TOLD) for entry in entries.tolist()]


def log_text(game: Game, records: np.ndarray) -> list[str]:
    """Write the events of the game, all of them public, a line for each throw or whatever else begins something."""
    s, names, lines = records[0], names_of(game), []
    if s.events > LOG:
        lines.append(f"({s.events - LOG} earlier events)")
    is_open = False  # the line goes on
    for kind, told in events(s):
        text = _text(names, kind, told)
        begins = kind not in (LOG_GO, LOG_CHOICE)
        if kind == LOG_CHOICE and told in (TOLD_WAIT, TOLD_HIT):
            begins = True
        elif kind == LOG_THROW and is_open and lines[-1].endswith("then"):
            begins = False
            text = text.partition(": ")[2]
            lines[-1] = f"{_seat(told)}: {lines[-1]} {text}"
            continue
        if begins or not is_open:
            lines.append(text)
        else:
            lines[-1] += f", {text}"
        is_open = kind in (LOG_THROW, LOG_ESCAPE, LOG_GO, LOG_CHOICE)
    return lines


def _seat(told: int) -> str:
    return f"seat {told >> NUMBER_BITS}"


def _text(names: Names, kind: int, told: int) -> str:
    """Write an event."""
    if kind == LOG_GATE:
        return f"seat {told & ((1 << SEAT_BITS) - 1)}: gate {names.gates[told >> SEAT_BITS]}"
    if kind == LOG_THROW:
        return f"{_seat(told)}: {THROW_TEXTS[(told & NUMBER) - 1]}"
    if kind == LOG_ESCAPE:
        return f"{_seat(told)}: {THROW_TEXTS[(told & NUMBER) - 1]} to escape"
    if kind == LOG_GO:
        return f"{'surrender' if told & SURRENDERED else 'go'} {names.cells[told & (SURRENDERED - 1)]}"
    if kind == LOG_CHOICE:
        return CHOICES[told] if told < TOLD_LEAVE else f"leave {names.gates[told - TOLD_LEAVE]}"
    if kind == LOG_GUARD:
        return f"guard: {'alarm in ' if told & ALARM else ''}{names.sectors[told & NUMBER]}"
    assert kind == LOG_SEAT
    return f"seat {told - MISSED}: wakes up" if told >= MISSED else f"seat {told - CAPTURED}: captured"
