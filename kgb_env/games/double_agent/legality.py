"""What a seat may choose in The Double Agent.  (Rulings D2, D5 to D7, D9 to D11)"""

import numpy as np

from kgb_env.camp.board import START_CELLS
from kgb_env.camp.tables import FAR, distance, mark_landings, mark_landings_from_outside
from kgb_env.games.double_agent.spec import (
    DOUBLE_AGENT,
    GO,
    INSPECT,
    INSPECTION,
    NOWHERE,
    OFF,
    ON,
    OPENING,
    SABOTAGE,
    SEATS,
    SECTORS,
    SKIP,
    STAY,
    WAIT,
)
from kgb_env.jit import kernel


@kernel
def mover(s):
    """Return the seat whose place in the round it is."""
    return (np.int64(s.first) + s.turn) % s.players


@kernel
def legal(v, mask, tables):
    """Write what the seat to move may choose."""
    mask[:] = 0
    seat = np.int64(v.to_move)
    is_double_agent = v.role[seat] == DOUBLE_AGENT
    if v.phase == GO:
        landings = mask[tables.go :]
        mark_where_to_land(v, landings, tables)
        if not landings.any():
            mask[STAY] = 1
        if is_double_agent:
            legal_escapes(v, seat, mask, tables)
        else:
            legal_accusations(v, seat, mask, tables)
    elif v.phase == INSPECTION:
        mask[SKIP] = 1
        mask[INSPECT] = 1
        if is_double_agent and v.monitor[tables.sector[v.cell[seat]]] == ON:
            mask[SABOTAGE] = 1
    elif v.phase == OPENING:
        if is_double_agent:
            for sector in range(tables.sectors):
                mask[tables.open + sector] = tables.has_monitor[sector]
        else:
            mask[WAIT] = 1


@kernel
def mark_where_to_land(v, landings, tables):
    """Write 1 for every free cell that the seat to move can land on with the exact count (D3, D5)."""
    seat, count = np.int64(v.to_move), np.int64(v.throw)
    if v.cell[seat] != NOWHERE:
        mark_landings(tables, np.int64(v.cell[seat]), count, landings)
    else:
        for entry in range(START_CELLS):
            if tables.start_cell[entry] != NOWHERE:
                mark_landings_from_outside(tables, np.int64(tables.start_cell[entry]), count, landings)
    for other in range(SEATS):
        if other != seat and v.cell[other] != NOWHERE:
            landings[v.cell[other]] = 0


@kernel
def steps_to(v, seat, cell, tables):
    """Return the length of the shortest walk of a seat to a cell (D9)."""
    if v.cell[seat] != NOWHERE:
        return distance(tables, np.int64(v.cell[seat]), cell)
    steps = np.int64(2 * FAR)
    for entry in range(START_CELLS):
        if tables.start_cell[entry] != NOWHERE:
            steps = min(steps, 1 + distance(tables, np.int64(tables.start_cell[entry]), cell))
    return steps


@kernel
def legal_accusations(v, seat, mask, tables):
    """Allow to accuse whoever is near enough and not cleared (D9)."""
    for left in range(1, v.players):
        accused = (seat + left) % v.players
        cell = np.int64(v.cell[accused])
        if cell != NOWHERE and not v.exposed[accused] and steps_to(v, seat, cell, tables) <= v.throw:
            mask[tables.accuse + left - 1] = 1


@kernel
def legal_escapes(v, seat, mask, tables):
    """Allow to leave through a gate that is near enough, once enough monitors are OFF (D11)."""
    off = 0
    for sector in range(SECTORS):
        off += v.monitor[sector] == OFF
    if off >= tables.needed:
        for gate in range(tables.gates):
            mask[tables.leave + gate] = steps_to(v, seat, np.int64(tables.gate_cell[gate]), tables) < v.throw
