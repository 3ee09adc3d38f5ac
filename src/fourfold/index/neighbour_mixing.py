"""Node vectors that know their neighbours: ``η · text + (1 − η) · mean of the neighbours``, at length one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from fourfold import ordered
from fourfold.embed.contextual.neighbour_mixing import fuse
from fourfold.index.base import EdgePart, Nodes
from fourfold.index.unit_vectors import unit
from fourfold.lazy import load
from fourfold.types import FloatArray

Rows = tuple[Nodes, NDArray[np.float32]]
"""Nodes that have a vector, ascending, and these vectors, (n, dimensions)."""


def fused_at(
    nodes: Nodes, text_vectors: Callable[[Nodes], Rows], edges: EdgePart, type_weights: FloatArray, own_share: float
) -> Rows:
    """Return the unit vectors of some nodes, mixed with those of their neighbours in both directions.

    Those without a vector of their own are left out. ``type_weights`` (n_types,) are multiplied by an edge's own; edges
    of a node to itself, and to nodes without a vector, do not count.
    """
    sparse = load("scipy.sparse", "Reading a graph whose embedder was trained from it")
    nodes, matrix = _unit(text_vectors(nodes))
    steps = edges.expand(nodes)
    origin, targets = steps.origin, steps.targets
    weights = (type_weights[steps.types] * steps.weights).astype(np.float32)
    others, around = _unit(text_vectors(ordered.distinct(targets)))
    place, here = ordered.places(others, targets)
    counts = here & (nodes[origin] != targets)
    links = sparse.csr_matrix((weights[counts], (origin[counts], place[counts])), shape=(len(nodes), len(others)))
    totals = np.asarray(links.sum(axis=1)).ravel()
    mixed = np.nonzero(totals > 0)[0]
    if len(mixed):
        means = (links[mixed] @ around) / totals[mixed, None]
        matrix[mixed] = fuse(matrix[mixed], means, np.ones(len(mixed), bool), own_share).vectors
    return nodes, matrix


def _unit(rows: Rows) -> Rows:
    nodes, matrix = rows
    return nodes, unit(matrix)
