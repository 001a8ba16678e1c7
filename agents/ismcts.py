"""Information-set Monte Carlo tree search, for any game."""

from __future__ import annotations

from pydantic import ConfigDict, InstanceOf, validate_call

from agents.search import EXPLORATION, Count, Evaluation, Player, Plies, SearchAgent, Seconds, Weight
from kgb_env import Game


class IsmctsAgent(SearchAgent):
    """Search a tree of information sets (multiple-observer ISMCTS: Cowling, Powley and Whitehouse, 2012).

    Each simulation plays in another world that the decider holds possible.  A node belongs to what
    the seat to move there knows, and every seat maximises its own return, for any number of seats.
    The action that was tried most often is chosen.  It reads nothing but the view.

    Args:
        game: a configured game.
        simulations: a decision; 400 if there is no time budget, else as many as there is time for.
        time_budget: seconds a decision.  Its choices depend on the machine then, and the agent's
            attribute ``is_reproducible`` is False.  A batch of n decisions gets n times as long.
            The clock is read after every few simulations, so slow rollouts overrun it.
        exploration: the constant of UCB1, for returns scaled to 0 to 1.
        opponents: an agent, or a name of one, that makes all decisions of the other seats, so that
            the search looks for the best response to it.  Default: they search for themselves.
        rollout: an agent, or a name of one, that plays on from where a simulation leaves the tree.
            Default: uniformly random play, which is many times as fast.
        rollout_plies: decisions after which a rollout is cut.  Default: never.
        evaluation: what a state where a rollout is cut is worth to each seat: a function from
            (n,) full states to (n, seats) returns.  Default: 0.

    Raises:
        AgentError: the evaluation returns something else, or a player in simulations needs a memory.
    """

    @validate_call(config=ConfigDict(arbitrary_types_allowed=True))
    def __init__(
        self,
        game: InstanceOf[Game],
        *,
        simulations: Count | None = None,
        time_budget: Seconds | None = None,
        exploration: Weight = EXPLORATION,
        opponents: Player | None = None,
        rollout: Player | None = None,
        rollout_plies: Plies | None = None,
        evaluation: Evaluation | None = None,
    ) -> None:
        super().__init__(
            game, None, simulations, time_budget, exploration, opponents, rollout, rollout_plies, evaluation
        )
