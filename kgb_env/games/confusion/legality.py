"""What a seat may choose in Confusion.  (Rulings C4, C5, C9, C14)"""

from kgb_env.games.confusion.board import WAYS, controller, is_at_home, way
from kgb_env.games.confusion.placement import legal_places
from kgb_env.games.confusion.spec import (
    ACTION_BITS,
    ANSWER,
    DOUBLE,
    DOUBLE_AGENT,
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
    if v.cell[seat, spy] == NOWHERE or (int(v.barred) >> spy) & 1:
        return False
    return not v.double or is_at_home(v, seat, spy, tables)


@kernel
def legal_proposals(v, mask, tables):
    """Allow what is possible on the board, whatever the pieces are; tell if there is anything (C4)."""
    seat = v.to_move
    is_any = False
    for spy in range(tables.spies):
        if not may_propose(v, seat, spy, tables):
            continue
        start = v.cell[seat, spy]
        has_briefcase = start == v.briefcase
        for direction in range(WAYS):
            cell = start
            for path in range(LONGEST * direction, LONGEST * direction + tables.longest):
                cell = tables.next[cell, way(seat, direction)]
                if cell == NOWHERE:
                    break
                found = v.board[cell]
                is_own = found != EMPTY and (found - 1) // SPIES == seat
                if has_briefcase:
                    mask[HAND + path] = 1  # it may end on any spy (C7)
                    is_any = True
                if not is_own:
                    mask[MOVE + PATHS * spy + path] = 1
                    is_any = True
                    if has_briefcase:
                        mask[LEAVE + path] = 1
                if found != EMPTY or cell == v.briefcase:
                    break
    return is_any


@kernel
def can_propose(s, tables):
    """Tell if the seat to move has a legal proposal: if any, then one of distance 1."""
    seat = s.to_move
    for spy in range(tables.spies):
        if may_propose(s, seat, spy, tables):
            for direction in range(WAYS):
                cell = tables.next[s.cell[seat, spy], direction]
                if cell != NOWHERE:
                    is_own = s.board[cell] != EMPTY and (s.board[cell] - 1) // SPIES == seat
                    if not is_own or s.cell[seat, spy] == s.briefcase:
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
    seat = v.to_move
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
def waiting(s):
    """Return the proposal that waits for an answer: kind (its first action), spy, direction, distance - 1."""
    action = int(s.log[s.events - 1]) & ACTION_BITS
    if action < LEAVE:
        path = (action - MOVE) % PATHS
        return MOVE, (action - MOVE) // PATHS, path // LONGEST, path % LONGEST
    kind = LEAVE if action < HAND else HAND
    return kind, controller(s), (action - kind) // LONGEST, (action - kind) % LONGEST


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
    seat = 1 - v.to_move
    if is_free_answer(v, seat, spy):
        mask[NO] = 1
        mask[YES] = 1
    elif true_answer(v, seat, spy, direction, distance, tables):
        mask[YES] = 1
    else:
        mask[NO] = 1
