"""What the agents of a replay thought: worked out anew, from what their seats saw."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from agents import make_agent
from agents.explanation import Table
from kgb_env import Game, KGBError, Replay


class Thinkers:
    """The agents of a replay that say what they think.

    Only registered agents are asked: a file that somebody else has made loads no code and no model named in it.

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
    name = label.partition("#")[0]  # the second greedy of a match is greedy#2
    if ":" in name:
        return None
    try:
        agent = make_agent(game, name)
    except (KGBError, ImportError, OSError):  # a person, an agent of somebody else, an extra that is missing
        return None
    return agent if hasattr(agent, "explain") or hasattr(agent, "player_of") else None
