"""Who scores what in Suspicious, and how often is the spy caught?  Matches of one round between agents by role.

    python -m tests.suspicious.told --rounds 2000
    python -m tests.suspicious.told --rounds 2000 --independence

The Director is played like the agents.  The second command tells if the share of spies caught depends on the spy's
seat, on its place in the order of speaking, or on the order of the cards.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import numpy as np
from scipy.stats import chi2_contingency

from agents import Agent, make_agent
from experiments.match import deal_seeds, decision_seeds
from kgb_env import Game
from kgb_env import game as configure
from kgb_env.games.suspicious.cards import CARDS
from kgb_env.games.suspicious.spec import CAUGHT

AGENTS = ("literal", "expert")


def endings(game: Game, agents: Agent, spy: Agent, rounds: int, seed: int = 1) -> np.ndarray:
    """Return the last states of matches of one round, the spy played by one agent, all other seats by another."""
    deals, seeds = np.arange(rounds), np.empty(rounds, np.uint64)
    deal_seeds(np.uint64(seed), deals, seeds)
    states, made, finished = game.start(seeds), np.zeros((rounds, game.seats), np.int64), []
    while states.size:
        seats = states["to_move"].astype(np.int64)
        seeds, actions = np.empty(deals.size, np.uint64), np.empty(deals.size, np.int64)
        decision_seeds(np.uint64(seed), deals, seats, made[deals, seats], seeds)
        views, is_spy = game.view(states, seats), seats == states["spy"][:, 0]
        for agent, rows in ((agents, ~is_spy), (spy, is_spy)):
            if rows.any():
                actions[rows], _ = agent.act(views[rows], seeds[rows])
        made[deals, seats] += 1
        game.play(states, actions)
        over = states["over"]
        finished.append(states[over])
        states, deals = states[~over], deals[~over]
    return np.concatenate(finished)


def are_caught(ends: np.ndarray) -> np.ndarray:
    """Tell in which rounds the spy was stopped."""
    return ends["stopped"][:, 0] == ends["spy"][:, 0]


def are_right(ends: np.ndarray) -> np.ndarray:
    """Tell in which rounds a stopped spy guessed right."""
    return are_caught(ends) & (ends["guess"][:, 0] == ends["agents_word"][:, 0])


def points(ends: np.ndarray) -> dict[str, np.ndarray]:
    """Return the points of the spy and of each agent, round by round."""
    spy = ends["points"][np.arange(ends.size), ends["spy"][:, 0]]
    return {"agents": CAUGHT * (are_caught(ends) & ~are_right(ends)), "spy": spy}


def interval(values: np.ndarray) -> str:
    """Return a mean with its 95 % interval (normal approximation)."""
    mean, half = values.mean(), 1.96 * values.std() / values.size**0.5
    return f"{mean:.3f} ({mean - half:.3f} to {mean + half:.3f})"


def print_points(game: Game, rounds: int) -> None:
    """Print a row for each choice of agents and spy."""
    players = {name: make_agent(game, name) for name in AGENTS}
    print(
        "| Agents | Spy | An agent's points | The spy's points | Spy caught | Guesses right |\n"
        "|---|---|---|---|---|---|"
    )
    for agents in AGENTS:
        for spy in AGENTS:
            ends = endings(game, players[agents], players[spy], rounds)
            scored, caught = points(ends), are_caught(ends)
            cells = (*map(interval, scored.values()), interval(caught), interval(are_right(ends)[caught]))
            print(f"| `{agents}` | `{spy}` | {' | '.join(cells)} |")


def shuffled_cards(game: Game) -> Game:
    """Return the game with its cards, and the words on each of them, in reverse order."""
    lines = [line.partition("#")[0] for line in (CARDS / "standard.txt").read_text(encoding="utf-8").splitlines()]
    parts = [line.split(":") for line in reversed(lines) if line.strip()]
    text = "\n".join(":".join((" ".join(reversed(nouns.split())), *rest)) for nouns, *rest in parts)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cards.txt"
        path.write_text(text, encoding="utf-8")
        return configure("suspicious", players=game.seats, rounds=1, cards=str(path))


def dependence(groups: np.ndarray, caught: np.ndarray) -> float:
    """Return the p-value of a chi-square test: how likely groups without a difference would differ as much."""
    table = [[(caught[groups == group] == is_caught).sum() for is_caught in (0, 1)] for group in np.unique(groups)]
    return float(chi2_contingency(table).pvalue)


def print_independence(game: Game, rounds: int) -> None:
    """Print how often the spy is caught between experts, by seat, by place and by the order of the cards."""
    ends, others = (
        endings(version, *[make_agent(version, "expert")] * 2, rounds) for version in (game, shuffled_cards(game))
    )
    caught, spy = are_caught(ends), ends["spy"][:, 0].astype(np.int64)
    both, order = np.concatenate((caught, are_caught(others))), np.repeat((0, 1), rounds)
    rows = {
        "the spy's seat": (spy, caught),
        "the spy's place after the Director": ((spy - ends["first"]) % game.seats, caught),
        "the cards as they are, in reverse": (order, both),
    }
    print("| By | Spy caught | p |\n|---|---|---|")
    for name, (groups, was_caught) in rows.items():
        shares = ", ".join(f"{was_caught[groups == group].mean():.3f}" for group in np.unique(groups))
        print(f"| {name} | {shares} | {dependence(groups, was_caught):.2f} |")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=2000)
    parser.add_argument("--players", type=int, default=5)
    parser.add_argument("--independence", action="store_true")
    arguments = parser.parse_args()
    game = configure("suspicious", players=arguments.players, rounds=1)
    (print_independence if arguments.independence else print_points)(game, arguments.rounds)


if __name__ == "__main__":
    main()
