"""δ: what the seeds reach along the edge types that the query asks for.

The method's rule: one hop along the fixed types of the intent. Generalised: any edge type counts in proportion to how
close its label is to the query's words, over one and two hops (``relations.type_labels``).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fourfold.edge_types import type_weights
from fourfold.index.base import NO_VALUES, Allowed, EdgePart, Nodes, NodeValues
from fourfold.signals import graph
from fourfold.signals.graph import Proximity, Spread
from fourfold.types import FloatArray


def fixed_types(edges: EdgePart, edge_types: tuple[str, ...], *, related: bool = False) -> FloatArray:
    """Return 1 for each edge type of the intent and 0 for the others, (n_types,); ``related``: see ``type_weight``."""
    in_use = np.zeros(len(edges.type_names), bool)  # a type whose last edge is gone must not set the scale
    in_use[list(edges.types_in_use)] = True
    meant = tuple(dict.fromkeys(edge_types, 1.0).items())
    return type_weights(tuple(edges.type_names), meant, 0.0, related=related) * in_use


def score(
    edges: EdgePart, seeds: Nodes, seed_weights: FloatArray, spread: Spread, allowed: Allowed | None
) -> tuple[Proximity, NodeValues]:
    """Return the walk and the component; its maximum is the largest type weight in force, at most 1.

    The arguments are those of ``signals.graph.score``; ``spread.type_weights`` says how much each type is asked for.
    """
    asked = float(spread.type_weights.max(initial=0.0))
    if asked <= 0.0:
        return Proximity.none(), NO_VALUES
    relative = replace(spread, type_weights=spread.type_weights / asked)
    walk = graph.score(edges, seeds, seed_weights, relative, allowed)
    return walk, walk.reached.scaled(min(asked, 1.0))
