"""Collect envelopes, the nearest first, and leave the camp when one of them holds the formula."""

from typing import Any

import numpy as np

from agents.agent import require_deciders
from kgb_env import Game
from kgb_env.camp.tables import FAR, distance
from kgb_env.games.secret_formula.legality import has_formula, legal
from kgb_env.games.secret_formula.spec import DO_HIT, GATE, HIT, NOWHERE, RETURN, STAY
from kgb_env.jit import kernel, mix


class CollectorAgent:
    """Go for the nearest envelope that it has not examined, and with the formula for the nearest gate.

    It comes in by a gate near such envelopes, hits whom it can, and takes no notice of the guard or of rivals.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self._mask = np.zeros(game.actions.size, np.int8)

    def initial_carry(self, n: int) -> None:
        """Return nothing: the views hold all that it needs."""

    def act(self, views: np.ndarray, seeds: np.ndarray, carry: Any = None) -> tuple[np.ndarray, Any]:
        """Return one action for each view, and the carry."""
        seeds = require_deciders(self.game, views, seeds)
        actions = np.empty(views.size, np.int64)
        collect(views, seeds, actions, self._mask, self.game.tables)
        return actions, carry


@kernel
def collect(views, seeds, actions, mask, tables):
    """Choose an action for every view."""
    for i in range(views.size):
        v, t, seat = views[i], tables[0], np.int64(views[i].to_move)
        legal(v, mask, t)
        if v.phase == HIT:
            actions[i] = DO_HIT
        elif v.phase == GATE or v.phase == RETURN:
            actions[i] = choose_gate(v, seat, seeds[i], mask, t)
        else:
            actions[i] = choose_move(v, seat, seeds[i], mask, t)


@kernel
def choose_gate(v, seat, seed, mask, t):
    """Come in where an envelope is nearest; chance breaks ties."""
    nearest, ties, chosen = 2 * FAR, 0, -1
    for gate in range(t.gates):
        if mask[t.do_gate + gate]:
            steps = steps_to_goal(v, seat, np.int64(t.gate_cell[gate]), t)
            ties = ties + 1 if steps == nearest else 1
            if steps < nearest or (steps == nearest and mix(seed + np.uint64(gate)) % np.uint64(ties) == 0):
                nearest, chosen = steps, t.do_gate + gate
    return chosen


@kernel
def choose_move(v, seat, seed, mask, t):
    """Leave if it can, take what is within reach, else come nearer; never surrender if there is another way."""
    for gate in range(t.gates):
        if mask[t.do_leave + gate]:
            return t.do_leave + gate
    nearest, ties, chosen = 4 * FAR, 0, -1
    for cell in range(t.cells):
        if mask[t.do_go + cell]:
            steps = steps_to_goal(v, seat, cell, t)
            if t.sector[cell] == v.guard and v.cell[seat] != NOWHERE and t.sector[v.cell[seat]] != v.guard:
                steps += 2 * FAR  # that would be a surrender
            ties = ties + 1 if steps == nearest else 1
            if steps < nearest or (steps == nearest and mix(seed + np.uint64(cell)) % np.uint64(ties) == 0):
                nearest, chosen = steps, t.do_go + cell
    return chosen if chosen >= 0 else STAY


@kernel
def steps_to_goal(v, seat, cell, t):
    """Return how far it is from a cell to the nearest gate with the formula, else to the nearest unknown envelope."""
    nearest = np.int64(FAR)
    if has_formula(v, seat, t):
        for gate in range(t.gates):
            nearest = min(nearest, 1 + distance(t, cell, np.int64(t.gate_cell[gate])))
        return nearest
    for envelope in range(t.hiding_places):
        if not (v.examined[seat] >> envelope) & 1:
            place = np.int64(v.lies[envelope])
            if place == NOWHERE and v.holder[envelope] != NOWHERE:
                place = np.int64(v.cell[v.holder[envelope]])
            if place != NOWHERE:
                nearest = min(nearest, distance(t, cell, place))
    return nearest
