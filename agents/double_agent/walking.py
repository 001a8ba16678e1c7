"""How far a seat has to go, and which landing is nearest to somewhere."""

import numpy as np

from kgb_env.camp.tables import FAR, NOWHERE, START_CELLS, distance
from kgb_env.jit import kernel, mix


@kernel
def steps_from(v, seat, steps, tables):
    """Return how far a seat has to go, by the steps from each cell; from the gazebo, too."""
    if v.cell[seat] != NOWHERE:
        return np.int64(steps[v.cell[seat]])
    least = np.int64(FAR)
    for entry in range(START_CELLS):
        if tables.start_cell[entry] != NOWHERE:
            least = min(least, 1 + np.int64(steps[tables.start_cell[entry]]))
    return least


@kernel
def measure_to(cell, steps, tables):
    """Write the steps from each cell to one."""
    for start in range(tables.cells):
        steps[start] = distance(tables, start, cell)


@kernel
def nearest_landing(mask, steps, seed, tables):
    """Return a legal action ``go`` that leads as near as possible, by the steps from each cell, or -1.

    Chance breaks ties.
    """
    least, ties, chosen = np.int64(FAR) + 1, 0, -1
    for cell in range(tables.cells):
        if mask[tables.go + cell] and steps[cell] <= least:
            ties = ties + 1 if steps[cell] == least else 1
            least = np.int64(steps[cell])
            if mix(seed + np.uint64(cell)) % np.uint64(ties) == 0:
                chosen = tables.go + cell
    return chosen


@kernel
def luck(seed):
    """Return a number from 0 to 1, 1 excluded."""
    return np.float64(mix(seed) >> np.uint64(11)) / np.float64(1 << 53)
