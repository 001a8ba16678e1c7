"""Kuhn poker has a known size and a known value; CFR needs nothing but the contract."""

from collections import defaultdict
from typing import NamedTuple

import numpy as np
import pytest

from kgb_env import CHANCE, NOBODY, game, kernels
from kgb_env.testing import check_game
from tests.kuhn import ID

pytestmark = pytest.mark.nojit


class Node(NamedTuple):
    """A history: who chooses, what that seat knows, what follows."""

    seat: int
    view: bytes
    chances: np.ndarray
    children: list
    value: float = 0.0


def tree(poker, states):
    """Build the game tree under a state."""
    s = states[0]
    if s.over:
        return Node(NOBODY, b"", np.zeros(0), [], float(s.returns[0]))
    seat, view = int(s.to_move), b""
    if seat == CHANCE:
        weights = poker.weights()
        kernels.chance(s, weights, poker.tables[0])
    else:
        frame = poker.encode(poker.view(states, seat))
        view, weights = frame.views.tobytes(), frame.action_mask[0]
    children = []
    for action in np.flatnonzero(weights):
        after = states.copy()
        kernels.step(after[0], action, poker.tables[0])
        children.append(tree(poker, after))
    return Node(seat, view, weights[weights > 0] / weights.sum(), children)


def nodes(node):
    """Yield every node of a tree."""
    yield node
    for child in node.children:
        yield from nodes(child)


def root():
    """Return the tree from before the deal."""
    poker = game(ID)
    return tree(poker, poker.begin())


def normalized(weights):
    """Return a distribution, uniform where there is no weight."""
    return weights / weights.sum() if weights.sum() > 0 else np.full(weights.size, 1 / weights.size)


def cfr(node, reach, regrets, averages):
    """Update regrets and average strategies; return the value for seat 0."""
    if node.seat == NOBODY:
        return node.value
    if node.seat == CHANCE:
        return sum(
            p * cfr(child, reach * [1, 1, p], regrets, averages)
            for p, child in zip(node.chances, node.children, strict=True)
        )
    policy = normalized(np.maximum(regrets[node.view], 0))
    values = np.zeros(2)
    for action, child in enumerate(node.children):
        factor = np.ones(3)
        factor[node.seat] = policy[action]
        values[action] = cfr(child, reach * factor, regrets, averages)
    sign = 1 if node.seat == 0 else -1
    regrets[node.view] += sign * reach[1 - node.seat] * reach[2] * (values - policy @ values)
    averages[node.view] += reach[node.seat] * policy
    return policy @ values


def value(node, averages):
    """Return the value for seat 0 when both play their average strategy."""
    if node.seat == NOBODY:
        return node.value
    chances = node.chances if node.seat == CHANCE else normalized(averages[node.view])
    return sum(p * value(child, averages) for p, child in zip(chances, node.children, strict=True))


def test_size():
    every = list(nodes(root()))
    assert sum(node.seat == NOBODY for node in every) == 30
    assert len({node.view for node in every if node.seat >= 0}) == 12


def test_cfr_finds_the_value():
    start, regrets, averages = root(), defaultdict(lambda: np.zeros(2)), defaultdict(lambda: np.zeros(2))
    for _ in range(2000):
        cfr(start, np.ones(3), regrets, averages)
    assert value(start, averages) == pytest.approx(-1 / 18, abs=1e-3)


def test_contract():
    report = check_game(game(ID), pairs=500)
    assert report.pairs >= 500
    assert min(report.secrets.values()) > 50
