"""A Security Agent that deduces: it goes where there is most to learn, and weighs whether to accuse."""

import numpy as np

from agents.double_agent.posterior import believe, inform, uncertainty
from agents.double_agent.walking import luck
from kgb_env.camp.board import SECTORS
from kgb_env.camp.tables import distance
from kgb_env.games.double_agent.legality import legal
from kgb_env.games.double_agent.spec import GO, INSPECT, INSPECTION, NOWHERE, STAY, WAIT
from kgb_env.jit import kernel

DEDUCTION = np.dtype(
    (
        np.record,
        [
            ("hope", "f8"),  # what a Security Agent who waits may still expect to win
            ("alarm", "f8"),  # how sharply the fear of an escape rises with the monitors that are OFF
            ("learn", "f8"),  # a bit learned now
            ("settle", "f8"),  # a bit about a monitor itself: what it is now is what later readings are held against
            ("later", "f8"),  # a bit that waits elsewhere
            ("chase", "f8"),  # a suspect within reach
        ],
    )
)
DEDUCES = {"hope": 0.35, "alarm": 2.0, "learn": 1.0, "settle": 0.1, "later": 1.0, "chase": 1.0}


@kernel
def deduce(v, seed, mask, memory, plan, model, style, tables):
    """Choose as a Security Agent."""
    if v.phase == INSPECTION:
        return INSPECT
    if v.phase != GO:
        return WAIT
    seat = np.int64(v.to_move)
    believe(v, seat, memory, model, tables)
    legal(v, mask, tables)
    accusation = best_accusation(v, seat, mask, memory, style, tables)
    if accusation >= 0:
        return accusation
    return best_landing(v, seat, seed, mask, memory, plan, style, tables)


@kernel
def best_accusation(v, seat, mask, memory, style, tables):
    """Return the accusation that is worth more than waiting, or -1."""
    surest, chosen = 0.0, -1
    for left in range(1, v.players):
        sure = memory.posterior[(seat + left) % v.players]
        if mask[tables.accuse + left - 1] and sure > surest:
            surest, chosen = sure, tables.accuse + left - 1
    return chosen if surest > needed_certainty(v, memory, style, tables) else -1


@kernel
def needed_certainty(v, memory, style, tables):
    """Return how sure one must be for an accusation to be worth as much as waiting (D14)."""
    share = 1.0 / (np.int64(v.players) - 1)
    right = share if v.is_team else 1.0
    fear = fear_of_escape(memory, style, tables)
    waiting = (1.0 - fear) * style.hope * right - fear * share
    wrong = -np.float64(v.stake) - share
    return (waiting - wrong) / (right - wrong)


@kernel
def fear_of_escape(memory, style, tables):
    """Return how likely it is that enough monitors are OFF, roughly: what is expected against what is needed."""
    expected = 0.0
    for sector in range(SECTORS):
        expected += memory.off[sector]
    return 1.0 / (1.0 + np.exp(-style.alarm * (expected - tables.needed + 0.5)))


@kernel
def best_landing(v, seat, seed, mask, memory, plan, style, tables):
    """Return the cell from which there is most to learn, now or soon, and which is near the suspects."""
    if mask[STAY]:
        return STAY
    inform(memory)
    for sector in range(SECTORS):
        memory.told[sector] += style.settle * uncertainty(memory.off[sector])
    best, chosen = -1.0, -1
    for cell in range(tables.cells):
        if mask[tables.go + cell]:
            worth = worth_of_cell(v, seat, cell, memory, plan, style, tables)
            worth += 1e-6 * luck(seed + np.uint64(cell))
            if worth > best:
                best, chosen = worth, tables.go + cell
    return chosen


@kernel
def worth_of_cell(v, seat, cell, memory, plan, style, tables):
    """Value a cell to land on."""
    here = np.int64(tables.sector[cell])
    worth, soon = 0.0, 0.0
    if here != NOWHERE and here != v.barred[seat]:
        worth = style.learn * memory.told[here]
    for sector in range(SECTORS):
        if sector != here and memory.told[sector] > 0.0:
            soon = max(soon, memory.told[sector] * plan.near[plan.to_sector[cell, sector]])
    worth += style.later * soon
    for suspect in range(v.players):
        sure = memory.posterior[suspect]
        if sure > 0.0 and v.cell[suspect] != NOWHERE:
            worth += style.chase * sure * sure * plan.near[distance(tables, cell, np.int64(v.cell[suspect]))]
    return worth
