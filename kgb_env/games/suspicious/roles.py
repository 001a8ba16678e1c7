"""Who is what in a match of one round whose spy is named by chance: roles that last for the whole game (U3)."""

import numpy as np

from kgb_env.record import UNKNOWN

ROLES = AGENT, SPY, DIRECTOR = "agent", "spy", "director"


def role_of(states: np.ndarray) -> np.ndarray:
    """Return numbers of ROLES, (n, seats) int8; in a view that hides the spy all but the Director's are UNKNOWN."""
    rows, spy = np.arange(states.size), states["spy"][:, 0]
    roles = np.full(states["points"].shape, ROLES.index(AGENT), np.int8)
    roles[rows, spy] = ROLES.index(SPY)
    roles[spy == UNKNOWN] = UNKNOWN
    roles[rows, states["first"]] = ROLES.index(DIRECTOR)
    return roles
