"""The log and the Security List of The Double Agent as text.  (Ruling D8)"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kgb_env.game import Game
from kgb_env.games.double_agent.boards import names_of
from kgb_env.games.double_agent.spec import (
    ACCUSED,
    DOUBLE_AGENT,
    EXPOSURE,
    INSPECTED_HERE,
    LEFT,
    OFF,
    ON,
    SABOTAGED,
    SEAT,
    SEAT_BITS,
    SECURITY_AGENT,
    SKIPPED_HERE,
    STAYED,
    THROW_BITS,
    WHERE,
)

CONDITIONS = {ON: "ON", OFF: "OFF", SABOTAGED: "sabotaged"}


def log_text(game: Game, records: np.ndarray) -> list[str]:
    """Write the events of the game that the viewer knows of, a line each."""
    s, lines = records[0], []
    for play in range(int(s.opened)):
        seat = (int(s.first) + play) % game.seats
        lines.append(f"seat {seat}: {_opening_text(game, s, seat)}")
    found = _findings(s)
    for turn, entry in enumerate(s.log[: int(s.turn) + 1].tolist()):
        if entry:
            seat = (int(s.first) + turn) % game.seats
            is_last = turn == s.turn or not s.log[turn + 1 :].any()
            lines.append(f"seat {seat}: {_turn_text(game, s, entry, found, is_last)}")
    return lines


def _opening_text(game: Game, s: np.record, seat: int) -> str:
    """Write an opening play, as far as the viewer knows who made it (D2)."""
    if s.role[seat] == SECURITY_AGENT:
        return "wait"
    if s.role[seat] == DOUBLE_AGENT and s.opening > 0:
        return f"open {names_of(game).sectors[s.opening - 1]}"
    return "opening play"


def _findings(s: np.record) -> Iterator[str]:
    """Yield what is known of each entry of the Security List, in order."""
    for found in s.found[: int(s.listed)].tolist():
        yield f": {CONDITIONS[found]}" if found in CONDITIONS else ""


def _turn_text(game: Game, s: np.record, entry: int, found: Iterator[str], is_last: bool) -> str:
    """Write a turn: the throw, where it led, what was done there."""
    names, where = names_of(game), entry >> THROW_BITS & WHERE
    text = f"throw {entry & ((1 << THROW_BITS) - 1)}, "
    if where == STAYED:
        return f"{text}stay"
    if where >= LEFT:
        return f"{text}leave {names.gates[where - LEFT]}"
    if where >= ACCUSED:
        is_right = is_last and s.reason == EXPOSURE
        return f"{text}accuse {where - ACCUSED}, {'rightly' if is_right else 'wrongly'}"
    text += f"go {names.cells[where]}"
    if entry & INSPECTED_HERE:
        return f"{text}, inspect {names.sectors[game.tables[0].sector[where]]}{next(found)}"
    return f"{text}, skip" if entry & SKIPPED_HERE else text


def security_list(game: Game, records: np.ndarray) -> list[str]:
    """Write the viewer's Security List as the rulebook does: ``GAR 2``, one's own in brackets, ``(SEC OFF)``."""
    s, codes, lines = records[0], names_of(game).sectors, []
    for entry, found in zip(s.security_list[: int(s.listed)].tolist(), s.found.tolist(), strict=False):
        code, seat = codes[entry >> SEAT_BITS], entry & SEAT
        lines.append(f"({code} {'ON' if found == ON else 'OFF'})" if seat == s.viewer else f"{code} {seat}")
    return lines
