"""Work in threads of its own: what comes back.  Leaving it behind is tested with ``kgb play``."""

import threading

import pytest

from experiments.aside import Aside, aside, leave_behind


def test_what_is_returned_comes_back_from_another_thread():
    def work(number, name):
        return number, name, threading.current_thread()

    number, name, thread = aside(work, 3, name="three")
    assert (number, name) == (3, "three")
    assert isinstance(thread, Aside)
    assert thread.daemon


@pytest.mark.parametrize("error", [ValueError("no"), TimeoutError("late"), SystemExit(3), KeyboardInterrupt()])
def test_what_is_raised_comes_back(error):
    def work():
        raise error

    with pytest.raises(type(error)) as raised:
        aside(work)
    assert raised.value is error


def test_without_work_the_process_ends_as_ever(monkeypatch):
    ended = []
    monkeypatch.setattr("os._exit", ended.append)
    monkeypatch.setattr("threading.enumerate", lambda: [threading.main_thread()])
    leave_behind(130)
    assert ended == []


@pytest.mark.parametrize(("code", "status"), [(130, 130), (0, 0), (None, 0), ("a message", 1)])
def test_with_work_it_ends_at_once(monkeypatch, code, status):
    ended, may_end = [], threading.Event()
    monkeypatch.setattr("os._exit", ended.append)
    thread = Aside(may_end.wait, name="work")
    thread.start()
    leave_behind(code)
    may_end.set()
    thread.join()
    assert ended == [status]
