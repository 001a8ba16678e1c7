"""Perfect-information Monte Carlo search, for any game."""

from __future__ import annotations

from typing import Annotated

from pydantic import ConfigDict, Field, InstanceOf, validate_call

from agents.search import EXPLORATION, Count, Evaluation, Player, Plies, SearchAgent, Seconds, Weight
from kgb_env import Game

WORLDS = 5
Worlds = Annotated[int, Field(strict=True, ge=1, le=10_000)]  # all are in memory together


class PimcAgent(SearchAgent):
    """Search each of some worlds as if everybody knew it (UCT), and sum the visits at the roots.

    It never plays to find something out or to hide something, because in its worlds all is known
    (strategy fusion: Frank and Basin, 1998); that makes it the yardstick for agents that do.  It
    reads nothing but the view.

    Args:
        game: a configured game.
        worlds: possible worlds a decision, at most 10,000.
        simulations: a decision, shared out equally among the worlds; else as for IsmctsAgent.
        time_budget: as for IsmctsAgent, and so all that follow.
        exploration: the constant of UCB1.
        opponents: plays the other seats.
        rollout: plays on outside the tree.
        rollout_plies: decisions after which that is cut.
        evaluation: what a state is worth then.

    Raises:
        AgentError: as for IsmctsAgent.
    """

    @validate_call(config=ConfigDict(arbitrary_types_allowed=True))
    def __init__(
        self,
        game: InstanceOf[Game],
        *,
        worlds: Worlds = WORLDS,
        simulations: Count | None = None,
        time_budget: Seconds | None = None,
        exploration: Weight = EXPLORATION,
        opponents: Player | None = None,
        rollout: Player | None = None,
        rollout_plies: Plies | None = None,
        evaluation: Evaluation | None = None,
    ) -> None:
        super().__init__(
            game, worlds, simulations, time_budget, exploration, opponents, rollout, rollout_plies, evaluation
        )
