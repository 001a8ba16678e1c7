"""How a text becomes an agent: ``greedy``, ``ismcts(simulations=400)``, ``ismcts(rollout=greedy)``."""

from __future__ import annotations

import ast
import difflib
import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache, partial
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from agents.agent import Agent, AgentError
from agents.function import FunctionAgent
from kgb_env import Game
from kgb_env.registry import preset_ids

GROUP = "kgb_env.agents"
PROJECT = "kgb-env"
FORM = "write NAME or NAME(argument=value, ...), as in ismcts(simulations=400)"
FUNCTION = "function:"  # before the path of a function on observations
MODEL = "sb3:"  # before the path of a model of Stable-Baselines3
NAME = re.compile(r"[^\s()=,'\"]+")
LONGEST = 500  # letters of an agent
DEEPEST = 4  # agents inside of each other, each with brackets


class AgentCall(NamedTuple):
    """An agent's name and arguments; as a text it is what ``parse_agent`` reads."""

    name: str
    arguments: dict[str, Any]

    def __str__(self) -> str:
        arguments = ", ".join(f"{name}={_write(value)}" for name, value in self.arguments.items())
        return f"{self.name}({arguments})" if arguments else self.name


def parse_agent(text: str) -> AgentCall:
    """Read an agent's name and arguments.

    Values are Python literals.  A bare word is a string, and so is an agent with arguments of its own:
    ``ismcts(rollout=inference(answers=always_yes))``.  Any other string is written in quotes.  An agent has at most 500
    letters, and at most four are inside of each other.

    Raises:
        AgentError: the text is written otherwise; the message says where.
    """
    if not isinstance(text, str):
        raise AgentError(f"an agent is named by a text, got {type(text).__name__}; {FORM}")
    if len(text) > LONGEST:
        raise AgentError(f"agent {text[:40]!r}...: {len(text):,} letters, {LONGEST} are allowed; {FORM}")
    name, bracket, rest = text.strip().partition("(")
    name = name.rstrip()
    if not NAME.fullmatch(name):
        raise AgentError(f"agent {text!r}: {name!r} is no name; {FORM}")
    try:
        tree = ast.parse(f"_({rest}" if bracket else "_()", mode="eval").body
        if not (isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name)):
            raise AgentError("there is something after the closing bracket")
        if _depth(tree) > DEEPEST:
            raise AgentError(f"too deeply nested, {DEEPEST} agents inside of each other are allowed")
        return AgentCall(name, _arguments(tree))
    except SyntaxError as error:
        place = len(name) + max(0, (error.offset or 0) - 1)
        fault = f"{error.msg} (character {place})"
    except (AgentError, ValueError, RecursionError, MemoryError) as error:
        fault = str(error) or "too deeply nested"
    raise AgentError(f"agent {text!r}: {fault}; {FORM}")


def split_agents(text: str) -> list[str]:
    """Return the agents of a list with commas between them; commas inside brackets belong to an agent."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def _arguments(call: ast.Call) -> dict[str, Any]:
    """Return the arguments of a call, or raise AgentError."""
    arguments: dict[str, Any] = {}
    if call.args:
        raise AgentError(f"{ast.unparse(call.args[0])!r} has no name; arguments are named, as in simulations=400")
    for keyword in call.keywords:
        if keyword.arg is None:
            raise AgentError(f"{ast.unparse(keyword.value)!r} has no name; ** is not allowed")
        if keyword.arg in arguments:
            raise AgentError(f"{keyword.arg} is given twice")
        arguments[keyword.arg] = _read(keyword)
    return arguments


def _read(keyword: ast.keyword) -> Any:
    """Return the value of an argument."""
    written = ast.unparse(keyword.value)
    try:
        return ast.literal_eval(_BareWords().visit(keyword.value))
    except AgentError:
        raise
    except (TypeError, ValueError):
        raise AgentError(f"{keyword.arg}={written} is no Python literal, word or agent; put texts in quotes") from None


class _BareWords(ast.NodeTransformer):
    """Turns words, and agents with arguments, into strings."""

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.Constant(node.id)

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        return ast.Constant(ast.unparse(node))

    def visit_Call(self, node: ast.Call) -> ast.expr:
        return ast.Constant(str(AgentCall(ast.unparse(node.func), _arguments(node))))


def _depth(tree: ast.AST) -> int:
    """Return how many calls are inside of each other."""
    return isinstance(tree, ast.Call) + max(map(_depth, ast.iter_child_nodes(tree)), default=0)


def _write(value: Any) -> str:
    """Return a text that is read as ``value``: a word or an agent without quotes."""
    return value if isinstance(value, str) and _needs_no_quotes(value) else repr(value)


@lru_cache(maxsize=1024)  # to read an agent is to write those inside: each once, or the time doubles with every level
def _needs_no_quotes(text: str) -> bool:
    try:
        return parse_agent(f"_(_={text})").arguments == {"_": text}
    except AgentError:
        return False


def agent_names(game_id: str) -> list[str]:
    """Return the names of the agents that can play a game (or a preset of it), those for any game first."""
    if game_id in preset_ids():
        game_id = game_id.partition("-")[0]
    found = [point.name for point in entry_points(group=GROUP)]
    general = sorted(name for name in found if "." not in name)
    return general + sorted(name.removeprefix(f"{game_id}.") for name in found if name.startswith(f"{game_id}."))


def make_agent(game: Game | str, name: str, **arguments: Any) -> Agent:
    """Return the agent called ``name`` for a game.

    Names resolve through the entry-point group ``kgb_env.agents``: first ``GAME.NAME``, then
    ``NAME``; a package of your own can register agents there.  ``package.module:MyAgent`` is
    imported: anything that makes an agent when it is called with a game.
    ``function:package.module:choose`` is a function on observations, see ``FunctionAgent``; ``sb3:model.zip`` a model
    that Stable-Baselines3 has saved, see ``agents.sb3.SB3Agent``.

    Args:
        game: a configured game, or its id for the default options.
        name: one of ``agent_names(game.id)``, perhaps with arguments, as in ``"ismcts(simulations=400)"``;
            see ``parse_agent``.
        arguments: more of what the agent takes besides the game.

    Raises:
        AgentError: there is no such agent, or it does not take these arguments.
    """
    if isinstance(game, str):
        from kgb_env import game as configure

        game = configure(game)
    call = parse_agent(name)
    twice = sorted(call.arguments.keys() & arguments.keys())
    if twice:
        raise AgentError(f"agent {name!r}: {twice[0]} is given in the text and as a keyword")
    return _construct(call.name, _factory(game.id, call.name), game, {**call.arguments, **arguments})


def is_from_outside(game_id: str, name: str) -> bool:
    """Tell if an agent is none of this project's: named by an import path, or registered by another package.

    Raises:
        AgentError: there is no such agent.
    """
    call = parse_agent(name)
    if ":" in call.name:
        return True
    distribution = _entry_point(game_id, call.name).dist
    return distribution is not None and distribution.name != PROJECT


def own_class(game_id: str, name: str) -> Any:
    """Return what makes an agent that this project has for this game alone; None for any other agent.

    Args:
        game_id: the game's id.
        name: of the agent, without arguments.
    """
    if name not in agent_names(game_id) or name in agent_names(""):
        return None
    point = _entry_point(game_id, name)
    return point.load() if point.dist is not None and point.dist.name == PROJECT else None


def file_of(game_id: str, name: str) -> Path | None:
    """Return the file that an agent comes from, without importing it; None if there is none.

    Raises:
        AgentError: there is no such agent.
    """
    call = parse_agent(name)
    if call.name.startswith(MODEL):
        return Path(call.name.removeprefix(MODEL))
    path = call.name.removeprefix(FUNCTION) if ":" in call.name else _entry_point(game_id, call.name).value
    return module_file(path.partition(":")[0])


def module_file(module: str) -> Path | None:
    """Return the file of a module, without importing it; None if there is none."""
    try:
        found = find_spec(module)
    except (ImportError, ValueError):
        found = None
    return Path(found.origin) if found and found.has_location and found.origin else None


def _factory(game_id: str, name: str) -> Callable[..., Agent]:
    """Return what makes the agent of a name without arguments."""
    if ":" not in name:
        return _entry_point(game_id, name).load()
    if name.startswith(MODEL):
        from agents.sb3 import SB3Agent

        return partial(SB3Agent, path=name.removeprefix(MODEL))
    path = name.removeprefix(FUNCTION)
    try:
        found = EntryPoint(name, path, GROUP).load()
    except (ImportError, AttributeError, ValueError) as error:
        raise AgentError(
            f"agent {name!r}: {error}; an agent of your own is named package.module:MyAgent, "
            f"a function on observations {FUNCTION}package.module:choose"
        ) from None
    if not callable(found):
        raise AgentError(f"agent {name!r}: {path} is {type(found).__name__}, neither a class nor a function")
    if name.startswith(FUNCTION):
        return lambda game: FunctionAgent(game, found)
    return found


def _entry_point(game_id: str, name: str) -> EntryPoint:
    points = {point.name: point for point in entry_points(group=GROUP)}
    point = points.get(f"{game_id}.{name}", points.get(name) if "." not in name else None)
    if point is None:
        known = agent_names(game_id)
        listed = ", ".join(known) or "none: is kgb-env installed (pip install -e .)?"
        raise AgentError(f"no agent {name!r} plays {game_id}{_hint(name, known)}; there are {listed}")
    return point


def _construct(name: str, factory: Callable[..., Agent], game: Game, arguments: Mapping[str, Any]) -> Agent:
    """Call an agent's factory; what is wrong with the arguments becomes an AgentError."""
    _, *parameters = inspect.signature(factory).parameters.values()
    if all(parameter.kind != parameter.VAR_KEYWORD for parameter in parameters):
        taken = [parameter.name for parameter in parameters]
        for argument in arguments:
            if argument not in taken:
                allowed = f"it takes {', '.join(taken) or 'none'}"
                raise AgentError(f"agent {name!r}: there is no {argument!r}{_hint(argument, taken)}; {allowed}")
    try:
        inspect.signature(factory).bind(game, **arguments)
    except TypeError as error:
        raise AgentError(f"agent {name!r}: {error}") from None
    try:
        return factory(game, **arguments)
    except ValidationError as error:
        raise AgentError(f"agent {name!r}: {_explain(error)}") from None
    except AgentError as error:
        raise AgentError(f"agent {name!r}: {error}") from error.__cause__


def _hint(name: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, list(known), n=1)
    return f", did you mean {near[0]!r}" if near else ""


def _explain(error: ValidationError) -> str:
    """Say which values are wrong, and what each may be."""
    allowed: dict[str, list[str]] = {}
    for fault in error.errors():
        allowed.setdefault(f"{fault['loc'][0]}={fault['input']!r}", []).append(
            fault["msg"].removeprefix("Value error, ")
        )
    return "; ".join(f"{given}: {' or '.join(messages)}" for given, messages in allowed.items())
