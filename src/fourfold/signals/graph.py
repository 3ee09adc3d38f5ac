"""γ: proximity to the seeds along typed edges.

A seed gives ``weight(seed) · w(type) · factor(direction)`` to each neighbour; what arrives may go one hop further.
Nodes outside the mask are neither reached nor passed through.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fourfold.index import Adjacency
from fourfold.signals.scaling import by_maximum
from fourfold.types import FloatArray

_SECOND_HOP_FROM = 20
_SECOND_HOP_GAIN = 0.5 * 0.3


@dataclass(frozen=True, slots=True)
class Spread:
    """How a score spreads along edges.

    Args:
        type_weights: (n_types,) weight of each edge type by number.
        forward: factor along the arrow.
        backward: factor against it; or one factor for each edge type, (n_types,).
        use_edge_weights: multiply by the weight of the edge.
        degree_exponent: a step from a node counts ``degree ** -exponent``.
        hub_cap: a node gives to at most that many edges of each direction.

    """

    type_weights: FloatArray
    forward: float
    backward: float | FloatArray
    use_edge_weights: bool = True
    degree_exponent: float = 0.0
    hub_cap: int | None = None

    def __call__(
        self, adjacency: Adjacency, nodes: NDArray[np.int64], values: FloatArray, mask: NDArray[np.bool_] | None
    ) -> FloatArray:
        """Return what the neighbours receive, (n_nodes,) float64, when each of ``nodes`` gives its value."""
        targets, gains = [], []
        if self.degree_exponent:
            values = values * np.maximum(adjacency.degree[nodes], 1) ** -self.degree_exponent
        for links, factor in ((adjacency.out, self.forward), (adjacency.into, self.backward)):
            if not np.any(factor):
                continue
            steps = links.expand(nodes, self.hub_cap)
            by_type = self.type_weights * factor
            gain = values[steps.origin] * by_type[steps.types]
            if self.use_edge_weights:
                gain = gain * steps.weights
            targets.append(steps.targets)
            gains.append(gain if mask is None else gain * mask[steps.targets])
        if not targets:
            return np.zeros(adjacency.n_nodes)
        received = np.bincount(np.concatenate(targets), np.concatenate(gains), adjacency.n_nodes)
        return received.astype(np.float64, copy=False)


def score(
    adjacency: Adjacency,
    seeds: NDArray[np.int64],
    seed_weights: FloatArray,
    spread: Spread,
    mask: NDArray[np.bool_] | None = None,
    *,
    second_hop: float = 0.0,
) -> FloatArray:
    """Return the proximity of every node to the seeds, (n_nodes,) float64, not yet scaled.

    Args:
        adjacency: the edges.
        seeds: positions of the seeds.
        seed_weights: (len(seeds),) what each seed gives.
        spread: how it spreads.
        mask: nodes that may be reached.
        second_hop: share of the first hop's scores that goes one hop further.

    """
    proximity = spread(adjacency, seeds, seed_weights, mask)
    if second_hop:
        reached = np.nonzero(proximity > 0)[0]
        proximity = proximity + spread(adjacency, reached, second_hop * proximity[reached], mask)
    return proximity


def published_second_hop(
    adjacency: Adjacency,
    proximity: FloatArray,
    seeds: NDArray[np.int64],
    from_nodes: NDArray[np.int64],
    mask: NDArray[np.bool_] | None,
) -> FloatArray:
    """Return the proximity with 0.15 more for each arrow from ``from_nodes`` to a node that is no seed."""
    steps = adjacency.out.expand(from_nodes)
    gain = np.bincount(steps.targets, minlength=adjacency.n_nodes) * _SECOND_HOP_GAIN
    gain[seeds] = 0.0
    if mask is not None:
        gain *= mask
    return proximity + gain


def with_pagerank(
    proximity: FloatArray, pagerank: FloatArray, share: float, mask: NDArray[np.bool_] | None
) -> FloatArray:
    """Return ``(1 − share) · proximity + share · PageRank / max PageRank`` over the masked-in nodes."""
    blended = (1.0 - share) * proximity + share * by_maximum(pagerank)
    return blended if mask is None else np.where(mask, blended, 0.0)
