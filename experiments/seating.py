"""Who sits where: balanced seatings."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product
from math import comb, perm

import numpy as np

MOST_SEATINGS = 60


def balanced_seatings(agents: int, seats: int, most: int = MOST_SEATINGS) -> np.ndarray:
    """Return seatings in which every agent sits in every seat equally often.

    Agents that do not outnumber the seats are all present in each seating, one of them in several
    seats if need be.  Of more agents, each seating has as many as there are seats.  All seatings
    are returned if they are at most ``most``.  Else it is an even choice of rounds: a round is one
    seating and its shifts, in which everybody makes way for the next agent, so that in a round
    each agent sits once in each seat.

    Returns:
        (seatings, seats) int64, the number of the agent in each seat.
    """
    rounds = count_seatings(agents, seats) // agents
    kept = min(rounds, max(1, most // agents))
    evenly = {i * rounds // kept for i in range(kept)}
    first = np.array([seating for i, seating in enumerate(_first_seatings(agents, seats)) if i in evenly], np.int64)
    shifted = (first[:, None, :] + np.arange(agents)[None, :, None]) % agents
    return shifted.reshape(-1, seats)


def count_seatings(agents: int, seats: int) -> int:
    """Return how many seatings there are: surjections, or ordered choices if the agents outnumber the seats."""
    if agents > seats:
        return perm(agents, seats)
    return sum((-1) ** i * comb(agents, i) * (agents - i) ** seats for i in range(agents))


def _first_seatings(agents: int, seats: int) -> Iterator[tuple[int, ...]]:
    """Yield the seatings with agent 0 in seat 0; the others are their shifts."""
    if agents > seats:
        rest: Iterator[tuple[int, ...]] = permutations(range(1, agents), seats - 1)
        return ((0, *others) for others in rest)
    rest = product(range(agents), repeat=seats - 1)
    return ((0, *others) for others in rest if len({0, *others}) == agents)
