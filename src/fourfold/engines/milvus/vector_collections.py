"""The collections of vectors in one write: those that are searched, and those that will be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourfold.engines.milvus import schema
from fourfold.engines.milvus.link import Link
from fourfold.engines.milvus.moments import Sums
from fourfold.engines.milvus.reading import Reading
from fourfold.engines.milvus.row_changes import RowChanges
from fourfold.engines.milvus.schema import space
from fourfold.engines.milvus.staging import Gathered
from fourfold.engines.milvus.state import State
from fourfold.errors import DimensionError
from fourfold.index.unit_vectors import unit

_FIELDS = ("row", "num", "vector")


@dataclass(frozen=True)
class VectorCollections:
    """Writes vectors on the way to a commit; ``base`` is the one that is there."""

    link: Link
    base: State
    changes: RowChanges

    def searched(
        self, state: State, touched: Sequence[int], come: Mapping[int, tuple[str, NDArray[np.float32]]]
    ) -> tuple[State, Sums | None]:
        """Replace the vectors of nodes; return the state, and the sums over all vectors where they have changed.

        Args:
            state: what the commit is to say so far.
            touched: the nodes whose vectors go.
            come: by node the content hash and the vector.

        """
        gone = self._replaced(self.base.space, touched)
        if not gone and not come:
            return state, None
        rows = np.array([vector for _, vector in come.values()], np.float32).reshape(len(come), -1 if come else 0)
        dimensions = rows.shape[1] if come else state.dimensions
        if state.vectors > len(gone) and dimensions != state.dimensions:
            raise DimensionError(f"The graph has vectors of {state.dimensions} dimensions, not of {dimensions}.")
        reading = Reading(self.link, self.base)
        if not state.space or dimensions != state.dimensions:
            state = replace(self._with_space(state, dimensions), dimensions=dimensions)
            state = replace(state, space=state.last_space)
            sums = Sums.of_portions(dimensions, {}).moved(rows[:0], unit(rows))
        else:
            before = reading.matrix(gone)[1]
            sums = reading.sums.moved(unit(before), unit(rows) if come else before[:0])
        self._put(state.space, come)
        return replace(state, vectors=state.vectors + len(come) - len(gone)), sums

    def staged(self, state: State, gone: Sequence[int], gathered: Gathered) -> tuple[State, Sums | None]:
        """Write what becomes of the staged vectors; return the same."""
        if gathered.begun:
            state = replace(state, staged=0, staged_dimensions=0)
        elif self.base.staged:
            self._replaced(self.base.staged, [*gone, *gathered.rows])
        if gathered.rows:
            if not state.staged:
                dimensions = len(next(iter(gathered.rows.values()))[1])
                state = self._with_space(state, dimensions)
                state = replace(state, staged=state.last_space, staged_dimensions=dimensions)
            self._put(state.staged, gathered.rows)
        return self._taken(state, gone, gathered) if gathered.taken else (state, None)

    def _taken(self, state: State, gone: Sequence[int], gathered: Gathered) -> tuple[State, Sums]:
        """Search the staged vectors from now on."""
        dimensions = state.staged_dimensions
        sums, vectors = Sums.of_portions(dimensions, {}), len(gathered.rows)
        if state.staged and state.staged == self.base.staged:
            rows = self.link.rows(space(state.staged), self.base.visible, ("num", "vector"))
            kept = [row for row in rows if row["num"] not in gathered.rows and row["num"] not in gone]
            if kept:
                old = np.array([row["vector"] for row in kept], np.float32)[:, :dimensions]
                sums, vectors = sums.moved(old[:0], unit(old)), vectors + len(kept)
        if gathered.rows:
            new = np.array([vector for _, vector in gathered.rows.values()], np.float32)
            sums = sums.moved(new[:0], unit(new))
        state = replace(state, space=state.staged, dimensions=dimensions, vectors=vectors)
        return replace(state, staged=0, staged_dimensions=0), sums

    def _replaced(self, number: int, nodes: Sequence[int]) -> list[dict[str, Any]]:
        """Mark the vectors of nodes as replaced, and return their rows."""
        if not number or not len(nodes):
            return []
        found = self.link.keyed(space(number), "num", nodes, self.base.visible, _FIELDS)
        self.changes.end(space(number), [row["row"] for row in found])
        return found

    def _with_space(self, state: State, dimensions: int) -> State:
        schema.make_space(self.link, state.last_space + 1, dimensions)
        return replace(state, last_space=state.last_space + 1)

    def _put(self, number: int, rows: Mapping[int, tuple[str, NDArray[np.float32]]]) -> None:
        for num, (hashed, vector) in rows.items():
            padded = np.pad(np.asarray(vector, np.float32), (0, schema.width(len(vector)) - len(vector)))
            self.changes.add(space(number), {"num": num, "hash": hashed, "vector": padded})
