"""What a move tells about who has the formula."""

import numpy as np

from kgb_env.camp.tables import FAR
from kgb_env.games.secret_formula.legality import has_something, is_inside, starting_cell, steps_to
from kgb_env.games.secret_formula.spec import NOWHERE
from kgb_env.jit import kernel

# How far towards its goal a move leads, as a share of the steps it takes.
AWAY, ASIDE, NEARER, STRAIGHT = range(4)
SHARES = (-0.34, 0.34, 0.8)
COULD_LEAVE = 4  # instead, for gates: the holder of the formula would have been out
TAKES, NONE_LEFT = 4, 5  # for envelopes: it goes to one it has not examined; it has examined all
GATE_SIGNS, ENVELOPE_SIGNS = 5, 6

EVIDENCE = np.dtype(
    (
        np.record,
        [
            ("has", "f8", (GATE_SIGNS, ENVELOPE_SIGNS)),  # log likelihood ratio of moves: with the formula, without
            ("drops", "f8"),  # the same for surrendering, or staying to be captured
        ],
    )
)


@kernel
def way(t, guard, start, cell):
    """Return the steps from one cell to another, 0 from a cell to itself, while the guard is in a sector."""
    return 0 if start == cell else np.int64(t.steps[guard, start, cell])


@kernel
def place_of(s, envelope):
    """Return the cell on which an envelope lies or is carried."""
    holder = np.int64(s.holder[envelope])
    return np.int64(s.lies[envelope] if holder == NOWHERE else s.cell[holder])


@kernel
def sign(before, after, used):
    """Return how far towards a goal a move of some steps leads."""
    share = (before - after) / max(np.int64(1), used)
    kind = AWAY
    for least in SHARES:
        kind += share > least
    return kind


@kernel
def steps_used(s, seat, cell, t):
    """Return how many steps going to a cell uses up: all that are left if nothing is there."""
    return steps_to(s, seat, cell, t) if has_something(s, seat, cell) else np.int64(s.left)


@kernel
def gate_sign(s, seat, cell, used, p, t):
    """Tell how a move looks to who thinks that the seat has the formula."""
    start = starting_cell(s, seat, t)
    before = np.int64(p.to_gate[s.guard, start])
    if s.cell[seat] != NOWHERE and before <= s.left:
        return COULD_LEAVE
    return sign(before, np.int64(p.to_gate[s.guard, cell]), used)


@kernel
def envelope_sign(s, seat, cell, used, t):
    """Tell how a move looks to who thinks that the seat looks for envelopes."""
    start, before, after = starting_cell(s, seat, t), np.int64(FAR), np.int64(FAR)
    is_one_left = False
    for envelope in range(t.hiding_places):
        place = place_of(s, envelope)
        if not (s.examined[seat] >> envelope) & 1 and place != NOWHERE:
            if place == cell:
                return TAKES
            is_one_left = True
            before = min(before, way(t, s.guard, start, place))
            after = min(after, way(t, s.guard, cell, place))
    return sign(before, after, used) if is_one_left else NONE_LEFT


@kernel
def is_surrender(s, seat, cell, t):
    """Tell if going to a cell would be to surrender (S10)."""
    return t.sector[cell] == s.guard and not is_inside(s, seat, t)


@kernel
def weigh_move(s, seat, cell, score, evidence, p, t):
    """Add to the log weight of each envelope what a move about to be made tells about it.

    Args:
        s: a state or view in which the seat is to move or to escape.
        seat: who moves.
        cell: where it goes.
        score: (envelopes,) the log weights to add to.
        evidence: one record of EVIDENCE.
        p: the plan.
        t: the tables.
    """
    drops = is_surrender(s, seat, cell, t)
    used = steps_used(s, seat, cell, t)
    has = evidence.drops
    if not drops:
        has = evidence.has[gate_sign(s, seat, cell, used, p, t), envelope_sign(s, seat, cell, used, t)]
    for envelope in range(t.hiding_places):
        if s.holder[envelope] == seat:
            score[envelope] += has
