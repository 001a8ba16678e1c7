"""How good an agent is against others: on fixed deals, seat by seat or role by role, with intervals."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from agents import Agent
from kgb_env import Game

from ..match import Table, whole_sets
from ..statistics import interval, points, rounded

AT_A_TIME = 240  # games


class Scores(NamedTuple):
    """What an agent got against an opponent in each deal, the mean over the games of the deal.

    Attributes:
        opponent: who had all other seats, or roles.
        role: which the agent had; "" where it was one seat, each in turn.
        wins: (deals,) float64, its share of wins, draws counting half.
        returns: (deals,) float64.
    """

    opponent: str
    role: str
    wins: np.ndarray
    returns: np.ndarray


def lineups_of(game: Game, role: str) -> np.ndarray:
    """Return lineups of an agent (0) and an opponent (1): by role if there is one, else by seat."""
    if role:
        return np.array([[0 if name == role else 1 for name in game.roles]])
    return 1 - np.eye(game.seats, dtype=np.int64)


def play_against(
    game: Game,
    agent: Agent,
    opponents: Mapping[str, Agent],
    games: int,
    seed: int,
    on_progress: Callable[[int], None] = lambda finished: None,
) -> list[Scores]:
    """Return how an agent does against each opponent, in games with roles in each role.

    Roles without a decision, as the neutral Director's, are left out.

    Args:
        game: a configured game.
        agent: who is measured.
        opponents: by name; one of them has all other seats.
        games: against each (and in each role), rounded up to whole deals.
        seed: of the deals, the same ones for all opponents.
        on_progress: is told how many games have ended.
    """
    scores, finished = [], 0
    for name, opponent in opponents.items():
        for role in roles_played(game):
            lineups = lineups_of(game, role)
            total, won, got = whole_sets(games, len(lineups)), [], []
            for first in range(0, total, AT_A_TIME * len(lineups)):
                numbers = np.arange(first, min(first + AT_A_TIME * len(lineups), total))
                deals, lineup = np.divmod(numbers, len(lineups))
                table = Table(game, {"agent": agent, name: opponent}, seed, deals, lineups[lineup], by_role=bool(role))
                results = table.play()
                own = results.players == 0
                won.append(np.where(own, points(results.returns), 0).sum(axis=1) / own.sum(axis=1))
                got.append(np.where(own, results.returns, 0).sum(axis=1) / own.sum(axis=1))
                finished += numbers.size
                on_progress(finished)
            by_deal = (np.concatenate(part).reshape(-1, len(lineups)).mean(axis=1) for part in (won, got))
            scores.append(Scores(name, role, *by_deal))
    return scores


def roles_played(game: Game) -> list[str]:
    """Return the roles that decide anything, or one empty name in a game without roles."""
    return [role for role in game.roles if role != "director"] or [""]


def row_of(game: Game, scores: Scores, seed: int) -> dict[str, float | str | int]:
    """Return scores as results have them: wins and returns, each with a 95 % interval from resampling deals."""
    least, most = game.min_return, game.max_return
    low, high = interval(scores.wins, seed)
    bottom, top = interval((scores.returns - least) / (most - least), seed)
    return {
        "opponent": scores.opponent,
        "role": scores.role,
        "deals": scores.wins.size,
        "wins": rounded(scores.wins.mean()),
        "wins_low": rounded(low),
        "wins_high": rounded(high),
        "returns": rounded(scores.returns.mean()),
        "returns_low": rounded(least + bottom * (most - least)),
        "returns_high": rounded(least + top * (most - least)),
    }


def title_of(row: Mapping[str, object]) -> str:
    """Say in short what a row is about: ``against greedy``, ``as spy against literal``."""
    return f"as {row['role']} against {row['opponent']}" if row["role"] else f"against {row['opponent']}"


def figure(row: Mapping[str, Any], name: str, form: str = ".3f") -> str:
    """Return a figure of a row with its interval."""
    return f"{row[name]:{form}} ({row[f'{name}_low']:{form}} to {row[f'{name}_high']:{form}})"


def mean_of(rows: Sequence[Mapping[str, float | str | int]], measure: str) -> float:
    """Return the mean of wins or returns over the rows of an evaluation."""
    return float(np.mean([row[measure] for row in rows]))
