"""Many deals: what a keyword tells of its seat's role.  ``python -m tests.suspicious.deals --deals 1000000``"""

import argparse
from typing import NamedTuple

import numpy as np

import kgb_env
from kgb_env import Game

CHUNK = 50_000


class Deals(NamedTuple):
    """Counts by keyword: how often a seat saw it, how often as the spy, and what other words it was dealt with."""

    seen: np.ndarray
    as_spy: np.ndarray
    dealt_with: np.ndarray  # (words, words)


def count_deals(game: Game, deals: int, seed: int = 0) -> Deals:
    """Return the counts of the first rounds of a game in which chance names the spy."""
    words = int(game.tables[0].words)
    counts = Deals(np.zeros(words, int), np.zeros(words, int), np.zeros((words, words), int))
    for start in range(0, deals, CHUNK):
        seeds = np.array([seed], np.uint64) + np.arange(start, min(start + CHUNK, deals), dtype=np.uint64)
        states = game.start(seeds * np.uint64(0x9E3779B97F4A7C15))
        agents, spy = states["agents_word"][:, 0], states["spy_word"][:, 0]
        np.add.at(counts.seen, agents, game.seats - 2)
        np.add.at(counts.seen, spy, 1)
        np.add.at(counts.as_spy, spy, 1)
        np.add.at(counts.dealt_with, (agents, spy), 1)
    return counts


def scores(counts: Deals, seats: int) -> np.ndarray:
    """Return of each keyword how many standard deviations the share of spies among its seats is off 1 / (seats - 1).

    The times that a keyword is the agents' and the times that it is the spy's are independent binomials of equal
    chances: as_spy - agents has the variance of their sum.
    """
    as_spy = counts.as_spy[counts.seen > 0]
    as_agents = (counts.seen[counts.seen > 0] - as_spy) / (seats - 2)
    return (as_spy - as_agents) / np.sqrt(as_spy + as_agents)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--deals", type=int, default=1_000_000)
    parser.add_argument("--players", type=int, default=5)
    given = parser.parse_args()
    game = kgb_env.game("suspicious", players=given.players, director="neutral")
    counts = count_deals(game, given.deals)
    z, used = scores(counts, game.seats), counts.seen > 0
    others = ((counts.dealt_with + counts.dealt_with.T)[used] > 0).sum(axis=1)
    share = counts.as_spy[used].sum() / counts.seen[used].sum()
    print(f"{given.deals:,} deals, {used.sum()} keywords: P(spy) {share:.5f}, by keyword z of mean {z.mean():.3f},")
    print(f"deviation {z.std():.3f}, largest {np.abs(z).max():.2f}; other words at least {others.min()}")


if __name__ == "__main__":
    main()
