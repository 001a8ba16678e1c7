"""Games are configured by several threads at a time, as on a server."""

import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Thread

import pytest

from kgb_env import game, registry

pytestmark = pytest.mark.nojit


@pytest.fixture(autouse=True)
def restless(monkeypatch):
    """Let threads change often, and forget the games of the test afterwards."""
    monkeypatch.setattr(registry, "_GAMES", dict(registry._GAMES))
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def test_equal_games_are_one_object_in_all_threads():
    with ThreadPoolExecutor(8) as pool:
        for stake in range(20):
            found = list(pool.map(lambda _, s=stake: game("double_agent-mini", stake=0.5 + s / 64), range(8)))
            assert len(set(map(id, found))) == 1


def test_records_find_their_game_while_others_are_configured():
    configured = game("confusion-mini", max_turns=33)
    view, stop, faults = configured.view(configured.start(1), 0), Event(), []

    def look():
        while not stop.is_set():
            try:
                assert registry.game_of(view) is configured
            except Exception as error:
                faults.append(error)
                return

    looking = Thread(target=look)
    looking.start()
    for stake in range(60):
        game("double_agent-mini", stake=0.25 + stake / 512)
    stop.set()
    looking.join()
    assert not faults


def test_a_game_that_is_only_looked_at_is_not_kept():
    asked = {"max_turns": 34}
    seen, before = registry.passing("confusion-mini", **asked), set(registry._GAMES)
    assert registry.passing("confusion-mini", **asked) is not seen
    assert set(registry._GAMES) == before
    kept = game("confusion-mini", **asked)
    assert registry.passing("confusion-mini", **asked) is kept
    assert kept.fingerprint == seen.fingerprint
