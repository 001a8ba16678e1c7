"""Possible worlds of The Secret Formula: where the formula may be for all that a seat has seen.

The viewer cannot exclude an envelope that it has not examined: nobody has to leave the camp, so nothing
that others do or do not do tells for certain what they carry.
"""

from kgb_env.games.secret_formula.spec import FALSE, FORMULA
from kgb_env.jit import kernel, next_u64, pick
from kgb_env.loops import copy_world
from kgb_env.record import UNKNOWN


@kernel
def determinize(v, seeds, out, scratch, tables):
    """Put the formula into one of the envelopes whose contents the viewer does not know, each equally likely."""
    is_open = 0
    for envelope in range(scratch.weights.size):
        is_unknown = v.contents[envelope] == UNKNOWN
        scratch.weights[envelope] = is_unknown
        is_open |= is_unknown
    for k in range(out.size):
        copy_world(v, seeds[k], out, k)
        if is_open:
            hide_formula(out[k], scratch)
            out[k].rng = seeds[k]


@kernel
def hide_formula(w, scratch):
    """Turn a view into a state by an envelope drawn at random."""
    drawn = pick(scratch.weights, next_u64(w))
    for envelope in range(scratch.weights.size):
        if w.contents[envelope] == UNKNOWN:
            w.contents[envelope] = FORMULA if envelope == drawn else FALSE
