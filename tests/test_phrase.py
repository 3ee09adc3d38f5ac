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


@pytest.mark.parametrize("form", ["{}", '"{}"', "what says {}"])
@pytest.mark.parametrize("between", [" ", "_", ", "])
def test_of_a_long_phrase_the_first_words_are_looked_up(graph, monkeypatch, form, between):
    """FTS5's time grows with the words; twelve thousand of them took .8 s, most of the search."""
    look_up, asked = graph.backend.phrase, []
    monkeypatch.setattr(graph.backend, "phrase", lambda phrase, limit: asked.append(phrase) or look_up(phrase, limit))
    pasted = between.join(f"word{n}" for n in range(3_000))
    graph.add(
        [Node("pasted", text=f"what says {pasted}"), Node("other", text=between.join(reversed(pasted.split(between))))]
    )
    result = graph.search(form.format(pasted))
    assert result.ids[0] == "pasted" and len(asked) == 1
    assert asked[0].count("word") == (126 if "what" in form else 128) and asked[0] in f"what says {pasted}"
    assert len(look_up(asked[0], 9)) == 1


def test_common_words_are_not_looked_up_as_a_phrase(graph, monkeypatch):
    """The time of FTS5 grows with the nodes that hold the rarest word; beyond the bound only quoted phrases are."""
    asked = []
    monkeypatch.setattr(graph.backend, "phrase", lambda phrase, limit: asked.append(phrase) or [])
    graph.learning.apply_config(RetrievalConfig().replace(text={"phrase_nodes": 1}))
    graph.search("quick brown fox")
    graph.search('"quick brown fox"')
    assert asked == ["quick brown fox"]
