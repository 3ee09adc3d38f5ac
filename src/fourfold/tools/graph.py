"""The tool graph of one generation: neighbours, dependencies and order as sparse matrices over the tools' places."""

from __future__ import annotations

import base64
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from fourfold.index.base import EdgePart, Nodes
from fourfold.index.snapshot import Snapshot
from fourfold.ordered import places
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
_AT_ONCE = 1 << 16
"""Links looked at together, so that what a step needs stays in the processor's cache."""

_NOTE, _NOTED_LINKS = "betweenness", 100_000
"""From so many links on betweenness is noted beside the file: the next process need not measure it."""


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
    def _in_cycles(self) -> Mapping[int, Sequence[int]]:
        """The positions of every dependency cycle, by each of them."""
        labels, counts = np.unique(self.cycles, return_counts=True)
        repeated = np.isin(self.cycles, labels[counts > 1])
        members: dict[int, list[int]] = {}
        for position in np.nonzero(repeated)[0].tolist():
            members.setdefault(int(self.cycles[position]), []).append(position)
        return {position: cycle for cycle in members.values() for position in cycle}

    def cycle_of(self, position: int) -> Sequence[int]:
        """Return the tools of the dependency cycle a tool is in, itself included; without one, itself alone."""
        return self._in_cycles.get(position, [position])

    @cached_property
    def links(self) -> str:
        """What tells all neighbours from any others; how many tools without any come after the last is left open."""
        indptr, indices = self.neighbours.indptr, self.neighbours.indices
        digest = blake2b(indptr[: indptr.searchsorted(len(indices)) + 1].astype(np.int64), digest_size=16)
        digest.update(indices.astype(np.int64))
        return digest.hexdigest()

    def widened(self, more: int) -> ToolGraph:
        """Return the same graph with so many more tools after all others, that nothing is tied to."""
        n = len(self.degree) + more
        wider = {
            name: sparse.csr_matrix((own.data, own.indices, np.pad(own.indptr, (0, more), "edge")), shape=(n, n))
            for name, own in vars(self).items()
            if isinstance(own, sparse.csr_matrix)
        }
        graph = replace(self, **wider)
        vars(graph).update({name: own for name, own in vars(self).items() if name in ("links", "_in_cycles")})
        return graph

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
    """Query-independent facts, (n_tools,) each: PageRank and betweenness divided by their maxima, and communities.

    ``links`` are those of the graph that betweenness was measured in.
    """

    nums: Nodes
    pagerank: FloatArray
    betweenness: FloatArray
    communities: NDArray[np.int32]
    links: str

    def carried_to(self, nums: Nodes) -> Importance:
        """Return the same facts for another generation's nodes; new nodes have none."""
        if nums is self.nums:
            return self
        place, known = places(self.nums, nums)

        def carried(values: NDArray[Any], none: float) -> NDArray[Any]:
            found = np.full(len(nums), none, values.dtype)
            found[known] = values[place[known]]
            return found

        ranks, between = carried(self.pagerank, 0.0), carried(self.betweenness, 0.0)
        return Importance(nums, ranks, between, carried(self.communities, -1), self.links)


def measure(snapshot: Snapshot, nodes: Nodes, graph: ToolGraph, before: Importance | None = None) -> Importance:
    """Compute the importance of every tool: PageRank and communities in the whole graph, betweenness among tools.

    Betweenness takes longest by far: where no link is another, that ``before`` serves on, or of many links that which
    another process has noted.
    """
    ranks = snapshot.pagerank()
    known = before.betweenness if before is not None and before.links == graph.links else _noted(snapshot, graph)
    if known is None:
        known = np.asarray(by_maximum(betweenness(graph.neighbours)), np.float64)
        if snapshot.notes is not None and graph.neighbours.nnz >= _NOTED_LINKS:
            packed = base64.b64encode(known.astype("<f8").tobytes()).decode()
            snapshot.notes.put_note(_NOTE, {"links": graph.links, "betweenness": packed})
    between = np.zeros(len(nodes))
    between[: len(known)] = known[: len(nodes)]
    return Importance(
        nums=nodes,
        pagerank=ranks.at(nodes) / (ranks.values.max(initial=0.0) or 1.0),
        betweenness=between,
        communities=snapshot.communities(exact=False).of(nodes),
        links=graph.links,
    )


def _noted(snapshot: Snapshot, graph: ToolGraph) -> FloatArray | None:
    """Return the betweenness that was noted of these very links; None where there is none."""
    if snapshot.notes is None or graph.neighbours.nnz < _NOTED_LINKS:
        return None
    note = snapshot.notes.note(_NOTE)
    if note is None or note.get("links") != graph.links:
        return None
    return np.frombuffer(base64.b64decode(note["betweenness"]), "<f8")


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
    depth = np.full(len(paths), _LONGEST_PATH + 1, np.uint8)
    depth[begun] = 0
    level, steps = begun, list[tuple[NDArray[np.int64], NDArray[np.int64]]]()
    for reached in range(1, _LONGEST_PATH + 1):
        place = level % n
        starts = neighbours.indptr[place].astype(np.int64)
        counts = neighbours.indptr[place + 1] - starts
        for part in _stretches(counts):
            nearer = level[part].repeat(counts[part])
            farther = neighbours.indices.take(spans(starts[part], counts[part]))
            if len(sources) > 1:
                farther = farther + (level[part] - place[part]).repeat(counts[part])
            fresh = (depth.take(farther) >= reached).nonzero()[0]
            nearer, farther = nearer.take(fresh), farther.take(fresh)
            depth[farther] = reached
            np.add.at(paths, farther, paths.take(nearer))
            steps.append((nearer, farther))
        level = (depth == reached).nonzero()[0]
        if not len(level):
            break
    depending = np.zeros(len(paths))
    for nearer, farther in reversed(steps):
        np.add.at(depending, nearer, (1.0 + depending.take(farther)) * (paths.take(nearer) / paths.take(farther)))
    depending[begun] = 0.0
    return depending.reshape(len(sources), n)


def _stretches(counts: NDArray[np.int64]) -> Iterable[slice]:
    """Return nodes of so many links each, cut where their links are about ``_AT_ONCE``."""
    ends = counts.cumsum()
    cuts = [0, *ends.searchsorted(np.arange(_AT_ONCE, ends[-1], _AT_ONCE)).tolist(), len(counts)]
    return (slice(begin, end) for begin, end in pairwise(cuts) if begin < end)


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
