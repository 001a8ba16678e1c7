"""Possible worlds of The Double Agent: which secret histories agree with all that a seat has seen.

A history is who the Double Agent is, which monitor it sabotaged in the opening, and at which of its
announced inspections it sabotaged another.  A monitor goes OFF once at most, so for each suspect and
monitor one number tells all: the inspections by the suspect between the viewer's last ON and first OFF,
and one more, never, if the viewer has not seen it OFF.  Those numbers multiply over the monitors, except
that the opening's has been OFF all along.
"""

import numpy as np

from kgb_env.camp.board import SECTORS
from kgb_env.games.double_agent.spec import (
    DOUBLE_AGENT,
    NEVER,
    OFF,
    ON,
    SABOTAGED,
    SEAT,
    SEAT_BITS,
    SEATS,
    SECURITY_AGENT,
)
from kgb_env.jit import kernel, next_u64, pick
from kgb_env.loops import copy_world
from kgb_env.record import UNKNOWN

NO_OPENING = SECTORS  # the opening play of a suspect is still to come


@kernel
def determinize(v, seeds, out, scratch, tables):
    """Fill in roles, monitors and findings: every suspect is as likely as any other, and so is every history of one.

    The role is dealt evenly (D1), and a seat does not get more suspect by inspecting often.
    """
    is_known = v.role[v.viewer] == DOUBLE_AGENT
    if not is_known:
        count_histories(v, scratch, tables)
    for k in range(out.size):
        copy_world(v, seeds[k], out, k)
        if not is_known:
            fill_in(out[k], v, scratch, tables)
        out[k].rng = seeds[k]


@kernel
def count_histories(v, scratch, tables):
    """Fill ``weights``, the number of histories by suspect and opening play, and ``suspects``, who has any.

    They fit 64 bits: 60 inspections over 15 monitors allow at most 15 * 5**15 histories.
    """
    read_own_list(v, scratch, tables)
    count_ways(v, scratch)
    scratch.weights[:] = 0
    scratch.suspects[:] = 0
    is_certain = False
    for seat in range(v.players):
        is_certain |= v.role[seat] == DOUBLE_AGENT
    for suspect in range(v.players):
        if v.role[suspect] == SECURITY_AGENT or (is_certain and v.role[suspect] != DOUBLE_AGENT):
            continue
        if (suspect - v.first) % v.players >= v.opened:
            scratch.weights[suspect, NO_OPENING] = count_without(suspect, NO_OPENING, scratch, tables)
        else:
            for sector in range(tables.sectors):
                if tables.has_monitor[sector] and not scratch.was_on[sector]:
                    scratch.weights[suspect, sector] = count_without(suspect, sector, scratch, tables)
        scratch.suspects[suspect] = scratch.weights[suspect].any()


@kernel
def read_entry(v, entry):
    """Return sector and seat of an entry of the Security List."""
    told = np.int64(v.security_list[entry])
    return told >> SEAT_BITS, told & SEAT


@kernel
def read_own_list(v, scratch, tables):
    """Note what the viewer's readings tell of each monitor: between which entries of the list it can have gone OFF.

    At the end of a game all monitors are read once more, by everybody (D13).
    """
    scratch.since[:] = 0
    scratch.until[:] = v.listed
    scratch.was_on[:] = 0
    scratch.was_off[:] = 0
    for entry in range(v.listed):
        place, seat = read_entry(v, entry)
        if seat != v.viewer:
            continue
        if v.found[entry] == ON:
            scratch.since[place] = entry + 1
            scratch.was_on[place] = 1
        elif not scratch.was_off[place]:
            scratch.until[place] = entry
            scratch.was_off[place] = 1
    for sector in range(SECTORS):
        if v.monitor[sector] == ON:
            scratch.since[sector] = v.listed
            scratch.was_on[sector] = 1
        elif v.monitor[sector] == OFF:
            scratch.was_off[sector] = 1


@kernel
def count_ways(v, scratch):
    """Fill ``ways``: when each suspect can have sabotaged each monitor, never included, apart from the opening."""
    for suspect in range(SEATS):
        for sector in range(SECTORS):
            scratch.ways[suspect, sector] = 1 - scratch.was_off[sector]
    for entry in range(v.listed):
        place, seat = read_entry(v, entry)
        if scratch.since[place] <= entry < scratch.until[place]:
            scratch.ways[seat, place] += 1


@kernel
def count_without(suspect, opening, scratch, tables):
    """Return the number of histories of all monitors but the one of the opening."""
    histories = np.int64(1)
    for sector in range(tables.sectors):
        if sector != opening and tables.has_monitor[sector]:
            histories *= scratch.ways[suspect, sector]
    return histories


@kernel
def fill_in(w, v, scratch, tables):
    """Turn a view into a state by a history drawn at random."""
    suspect = pick(scratch.suspects, next_u64(w))
    opening = pick(scratch.weights[suspect], next_u64(w))
    for seat in range(w.players):
        w.role[seat] = DOUBLE_AGENT if seat == suspect else SECURITY_AGENT
    w.opening = 0 if opening == NO_OPENING else 1 + opening
    for seat in range(SEATS):
        for sector in range(SECTORS):
            if w.mark[seat, sector] == UNKNOWN:
                w.mark[seat, sector] = NEVER
    for sector in range(SECTORS):
        scratch.condition[sector] = OFF if sector == opening else ON
        scratch.left[sector] = -1
        if sector != opening and tables.has_monitor[sector]:
            scratch.left[sector] = draw_time(w, suspect, sector, scratch)
    for entry in range(w.listed):
        place, inspector = read_entry(w, entry)
        found = scratch.condition[place]
        if inspector == suspect and scratch.since[place] <= entry < scratch.until[place]:
            if scratch.left[place] == 0:
                found = SABOTAGED
                scratch.condition[place] = OFF
            scratch.left[place] -= 1
        w.found[entry] = found
        w.mark[inspector, place] = scratch.condition[place]
    for sector in range(SECTORS):
        if tables.has_monitor[sector]:
            w.monitor[sector] = scratch.condition[sector]


@kernel
def draw_time(w, suspect, sector, scratch):
    """Return how many of the suspect's inspections pass before the one that sabotages, or -1 for never."""
    ways = scratch.ways[suspect, sector]
    drawn = np.int64(next_u64(w) % np.uint64(ways))
    return drawn - (1 - scratch.was_off[sector])
