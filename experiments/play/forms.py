"""What the page lets a person choose: games, their options, agents; and what it refuses."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

from pydantic import Field

from agents import AgentError, agent_names
from kgb_env import Game, OptionError
from kgb_env import game as configure
from kgb_env.registry import BUILT_IN, definition, passing, preset_ids

from ..config import ConfigError, Configuration
from ..outside import DEADLINE, OutsideAgent, make_player
from .session import require_playable, strongest_agent

NOT_ASKED = ("auto_answer",)  # options that no person plays with; see `require_playable`
NOT_OFFERED = ("llm",)  # agents that cost money: they may be chosen if the command line names them
KINDS = {"integer": "whole", "number": "number", "boolean": "switch"}  # of values, by JSON schema


class NewGame(Configuration):
    """What a person asks for."""

    game: str = Field(description="id of a game or of a preset")
    options: dict[str, Any] = Field({}, description="options that are not as they are by default")
    seats: list[str | None] = Field([], description="an agent for each seat, null for a person")


class Question(NamedTuple):
    """An option on a form.

    Attributes:
        name: of the option.
        kind: ``whole``, ``number``, ``switch``, ``choice``, ``sets`` (some of the choices, once for each seat), or
            ``json`` for anything else.
        default: its value if nothing else is said.
        meaning: in a few words.
        choices: for ``choice`` and ``sets``.
        least: the least number, or None.
        most: likewise.
    """

    name: str
    kind: str
    default: Any
    meaning: str
    choices: tuple[str | None, ...] = ()
    least: float | None = None
    most: float | None = None


class Form(NamedTuple):
    """What is asked about a game, or a preset of one."""

    id: str
    game: str
    preset: str
    title: str
    summary: str
    questions: tuple[Question, ...]


def forms() -> list[Form]:
    """Return a form for every game of ours, and for each of its presets."""
    return [_form(id) for id in BUILT_IN] + [_form(id) for id in preset_ids()]


def _form(id: str) -> Form:
    game, _, preset = id.partition("-")
    defined = definition(game)
    schema = defined.options.model_json_schema()
    defaults = dict(defined.presets.get(preset, {}))
    questions = tuple(
        _question(game, name, told, defaults.get(name, told.get("default")))
        for name, told in schema["properties"].items()
        if name not in NOT_ASKED
    )
    return Form(id, game, preset, defined.title, defined.summary, questions)


def _question(game: str, name: str, told: dict[str, Any], default: Any) -> Question:
    """Return the question about an option, from what JSON schema tells of it."""
    parts = told.get("anyOf", [told])
    value = next(part for part in parts if part.get("type") != "null")
    may_be_none = len(parts) > 1
    meaning = plain(told.get("description", ""))
    if name in definition(game).files:
        choices = (None,) * may_be_none + tuple(shipped(game, name))
        return Question(name, "choice", default, meaning.partition(":")[0], choices)
    if sets := value.get("prefixItems"):
        parts = [tuple(part) for part in default] or [()] * len(sets)
        return Question(name, "sets", parts, meaning.partition(",")[0], tuple(sets[0]["items"]["enum"]))
    if "enum" in value:
        return Question(name, "choice", default, meaning, tuple(value["enum"]))
    kind = KINDS.get(value.get("type", ""), "json")
    return Question(name, kind, default, meaning, (), value.get("minimum"), value.get("maximum"))


def plain(text: str) -> str:
    """Return an explanation without the numbers of rulings at its end, and without Markdown."""
    return re.sub(r"\s*\([A-Z]\d+(, [A-Z]\d+)*\)$", "", text).replace("`", "")


def shipped(game: str, option: str) -> list[str]:
    """Return the names of the data files that an option may name on the page."""
    return sorted(path.stem for path in definition(game).files[option].glob("*.txt"))


@cache
def fault_of(game: str, name: str) -> str:
    """Return why an agent that the command line names cannot play a game, or nothing; it is made to find out."""
    try:
        player = make_player(configure(game), name, DEADLINE)
    except AgentError as error:
        return str(error)
    if isinstance(player, OutsideAgent):
        player.close()
    return ""


def require_player(name: str) -> None:
    """Refuse an agent that plays no game of ours.

    Raises:
        AgentError: why it does not play them.
    """
    faults = [fault_of(id, name) for id in BUILT_IN]
    if all(faults):
        raise AgentError(faults[0])


def offered_agents(game: str, more: Sequence[str]) -> list[str]:
    """Return the agents that may be chosen for a game, its strongest first.

    Args:
        game: its id.
        more: agents that the command line names; those that cannot play the game are left out.
    """
    strongest = strongest_agent(game)
    others = [name for name in agent_names(game) if name not in (strongest, *NOT_OFFERED)]
    return list(dict.fromkeys([strongest, *reversed(others), *(name for name in more if not fault_of(game, name))]))


def configure_safely(id: str, options: dict[str, Any]) -> Game:
    """Return a game that a person on the page may choose, without keeping it.

    No option of it names a file of the server's but a shipped one, and no id a module.

    Raises:
        OptionError: there is no such game, or an option is not allowed.
        ConfigError: it is not for persons.
    """
    if id not in (*BUILT_IN, *preset_ids()):
        raise OptionError(f"no game {id!r}; there are {', '.join((*BUILT_IN, *preset_ids()))}")
    base = id.partition("-")[0]
    for name in definition(base).files:
        if options.get(name) is not None and options[name] not in shipped(base, name):
            raise OptionError(f"{name}={options[name]!r}: on the page it is one of {', '.join(shipped(base, name))}")
    game = passing(id, **options)
    require_playable(game)
    return game


def require_offered(game: Game, seats: Sequence[str | None], more: Sequence[str]) -> None:
    """Refuse seats that are too many or too few, games without persons, and agents that the page does not offer.

    Raises:
        ConfigError: what is wrong, and what is allowed.
    """
    if len(seats) != game.seats:
        raise ConfigError(f"{len(seats)} seats are filled; {game.id} with these options has {game.seats}")
    if None not in seats:
        raise ConfigError("no seat is a person's; one at least must be (null)")
    offered = offered_agents(game.id, more)
    for name in seats:
        if name is not None and name not in offered:
            raise ConfigError(f"no agent {name!r} is offered; there are {', '.join(offered)}, and null for a person")
