"""What the agents of a replay thought: worked out anew, from what their seats saw."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from agents import make_agent, parse_agent
from agents.agent import AgentError
from agents.explanation import Table
from agents.names import own_class
from kgb_env import Game, KGBError, Replay

from .players import ROLES, without_number

PLAIN = re.compile(r"[A-Za-z0-9_-]+")  # texts that name no file, no module and no address


class Thinkers:
    """The agents of a replay that say what they think.

    Labels may be somebody else's.  Only this project's agents for the game itself are made, with arguments that are
    numbers, booleans, None or plain words: no label loads code or a model, asks a server or touches a file.

    Args:
        replay: the game.
        seats: whose thoughts are wanted.
    """

    def __init__(self, replay: Replay, seats: Sequence[int]) -> None:
        self._game = replay.game
        made = {seat: _made(replay.game, replay.agents[seat]) for seat in seats}
        self._agents = {seat: agent for seat, agent in made.items() if agent is not None}

    def of(self, states: np.ndarray) -> Sequence[Table]:
        """Return the thoughts of the seat to move, or nothing if it does not say."""
        seat = int(states["to_move"][0])
        if seat not in self._agents:
            return ()
        view = self._game.view(states, seat)
        agent = self._agents[seat]
        if hasattr(agent, "player_of"):
            agent = agent.player_of(view)
        return tuple(agent.explain(view)) if hasattr(agent, "explain") else ()


@cache
def _made(game: Game, label: str) -> Any:
    """Return the agent of a label if it can be made here and may have something to say, else None."""
    name, _ = without_number(label)
    if not _is_harmless(game, name):
        return None
    try:
        agent = make_agent(game, name)
    except (KGBError, ImportError, OSError):  # a person, an agent of somebody else, an extra that is missing
        return None
    return agent if hasattr(agent, "explain") or hasattr(agent, "player_of") else None


def _is_harmless(game: Game, label: str, is_part: bool = False) -> bool:
    """Tell if the agent of a label may be made; a part of ``roles`` may have nothing to say."""
    try:
        call = parse_agent(label)
    except AgentError:
        return False
    made = own_class(game.id, call.name)
    if made is None or not (is_part or hasattr(made, "explain") or hasattr(made, "player_of")):
        return False
    values = call.arguments.values()
    if call.name == ROLES:
        return all(isinstance(value, str) and _is_harmless(game, value, True) for value in values)
    return all(map(_is_plain, values))


def _is_plain(value: Any) -> bool:
    if isinstance(value, str):
        return PLAIN.fullmatch(value) is not None
    return value is None or isinstance(value, bool | int | float)
