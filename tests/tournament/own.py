"""Agents of a user's own, good and bad, as a tournament gets them from outside."""

import os
import sys
import time

import numpy as np


class First:
    """Chooses the first legal action."""

    def __init__(self, game, times=1):
        self.game = game

    def initial_carry(self, n):
        return np.zeros(n, np.int64)  # counts its decisions

    def act(self, views, seeds, carry=None):
        actions = [self.choose(views[i : i + 1], carry[i]) for i in range(views.size)]
        return np.array(actions), carry + 1

    def choose(self, view, made):
        return self.game.legal(view)[0]


class Raising(First):
    """Fails at its third decision in a game in which it sits in seat 0."""

    def choose(self, view, made):
        if made == 2 and view["viewer"][0] == 0:
            raise ValueError("cannot go on")
        return super().choose(view, made)


class Hanging(First):
    """Never answers at its third decision."""

    def choose(self, view, made):
        if made == 2:
            time.sleep(60)
        return super().choose(view, made)


class OneAtATime(First):
    """Never answers about many decisions at once."""

    def act(self, views, seeds, carry=None):
        if views.size > 1 and carry[0] > 0:  # what comes first may take long: much is compiled
            time.sleep(60)
        return super().act(views, seeds, carry)


class Dying(First):
    """Takes its process down at its third decision."""

    def choose(self, view, made):
        if made == 2:
            os._exit(7)
        return super().choose(view, made)


class Cheating(First):
    """Names an action that is not legal at its third decision."""

    def choose(self, view, made):
        return 10**6 if made == 2 else super().choose(view, made)


class NoCarry(First):
    """Fails when it is asked what it remembers."""

    def initial_carry(self, n):
        raise RuntimeError("no memory")


class DyingCarry(First):
    """Takes its process down then."""

    def initial_carry(self, n):
        os._exit(8)


class Stuck(First):
    """Does not come back from there."""

    def initial_carry(self, n):
        time.sleep(60)


class Speechless(First):
    """Remembers what cannot be sent."""

    def initial_carry(self, n):
        return [lambda: n]


class Noisy(First):
    """Prints, reads, and writes into what it is given."""

    def choose(self, view, made):
        print("thinking", flush=True)
        assert sys.stdin.read() == ""
        action = super().choose(view, made)
        view["to_move"] = 0
        return action


class Wordy(First):
    """Says too much when it fails."""

    def choose(self, view, made):
        raise ValueError(f"{object()} " + "no " * 1000)


class Unmakeable:
    """Cannot be made."""

    def __init__(self, game):
        raise RuntimeError("no licence")


def lowest(observation):
    """Return the lowest legal action: a function on PettingZoo's observations."""
    assert set(observation) == {"observation", "observation_mask", "action_mask"}
    return int(observation["action_mask"].argmax())
