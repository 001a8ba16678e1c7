"""Games by id: ours, and anybody's as ``"module:ATTRIBUTE"``."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from threading import RLock
from typing import Any, NamedTuple

import numpy as np

from kgb_env.errors import OptionError, RecordError
from kgb_env.game import Game
from kgb_env.options import GameOptions, read_data_file

importlib.import_module("kgb_env.games")  # now: loaded later, the package would take the place of the function `games`

BUILT_IN = {
    "confusion": "kgb_env.games.confusion:DEFINITION",
    "double_agent": "kgb_env.games.double_agent:DEFINITION",
    "secret_formula": "kgb_env.games.secret_formula:DEFINITION",
    "suspicious": "kgb_env.games.suspicious:DEFINITION",
}


@dataclass(frozen=True)
class Definition:
    """What a game module offers: a title, its options, and how to build it.

    Attributes:
        build: called with (id, options, texts of the data files by option name).
        files: the options whose value names a data file, or is None, with the folder of those we ship.
        page_tables: tables of the game's own for its page, as Markdown by name.
        presets: named sets of options; ``"confusion-mini"`` is Confusion with its preset ``mini``.
    """

    title: str
    summary: str
    options: type[GameOptions]
    build: Callable[[str, Any, dict[str, str]], Game]
    files: Mapping[str, Path]
    presets: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    page_tables: Callable[[Game], dict[str, str]] = lambda game: {}


class GameInfo(NamedTuple):
    """One line of ``kgb_env.games()``."""

    id: str
    title: str
    summary: str
    options: dict[str, Any]  # with their defaults
    presets: dict[str, dict[str, Any]]  # ids of presets, and the options that they set


_GAMES: dict[tuple, Game] = {}  # equal games are one object
_BUILDING = RLock()  # held while a game is looked up or added


@cache
def definition(id: str) -> Definition:
    """Return what ``id`` names, or raise OptionError."""
    if not isinstance(id, str):
        raise OptionError(f"the id of a game is a text, got {type(id).__name__}")
    module, _, attribute = BUILT_IN.get(id, id).partition(":")
    if not (module and attribute) or module.startswith("."):
        raise OptionError(f"no game {id!r}; there are {', '.join(BUILT_IN)}, and 'module:ATTRIBUTE' for your own")
    try:
        found = getattr(importlib.import_module(module), attribute)
    except Exception as error:  # a module of somebody's own may fail in any way
        raise OptionError(f"no game {id!r}: {type(error).__name__}: {error}") from error
    if not isinstance(found, Definition):
        raise OptionError(f"{id!r} is a {type(found).__name__}, not a kgb_env.registry.Definition")
    return found


def game(id: str, /, **options: Any) -> Game:
    """Return the game ``id`` with these options.

    Args:
        id: an id of ``kgb_env.games()``, one of its presets (``"confusion-mini"``), or ``"module:ATTRIBUTE"``
            for a game of your own.
        options: see the game's page; an unknown name or a bad value raises OptionError.  They go
            before those of a preset.
    """
    return _intern(*_parsed(id, options))


def passing(id: str, /, **options: Any) -> Game:
    """Return a game as ``game`` does, but do not keep it: for a look at it, at the wish of anybody."""
    id, chosen, data = _parsed(id, options)
    return _GAMES.get(_key(id, chosen, data)) or definition(id).build(id, chosen, data)


def _parsed(id: str, options: dict[str, Any]) -> tuple[str, GameOptions, dict[str, str]]:
    """Return the game's own id, its options, and the texts of their data files."""
    id, preset = _split(id)
    defined = definition(id)
    chosen = defined.options.parse({**preset, **options})
    data = {
        name: read_data_file(name, value, folder)
        for name, folder in defined.files.items()
        if (value := getattr(chosen, name)) is not None
    }
    return id, chosen, data


def _split(id: str) -> tuple[str, Mapping[str, Any]]:
    """Return the game's own id, and the options of the preset that ``id`` names."""
    base, separator, name = id.partition("-")
    if not separator or base not in BUILT_IN:
        return id, {}
    presets = definition(base).presets
    if name not in presets:
        raise OptionError(f"{base} has no preset {name!r}; there are {', '.join(presets) or 'none'}")
    return base, presets[name]


def preset_ids() -> list[str]:
    """Return the ids of all presets."""
    return [f"{id}-{name}" for id in BUILT_IN for name in definition(id).presets]


def rebuild(id: str, options: dict[str, Any], data: dict[str, str]) -> Game:
    """Return the game that was pickled, without reading the user's files again."""
    return _intern(id, definition(id).options.parse(options), data)


def games() -> list[GameInfo]:
    """Return id, title, summary and options of every game of ours."""
    return [
        GameInfo(
            id,
            d.title,
            d.summary,
            d.options().model_dump(mode="json"),
            {f"{id}-{n}": dict(o) for n, o in d.presets.items()},
        )
        for id, d in ((id, definition(id)) for id in BUILT_IN)
    ]


def changed_options(game: Game) -> dict[str, Any]:
    """Return the options of a game that are not what they are by default."""
    default = definition(game.id).options().model_dump(mode="json")
    return {name: value for name, value in game.options.items() if value != default[name]}


def game_of(records: np.ndarray) -> Game:
    """Return the game that records belong to, as it has been configured in this process.

    Raises:
        RecordError: they are no records of one game, or nobody has configured it here.
    """
    names = records.dtype.names if isinstance(records, np.ndarray) else None
    if not names or "game" not in names or not records.size:
        raise RecordError(f"expected records of a game, got {type(records).__name__} of another kind")
    fingerprint = int(records["game"].flat[0])
    for found in list(_GAMES.values()):  # other threads may add some meanwhile
        if found.fingerprint == fingerprint and found.state == records.dtype:
            return found
    raise RecordError(
        f"no game with the fingerprint {fingerprint} has been configured in this process; "
        "call kgb_env.game(id, ...) with the options of these records first"
    )


def _key(id: str, options: GameOptions, data: dict[str, str]) -> tuple:
    return (id, options, *sorted(data.items()))


def _intern(id: str, options: GameOptions, data: dict[str, str]) -> Game:
    key = _key(id, options, data)
    with _BUILDING:
        if key not in _GAMES:
            _GAMES[key] = definition(id).build(id, options, data)
        return _GAMES[key]
