"""Model objects of other libraries, in one line."""

import numpy as np
import pytest

from fourfold import EmbedderError, EmbedderMismatchError, Node, Retriever
from fourfold.embed import EncoderEmbedder, as_embedder


def rows(texts, offset=0.0):
    assert isinstance(texts, list)
    return np.array([[len(text) + offset, 1.0, text.count("a")] for text in texts], np.float32)


class Config:
    _name_or_path = "org/model"


class Transformers:
    config = Config()


class SentenceTransformer:
    """As sentence-transformers 5 and later: also callable, but not with texts."""

    transformers_model = Transformers()
    prompts = {"query": "q: ", "document": ""}

    def __call__(self, features):
        raise TypeError("features")

    def encode(self, texts, prompt_name=None):
        raise AssertionError("the special ones are there")

    def encode_query(self, texts):
        return rows(texts, 0.5)

    def encode_document(self, texts):
        return rows(texts)


class OlderSentenceTransformer:
    """As sentence-transformers before version 5."""

    name_or_path = "/home/somebody/models/own-model"

    def __init__(self, **prompts):
        self.prompts = prompts

    def encode(self, texts, prompt_name=None):
        return rows(texts, 0.5 if prompt_name == "query" else 0.0)


class TextEmbedding:
    """As fastembed: ONNX, and row after row."""

    model_name = "org/onnx-model"

    def embed(self, texts):
        yield from rows(texts)

    def query_embed(self, texts):
        yield from rows(texts, 0.5)


class Plain:
    def encode(self, texts):
        return rows(texts).tolist()


@pytest.mark.parametrize(
    ("model", "name", "offset"),
    [
        (SentenceTransformer(), "SentenceTransformer:org/model", 0.5),
        (OlderSentenceTransformer(query="q: "), "OlderSentenceTransformer:own-model", 0.5),
        (OlderSentenceTransformer(), "OlderSentenceTransformer:own-model", 0.0),
        (TextEmbedding(), "TextEmbedding:org/onnx-model", 0.5),
        (Plain(), "Plain", 0.0),
    ],
)
def test_models_of_several_kinds(model, name, offset):
    embedder = as_embedder(model)
    assert embedder.name.endswith(f".{name}") and "0x" not in embedder.name
    assert as_embedder(model).name == embedder.name
    np.testing.assert_array_equal(embedder.embed_documents(["abc", "a"]), [[3, 1, 1], [1, 1, 1]])
    np.testing.assert_array_equal(embedder.embed_query("abc"), [3 + offset, 1, 1])


def test_in_one_line(tmp_path):
    path = tmp_path / "g.sqlite"
    with Retriever(path, embedder=SentenceTransformer()) as retriever:
        retriever.add([Node("a", name="alpha"), Node("b", name="beta gamma")])
        assert retriever.search("alpha").degraded == () and retriever.info()["dimensions"] == 3
    with Retriever(path, embedder=SentenceTransformer()) as retriever:
        assert retriever.search("alpha", mode="embedding").total == 2
    with pytest.raises(EmbedderMismatchError, match=r"org/model.*org/onnx-model"):
        Retriever(path, embedder=TextEmbedding())


def test_a_name_of_ones_own():
    assert EncoderEmbedder(Plain(), name="mine").name == "mine"


def test_what_has_no_method_is_no_model():
    with pytest.raises(EmbedderError, match=r"int is no embedder.*encode\(texts\)"):
        as_embedder(5)
