"""What the pipeline asks of an index: small protocols, one for each signal's part.

A node is a whole number, the store's own (``num``): opaque to the pipeline, which never counts with it. A part that is
asked a question returns a ``Ranking``, from which the best nodes, the values of chosen nodes and the moments of the
whole population can be had; nothing here is an array over all nodes.

Why candidates answer as a full sum would: Fagin, Lotem & Naor, "Optimal aggregation algorithms for middleware" (2001).
A node that no part has named has at most the sum of the parts' weighted floors.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from fourfold import ordered
from fourfold.types import FloatArray

Nodes = NDArray[np.int64]
"""Store numbers of nodes."""

NO_NODES: Nodes = np.empty(0, np.int64)

Keys = NDArray[np.uint64]
"""Hashes of names."""


@dataclass(frozen=True, slots=True)
class Moments:
    """Sums over a whole population of raw scores, in float64: enough for standard scores without a pass over it.

    Args:
        total: the sum of the scores.
        squares: the sum of their squares.
        maximum: the largest of all, filtered or not; 0 where there is none.
        size: how many nodes the population has, those with a score of 0 included.

    """

    total: float
    squares: float
    maximum: float
    size: int

    def mean(self, background: int = 0) -> float:
        """Return the mean with ``background`` imaginary nodes of score 0."""
        return self.total / max(self.size + background, 1)

    def deviation(self, background: int = 0) -> float:
        """Return the standard deviation with ``background`` imaginary nodes of score 0; 0 where all are equal."""
        size = max(self.size + background, 1)
        second = self.squares / size
        variance = second - (self.total / size) ** 2
        return math.sqrt(variance) if variance > 1e-12 * second else 0.0


@dataclass(frozen=True, slots=True)
class Scored:
    """What a part knows of a question: its best nodes, never an array over all of them.

    Args:
        nodes: (m,) the best nodes; those that tie with the last are all there.
        values: (m,) float32 or float64 raw scores, best first.
        floor: no node left out has more than this; known only where ``exact``.
        exact: False where an approximate first stage found them: its recall is measured, not proven.

    """

    nodes: Nodes
    values: FloatArray
    floor: float
    exact: bool = True


@dataclass(frozen=True, slots=True)
class NodeValues:
    """The nodes that have a value: ``nodes`` ascending, ``values`` float64, parallel; all others have 0."""

    nodes: Nodes
    values: FloatArray

    @classmethod
    def sum(cls, nodes: Sequence[Nodes], values: Sequence[FloatArray]) -> NodeValues:
        """Add up the values of each node."""
        found, place = ordered.numbered(np.concatenate(nodes))
        return cls(found, np.bincount(place, np.concatenate(values), len(found)).astype(np.float64, copy=False))

    def at(self, nodes: Nodes) -> FloatArray:
        """Return the values of these nodes, (len(nodes),); 0 for those that have none."""
        if not len(self.nodes):
            return np.zeros(len(nodes))
        place = self.nodes.searchsorted(nodes)
        values: FloatArray = self.values.take(place, mode="clip")
        values *= self.nodes.take(place, mode="clip") == nodes
        return values

    def scaled(self, most: float) -> NodeValues:
        """Return the same nodes with their values in proportion, the largest exactly ``most``; unchanged if it is 0."""
        top = float(self.values.max(initial=0.0))
        return NodeValues(self.nodes, self.values / top * most) if top > 0 else self

    def __len__(self) -> int:
        return len(self.nodes)


NO_VALUES = NodeValues(NO_NODES, np.empty(0))
NO_RAW = np.empty(0, np.float32)
"""No raw scores."""


class Allowed:
    """The nodes a filter keeps, given in any order."""

    def __init__(self, nodes: Nodes) -> None:
        self.nodes: Nodes = ordered.distinct(nodes)
        """(n_allowed,) ascending."""
        self.bits = np.zeros(int(self.nodes[-1]) + 2 if len(self.nodes) else 1, bool)
        """True at the number of each allowed node; numbers beyond the end are not allowed."""
        self.bits[self.nodes] = True

    def __len__(self) -> int:
        return len(self.nodes)

    def contains(self, nodes: Nodes) -> NDArray[np.bool_]:
        """Return which of these nodes are allowed, (len(nodes),)."""
        return self.bits[np.minimum(nodes, len(self.bits) - 1)]


class Ranking(Protocol):
    """One question put to one part. Used by one thread; may remember what it has computed."""

    @property
    def moments(self) -> Moments:
        """Sums over the whole population, whatever the filter."""

    def best(self, count: int, allowed: Allowed | None = None) -> Scored:
        """Return the ``count`` best (and all that tie with the last), among the allowed nodes.

        Text leaves out nodes with a score of 0 or less; vectors rank every node that has one. Where there are fewer
        than ``count``, all are returned and ``floor`` is what the others have: 0 for text, minus infinity for vectors.
        """

    def at(self, nodes: Nodes) -> FloatArray:
        """Return the raw scores of these nodes, (len(nodes),); 0 for those the part does not know."""


@runtime_checkable
class Beginning(Protocol):
    """A ranking that computes beside its caller, who has other parts to ask meanwhile; none has to."""

    def begin(self, count: int, allowed: Allowed | None = None) -> None:
        """Begin with what ``best`` will soon be asked; returns at once."""


class VectorPart(Protocol):
    """Unit vectors of nodes."""

    @property
    def dimensions(self) -> int:
        """The length of every vector; 0 where there are none."""

    @property
    def size(self) -> int:
        """How many nodes have a vector."""

    def ask(self, vector: FloatArray) -> Ranking:
        """Rank by the cosine with a vector, (dimensions,); a vector of zeros scores 0 everywhere."""

    def at(self, nodes: Nodes) -> NDArray[np.float32]:
        """Return the unit vectors of these nodes, (len(nodes), dimensions); zeros where there is none."""


@dataclass(frozen=True, slots=True)
class Shared:
    """Rare terms of some nodes, and who holds them.

    Term i stands in the node at the place ``origin[i]`` of those asked for, occurs in ``df[i]`` nodes, and is held by
    ``nodes[starts[i]:starts[i + 1]]``, ascending. A term of several of the nodes stands once for each.
    """

    origin: NDArray[np.int64]
    df: NDArray[np.int64]
    starts: NDArray[np.int64]
    nodes: Nodes


@dataclass(frozen=True, slots=True)
class HeldNames:
    """Names that texts hold: that of the node at the place ``origin[i]`` a share of the name of ``nodes[i]``.

    ``shares`` (float64), in (0, 1], are of the idf of a name's terms; 1 where the text holds all of them.
    """

    origin: NDArray[np.int64]
    nodes: Nodes
    shares: FloatArray

    @classmethod
    def none(cls) -> HeldNames:
        """Return no names."""
        return cls(NO_NODES, NO_NODES, np.empty(0))


class TextPart(Protocol):
    """Postings: which nodes hold a term, how often, and how long their texts are."""

    def ask(self, terms: Mapping[int, float]) -> Ranking:
        """Rank by BM25, each term (by its number) counting as often as said."""

    def worth(self, terms: Sequence[int], nodes: Nodes) -> FloatArray:
        """Return what one occurrence of each term in the question is worth in some nodes, (len(terms), len(nodes)).

        0 where it does not occur.
        """

    def holds(self, terms: Sequence[int], nodes: Nodes) -> NDArray[np.bool_]:
        """Return which of some nodes hold which terms, (len(nodes), len(terms))."""

    def df(self, terms: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return in how many nodes each term occurs, (len(terms),)."""

    def shared(self, nodes: Nodes, most: int, besides: Collection[int] = ()) -> Shared:
        """Return the terms of some nodes that at least two nodes hold and at most ``most``, and who holds them.

        Those in ``besides`` are left out.
        """

    def names_held(self, nodes: Nodes, most: int, besides: Collection[int] = ()) -> HeldNames:
        """Return the other nodes of whose names the texts of some nodes hold a term that at most ``most`` names have.

        Terms ``besides`` are none of these, though they count where a name is held for another. Half of a name is held
        at least, by the idf of its terms, and what would single out √size of all nodes by chance.
        """


class NamePart(Protocol):
    """The names of nodes, by key (see ``index.names``)."""

    def holders(self, keys: Keys) -> tuple[NDArray[np.int64], Nodes]:
        """Return (starts, nodes): the nodes whose name has key i are ``nodes[starts[i]:starts[i + 1]]``, ascending."""


class TokenPart(Protocol):
    """The distinct wordpieces of each node's name and text, and how many nodes hold each (late interaction)."""

    @property
    def size(self) -> int:
        """How many nodes there are."""

    def of(self, nodes: Nodes) -> tuple[NDArray[np.int64], NDArray[np.integer[Any]]]:
        """Return (starts, pieces): node i has ``pieces[starts[i]:starts[i + 1]]``, distinct and ascending."""

    def frequency(self, pieces: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return in how many nodes each wordpiece occurs, (len(pieces),)."""


@dataclass(frozen=True, slots=True)
class Steps:
    """Single steps along edges; parallel arrays.

    ``origin`` (intp) is the place of the from-node in the array that was expanded, ``targets`` (int64) the to-nodes,
    ``types`` (int32) numbers into ``EdgePart.type_names``, ``weights`` (float32) what the edges' weights count;
    ``along`` (bool) is along the arrow.
    """

    origin: NDArray[np.intp]
    targets: Nodes
    types: NDArray[np.int32]
    weights: NDArray[np.float32]
    along: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.origin)

    def of(self, chosen: NDArray[np.intp] | NDArray[np.bool_]) -> Self:
        """Return some of the steps."""
        return type(self)(
            self.origin[chosen], self.targets[chosen], self.types[chosen], self.weights[chosen], self.along[chosen]
        )

    @classmethod
    def joined(cls, parts: Sequence[Steps]) -> Self:
        """Return the steps of several parts; none where there are no parts."""
        return cls(
            np.concatenate([np.empty(0, np.intp), *(part.origin for part in parts)]),
            np.concatenate([np.empty(0, np.int64), *(part.targets for part in parts)]),
            np.concatenate([np.empty(0, np.int32), *(part.types for part in parts)]),
            np.concatenate([np.empty(0, np.float32), *(part.weights for part in parts)]),
            np.concatenate([np.empty(0, np.bool_), *(part.along for part in parts)]),
        )


_OF_ONE = np.log1p(np.float32(1.0))


def weighed(weights: NDArray[np.float32], how: str) -> NDArray[np.float32]:
    """Return what the weights of edges count, see ``EdgePart.expand``."""
    if how == "none":
        return np.ones(len(weights), np.float32)
    return np.log1p(weights) / _OF_ONE if how == "log1p" else weights


def worth_of(worth: FloatArray, types: NDArray[np.int32], along: NDArray[np.bool_]) -> FloatArray:
    """Return what steps are worth by their types, (len(types),); ``worth`` as ``EdgePart.expand`` has it."""
    places = types if worth.ndim == 1 else types + worth.shape[1] * along  # of a table laid row after row
    found: FloatArray = worth.take(places)
    return found


def only(edges: EdgePart, type_name: str) -> FloatArray:
    """Return 1 for one edge type and 0 for all others, (n_types,): the ``worth`` of its steps."""
    return np.array([float(name == type_name) for name in edges.type_names])


class EdgePart(Protocol):
    """Typed edges, in both directions."""

    def __len__(self) -> int:
        """Return the number of edges."""

    @property
    def type_names(self) -> Sequence[str]:
        """Every edge type ever used; the place is the type's number."""

    @property
    def types_in_use(self) -> frozenset[int]:
        """The numbers of the types that have an edge."""

    def expand(
        self,
        nodes: Nodes,
        *,
        forward: bool | None = None,
        worth: FloatArray | None = None,
        weights: str = "raw",
        cap: int | None = None,
        allowed: Allowed | None = None,
    ) -> Steps:
        """Return the steps from these nodes, in any order.

        Args:
            nodes: where to start; distinct, and not written to any more.
            forward: along the arrow only, or against it only; None is both.
            worth: (n_types,) what an edge of each type is worth to this step, or (2, n_types), against the arrow and
                along it; those of 0 are left out; None takes all.
            weights: what an edge's own weight multiplies its worth by: ``"raw"`` itself, ``"log1p"`` its logarithm,
                ln(1 + weight) / ln 2, so that 1 stays 1; ``"none"`` nothing. ``Steps.weights`` is that factor.
            cap: of each node only the ``cap`` edges of the largest worth in each direction; ties go to the smaller id
                of the other end.
            allowed: steps to other nodes are left out, before any is counted for ``cap``; None takes all.

        """

    def degree(self, nodes: Nodes) -> NDArray[np.int64]:
        """Return the number of edges at each node, both directions."""
