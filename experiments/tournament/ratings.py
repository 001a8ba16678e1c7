"""Ratings: Plackett-Luce by maximum likelihood with intervals, openskill's, and the equilibrium of a pay-off matrix.

A game ranks its seats by their returns.  In the Plackett-Luce model the best is drawn from all seats
with probabilities in proportion to the strengths of the agents in them, the next best from the rest,
and so on; with two seats that is the Bradley-Terry model.  Seats that tie share their places: each
counts as drawn from all that are left (Breslow's rule), so a draw of two is half a win for each.
Those who share the last place, when somebody did better, are not compared with each other.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import LinearConstraint, linprog, minimize
from scipy.special import entr

SCALE = 400 / np.log(10)  # as Elo's: 400 points are ten to one
LEAST_PRIOR = 1e-5  # wins; with less of them strengths would grow beyond all bounds
PRECISION, MOST_STEPS = 1e-9, 200
MOST_AT_ONCE = 2**21  # numbers in memory at a time
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


class Prior(NamedTuple):
    """Games between each two agents that are added to what was played, so that who always wins has a rating too.

    Attributes:
        wins: (samples, pairs, 2) float64, how often the one and the other is drawn, in the order of ``pairs_of``.
    """

    wins: np.ndarray

    @classmethod
    def drawn(cls, agents: int) -> Prior:
        """Return one drawn game for each pair: Jeffreys' prior of half a win and half a loss."""
        return cls(np.full((1, len(pairs_of(agents)), 2), 0.5))

    @classmethod
    def resampled(cls, agents: int, samples: int, rng: np.random.Generator) -> Prior:
        """Return such games for resamples: Gamma(1/2) wins and losses.

        Of an agent that has won all its n games against another, resampling would know nothing.  With these the odds
        are those of Beta(n + 1/2, 1/2), the posterior of Jeffreys' prior, and where much was played they do not matter.
        """
        return cls(np.maximum(rng.gamma(0.5, size=(samples, len(pairs_of(agents)), 2)), LEAST_PRIOR))


def pairs_of(agents: int) -> list[tuple[int, int]]:
    """Return all pairs of agents."""
    return list(combinations(range(agents), 2))


def strengths(found: Comparisons, weights: np.ndarray, prior: Prior) -> np.ndarray:
    """Return the logarithms of the likeliest strengths, on average 0: (samples, agents).

    Args:
        found: what games say.
        weights: (samples, deals) how often each deal counts.
        prior: what else is to be believed in each sample.
    """
    agents = found.wins.shape[1]
    pairs = np.array([(np.arange(agents) == one) + (np.arange(agents) == other) for one, other in pairs_of(agents)])
    contested = (found.pools > 0).sum(axis=1) > 1  # of one agent alone a draw says nothing
    pools = np.vstack([found.pools[contested], pairs]).astype(np.float64)
    uses = np.hstack([weights @ found.uses[:, contested], prior.wins.sum(axis=2)])
    alone = weights @ found.uses[:, ~contested] @ (found.pools[~contested] > 0)
    believed = np.einsum("spi,pia->sa", prior.wins, np.eye(agents)[np.array(pairs_of(agents))])
    wins = weights @ found.wins - alone + believed
    size = max(1, MOST_AT_ONCE // pools.size)
    return np.vstack([_maximize(pools, uses[i : i + size], wins[i : i + size]) for i in range(0, len(wins), size)])


def _maximize(pools: np.ndarray, uses: np.ndarray, wins: np.ndarray) -> np.ndarray:
    """Return the maximum of the likelihood, which is concave, by Newton's method: (samples, agents)."""
    agents = wins.shape[1]
    diagonal = np.arange(agents)
    log = np.zeros_like(wins)
    for _ in range(MOST_STEPS):
        strength = np.exp(log)
        share = pools * strength[:, None, :] / (strength @ pools.T)[:, :, None]
        expected = uses[:, :, None] * share
        slope = wins - expected.sum(axis=1)
        curvature = -np.swapaxes(expected, 1, 2) @ share
        curvature[:, diagonal, diagonal] += expected.sum(axis=1)
        step = np.linalg.solve(curvature + 1 / agents, slope[:, :, None])[:, :, 0]  # 1 / agents fixes the mean
        step *= np.minimum(1, 1 / np.maximum(np.abs(step).max(axis=1, keepdims=True), PRECISION))
        log += step
        log -= log.mean(axis=1, keepdims=True)
        if np.abs(step).max() < PRECISION:
            break
    return log


def resample(deals: int, samples: int, rng: np.random.Generator) -> np.ndarray:
    """Return how often each deal counts when as many are drawn with replacement: (samples, deals)."""
    return rng.multinomial(deals, np.full(deals, 1 / deals), size=samples).astype(np.float64)


def bounds(samples: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends of the percentile interval of each column of ``samples``."""
    tail = 100 * (1 - CONFIDENCE) / 2
    low, high = np.percentile(samples, [tail, 100 - tail], axis=0)
    return low, high


def different_pairs(samples: np.ndarray) -> set[tuple[int, int]]:
    """Return the pairs of agents whose ratings differ significantly, when all pairs are looked at (Holm's method).

    Args:
        samples: (samples, agents) ratings of resamples.
    """
    pairs = pairs_of(samples.shape[1])
    above = np.array([(samples[:, one] > samples[:, other]).mean() for one, other in pairs])
    values = 2 * np.minimum(above, 1 - above)
    found = set()
    for rank, place in enumerate(np.argsort(values, kind="stable")):
        if values[place] >= (1 - CONFIDENCE) / (len(pairs) - rank):
            break
        found.add(pairs[place])
    return found


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

    Of several it is the one with the highest entropy, which does not depend on the order of agents.

    Args:
        payoffs: (agents, agents) the score of the row against the column, 1/2 on the diagonal.
    """
    agents = len(payoffs)
    lead = (payoffs - payoffs.T) / 2  # antisymmetric: the value is 0
    start = linprog(
        np.zeros(agents), A_ub=-lead.T, b_ub=np.full(agents, 1e-9), A_eq=np.ones((1, agents)), b_eq=[1], bounds=(0, 1)
    ).x
    assert start is not None  # every such game has an equilibrium
    is_distribution = LinearConstraint(np.ones((1, agents)), 1, 1)
    is_unbeaten = LinearConstraint(lead.T, -1e-9, np.inf)
    found = minimize(
        _disorder,
        start,
        jac=True,
        bounds=[(0, 1)] * agents,
        constraints=[is_distribution, is_unbeaten],
        method="SLSQP",
        options={"ftol": 1e-12, "maxiter": 1000},
    )
    is_right = found.success and (lead.T @ found.x > -1e-6).all()
    shares = np.clip(np.array(found.x if is_right else start), 0, 1)
    return shares / shares.sum()


def _disorder(shares: Any) -> Any:
    """Return the entropy of shares with its sign turned, and the slope of that."""
    return -entr(shares).sum(), np.log(np.maximum(shares, 1e-12)) + 1
