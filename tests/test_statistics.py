"""Scores and intervals, on matches whose results are known."""

import dataclasses
from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

import kgb_env
from experiments.match import Played
from experiments.report import notes_on
from experiments.seating import balanced_seatings
from experiments.statistics import deal_scores, interval, lead, points, summarize

AGENT_KEYS = ["name", "games", "wins", "draws", "losses", "win_rate", "mean_return", "score", "score_low", "score_high"]


def played_with(returns, agents=2, seed=1):
    """Return a match of ``agents`` with these returns, (games, seats)."""
    returns = np.asarray(returns, np.float32)
    game = dataclasses.replace(kgb_env.game("confusion"), seats=returns.shape[1])
    return Played(
        game=game,
        labels=tuple("abcdef"[:agents]),
        seed=seed,
        seatings=balanced_seatings(agents, returns.shape[1]),
        returns=returns,
        reasons=np.array([1, 3] * (len(returns) // 2), np.int8),
        plies=np.arange(len(returns)) + 10,
    )


def test_points_of_wins_draws_and_losses():
    returns = np.array([[1, -1, -1], [0, 0, 0], [2, 2, -4], [0.5, 0.5, 0.5]])
    assert points(returns).tolist() == [[1, 0, 0], [0.5] * 3, [1, 1, 0], [0.5] * 3]


def test_summary_counts_what_happened():
    # Two deals in two seatings: a sits in seat 0 of games 0 and 2, in seat 1 of games 1 and 3.
    result = summarize(played_with([[1, -1], [-1, 1], [0, 0], [1, -1]]))
    first, second = result["agents"]
    assert list(first) == AGENT_KEYS
    figures = ("games", "wins", "draws", "losses", "win_rate", "mean_return", "score")
    assert [first[key] for key in figures] == [4, 2, 1, 1, 0.5, 0.25, 0.625]
    assert [second[key] for key in figures] == [4, 1, 1, 2, 0.25, -0.25, 0.375]
    assert result["by_seat"] == [
        {"name": "a", "seat": 0, "games": 2, "score": 0.75},
        {"name": "a", "seat": 1, "games": 2, "score": 0.5},
        {"name": "b", "seat": 0, "games": 2, "score": 0.5},
        {"name": "b", "seat": 1, "games": 2, "score": 0.25},
    ]
    assert result["endings"] == {"extraction": 2, "turn limit": 2}
    assert result["length"] == {"mean": 11.5, "median": 11.5, "min": 10, "max": 13}


def test_the_advantage_of_a_seat_cancels():
    result = summarize(played_with([[1, -1]] * 40))
    assert [row["score"] for row in result["agents"]] == [0.5, 0.5]
    assert [row["score"] for row in result["by_seat"]] == [1, 0, 1, 0]


@pytest.mark.parametrize(("agents", "seats"), [(2, 3), (3, 3), (3, 5), (4, 2), (1, 4), (2, 6)])
def test_seats_cancel_with_any_number_of_agents(agents, seats):
    seatings = len(balanced_seatings(agents, seats))
    prize = np.arange(seats)  # each seat has another return, whoever sits there
    result = summarize(played_with(np.tile(prize, (2 * seatings, 1)), agents))
    for row in result["agents"]:
        assert row["mean_return"] == pytest.approx(prize.mean())
        assert row["score"] == pytest.approx(1 / seats, abs=1e-6)  # the last seat always wins
        assert row["games"] == row["wins"] + row["draws"] + row["losses"]
    assert sum(row["games"] for row in result["agents"]) == 2 * seatings * seats


def coverage(draw, mean, deals, repetitions=300):
    """Return how often the interval of simulated deals holds the true mean."""
    rng = np.random.default_rng(0)
    found = [interval(draw(rng, deals), seed) for seed in range(repetitions)]
    return np.mean([low <= mean <= high for low, high in found])


def test_intervals_cover_the_truth():
    """Each deal favours one side, so its two games are dependent; the score is 0.6 in the long run."""

    def draw(rng, deals):
        favoured = rng.random(deals) < 0.7
        scores = rng.random((deals, 2)) < np.where(favoured, 0.75, 0.25)[:, None]
        return scores.mean(axis=1)

    assert 0.92 <= coverage(draw, 0.7 * 0.75 + 0.3 * 0.25, deals=80) <= 0.98


def test_intervals_cover_the_truth_where_almost_every_deal_is_won():
    def draw(rng, deals):
        return (rng.random(deals) < 0.98).astype(float)

    assert coverage(draw, 0.98, deals=40) >= 0.93  # a bootstrap alone would hold 0.98 in half of the cases


def test_games_of_one_deal_are_no_independent_evidence():
    rng = np.random.default_rng(0)
    by_deal = (rng.random(100) < 0.6).astype(float)  # the two games of a deal always end alike
    low, high = interval(by_deal, 1)
    independent = stats.binomtest(int(2 * by_deal.sum()), 200).proportion_ci(0.95)
    assert high - low > 1.3 * (independent.high - independent.low)


@pytest.mark.parametrize("deals", [1, 20, 500])
def test_the_interval_of_nothing_but_wins_is_the_exact_binomial(deals):
    exact = stats.binomtest(deals, deals).proportion_ci(0.95, method="exact")
    assert interval(np.ones(deals), 1) == pytest.approx((exact.low, 1))
    assert interval(np.zeros(deals), 1) == pytest.approx((0, 1 - exact.low))


def test_equal_scores_of_few_deals_prove_little():
    low, high = interval(np.full(2, 0.75), 1)
    assert low < 0.5 < high


def test_intervals_of_opponents_mirror_each_other():
    rng = np.random.default_rng(3)
    returns = np.where(rng.random((60, 1)) < 0.6, [[1, -1]], [[-1, 1]])
    first, second = summarize(played_with(returns))["agents"]
    assert first["score_low"] == pytest.approx(1 - second["score_high"], abs=2e-6)
    assert first["score_high"] == pytest.approx(1 - second["score_low"], abs=2e-6)


def test_the_lead_of_two_agents_is_the_score_in_games_of_two_seats():
    rng = np.random.default_rng(3)
    played = played_with(rng.choice([-1, 0, 1], (60, 1)) * [[1, -1]])
    row = summarize(played)["agents"][0]
    assert lead(played) == pytest.approx([row[key] for key in ("score", "score_low", "score_high")], abs=2e-6)


def a_wins(share, deals):
    """Return a match of two agents in which ``a`` wins both games of a share of the deals, and else ``b``."""
    won = np.arange(deals) < share * deals
    a = np.repeat(np.where(won, 1, -1), 2)
    is_swapped = np.arange(2 * deals) % 2 == 1
    a_in_seat_0 = np.where(is_swapped, -a, a)
    return played_with(np.stack([a_in_seat_0, -a_in_seat_0], axis=1))


@pytest.mark.parametrize(
    ("share", "deals", "says"),
    [
        (0.9, 100, "a is significantly better than b (a's lead 0.900"),
        (0.1, 100, "b is significantly better than a (a's lead 0.100"),
        (0.52, 100, "No significant difference between a and b (lead 0.520"),
        (1, 3, "No significant difference between a and b (lead 1.000"),
        (1, 10, "a is significantly better"),
    ],
)
def test_what_is_said_about_two_agents(share, deals, says):
    notes = notes_on(a_wins(share, deals))
    assert notes[0].startswith(says)
    assert any("Fewer than" in note for note in notes) == (deals < 30)


def test_nothing_is_said_about_the_difference_of_three():
    assert not any("significant" in note for note in notes_on(played_with([[1, -1]] * 12, agents=3)))


def test_deal_scores_are_means_over_seatings():
    played = played_with([[1, -1], [1, -1], [1, -1], [-1, 1]])
    assert deal_scores(played, 0).tolist() == [0.5, 1.0]
    assert deal_scores(played, 1).tolist() == [0.5, 0.0]


@pytest.mark.parametrize("deals", [30, 100, 500])
def test_a_worse_record_never_gives_a_stronger_claim(deals):
    """At the edge the interval goes over into the exact one without a jump in the wrong direction."""
    lows = []
    for lost in range(12):
        scores = np.ones(deals)
        scores[: (lost + 1) // 2] = 0.5 if lost % 2 else 0.0
        scores[: lost // 2] = 0.0
        lows.append(interval(scores, seed=1)[0])
        high = interval(1 - scores, seed=1)[1]
        assert high == pytest.approx(1 - lows[-1], abs=0.01)
    assert all(one >= other - 1e-9 for one, other in pairwise(lows))
