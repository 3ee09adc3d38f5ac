"""A fork waits until nobody is inside SQLite, and the child keeps no turn of its parent's.

SQLite locks what it knows of a file for the whole process. A child that was forked meanwhile finds it locked by a
thread that it has not got, and would wait for ever as soon as it opened that file, even anew. A lock of the system
belongs to all who have the same descriptor: whoever holds one would, killed, leave it to a child for as long as that
lives.
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
_TURNS = set[int]()
_HERE = threading.local()


def wait_for(file: Locked) -> None:
    """Let forks wait for a file as long as anybody has it."""
    _OPEN.add(file)


def hold(turn: int) -> None:
    """Let no child have a descriptor that is locked."""
    _TURNS.add(turn)


def let_go(turn: int) -> None:
    """Close it, where it is not a parent's."""
    if turn in _TURNS:
        _TURNS.discard(turn)  # before, as the next that is opened may have its number
        os.close(turn)


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


def _after_in_child() -> None:
    _after()
    while _TURNS:
        os.close(_TURNS.pop())  # closed, not unlocked: it is still the parent's turn


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_parent=_after, after_in_child=_after_in_child)
