"""How The Double Agent is written: actions and outcomes.

Seats, cells, sectors and gates are absolute, so a game reads the same from every seat.
"""

from __future__ import annotations

import numpy as np

from kgb_env.errors import NotationError
from kgb_env.game import Game
from kgb_env.games.double_agent.boards import names_of
from kgb_env.games.double_agent.spec import DEAL, HIGHEST_THROW, LOWEST_THROW, SEATING

MONITOR = ("skip", "inspect", "sabotage")
WORDS = {"wait": ("wait", 0), "stay": ("stay", 0)} | {text: ("monitor", n) for n, text in enumerate(MONITOR)}


def teller(records: np.ndarray) -> int:
    """Return the seat that relative seats count from: the one to move, or seat 0."""
    return max(0, int(records[0].to_move))


def action_text(game: Game, records: np.ndarray, action: int) -> str:
    """Write an action of the seat to move: ``go m14``, ``accuse 3``, ``leave north``, ``open SEC``, ``inspect``."""
    kind, (number,) = game.actions.where(action)
    names = names_of(game)
    match kind:
        case "go":
            return f"go {names.cells[number]}"
        case "accuse":
            return f"accuse {(teller(records) + 1 + number) % game.seats}"
        case "leave":
            return f"leave {names.gates[number]}"
        case "open":
            return f"open {names.sectors[number]}"
        case "monitor":
            return MONITOR[number]
    return kind


def parse_action(game: Game, records: np.ndarray, text: str) -> int:
    """Return the action of the seat to move that a text names, legal or not.

    Raises:
        NotationError: the text names none; the message says what is understood.
    """
    words, names = text.split(), names_of(game)
    if len(words) == 1 and words[0] in WORDS:
        kind, number = WORDS[words[0]]
        return game.actions.index(kind, number)
    if len(words) != 2:
        raise no_action(game, text)
    kind, name = words
    if kind == "accuse":
        return game.actions.index("accuse", _counted_from_me(game, records, text, name) - 1)
    known = {"go": names.cells, "leave": names.gates, "open": names.sectors}.get(kind)
    if known is None:
        raise no_action(game, text)
    if name not in known:
        several = f"{known[0]} to {known[-1]}" if kind == "go" else ", ".join(known)
        raise NotationError(f"{text!r}: there is no {name!r} on the board; there are {several}")
    return game.actions.index(kind, known.index(name))


def no_action(game: Game, text: str) -> NotationError:
    """Return the error for a text that is no action at all."""
    names = names_of(game)
    examples = [f"go {names.cells[0]}", "accuse 1", f"leave {names.gates[0]}", f"open {names.sectors[0]}", *WORDS]
    return NotationError(f"{text!r} is no action; write for instance {', '.join(map(repr, examples))}")


def _counted_from_me(game: Game, records: np.ndarray, text: str, name: str) -> int:
    """Return how far on the left of the seat to move a seat sits."""
    left = (int(name) - teller(records)) % game.seats if _is_seat(game, name) else 0
    if not left:
        raise NotationError(f"{text!r}: accuse another seat; seats are 0 to {game.seats - 1}")
    return left


def _is_seat(game: Game, name: str) -> bool:
    return name in map(str, range(game.seats))


def outcome_text(game: Game, records: np.ndarray, outcome: int) -> str:
    """Write an outcome of chance: ``double agent 2``, ``first 0``, ``throw 7``."""
    phase = records[0].phase
    if phase == DEAL:
        return f"double agent {outcome}"
    return f"first {outcome}" if phase == SEATING else f"throw {outcome + LOWEST_THROW}"


def parse_outcome(game: Game, records: np.ndarray, text: str) -> int:
    """Return the outcome that a text names, possible or not.

    Raises:
        NotationError: the text does not name an outcome of the kind that is due.
    """
    phase, words = records[0].phase, text.split()
    due = "double agent" if phase == DEAL else "first" if phase == SEATING else "throw"
    lowest, highest = (LOWEST_THROW, HIGHEST_THROW) if due == "throw" else (0, game.seats - 1)
    if " ".join(words[:-1]) != due or words[-1] not in map(str, range(lowest, highest + 1)):
        raise NotationError(f"{text!r} is no outcome; due is '{due} N' with N from {lowest} to {highest}")
    return int(words[-1]) - lowest
