"""α: cosine similarity of the query's vector and every node's, by one matrix product."""

from __future__ import annotations

import numpy as np

from fourfold.types import FloatArray


def score(matrix: FloatArray, query_vector: FloatArray) -> FloatArray:
    """Return the cosines, (n_nodes,) float32; 0 for nodes without a vector and for a query of zeros.

    Args:
        matrix: (n_nodes, dimensions) unit rows, zero rows where there is no vector.
        query_vector: (dimensions,).

    """
    norm = float(np.linalg.norm(query_vector))
    if norm == 0.0 or not len(matrix):
        return np.zeros(len(matrix), np.float32)
    cosines: FloatArray = matrix @ (query_vector / norm).astype(np.float32)
    return cosines
