"""How good an agent is against others: on fixed deals, seat by seat or role by role, with intervals."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from agents import Agent
from kgb_env import Game
from kgb_env.learner import RANDOM_SEAT

from ..match import Results, Table, whole_sets
from ..seating import lineups_against
from ..statistics import interval, points, rounded

AT_A_TIME = 240  # deals
IDLE = "director"  # who has a role only where chance decides for him


class Scores(NamedTuple):
    """What an agent got against an opponent in each deal, the mean over the games of the deal.

    Attributes:
        opponent: who had all other seats, or roles.
        role: which the agent had; "" where it does not matter.
        wins: (deals,) float64, its share of wins, draws counting half.
        returns: (deals,) float64.
        forfeits: games in which one of them has failed.
    """

    opponent: str
    role: str
    wins: np.ndarray
    returns: np.ndarray
    forfeits: int = 0


class Places(NamedTuple):
    """Where an agent sits when it is measured.

    Attributes:
        seat: a seat, a role, or ``"random"``: all of them.
        alone: of a role it has one seat, each in turn, as a learner has; else all seats of the role.
    """

    seat: int | str = RANDOM_SEAT
    alone: bool = False


EVERYWHERE = Places()


def play_against(
    game: Game,
    agent: Agent,
    opponents: Mapping[str, Agent],
    games: int,
    seed: int,
    places: Places = EVERYWHERE,
    on_progress: Callable[[int], None] = lambda finished: None,
) -> list[Scores]:
    """Return how an agent does against each opponent, in games with roles in each role.

    Roles without a decision, as the neutral Director's, are left out.  Who fails loses that game.

    Args:
        game: a configured game.
        agent: who is measured.
        opponents: by name; one of them has all other seats.
        games: against each (and, unless alone, in each role), rounded up to whole deals.
        seed: of the deals, the same ones for all opponents.
        places: where the agent sits.
        on_progress: is told how many games have ended.
    """
    scores, finished = [], 0
    for name, opponent in opponents.items():
        for lineups, by_role, roles in _lineups(game, places):
            total, parts = whole_sets(games, len(lineups)), []
            for first in range(0, total, AT_A_TIME * len(lineups)):
                numbers = np.arange(first, min(first + AT_A_TIME * len(lineups), total))
                deals, lineup = np.divmod(numbers, len(lineups))
                players = {"agent": agent, name: opponent}
                table = Table(game, players, seed, deals, lineups[lineup], by_role=by_role, may_forfeit=True)
                parts.append(table.play())
                finished += numbers.size
                on_progress(finished)
            scores += [_scores_of(game, parts, name, role, len(lineups)) for role in roles]
    return scores


def _lineups(game: Game, places: Places) -> list[tuple[np.ndarray, bool, list[str]]]:
    """Return sets of lineups of an agent (0) and an opponent (1), whether by role, and whose figures they give."""
    by_seat = lineups_against(game, "")
    if not isinstance(places.seat, str):
        return [(by_seat[places.seat : places.seat + 1], False, [""])]
    roles = roles_played(game) if places.seat == RANDOM_SEAT else [places.seat]
    if places.alone or not game.roles:
        return [(by_seat, False, roles)]
    return [(lineups_against(game, role), True, [role]) for role in roles]


def _scores_of(game: Game, parts: Sequence[Results], opponent: str, role: str, seatings: int) -> Scores:
    """Return an agent's scores by deal, of a role if there is one."""
    own = np.concatenate([part.players for part in parts]) == 0
    returns = np.concatenate([part.returns for part in parts])
    if role:
        own &= np.concatenate([part.roles for part in parts if part.roles is not None]) == game.roles.index(role)
    own = own.reshape(-1, seatings * game.seats)
    wins, got = (
        np.where(own, of.reshape(own.shape), 0).sum(axis=1) / own.sum(axis=1) for of in (points(returns), returns)
    )
    return Scores(opponent, role, wins, got, sum(len(part.faults) for part in parts))


def roles_played(game: Game) -> list[str]:
    """Return the roles that decide anything, or one empty name in a game without roles."""
    return [role for role in game.roles if role != IDLE] or [""]


def row_of(game: Game, scores: Scores, seed: int) -> dict[str, float | str | int]:
    """Return scores as results have them: wins and returns, each with a 95 % interval from resampling deals."""
    least, most = game.min_return, game.max_return
    low, high = interval(scores.wins, seed)
    bottom, top = interval((scores.returns - least) / (most - least), seed)
    return {
        "opponent": scores.opponent,
        "role": scores.role,
        "deals": scores.wins.size,
        "forfeits": scores.forfeits,
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
