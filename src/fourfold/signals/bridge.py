"""H: a second hop that the question conditions, through rare terms that two texts share, mentions, and names.

A question of several steps is answered by passages of which only the first looks like it. A passage n that shares a
rare term with one of the best passages p, or is joined to it by a mention, gains by how much of the question it adds
to what p already covers:

    s_p     = exp(sharpness · (f_p / f_1 − 1))                        f: the score so far
    S       = Σ over shared rare terms of ln(N / df) / ln N           link(p, n) = S / (S + 1); 1 for a mention
    h(n)    = max over p of s_p · link(p, n) · (Σ_t w_t max(0, c_t(n) − c_t(p)) + named)

with the question's wordpieces t, their weights w and coverages c of ``signals.late``. A gain that is not divided by
what is missing gates itself: where the first passage covers the question, nothing moves.

A passage that no mention links is linked by names, in graphs that have no other edges: link(p, n) is, where that is
more, the share of n's name that p's text holds, half at least, by the idf of its terms, wherever they stand in it; and
where p holds all of the name, it leads on to n whatever the question's words are there ("where was the director of X
born", of one who "is a native of Y"): ``named`` is above 0. Else it is 0.

Arrays over a few passages and those linked to them; where postings, edges and scores come from is the caller's
business.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fourfold import ordered
from fourfold.config import Bridge
from fourfold.index.base import NO_NODES, Nodes, Shared
from fourfold.index.inner_products import row_by_row
from fourfold.ragged import firsts
from fourfold.types import FloatArray

_ROUNDING = 1e-6
"""What is less is no gain: of a coverage, float32, the last digits depend on what else is looked at beside the node."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """Links from passages to other nodes; parallel arrays.

    ``passages`` (int64) are places in the array of passages, ``nodes`` (int64) the far ends, ``links`` (float64) how
    strong each is, in (0, 1]. Each (passage, node) stands once, by its strongest link.
    """

    passages: NDArray[np.int64]
    nodes: Nodes
    links: FloatArray

    def __len__(self) -> int:
        return len(self.nodes)

    @classmethod
    def alike(cls, passages: NDArray[np.intp], nodes: Nodes) -> Pairs:
        """Return links of 1; a pair may stand more than once until it is ``joined``."""
        return cls(passages, nodes, np.ones(len(nodes)))

    @classmethod
    def none(cls) -> Pairs:
        """Return no links."""
        return cls.alike(NO_NODES, NO_NODES)

    def of(self, chosen: NDArray[np.int64] | NDArray[np.bool_]) -> Pairs:
        """Return some of the pairs."""
        return Pairs(self.passages[chosen], self.nodes[chosen], self.links[chosen])


def strengths(scores: FloatArray, sharpness: float) -> FloatArray:
    """Return s_p, how much each passage leads on by its score, best first; the best has 1."""
    best = float(scores[0]) if len(scores) else 0.0
    return np.exp(sharpness * (scores / best - 1.0)) if best > 0 else np.ones(len(scores))


def shared_terms(passages: Nodes, shared: Shared, *, size: int) -> Pairs:
    """Link passages to the nodes that share rare terms with them.

    ``shared`` has their rare terms, by places in ``passages``; ``size`` is how many nodes there are.
    """
    counts = shared.starts[1:] - shared.starts[:-1]
    worth = (np.log(size / np.maximum(shared.df, 1)) / math.log(max(size, 2))).repeat(counts)
    place, nodes = shared.origin.repeat(counts), shared.nodes
    others = nodes != passages[place]
    (place, nodes), at = ordered.numbered_pairs(place[others], nodes[others])
    sums = np.bincount(at, worth[others], len(nodes))
    return Pairs(place, nodes, sums / (sums + 1.0))


def joined(*parts: Pairs) -> Pairs:
    """Return the links of all parts; of two between the same nodes the stronger."""
    columns = ((part.passages, part.nodes, part.links) for part in parts)
    passages, nodes, links = (np.concatenate(column) for column in zip(*columns, strict=True))
    (passages, nodes), at = ordered.numbered_pairs(passages, nodes)
    strongest = np.zeros(len(nodes))
    np.maximum.at(strongest, at, links)
    return Pairs(passages, nodes, strongest)


def chosen(pairs: Pairs, promise: FloatArray, most: int, ids: Callable[[Nodes], Sequence[str]]) -> Pairs:
    """Return the pairs that promise most; of equally promising ones those with the smaller ids.

    ``promise`` (len(pairs),) is what each promises.
    """
    if len(pairs) <= most:
        return pairs
    return pairs.of(ordered.largest(promise, most, lambda tied: ids(pairs.nodes[tied])))


def promised(pairs: Pairs, strength: FloatArray, scores: FloatArray, settings: Bridge) -> FloatArray:
    """Return what pairs promise by the scores so far of their far ends, (len(pairs),)."""
    return strength[pairs.passages] * pairs.links * (settings.prior + scores)


@dataclass(frozen=True, slots=True)
class Gains:
    """What bridges give; ``nodes`` are distinct and ascending, ``values`` (float64) h, ``passages`` whence the best.

    ``named`` (bool) tells where that passage holds the whole name.
    """

    nodes: Nodes
    values: FloatArray
    passages: NDArray[np.int64]
    named: NDArray[np.bool_]


def gains(
    pairs: Pairs,
    strength: FloatArray,
    of_passages: NDArray[np.float32],
    of_nodes: NDArray[np.float32],
    weights: NDArray[np.float32],
    named: FloatArray,
) -> Gains:
    """Return h of every node at the end of a pair that gains something.

    Args:
        pairs: the links.
        strength: (n_passages,) s_p.
        of_passages: (n_passages, n_asked) how the passages cover the question.
        of_nodes: (len(pairs), n_asked) how the far ends cover it.
        weights: (n_asked,) of the question's wordpieces.
        named: (n_passages,) what is added where a link is 1: the passage holds all of a name; 0 where mentions link it.

    """
    added = row_by_row(np.maximum(of_nodes - of_passages[pairs.passages], 0.0), weights)
    by_name = named[pairs.passages] * (pairs.links == 1.0)
    values = strength[pairs.passages] * pairs.links * (added + by_name)
    order = np.lexsort((-values, pairs.nodes))
    order = order[values[order] > _ROUNDING]
    nodes = pairs.nodes[order]
    first = firsts(nodes)
    order = order[first]
    return Gains(nodes[first], values[order], pairs.passages[order], by_name[order] > 0)
