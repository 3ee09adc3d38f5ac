"""A step of a search in a thread of its own, for what computes long without the interpreter's lock.

A thread for each call, where a pool would be quicker by tens of microseconds: a pool's threads are gone in a process
that was forked, and whoever waits for them waits for ever.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import ParamSpec, TypeVar

Given = ParamSpec("Given")
Made = TypeVar("Made")


def beside(step: Callable[Given, Made], *args: Given.args, **kwargs: Given.kwargs) -> Future[Made]:
    """Begin a step in another thread; where the system gives none, it is done before this returns.

    Returns:
        What the step returns, or raises, when it is asked for.

    """
    coming: Future[Made] = Future()

    def run() -> None:
        try:
            coming.set_result(step(*args, **kwargs))
        except BaseException as error:  # raised again where the result is asked for
            coming.set_exception(error)

    try:
        threading.Thread(target=run, name="fourfold-beside", daemon=True).start()
    except RuntimeError:  # no more threads
        run()
    return coming
