"""The segments of every part of the index at one generation of a SQLite file."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourfold import ordered
from fourfold.config import RetrievalConfig
from fourfold.index.base import Nodes
from fourfold.index.changes import FIELDS, Changes
from fourfold.index.edge_segment import EdgeSegment
from fourfold.index.edge_segment import merge as merge_edges
from fourfold.index.names import NameSegment, name_keys
from fourfold.index.quantised import FirstStageSettings
from fourfold.index.segments import S
from fourfold.index.shapes import require_shapes
from fourfold.index.text import Text, TextSegment
from fourfold.index.tokens import TokenSegment
from fourfold.index.vector_segment import VectorSegment
from fourfold.index.vector_segment import merge as merge_vectors
from fourfold.ragged import bounds
from fourfold.signals.late import distinct_pieces, wordpiece_text
from fourfold.types import Node

_DERIVED_FROM = 20_000
"""Rows from which derived files are worth their place; smaller graphs are read faster than files are checked."""

_COMPACTED_AT = 8
"""The index is compacted when the rows outside the largest segments are more than one in so many."""


_LAST = "SELECT coalesce((SELECT max(num) FROM nodes), 0) + coalesce((SELECT max(num) FROM edges), 0)"


def may_be_many(select: Callable[[str, Sequence[Any]], Sequence[tuple[Any, ...]]]) -> bool:
    """Whether a store may hold so many rows that derived files are worth their place, as the last numbers tell."""
    return bool(select(_LAST, ())[0][0] >= _DERIVED_FROM)


_GIVEN_OUT = {
    "N": "SELECT coalesce(max(seq), 0) + 1 FROM sqlite_sequence WHERE name = 'nodes'",
    "T": "SELECT count(*) FROM edge_types",
}


def given_out(select: Callable[[str, Sequence[Any]], Sequence[tuple[Any, ...]]]) -> dict[str, int]:
    """Return how many numbers of nodes, from 0, and of types a store has given out: derived files know no others."""
    return {letter: int(select(sql, ())[0][0]) for letter, sql in _GIVEN_OUT.items()}


@dataclass(frozen=True)
class Parts:
    """The segments of each part, oldest first."""

    vectors: tuple[VectorSegment, ...] = ()
    text: tuple[TextSegment, ...] = ()
    tokens: tuple[TokenSegment, ...] = ()
    names: tuple[NameSegment, ...] = ()
    edges: tuple[EdgeSegment, ...] = ()

    @classmethod
    def from_arrays(cls, names: Sequence[str], arrays: Mapping[str, Any], store: Mapping[str, int]) -> Parts:
        """Return what ``arrays`` gave: the names of the parts that there are, and their arrays.

        ``store`` is what it has ``given_out``.

        Raises:
            KeyError, ValueError: they are not what ``arrays`` gives.

        """

        def under(name: str) -> dict[str, Any]:
            own = {key.removeprefix(name): array for key, array in arrays.items() if key.startswith(name)}
            require_shapes(name.rstrip("."), own, store)
            return own

        return cls(*((kind.from_arrays(under(name)),) if name in names else () for name, kind in _KINDS.items()))

    def arrays(self) -> tuple[list[str], dict[str, NDArray[Any]]]:
        """Return the names of the parts that there are, of one segment each, and their arrays by name."""
        found = {name: getattr(self, name.rstrip(".")) for name in _KINDS}
        arrays = {name + key: array for name, own in found.items() for s in own for key, array in s.arrays().items()}
        return sorted(name for name in found if found[name]), arrays

    def same_as(self, other: Parts) -> bool:
        """Whether all segments are the very same."""
        return all(
            len(own := getattr(self, part.name)) == len(theirs := getattr(other, part.name))
            and all(map(operator.is_, own, theirs))
            for part in fields(self)
        )

    def are_many(self) -> bool:
        """Whether there are so many rows that derived files are worth their place, or codes, which are made slowly."""
        rows = sum(map(len, self.text)) + sum(map(len, self.edges))
        return rows >= _DERIVED_FROM or any(segment.first_stage for segment in self.vectors)

    def worth_merging(self, *, keep: bool) -> bool:
        """Whether a compaction is worth it; ``keep`` says whether files of it can be written."""
        return self._scattered() or (keep and self._are_new())

    def _scattered(self) -> bool:
        """Whether enough rows lie outside the oldest segments to be worth a compaction."""
        return any(
            len(segments) > 1
            and sum(map(len, segments)) > (1 + 1 / _COMPACTED_AT) * max(segments[0].size, _DERIVED_FROM)
            for segments in (self.vectors, self.text, self.edges)
        )

    def _are_new(self) -> bool:
        """Whether many rows, and all that are older, are in memory alone: derived files show what they replaced."""
        oldest = [segments[0] for segments in (self.text, self.edges) if segments]
        return any(len(segment) >= _DERIVED_FROM and isinstance(segment.nums, np.ndarray) for segment in oldest)

    def await_codes(self, first_stage: FirstStageSettings) -> bool:
        """Whether many vectors were taken in without codes."""
        return any(segment.awaits(first_stage) for segment in self.vectors)

    def coded(self, first_stage: FirstStageSettings) -> Parts:
        """Return the same with codes of the vectors that were taken in without."""
        merge = partial(merge_vectors, first_stage=first_stage)
        return replace(self, vectors=tuple(merge((s,)) if s.awaits(first_stage) else s for s in self.vectors))

    def compacted(self, first_stage: FirstStageSettings) -> Parts:
        """Return the same with one segment of each kind."""
        text = _one(self.text, TextSegment.merge)  # takes most memory for itself: before the vectors are in memory
        return Parts(
            _one(self.vectors, partial(merge_vectors, first_stage=first_stage)),
            text,
            _one(self.tokens, TokenSegment.merge),
            _one(self.names, NameSegment.merge),
            _one(self.edges, merge_edges),
        ).coded(first_stage)  # a single segment is not merged, but may have come without


def _one(segments: tuple[S, ...], merge: Callable[[Sequence[S]], S]) -> tuple[S, ...]:
    if not segments or (len(segments) == 1 and len(segments[0]) == segments[0].size):
        return segments
    return (merge(segments),)


_KINDS: Mapping[str, Any] = {
    "vectors.": VectorSegment,
    "text.": TextSegment,
    "tokens.": TokenSegment,
    "names.": NameSegment,
    "edges.": EdgeSegment,
}


@dataclass(frozen=True)
class State:
    """The parts at one generation of the store."""

    generation: int
    token: str
    parts: Parts
    own_share: float
    embedder: str | None

    @classmethod
    def of(cls, facts: Mapping[str, Any], arrays: Mapping[str, Any], store: Mapping[str, int]) -> State:
        """Return the state that derived files hold; see ``Parts.from_arrays``."""
        parts = Parts.from_arrays(facts["parts"], arrays, store)
        return cls(facts["generation"], facts["token"], parts, facts["own_share"], facts["embedder"])


def wanted_by(config: RetrievalConfig) -> dict[str, Any]:
    """Return what derived files must agree with."""
    reading = [list(field.columns) for field in config.text.fields]
    return {"reading": reading, "exact": config.index.exact, "first_stage": config.index.first_stage}


def read_by(config: RetrievalConfig, own_share: float) -> dict[str, Any]:
    """Return what segments depend on, beside the store; ``fused_by`` where vectors are partly their neighbours'."""
    fused_by = None if own_share >= 1 else repr(config.index_key(own_share))
    return {**wanted_by(config), "own_share": own_share, "fused_by": fused_by}


def ends_of(segments: Iterable[EdgeSegment], nums: NDArray[np.int64]) -> list[Nodes]:
    """Return the nodes at the ends of some edges, as far as the segments know them."""
    found = []
    for segment in segments:
        rows, here = ordered.places(segment.nums[:], ordered.distinct(nums))
        rows = rows[here]
        found += [segment.sources[rows], segment.targets[rows]]
    return found


def name_segment(changes: Changes) -> NameSegment:
    """Return the names of what changed."""
    own = changes.tokens["field"] == FIELDS.index("name")
    node = np.repeat(np.arange(len(changes.nums)), changes.token_counts)[own]
    starts = bounds(np.bincount(node, minlength=len(changes.nums)))
    terms, counts = changes.tokens["term"][own], changes.tokens["count"][own]
    return NameSegment.build(changes.nums, name_keys(terms.astype(np.int64), counts.astype(np.int64), starts))


def token_segment(changes: Changes, nodes_of: Callable[[Sequence[int]], Mapping[int, Node]]) -> TokenSegment:
    """Return the wordpieces of what changed; of nodes that an older version wrote they are read from the text."""
    counts, pieces = changes.piece_counts, changes.pieces
    if (unread := np.nonzero(counts < 0)[0]).size:
        nodes = nodes_of(changes.nums[unread].tolist())
        texts = [wordpiece_text(nodes[num]) if num in nodes else "" for num in changes.nums[unread].tolist()]
        found = dict(zip(unread.tolist(), distinct_pieces(texts), strict=True))
        ends = np.cumsum(np.maximum(counts, 0))
        own = np.split(pieces, ends[:-1])
        each = [found.get(place, own[place]) for place in range(len(counts))]
        counts = np.array([len(row) for row in each], np.int64)
        pieces = np.concatenate(each).astype(np.int32)
    return TokenSegment.build(changes.nums, bounds(counts), pieces)


def text_part(segments: Sequence[TextSegment], config: RetrievalConfig, before: object = None) -> Text:
    """Return the texts of one generation, weighed as a config says; those ``before``, by the same, if they stayed."""
    if isinstance(before, Text) and before.is_of(segments):
        return before  # which knows the words that were asked
    text = config.text
    weights = tuple(field.weight for field in text.fields)
    return Text(segments, weights=weights, k1=text.k1, b=text.b, names=text.names)


def text_segment(nums: Nodes, tokens: NDArray[Any], counts: NDArray[np.int64], config: RetrievalConfig) -> TextSegment:
    """Return the texts of some nodes, from their records of terms, as a config reads them."""
    readings = tuple(tuple(FIELDS.index(column) for column in field.columns) for field in config.text.fields)
    return TextSegment.build(nums, tokens, counts, readings)
