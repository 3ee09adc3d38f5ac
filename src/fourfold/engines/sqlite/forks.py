"""A fork waits until nobody is inside SQLite.

SQLite locks what it knows of a file for the whole process. A child that was forked meanwhile finds it locked by a
thread that it has not got, and would wait for ever as soon as it opened that file, even anew.
"""

from __future__ import annotations

import os
import threading
import time
from typing import Any, Protocol
from weakref import WeakSet

_PATIENCE = 2.0
"""Seconds that a fork waits at most: a long write goes on inside SQLite for little of its time."""


class Locked(Protocol):
    """An open file, which is only used by who holds its locks."""

    locks: tuple[Any, ...]


_OPEN: WeakSet[Locked] = WeakSet()
_HERE = threading.local()


def wait_for(file: Locked) -> None:
    """Let forks wait for a file as long as anybody has it."""
    _OPEN.add(file)


def _before() -> None:
    until = time.monotonic() + _PATIENCE
    _HERE.held = []
    for file in list(_OPEN):
        for lock in file.locks:
            if lock.acquire(timeout=max(until - time.monotonic(), 0)):
                _HERE.held.append(lock)


def _after() -> None:
    while _HERE.held:
        _HERE.held.pop().release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_parent=_after, after_in_child=_after)
