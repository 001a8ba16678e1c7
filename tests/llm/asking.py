"""Agents that ask the small server, for tests."""

import numpy as np

from agents.llm import LlmAgent

SEEDS = np.array([3], np.uint64)


def first_view(configured, seed=1):
    """Return the view of who decides first."""
    states = configured.start(seed)
    return configured.view(states, int(states["to_move"][0]))


def asked(server, configured, **arguments):
    """Return an agent that asks a server."""
    return LlmAgent(configured, **{"url": server.url, "model": "m", "retries": 0, "timeout": 5.0, **arguments})


def act_once(agent):
    """Return the move that an agent makes first, in notation."""
    view = first_view(agent.game)
    actions, carry = agent.act(view, SEEDS)
    assert carry is None
    agent.close()
    return agent.game.notation.action(agent.game, view, int(actions[0]))
