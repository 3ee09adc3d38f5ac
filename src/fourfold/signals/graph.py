"""γ: proximity to the seeds along typed edges.

A seed gives ``weight(seed) · w(type) · factor(direction)`` to each neighbour; what arrives may go one hop further.
What reaches a document that was cut is handed on to its parts: it is no answer, they are. Nodes that a filter leaves
out are neither reached nor passed through.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fourfold import ordered
from fourfold.edge_types import PART_OF
from fourfold.index.base import NO_NODES, NO_VALUES, Allowed, EdgePart, Nodes, NodeValues, only, worth_of
from fourfold.types import FloatArray

_SECOND_HOP_GAIN = 0.5 * 0.3


@dataclass(frozen=True, slots=True)
class Spread:
    """How a score spreads along edges: one rule, by which scores are given and by which they are explained.

    Args:
        type_weights: (n_types,) weight of each edge type by number.
        forward: factor along the arrow.
        backward: factor against it; or one factor for each edge type, (n_types,).
        edge_weights: what the weight of an edge counts, see ``index.base.weighed``.
        degree_exponent: a step from a node counts ``degree ** -exponent``.
        hub_cap: a node gives to at most that many edges of each direction, those that give most to allowed nodes.
        second_hop: share of the first hop's scores that goes one hop further.
        cut: the documents that were cut; ascending.
        to_parts: share of the first hop's scores that these hand on to each of their parts.

    """

    type_weights: FloatArray
    forward: float
    backward: float | FloatArray
    edge_weights: str = "raw"
    degree_exponent: float = 0.0
    hub_cap: int | None = None
    second_hop: float = 0.0
    cut: Nodes = field(default_factory=lambda: NO_NODES)
    to_parts: float = 0.0

    def __call__(self, edges: EdgePart, nodes: Nodes, values: FloatArray, allowed: Allowed | None) -> Hop:
        """Return the steps along which something arrives when each of ``nodes`` gives its value."""
        if self.degree_exponent:
            values = values * np.maximum(edges.degree(nodes), 1) ** -self.degree_exponent
        worth = np.array((self.type_weights * self.backward, self.type_weights * self.forward))
        steps = edges.expand(nodes, worth=worth, weights=self.edge_weights, cap=self.hub_cap, allowed=allowed)
        gains = values[steps.origin] * worth_of(worth, steps.types, steps.along) * steps.weights
        hop = Hop(nodes[steps.origin], steps.targets, steps.types, steps.along, gains)
        arrives = gains > 0
        return hop if np.count_nonzero(arrives) == len(arrives) else hop.rows(arrives)


@dataclass(frozen=True, slots=True)
class Hop:
    """Single steps that carried score, parallel arrays (n_steps,): the same by which scores are explained.

    ``sources`` give and ``targets`` receive, whichever way the arrow points; ``along`` says whether it was followed in
    its own direction; ``types`` are numbers into ``EdgePart.type_names``; ``gains`` are float64 and positive.
    """

    sources: Nodes
    targets: Nodes
    types: NDArray[np.int32]
    along: NDArray[np.bool_]
    gains: FloatArray

    def rows(self, chosen: NDArray[np.intp] | NDArray[np.bool_]) -> Hop:
        """Return some of the steps."""
        return Hop(
            self.sources[chosen], self.targets[chosen], self.types[chosen], self.along[chosen], self.gains[chosen]
        )


@dataclass(frozen=True, slots=True)
class Proximity:
    """How scores spread from the seeds: the steps of each hop, and what has arrived in all, not yet scaled."""

    hops: tuple[Hop, ...]
    reached: NodeValues

    @classmethod
    def none(cls) -> Proximity:
        """Return that nothing was given."""
        return cls((), NO_VALUES)


def score(
    edges: EdgePart, seeds: Nodes, seed_weights: FloatArray, spread: Spread, allowed: Allowed | None
) -> Proximity:
    """Return the proximity of nodes to the seeds."""
    first = spread(edges, seeds, seed_weights, allowed)
    reached = NodeValues.sum([first.targets], [first.gains])
    further = []
    if spread.second_hop and len(reached):
        further.append(spread(edges, reached.nodes, spread.second_hop * reached.values, allowed))
    if spread.to_parts and len(spread.cut):
        further.append(_to_parts(edges, first, spread, allowed))
    if not further:
        return Proximity((first,), reached)
    targets, gains = [hop.targets for hop in further], [hop.gains for hop in further]
    return Proximity((first, *further), NodeValues.sum([reached.nodes, *targets], [reached.values, *gains]))


def _to_parts(edges: EdgePart, first: Hop, spread: Spread, allowed: Allowed | None) -> Hop:
    """Return the steps by which documents hand on to their parts what came from elsewhere than these."""
    part_of = only(edges, PART_OF)
    led = first.rows(ordered.contains(spread.cut, first.targets) & (part_of[first.types] == 0))
    documents = NodeValues.sum([led.targets], [led.gains])
    cap = spread.hub_cap
    steps = edges.expand(documents.nodes, forward=False, worth=part_of, weights="none", cap=cap, allowed=allowed)
    gains = spread.to_parts * documents.values[steps.origin]
    return Hop(documents.nodes[steps.origin], steps.targets, steps.types, steps.along, gains)


def published_second_hop(
    edges: EdgePart, walk: Proximity, seeds: Nodes, from_nodes: Nodes, allowed: Allowed | None
) -> Proximity:
    """Return the walk with 0.15 more for each arrow from ``from_nodes`` to a node that is no seed."""
    steps = edges.expand(from_nodes, forward=True, allowed=allowed)
    gains = np.full(len(steps), _SECOND_HOP_GAIN)
    hop = Hop(from_nodes[steps.origin], steps.targets, steps.types, steps.along, gains)
    hop = hop.rows(~ordered.contains(seeds, hop.targets))
    reached = NodeValues.sum([walk.reached.nodes, hop.targets], [walk.reached.values, hop.gains])
    return Proximity((*walk.hops, hop), reached)


def above_background(shares: FloatArray, size: float, factor: float) -> FloatArray:
    """Return ``max(share − factor · mean over the population, 0)``, so that a dense graph does not lift everything.

    ``shares`` (n,) are what was reached of what the seeds gave; ``size`` is that of the population, what was not
    reached included.
    """
    left: FloatArray = np.maximum(shares - factor * shares.sum() / size, 0.0)
    return left


def with_pagerank(
    proximity: NodeValues, pagerank: NodeValues, share: float, allowed: Allowed | None
) -> tuple[NodeValues, NodeValues]:
    """Return ``(1 − share) · proximity + share · PageRank / max PageRank`` of allowed nodes, and its second part."""
    top = float(pagerank.values.max(initial=0.0))
    nodes, values = pagerank.nodes, pagerank.values / top if top > 0 else pagerank.values
    if allowed is not None:
        kept: NDArray[np.bool_] = allowed.contains(nodes)
        nodes, values = nodes[kept], values[kept]
    ranks = NodeValues(nodes, share * values)
    return NodeValues.sum([proximity.nodes, nodes], [(1.0 - share) * proximity.values, ranks.values]), ranks
