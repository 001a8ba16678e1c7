"""Agents of other people, run in a process of their own: they may fail or hang without harm."""

from __future__ import annotations

import multiprocessing
import sys
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from agents import Agent, AgentError, is_reproducible, make_agent
from agents.names import is_from_outside
from kgb_env import Game, KGBError

START_UP = 120.0  # seconds that importing and making an agent may take
DEADLINE = 10.0  # seconds that it has for an answer, if nothing else is said
PATIENCE = 3  # times in a row that an agent may hang before it is not asked again about the games of a batch


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
        self._child: multiprocessing.process.BaseProcess | None = None
        self._connection: Connection | None = None
        self._hung = 0  # times in a row
        self._takes_many = True  # decisions at a time
        try:
            self.is_reproducible = self._start()
        except OutsideError as error:
            raise AgentError(str(error)) from None

    def initial_carry(self, n: int) -> Any:
        """Return the memory that the agent begins with."""
        return self._ask("initial_carry", n)

    def act(self, views: np.ndarray, seeds: np.ndarray, carry: Any = None) -> tuple[np.ndarray, Any]:
        """Return one action for each view, and the carry.

        Raises:
            OutsideError: the agent raised, died, or did not answer in time.
        """
        if views.size > 1 and not self._takes_many:
            raise OutsideError("it answers about one decision at a time only")
        try:
            return self._ask("act", views, seeds, carry)
        except OutsideError:
            self._takes_many = self._takes_many and (views.size == 1 or not self._hung)
            raise

    def close(self) -> None:
        """End the process."""
        if self._child is not None:
            self._child.kill()
            self._child.join()
            self._child = None

    def __del__(self) -> None:
        self.close()

    def _exit_code(self) -> int | None:
        """Return with what code the child has ended, if it has."""
        if self._child is None:
            return None
        self._child.join(5)
        return self._child.exitcode

    def _start(self) -> bool:
        """Start the process; return if the agent is reproducible."""
        context = multiprocessing.get_context("spawn")  # a fork would copy locks that other threads hold
        self._connection, other = context.Pipe()
        self._child = context.Process(target=_serve, args=(self.game, self.name, other, sys.path), daemon=True)
        self._child.start()
        other.close()
        return self._receive(START_UP)

    def _ask(self, method: str, *arguments: Any) -> Any:
        if self._child is None:
            self._start()
        assert self._connection is not None
        with suppress(OSError):  # it has died: receiving says so
            self._connection.send((method, arguments))
        return self._receive(self.deadline)

    def _receive(self, seconds: float) -> Any:
        """Return the answer of the child, or raise OutsideError."""
        assert self._connection is not None
        try:
            if not self._connection.poll(seconds):
                self.close()
                self._hung += 1
                raise OutsideError(f"no answer within {seconds:g} s", is_final=self._hung >= PATIENCE)
            fault, answer = self._connection.recv()
        except (EOFError, OSError):
            code = self._exit_code()
            self.close()
            raise OutsideError(f"its process has died (exit code {code})") from None
        self._hung = 0
        if fault:
            raise OutsideError(fault)
        return answer


def _serve(game: Game, name: str, connection: Connection, path: list[str]) -> None:
    """Make an agent and answer for it, in the child."""
    sys.path[:] = path
    try:
        agent = make_agent(game, name)
        connection.send((None, is_reproducible(agent)))
    except Exception as error:
        connection.send((str(error) if isinstance(error, AgentError) else f"{type(error).__name__}: {error}", None))
        return
    while True:
        try:
            method, arguments = connection.recv()
        except (EOFError, KeyboardInterrupt):
            return
        try:
            connection.send((None, getattr(agent, method)(*arguments)))
        except Exception as error:  # of the agent, or an answer that cannot be sent
            connection.send((f"{type(error).__name__}: {error}", None))
