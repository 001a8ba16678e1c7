"""The tables of a tournament: what the results say about the agents, and how sure that is."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from agents import is_reproducible
from kgb_env import Game, __version__, derive_seed

from ..statistics import BOOTSTRAP_STREAM, data_digests, interval, points, rounded
from . import ratings
from .plan import Event, Plan
from .play import FORFEIT, set_up
from .schedule import fixtures_of, schedule_of
from .store import Store, Time

SAMPLES = 4000  # of deals, for the intervals of ratings
FEWEST_DEALS = 30  # with fewer, resampling promises too much
MOST_FAULTS = 20  # that are listed
BARS = 20  # of the distribution of lengths, at most


@dataclass(frozen=True)
class Games:
    """The games of an event as arrays, one row a game.

    Attributes:
        agents: their names.
        deals: (games,) the number of the deal.
        players: (games, seats) the number of the agent in each seat.
        returns: (games, seats).
        points: (games, seats) 1 for a win, 1/2 for a draw, 0 for a loss.
        roles: (games, seats) numbers of ``game.roles``; None in a game without roles.
        reasons: the endings.
        plies: (games,) decisions.
        faults: why agents forfeited.
    """

    game: Game
    agents: list[str]
    deals: np.ndarray
    players: np.ndarray
    returns: np.ndarray
    points: np.ndarray
    roles: np.ndarray | None
    reasons: list[str]
    plies: np.ndarray
    faults: list[str]

    @classmethod
    def read(cls, event: Event, game: Game, store: Store) -> Games:
        """Return the finished games of an event."""
        rows = store.rows(event.title)
        number = {agent: i for i, agent in enumerate(event.agents)}
        returns = np.array([row["returns"] for row in rows])
        roles = [[game.roles.index(role) for role in row["roles"]] for row in rows] if game.roles else None
        return cls(
            game=game,
            agents=event.agents,
            deals=np.array([row["deal"] for row in rows]),
            players=np.array([[number[agent] for agent in row["agents"]] for row in rows]),
            returns=returns,
            points=points(returns),
            roles=None if roles is None else np.array(roles),
            reasons=[row["reason"] for row in rows],
            plies=np.array([row["plies"] for row in rows]),
            faults=[row["fault"] for row in rows if row["fault"]],
        )

    @property
    def number_of_deals(self) -> int:
        """How many deals were played."""
        return int(self.deals.max()) + 1

    def by_deal(self, values: np.ndarray, where: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the sum of some of the values (games, seats) in each deal, and how many there are."""
        per_game, counts = np.where(where, values, 0).sum(axis=1), where.sum(axis=1)
        deals = self.number_of_deals
        return np.bincount(self.deals, per_game, deals), np.bincount(self.deals, counts, deals)


def summarize(plan: Plan, store: Store) -> dict[str, Any]:
    """Return everything that a tournament says, as JSON has it.

    It follows from the games alone: it holds no times, and is the same however they were played.
    """
    return {
        "version": __version__,
        "plan": json.loads(plan.to_json()),
        "events": [summarize_event(event, plan, store) for event in plan.events],
    }


def summarize_event(event: Event, plan: Plan, store: Store) -> dict[str, Any]:
    """Return what an event says, as JSON has it."""
    game, agents = set_up(event, plan.deadline)
    not_reproducible = [name for name, agent in agents.items() if not is_reproducible(agent)]
    seed = plan.seed
    games = Games.read(event, game, store)
    rated = _rate(games, seed)
    width = -(-(int(np.ptp(games.plies)) + 1) // BARS)  # whole decisions, or bars would hold unequally many lengths
    lengths, edges = np.histogram(games.plies, np.arange(games.plies.min(), games.plies.max() + width + 1, width))
    endings = Counter(games.reasons)
    lineups = fixtures_of(event, game).lineups
    return {
        "event": event.title,
        "game": game.id,
        "options": game.options,
        "data": data_digests(game),
        "schedule": schedule_of(event, game),
        "not_reproducible": not_reproducible,
        "games": len(games.plies),
        "deals": games.number_of_deals,
        "lineups": len(lineups),
        "mean_score": rounded(games.points.mean()),
        **rated,
        "by_seat": _by_seat(games, seed),
        "by_role": _by_role(games, seed),
        "endings": {name: endings[name] for name in sorted(endings)},
        "forfeits": endings[FORFEIT],
        "faults": dict(sorted(Counter(games.faults).most_common(MOST_FAULTS))),
        "length": {
            "mean": rounded(games.plies.mean()),
            "median": float(np.median(games.plies)),
            "min": int(games.plies.min()),
            "max": int(games.plies.max()),
            "bars": lengths.tolist(),
            "edges": edges.tolist(),
        },
    }


def _rate(games: Games, seed: int) -> dict[str, Any]:
    """Return the agents in the order of their ratings, their pay-off matrix, and what is not significant."""
    agents, deals = len(games.agents), games.number_of_deals
    found = ratings.compare(games.players, games.returns, games.deals, agents)
    rng = np.random.default_rng(derive_seed(seed, 0, BOOTSTRAP_STREAM))
    weights, prior = ratings.resample(deals, SAMPLES, rng), ratings.Prior.resampled(agents, SAMPLES, rng)
    rating = ratings.SCALE * ratings.strengths(found, np.ones((1, deals)), ratings.Prior.drawn(agents))[0]
    samples = ratings.SCALE * ratings.strengths(found, weights, prior)
    low, high = ratings.bounds(samples)
    is_enough = deals >= FEWEST_DEALS
    skills = ratings.openskill_ratings(games.players, games.returns, agents)
    order = sorted(range(agents), key=lambda agent: (-rating[agent], games.agents[agent]))
    rows = []
    for agent in order:
        mu, sigma = skills[agent]
        row = {
            "agent": games.agents[agent],
            "rating": rounded(rating[agent]),
            "rating_low": rounded(low[agent]) if is_enough else None,
            "rating_high": rounded(high[agent]) if is_enough else None,
            "openskill_mu": rounded(mu),
            "openskill_sigma": rounded(sigma),
            **_score(games, games.players == agent, seed),
        }
        rows.append(row)
    payoffs, payoff_low, payoff_high = _payoffs(games, seed)
    picked = np.ix_(order, order)
    have_all_met = not np.isnan(payoffs).any()
    shares = ratings.equilibrium(payoffs) if have_all_met else None
    different = ratings.different_pairs(samples) if is_enough else set()
    return {
        "agents": rows,
        "no_significant_difference": [
            [games.agents[one], games.agents[other]]
            for i, one in enumerate(order)
            for other in order[i + 1 :]
            if (min(one, other), max(one, other)) not in different
        ],
        "payoffs": _matrix(payoffs[picked]),
        "payoffs_low": _matrix(payoff_low[picked]),
        "payoffs_high": _matrix(payoff_high[picked]),
        "equilibrium": None if shares is None else [round(float(shares[agent]), 3) + 0.0 for agent in order],
    }


def _payoffs(games: Games, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return how often the agents of rows do better than those of columns in games of both, equal returns half.

    Returns:
        Three (agents, agents) arrays: scores, the lower and the upper ends of their intervals; 1/2 on the diagonal,
        not-a-number where two never met.
    """
    agents, deals = len(games.agents), games.number_of_deals
    better = (games.returns[:, :, None] > games.returns[:, None, :]) + 0.5 * (
        games.returns[:, :, None] == games.returns[:, None, :]
    )
    score, low, high = (np.full((agents, agents), 0.5) for _ in range(3))
    for one in range(agents):
        for other in range(one):
            met = (games.players[:, :, None] == one) & (games.players[:, None, :] == other)
            won = np.bincount(games.deals, np.where(met, better, 0).sum(axis=(1, 2)), deals)
            count = np.bincount(games.deals, met.sum(axis=(1, 2)), deals)
            found = np.full(3, np.nan)
            if count.any():
                found[:] = won.sum() / count.sum(), *interval(won[count > 0] / count[count > 0], seed)
            score[one, other], low[one, other], high[one, other] = found
            score[other, one], high[other, one], low[other, one] = 1 - found
    return score, low, high


def _matrix(values: np.ndarray) -> list[list[float | None]]:
    return [[None if np.isnan(value) else rounded(value) for value in row] for row in values]


def _score(games: Games, where: np.ndarray, seed: int) -> dict[str, Any]:
    """Return the figures of some seats of the games: ``where`` is (games, seats)."""
    won, count = games.by_deal(games.points, where)
    low, high = interval((won / np.maximum(count, 1))[count > 0], seed)
    scores = games.points[where]
    return {
        "games": scores.size,
        **{name: int((scores == score).sum()) for name, score in (("wins", 1), ("draws", 0.5), ("losses", 0))},
        "mean_return": rounded(games.returns[where].mean()),
        "score": rounded(scores.mean()),
        "score_low": rounded(low),
        "score_high": rounded(high),
    }


def _by_seat(games: Games, seed: int) -> list[dict[str, Any]]:
    rows = []
    for agent, name in enumerate(games.agents):
        for seat in range(games.game.seats):
            where = (games.players == agent) & (np.arange(games.game.seats) == seat)
            if where.any():
                rows.append({"agent": name, "seat": seat, **_score(games, where, seed)})
    return rows


def _by_role(games: Games, seed: int) -> list[dict[str, Any]]:
    if games.roles is None:
        return []
    rows = []
    for agent, name in enumerate(games.agents):
        for number, role in enumerate(games.game.roles):
            where = (games.players == agent) & (games.roles == number)
            if where.any():
                rows.append({"agent": name, "role": role, **_score(games, where, seed)})
    return rows


def timing(plan: Plan, store: Store) -> dict[str, Any]:
    """Return how long the agents took to decide; it differs from run to run."""
    return {
        event.title: {name: _took([time for time in times if time.agent == name]) for name in event.agents}
        for event, times in ((event, store.times(event.title)) for event in plan.events)
    }


def _took(times: list[Time]) -> dict[str, Any]:
    """Return what an agent took.

    The time for a decision is that of the chunk in which the median decision was made, chunks sorted by it: those in
    which something was compiled do not count.
    """
    times = sorted((time for time in times if time.decisions), key=lambda time: time.seconds / time.decisions)
    made = np.cumsum([time.decisions for time in times])
    total = int(made[-1]) if times else 0
    median = times[int(np.searchsorted(made, total / 2))] if times else None
    return {
        "decisions": total,
        "seconds": rounded(sum(time.seconds for time in times)),
        "milliseconds_a_decision": rounded(1000 * median.seconds / median.decisions) if median else None,
    }
