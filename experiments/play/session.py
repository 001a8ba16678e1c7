"""A game with persons and agents in its seats; the terminal and the page both play it."""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from agents import Agent, agent_names
from kgb_env import Game, GameOverError, Recording, Replay, ReplayError, append_replay, derive_seed
from kgb_env.game import require_seed
from kgb_env.replay import BROKEN_OFF

from ..config import ConfigError
from ..match import decision_seeds
from .moves import understand

PERSON = "person"  # the label of a seat that no agent has
STRONGEST = ("expert", "inference", "ismcts")  # the first of them that plays a game is its strongest agent


def strongest_agent(game_id: str) -> str:
    """Return the name of the strongest agent of a game that needs no training."""
    return next(name for name in STRONGEST if name in agent_names(game_id))


def seat_labels(game: Game, seat: int, against: Sequence[str]) -> list[str | None]:
    """Return which agent is in each seat of a game of one person, who is None.

    Args:
        game: a configured game.
        seat: the person's.
        against: nothing (the strongest agent has all other seats), one agent for all of them, or one for each.

    Raises:
        ConfigError: there is no such seat, or the number of agents is another.
    """
    others = game.seats - 1
    if not 0 <= seat < game.seats:
        raise ConfigError(f"seat={seat}: the seats of {game.id} are 0 to {others}")
    named = list(against) or [strongest_agent(game.id)]
    if len(named) == 1:
        named *= others
    if len(named) != others:
        raise ConfigError(f"{len(named)} agents for {others} other seats; name one for all, or one for each")
    return [*named[:seat], None, *named[seat:]]


def new_seed() -> int:
    """Return a seed that nobody can foresee."""
    return secrets.randbelow(2**63)


def require_playable(game: Game) -> None:
    """Refuse a game that would show a person what its seat may not know yet.

    Raises:
        ConfigError: it has the option ``auto_answer``.
    """
    if game.options.get("auto_answer"):
        raise ConfigError(
            "auto_answer=True is for agents: between its own decisions a seat would be shown what it may not know; "
            "persons play without it"
        )


class Question(NamedTuple):
    """What an agent is asked: the view of its seat (one row), the seed of the decision (one), and its memory."""

    seat: int
    view: np.ndarray
    seeds: np.ndarray
    carry: Any


class Session:
    """A game that is being played.

    It starts from the first deal of a match with its seed, and every decision has the seed that it has there: a
    session of agents alone is that game of the match.

    Args:
        game: a configured game.
        players: the agent in each seat, made for this game; None is a person.
        labels: what the players are called, one a seat.
        seed: an integer from 0 to 2**63 - 1.

    Raises:
        ConfigError: the game is not for persons, or there are not as many players and labels as seats.
    """

    def __init__(self, game: Game, players: Sequence[Agent | None], labels: Sequence[str], seed: int) -> None:
        require_playable(game)
        if not len(players) == len(labels) == game.seats:
            raise ConfigError(f"{len(players)} players, {len(labels)} labels: {game.id} has {game.seats} seats")
        self.game, self.players, self.labels, self.seed = game, tuple(players), tuple(labels), require_seed(seed)
        self.recording = Recording(game, derive_seed(self.seed, 0, 0))
        self._carries: list[Any] = [agent and agent.initial_carry(game.seats) for agent in players]
        self._made = [0] * game.seats  # decisions of each seat

    # What there is to see

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return bool(self.recording.states["over"][0])

    @property
    def mover(self) -> int | None:
        """The seat to move, or None after the end."""
        return None if self.is_over else int(self.recording.states["to_move"][0])

    @property
    def has_begun(self) -> bool:
        """Whether anybody has moved."""
        return any(self._made)

    def is_person(self, seat: int) -> bool:
        """Whether a person has this seat."""
        return self.players[seat] is None

    def view(self, seat: int) -> np.ndarray:
        """Return what a seat knows (one row)."""
        return self.game.view(self.recording.states, seat)

    def replay(self, reason: str = BROKEN_OFF) -> Replay:
        """Return the game as far as it has been played; the reason is why it ends there, if it is not over."""
        return self.recording.replay(self.labels, reason)

    # Play

    def move(self, seat: int, text: str, may_shorten: bool = False) -> None:
        """Let a person move; see ``understand`` for the text.

        Raises:
            GameOverError: it is not this seat's turn.
            NotationError: the text is not understood.
            IllegalActionError: the move is not legal; nothing has changed.
        """
        if seat != self.mover:
            raise GameOverError("the game is over" if self.is_over else f"it is seat {self.mover}'s turn")
        self.play(understand(self.game, self.view(seat), text, may_shorten))

    def play(self, action: int) -> None:
        """Play an action of the seat to move; see ``Recording.play``.  At no moment is it half done."""
        seat = self.mover
        recording = self.recording.copy()
        recording.play(action)
        self.recording = recording
        if seat is not None:
            self._made[seat] += 1

    def question(self) -> Question | None:
        """Return what the agent to move is asked; None if a person is to move, or nobody."""
        seat = self.mover
        if seat is None or self.is_person(seat):
            return None
        seeds, made = np.empty(1, np.uint64), np.array([self._made[seat]])
        decision_seeds(np.uint64(self.seed), np.array([0]), np.array([seat]), made, seeds)
        carry = self._carries[seat]
        return Question(seat, self.view(seat), seeds, None if carry is None else carry[np.array([seat])])

    def think(self, question: Question) -> int:
        """Let an agent choose its action, and keep what it remembers; the game does not change.

        Raises:
            IllegalActionError: the answer is not one integer.
        """
        agent = self.players[question.seat]
        assert agent is not None
        chosen, remembered = agent.act(question.view, question.seeds, question.carry)
        action = int(self.game.require_actions(chosen, 1)[0])
        if self._carries[question.seat] is not None:
            self._carries[question.seat][np.array([question.seat])] = remembered
        return action

    def run_agents(self) -> None:
        """Let agents play until a person is to move, or the game is over."""
        while question := self.question():
            self.play(self.think(question))


def require_writable(path: Path) -> None:
    """Refuse a file that cannot be written, before anybody has played; nothing is left that was not there.

    Raises:
        ConfigError: what is wrong.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        is_new = not path.exists()
        path.open("ab").close()
        if is_new:
            path.unlink()
    except OSError as error:
        raise ConfigError(f"{path}: no games can be written there: {error.strerror}") from None


def require_replays(path: Path) -> None:
    """Refuse a file that holds something else than replays, to which a game would be added.

    Raises:
        ConfigError: its last line is none.
    """
    last = path.read_bytes().rstrip().rpartition(b"\n")[2] if path.is_file() else b""
    try:
        is_replay = not last or "format" in dict(json.loads(last))
    except (ValueError, TypeError, RecursionError):
        is_replay = False
    if not is_replay:
        raise ConfigError(f"{path}: its last line is no replay; name another file, or take this one away")


def save_game(session: Session, path: Path, reason: str = BROKEN_OFF) -> None:
    """Add a game, as far as it has been played, to a file; folders are made if need be.

    Args:
        session: the game.
        path: of the file.
        reason: why the game ends there, if it is not over.

    Raises:
        ReplayError: it cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ReplayError(f"{path.parent}: the folder cannot be made: {error.strerror}") from None
    append_replay(path, session.replay(reason))
