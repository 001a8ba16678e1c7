"""What an agent is, and how one is found by name."""

from __future__ import annotations

from importlib.metadata import entry_points
from typing import Any, Protocol

import numpy as np

from kgb_env import Game, KGBError
from kgb_env.errors import RecordError
from kgb_env.game import require_seeds
from kgb_env.registry import preset_ids

GROUP = "kgb_env.agents"


class AgentError(KGBError, ValueError):
    """No agent of this name plays this game, or its arguments are wrong."""


class Agent(Protocol):
    """Maps a batch of views to a batch of actions.

    Any object with these two methods is an agent.  An agent is made for one game and plays any
    number of its games at a time, any seat in each.
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


def require_deciders(game: Game, views: np.ndarray, seeds: np.ndarray) -> np.ndarray:
    """Refuse what is not a batch of views whose viewers are to move, with a seed each; return the seeds as uint64."""
    game.require_views(views)
    if (views["viewer"] != views["to_move"]).any():
        raise RecordError("an agent got the view of a seat that is not to move")
    return require_seeds(seeds, views.size)


def agent_names(game_id: str) -> list[str]:
    """Return the names of the agents that can play a game (or a preset of it), those for any game first."""
    if game_id in preset_ids():
        game_id = game_id.partition("-")[0]
    found = [point.name for point in entry_points(group=GROUP)]
    general = sorted(name for name in found if "." not in name)
    return general + sorted(name.removeprefix(f"{game_id}.") for name in found if name.startswith(f"{game_id}."))


def make_agent(game: Game | str, name: str, **arguments: Any) -> Agent:
    """Return the agent called ``name`` for a game.

    Names resolve through the entry-point group ``kgb_env.agents``: first ``GAME.NAME``, then
    ``NAME``; a package of your own can register agents there.

    Args:
        game: a configured game, or its id for the default options.
        name: one of ``agent_names(game.id)``.
        arguments: what the agent takes besides the game.

    Raises:
        AgentError: there is no such agent, or it does not take these arguments.
    """
    if isinstance(game, str):
        from kgb_env import game as configure

        game = configure(game)
    points = {point.name: point for point in entry_points(group=GROUP)}
    point = points.get(f"{game.id}.{name}", points.get(name) if "." not in name else None)
    if point is None:
        known = ", ".join(agent_names(game.id)) or "none: is kgb-env installed (pip install -e .)?"
        raise AgentError(f"no agent {name!r} plays {game.id}; there are {known}")
    try:
        return point.load()(game, **arguments)
    except TypeError as error:
        raise AgentError(f"agent {name!r}: {error}") from error
