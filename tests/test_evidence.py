"""What PageRank brought is told by itself, and no edge is told that gave nothing."""

import numpy as np
import pytest

from fourfold import Edge, Node, RetrievalConfig, Retriever

QUESTION = "alpha save file"


@pytest.fixture
def retriever():
    """Return a graph whose centre nobody asks for: one seed, a hub, and thirty nodes that point to the hub."""
    nodes = [Node("seed", QUESTION), Node("hub", "qqq"), *(Node(f"x{n}", f"zz{n}") for n in range(30))]
    edges = [Edge("seed", "hub", "related_to"), Edge("seed", "x0", "depends_on")]
    with Retriever(config=RetrievalConfig.published()) as retriever:
        retriever.add(nodes, edges + [Edge(f"x{n}", "hub", "part_of") for n in range(30)])
        yield retriever


def told(retriever, node, intent=None):
    explanation = retriever.explain(QUESTION, node, mode="text", k=3, intent=intent)
    assert sum(item.value for item in explanation.evidence) == pytest.approx(explanation.score, abs=1e-6)
    return explanation, [item for item in explanation.evidence if item.component == "graph"]


def pagerank_of(retriever, node):
    """Return the PageRank of a node, divided by the largest."""
    ranks = retriever.analysis.snapshot().pagerank()
    number = retriever.backend.nums([node])[node]
    return float(ranks.at(np.array([number]))[0] / ranks.values.max())


def test_what_pagerank_gives_is_a_piece_of_its_own(retriever):
    share = retriever.config.graph.pagerank_share
    weights = retriever.config.graph.weights_of(["related_to", "depends_on"])
    # what each is made of before the component is scaled; the hub has the most of all
    made = {
        "hub": ((1 - share) * weights[0], share * pagerank_of(retriever, "hub")),
        "x0": ((1 - share) * weights[1], share * pagerank_of(retriever, "x0")),
    }
    most = max(map(sum, made.values()))
    for node, (by_edge, by_rank) in made.items():
        explanation, evidence = told(retriever, node)
        given = {item.kind: item.value for item in evidence}
        graph = explanation.weights.graph
        assert given == pytest.approx({"path": graph * by_edge / most, "pagerank": graph * by_rank / most}, abs=1e-6)


def test_where_no_edge_gave_anything_none_is_told(retriever):
    _, evidence = told(retriever, "x5")
    assert [item.kind for item in evidence] == ["pagerank"]
    hits = {hit.node.id: hit for hit in retriever.search(QUESTION, mode="text", k=40)}
    assert hits["x5"].why == "central in the graph"
    assert "reached from alpha save file via depends_on" in hits["x0"].why
    lines = retriever.explain(QUESTION, "x5", mode="text").text
    assert "graph: how central it is in the whole graph (PageRank)" in lines


def test_the_second_hop_of_the_published_method_is_told_by_its_edges(retriever):
    intent = next(spec.name for spec in retriever.config.intents.specs if spec.second_hop)
    retriever.add(edges=[Edge("hub", "x9", "uses")])
    for node in ("x9", "hub"):
        _, evidence = told(retriever, node, intent)
        assert {item.kind for item in evidence} == {"path", "pagerank"}
        assert all(item.path[-1].target == node for item in evidence if item.kind == "path")
    (path,) = (item.path for item in told(retriever, "x9", intent)[1] if item.kind == "path")
    assert [(step.source, step.target, step.type) for step in path] == [
        ("seed", "hub", "related_to"),
        ("hub", "x9", "uses"),
    ]
