"""What everybody can cross out in Confusion, event by event.  (Ruling C13)"""

import numpy as np

from kgb_env.games.confusion.spec import DOUBLE_AGENT
from kgb_env.jit import kernel

ONLY_DOUBLE_AGENT = 1 << DOUBLE_AGENT


@kernel
def learn_from_answer(s, seat, spy, direction, distance, is_yes, tables):
    """Keep the pieces that would have answered so, and the Double Agent, who may answer anything."""
    if not s.promoted[seat, spy]:  # a promoted spy's answers say nothing about its piece
        fitting = tables.can[direction, distance]
        s.possible[seat, spy] &= (fitting if is_yes else ~fitting) | ONLY_DOUBLE_AGENT


@kernel
def learn_from_promotion(s, seat, spy, is_promoted, tables):
    """Keep the promotable pieces, or the others (C10)."""
    s.possible[seat, spy] &= tables.promotable if is_promoted else ~tables.promotable


@kernel
def reveal(s, seat, spy, tables):
    """Show a piece to its owner: no other spy of his can be it."""
    piece = 1 << np.int64(s.piece[seat, spy])
    s.revealed[seat, spy] = 1
    for other in range(tables.spies):
        s.possible[seat, other] &= ~piece
    s.possible[seat, spy] = piece
