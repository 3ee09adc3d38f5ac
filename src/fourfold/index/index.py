"""The arrays of one generation of a graph, and the step from one generation to the next."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourfold.config import RetrievalConfig
from fourfold.index import communities as community_detection
from fourfold.index.adjacency import Adjacency
from fourfold.index.changes import Changes
from fourfold.index.fusion import fused
from fourfold.index.pagerank import pagerank
from fourfold.index.postings import Postings, build_postings
from fourfold.types import FloatArray, Weights

_PATIENCE = 1.0
"""Seconds before the background work begins, so that it does not slow the first answers of a new generation."""

_INLINE_EDGES = 50_000
"""Up to here communities are found while the index is built; beyond, off the query path."""


@dataclass(frozen=True)
class Rows:
    """What was read from the store, in its own numbers: kept so that the next generation reads only what changed.

    Node arrays are parallel (n_nodes,), ``matrix`` is (n_nodes, dimensions) float32 with unit rows, zero where there
    is no vector; edge arrays are parallel (n_edges,).
    """

    nums: NDArray[np.int64]
    ids: list[str]
    tokens: NDArray[np.void]
    token_counts: NDArray[np.int64]
    matrix: NDArray[np.float32]
    has_vector: NDArray[np.bool_]
    edge_nums: NDArray[np.int64]
    edge_sources: NDArray[np.int64]
    edge_targets: NDArray[np.int64]
    edge_types: NDArray[np.int32]
    edge_weights: NDArray[np.float32]


@dataclass(frozen=True)
class Index:
    """One generation, ready to be searched. Immutable, so searches share it while the next one is built."""

    generation: int
    embedder: str | None
    """What made this generation's vectors, by name; None if callers brought them all."""
    rows: Rows
    postings: Postings
    adjacency: Adjacency
    vocabulary: dict[str, int]
    hidden: NDArray[np.int64]
    """Positions of nodes that pass scores on, but are no answers: documents whose text is in their chunks."""
    matrix: NDArray[np.float32]
    """Unit vectors, (n_nodes, dimensions) float32; zero rows where there is no vector."""
    own_share: float
    """The share of a node's own text in its vector, from 0 to 1; the rest is its neighbours'."""
    _lazy: _Lazy = field(repr=False)

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def ids(self) -> list[str]:
        """The id of the node at each position."""
        return self.rows.ids

    @property
    def has_vectors(self) -> bool:
        """Whether any node has a vector."""
        return self.n_vectors > 0

    @cached_property
    def n_vectors(self) -> int:
        """How many nodes have a vector."""
        return int(self.rows.has_vector.sum())

    def position(self, node_id: str) -> int | None:
        """Return the position of a node, or None."""
        return self._lazy.positions().get(node_id)

    def positions_of(self, nums: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the positions of store numbers; numbers of another generation are left out."""
        return _positions(self.rows.nums, nums, drop=True)

    def name_terms(self, position: int) -> frozenset[int]:
        """Return the numbers of the terms in a node's name."""
        start, end = self._lazy.token_bounds()[position : position + 2]
        tokens = self.rows.tokens[start:end]
        return frozenset(tokens["term"][tokens["field"] == 0].tolist())

    def pagerank(self) -> NDArray[np.float64]:
        """Return PageRank by node, (n_nodes,), computed once per generation."""
        return self._lazy.pagerank()

    def communities(self, *, exact: bool) -> NDArray[np.int32]:
        """Return the community of each node, (n_nodes,), -1 for none.

        ``exact``: greedy modularity, at once. Otherwise label propagation: at once for small graphs, else found in
        the background, the last known communities serving meanwhile.
        """
        return self._lazy.communities(exact=exact)


@dataclass(frozen=True)
class WholeScores:
    """The weights in force and every node's components by position, each (n_nodes,) in [0, 1].

    ``gained`` (n_nodes,) is what bridges add to the weighted sum.
    """

    weights: Weights
    components: dict[str, FloatArray]
    gained: FloatArray


class _Lazy:
    """What a generation computes at most once, and only when asked."""

    def __init__(self, rows: Rows, adjacency: Adjacency, before: _Lazy | None) -> None:
        self._rows = rows
        self._adjacency = adjacency
        self._lock = threading.RLock()
        self._pagerank: NDArray[np.float64] | None = None
        self._greedy: NDArray[np.int32] | None = None
        self._propagated: NDArray[np.int32] | None = None
        self._positions: dict[str, int] | None = None
        self._token_bounds: NDArray[np.int64] | None = None
        self._stale = before._last_known() if before is not None else None
        self._thread: threading.Thread | None = None

    def positions(self) -> dict[str, int]:
        with self._lock:
            if self._positions is None:
                self._positions = {identity: place for place, identity in enumerate(self._rows.ids)}
            return self._positions

    def token_bounds(self) -> NDArray[np.int64]:
        with self._lock:
            if self._token_bounds is None:
                self._token_bounds = np.concatenate(([0], np.cumsum(self._rows.token_counts)))
            return self._token_bounds

    def pagerank(self) -> NDArray[np.float64]:
        with self._lock:
            if self._pagerank is None:
                self._pagerank = pagerank(self._adjacency)
            return self._pagerank

    def communities(self, *, exact: bool) -> NDArray[np.int32]:
        with self._lock:
            if exact:
                if self._greedy is None:
                    self._greedy = community_detection.greedy_modularity(self._adjacency, self._rows.ids)
                return self._greedy
            if self._propagated is None and len(self._adjacency) <= _INLINE_EDGES:
                self._propagate()
            if self._propagated is not None:
                return self._propagated
            if self._thread is None:
                self._thread = threading.Timer(_PATIENCE, self._propagate)
                self._thread.name, self._thread.daemon = "fourfold-communities", True
                self._thread.start()
            return self._meanwhile()

    def _propagate(self) -> None:
        self._propagated = community_detection.label_propagation(self._adjacency, self._rows.ids)

    def _last_known(self) -> tuple[NDArray[np.int64], NDArray[np.int32]] | None:
        return self._stale if self._propagated is None else (self._rows.nums, self._propagated)

    def _meanwhile(self) -> NDArray[np.int32]:
        labels = np.full(len(self._rows.nums), community_detection.NONE, np.int32)
        if self._stale is not None:
            nums, known = self._stale
            here, there = np.nonzero(np.isin(self._rows.nums, nums))[0], np.isin(nums, self._rows.nums)
            labels[here[np.argsort(self._rows.nums[here])]] = known[there][np.argsort(nums[there])]
        return labels


def build(store: Any, config: RetrievalConfig, before: Index | None = None) -> Index:
    """Read what changed since ``before`` (everything, without it) and return the index of the current generation."""
    changes = store.changes(before.generation if before is not None else -1)
    rows = _merge(before.rows, changes) if before is not None else _first(changes)
    if before is None or len(changes.nums) or len(changes.deleted_nodes):
        postings = _postings(rows, config)
    else:
        postings = before.postings
    known = before.vocabulary if before is not None else {}
    new_terms = store.vocabulary(len(known) + 1)
    adjacency = Adjacency(
        n_nodes=len(rows.nums),
        sources=_positions(rows.nums, rows.edge_sources).astype(np.int32),
        targets=_positions(rows.nums, rows.edge_targets).astype(np.int32),
        types=rows.edge_types,
        weights=rows.edge_weights,
        type_names=tuple(store.edge_type_names()),
    )
    return Index(
        generation=changes.generation,
        embedder=changes.embedder,
        rows=rows,
        postings=postings,
        adjacency=adjacency,
        vocabulary={**known, **dict(new_terms)} if new_terms or not known else known,
        hidden=_positions(rows.nums, store.hidden(), drop=True),
        matrix=_mixed(rows, adjacency, config, changes.own_share),
        own_share=changes.own_share,
        _lazy=_Lazy(rows, adjacency, before._lazy if before is not None else None),
    )


def rebuilt(index: Index, config: RetrievalConfig) -> Index:
    """Return the index that ``config`` makes of the same rows; it differs where ``RetrievalConfig.index_key`` does."""
    matrix = _mixed(index.rows, index.adjacency, config, index.own_share)
    return replace(index, postings=_postings(index.rows, config), matrix=matrix)


def _postings(rows: Rows, config: RetrievalConfig) -> Postings:
    return build_postings(rows.tokens, rows.token_counts, config.text.fields, k1=config.text.k1, b=config.text.b)


def _mixed(rows: Rows, adjacency: Adjacency, config: RetrievalConfig, own_share: float) -> NDArray[np.float32]:
    return fused(rows.matrix, adjacency, config.graph.weights_of(adjacency.type_names), own_share)


def _first(changes: Changes) -> Rows:
    matrix, has_vector = _matrix(changes, changes.vectors.shape[1])
    return Rows(
        changes.nums,
        changes.ids,
        changes.tokens,
        changes.token_counts,
        matrix,
        has_vector,
        changes.edge_nums,
        changes.edge_sources,
        changes.edge_targets,
        changes.edge_types,
        changes.edge_weights,
    )


def _merge(old: Rows, changes: Changes) -> Rows:
    """Return the old rows without what was deleted or replaced, followed by what was added."""
    if len(changes.nums) or len(changes.deleted_nodes):
        keep = ~np.isin(old.nums, np.concatenate((changes.nums, changes.deleted_nodes)))
        dimensions = changes.vectors.shape[1] or old.matrix.shape[1]
        added, has_vector = _matrix(changes, dimensions)
        kept = old.matrix if keep.all() else old.matrix[keep]
        if kept.shape[1] != dimensions:
            kept = np.zeros((len(kept), dimensions), np.float32)
        tokens = old.tokens if keep.all() else old.tokens[np.repeat(keep, old.token_counts)]
        ids = old.ids if keep.all() else [old.ids[place] for place in np.nonzero(keep)[0]]
        nodes: dict[str, Any] = {
            "nums": np.concatenate((old.nums[keep], changes.nums)),
            "ids": ids + changes.ids,
            "tokens": np.concatenate((tokens, changes.tokens)),
            "token_counts": np.concatenate((old.token_counts[keep], changes.token_counts)),
            "matrix": np.concatenate((kept, added)),
            "has_vector": np.concatenate((old.has_vector[keep], has_vector)),
        }
    else:
        nodes = {name: getattr(old, name) for name in _NODE_ARRAYS}
    keep = ~np.isin(old.edge_nums, np.concatenate((changes.edge_nums, changes.deleted_edges)))
    edges: dict[str, Any] = {
        name: np.concatenate((getattr(old, name)[keep], getattr(changes, name))) for name in _EDGE_ARRAYS
    }
    return Rows(**nodes, **edges)


_NODE_ARRAYS = ("nums", "ids", "tokens", "token_counts", "matrix", "has_vector")
_EDGE_ARRAYS = ("edge_nums", "edge_sources", "edge_targets", "edge_types", "edge_weights")


def _matrix(changes: Changes, dimensions: int) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Return unit vectors for the changed nodes, (n, dimensions) float32, and which of them have one.

    The vectors of ``changes`` become the unit vectors themselves: a copy of all vectors would be the largest array.
    """
    n = len(changes.nums)
    has_vector = np.zeros(n, bool)
    has_vector[changes.with_vector] = True
    vectors = changes.vectors if n and len(changes.with_vector) == n else None
    if vectors is None:
        vectors = np.zeros((n, dimensions), np.float32)
        if len(changes.with_vector):
            vectors[changes.with_vector] = changes.vectors
    norms = np.sqrt(np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64))
    vectors /= np.where(norms > 0, norms, 1.0).astype(np.float32)[:, None]
    return vectors, has_vector


def _positions(nums: NDArray[np.int64], wanted: NDArray[np.int64], *, drop: bool = False) -> NDArray[np.int64]:
    """Return where each wanted store number stands in ``nums``."""
    size = int(max(nums.max(initial=-1), wanted.max(initial=-1))) + 1
    place = np.full(size, -1, np.int64)
    place[nums] = np.arange(len(nums))
    found = place[wanted]
    return found[found >= 0] if drop else found
