"""Greedy modularity (Clauset, Newman & Moore 2004) over arrays: the merges of networkx, in its order, to the last bit.

There is one gain for each pair of communities with an edge between them, so merging only ever makes fewer of them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fourfold import ordered
from fourfold.ragged import bounds

_BLOCK = 512
"""The largest gain is sought among the largest of so many each."""

_GONE = -np.inf


def merged(first: NDArray[np.int64], second: NDArray[np.int64], loops: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the community of each node, (n,), as one of the nodes in it.

    Args:
        first: one end of each edge, (n_edges,); no edge is there twice, in whichever direction.
        second: the other end, another node.
        loops: (n,) how many edges lead from each node to itself.

    """
    n, ends = len(loops), np.concatenate((first, second))
    degree = np.bincount(ends, minlength=n)
    one = 1 / (len(first) + int(loops.sum()))
    share = (degree + 2 * loops) * one * 0.5
    gains = _Gains(one - 2 * (share[first] * share[second]), first, second, n)
    edges = np.split(ends.argsort(kind="stable") % max(len(first), 1), bounds(degree)[1:-1])
    into = np.arange(n)
    place = np.full(n, -1)
    while (best := gains.best()) is not None:
        edge, gone, kept = best  # networkx merges the smaller into the larger
        gains.value[edge] = _GONE
        theirs, own = gains.live(edges[gone]), gains.live(edges[kept])
        from_theirs, from_own = gains.ends[theirs] - gone, gains.ends[own] - kept
        place[from_own] = np.arange(len(own))
        twin = place[from_theirs]
        place[from_own] = -1
        both, alone = twin >= 0, np.ones(len(own), bool)
        alone[twin[both]] = False
        gains.value[own[twin[both]]] += gains.value[theirs[both]]
        gains.value[own[alone]] -= 2 * (share[gone] * share[from_own[alone]])
        moved = theirs[~both]
        gains.value[moved] -= 2 * (share[kept] * share[from_theirs[~both]])
        gains.value[theirs[both]] = _GONE
        gains.ends[moved] += kept - gone
        gains.first[moved] = np.minimum(from_theirs[~both], kept)
        gains.changed(np.concatenate((own, theirs, [edge])))
        share[kept] += share[gone]
        edges[kept], edges[gone] = np.concatenate((own, moved)), own[:0]
        into[gone] = kept
    while not np.array_equal(further := into[into], into):
        into = further
    return into


class _Gains:
    """What the modularity gains by each merge; an edge has its place however its communities are called.

    ``value`` (n_edges,), of edges that are gone below all others; ``ends`` the sum of the two communities, of which
    ``first`` is the smaller.
    """

    def __init__(
        self, value: NDArray[np.float64], first: NDArray[np.int64], second: NDArray[np.int64], n_nodes: int
    ) -> None:
        room = -(-max(len(value), 1) // _BLOCK) * _BLOCK
        self.value = np.full(room, _GONE)
        self.value[: len(value)] = value
        self.ends = first + second
        self.first = np.minimum(first, second)
        self._n_nodes = n_nodes
        self._blocks = self.value.reshape(-1, _BLOCK)
        self._largest = self._blocks.max(axis=1)

    def best(self) -> tuple[int, int, int] | None:
        """Return the edge of the largest gain and its communities, the smaller first; None where all would lose.

        Of equal gains the one of the smallest communities counts.
        """
        most = self._largest.max()
        if most < 0:
            return None
        blocks = (self._largest == most).nonzero()[0]
        block, within = (self._blocks[blocks] == most).nonzero()
        edges = blocks[block] * _BLOCK + within
        if len(edges) > 1:
            first = self.first[edges]
            edges = edges[first == first.min()]
            edges = edges[self.ends[edges].argmin()][None]
        edge = int(edges[0])
        first = int(self.first[edge])
        return edge, first, int(self.ends[edge]) - first

    def live(self, edges: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return those of some edges that are there."""
        return edges[self.value[edges] > _GONE]

    def changed(self, edges: NDArray[np.int64]) -> None:
        """Look at the gains of some edges anew."""
        if len(edges) > len(self._largest):
            self._largest = self._blocks.max(axis=1)
        else:
            blocks = ordered.distinct(edges // _BLOCK)
            self._largest[blocks] = self._blocks[blocks].max(axis=1)
