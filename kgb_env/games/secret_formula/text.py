"""How The Secret Formula is written: actions and outcomes.

Seats, cells and gates are absolute, so a game reads the same from every seat.
"""

from __future__ import annotations

import numpy as np

from kgb_env.camp.shared import Names
from kgb_env.errors import NotationError
from kgb_env.game import Game
from kgb_env.games.secret_formula.boards import names_of
from kgb_env.games.secret_formula.spec import DEAL, MOVE, SEATING, THROWS

ANSWERS = ("wait", "hit")
WORDS = {"stay": ("stay", 0)} | {text: ("answer", n) for n, text in enumerate(ANSWERS)}
THROW_TEXTS = tuple(f"throw {low} {high}" for low, high in THROWS)


def is_surrender(game: Game, s: np.record, cell: int) -> bool:
    """Tell if going to a cell is surrendering: in a move, in the guard's sector (S10)."""
    return bool(s.phase == MOVE and game.tables[0].sector[cell] == s.guard)


def action_text(game: Game, records: np.ndarray, action: int) -> str:
    """Write an action of the seat to move: ``go m14``, ``surrender m14``, ``leave north``, ``gate north``, ``hit``."""
    kind, (number,) = game.actions.where(action)
    names = names_of(game)
    match kind:
        case "go":
            word = "surrender" if is_surrender(game, records[0], number) else "go"
            return f"{word} {names.cells[number]}"
        case "leave" | "gate":
            return f"{kind} {names.gates[number]}"
        case "answer":
            return ANSWERS[number]
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
    if len(words) != 2 or words[0] not in ("go", "surrender", "leave", "gate"):
        raise no_action(names, text)
    kind, name = words
    if kind in ("leave", "gate"):
        return game.actions.index(kind, numbered(names.gates, name, text, ", ".join(names.gates)))
    cell = numbered(names.cells, name, text, f"{names.cells[0]} to {names.cells[-1]}")
    if (kind == "surrender") != is_surrender(game, records[0], cell):
        where = "in a move, in the guard's sector" if kind == "go" else "only in a move, in the guard's sector"
        raise NotationError(f"{text!r}: {where} one surrenders; write '{'go' if kind != 'go' else 'surrender'} {name}'")
    return game.actions.index("go", cell)


def numbered(known: list[str], name: str, text: str, several: str) -> int:
    """Return the place of a name among those known, or raise NotationError."""
    if name not in known:
        raise NotationError(f"{text!r}: there is no {name!r} on the board; there are {several}")
    return known.index(name)


def no_action(names: Names, text: str) -> NotationError:
    """Return the error for a text that is no action at all."""
    cell, gate = names.cells[0], names.gates[0]
    examples = [f"go {cell}", f"surrender {cell}", f"leave {gate}", f"gate {gate}", *WORDS]
    return NotationError(f"{text!r} is no action; write for instance {', '.join(map(repr, examples))}")


def outcome_text(game: Game, records: np.ndarray, outcome: int) -> str:
    """Write an outcome of chance: ``formula m14``, ``first 0``, ``throw 3 5``."""
    phase = records[0].phase
    if phase == DEAL:
        return f"formula {names_of(game).envelopes[outcome]}"
    return f"first {outcome}" if phase == SEATING else THROW_TEXTS[outcome]


def parse_outcome(game: Game, records: np.ndarray, text: str) -> int:
    """Return the outcome that a text names, possible or not.

    Raises:
        NotationError: the text does not name an outcome of the kind that is due.
    """
    phase, written = records[0].phase, " ".join(text.split())
    if phase == DEAL:
        texts = [f"formula {name}" for name in names_of(game).envelopes]
        due = f"'formula CELL' with one of the hiding places {', '.join(names_of(game).envelopes)}"
    elif phase == SEATING:
        texts, due = [f"first {seat}" for seat in range(game.seats)], f"'first N' with N from 0 to {game.seats - 1}"
    else:
        texts, due = list(THROW_TEXTS), "'throw A B' with A and B from 1 to 6, the lower first"
    if written not in texts:
        raise NotationError(f"{text!r} is no outcome; due is {due}")
    return texts.index(written)
