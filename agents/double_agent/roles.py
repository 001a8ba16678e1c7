"""Play each role by another agent."""

from typing import Any

import numpy as np
from pydantic import ConfigDict, InstanceOf, validate_call

from agents.agent import Agent, AgentError, is_reproducible, require_deciders
from agents.names import make_agent
from kgb_env import Game
from kgb_env.games.double_agent.spec import DOUBLE_AGENT


class RolesAgent:
    """Ask one agent where it is the Double Agent, and another one where it is a Security Agent.

    Args:
        game: The Double Agent with any options.
        double_agent: who plays the Double Agent: an agent, or a text such as ``rate(p=0.3)``.
        security_agent: who plays the Security Agents.

    Raises:
        AgentError: there is no such agent, or it has a memory.
    """

    @validate_call(config=ConfigDict(arbitrary_types_allowed=True))
    def __init__(
        self, game: InstanceOf[Game], *, double_agent: Agent | str = "naive", security_agent: Agent | str = "naive"
    ) -> None:
        self.game = game
        self._double_agent = part(game, "double_agent", double_agent)
        self._security_agent = part(game, "security_agent", security_agent)
        self.is_reproducible = is_reproducible(self._double_agent) and is_reproducible(self._security_agent)

    def initial_carry(self, n: int) -> None:
        """Return nothing: the parts need no memory."""

    def act(self, views: np.ndarray, seeds: np.ndarray, carry: Any = None) -> tuple[np.ndarray, Any]:
        """Return one action for each view, and the carry."""
        seeds = require_deciders(self.game, views, seeds)
        actions = np.empty(views.size, np.int64)
        is_double_agent = views["role"][np.arange(views.size), views["viewer"]] == DOUBLE_AGENT
        for agent, rows in ((self._double_agent, is_double_agent), (self._security_agent, ~is_double_agent)):
            if rows.any():
                actions[rows], _ = agent.act(views[rows], seeds[rows])
        return actions, carry


def part(game: Game, argument: str, player: Agent | str) -> Agent:
    """Return the agent that plays a role."""
    agent = make_agent(game, player) if isinstance(player, str) else player
    if agent.initial_carry(1) is not None:
        raise AgentError(f"{argument}: an agent that has a memory cannot play a role only")
    return agent
