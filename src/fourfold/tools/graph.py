"""The tool graph of one generation: neighbours, dependencies and order as sparse matrices over the tools' places."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from fourfold.index.base import EdgePart, Nodes, NodeValues
from fourfold.index.snapshot import Snapshot
from fourfold.ordered import distinct, places
from fourfold.ragged import firsts, spans
from fourfold.signals.scaling import by_maximum
from fourfold.tools.config import Meaning, ToolConfig
from fourfold.tools.learning import CO_USED
from fourfold.tools.meaning import edge_meaning
from fourfold.types import FloatArray

_EXACT_BETWEENNESS = 500
_SAMPLES, _FEWEST_SAMPLES = 64, 8
_SAMPLED_LINKS = 500_000
_BATCH = 16
_LONGEST_PATH = 64


@dataclass(frozen=True, slots=True)
class Prerequisite:
    """Why a tool came in: ``parent`` needs it (or shares a cycle with it), ``depth`` steps away from a goal."""

    position: int
    parent: int
    depth: int
    optional: bool


@dataclass(frozen=True)
class ToolGraph:
    """All edges between tools. Matrices are (n_tools, n_tools) CSR; a row's columns are what the row needs, and so on.

    ``neighbours`` holds 1.0 for distinct undirected neighbours (conflicts are none), ``needs``, ``may_need`` and
    ``after`` the largest edge weight (``after``: the columns come before the row), ``together`` the share of the row's
    uses in which the column was used, too.
    """

    edge_count: int
    neighbours: sparse.csr_matrix
    needs: sparse.csr_matrix
    may_need: sparse.csr_matrix
    after: sparse.csr_matrix
    together: sparse.csr_matrix

    @property
    def orders(self) -> bool:
        """Whether any edge says who needs whom or who comes first."""
        return bool(self.needs.nnz or self.may_need.nnz or self.after.nnz)

    @cached_property
    def degree(self) -> NDArray[np.int64]:
        """(n_tools,) number of distinct neighbours."""
        return np.asarray(np.diff(self.neighbours.indptr), np.int64)

    @cached_property
    def cycles(self) -> NDArray[np.int32]:
        """(n_tools,) number of the strongly connected component of each node along dependencies."""
        _, labels = connected_components(self.needs + self.may_need, directed=True, connection="strong")
        return np.asarray(labels, np.int32)

    @cached_property
    def _members(self) -> Mapping[int, list[int]]:
        """The positions of every dependency cycle, by component number."""
        labels, counts = np.unique(self.cycles, return_counts=True)
        repeated = np.isin(self.cycles, labels[counts > 1])
        members: dict[int, list[int]] = {}
        for position in np.nonzero(repeated)[0].tolist():
            members.setdefault(int(self.cycles[position]), []).append(position)
        return members

    def cycle_of(self, position: int) -> Sequence[int]:
        """Return the tools of the dependency cycle a tool is in, itself included; without one, itself alone."""
        return self._members.get(int(self.cycles[position]), [position])

    def adamic_adar(self, positions: Sequence[int]) -> NDArray[np.float64]:
        """Return Σ over common neighbours of 1 / ln(degree), (len(positions), n_tools); 0 for a node with itself.

        Source: Adamic & Adar, "Friends and neighbors on the Web" (2003), on distinct undirected neighbours.
        """
        rows = self.neighbours[list(positions)]
        worth = np.zeros(len(self.degree))
        shared = self.degree > 1
        worth[shared] = 1.0 / np.log(self.degree[shared])
        found: NDArray[np.float64] = (rows.multiply(worth).tocsr() @ self.neighbours).toarray()
        found[np.arange(len(positions)), list(positions)] = 0.0
        return found

    def prerequisites(self, goals: Iterable[int], config: ToolConfig) -> dict[int, Prerequisite]:
        """Return what the goals need, directly and by way of others, nearest first; the goals are not among it.

        A dependency that is only possible (``may_need``) is followed from the goals themselves, not from what was
        brought in for them. The tools of one cycle need each other, so a small cycle comes in whole; a larger one is
        followed edge by edge, never twice through the same tool.
        """
        start = list(dict.fromkeys(goals))
        found: dict[int, Prerequisite] = {}
        known = set(start)
        queue = deque((position, 0) for position in start)

        def enter(position: int, parent: int, depth: int, optional: bool) -> None:
            if position not in known and len(found) < config.max_prerequisites:
                known.add(position)
                found[position] = Prerequisite(position, parent, depth, optional)
                queue.append((position, depth))

        while queue:
            position, depth = queue.popleft()
            cycle = self.cycle_of(position)
            if len(cycle) <= config.max_cycle:
                for member in cycle:
                    enter(member, position, depth + 1, False)
            for matrix in (self.needs, self.may_need) if depth == 0 else (self.needs,):
                for needed, weight in row(matrix, position):
                    if weight >= config.min_dependency_weight:
                        enter(needed, position, depth + 1, matrix is self.may_need)
        return found


def build_graph(edges: EdgePart, nodes: Nodes, config: ToolConfig) -> ToolGraph:
    """Read the edges between tools of one generation.

    ``nodes`` are the tools, ascending.
    """
    n = len(nodes)
    steps = edges.expand(nodes, forward=True)
    place, inside = places(nodes, steps.targets)
    edge_count = int(inside.sum())
    inside &= steps.origin != place
    sources, targets = steps.origin[inside], place[inside]
    types, weights = steps.types[inside], steps.weights[inside].astype(np.float64)
    meanings = [config.edge_meanings.get(name) or edge_meaning(name) for name in edges.type_names]
    for number in np.bincount(types).nonzero()[0].tolist():
        chosen = types == number
        if meanings[number] in ("needs", "may_need", "needed_by") and chosen.sum() >= config.symmetric_from:
            pairs = _matrix(sources[chosen], targets[chosen], np.ones(int(chosen.sum())), n)
            if 2 * pairs.multiply(pairs.T).nnz > pairs.nnz:
                meanings[number] = "link"

    def along(wanted: Meaning, opposite: Meaning | None = None) -> sparse.csr_matrix:
        forward = _of(types, meanings, wanted)
        backward = _of(types, meanings, opposite) if opposite else np.zeros(len(types), bool)
        return _matrix(
            np.concatenate((sources[forward], targets[backward])),
            np.concatenate((targets[forward], sources[backward])),
            np.concatenate((weights[forward], weights[backward])),
            n,
        )

    tied = ~_of(types, meanings, "apart")
    ends = sources[tied], targets[tied]
    undirected = _matrix(np.concatenate(ends), np.concatenate(ends[::-1]), np.ones(2 * len(ends[0])), n)
    used = np.array([name == CO_USED for name in edges.type_names], bool)[types]
    return ToolGraph(
        edge_count=edge_count,
        neighbours=undirected,
        needs=along("needs", "needed_by"),
        may_need=along("may_need"),
        after=along("after", "before"),
        together=_matrix(sources[used], targets[used], weights[used], n),
    )


@dataclass(frozen=True)
class Importance:
    """Query-independent facts, (n_tools,) each: PageRank and betweenness divided by their maxima, and communities."""

    nums: Nodes
    pagerank: FloatArray
    betweenness: FloatArray
    communities: NDArray[np.int32]

    def carried_to(self, nums: Nodes) -> Importance:
        """Return the same facts for another generation's nodes; new nodes have none."""
        if nums is self.nums:
            return self
        place, known = places(self.nums, nums)
        communities = np.full(len(nums), -1, np.int32)
        communities[known] = self.communities[place[known]]
        ranks, between = (NodeValues(self.nums, values).at(nums) for values in (self.pagerank, self.betweenness))
        return Importance(nums, ranks, between, communities)


def measure(snapshot: Snapshot, nodes: Nodes, graph: ToolGraph) -> Importance:
    """Compute the importance of every tool: PageRank and communities in the whole graph, betweenness among tools."""
    ranks = snapshot.pagerank()
    return Importance(
        nums=nodes,
        pagerank=ranks.at(nodes) / (ranks.values.max(initial=0.0) or 1.0),
        betweenness=np.asarray(by_maximum(betweenness(graph.neighbours)), np.float64),
        communities=snapshot.communities(exact=False).of(nodes),
    )


def betweenness(neighbours: sparse.csr_matrix) -> NDArray[np.float64]:
    """Return the betweenness of every node, (n,), each unordered pair counted twice; sampled on large graphs.

    Brandes (2001), for a batch of sources at once: paths are counted level by level, and what depends on a node is
    summed on the way back. Graphs of more than 500 connected nodes are sampled from 64 sources spread evenly (Brandes &
    Pich 2007), of more than half a million links from fewer, 8 at least; paths longer than 64 steps are left out.
    """
    n, links = neighbours.shape[0], max(neighbours.nnz, 1)
    total = np.zeros(n)
    sources = np.nonzero(np.diff(neighbours.indptr))[0]
    if len(sources) > _EXACT_BETWEENNESS:
        samples = min(max(_SAMPLES * _SAMPLED_LINKS // links, _FEWEST_SAMPLES), _SAMPLES)
        sources = sources[np.linspace(0, len(sources) - 1, samples).astype(np.int64)]
    at_once = min(max(_SAMPLED_LINKS // links, 1), _BATCH)
    for start in range(0, len(sources), at_once):
        batch = sources[start : start + at_once]
        total += _depending(neighbours, batch).sum(axis=0)
    return total


def _depending(neighbours: sparse.csr_matrix, sources: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return what the shortest paths from each source depend on each node, (n_sources, n)."""
    n = neighbours.shape[0]
    begun = np.arange(len(sources)) * n + sources  # a source and a node are one number
    paths = np.zeros(len(sources) * n)
    paths[begun] = 1.0
    level, steps = begun, list[tuple[NDArray[np.int64], NDArray[np.int64]]]()
    while len(level) and len(steps) < _LONGEST_PATH:
        starts, ends = neighbours.indptr[level % n].astype(np.int64), neighbours.indptr[level % n + 1]
        nearer = level.repeat(ends - starts)
        farther = neighbours.indices[spans(starts, ends - starts)] + nearer // n * n
        fresh = paths[farther] == 0
        nearer, farther = nearer[fresh], farther[fresh]
        np.add.at(paths, farther, paths[nearer])
        level = distinct(farther)
        steps.append((nearer, farther))
    depending = np.zeros(len(paths))
    for nearer, farther in reversed(steps):
        np.add.at(depending, nearer, (1.0 + depending[farther]) * (paths[nearer] / paths[farther]))
    depending[begun] = 0.0
    return depending.reshape(len(sources), n)


def _of(types: NDArray[np.int32], meanings: Sequence[str], wanted: str) -> NDArray[np.bool_]:
    table = np.array([meaning == wanted for meaning in meanings], bool)
    return table[types] if len(table) else np.zeros(len(types), bool)


def _matrix(
    rows: NDArray[np.int64], columns: NDArray[np.int64], values: NDArray[np.float64], n: int
) -> sparse.csr_matrix:
    """Return a CSR matrix of the distinct pairs; of parallel edges the heaviest counts."""
    matrix = sparse.coo_matrix((values, (rows, columns)), shape=(n, n)).tocsr()  # of parallel edges the sum
    if matrix.nnz < len(values):
        if (values == values[0]).all():
            matrix.data[:] = values[0]
        else:
            keys = rows * n + columns
            order = np.lexsort((-values, keys))
            matrix.data = values[order][firsts(keys[order])]
    return matrix


def row(matrix: sparse.csr_matrix, position: int) -> Iterable[tuple[int, float]]:
    """Return (column, value) of every entry in a row."""
    span = slice(matrix.indptr[position], matrix.indptr[position + 1])
    return zip(matrix.indices[span].tolist(), matrix.data[span].tolist(), strict=True)
