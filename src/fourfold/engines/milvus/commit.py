"""A gathered write, written out: new rows, marks on old ones, and last the one row that makes all of it visible.

A writer that dies on the way leaves rows with marks of a commit that never came: nobody sees them, and the next writer
takes them away (``recovered``) before it gives out the same numbers again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourfold.config import RetrievalConfig
from fourfold.engines.milvus import records
from fourfold.engines.milvus.array_text import packed_pieces, packed_terms, unpacked_pieces, unpacked_terms
from fourfold.engines.milvus.link import digest
from fourfold.engines.milvus.reading import Reading
from fourfold.engines.milvus.records import HELD_OF, PIECES_OF, SUMS_OF, Portions
from fourfold.engines.milvus.row_changes import RowChanges
from fourfold.engines.milvus.rows import keepable, node_row
from fourfold.engines.milvus.schema import UNUSED
from fourfold.engines.milvus.state import State
from fourfold.engines.milvus.vector_collections import VectorCollections
from fourfold.engines.milvus.words import words_of
from fourfold.engines.milvus.writer import Writer, edge_key
from fourfold.index.changes import FIELDS
from fourfold.index.names import name_keys
from fourfold.ragged import bounds

_TEXT = RetrievalConfig().text
"""The constants by which stored words are worth what they are; answers are scored by the config's own."""


class Commit:
    """Writes out what a writer has gathered; ``hold`` is asked before each call that writes."""

    def __init__(self, writer: Writer, hold: Callable[[], None]) -> None:
        self._hold = hold
        self._writer, self._link, self._base = writer, writer.link, writer.base
        self._rows = RowChanges(writer.base)
        self._records = {**writer.records, **writer.type_records()}
        self._records |= {(records.TERM, digest(term)): str(number) for term, number in writer.terms.items()}

    def written(self) -> State:
        """Write everything but the commit itself, and return what it is to say."""
        base = self._base
        touched = [num for num in {*self._writer.nodes, *self._writer.gone} if num < base.next_node]
        state = self._edges(self._vectors(self._nodes(base, touched), touched))
        self._write_records()
        self._rows.write(self._link, self._hold)
        edges_generation = self._writer.generation if self._writer.edges else base.edges_generation
        return state.followed(
            generation=self._writer.generation,
            next_row=self._rows.next_row,
            next_node=self._writer.next_node,
            next_term=self._writer.next_term,
            edges_generation=edges_generation,
        )

    # -- nodes --------------------------------------------------------------------------------------------------

    def _nodes(self, state: State, touched: Sequence[int]) -> State:
        come = self._writer.nodes
        fields = ("row", "terms", "pieces")
        gone = Reading(self._link, self._base).nodes(touched, fields) if self._base.nodes else []
        if not come and not gone:
            return state
        self._rows.end("nodes", (row["row"] for row in gone))
        before, tokens, counts = unpacked_terms([row["terms"] for row in gone])
        sizes = np.array([written.lengths for written in come.values()], np.int64).reshape(-1, 3)
        lengths = np.array(state.lengths) - before.sum(axis=0) + sizes.sum(axis=0)
        state = replace(state, nodes=state.nodes + len(come) - len(gone), lengths=tuple(lengths.tolist()))
        self._count_terms(tokens, counts, come_tokens := [written.tokens for written in come.values()])
        self._count_pieces(
            [unpacked_pieces(row["pieces"]) for row in gone], [written.row.pieces for written in come.values()]
        )
        averages = np.maximum(lengths / max(state.nodes, 1), 1e-9)
        keys = _name_keys(come_tokens)
        for (num, written), key in zip(come.items(), keys.tolist(), strict=True):
            brought = {
                "terms": packed_terms(written.lengths, written.tokens),
                "pieces": packed_pieces(written.row.pieces),
            }
            for text in brought.values():
                keepable(text, f"The list of the words of node {written.row.node.id[:60]!r}")
            words = _words(written.tokens, written.lengths, averages)
            self._rows.add("nodes", {"num": num, "name_key": key, **node_row(written.row), **brought, "words": words})
        return state

    def _count_terms(self, gone: NDArray[Any], counts: NDArray[np.int64], come: Sequence[NDArray[Any]]) -> None:
        """Say in how many more nodes, or fewer, each term stands in exactly the fields of each mask."""
        tokens = np.concatenate([gone, *come])
        every = np.concatenate((counts, np.array([len(own) for own in come], np.int64)))
        if not len(tokens):
            return
        node = np.repeat(np.arange(len(every)), every)
        width = np.int64(tokens["term"].max()) + 1
        pairs, place = np.unique(node * width + tokens["term"], return_inverse=True)
        masks = np.zeros(len(pairs), np.int64)
        np.bitwise_or.at(masks, place, 1 << tokens["field"].astype(np.int64))
        sign = np.where(pairs // width < len(counts), -1, 1)
        self._add_to(HELD_OF, pairs % width, masks - 1, sign)

    def _count_pieces(self, gone: Sequence[NDArray[np.int32]], come: Sequence[NDArray[np.int32]]) -> None:
        pieces = np.concatenate([np.empty(0, np.int64), *gone, *come]).astype(np.int64)
        sign = np.ones(len(pieces), np.int64)
        sign[: sum(len(own) for own in gone)] = -1
        self._add_to(PIECES_OF, pieces, np.zeros(len(pieces), np.int64), sign)

    def _add_to(
        self, kept: Portions, rows: NDArray[np.int64], columns: NDArray[np.int64], values: NDArray[np.int64]
    ) -> None:
        portions = kept.of(rows)
        arrays = {portion: kept.empty() for portion in portions}
        arrays |= {portion: own.copy() for portion, own in kept.read(self._link, self._base.commit, portions).items()}
        for portion, array in arrays.items():
            own = rows // kept.rows == portion
            np.add.at(array, (rows[own] % kept.rows, columns[own]), values[own].astype(array.dtype))
        self._records |= kept.records(arrays)

    def _vectors(self, state: State, touched: Sequence[int]) -> State:
        writer, spaces = self._writer, VectorCollections(self._link, self._base, self._rows)
        come = {num: (one.row.hash, one.row.vector) for num, one in writer.nodes.items() if one.row.vector is not None}
        state, moved = spaces.searched(state, touched, come)
        state, taken = spaces.staged(state, list(writer.gone), writer.staged)
        if (sums := taken or moved) is not None:
            self._records |= SUMS_OF.records(sums.portions())
        return state

    # -- edges --------------------------------------------------------------------------------------------------

    def _edges(self, state: State) -> State:
        kept, number, count = self._writer.kept_edges, state.next_edge, state.edges
        for key, weight in self._writer.edges.items():
            before = kept.get(key)
            if before is not None:
                self._rows.end("edges", [before.row])
                count -= 1
            if weight is not None:
                own = number if before is None else before.num
                number += before is None
                count += 1
                row = dict(zip(("source", "target", "type"), key, strict=True))
                self._rows.add("edges", {"num": own, **row, "weight": weight, "key": edge_key(key), "unused": UNUSED})
        return replace(state, next_edge=number, edges=count)

    # -- records ------------------------------------------------------------------------------------------------

    def _write_records(self) -> None:
        by_kind: dict[str, list[str]] = {}
        for kind, key in self._records:
            by_kind.setdefault(kind, []).append(key)
        for kind, keys in by_kind.items():
            if kind != records.TERM:  # these are new
                known = records.read_rows(self._link, self._base.commit, kind, keys)
                self._rows.end("records", (row for row, _ in known.values()))
        for (kind, key), value in self._records.items():
            if value is not None:
                self._rows.add("records", {"kind": kind, "key": key, "value": value, "unused": UNUSED})


def _words(tokens: NDArray[Any], lengths: NDArray[np.int64], averages: NDArray[np.float64]) -> dict[int, float]:
    """Return what each word of a node is worth in each field, without its idf; 0 is every node's."""
    field = tokens["field"]
    times = tokens["count"].astype(np.float64)
    relative = (lengths / averages)[field]
    worth = times * (_TEXT.k1 + 1.0) / (times + _TEXT.k1 * (1.0 - _TEXT.b + _TEXT.b * relative))
    places = words_of(tokens["term"].astype(np.int64), field.astype(np.int64))
    return {0: 1.0, **dict(zip(places, worth.tolist(), strict=True))}


def _name_keys(tokens: Sequence[NDArray[Any]]) -> NDArray[np.int64]:
    """Return the key of each node's name, as signed numbers."""
    named = [own[own["field"] == FIELDS.index("name")] for own in tokens]
    together = np.concatenate(named) if named else np.empty(0, [("term", "<i4"), ("count", "<u2")])
    starts = bounds([len(own) for own in named])
    return name_keys(together["term"].astype(np.int64), together["count"].astype(np.int64), starts).view(np.int64)
