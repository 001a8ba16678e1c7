"""Ratings: Plackett-Luce by maximum likelihood with intervals, openskill's, and the equilibrium of a pay-off matrix.

A game ranks its seats by their returns.  In the Plackett-Luce model the best is drawn from all seats
with probabilities in proportion to the strengths of the agents in them, the next best from the rest,
and so on; with two seats that is the Bradley-Terry model.  Seats that tie share their places: each
counts as drawn from all that are left (Breslow's rule), so a draw of two is half a win for each.
Those who share the last place, when somebody did better, are not compared with each other.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import linprog

SCALE = 400 / np.log(10)  # as Elo's: 400 points are ten to one
PRIOR = 1.0  # drawn games between each two agents that are added, so that who always loses has a rating too
PRECISION, MOST_STEPS = 1e-6, 5000
CONFIDENCE = 0.95


class Comparisons(NamedTuple):
    """What games say about agents.

    Attributes:
        pools: (m, agents) int64, kinds of draws: how many seats of each agent were there to be drawn.
        uses: (deals, m) how often each was drawn from in the games of each deal.
        wins: (deals, agents) how often each agent was drawn; parts of a win are shares in a tie.
    """

    pools: np.ndarray
    uses: np.ndarray
    wins: np.ndarray


def compare(players: np.ndarray, returns: np.ndarray, deals: np.ndarray, agents: int) -> Comparisons:
    """Return what games say about agents.

    Args:
        players: (games, seats) the number of the agent in each seat.
        returns: (games, seats).
        deals: (games,) the deal of each, from 0.
        agents: how many there are.
    """
    ranks = (returns[:, None, :] > returns[:, :, None]).sum(axis=2)  # how many did better
    kinds, kind = np.unique(np.hstack([players, ranks]), axis=0, return_inverse=True)
    seats, number = players.shape[1], int(deals.max()) + 1
    counts = np.zeros((number, len(kinds)))
    np.add.at(counts, (deals, kind.reshape(-1)), 1)
    drawn = [_draws(row[:seats], row[seats:], agents) for row in kinds]
    pools, place = np.unique([pool for draws in drawn for pool, _ in draws], axis=0, return_inverse=True)
    uses_of_kind, wins_of_kind = np.zeros((len(kinds), len(pools))), np.zeros((len(kinds), agents))
    places = iter(place.reshape(-1))
    for row, draws in enumerate(drawn):
        for _, winners in draws:
            uses_of_kind[row, next(places)] += winners.sum()
            wins_of_kind[row] += winners
    return Comparisons(pools, counts @ uses_of_kind, counts @ wins_of_kind)


def _draws(players: np.ndarray, ranks: np.ndarray, agents: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return, place by place, the seats there were and those that took it, counted by agent."""
    draws = []
    for rank in np.unique(ranks):
        pool, winners = (np.bincount(players[at], minlength=agents) for at in (ranks >= rank, ranks == rank))
        if (ranks > rank).any():
            draws.append((pool, winners))
        elif rank == 0:  # a draw of all: who comes last is not drawn any more
            draws.append((pool, winners * (1 - 1 / winners.sum())))
    return draws


def strengths(found: Comparisons, weights: np.ndarray) -> np.ndarray:
    """Return the logarithms of the likeliest strengths, on average 0: (samples, agents).

    Args:
        found: what games say.
        weights: (samples, deals) how often each deal counts.

    Source: Hunter, MM algorithms for generalized Bradley-Terry models, Annals of Statistics 32 (2004).
    """
    agents = found.wins.shape[1]
    pairs = np.array([(np.arange(agents) == i) + (np.arange(agents) == j) for i in range(agents) for j in range(i)])
    pools = np.vstack([found.pools, pairs]).astype(np.float64)
    uses = np.hstack([weights @ found.uses, np.full((len(weights), len(pairs)), PRIOR)])
    wins = weights @ found.wins + PRIOR * (agents - 1) / 2
    strength = np.ones_like(wins)
    for _ in range(MOST_STEPS):
        better = wins / ((uses / (strength @ pools.T)) @ pools)
        better /= np.exp(np.log(better).mean(axis=1, keepdims=True))
        moved = np.abs(np.log(better / strength)).max()
        strength = better
        if moved < PRECISION:
            break
    return np.log(strength)


def resample(deals: int, samples: int, rng: np.random.Generator) -> np.ndarray:
    """Return how often each deal counts when as many are drawn with replacement: (samples, deals)."""
    return rng.multinomial(deals, np.full(deals, 1 / deals), size=samples).astype(np.float64)


def bounds(samples: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends of the percentile interval of each column of ``samples``."""
    tail = 100 * (1 - CONFIDENCE) / 2
    low, high = np.percentile(samples, [tail, 100 - tail], axis=0)
    return low, high


def openskill_ratings(players: np.ndarray, returns: np.ndarray, agents: int) -> list[tuple[float, float]]:
    """Return mu and sigma of openskill's Plackett-Luce model after the games in order.

    An agent in several seats of a game counts once, by the mean of its returns.
    """
    from openskill.models import PlackettLuce

    model = PlackettLuce()
    ratings = [model.rating() for _ in range(agents)]
    for row, got in zip(players, returns, strict=True):
        present = np.unique(row)
        if present.size < 2:
            continue
        scores = [float(got[row == agent].mean()) for agent in present]
        for agent, (rating,) in zip(
            present, model.rate([[ratings[agent]] for agent in present], scores=scores), strict=True
        ):
            ratings[agent] = rating
    return [(rating.mu, rating.sigma) for rating in ratings]


def equilibrium(payoffs: np.ndarray) -> np.ndarray:
    """Return an equilibrium of the game in which two players each name an agent: its share of each, (agents,).

    Args:
        payoffs: (agents, agents) the score of the row against the column, 1/2 on the diagonal.
    """
    agents = len(payoffs)
    lead = (payoffs - payoffs.T) / 2  # antisymmetric: the value is 0
    found = linprog(
        np.zeros(agents), A_ub=-lead.T, b_ub=np.full(agents, 1e-9), A_eq=np.ones((1, agents)), b_eq=[1], bounds=(0, 1)
    )
    return np.array(found.x)
