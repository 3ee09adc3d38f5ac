"""Maximal marginal relevance over an answer."""

import pytest

from fourfold import InvalidValueError, Node, Retriever
from fourfold.mmr import diverse

VECTORS = {"a": [1, 0], "b": [2, 0], "c": [0, 3], "d": None}


@pytest.fixture
def retriever():
    with Retriever() as retriever:
        retriever.add([Node(id_, text=f"boats {id_}", vector=vector) for id_, vector in VECTORS.items()])
        yield retriever


def ids(hits):
    return [hit.node.id for hit in hits]


def test_each_hit_is_good_and_unlike_those_before(retriever):
    result = retriever.search("boats", query_vector=[1, 0.2], k=4)
    scores = {hit.node.id: hit.score for hit in result}
    order, left = [], dict(scores)
    cosine = {frozenset("ab"): 1.0}
    while left:  # as the formula is written, with the cosines known by hand

        def worth(one):
            before = [cosine.get(frozenset((one, other)), 0.0) for other in order]
            return 0.4 * scores[one] - 0.6 * max(before, default=0.0)

        order.append(max(left, key=lambda one: (worth(one), -result.ids.index(one))))
        del left[order[-1]]
    assert ids(diverse(retriever, result, k=4, relevance=0.4)) == order
    assert order.index("b") == 3 and ids(diverse(retriever, result, k=2, relevance=0.4)) == order[:2]


def test_all_relevance_is_the_answer_as_it_is(retriever):
    result = retriever.search("boats", query_vector=[1, 0.2], k=4)
    assert ids(diverse(retriever, result, k=9, relevance=1.0)) == result.ids


def test_an_empty_answer_and_a_graph_without_vectors(retriever):
    assert diverse(retriever, retriever.search("boats", query_vector=[1, 0], filter={"no": 1}), k=3) == []
    with Retriever() as bare:
        bare.add([Node("x", text="boats"), Node("y", text="more boats")])
        assert len(diverse(bare, bare.search("boats", mode="text"), k=2, relevance=0.0)) == 2


@pytest.mark.parametrize(("options", "match"), [({"k": 0}, "k is 0"), ({"k": 1, "relevance": 2}, "relevance is 2")])
def test_what_cannot_be_meant(retriever, options, match):
    with pytest.raises(InvalidValueError, match=match):
        diverse(retriever, retriever.search("boats", query_vector=[1, 0]), **options)


@pytest.mark.parametrize("result", [None, [], "boats"])
def test_what_is_no_answer_gets_a_sentence(retriever, result):
    with pytest.raises(InvalidValueError, match="it must be what a search returned"):
        diverse(retriever, result, k=1)
