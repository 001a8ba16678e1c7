"""What a seat has before it when it chooses: where there is something to get, and who moves before it moves again."""

import numpy as np

from agents.secret_formula.evidence import place_of, way
from kgb_env.camp.board import HIDING_PLACES
from kgb_env.camp.tables import FAR, distance
from kgb_env.games.secret_formula.legality import starting_cell
from kgb_env.games.secret_formula.spec import DOWN, ESCAPE, NOWHERE, RETURN, SEATS
from kgb_env.jit import kernel

GOALS = HIDING_PLACES + SEATS
ROUNDABOUT = 7  # steps that it costs to wait for the guard to go away
AHEAD = 5  # steps that a rival with the formula comes nearer to its gate in a low throw

OUTLOOK = np.dtype(
    (
        np.record,
        [
            ("worth", "f8", (GOALS,)),  # chance to find the formula there and still to get it out
            ("place", "i8", (GOALS,)),  # the cell of each goal: where envelopes lie, or a rival will be
            ("rival", "i8", (GOALS,)),  # or NOWHERE
            ("is_left", "i1", (GOALS,)),  # not yet visited by a tour
            ("goals", "i8"),
            ("guard", "i8"),  # his sector in the seat's next turn
            ("guards", "i8", (SEATS,)),  # in that of each rival
            ("else_where", "i8", (SEATS,)),  # its steps to the nearest envelope that it has not examined, but for mine
            ("comes", "i1", (SEATS,)),  # the rival moves before that
            ("knows", "i1"),  # the seat carries the formula
        ],
    )
)


@kernel
def look_ahead(v, seat, o, b, w, p, t):
    """Fill the outlook of a seat.

    Args:
        v: its view.
        seat: the viewer.
        o: one record of OUTLOOK to write to.
        b: what it believes.
        w: its weights.
        p: the plan.
        t: the tables.
    """
    is_now = v.phase == RETURN or (v.phase == ESCAPE and not v.is_turn_over)
    mine = next_turn(v, seat, is_now)
    o.guard = guard_in(v, mine, t)
    for other in range(v.players):
        turn = next_turn(v, other, is_now)
        o.guards[other] = guard_in(v, turn, t)
        o.comes[other] = other != seat and turn < mine and v.status[other] != DOWN
        o.else_where[other] = steps_elsewhere(v, seat, other, o, t)
    o.knows = b.held[seat] > 0.5
    o.goals = 0
    for envelope in range(t.hiding_places):
        if v.lies[envelope] != NOWHERE and b.chance[envelope] > 0.0:
            place = np.int64(v.lies[envelope])
            add_goal(o, place, NOWHERE, b.chance[envelope] * chance_to_stay(v, seat, place, o, w, p, t), p, t)
    for other in range(v.players):
        if other != seat and b.held[other] > 0.0:
            chance = b.held[other]
            if o.comes[other]:
                steps = np.int64(p.to_gate[o.guards[other], v.cell[other]])
                chance *= (1.0 - p.reach[steps]) * w.chase
            add_goal(o, ahead_of(v, other, o, p, t), other, chance, p, t)


@kernel
def chance_to_stay(v, seat, place, o, w, p, t):
    """Return how likely no rival takes what lies on a cell before the seat's next turn."""
    stays = 1.0
    for other in range(v.players):
        if o.comes[other]:
            stays *= 1.0 - w.contest * chance_to_come(v, other, place, o, p, t)
    return stays


@kernel
def next_turn(v, seat, is_now):
    """Return the number of a seat's next turn; ``is_now`` if the turn that goes on still begins."""
    turn = np.int64(v.turn) + (0 if is_now else 1)
    wait = (seat - np.int64(v.first) - turn) % v.players
    return turn + wait


@kernel
def guard_in(v, turn, t):
    """Return in which sector the guard is in a turn, if there is no alarm."""
    sector = np.int64(v.guard)
    if turn // v.players > v.turn // v.players:
        sector = np.int64(t.next_sector[sector])
    return sector


@kernel
def add_goal(o, place, rival, chance, p, t):
    """Note somewhere to go."""
    for goal in range(o.goals):
        if o.place[goal] == place and o.rival[goal] == rival == NOWHERE:
            o.worth[goal] += chance * p.out[p.to_gate[o.guard, place]]
            return
    o.place[o.goals] = place
    o.rival[o.goals] = rival
    o.worth[o.goals] = chance * p.out[p.to_gate[o.guard, place]]
    o.goals += 1


@kernel
def ahead_of(v, other, o, p, t):
    """Return where a rival will be if it has the formula: on its way to the nearest gate."""
    start = np.int64(v.cell[other])
    if not o.comes[other]:
        return start
    place, sector = start, o.guards[other]
    most, whole = np.int64(0), np.int64(p.to_gate[sector, start])
    for cell in range(t.cells):
        steps = way(t, sector, start, cell)
        if most < steps <= AHEAD and steps + np.int64(p.to_gate[sector, cell]) == whole:
            place, most = np.int64(cell), np.int64(steps)
    return place


@kernel
def way_there(o, start, cell, t):
    """Return the steps from one cell to another in the next turn, or more if the guard will be in the way."""
    steps = way(t, o.guard, start, cell)
    return steps if steps < FAR else min(np.int64(FAR), distance(t, start, cell) + ROUNDABOUT)


@kernel
def steps_elsewhere(v, seat, other, o, t):
    """Return how far a rival is from the nearest envelope that it has not examined and the seat does not carry."""
    if v.cell[other] == NOWHERE and v.gate[other] == NOWHERE:
        return np.int64(FAR)
    start, steps = starting_cell(v, other, t), np.int64(FAR)
    for envelope in range(t.hiding_places):
        if v.holder[envelope] != seat and not (v.examined[other] >> envelope) & 1:
            place = place_of(v, envelope)
            if place != NOWHERE:
                steps = min(steps, way(t, o.guards[other], start, place))
    return steps


@kernel
def chance_to_come(v, other, cell, o, p, t):
    """Return how likely a rival's throw lets it reach a cell before the seat moves again."""
    if not o.comes[other]:
        return 0.0
    sector, outside = o.guards[other], v.cell[other] == NOWHERE
    if outside and v.gate[other] == NOWHERE:
        steps = np.int64(FAR)
        for gate in range(t.gates):
            steps = min(steps, 1 + way(t, sector, np.int64(t.gate_cell[gate]), cell))
        return p.reach[min(np.int64(FAR), steps)]
    start = starting_cell(v, other, t)
    if outside:
        return p.reach[min(np.int64(FAR), 1 + way(t, sector, start, cell))]
    throws_in_a_sector = t.sector[start] != NOWHERE
    return p.reach[np.int64(t.steps[sector, start, cell])] * (5.0 / 6.0 if throws_in_a_sector else 1.0)
