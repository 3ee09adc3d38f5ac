"""MetadataFilters mean what LlamaIndex says they mean."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from llama_index.core.schema import NodeRelationship, RelatedNodeInfo, TextNode
from llama_index.core.vector_stores import FilterCondition, FilterOperator, MetadataFilter, MetadataFilters
from llama_index.core.vector_stores.utils import build_metadata_filter_fn
from llama_index.retrievers.fourfold import FourfoldRetriever

import fourfold

METADATA = {
    "en": {"lang": "en", "size": 3, "tags": ["red", "blue"], "note": "Über uns"},
    "fr": {"lang": "fr", "size": 3.5, "tags": ["red"], "note": ""},
    "de": {"lang": "de", "size": -1, "tags": [], "note": "UNTER"},
    "none": {"lang": None, "tags": None},
    "bare": {},
}
NODES = [TextNode(id_=i, text="word", metadata=m) for i, m in METADATA.items()]


@pytest.fixture(scope="module")
def graph():
    return FourfoldRetriever.from_nodes(NODES, embedder=lambda texts: [[1.0, 2.0]] * len(texts)).retriever


def kept(graph, filters):
    retriever = FourfoldRetriever(retriever=graph, similarity_top_k=99, filters=filters)
    return {hit.node.node_id for hit in retriever.retrieve("word")}


def one(key, value, operator, condition=FilterCondition.AND):
    return MetadataFilters(filters=[MetadataFilter(key=key, value=value, operator=operator)], condition=condition)


CASES = [
    ("lang", "en", FilterOperator.EQ, {"en"}),
    ("lang", "en", FilterOperator.NE, {"fr", "de", "none", "bare"}),
    ("size", 3, FilterOperator.GT, {"fr"}),
    ("size", 3, FilterOperator.GTE, {"en", "fr"}),
    ("size", 3, FilterOperator.LT, {"de"}),
    ("size", 3, FilterOperator.LTE, {"en", "de"}),
    ("lang", ["en", "fr"], FilterOperator.IN, {"en", "fr"}),
    ("lang", ["en", "fr"], FilterOperator.NIN, {"de", "none", "bare"}),
    ("tags", ["blue", "green"], FilterOperator.ANY, {"en"}),
    ("tags", ["red", "blue"], FilterOperator.ALL, {"en"}),
    ("tags", [], FilterOperator.ANY, set()),
    ("tags", [], FilterOperator.ALL, {"en", "fr", "de"}),
    ("note", "ber u", FilterOperator.TEXT_MATCH, {"en"}),
    ("note", "unter", FilterOperator.TEXT_MATCH, set()),
    ("note", "ÜBER", FilterOperator.TEXT_MATCH_INSENSITIVE, {"en"}),
    ("tags", "red", FilterOperator.CONTAINS, {"en", "fr"}),
    ("tags", None, FilterOperator.IS_EMPTY, {"de", "none", "bare"}),
    ("note", None, FilterOperator.IS_EMPTY, {"fr", "none", "bare"}),
]


@pytest.mark.parametrize(("key", "value", "operator", "expected"), CASES)
def test_every_operator(graph, key, value, operator, expected):
    filters = one(key, value, operator)
    assert kept(graph, filters) == expected
    reference = build_metadata_filter_fn(METADATA.__getitem__, filters)
    assert expected == {identity for identity in METADATA if reference(identity)}


def test_the_cases_cover_every_operator():
    assert {case[2] for case in CASES} == set(FilterOperator)


@pytest.mark.parametrize(
    ("key", "value", "operator"),
    [
        ("lang", ["en"], FilterOperator.EQ),
        ("lang", None, FilterOperator.EQ),
        ("lang", None, FilterOperator.NE),
        ("size", None, FilterOperator.GT),
        ("size", [1], FilterOperator.LTE),
        ("lang", "en", FilterOperator.IN),
        ("lang", "en", FilterOperator.NIN),
        ("tags", "red", FilterOperator.ANY),
        ("tags", 1, FilterOperator.ALL),
        ("tags", ["red"], FilterOperator.CONTAINS),
        ("note", 1, FilterOperator.TEXT_MATCH),
        ("note", ["a"], FilterOperator.TEXT_MATCH_INSENSITIVE),
        ("$where", "1", FilterOperator.EQ),
    ],
)
def test_what_cannot_be_translated_raises_at_once(key, value, operator):
    with pytest.raises(fourfold.FilterError) as raised:
        FourfoldRetriever(filters=one(key, value, operator))
    assert key in str(raised.value)
    assert key.startswith("$") or operator.name in str(raised.value), "the name that the caller gave"


def test_a_value_that_cannot_be_translated_is_shown_cut():
    with pytest.raises(fourfold.FilterError) as raised:
        FourfoldRetriever(filters=one("lang", ["en"] * 10_000, FilterOperator.EQ))
    assert len(str(raised.value)) < 500


def test_filters_of_another_kind():
    with pytest.raises(fourfold.FilterError, match="MetadataFilters or a mapping, not str"):
        FourfoldRetriever(filters="lang == en")
    with pytest.raises(fourfold.FilterError, match=r"\$near"):
        FourfoldRetriever(filters={"lang": {"$near": 1}})


def test_a_fourfold_filter_may_stand_in(graph):
    assert kept(graph, {"lang": {"$in": ["en", "fr"]}}) == {"en", "fr"}


def test_nested_filters(graph):
    english, big = one("lang", "en", FilterOperator.EQ), one("size", 3, FilterOperator.GTE)
    either = MetadataFilters(filters=[english, one("lang", "fr", FilterOperator.EQ)], condition=FilterCondition.OR)
    both = MetadataFilters(filters=[either, big, *one("size", 3.5, FilterOperator.LT).filters])
    neither = MetadataFilters(filters=[either, one("size", 0, FilterOperator.LT)], condition=FilterCondition.NOT)
    assert kept(graph, both) == {"en"}
    assert kept(graph, neither) == {"none", "bare"}
    assert kept(graph, MetadataFilters(filters=[neither], condition=FilterCondition.NOT)) == {"en", "fr", "de"}


def test_no_filters_at_all(graph):
    for condition in FilterCondition:
        assert kept(graph, MetadataFilters(filters=[], condition=condition)) == set(METADATA)
    assert kept(graph, MetadataFilters(filters=one("lang", "en", FilterOperator.EQ).filters, condition=None)) == {"en"}


def test_the_source_document_can_be_filtered_on():
    def chunk(identity, source, **metadata):
        relationships = {NodeRelationship.SOURCE: RelatedNodeInfo(node_id=source)}
        return TextNode(id_=identity, text="word", metadata=metadata, relationships=relationships)

    graph = FourfoldRetriever.from_nodes([chunk("a", "x"), chunk("b", "y"), chunk("c", "z", doc_id="own")]).retriever
    for key in ("ref_doc_id", "doc_id", "document_id"):
        assert kept(graph, one(key, "x", FilterOperator.EQ)) == {"a"}
        assert kept(graph, one(key, ["x", "y"], FilterOperator.NIN)) == {"c"}
    assert kept(graph, one("doc_id", "own", FilterOperator.EQ)) == {"c"}
    assert "ref_doc_id" not in FourfoldRetriever(retriever=graph).retrieve("word")[0].node.metadata


# LlamaIndex's own filter function knows one level, and compares a list only as a whole: scalars are where both agree.
scalars = st.sampled_from(["a", "b", "ab", "A", "", 0, 1, -2.5])
rows = st.lists(st.dictionaries(st.sampled_from("xy"), scalars | st.none()), min_size=1, max_size=6)
strings = st.sampled_from(["a", "b", "ab", "A"])
leaf = st.one_of(
    st.builds(
        lambda k, v, o: MetadataFilter(key=k, value=v, operator=o),
        st.sampled_from("xy"),
        scalars,
        st.sampled_from([FilterOperator.EQ, FilterOperator.NE]),
    ),
    st.builds(
        lambda k, v, o: MetadataFilter(key=k, value=v, operator=o),
        st.sampled_from("xy"),
        st.lists(strings, max_size=3) | st.lists(st.sampled_from([0, 1]), max_size=3),
        st.sampled_from([FilterOperator.IN, FilterOperator.NIN]),
    ),
    st.builds(lambda k: MetadataFilter(key=k, value=None, operator=FilterOperator.IS_EMPTY), st.sampled_from("xy")),
)


@settings(max_examples=60, deadline=None)
@given(rows=rows, leaves=st.lists(leaf, min_size=1, max_size=3), condition=st.sampled_from(list(FilterCondition)))
def test_filters_agree_with_llama_indexs_own(rows, leaves, condition):
    nodes = [TextNode(id_=str(n), text="word", metadata=row) for n, row in enumerate(rows)]
    graph = FourfoldRetriever.from_nodes(nodes, embedder=lambda texts: [[1.0, 2.0]] * len(texts)).retriever
    filters = MetadataFilters(filters=leaves, condition=condition)
    reference = build_metadata_filter_fn(lambda identity: rows[int(identity)], filters)
    assert kept(graph, filters) == {str(n) for n in range(len(rows)) if reference(str(n))}
