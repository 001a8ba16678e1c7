"""A Double Agent that bluffs: it knows what every Security Agent must think, and sabotages where that shows least."""

import numpy as np

from agents.double_agent.posterior import believe, note_inspection, note_reading, weigh
from agents.double_agent.walking import luck
from kgb_env.camp.board import SECTORS
from kgb_env.camp.tables import FAR, distance
from kgb_env.games.double_agent.legality import legal
from kgb_env.games.double_agent.spec import (
    INSPECT,
    INSPECTION,
    NOWHERE,
    OFF,
    ON,
    OPENING,
    SABOTAGE,
    SEATS,
    SKIP,
    STAY,
)
from kgb_env.jit import kernel, mix

BLUFF = np.dtype(
    (
        np.record,
        [
            ("caution", "f8"),  # how much likelier to be accused it may become by a sabotage
            ("daring", "f8"),  # and by the last one that is needed
            ("lull", "f8"),  # weight of nobody's coming by
            ("trust", "f8"),  # suspicion at which a Security Agent may as well accuse it as not
            ("sharpness", "f8"),  # how sharply that decides
            ("visit", "f8"),  # a monitor that can be sabotaged unseen
            ("gate", "f8"),  # share of it that the last one is worth far from a gate
            ("flee", "f8"),  # being accused
            ("escape", "f8"),  # a gate, when enough are OFF
        ],
    )
)
BLUFFS = {
    "caution": 0.5,
    "daring": 1.0,
    "lull": 0.3,
    "trust": 0.55,
    "sharpness": 12.0,
    "visit": 1.0,
    "gate": 0.3,
    "flee": 1.5,
    "escape": 1.0,
}


@kernel
def bluff(v, seed, mask, beliefs, plan, model, style, tables):
    """Choose as the Double Agent."""
    me = np.int64(v.to_move)
    legal(v, mask, tables)
    if v.phase == OPENING:
        return open_anywhere(seed, mask, tables)
    read_minds(v, me, beliefs, model, tables)
    if v.phase == INSPECTION:
        return at_monitor(v, me, beliefs, plan, model, style, tables)
    for gate in range(tables.gates):
        if mask[tables.leave + gate]:
            return tables.leave + gate
    if mask[STAY]:
        return STAY
    return walk(v, me, seed, mask, beliefs, plan, model, style, tables)


@kernel
def open_anywhere(seed, mask, tables):
    """Choose the monitor of the opening play at random: that tells least."""
    best, chosen = np.uint64(0), -1
    for sector in range(tables.sectors):
        luck = mix(seed + np.uint64(sector))
        if mask[tables.open + sector] and (chosen < 0 or luck > best):
            best, chosen = luck, tables.open + sector
    return chosen


@kernel
def read_minds(v, me, beliefs, model, tables):
    """Work out what every Security Agent in play must believe, from what it has read."""
    for seat in range(v.players):
        if seat != me and not v.out[seat]:
            believe(v, seat, beliefs[seat], model, tables)


@kernel
def at_monitor(v, me, beliefs, plan, model, style, tables):
    """Sabotage if it does not add too much suspicion; else be seen to inspect, but not what is OFF."""
    sector = np.int64(tables.sector[v.cell[me]])
    if v.monitor[sector] == OFF:
        return SKIP
    risk = added_suspicion(v, me, sector, beliefs, plan, model, style, tables)
    return SABOTAGE if risk <= limit(v, style, tables) else INSPECT


@kernel
def limit(v, style, tables):
    """Return how much suspicion a sabotage may add: more for the last one, which is followed by the escape."""
    return style.daring if count_off(v) + 1 >= tables.needed else style.caution


@kernel
def count_off(v):
    """Return how many monitors are OFF."""
    off = 0
    for sector in range(SECTORS):
        off += v.monitor[sector] == OFF
    return off


@kernel
def added_suspicion(v, me, sector, beliefs, plan, model, style, tables):
    """Return how much likelier it becomes to be accused if it sabotages a monitor now: by whoever finds it OFF next.

    The nearer a Security Agent is to the sector, the likelier it is the next one there.
    """
    risk, weights, trial = 0.0, style.lull, beliefs[SEATS]
    for seat in range(v.players):
        if seat != me and not v.out[seat]:
            beliefs[SEATS] = beliefs[seat]
            note_inspection(me, sector, trial)
            note_reading(sector, True, trial)
            weigh(trial, model, tables)
            weight = 1.0
            if v.cell[seat] != NOWHERE:
                weight = plan.near[plan.to_sector[v.cell[seat], sector]]
            now = threat(beliefs[seat].posterior[me], style)
            risk += weight * max(0.0, threat(trial.posterior[me], style) - now)
            weights += weight
    return risk / weights


@kernel
def threat(suspicion, style):
    """Return how likely a Security Agent is to accuse it, if it can, by what it believes."""
    return 1.0 / (1.0 + np.exp(-style.sharpness * (suspicion - style.trust)))


@kernel
def walk(v, me, seed, mask, beliefs, plan, model, style, tables):
    """Go where a monitor can be sabotaged unseen, or to a gate; keep out of reach of who suspects it."""
    mine, off, most = beliefs[me], count_off(v), limit(v, style, tables)
    is_last = off + 1 >= tables.needed
    for sector in range(SECTORS):
        mine.told[sector] = 0.0
        if tables.has_monitor[sector] and v.monitor[sector] == ON:
            risk = added_suspicion(v, me, sector, beliefs, plan, model, style, tables)
            mine.told[sector] = (1.0 - risk) * (1.0 if risk <= most else 0.1)
    best, chosen = -1e9, -1
    for cell in range(tables.cells):
        if mask[tables.go + cell]:
            if off >= tables.needed:
                worth = style.escape * (plan.near[plan.to_gate[cell]] + plan.reach[plan.to_gate[cell]])
            else:
                worth = style.visit * worth_of_visits(v, me, cell, is_last, mine, plan, style, tables)
            worth -= style.flee * danger(v, me, cell, beliefs, plan, style, tables)
            worth += 1e-6 * luck(seed + np.uint64(cell))
            if worth > best:
                best, chosen = worth, tables.go + cell
    return chosen


@kernel
def worth_of_visits(v, me, cell, is_last, mine, plan, style, tables):
    """Value a cell by the monitors that can be reached from it."""
    here, now, soon = np.int64(tables.sector[cell]), 0.0, 0.0
    if here != NOWHERE and here != v.barred[me]:
        now = mine.told[here]
        if is_last:
            now *= 1.0 - style.gate + style.gate * plan.near[plan.to_gate[cell]]
    for sector in range(SECTORS):
        if sector != here:
            soon = max(soon, mine.told[sector] * plan.near[plan.to_sector[cell, sector]])
    return now + 0.8 * soon


@kernel
def danger(v, me, cell, beliefs, plan, style, tables):
    """Return the chance that somebody accuses it there, roughly: who suspects it enough, and throws enough."""
    safe = 1.0
    for seat in range(v.players):
        if seat != me and not v.out[seat]:
            steps = distance(tables, cell, np.int64(v.cell[seat])) if v.cell[seat] != NOWHERE else FAR
            safe *= 1.0 - threat(beliefs[seat].posterior[me], style) * plan.reach[steps]
    return 1.0 - safe
