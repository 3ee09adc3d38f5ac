"""The published method, case by case: intent, weights, order, and every number within 1e-6."""

import json
from pathlib import Path

import pytest

from fourfold import Edge, Node, RetrievalConfig, Retriever

GRAPHS = json.loads((Path(__file__).parent / "data" / "published.json").read_text())["graphs"]
CONFIG = RetrievalConfig.published().replace(text={"phrase": "never"})


@pytest.fixture(scope="module", params=range(len(GRAPHS)))
def graph(request):
    data = GRAPHS[request.param]
    with Retriever(":memory:", config=CONFIG) as retriever:
        retriever.add([Node(**node) for node in data["nodes"]], [Edge(**edge) for edge in data["edges"]])
        yield retriever, data["cases"]


def test_every_case(graph):
    retriever, cases = graph
    for case in cases:
        result = retriever.search(
            case["query"], k=case["limit"], query_vector=case["query_vector"], **case.get("options", {})
        )
        assert result.intent == case["intent"], case["query"]
        assert list(result.weights.as_tuple()) == pytest.approx(case["weights"], abs=1e-9), case["query"]
        assert result.ids == case["order"], case["query"]
        for hit in result.hits:
            expected = dict(case["hits"][hit.node.id])
            assert hit.score == pytest.approx(expected.pop("score"), abs=1e-6), (case["query"], hit.node.id)
            assert hit.components.as_dict() == pytest.approx(expected, abs=1e-6), (case["query"], hit.node.id)
