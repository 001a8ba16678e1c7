"""What a tournament is made of: read from a file or the command line, and checked."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from agents import parse_agent
from agents.agent import Agent
from agents.names import AgentCall
from kgb_env import Game, KGBError
from kgb_env import game as configure

from ..config import DEADLINE_FIELD, MOST_GAMES, ConfigError, Configuration
from ..outside import make_player

Schedule = Literal["round-robin", "field", "roles"]


class Event(Configuration):
    """A part of a tournament: some agents play one game."""

    name: str = Field("", pattern=r"^[^<>|`\n]*$", description="how results call it; by default the id of the game")
    game: str = Field(description="id of the game")
    options: dict[str, Any] = Field({}, description="options of the game")
    agents: list[str] = Field(min_length=2, description="the agents, each once, as in ismcts(simulations=400)")
    games: int = Field(1000, ge=1, le=MOST_GAMES, description="games to play, rounded up to whole deals")
    schedule: Schedule | None = Field(
        None,
        description="round-robin: every deal in balanced seatings of all agents; field: each agent in each seat "
        "against every other one in all other seats; roles: every way to give the roles of the game to agents; "
        "by default roles where the game has them, else round-robin",
    )

    @field_validator("agents")
    @classmethod
    def _put_in_order(cls, agents: list[str]) -> list[str]:
        """Sort the agents: nothing may depend on the order in which they are listed."""
        agents = sorted(canonical(agent) for agent in agents)
        twice = next((agent for agent, after in pairwise(agents) if agent == after), None)
        if twice:
            raise ValueError(f"{twice} is listed twice; an agent needs no second entry to meet itself")
        return agents

    @property
    def title(self) -> str:
        """What results call the event."""
        return self.name or self.game

    def game_of(self) -> Game:
        """Return the configured game.

        Raises:
            ConfigError: there is no such game, or it does not take the options.
        """
        try:
            return configure(self.game, **self.options)
        except KGBError as error:
            raise ConfigError(f"event {self.title}: {error}") from error

    def set_up(self, deadline: float) -> tuple[Game, dict[str, Agent]]:
        """Return the game and the agents, by name.

        Args:
            deadline: seconds that an agent from outside has for an answer.
        """
        game = self.game_of()
        try:
            return game, {name: make_player(game, name, deadline) for name in self.agents}
        except KGBError as error:
            raise ConfigError(f"event {self.title}: {error}") from error


def canonical(agent: str) -> str:
    """Return an agent's text as it is always written, arguments in the order of the alphabet."""
    name, arguments = parse_agent(agent)
    return str(AgentCall(name, dict(sorted(arguments.items()))))


class Plan(Configuration):
    """A tournament: events that are played and rated one by one."""

    events: list[Event] = Field(min_length=1, description="what is played")
    seed: int = Field(1, ge=0, lt=2**63, description="same seed, same figures")
    deadline: float = DEADLINE_FIELD

    @model_validator(mode="after")
    def _refuse_equal_names(self) -> Self:
        names = [event.title for event in self.events]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice:
            raise ValueError(f"two events are called {twice!r}; give one of them another name")
        return self

    @property
    def games(self) -> int:
        """How many games are asked for."""
        return sum(event.games for event in self.events)

    def to_json(self) -> str:
        """Return the plan as a text that is equal for equal plans."""
        return json.dumps(self.model_dump(), sort_keys=True, ensure_ascii=False)
