"""A Double Agent as the posterior imagines it: it walks like a Security Agent and sabotages at random."""

from typing import Annotated

import numpy as np
from pydantic import ConfigDict, Field, InstanceOf, validate_call

from agents.double_agent import thoughts
from agents.double_agent.naive import NaiveAgent
from agents.double_agent.posterior import RATE, make_model
from kgb_env import Game


class RateAgent(NaiveAgent):
    """Play like ``naive``, but as the Double Agent walk like a Security Agent and sabotage with a fixed probability.

    It leaves the camp when it happens to come near enough to a gate.
    What it believes is the exact posterior for a Double Agent that sabotages so, if walks and escapes tell nothing.

    Args:
        game: The Double Agent with any options.
        p: how often it sabotages a monitor that it inspects and finds ON.

    Raises:
        ValidationError: ``p`` is no probability.
    """

    @validate_call(config=ConfigDict(arbitrary_types_allowed=True))
    def __init__(
        self, game: InstanceOf[Game], *, p: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] = RATE
    ) -> None:
        super().__init__(game)
        self._memory["rate"] = p
        self._memory["runs"] = False
        self._model = make_model(p)

    def beliefs(self, views: np.ndarray) -> np.ndarray:
        """Return what the viewers believe: (n, seats) float64, the probability that a seat is the Double Agent."""
        return thoughts.beliefs(self.game, views, self._model)

    def facts(self, states: np.ndarray, seats: np.ndarray) -> np.ndarray:
        """Return what the seats' beliefs are about: (n, seats) bool, who is the Double Agent."""
        return thoughts.facts(self.game, states)
