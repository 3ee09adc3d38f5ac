"""Communities of the undirected simple graph, over nodes that have an edge.

``greedy_modularity`` is that of networkx (Clauset, Newman & Moore 2004), with nodes labelled by their ids as the
published method has it. ``label_propagation`` (Raghavan, Albert & Kumara 2007) serves larger graphs: vectorised,
synchronous on alternating halves, deterministic.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fourfold import ordered
from fourfold.index.modularity import merged
from fourfold.ragged import bounds, firsts, spans

NONE = -1
"""The community of a node without edges."""

_ROUNDS = 20


def greedy_modularity(pairs: NDArray[np.int64], ids: Sequence[str]) -> NDArray[np.int32]:
    """Return the number of each node's community, (n_nodes,) int32; -1 without edges. Of the largest it is 0.

    ``pairs`` (n_pairs, 2) are distinct (source, target) places in ``ids``.
    """
    labels = np.full(len(ids), NONE, np.int32)
    members = ordered.distinct(pairs.ravel())
    if not len(members):
        return labels
    members = members[sorted(range(len(members)), key=[ids[node] for node in members.tolist()].__getitem__)]
    rank = np.empty(len(ids), np.int64)
    rank[members] = np.arange(len(members))
    first, second = np.sort(rank[pairs], axis=1).T
    loops = np.bincount(first[first == second], minlength=len(members))
    first, second = ordered.distinct_pairs(*(ends[first != second] for ends in (first, second)))
    found = merged(first, second, loops)
    sizes = np.bincount(found, minlength=len(members))
    by_size = np.argsort(-sizes, kind="stable")
    number = np.empty(len(members), np.int32)
    number[by_size] = np.arange(len(members))
    labels[members] = number[found]
    return labels


def label_propagation(pairs: NDArray[np.int64], n_nodes: int) -> NDArray[np.int32]:
    """Return the number of each node's community, (n_nodes,) int32; -1 without an edge to another node.

    A vote can change only where the label of a neighbour did, so after the first round only such nodes are asked again.

    Args:
        pairs: distinct (source, target) pairs of nodes, (n_pairs, 2).
        n_nodes: how many nodes there are, numbered in the order of their ids: ties go to the smallest, so the outcome
            depends on the graph alone, not on the order in which it was built.

    """
    sources, targets = pairs[pairs[:, 0] != pairs[:, 1]].T
    labels = np.full(n_nodes, NONE, np.int32)
    if not len(sources):
        return labels
    voters, neighbours = ordered.distinct_pairs(np.concatenate((sources, targets)), np.concatenate((targets, sources)))
    degrees = np.bincount(voters, minlength=n_nodes)
    members = degrees.nonzero()[0]
    found = _propagate(degrees, neighbours)
    labels[members] = ordered.numbered(found[members])[1]
    return labels


def _propagate(degrees: NDArray[np.int64], neighbours: NDArray[np.int64]) -> NDArray[np.int64]:
    """Give every node the commonest label around it, even and odd nodes in turn, until nothing moves.

    The neighbours of node i are the ``degrees[i]`` next of ``neighbours``.
    """
    starts = bounds(degrees)
    labels = np.arange(len(degrees))
    waiting = degrees > 0  # a neighbour's label has changed since they voted
    for _ in range(_ROUNDS):
        for parity in (0, 1):
            voters = 2 * waiting[parity::2].nonzero()[0] + parity
            waiting[voters] = False
            elected = _elected(voters, labels, degrees[voters], neighbours[spans(starts[voters], degrees[voters])])
            moved = elected != labels[voters]
            movers = voters[moved]
            labels[movers] = elected[moved]
            waiting[neighbours[spans(starts[movers], degrees[movers])]] = True
        if not waiting.any():
            break
    return labels


def _elected(
    voters: NDArray[np.int64], labels: NDArray[np.int64], degrees: NDArray[np.int64], around: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the commonest label around each voter; its own wins a tie, so that nothing swings for ever."""
    if not len(voters):
        return voters
    n = len(labels)
    votes = np.arange(len(voters)).repeat(degrees) * n + labels[around]
    votes.sort()
    first = firsts(votes).nonzero()[0]
    voter, candidate = np.divmod(votes[first], n)
    strength = 2 * np.diff(first, append=len(votes)) + (candidate == labels[voters][voter])
    begins = firsts(voter).nonzero()[0]
    strongest = np.maximum.reduceat(strength * n + (n - 1 - candidate), begins)  # of equals the smallest label
    return n - 1 - strongest % n
