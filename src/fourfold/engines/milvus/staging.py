"""Vectors that are not searched yet, in a collection of their own; see ``engines.staging``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fourfold.engines.base import Settings, Writer
from fourfold.engines.milvus.link import Link
from fourfold.engines.milvus.rows import NODE, node_of
from fourfold.engines.milvus.schema import space
from fourfold.engines.milvus.state import State
from fourfold.engines.staging import STAGING, Unstaged

_WINDOW = 8_000
"""Node numbers looked through at once."""


@dataclass
class Gathered:
    """What becomes of the staged vectors in one write."""

    begun: bool = False
    """Whether those staged before are dropped."""
    taken: bool = False
    """Whether they are searched from now on."""
    rows: dict[int, tuple[str, NDArray[np.float32]]] = field(default_factory=dict)
    """Those that come, with the content hash of what they were made from."""

    def begin(self) -> None:
        """Drop those staged before, and those that came so far."""
        self.begun, self.taken = True, False
        self.rows.clear()


@dataclass(frozen=True)
class Staging:
    """The staged vectors, open for writing in one transaction over ``base``, which has deleted nodes ``gone``."""

    writer: Writer
    gathered: Gathered
    link: Link
    base: State
    gone: Set[int]

    def dimensions(self) -> int | None:
        """Return the length of the staged vectors, or None if there are none."""
        for _, vector in self.gathered.rows.values():
            return len(vector)
        return None if self.gathered.begun else self.base.staged_dimensions or None

    def begin(self, recipe: str) -> None:
        """Drop what is staged, and stage vectors of this recipe from here on."""
        self.gathered.begin()
        self.writer.set_meta(STAGING, recipe)

    def put(self, nodes: Sequence[Unstaged], vectors: NDArray[np.float32]) -> None:
        """Stage a vector for each node, (len(nodes), dimensions); nodes deleted meanwhile are passed over."""
        there = self.link.keyed("nodes", "num", [node.num for node in nodes], self.base.visible, ("num",))
        alive = {row["num"] for row in there} - self.gone
        rows = zip(nodes, np.asarray(vectors, np.float32), strict=True)
        self.gathered.rows.update({node.num: (node.hash, row) for node, row in rows if node.num in alive})

    def take_in(self) -> None:
        """Search the staged vectors from the transaction's generation on; those searched so far are gone."""
        self.gathered.taken = True
        self.writer.set_meta(STAGING, None)


class Staged:
    """The same for reading, at one commit; ``settings`` hold the recipe."""

    def __init__(self, link: Link, settings: Settings, state: State) -> None:
        self._link, self._settings, self._state = link, settings, state

    def count(self, recipe: str) -> int:
        """Return how many nodes have a fresh staged vector of this recipe."""
        staged = self._hashes(recipe, "row >= 0")
        if not staged:
            return 0
        rows = self._link.rows("nodes", self._state.visible, ("num", "hash"))
        return sum(staged.get(row["num"]) == row["hash"] for row in rows)

    def unstaged(self, recipe: str, after: int, limit: int) -> list[Unstaged]:
        """Return the first nodes beyond the number ``after`` without a fresh staged vector of this recipe, in order."""
        found: dict[int, str] = {}
        while len(found) < limit and after < self._state.next_node:
            window = f"num > {after} and num <= {after + _WINDOW}"
            staged = self._hashes(recipe, window)
            rows = self._link.rows("nodes", f"{window} and {self._state.visible}", ("num", "hash"))
            found |= {row["num"]: row["hash"] for row in rows if staged.get(row["num"]) != row["hash"]}
            after += _WINDOW
        first = sorted(found)[:limit]
        nodes = self._link.keyed("nodes", "num", first, self._state.visible, NODE) if first else []
        by_num = {row["num"]: node_of(row) for row in nodes}
        return [Unstaged(num, found[num], by_num[num]) for num in first]

    def _hashes(self, recipe: str, condition: str) -> Mapping[int, str]:
        if not self._state.staged or self._settings.meta(STAGING) != recipe:
            return {}
        rows = self._link.rows(space(self._state.staged), f"{condition} and {self._state.visible}", ("num", "hash"))
        return {row["num"]: row["hash"] for row in rows}
