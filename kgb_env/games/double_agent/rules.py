"""What happens in The Double Agent.  (Rulings D1 to D14)

The Double Agent, then the first seat are drawn; every seat makes an opening play (D2).  A turn is:
a throw, going somewhere, accusing or leaving (D5, D9, D11), and in a sector the choice at its monitor (D6).
"""

import numpy as np

from kgb_env.games.double_agent.legality import mover
from kgb_env.games.double_agent.spec import (
    ACCUSED,
    DEAL,
    DOUBLE_AGENT,
    ESCAPE,
    EXPOSURE,
    GO,
    INSPECTED_HERE,
    INSPECTION,
    LEFT,
    LOWEST_THROW,
    NEVER,
    NOWHERE,
    OFF,
    ON,
    OPENING,
    SABOTAGE,
    SABOTAGED,
    SEAT_BITS,
    SEATING,
    SEATS,
    SECTORS,
    SECURITY_AGENT,
    SKIP,
    SKIPPED_HERE,
    STAYED,
    THROW,
    THROW_BITS,
    THROWS,
    TURN_LIMIT,
    WAYS_TO_THROW,
)
from kgb_env.jit import kernel
from kgb_env.record import CHANCE, GOING_ON, NOBODY, UNKNOWN

# The start


@kernel
def begin(s, tables):
    """Put everybody into the gazebo and set all monitors to ON; the roles are dealt first (D3)."""
    s.returns[:] = 0
    s.to_move = CHANCE
    s.reason = GOING_ON
    s.over = False
    s.turn = 0
    s.listed = 0
    s.log[:] = 0
    s.cell[:] = NOWHERE
    s.phase = DEAL
    s.first = 0
    s.opened = 0
    s.throw = 0
    s.out[:] = 0
    s.exposed[:] = 0
    s.since[:] = 0
    s.security_list[:] = 0
    s.opening = 0
    s.mark[:] = NEVER
    s.found[:] = NEVER
    for seat in range(SEATS):
        s.barred[seat] = tables.garden
        s.role[seat] = UNKNOWN if seat < s.players else SECURITY_AGENT
    for sector in range(SECTORS):
        s.monitor[sector] = ON if tables.has_monitor[sector] else NEVER


@kernel
def chance(s, weights, tables):
    """Weigh the seats, for the Double Agent and for who begins (D1, D3), or the throws of two dice (D4)."""
    for outcome in range(THROWS):
        weights[outcome] = WAYS_TO_THROW[outcome] if s.phase == THROW else outcome < s.players


# Events


@kernel
def step(s, action, tables):
    """Apply an outcome or the choice of a seat."""
    if s.phase == GO:
        go(s, action, tables)
    elif s.phase == INSPECTION:
        choose_at_monitor(s, action, tables)
    elif s.phase == THROW:
        s.throw = action + LOWEST_THROW
        s.phase = GO
        s.to_move = mover(s)
    elif s.phase == OPENING:
        open_play(s, action, tables)
    elif s.phase == SEATING:
        s.first = action
        s.phase = OPENING
        s.to_move = action
    else:
        for seat in range(s.players):
            s.role[seat] = DOUBLE_AGENT if seat == action else SECURITY_AGENT
        s.phase = SEATING


@kernel
def open_play(s, action, tables):
    """Let the Double Agent sabotage a monitor, or a Security Agent wait (D2)."""
    if action >= tables.open:
        s.opening = 1 + action - tables.open
        s.monitor[action - tables.open] = OFF
    s.opened += 1
    if s.opened == s.players:
        s.phase = THROW
        s.to_move = CHANCE
    else:
        s.to_move = (np.int64(s.first) + s.opened) % s.players


@kernel
def go(s, action, tables):
    """Land on a cell, leave the camp, accuse, or stay (D5, D9, D11)."""
    seat = np.int64(s.to_move)
    if action >= tables.go:
        write(s, action - tables.go)
        land(s, seat, action - tables.go, tables)
    elif action >= tables.leave:
        write(s, LEFT + action - tables.leave)
        end(s, seat, ESCAPE)
    elif action >= tables.accuse:
        accused = (seat + 1 + action - tables.accuse) % s.players
        write(s, ACCUSED + accused)
        accuse(s, seat, accused)
    else:
        write(s, STAYED)
        end_turn(s)


@kernel
def write(s, where):
    """Note in the log what was thrown, and where it led."""
    s.log[s.turn] = np.int64(s.throw) | where << THROW_BITS


@kernel
def land(s, seat, cell, tables):
    """Stand on a cell; there may be a monitor to inspect (D6, D7)."""
    s.cell[seat] = cell
    sector = np.int64(tables.sector[cell])
    if s.barred[seat] != sector:
        s.barred[seat] = NOWHERE
        if sector != NOWHERE and tables.has_monitor[sector]:
            s.phase = INSPECTION
            return
    end_turn(s)


@kernel
def choose_at_monitor(s, action, tables):
    """Skip, inspect, or inspect and sabotage (D6)."""
    seat = np.int64(s.to_move)
    if action == SKIP:
        s.log[s.turn] |= SKIPPED_HERE
    else:
        s.log[s.turn] |= INSPECTED_HERE
        inspect(s, seat, np.int64(tables.sector[s.cell[seat]]), action == SABOTAGE)
    end_turn(s)


@kernel
def inspect(s, seat, sector, is_sabotage):
    """Announce an inspection; its result is for the inspector, and the Double Agent (D8)."""
    s.security_list[s.listed] = sector << SEAT_BITS | seat
    s.found[s.listed] = SABOTAGED if is_sabotage else s.monitor[sector]
    s.listed += 1
    if is_sabotage:
        s.monitor[sector] = OFF
    s.mark[seat, sector] = s.monitor[sector]
    s.barred[seat] = sector
    for other in range(s.players):
        s.since[other, sector, seat] += 1
        s.since[seat, sector, other] = 0


@kernel
def accuse(s, seat, accused):
    """Win, or leave the game and clear the accused (D9)."""
    if s.role[accused] == DOUBLE_AGENT:
        end(s, seat, EXPOSURE)
        return
    s.out[seat] = 1
    s.cell[seat] = NOWHERE
    s.barred[seat] = NOWHERE
    s.exposed[accused] = 1
    end_turn(s)


@kernel
def end_turn(s):
    """Give the dice to the next seat in play; the last round ends just before the first seat's place (D13)."""
    s.throw = 0
    s.turn += 1
    last = np.int64(s.players) * s.max_turns
    while s.turn < last and s.out[mover(s)]:
        s.turn += 1
    if s.turn == last:
        end(s, NOBODY, TURN_LIMIT)
    else:
        s.phase = THROW
        s.to_move = CHANCE


@kernel
def end(s, winner, reason):
    """Pay everybody and let nobody move any more (D13, D14)."""
    others = np.int64(s.players) - 1
    wrong = np.int64(0)
    for seat in range(SEATS):
        wrong += s.out[seat]
    for seat in range(s.players):
        is_out = np.int64(s.out[seat])
        stakes = np.float64(s.stake) * ((wrong - is_out) / others - is_out)
        s.returns[seat] = prize(s, seat, winner, reason) + stakes
    s.throw = 0
    s.over = True
    s.reason = reason
    s.to_move = NOBODY


@kernel
def prize(s, seat, winner, reason):
    """Return what a seat gets besides stakes (D14)."""
    share = 1.0 / (np.int64(s.players) - 1)
    if winner == NOBODY:
        return 0.0
    if s.is_team and reason == EXPOSURE:
        return -1.0 if s.role[seat] == DOUBLE_AGENT else share
    return 1.0 if seat == winner else -share
