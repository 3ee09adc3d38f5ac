"""A search may be given so long and no longer: looked at between its steps, and by engines while they read."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from threading import TIMEOUT_MAX, Lock

from fourfold.errors import SearchTimeoutError

SLOW = 1.0
"""Seconds from which on the log tells of a search, or of the reading of a write, at INFO; of quicker ones at DEBUG."""

_IN_FORCE: ContextVar[Deadline | None] = ContextVar("fourfold_deadline", default=None)


class Deadline:
    """A moment after which nothing more is done."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """How many seconds are left; 0 where none are."""
        return max(self._end - time.monotonic(), 0.0)

    @property
    def passed(self) -> bool:
        """Whether it is over."""
        return not self.left

    def error(self) -> SearchTimeoutError:
        """Return what is raised then."""
        return SearchTimeoutError(
            f"The search was given {self.seconds:g} s (timeout=) and had not ended by then; give it longer, or ask for "
            "less."
        )

    def in_force(self) -> AbstractContextManager[None]:
        """Let the calls of this thread inside end when it is over."""
        return _in_force(self)


def lifted() -> AbstractContextManager[None]:
    """Let the calls of this thread inside take their time: what is made here is there for every later search, too."""
    return _in_force(None)


@contextmanager
def _in_force(deadline: Deadline | None) -> Iterator[None]:
    token = _IN_FORCE.set(deadline)
    try:
        yield
    finally:
        _IN_FORCE.reset(token)


@contextmanager
def held(lock: Lock) -> Iterator[None]:
    """Hold a lock, and wait for it no longer than there is time."""
    limit = _IN_FORCE.get()
    if not lock.acquire(timeout=-1 if limit is None else min(limit.left, TIMEOUT_MAX)):
        assert limit is not None
        raise limit.error()
    try:
        yield
    finally:
        lock.release()


def current() -> Deadline | None:
    """Return the deadline in force for this thread's search, if any."""
    return _IN_FORCE.get()


def check() -> None:
    """Go on, or raise SearchTimeoutError where the deadline in force is over."""
    deadline = _IN_FORCE.get()
    if deadline is not None and deadline.passed:
        raise deadline.error()
