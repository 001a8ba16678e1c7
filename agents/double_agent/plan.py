"""How far it is, in steps, from every cell of a board to its sectors and gates; and what two dice reach."""

from functools import cache

import numpy as np

from kgb_env.camp.board import CELLS, GATES, SECTORS
from kgb_env.camp.tables import FAR, NOWHERE, distance
from kgb_env.game import Game
from kgb_env.jit import kernel

HIGHEST_THROW = 12
PLAN = np.dtype(
    (
        np.record,
        [
            ("reach", "f8", (FAR + 1,)),  # chance that two dice throw at least so many
            ("near", "f8", (FAR + 1,)),  # what so many steps leave of a value that waits there
            ("to_sector", "u1", (CELLS, SECTORS)),  # steps to the sector's nearest cell, 0 inside
            ("to_gate", "u1", (CELLS,)),  # steps to the point outside the nearest gate
        ],
    )
)
FADING = 0.92  # a step


@cache
def plan_of(game: Game) -> np.ndarray:
    """Return one read-only record for the game's board."""
    plan = np.zeros(1, PLAN)
    throws = np.add.outer(np.arange(1, 7), np.arange(1, 7))
    plan["reach"] = [(throws >= steps).mean() for steps in range(FAR + 1)]
    plan["near"] = FADING ** np.arange(FAR + 1)
    measure(plan, game.tables)
    plan.flags.writeable = False
    return plan


@kernel
def measure(plan, tables):
    """Fill the distances."""
    p, t = plan[0], tables[0]
    p.to_sector[:] = FAR
    p.to_gate[:] = FAR
    for cell in range(t.cells):
        for other in range(t.cells):
            sector = t.sector[other]
            if sector != NOWHERE:
                p.to_sector[cell, sector] = min(np.int64(p.to_sector[cell, sector]), distance(t, cell, other))
        for gate in range(GATES):
            if gate < t.gates:
                steps = 1 + distance(t, cell, np.int64(t.gate_cell[gate]))
                p.to_gate[cell] = min(np.int64(p.to_gate[cell]), steps)
