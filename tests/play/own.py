"""Agents that misbehave."""

import hashlib
import os
import threading

import numpy as np

from agents import make_agent


class Raises:
    """Fails at its first decision."""

    def __init__(self, game):
        self.game = game

    def initial_carry(self, n):
        return None

    def act(self, views, seeds, carry=None):
        raise ZeroDivisionError("a secret of the agent")


class Exits(Raises):
    """Wants to end the process."""

    def act(self, views, seeds, carry=None):
        raise SystemExit(3)


class Illegal(Raises):
    """Chooses what its mask forbids."""

    def act(self, views, seeds, carry=None):
        legal = set(self.game.legal(views[:1]).tolist())
        return np.array([next(a for a in range(self.game.actions.size) if a not in legal)]), carry


class Nonsense(Raises):
    """Answers with no action at all."""

    def act(self, views, seeds, carry=None):
        return "anything", carry


class Slow(Raises):
    """Thinks until it is told to move."""

    may_move = threading.Event()

    def act(self, views, seeds, carry=None):
        assert self.may_move.wait(600)
        return make_agent(self.game, "random").act(views, seeds, carry)


def think_for_hours():
    """Work in compiled code that hears no signal."""
    print("thinking in process", os.getpid(), flush=True)
    hashlib.pbkdf2_hmac("sha256", b"", b"", 2 * 10**9)


class Deaf(Raises):
    """Thinks for hours about its first choice."""

    def act(self, views, seeds, carry=None):
        legal = self.game.legal(views)
        if legal.size > 1:
            think_for_hours()
        return legal, carry


class DeafAtFirst(Raises):
    """Thinks for hours before the game begins."""

    def initial_carry(self, n):
        think_for_hours()
