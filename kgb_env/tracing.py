"""Fingerprints of play: of every state and view in some games, here and in a fresh process."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys

import numpy as np

from kgb_env.game import Game, derive_seed
from kgb_env.jit import numba_config


def perft(game: Game, states: np.ndarray, depth: int) -> int:
    """Return the number of ways to make ``depth`` decisions from a state (one row) that chance does not interrupt."""
    if depth == 0 or states["over"][0]:
        return int(depth == 0)
    legal = game.legal(states)
    if depth == 1:
        return len(legal)
    count = 0
    for action in legal:
        after = states.copy()
        game.play(after, int(action))
        count += perft(game, after, depth - 1)
    return count


def trace(game: Game, seed: int, games: int = 3, plies: int = 150) -> str:
    """Return a fingerprint of the first plies of some games: states, views, observations, masks, worlds."""
    hashed, rng = hashlib.sha256(), np.random.default_rng(seed)
    for k in range(games):
        states = game.start(derive_seed(seed, 1, k))
        for _ in range(plies):
            hashed.update(states.tobytes())
            for seat in range(game.seats):
                for array in game.encode(game.view(states, seat)):
                    hashed.update(array.tobytes())
                hashed.update(game.encode(game.oracle(states, seat)).observation.tobytes())
            if states["over"][0]:
                break
            seat = int(states["to_move"][0])
            if rng.random() < 0.01:
                hashed.update(game.determinize(game.view(states, seat), np.arange(2, dtype=np.uint64)).tobytes())
            game.play(states, int(rng.choice(game.legal(states))))
    return hashed.hexdigest()


def trace_elsewhere(game: Game, seed: int, **environment: str) -> str:
    """Return ``trace`` from a fresh process, with the JIT switched unless the environment says otherwise."""
    switched = "0" if numba_config.DISABLE_JIT else "1"
    task = json.dumps({"id": game.id, "options": game.options, "data": game.data, "seed": seed})
    path = os.pathsep.join(p for p in sys.path if p)
    done = subprocess.run(
        [sys.executable, "-m", "kgb_env.tracing"],
        input=task,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path, "NUMBA_DISABLE_JIT": switched, **environment},
    )
    if done.returncode:
        raise RuntimeError(f"{game!r}: a fresh process fails: {done.stderr.strip().splitlines()[-1:]}")
    return done.stdout.strip()


if __name__ == "__main__":
    from kgb_env.registry import rebuild

    given = json.load(sys.stdin)
    print(trace(rebuild(given["id"], given["options"], given["data"]), given["seed"]))
