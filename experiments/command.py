"""What every command of ``kgb`` has in common: the application, guarded functions, arguments that many take."""

from __future__ import annotations

import signal
from collections.abc import Callable
from functools import wraps
from types import FrameType
from typing import Annotated, Any

import typer

app = typer.Typer(
    help="Spy games with hidden information: look at them, let agents play matches, rate them, measure the speed.",
    epilog="Begin with `kgb list`, then `kgb show confusion --seed 7`, then `kgb match demo`.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
)

GameArgument = Annotated[str, typer.Argument(metavar="GAME", help="The id of a game, as in `kgb list`.")]
OptionFlags = Annotated[
    list[str] | None,
    typer.Option(
        "--option",
        "-o",
        metavar="NAME=VALUE",
        show_default=False,
        help="An option of the game, as in `kgb list`; may be given several times.",
    ),
]
DeadlineFlag = Annotated[
    float | None, typer.Option(help="Seconds that an agent from outside has for an answer. Default: 10.")
]


def command(name: str, epilog: str, of: typer.Typer = app) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make a function a command; what goes wrong is said in one line, without a traceback."""

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        @wraps(function)
        def guarded(*args: Any, **kwargs: Any) -> None:
            try:
                function(*args, **kwargs)
            except KeyboardInterrupt as stop:
                say(f"kgb: interrupted{f': {stop}' if str(stop) else ''}")
                raise typer.Exit(130) from None
            except Exception as error:
                from kgb_env import KGBError

                if not isinstance(error, KGBError):
                    raise
                say(f"kgb: {' '.join(str(error).split())}")
                raise typer.Exit(2) from None

        return of.command(name, epilog=epilog)(guarded)

    return decorate


def when_hung_up(handle: Callable[[int, FrameType | None], None]) -> None:
    """Say what is done when the terminal is gone; nothing is, where there is no such signal or under nohup."""
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:
        signal.signal(signal.SIGHUP, handle)


def stop_once(sign: int, frame: FrameType | None) -> None:
    """Stop as by Ctrl-C; the same signal often comes twice, and must not disturb what is saved then."""
    signal.signal(sign, signal.SIG_IGN)
    signal.default_int_handler(sign, frame)


def say(line: str) -> None:
    """Print a line for a person, apart from results."""
    typer.echo(line, err=True)
