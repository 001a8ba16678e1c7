"""Where the formula is, and who has it: what a seat believes, from all that it has seen."""

import numpy as np

from agents.secret_formula.evidence import EVIDENCE, weigh_move
from kgb_env.camp.board import HIDING_PLACES
from kgb_env.games.secret_formula.rules import begin, step
from kgb_env.games.secret_formula.spec import (
    DO_HIT,
    FORMULA,
    LOG,
    LOG_CHOICE,
    LOG_ESCAPE,
    LOG_GATE,
    LOG_GO,
    LOG_THROW,
    NOWHERE,
    NUMBER,
    SEATS,
    STAY,
    SURRENDERED,
    TOLD,
    TOLD_BITS,
    TOLD_HIT,
    TOLD_STAY,
    TOLD_WAIT,
    WAIT,
)
from kgb_env.jit import kernel
from kgb_env.record import UNKNOWN

# What a log likelihood ratio of a whole game is limited to: players change their ways.
MOST = 8.0

BELIEF = np.dtype(
    (
        np.record,
        [
            ("trust", "f8"),  # how much of what moves tell is believed: they do not tell it independently of each other
            ("score", "f8", (HIDING_PLACES,)),  # log weight of each envelope, by all moves: the same for everybody
            ("chance", "f8", (HIDING_PLACES,)),  # that it holds the formula, as the viewer sees it
            ("held", "f8", (SEATS + 1,)),  # that each seat carries it, then that nobody does
            ("suspicion", "f8", (SEATS,)),  # that the viewer carries it, as each other seat sees it
        ],
    )
)


# Measured: the mean of what 1,500 games between experts (of an earlier version) and as many between collectors showed
# (tests/secret_formula/evidence.py), rounded and limited to 3.5.  A row is a sign of gates, a column one of envelopes.
SEEN = {
    "has": [
        [1.0, 0.0, -0.6, -1.3, -3.1, 2.0],
        [0.4, 0.5, -1.0, -2.2, -2.3, 2.0],
        [-0.1, -0.5, 0.1, -2.5, -1.7, 0.3],
        [2.2, 2.0, 2.1, 0.2, -1.4, 2.5],
        [-6.0, -6.0, -6.0, -6.0, -6.0, -6.0],  # never seen
    ],
    "drops": -3.5,
}


def make_evidence() -> np.ndarray:
    """Return what moves tell, one read-only record."""
    evidence = np.zeros(1, EVIDENCE)
    for name, value in SEEN.items():
        evidence[name] = value
    evidence.flags.writeable = False
    return evidence


@kernel
def believe(v, seat, b, replayed, evidence, p, t):
    """Work out what a seat believes.

    Args:
        v: its view.
        seat: the viewer.
        b: one record of BELIEF to write to.
        replayed: one state to work in.
        evidence: one record of EVIDENCE.
        p: the plan.
        t: the tables.
    """
    replay(v, b.score, replayed, evidence, p, t)
    share_out(v, seat, b, t)
    for other in range(v.players):
        b.suspicion[other] = 0.0 if other == seat else suspicion(v, seat, other, b, t)


@kernel
def replay(v, score, s, evidence, p, t):
    """Play the game again by its log, and weigh every move.

    A position that somebody has set up has no beginning, and very long games have lost theirs: they tell nothing.
    """
    score[:] = 0.0
    if v.events > LOG or v.events == 0 or v.log[0] >> TOLD_BITS != LOG_GATE:
        return
    s.players, s.max_rounds, s.is_merciful = v.players, v.max_rounds, v.is_merciful
    begin(s, t)
    step(s, 0, t)  # the formula is anywhere: no rule but that of leaving asks
    step(s, np.int64(v.first), t)
    for k in range(v.events):
        kind, told = np.int64(v.log[k]) >> TOLD_BITS, np.int64(v.log[k]) & TOLD
        if kind == LOG_GATE:
            step(s, t.do_gate + (told >> 3), t)
        elif kind in (LOG_THROW, LOG_ESCAPE):
            step(s, (told & NUMBER) - 1, t)
        elif kind == LOG_GO:
            cell = told & (SURRENDERED - 1)
            weigh_move(s, np.int64(s.to_move), cell, score, evidence, p, t)
            step(s, t.do_go + cell, t)
        elif kind == LOG_CHOICE and told == TOLD_STAY:
            for envelope in range(t.hiding_places):
                if s.holder[envelope] == s.to_move:
                    score[envelope] += evidence.drops
            step(s, STAY, t)
        elif kind == LOG_CHOICE and told in (TOLD_WAIT, TOLD_HIT):
            step(s, WAIT if told == TOLD_WAIT else DO_HIT, t)


@kernel
def weight(score, b):
    """Return how likely an envelope is compared to one of which nothing is known."""
    return np.exp(min(MOST, max(-MOST, b.trust * score)))


@kernel
def share_out(v, seat, b, t):
    """Write the chance of each envelope, and of each seat to carry it."""
    total = 0.0
    for envelope in range(t.hiding_places):
        contents = v.contents[envelope]
        is_open = contents in (FORMULA, UNKNOWN)
        b.chance[envelope] = weight(b.score[envelope], b) if is_open else 0.0
        total += b.chance[envelope]
    b.held[:] = 0.0
    for envelope in range(t.hiding_places):
        b.chance[envelope] /= total
        holder = np.int64(v.holder[envelope])
        b.held[SEATS if holder == NOWHERE else holder] += b.chance[envelope]


@kernel
def suspicion(v, seat, other, b, t):
    """Return how likely another seat must think that this one carries the formula."""
    mine, total = 0.0, 0.0
    for envelope in range(t.hiding_places):
        is_mine = v.holder[envelope] == seat
        if not (v.examined[other] >> envelope) & 1:
            total += weight(b.score[envelope], b)
            mine += weight(b.score[envelope], b) * is_mine
        elif v.contents[envelope] == FORMULA:
            return 1.0 if is_mine else 0.0  # it has seen it
    return mine / total if total > 0.0 else 0.0
