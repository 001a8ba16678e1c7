"""Imports run one way, and modules are of a size that can be read."""

import ast
import re
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("kgb_env", "agents", "experiments")
LAYERS = ("spec", "rules", "views", "text", "__init__")

pytestmark = pytest.mark.nojit


def modules():
    return [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]


def imported(path):
    """Return the absolute names of the modules that a file imports, at its top or in functions."""
    names = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                folder = path.relative_to(ROOT).parent.parts[: 1 - node.level or None]
                base = ".".join((*folder, base)).rstrip(".")
            names += [f"{base}.{alias.name}" for alias in node.names]
    return names


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(ROOT)))
def test_packages_are_imported_one_way(path):
    rank = PACKAGES.index(path.relative_to(ROOT).parts[0])
    later = PACKAGES[rank + 1 :]
    assert not [name for name in imported(path) if name.split(".")[0] in later]


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(ROOT)))
def test_modules_can_be_read(path):
    assert len(path.read_text().splitlines()) <= 500
    assert ast.get_docstring(ast.parse(path.read_text()))


@pytest.mark.parametrize("game", [path.parent.name for path in sorted((ROOT / "kgb_env/games").glob("*/__init__.py"))])
def test_inside_a_game_imports_run_one_way(game):
    folder = ROOT / "kgb_env/games" / game
    for rank, layer in enumerate(LAYERS):
        for name in imported(folder / f"{layer}.py"):
            for later in LAYERS[rank + 1 :]:
                assert not name.startswith(f"kgb_env.games.{game}.{later}"), f"{layer} imports {name}"


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(ROOT)))
def test_no_field_hides_behind_an_attribute_of_records(path):
    """Without the JIT ``record.size`` is NumPy's own attribute, not the field."""
    fields = re.findall(r'\("(\w+)", "(?:[iuf]\d|\?)"', path.read_text())
    assert not set(fields) & set(dir(np.record))
