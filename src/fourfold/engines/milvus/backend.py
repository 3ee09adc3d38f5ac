"""One graph in Milvus as an engine; see ``engines.base.Backend``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourfold.arguments import said
from fourfold.config import RetrievalConfig
from fourfold.engines.base import Capabilities
from fourfold.engines.milvus import filters, records, schema
from fourfold.engines.milvus.address import Address
from fourfold.engines.milvus.cleanup import dropped
from fourfold.engines.milvus.commit import Commit
from fourfold.engines.milvus.json_text import damaged, mapping, values
from fourfold.engines.milvus.link import Link, digest
from fourfold.engines.milvus.reading import EDGE, Reading
from fourfold.engines.milvus.rows import LOTS, NODE, node_of
from fourfold.engines.milvus.snapshots import Snapshots
from fourfold.engines.milvus.staging import Staged
from fourfold.engines.milvus.state import State
from fourfold.engines.milvus.wording import Wording
from fourfold.engines.milvus.write_lease import claimed
from fourfold.engines.milvus.writer import Writer
from fourfold.engines.served import ServedGraph
from fourfold.engines.usage import Usage
from fourfold.errors import StoreError
from fourfold.filters import Clause
from fourfold.index.base import Allowed, Nodes
from fourfold.types import Edge, Node


class MilvusBackend(ServedGraph):
    """An open graph; StoreError where Milvus cannot be reached, or has no such graph and none may be begun."""

    def __init__(self, address: Address, *, read_only: bool = False, must_exist: bool = False) -> None:
        self.read_only = read_only
        self.path = address.shown
        self.capabilities = Capabilities(
            "milvus",
            phrases=False,
            documents=False,
            models=False,
            exact_vectors=address.index == "FLAT",
            exact_text=False,
            atomic=False,
        )
        self._address = address
        create = not read_only and not must_exist
        self._link = Link(address, create=create)
        try:
            if not schema.exists(self._link):
                if not create:
                    raise StoreError(f"There is no graph at {self.path!r}.")
                schema.make(self._link)
            schema.load(self._link)
            State.read(self._link)
        except BaseException:
            self._link.close()
            raise
        self._snapshots = Snapshots(self._link, RetrievalConfig())
        self._terms: dict[str, int] = {}

    # -- what it is ---------------------------------------------------------------------------------------------

    @property
    def link(self) -> Link:
        """The way to Milvus, for measurements."""
        return self._link

    def close(self) -> None:
        """Close the client; a second call does nothing."""
        self._link.close()

    # -- one generation -----------------------------------------------------------------------------------------

    def question(self, terms: Callable[[], Iterable[str]] | None = None) -> AbstractContextManager[None]:
        """Begin a question: what this thread reads inside is of one commit."""
        return self._link.question()

    def generation(self) -> int:
        """Return the generation; inside a question, the question's."""
        return self._state.generation

    @property
    def _state(self) -> State:
        return State.current(self._link)

    @property
    def _reading(self) -> Reading:
        return Reading(self._link, self._state)

    def compact(self) -> None:
        """Delete what nobody reads any more; Milvus itself merges its segments."""
        if not self.read_only:
            with claimed(self._link) as claim:
                dropped(self._link, claim.state)

    def allowed(self, clause: Clause) -> Allowed:
        """Return the nodes that meet a filter."""
        return Allowed(filters.matching(self._link, self._state.visible, clause))

    # -- nodes and edges ----------------------------------------------------------------------------------------

    def counts(self) -> dict[str, int]:
        """Return the numbers of nodes, edges and vectors."""
        state = self._state
        return {"nodes": state.nodes, "edges": state.edges, "vectors": state.vectors}

    def nodes(self, nums: Sequence[int]) -> dict[int, Node]:
        """Return the nodes of these numbers, without vectors; numbers that are gone are left out."""
        found = self._reading.nodes([int(num) for num in nums], NODE)
        return {row["num"]: node_of(row) for row in found}

    def labels(self, nums: Sequence[int]) -> dict[int, tuple[str, str]]:
        """Return (id, name) of the nodes of these numbers; numbers that are gone are left out."""
        found = self._reading.nodes([int(num) for num in nums], ("num", "id", "name"))
        return {row["num"]: (row["id"], row["name"]) for row in found}

    def types(self, nums: Sequence[int]) -> dict[int, str]:
        """Return the type of the nodes of these numbers; numbers that are gone are left out."""
        found = self._reading.nodes([int(num) for num in nums], ("num", "type"))
        return {row["num"]: row["type"] for row in found}

    def ids(self, nums: Nodes) -> list[str]:
        """Return the ids of the nodes of these numbers, in their order; "" for those that are gone."""
        return self._reading.ids(nums)

    def nums(self, ids: Sequence[str]) -> dict[str, int]:
        """Return the number of each id that is a node."""
        return {row["id"]: row["num"] for row in self._by_id(ids, ("id", "num"))}

    def nodes_by_id(self, ids: Sequence[str]) -> dict[str, Node]:
        """Return the nodes of these ids, without vectors; unknown ids are left out."""
        return {row["id"]: node_of(row) for row in self._by_id(ids, NODE)}

    def first_stage(self) -> tuple[str, float | None] | None:
        """Return whether every vector is compared or an index names the nearest, whose recall nobody has measured."""
        return ("exact", 1.0) if self.capabilities.exact_vectors else ("hnsw", None)

    def sample(self, count: int) -> list[int]:
        """Return the numbers of at most so many nodes, those with the smallest lots."""
        size, most = self.counts()["nodes"], LOTS
        if size > 4 * count:  # four times as many as are wanted, and more where that was bad luck
            most = 4 * count * LOTS // size
        while True:
            found = self._link.rows("nodes", f"lot < {most} and {self._state.visible}", ("num", "lot", "id"))
            if len(found) >= count or most >= LOTS:
                return [int(row["num"]) for row in sorted(found, key=lambda row: (row["lot"], row["id"]))[:count]]
            most = min(2 * most, LOTS)

    def _by_id(self, ids: Sequence[str], fields: Sequence[str]) -> list[dict[str, Any]]:
        return self._link.keyed("nodes", "key", map(digest, ids), self._state.visible, fields) if len(ids) else []

    def vectors_of(self, ids: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """Return the stored vector of each of these nodes that has one."""
        names = {num: identity for identity, num in self.nums(ids).items()}
        nums, rows = self._reading.vectors(list(names))
        return {names[num]: row for num, row in zip(nums.tolist(), rows, strict=True)}

    def edges_of(self, ids: Sequence[str]) -> list[Edge]:
        """Return every edge that leaves or enters one of these nodes, by (source, target, type)."""
        nums = list(self.nums(ids).values())
        return self._edges("source or target", nums)

    def edges_from(self, ids: Sequence[str], types: Sequence[str]) -> list[Edge]:
        """Return the edges of these types that leave these nodes."""
        wanted = set(types)
        return [edge for edge in self._edges("source", list(self.nums(ids).values())) if edge.type in wanted]

    def _edges(self, side: str, nums: Sequence[int]) -> list[Edge]:
        reading = self._reading
        found = self._link.keyed("edges", side, nums, reading.state.visible, EDGE) if nums else []
        rows = {row["num"]: row for row in reading.typed(found)}  # a long list is asked for in turns
        ends = np.array([(row["source"], row["target"]) for row in rows.values()], np.int64).reshape(-1, 2)
        sources, targets, types = reading.ids(ends[:, 0]), reading.ids(ends[:, 1]), tuple(reading.types)
        found_edges = [
            Edge(source, target, types[row["type"]], row["weight"])
            for source, target, row in zip(sources, targets, rows.values(), strict=True)
        ]
        return sorted(found_edges, key=lambda edge: (edge.source, edge.target, edge.type))

    def edge_type_names(self) -> list[str]:
        """Return every edge type ever used."""
        return list(self._reading.types)

    def manifest(self) -> dict[str, str]:
        """Return the content hash of every node by id, in the order of the ids."""
        rows = self._link.rows("nodes", self._state.visible, ("id", "hash"))
        return dict(sorted((row["id"], row["hash"]) for row in rows))

    # -- writing and what else is kept --------------------------------------------------------------------------

    @contextmanager
    def transaction(self, *, moves: bool = True, deletes: bool = True) -> Iterator[Writer]:
        """Open one write: it becomes visible as a whole; writers take turns."""
        if self.read_only:
            raise StoreError(f"{self.path!r} was opened read-only; nothing can be written.")
        with claimed(self._link) as claim:
            writer = Writer(self._link, claim.state, self._terms, moves=moves)
            yield writer
            if not writer.touches_nothing:
                claim.begin()
                claim.commit(Commit(writer, claim.hold).written())
                self._terms.update(writer.terms)

    def meta(self, key: str) -> str | None:
        """Return a setting, or None."""
        found = records.read(self._link, self._state.commit, records.META, [digest(key)])
        return next((values(text, str, str)[1] for text in found.values()), None)

    def feedback(self) -> list[tuple[str, str, float]]:
        """Return what users said of answers: (query, node id, grade), in the order of the queries' first mention."""
        found = records.read(self._link, self._state.commit, records.FEEDBACK)
        rows = sorted(values(text, int, str, str, float) for text in found.values())
        first = {query: place for place, query, *_ in reversed(rows)}
        rows.sort(key=lambda row: (first[row[1]], row[0]))
        return [(query, node, grade) for _, query, node, grade in rows]

    def usage(self, ids: Sequence[str] | None = None) -> dict[str, Usage]:
        """Return the usage of these nodes, or of all, by id; nodes never used are left out."""
        reading = self._reading
        keys = None if ids is None else [f"{num:x}" for num in self.nums(ids).values()]
        found = {} if keys == [] else records.read(self._link, reading.state.commit, records.USAGE, keys)
        names = reading.ids(np.array([int(key, 16) for key in found], np.int64))
        try:
            return {name: Usage(**mapping(text)) for name, text in zip(names, found.values(), strict=True) if name}
        except TypeError as error:
            raise damaged(said(error)) from error

    @property
    def wording(self) -> Wording:
        """Where words stand in names, types and metadata."""
        return Wording(self._reading)

    @property
    def staged(self) -> Staged:
        """The vectors of a re-embedding that has not ended."""
        return Staged(self._link, self, self._state)

    def refuse_foreign_vectors(self) -> None:
        """Do nothing: there are no vectors of others here."""
