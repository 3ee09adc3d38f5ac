"""Bad input gets a sentence, never a traceback of ours or a wrong answer."""

# ruff: noqa: E501 (tables of cases read better on one line)

import json
import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fourfold import (
    DimensionError,
    Edge,
    EmbedderError,
    EmbedderMismatchError,
    FourfoldError,
    InvalidValueError,
    Node,
    RetrievalConfig,
    Retriever,
    UnknownNodeError,
    Weights,
)


def embed(texts):
    return [[len(text) % 7 + 1.0, text.count("a") + 0.5, 1.0] for text in texts]


def make(config=None):
    retriever = Retriever(embedder=embed, config=config)
    retriever.add(
        [
            Node("a", name="alpha save", metadata={"n": 1}),
            Node("b", name="beta load"),
            Node("c", text="gamma NEAR delta"),
        ],
        [Edge("a", "b", "requires"), Edge("b", "c", "")],
    )
    return retriever


@pytest.fixture(scope="module", params=["default", "published"])
def either(request):
    with make(RetrievalConfig() if request.param == "default" else RetrievalConfig.published()) as retriever:
        yield retriever


@pytest.fixture
def retriever():
    with make() as made:
        yield made


# -- queries ------------------------------------------------------------------------------------------------------------

FTS_SYNTAX = ['"', '""', '"""', "NEAR(a b)", "a NEAR/2 b", "a AND", "OR", "NOT a", "*", "a*", '"a" "b', "name:x", "-a", "^a",
              "{name}: a", "(" * 3000, '"' + "a " * 20_000 + '"', "a' OR 1=1 --", "?", ":1"]  # fmt: skip


def check_answer(result):
    json.dumps(result.as_dict(), allow_nan=False)
    str(result), result._repr_html_().encode()
    assert not result.degraded
    assert [hit.score for hit in result.hits] == sorted((hit.score for hit in result.hits), reverse=True)
    assert all(hit.score >= 0 for hit in result.hits)


@settings(max_examples=120, deadline=None)
@given(
    st.one_of(st.text(), st.text(st.characters(categories=["Cs", "Cc", "Po", "Ll", "Zs", "Cf", "Mn"]))),
    st.sampled_from(["hybrid", "text", "embedding"]),
)
@example("\ud800 alpha", "hybrid")
@example("\x00", "text")
@example('"\x00"', "text")
@example("", "hybrid")
@example("the of and", "hybrid")
def test_any_query_is_answered(either, query, mode):
    check_answer(either.search(query, mode=mode))


@pytest.mark.parametrize("query", FTS_SYNTAX)
def test_fts_syntax_is_only_text(either, query):
    check_answer(either.search(query))


def test_a_phrase_with_a_lone_surrogate_or_nul_still_finds_the_rest(retriever):
    assert retriever.search('"alpha save"\ud800', mode="text").ids[0] == "a"
    assert retriever.search("alpha\x00", mode="text").ids[0] == "a"


def test_an_empty_query_has_no_hits_by_text(retriever):
    for query in ("", "   ", "the of", "?!"):
        assert retriever.search(query, mode="text").hits == ()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"k": 0}, "k is 0"),
        ({"k": -3}, "k is -3"),
        ({"k": 2.5}, "k is 2.5"),
        ({"k": True}, "k is True"),
        ({"max_per_source": 0}, "max_per_source is 0"),
        ({"mode": "fuzzy"}, "'fuzzy'"),
        ({"mode": ["text"]}, "mode"),
        ({"intent": "shopping"}, "'shopping'"),
        ({"intent": ["debugging"]}, "intent"),
        ({"group_by": ["n"]}, "group_by"),
        ({"min_score": math.nan}, "min_score"),
        ({"weights": {"text": -1}}, "text is -1"),
        ({"weights": {"text": math.inf}}, "text is inf"),
        ({"weights": {"text": math.nan}}, "text is nan"),
        ({"weights": {"text": "much"}}, "'much'"),
        ({"weights": {"text": 0, "embedding": 0, "graph": 0, "intent": 0}}, "All four weights are 0"),
        ({"weights": {"txt": 1, 3: 1}}, "'txt'"),
        ({"weights": 5}, "weights is 5"),
        ({"weights": [1, 2, 3, 4]}, "weights"),
        ({"query_vector": [1, 2]}, "2 dimensions.*3"),
        ({"query_vector": [1, math.nan, 2]}, "NaN"),
        ({"query_vector": [1, math.inf, 2]}, "infinite"),
        ({"query_vector": [1e300, 1, 1]}, "infinite"),
        ({"query_vector": [3e38, 3e38, 3e38]}, "overflows"),
        ({"query_vector": "abc"}, "query_vector"),
        ({"query_vector": [[1, 2, 3]]}, "shape"),
        ({"query_vector": [[1], [2, 3]]}, "query_vector"),
        ({"query_vector": []}, "shape"),
    ],
)
def test_an_option_that_cannot_be_meant_is_named(retriever, options, says):
    for ask in (retriever.search, lambda query, **given: retriever.explain(query, "a", **given)):
        with pytest.raises(InvalidValueError, match=says) as caught:
            ask("alpha", **options)
        assert isinstance(caught.value, ValueError)


def test_explain_refuses_what_is_no_option_and_no_node(retriever):
    asks = (
        retriever.search,
        lambda query, **options: retriever.explain(query, "a", **options),
        lambda query, **options: retriever.analysis.scores(query, np.array([1]), **options),
    )
    for ask in asks:
        with pytest.raises(TypeError, match="'limit'"):
            ask("alpha", limit=3)
    for unknown in ("nobody", "\ud800", "a\x00"):
        with pytest.raises(UnknownNodeError):
            retriever.explain("alpha", unknown)


def test_a_query_that_is_no_string(retriever):
    for query in (None, 5, b"alpha", ["alpha"]):
        with pytest.raises(InvalidValueError, match="must be a string"):
            retriever.search(query)


def test_weights_refuse_what_no_sum_can_use():
    with pytest.raises(ValueError, match="graph is -0.1"):
        Weights(1, 1, -0.1, 0)
    with pytest.raises(ValueError, match="All four"):
        Weights(0, 0, 0, 0)
    assert json.dumps(Weights(np.float32(0.5), 1, 0, 0).as_dict())


def test_enormous_and_tiny_weights_are_only_relative(retriever):
    for size in (1e308, 1e-300, 5e-324):
        weights = retriever.search("alpha", weights=Weights(size, size, size, size)).weights
        assert weights.as_tuple() == pytest.approx((0.25,) * 4)


# -- writes -------------------------------------------------------------------------------------------------------------

DEEP = {}
for _ in range(100_000):
    DEEP = {"deeper": DEEP}


@pytest.mark.parametrize(
    ("node", "says"),
    [
        (Node(""), "not empty"),
        (Node(1), "must be a string"),
        (Node([]), "must be a string"),
        (Node("x\x00y"), "NUL"),
        (Node("\ud800"), "surrogate"),
        (Node("x", name=None), "name of node 'x'"),
        (Node("x", text=b"bytes"), "text of node 'x'"),
        (Node("x", text="\ud800"), "surrogate"),
        (Node("x", metadata=None), "mapping"),
        (Node("x", metadata={"a": math.nan}), "JSON"),
        (Node("x", metadata={"a": {1, 2}}), "JSON"),
        (Node("x", metadata={"a": "\udfff"}), "JSON"),
        (Node("x", metadata={(1, 2): "a"}), "JSON"),
        (Node("x", metadata={1: "a", "b": 2}), "JSON"),
        (Node("x", metadata=DEEP), "JSON"),
        (Node("x", vector=[1, 2]), "'x' has 2 dimensions.*3"),
        (Node("x", vector=[1, math.nan, 3]), "NaN"),
        (Node("x", vector=[1, math.inf, 3]), "infinite"),
        (Node("x", vector=[1, 1e300, 3]), "infinite"),
        (Node("x", vector=[1, 1e30, 3]), "overflows"),
        (Node("x", vector=[]), "shape"),
        (Node("x", vector=[[1, 2, 3]]), "shape"),
        (Node("x", vector="abc"), "no list of numbers"),
        ("x", "fourfold.Node"),
        ({"id": "x"}, "fourfold.Node"),
        (None, "fourfold.Node"),
    ],
)
def test_a_node_that_cannot_be_stored_is_named_and_nothing_is_written(retriever, node, says):
    generation = retriever.generation
    with pytest.raises(InvalidValueError, match=says):
        retriever.add([Node("fine"), node])
    assert retriever.generation == generation and len(retriever) == 3


@pytest.mark.parametrize(
    ("edge", "says"),
    [
        (Edge("a", "b", "t", math.nan), "nan"),
        (Edge("a", "b", "t", math.inf), "inf"),
        (Edge("a", "b", "t", -1), "-1"),
        (Edge("a", "b", "t", 1e300), "1e\\+300"),
        (Edge("a", "b", "t", 10**400), "10\\*\\*400"),
        (Edge("a", "b", "t", 10**5000), "10\\*\\*5000"),
        (Edge("a", "b", "t", "1"), "'1'"),
        (Edge("a", "b", "t", True), "True"),
        (Edge("a", "b", None), "strings"),
        (Edge("a", "b", "is " * 1_000), "a type of 3,000 characters, at most 1,000"),
        (Edge("a", 5), "strings"),
        (Edge("\ud800", "b"), "surrogate"),
        (Edge("a", "b", "\ud800"), "surrogate"),
        (("a", "b"), "fourfold.Edge"),
    ],
)
def test_an_edge_that_cannot_be_stored_is_named_and_nothing_is_written(retriever, edge, says):
    generation = retriever.generation
    with pytest.raises(InvalidValueError, match=says):
        retriever.add([Node("fine")], [Edge("a", "b", "ok"), edge])
    assert retriever.generation == generation and len(retriever) == 3


def test_edges_to_unknown_nodes_list_the_first_few(retriever):
    generation = retriever.generation
    with pytest.raises(UnknownNodeError) as caught:
        retriever.add([Node("fine")], [Edge("a", f"x{n}") for n in range(9)] + [Edge("fine", "a\x00")])
    assert str(caught.value).startswith(
        "Edges name nodes that are not in the graph: 'x0', 'x1', 'x2', 'x3', 'x4' and 5 more"
    )
    assert retriever.generation == generation and retriever.get(["fine"]) == []
    assert retriever.search("fine", mode="text").total == 0


def test_ids_nobody_has_are_passed_over(retriever):
    odd = ["nobody", "", "a\x00", "\ud800"]
    assert retriever.get(odd) == [] and retriever.edges(odd) == [] and retriever.delete(odd) == 0
    assert retriever.delete([], edges=[Edge("\ud800", "a"), Edge("a", "b", "no such type")]) == 0
    assert len(retriever) == 3


def test_metadata_at_the_edges_of_json(retriever):
    metadata = {"big": 10**400, "deep": {"a": {"b": [1, [2]]}}, "": "empty key", "nul\x00": "x\x00y"}
    retriever.add([Node("x", name="extreme", metadata=metadata)])
    assert retriever.get(["x"])[0].metadata == metadata
    assert retriever.search("extreme", mode="text", filter={"big": {"$gt": 1e308}}).ids == ["x"]
    assert retriever.search("extreme", mode="text", filter={"nul\x00": "x\x00y"}).ids == ["x"]


def test_an_add_of_nothing_is_no_write(retriever):
    assert retriever.add() == retriever.add([], []) == retriever.generation


# -- embedders ----------------------------------------------------------------------------------------------------------


def test_an_index_made_with_another_embedder_names_both(tmp_path):
    with Retriever(tmp_path / "g.sqlite", embedder=embed) as first:
        first.add([Node("a", name="alpha")])

    def another(texts):
        return embed(texts)

    with pytest.raises(EmbedderMismatchError, match=r"embed'.*another'"):
        Retriever(tmp_path / "g.sqlite", embedder=another)
    with Retriever(tmp_path / "g.sqlite") as default:  # opened without saying: refused when it would matter
        assert default.search("alpha", mode="text").ids == ["a"]
        with pytest.raises(EmbedderMismatchError, match=r"embed'.*static:"):
            default.search("alpha")
        with pytest.raises(EmbedderMismatchError):
            default.add([Node("b", name="beta")])


@pytest.mark.parametrize(
    "made",
    [
        lambda texts: None,
        lambda texts: [[1.0, 2.0]],
        lambda texts: [1.0] * len(texts),
        lambda texts: [[math.nan, 1.0]] * len(texts),
        lambda texts: [[math.inf, 1.0]] * len(texts),
        lambda texts: [[1e300, 1.0]] * len(texts),
        lambda texts: [["a", "b"]] * len(texts),
        lambda texts: [["1", "2"]] * len(texts),
        lambda texts: [[1.0 + 2.0j, 1.0]] * len(texts),
        lambda texts: [[]] * len(texts),
        lambda texts: [[1.0] * (n + 1) for n, _ in enumerate(texts)],
        lambda texts: 1 / 0,
    ],
)
def test_an_embedder_that_returns_rubbish_is_named_and_nothing_is_written(made):
    with Retriever(embedder=made) as retriever:
        with pytest.raises(EmbedderError, match="lambda"):
            retriever.add([Node("a"), Node("b"), Node("c")])
        assert len(retriever) == 0 and retriever.search("a").total == 0


def test_an_embedder_that_changes_its_dimension_cannot_spoil_the_file():
    calls = []

    def growing(texts):
        calls.append(texts)
        return [[1.0] * (len(calls) + 1)] * len(texts)

    with Retriever(embedder=growing) as retriever:
        retriever.add([Node("a", name="alpha")])
        with pytest.raises(DimensionError, match="3 dimensions.*2"):
            retriever.add([Node("b")])
        assert len(retriever) == 1 and retriever.search("alpha", mode="text").ids == ["a"]


def test_an_embedder_that_changes_its_dimension_between_batches(monkeypatch):
    monkeypatch.setattr("fourfold.graph_embedding._BATCH", 2)
    sizes = iter((2, 3, 2))
    with Retriever(embedder=lambda texts: [[1.0] * next(sizes)] * len(texts) if len(texts) < 3 else None) as retriever:
        with pytest.raises(FourfoldError, match="2 and 3 dimensions"):
            retriever.add(Node(str(n)) for n in range(4))
        assert len(retriever) == 0


@pytest.mark.parametrize(
    "raised", [MemoryError(), RuntimeError("x" * 10**6), RuntimeError("a\n\x1b[31mb."), StopIteration()]
)
def test_what_an_embedder_raises_is_told_in_one_line_of_a_sentence(raised):
    def failing(texts):
        raise raised

    with Retriever(embedder=failing) as retriever:
        with pytest.raises(EmbedderError, match=r"failing' failed, nothing was written: \S.{0,1000}[^.]\.\Z") as caught:
            retriever.add([Node("a")])
        assert "\x1b" not in str(caught.value)


def test_an_error_without_words_of_its_own_is_told_by_its_kind():
    class Wordless(Exception):
        def __str__(self):
            raise RuntimeError("no words")

    def embed(texts):
        raise Wordless

    with pytest.raises(EmbedderError, match="failed, nothing was written: Wordless"):
        Retriever(embedder=embed).add([Node("a", "alpha")])


@pytest.mark.parametrize("name", ["", "two\nlines", "\u202e", "a\0", "\ud800", 5, b"x", True, "x" * 1001])
def test_a_name_that_no_file_can_keep_beside_vectors_is_refused_before_it_spoils_one(tmp_path, name):
    class Named:
        embed_documents = staticmethod(embed)

        def embed_query(self, text):
            return embed([text])[0]

    Named.name = name
    path = tmp_path / "kg.sqlite"
    with pytest.raises(InvalidValueError, match="name of the embedder is .+ printable"):
        Retriever(path, embedder=Named())
    with Retriever(path) as retriever, pytest.raises(InvalidValueError, match="vectors_by is .+ printable"):
        retriever.add([Node("a", "alpha", vector=[1.0, 2.0])], vectors_by=name)
    with Retriever(path) as retriever:
        assert retriever.add([Node("a", "alpha", vector=[1.0, 2.0])], vectors_by="bge small/v1.5") == 1
        assert retriever.info()["embedder"] == "bge small/v1.5"


class Word(str):
    """A string whose every word about itself fails."""

    def fail(self, *_):
        raise RuntimeError("hostile")

    __eq__ = __str__ = __repr__ = __len__ = __lt__ = __format__ = encode = isascii = strip = lower = fail
    __hash__ = str.__hash__


class Count(int):
    def __lt__(self, other):
        raise RuntimeError("hostile")

    __gt__ = __le__ = __ge__ = __str__ = __repr__ = __index__ = __lt__


class Share(float):
    def __float__(self):
        raise RuntimeError("hostile")


def test_what_is_more_than_a_string_or_a_number_is_read_by_what_it_holds():
    retriever = Retriever(embedder=embed)
    node = Node(
        Word("a"), Word("alpha"), Word("tool"), Word("save"), {Word("k"): Word("v"), "l": [Count(3), Share(0.5)]}
    )
    retriever.add([node, Node("b")], [Edge(Word("a"), Word("b"), Word("requires"), Share(0.5))])
    (found,) = retriever.get([Word("a")])
    assert found == Node("a", "alpha", "tool", "save", {"k": "v", "l": [3, 0.5]})
    assert retriever.edges(Word("a")) == [Edge("a", "b", "requires", 0.5)]
    options = {
        "intent": Word("default"),
        "mode": Word("hybrid"),
        "group_by": Word("k"),
        "k": Count(2),
        "min_score": Share(0),
    }
    for condition in (
        {Word("k"): Word("v")},
        {"l": Count(3)},
        {"k": {Word("$in"): [Word("v"), None]}},
        {"k": {"$icontains": Word("V")}},
    ):
        assert retriever.search(Word("alpha"), filter=condition, **options).ids[0] == "a"
    retriever.learning.feedback(Word("alpha"), Word("a"), Share(0.5))
    assert retriever.learning.judgements() == [("alpha", "a", 0.5)]
    assert retriever.delete([Word("a")]) == 1


def test_something_that_is_no_embedder():
    with pytest.raises(EmbedderError, match="int is no embedder"):
        Retriever(embedder=5)


# -- small graphs -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("config", [RetrievalConfig(), RetrievalConfig.published()])
def test_graphs_that_lack_something(config):
    with Retriever(embedder=embed, config=config) as empty:
        assert empty.search("alpha").hits == () and empty.search("alpha", k=5, group_by="n").hits == ()
        empty.add([Node("only", name="alpha")])
        assert empty.search("alpha", k=1000).ids == ["only"]  # one node, no edges, k beyond the corpus
        empty.add([], [Edge("only", "only", "requires")])
        assert empty.search("alpha", k=2**70).ids == ["only"]
    with Retriever(embedder=embed, config=config) as silent:
        silent.add([Node("x"), Node("y", vector=[1, 2, 3])])  # nothing to read
        assert silent.search("alpha", mode="text").hits == ()
        assert silent.search("y", query_vector=[1, 2, 3]).ids[0] == "y"


def broken(texts):
    raise RuntimeError("no model here")


def test_no_embeddings_at_all():
    with Retriever(embedder=broken) as retriever:
        retriever.add([Node("v", name="alpha", vector=[1.0, 0.0])])  # two dimensions the embedder cannot give
        retriever.add([Node("w", name="beta")])
        retriever.delete(["v"])
        result = retriever.search("beta")
        assert result.ids == ["w"] and result.degraded == () and result.weights.embedding == 0


def test_an_explanation_of_a_question_with_half_a_character_can_be_written_down():
    """Its question was as typed for a while, and neither a file nor a terminal takes that."""
    with Retriever() as retriever:
        retriever.add([Node("a", "alpha")])
        explanation = retriever.explain(" alpha \ud800 ", "a")
    assert explanation.query == "alpha ?"
    assert explanation.text.encode()
