"""Fill the generated tables of the games' pages, so that no number in them is typed by hand.

``python -m experiments.pages`` writes them, ``--check`` only tells whether a page is out of date.
A table stands between the lines ``<!-- table: NAME -->`` and ``<!-- end -->``.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import kgb_env
from kgb_env import Game
from kgb_env.games.confusion.spec import DIRECTIONS
from kgb_env.games.confusion.text import pieces_of
from kgb_env.registry import BUILT_IN, definition

GAMES = Path(kgb_env.__file__).parent / "games"
BLOCK = re.compile(r"(<!-- table: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def rows(*lines: tuple[object, ...]) -> str:
    """Return a Markdown table; the first line is its head."""
    head, *body = [f"| {' | '.join(map(str, line))} |" for line in lines]
    return "\n".join([head, "|" + "---|" * len(lines[0]), *body])


def facts(game: Game) -> str:
    """Return the sizes and bounds of a game."""
    return rows(
        ("Fact", "Value"),
        ("Import", f"`kgb_env.make({game.id!r})`, `pettingzoo.make('aec', 'kgb/{game.id}-v0')`"),
        ("Seats", game.seats),
        ("Actions", game.actions.size),
        ("Observation", f"int8, ({game.observation.size},)"),
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
    return rows(("`reason`", "Ending", "Kind", "When"), *kinds)


def pieces(game: Game) -> str:
    """Return Confusion's default pieces."""
    return rows(
        ("Number", "Piece", "Directions", "Distance", "Promotable"),
        *(
            (
                n,
                p.name,
                " ".join(d for d in DIRECTIONS if d in p.directions),
                p.distance,
                "yes" if p.is_promotable else "",
            )
            for n, p in enumerate(pieces_of(game), start=1)
        ),
        ("DA", "Double Agent", "as the opponent likes", "", ""),
    )


def presets(game: Game) -> str:
    """Return the presets of a game."""
    info = next(info for info in kgb_env.games() if info.id == game.id)
    return rows(
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
    }
    if game.id == "confusion":
        found["pieces"] = pieces(game)
        found["setup"] = f"```\n{game.notation.draw(game, game.begin()).partition(chr(10) * 2)[0]}\n```"
    return found


def filled(page: str, game: Game) -> str:
    """Return the text of a page with its tables made anew.

    Raises:
        KeyError: the page asks for a table that does not exist.
    """
    known = tables(game)
    return BLOCK.sub(lambda found: f"{found[1]}{known[found[2]]}\n{found[3]}", page)


def main(arguments: list[str]) -> int:
    """Write or check all pages; return the exit status."""
    is_check, stale = "--check" in arguments, []
    for id in BUILT_IN:
        path = GAMES / id / "README.md"
        old = path.read_text(encoding="utf-8")
        new = filled(old, kgb_env.game(id))
        if new != old:
            stale.append(str(path.relative_to(GAMES.parent.parent)))
            if not is_check:
                path.write_text(new, encoding="utf-8")
    if stale:
        print(f"{'out of date, run `python -m experiments.pages`' if is_check else 'written'}: {', '.join(stale)}")
    return int(is_check and bool(stale))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
