"""How ``kgb serve`` runs: the page over HTTP, until Ctrl-C."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import FrameType

import typer
import uvicorn

from agents import parse_agent
from kgb_env.registry import BUILT_IN

from ..command import say, when_hung_up
from ..config import ConfigError
from .forms import require_player
from .rooms import House
from .session import require_writable
from .web import make_app

LAST_ANSWERS = 3  # seconds for those who wait when the server stops


class Server(uvicorn.Server):
    """A server that lets pages go, which wait for news, as soon as it is to stop.

    Args:
        config: of uvicorn.
        house: the games that are served.
    """

    def __init__(self, config: uvicorn.Config, house: House) -> None:
        super().__init__(config)
        self._house = house

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to stop."""
        self._house.is_closing = True
        super().handle_exit(sig, frame)

    def hang_up(self, sig: int, frame: FrameType | None) -> None:
        """Begin to stop, without a signal that would be raised once more."""
        self._house.is_closing = self.should_exit = True


def make_server(house: House, host: str) -> Server:
    """Return the server of some games, which does not write down addresses: they hold tokens."""
    hosts = [f"[{host}]" if ":" in host else host]
    config = uvicorn.Config(
        make_app(house, hosts),
        access_log=False,
        log_level="warning",
        server_header=False,
        timeout_graceful_shutdown=LAST_ANSWERS,
        ws="none",
    )
    return Server(config, house)


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens.

    Raises:
        ConfigError: the address is no address of this machine, or the port is taken.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen()  # who asks before the server has started waits
    except OSError as error:
        listener.close()
        raise ConfigError(
            f"{host}, port {port}: {error.strerror or error}; choose others by --host and --port"
        ) from None
    return listener


def run_server(host: str, port: int, agents: Sequence[str], folder: Path, deadline: float) -> None:
    """Serve the page until the process is asked to stop."""
    for id in BUILT_IN:
        require_writable(folder / f"{id}.jsonl")
    named = [str(parse_agent(name)) for name in agents]
    for name in named:
        require_player(name)
    house = House(folder, named, deadline)
    with listen(host, port) as listener:
        address = f"[{host}]" if ":" in host else host
        typer.echo(f"Open http://{address}:{listener.getsockname()[1]}/ in a browser; Ctrl-C stops.")
        server = make_server(house, host)
        when_hung_up(server.hang_up)
        with suppress(KeyboardInterrupt):  # uvicorn raises it once more when all is done
            server.run([listener])
    for path in house.close():
        with suppress(OSError):  # there may be no terminal any more
            say(f"Games are written in {path}.")
