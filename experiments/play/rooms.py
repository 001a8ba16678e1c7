"""The games of a server: who may sit where, agents that think in threads of their own, saving."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import BoundedSemaphore, Lock, RLock
from time import monotonic
from typing import Any

from agents import Agent
from agents.agent import with_parts
from agents.llm import Purse, without_key
from kgb_env import Game, KGBError
from kgb_env import game as configure

from ..aside import Aside
from ..command import say
from ..outside import DEADLINE, let_go, make_player
from .forms import NewGame, configure_safely, require_offered
from .scene import scene
from .session import PERSON, Session, new_seed, save_game

MOST_GAMES = 100
MOST_CONFIGURATIONS = 200  # different games, with their options, in the life of a server: their tables stay in memory
MOST_BEGINNINGS = 4  # games that are being begun at a time: agents may take long to start, and others want to play
IDLE = 24 * 3600.0  # seconds without a visitor after which a game may make room for another
EMPTY = 600.0  # seconds after which a game may do so in which nobody has sat down


class RefusalError(KGBError):
    """A request that cannot be granted; ``status`` is the one of HTTP."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Room:
    """A game on the server.

    One lock guards it; agents think outside of the lock, in a thread that lives as long as agents have to move.
    They begin when the first person has sat down.
    What fails in it breaks off this game alone.

    Args:
        code: by which it is found.
        game: a configured game.
        players: the agent in each seat; None is a person.
        labels: what they are called.
        seed: see ``Session``.
        folder: where the game is saved.
    """

    def __init__(
        self, code: str, game: Game, players: Sequence[Agent | None], labels: Sequence[str], seed: int, folder: Path
    ) -> None:
        self.code, self.game, self.labels, self.lock = code, game, tuple(labels), RLock()
        self.session: Session | None = None  # until the rules are ready; compiling them may take minutes
        self.fault = ""  # why the game was broken off
        self.note = ""  # what went wrong with saving
        self.changes = 0  # the page waits for the next one; never told to anybody, since it counts all decisions
        self.begun = self.touched = monotonic()
        self.taken: set[int] = set()  # seats that persons have taken
        self.is_saved = False
        self._is_working = True
        self._players = tuple(players)
        self.path = folder / f"{game.id}.jsonl"
        self._versions: dict[int, tuple[bytes, int]] = {}  # what each seat has last been shown, and its number
        Aside(self._begin, seed, name=f"game {code}").start()

    # Questions

    def is_person(self, seat: int) -> bool:
        """Whether a person has this seat, or may have it."""
        return self._players[seat] is None

    @property
    def is_over(self) -> bool:
        """Whether nobody can move any more."""
        return bool(self.fault) or (self.session is not None and self.session.is_over)

    @property
    def status(self) -> str:
        """How the game is: ``preparing``, ``going``, ``over`` or ``broken``."""
        if self.fault:
            return "broken"
        if self.session is None:
            return "preparing"
        return "over" if self.session.is_over else "going"

    def seats(self) -> list[dict[str, Any]]:
        """Return what anybody may know of the seats."""
        return [
            {"seat": seat, "label": label, "is_person": self.is_person(seat), "is_taken": seat in self.taken}
            for seat, label in enumerate(self.labels)
        ]

    def scene(self, seat: int, since: int | None = None) -> dict[str, Any] | None:
        """Return what the page shows to a seat, or None if nothing is new.

        Its version counts what this seat has seen change, never the decisions of others.

        Args:
            seat: whose page it is.
            since: the version that the page has.
        """
        with self.lock:
            self.touched = monotonic()
            version = self._version(seat)
            if since == version:
                return None
            common = {
                "version": version,
                "seat": seat,
                "status": self.status,
                "seats": self.seats(),
                "fault": self.fault,
                "note": self.note,
            }
            if self.session is None:
                return common
            with self._guard("the picture"):
                return common | scene(self.session, seat, self.is_over)
            return common | {"status": self.status, "fault": self.fault}

    def _version(self, seat: int) -> int:
        """Return how often what a seat sees has changed."""
        view = b""
        with self._guard("the rules"):
            view = b"" if self.session is None else self.session.view(seat).tobytes()
        told = [self.status, self.fault, self.note, sorted(self.taken)]
        shown = hashlib.sha256(repr(told).encode() + view).digest()
        known, version = self._versions.get(seat, (b"", 0))
        if shown != known:
            version = version + 1 if version else 1 + secrets.randbelow(2**31)  # told apart from before a restart
            self._versions[seat] = shown, version
        return version

    # What persons do

    def sit(self, seat: int) -> str:
        """Let a person take a seat; return his token, which is kept nowhere here.

        Raises:
            RefusalError: there is no such seat for a person, or it is taken.
        """
        if not 0 <= seat < self.game.seats:
            raise RefusalError(422, f"seat={seat}: the seats are 0 to {self.game.seats - 1}")
        with self.lock:
            if not self.is_person(seat):
                raise RefusalError(409, f"seat {seat} is played by {self.labels[seat]}")
            if seat in self.taken:
                raise RefusalError(409, f"seat {seat} is taken")
            token = secrets.token_urlsafe(24)
            self.taken.add(seat)
            self.changes += 1
            self._wake_agents()
            return token

    def move(self, seat: int, version: int, text: str) -> None:
        """Play a person's move.

        Args:
            seat: who moves.
            version: of the scene that he had before his eyes.
            text: his move in notation; see ``understand``.

        Raises:
            RefusalError: it is not his turn, or something has changed in between.
            NotationError: the text is not understood.
            IllegalActionError: the move is not legal.
        """
        with self.lock:
            if self.is_over or self.session is None:
                raise RefusalError(409, "the game has not begun" if self.session is None else "the game is over")
            if self.session.mover != seat:
                raise RefusalError(409, "it is not your turn")
            if version != self._version(seat):
                raise RefusalError(409, "something has changed since; look again")
            with self._guard("the rules", (KGBError,)):
                self.session.move(seat, text)
            if self.fault:
                raise RefusalError(409, self.fault)
            self._changed()
            self._wake_agents()

    def replay_line(self) -> str:
        """Return the game as a line of JSON.

        Raises:
            RefusalError: it is not over.
        """
        with self.lock:
            if self.session is None or not self.is_over:
                raise RefusalError(409, "the replay shows all secrets; it is there when the game is over")
            return self.session.replay(self.fault).to_json()

    # What agents do

    def _begin(self, seed: int) -> None:
        with self._guard("the rules"):
            session = Session(self.game, self._players, self.labels, seed)
            with self.lock:
                self.session = session
                self.changes += 1
            self._let_agents_play()

    def _wake_agents(self) -> None:
        """Let agents play in a thread of their own, if none does and they can be due."""
        if not self._is_working and not self.is_over:
            self._is_working = True
            Aside(self._let_agents_play, name=f"game {self.code}").start()

    def _let_agents_play(self) -> None:
        """Ask agents until a person is to move; they wait until one is there."""
        who = "the rules"
        with self._guard(lambda: who):
            session = self.session
            assert session is not None
            while True:
                with self.lock:
                    who = "the rules"
                    question = session.question() if self.taken and not self.fault else None
                    if question is None:
                        self._is_working = False
                        return
                who = f"{self.labels[question.seat]} in seat {question.seat}"
                action = session.think(question)
                with self.lock:
                    if not self.fault:
                        session.play(action)
                        self._changed()

    def _changed(self) -> None:
        """Let pages look again; when the game is over, save it and let agents go that are processes."""
        self.changes += 1
        if self.is_over:
            self._save()
            let_go(self._players)

    @contextmanager
    def _guard(self, who: str | Callable[[], str], passing: tuple[type[Exception], ...] = ()) -> Iterator[None]:
        """Break off this game, and nothing else, when an agent or the rules fail, be it by SystemExit.

        Args:
            who: may fail, for the message.
            passing: errors that are a person's.
        """
        try:
            yield
        except passing:
            raise
        except BaseException as error:
            if self.fault:
                return  # it has been said
            name = who if isinstance(who, str) else who()
            say(without_key(f"game {self.code} ({self.game.id}): {name} failed: {type(error).__name__}: {error}"))
            with self.lock:
                self.fault = f"Something has failed ({name}: {type(error).__name__}); the game is broken off."
                self._changed()

    # The end

    def close(self) -> None:
        """End the game where it is, and save it."""
        with self.lock:
            if not self.is_over:
                self.fault = "The server has ended the game."
                self._changed()

    def _save(self) -> None:
        if self.is_saved or self.session is None or not self.session.has_begun:
            return
        self.is_saved = True
        try:
            save_game(self.session, self.path, self.fault)
        except Exception as error:
            self.note = "The game could not be saved."
            say(f"game {self.code}: {error}")


def digest(token: str) -> str:
    """Return what is kept of a token: to look it up tells nothing about others by the time it takes."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


class House:
    """All games of a server.

    Args:
        folder: where they are saved.
        agents: names of agents that may be chosen besides those that are registered.
        deadline: seconds that an agent from outside has for an answer.
        most: games at a time.
    """

    def __init__(
        self, folder: Path, agents: Sequence[str] = (), deadline: float = DEADLINE, most: int = MOST_GAMES
    ) -> None:
        self.folder, self.agents, self.deadline, self.most = folder, tuple(agents), deadline, most
        self.is_closing = False
        self._beginnings = BoundedSemaphore(MOST_BEGINNINGS)
        self._creating = Lock()  # one after the other; starting an agent's process may take long
        self._configured: set[int] = set()  # fingerprints of the games that have been begun with options of their own
        self._purses: dict[tuple[str, int], Purse] = {}  # of agents by name and part: their budgets are the server's
        self._lock = RLock()  # of the two below
        self._rooms: dict[str, Room] = {}  # the oldest first
        self._tokens: dict[str, tuple[Room, int]] = {}  # by their digests

    def create(self, wanted: dict[str, Any], seed: int | None = None) -> Room:
        """Begin a game.

        Args:
            wanted: see ``NewGame``.
            seed: of the deal and the agents.  Default: one that nobody can foresee; no visitor may choose it.

        Raises:
            KGBError: something is not allowed.
            RefusalError: there are too many games.
        """
        asked = NewGame.parse(wanted, "a new game")
        if not self._beginnings.acquire(blocking=False):
            raise RefusalError(
                503, f"{MOST_BEGINNINGS} games are being begun, as many as may be; try again in a moment"
            )
        try:
            with self._creating:
                return self._create(asked, seed)
        finally:
            self._beginnings.release()

    def _create(self, asked: NewGame, seed: int | None) -> Room:
        if self.is_closing:
            raise RefusalError(503, "the server is stopping")
        game = configure_safely(asked.game, asked.options)
        require_offered(game, asked.seats, self.agents)
        self._require_known(game, asked.options)
        self._make_room()
        game = configure(asked.game, **asked.options)
        agents = {name: self._make_agent(game, name) for name in set(asked.seats) if name is not None}
        room = Room(
            secrets.token_urlsafe(9),
            game,
            [None if name is None else agents[name] for name in asked.seats],
            [PERSON if name is None else name for name in asked.seats],
            new_seed() if seed is None else seed,
            self.folder,
        )
        with self._lock:
            self._rooms[room.code] = room
        return room

    def _require_known(self, game: Game, options: dict[str, Any]) -> None:
        """Refuse more different games than memory is for; as they are by default they are always welcome."""
        if not options or game.fingerprint in self._configured:
            return
        if len(self._configured) >= MOST_CONFIGURATIONS:
            raise RefusalError(
                503,
                f"{MOST_CONFIGURATIONS} games with different options have been begun, which is the most until the "
                "server is started again; choose one of those, or a game as it is by default",
            )
        self._configured.add(game.fingerprint)

    def _make_agent(self, game: Game, name: str) -> Agent:
        """Return an agent; all of one name spend their budget together, so that new games bring no new one."""
        agent = make_player(game, name, self.deadline)
        for number, part in enumerate(with_parts(agent)):
            if hasattr(part, "purse"):
                part.purse = self._purses.setdefault((name, number), part.purse)
        return agent

    def _make_room(self) -> None:
        """Let the oldest game go that nobody plays (any more), if there are as many as allowed."""
        if len(self._rooms) < self.most:
            return
        now = monotonic()
        for may_go in (
            lambda room: room.is_over,
            lambda room: not room.taken and now - room.begun > EMPTY,
            lambda room: now - room.touched > IDLE,
        ):
            room = next(filter(may_go, self._rooms.values()), None)
            if room is not None:
                room.close()
                with self._lock:
                    del self._rooms[room.code]
                    self._tokens = {key: place for key, place in self._tokens.items() if place[0] is not room}
                return
        raise RefusalError(503, f"{self.most} games are being played, which is the most; try again later")

    def room(self, code: str) -> Room:
        """Return a game.

        Raises:
            RefusalError: there is none of this code.
        """
        room = self._rooms.get(code)
        if room is None:
            raise RefusalError(404, "there is no such game here (any more)")
        return room

    def sit(self, code: str, seat: int) -> str:
        """Let a person take a seat; return the token by which alone he can look and play; see ``Room.sit``."""
        room = self.room(code)
        token = room.sit(seat)
        with self._lock:
            self._tokens[digest(token)] = room, seat
        return token

    def place(self, token: str) -> tuple[Room, int]:
        """Return the game and the seat of a token.

        Raises:
            RefusalError: there is none.
        """
        found = self._tokens.get(digest(token))
        if found is None:
            raise RefusalError(404, "there is no such seat here (any more)")
        return found

    def close(self) -> list[Path]:
        """End and save all games; return the files that were written to."""
        self.is_closing = True
        with self._lock:
            rooms = list(self._rooms.values())
            for room in rooms:
                room.close()
        return sorted({room.path for room in rooms if room.is_saved})
