"""Which embedder asks a graph whose caller gave none."""

import sqlite3
from contextlib import closing

import numpy as np
import pytest

from fourfold import EmbedderError, EmbedderMismatchError, FourfoldWarning, KeyRefusedError, Node, Retriever
from fourfold.embed import GeminiEmbedder, cascade
from fourfold.embed.static import bundled

KEY = "AIzaSy-a-secret-of-39-characters-abcdef"
WORDS = ["aab", "bbc", "ccd"]


@pytest.fixture
def key(gemini, monkeypatch):
    monkeypatch.setenv("GEMINI_API_KEY", KEY)


def graph(dimensions, **options):
    """Return a graph with the service's own vectors, of which nobody says where they are from."""
    retriever = Retriever(**options)
    rows = [[float(word.count(chr(ord("a") + n % 26))) for n in range(dimensions)] for word in WORDS]
    retriever.add([Node(word, name=word, vector=row) for word, row in zip(WORDS, rows, strict=True)])
    return retriever


def test_256_dimensions_are_the_static_models(gemini, key):
    with graph(256) as retriever:
        assert retriever.search("ccd").degraded == () and retriever.embedder is bundled()
    with Retriever() as retriever:
        retriever.add([Node("a", name="alpha")])
        assert retriever.search("alpha").ids == ["a"] and retriever.info()["embedder"] == bundled().name
    assert gemini.requests == []


def test_nothing_goes_to_the_service_unless_the_program_says_so(gemini, key):
    with graph(5) as retriever:
        with pytest.warns(FourfoldWarning, match="padded or cut"):
            assert retriever.search("ccd").degraded == ()
        with pytest.warns(FourfoldWarning, match="padded or cut"):
            assert retriever.query_vector(["ccd"]).shape == (5,)
        assert retriever.embedder is bundled() and retriever.info()["embedder"] is None
    assert gemini.requests == []


@pytest.mark.parametrize("dimensions", [5, 768, 3072])
def test_the_service_is_asked_by_name(gemini, key, dimensions):
    with graph(dimensions, embedder=f"gemini:gemini-embedding-001:{dimensions}") as retriever:
        hits = retriever.search("ddc", mode="embedding").hits
        assert hits[0].node.id == "ccd" and hits[0].components.embedding == pytest.approx(1)
        body = gemini.requests[0][2]["requests"][0]
        assert (body["outputDimensionality"], body["taskType"]) == (dimensions, "RETRIEVAL_QUERY")
        assert len(retriever.query_vector(["ddc", "c"])) == dimensions
        assert retriever.info()["embedder"] is None  # nobody said where the vectors are from


@pytest.mark.parametrize("embedder", [None, "gemini:gemini-embedding-001:5", GeminiEmbedder(256, api_key=KEY)])
def test_vectors_of_unknown_origin_get_no_company(gemini, key, embedder):
    dimensions = 256 if isinstance(embedder, GeminiEmbedder) or embedder is None else 5
    with graph(dimensions, embedder=embedder) as retriever:
        retriever.add([Node("new", name="ddd"), Node("newer", name="dde", vector=[1.0] * dimensions)])
        assert gemini.requests == [] and retriever.info()["vectors"] == 4 and retriever.info()["embedder"] is None
        retriever.add([Node("none", name="e")])
        with pytest.raises(EmbedderMismatchError, match="Nobody knows what made the vectors.*reembed"):
            retriever.add([Node("other", name="f", vector=[1.0] * dimensions)], vectors_by="somebody's")


def test_vectors_of_unknown_origin_do_not_come_to_known_ones():
    with Retriever() as retriever:
        retriever.add([Node("a", name="alpha")])
        given = Node("b", name="beta", vector=bundled().embed_query("beta"))
        with pytest.raises(EmbedderMismatchError, match=f"unknown origin.*{bundled().name}.*vectors_by="):
            retriever.add([given])
        assert len(retriever) == 1
        retriever.add([given], vectors_by=retriever.embedder.name)
        assert retriever.info()["vectors"] == 2
        with pytest.raises(EmbedderMismatchError, match="of several embedders: 'another', 'static"):
            retriever.add([given], vectors_by="another")


def test_whose_vectors_were_brought_is_remembered(tmp_path):
    path = tmp_path / "kg.sqlite"
    with Retriever(path, embedder=letters) as retriever:
        brought = [Node("a", name="alpha", vector=[1, 0, 0, 0, 0]), Node("b", name="beta")]
        retriever.add(brought, vectors_by=retriever.embedder.name)
        assert retriever.info()["vectors"] == 2
    with pytest.raises(EmbedderMismatchError, match="made with the embedder .*letters.*has .*others"):
        Retriever(path, embedder=others)
    with Retriever(path) as retriever, pytest.raises(EmbedderMismatchError, match="letters"):
        retriever.search("alpha")


@pytest.mark.parametrize("dimensions", [5, 300])
def test_without_a_key_static_vectors_are_padded_or_cut(gemini, dimensions):
    with graph(dimensions) as retriever:
        with pytest.warns(FourfoldWarning, match=f"gives 256 dimensions.*have {dimensions}; .*padded or cut") as caught:
            assert retriever.search("ccd").degraded == ()
        assert caught[0].filename == __file__
        with pytest.warns(FourfoldWarning, match="padded or cut"):
            assert retriever.query_vector(["ccd"]).shape == (dimensions,)
        static = bundled().embed_query("ccd")
        with pytest.warns(FourfoldWarning):
            padded = retriever.query_vector(["ccd"])
        np.testing.assert_array_equal(padded[:256], static[:dimensions])
        assert not padded[256:].any()
    assert gemini.requests == []


@pytest.mark.parametrize("fault", [400, 404])
def test_a_failure_leaves_the_embedding_out_of_that_answer(gemini, key, fault, caplog):
    with graph(5, embedder="gemini:gemini-embedding-001:5") as retriever:
        gemini.faults = [fault]
        result = retriever.search("ccd")
        assert result.degraded == ("embedding",) and result.ids[0] == "ccd"
        assert "gemini-embedding-001" in caplog.text and f"status {fault}" in caplog.text
        assert retriever.search("ccd").degraded == ()
        gemini.faults = [fault]
        with pytest.raises(EmbedderError, match=f"status {fault}"):
            retriever.search("aab", mode="embedding")


# -- graphs that Gemini has embedded ------------------------------------------------------------------------------


@pytest.fixture
def own(gemini, tmp_path):
    path = tmp_path / "own.sqlite"
    with Retriever(path, embedder=GeminiEmbedder(5, api_key=KEY)) as retriever:
        retriever.add([Node(word, name=word) for word in WORDS])
    gemini.requests.clear()
    return path


def test_a_graph_of_geminis_is_asked_and_fed_by_gemini(gemini, own, key):
    with Retriever(own, embedder="gemini:gemini-embedding-001:5") as retriever:
        assert retriever.embedder.name == "gemini:gemini-embedding-001:5" and retriever.embedder is retriever.embedder
        assert retriever.search("ddc").hits[0].node.id == "ccd"
        retriever.add([Node("eee", name="eee")])
        assert [r[2]["requests"][0]["taskType"] for r in gemini.requests] == ["RETRIEVAL_QUERY", "RETRIEVAL_DOCUMENT"]
        assert retriever.embedder.usage.requests == 2 and retriever.info()["vectors"] == 4


@pytest.mark.parametrize("in_environment", [False, True])
def test_a_graph_of_geminis_opened_without_it_says_what_to_do(gemini, own, monkeypatch, in_environment):
    if in_environment:
        monkeypatch.setenv("GEMINI_API_KEY", KEY)
    need = "give embedder='gemini:gemini-embedding-001:5'"
    need = need if in_environment else f"set GEMINI_API_KEY or GOOGLE_API_KEY and {need}"
    with Retriever(own) as retriever:
        assert retriever.search("ccd", mode="text").ids == ["ccd"]
        with pytest.raises(EmbedderMismatchError, match=rf"gemini:gemini-embedding-001:5', .*; {need}"):
            retriever.search("ccd")
        monkeypatch.setattr(cascade, "gemini_installed", lambda: False)
        with pytest.raises(EmbedderMismatchError, match=rf"pip install 'fourfold\[gemini\]' and {need}"):
            retriever.add([Node("eee", name="eee")])
    with pytest.raises(EmbedderMismatchError, match="letters"):
        Retriever(own, embedder=letters)
    assert gemini.requests == []


def letters(texts):
    return [[1.0] * 5] * len(texts)


def others(texts):
    return [[1.0] * 5] * len(texts)


def test_a_refused_key_leaves_the_embedding_out(gemini, own, monkeypatch, caplog):
    monkeypatch.setenv("GEMINI_API_KEY", "a-wrong-key")
    with Retriever(own, embedder="gemini:gemini-embedding-001:5") as retriever:
        assert retriever.search("ccd").degraded == ("embedding",)  # other vectors would mean nothing here
        assert "refused the key" in caplog.text and "a-wrong-key" not in caplog.text
        with pytest.raises(KeyRefusedError, match="refused the key"):
            retriever.search("bbc", mode="embedding")
        with pytest.raises(KeyRefusedError, match="API_KEY_INVALID"):
            retriever.add([Node("eee", name="eee")])
        assert len(retriever) == 3


def test_a_config_that_is_applied_keeps_the_embedder(gemini, key):
    with graph(5, embedder="gemini:gemini-embedding-001:5") as retriever:
        retriever.learning.apply_config(retriever.config)
        assert retriever.search("ddc", mode="embedding").ids[0] == "ccd" and len(gemini.requests) == 1


# -- foreign graphs -----------------------------------------------------------------------------------------------


def test_the_vectors_of_a_foreign_graph(gemini, monkeypatch, tmp_path):
    path = tmp_path / "theirs.db"
    rows = [(word, np.array([word.count(c) for c in "abcde"], "<f4").tobytes()) for word in WORDS] + [("ddd", None)]
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE nodes (id TEXT PRIMARY KEY, name TEXT, embedding BLOB)")
        connection.executemany("INSERT INTO nodes VALUES (?1, ?1, ?2)", rows)
    connection.close()
    with Retriever.open_foreign(path) as theirs, pytest.warns(FourfoldWarning, match="padded or cut"):
        theirs.search("ccd")
    monkeypatch.setenv("GOOGLE_API_KEY", KEY)
    with Retriever.open_foreign(path) as theirs, pytest.warns(FourfoldWarning, match="padded or cut"):
        theirs.search("bbc")
    assert gemini.requests == []
    with Retriever.open_foreign(path, embedder="gemini:gemini-embedding-001:5") as theirs:
        assert theirs.search("ddc", mode="embedding").ids[0] == "ccd"
        assert gemini.texts == [["ddc"]] and theirs.info()["vectors"] == 3
