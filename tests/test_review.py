"""One test for each defect that a review of the whole found."""

import pytest

from fourfold import (
    Edge,
    EmbedderError,
    IntentSpec,
    InvalidValueError,
    Node,
    RetrievalConfig,
    Retriever,
    SearchError,
    Weights,
)

PUBLISHED = RetrievalConfig.published().replace(text={"phrase": "never"})


def graph(**options):
    retriever = Retriever(**options)
    nodes = [Node(f"n{i:02}", f"save data {i}", "tool", metadata={"src": i % 7}) for i in range(30)]
    retriever.add(nodes, [Edge(f"n{i:02}", f"n{(i * 7 + 3) % 30:02}", "requires") for i in range(30)])
    return retriever


@pytest.mark.parametrize("config", [RetrievalConfig(), PUBLISHED])
def test_explain_agrees_with_a_grouped_answer(config):
    with graph(config=config) as retriever:
        options = {"k": 3, "group_by": "src"}
        for rank, hit in enumerate(retriever.search("save data", **options), 1):
            told = retriever.explain("save data", hit.node.id, **options)
            assert (told.rank, told.score) == (rank, pytest.approx(hit.score, abs=1e-12))


def test_equal_sums_of_different_summands_tie_in_published():
    nodes = [Node("b", "list", vector=[1.0, 0.0]), Node("a", "x", vector=[0.0, 1.0]), Node("c", "y", vector=[0.0, 1.0])]
    with Retriever(config=PUBLISHED) as retriever:
        retriever.add(nodes, [Edge("b", "a", "requires")])
        result = retriever.search("zzz", query_vector=[1.0, 0.0], weights=Weights(0.3, 0.4, 0.3, 0.0))
    assert [hit.score for hit in result] == [0.3, 0.3]
    assert result.ids == ["a", "b"]


def test_the_cut_of_the_embeddings_goes_to_the_smaller_ids():
    nodes = [Node(f"n{i}", f"name {i}", vector=[1.0, 0.0]) for i in range(8)]
    with Retriever(config=PUBLISHED) as retriever:
        retriever.add(nodes, [Edge("n7", "n0", "requires")])
        hit = retriever.search("zzz", k=1, query_vector=[1.0, 0.0]).hits[0]
    assert (hit.node.id, hit.components.graph) == ("n0", 0.0)


def test_an_intent_of_ones_own_leaves_the_weights_of_the_others():
    own = IntentSpec("greeting", patterns=(r"\bhello\b",), profile=Weights(1, 0, 0, 0))
    config = RetrievalConfig()
    with graph() as plain, graph(config=config.replace(intents={"specs": (own, *config.intents.specs)})) as extended:
        assert plain.search("fix error").weights == extended.search("fix error").weights


@pytest.mark.parametrize(
    "changes",
    [
        {"graph": {"type_weights": {"t": float("nan")}}},
        {"graph": {"type_weights": {"t": -1.0}}},
        {"fusion": {"scaling": "foo"}},
        {"text": {"k1": -5.0}},
        {"text": {"b": 9.0}},
        {"intents": {"specs": (IntentSpec("x"), IntentSpec("x"))}},
    ],
)
def test_constants_that_no_search_can_use(changes):
    with pytest.raises(InvalidValueError):
        RetrievalConfig().replace(**changes)


def test_a_config_can_be_hashed():
    assert hash(RetrievalConfig()) == hash(RetrievalConfig())


def test_what_is_no_filter_is_refused_and_no_weights_are_the_methods():
    with graph() as retriever:
        with pytest.raises(ValueError, match="mapping"):
            retriever.search("save", filter=[])
        with pytest.raises(ValueError, match="unknown"):
            retriever.search("save", intent="")
        assert retriever.search("save data", weights={}).weights == retriever.search("save data").weights


def test_embedding_alone_that_fails_is_an_error_that_tells_the_cause():
    def broken(texts):
        if texts == ["save"]:
            raise OSError("no service")
        return [[1.0, 0.0] for _ in texts]

    with graph(embedder=broken) as retriever:
        with pytest.raises(EmbedderError, match="no service"):
            retriever.search("save", mode="embedding")
        with pytest.raises(SearchError, match="embedding"):
            retriever.search("save", weights=Weights(1, 0, 0, 0))
