"""Who knows what in Confusion, as records, tensors and possible worlds.  (Rulings C3, C13)"""

from kgb_env.games.confusion.legality import waiting
from kgb_env.games.confusion.spec import (
    ANSWER,
    CELLS,
    COLUMNS,
    LEAVE,
    MOVE,
    NOWHERE,
    OBSERVATION,
    PROMOTE,
    PROPOSE,
    ROWS,
    SEATS,
    SPIES,
    TOKENS,
    TURN_BITS,
)
from kgb_env.jit import kernel, next_u64, pick
from kgb_env.loops import copy_world
from kgb_env.record import UNKNOWN

# Where each piece of the observation starts.
TO_MOVE, PHASE = OBSERVATION.to_move.start, OBSERVATION.phase.start
TURNS_LEFT, RULES, TOKENS_LEFT = OBSERVATION.turns_left.start, OBSERVATION.rules.start, OBSERVATION.tokens.start
EXTRA, DOUBLE_MOVE, BARRED = OBSERVATION.extra.start, OBSERVATION.double.start, OBSERVATION.barred.start
ASKED_BY, ASKED_KIND, ASKED_SPY = OBSERVATION.asked_by.start, OBSERVATION.asked_kind.start, OBSERVATION.asked_spy.start
ASKED_DIRECTION, ASKED_DISTANCE = OBSERVATION.asked_direction.start, OBSERVATION.asked_distance.start
IN_PLAY, PROMOTED_SPIES = OBSERVATION.in_play.start, OBSERVATION.promoted.start
REVEALED, CONTROLS = OBSERVATION.revealed.start, OBSERVATION.controls.start
ROW, COLUMN, PLANES = OBSERVATION.row.start, OBSERVATION.column.start, OBSERVATION.planes.start
POSSIBLE, PIECE = OBSERVATION.possible.start, OBSERVATION.piece.start


@kernel
def hide(v, seat, tables):
    """Hide the pieces of the seat's own spies, of both sides' for the public, unless shown (C3)."""
    for owner in range(SEATS):
        if owner == seat or seat < 0:
            for spy in range(SPIES):
                if not v.revealed[owner, spy]:
                    v.piece[owner, spy] = UNKNOWN


@kernel
def observe(v, obs, obs_mask, tables):
    """Encode the game as the viewer sees it: me first, then them; forward is forward."""
    obs[:] = 0
    obs_mask[:] = 1
    me = int(v.viewer)
    if v.to_move >= 0:
        obs[TO_MOVE + (int(v.to_move) ^ me)] = 1
        obs[PHASE + int(v.phase) - PROPOSE] = 1
        obs[EXTRA] = v.phase == PROPOSE and not v.used_extra
        if v.phase == ANSWER:
            observe_proposal(v, obs)
        elif v.phase == PROMOTE:
            obs[ASKED_BY + (int(v.to_move) ^ me)] = 1
            obs[ASKED_SPY + int(v.arrived)] = 1
    observe_tokens(v, obs)
    obs[RULES] = v.honor_among_spies
    obs[RULES + 1] = tables.is_tight
    obs[RULES + 2] = v.safe_extraction
    obs[RULES + 3] = v.variable_setup
    obs[RULES + 4] = v.promotion_sir
    left = SEATS * int(v.max_turns) - int(v.turn)
    for bit in range(TURN_BITS):
        obs[TURNS_LEFT + bit] = (left >> bit) & 1
    observe_side(v, me, 0, obs, obs_mask, tables)  # a loop over the sides would take half as long again
    observe_side(v, 1 - me, 1, obs, obs_mask, tables)
    obs[PLANES + 2 * CELLS + tables.turned[me, v.briefcase]] = 1


@kernel
def observe_proposal(v, obs):
    """Encode the proposal that waits for an answer, as its proposer sees it."""
    kind, spy, direction, distance = waiting(v)
    obs[ASKED_BY + (int(v.turn) % SEATS ^ int(v.viewer))] = 1
    obs[ASKED_KIND + (0 if kind == MOVE else 1 if kind == LEAVE else 2)] = 1
    obs[ASKED_SPY + spy] = 1
    obs[ASKED_DIRECTION + direction] = 1
    obs[ASKED_DISTANCE + distance] = 1


@kernel
def observe_tokens(v, obs):
    """Encode the tokens that are left, and what they have done to this turn."""
    for side in range(SEATS):
        for token in range(len(TOKENS)):
            obs[TOKENS_LEFT + len(TOKENS) * side + token] = v.tokens[int(v.viewer) ^ side, token]
    if v.double:
        obs[DOUBLE_MOVE + int(v.double) - 1] = 1
    if v.barred:
        for spy in range(SPIES):
            obs[BARRED + spy] = (int(v.barred) >> spy) & 1


@kernel
def observe_side(v, seat, side, obs, obs_mask, tables):
    """Encode the spies of a seat, which is the viewer's own side (0) or the other (1)."""
    me = int(v.viewer)
    for spy in range(SPIES):
        k = SPIES * side + spy
        obs[PROMOTED_SPIES + k] = v.promoted[seat, spy]
        obs[REVEALED + k] = v.revealed[seat, spy]
        possible = int(v.possible[seat, spy])
        for piece in range(SPIES):
            obs[POSSIBLE + SPIES * k + piece] = (possible >> piece) & 1
        piece = int(v.piece[seat, spy])
        if piece != UNKNOWN:
            obs[PIECE + SPIES * k + piece] = 1
        elif spy < tables.spies:
            for piece in range(SPIES):  # faster than a slice
                obs_mask[PIECE + SPIES * k + piece] = 0
        cell = int(v.cell[seat, spy])
        if cell != NOWHERE:
            obs[IN_PLAY + k] = 1
            obs[CONTROLS + k] = cell == v.briefcase
            obs[ROW + ROWS * k + tables.own_row[me, cell]] = 1
            obs[COLUMN + COLUMNS * k + tables.own_column[me, cell]] = 1
            obs[PLANES + CELLS * side + tables.turned[me, cell]] = 1


# Possible worlds: how the pieces may lie, counted over subsets of pieces.


@kernel
def last_bit(bits):
    """Return the lowest set bit alone."""
    return bits & -bits


@kernel
def count_bits(bits):
    """Return how many bits are set."""
    count = 0
    while bits:
        bits &= bits - 1
        count += 1
    return count


@kernel
def count_deals(v, seat, ways, tables):
    """Fill ``ways[used]``: in how many ways the spies from number ``count_bits(used)`` on get the other pieces.

    ``ways[0]`` is the number of deals that agree with all answers.  O(13 * 2**13), exact: 13! < 2**63.
    """
    everything = tables.pieces
    ways[everything] = 1
    for used in range(everything - 1, -1, -1):
        if used & ~everything:
            continue
        ways[used] = 0
        free = int(v.possible[seat, count_bits(used)]) & ~used
        while free:
            piece = last_bit(free)
            ways[used] += ways[used | piece]
            free ^= piece


@kernel
def determinize(v, seeds, out, scratch, tables):
    """Deal the viewer's own pieces anew, every deal that agrees with the answers equally likely.

    A Double Agent may have answered anything, so no answer makes one deal likelier than another
    before one thinks about how opponents lie.
    """
    count_deals(v, v.viewer, scratch.ways, tables)
    for k in range(out.size):
        copy_world(v, seeds[k], out, k)
        used = 0
        for spy in range(tables.spies):
            for piece in range(SPIES):
                bit = 1 << piece
                is_free = v.possible[v.viewer, spy] & ~used & bit
                scratch.weights[piece] = scratch.ways[used | bit] if is_free else 0
            piece = pick(scratch.weights, next_u64(out[k]))
            out[k].piece[v.viewer, spy] = piece
            used |= 1 << piece
        out[k].rng = seeds[k]


@kernel
def count_marginals(views, seat, marginals, scratch, tables):
    """Fill ``marginals[spy, piece]``: the number of deals of a seat's pieces in which the spy has the piece."""
    v, ways, before, everything = views[0], scratch[0].ways, scratch[0].before, tables[0].pieces
    count_deals(v, seat, ways, tables[0])
    marginals[:] = 0
    before[: everything + 1] = 0
    before[0] = 1  # in how many ways the first spies get just the pieces in the subset
    for used in range(everything + 1):
        if used & ~everything or before[used] == 0:
            continue
        spy = count_bits(used)
        free = int(v.possible[seat, spy]) & ~used if spy < tables[0].spies else 0
        while free:
            bit = last_bit(free)
            before[used | bit] += before[used]
            marginals[spy, count_bits(bit - 1)] += before[used] * ways[used | bit]
            free ^= bit
    return ways[0]
