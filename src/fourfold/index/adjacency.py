"""Typed edges as arrays: who leads where, along which type, in both directions.

One query touches the edges of a few nodes only; ``expand`` gathers them without a loop.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fourfold.edge_types import UNTYPED
from fourfold.types import FloatArray


@dataclass(frozen=True, slots=True)
class Steps:
    """Single steps along edges: from node, to node, edge type, edge weight; ``forward`` is along the arrow.

    ``origin`` is the position of the from-node in the array that was expanded.
    """

    origin: NDArray[np.int64]
    targets: NDArray[np.int32]
    types: NDArray[np.int32]
    weights: NDArray[np.float32]
    forward: bool


@dataclass(frozen=True)
class Links:
    """Edges grouped by one end: those of node i are ``starts[i]:starts[i+1]``."""

    starts: NDArray[np.int64]
    others: NDArray[np.int32]
    types: NDArray[np.int32]
    weights: NDArray[np.float32]
    forward: bool

    def expand(self, nodes: NDArray[np.int64], cap: int | None = None) -> Steps:
        """Return every step from these nodes; at most the ``cap`` first edges of each, if given."""
        begin = self.starts[nodes]
        count = self.starts[nodes + 1] - begin
        if cap is not None:
            count = np.minimum(count, cap)
        total = int(count.sum())
        origin = np.repeat(np.arange(len(nodes)), count)
        before = np.cumsum(count) - count
        edges = np.arange(total) - before[origin] + begin[origin]
        return Steps(origin, self.others[edges], self.types[edges], self.weights[edges], self.forward)


@dataclass(frozen=True)
class Adjacency:
    """All edges of one generation, as positions in the index.

    ``sources``, ``targets`` (int32), ``types`` (int32, numbers into ``type_names``) and ``weights`` (float32) are
    parallel arrays of length n_edges.
    """

    n_nodes: int
    sources: NDArray[np.int32]
    targets: NDArray[np.int32]
    types: NDArray[np.int32]
    weights: NDArray[np.float32]
    type_names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.sources)

    @cached_property
    def out(self) -> Links:
        """Edges by source."""
        return self._grouped(self.sources, self.targets, forward=True)

    @cached_property
    def into(self) -> Links:
        """Edges by target."""
        return self._grouped(self.targets, self.sources, forward=False)

    @cached_property
    def degree(self) -> NDArray[np.int64]:
        """(n_nodes,) number of edges at each node, both directions."""
        return np.diff(self.out.starts) + np.diff(self.into.starts)

    @cached_property
    def types_in_use(self) -> frozenset[int]:
        """The numbers of the edge types that have an edge."""
        return frozenset(np.unique(self.types).tolist())

    @property
    def has_types(self) -> bool:
        """Whether any edge has a type: without, there are no intent edges."""
        return any(self.type_names[number] != UNTYPED for number in self.types_in_use)

    def neighbours(self, node: int) -> NDArray[np.int64]:
        """Return the distinct neighbours of a node in either direction, ascending."""
        here = np.array([node])
        return np.unique(np.concatenate((self.out.expand(here).targets, self.into.expand(here).targets)))

    def simple(self) -> NDArray[np.int64]:
        """Return the distinct (source, target) pairs, shape (n_pairs, 2), sorted."""
        pairs = np.unique(self.sources.astype(np.int64) * self.n_nodes + self.targets)
        return np.stack((pairs // max(self.n_nodes, 1), pairs % max(self.n_nodes, 1)), axis=1)

    def by_type(self, weight_of: dict[str, float], default: float) -> FloatArray:
        """Return the weight of each edge type by its number, float64 (n_types,)."""
        return np.array([weight_of.get(name, default) for name in self.type_names], np.float64)

    def _grouped(self, ends: NDArray[np.int32], others: NDArray[np.int32], *, forward: bool) -> Links:
        order = np.argsort(ends, kind="stable")
        starts = np.searchsorted(ends[order], np.arange(self.n_nodes + 1))
        return Links(starts, others[order], self.types[order], self.weights[order], forward)
