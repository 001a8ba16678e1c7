"""What never changes: no envelope is lost or doubled, the guard is where his route and the alarms say.

``python -m tests.secret_formula.test_conservation 10000`` plays more games than the suite does.
"""

import sys
from collections import Counter

import numpy as np
import pytest

import kgb_env
from kgb_env import Game, derive_seed
from kgb_env.games.secret_formula.log import events
from kgb_env.games.secret_formula.spec import (
    ALARM,
    CAPTURED,
    DOWN,
    ESCAPE,
    LOG,
    LOG_GUARD,
    LOG_SEAT,
    LOG_THROW,
    MISSED,
    NOWHERE,
    NUMBER,
    NUMBER_BITS,
    WAYS,
    WOKEN,
)

GAMES = {
    "two": ("secret_formula", {"players": 2, "max_rounds": 30}),
    "three, mercy": ("secret_formula", {"players": 3, "mercy": True, "max_rounds": 30}),
    "four": ("secret_formula", {"max_rounds": 40}),
    "deluxe": ("secret_formula", {"deluxe": True, "max_rounds": 20}),
    "mini": ("secret_formula-mini", {}),
    "mini, mercy": ("secret_formula-mini", {"mercy": True}),
}


def check_envelopes(game: Game, states: np.ndarray) -> None:
    """Each lies on one cell or is carried by one seat in the camp, awake, that has examined it; one is the formula."""
    n = int(game.tables[0].hiding_places)
    lies, holder = states["lies"][:, :n] != NOWHERE, states["holder"][:, :n]
    assert (lies ^ (holder != NOWHERE)).all()
    assert (states["lies"][:, n:] == NOWHERE).all()
    assert (states["holder"][:, n:] == NOWHERE).all()
    assert (states["contents"].sum(axis=1) == 1).all()
    for seat in range(game.seats):
        carries = holder == seat
        examined = (states["examined"][:, [seat]] >> np.arange(n)) & 1
        assert (examined[carries] == 1).all()
        idle = (states["cell"][:, seat] == NOWHERE) | (states["status"][:, seat] == DOWN)
        assert not carries[idle].any()


def check_closed_sector(game: Game, states: np.ndarray) -> None:
    """In the guard's sector is nobody but those who are about to escape."""
    t = game.tables[0]
    for seat in range(game.seats):
        cell = states["cell"][:, seat]
        inside = (cell != NOWHERE) & (t.sector[cell] == states["guard"])
        hunted = (states["hunted"] >> seat) & 1 == 1
        acts = (states["actor"] == seat) & (states["phase"] == ESCAPE)
        assert not (inside & ~(hunted | acts)).any()
        assert not (hunted & ~inside).any()


def check_log(game: Game, s: np.record) -> Counter:
    """The rounds of the guard, his alarms and the turns missed, as the events of a whole game tell."""
    t, players, happened = game.tables[0], game.seats, Counter()
    if s.events > LOG:
        return happened
    guard, rounds, down, thrown = int(t.route[0]), 0, set(), None
    turns = 0  # that have passed by a throw or by waking up
    for kind, told in events(s):
        if kind == LOG_GUARD:
            sector = told & NUMBER
            if told & ALARM:
                assert thrown is not None
                assert WAYS[thrown] == 1
                happened["alarms"] += 1
            else:
                rounds += 1
                assert sector == t.next_sector[guard]
                assert turns == rounds * players
            guard = sector
        elif kind == LOG_THROW:
            thrown = (told & NUMBER) - 1
            assert told >> NUMBER_BITS == (int(s.first) + turns) % players
            assert told >> NUMBER_BITS not in down
            turns += 1
        elif kind == LOG_SEAT and told >= MISSED:
            assert told - MISSED == (int(s.first) + turns) % players
            down.discard(told - MISSED)
            turns += 1
            happened["missed"] += 1
        elif kind == LOG_SEAT:
            down.add(told - CAPTURED)
            happened["captures"] += 1
    assert guard == s.guard
    assert rounds == (int(s.turn) // players if s.turn < players * int(s.max_rounds) else int(s.max_rounds) - 1)
    return happened


def check_status(before: np.ndarray, after: np.ndarray) -> None:
    """Nobody wakes but in its turn: a seat that was knocked out still is, or has missed its turn."""
    same = before["turn"] == after["turn"]
    was, now = before["status"][same], after["status"][same]
    assert ((was != DOWN) | (now == DOWN)).all()
    assert (now[was == DOWN] != WOKEN).all()


def play(id: str, options: dict, games: int, seed: int, rows: int = 256) -> Counter:
    """Play some random games and check each of their positions; return what has happened."""
    game, rng = kgb_env.game(id, **options), np.random.default_rng(seed)
    happened: Counter = Counter()
    for start in range(0, games, rows):
        states = game.start(
            np.array([derive_seed(seed, 0, start + k) for k in range(min(rows, games - start))], np.uint64)
        )
        while states.size:
            frame = game.encode(game.view(states, states["to_move"].astype(int)))
            noise = rng.random(frame.action_mask.shape)
            before = states.copy()
            game.play(states, (noise * frame.action_mask).argmax(axis=1))
            happened["plies"] += states.size
            check_envelopes(game, states)
            check_closed_sector(game, states[~states["over"]])
            check_status(before, states)
            for k in np.flatnonzero(states["over"]):
                happened += check_log(game, states[k])
                happened[game.outcome(states[k : k + 1]).reason] += 1
            states = states[~states["over"]].copy()
    return happened


@pytest.mark.parametrize("name", GAMES)
def test_nothing_is_lost_or_doubled(name):
    id, options = GAMES[name]
    happened = play(id, options, 12, seed=3)
    assert happened["alarms"]
    assert happened["captures"]
    assert happened["missed"]


if __name__ == "__main__":
    for name, (id, options) in GAMES.items():
        print(name, dict(play(id, options, int(sys.argv[1]) // len(GAMES) + 1, seed=11)))
