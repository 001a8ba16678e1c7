"""What two dice reach, and what it is worth to be so many steps from somewhere."""

import numpy as np

from kgb_env.camp.board import CELLS, SECTORS
from kgb_env.camp.tables import FAR
from kgb_env.game import Game
from kgb_env.games.secret_formula.spec import SUMS, WAYS
from kgb_env.jit import kernel

PLAN = np.dtype(
    (
        np.record,
        [
            ("reach", "f8", (FAR + 1,)),  # chance that two dice throw at least so many
            ("near", "f8", (FAR + 1,)),  # what is left of a value so many steps away, when each turn costs a share
            ("out", "f8", (FAR + 1,)),  # chance to get the formula out when the outside is so many steps away
            ("to_gate", "u1", (SECTORS, CELLS)),  # steps to outside the nearest gate, the guard in each sector
        ],
    )
)


def make_plan(game: Game, pace: float, safety: float) -> np.ndarray:
    """Return one read-only record for a game's board.

    Args:
        game: The Secret Formula with any options.
        pace: what one turn leaves of the value of something that is still to be reached.
        safety: the chance to keep the formula for a turn on the way to a gate.
    """
    plan, chances = np.zeros(1, PLAN), np.zeros(max(SUMS) + 1)
    for total, ways in zip(SUMS, WAYS, strict=True):
        chances[total] += ways / 36
    plan["reach"] = [chances[steps:].sum() for steps in range(FAR + 1)]
    plan["near"] = pace_out(chances, pace, pace)
    plan["out"] = pace_out(chances, 1.0, safety)
    measure(plan, game.tables)
    plan.flags.writeable = False
    return plan


def pace_out(chances: np.ndarray, first: float, later: float) -> np.ndarray:
    """Return the mean product over the turns that so many steps take: one factor for the first, one for each later."""
    kept = np.ones(FAR + 1)  # the product of `later` over all turns
    for steps in range(1, FAR + 1):
        arrives = chances[steps:].sum()
        goes_on = sum(chances[moved] * kept[steps - moved] for moved in range(min(steps, len(chances))))
        kept[steps] = later * (arrives + goes_on)
    kept[1:] *= first / later
    return kept


@kernel
def measure(plan, tables):
    """Fill the distances to the gates."""
    p, t = plan[0], tables[0]
    p.to_gate[:] = FAR
    for sector in range(t.sectors):
        for cell in range(t.cells):
            for gate in range(t.gates):
                place = np.int64(t.gate_cell[gate])
                steps = 0 if place == cell else np.int64(t.steps[sector, cell, place])
                p.to_gate[sector, cell] = min(np.int64(p.to_gate[sector, cell]), 1 + steps, FAR)
