"""What results are of: the plan, the sources, versions, the state of git, the machine."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import subprocess
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import agents
import kgb_env
from agents.names import file_of, is_from_outside, module_file
from kgb_env import Game, __version__

from ..config import PACKAGE
from ..statistics import data_digests
from .plan import Plan

OUTSIDE = "agents from outside"
IDENTITY = "plan", "sources", "data", OUTSIDE  # what must not change while a tournament goes on
LIBRARIES = "numpy", "numba", "scipy", "pettingzoo", "openskill"


def manifest_of(plan: Plan) -> dict[str, str]:
    """Return texts by name: everything that one needs to know to get the same figures again."""
    return {
        "plan": plan.to_json(),
        "sources": f"kgb-env {__version__}, {source_digest()}",
        "data": json.dumps({event.title: game_digests(event.game_of()) for event in plan.events}, sort_keys=True),
        OUTSIDE: json.dumps(outside_agents(plan), sort_keys=True),
        "libraries": json.dumps({name: _version(name) for name in LIBRARIES}),
        "git": _git_state(),
        "machine": f"{platform.platform()}, {platform.machine()}, {os.cpu_count()} CPUs",
        "python": platform.python_version(),
    }


def outside_agents(plan: Plan) -> dict[str, str]:
    """Return a digest of the file of every agent that is none of this project's."""
    return {
        name: file_digest(file_of(game, name))
        for game, names in ((event.game_of().id, event.agents) for event in plan.events)
        for name in names
        if is_from_outside(game, name)
    }


def game_digests(game: Game) -> dict[str, str]:
    """Return digests of what a game has from elsewhere: its data files, and the file of a game that is not ours."""
    own = {"game": file_digest(module_file(game.id.partition(":")[0]))} if ":" in game.id else {}
    return {**data_digests(game), **own}


def file_digest(path: Path | None) -> str:
    """Return a digest of a file."""
    if path is None or not path.is_file():
        return "no file"
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


@cache
def source_digest() -> str:
    """Return a digest of the files of this project, code and data: others may play otherwise."""
    hashed = hashlib.sha256()
    for folder in (Path(kgb_env.__path__[0]), Path(agents.__path__[0]), PACKAGE):
        for path in sorted(folder.rglob("*")):
            inside = path.relative_to(folder)
            is_hidden = any(part.startswith((".", "__pycache__")) for part in inside.parts)
            is_said_elsewhere = path.suffix == ".md" or inside.parts[0] == "configs"
            if path.is_file() and not is_hidden and not is_said_elsewhere:
                hashed.update(f"{folder.name}/{inside.as_posix()}\0".encode() + path.read_bytes() + b"\0")
    return hashed.hexdigest()[:16]


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def _git_state() -> str:
    """Return the commit that runs, and whether files were changed since."""
    command = ["git", "-C", str(PACKAGE), "describe", "--always", "--dirty", "--abbrev=40"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=10).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return "no repository"
