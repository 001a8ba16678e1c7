"""Ratings: known answers, ties, coverage of intervals, independence of the order of agents; schedules."""

from itertools import permutations

import numpy as np
import pytest

import kgb_env
from experiments.seating import balanced_seatings
from experiments.tournament import ratings
from experiments.tournament.plan import Event
from experiments.tournament.schedule import fixtures_of

ALL = np.ones((1, 1))


def rate(players, returns, agents, deals=None):
    players, returns = np.array(players), np.array(returns, float)
    deals = np.zeros(len(players), int) if deals is None else deals
    return ratings.strengths(ratings.compare(players, returns, deals, agents), ALL, ratings.Prior.drawn(agents))[0]


def test_two_agents_have_the_odds_of_their_wins():
    players, returns = [[0, 1]] * 400, [[1, -1]] * 300 + [[-1, 1]] * 100
    strength = rate(players, returns, 2)
    assert strength[0] - strength[1] == pytest.approx(np.log(300.5 / 100.5))  # with the drawn game that is added
    assert strength.sum() == pytest.approx(0)


def test_a_draw_is_half_a_win():
    drawn = rate([[0, 1]] * 4, [[1, -1]] * 2 + [[0, 0]] * 2, 2)
    split = rate([[0, 1]] * 4, [[1, -1]] * 3 + [[-1, 1]], 2)
    assert drawn == pytest.approx(split)


def test_who_always_loses_has_a_rating_too():
    strength = rate([[0, 1]] * 1000, [[1, -1]] * 1000, 2)
    assert np.isfinite(strength).all()
    assert strength[0] > 3


def test_likelihood_of_three_is_at_its_maximum():
    """Against a search by an optimiser that knows nothing of the algorithm."""
    from scipy.optimize import minimize

    rng = np.random.default_rng(1)
    players = np.array([rng.permutation(3) for _ in range(300)])
    luck = rng.gumbel(size=(300, 3)) + np.array([0.8, 0.0, -0.5])[players]
    returns = luck.argsort(axis=1).argsort(axis=1).astype(float)

    def unlikely(strength):
        total = 0.0
        for row, got in zip(players, returns, strict=True):
            order = row[np.argsort(-got)]
            for place in range(2):
                total -= strength[order[place]] - np.log(np.exp(strength[order[place:]]).sum())
        for one, other in ((0, 1), (0, 2), (1, 2)):  # the drawn games
            total -= (strength[one] + strength[other]) / 2 - np.log(np.exp(strength[one]) + np.exp(strength[other]))
        return total + 1e-3 * strength.sum() ** 2

    best = minimize(unlikely, np.zeros(3)).x
    assert rate(players, returns, 3) == pytest.approx(best - best.mean(), abs=1e-3)


def test_losers_who_share_the_last_place_are_not_compared():
    """Only who wins is known of such games: the model's other draws are left out."""
    strength = rate([[0, 1, 2]] * 900, [[2, -1, -1]] * 600 + [[-1, 2, -1]] * 200 + [[-1, -1, 2]] * 100, 3)
    assert strength[0] - strength[1] == pytest.approx(np.log(3), abs=0.02)
    assert strength[1] - strength[2] == pytest.approx(np.log(2), abs=0.02)


def test_an_agent_in_several_seats():
    """One agent in two of three seats wins two games of three if all are equally strong."""
    strength = rate([[0, 0, 1]] * 300, [[2, -1, -1]] * 100 + [[-1, 2, -1]] * 100 + [[-1, -1, 2]] * 100, 2)
    assert strength == pytest.approx([0, 0], abs=0.01)


def test_the_order_of_agents_does_not_matter():
    rng = np.random.default_rng(2)
    players = np.array([rng.permutation(4) for _ in range(200)])
    returns = np.where(
        (luck := rng.gumbel(size=(200, 4)) + 0.5 * players) == luck.max(axis=1, keepdims=True), 3.0, -1.0
    )
    expected = rate(players, returns, 4)
    for order in permutations(range(4)):
        again = rate(np.array(order)[players], returns, 4)
        assert again[list(order)] == pytest.approx(expected, abs=1e-5)


def tournament(truth, seats, deals, rng, spread=0.0):
    """Return comparisons of a simulated tournament; in a deal agents are better or worse by normal luck."""
    agents = len(truth)
    lineups = balanced_seatings(agents, seats, 24)
    players, deal = np.tile(lineups, (deals, 1)), np.repeat(np.arange(deals), len(lineups))
    favour = spread * rng.normal(size=(deals, agents))
    luck = rng.gumbel(size=players.shape) + truth[players] + favour[deal[:, None], players]
    returns = np.where(luck == luck.max(axis=1, keepdims=True), 1.0, -1 / (seats - 1))
    return ratings.compare(players, returns, deal, agents)


def resamples(found, deals, rng, samples=300):
    agents = found.wins.shape[1]
    weights, prior = ratings.resample(deals, samples, rng), ratings.Prior.resampled(agents, samples, rng)
    return ratings.strengths(found, weights, prior)


@pytest.mark.parametrize(("seats", "deals", "spread"), [(2, 60, 0.0), (2, 60, 0.5), (4, 40, 0.0), (4, 40, 0.5)])
def test_intervals_cover_the_truth(seats, deals, spread):
    """Over 400 simulated tournaments the nominal 95 % intervals hold the true strengths in 91 to 98 %."""
    rng, given = np.random.default_rng(3), np.array([-1.0, -0.2, 0.3, 0.9])
    truth = given - given.mean()
    if spread:  # who is favoured in a deal adds luck of its own: what the model then finds is its own truth
        found = tournament(given, seats, 20_000, rng, spread)
        truth = ratings.strengths(found, np.ones((1, 20_000)), ratings.Prior.drawn(4))[0]
    covered = []
    for _ in range(400):
        low, high = ratings.bounds(resamples(tournament(given, seats, deals, rng, spread), deals, rng))
        covered.append((low <= truth) & (truth <= high))
    assert 0.91 <= np.mean(covered) <= 0.98
    assert ((np.mean(covered, axis=0) >= 0.90) & (np.mean(covered, axis=0) <= 0.99)).all()


def test_equal_agents_are_seldom_called_different():
    """Of eight equal agents 28 pairs are looked at, and yet in few tournaments any of them is called different."""
    rng = np.random.default_rng(4)
    false = [
        bool(ratings.different_pairs(resamples(tournament(np.zeros(8), 4, 60, rng), 60, rng, 2000))) for _ in range(60)
    ]
    assert np.mean(false) <= 0.15


def test_who_always_won_is_not_known_to_be_infinitely_strong_nor_exactly():
    """Forty wins of forty: the interval is that of Beta(40.5, 0.5), Jeffreys' posterior."""
    from scipy import stats

    players, returns, deals = np.tile([0, 1], (40, 1)), np.tile([1.0, -1.0], (40, 1)), np.arange(40)
    samples = resamples(ratings.compare(players, returns, deals, 2), 40, np.random.default_rng(5), 4000)
    low, high = ratings.bounds(samples[:, :1] - samples[:, 1:])
    odds = stats.beta(40.5, 0.5).ppf([0.025, 0.975])
    assert [low[0], high[0]] == pytest.approx(np.log(odds / (1 - odds)), abs=0.5)


@pytest.mark.parametrize(("agents", "seats"), [(3, 2), (6, 2), (8, 4)])
def test_who_is_always_better_is_rated_at_the_maximum(agents, seats):
    """Far apart the likelihood is flat; an algorithm that stops early is hundreds of points off."""
    lineups = balanced_seatings(agents, seats, 24)
    players = np.tile(lineups, (500, 1))
    found = ratings.compare(players, players.astype(float), np.zeros(len(players), int), agents)
    prior = ratings.Prior.drawn(agents)
    strength = ratings.strengths(found, ALL, prior)[0]
    assert strength == pytest.approx(-strength[::-1], abs=1e-4)  # the best is as far up as the worst is down
    drawn = np.exp(strength) / np.exp(strength).sum()
    slope = np.zeros(agents)
    for pool, uses in zip(found.pools, found.uses[0], strict=True):
        share = pool * drawn / (pool * drawn).sum()
        slope -= uses * share
    for one, other in ratings.pairs_of(agents):
        both = drawn[one] + drawn[other]
        slope[[one, other]] += 0.5 - drawn[[one, other]] / both
    assert slope + found.wins[0] == pytest.approx(np.zeros(agents), abs=1e-6)  # the slope of the likelihood


def test_equilibria():
    rock_paper_scissors = np.array([[0.5, 0.9, 0.1], [0.1, 0.5, 0.9], [0.9, 0.1, 0.5]])
    assert ratings.equilibrium(rock_paper_scissors) == pytest.approx([1 / 3] * 3, abs=1e-6)
    assert ratings.equilibrium(np.array([[0.5, 0.6], [0.4, 0.5]])) == pytest.approx([1, 0], abs=1e-6)
    assert ratings.equilibrium(np.full((3, 3), 0.5)) == pytest.approx([1 / 3] * 3, abs=1e-6)  # no name goes first


def test_openskill_agrees_on_who_is_better():
    players, returns = np.array([[0, 1]] * 50), np.array([[1, -1]] * 45 + [[-1, 1]] * 5)
    (best, _), (worst, _) = ratings.openskill_ratings(players, returns, 2)
    assert best > 25 > worst


@pytest.mark.parametrize(
    ("game", "schedule", "agents", "lineups"),
    [
        ("confusion", "round-robin", 3, 6),
        ("confusion", "field", 3, 6),
        ("secret_formula", "round-robin", 4, 24),
        ("secret_formula", "field", 3, 24),
        ("double_agent", "roles", 3, 9),
        ("double_agent", None, 3, 9),
        ("confusion", None, 3, 6),
        ("suspicious", None, 3, 24),
    ],
)
def test_schedules(game, schedule, agents, lineups):
    names = ["random", "ismcts", "pimc", "ismcts(simulations=3)"][:agents]
    event = Event(game=game, agents=names, games=100, schedule=schedule)
    fixtures = fixtures_of(event, kgb_env.game(game))
    assert len(fixtures.lineups) == lineups
    assert len(np.unique(fixtures.lineups, axis=0)) == lineups
    assert fixtures.games == -(-100 // lineups) * lineups
    counts = [np.bincount(column, minlength=agents) for column in fixtures.lineups.T]
    assert all(count.tolist() == [lineups / agents] * agents for count in counts)  # everybody sits everywhere equally
