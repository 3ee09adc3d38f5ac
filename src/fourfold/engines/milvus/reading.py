"""One commit as far as it was read: rows that the parts of a snapshot ask for, remembered while it is the newest."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourfold.engines.milvus import records
from fourfold.engines.milvus.link import MOST, Found, Link, digest
from fourfold.engines.milvus.packed import unpacked_pieces, unpacked_terms
from fourfold.engines.milvus.records import HELD_OF, PIECES_OF, SUMS_OF
from fourfold.engines.milvus.schema import space
from fourfold.engines.milvus.state import State
from fourfold.engines.milvus.sums import Sums
from fourfold.index.base import Nodes
from fourfold.index.changes import FIELDS
from fourfold.index.edges import Edges, EdgeSegment

_LEAST = 1e-3
"""What a word is worth at least when holders are looked for: none is passed over."""
_REMEMBERED = 200_000
"""Postings, and rows of other kinds, that are kept for the questions to come."""


@dataclass(frozen=True)
class Postings:
    """Where a term stands: ``nodes`` ascending; how often in each field (n, 3), and the fields' lengths (n, 3)."""

    nodes: Nodes
    times: NDArray[np.int64]
    lengths: NDArray[np.int64]


class Reading:
    """One commit; shared by threads and by all configs.

    Args:
        link: the way to Milvus.
        state: the commit.

    """

    def __init__(self, link: Link, state: State) -> None:
        self.link, self.state = link, state
        self._ids: dict[int, str] = {}
        self._terms: dict[str, int] = {}
        self._held: dict[int, NDArray[np.int32]] = {}
        self._postings: dict[int, Postings] = {}
        self._kept = 0
        self._pieces: dict[int, NDArray[np.int32]] = {}
        self._edges: tuple[Nodes, dict[int, tuple[int, int, int, float]], Edges] | None = None

    # -- nodes --------------------------------------------------------------------------------------------------

    def nodes(self, nums: Sequence[int], fields: Sequence[str]) -> Found:
        """Return some fields of these nodes, in any order; those that are gone are left out."""
        return self.link.keyed("nodes", "num", nums, self.state.visible, fields) if len(nums) else []

    def ids(self, nodes: Nodes) -> list[str]:
        """Return the ids of these nodes, in their order; "" for those that are gone."""
        listed = nodes.tolist()
        known = self._ids
        if missing := [num for num in listed if num not in known]:
            if len(known) > _REMEMBERED:
                known = self._ids = {num: known[num] for num in listed if num in known}
            known.update((row["num"], row["id"]) for row in self.nodes(missing, ("num", "id")))
        return [known.get(num, "") for num in listed]

    def pieces(self, nodes: Nodes) -> list[NDArray[np.int32]]:
        """Return the wordpieces of each of these nodes."""
        listed = nodes.tolist()
        known = self._pieces
        if missing := [num for num in listed if num not in known]:
            if len(known) > _REMEMBERED // 50:
                known = self._pieces = {num: known[num] for num in listed if num in known}
            known.update((row["num"], unpacked_pieces(row["pieces"])) for row in self.nodes(missing, ("num", "pieces")))
        none = np.empty(0, np.int32)
        return [known.get(num, none) for num in listed]

    @cached_property
    def frequency(self) -> NDArray[np.int64]:
        """How many nodes hold each wordpiece."""
        found = np.zeros(1 << 16, np.int64)
        for portion, array in PIECES_OF.read(self.link, self.state.commit).items():
            found[portion * PIECES_OF.rows :][: len(array)] = array[:, 0]
        return found

    # -- words --------------------------------------------------------------------------------------------------

    def term_numbers(self, terms: Sequence[str]) -> dict[str, int]:
        """Return the number of each term that was ever used."""
        known = self._terms
        if missing := [term for term in terms if term not in known]:
            keys = {digest(term): term for term in missing}
            found = records.read(self.link, self.state.commit, records.TERM, keys)
            known.update((keys[key], int(number)) for key, number in found.items())
            known.update(dict.fromkeys([term for term in missing if term not in known], -1))
        return {term: known[term] for term in terms if known[term] >= 0}

    def held(self, terms: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return in how many nodes each term stands in exactly the fields of each mask, (len(terms), 7)."""
        known = self._held
        if missing := [portion for portion in HELD_OF.of(terms) if portion not in known]:
            known.update((portion, HELD_OF.empty()) for portion in missing)
            known.update(HELD_OF.read(self.link, self.state.commit, missing))
        found = np.zeros((len(terms), HELD_OF.width), np.int64)
        for portion in HELD_OF.of(terms):
            own = terms // HELD_OF.rows == portion
            found[own] = known[portion][terms[own] % HELD_OF.rows]
        return found

    def postings(self, worths: dict[int, float]) -> dict[int, Postings]:
        """Return where these terms stand.

        Args:
            worths: by term what it is worth, to rank nodes by where there are more than can be had at once.

        """
        known = self._postings
        if missing := {term: worth for term, worth in worths.items() if term not in known}:
            found = self._read_postings(missing)
            if self._kept > _REMEMBERED:
                known = self._postings = {term: known[term] for term in worths if term in known}
                self._kept = sum(len(own.nodes) for own in known.values())
            known.update(found)
            self._kept += sum(len(own.nodes) for own in found.values())
        return {term: known[term] for term in worths}

    def _read_postings(self, worths: dict[int, float]) -> dict[int, Postings]:
        asked = np.array(sorted(worths), np.int64)
        rows = self._holding(worths)
        lengths, tokens, counts = unpacked_terms([row["terms"] for row in rows])
        place = np.repeat(np.arange(len(rows)), counts)
        nums = np.array([row["num"] for row in rows], np.int64)
        own = np.isin(tokens["term"], asked)
        tokens, place = tokens[own], place[own]
        key, which = np.unique(tokens["term"].astype(np.int64) * (len(rows) + 1) + place, return_inverse=True)
        times = np.zeros((len(key), 3), np.int64)
        times[which, tokens["field"]] = tokens["count"]
        term, place = np.divmod(key, len(rows) + 1)
        found = {}
        for number in asked.tolist():
            here = place[term == number]
            order = np.argsort(nums[here])
            found[number] = Postings(nums[here][order], times[term == number][order], lengths[here][order])
        return found

    def _holding(self, worths: dict[int, float]) -> Found:
        """Return the rows of all nodes that hold any of these terms: the best at once, or all by their numbers."""
        terms, fields_of = np.divmod(np.arange(len(FIELDS) * len(worths)), len(FIELDS))
        words = words_of(np.array(list(worths), np.int64)[terms], fields_of)
        values = [max(worth, _LEAST) for worth in worths.values() for _ in FIELDS]
        query = dict(zip(words, values, strict=True))
        fields, visible = ("num", "terms"), self.state.visible
        found = self.link.search("nodes", "words", query, MOST, visible, fields, "IP")
        if len(found) < MOST:
            return found
        found = []
        for first in range(0, self.state.next_node, MOST - 1):  # a node has one row that is visible
            part = f"num >= {first} and num < {first + MOST - 1} and {visible}"
            found += self.link.search("nodes", "words", query, MOST, part, fields, "IP")
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
        rows = sorted((number, name, count) for name, number, count in map(json.loads, found.values()))
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
        return edge_rows(self.link.keyed("edges", "source or target", nodes.tolist(), self.state.visible, EDGE))

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


def words_of(terms: NDArray[np.int64], fields: NDArray[np.int64]) -> list[int]:
    """Return the dimensions of terms in fields of the sparse vectors; 0 is every node's."""
    found: list[int] = (len(FIELDS) * terms + fields + 1).tolist()
    return found


def unit(rows: NDArray[Any]) -> NDArray[np.float32]:
    """Return vectors brought to length one, as ``VectorSegment`` does; zeros stay."""
    norms = np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float64))
    found = rows / np.where(norms > 0, norms, 1.0).astype(np.float32)[:, None]
    return np.asarray(found, np.float32)
