"""One commit as far as it was read: rows that the parts of a snapshot ask for, remembered while it is the newest."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fourfold.engines.milvus import records
from fourfold.engines.milvus.array_text import unpacked_pieces
from fourfold.engines.milvus.json_text import damaged, values
from fourfold.engines.milvus.link import Found, Link
from fourfold.engines.milvus.moments import Sums
from fourfold.engines.milvus.records import PIECES_OF, SUMS_OF
from fourfold.engines.milvus.row_cache import RowCache
from fourfold.engines.milvus.schema import space
from fourfold.engines.milvus.state import State
from fourfold.engines.milvus.words import Words
from fourfold.index.base import Nodes
from fourfold.index.edge_segment import EdgeSegment
from fourfold.index.edges import Edges
from fourfold.index.unit_vectors import unit

_VECTORS = 10_000
"""Unit vectors that are kept."""
_REMEMBERED = 200_000
"""Ids and edges that are kept for the questions to come."""


class Reading:
    """One commit, and its ``index.snapshot.Lookup``; shared by threads and by all configs."""

    def __init__(self, link: Link, state: State) -> None:
        self.link, self.state = link, state
        self.words = Words(link, state)
        self._ids = RowCache(_REMEMBERED, self._read_ids)
        self._pieces = RowCache(_REMEMBERED // 50, self._read_pieces)
        self._units = RowCache(_VECTORS, self._read_units)
        self._edges: tuple[Nodes, dict[int, tuple[int, int, int, float]], Edges] | None = None

    # -- nodes --------------------------------------------------------------------------------------------------

    def nodes(self, nums: Sequence[int], fields: Sequence[str]) -> Found:
        """Return some fields of these nodes, in any order; those that are gone are left out."""
        return self.link.keyed("nodes", "num", nums, self.state.visible, fields) if len(nums) else []

    def ids(self, nodes: Nodes) -> list[str]:
        """Return the ids of these nodes, in their order; "" for those that are gone."""
        listed = nodes.tolist()
        known = self._ids.of(listed)
        return [known.get(num, "") for num in listed]

    def _read_ids(self, nums: Sequence[int]) -> dict[int, str]:
        return {row["num"]: row["id"] for row in self.nodes(nums, ("num", "id"))}

    def term_numbers(self, terms: Iterable[str]) -> dict[str, int]:
        """Return the number of each term that occurs."""
        return self.words.numbers(list(terms))

    def pairs(self, characters: Iterable[str]) -> dict[str, int]:
        """Return none: of terms only hashes are kept."""
        return {}

    def pieces(self, nodes: Nodes) -> list[NDArray[np.int32]]:
        """Return the wordpieces of each of these nodes."""
        listed, none = nodes.tolist(), np.empty(0, np.int32)
        known = self._pieces.of(listed)
        return [known.get(num, none) for num in listed]

    def _read_pieces(self, nums: Sequence[int]) -> dict[int, NDArray[np.int32]]:
        return {row["num"]: unpacked_pieces(row["pieces"]) for row in self.nodes(nums, ("num", "pieces"))}

    @cached_property
    def frequency(self) -> NDArray[np.int64]:
        """How many nodes hold each wordpiece."""
        found = np.zeros(1 << 16, np.int64)
        for portion, array in PIECES_OF.read(self.link, self.state.commit).items():
            found[portion * PIECES_OF.rows :][: len(array)] = array[:, 0]
        return found

    # -- vectors ------------------------------------------------------------------------------------------------

    @property
    def space(self) -> str:
        """The collection of the vectors."""
        return space(self.state.space)

    @cached_property
    def sums(self) -> Sums:
        """Sums over all unit vectors."""
        return Sums.of_portions(self.state.dimensions, SUMS_OF.read(self.link, self.state.commit))

    def vectors(self, nodes: Sequence[int]) -> tuple[Nodes, NDArray[np.float32]]:
        """Return (nodes, vectors) of those that have one, as they came."""
        if not self.state.space or not len(nodes):
            return np.empty(0, np.int64), np.empty((0, self.state.dimensions), np.float32)
        found = self.link.keyed(self.space, "num", nodes, self.state.visible, ("num", "vector"))
        return self.matrix(found)

    def units(self, nodes: Nodes) -> NDArray[np.float32]:
        """Return the unit vectors of these nodes, (len(nodes), dimensions); zeros where there is none."""
        listed = nodes.tolist()
        known = self._units.of(listed)
        found = np.zeros((len(listed), self.state.dimensions), np.float32)
        for place, num in enumerate(listed):
            if (row := known.get(num)) is not None:
                found[place] = row
        return found

    def _read_units(self, nums: Sequence[int]) -> dict[int, NDArray[np.float32]]:
        found, rows = self.vectors(nums)
        return dict(zip(found.tolist(), unit(rows), strict=True))

    def remember(self, units: dict[int, NDArray[np.float32]]) -> None:
        """Keep unit vectors that were read."""
        self._units.add(units)

    def matrix(self, found: Found) -> tuple[Nodes, NDArray[np.float32]]:
        """Return (nodes, vectors) of rows."""
        nums = np.array([row["num"] for row in found], np.int64)
        if not found:
            return nums, np.empty((0, self.state.dimensions), np.float32)
        return nums, np.array([row["vector"] for row in found], np.float32)[:, : self.state.dimensions]

    # -- edges --------------------------------------------------------------------------------------------------

    @cached_property
    def types(self) -> dict[str, tuple[int, int]]:
        """(number, how many edges) of each edge type ever used, in the order of the numbers."""
        found = records.read(self.link, self.state.commit, records.TYPE)
        kept = [values(text, str, int, int) for text in found.values()]
        rows = sorted((number, name, count) for name, number, count in kept)
        return {name: (number, count) for number, name, count in rows}

    def edges_at(self, nodes: Nodes) -> Edges:
        """Return a part that knows all edges at these nodes."""
        seen, kept, part = self._edges or (np.empty(0, np.int64), {}, self._part({}))
        missing = np.setdiff1d(nodes, seen)
        if len(missing):
            if len(kept) > _REMEMBERED:
                seen, kept, missing = np.empty(0, np.int64), {}, np.unique(nodes)
            kept = {**kept, **self._read_edges(missing)}
            part = self._part(kept)
            self._edges = np.union1d(seen, missing), kept, part
        return part

    def _read_edges(self, nodes: Nodes) -> dict[int, tuple[int, int, int, float]]:
        found = self.link.keyed("edges", "source or target", nodes.tolist(), self.state.visible, EDGE)
        return edge_rows(self.typed(found))

    def typed(self, found: Found) -> Found:
        """Return edges; StoreError where one has a type that there is not."""
        numbers = range(len(self.types))
        if unknown := [row["type"] for row in found if row["type"] not in numbers]:
            raise damaged(f"an edge has the type {unknown[0]}, of {len(numbers)}")
        return found

    def _part(self, kept: dict[int, tuple[int, int, int, float]]) -> Edges:
        columns = np.array([(num, *row[:3]) for num, row in kept.items()], np.int64).reshape(-1, 4)
        weights = np.array([row[3] for row in kept.values()], np.float32)
        num, source, target, kind = columns.T
        segment = EdgeSegment.build(num, source, target, kind.astype(np.int32), weights)
        return Edges((segment,), tuple(self.types), self.ids)


EDGE = ("num", "source", "target", "type", "weight")
"""The fields that an edge is made of."""


def edge_rows(found: Found) -> dict[int, tuple[int, int, int, float]]:
    """Return (source, target, type, weight) of edges by their numbers."""
    return {row["num"]: (row["source"], row["target"], row["type"], row["weight"]) for row in found}
