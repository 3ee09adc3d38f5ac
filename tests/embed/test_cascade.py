"""Which embedder asks a graph whose caller gave none."""

import sqlite3
import warnings

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


@pytest.mark.parametrize("dimensions", [5, 768, 3072])
def test_other_dimensions_are_geminis_where_there_is_a_key(gemini, key, dimensions):
    with graph(dimensions) as retriever:
        hits = retriever.search("ddc", mode="embedding").hits
        assert hits[0].node.id == "ccd" and hits[0].components.embedding == pytest.approx(1)
        body = gemini.requests[0][2]["requests"][0]
        assert (body["outputDimensionality"], body["taskType"]) == (dimensions, "RETRIEVAL_QUERY")
        assert len(retriever.query_vector(["ddc", "c"])) == dimensions
        assert retriever.info()["embedder"] is None  # nobody said where the vectors are from


def test_nodes_of_a_graph_of_unknown_origin_are_not_sent_to_the_service(gemini, key):
    with graph(5) as retriever:
        retriever.add([Node("new", name="ddd")])
        assert gemini.requests == [] and retriever.info()["vectors"] == 3


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


def test_without_the_extra_static_vectors_are_padded(gemini, key, monkeypatch):
    monkeypatch.setattr(cascade, "gemini_installed", lambda: False)
    with graph(5) as retriever, pytest.warns(FourfoldWarning, match="padded or cut"):
        retriever.search("ccd")


def test_more_dimensions_than_the_service_has(gemini, key):
    with graph(4000) as retriever, pytest.warns(FourfoldWarning, match="padded or cut"):
        retriever.search("ccd")
    assert gemini.requests == []


@pytest.mark.parametrize("bad", ["a-wrong-key", "a wrong\tkey"])
def test_a_refused_key_goes_on_with_static_vectors_and_says_so_once(gemini, monkeypatch, bad):
    monkeypatch.setenv("GEMINI_API_KEY", bad)
    with graph(5) as retriever, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for word in WORDS:
            assert retriever.search(word).degraded == ()
        retriever.query_vector(WORDS)
    refusals = [str(w.message) for w in caught if "is not asked again" in str(w.message)]
    assert len(refusals) == 1 and "key" in refusals[0] and bad not in refusals[0]
    assert {w.category for w in caught} == {FourfoldWarning}
    assert len(gemini.requests) == (bad == "a-wrong-key")


@pytest.mark.parametrize("fault", [400, 404])
def test_another_failure_leaves_the_embedding_out_of_that_answer(gemini, key, fault, caplog):
    with graph(5) as retriever:
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


def test_a_graph_of_geminis_is_asked_and_fed_by_gemini(gemini, own, monkeypatch):
    monkeypatch.setenv("GEMINI_API_KEY", KEY)
    with Retriever(own) as retriever:
        assert retriever.embedder.name == "gemini:gemini-embedding-001:5" and retriever.embedder is retriever.embedder
        assert retriever.search("ddc").hits[0].node.id == "ccd"
        retriever.add([Node("eee", name="eee")])
        assert [r[2]["requests"][0]["taskType"] for r in gemini.requests] == ["RETRIEVAL_QUERY", "RETRIEVAL_DOCUMENT"]
        assert retriever.embedder.usage.requests == 2 and retriever.info()["vectors"] == 4


def test_a_graph_of_geminis_without_a_key_says_what_to_do(own, monkeypatch):
    with Retriever(own) as retriever:
        assert retriever.search("ccd", mode="text").ids == ["ccd"]
        with pytest.raises(EmbedderMismatchError, match=r"gemini:gemini-embedding-001:5.*set GEMINI_API_KEY or"):
            retriever.search("ccd")
        monkeypatch.setattr(cascade, "gemini_installed", lambda: False)
        with pytest.raises(EmbedderMismatchError, match=r"pip install 'fourfold\[gemini\]' and set GEMINI_API_KEY"):
            retriever.add([Node("eee", name="eee")])
    with pytest.raises(EmbedderMismatchError, match="letters"):
        Retriever(own, embedder=letters)


def letters(texts):
    return [[1.0] * 5] * len(texts)


def test_a_graph_of_geminis_with_a_refused_key_is_searched_without_vectors(gemini, own, monkeypatch, caplog):
    monkeypatch.setenv("GEMINI_API_KEY", "a-wrong-key")
    with Retriever(own) as retriever:
        with pytest.warns(FourfoldWarning, match="refused the key.*not asked again") as caught:
            assert retriever.search("ccd").degraded == ("embedding",)
        assert len(caught) == 1
        assert retriever.search("bbc").degraded == ("embedding",)  # other vectors would mean nothing here
        with pytest.raises(KeyRefusedError, match="refused the key"):
            retriever.search("bbc", mode="embedding")
        assert len(gemini.requests) == 1
        with pytest.raises(KeyRefusedError, match="API_KEY_INVALID"):
            retriever.add([Node("eee", name="eee")])
        assert len(retriever) == 3


def test_a_config_that_is_applied_keeps_the_choice(gemini, key):
    with graph(5) as retriever:
        retriever.apply_config(retriever.config)
        assert retriever.search("ddc", mode="embedding").ids[0] == "ccd" and len(gemini.requests) == 1


def test_an_embedder_that_is_given_is_the_one(gemini, key):
    with graph(5, embedder=letters) as retriever:
        retriever.search("ccd")
        assert gemini.requests == [] and retriever.embedder.name.endswith("letters")


# -- foreign graphs -----------------------------------------------------------------------------------------------


def test_the_vectors_of_a_foreign_graph(gemini, monkeypatch, tmp_path):
    path = tmp_path / "theirs.db"
    rows = [(word, np.array([word.count(c) for c in "abcde"], "<f4").tobytes()) for word in WORDS] + [("ddd", None)]
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE nodes (id TEXT PRIMARY KEY, name TEXT, embedding BLOB)")
        connection.executemany("INSERT INTO nodes VALUES (?1, ?1, ?2)", rows)
    connection.close()
    with Retriever.open_foreign(path) as theirs, pytest.warns(FourfoldWarning, match="padded or cut"):
        theirs.search("ccd")
    monkeypatch.setenv("GOOGLE_API_KEY", KEY)
    with Retriever.open_foreign(path) as theirs:
        assert theirs.search("ddc", mode="embedding").ids[0] == "ccd"
        assert gemini.texts == [["ddc"]] and theirs.info()["vectors"] == 3
