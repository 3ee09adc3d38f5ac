"""What a filter alone finds."""

import pytest

from fourfold import Edge, InvalidValueError, Node, Retriever
from fourfold.ingest import Document, add_documents
from fourfold.listing import by_filter

FILMS = [("a", 8.9, 1995), ("b", 7.7, 1993), ("c", 9.1, 1995), ("d", 8.6, 1979)]


@pytest.fixture
def retriever():
    with Retriever() as retriever:
        retriever.add([Node(id_, text=f"film {id_}", metadata={"rating": r, "year": y}) for id_, r, y in FILMS])
        retriever.add(edges=[Edge("a", "b", "sequel_of")])
        yield retriever


def listed(retriever, query, filter, **options):
    return by_filter(retriever, retriever.search(query, filter=filter), filter, **options)


@pytest.mark.parametrize("query", ["", "  "])
def test_a_question_without_words_lists_what_passes_its_filter(retriever, query):
    found = listed(retriever, query, {"rating": {"$gt": 8.5}})
    assert found.ids == ["a", "c", "d"]
    assert {hit.score for hit in found} == {0.0} and {hit.confidence for hit in found} == {0.0}
    assert all("passes the filter" in hit.why and hit.node.text for hit in found)
    assert listed(retriever, query, {"rating": {"$gt": 8.5}}, k=2).ids == ["a", "c"]
    assert listed(retriever, query, {"rating": {"$gt": 9.5}}).ids == listed(retriever, query, {}).ids == []
    assert "No node passes the filter" in listed(retriever, query, {"rating": 1}).notes[0]


def test_a_question_with_words_is_answered_as_it_was(retriever):
    result = retriever.search("film b", filter={"year": 1995})
    assert by_filter(retriever, result, {"year": 1995}, k=1) is result


def test_as_many_of_a_group_as_are_wanted(retriever):
    every = {"year": {"$gt": 0}}
    assert listed(retriever, "", every, group_by="year").ids == ["a", "b", "d"]
    assert listed(retriever, "", every, group_by="year", k=2).ids == ["a", "b"]
    assert len(listed(retriever, "", every, group_by="year", max_per_source=2).ids) == 4
    for wrong in ({"k": 0}, {"max_per_source": 0}):
        with pytest.raises(InvalidValueError, match="must be a whole number of at least 1"):
            listed(retriever, "", every, **wrong)


def test_a_document_whose_text_is_in_its_chunks_is_not_listed():
    with Retriever() as retriever:
        add_documents(
            retriever, [Document(id="long", text="A sentence of some words. " * 400, metadata={"lang": "en"})]
        )
        assert len(retriever) > 2
        found = listed(retriever, "", {"lang": "en"}, k=100)
        assert 2 <= len(found.hits) == len(retriever) - 1 and "long" not in found.ids
