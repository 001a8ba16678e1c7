"""Start-up times and memory of a game, each measured in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from statistics import median
from typing import Any

from kgb_env import Game

Tick = Callable[[str], None]  # hears what is done next

FIRST_MOVES = """
import json, sys, time
id, options = json.loads(sys.argv[1])
import kgb_env
reached = [time.perf_counter()]
env = kgb_env.make(id, **options)
env.reset(seed=0)
env.step(int(env.last()[0]["action_mask"].argmax()))
reached.append(time.perf_counter())
batch = kgb_env.make_batch(id, 8, **options)
batch.step(batch.frame.action_mask.argmax(axis=1))
reached.append(time.perf_counter())
print(json.dumps(reached))
"""

LARGE_BATCH = """
import json, sys
from pathlib import Path
import kgb_env
(id, options), n = json.loads(sys.argv[1]), int(sys.argv[2])
status = Path("/proc/self/status")
def resident(line):
    return 1024 * int(status.read_text().partition(line)[2].split()[0]) if status.exists() else None
def play(batch):
    for _ in range(3):
        batch.step(batch.frame.action_mask.argmax(axis=1))
play(kgb_env.make_batch(id, 1, **options))
before = resident("VmRSS:")
batch = kgb_env.make_batch(id, n, **options)
play(batch)
peak = resident("VmHWM:")
print(json.dumps([batch.nbytes, peak and peak - before]))
"""


def in_fresh_process(script: str, game: Game, cache: str | None, *arguments: str) -> Any:
    """Run a script that knows the game and return what it prints; kernels are cached in ``cache``."""
    environment = {**os.environ, **({} if cache is None else {"NUMBA_CACHE_DIR": cache})}
    command = [sys.executable, "-c", script, json.dumps([game.id, game.options]), *arguments]
    # In a session of its own: Ctrl-C stops us, and we stop it, without a traceback of its own.
    return json.loads(
        subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True, start_new_session=True).stdout
    )


def start_times(game: Game, cache: str | None) -> dict[str, float]:
    """Return the seconds from the start of an interpreter to the end of what is named."""
    began = time.perf_counter()  # one clock for all processes
    reached = in_fresh_process(FIRST_MOVES, game, cache)
    return dict(zip(("import", "first_move", "first_batched_step"), (t - began for t in reached), strict=True))


def measure_start(game: Game, starts: int, cache: str, tick: Tick) -> dict[str, Any]:
    """Return the times of a cold start (``cache`` is an empty folder) and the medians of warm ones."""
    tick("cold start: compiling everything")
    cold = start_times(game, cache)
    warm = []
    for _ in range(starts):
        tick("warm start")
        warm.append(start_times(game, cache))
    return {"cold": cold, "warm": {name: median(times[name] for times in warm) for name in cold}, "unit": "s"}


def measure_memory(game: Game, num_envs: int, cache: str | None) -> dict[str, Any]:
    """Return the bytes of one row of each kind, those of a large batch, and how far a process grows that steps it."""
    arrays, growth = in_fresh_process(LARGE_BATCH, game, cache, str(num_envs))
    frame = game.frame()
    return {
        "state": game.state.itemsize,
        "observation": frame.observation.nbytes,
        "observation_mask": frame.observation_mask.nbytes,
        "action_mask": frame.action_mask.nbytes,
        f"batch_{num_envs}_arrays": arrays,
        f"batch_{num_envs}_peak_growth": growth,
        "unit": "bytes",
    }
