"""One HTML page in which a few games are watched: no network, no other file.

Pictures of a game share most of their layers.  Each different layer is kept once, a frame is a list of numbers, and
all of it is compressed.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from kgb_env import Game, Replay, __version__
from kgb_env.registry import changed_options
from kgb_env.render.svg import FONTS, MONOSPACE, PALETTE
from kgb_env.replay import Position

from .players import players
from .thoughts import Thinkers
from .timeline import NOTHING_SEEN, SPECTATOR, Step, last_seen, timeline

OnStep = Callable[[], None]  # called after every frame
NOTHING = {"picture": [], "told": [NOTHING_SEEN], "mover": None, "ply": 0, "thoughts": []}  # the frame of who saw none


class Shelf:
    """Keeps each different thing once, and gives it a number."""

    def __init__(self) -> None:
        self._numbers: dict[Any, int] = {}

    def number(self, thing: Any) -> int:
        """Return the number of a thing."""
        return self._numbers.setdefault(thing, len(self._numbers))

    @property
    def things(self) -> list[Any]:
        """All things, by number."""
        return list(self._numbers)


def page(
    replays: Sequence[tuple[int, Replay]],
    seat: int | None = SPECTATOR,
    with_thoughts: bool = True,
    on_step: OnStep = lambda: None,
) -> str:
    """Return a page that shows some games.

    Args:
        replays: the games, each with its number in the file.
        seat: whose view alone the page holds; SPECTATOR for everything: the open game and all views.
        with_thoughts: also show what agents that say it thought at their decisions.
        on_step: called after every frame.

    Raises:
        ReplayError: a game cannot be played again.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    told = {"games": [game_data(number, replay, seat, with_thoughts, on_step) for number, replay in replays]}
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    titles = sorted({replay.game.title for _, replay in replays})
    return environment.get_template("page.html.jinja").render(
        title=f"{', '.join(titles)}: a replay",
        data=_packed(told),
        palette=PALETTE,
        fonts=FONTS,
        monospace=MONOSPACE,
        version=__version__,
    )


def frames_in(replay: Replay, positions: Sequence[Position], seat: int | None) -> int:
    """Return at most how many frames a page shows of a game."""
    return len(positions) * (1 if seat is not SPECTATOR else 1 + replay.game.seats)


def game_data(
    number: int, replay: Replay, seat: int | None, with_thoughts: bool = True, on_step: OnStep = lambda: None
) -> dict[str, Any]:
    """Return what the page knows of a game: from SPECTATOR everything, from a seat what that seat sees alone."""
    game, positions = replay.game, list(replay.positions())
    seats = range(game.seats) if seat is SPECTATOR else [seat]
    thinkers = Thinkers(replay, seats) if with_thoughts else None
    layers, tables = Shelf(), Shelf()

    def frame(step: Step, viewer: int | None) -> dict[str, Any]:
        picture = game.picture(step.record)
        mover = int(step.record["to_move"][0])
        thoughts = thinkers.of(positions[step.ply].states) if thinkers and viewer in (SPECTATOR, mover) else ()
        on_step()
        return {
            "picture": [layers.number(picture.head), *map(layers.number, picture.layers)],
            "told": step.told,
            "mover": mover,
            "ply": step.ply,
            "thoughts": [tables.number(_as_texts(table)) for table in thoughts],
        }

    def viewpoint(viewer: int | None) -> dict[str, Any]:
        names = players(replay, last_seen(replay, positions, viewer))
        return {
            "seat": viewer,
            "name": "Spectator: everything" if viewer is SPECTATOR else f"Seat {viewer}: {names[viewer]}",
            "agents": names,
            "frames": [frame(step, viewer) for step in timeline(replay, positions, viewer)] or [NOTHING],
            "result": result_text(replay, viewer),
        }

    shown = [viewpoint(viewer) for viewer in ([SPECTATOR, *seats] if seat is SPECTATOR else seats)]
    if seat is not SPECTATOR:
        for k, each in enumerate(shown[0]["frames"]):
            each["ply"] = k  # how many decisions there were in between is not for it to know
    return {
        "number": number,
        "title": game.title,
        "facts": f"{options_told(game)}Written by kgb {replay.version}.",
        "layers": layers.things,
        "tables": tables.things,
        "views": shown,
    }


def result_text(replay: Replay, viewer: int | None) -> str:
    """Say how a game ended; why it was broken off may be a secret of the seat that did."""
    if replay.returns is None:
        return replay.reason if viewer is SPECTATOR else "broken off"
    got = ", ".join(f"seat {seat} {each:+g}" for seat, each in enumerate(replay.returns))
    return f"{replay.reason}: {got}"


def options_told(game: Game) -> str:
    """Return the options that are not what they are by default, as a sentence and a space; or nothing."""
    changed = [f"{name}={value}" for name, value in changed_options(game).items()]
    return f"Options: {', '.join(changed)}. " if changed else ""


def _as_texts(table: Any) -> tuple[Any, ...]:
    """Return a table of an agent as what a shelf can keep."""
    return table.title, tuple(table.columns), tuple(map(tuple, table.rows)), table.note


def _packed(data: Any) -> str:
    """Return data as compressed JSON in base 64: pictures of a long game shrink to a thirtieth."""
    return base64.b64encode(zlib.compress(json.dumps(data, separators=(",", ":")).encode(), 9)).decode()
