"""Who played the seats of a replay: of agents that leave each role to another, which of them it was."""

from __future__ import annotations

import re

import numpy as np

from agents import parse_agent
from agents.agent import AgentError
from kgb_env import UNKNOWN, Game, Replay

ROLES = "roles"  # the agent whose arguments are the agents of the roles


def players(replay: Replay, record: np.ndarray | None) -> tuple[str, ...]:
    """Return the names of those who played, one a seat, as far as a record tells them.

    Args:
        replay: the game.
        record: the last state, or the last view of a seat, one row; None if the seat has seen nothing.
    """
    roles = None if record is None else replay.game.roles_in(record)
    known = [UNKNOWN] * replay.game.seats if roles is None else roles[0].tolist()
    return tuple(_player(replay.game, label, role) for label, role in zip(replay.agents, known, strict=True))


def without_number(label: str) -> tuple[str, str]:
    """Return the name of an agent and the number behind it: the second greedy of a match is greedy#2."""
    number = re.search(r"(#\d+)?$", label)
    assert number is not None  # an empty one is always found
    return label[: number.start()], number.group()


def _player(game: Game, label: str, role: int) -> str:
    name, number = without_number(label)
    parts = _parts(game, name)
    if not parts:
        return label
    if role == UNKNOWN:
        return f"{' or '.join(dict.fromkeys(parts.values()))}{number}"
    return f"{parts[game.roles[role]]}{number} ({game.roles[role]})"


def _parts(game: Game, name: str) -> dict[str, str]:
    """Return the agents of the roles, or nothing if the agent plays all of them, or has names not to be shown."""
    try:
        call = parse_agent(name)
    except AgentError:
        return {}
    are_names = all(isinstance(value, str) and value.isprintable() for value in call.arguments.values())
    return call.arguments if call.name == ROLES and set(call.arguments) == set(game.roles) and are_names else {}
