"""What happens in The Secret Formula.  (Rulings S1 to S16)

The envelope with the formula, then the first seat are drawn; the seats choose gates (S1).  A turn is: after a capture
the choice of a gate (S9), hitting who stands on one's cell (S5), a throw, and a sequence of waypoints (S3), or an
alarm (S7).  When the guard enters a sector, everybody in it throws and moves, or is captured (S8).
"""

import numpy as np

from kgb_env.games.secret_formula.legality import (
    can_be_knocked_out,
    can_name_something,
    has_rivals_to_hit,
    has_something,
    mover,
    steps_to,
)
from kgb_env.games.secret_formula.spec import (
    ALARM,
    AWAKE,
    CAPTURED,
    DEAL,
    DO_HIT,
    DOWN,
    ESCAPE,
    ESCAPE_THROW,
    ESCAPED,
    FALSE,
    FORMULA,
    FORMULA_OUT,
    GATE,
    HIT,
    LOG,
    LOG_CHOICE,
    LOG_ESCAPE,
    LOG_GATE,
    LOG_GO,
    LOG_GUARD,
    LOG_SEAT,
    LOG_THROW,
    MISSED,
    MOVE,
    NOWHERE,
    NUMBER_BITS,
    RETURN,
    SEATING,
    SUMS,
    SURRENDERED,
    THROW,
    TOLD_BITS,
    TOLD_HIT,
    TOLD_LAPSE,
    TOLD_LEAVE,
    TOLD_STAY,
    TOLD_WAIT,
    TURN_LIMIT,
    WAYS,
    WOKEN,
)
from kgb_env.jit import kernel, mix
from kgb_env.record import CHANCE, GOING_ON, NOBODY, UNKNOWN

# The start


@kernel
def begin(s, tables):
    """Lay an envelope on each hiding place; which one holds the formula is drawn first (S2)."""
    s.returns[:] = 0
    s.to_move = CHANCE
    s.reason = GOING_ON
    s.over = False
    s.forgotten = 0
    s.examined[:] = 0
    s.events = 0
    s.turn = 0
    s.log[:] = 0
    s.cell[:] = NOWHERE
    s.holder[:] = NOWHERE
    s.phase = DEAL
    s.first = 0
    s.chosen = 0
    s.guard = tables.route[0]
    s.hunted = 0
    s.is_turn_over = 0
    s.throw = 0
    s.left = 0
    s.actor = 0
    s.gate[:] = NOWHERE
    s.status[:] = AWAKE
    for envelope in range(s.lies.size):
        s.lies[envelope] = tables.hiding_place[envelope]
        s.contents[envelope] = UNKNOWN if envelope < tables.hiding_places else FALSE


@kernel
def chance(s, weights, tables):
    """Weigh the envelopes for the formula, the seats for who begins (S1, S2), or the throws of two dice."""
    weights[:] = 0
    if s.phase == DEAL:
        weights[: tables.hiding_places] = 1
    elif s.phase == SEATING:
        weights[: s.players] = 1
    else:
        for throw in range(len(WAYS)):
            weights[throw] = WAYS[throw]


@kernel
def step(s, action, tables):
    """Apply an outcome or the choice of a seat."""
    if s.phase == MOVE or s.phase == ESCAPE:
        if action >= tables.do_go:
            go(s, np.int64(s.to_move), np.int64(action - tables.do_go), tables)
        elif action >= tables.do_leave:
            write(s, LOG_CHOICE, TOLD_LEAVE + action - tables.do_leave)
            end(s, np.int64(s.to_move), FORMULA_OUT)
        else:
            stay(s, np.int64(s.to_move), tables)
    elif s.phase == THROW:
        throw_for_turn(s, np.int64(action), tables)
    elif s.phase == ESCAPE_THROW:
        throw_to_escape(s, np.int64(action), tables)
    elif s.phase == HIT:
        answer(s, np.int64(s.to_move), action == DO_HIT, tables)
    elif s.phase == GATE or s.phase == RETURN:
        choose_gate(s, np.int64(s.to_move), np.int64(action - tables.do_gate), tables)
    elif s.phase == DEAL:
        for envelope in range(tables.hiding_places):
            s.contents[envelope] = FORMULA if envelope == action else FALSE
        s.phase = SEATING
    else:
        s.first = action
        s.phase = GATE
        s.to_move = action


# Turns


@kernel
def go_on(s, tables):
    """Settle what nobody decides: captures without a throw, missed turns, the guard's rounds (S4, S6, S8)."""
    s.throw = 0
    s.left = 0
    while True:
        seat = mover(s)
        if s.hunted:
            seat = next_hunted(s)
            s.hunted &= ~(1 << seat)
            if s.status[seat] != DOWN and s.cell[seat] != tables.guard_post[s.guard] and not tables.is_spiral[s.guard]:
                ask_for_throw(s, seat, ESCAPE_THROW)
                return
            capture(s, seat)
        elif s.is_turn_over:
            s.is_turn_over = 0
            s.turn += 1
            if s.turn == np.int64(s.players) * s.max_rounds:
                end(s, NOBODY, TURN_LIMIT)
                return
            if s.turn % s.players == 0:
                guard_enters(s, np.int64(tables.next_sector[s.guard]), 0, tables)
        elif s.status[seat] == DOWN:
            s.status[seat] = WOKEN
            s.is_turn_over = 1
            write(s, LOG_SEAT, MISSED + seat)
        else:
            begin_turn(s, seat)
            return


@kernel
def next_hunted(s):
    """Return which of the seats that the guard has surprised comes first, from the one whose turn it is (S8)."""
    seat = mover(s)
    while not (s.hunted >> seat) & 1:
        seat = (seat + 1) % s.players
    return seat


@kernel
def begin_turn(s, seat):
    """Ask for a gate, for an answer to rivals on the same cell, or for the throw (S5, S9)."""
    if s.cell[seat] == NOWHERE and s.gate[seat] == NOWHERE:
        ask(s, seat, RETURN)
    elif s.status[seat] != AWAKE and has_rivals_to_hit(s, seat):
        ask(s, seat, HIT)
    else:
        ask_for_throw(s, seat, THROW)


@kernel
def ask(s, seat, phase):
    """Let a seat decide."""
    s.actor = seat
    s.to_move = seat
    s.phase = phase


@kernel
def ask_for_throw(s, seat, phase):
    """Let a seat throw the dice; in a turn of its own it has not missed its last one any more."""
    s.actor = seat
    s.to_move = CHANCE
    s.phase = phase
    if phase == THROW:
        s.status[seat] = AWAKE


@kernel
def choose_gate(s, seat, gate, tables):
    """Stand outside a gate, at the start or after a capture (S1, S9)."""
    write(s, LOG_GATE, gate << 3 | seat)
    s.gate[seat] = gate
    if s.phase == RETURN:
        ask_for_throw(s, seat, THROW)
        return
    s.chosen += 1
    if s.chosen == s.players:
        go_on(s, tables)
    else:
        ask(s, (np.int64(s.first) + s.chosen) % s.players, GATE)


@kernel
def answer(s, seat, is_hit, tables):
    """Knock out the rivals on one's cell before the throw, or not (S5)."""
    write(s, LOG_CHOICE, TOLD_HIT if is_hit else TOLD_WAIT)
    if is_hit:
        attack(s, seat, tables)
    ask_for_throw(s, seat, THROW)


@kernel
def throw_for_turn(s, throw, tables):
    """Raise the alarm by a double in a sector (S7), or let the seat move (S3)."""
    seat = np.int64(s.actor)
    write(s, LOG_THROW, seat << NUMBER_BITS | throw + 1)
    cell = np.int64(s.cell[seat])
    sector = np.int64(tables.sector[cell]) if cell != NOWHERE else NOWHERE
    if WAYS[throw] == 1 and sector != NOWHERE:
        guard_enters(s, sector, ALARM, tables)
        s.is_turn_over = 1
        go_on(s, tables)
        return
    s.throw = throw + 1
    s.left = SUMS[throw]
    ask(s, seat, MOVE)
    move_on(s, seat, tables)


# Moving


@kernel
def go(s, seat, cell, tables):
    """Walk to a waypoint, or end the move on a cell (S3), or surrender (S10)."""
    if s.phase == MOVE and tables.sector[cell] == s.guard:
        write(s, LOG_GO, SURRENDERED | cell)
        s.cell[seat] = cell
        capture(s, seat)
        end_move(s, tables)
        return
    write(s, LOG_GO, cell)
    is_waypoint = has_something(s, seat, cell)
    s.left = s.left - steps_to(s, seat, cell, tables) if is_waypoint else 0
    s.cell[seat] = cell
    s.gate[seat] = NOWHERE
    if s.phase == ESCAPE and s.status[seat] == WOKEN:
        s.status[seat] = ESCAPED
    if is_waypoint:
        take_envelopes(s, seat, cell, tables)
        attack(s, seat, tables)
    move_on(s, seat, tables)


@kernel
def move_on(s, seat, tables):
    """Let a seat decide on the rest of its count, if there is any and something can be named."""
    if s.left == 0:
        end_move(s, tables)
    elif not can_name_something(s, seat, tables):
        write(s, LOG_CHOICE, TOLD_LAPSE)
        end_move(s, tables)


@kernel
def end_move(s, tables):
    """End the turn, or the escape of one seat."""
    if s.phase == MOVE:
        s.is_turn_over = 1
    go_on(s, tables)


@kernel
def stay(s, seat, tables):
    """Let oneself be captured (S8), or the rest lapse (S18)."""
    write(s, LOG_CHOICE, TOLD_STAY)
    if s.phase == ESCAPE and tables.sector[s.cell[seat]] == s.guard:
        capture(s, seat)
    end_move(s, tables)


@kernel
def take_envelopes(s, seat, cell, tables):
    """Pick up and examine all envelopes on a cell (S2, S3)."""
    for envelope in range(tables.hiding_places):
        if s.lies[envelope] == cell:
            s.lies[envelope] = NOWHERE
            s.holder[envelope] = seat
            s.examined[seat] |= np.int64(1) << envelope


@kernel
def attack(s, seat, tables):
    """Knock out every rival on the attacker's cell and take what they carry (S4)."""
    for other in range(s.players):
        if other == seat or s.cell[other] != s.cell[seat]:
            continue
        if can_be_knocked_out(s, other):
            s.status[other] = DOWN
        if s.status[other] == DOWN:
            rob(s, seat, other, tables)


@kernel
def rob(s, seat, other, tables):
    """Take and examine the envelopes of a rival."""
    for envelope in range(tables.hiding_places):
        if s.holder[envelope] == other:
            s.holder[envelope] = seat
            s.examined[seat] |= np.int64(1) << envelope


# The guard


@kernel
def guard_enters(s, sector, alarm, tables):
    """Place the guard in a sector: everybody there is surprised (S6 to S8)."""
    write(s, LOG_GUARD, alarm | sector)
    s.guard = sector
    for seat in range(s.players):
        cell = s.cell[seat]
        if cell != NOWHERE and tables.sector[cell] == sector:
            s.hunted |= 1 << seat


@kernel
def throw_to_escape(s, throw, tables):
    """Let a seat escape if a way out is short enough, else the guard captures it (S8)."""
    seat = np.int64(s.actor)
    write(s, LOG_ESCAPE, seat << NUMBER_BITS | throw + 1)
    if tables.exit_steps[s.cell[seat]] <= SUMS[throw]:
        s.throw = throw + 1
        s.left = SUMS[throw]
        ask(s, seat, ESCAPE)
    else:
        capture(s, seat)
        go_on(s, tables)


@kernel
def capture(s, seat):
    """Throw a seat out of the camp; its envelopes stay where it stood (S9)."""
    write(s, LOG_SEAT, CAPTURED + seat)
    for envelope in range(s.holder.size):
        if s.holder[envelope] == seat:
            s.holder[envelope] = NOWHERE
            s.lies[envelope] = s.cell[seat]
    s.cell[seat] = NOWHERE
    s.gate[seat] = NOWHERE
    s.status[seat] = DOWN


# The log and the end


@kernel
def write(s, kind, told):
    """Note an event; once the log is full, the oldest one lives on in a fingerprint alone."""
    slot = np.int64(s.events) % LOG
    if s.events >= LOG:
        s.forgotten = mix(s.forgotten ^ np.uint64(s.log[slot]))
    s.log[slot] = kind << TOLD_BITS | told
    s.events += 1


@kernel
def end(s, winner, reason):
    """Pay everybody and let nobody move any more (S14, S15)."""
    if winner != NOBODY:
        s.returns[: s.players] = np.float32(-1.0 / (np.int64(s.players) - 1))
        s.returns[winner] = 1
    s.throw = 0
    s.left = 0
    s.over = True
    s.reason = reason
    s.to_move = NOBODY
