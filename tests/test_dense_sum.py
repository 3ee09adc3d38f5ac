"""Candidates answer as the sum over all nodes does, whatever was asked first and however the index was written."""

import os
from pathlib import Path

import numpy as np
import pytest
from dense_sum import PLAIN, Dense
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fourfold import Edge, Node, RetrievalConfig, Retriever, refine
from fourfold.edge_types import OF_DOCUMENTS
from fourfold.evaluate import load_collection
from fourfold.weighting import over_encoder

WORDS = "save load file read write parse tree graph node edge disk cloud alpha beta gamma delta".split()
TYPES = ("depends_on", "part_of", "mentions", "enables", "")
sentence = st.lists(st.sampled_from(WORDS), min_size=0, max_size=6).map(" ".join)
vector = st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.5, 1.0]), min_size=3, max_size=3)
asked = st.sampled_from(["what does alpha depend on", "how to save a file", "compare graph and tree", "why read disk"])
nodes_of = st.lists(st.tuples(sentence, sentence, vector, st.booleans()), min_size=1, max_size=25)
edges_of = st.lists(
    st.tuples(st.integers(0, 24), st.integers(0, 24), st.sampled_from(TYPES), st.sampled_from([0.0, 0.5, 1.0, 7.0])),
    max_size=40,
)


def graph(rows, links):
    nodes = [
        Node(f"n{place:02d}", name, text=text, vector=own, metadata={"kept": kept})
        for place, (name, text, own, kept) in enumerate(rows)
    ]
    edges = {(a % len(nodes), b % len(nodes), kind): weight for a, b, kind, weight in links}
    return nodes, [Edge(nodes[a].id, nodes[b].id, kind, weight) for (a, b, kind), weight in edges.items()]


def same(found, expected, k):
    """Compare hits with what all nodes have."""
    ranked = sorted((-score, identity) for identity, score in expected.items() if score > 1e-9)[:k]
    assert [hit.score for hit in found] == pytest.approx([-score for score, _ in ranked], abs=1e-6)
    for hit in found:
        assert hit.score == pytest.approx(expected[hit.node.id], abs=1e-6)
        assert sum(item.value for item in hit.evidence) == pytest.approx(hit.score, abs=1e-6)


def compared(config, nodes, edges, question, query_vector, kept, k, first):
    with pytest.MonkeyPatch.context() as patch, Retriever(config=config) as retriever:
        patch.setattr(refine, "FIRST_CANDIDATES", first)
        retriever.add(nodes, edges)
        dense = Dense(retriever, config)
        words = retriever._session.tokenizer.terms_of_words(question)
        allowed = np.array([not kept or node.metadata["kept"] for node in dense.nodes])
        expected = dense.sums(words, question, query_vector, allowed, k)
        same(
            retriever.search(question, k=k, query_vector=query_vector, filter={"kept": True} if kept else None),
            expected,
            k,
        )


@pytest.mark.parametrize("hub_cap", [1000, 2, 1])
@given(nodes_of, edges_of, sentence, vector, st.integers(1, 8), st.booleans(), st.integers(1, 12))
@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_candidates_answer_as_the_dense_sum(hub_cap, rows, links, question, query_vector, k, kept, first):
    config = RetrievalConfig().replace(**PLAIN).replace(graph={"hub_cap": hub_cap}, fusion={"intent_tilt": 0.0})
    compared(config, *graph(rows, links), question, query_vector, kept, k, first)


@given(nodes_of, edges_of, st.one_of(sentence, asked), vector, st.integers(1, 8), st.booleans(), st.integers(1, 12))
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_the_published_method_answers_as_the_dense_sum_with_pagerank(
    rows, links, question, query_vector, k, kept, first
):
    config = RetrievalConfig.published().replace(**PLAIN).replace(text={"phrase": "never"})
    nodes, edges = graph(rows, links)
    ring = [Edge(one.id, nodes[(n + 1) % len(nodes)].id, "part_of") for n, one in enumerate(nodes)]
    known = {(edge.source, edge.target, edge.type): edge for edge in (*ring, *edges)}
    lowered = config.replace(graph={"pagerank_min_edges": min(20, len(known))})
    compared(lowered, nodes, list(known.values()), question, query_vector, kept, k, first)


def folders():
    root = os.environ.get("FOURFOLD_DATASETS")
    return sorted(path.parent for path in Path(root).glob("*/corpus.jsonl")) if root else []


@pytest.mark.skipif(not folders(), reason="FOURFOLD_DATASETS names no folder with the public collections.")
@pytest.mark.parametrize("preset", ["default", "published"])
@pytest.mark.parametrize("folder", folders(), ids=lambda folder: folder.name)
def test_every_collection_answers_as_the_dense_sum(folder, preset):
    collection = load_collection(folder)
    config = RetrievalConfig().replace(fusion={"intent_tilt": 0.0})
    if preset == "published":
        config = RetrievalConfig.published()
    config = config.replace(**PLAIN).replace(text={"phrase": "never"})
    nodes = collection.nodes[:5000]
    known = {node.id for node in nodes}
    edges = [edge for edge in collection.edges if {edge.source, edge.target} <= known]
    with Retriever(config=config) as retriever:
        retriever.add(nodes, edges)
        dense = Dense(retriever, config)
        allowed = np.ones(len(nodes), bool)
        queries = [query.text for query in collection.judgements.queries[:20]]
        for query in retriever.analysis.prepare(queries)[1]:
            expected = dense.sums(query.words, query.text, query.vector, allowed, 10)
            same(retriever.search(query.text, k=10, filter=None), expected, 10)


PRESETS = {
    "default": RetrievalConfig(),
    "over an encoder": over_encoder(RetrievalConfig()),
    "published": RetrievalConfig.published(),
}


@given(nodes_of, edges_of, sentence, st.booleans(), st.integers(1, 8), st.booleans(), st.sampled_from(sorted(PRESETS)))
@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_asking_for_more_candidates_changes_nothing(rows, links, question, called, k, kept, preset):
    config = PRESETS[preset]
    nodes, edges = graph(rows, links)
    if called:
        question = f"{question} is {nodes[0].name.title()} or {nodes[-1].name.title()}"
    if preset == "over an encoder":  # elsewhere late interaction counts for embedding as for text
        edges = [edge for edge in edges if edge.type in OF_DOCUMENTS]
    answers = []
    for few in (True, False):
        with pytest.MonkeyPatch.context() as patch, Retriever(config=config) as retriever:
            patch.setattr(refine, "FIRST_CANDIDATES", 1 if few else 10_000)
            patch.setattr(refine, "WIDER", 2 if few else 10_000)
            retriever.add([Node(n.id, n.name, text=n.text, metadata=n.metadata) for n in nodes], edges)
            found = retriever.search(question, k=k, filter={"kept": True} if kept else None)
            answers.append([(hit.node.id, hit.score) for hit in found])
            for hit in found:
                assert sum(item.value for item in hit.evidence) == pytest.approx(hit.score, abs=1e-6)
    assert [identity for identity, _ in answers[0]] == [identity for identity, _ in answers[1]]
    assert [score for _, score in answers[0]] == pytest.approx([score for _, score in answers[1]], abs=1e-9)


@given(nodes_of, edges_of, sentence, st.lists(st.integers(1, 4), min_size=1, max_size=8), st.randoms())
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_many_small_writes_answer_as_one(rows, links, question, sizes, random):
    nodes, edges = graph(rows, links)
    plain = [Node(n.id, n.name, text=n.text, metadata=n.metadata) for n in nodes]
    with Retriever() as once, Retriever() as pieces:
        once.add(plain, edges)
        left, order = list(plain), list(edges)
        random.shuffle(left)
        random.shuffle(order)
        pieces.add([Node("gone", "alpha beta save"), *[Node(n.id, "old " + n.name) for n in left[:5]]])
        while left:
            size = sizes[len(left) % len(sizes)]
            batch, left = left[:size], left[size:]
            pieces.add(batch)
            pieces.search(question)
            there = set(pieces.manifest()) - {node.id for node in left}
            ready = [edge for edge in order if {edge.source, edge.target} <= there]
            pieces.add(edges=ready)
            order = [edge for edge in order if edge not in ready]
        pieces.delete(["gone"])
        pieces.add(edges=order)
        expected, found = once.search(question, k=10), pieces.search(question, k=10)
        assert found.ids == expected.ids
        assert [hit.score for hit in found] == pytest.approx([hit.score for hit in expected], abs=1e-6)
