"""What the search agents share: their arguments, memory, clock, and asking those who play or judge for them."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from agents.agent import Agent, AgentError, is_reproducible, notes_of, require_deciders
from agents.names import make_agent
from agents.search_memory import EVALUATION, NOBODY_ELSE, OPPONENTS, ROLLOUT, SETTINGS, Memory, allocate
from agents.search_tree import begin_rows, choose_most_visited, search_rows
from kgb_env import Game, loops

# Arguments
Count = Annotated[int, Field(strict=True, ge=1)]
Plies = Annotated[int, Field(strict=True, ge=0)]
Seconds = Annotated[float, Field(strict=True, gt=0, allow_inf_nan=False)]
Weight = Annotated[float, Field(strict=True, ge=0, allow_inf_nan=False)]
Player = Agent | str
Evaluation = Callable[[np.ndarray], np.ndarray]

SIMULATIONS, SIMULATIONS_IN_TIME = 400, 1_000_000_000  # the defaults without and with a time budget
EXPLORATION = 0.3  # rewards are scaled to 0 to 1
MOST_EDGES = 1 << 18  # a tree grows no larger; a simulation adds one edge at most, and one node with it
WORLDS_AT_A_TIME = 32
ROWS_AT_A_TIME, BYTES_AT_A_TIME = 256, 1 << 26
SIMULATIONS_A_LOOK = 8  # at the clock


class SearchAgent:
    """Monte Carlo tree search over worlds that the decider holds possible; see its subclasses."""

    def __init__(
        self,
        game: Game,
        worlds: int | None,
        simulations: int | None,
        time_budget: float | None,
        exploration: float,
        opponents: Player | None,
        rollout: Player | None,
        rollout_plies: int | None,
        evaluation: Evaluation | None,
    ) -> None:
        if evaluation is not None and rollout_plies is None:
            raise AgentError("evaluation: it values rollouts that are cut; say with rollout_plies where")
        self.game = game
        self.is_reproducible = time_budget is None
        self._time_budget = time_budget
        self._simulations = simulations or (SIMULATIONS if time_budget is None else SIMULATIONS_IN_TIME)
        self._worlds = min(worlds or WORLDS_AT_A_TIME, self._simulations)
        self._evaluation = evaluation
        self._players = {
            OPPONENTS: self._player("opponents", opponents),
            ROLLOUT: self._player("rollout", rollout),
        }
        self._settings = np.zeros(1, SETTINGS)
        settings = self._settings[0]
        settings.exploration = exploration
        settings.min_return, settings.max_return = game.min_return, game.max_return
        settings.rollout_plies = game.max_plies if rollout_plies is None else rollout_plies
        settings.is_perfect = worlds is not None
        settings.has_opponents, settings.has_rollout = opponents is not None, rollout is not None
        settings.has_evaluation = evaluation is not None

    def _player(self, argument: str, player: Player | None) -> Agent | None:
        """Return the agent that plays a part in simulations."""
        agent = make_agent(self.game, player) if isinstance(player, str) else player
        if agent is not None and agent.initial_carry(1) is not None:
            raise AgentError(f"{argument}: an agent that has a memory cannot begin in the middle of a game")
        self.is_reproducible &= agent is None or is_reproducible(agent)
        return agent

    @property
    def parts(self) -> tuple[Agent, ...]:
        """The agents that play in simulations."""
        return tuple(player for player in self._players.values() if player is not None)

    def notes(self) -> list[str]:
        """Return what the agents that play in simulations have to say about their choices."""
        return [f"in simulations: {note}" for player in self.parts for note in notes_of(player)]

    def initial_carry(self, n: int) -> None:
        """Return nothing: every decision grows a new tree."""

    def act(self, views: np.ndarray, seeds: np.ndarray, carry: Any = None) -> tuple[np.ndarray, Any]:
        """Return one action for each view, and the carry."""
        seeds, views = require_deciders(self.game, views, seeds), views.copy()
        masks = np.empty((views.size, self.game.actions.size), np.int8)
        loops.legal_rows(views, masks, self.game.tables)
        actions = masks.argmax(axis=1)  # right where only one is legal
        undecided = np.flatnonzero(np.count_nonzero(masks, axis=1) > 1)
        rows = max(1, min(ROWS_AT_A_TIME, undecided.size, BYTES_AT_A_TIME // self.row_nbytes))
        for first in range(0, undecided.size, rows):
            part = undecided[first : first + rows]
            actions[part] = self._search(views[part], seeds[part])
        return actions, carry

    @property
    def row_nbytes(self) -> int:
        """Bytes that one decision takes while it is searched."""
        two, one = (sum(array.nbytes for array in self._memory(n)) for n in (2, 1))
        return two - one

    def _memory(self, rows: int) -> Memory:
        return allocate(self.game, rows, self._worlds, room=min(self._simulations, MOST_EDGES))

    def _search(self, views: np.ndarray, seeds: np.ndarray) -> np.ndarray:
        """Decide for views that have more than one legal action."""
        memory, actions = self._memory(views.size), np.empty(views.size, np.int64)
        begin_rows(memory, seeds)
        if self._time_budget is None:
            self._simulate(memory, views, self._simulations)
        else:
            end = time.perf_counter() + self._time_budget * views.size
            for done in range(0, self._simulations, SIMULATIONS_A_LOOK):
                self._simulate(memory, views, min(done + SIMULATIONS_A_LOOK, self._simulations))
                if time.perf_counter() >= end:
                    break
        choose_most_visited(memory, actions)
        return actions

    def _simulate(self, memory: Memory, views: np.ndarray, until: int) -> None:
        """Bring all rows to ``until`` finished simulations."""
        while True:
            search_rows(memory, views, until, self._settings, self.game.tables)
            waits_for = memory.rows["waits_for"].copy()
            if not waits_for.any():
                break
            for whom, player in self._players.items():
                waiting = np.flatnonzero(waits_for == whom)
                if player is not None and waiting.size:
                    memory.states[waiting] = self._play(player, memory.states[waiting], memory.rows["asking"][waiting])
            waiting = np.flatnonzero(waits_for == EVALUATION)
            if waiting.size:
                memory.values[waiting] = self._evaluate(memory.states[waiting])
            memory.rows["waits_for"] = NOBODY_ELSE

    def _play(self, player: Agent, states: np.ndarray, seeds: np.ndarray) -> np.ndarray:
        """Let an agent make a decision in every state."""
        actions, _ = player.act(self.game.view(states, states["to_move"]), seeds)
        self.game.play(states, actions)
        return states

    def _evaluate(self, states: np.ndarray) -> np.ndarray:
        """Return what states are worth to every seat."""
        assert self._evaluation is not None
        values = np.asarray(self._evaluation(states), float)
        if values.shape != (states.size, self.game.seats) or not np.isfinite(values).all():
            raise AgentError(
                f"evaluation: expected finite values of shape {(states.size, self.game.seats)}, "
                f"got shape {values.shape}{'' if np.isfinite(values).all() else ' with some that are not finite'}"
            )
        return values
