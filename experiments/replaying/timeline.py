"""A replay from one point of view: what a seat, or a spectator who may see everything, gets to know, step by step.

A seat's steps are the changes of its view.  Decisions of others that it cannot notice leave no trace here, not even
in the number of steps.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from kgb_env import Game, Replay
from kgb_env.replay import Position

SPECTATOR = None  # instead of a seat
NOTHING_SEEN = "This seat has seen nothing yet."


class Step(NamedTuple):
    """What is to be seen at one moment.

    Attributes:
        record: the view of the seat, or the full state; one row.
        told: what has happened since the step before, a line each.
        ply: the number of the position in the whole game, counted from 0.
    """

    record: np.ndarray
    told: tuple[str, ...]
    ply: int


def timeline(replay: Replay, positions: Iterable[Position], seat: int | None) -> Iterator[Step]:
    """Yield the steps of a replay as a seat, or SPECTATOR, sees them."""
    return _told_openly(replay, positions) if seat is SPECTATOR else _told_to(replay.game, positions, seat)


def last_seen(replay: Replay, positions: Sequence[Position], seat: int | None) -> np.ndarray | None:
    """Return what a seat, or SPECTATOR, sees last; None if it has seen nothing."""
    if seat is SPECTATOR:
        return positions[-1].states
    shown = [position.states for position in positions if may_be_shown(replay.game, position.states, seat)]
    return replay.game.view(shown[-1], seat) if shown else None


def _told_openly(replay: Replay, positions: Iterable[Position]) -> Iterator[Step]:
    """Yield every position, with the moves that led there."""
    made = 0
    for ply, position in enumerate(positions):
        moves = list(replay.moves[made : position.made])
        if position.text:
            moves[0] = f"seat {position.seat}: {moves[0]}"
        made = position.made
        yield Step(position.states, (*moves[:1], *_in_one(moves[1:])) if position.text else _in_one(moves), ply)


def _in_one(outcomes: Sequence[str]) -> tuple[str, ...]:
    """Return the outcomes of chance as one line, if there are any."""
    return (f"chance: {', '.join(outcomes)}",) if outcomes else ()


def _told_to(game: Game, positions: Iterable[Position], seat: int) -> Iterator[Step]:
    """Yield the positions at which the view of a seat has changed, with what is new in its log."""
    seen, lines = b"", list[str]()
    for ply, position in enumerate(positions):
        if not may_be_shown(game, position.states, seat):
            continue
        view = game.view(position.states, seat)
        if view.tobytes() != seen:
            log = game.notation.log(game, view)
            yield Step(view, news(lines, log), ply)
            seen, lines = view.tobytes(), log


def may_be_shown(game: Game, states: np.ndarray, seat: int) -> bool:
    """Tell if a view leaks nothing: with ``auto_answer`` of Confusion only those at own decisions do not (C5)."""
    is_its_own = bool(states["over"][0]) or int(states["to_move"][0]) == seat
    return is_its_own or not game.options.get("auto_answer", False)


def news(before: Sequence[str], after: Sequence[str]) -> tuple[str, ...]:
    """Return the lines of a log that are new; of a line that has grown, what was added."""
    fresh, gone = Counter(after) - Counter(before), Counter(before) - Counter(after)
    found = []
    for line in reversed(after):
        if fresh[line] > 0:
            fresh[line] -= 1
            grown = next((old for old in gone if line.startswith(old)), None)
            found.append(line if grown is None else _added(grown, line))
    return tuple(reversed(found))


def _added(before: str, line: str) -> str:
    """Return what was added to a line, after the words that say what it is about; an answer goes without them."""
    added, (about, colon, _) = line[len(before) :], before.partition(": ")
    return f"{about}{colon}… {added[2:]}" if added.startswith(", ") else f"… {added.lstrip(':; ')}"
