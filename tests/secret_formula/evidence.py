"""What do moves tell about who has the formula?  Counts over games, as log likelihood ratios.

    python -m tests.secret_formula.evidence --games 2000

What it prints is what ``agents.secret_formula.belief.SEEN`` was made from.
"""

from __future__ import annotations

import argparse

import numpy as np

from agents.secret_formula.evidence import (
    ENVELOPE_SIGNS,
    GATE_SIGNS,
    envelope_sign,
    gate_sign,
    is_surrender,
    steps_used,
)
from agents.secret_formula.plan import make_plan
from kgb_env import Game
from kgb_env import game as configure
from kgb_env.games.secret_formula.spec import FORMULA, LOG
from tests.secret_formula.replaying import moves
from tests.secret_formula.told import finished

ADDED = 1.0  # to every count, so that what has not been seen is not impossible


def count(game: Game, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return how often each sign was seen: of moves, of giving oneself up; by whether it was so."""
    t, p = game.tables[0], make_plan(game, 0.9, 0.9)[0]
    has, drops = np.zeros((2, GATE_SIGNS, ENVELOPE_SIGNS)), np.zeros((2, 2))
    for end in ends[ends["events"] <= LOG]:
        for s, seat, cell in moves(game, end):
            formula = int(np.flatnonzero(s.contents == FORMULA)[0])
            is_holder = int(s.holder[formula] == seat)
            is_carrier = bool((s.holder == seat).any())
            if cell < 0 or is_surrender(s, seat, cell, t):
                drops[is_holder, 1] += is_carrier
                continue
            used = steps_used(s, seat, cell, t)
            drops[is_holder, 0] += is_carrier
            if is_carrier:
                has[is_holder, gate_sign(s, seat, cell, used, p, t), envelope_sign(s, seat, cell, used, t)] += 1
    return has, drops


def ratios(counts: np.ndarray) -> np.ndarray:
    """Return the logarithms of how much oftener each sign was seen when it was so than when it was not."""
    seen = counts + ADDED
    shares = seen / seen.reshape(2, -1).sum(axis=1).reshape(2, *[1] * (seen.ndim - 1))
    return np.log(shares[1] / shares[0])


def main() -> None:
    """Print the numbers."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--agents", nargs="+", default=["expert"])
    args = parser.parse_args()
    game = configure("secret_formula")
    has, drops = count(game, finished(game, args.agents, args.games).states)
    for name, counts in (("has", has), ("drops", drops)):
        print(name, counts.astype(int).tolist(), sep="\n")
        print(ratios(counts).round(2).tolist())


if __name__ == "__main__":
    main()
