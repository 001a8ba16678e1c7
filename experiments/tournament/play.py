"""Play what is missing of a tournament, in one process or many, and write it down as it comes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import islice
from time import perf_counter
from typing import Any, NamedTuple, Protocol

import joblib
import numpy as np

from agents import Agent
from kgb_env import Game
from kgb_env.game import require_seeds

from ..config import ConfigError
from ..match import Results, Table, deal_seeds
from .plan import Event, Plan
from .schedule import Fixtures, fixtures_of
from .store import Store, StoreError, Time

FORFEIT = "forfeit"

# Games that are played side by side and written at once: many are quick, but whoever kills the process loses them.
FIRST_CHUNK, LARGEST_CHUNK = 32, 512
GROWTH = 4
SECONDS_A_CHUNK = 10.0


class Progress(Protocol):
    """Is told how many games are finished, and which event is played for the first time and may need compiling."""

    def __call__(self, finished: int, total: int, *, preparing: str = "") -> None:
        """Show it."""


class Chunk(NamedTuple):
    """Some games of an event: (n,) their numbers."""

    event: int
    games: np.ndarray


class Outcome(NamedTuple):
    """What came out of a chunk: rows as the store has them, what the agents took, and how long it took in all."""

    chunk: Chunk
    rows: list[tuple[Any, ...]]
    times: list[Time]
    seconds: float


class Pace:
    """How many games a chunk has: as many as take some seconds.  It learns from every chunk, and changes no figure."""

    def __init__(self) -> None:
        self._sizes: dict[int, int] = {}  # by event

    def size(self, event: int) -> int:
        """Return how many games the next chunk of an event gets."""
        return self._sizes.get(event, FIRST_CHUNK)

    def learn(self, outcome: Outcome) -> None:
        """See how long a chunk took."""
        games = outcome.chunk.games.size
        in_time = int(games * SECONDS_A_CHUNK / max(outcome.seconds, 1e-3))
        self._sizes[outcome.chunk.event] = max(1, min(in_time, GROWTH * games, LARGEST_CHUNK))


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

    Raises:
        ConfigError: there is no such game, option, agent or schedule; nothing has been played then.
        StoreError: what is in the store is damaged.
    """
    prepare(plan)
    left = [games_left(event, store) for event in plan.events]
    total = sum(fixtures_of(event, event.game_of()).games for event in plan.events)
    finished = total - sum(games.size for games in left)
    pace = Pace()

    def report(preparing: str = "") -> None:
        if on_progress:
            on_progress(finished, total, preparing=preparing)

    report()
    for outcome in _outcomes(plan, left, pace, workers, ray, report):
        store.add(outcome.rows, outcome.times, plan.events[outcome.chunk.event].title)
        pace.learn(outcome)
        finished += outcome.chunk.games.size
        report()


def prepare(plan: Plan) -> None:
    """Make all games, agents and schedules, so that what is wrong with one is known before anything is played."""
    for event in plan.events:
        game, _ = set_up(event, plan.deadline)
        fixtures_of(event, game)


def games_left(event: Event, store: Store) -> np.ndarray:
    """Return the numbers of the games of an event that are still to be played.

    Raises:
        StoreError: what was played is not as it was written, or not of the event.
    """
    games = np.arange(fixtures_of(event, event.game_of()).games)
    played = np.array([row["game"] for row in store.rows(event.title)], np.int64)
    strange = np.setdiff1d(played, games)
    if strange.size:
        raise StoreError(f"{store.path} is damaged: {event.title} has no game {strange[0]}")
    return np.setdiff1d(games, played)


def _chunks(left: list[np.ndarray], pace: Pace) -> Iterator[Chunk]:
    for event, games in enumerate(left):
        while games.size:
            size = pace.size(event)
            yield Chunk(event, games[:size])
            games = games[size:]


def _outcomes(
    plan: Plan, left: list[np.ndarray], pace: Pace, workers: int, ray: str | None, prepare: Callable[[str], None]
) -> Iterator[Outcome]:
    """Yield what comes out of chunks, as it comes."""
    for number, games in enumerate(left):  # the first chunks here: then the workers find compiled rules on disk
        if games.size:
            prepare(plan.events[number].title)
            yield play_chunk(plan, Chunk(number, games[:FIRST_CHUNK]))
    left = [games[FIRST_CHUNK:] for games in left]
    if workers == 1 and ray is None:
        yield from (play_chunk(plan, chunk) for chunk in _chunks(left, pace))
        return
    tasks = (joblib.delayed(play_chunk)(plan, chunk) for chunk in _chunks(left, pace))
    if ray is None:
        yield from joblib.Parallel(n_jobs=workers, return_as="generator_unordered")(tasks)
        return
    with ray_backend(ray):
        size = joblib.effective_n_jobs(-1)
        while wave := list(islice(tasks, size)):  # Ray's backend hands back whole waves only
            yield from joblib.Parallel(n_jobs=-1)(wave)


def ray_backend(address: str) -> joblib.parallel_config:
    """Return a context in which joblib's processes are those of a Ray cluster.

    Raises:
        ConfigError: Ray is not installed, or there is no cluster at the address.
    """
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


def play_chunk(plan: Plan, chunk: Chunk) -> Outcome:
    """Play some games."""
    begun = perf_counter()
    event = plan.events[chunk.event]
    game, agents = set_up(event, plan.deadline)
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
    rows = rows_of(event, game, chunk.games, fixtures, seeds, results)
    return Outcome(chunk, rows, times, perf_counter() - begun)


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


def set_up(event: Event, deadline: float) -> tuple[Game, dict[str, Agent]]:
    """Return the game and the agents of an event, by name: made once a process."""
    return _set_up(event.model_dump_json(), deadline)


@lru_cache(maxsize=32)
def _set_up(event: str, deadline: float) -> tuple[Game, dict[str, Agent]]:
    return Event.model_validate_json(event).set_up(deadline)
