"""The commands of ``kgb`` for persons: ``play`` in the terminal, ``serve`` as a page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .command import DeadlineFlag, GameArgument, OptionFlags, command

PLAYED = Path("report/played")


@command(
    "play",
    "Examples:\n\n`kgb play confusion-mini`\n\n`kgb play double_agent --seat 2 --against naive --option players=3`\n\n"
    "`kgb play suspicious --against literal --against expert --against expert --against expert`",
)
def play(
    game: GameArgument,
    seat: Annotated[int, typer.Option(min=0, help="Your place at the table.")] = 0,
    against: Annotated[
        list[str] | None,
        typer.Option(
            metavar="AGENT",
            show_default=False,
            help="Who has the other seats: once for all of them, or once for each, in their order. "
            "Default: the strongest agent of the game.",
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, max=2**63 - 1, help="Of the deal and the agents. Default: a new one.")
    ] = None,
    option: OptionFlags = None,
    save: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Where the game is added. Default: report/played/ and the game's name."),
    ] = None,
    deadline: DeadlineFlag = None,
) -> None:
    """Play a game yourself, in the terminal.

    You see what your seat may know, and write moves in the notation of the game; `?` lists them, `? pet` those that
    hold these letters, `rules` tells the rules.
    The game is saved as a replay, even if you leave it (`quit`, or Ctrl-C at any time) before its end.
    """
    from agents import parse_agent
    from kgb_env import game as configure

    from .config import parse_options
    from .outside import DEADLINE, make_player
    from .play.session import PERSON, new_seed, require_playable, require_replays, require_writable, seat_labels
    from .play.terminal import play_in_terminal

    configured = configure(game, **parse_options(option or []))
    require_playable(configured)
    file = save or PLAYED / f"{configured.id}.jsonl"
    require_writable(file)
    require_replays(file)
    labels = [label and str(parse_agent(label)) for label in seat_labels(configured, seat, against or [])]
    agents = {label: make_player(configured, label, deadline or DEADLINE) for label in set(labels) if label}
    play_in_terminal(
        configured,
        [agents[label] if label else None for label in labels],
        [label or PERSON for label in labels],
        new_seed() if seed is None else seed,
        file,
    )


@command(
    "serve",
    "Examples:\n\n`kgb serve`\n\n`kgb serve --host 192.168.1.5 --port 8080`\n\n"
    "`kgb serve --agent 'ismcts(simulations=2000)'`",
)
def serve(
    host: Annotated[
        str,
        typer.Option(help="The address to listen at, and the only one besides localhost that browsers may ask for."),
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes a free one.")] = 8000,
    agent: Annotated[
        list[str] | None,
        typer.Option(
            metavar="AGENT",
            show_default=False,
            help="One more agent that may be chosen on the page; may be given several times.",
        ),
    ] = None,
    save: Annotated[Path, typer.Option(metavar="DIR", help="Where games are added as replays.")] = PLAYED,
    deadline: DeadlineFlag = None,
) -> None:
    """Serve a page on which people play the games, against agents and each other.

    Whoever opens a game's address may take a free seat; a seat's own address is the only way to see what it knows.
    Games are saved as replays when they are over, or when the server stops. All agents of one --agent share its budget.
    """
    from .outside import DEADLINE
    from .play.serve import run_server

    run_server(host, port, agent or [], save, deadline or DEADLINE)
