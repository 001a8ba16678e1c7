"""How often is the Double Agent exposed, and by whom?  Games between two agents by role, some told who it is.

    python -m tests.double_agent.told --games 2000

Agents that are told see all others exposed as Security Agents: what deduction at its best could find out.
"""

from __future__ import annotations

import argparse

import numpy as np

from agents import make_agent
from experiments.match import deal_seeds, decision_seeds
from kgb_env import Game
from kgb_env import game as configure
from kgb_env.games.double_agent.spec import DOUBLE_AGENT, ESCAPE, EXPOSURE, SECURITY_AGENT

MATCHES = (
    ("naive", "naive", False),
    ("deduction", "naive", False),
    ("deduction", "naive", True),
    ("naive", "bluffing", False),
    ("expert", "expert", False),
)


def tell(views: np.ndarray, states: np.ndarray) -> np.ndarray:
    """Return views in which everybody else but the Double Agent is exposed."""
    told, players = views.copy(), int(views["players"][0])
    for row in range(views.size):
        for seat in range(players):
            if (
                seat != views["viewer"][row]
                and states["role"][row, seat] == SECURITY_AGENT
                and not states["out"][row, seat]
            ):
                told["exposed"][row, seat] = 1
    return told


def endings(game: Game, security: str, double: str, games: int, seed: int = 1, is_told: bool = False) -> np.ndarray:
    """Return the finished states of games between Security Agents and a Double Agent of these names."""
    agents = {SECURITY_AGENT: make_agent(game, security), DOUBLE_AGENT: make_agent(game, double)}
    deals, seeds = np.arange(games), np.empty(games, np.uint64)
    deal_seeds(np.uint64(seed), deals, seeds)
    states, made, finished = game.start(seeds), np.zeros((games, game.seats), np.int64), []
    while states.size:
        seats = states["to_move"].astype(np.int64)
        seeds, actions = np.empty(deals.size, np.uint64), np.empty(deals.size, np.int64)
        decision_seeds(np.uint64(seed), deals, seats, made[deals, seats], seeds)
        views, roles = game.view(states, seats), states["role"][np.arange(deals.size), seats]
        for role, agent in agents.items():
            rows = roles == role
            if rows.any():
                seen = tell(views[rows], states[rows]) if is_told and role == SECURITY_AGENT else views[rows]
                actions[rows], _ = agent.act(seen, seeds[rows])
        made[deals, seats] += 1
        game.play(states, actions)
        over = states["over"]
        finished.append(states[over])
        states, deals = states[~over], deals[~over]
    return np.concatenate(finished)


def interval(share: float, games: int) -> str:
    """Return a share with its 95 % interval (normal approximation)."""
    half = 1.96 * (share * (1 - share) / games) ** 0.5
    return f"{share:.3f} ({max(0.0, share - half):.3f} to {min(1.0, share + half):.3f})"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--games", type=int, default=2000)
    games = parser.parse_args().games
    game = configure("double_agent")
    for security, double, is_told in MATCHES:
        ends = endings(game, security, double, games, is_told=is_told)
        who = f"{security}{' (told)' if is_told else ''} against {double}"
        exposed, escaped = (interval((ends["reason"] == reason).mean(), games) for reason in (EXPOSURE, ESCAPE))
        wrong = ends["out"].sum() / max(1, ends["out"].sum() + (ends["reason"] == EXPOSURE).sum())
        print(
            f"{who:36} exposed {exposed}  escaped {escaped}  rounds {ends['turn'].mean() / game.seats:.1f}"
            f"  wrong accusations {wrong:.3f} of all"
        )


if __name__ == "__main__":
    main()
