"""Random play for tests."""

import numpy as np

from kgb_env import derive_seed


def random_states(game, seed=0):
    """Yield the states of one random game, the last one included; each is a new array."""
    rng, states = np.random.default_rng(seed), game.start(derive_seed(seed, 0, 0))
    while True:
        yield states.copy()
        if states["over"][0]:
            return
        game.play(states, int(rng.choice(game.legal(states))))


def random_action(env, rng):
    """Return a random legal action of the selected agent."""
    return int(rng.choice(np.flatnonzero(env.observe(env.agent_selection)["action_mask"])))


def play_to_the_end(env, rng):
    """Step an environment until its game is over."""
    while env.outcome is None:
        env.step(random_action(env, rng))
