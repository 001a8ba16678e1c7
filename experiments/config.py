"""What a match is made of: read from a file or the command line, and checked."""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from agents import parse_agent
from agents.names import AgentCall
from kgb_env import KGBError
from kgb_env.options import explain
from kgb_env.registry import BUILT_IN

from .outside import DEADLINE

PACKAGE = Path(__file__).resolve().parent
MOST_GAMES = 100_000_000  # their results fit into a gigabyte


class ConfigError(KGBError, ValueError):
    """An experiment is not described rightly."""


class Configuration(BaseModel):
    """A part of an experiment's description; what it does not know, or what has another type, is refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    @classmethod
    def parse(cls, values: dict[str, Any], source: str = "configuration") -> Self:
        """Return a checked description, or raise ConfigError, which begins with ``source``."""
        try:
            return cls(**values)
        except ValidationError as error:
            raise ConfigError(f"{source}: {explain(error, cls)}") from None


DEADLINE_FIELD: float = Field(
    DEADLINE, gt=0, allow_inf_nan=False, description="seconds that an agent from outside has for an answer"
)


class MatchConfig(Configuration):
    """A match: which agents play how many games of what."""

    game: str = Field(description="id of the game")
    agents: list[str] = Field(
        [], min_length=1, description="the agents, as in ismcts(simulations=400); one may occur twice"
    )
    roles: dict[str, str] = Field({}, description="instead of agents: who plays each role, whatever its seat")
    games: int = Field(1000, ge=1, le=MOST_GAMES, description="games to play, rounded up to whole sets of seatings")
    seed: int = Field(1, ge=0, lt=2**63, description="same seed, same figures")
    options: dict[str, Any] = Field({}, description="options of the game")
    batch: int = Field(2048, ge=1, description="games played at a time; changes the speed, never the figures")
    deadline: float = DEADLINE_FIELD

    @model_validator(mode="after")
    def _refuse_all_but_agents_or_roles(self) -> Self:
        if self.agents and self.roles:
            raise ValueError("agents and roles are both given; name either agents or who plays each role")
        if not (self.agents or self.roles):
            raise ValueError("nobody plays; name agents, or who plays each role under roles")
        return self

    @property
    def labels(self) -> list[str]:
        """Names for the table, all different: the second ``random`` is ``random#2``.

        Raises:
            AgentError: an agent is written wrongly.
        """
        if self.roles:
            return [str(AgentCall("roles", self.players))]
        seen: Counter[str] = Counter()
        labels = []
        for name in map(str, map(parse_agent, self.agents)):
            seen[name] += 1
            labels.append(name if seen[name] == 1 else f"{name}#{seen[name]}")
        return labels

    @property
    def players(self) -> dict[str, str]:
        """Who plays each role, as the table has it; empty where agents play seats.

        Raises:
            AgentError: an agent is written wrongly.
        """
        return {role: str(parse_agent(name)) for role, name in self.roles.items()}


def parse_options(assignments: Iterable[str]) -> dict[str, Any]:
    """Return options from texts ``NAME=VALUE``; a value that is JSON is read as such, any other is a string.

    Raises:
        ConfigError: a text is no assignment.
    """
    options: dict[str, Any] = {}
    for assignment in assignments:
        name, value = _split("--option", assignment, "NAME=VALUE, as in max_turns=50")
        try:
            options[name] = json.loads(value)
        except ValueError:  # no JSON, or a number beyond all bounds
            options[name] = value
    return options


def parse_roles(assignments: Iterable[str]) -> dict[str, str]:
    """Return who plays which role from texts ``ROLE=AGENT``.

    Raises:
        ConfigError: a text is no assignment, or a role is given twice.
    """
    players: dict[str, str] = {}
    for assignment in assignments:
        role, player = _split("--role", assignment, "ROLE=AGENT, as in double_agent=naive")
        if role in players:
            raise ConfigError(f"--role {assignment!r}: {role} is played by {players[role]} already")
        players[role] = player
    return players


def _split(flag: str, assignment: str, form: str) -> tuple[str, str]:
    name, separator, value = assignment.partition("=")
    if not (name and separator):
        raise ConfigError(f"{flag} {assignment!r}: write {form}")
    return name, value


def config_folder() -> Path:
    """Return where the configurations are that we ship: inside the wheel, beside the packages in a checkout."""
    inside = PACKAGE / "configs"
    return inside if inside.is_dir() else PACKAGE.parent / "configs"


def configuration_names(kind: str) -> list[str]:
    """Return the names of the configurations of a kind (``match``, ``tournament``) that we ship."""
    return sorted(path.stem for path in (config_folder() / kind).glob("*.toml"))


def read_configuration(kind: str, name: str) -> dict[str, Any]:
    """Return what a configuration says, unchecked.

    Args:
        kind: ``match`` or ``tournament``.
        name: of a file that we ship (``demo``), or a path.

    Raises:
        ConfigError: there is no such file, or it is neither TOML nor, named ``.json``, an object in JSON.
    """
    names = configuration_names(kind)
    path = config_folder() / kind / f"{name}.toml" if name in names else Path(name)
    try:
        text = path.read_text(encoding="utf-8")
        described = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
    except (FileNotFoundError, IsADirectoryError):
        raise ConfigError(
            f"no configuration {name!r}; there are {', '.join(names) or 'none'}, and paths of your own files. "
            f"Games are {', '.join(BUILT_IN)}"
        ) from None
    except (OSError, ValueError, RecursionError) as error:  # not readable, not text, neither TOML nor JSON
        raise ConfigError(f"{path}: {error}") from None
    if not isinstance(described, dict):
        raise ConfigError(f"{path}: expected an object, got {type(described).__name__}")
    return described
