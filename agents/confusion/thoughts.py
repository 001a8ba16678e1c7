"""What the inference player thinks, as tables: the notebook with probabilities, and what it considers."""

from __future__ import annotations

import numpy as np

from agents.explanation import Table, percent
from kgb_env.game import Game
from kgb_env.games.confusion.spec import DOUBLE_AGENT, LETTERS, NOWHERE
from kgb_env.games.confusion.text import SIDES, pieces_of
from kgb_env.record import UNKNOWN

MOST = 12  # choices shown
VALUE, GRANTED, TOLD = range(3)


def notebook_table(game: Game, view: np.ndarray, seat: int, chance: np.ndarray) -> Table:
    """Return what a seat believes about its spies.

    Args:
        game: Confusion with any options.
        view: one view, by this seat or the other.
        seat: whose spies.
        chance: (spies, pieces) probabilities.
    """
    v = view[0]
    columns = [*range(len(pieces_of(game))), *([] if game.options["honor_among_spies"] else [DOUBLE_AGENT])]
    heads = [piece_number(piece) for piece in columns]
    rows = []
    for spy in range(int(game.tables[0].spies)):
        place = "out" if v.cell[seat, spy] == NOWHERE else "promoted" if v.promoted[seat, spy] else ""
        known = int(v.piece[seat, spy])
        is_seen = "" if known == UNKNOWN else piece_number(known)
        rows.append((LETTERS[spy], *(percent(chance[spy, piece]) for piece in columns), is_seen, place))
    title = f"What {SIDES[seat]} must believe about its spies, in percent of each piece"
    return Table(title, ("Spy", *heads, "is", ""), rows)


def piece_number(piece: int) -> str:
    """Return how a piece is numbered where there is little room."""
    return "DA" if piece == DOUBLE_AGENT else str(piece + 1)


def choice_table(game: Game, view: np.ndarray, considered: np.ndarray) -> Table:
    """Return the best of what is considered.

    Args:
        game: Confusion with any options.
        view: one view of the seat to move.
        considered: (actions, 3): value, chance of a yes, bits that the answer tells; NaN where there is none.
    """
    looked_at = np.flatnonzero(~np.isnan(considered[:, VALUE]))
    best = looked_at[np.argsort(-considered[looked_at, VALUE], kind="stable")]
    rows = []
    for action in best[:MOST]:
        value, granted, told = considered[action]
        text = game.notation.action(game, view, int(action))
        is_proposal = not np.isnan(granted)
        rows.append(
            (text, f"{value:+.3f}", percent(granted) if is_proposal else "", f"{told:.2f}" if is_proposal else "")
        )
    more = f"{best.size - MOST} more were worth less." if best.size > MOST else ""
    return Table("What it considers", ("Choice", "Value", "Yes, percent", "Tells, bits"), rows, more)


def answer_table(game: Game, view: np.ndarray, chance: float) -> Table:
    """Return how it answers the proposal that waits."""
    proposed = game.notation.log(game, view)[-1]
    rows = [("yes", percent(chance)), ("no", percent(1.0 - chance))]
    return Table(f"Its answer to {proposed}", ("Answer", "Percent"), rows)
