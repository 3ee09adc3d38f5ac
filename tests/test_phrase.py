"""The phrase search of FTS5 is part of every search by text: the larger of it and BM25 counts."""

import pytest

from fourfold import Node, RetrievalConfig, Retriever

TEXTS = {
    "mixed": "The fox is quick, quick is the fox.",
    "phrase": "Once there was a story of many words, " * 4 + "in which a quick brown fox jumps over a lazy dog.",
    "none": "Bananas are brown.",
}


@pytest.fixture
def graph():
    with Retriever(embedder=lambda texts: [[1.0, 0.0]] * len(texts)) as retriever:
        retriever.add([Node(identity, text=text) for identity, text in TEXTS.items()])
        yield retriever


def test_the_phrase_stands_first(graph):
    result = graph.search("quick brown fox")
    assert result.ids[0] == "phrase"
    assert [item.word for item in result.hits[0].evidence if item.kind == "phrase"] == ["quick brown fox"]
    graph.learning.apply_config(RetrievalConfig().replace(text={"phrase": "quoted"}))
    assert graph.search("quick brown fox").ids[0] == "mixed"
    assert graph.search('"quick brown fox"').ids[0] == "phrase"


@pytest.mark.parametrize(
    ("query", "phrases"),
    [
        ("quick brown fox", ["quick brown fox"]),
        ('the "brown fox" jumps', ["brown fox"]),
        ("fox", []),  # one word is no phrase
        ("quick brown giraffe", []),  # a word that nothing holds
        ("the of", []),
    ],
)
def test_what_is_looked_up(graph, monkeypatch, query, phrases):
    asked = []
    monkeypatch.setattr(graph.backend, "phrase", lambda phrase, limit: asked.append(phrase) or [])
    graph.search(query)
    assert asked == phrases


def test_common_words_are_not_looked_up_as_a_phrase(graph, monkeypatch):
    """The time of FTS5 grows with the nodes that hold the rarest word; beyond the bound only quoted phrases are."""
    asked = []
    monkeypatch.setattr(graph.backend, "phrase", lambda phrase, limit: asked.append(phrase) or [])
    graph.learning.apply_config(RetrievalConfig().replace(text={"phrase_nodes": 1}))
    graph.search("quick brown fox")
    graph.search('"quick brown fox"')
    assert asked == ["quick brown fox"]
