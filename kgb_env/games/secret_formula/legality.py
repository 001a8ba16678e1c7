"""What a seat may choose in The Secret Formula.  (Rulings S1, S3, S5, S8 to S10, S12)"""

import numpy as np

from kgb_env.camp.board import NEIGHBOURS
from kgb_env.games.secret_formula.spec import (
    DOWN,
    ESCAPE,
    FORMULA,
    GATE,
    HIT,
    MOVE,
    NOWHERE,
    RETURN,
    STAY,
    SUMS,
    WAIT,
    WOKEN,
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
    if v.phase == MOVE or v.phase == ESCAPE:
        goals = mask[tables.do_go :]
        mark_goals(v, goals, tables)
        legal_exits(v, seat, mask, tables)
        if v.phase == ESCAPE and v.left == SUMS[v.throw - 1]:
            mask[STAY] = 1
        elif not goals.any():
            mask[STAY] = 1  # others must not learn from who is asked whether it has the formula
    elif v.phase == HIT:
        mask[WAIT : WAIT + 2] = 1
    elif v.phase == GATE or v.phase == RETURN:
        mask[tables.do_gate : tables.do_gate + tables.gates] = 1
        if v.phase == GATE:
            for other in range(v.players):
                if v.gate[other] != NOWHERE:
                    mask[tables.do_gate + v.gate[other]] = 0


# Where to go


@kernel
def starting_cell(v, seat, tables):
    """Return the cell a seat walks from: its own, or from outside that of its gate."""
    return np.int64(tables.gate_cell[v.gate[seat]] if v.cell[seat] == NOWHERE else v.cell[seat])


@kernel
def steps_to(v, seat, cell, tables):
    """Return the length of the shortest walk of a seat to a cell, of one step at least, while the guard is about."""
    start = starting_cell(v, seat, tables)
    if v.cell[seat] != NOWHERE:
        return np.int64(tables.steps[v.guard, start, cell])
    return np.int64(1) if cell == start else 1 + np.int64(tables.steps[v.guard, start, cell])


@kernel
def is_inside(v, seat, tables):
    """Tell if a seat is in the guard's sector, from which it has to escape."""
    return v.cell[seat] != NOWHERE and tables.sector[v.cell[seat]] == v.guard


@kernel
def has_something(v, seat, cell):
    """Tell if there are envelopes or rivals on a cell, so that a walk there goes on (S3)."""
    for other in range(v.players):
        if other != seat and v.cell[other] == cell:
            return True
    found = False
    for envelope in range(v.lies.size):
        found |= v.lies[envelope] == cell
    return found


@kernel
def mark_goals(v, goals, tables):
    """Write 1 for every cell that the seat to move may name, 0 for the others (S3, S8, S10).

    Args:
        v: a record in which a seat is to move or to escape.
        goals: (cells,) at least.
        tables: of the game.
    """
    seat = np.int64(v.to_move)
    start = starting_cell(v, seat, tables)
    from_outside = v.cell[seat] == NOWHERE
    count = np.int64(v.left) - from_outside
    lengths = tables.steps[v.guard, start]
    is_escaping = is_inside(v, seat, tables)
    mark_landings(lengths, count, tables.cells, goals)
    if count == 0:
        goals[start] = 1
    if is_escaping:
        keep_exits(v, start, count, goals, tables)
    elif v.phase == MOVE:
        mark_surrenders(v, start, count, goals, tables)
    at_gate = goals[start]
    for other in range(v.players):
        if other != seat and v.cell[other] != NOWHERE:
            mark_waypoint(v, np.int64(v.cell[other]), lengths, count, is_escaping, goals, tables)
    for envelope in range(tables.hiding_places):
        if v.lies[envelope] != NOWHERE:
            mark_waypoint(v, np.int64(v.lies[envelope]), lengths, count, is_escaping, goals, tables)
    if from_outside:
        goals[start] = at_gate or has_something(v, seat, start)


@kernel
def mark_landings(lengths, count, cells, goals):
    """Write 1 where a walk of exactly ``count`` steps leads: a step can be taken and taken back (K9)."""
    most, parity = np.uint8(max(count, 0)), np.uint8(count & 1)
    for cell in range(cells):
        length = np.uint8(lengths[cell])
        goals[cell] = (length <= most) & ((length & np.uint8(1)) == parity)


@kernel
def keep_exits(v, start, count, goals, tables):
    """Allow a seat that has to escape to end its move outside only, the rest lapsing where there is no way on (S8)."""
    for k in range(tables.floor_from[v.guard], tables.floor_from[v.guard + 1]):
        goals[tables.floor[k]] = 0
    for cell in range(tables.cells):
        if tables.dead_end[cell] == v.guard:
            goals[cell] = tables.steps[v.guard, start, cell] <= count


@kernel
def mark_surrenders(v, start, count, goals, tables):
    """Allow to land in the guard's sector as if it were open (S10)."""
    for k in range(tables.floor_from[v.guard], tables.floor_from[v.guard + 1]):
        cell = np.int64(tables.floor[k])
        goals[cell] = tables.walk[count & 1, start, cell] <= count


@kernel
def mark_waypoint(v, cell, lengths, count, is_escaping, goals, tables):
    """Allow a cell with envelopes or rivals if it lies within the count, and an escape is still possible from there."""
    if tables.sector[cell] != v.guard:
        goals[cell] = lengths[cell] <= count
    elif is_escaping:
        goals[cell] = np.int64(lengths[cell]) + tables.exit_steps[cell] <= count


@kernel
def can_name_something(v, seat, tables):
    """Tell if a seat with some of its count left has anything to decide, as far as everybody can see (S3, S18)."""
    count = np.int64(v.left) - (v.cell[seat] == NOWHERE)
    start = starting_cell(v, seat, tables)
    if count == 0 or is_inside(v, seat, tables):
        return True
    for way in range(NEIGHBOURS):
        to = np.int64(tables.neighbour[start, way])
        if to != NOWHERE and tables.sector[to] != v.guard:
            return True
    if v.phase == MOVE:
        for k in range(tables.floor_from[v.guard], tables.floor_from[v.guard + 1]):
            if tables.walk[count & 1, start, tables.floor[k]] <= count:
                return True
    is_at_gate = (tables.gate_cell == start).any()
    return is_at_gate and (v.holder == seat).any()


# Leaving


@kernel
def has_formula(v, seat, tables):
    """Tell if a seat carries the envelope with the formula."""
    for envelope in range(tables.hiding_places):
        if v.contents[envelope] == FORMULA and v.holder[envelope] == seat:
            return True
    return False


@kernel
def legal_exits(v, seat, mask, tables):
    """Allow to leave with the formula through a gate whose outside point lies within the count (S12)."""
    if not has_formula(v, seat, tables):
        return
    for gate in range(tables.gates):
        cell = np.int64(tables.gate_cell[gate])
        steps = 0 if cell == v.cell[seat] else steps_to(v, seat, cell, tables)
        mask[tables.do_leave + gate] = steps < v.left


# Rivals


@kernel
def can_be_knocked_out(s, seat):
    """Tell if an attack on a seat knocks it out: with mercy not between waking and moving (S4)."""
    return s.status[seat] != DOWN and not (s.is_merciful and s.status[seat] == WOKEN)


@kernel
def has_rivals_to_hit(s, seat):
    """Tell if a seat stands with rivals that it could knock out (S5)."""
    for other in range(s.players):
        if other != seat and s.cell[other] == s.cell[seat] != NOWHERE and can_be_knocked_out(s, other):
            return True
    return False
