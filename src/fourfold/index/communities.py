"""Communities of the undirected simple graph, over nodes that have an edge.

``greedy_modularity`` is networkx's (Clauset, Newman & Moore 2004), with nodes labelled by their ids as the published
method has it. ``label_propagation`` (Raghavan, Albert & Kumara 2007) serves larger graphs: vectorised, synchronous on
alternating halves, deterministic.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fourfold.when_needed import load

NONE = -1
"""The community of a node without edges."""

_ROUNDS = 20


def greedy_modularity(pairs: NDArray[np.int64], ids: Sequence[str]) -> NDArray[np.int32]:
    """Return the number of each node's community, (n_nodes,) int32; -1 without edges. Slow beyond 2,000 nodes.

    Args:
        pairs: the distinct (source, target) pairs of places in ``ids``, (n_pairs, 2), sorted.
        ids: of all nodes.

    """
    nx = load(
        "networkx",
        "Finding communities by greedy modularity",
        instead=", or leave them to label propagation: diversity.exact_communities=False",
    )
    graph = nx.Graph()
    graph.add_nodes_from(sorted(ids[node] for node in np.unique(pairs)))
    graph.add_edges_from((ids[source], ids[target]) for source, target in pairs)
    labels = np.full(len(ids), NONE, np.int32)
    if graph.number_of_edges() == 0:
        return labels
    number_of = {
        node: number
        for number, community in enumerate(nx.community.greedy_modularity_communities(graph))
        for node in community
    }
    for position, node in enumerate(ids):
        labels[position] = number_of.get(node, NONE)
    return labels


def label_propagation(pairs: NDArray[np.int64], ids: Sequence[str]) -> NDArray[np.int32]:
    """Return the number of each node's community, (n_nodes,) int32; -1 without edges.

    The outcome depends on the graph alone, not on the order in which it was built: ties go to the label of the
    smallest id.
    """
    labels = np.full(len(ids), NONE, np.int32)
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    if not len(pairs):
        return labels
    members = np.unique(pairs)
    by_id = np.array(sorted(range(len(members)), key=lambda place: ids[int(members[place])]))
    rank = np.empty(len(members), np.int64)
    rank[by_id] = np.arange(len(members))
    ends = rank[np.searchsorted(members, pairs)]
    both = np.unique(np.concatenate((ends, ends[:, ::-1])), axis=0)
    found = _propagate(both[:, 0], both[:, 1], len(members))
    labels[members[by_id]] = np.unique(found, return_inverse=True)[1]
    return labels


def _propagate(nodes: NDArray[np.int64], neighbours: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    """Give every node the commonest label around it, even and odd nodes in turn, until nothing moves."""
    labels = np.arange(n)
    for _ in range(_ROUNDS):
        moved = False
        for parity in (0, 1):
            half = nodes % 2 == parity
            votes, counts = np.unique(nodes[half] * n + labels[neighbours[half]], return_counts=True)
            voter, candidate = votes // n, votes % n
            # a vote for the label a node already has breaks ties, so that nothing swings for ever
            strength = 2 * counts + (candidate == labels[voter])
            order = np.lexsort((candidate, -strength, voter))
            first = order[np.concatenate(([True], voter[order][1:] != voter[order][:-1]))] if len(order) else order
            moved |= bool((labels[voter[first]] != candidate[first]).any())
            labels[voter[first]] = candidate[first]
        if not moved:
            break
    return labels
