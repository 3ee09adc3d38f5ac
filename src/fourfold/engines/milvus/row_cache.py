"""What was read of rows by their numbers, kept for the questions to come, up to so much."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Generic, TypeVar

V = TypeVar("V")


class RowCache(Generic[V]):
    """Values by number; shared by threads, for a dictionary that was handed out only grows.

    Args:
        most: beyond so many, only those of the question at hand stay.
        read: numbers → the values of those that are there.

    """

    def __init__(self, most: int, read: Callable[[Sequence[int]], Mapping[int, V]]) -> None:
        self._most, self._read = most, read
        self._known: dict[int, V] = {}

    def of(self, wanted: Sequence[int]) -> dict[int, V]:
        """Return the values of these numbers, and perhaps others; those that are gone are left out."""
        known = self._known
        missing = [number for number in wanted if number not in known]
        return self._grown(known, self._read(missing), wanted) if missing else known

    def add(self, values: Mapping[int, V]) -> None:
        """Keep values that were read."""
        self._grown(self._known, values, ())

    def _grown(self, known: dict[int, V], values: Mapping[int, V], wanted: Sequence[int]) -> dict[int, V]:
        if len(known) + len(values) > self._most:
            self._known = known = {number: known[number] for number in wanted if number in known}
        known.update(values)
        return known
