"""Threads beside a search or a write, which both do without where none can be started: the process may be ending.

A step of a search has a thread for each call, where a pool would be quicker by tens of microseconds: a pool's threads
are gone in a process that was forked, and whoever waits for them waits for ever.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import ParamSpec, TypeVar

Given = ParamSpec("Given")
Made = TypeVar("Made")
Started = TypeVar("Started", bound=threading.Thread)


def begun(thread: Started, name: str) -> Started | None:
    """Start a thread that keeps no process alive; return None where none can be started."""
    thread.name, thread.daemon = name, True
    try:
        thread.start()
    except RuntimeError:
        return None
    return thread


def beside(step: Callable[Given, Made], *args: Given.args, **kwargs: Given.kwargs) -> Future[Made]:
    """Begin a step that computes long without the interpreter's lock in another thread.

    Where none can be started, it is done before this returns.

    Returns:
        What the step returns, or raises, when it is asked for.

    """
    coming: Future[Made] = Future()

    def run() -> None:
        try:
            coming.set_result(step(*args, **kwargs))
        except BaseException as error:  # raised again where the result is asked for
            coming.set_exception(error)

    if begun(threading.Thread(target=run), "fourfold-beside") is None:
        run()
    return coming
