"""The players that infer: `deduction`, `bluffing`, and `expert`, which is both."""

from typing import Annotated, Any

import numpy as np
from pydantic import ConfigDict, Field, InstanceOf, validate_call

from agents.agent import require_deciders
from agents.double_agent import thoughts
from agents.double_agent.bluffing import BLUFF, BLUFFS, bluff, read_minds
from agents.double_agent.deduction import DEDUCES, DEDUCTION, deduce, needed_certainty
from agents.double_agent.naive import NaiveAgent
from agents.double_agent.plan import plan_of
from agents.double_agent.posterior import MEMORY, RATE, believe, make_model
from agents.double_agent.roles import RolesAgent
from agents.explanation import Table, percent
from kgb_env import Game
from kgb_env.games.double_agent.spec import DOUBLE_AGENT, GO, SEATS
from kgb_env.jit import kernel

Rate = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


def weights(dtype: np.dtype, values: dict[str, float]) -> np.ndarray:
    """Return one record of numbers."""
    record = np.zeros(1, dtype)
    for name, value in values.items():
        record[name] = value
    return record


class ExpertAgent:
    """Deduce as a Security Agent, bluff as the Double Agent.

    A Security Agent holds the exact posterior over who is the Double Agent and which monitor it
    sabotaged in the opening, goes where reading a monitor tells most, keeps near its suspects, and
    accuses when that is worth more than waiting.  The Double Agent works out the posterior of every
    Security Agent, sabotages where that adds least suspicion, keeps out of the reach of those who
    suspect it, and runs for a gate when enough monitors are OFF.

    Args:
        game: The Double Agent with any options.
        rate: how often a Double Agent is thought to sabotage a monitor that it inspects and finds ON.

    Raises:
        ValidationError: ``rate`` is no probability.
    """

    @validate_call(config=ConfigDict(arbitrary_types_allowed=True))
    def __init__(self, game: InstanceOf[Game], *, rate: Rate = RATE) -> None:
        self.game = game
        self._model = make_model(rate)
        self._deduction = weights(DEDUCTION, DEDUCES)
        self._bluff = weights(BLUFF, BLUFFS)
        self._plan = plan_of(game)
        self._beliefs = np.zeros(SEATS + 1, MEMORY)  # of every seat, and room to think what one would believe
        self._mask = np.zeros(game.actions.size, np.int8)

    def initial_carry(self, n: int) -> None:
        """Return nothing: the views hold all that it needs."""

    def act(self, views: np.ndarray, seeds: np.ndarray, carry: Any = None) -> tuple[np.ndarray, Any]:
        """Return one action for each view, and the carry."""
        seeds = require_deciders(self.game, views, seeds)
        actions = np.empty(views.size, np.int64)
        own = self._mask, self._beliefs, self._plan, self._model, self._deduction, self._bluff
        choose(views, seeds, actions, *own, self.game.tables)
        return actions, carry

    def beliefs(self, views: np.ndarray) -> np.ndarray:
        """Return what the viewers believe: (n, seats) float64, the probability that a seat is the Double Agent."""
        return thoughts.beliefs(self.game, views, self._model)

    def facts(self, states: np.ndarray, seats: np.ndarray) -> np.ndarray:
        """Return what the seats' beliefs are about: (n, seats) bool, who is the Double Agent."""
        return thoughts.facts(self.game, states)

    def explain(self, view: np.ndarray) -> list[Table]:
        """Return what it knows and believes in one view of the seat to move, as tables."""
        require_deciders(self.game, view, np.zeros(1, np.uint64))
        tables, v = thoughts.explain(self.game, view, self._model), view[0]
        if v.role[v.viewer] == DOUBLE_AGENT:
            tables.append(self._suspicions(v))
        elif v.phase == GO:
            tables.append(self._certainty(v))
        return tables

    def _suspicions(self, v: np.record) -> Table:
        """Return what every Security Agent must believe about the Double Agent that sees ``v``."""
        me = int(v.viewer)
        read_minds(v, me, self._beliefs, self._model[0], self.game.tables[0])
        in_play = [seat for seat in range(self.game.seats) if seat != me and not v.out[seat]]
        rows = [(f"seat {seat}", percent(self._beliefs[seat].posterior[me])) for seat in in_play]
        return Table(
            "How sure each Security Agent must be that it is the Double Agent (percent)", ("Who", "Sure"), rows
        )

    def _certainty(self, v: np.record) -> Table:
        """Return how sure a Security Agent must be to accuse, and how sure it is."""
        memory, tables = self._beliefs[0], self.game.tables[0]
        believe(v, int(v.viewer), memory, self._model[0], tables)
        surest = int(memory.posterior.argmax())
        needed = needed_certainty(v, memory, self._deduction[0], tables)
        rows = [(f"seat {surest}", percent(memory.posterior[surest]), percent(needed))]
        return Table("Whom it would accuse (percent)", ("Who", "Sure", "Needed"), rows)


class DeductionAgent(RolesAgent):
    """Play Security Agents like ``expert``, and the Double Agent like ``naive``.

    Args:
        game: The Double Agent with any options.
        rate: see ``ExpertAgent``.
    """

    @validate_call(config=ConfigDict(arbitrary_types_allowed=True))
    def __init__(self, game: InstanceOf[Game], *, rate: Rate = RATE) -> None:
        self._expert = ExpertAgent(game, rate=rate)
        self.beliefs, self.facts, self.explain = self._expert.beliefs, self._expert.facts, self._expert.explain
        super().__init__(game, double_agent=NaiveAgent(game), security_agent=self._expert)


class BluffingAgent(RolesAgent):
    """Play the Double Agent like ``expert``, and Security Agents like ``naive``.

    Args:
        game: The Double Agent with any options.
        rate: see ``ExpertAgent``.
    """

    @validate_call(config=ConfigDict(arbitrary_types_allowed=True))
    def __init__(self, game: InstanceOf[Game], *, rate: Rate = RATE) -> None:
        super().__init__(game, double_agent=ExpertAgent(game, rate=rate), security_agent=NaiveAgent(game))


@kernel
def choose(views, seeds, actions, mask, beliefs, plan, model, deduction, bluffs, tables):
    """Choose an action for every view."""
    for i in range(views.size):
        v = views[i]
        if v.role[v.to_move] == DOUBLE_AGENT:
            actions[i] = bluff(v, seeds[i], mask, beliefs, plan[0], model[0], bluffs[0], tables[0])
        else:
            actions[i] = deduce(v, seeds[i], mask, beliefs[0], plan[0], model[0], deduction[0], tables[0])
