"""What a seat thinks, as arrays and tables."""

from __future__ import annotations

import numpy as np

from agents.explanation import Table, percent
from agents.secret_formula.belief import believe
from kgb_env.game import Game
from kgb_env.games.secret_formula.boards import names_of
from kgb_env.games.secret_formula.spec import FORMULA, NOWHERE, SEATS
from kgb_env.jit import kernel

CONSIDERED = 5  # choices that are shown


def beliefs(
    game: Game, views: np.ndarray, belief: np.ndarray, replayed: np.ndarray, evidence: np.ndarray, plan: np.ndarray
) -> np.ndarray:
    """Return who the viewers believe carries the formula: (n, seats + 1) float64, the last for nobody.

    Args:
        game: The Secret Formula with any options.
        views: (n,) views by seats.
        belief: memory, one record.
        replayed: memory, one state.
        evidence: what moves tell, one record.
        plan: of the board, one record.
    """
    game.require_views(views)
    held = np.empty((views.size, SEATS + 1))
    believe_rows(views, held, belief, replayed, evidence, plan, game.tables)
    return held[:, [*range(game.seats), SEATS]]


def facts(game: Game, states: np.ndarray) -> np.ndarray:
    """Return who carries the formula: (n, seats + 1) bool, the last for nobody."""
    game.require_states(states)
    holders = states["holder"][states["contents"] == FORMULA]
    return np.where(holders == NOWHERE, game.seats, holders)[:, None] == np.arange(game.seats + 1)


@kernel
def believe_rows(views, held, belief, replayed, evidence, plan, tables):
    """Write what every viewer believes."""
    for i in range(views.size):
        believe(views[i], np.int64(views[i].viewer), belief[0], replayed[0], evidence[0], plan[0], tables[0])
        held[i] = belief[0].held


def explain(game: Game, view: np.ndarray, belief: np.record, values: np.ndarray, mask: np.ndarray) -> list[Table]:
    """Return what the seat to move believes and considers, as tables.

    Args:
        game: The Secret Formula with any options.
        view: one view of the seat to move.
        belief: what it believes.
        values: (actions,) what each choice is worth.
        mask: (actions,) which are legal.
    """
    return [
        envelopes_table(game, view[0], belief),
        seats_table(game, view[0], belief),
        choices_table(game, view, values, mask),
    ]


def envelopes_table(game: Game, v: np.record, belief: np.record) -> Table:
    """Return how likely each envelope holds the formula."""
    names, rows = names_of(game), []
    for envelope, name in enumerate(names.envelopes):
        holder, cell = int(v.holder[envelope]), int(v.lies[envelope])
        where = f"seat {holder}" if holder != NOWHERE else names.cells[cell]
        seen = " ".join(str(seat) for seat in range(game.seats) if (v.examined[seat] >> envelope) & 1)
        rows.append((name, where, seen, percent(belief.chance[envelope])))
    return Table("Where the formula is (percent)", ("Envelope", "Is at", "Examined by", "Chance"), rows)


def seats_table(game: Game, v: np.record, belief: np.record) -> Table:
    """Return who may carry the formula, and what the others may think of the viewer."""
    rows = []
    for seat in range(game.seats):
        thinks = "" if seat == v.viewer else percent(belief.suspicion[seat])
        rows.append((f"seat {seat}", percent(belief.held[seat]), thinks))
    rows.append(("nobody", percent(belief.held[SEATS]), ""))
    note = "The last column: how likely that seat must think that the viewer carries it."
    return Table("Who carries the formula (percent)", ("Who", "Chance", "Suspects me"), rows, note)


def choices_table(game: Game, view: np.ndarray, values: np.ndarray, mask: np.ndarray) -> Table:
    """Return the choices that are worth most."""
    best = [int(action) for action in np.argsort(-values, kind="stable") if mask[action]][:CONSIDERED]
    rows = [(game.notation.action(game, view, action), f"{values[action]:.3f}") for action in best]
    return Table("What it considers", ("Choice", "Worth"), rows, "Worth: roughly the chance to win; leaving is 2.")
