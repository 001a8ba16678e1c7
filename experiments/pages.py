"""Fill the generated tables of the pages, so that no number in them is typed by hand, and draw their pictures.

``python -m experiments.pages`` writes them, ``--check`` only tells whether a page or a picture is out of date.
A table stands between the lines ``<!-- table: NAME -->`` and ``<!-- end -->``, and what a command prints
after ``<!-- output: kgb ... -->``.
"""

from __future__ import annotations

import io
import json
import re
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

import kgb_env
from kgb_env import Game
from kgb_env.layout import markdown_table
from kgb_env.registry import BUILT_IN, definition

from .cli import app
from .pictures import SCENES, draw, page_table
from .training.evaluate import FIGURES
from .training.evaluation import figure, title_of
from .training.settings import Training

GAMES = Path(kgb_env.__file__).parent / "games"
EXPERIMENTS = Path(__file__).parent
BLOCK = re.compile(r"(<!-- table: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
OUTPUT = re.compile(r"(<!-- output: kgb (.+?) -->\n).*?(<!-- end -->)", re.DOTALL)


def facts(game: Game) -> str:
    """Return the sizes and bounds of a game."""
    return markdown_table(
        ("Fact", "Value"),
        ("Import", f"`kgb_env.make({game.id!r})`, `pettingzoo.make('aec', 'kgb/{game.id}-v0')`"),
        ("Seats", game.seats),
        ("Actions", game.actions.size),
        ("Observation", f"{game.observation_dtype}, ({game.observation.size},)"),
        ("Returns", f"{game.min_return:g} to {game.max_return:g}{', zero-sum' if game.zero_sum else ''}"),
        ("Most decisions in a game", game.max_plies),
        ("Bytes of a state", game.state.itemsize),
    )


def endings(game: Game) -> str:
    """Return the ways in which a game ends."""
    kinds = [
        (number, e.name, "truncation" if e.is_truncation else "termination", e.meaning)
        for number, e in enumerate(game.endings, start=1)
    ]
    return markdown_table(("`reason`", "Ending", "Kind", "When"), *kinds)


def presets(game: Game) -> str:
    """Return the presets of a game."""
    info = next(info for info in kgb_env.games() if info.id == game.id)
    return markdown_table(
        ("Preset", "Options"),
        *((f"`{id}`", ", ".join(f"`{k}={v!r}`" for k, v in o.items())) for id, o in info.presets.items()),
    )


def tables(game: Game) -> dict[str, str]:
    """Return the tables that a page may contain, by name."""
    found = {
        "facts": facts(game),
        "options": definition(game.id).options.table(),
        "actions": game.actions.table(),
        "observation": game.observation.table(),
        "endings": endings(game),
        "presets": presets(game),
        "pictures": page_table(game.id),
    }
    return found | definition(game.id).page_tables(game)


def settings() -> str:
    """Return all fields of a training's configuration."""
    rows = []
    for path, field in fields_of(Training):
        kind = getattr(field.annotation, "__name__", str(field.annotation).replace("typing.", ""))
        default = "" if field.is_required() else f"`{json.dumps(field.get_default(call_default_factory=True))}`"
        rows.append((f"`{path}`", re.sub(r" ?\| ?", " or ", kind), default, field.description))
    return markdown_table(("Field", "Type", "Default", "Meaning"), *rows)


def fields_of(part: type[BaseModel], path: str = "") -> Iterator[tuple[str, FieldInfo]]:
    """Yield the fields of a configuration and of its parts, with dotted names."""
    for name, field in part.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from fields_of(field.annotation, f"{path}{name}.")
        else:
            yield f"{path}{name}", field


def trained() -> str:
    """Return what trained agents have reached, from the evaluations that were kept."""
    rows = []
    for name, found in evaluations():
        for row in found["scores"]:
            figures = (figure(row, measure) for measure in FIGURES)
            rows.append((name, _agent(row["agent"]), title_of(row), f"{row['deals']:,}", *figures))
    return markdown_table(("Training", "Agent", "", "Deals", "Wins", "Returns"), *rows)


def compared() -> str:
    """Return by how much trained agents are better than others in the same place."""
    rows = []
    for name, found in evaluations():
        for row in found["differences"]:
            gains = (figure(row, measure, "+.3f") for measure in FIGURES)
            rows.append((name, _agent(row["than"]), title_of(row), *gains))
    return markdown_table(("Training", "Compared with", "", "Wins", "Returns"), *rows)


def evaluations() -> list[tuple[str, Any]]:
    """Return what `kgb evaluate --json` has printed of the trained agents, by training."""
    paths = sorted((EXPERIMENTS / "trained").glob("*.json"))
    return [(path.stem, json.loads(path.read_text(encoding="utf-8"))) for path in paths]


def _agent(name: str) -> str:
    return "the trained agent" if name.startswith("sb3:") else f"`{name}`"


def pages() -> dict[Path, Callable[[], dict[str, str]]]:
    """Return all pages that hold generated tables, and what makes these, by name."""
    found = {GAMES / id / "README.md": partial(tables, kgb_env.game(id)) for id in BUILT_IN}
    return {**found, EXPERIMENTS / "README.md": _of_experiments}


def _of_experiments() -> dict[str, str]:
    return {"settings": settings(), "trained": trained(), "compared": compared()}


def filled(page: str, known: dict[str, str]) -> str:
    """Return the text of a page with its tables and outputs made anew.

    Raises:
        KeyError: the page asks for a table that does not exist.
    """
    page = BLOCK.sub(lambda found: f"{found[1]}{known[found[2]]}\n{found[3]}", page)
    return OUTPUT.sub(lambda found: f"{found[1]}```text\n{output(found[2])}```\n{found[3]}", page)


def output(arguments: str) -> str:
    """Return what the command ``kgb`` prints with these arguments."""
    with redirect_stdout(io.StringIO()) as printed:
        app(shlex.split(arguments), standalone_mode=False)
    return printed.getvalue()


def texts() -> Iterator[tuple[Path, str]]:
    """Yield all files that are generated in whole or in part, with what they should hold."""
    for path, make_tables in pages().items():
        yield path, filled(path.read_text(encoding="utf-8"), make_tables())
    for id, scenes in SCENES.items():
        for scene in scenes:
            yield GAMES / id / "pictures" / f"{scene.name}.svg", draw(id, scene).svg


def main(arguments: list[str]) -> int:
    """Write or check all pages and pictures; return the exit status."""
    is_check, stale = "--check" in arguments, []
    for path, text in texts():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append("/".join(path.parts[-3:] if path.suffix == ".svg" else path.parts[-2:]))
            if not is_check:
                path.parent.mkdir(exist_ok=True)
                path.write_text(text, encoding="utf-8")
    if stale:
        print(f"{'out of date, run `python -m experiments.pages`' if is_check else 'written'}: {', '.join(stale)}")
    return int(is_check and bool(stale))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
