"""What happens in Confusion.  (Rulings C4 to C15)

The turn: remove a spy or use a token if you like (C9, C14), propose a move (C4), hear the answer
(C5), and if it is yes, move (C6, C7) and perhaps promote (C10, C15).
"""

import numpy as np

from kgb_env.games.confusion.board import first_in_play, has_briefcase, is_goal, place, take_off
from kgb_env.games.confusion.deduction import ONLY_DOUBLE_AGENT, learn_from_answer, learn_from_promotion, reveal
from kgb_env.games.confusion.legality import can_propose, is_free_answer, true_answer, waiting
from kgb_env.games.confusion.placement import put_next
from kgb_env.games.confusion.spec import (
    ANSWER,
    ANSWERED_NO,
    ANSWERED_YES,
    BEYOND,
    DEAL,
    DOUBLE,
    DOUBLE_AGENT,
    EDGE,
    ELIMINATION,
    EMPTY,
    EXPOSE,
    EXTRACTION,
    HAND,
    MOVE,
    MOVE_TOKEN,
    NO,
    NO_PROMOTION,
    NOT_TAKEN,
    NOWHERE,
    OUT,
    PLACE,
    PROMOTE,
    PROMOTE_YES,
    PROMOTION,
    PROPOSE,
    RED,
    REVEAL,
    REVEAL_TOKEN,
    SEATS,
    SKIP,
    SPIES,
    SWAP,
    SWAP_TOKEN,
    TAKE,
    TAKE_YES,
    TAKEN,
    TOKENS,
    TURN_LIMIT,
    WHITE,
    YES,
)
from kgb_env.jit import kernel
from kgb_env.record import CHANCE, GOING_ON, NOBODY, UNKNOWN

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
    s.used_extra = 0
    s.double = 0
    s.barred = 0
    s.arrived = NOWHERE
    s.briefcase = tables.briefcase
    s.board[:] = EMPTY
    s.board[BEYOND] = EDGE
    s.promoted[:] = 0
    s.revealed[:] = 0
    s.piece[:] = UNKNOWN
    for seat in range(SEATS):
        s.in_play[seat] = 0
        for token in range(len(TOKENS)):
            s.tokens[seat, token] = s.special_actions[seat, token]
        for spy in range(SPIES):
            s.cell[seat, spy] = NOWHERE
            s.possible[seat, spy] = tables.pieces if spy < tables.spies else 0
            if spy < tables.spies and not s.variable_setup:
                place(s, seat, spy, tables.start[seat, spy])
                s.in_play[seat] += 1


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
        s.phase = PLACE if s.variable_setup else PROPOSE
        s.to_move = WHITE


# Events


@kernel
def step(s, action, tables):
    """Apply a deal or the choice of a seat."""
    if s.phase == DEAL:
        deal(s, action, tables)
    elif s.phase == ANSWER:
        answer(s, action == YES, tables)
    elif s.phase == PROMOTE:
        decide_promotion(s, action == PROMOTE_YES, tables)
    elif s.phase == TAKE:
        decide_taking(s, action == TAKE_YES, tables)
    else:
        s.log[s.events] = action
        s.events += 1
        if s.phase == PLACE:
            put_next(s, action, tables)
        elif action < NO:
            propose(s, tables)
        elif action == SKIP:
            end_turn(s, tables)
        elif action <= EXPOSE:
            remove(s, action, tables)
        else:
            use_token(s, action, tables)


@kernel
def remove(s, action, tables):
    """Remove an own spy, unrevealed, or the opponent's Double Agent, revealed (C9)."""
    seat = np.int64(s.to_move)
    s.used_extra = 1
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
def use_token(s, action, tables):
    """Be shown a piece, get two moves, or swap two spies (C14)."""
    seat = np.int64(s.to_move)
    s.used_extra = 1
    if action == DOUBLE:
        s.tokens[seat, MOVE_TOKEN] = 0
        s.double = 2
    elif action < DOUBLE:
        s.tokens[seat, REVEAL_TOKEN] = 0
        reveal(s, seat, action - REVEAL, tables)
        s.barred = 1 << (action - REVEAL)
    else:
        s.tokens[seat, SWAP_TOKEN] = 0
        first, second = tables.pair[action - SWAP, 0], tables.pair[action - SWAP, 1]
        swap(s, seat, first, second)
        if s.in_play[seat] > 2:
            s.barred = (1 << first) | (1 << second)


@kernel
def swap(s, seat, first, second):
    """Let two spies change places."""
    one, other = np.int64(s.cell[seat, first]), np.int64(s.cell[seat, second])
    place(s, seat, first, other)
    place(s, seat, second, one)


@kernel
def propose(s, tables):
    """Ask the opponent; with `auto_answer` the truth is told at once, unless he may choose (C5)."""
    seat = np.int64(s.to_move)
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
    seat = np.int64(s.turn) % SEATS
    start = np.int64(s.cell[seat, spy])
    s.log[s.events - 1] |= ANSWERED_YES if is_yes else ANSWERED_NO
    learn_from_answer(s, seat, spy, direction, distance, is_yes, tables)
    if s.double:
        s.barred |= 1 << spy
    if is_yes:
        carry_out(s, seat, kind, spy, direction, distance, tables)
        settle(s, tables)
        if not s.over and kind != HAND:
            arrive(s, seat, spy, start, tables)
    if not s.over and s.phase == ANSWER:
        end_proposal(s, tables)


@kernel
def carry_out(s, seat, kind, spy, direction, distance, tables):
    """Move a spy, capturing what stands on the target (C6); carry, leave or hand on the briefcase (C7)."""
    start = np.int64(s.cell[seat, spy])
    target = np.int64(tables.path[seat, start, direction, distance])
    if kind == HAND:
        s.briefcase = target
        return
    if s.board[target] != EMPTY:
        take_off(s, 1 - seat, (np.int64(s.board[target]) - 1) % SPIES)
    s.board[start] = EMPTY
    place(s, seat, spy, target)
    if kind == MOVE and start == s.briefcase:
        s.briefcase = target


@kernel
def arrive(s, seat, spy, start, tables):
    """Promote a spy that has ended its move on the opponent's first row, or ask about it (C10, C15)."""
    if s.promoted[seat, spy] or not is_goal(s.cell[seat, spy], seat, tables):
        return
    if s.promotion_sir:
        if is_goal(start, seat, tables):
            return
        if s.honor_among_spies:
            promote(s, seat, spy)
        else:
            s.phase = PROMOTE
            s.to_move = seat
            s.arrived = spy
        return
    is_promotable = (tables.promotable >> s.piece[seat, spy]) & 1
    learn_from_promotion(s, seat, spy, is_promotable, tables)
    if is_promotable:
        promote(s, seat, spy)


@kernel
def promote(s, seat, spy):
    """Turn a piece over (C10)."""
    s.promoted[seat, spy] = 1
    s.log[s.events - 1] |= PROMOTION


@kernel
def decide_promotion(s, is_yes, tables):
    """Promote the spy that has arrived; a Double Agent is uncovered and removed (C15)."""
    seat, spy = np.int64(s.to_move), np.int64(s.arrived)
    s.arrived = NOWHERE
    if is_yes and s.piece[seat, spy] == DOUBLE_AGENT:
        s.log[s.events - 1] |= PROMOTION
        take_off(s, seat, spy)
        reveal(s, seat, spy, tables)
        settle(s, tables)
        if not s.over:
            s.phase = TAKE
            s.to_move = 1 - seat
        return
    if is_yes:
        promote(s, seat, spy)
        s.possible[seat, spy] &= ~ONLY_DOUBLE_AGENT
    else:
        s.log[s.events - 1] |= NO_PROMOTION
    end_proposal(s, tables)


@kernel
def decide_taking(s, is_yes, tables):
    """Give the briefcase, wherever it is, to the opponent's first spy, if he wants it (C15)."""
    seat = np.int64(s.to_move)
    if is_yes:
        s.log[s.events - 1] |= TAKEN
        s.briefcase = s.cell[seat, first_in_play(s, seat)]
        settle(s, tables)
    else:
        s.log[s.events - 1] |= NOT_TAKEN
    if not s.over:
        end_proposal(s, tables)


@kernel
def settle(s, tables):
    """End the game if the briefcase is where it should be (C8), or a seat has no spy left (C11)."""
    for seat in range(SEATS):
        if not s.safe_extraction and has_extracted(s, seat, tables):
            win(s, seat, EXTRACTION)
    for seat in range(SEATS):
        if not s.over and s.in_play[seat] == 0:
            win(s, 1 - seat, ELIMINATION)


@kernel
def has_extracted(s, seat, tables):
    """Tell if a spy of the seat controls the briefcase on the opponent's first row (C8)."""
    return has_briefcase(s, seat) and is_goal(s.briefcase, seat, tables)


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
def end_proposal(s, tables):
    """End the turn, or with Move 2 go on to the second proposal if there is one (C14)."""
    if s.double == 2:
        s.double = 1
        s.phase = PROPOSE
        s.to_move = s.turn % SEATS
        if can_propose(s, tables):
            return
    end_turn(s, tables)


@kernel
def end_turn(s, tables):
    """Give the turn to the other seat; it may have won by now (C15), or the cap is reached (C12)."""
    s.turn += 1
    s.phase = PROPOSE
    s.used_extra = 0
    s.double = 0
    s.barred = 0
    seat = WHITE if s.turn % SEATS == WHITE else RED
    s.to_move = seat
    if s.safe_extraction and has_extracted(s, seat, tables):
        win(s, seat, EXTRACTION)
    elif s.turn == SEATS * s.max_turns:
        end(s, TURN_LIMIT)
