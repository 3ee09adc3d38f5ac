"""What is remembered: answers for a while, and what was found out of keys that are asked for again and again."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


_MOST_WORDS, _MOST_VALUES, _LEAST_WORDS = 100_000, 4_000_000, 256
"""So many words are remembered, but of many types so many that they have so many values: some ten bytes each."""


def remembered(n_types: int) -> int:
    """Return how many words of questions are remembered with what they have to do with each of some types."""
    return min(_MOST_WORDS, max(_MOST_VALUES // max(n_types, 1), _LEAST_WORDS))


class Cache(Generic[Value]):
    """A thread-safe cache: least recently used out first, none older than its life.

    Where ``size`` or ``seconds`` is 0, nothing is kept.
    """

    def __init__(self, size: int, seconds: float) -> None:
        self._size = size
        self._seconds = seconds
        self._entries: OrderedDict[Hashable, tuple[float, Value]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable) -> Value | None:
        """Return the value, or None if it is not there or too old."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is None:
                return None
            if time.monotonic() - entry[0] > self._seconds:
                del self._entries[key]
                return None
            self._entries.move_to_end(key)
            return entry[1]

    def put(self, key: Hashable, value: Value) -> None:
        """Remember a value, where the config lets anything be kept."""
        if self._size <= 0 or self._seconds <= 0:
            return
        with self._lock:
            self._entries[key] = (time.monotonic(), value)
            self._entries.move_to_end(key)
            while len(self._entries) > self._size:
                self._entries.popitem(last=False)

    def of(self, key: Hashable, compute: Callable[[], Value]) -> Value:
        """Return the value of a key, computed and remembered where it is not there; two threads may both compute it."""
        if (known := self.get(key)) is None:
            self.put(key, known := compute())
        return known

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._entries.clear()


class Remembered(Generic[Key, Value]):
    """What was found out of keys, all new ones of a question at once; thread-safe.

    Beyond ``most`` keys those asked for last are kept.
    """

    def __init__(self, find: Callable[[list[Key]], Iterable[Value]], most: int) -> None:
        self._find, self._most = find, most
        self._known: dict[Key, Value] = {}

    def __len__(self) -> int:
        return len(self._known)

    def of(self, keys: Sequence[Key]) -> list[Value]:
        """Return the value of each key."""
        known = self._known
        if missing := [key for key in dict.fromkeys(keys) if key not in known]:
            if len(known) + len(missing) > self._most:  # the old dictionary may still be read by another thread
                known = self._known = {key: known[key] for key in keys if key in known}
            known.update(zip(missing, self._find(missing), strict=True))
        return [known[key] for key in keys]

    def one(self, key: Key) -> Value:
        """Return the value of one key."""
        known = self._known
        return known[key] if key in known else self.of([key])[0]
