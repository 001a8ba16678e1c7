"""Play each role by another agent."""

from typing import Any

import numpy as np
from pydantic import ConfigDict, InstanceOf, validate_call

from agents.agent import Agent, AgentError, is_reproducible, notes_of, require_deciders
from agents.names import make_agent
from kgb_env import Game
from kgb_env.record import UNKNOWN


class RolesAgent:
    """Leave every decision to the agent of the role that the seat has been dealt.

    Args:
        game: a game with roles.
        players: who plays each role of ``game.roles``: an agent, or a text such as ``rate(p=0.3)``.

    Raises:
        AgentError: the game has no roles, there is no such role, a role has no agent, there is no
            such agent, or it has a memory.
    """

    @validate_call(config=ConfigDict(arbitrary_types_allowed=True))
    def __init__(self, game: InstanceOf[Game], /, **players: Agent | str) -> None:
        require_roles(game, players)
        self.game = game
        self._players = [part(game, role, players[role]) for role in game.roles]
        self.is_reproducible = all(map(is_reproducible, self._players))

    def initial_carry(self, n: int) -> None:
        """Return nothing: the parts need no memory."""

    def act(self, views: np.ndarray, seeds: np.ndarray, carry: Any = None) -> tuple[np.ndarray, Any]:
        """Return one action for each view, and the carry."""
        seeds = require_deciders(self.game, views, seeds)
        actions = np.empty(views.size, np.int64)
        roles = self._roles_of_movers(views)
        for role, player in enumerate(self._players):
            rows = roles == role
            if rows.any():
                actions[rows], _ = player.act(views[rows], seeds[rows])
        return actions, carry

    def notes(self) -> list[str]:
        """Return what the parts have to say about their choices, with the role of each."""
        parts = zip(self.game.roles, self._players, strict=True)
        return [f"{role}: {note}" for role, player in parts for note in notes_of(player)]

    @property
    def parts(self) -> tuple[Agent, ...]:
        """The agents of the roles, in their order."""
        return tuple(self._players)

    def player_of(self, view: np.ndarray) -> Agent:
        """Return the agent that decides for the viewer of a view (one row)."""
        return self._players[int(self._roles_of_movers(view)[0])]

    def _roles_of_movers(self, views: np.ndarray) -> np.ndarray:
        """Return the role that each viewer has: (n,)."""
        everybody = self.game.roles_in(views)
        assert everybody is not None  # require_roles has seen to it
        roles = everybody[np.arange(views.size), views["viewer"]]
        if (roles == UNKNOWN).any():
            raise AgentError(f"a seat does not know its role in {self.game.id}, so no agent can be chosen by it")
        return roles


def require_roles(game: Game, players: dict[str, Agent | str]) -> None:
    """Refuse players that are not exactly one for each role."""
    if not game.roles:
        raise AgentError(f"{game.id} has no roles; name agents for its seats instead")
    exist = f"the roles of {game.id} are {', '.join(game.roles)}"
    for role in players:
        if role not in game.roles:
            raise AgentError(f"there is no role {role!r}; {exist}")
    missing = [role for role in game.roles if role not in players]
    if missing:
        raise AgentError(f"who is to play {' and '.join(missing)}? Every role needs an agent; {exist}")


def part(game: Game, role: str, player: Agent | str) -> Agent:
    """Return the agent that plays a role."""
    agent = make_agent(game, player) if isinstance(player, str) else player
    if agent.initial_carry(1) is not None:
        raise AgentError(f"{role}: an agent that has a memory cannot play a role only")
    return agent
