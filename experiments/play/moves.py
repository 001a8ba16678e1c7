"""What a person may do now, and what is meant by what he writes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kgb_env import Game, NotationError

FEW = 8  # moves that a message names


class Move(NamedTuple):
    """A legal move: its action, how it is written, and what one points at in the picture to choose it."""

    action: int
    text: str
    marks: tuple[str, ...]

    @property
    def verb(self) -> str:
        """The first word, by which moves are grouped."""
        return self.text.partition(" ")[0]

    @property
    def rest(self) -> str:
        """What follows it."""
        return self.text.partition(" ")[2]


def legal_moves(game: Game, view: np.ndarray) -> list[Move]:
    """Return the moves of the seat to move, from its own view (one row)."""
    return [
        Move(action, game.notation.action(game, view, action), game.marks(view, action))
        for action in map(int, game.legal(view))
    ]


def grouped(moves: Sequence[Move]) -> dict[str, list[Move]]:
    """Return moves by their verbs, in their order."""
    groups: dict[str, list[Move]] = {}
    for move in moves:
        groups.setdefault(move.verb, []).append(move)
    return groups


def understand(game: Game, view: np.ndarray, text: str, may_shorten: bool = False) -> int:
    """Return the legal action that a text means.

    Args:
        game: a configured game.
        view: of the seat to move (one row).
        text: a move in notation, or as much after its verb as tells it from all others (``m14`` for ``go m14``).
        may_shorten: the beginning of a move will do, if no other begins so.

    Raises:
        NotationError: the text is not understood, or means several moves.
        IllegalActionError: it is a move, and not legal now.
    """
    text = " ".join(text.split())
    moves = legal_moves(game, view)
    for is_meant in (_is_all, _is_rest, *([_is_beginning] if may_shorten and text else [])):
        meant = [move for move in moves if is_meant(move, text)]
        if len(meant) > 1:
            raise NotationError(f"{text!r} may be {_some(meant)}; write more of it")
        if meant:
            return meant[0].action
    action = game.notation.parse_action(game, view, text)
    if action not in {move.action for move in moves}:
        _refuse(game, view, action)
    return action


def _is_all(move: Move, text: str) -> bool:
    return move.text == text


def _is_rest(move: Move, text: str) -> bool:
    return bool(text) and move.rest == text


def _is_beginning(move: Move, text: str) -> bool:
    return move.text.startswith(text)


def _refuse(game: Game, view: np.ndarray, action: int) -> None:
    """Say that an action is not legal, from what the seat sees itself."""
    masks = np.zeros((1, game.actions.size), np.int8)
    masks[0, game.legal(view)] = 1
    game.require_legal(masks, np.array([action]), view)


def _some(moves: Sequence[Move]) -> str:
    more = f" and {len(moves) - FEW} more" if len(moves) > FEW else ""
    return ", ".join(repr(move.text) for move in moves[:FEW]) + more
