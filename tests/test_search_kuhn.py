"""Known answers of ISMCTS and PIMC on Kuhn poker: dominated actions, the value of the game, best responses."""

from functools import cache
from itertools import product

import numpy as np
import pytest

from agents import make_agent
from kgb_env import game
from kgb_env.jit import numba_config
from tests.kuhn import BET, ID, PASS
from tests.test_kuhn import nodes, root, value
from tests.test_search import seeds

# What a seat knows is written as its card and what was chosen: "Qpb" is a queen after pass and bet.

# An equilibrium (Kuhn, 1950; the one with alpha = 0): the probability of a bet or call where it is not 0.
BETS = {"Kpb": 1, "Qpb": 1 / 3, "Kp": 1, "Jp": 1 / 3, "Kb": 1, "Qb": 1 / 3}
EQUILIBRIUM = {card + chosen: BETS.get(card + chosen, 0) for card in "JQK" for chosen in ("", "p", "b", "pb")}
GAME_VALUE = (-1 / 18, 1 / 18)
# Actions that are never better than the other, whatever the opponent does.
DOMINATED = {"Jb": BET, "Jpb": BET, "Kb": PASS, "Kpb": PASS, "Kp": PASS}
NOISE = 0.025

needs_jit = pytest.mark.skipif(bool(numba_config.DISABLE_JIT), reason="millions of simulations")


@cache
def information_sets():
    """Return view bytes and seat of every information set, by name."""
    found, poker = {}, game(ID)
    for node in nodes(root()):
        if node.seat >= 0:
            v = np.frombuffer(node.view, poker.state)[0]
            found["JQK"[v.cards[node.seat]] + "".join("pb"[c] for c in v.log[2 : v.events])] = (node.view, node.seat)
    return found


@cache
def strategy(text, n=100):
    """Return how often an agent bets at each information set."""
    poker, bets = game(ID), {}
    agent = make_agent(poker, text)
    for k, (name, (view, _)) in enumerate(information_sets().items()):
        views = np.repeat(np.frombuffer(view, poker.state), n)
        bets[name] = float(agent.act(views, seeds(n, k))[0].mean())
    return bets


def worth(bets, seat, others):
    """Return exactly what a strategy earns in a seat against another."""
    sets = information_sets().items()
    policies = {
        view: np.array([1 - p, p]) for name, (view, mover) in sets for p in [(bets if mover == seat else others)[name]]
    }
    return (1, -1)[seat] * value(root(), policies)


def best_response(seat, others):
    """Return the most that a pure strategy earns, trying all of them."""
    own = [name for name, (_, mover) in information_sets().items() if mover == seat]
    return max(worth(dict(zip(own, bets, strict=True)), seat, others) for bets in product((0, 1), repeat=len(own)))


UNIFORM = dict.fromkeys(EQUILIBRIUM, 0.5)


def test_the_equilibrium_is_one():
    assert set(information_sets()) == set(EQUILIBRIUM)
    for seat in (0, 1):
        assert worth(EQUILIBRIUM, seat, EQUILIBRIUM) == pytest.approx(GAME_VALUE[seat])
        assert best_response(seat, EQUILIBRIUM) == pytest.approx(GAME_VALUE[seat])


@needs_jit
@pytest.mark.parametrize("text", ["ismcts(simulations=2000)", "pimc(simulations=2000)"])
def test_a_dominated_action_is_never_chosen(text):
    bets = strategy(text)
    assert {name: bets[name] for name, bad in DOMINATED.items()} == {name: 1 - bad for name, bad in DOMINATED.items()}


@needs_jit
@pytest.mark.parametrize("seat", [0, 1])
def test_ismcts_earns_the_value_of_the_game_from_an_equilibrium(seat):
    earned = worth(strategy("ismcts(simulations=2000)"), seat, EQUILIBRIUM)
    assert GAME_VALUE[seat] - NOISE <= earned <= GAME_VALUE[seat] + 1e-9


@needs_jit
@pytest.mark.parametrize("seat", [0, 1])
def test_ismcts_finds_the_best_response_to_a_model(seat):
    best = best_response(seat, UNIFORM)
    earned = worth(strategy("ismcts(simulations=2000, opponents=random)"), seat, UNIFORM)
    assert best - NOISE <= earned <= best + 1e-9
    assert earned > worth(strategy("ismcts(simulations=2000)"), seat, UNIFORM) + NOISE


@needs_jit
def test_ismcts_is_less_exploitable_than_uniform_play():
    def exploitability(bets):
        return (best_response(0, bets) + best_response(1, bets)) / 2

    assert exploitability(UNIFORM) == pytest.approx(11 / 24)
    assert exploitability(strategy("ismcts(simulations=2000)")) < 0.2  # it hardly ever bluffs: 1/6
