"""Which spy is which piece: exact probabilities, from all answers, as each seat must hold them.

Both seats hear the same, so a seat can work out what the other one believes about its own spies.
"""

import numpy as np

from agents.confusion.bluff import likelihood_of, yes_chance
from kgb_env.games.confusion.deduction import ONLY_DOUBLE_AGENT
from kgb_env.games.confusion.legality import decode
from kgb_env.games.confusion.rules import begin, step
from kgb_env.games.confusion.spec import (
    ACTION_BITS,
    ANSWER,
    ANSWERED_NO,
    ANSWERED_YES,
    DOUBLE_AGENT,
    NO,
    NO_PROMOTION,
    NOT_TAKEN,
    PLACE,
    PROMOTE,
    PROMOTE_NO,
    PROMOTE_YES,
    PROMOTION,
    PROPOSE,
    SEATS,
    SPIES,
    TAKE,
    TAKE_NO,
    TAKE_YES,
    TAKEN,
    WHITE,
    YES,
)
from kgb_env.games.confusion.views import count_bits, last_bit
from kgb_env.jit import kernel
from kgb_env.record import NOBODY, UNKNOWN

SUBSETS = 1 << SPIES
LEAST_LIKELY = 1e-100  # that all answers were lies: never nothing, or nothing would be left to divide by
MEMORY_OF_BELIEF = [
    ("chance", "f8", (SEATS, SPIES, SPIES)),  # what each seat believes: spy, piece
    ("lies", "f8", (SEATS, SPIES)),  # likelihood of the answers about a spy if it is the Double Agent
    ("before", "f8", (SUBSETS,)),  # weight of the ways to give the pieces in a subset to the first spies
    ("after", "f8", (SUBSETS,)),  # and the other pieces to the others
    ("order", "i8", (SPIES,)),  # the spies, those about which most is known first
    ("choices", "i8", (SPIES,)),  # how many pieces a spy may be
    ("column", "i8", (SPIES,)),  # the pieces in play
    ("free", "i8", (SPIES,)),  # what each spy may be: bits, by columns
    ("ones", "i1", (SUBSETS,)),  # how many bits are set in a subset
    ("lowest", "i1", (SUBSETS,)),  # and the number of the lowest of them
]


def prepare_subsets(memory):
    """Fill the tables of subsets."""
    memory["ones"] = [subset.bit_count() for subset in range(SUBSETS)]
    memory["lowest"] = [(subset & -subset).bit_length() - 1 for subset in range(SUBSETS)]


@kernel
def believe(v, past, memory, style, tables):
    """Fill ``memory.chance`` with what both seats must believe about their own spies."""
    if not memory.is_raw:
        weigh_lies(v, past, memory.lies, style, tables)
    for seat in range(SEATS):
        if memory.is_raw:
            fill_raw(v, seat, memory.chance[seat], tables)
        else:
            fill_marginals(v, seat, memory.lies, memory.chance[seat], memory, tables)


@kernel
def weigh_lies(v, past, lies, style, tables):
    """Fill ``lies[seat, spy]``: how likely the answers about a spy are if it is the Double Agent.

    The game is played again from its log, with any pieces that agree with it: what a seat says about
    the enemy's Double Agent depends only on what both seats saw at the time (see ``bluff``).
    """
    lies[:] = 1.0
    past[0] = v
    s = past[0]
    s.viewer = NOBODY
    begin(s, tables)
    for seat in range(SEATS):
        for spy in range(tables.spies):
            s.piece[seat, spy] = v.piece[seat, spy]
            if v.piece[seat, spy] == UNKNOWN:
                s.piece[seat, spy] = any_piece(np.int64(v.possible[seat, spy]))
    s.dealt = SEATS * tables.spies
    s.phase = PLACE if s.variable_setup else PROPOSE
    s.to_move = WHITE
    for event in range(v.events):
        entry = np.int64(v.log[event])
        action = entry & ACTION_BITS
        is_yes = entry & ANSWERED_YES != 0
        if s.phase == PROPOSE and action < NO and (is_yes or entry & ANSWERED_NO):
            proposer = np.int64(s.to_move)
            kind, spy, direction, distance = decode(s, action)
            is_in_doubt = s.possible[proposer, spy] & ~ONLY_DOUBLE_AGENT != 0
            if is_in_doubt and not s.promoted[proposer, spy]:
                chance = yes_chance(s, proposer, kind, spy, direction, distance, style, tables)
                likelihood = likelihood_of(is_yes, chance, style)
                lies[proposer, spy] = max(LEAST_LIKELY, lies[proposer, spy] * likelihood)
        replay(s, entry, action, is_yes, tables)


@kernel
def any_piece(possible):
    """Return a piece out of a set, the Double Agent only if there is no other."""
    ordinary = possible & ~ONLY_DOUBLE_AGENT
    bit = last_bit(ordinary)
    piece = 0
    while bit > 1:
        bit >>= 1
        piece += 1
    return piece if ordinary else DOUBLE_AGENT


@kernel
def replay(s, entry, action, is_yes, tables):
    """Play one entry of a log: a choice, and what was answered to it."""
    step(s, action, tables)
    if s.phase == ANSWER and (is_yes or entry & ANSWERED_NO):
        step(s, YES if is_yes else NO, tables)
    if s.phase == PROMOTE and entry & (PROMOTION | NO_PROMOTION):
        step(s, PROMOTE_YES if entry & PROMOTION else PROMOTE_NO, tables)
    if s.phase == TAKE and entry & (TAKEN | NOT_TAKEN):
        step(s, TAKE_YES if entry & TAKEN else TAKE_NO, tables)


@kernel
def fill_marginals(v, seat, lies, chance, memory, tables):
    """Fill ``chance[spy, piece]`` for the spies of a seat, as that seat must hold it.

    All deals that agree with the answers weigh the same, times the likelihood of the answers about
    the spy that is the Double Agent in them.  Sums over deals are sums over subsets of pieces: those
    that the first spies have got.  Who may be least comes first, which leaves few subsets; spies about
    which nothing is known come last, and in closed form.
    """
    before, after, spies = memory.before, memory.after, tables.spies
    asked = order_spies(v, seat, lies, memory, tables)
    full = (1 << spies) - 1
    before[: full + 1] = 0.0
    before[0] = 1.0
    for used in range(full + 1):
        if before[used] > 0.0 and memory.ones[used] < asked:
            spy = memory.order[memory.ones[used]]
            free = memory.free[spy] & ~used
            while free:
                k = np.int64(memory.lowest[free])
                free &= free - 1
                before[used | (1 << k)] += before[used] * (lies[seat, spy] if memory.column[k] == DOUBLE_AGENT else 1.0)
    chance[:] = 0.0
    for used in range(full, -1, -1):
        if before[used] == 0.0:
            continue
        if memory.ones[used] == asked:
            after[used] = 1.0
            continue
        spy = memory.order[memory.ones[used]]
        free = memory.free[spy] & ~used
        total = 0.0
        while free:
            k = np.int64(memory.lowest[free])
            free &= free - 1
            ways = after[used | (1 << k)] * (lies[seat, spy] if memory.column[k] == DOUBLE_AGENT else 1.0)
            total += ways
            chance[spy, memory.column[k]] += before[used] * ways
        after[used] = total
    for spy in range(spies):
        for piece in range(SPIES):
            chance[spy, piece] /= after[0]
    share_the_rest(chance, asked, memory, tables)


@kernel
def order_spies(v, seat, lies, memory, tables):
    """Sort the spies by what they may be, least first; return about how many something is known.

    Numbers the pieces, too, and notes the possibilities of each spy by these numbers.
    """
    pieces = 0
    for piece in range(SPIES):
        if (tables.pieces >> piece) & 1:
            memory.column[pieces] = piece
            pieces += 1
    asked = 0
    for spy in range(tables.spies):
        possible, memory.free[spy] = np.int64(v.possible[seat, spy]), 0
        for k in range(pieces):
            memory.free[spy] |= ((possible >> memory.column[k]) & 1) << k
        memory.choices[spy] = count_bits(possible) if possible != tables.pieces or lies[seat, spy] != 1.0 else SPIES + 1
        asked += memory.choices[spy] <= SPIES
        place = spy
        while place > 0 and memory.choices[spy] < memory.choices[memory.order[place - 1]]:
            memory.order[place] = memory.order[place - 1]
            place -= 1
        memory.order[place] = spy
    return asked


@kernel
def share_the_rest(chance, asked, memory, tables):
    """Give the spies about which nothing is known equal shares of what is left of each piece."""
    for k in range(tables.spies):
        piece, left = memory.column[k], 1.0
        for n in range(asked):
            left -= chance[memory.order[n], piece]
        for n in range(asked, tables.spies):
            chance[memory.order[n], piece] = max(0.0, left) / (tables.spies - asked)


@kernel
def fill_raw(v, seat, chance, tables):
    """Fill ``chance`` as if each spy's raw possibilities were all there is to know: an ablation."""
    chance[:] = 0.0
    for spy in range(tables.spies):
        possible = np.int64(v.possible[seat, spy])
        for piece in range(SPIES):
            if (possible >> piece) & 1:
                chance[spy, piece] = 1.0 / count_bits(possible)
