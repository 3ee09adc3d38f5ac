"""Two-signal search against its rule, written out."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fourfold import Node, RetrievalConfig, Retriever
from fourfold.two_signal import two_signal_hits

cosines = st.integers(-100, 100).map(lambda hundredths: hundredths / 100)


def min_max(scores):
    """Return {id: score} from 0 for the smallest to 1 for the largest; 1 where all are equal."""
    low, high = min(scores.values(), default=0.0), max(scores.values(), default=0.0)
    return {identity: (score - low) / (high - low) if high > low else 1.0 for identity, score in scores.items()}


@given(st.lists(st.tuples(cosines, st.booleans()), min_size=1, max_size=30), st.integers(1, 12))
@settings(max_examples=40, deadline=None)
def test_scores_are_the_published_rule(documents, limit):
    """Min–max over the best of each signal as the vector store gave them, negative cosines too; .7 and .3."""
    nodes = [
        Node(f"d{n:02}", text=("keys " if has else "") + "word " * n, vector=[cosine, math.sqrt(1 - cosine**2)])
        for n, (cosine, has) in enumerate(documents)
    ]
    with Retriever(":memory:", config=RetrievalConfig.two_signal(limit=limit)) as retriever:
        retriever.add(nodes)
        result = retriever.search("keys", query_vector=[1.0, 0.0])
    nearest = sorted(nodes, key=lambda node: (-np.float32(node.vector[0]), node.id))[: 3 * limit]
    vector = min_max({node.id: node.vector[0] for node in nearest})
    hits = two_signal_hits(result)
    for hit in hits:
        assert hit.vector == pytest.approx(vector.get(hit.id, 0.0), abs=1e-6)
        assert hit.combined == pytest.approx(0.7 * hit.vector + 0.3 * hit.bm25, abs=1e-6)
    assert len(hits) >= min(limit, len(vector))
    if not any(has for _, has in documents):
        assert [hit.id for hit in hits] == [node.id for node in nearest[:limit]]
