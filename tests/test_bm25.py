"""BM25 of the postings against an independent implementation (bm25s, method "lucene": the same idf and saturation)."""

# ruff: noqa: E501 (tables of cases read better on one line)

import random

import bm25s
import numpy as np
import pytest

from fourfold import Node, RetrievalConfig, Retriever
from fourfold.config import TextConfig, TextField
from fourfold.signals import text as text_signal
from fourfold.tokenizer import make_tokenizer

WORDS = [
    "save",
    "load",
    "file",
    "read",
    "write",
    "parse",
    "tree",
    "graph",
    "node",
    "edge",
    "disk",
    "cloud",
    "fast",
    "slow",
    "error",
    "readFile",
    "HTTPServer",
    "数据库",
    "Grant's",
]


def corpus(seed, size=200):
    rng = random.Random(seed)
    return [" ".join(rng.choices(WORDS, weights=range(len(WORDS), 0, -1), k=rng.randint(1, 40))) for _ in range(size)]


@pytest.mark.parametrize("tokenizer", ["snowball-english", "suffix"])
@pytest.mark.parametrize(("k1", "b"), [(1.5, 0.75), (1.2, 0.3), (0.9, 0.0), (2.0, 1.0)])
def test_equal_to_bm25s(tokenizer, k1, b):
    documents = corpus(3)
    config = RetrievalConfig(text=TextConfig(tokenizer=tokenizer, k1=k1, b=b, fields=(TextField(("text",)),)))
    terms = make_tokenizer(tokenizer).terms
    reference = bm25s.BM25(method="lucene", k1=k1, b=b)
    reference.index([terms(document) for document in documents], show_progress=False)
    with Retriever(embedder=lambda texts: [[1.0]] * len(texts), config=config) as retriever:
        retriever.add(Node(f"{n:04}", text=document) for n, document in enumerate(documents))
        snapshot = retriever.analysis.snapshot()
        nodes = np.arange(1, len(documents) + 1)
        for query in ("save file", "HTTPServer read_file", "数据库 graph graph", "Grant's error", "slow"):
            words = make_tokenizer(tokenizer).terms_of_words(query)
            weights = text_signal.term_weights(words, (), 1.0, prefix=True)
            numbers = snapshot.term_numbers(weights)
            ours = snapshot.text.ask({numbers[term]: weights[term] for term in numbers}).at(nodes)
            known = [term for term in terms(query) if term in reference.vocab_dict]
            theirs = reference.get_scores(known) * (k1 + 1)  # bm25s leaves out the constant factor
            assert np.abs(ours).max() > 0
            np.testing.assert_allclose(ours, theirs, atol=1e-4, rtol=1e-5)


def test_a_field_of_its_own_is_bm25_over_that_field():
    documents = corpus(5, 80)
    both = RetrievalConfig(text=TextConfig(fields=(TextField(("text",), 1.0), TextField(("name",), 0.5))))
    terms = make_tokenizer("snowball-english").terms
    names = [document.split()[0] for document in documents]
    expected = np.zeros(len(documents))
    for texts, weight in ((documents, 1.0), (names, 0.5)):
        reference = bm25s.BM25(method="lucene", k1=both.text.k1, b=both.text.b)
        reference.index([terms(text) for text in texts], show_progress=False)
        known = [term for term in terms("save graph") if term in reference.vocab_dict]
        expected += weight * (both.text.k1 + 1) * reference.get_scores(known)
    with Retriever(embedder=lambda texts: [[1.0]] * len(texts), config=both) as retriever:
        retriever.add(
            Node(f"{n:04}", name=name, text=text) for n, (name, text) in enumerate(zip(names, documents, strict=True))
        )
        words = make_tokenizer("snowball-english").terms_of_words("save graph")
        weights = text_signal.term_weights(words, (), 1.0, prefix=True)
        snapshot = retriever.analysis.snapshot()
        numbers = snapshot.term_numbers(weights)
        asked = snapshot.text.ask({numbers[term]: weights[term] for term in numbers})
        ours = asked.at(np.arange(1, len(documents) + 1))
    np.testing.assert_allclose(ours, expected, atol=1e-4, rtol=1e-5)


def test_a_possessive_does_not_lengthen_a_document():
    config = RetrievalConfig().replace(fusion={"late": {"depth": 0}})  # its wordpieces are counted apart
    with Retriever(embedder=lambda texts: [[1.0]] * len(texts), config=config) as retriever:
        retriever.add([Node("a", text="Grant's Tomb"), Node("b", text="Grant Tomb")])
        scores = [hit.score for hit in retriever.search("tomb", mode="text").hits]
        assert scores[0] == scores[1]
