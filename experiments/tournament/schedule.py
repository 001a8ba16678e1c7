"""Who plays whom in which seats.  It depends on the event alone, and the deals on the seed."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from kgb_env import Game

from ..config import ConfigError
from ..match import whole_sets
from ..seating import balanced_seatings
from .plan import Event

MOST_LINEUPS = 24  # of a round robin: more of them would leave fewer deals, and deals are what intervals live on


@dataclass(frozen=True)
class Fixtures:
    """The games of an event.  Game ``g`` is deal ``g // len(lineups)`` with lineup ``g % len(lineups)``.

    Attributes:
        lineups: (lineups, seats) int64, the number of the agent in each seat; (lineups, roles) with ``by_role``.
        by_role: lineups say who plays each role, whichever seat has it.
        games: number of games.
    """

    lineups: np.ndarray
    by_role: bool
    games: int


def fixtures_of(event: Event, game: Game) -> Fixtures:
    """Return the games of an event.

    Raises:
        ConfigError: a schedule by roles, but the game has none.
    """
    schedule = schedule_of(event, game)
    agents = len(event.agents)
    if schedule == "roles":
        lineups = np.array(list(product(range(agents), repeat=len(game.roles))), np.int64)
    elif schedule == "field":
        lineups = _against_the_field(agents, game.seats)
    else:
        lineups = balanced_seatings(agents, game.seats, MOST_LINEUPS)
    return Fixtures(lineups, schedule == "roles", whole_sets(event.games, len(lineups)))


def schedule_of(event: Event, game: Game) -> str:
    """Return the schedule of an event.

    Raises:
        ConfigError: a schedule by roles, but the game has none.
    """
    if event.schedule == "roles" and not game.roles:
        raise ConfigError(f"event {event.title}: {game.id} has no roles; schedules for it are round-robin and field")
    return event.schedule or ("roles" if game.roles else "round-robin")


def _against_the_field(agents: int, seats: int) -> np.ndarray:
    """Return lineups with one agent in one seat and another in all others: (lineups, seats), each once."""
    lineups = []
    for one, others in product(range(agents), repeat=2):
        for seat in range(seats):
            if one != others:
                lineup = np.full(seats, others)
                lineup[seat] = one
                lineups.append(lineup)
    return np.unique(np.array(lineups, np.int64), axis=0)  # with two seats every lineup comes up twice
