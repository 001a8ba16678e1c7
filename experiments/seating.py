"""Who sits where: balanced seatings."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product
from math import comb, perm

import numpy as np

from kgb_env import Game

MOST_SEATINGS = 60
MOST_CANDIDATES = 3000  # rounds to choose from


def balanced_seatings(agents: int, seats: int, most: int = MOST_SEATINGS) -> np.ndarray:
    """Return seatings in which every agent sits in every seat equally often.

    Agents that do not outnumber the seats are all present in each seating, one of them in several
    seats if need be.  Of more agents, each seating has as many as there are seats.  All seatings
    are returned if they are at most ``most``, or if there are two seats.  Else it is a choice of rounds: a round
    is one seating and its shifts, in which everybody makes way for the next agent, so that in a round each
    agent sits once in each seat.  Rounds are chosen with their mirror images, so that two agents meet in any two
    seats as often the one way as the other, and so that all pairs meet as equally often as can be; more than
    ``most`` only if some would not meet at all.

    Returns:
        (seatings, seats) int64, the number of the agent in each seat.
    """
    rounds = count_seatings(agents, seats) // agents
    if rounds * agents <= most or seats <= 2:
        first = np.array(list(_first_seatings(agents, seats)), np.int64)
    else:
        first = _even_choice(_candidates(agents, seats, rounds), agents, max(1, most // agents))
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
        return ((0, *others) for others in permutations(range(1, agents), seats - 1))
    return ((0, *rest) for rest in product(range(agents), repeat=seats - 1) if len({0, *rest}) == agents)


def _candidates(agents: int, seats: int, rounds: int) -> np.ndarray:
    """Return first seatings of rounds to choose from: all, or some at random, the same always."""
    if rounds <= MOST_CANDIDATES:
        return np.array(list(_first_seatings(agents, seats)), np.int64)
    rng = np.random.default_rng(0)
    found: set[tuple[int, ...]] = set()
    while len(found) < MOST_CANDIDATES:
        everybody = np.concatenate([np.arange(agents), rng.integers(agents, size=max(0, seats - agents))])
        seating = rng.permutation(everybody)[:seats]
        found.add(tuple(((seating - seating[0]) % agents).tolist()))
    return np.array(sorted(found), np.int64)


def _even_choice(candidates: np.ndarray, agents: int, rounds: int) -> np.ndarray:
    """Return first seatings of about so many rounds: greedily, those that even out who meets whom in which seats."""
    seats = candidates.shape[1]
    ones, others = np.triu_indices(seats, 1)
    pairs = np.arange(ones.size)
    # In a round the agents in two seats are always as far apart: what counts is how often each distance comes up.
    apart = (candidates[:, others] - candidates[:, ones]) % agents
    in_seats, anywhere = np.zeros((pairs.size, agents)), np.zeros(agents)
    left = np.ones(len(candidates), bool)
    chosen: list[list[int]] = []
    while left.any() and (len(chosen) < rounds or (anywhere[1:] == 0).any()):
        cost = (in_seats[pairs, apart] + anywhere[apart]).sum(axis=1)  # how often these meetings have come up already
        best = int(np.where(left, cost, np.inf).argmin())
        left[best] = False
        for seating in (candidates[best], -candidates[best] % agents):
            if seating.tolist() not in chosen:
                chosen.append(seating.tolist())
                distance = (seating[others] - seating[ones]) % agents
                np.add.at(in_seats, (pairs, distance), 1)
                np.add.at(anywhere, np.concatenate([distance, -distance % agents]), 1)
    return np.array(chosen, np.int64)


def lineups_against(game: Game, role: str) -> np.ndarray:
    """Return lineups of an agent (0) and an opponent (1) that has all else: by role if one is given, else by seat."""
    if role:
        return np.array([[0 if name == role else 1 for name in game.roles]])
    return 1 - np.eye(game.seats, dtype=np.int64)
