"""Who knows what in The Double Agent, as records and tensors.  (Rulings D1, D8, D13)"""

import numpy as np

from kgb_env.camp.board import SECTORS
from kgb_env.games.double_agent.legality import mark_where_to_land
from kgb_env.games.double_agent.spec import (
    DOUBLE_AGENT,
    FIRST_SEAT_PLANE,
    GO,
    LISTED,
    LOWEST_THROW,
    NOWHERE,
    OFF,
    ON,
    OPENING,
    PHASE,
    REACH_PLANE,
    ROUND_BITS,
    ROUNDS_LEFT,
    SEAT,
    SEAT_BITS,
    SEATS,
    THROWN,
    WALKABLE_PLANE,
)
from kgb_env.jit import kernel
from kgb_env.record import UNKNOWN


@kernel
def hide(v, seat, tables):
    """Hide the roles and monitors from Security Agents, and what others have found (D1, D8); all is public at the end.

    Seats that accused wrongly and those that they exposed are Security Agents for all to see; if only
    one seat is left that can be the Double Agent, it is known to be (D12).
    """
    if seat >= 0 and v.role[seat] == DOUBLE_AGENT:
        return
    if not v.over:
        hide_roles(v, seat)
        for sector in range(SECTORS):
            if tables.has_monitor[sector] and (seat < 0 or v.mark[seat, sector] != OFF):
                v.monitor[sector] = UNKNOWN
    v.opening = UNKNOWN
    for other in range(SEATS):
        if other != seat:
            v.mark[other, :] = UNKNOWN
    for entry in range(v.listed):
        if v.security_list[entry] & SEAT != seat:
            v.found[entry] = UNKNOWN


@kernel
def hide_roles(v, seat):
    """Hide the roles of those who may be the Double Agent, if they are several."""
    suspects = 0
    for other in range(v.players):
        suspects += is_suspect(v, seat, other)
    for other in range(v.players):
        if suspects > 1 and is_suspect(v, seat, other):
            v.role[other] = UNKNOWN


@kernel
def is_suspect(v, seat, other):
    """Tell if a Security Agent (or PUBLIC) has not been shown that another seat is one too (D1, D9)."""
    return other != seat and not v.out[other] and not v.exposed[other]


@kernel
def observe(v, obs, obs_mask, tables):
    """Encode the game as the viewer sees it: seats count from the viewer, then from his left."""
    obs[: tables.at_sectors] = 0
    obs_mask[:] = 1
    me, players = np.int64(v.viewer), np.int64(v.players)
    if v.to_move >= 0:
        obs[PHASE + (0 if v.phase == OPENING else 1 if v.phase == GO else 2)] = 1
        obs[tables.at_to_move + (v.to_move - me) % players] = 1
        if v.throw:
            obs[THROWN + np.int64(v.throw) - LOWEST_THROW] = 1
    left = np.int64(v.max_turns) - v.turn // players
    for bit in range(ROUND_BITS):
        obs[ROUNDS_LEFT + bit] = (left >> bit) & 1
    obs[tables.at_first + (v.first - me) % players] = 1
    observe_map(v, obs, tables)
    for place in range(players):
        observe_seat(v, (me + place) % players, place, obs, obs_mask, tables)
    observe_monitors(v, me, obs, obs_mask, tables)
    observe_list(v, me, obs, obs_mask, tables)


@kernel
def observe_map(v, obs, tables):
    """Encode what the map is like, and where the seat to move can land."""
    area = tables.area
    walkable, reach = tables.at_planes + WALKABLE_PLANE * area, tables.at_planes + REACH_PLANE * area
    copy(tables.sector_map, obs[tables.at_sectors : tables.at_sectors + area])
    copy(tables.walkable_map, obs[walkable : walkable + area])
    obs[reach:] = 0
    if v.to_move >= 0 and v.phase == GO:
        reach_map, place = obs[reach : reach + area], tables.place
        landings = obs[reach + area :]  # room to work in: the planes of the seats come later
        mark_where_to_land(v, landings, tables)
        for cell in range(tables.cells):
            reach_map[place[cell]] = landings[cell]
        landings[: tables.cells] = 0


@kernel
def copy(source, target):
    """Fill an array from the start of another; faster than between slices."""
    for k in range(target.size):
        target[k] = source[k]


@kernel
def observe_seat(v, seat, place, obs, obs_mask, tables):
    """Encode a seat: where it is, and what is known of it."""
    sectors = tables.sectors
    obs[tables.at_out + place] = v.out[seat]
    obs[tables.at_exposed + place] = v.exposed[seat]
    if v.role[seat] == UNKNOWN:
        obs_mask[tables.at_double_agent + place] = 0
    else:
        obs[tables.at_double_agent + place] = v.role[seat]
    if v.barred[seat] != NOWHERE:
        obs[tables.at_barred + place * sectors + v.barred[seat]] = 1
    cell = np.int64(v.cell[seat])
    if cell != NOWHERE:
        obs[tables.at_row + place] = 1 + tables.row[cell]
        obs[tables.at_column + place] = 1 + tables.column[cell]
        obs[tables.at_planes + (FIRST_SEAT_PLANE + place) * tables.area + tables.place[cell]] = 1
        if tables.sector[cell] != NOWHERE:
            obs[tables.at_sector + place * sectors + tables.sector[cell]] = 1


@kernel
def observe_monitors(v, me, obs, obs_mask, tables):
    """Encode what the viewer knows of each monitor, and who has been there since."""
    players = np.int64(v.players)
    if v.opening == UNKNOWN:
        obs_mask[tables.at_opening : tables.at_opening + tables.sectors] = 0
    elif v.opening:
        obs[tables.at_opening + v.opening - 1] = 1
    for sector in range(tables.sectors):
        if v.monitor[sector] == UNKNOWN:
            obs_mask[tables.at_off + sector] = 0
        else:
            obs[tables.at_off + sector] = v.monitor[sector] == OFF
        mark = v.mark[me, sector]
        obs[tables.at_seen + 2 * sector] = mark == ON
        obs[tables.at_seen + 2 * sector + 1] = mark == OFF
        for place in range(players):
            count = v.since[me, sector, (me + place) % players]
            obs[tables.at_announced + players * sector + place] = count


@kernel
def observe_list(v, me, obs, obs_mask, tables):
    """Encode the last entries of the Security List, the latest first."""
    players = np.int64(v.players)
    last = np.int64(v.listed) - 1
    for k in range(min(np.int64(LISTED), last + 1)):
        entry, found = np.int64(v.security_list[last - k]), np.int64(v.found[last - k])
        obs[tables.at_list_sector + tables.sectors * k + (entry >> SEAT_BITS)] = 1
        obs[tables.at_list_seat + players * k + ((entry & SEAT) - me) % players] = 1
        if found == UNKNOWN:
            for place in range(3):
                obs_mask[tables.at_list_found + 3 * k + place] = 0
        else:
            obs[tables.at_list_found + 3 * k + found - ON] = 1
