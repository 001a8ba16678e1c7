"""Run for the briefcase, then for the opponent's first row, with whatever may be able to."""

from typing import Any

import numpy as np

from agents.agent import require_deciders
from agents.confusion.proposals import brings_home, steps
from kgb_env import Game
from kgb_env.games.confusion.board import controller, has_briefcase, is_own
from kgb_env.games.confusion.deduction import ONLY_DOUBLE_AGENT
from kgb_env.games.confusion.legality import decode, is_free_answer, legal, true_answer, waiting
from kgb_env.games.confusion.spec import (
    ANSWER,
    DOUBLE_AGENT,
    EMPTY,
    EXPOSE,
    HAND,
    LEAVE,
    NO,
    OUT,
    PLACE,
    PROMOTE,
    PROMOTE_NO,
    PROMOTE_YES,
    PROMOTED_DISTANCE,
    SKIP,
    TAKE,
    TAKE_NO,
    TAKE_YES,
    YES,
)
from kgb_env.jit import kernel, mix, pick

# What a proposal that may be granted is worth; it adds steps gained, and 1 if it is sure to be granted.
WIN, RECAPTURE, FETCH, CARRY, APPROACH, CAPTURE = 1000, 900, 800, 500, 300, 200
STEP, SURE = 10, 1


class GreedyAgent:
    """Play the raw possibilities for certainties and maybes, without probabilities.

    It proposes what may be granted and is worth most: bring the briefcase home, take it from the
    enemy, fetch it, carry it forward, come closer, capture.  It removes an own spy that can only be
    the Double Agent, and exposes the enemy's Double Agent when that controls the briefcase.  For the
    enemy's Double Agent it answers as if the spy were the first piece that it still may be.  It uses
    no tokens, places its spies at random, and has none promoted that may be the Double Agent.
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
        choose_greedy(views, seeds, actions, self._mask, self.game.tables)
        return actions, carry


@kernel
def choose_greedy(views, seeds, actions, mask, tables):
    """Choose an action for every view."""
    for i in range(views.size):
        v = views[i]
        if v.phase == ANSWER:
            actions[i] = answer(v, tables[0])
        elif v.phase == PROMOTE:
            is_sure = not int(v.possible[v.to_move, v.arrived]) & ONLY_DOUBLE_AGENT
            actions[i] = PROMOTE_YES if is_sure else PROMOTE_NO
        elif v.phase == TAKE:
            actions[i] = TAKE_YES if not has_briefcase(v, v.to_move) else TAKE_NO
        elif v.phase == PLACE:
            legal(v, mask, tables[0])
            actions[i] = pick(mask, mix(seeds[i]))
        else:
            actions[i] = remove_or_propose(v, seeds[i], mask, tables[0])


@kernel
def answer(v, tables):
    """Tell the truth, or for a Double Agent what its first possible piece would answer, but never lose by it."""
    kind, spy, direction, distance = waiting(v)
    seat = 1 - v.to_move
    possible = int(v.possible[seat, spy]) & ~ONLY_DOUBLE_AGENT
    if is_free_answer(v, seat, spy):
        if brings_home(v, seat, kind, spy, direction, distance, tables):
            return NO
        first = possible & -possible
        return YES if tables.can[direction, distance] & first else NO
    return YES if true_answer(v, seat, spy, direction, distance, tables) else NO


@kernel
def remove_or_propose(v, seed, mask, tables):
    """Remove a Double Agent that must go, else propose the best; chance breaks ties."""
    legal(v, mask, tables)
    seat = int(v.to_move)
    if mask[EXPOSE] and has_briefcase(v, 1 - seat) and v.piece[1 - seat, controller(v)] == DOUBLE_AGENT:
        return EXPOSE
    for spy in range(tables.spies):
        if mask[OUT + spy] and v.possible[seat, spy] == ONLY_DOUBLE_AGENT and v.in_play[seat] > 1:
            return OUT + spy
    best, ties, chosen = -1, 0, -1
    for action in range(mask.size):
        if mask[action] and (action < NO or action == SKIP):
            value = worth(v, seat, action, tables)
            ties = ties + 1 if value == best else 1 if value > best else ties
            if value > best or (value == best and mix(seed + np.uint64(action)) % np.uint64(ties) == 0):
                best, chosen = value, action
    return chosen


@kernel
def worth(v, seat, action, tables):
    """Value a proposal by what it gains if it is granted; 0 if it cannot be granted, or for a skip."""
    if action == SKIP:
        return 0
    kind, spy, direction, distance = decode(v, action)
    possible = int(v.possible[seat, spy]) & ~ONLY_DOUBLE_AGENT
    fitting = possible & tables.can[direction, distance]
    if v.promoted[seat, spy]:
        fitting = possible if distance < PROMOTED_DISTANCE else 0
    if fitting == 0 or kind == LEAVE:
        return 0
    value = gain(v, seat, kind, spy, direction, distance, tables)
    return value + SURE if value > 0 and fitting == possible else value


@kernel
def gain(v, seat, kind, spy, direction, distance, tables):
    """Value a proposal that is granted."""
    start = int(v.cell[seat, spy])
    target = int(tables.path[seat, start, direction, distance])
    found = int(v.board[target])
    forward = int(tables.own_row[seat, target]) - int(tables.own_row[seat, start])
    if brings_home(v, seat, kind, spy, direction, distance, tables):
        return WIN
    if kind == HAND:
        return CARRY + STEP * forward if is_own(found, seat) and forward > 0 else 0
    if target == v.briefcase:
        return RECAPTURE if found != EMPTY else FETCH
    value = CAPTURE if found != EMPTY else 1
    if start == v.briefcase:
        return CARRY + STEP * forward if forward > 0 else value
    closer = steps(start, int(v.briefcase)) - steps(target, int(v.briefcase))
    if closer > 0 and not has_briefcase(v, seat):
        value += APPROACH + STEP * closer
    return value
