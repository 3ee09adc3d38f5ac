"""Whether a node has anything to say that its edges do not.

In a graph of facts the text of a node lists its edges, or there is none: such a node is no answer to a question that
names it, what its edges lead to may be. A document says more than its links, and may answer.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fourfold import ordered
from fourfold.index.base import EdgePart, Nodes, TokenPart


def told_by_edges(edges: EdgePart, tokens: TokenPart, nodes: Nodes, known: NDArray[np.integer], *, most: int) -> float:
    """Return the share of the nodes' wordpieces that stand in ``known`` or in their neighbours, in [0, 1].

    Args:
        edges: the graph.
        tokens: the wordpieces of its nodes.
        nodes: distinct and ascending.
        known: wordpieces that are told anyway: those of the question and of the edge types' labels.
        most: edges of each direction and node that are looked at.

    """
    own = tokens.of(nodes)[1]
    if not len(own):
        return 1.0
    near = edges.expand(nodes, weights="none", cap=most)
    beside = tokens.of(ordered.distinct(near.targets.astype(np.int64)))[1]
    return float(ordered.contains(np.sort(np.concatenate((known, beside))), own.astype(np.int64)).mean())
