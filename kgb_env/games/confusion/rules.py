"""What happens in Confusion.  (Rulings C4 to C13)

The turn: remove a spy if you like (C9), propose a move (C4), hear the answer (C5), and if it is
yes, move (C6, C7, C10).
"""

from kgb_env.games.confusion.spec import (
    ACTION_BITS,
    ANSWER,
    ANSWERED_NO,
    ANSWERED_YES,
    BACKWARD,
    COLUMNS,
    DEAL,
    DIRECTIONS,
    DOUBLE_AGENT,
    ELIMINATION,
    EMPTY,
    EXPOSE,
    EXTRACTION,
    HAND,
    LEAVE,
    LONGEST,
    MOVE,
    NO,
    NOWHERE,
    OUT,
    PATHS,
    PROMOTED,
    PROMOTION,
    PROPOSE,
    RED,
    SEATS,
    SKIP,
    SPIES,
    TURN_LIMIT,
    WHITE,
    YES,
)
from kgb_env.jit import kernel
from kgb_env.record import CHANCE, GOING_ON, NOBODY, UNKNOWN

WAYS = len(DIRECTIONS)
ONLY_DOUBLE_AGENT = 1 << DOUBLE_AGENT


# The start


@kernel
def begin(s, tables):
    """Set up the spies; their pieces are dealt first."""
    s.returns[:] = 0
    s.to_move = CHANCE
    s.reason = GOING_ON
    s.over = False
    s.turn = 0
    s.events = 0
    s.log[:] = 0
    s.phase = DEAL
    s.dealt = 0
    s.has_removed = 0
    s.briefcase = tables.briefcase
    s.board[:] = EMPTY
    s.promoted[:] = 0
    s.revealed[:] = 0
    s.piece[:] = UNKNOWN
    for seat in range(SEATS):
        s.in_play[seat] = tables.spies
        for spy in range(SPIES):
            s.cell[seat, spy] = NOWHERE
            s.possible[seat, spy] = 0
            if spy < tables.spies:
                place(s, seat, spy, tables.start[seat, spy])
                s.possible[seat, spy] = tables.pieces


@kernel
def chance(s, weights, tables):
    """Weigh the pieces that are left for the next spy, White's spies first (C2)."""
    seat = s.dealt // tables.spies
    for piece in range(SPIES):
        weights[piece] = (tables.pieces >> piece) & 1
    for spy in range(s.dealt % tables.spies):
        weights[s.piece[seat, spy]] = 0


@kernel
def deal(s, piece, tables):
    """Give the next spy its piece; after the last one White begins (C2)."""
    s.piece[s.dealt // tables.spies, s.dealt % tables.spies] = piece
    s.dealt += 1
    if s.dealt == SEATS * tables.spies:
        s.phase = PROPOSE
        s.to_move = WHITE


# The board


@kernel
def place(s, seat, spy, cell):
    """Put a spy on an empty cell."""
    s.board[cell] = 1 + SPIES * seat + spy
    s.cell[seat, spy] = cell


@kernel
def take_off(s, seat, spy):
    """Take a spy out of play; a briefcase that it controls stays, loose (C9)."""
    s.board[s.cell[seat, spy]] = EMPTY
    s.cell[seat, spy] = NOWHERE
    s.in_play[seat] -= 1


@kernel
def controller(s):
    """Return the spy that controls the briefcase, without its seat; call it only if there is one."""
    return (int(s.board[s.briefcase]) - 1) % SPIES


@kernel
def goal_row(seat, tables):
    """Return the opponent's first row."""
    return tables.rows - 1 if seat == WHITE else 0


@kernel
def way(seat, direction):
    """Turn a direction as the seat sees it into White's."""
    return (direction + BACKWARD * seat) % WAYS


# Proposals


@kernel
def legal(v, mask, tables):
    """Write what the seat to move may choose."""
    mask[:] = 0
    if v.phase == ANSWER:
        legal_answers(v, mask, tables)
    elif v.phase == PROPOSE:
        if not legal_proposals(v, mask, tables):
            mask[SKIP] = 1  # C11
        if not v.has_removed:
            legal_removals(v, mask, tables)


@kernel
def legal_proposals(v, mask, tables):
    """Allow what is possible on the board, whatever the pieces are; tell if there is anything (C4)."""
    seat = v.to_move
    is_any = False
    for spy in range(tables.spies):
        start = v.cell[seat, spy]
        if start == NOWHERE:
            continue
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
def legal_removals(v, mask, tables):
    """Allow to remove any own spy, and the opponent's Double Agent, which is seen (C9)."""
    for spy in range(tables.spies):
        if v.cell[v.to_move, spy] != NOWHERE:
            mask[OUT + spy] = 1
        if v.cell[1 - v.to_move, spy] != NOWHERE and v.piece[1 - v.to_move, spy] == DOUBLE_AGENT:
            mask[EXPOSE] = 1


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


# Events


@kernel
def step(s, action, tables):
    """Apply a deal, a removal, a proposal or an answer."""
    if s.phase == DEAL:
        deal(s, action, tables)
    elif s.phase == ANSWER:
        answer(s, action == YES, tables)
    else:
        s.log[s.events] = action
        s.events += 1
        if action < NO:
            propose(s, tables)
        elif action == SKIP:
            end_turn(s)
        else:
            remove(s, action, tables)


@kernel
def remove(s, action, tables):
    """Remove an own spy, unrevealed, or the opponent's Double Agent, revealed (C9)."""
    seat = s.to_move
    s.has_removed = 1
    if action == EXPOSE:
        spy = 0
        while s.piece[1 - seat, spy] != DOUBLE_AGENT:
            spy += 1
        take_off(s, 1 - seat, spy)
        reveal(s, 1 - seat, spy, tables)
    else:
        take_off(s, seat, action - OUT)
    settle(s, tables)


@kernel
def reveal(s, seat, spy, tables):
    """Show a piece to its owner: no other spy of his can be it (C13)."""
    piece = 1 << int(s.piece[seat, spy])
    s.revealed[seat, spy] = 1
    for other in range(tables.spies):
        s.possible[seat, other] &= ~piece
    s.possible[seat, spy] = piece


@kernel
def propose(s, tables):
    """Ask the opponent; with `auto_answer` the truth is told at once, unless he may choose (C5)."""
    seat = s.to_move
    s.phase = ANSWER
    s.to_move = 1 - seat
    if s.auto_answer:
        _, spy, direction, distance = waiting(s)
        if not is_free_answer(s, seat, spy):
            answer(s, true_answer(s, seat, spy, direction, distance, tables), tables)


@kernel
def answer(s, is_yes, tables):
    """Hear the answer and note what it tells (C13); after a yes, carry the proposal out (C6, C7)."""
    kind, spy, direction, distance = waiting(s)
    seat = s.turn % SEATS
    s.log[s.events - 1] |= ANSWERED_YES if is_yes else ANSWERED_NO
    if not s.promoted[seat, spy]:
        fitting = tables.can[direction, distance]
        s.possible[seat, spy] &= (fitting if is_yes else ~fitting) | ONLY_DOUBLE_AGENT
    if is_yes:
        carry_out(s, seat, kind, spy, direction, distance, tables)
        settle(s, tables)
        if not s.over and kind != HAND:
            promote(s, seat, spy, tables)
    if not s.over:
        end_turn(s)


@kernel
def carry_out(s, seat, kind, spy, direction, distance, tables):
    """Move a spy, capturing what stands on the target (C6); carry, leave or hand on the briefcase (C7)."""
    start = s.cell[seat, spy]
    target = start
    for _ in range(distance + 1):
        target = tables.next[target, way(seat, direction)]
    if kind == HAND:
        s.briefcase = target
        return
    if s.board[target] != EMPTY:
        take_off(s, 1 - seat, (s.board[target] - 1) % SPIES)
    s.board[start] = EMPTY
    place(s, seat, spy, target)
    if kind == MOVE and start == s.briefcase:
        s.briefcase = target


@kernel
def promote(s, seat, spy, tables):
    """Turn a promotable piece over that has ended its move on the opponent's first row (C10)."""
    if s.cell[seat, spy] // COLUMNS != goal_row(seat, tables) or s.promoted[seat, spy]:
        return
    if (tables.promotable >> s.piece[seat, spy]) & 1:
        s.promoted[seat, spy] = 1
        s.possible[seat, spy] &= tables.promotable
        s.log[s.events - 1] |= PROMOTION
    else:
        s.possible[seat, spy] &= ~tables.promotable


@kernel
def settle(s, tables):
    """End the game if the briefcase is where it should be (C8), or a seat has no spy left (C11)."""
    holder = s.board[s.briefcase]
    for seat in range(SEATS):
        is_home = holder != EMPTY and (holder - 1) // SPIES == seat
        if is_home and s.briefcase // COLUMNS == goal_row(seat, tables):
            win(s, seat, EXTRACTION)
    for seat in range(SEATS):
        if not s.over and s.in_play[seat] == 0:
            win(s, 1 - seat, ELIMINATION)


@kernel
def win(s, seat, reason):
    """End the game (C12)."""
    s.returns[seat] = 1
    s.returns[1 - seat] = -1
    end(s, reason)


@kernel
def end(s, reason):
    """Let nobody move any more."""
    s.over = True
    s.reason = reason
    s.to_move = NOBODY


@kernel
def end_turn(s):
    """Give the turn to the other seat, or stop at the cap (C12)."""
    s.turn += 1
    s.phase = PROPOSE
    s.has_removed = 0
    s.to_move = WHITE if s.turn % SEATS == WHITE else RED
    if s.turn == SEATS * s.max_turns:
        end(s, TURN_LIMIT)
