"""The command ``kgb replay``: games that were written down are checked and shown."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .command import command


@command(
    "replay",
    "Examples:\n\n`kgb match confusion greedy random --games 10 --save games.jsonl`\n\n"
    "`kgb replay games.jsonl`\n\n"
    "`kgb replay games.jsonl --game 3 --html game.html`\n\n"
    "`kgb replay games.jsonl --game 3 --seat 1 --text`\n\n"
    "`kgb replay games.jsonl --game 3 --mp4 game.mp4 --fps 3`",
)
def replay(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="Games written down by `kgb match --save`.", show_default=False)
    ],
    game: Annotated[
        int | None, typer.Option(min=1, help="Only this game of the file, counted from 1.", show_default=False)
    ] = None,
    seat: Annotated[
        int | None,
        typer.Option(min=0, help="Whose eyes to look through; without it everything is open.", show_default=False),
    ] = None,
    text: Annotated[bool, typer.Option("--text", help="Print the game step by step.")] = False,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a page to watch it in a browser; it needs no network.")
    ] = None,
    thoughts: Annotated[
        bool, typer.Option("--thoughts/--no-thoughts", help="On the page: what agents that say it thought.")
    ] = True,
    gif: Annotated[Path | None, typer.Option(metavar="FILE", help="Write an animated GIF.")] = None,
    mp4: Annotated[Path | None, typer.Option(metavar="FILE", help="Write a video (extra `video`).")] = None,
    fps: Annotated[float, typer.Option(min=0.1, max=60, help="Of a film: steps a second; of a GIF at most 50.")] = 2.0,
    width: Annotated[int, typer.Option(min=64, max=4096, help="Of a film: pixels.")] = 800,
) -> None:
    """Check games that were written down, and list them; or show them as text, as a page or as a film.

    With --seat, all that is written or printed holds what that seat has seen, and nothing else.
    Open only files of those whom you trust: a game of the user's own is imported by its name.  Names of agents load
    nothing; on the page the project's own agents alone say what they thought.
    """
    from .replaying import show

    show.require_outputs(file, ((html, (".html", ".htm")), (gif, (".gif",)), (mp4, (".mp4",))))
    show.require_speed(gif, fps)
    films = [path for path in (gif, mp4) if path is not None]
    if text:
        show.print_game(file, game, seat)
    if html:
        show.write_page(file, game, seat, html, thoughts)
    if films:
        show.write_films(file, game, seat, films, fps, width)
    if not (text or html or films):
        show.print_list(file, game, seat)
