"""What one commit writes: new rows, and marks on those that they replace."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from fourfold.engines.milvus.link import Link
from fourfold.engines.milvus.schema import OPEN
from fourfold.engines.milvus.state import State


class RowChanges:
    """The rows of the commit after ``base``, by collection, until they are written."""

    def __init__(self, base: State) -> None:
        self.next_row = base.next_row
        """The number of the next new row."""
        self._commit = base.commit + 1
        self._new: dict[str, list[dict[str, Any]]] = {}
        self._ended: dict[str, list[int]] = {}

    def add(self, collection: str, row: Mapping[str, Any]) -> None:
        """Add a new row."""
        marked = {"row": self.next_row, "since": self._commit, "until": OPEN, **row}
        self._new.setdefault(collection, []).append(marked)
        self.next_row += 1

    def end(self, collection: str, rows: Iterable[int]) -> None:
        """Mark rows as replaced."""
        self._ended.setdefault(collection, []).extend(rows)

    def write(self, link: Link, hold: Callable[[], None]) -> None:
        """Write all of it, the new rows first; ``hold`` is asked before each call that writes."""
        for collection, rows in self._new.items():
            link.insert(collection, rows, hold)
        for collection, ended in self._ended.items():
            link.change(collection, [{"row": row, "until": self._commit} for row in ended], hold)
