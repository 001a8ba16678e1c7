"""Work in threads of its own: Ctrl-C is heard meanwhile, and the process can end before it is done.

Compiled code and the compiler hear no signal; Python acts on one in the main thread alone, and only between its steps.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from contextlib import suppress
from typing import ParamSpec, TypeVar

PAUSE = 0.2  # seconds after which a system is asked for signals that does not wake who waits

P = ParamSpec("P")
T = TypeVar("T")


class Aside(threading.Thread):
    """A thread for work that the end of the process does not wait for.

    Args:
        work: is called once.
        arguments: for it.
        name: of the thread.
    """

    def __init__(self, work: Callable[..., object], *arguments: object, name: str) -> None:
        super().__init__(target=work, args=arguments, daemon=True, name=name)


def aside(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Do some work in another thread and wait for it; return what it returns, raise what it raises.

    Raises:
        KeyboardInterrupt: the person will not wait; the work goes on until the process ends.
    """
    done: Future[T] = Future()

    def do() -> None:
        try:
            done.set_result(work(*args, **kwargs))
        except BaseException as error:
            done.set_exception(error)

    Aside(do, name=getattr(work, "__name__", "work")).start()
    while not done.done():
        wait([done], PAUSE)
    return done.result()


def leave_behind(code: object) -> None:
    """End the process at once if work is still being done in another thread, which could not be ended gently.

    Args:
        code: what the process is to return, as in SystemExit.
    """
    if not any(isinstance(thread, Aside) for thread in threading.enumerate()):
        return
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # there may be no terminal any more
            stream.flush()
    os._exit(code if isinstance(code, int) else int(code is not None))
