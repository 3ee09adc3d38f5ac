"""What foreign tables hold, compared with what was taken in of them: the server compares, changed rows alone travel."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourfold.engines.foreign import ForeignSchema
from fourfold.engines.foreign.change import Difference
from fourfold.engines.foreign.values import hash_of, is_too_deep, metadata_of, require_one_dimension, vector_of
from fourfold.engines.postgres.foreign import stores
from fourfold.engines.postgres.foreign.statements import Statements
from fourfold.engines.postgres.link import Link
from fourfold.types import Edge, Node

_BATCH = 5000
_LONGEST_INTEGER = 4300
_NUL = re.compile(r"(?<!\\)((?:\\\\)*)\\u0000")


@dataclass(frozen=True, slots=True)
class Stamp:
    """What tells one state of the tables from another, a text, and whether any node brings a vector."""

    text: str
    vectors: bool


@dataclass(frozen=True, slots=True)
class Compared(Difference):
    """What the mirror lacks; where that is nothing, rows may have been written again.

    Args:
        seen: (id, version, hash) of every row that is new or was written again.
        counts: what had to be passed over, by reason; None where not all was looked at.

    """

    seen: list[tuple[str, int, bytes]]
    counts: dict[str, int] | None


class Reader:
    """Reads foreign tables; within ``link.question()`` everything is of one state."""

    def __init__(self, link: Link, statements: Statements) -> None:
        self._link, self._statements = link, statements
        self._schema: ForeignSchema = statements.schema
        self._only = {"only": self._schema.only[1]} if self._schema.only else {}

    def stamp(self) -> Stamp:
        """Look at every row's place and writer: a pass over the tables, without their contents."""
        rows = [found[0] for found in self._link.ask(*((sql, self._only) for sql in self._statements.stamps))]
        return Stamp(json.dumps([[int(count), total] for count, total, _ in rows]), any(row[2] for row in rows))

    def difference(self, ids: Sequence[str] | None = None, *, edges: bool = True) -> Compared:
        """Compare the tables with the mirror: all nodes, or those of some ids alone; and the edges, too."""
        s, asked = self._statements, {**self._only, **({} if ids is None else {"ids": list(ids)})}
        rows = self._link.ask((s.difference(some=ids is not None), asked))[0]
        there = {row[0]: row for row in rows if row[0] is not None}
        gone = [row[3] for row in rows if row[0] is None]
        nodes, hashes = self._nodes(there)
        own = {identity: bytes(row[4]) for identity, row in there.items() if row[4] is not None}
        seen = [(identity, int(there[identity][1]), digest) for identity, digest in hashes.items()]
        changed = [nodes[identity] for identity, digest in hashes.items() if own.get(identity) != digest]
        compare = edges and s.edges is not None
        found: list[Any] = self._link.ask((s.changed_edges, self._only))[0] if compare else []
        return Compared(
            nodes=changed,
            edges=[Edge(*row) for row in found if row[3] is not None],
            gone_nodes=gone,
            gone_edges=[Edge(*row[:3]) for row in found if row[3] is None],
            seen=seen,
            counts=self._counts() if ids is None else None,
        )

    def _counts(self) -> dict[str, int]:
        s = self._statements
        asked = [(s.skipped_nodes, self._only), *([(s.skipped_edges, self._only)] if s.edges else ())]
        numbers = [int(number) for found in self._link.ask(*asked) for number in found[0]]
        reasons = (
            "nodes without an id",
            "nodes with an id seen before",
            "edges without two ends",
            "edges naming missing nodes",
            "edges listed more than once",
            "edges whose weight is no number from 0 on (taken as 1)",
        )
        of = self._schema
        usual: tuple[str, ...] = ()
        if of.edge_table is None:  # a store's nodes name documents and neighbours that it need not have
            usual = reasons[2:]
        elif of.edge_table == of.node_table:  # a node without a parent
            usual = reasons[2:3]
        return {r: n for r, n in zip(reasons, numbers, strict=False) if n and r not in usual}

    def _nodes(self, rows: Mapping[str, Sequence[Any]]) -> tuple[dict[str, Node], dict[str, bytes]]:
        """Return the nodes of some rows, with hashes of their contents, by id."""
        nodes: dict[str, Node] = {}
        stored = self._statements.tables.stored(self._schema.node_table)
        sql, ids = self._statements.rows(by_place=stored), list(rows)
        size = _BATCH if stored else max(len(ids), 1)
        for first in range(0, len(ids), size):
            some = ids[first : first + size]
            places = [rows[identity][2] for identity in some]
            asked = {**self._only, "ids": some, "places": places} if not stored else {**self._only, "places": places}
            for row in self._link.ask((sql, asked))[0]:
                if row[0] in rows:
                    nodes[row[0]] = self._node(row)
        require_one_dimension(nodes, self._link.path)
        return nodes, {identity: hash_of(node) for identity, node in nodes.items()}

    def _node(self, row: Sequence[Any]) -> Node:
        identity, name, kind, metadata, vector, *texts = row
        columns = metadata_of(_parsed(metadata))
        if stores.is_store(self._schema):
            named, columns = stores.unwrapped(columns)
            name = name or named
        return Node(
            identity,
            name=name or "",
            type=kind or "",
            text="\n".join(text for text in texts if text),
            metadata=columns,
            vector=self._vector(vector, identity),
        )

    def _vector(self, value: Any, identity: str) -> NDArray[np.float32] | None:
        if value is not None and self._statements.sends_vectors:
            return np.frombuffer(bytes(value), ">f4", offset=4).astype(np.float32)
        own = bytes(value) if isinstance(value, memoryview) else value
        return vector_of(own, f"of node {identity!r} in {self._link.path!r}")


def _whole(digits: str) -> int | str:
    """Return an integer, or its digits where Python takes no number so long."""
    return int(digits) if len(digits) <= _LONGEST_INTEGER else digits


def _parsed(text: str | None) -> dict[str, Any]:
    """Return a JSON object of PostgreSQL's; what no row of ours can hold, NUL and halves of characters, is left out."""
    if text is None:
        return {}
    if "\\u0000" in text:
        text = _NUL.sub(r"\1", text)
    try:
        found: dict[str, Any] = json.loads(text, parse_int=_whole)
    except RecursionError:
        return {}
    if is_too_deep(found):
        return {}
    if "\\ud" in text.lower():
        found = json.loads(json.dumps(found, ensure_ascii=False).encode("utf-8", "replace"))
    return found
