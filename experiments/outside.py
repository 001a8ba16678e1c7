"""Agents of other people, run in a process of their own: they may fail or hang without harm."""

from __future__ import annotations

import json
import os
import pickle
import queue
import signal
import subprocess
import sys
import traceback
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import IO, Any

import numpy as np

from agents import Agent, AgentError, is_reproducible, make_agent
from agents.names import is_from_outside
from kgb_env import Game, KGBError

START_UP = 120.0  # seconds that making an agent may take, and its first answer, for which much may be compiled
DEADLINE = 10.0  # seconds that it has for an answer, if nothing else is said
PATIENCE = 3  # times in a row that an agent may hang before it is not asked again about the games of a batch

# What the process runs first: it takes over where modules are imported from, and then this module.
BOOT = "import json, sys; sys.path[:] = json.loads(sys.argv.pop()); from experiments.outside import serve; serve()"


class OutsideError(KGBError, RuntimeError):
    """An agent from outside has failed, or has not answered in time.

    Attributes:
        is_final: it would be in vain to ask about fewer decisions at a time.
    """

    def __init__(self, fault: str, is_final: bool = False) -> None:
        super().__init__(fault)
        self.is_final = is_final


def make_player(game: Game, name: str, deadline: float) -> Agent:
    """Return the agent called ``name``; one from outside gets a process and a deadline.

    Args:
        game: a configured game.
        name: see ``make_agent``.
        deadline: seconds for an answer.

    Raises:
        AgentError: there is no such agent, or it cannot be made.
    """
    if not is_from_outside(game.id, name):
        return make_agent(game, name)
    return OutsideAgent(game, name, deadline)


def make_steady_player(game: Game, name: str, deadline: float) -> Agent:
    """Return the agent called ``name``, one from outside as a SteadyAgent; see ``make_player``."""
    player = make_player(game, name, deadline)
    return SteadyAgent(name, player) if isinstance(player, OutsideAgent) else player


def let_go(players: Iterable[object]) -> None:
    """End the processes of those who have one."""
    for player in players:
        if isinstance(player, OutsideAgent):
            player.close()


class SteadyAgent:
    """An agent from outside where no game can be forfeited: what it cannot answer at a time it is asked row by row.

    Args:
        name: of the agent, for messages.
        agent: the agent.
    """

    def __init__(self, name: str, agent: OutsideAgent) -> None:
        self.name, self._agent = name, agent

    def initial_carry(self, n: int) -> Any:
        """Return the memory that the agent begins with.

        Raises:
            AgentError: it has failed.
        """
        try:
            return self._agent.initial_carry(n)
        except OutsideError as error:
            raise AgentError(f"agent {self.name!r}: {error}") from None

    def act(self, views: np.ndarray, seeds: np.ndarray, carry: Any = None) -> tuple[np.ndarray, Any]:
        """Return one action for each view, and the carry.

        Raises:
            AgentError: it has failed, asked about a single decision too.
        """
        try:
            return self._agent.act(views, seeds, carry)
        except OutsideError as error:
            if views.size == 1 or error.is_final:
                raise AgentError(f"agent {self.name!r}: {error}") from None
        rows = [slice(i, i + 1) for i in range(views.size)]
        answers = [self.act(views[row], seeds[row], None if carry is None else carry[row]) for row in rows]
        remembered = None if carry is None else np.concatenate([after for _, after in answers])
        return np.concatenate([actions for actions, _ in answers]), remembered


class OutsideAgent:
    """An agent in a child process, which is started when it is needed, and again after it was lost.

    After it has not answered about many decisions in time, it is asked about one at a time.

    Args:
        game: a configured game.
        name: see ``make_agent``.
        deadline: seconds for an answer, be it about one decision or many.

    Raises:
        AgentError: the agent cannot be made; the message is the child's.
    """

    def __init__(self, game: Game, name: str, deadline: float) -> None:
        self.game, self.name, self.deadline = game, name, deadline
        self._child: Child | None = None
        self._hung = 0  # times in a row
        self._takes_many = True  # decisions at a time
        self._has_answered = False
        try:
            self.is_reproducible = self._start()
        except OutsideError as error:
            raise AgentError(f"agent {name!r}: {str(error).removeprefix(f'agent {name!r}: ')}") from None

    def initial_carry(self, n: int) -> Any:
        """Return the memory that the agent begins with.

        Raises:
            OutsideError: as of ``act``.
        """
        return self._ask("initial_carry", n)

    def act(self, views: np.ndarray, seeds: np.ndarray, carry: Any = None) -> tuple[np.ndarray, Any]:
        """Return one action for each view, and the carry.

        Raises:
            OutsideError: the agent raised, died, or did not answer in time.
        """
        if views.size > 1 and not self._takes_many:
            raise OutsideError("it answers about one decision at a time only")
        try:
            answer = self._ask("act", views, seeds, carry)
        except OutsideError:
            self._takes_many = self._takes_many and (views.size == 1 or not self._hung)
            raise
        self._hung, self._has_answered = 0, True
        return answer

    def close(self) -> None:
        """End the process."""
        if self._child is not None:
            self._child.kill()
            self._child = None

    def __del__(self) -> None:
        self.close()

    def _start(self) -> bool:
        """Start the process; return if the agent is reproducible."""
        self._child = Child()
        return self._exchange((self.game, self.name), START_UP)

    def _ask(self, method: str, *arguments: Any) -> Any:
        if self._child is None:
            self._start()
        seconds = self.deadline if self._has_answered else max(self.deadline, START_UP)
        return self._exchange((method, arguments), seconds)

    def _exchange(self, message: Any, seconds: float) -> Any:
        """Send a message and return the answer of the child, or raise OutsideError."""
        assert self._child is not None
        self._child.send(message)
        try:
            fault, answer = self._child.receive(seconds)
        except queue.Empty:
            self.close()
            self._hung += 1
            raise OutsideError(f"no answer within {seconds:g} s", is_final=self._hung >= PATIENCE) from None
        except EOFError:
            code = self._child.exit_code()
            self.close()
            raise OutsideError(f"its process has died (exit code {code})") from None
        if fault:
            raise OutsideError(fault)
        return answer


class Child:
    """A Python process that one sends pickled messages to, and receives some from.

    It is none of ``multiprocessing``, whose children cannot have children of another kind in joblib's workers.
    """

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", BOOT, json.dumps(sys.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=os.name == "posix",  # with all that it starts itself
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._to = self._process.stdin
        self._answers: queue.Queue[Any] = queue.Queue()
        self._listener = Thread(target=_listen, args=(self._process.stdout, self._answers), daemon=True)
        self._listener.start()

    def send(self, message: Any) -> None:
        """Send a message; if the child has died, receiving will tell."""
        with suppress(OSError):
            pickle.dump(message, self._to)
            self._to.flush()

    def receive(self, seconds: float) -> Any:
        """Return its next message; raise queue.Empty after so many seconds, EOFError after its end."""
        answer = self._answers.get(timeout=seconds)
        if isinstance(answer, EOFError):
            raise answer
        return answer

    def exit_code(self) -> int | None:
        """Return with what code it has ended, if it has."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(5)
        return self._process.returncode

    def kill(self) -> None:
        """End it and all that it has started."""
        with suppress(OSError):
            if os.name == "posix":
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()
        self._process.wait()
        self._listener.join(1)
        with suppress(OSError):
            self._to.close()


def _listen(source: IO[bytes], messages: queue.Queue[Any]) -> None:
    """Put all messages that come into a queue, and EOFError at the end."""
    with suppress(Exception), source:
        while True:
            messages.put(pickle.load(source))
    messages.put(EOFError())


# In the child


def serve() -> None:
    """Make an agent and answer for it, as long as whoever started this process lives."""
    source, target = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    with Path(os.devnull).open("rb") as nothing:  # what the agent reads and prints must not get between
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    messages: queue.Queue[Any] = queue.Queue()
    Thread(target=_listen_for_life, args=(source, messages), daemon=True).start()
    game, name = messages.get()
    try:
        agent = make_agent(game, name)
        _warm_up(game)
        answer: tuple[str | None, Any] = None, is_reproducible(agent)
    except Exception as error:
        answer = str(error) if isinstance(error, AgentError) else _told(error), None
    _send(target, answer)
    while True:
        method, arguments = messages.get()
        try:
            answer = None, getattr(agent, method)(*arguments)
        except Exception as error:
            answer = _told(error), None
        _send(target, answer)


def _listen_for_life(source: IO[bytes], messages: queue.Queue[Any]) -> None:
    _listen(source, messages)
    os._exit(1)  # nobody is there any more; the agent may be stuck, so nothing gentler would do


def _warm_up(game: Game) -> None:
    """Compile, or read from disk, what nearly every agent needs: it shall not count against the deadline."""
    states = game.start(0)
    views = game.view(states, states["to_move"])
    game.encode(views)
    game.legal(views)


def _send(target: IO[bytes], answer: tuple[str | None, Any]) -> None:
    try:
        data = pickle.dumps(answer)
    except Exception as error:  # an answer that cannot be sent
        data = pickle.dumps((_told(error), None))
    target.write(data)
    target.flush()


def _told(error: Exception) -> str:
    """Return what has failed, and where in the agent's file."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename != __file__]
    where = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
    try:
        return f"{type(error).__name__}: {error}{where}"
    except Exception:  # of the exception itself
        return f"{type(error).__name__}{where}"
