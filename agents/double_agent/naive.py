"""Inspect what has not been seen for longest; as the Double Agent sabotage whatever is ON, and run."""

from typing import Any

import numpy as np

from agents.agent import require_deciders
from agents.double_agent.plan import plan_of
from agents.double_agent.posterior import MEMORY as NOTES
from agents.double_agent.posterior import read_list
from agents.double_agent.walking import luck, measure_to, nearest_landing, steps_from
from kgb_env import Game
from kgb_env.camp.tables import CELLS, FAR, NOWHERE, SECTORS
from kgb_env.games.double_agent.legality import legal
from kgb_env.games.double_agent.spec import DOUBLE_AGENT, GO, INSPECT, INSPECTION, OFF, ON, SABOTAGE, SEATS, STAY, TURNS
from kgb_env.games.double_agent.worlds import read_entry
from kgb_env.jit import kernel, mix, pick
from kgb_env.record import NOBODY

MEMORY = np.dtype(
    (
        np.record,
        [
            ("last", "i8", (SECTORS,)),  # entry of the list: the seat's last inspection of each monitor, or -1
            ("steps", "u1", (CELLS,)),  # from each cell to where a suspect stands
            ("rate", "f8"),  # how often a Double Agent sabotages what it can
            ("runs", "?"),  # whether it goes for monitors that are ON, then for a gate
        ],
    )
)


class NaiveAgent:
    """Reason by simple elimination, and bluff not at all.

    A Security Agent walks to the nearest of the monitors that it has not inspected for longest, and
    inspects wherever it can.  When it has found a monitor OFF that it had seen ON, only those who were there in
    between are left; when one is left, it goes to that seat and accuses it.
    A Double Agent opens anywhere, walks to the nearest monitor that is ON, sabotages whatever it can,
    and runs for the nearest gate when enough are OFF.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self._plan = plan_of(game)
        self._mask = np.zeros(game.actions.size, np.int8)
        self._memory = np.zeros(1, MEMORY)
        self._notes = np.zeros(1, NOTES)
        self._memory["rate"] = 1.0
        self._memory["runs"] = True

    def initial_carry(self, n: int) -> None:
        """Return nothing: the views hold all that it needs."""

    def act(self, views: np.ndarray, seeds: np.ndarray, carry: Any = None) -> tuple[np.ndarray, Any]:
        """Return one action for each view, and the carry."""
        seeds = require_deciders(self.game, views, seeds)
        actions = np.empty(views.size, np.int64)
        choose_naively(views, seeds, actions, self._mask, self._notes, self._memory, self._plan, self.game.tables)
        return actions, carry


@kernel
def choose_naively(views, seeds, actions, mask, notes, memory, plan, tables):
    """Choose an action for every view."""
    for i in range(views.size):
        v, seed = views[i], seeds[i]
        legal(v, mask, tables[0])
        if v.phase == GO:
            actions[i] = go(v, seed, mask, notes[0], memory[0], plan[0], tables[0])
        elif v.phase == INSPECTION:
            actions[i] = SABOTAGE if mask[SABOTAGE] and luck(seed) < memory[0].rate else INSPECT
        else:
            actions[i] = pick(mask, mix(seed))


@kernel
def go(v, seed, mask, notes, memory, plan, tables):
    """Leave or accuse if that is what it wants, else walk."""
    seat = np.int64(v.to_move)
    if v.role[seat] == DOUBLE_AGENT:
        for gate in range(tables.gates):
            if mask[tables.leave + gate]:
                return tables.leave + gate
        if memory.runs and has_done_enough(v, tables):
            return land_near(mask, plan.to_gate, seed, tables)
    else:
        suspect = last_suspect(v, seat, notes, tables)
        if suspect != NOBODY and v.cell[suspect] != NOWHERE:
            action = tables.accuse + (suspect - seat - 1) % v.players
            if mask[action]:
                return action
            measure_to(np.int64(v.cell[suspect]), memory.steps, tables)
            return land_near(mask, memory.steps, seed, tables)
    sector = next_monitor(v, seat, memory, plan, tables)
    return land_near(mask, plan.to_sector[:, sector], seed, tables)


@kernel
def land_near(mask, steps, seed, tables):
    """Land as near as possible; stay if there is nowhere to land."""
    action = nearest_landing(mask, steps, seed, tables)
    return action if action >= 0 else STAY


@kernel
def has_done_enough(v, tables):
    """Tell if the Double Agent may leave (D11)."""
    off = 0
    for sector in range(SECTORS):
        off += v.monitor[sector] == OFF
    return off >= tables.needed


@kernel
def last_suspect(v, seat, notes, tables):
    """Return the only seat left by simple elimination, or NOBODY."""
    read_list(v, seat, notes, tables)
    left, last = 0, NOBODY
    for suspect in range(SEATS):
        if notes.is_suspect[suspect] and not is_cleared(suspect, notes):
            left += 1
            last = suspect
    return last if left == 1 else NOBODY


@kernel
def is_cleared(suspect, notes):
    """Tell if some monitor went from ON to OFF without this seat."""
    for sector in range(SECTORS):
        if notes.was_on[sector] and notes.reading[sector] == OFF and not notes.since[suspect, sector]:
            return True
    return False


@kernel
def next_monitor(v, seat, memory, plan, tables):
    """Return the sector of the monitor to inspect next: the one not seen for longest, or, to run, one that is ON.

    Of several it is the nearest, and of those the first.  One that may not be inspected before the seat has
    left its sector is left out (D7).
    """
    find_last(v, seat, memory.last)
    is_running = memory.runs and v.role[seat] == DOUBLE_AGENT
    chosen, longest, nearest = 0, TURNS, 2 * FAR
    for sector in range(tables.sectors):
        if not tables.has_monitor[sector] or sector == v.barred[seat]:
            continue
        rank = int(v.monitor[sector] != ON) if is_running else memory.last[sector]
        steps = steps_from(v, seat, plan.to_sector[:, sector], tables)
        if rank < longest or (rank == longest and steps < nearest):
            chosen, longest, nearest = sector, rank, steps
    return chosen


@kernel
def find_last(v, seat, last):
    """Write which entry of the list is the seat's last inspection of each monitor."""
    last[:] = -1
    for entry in range(v.listed):
        sector, inspector = read_entry(v, entry)
        if inspector == seat:
            last[sector] = entry
