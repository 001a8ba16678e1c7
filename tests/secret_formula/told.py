"""What happens in games of The Secret Formula?  Robberies, captures, alarms and endings, counted from the logs.

python -m tests.secret_formula.told --games 1000
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.stats import binomtest

from agents import make_agent
from experiments.match import deal_seeds, decision_seeds
from kgb_env import Game
from kgb_env import game as configure
from kgb_env.games.secret_formula.log import events
from kgb_env.games.secret_formula.spec import ALARM, LOG_GUARD, LOG_SEAT, MISSED, NOWHERE, TURN_LIMIT
from tests.secret_formula.replaying import moves

TABLES = (
    ("expert", "collector", "collector", "collector"),
    ("expert", "random", "random", "random"),
    ("collector", "random", "random", "random"),
    ("expert", "expert", "expert", "expert"),
    ("collector", "collector", "collector", "collector"),
)


class Finished(NamedTuple):
    """Games that are over.

    Attributes:
        states: (games,) their last states, those that ended first first.
        deals: (games,) their numbers: seat i of deal d is played by agent (i + d) of those named, modulo their number.
    """

    states: np.ndarray
    deals: np.ndarray


def finished(game: Game, names: Sequence[str], games: int, seed: int = 1) -> Finished:
    """Play games, each from a deal of its own, the seats rotated from deal to deal."""
    kinds = list(dict.fromkeys(names))
    agents = [make_agent(game, name) for name in kinds]
    numbers = np.array([kinds.index(name) for name in names])
    deals, seeds = np.arange(games), np.empty(games, np.uint64)
    deal_seeds(np.uint64(seed), deals, seeds)
    states, made = game.start(seeds), np.zeros((games, game.seats), np.int64)
    ended, order = [], []
    while states.size:
        seats = states["to_move"].astype(np.int64)
        seeds, actions = np.empty(deals.size, np.uint64), np.empty(deals.size, np.int64)
        decision_seeds(np.uint64(seed), deals, seats, made[deals, seats], seeds)
        views, players = game.view(states, seats), numbers[(seats + deals) % len(names)]
        for number, agent in enumerate(agents):
            rows = players == number
            if rows.any():
                actions[rows], _ = agent.act(views[rows], seeds[rows])
        made[deals, seats] += 1
        game.play(states, actions)
        over = states["over"]
        ended.append(states[over])
        order.append(deals[over])
        states, deals = states[~over], deals[~over]
    return Finished(np.concatenate(ended), np.concatenate(order))


def wins(ends: Finished, place: int) -> np.ndarray:
    """Return whether the agent at a place of those named has won: (games,) bool."""
    players = int(ends.states["players"][0])
    return ends.states["returns"][np.arange(ends.deals.size), (place - ends.deals) % players] > 0


def by_place(ends: Finished) -> list[float]:
    """Return the shares of games won by who begins each round, by the seat to its left, and so on."""
    players, rows = int(ends.states["players"][0]), np.arange(ends.deals.size)
    seats = [(ends.states["first"] + place) % players for place in range(players)]
    return [float((ends.states["returns"][rows, seat] > 0).mean()) for seat in seats]


def happened(game: Game, end: np.ndarray) -> dict[str, int]:
    """Count robberies, captures and alarms in one finished game by playing it again from its log."""
    counts = {"robberies": 0, "captures": 0, "alarms": 0}
    before = None
    for s, seat, _ in moves(game, end[0]):
        if before is not None:
            counts["robberies"] += is_robbery(before[0], s.holder, before[1])
        before = s.holder.copy(), seat
    if before is not None:
        counts["robberies"] += is_robbery(before[0], end[0].holder, before[1])
    for kind, told in events(end[0]):
        counts["captures"] += kind == LOG_SEAT and told < MISSED
        counts["alarms"] += kind == LOG_GUARD and bool(told & ALARM)
    return counts


def is_robbery(before: np.ndarray, after: np.ndarray, seat: int) -> bool:
    """Tell if a seat has taken envelopes that another one carried."""
    return bool(((before != NOWHERE) & (before != seat) & (after == seat)).any())


def interval(share: float, games: int) -> str:
    """Return a share with its 95 % interval (Clopper and Pearson)."""
    found = binomtest(round(share * games), games).proportion_ci()
    return f"{share:.3f} ({found.low:.3f} to {found.high:.3f})"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--games", type=int, default=1000)
    games = parser.parse_args().games
    game = configure("secret_formula")
    for names in TABLES:
        ends = finished(game, names, games)
        counts = [happened(game, ends.states[i : i + 1]) for i in range(games)]
        places = by_place(ends)
        print(
            f"{names[0]} and {', '.join(names[1:])}: wins {interval(wins(ends, 0).mean(), games)}"
            f"  turn limit {(ends.states['reason'] == TURN_LIMIT).mean():.3f}"
            f"  rounds {ends.states['turn'].mean() / game.seats:.1f}"
            f"  by place in the round {', '.join(f'{share:.3f}' for share in places)}"
        )
        for kind in counts[0]:
            found = np.array([count[kind] for count in counts])
            print(f"    {kind} {found.mean():.2f} a game, in {(found > 0).mean():.3f} of all games")


if __name__ == "__main__":
    main()
