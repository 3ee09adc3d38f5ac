"""One open write: what is to become of the graph, gathered here and written out at its end (``commit``)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourfold.engines.base import Row
from fourfold.engines.ends import distinct_ends, ends_of
from fourfold.engines.milvus import records
from fourfold.engines.milvus.json_text import values
from fourfold.engines.milvus.link import Link, digest
from fourfold.engines.milvus.reading import EDGE, Reading
from fourfold.engines.milvus.rows import keepable
from fourfold.engines.milvus.staging import Gathered, Staging
from fourfold.engines.milvus.state import State
from fourfold.engines.served import ServedWriter
from fourfold.engines.usage import Usage
from fourfold.index.changes import counted_terms
from fourfold.types import Edge

Key = tuple[int, int, int]
"""Source, target and type of an edge, as numbers."""


@dataclass(frozen=True)
class Written:
    """A node that is written: its row, its tokens (dtype TOKEN), and how many terms each field has, (3,)."""

    row: Row
    tokens: NDArray[Any]
    lengths: NDArray[np.int64]


@dataclass(frozen=True)
class KeptEdge:
    """An edge that is there: the number of its row in the collection, and what it is."""

    row: int
    num: int
    key: Key
    weight: float


def edge_key(key: Key) -> str:
    """Return what edges are looked up by."""
    return digest(*map(str, key))


class Writer(ServedWriter):
    """One open write over a commit, with the numbers of terms known so far; see ``engines.base.Writer``."""

    def __init__(self, link: Link, state: State, terms: Mapping[str, int], *, moves: bool) -> None:
        self.link, self.base = link, state
        self.generation = state.generation + int(moves)
        self.nodes: dict[int, Written] = {}
        """By number, what becomes of nodes that are written."""
        self.gone: set[int] = set()
        """Nodes that were there and are deleted."""
        self.edges: dict[Key, float | None] = {}
        """What becomes of edges: a weight, or None where they are deleted."""
        self.kept_edges: dict[Key, KeptEdge] = {}
        """Of these and others, those that were there."""
        self.records: dict[tuple[str, str], str | None] = {}
        """What becomes of records, by kind and key; None where they are deleted."""
        self.staged = Gathered()
        """What becomes of vectors that are not searched yet."""
        self.terms: dict[str, int] = {}
        """Terms without a number so far."""
        self.next_node, self.next_term = state.next_node, state.next_term
        self._known_terms = terms
        self._reading = Reading(link, state)
        self._types: dict[str, int] | None = None
        self.types: Counter[str] = Counter()
        """How many edges more each type has."""
        self._nums: dict[str, int | None] = {}
        self._looked_up: set[int] = set()

    @property
    def touches_nothing(self) -> bool:
        """Whether there is nothing to write out."""
        changed = self.nodes or self.gone or self.edges or self.records or self.staged.rows
        return not changed and self.generation == self.base.generation

    def move(self) -> int:
        """Move the generation on, once, and return it."""
        self.generation = self.base.generation + 1
        return self.generation

    # -- what is kept by name -----------------------------------------------------------------------------------

    def meta(self, key: str) -> str | None:
        """Return a setting as this transaction sees it."""
        text = self._record(records.META, digest(key))
        return None if text is None else str(values(text, str, str)[1])

    def set_meta(self, key: str, value: str | None) -> None:
        """Store a setting; None removes it."""
        text = None if value is None else keepable(json.dumps([key, value]), f"The setting {key!r}")
        self.records[records.META, digest(key)] = text

    def put_feedback(self, query: str, node_id: str, grade: float) -> None:
        """Keep what a user said of an answer; the latest word on a pair counts."""
        key = digest(query, node_id)
        before = self._record(records.FEEDBACK, key)
        place = self._next_word if before is None else values(before, int, str, str, float)[0]
        text = json.dumps([place, query, node_id, float(grade)])
        self.records[records.FEEDBACK, key] = keepable(text, "What was said of an answer")

    @property
    def _next_word(self) -> int:
        """The place of a first word on an answer: in the order in which they were said."""
        own = sum(1 for kind, _ in self.records if kind == records.FEEDBACK)
        return self.base.commit * 1_000_000 + own

    def put_usage(self, usage: Mapping[str, Usage]) -> None:
        """Write the usage of nodes by id; unknown ids are passed over."""
        for identity, num in self.nums(list(usage)).items():
            self.records[records.USAGE, f"{num:x}"] = json.dumps(asdict(usage[identity]))

    def staging(self) -> Staging:
        """Return the staged vectors, open for writing in this transaction."""
        return Staging(self, self.staged, self.link, self.base, self.gone)

    def _record(self, kind: str, key: str) -> str | None:
        if (kind, key) in self.records:
            return self.records[kind, key]
        return records.read(self.link, self.base.commit, kind, [key]).get(key)

    # -- nodes --------------------------------------------------------------------------------------------------

    def put_nodes(self, rows: Sequence[Row], terms: Sequence[str], lengths: Sequence[int]) -> None:
        """Insert or replace nodes; see ``engines.base.Writer``."""
        known = self.nums([row.node.id for row in rows])
        sizes = np.asarray(lengths, np.int64).reshape(len(rows), 3)
        tokens, starts = counted_terms(self._term_numbers(terms), lengths)
        of_each = (tokens[begin:end] for begin, end in pairwise(starts.tolist()))
        for row, own, size in zip(rows, of_each, sizes, strict=True):
            num = known.get(row.node.id)
            if num is None:
                num, self.next_node = self.next_node, self.next_node + 1
                self._nums[row.node.id] = num
            self.nodes[num] = Written(row, own, size)

    def _term_numbers(self, terms: Sequence[str]) -> NDArray[np.int64]:
        """Return the number of each term; unseen terms are numbered, and stored at the end."""
        distinct = dict.fromkeys(terms)
        found = {term: number for term in distinct if (number := self._known_terms.get(term)) is not None}
        found.update((term, self.terms[term]) for term in distinct if term in self.terms)
        found.update(self._reading.words.numbers([term for term in distinct if term not in found]))
        for term in distinct:
            if term not in found:
                found[term] = self.terms[term] = self.next_term
                self.next_term += 1
        return np.fromiter(map(found.__getitem__, terms), np.int64, len(terms))

    def delete_nodes(self, ids: Sequence[str]) -> int:
        """Delete nodes with their edges; unknown ids are passed over. Return how many of the ids were nodes."""
        found = self.nums(ids)
        self._meet_edges(nums := set(found.values()))
        for key in self._present_edges():
            if key[0] in nums or key[1] in nums:
                self._drop_edge(key)
        for identity, num in found.items():
            self._nums[identity] = None
            self.nodes.pop(num, None)
            self.records[records.USAGE, f"{num:x}"] = None
            if num < self.base.next_node:
                self.gone.add(num)
        return len(found)

    def nums(self, ids: Sequence[str]) -> dict[str, int]:
        """Return the number of each id that is a node, as this transaction sees it."""
        unknown = {digest(identity): identity for identity in ids if identity not in self._nums}
        if unknown and self.base.nodes:
            rows = self.link.keyed("nodes", "key", unknown, self.base.visible, ("key", "num"))
            self._nums.update((unknown[row["key"]], row["num"]) for row in rows)
        return {identity: num for identity in ids if (num := self._nums.get(identity)) is not None}

    # -- edges --------------------------------------------------------------------------------------------------

    def put_edges(self, edges: Sequence[Edge]) -> None:
        """Insert edges or replace their weights; see ``engines.base.Writer``."""
        nums = ends_of(edges, self.nums)
        latest = {(nums[e.source], nums[e.target], self._type(e.type)): (e.type, float(e.weight)) for e in edges}
        self._look_up(list(latest))
        for key, (kind, weight) in latest.items():
            if not self._present(key):
                self.types[kind] += 1
            self.edges[key] = weight

    def delete_edges(self, edges: Sequence[Edge]) -> int:
        """Delete edges by (source, target, type); return how many there were."""
        nums = self.nums(distinct_ends(edges))
        types = self._known_types()
        keys = {
            (nums[edge.source], nums[edge.target], types[edge.type])
            for edge in edges
            if edge.source in nums and edge.target in nums and edge.type in types
        }
        self._look_up(list(keys))
        there = [key for key in keys if self._present(key)]
        for key in there:
            self._drop_edge(key)
        return len(there)

    def _present(self, key: Key) -> bool:
        return self.edges[key] is not None if key in self.edges else key in self.kept_edges

    def _present_edges(self) -> list[Key]:
        return [key for key in {**self.kept_edges, **self.edges} if self._present(key)]

    def _drop_edge(self, key: Key) -> None:
        names = list(self._known_types())
        self.types[names[key[2]]] -= 1
        self.edges[key] = None
        if key not in self.kept_edges:
            del self.edges[key]

    def _look_up(self, keys: Sequence[Key]) -> None:
        """Learn which of these edges are there; none is between nodes that are new."""
        new = self.base.next_node
        old = [key for key in keys if key not in self.kept_edges and key[0] < new and key[1] < new]
        if old and self.base.edges:
            self._meet(self.link.keyed("edges", "key", map(edge_key, old), self.base.visible, ("row", *EDGE)))

    def _meet_edges(self, nodes: set[int]) -> None:
        """Learn of all edges at these nodes."""
        old = {num for num in nodes if num < self.base.next_node} - self._looked_up
        self._looked_up |= old
        if old and self.base.edges:
            self._meet(self.link.keyed("edges", "source or target", old, self.base.visible, ("row", *EDGE)))

    def _meet(self, rows: Sequence[Mapping[str, Any]]) -> None:
        for row in rows:
            key = (row["source"], row["target"], row["type"])
            self.kept_edges[key] = KeptEdge(row["row"], row["num"], key, row["weight"])

    def _known_types(self) -> dict[str, int]:
        if self._types is None:
            self._types = {name: number for name, (number, _) in self._reading.types.items()}
        return self._types

    def _type(self, name: str) -> int:
        types = self._known_types()
        if name not in types:
            keepable(json.dumps(name), "An edge type")
            self.types[name] += 0
        return types.setdefault(name, len(types))

    def type_records(self) -> dict[tuple[str, str], str | None]:
        """Return what becomes of the records of edge types."""
        known, before = self._known_types() if self.types else {}, self._reading.types if self.types else {}
        return {
            (records.TYPE, digest(name)): json.dumps([name, known[name], before.get(name, (0, 0))[1] + more])
            for name, more in self.types.items()
            if more or name not in before
        }
