"""δ: what the seeds reach along the edge types that the query asks for.

The method's rule: one hop along the fixed types of the intent. Generalised: any edge type counts in proportion to how
close its label is to the query's words, over one and two hops (``edge_types.closeness``).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fourfold.index import Adjacency
from fourfold.signals import graph
from fourfold.signals.graph import Spread
from fourfold.signals.scaling import by_maximum
from fourfold.types import FloatArray


def fixed_types(adjacency: Adjacency, edge_types: tuple[str, ...]) -> FloatArray:
    """Return 1 for each edge type of the intent and 0 for the others, (n_types,)."""
    in_use = adjacency.types_in_use  # a type whose last edge is gone must not set the scale
    return np.array([float(name in edge_types and n in in_use) for n, name in enumerate(adjacency.type_names)])


def score(
    adjacency: Adjacency,
    seeds: NDArray[np.int64],
    seed_weights: FloatArray,
    spread: Spread,
    mask: NDArray[np.bool_] | None = None,
    *,
    second_hop: float = 0.0,
) -> FloatArray:
    """Return the component, (n_nodes,) float64; its maximum is the largest type weight in force, at most 1.

    The arguments are those of ``signals.graph.score``; ``spread.type_weights`` says how much each type is asked for.
    """
    asked = float(spread.type_weights.max(initial=0.0))
    if asked <= 0.0:
        return np.zeros(adjacency.n_nodes)
    relative = replace(spread, type_weights=spread.type_weights / asked)
    return min(asked, 1.0) * by_maximum(
        graph.score(adjacency, seeds, seed_weights, relative, mask, second_hop=second_hop)
    )
