"""Look for the formula where it is likely and near, take it from who is likely to have it, and get it out."""

from typing import Any

import numpy as np

from agents.agent import require_deciders
from agents.explanation import Table
from agents.secret_formula import thoughts
from agents.secret_formula.belief import BELIEF, believe, make_evidence
from agents.secret_formula.outlook import OUTLOOK, look_ahead
from agents.secret_formula.plan import make_plan
from agents.secret_formula.value import VALUES, WEIGHTS, value_of_capture, value_of_gate, value_of_going
from kgb_env import Game
from kgb_env.games.secret_formula.legality import legal
from kgb_env.games.secret_formula.spec import DO_HIT, GATE, HIT, RETURN, STAY
from kgb_env.jit import kernel, mix


class ExpertAgent:
    """Weigh every choice by what it can still find, rob and carry out of the camp, and by who can prevent it.

    It holds a belief over which envelope has the formula, from how whoever has held it has moved since; plans a tour
    over envelopes and rivals with the dice in mind; keeps out of the guard's way, and of the reach of
    rivals when they may think that it has the formula; and lets itself be captured when it comes in nearer.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self._weights = np.zeros(1, WEIGHTS)
        for name, value in VALUES.items():
            self._weights[name] = value
        self._plan = make_plan(game, VALUES["pace"], VALUES["safety"])
        self._evidence = make_evidence()
        self._belief, self._outlook = np.zeros(1, BELIEF), np.zeros(1, OUTLOOK)
        self._belief["trust"] = VALUES["trust"]
        self._replayed = game.new()
        self._mask = np.zeros(game.actions.size, np.int8)

    def initial_carry(self, n: int) -> None:
        """Return nothing: the views hold all that it needs."""

    def act(self, views: np.ndarray, seeds: np.ndarray, carry: Any = None) -> tuple[np.ndarray, Any]:
        """Return one action for each view, and the carry."""
        seeds = require_deciders(self.game, views, seeds)
        actions, values = np.empty(views.size, np.int64), np.empty(self.game.actions.size)
        memory = self._belief, self._outlook, self._replayed, self._mask, values
        choose(views, seeds, actions, *memory, self._weights, self._evidence, self._plan, self.game.tables)
        return actions, carry

    def beliefs(self, views: np.ndarray) -> np.ndarray:
        """Return what the viewers believe: (n, seats + 1) float64, that each seat carries the formula, or nobody."""
        return thoughts.beliefs(self.game, views, self._belief, self._replayed, self._evidence, self._plan)

    def facts(self, states: np.ndarray, seats: np.ndarray) -> np.ndarray:
        """Return what the seats' beliefs are about: (n, seats + 1) bool, who carries the formula, or nobody."""
        return thoughts.facts(self.game, states)

    def explain(self, view: np.ndarray) -> list[Table]:
        """Return what it believes and considers in one view of the seat to move, as tables."""
        require_deciders(self.game, view, np.zeros(1, np.uint64))
        values = np.empty(self.game.actions.size)
        memory = self._belief, self._outlook, self._replayed, self._mask, values
        seeds, actions = np.zeros(1, np.uint64), np.empty(1, np.int64)
        choose(view, seeds, actions, *memory, self._weights, self._evidence, self._plan, self.game.tables)
        return thoughts.explain(self.game, view, self._belief[0], values, self._mask)


@kernel
def choose(views, seeds, actions, belief, outlook, replayed, mask, values, weights, evidence, plan, tables):
    """Choose an action for every view."""
    for i in range(views.size):
        v, seat = views[i], np.int64(views[i].to_move)
        legal(v, mask, tables[0])
        believe(v, seat, belief[0], replayed[0], evidence[0], plan[0], tables[0])
        look_ahead(v, seat, outlook[0], belief[0], weights[0], plan[0], tables[0])
        values[:] = -1.0
        for action in range(mask.size):
            if mask[action]:
                values[action] = value_of(
                    v, seat, action, outlook[0], belief[0], weights[0], evidence[0], plan[0], tables[0]
                )
        actions[i] = best_of(values, seeds[i])


@kernel
def value_of(v, seat, action, o, b, w, evidence, p, t):
    """Return what an action is worth."""
    if v.phase == HIT:
        return 1.0 if action == DO_HIT else 0.0
    if v.phase == GATE or v.phase == RETURN:
        return value_of_gate(action - t.do_gate, o, w, p, t)
    if action >= t.do_go:
        return value_of_going(v, seat, action - t.do_go, o, b, w, evidence, p, t)
    return value_of_capture(v, seat, o, w, p, t) if action == STAY else 2.0


@kernel
def best_of(values, seed):
    """Return the action of the highest value; chance breaks ties."""
    chosen, ties = -1, 0
    for action in range(values.size):
        if values[action] >= 0.0 and (chosen < 0 or values[action] >= values[chosen]):
            ties = ties + 1 if chosen >= 0 and values[action] == values[chosen] else 1
            if ties == 1 or mix(seed + np.uint64(action)) % np.uint64(ties) == 0:
                chosen = action
    return chosen
