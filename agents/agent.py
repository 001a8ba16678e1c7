"""What an agent is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol, runtime_checkable

import numpy as np

from kgb_env import Game, KGBError
from kgb_env.errors import RecordError
from kgb_env.game import require_seeds


class AgentError(KGBError, ValueError):
    """No agent of this name plays this game, or its arguments are wrong."""


@runtime_checkable
class Agent(Protocol):
    """Maps a batch of views to a batch of actions.

    Any object with these two methods is an agent.  An agent is made for one game and plays any
    number of its games at a time, any seat in each.  One whose choices depend on anything besides
    its rows, such as the time it has, says so with an attribute ``is_reproducible = False``; see
    the function ``is_reproducible``.  One that has something to say about the choices it has made
    does so with a method ``notes``; see ``notes_of``.  One that leaves choices to other agents names
    them in an attribute ``parts``; see ``with_parts``.
    """

    def initial_carry(self, n: int) -> Any:
        """Return what the agent remembers at the start of ``n`` (game, seat) pairs.

        None if it needs no memory (the views hold all that a seat has seen), else something that
        NumPy can index by row.
        """

    def act(self, views: np.ndarray, seeds: np.ndarray, carry: Any = None) -> tuple[np.ndarray, Any]:
        """Choose an action for every view.

        Args:
            views: (n,) records, each the information state of a seat that is to move.  Not written to.
            seeds: (n,) uint64, the only source of randomness: row i depends on nothing but view i,
                seed i and carry i, so a match is the same whatever the batch.
            carry: the rows' memory.

        Returns:
            (n,) int64 legal actions, and the new memory.
        """


def is_reproducible(agent: Agent) -> bool:
    """Tell if an agent makes the same choices again, given the same views and seeds."""
    return getattr(agent, "is_reproducible", True)


def notes_of(agent: Agent) -> list[str]:
    """Return what an agent has to say about the choices that it has made so far, a sentence each."""
    notes = getattr(agent, "notes", None)
    return list(notes()) if callable(notes) else []


def with_parts(agent: Agent) -> Iterator[Agent]:
    """Yield an agent and all that it leaves choices to, at any depth, always in the same order."""
    yield agent
    for part in getattr(agent, "parts", ()):
        yield from with_parts(part)


def require_deciders(game: Game, views: np.ndarray, seeds: np.ndarray) -> np.ndarray:
    """Refuse what is not a batch of views whose viewers are to move, with a seed each; return the seeds as uint64."""
    game.require_views(views)
    if (views["viewer"] != views["to_move"]).any():
        raise RecordError("an agent got the view of a seat that is not to move")
    return require_seeds(seeds, views.size)
