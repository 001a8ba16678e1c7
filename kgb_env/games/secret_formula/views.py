"""Who knows what in The Secret Formula, as records and tensors.  (Ruling S2)"""

import numpy as np

from kgb_env.games.secret_formula.legality import mark_goals
from kgb_env.games.secret_formula.spec import (
    ALL_EXAMINED,
    DICE,
    DOWN,
    ESCAPE,
    FIRST_SEAT_PLANE,
    FORMULA,
    GATE,
    GUARD_PLANE,
    LEFT,
    MOVE,
    NOT_EXAMINED,
    NOWHERE,
    PHASE,
    REACH_PLANE,
    RETURN,
    ROUND_BITS,
    ROUNDS_LEFT,
    SUMS,
    THROWS,
)
from kgb_env.jit import kernel
from kgb_env.record import UNKNOWN

LOWER_DIE = tuple(low for low, _ in THROWS)


@kernel
def hide(v, seat, tables):
    """Hide what is in the envelopes that a seat has not examined, unless it can tell by those that it has (S2).

    PUBLIC has examined none.  All is public at the end.
    """
    if v.over:
        return
    unknown = 0
    for envelope in range(tables.hiding_places):
        if not has_examined(v, seat, envelope):
            unknown += 1
        elif v.contents[envelope] == FORMULA:
            return
    if unknown > 1:
        for envelope in range(tables.hiding_places):
            if not has_examined(v, seat, envelope):
                v.contents[envelope] = UNKNOWN


@kernel
def has_examined(v, seat, envelope):
    """Tell if a seat has held an envelope."""
    return seat >= 0 and (v.examined[seat] >> envelope) & 1


@kernel
def observe(v, obs, obs_mask, tables):
    """Encode the game as the viewer sees it: seats count from the viewer, then from his left."""
    obs[: tables.at_ground] = 0
    obs_mask[:] = 1
    me, players = np.int64(v.viewer), np.int64(v.players)
    if v.to_move >= 0:
        obs[PHASE + decision_number(v)] = 1
        obs[tables.at_to_move + (v.to_move - me) % players] = 1
    if v.throw:
        obs[DICE + LOWER_DIE[v.throw - 1] - 1] = 1
        obs[DICE + 6 + SUMS[v.throw - 1] - LOWER_DIE[v.throw - 1] - 1] = 1
    if v.left:
        obs[LEFT + v.left - 1] = 1
    left = np.int64(v.max_rounds) - v.turn // players
    for bit in range(ROUND_BITS):
        obs[ROUNDS_LEFT + bit] = (left >> bit) & 1
    obs[tables.at_turn + (v.first + v.turn - me) % players] = not v.over
    obs[tables.at_first + (v.first - me) % players] = 1
    obs[tables.at_guard + v.guard] = 1
    obs[tables.at_next_guard + tables.next_sector[v.guard]] = 1
    observe_map(v, obs, tables)
    for place in range(players):
        observe_seat(v, (me + place) % players, place, obs, tables)
    for envelope in range(tables.hiding_places):
        observe_envelope(v, me, envelope, obs, obs_mask, tables)


@kernel
def decision_number(v):
    """Return the place of the phase among the decisions."""
    if v.phase == MOVE:
        return 3
    if v.phase == ESCAPE:
        return 4
    return 0 if v.phase == GATE else 1 if v.phase == RETURN else 2


@kernel
def observe_map(v, obs, tables):
    """Encode what the map is like, where the guard stands, and where the seat to move can go."""
    area, planes = tables.area, tables.at_planes
    copy(tables.ground_map, obs[tables.at_ground : tables.at_envelopes])
    obs[tables.at_envelopes :] = 0
    if v.to_move >= 0 and (v.phase == MOVE or v.phase == ESCAPE):
        reach_map, place = obs[planes + REACH_PLANE * area : planes + (REACH_PLANE + 1) * area], tables.place
        goals = obs[planes + GUARD_PLANE * area :]  # room to work in: the other planes come later
        mark_goals(v, goals, tables)
        for cell in range(tables.cells):
            reach_map[place[cell]] = goals[cell]
        goals[: tables.cells] = 0
    obs[planes + GUARD_PLANE * area + tables.place[tables.guard_post[v.guard]]] = 1


@kernel
def copy(source, target):
    """Fill an array from the start of another; faster than between slices."""
    for k in range(target.size):
        target[k] = source[k]


@kernel
def observe_seat(v, seat, place, obs, tables):
    """Encode a seat: where it is, how it is, and what it has seen."""
    obs[tables.at_knocked_out + place] = v.status[seat] == DOWN
    obs[tables.at_woken + place] = v.status[seat] > DOWN
    obs[tables.at_hunted + place] = (v.hunted >> seat) & 1
    if v.gate[seat] != NOWHERE:
        obs[tables.at_at_gate + place * tables.gates + v.gate[seat]] = 1
    examined, first = v.examined[seat], tables.at_examined + tables.hiding_places * place
    for envelope in range(tables.hiding_places):
        obs[first + envelope] = (examined >> envelope) & 1
    cell = np.int64(v.cell[seat])
    if cell != NOWHERE:
        obs[tables.at_row + place] = 1 + tables.row[cell]
        obs[tables.at_column + place] = 1 + tables.column[cell]
        obs[tables.at_planes + (FIRST_SEAT_PLANE + place) * tables.area + tables.place[cell]] = 1


@kernel
def observe_envelope(v, me, envelope, obs, obs_mask, tables):
    """Encode an envelope: where it is, and what is known to be in it."""
    contents = v.contents[envelope]
    is_unknown = not has_examined(v, me, envelope)
    if contents == UNKNOWN:
        obs_mask[tables.at_formula + envelope] = 0
    else:
        obs[tables.at_formula + envelope] = contents
    holder, cell = np.int64(v.holder[envelope]), np.int64(v.lies[envelope])
    if holder != NOWHERE:
        place = holder - me if holder >= me else holder - me + v.players
        obs[tables.at_holder + tables.hiding_places * place + envelope] = 1
        obs[tables.at_carried + place] += 1
        obs[tables.at_carried_unknown + place] += is_unknown
    if cell != NOWHERE:
        obs[tables.at_envelope_row + envelope] = 1 + tables.row[cell]
        obs[tables.at_envelope_column + envelope] = 1 + tables.column[cell]
        place = tables.at_envelopes + tables.place[cell]
        obs[place] = max(obs[place], NOT_EXAMINED if is_unknown else ALL_EXAMINED)
