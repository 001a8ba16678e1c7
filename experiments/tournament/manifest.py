"""What results are of: the plan, the sources, versions, the state of git, the machine."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import subprocess
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

import agents
import kgb_env
from agents.names import is_from_outside, module_of
from kgb_env import __version__
from kgb_env.jit import digest

from ..config import PACKAGE
from .plan import Plan

OUTSIDE = "agents from outside"
IDENTITY = "plan", "sources", OUTSIDE  # what must not change while a tournament goes on
LIBRARIES = "numpy", "numba", "scipy", "pettingzoo", "openskill"


def manifest_of(plan: Plan) -> dict[str, str]:
    """Return texts by name: everything that one needs to know to get the same figures again."""
    return {
        "plan": plan.to_json(),
        "sources": f"kgb-env {__version__}, {source_digest()}",
        OUTSIDE: json.dumps(outside_agents(plan), sort_keys=True),
        "libraries": json.dumps({name: _version(name) for name in LIBRARIES}),
        "git": _git_state(),
        "machine": f"{platform.platform()}, {platform.machine()}, {os.cpu_count()} CPUs",
        "python": platform.python_version(),
    }


def outside_agents(plan: Plan) -> dict[str, str]:
    """Return a digest of the file of every agent that is none of this project's."""
    return {
        name: file_digest(module_of(game, name))
        for game, names in ((event.game_of().id, event.agents) for event in plan.events)
        for name in names
        if is_from_outside(game, name)
    }


def file_digest(module: str) -> str:
    """Return a digest of the file that a module is in, without importing it."""
    try:
        found = find_spec(module)
    except (ImportError, ValueError):
        found = None
    if found is None or not found.has_location or found.origin is None:
        return "no file"
    return hashlib.sha256(Path(found.origin).read_bytes()).hexdigest()[:16]


@cache
def source_digest() -> str:
    """Return a digest of the Python files of this project: another one may play otherwise."""
    folders = Path(kgb_env.__path__[0]), Path(agents.__path__[0]), PACKAGE
    return "-".join(digest(folder) for folder in folders)


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
