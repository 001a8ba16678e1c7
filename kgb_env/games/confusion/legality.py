"""What a seat may choose in Confusion.  (Rulings C4, C5, C9, C14)"""

import numpy as np

from kgb_env.games.confusion.board import controller, has_briefcase, is_at_home, is_own
from kgb_env.games.confusion.placement import legal_places
from kgb_env.games.confusion.spec import (
    ACTION_BITS,
    ANSWER,
    DIRECTIONS,
    DOUBLE,
    DOUBLE_AGENT,
    EDGE,
    EMPTY,
    EXPOSE,
    HAND,
    LEAVE,
    LONGEST,
    MOVE,
    MOVE_TOKEN,
    NO,
    NOWHERE,
    OUT,
    PAIRS,
    PATHS,
    PLACE,
    PROMOTE,
    PROMOTE_NO,
    PROMOTE_YES,
    PROMOTED,
    PROPOSE,
    REVEAL,
    REVEAL_TOKEN,
    SKIP,
    SPIES,
    SWAP,
    SWAP_TOKEN,
    TAKE,
    TAKE_NO,
    TAKE_YES,
    YES,
)
from kgb_env.jit import kernel

WAYS = len(DIRECTIONS)


@kernel
def legal(v, mask, tables):
    """Write what the seat to move may choose."""
    mask[:] = 0
    if v.phase == ANSWER:
        legal_answers(v, mask, tables)
    elif v.phase == PROPOSE:
        if not legal_proposals(v, mask, tables):
            mask[SKIP] = 1  # C11
        if not v.used_extra:
            legal_removals(v, mask, tables)
            legal_tokens(v, mask, tables)
    elif v.phase == PLACE:
        legal_places(v, mask, tables)
    elif v.phase == PROMOTE:
        mask[PROMOTE_NO] = 1
        mask[PROMOTE_YES] = 1
    elif v.phase == TAKE:
        mask[TAKE_NO] = 1
        mask[TAKE_YES] = 1


@kernel
def may_propose(v, seat, spy, tables):
    """Tell if a spy may be proposed in this turn, wherever it can go (C4, C14)."""
    if v.cell[seat, spy] == NOWHERE or (np.int64(v.barred) >> spy) & 1:
        return False
    return not v.double or is_at_home(v, seat, spy, tables)


@kernel
def legal_proposals(v, mask, tables):
    """Allow what is possible on the board, whatever the pieces are; tell if there is anything (C4)."""
    seat = np.int64(v.to_move)
    is_any = False
    for spy in range(SPIES):
        if not may_propose(v, seat, spy, tables):
            continue
        start = np.int64(v.cell[seat, spy])
        for direction in range(WAYS):
            for distance in range(LONGEST):
                cell = tables.path[seat, start, direction, distance]
                found = v.board[cell]
                if found == EDGE or is_own(found, seat):
                    break
                mask[MOVE + PATHS * spy + LONGEST * direction + distance] = 1
                is_any = True
                if found != EMPTY or cell == v.briefcase:
                    break
    if has_briefcase(v, seat) and may_propose(v, seat, controller(v), tables):
        is_any |= legal_handovers(v, seat, mask, tables)
    return is_any


@kernel
def legal_handovers(v, seat, mask, tables):
    """Allow to leave the briefcase behind, or to pass it on, onto any spy; tell if there is a way (C7)."""
    is_any = False
    for direction in range(WAYS):
        for distance in range(LONGEST):
            path = LONGEST * direction + distance
            found = v.board[tables.path[seat, v.briefcase, direction, distance]]
            if found == EDGE:
                break
            mask[HAND + path] = 1
            is_any = True
            if not is_own(found, seat):
                mask[LEAVE + path] = 1
            if found != EMPTY:
                break
    return is_any


@kernel
def can_propose(s, tables):
    """Tell if the seat to move has a legal proposal: if any, then one of distance 1."""
    seat = np.int64(s.to_move)
    for spy in range(SPIES):
        if may_propose(s, seat, spy, tables):
            for direction in range(WAYS):
                found = s.board[tables.path[seat, s.cell[seat, spy], direction, 0]]
                if found != EDGE and (not is_own(found, seat) or s.cell[seat, spy] == s.briefcase):
                    return True
    return False


@kernel
def legal_removals(v, mask, tables):
    """Allow to remove any own spy, and the opponent's Double Agent, which is seen (C9)."""
    if v.honor_among_spies:
        return
    for spy in range(tables.spies):
        if v.cell[v.to_move, spy] != NOWHERE:
            mask[OUT + spy] = 1
        if v.cell[1 - v.to_move, spy] != NOWHERE and v.piece[1 - v.to_move, spy] == DOUBLE_AGENT:
            mask[EXPOSE] = 1


@kernel
def legal_tokens(v, mask, tables):
    """Allow the tokens that are left, where there are spies for them (C14)."""
    seat = np.int64(v.to_move)
    if v.tokens[seat, REVEAL_TOKEN]:
        for spy in range(tables.spies):
            mask[REVEAL + spy] = 1  # removed ones too
    if v.tokens[seat, MOVE_TOKEN] or v.tokens[seat, SWAP_TOKEN]:
        for pair in range(PAIRS):
            first, second = tables.pair[pair, 0], tables.pair[pair, 1]
            if is_at_home(v, seat, first, tables) and is_at_home(v, seat, second, tables):
                mask[SWAP + pair] = v.tokens[seat, SWAP_TOKEN]
                mask[DOUBLE] = v.tokens[seat, MOVE_TOKEN]


@kernel
def decode(v, action):
    """Return a proposal of the seat whose turn it is: kind (its first action), spy, direction, distance - 1."""
    if action < LEAVE:
        path = (action - MOVE) % PATHS
        return MOVE, (action - MOVE) // PATHS, path // LONGEST, path % LONGEST
    kind = LEAVE if action < HAND else HAND
    return kind, controller(v), (action - kind) // LONGEST, (action - kind) % LONGEST


@kernel
def waiting(s):
    """Return the proposal that waits for an answer; see decode."""
    return decode(s, np.int64(s.log[s.events - 1]) & ACTION_BITS)


@kernel
def true_answer(s, seat, spy, direction, distance, tables):
    """Return what a piece that is no Double Agent must answer (C5)."""
    piece = s.piece[seat, spy]
    if s.promoted[seat, spy]:
        piece = PROMOTED
    return distance < tables.reach[piece, direction]


@kernel
def is_free_answer(s, seat, spy):
    """Tell if the answer is the opponent's to choose: the spy is a Double Agent (C5)."""
    return s.piece[seat, spy] == DOUBLE_AGENT and not s.promoted[seat, spy]


@kernel
def legal_answers(v, mask, tables):
    """Allow the truth only, or both answers for a Double Agent (C5)."""
    _, spy, direction, distance = waiting(v)
    seat = 1 - np.int64(v.to_move)
    if is_free_answer(v, seat, spy):
        mask[NO] = 1
        mask[YES] = 1
    elif true_answer(v, seat, spy, direction, distance, tables):
        mask[YES] = 1
    else:
        mask[NO] = 1
