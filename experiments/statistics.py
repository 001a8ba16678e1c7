"""Scores of a match, and how far they can be trusted."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from kgb_env import Game, __version__, derive_seed

from .match import Played

CONFIDENCE = 0.95
RESAMPLES = 9999
FEW_EXCEPTIONS = 20  # deals
DIGITS = 6  # of figures in results; more would only differ between machines
RESAMPLED_AT_ONCE = 2**22  # scores in memory at a time: 32 MB
BOOTSTRAP_STREAM = 2**32  # an episode number that no deal and no seat has


def summarize(played: Played, players: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return the results of a match as JSON has them; see the keys for what there is.

    A seat wins whose return is the highest; if all seats have the same, all draw.  An agent that
    sits in several seats of a game counts in each.  The score is wins and half the draws, over games.
    Of a game with roles there are also the figures of every agent in every role, ``by_role``: seat
    by seat too, so that all win who share the highest return.

    Args:
        played: the match.
        players: what the agents of roles are called, if the match was between these.
    """
    reasons, counts = np.unique(played.reasons, return_counts=True)
    endings = [played.game.ending(int(reason)).name for reason in reasons]
    plies = played.plies
    return {
        "version": __version__,
        "game": played.game.id,
        "options": played.game.options,
        "data": data_digests(played.game),
        "games": played.games,
        "seed": played.seed,
        "agents": [_of_agent(played, player) for player in range(len(played.labels))],
        "by_seat": [row for player in range(len(played.labels)) for row in _by_seat(played, player)],
        **_roles(played, players or {}),
        "endings": dict(zip(endings, counts.tolist(), strict=True)),
        "length": {
            "mean": rounded(plies.mean()),
            "median": float(np.median(plies)),
            "min": int(plies.min()),
            "max": int(plies.max()),
        },
    }


def data_digests(game: Game) -> dict[str, str]:
    """Return a digest of every data file that the game's options name."""
    return {name: hashlib.sha256(text.encode()).hexdigest() for name, text in game.data.items()}


def points(returns: np.ndarray) -> np.ndarray:
    """Return 1 for a win, 1/2 for a draw, 0 for a loss: (games, seats) float64."""
    is_best = returns == returns.max(axis=1, keepdims=True)
    return np.where(is_best.all(axis=1, keepdims=True), 0.5, is_best)


def deal_scores(played: Played, player: int) -> np.ndarray:
    """Return the mean score of an agent in each deal, over seatings and seats: (deals,) float64."""
    return _by_deal(played, points(played.returns), player).mean(axis=1)


def lead(played: Played) -> tuple[float, float, float]:
    """Return by how much the first of two agents leads, with its interval: 0.5 is a tie, 1 is everything.

    The lead is (1 + own score - other's score) / 2, deal by deal.  In games of two seats that is
    the own score.
    """
    leads = (1 + deal_scores(played, 0) - deal_scores(played, 1)) / 2
    return float(leads.mean()), *interval(leads, played.seed)


def interval(scores: np.ndarray, seed: int) -> tuple[float, float]:
    """Return a 95 % interval for the mean score.

    Games of one deal are dependent, deals are not: so deals are resampled (percentile bootstrap).

    Args:
        scores: (deals,) mean score of each deal, from 0 to 1.
        seed: the match's.
    """
    from scipy import stats  # takes a second

    if np.ptp(scores) < 1e-12:
        return _interval_of_equal(float(scores[0]), scores.size)
    found = stats.bootstrap(
        (scores,),
        np.mean,
        n_resamples=RESAMPLES,
        batch=max(1, RESAMPLED_AT_ONCE // scores.size),
        confidence_level=CONFIDENCE,
        method="percentile",
        # The same for every agent, so that the intervals of two opponents mirror each other.
        rng=np.random.default_rng(derive_seed(seed, 0, BOOTSTRAP_STREAM)),
    )
    low, high = float(found.confidence_interval.low), float(found.confidence_interval.high)
    exact_low, exact_high = _exact_interval(float(scores.sum()), scores.size)
    # Of few exceptions the bootstrap knows too little: nothing may be surer than the exact bound there.
    if (scores < scores.max()).sum() < FEW_EXCEPTIONS and scores.max() == 1:
        low = min(low, exact_low)
    if (scores > scores.min()).sum() < FEW_EXCEPTIONS and scores.min() == 0:
        high = max(high, exact_high)
    return low, high


def _exact_interval(successes: float, trials: int) -> tuple[float, float]:
    """Return the Clopper-Pearson interval, between whole numbers of successes too."""
    from scipy import stats

    tail, failures = (1 - CONFIDENCE) / 2, trials - successes
    low = stats.beta.ppf(tail, successes, failures + 1) if successes > 0 else 0.0
    high = stats.beta.ppf(1 - tail, successes + 1, failures) if failures > 0 else 1.0
    return float(low), float(high)


def _interval_of_equal(score: float, deals: int) -> tuple[float, float]:
    """Return an interval for the mean when all deals had the same score.

    The bootstrap is blind then: it would give an interval of no width, even after one deal.  What
    can be said is how many deals may be otherwise without having shown up: the exact binomial
    (Clopper-Pearson) bound.  Those may have any score from 0 to 1.
    """
    seen = _exact_interval(deals, deals)[0]
    return score * seen, score * seen + 1 - seen


def _by_deal(played: Played, values: np.ndarray, player: int) -> np.ndarray:
    """Return values (games, seats) of one agent, one row a deal."""
    sits = played.seatings == player
    return values.reshape(played.deals, *sits.shape)[:, sits]


def _of_agent(played: Played, player: int) -> dict[str, Any]:
    scores = _by_deal(played, points(played.returns), player)
    wins, draws, losses = (int((scores == score).sum()) for score in (1, 0.5, 0))
    if len(played.labels) == 1:  # against itself an agent always has one half
        low = high = float(scores.mean())
    else:
        low, high = interval(scores.mean(axis=1), played.seed)
    return {
        "name": played.labels[player],
        "games": scores.size,
        "wins": wins,
        "draws": draws,
        "losses": losses,
        "win_rate": rounded(wins / scores.size),
        "mean_return": rounded(_by_deal(played, played.returns, player).mean(dtype=np.float64)),
        "score": rounded(scores.mean()),
        "score_low": rounded(low),
        "score_high": rounded(high),
    }


def _by_seat(played: Played, player: int) -> list[dict[str, Any]]:
    scores = points(played.returns).reshape(played.deals, *played.seatings.shape)
    rows = []
    for seat in range(played.game.seats):
        in_seat = scores[:, played.seatings[:, seat] == player, seat]
        row = {"name": played.labels[player], "seat": seat, "games": in_seat.size, "score": rounded(in_seat.mean())}
        rows.append(row)
    return rows


def _roles(played: Played, players: Mapping[str, str]) -> dict[str, Any]:
    """Return the part of a result that only games with roles have."""
    if played.roles is None:
        return {}
    numbers = range(len(played.labels))
    return {"by_role": [row for player in numbers for row in _by_role(played, played.roles, player, players)]}


def _by_role(played: Played, roles: np.ndarray, player: int, players: Mapping[str, str]) -> list[dict[str, Any]]:
    wins, dealt = _by_deal(played, points(played.returns) == 1, player), _by_deal(played, roles, player)
    rows = []
    for number, role in enumerate(played.game.roles):
        games, won = (dealt == number).sum(axis=1), (wins & (dealt == number)).sum(axis=1)  # a deal
        if not games.any():
            continue
        # All seatings of a deal have the same roles: so every deal gives an agent a role equally often.
        low, high = interval(won[games > 0] / games[games > 0], played.seed)
        row = {
            "agent": players.get(role, played.labels[player]),
            "role": role,
            "games": int(games.sum()),
            "wins": int(won.sum()),
            "win_rate": rounded(won.sum() / games.sum()),
            "low": rounded(low),
            "high": rounded(high),
        }
        rows.append(row)
    return rows


def rounded(figure: float) -> float:
    """Return a figure as results have it."""
    return round(float(figure), DIGITS) + 0.0  # no minus before zero
