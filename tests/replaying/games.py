"""Games that tests write down."""

import numpy as np

from kgb_env import Recording, derive_seed, game
from tests import kuhn

MINI = {
    "confusion-mini": {},
    "double_agent-mini": {"max_turns": 4},
    "secret_formula-mini": {"max_rounds": 5},
    "suspicious-mini": {"rounds": 1},
    kuhn.ID: {},
}


def play(configured, seed=1, plies=10_000, on_ply=lambda recording: None):
    """Play a random game, or its first plies, and return its recording."""
    recording, rng = Recording(configured, derive_seed(seed, 0, 0)), np.random.default_rng(seed)
    for _ in range(plies):
        on_ply(recording)
        if recording.states["over"][0]:
            break
        recording.play(int(rng.choice(configured.legal(recording.states))))
    return recording


def replay_unseen_by_seat_1():
    """Return a game that is broken off before seat 1 has seen anything: its view is shown at its own decisions (C5)."""
    return play(game("confusion-mini", auto_answer=True), plies=0).replay(["random", "random"])


def replay_of(id, seed=1, plies=10_000, agents=None, **options):
    """Return a random game, written down."""
    configured = game(id, **{**MINI.get(id, {}), **options})
    return play(configured, seed, plies).replay(agents or ["random"] * configured.seats)
