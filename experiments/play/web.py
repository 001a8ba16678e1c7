"""The page: routes, what is refused, and the headers that keep secrets on it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from time import monotonic
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from pydantic import Field
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kgb_env import KGBError
from kgb_env.registry import changed_options
from kgb_env.render.svg import PALETTE, SEAT_COLOURS

from ..config import Configuration
from . import words
from .forms import configure_safely, forms, offered_agents
from .rooms import House, RefusalError, Room

HERE = Path(__file__).parent
LONGEST_BODY = 16 * 1024  # bytes of a request
LONGEST_MESSAGE = 600  # letters
PATIENCE = 20.0  # seconds that a page waits for news at a time
PULSE = 0.05  # seconds between two looks for news
LOCAL_HOSTS = ("localhost", "127.0.0.1", "[::1]")
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
TEMPLATES = Environment(
    loader=FileSystemLoader(HERE / "templates"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
)


class Seat(Configuration):
    """Which seat a person wants."""

    seat: int


class Chosen(Configuration):
    """A person's move, and the version of the scene that he had before his eyes."""

    version: int
    move: str


class Wish(Configuration):
    """A game that a person thinks of."""

    game: str
    options: dict[str, Any] = Field({})


# Answers


def answer(content: Any, status: int = 200) -> Response:
    """Return JSON that any client can read: letters that are none are escaped."""
    return Response(json.dumps(content, allow_nan=False), status, media_type="application/json")


def page(name: str, status: int = 200, **told: Any) -> HTMLResponse:
    """Return a page from its template."""
    return HTMLResponse(TEMPLATES.get_template(f"{name}.html.jinja").render(**told), status)


async def refuse(request: Request, error: Exception) -> Response:
    """Say what was wrong, as a page to those who read pages."""
    status = error.status_code if isinstance(error, HTTPException) else getattr(error, "status", 422)
    message = error.detail if isinstance(error, HTTPException) else " ".join(str(error).split())
    message = message if len(message) <= LONGEST_MESSAGE else f"{message[:LONGEST_MESSAGE]}..."
    if request.method == "GET" and "text/html" in request.headers.get("accept", ""):
        response: Response = page("error", status, code=status, message=message)
    else:
        response = answer({"error": message}, status)
    response.headers.update(getattr(error, "headers", None) or {})
    return response


async def sent(request: Request) -> dict[str, Any]:
    """Return the object that a request holds.

    Raises:
        RefusalError: it is too long, or no object in JSON.
    """
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise RefusalError(415, "send JSON: Content-Type: application/json")
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > LONGEST_BODY:
            raise RefusalError(413, f"the longest request is {LONGEST_BODY} bytes")
    try:
        told = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise RefusalError(422, f"not JSON: {error}") from None
    if not isinstance(told, dict):
        raise RefusalError(422, f"expected an object, got {type(told).__name__}")
    return told


# The lobby


async def lobby(request: Request) -> Response:
    """Show the games that may be begun."""
    return page("lobby", forms=forms())


async def check(request: Request) -> Response:
    """Say how many seats a game with some options has, and who may have them."""
    house: House = request.app.state.house
    wish = Wish.parse(await sent(request), "a game")
    game = await run_in_threadpool(configure_safely, wish.game, wish.options)
    return answer({"seats": game.seats, "agents": offered_agents(game.id, house.agents)})


async def create(request: Request) -> Response:
    """Begin a game."""
    room = await run_in_threadpool(request.app.state.house.create, await sent(request))
    return answer({"code": room.code, "url": f"/game/{room.code}"}, 201)


# A game


def _room(request: Request) -> Room:
    return request.app.state.house.room(request.path_params["code"])


def rules_of(room: Room) -> str:
    """Return the rules of a game as HTML."""
    return words.as_html(words.rules(room.game))


async def game(request: Request) -> Response:
    """Show who plays, and the seats that are free."""
    room = _room(request)
    told = await run_in_threadpool(rules_of, room)
    return page("game", code=room.code, title=room.game.title, options=changed_options(room.game), rules=told)


async def game_state(request: Request) -> Response:
    """Say what anybody may know of a game."""
    room = _room(request)
    return answer({"status": room.status, "seats": room.seats()})


async def sit(request: Request) -> Response:
    """Let a person take a seat."""
    wanted = Seat.parse(await sent(request), "a seat")
    token = await run_in_threadpool(request.app.state.house.sit, request.path_params["code"], wanted.seat)
    return answer({"url": f"/seat/{token}"}, 201)


async def replay(request: Request) -> Response:
    """Return a game that is over as a line of JSON."""
    is_game = "code" in request.path_params
    room = _room(request) if is_game else request.app.state.house.place(request.path_params["token"])[0]
    line = await run_in_threadpool(room.replay_line)
    name = f'attachment; filename="{room.game.id}.jsonl"'
    return Response(f"{line}\n", media_type="application/x-ndjson", headers={"Content-Disposition": name})


# A seat


async def seat(request: Request) -> Response:
    """Show the page of a seat; what is on it, it asks for itself."""
    room, number = request.app.state.house.place(request.path_params["token"])
    told = await run_in_threadpool(rules_of, room)
    return page("seat", title=room.game.title, seat=number, code=room.code, rules=told)


async def seat_state(request: Request) -> Response:
    """Return what a seat is shown, as soon as it is not what the page has already."""
    house: House = request.app.state.house
    room, number = house.place(request.path_params["token"])
    since = _number(request.query_params.get("since"))
    until, seen = monotonic() + PATIENCE, -1
    while True:
        if room.changes != seen:
            seen = room.changes
            shown = await run_in_threadpool(room.scene, number, since)
            if shown is not None:
                return answer(shown)
        if monotonic() > until or house.is_closing:
            return Response(status_code=204)
        await asyncio.sleep(PULSE)


def _number(text: str | None) -> int | None:
    if text is None:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) < 20):
        raise RefusalError(422, f"since={text[:30]!r}: it must be the version of an earlier answer")
    return int(text)


async def move(request: Request) -> Response:
    """Play a person's move."""
    room, number = request.app.state.house.place(request.path_params["token"])
    chosen = Chosen.parse(await sent(request), "a move")
    await run_in_threadpool(room.move, number, chosen.version, chosen.move)
    return answer({})


async def palette(request: Request) -> Response:
    """Return the colours of the pictures as a style sheet."""
    colours = "".join(f"--{name}: {colour}; " for name, colour in PALETTE._asdict().items())
    seats = "".join(f".disc.seat-{seat} {{ border-color: {colour}; }}\n" for seat, colour in enumerate(SEAT_COLOURS))
    return PlainTextResponse(f":root {{ {colours}}}\n{seats}", media_type="text/css")


class Doorkeeper:
    """Lets in who asks for one of our own addresses, and puts the headers on every answer.

    A page elsewhere, whose name was made to point here, asks for that name and gets nothing.

    Args:
        app: what is guarded.
        hosts: names and addresses without ports.
    """

    def __init__(self, app: ASGIApp, hosts: Sequence[str]) -> None:
        self._app, self._hosts = app, {host.lower() for host in hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
            await send(message)

        if self._is_ours(scope):
            await self._app(scope, receive, send_with_headers)
        else:
            await PlainTextResponse("this address is not served; kgb serve --host ADDRESS serves it", 400)(
                scope, receive, send_with_headers
            )

    def _is_ours(self, scope: Scope) -> bool:
        given = [value for name, value in scope["headers"] if name == b"host"]
        if len(given) != 1:
            return False
        name, colon, port = given[0].decode("latin-1").lower().rpartition(":")
        return (name if colon and port.isdecimal() else given[0].decode("latin-1").lower()) in self._hosts


def make_app(house: House, hosts: Sequence[str] = ()) -> ASGIApp:
    """Return the application.

    Args:
        house: its games; they are ended and saved when it stops.
        hosts: names and addresses that it may be asked for, besides those of this machine for itself.
    """

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        await run_in_threadpool(house.close)

    def route(path: str, endpoint: Callable[..., Any], method: str = "GET") -> Route:
        return Route(path, endpoint, methods=[method])

    app = Starlette(
        routes=[
            route("/", lobby),
            route("/check", check, "POST"),
            route("/games", create, "POST"),
            route("/game/{code}", game),
            route("/game/{code}/state", game_state),
            route("/game/{code}/sit", sit, "POST"),
            route("/game/{code}/replay", replay),
            route("/seat/{token}", seat),
            route("/seat/{token}/state", seat_state),
            route("/seat/{token}/move", move, "POST"),
            route("/seat/{token}/replay", replay),
            route("/palette.css", palette),
            Mount("/static", StaticFiles(directory=HERE / "static")),
        ],
        exception_handlers={KGBError: refuse, HTTPException: refuse},
        lifespan=lifespan,
    )
    app.state.house = house
    return Doorkeeper(app, (*LOCAL_HOSTS, *hosts))
