"""Comparisons: both sides named stand first, and neither fills the answer."""

import numpy as np
import pytest

from fourfold import Edge, Node, RetrievalConfig, Retriever
from fourfold.demo import edges, nodes
from fourfold.signals.sides import FIRST, NEITHER, SECOND, compared, taking_turns
from fourfold.tokenizer import make_tokenizer

WORDS = make_tokenizer(RetrievalConfig().text.tokenizer_name).terms_of_words


@pytest.mark.parametrize(
    ("question", "left", "right"),
    [
        ("json vs pickle", "json", "pickle"),
        ("csv vs. json", "csv", "json"),
        ("difference between json and pickle", "json", "pickle"),
        ("what's the difference between a list and a tuple?", "list", "tuple"),
        ("how does asyncio differ from threading", "asyncio", "threading"),
        ("compare shelve with sqlite3 for small data", "shelve", "sqlite3"),
        ("is json better than pickle", "json", "pickle"),
        ("which is better, zipfile or tarfile", "zipfile", "tarfile"),
        ("regular expressions versus string methods", "regular expressions", "string methods"),
        ("compare and contrast json and pickle", "json", "pickle"),
        ("should I use the heap queue or a sorted list", "heap queue", "sorted list"),
        ("json or pickle: which is better", "json", "pickle"),
        ("json or pickle, which is better to use with threads?", "json", "pickle"),
        ("The heap queue or a sorted list? Which should I prefer", "heap queue", "sorted list"),
        ("json and pickle: what is the difference", "json", "pickle"),
        ("how do json and pickle differ?", "json", "pickle"),
        ("In Python or Java, what is the difference between list and tuple", "list", "tuple"),
    ],
)
def test_the_two_sides_are_read(question, left, right):
    def terms(text):
        return [term for _, own in WORDS(text) for term in own]

    assert compared(WORDS(question)) == (terms(left), terms(right))


@pytest.mark.parametrize(
    "question",
    [
        *("json", "alternatives to pickle", "json vs json", "vs", "", "read and write files"),
        "Compare their similarities and differences, then write a report.",
        "A chart helps to compare and analyze the ratings of employees.",
        "read and write files faster",
    ],
)
def test_what_names_no_two_things_compares_nothing(question):
    assert compared(WORDS(question)) is None


def test_neither_side_fills_the_answer():
    sides = np.array([FIRST, FIRST, FIRST, NEITHER, FIRST, SECOND, SECOND], np.int8)
    assert taking_turns(sides, [0, 5], 7) == [0, 5, 1, 3, 6, 2, 4]
    assert taking_turns(np.array([FIRST, SECOND], np.int8), [1, 0], 1) == [1]
    assert taking_turns(np.array([FIRST, SECOND, FIRST], np.int8), [0, 1], 9) == [0, 1, 2]


@pytest.fixture(scope="module")
def library():
    with Retriever() as retriever:
        retriever.add([Node(**node) for node in nodes()], [Edge(**edge) for edge in edges()])
        yield retriever


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("json vs pickle", {"json", "pickle"}),
        ("csv vs json", {"csv", "json"}),
        ("difference between json and pickle", {"json", "pickle"}),
        ("threading vs multiprocessing", {"threading", "multiprocessing"}),
        ("is json better than pickle", {"json", "pickle"}),
        ("json or pickle: which is better", {"json", "pickle"}),
    ],
)
def test_both_sides_stand_first_and_their_members_take_turns(library, question, first):
    result = library.search(question, k=8)
    assert result.intent == "comparison"
    assert set(result.ids[:2]) == first
    for name in first:
        assert 2 <= sum(name in hit.node.id for hit in result.hits) <= 6
    scores = [hit.score for hit in result.hits]
    assert scores == sorted(scores, reverse=True) and scores[-1] >= 0 and scores[0] <= 1
    for hit in result.hits:
        assert sum(item.value for item in hit.evidence) == pytest.approx(hit.score, abs=1e-6)
    moved = next(item for hit in result.hits for item in hit.evidence if item.kind == "side")
    assert "neither side" in library.explain(question, result.ids[1], k=8).text or moved.value


def test_a_filter_and_other_intents_leave_it_as_it_was(library):
    named = library.search("json vs pickle", k=5, filter={"$name": {"$ne": "json"}})
    assert "json" not in named.ids
    plain = library.search("json vs pickle", k=8, intent="default")
    assert not [item for hit in plain.hits for item in hit.evidence if item.kind == "side"]


@pytest.mark.parametrize(
    "question",
    [
        "difference between reading rows and writing files",
        "how do thread pools differ from process pools",
        "what are the different names and values of options",
    ],
)
def test_what_merely_holds_the_words_is_no_side(library, question):
    result = library.search(question, k=8)
    assert result.intent == "comparison"
    assert not [item for hit in result.hits for item in hit.evidence if item.kind == "side"]


@pytest.mark.parametrize(
    "question", ["json vs csv", "difference between shutil.copy and shutil.copy2", "compress a file", "copy"]
)
def test_fewer_hits_are_the_first_of_more_with_the_same_scores(library, question):
    ten = [(hit.node.id, hit.score) for hit in library.search(question, k=10)]
    for k in (1, 3, 5):
        assert [(hit.node.id, hit.score) for hit in library.search(question, k=k)] == ten[:k]
    told = library.explain(question, ten[4][0], k=3)
    assert told.rank is None and told.score == pytest.approx(ten[4][1])
