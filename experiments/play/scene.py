"""What a page shows to a seat: worked out from its view alone, until the game is over."""

from __future__ import annotations

from typing import Any

from . import words
from .forms import plain
from .moves import legal_moves
from .session import Session


def scene(session: Session, seat: int, is_over: bool) -> dict[str, Any]:
    """Return picture, log, turn and legal moves of a seat, ready for JSON.

    Args:
        session: the game.
        seat: who looks.
        is_over: nobody moves any more: then everything is shown besides.
    """
    game, view = session.game, session.view(seat)
    mover = int(view["to_move"][0])
    shown: dict[str, Any] = {
        "svg": game.picture(view).svg,
        "text": game.notation.draw(game, view),
        "log": game.notation.log(game, view),
        "who": words.who(game, view),
        "due": words.due(game, view),
        "known": words.as_html("\n".join(words.known(game, view))),
        "mover": mover if 0 <= mover and not is_over else None,
        "moves": [],
        "result": None,
    }
    if mover == seat and not is_over:
        shown["moves"] = [[move.text, list(move.marks)] for move in legal_moves(game, view)]
    if is_over:
        shown["open"] = game.picture(session.recording.states).svg
        shown["result"] = _result(session)
    return shown


def _result(session: Session) -> dict[str, Any] | None:
    """Return how the game ended; None if it was broken off."""
    game, states = session.game, session.recording.states
    outcome = game.outcome(states)
    if outcome is None:
        return None
    return {
        "reason": outcome.reason,
        "meaning": plain(game.ending(int(states["reason"][0])).meaning),
        "returns": outcome.returns,
        "winners": outcome.winners,
    }
