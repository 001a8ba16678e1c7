"""Play what is missing of a tournament, in one process or many, and write it down as it comes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import joblib
import numpy as np

from agents import Agent
from kgb_env import Game
from kgb_env.game import require_seeds

from ..match import Results, Table, deal_seeds
from .plan import Event, Plan
from .schedule import Fixtures, fixtures_of
from .store import Store, Time

CHUNK = 256  # games that are played side by side and written at once
FORFEIT = "forfeit"

Progress = Callable[[int, int], None]  # called with games finished, of how many


class Chunk(NamedTuple):
    """Some games of an event: (n,) their numbers."""

    event: int
    games: np.ndarray


def play(
    plan: Plan, store: Store, workers: int = 1, ray: str | None = None, on_progress: Progress | None = None
) -> None:
    """Play all games of a tournament that are not in the store yet.

    Args:
        plan: of the tournament.
        store: where results go, a chunk at a time.
        workers: processes to play in; the results are the same with any number.
        ray: address of a Ray cluster to play on instead, as ``ray.init`` takes it (``local``: one on this machine).
        on_progress: called after every chunk.
    """
    chunks = list(missing(plan, store))
    total = sum(fixtures_of(event, _set_up(event.model_dump_json(), plan.deadline)[0]).games for event in plan.events)
    finished = total - sum(chunk.games.size for chunk in chunks)
    report = on_progress or (lambda finished, total: None)
    report(finished, total)
    for chunk, (rows, times) in _results(plan, chunks, workers, ray):
        store.add(rows, times, plan.events[chunk.event].title)
        finished += chunk.games.size
        report(finished, total)


def missing(plan: Plan, store: Store) -> Iterator[Chunk]:
    """Yield the games that are still to be played, in chunks."""
    for number, event in enumerate(plan.events):
        game, _ = _set_up(event.model_dump_json(), plan.deadline)
        games = np.setdiff1d(np.arange(fixtures_of(event, game).games), store.played(event.title))
        for first in range(0, games.size, CHUNK):
            yield Chunk(number, games[first : first + CHUNK])


def _results(plan: Plan, chunks: list[Chunk], workers: int, ray: str | None) -> Iterator[tuple[Chunk, Any]]:
    """Yield the results of chunks as they come."""
    if workers == 1 and ray is None:
        for chunk in chunks:
            yield chunk, play_chunk(plan, chunk)
        return
    for number in sorted({chunk.event for chunk in chunks}):
        compile_for(plan, number)  # here, so that the workers find compiled rules on disk
    tasks = [joblib.delayed(_play_numbered)(plan, chunk) for chunk in chunks]
    if ray is None:
        parallel = joblib.Parallel(n_jobs=workers, return_as="generator_unordered")
        yield from parallel(tasks)
        return
    with ray_backend(ray):
        wave = 4 * joblib.effective_n_jobs(-1)  # Ray's backend hands back whole waves only
        for first in range(0, len(tasks), wave):
            yield from joblib.Parallel(n_jobs=-1)(tasks[first : first + wave])


def _play_numbered(plan: Plan, chunk: Chunk) -> tuple[Chunk, Any]:
    return chunk, play_chunk(plan, chunk)


def ray_backend(address: str) -> joblib.parallel_config:
    """Return a context in which joblib's processes are those of a Ray cluster.

    Raises:
        ConfigError: Ray is not installed, or there is no cluster at the address.
    """
    from ..config import ConfigError

    try:
        import ray
        from ray.util.joblib import register_ray
    except ImportError as error:
        raise ConfigError(f"--ray needs the extra `ray` (pip install kgb-env[ray]): {error}") from None
    try:
        ray.init(address=address, ignore_reinit_error=True, log_to_driver=False)
    except (ConnectionError, ValueError) as error:
        raise ConfigError(f"--ray {address}: {error}") from None
    register_ray()
    return joblib.parallel_config(backend="ray")


def compile_for(plan: Plan, number: int) -> None:
    """Let every agent of an event play once, so that whatever can be compiled is."""
    event = plan.events[number]
    game, _ = _set_up(event.model_dump_json(), plan.deadline)
    play_chunk(plan, Chunk(number, np.arange(len(fixtures_of(event, game).lineups))))


def play_chunk(plan: Plan, chunk: Chunk) -> tuple[list[tuple[Any, ...]], list[Time]]:
    """Play some games; return their rows as the store has them, and what the agents took."""
    event = plan.events[chunk.event]
    game, agents = _set_up(event.model_dump_json(), plan.deadline)
    fixtures = fixtures_of(event, game)
    deals, lineups = np.divmod(chunk.games, len(fixtures.lineups))
    table = Table(game, agents, plan.seed, deals, fixtures.lineups[lineups], by_role=fixtures.by_role, may_forfeit=True)
    results = table.play()
    seeds = np.empty(deals.size, np.uint64)
    deal_seeds(np.uint64(plan.seed), deals, seeds)
    times = [
        Time(name, int(asked), float(seconds))
        for name, asked, seconds in zip(agents, table.asked, table.seconds, strict=True)
    ]
    return rows_of(event, game, chunk.games, fixtures, seeds, results), times


def rows_of(
    event: Event, game: Game, games: np.ndarray, fixtures: Fixtures, seeds: np.ndarray, results: Results
) -> list[tuple[Any, ...]]:
    """Return games as the store has them; see ``COLUMNS``."""
    options, deals = json.dumps(game.options), games // len(fixtures.lineups)
    rows = []
    for i in range(games.size):
        agents = [event.agents[player] for player in results.players[i]]
        roles = [] if results.roles is None else [game.roles[role] for role in results.roles[i]]
        reason = FORFEIT if i in results.faults else game.ending(int(results.reasons[i])).name
        rows.append(
            (
                event.title,
                int(games[i]),
                int(deals[i]),
                str(require_seeds(seeds[i])[0]),
                options,
                json.dumps(agents),
                json.dumps(roles),
                json.dumps(results.returns[i].tolist()),
                reason,
                int(results.plies[i]),
                results.faults.get(i),
            )
        )
    return rows


@lru_cache(maxsize=4)
def _set_up(event: str, deadline: float) -> tuple[Game, dict[str, Agent]]:
    """Return the game and the agents of an event, made once a process."""
    return Event.model_validate_json(event).set_up(deadline)
