"""``$icontains`` and ``$empty``: what LlamaIndex's TEXT_MATCH_INSENSITIVE and IS_EMPTY need."""

import pytest

from fourfold import FilterError, Node, Retriever

VALUES = {
    "missing": {},
    "null": {"tag": None},
    "blank": {"tag": ""},
    "no elements": {"tag": []},
    "nothing but null": {"tag": [None]},
    "mapping": {"tag": {}},
    "word": {"tag": "Çédille"},
    "list": {"tag": ["Red", "ÇÉDILLE", 7]},
    "number": {"tag": 7},
}


@pytest.fixture(scope="module")
def graph():
    with Retriever() as retriever:
        retriever.add([Node(id=name, text="word", metadata=metadata) for name, metadata in VALUES.items()])
        yield retriever


def kept(graph, condition):
    return set(graph.search("word", k=99, filter={"tag": condition}).ids)


def test_empty(graph):
    empty = {"missing", "null", "blank", "no elements"}
    assert kept(graph, {"$empty": True}) == empty
    assert kept(graph, {"$empty": False}) == set(VALUES) - empty


def test_icontains_ignores_case_beyond_ascii(graph):
    assert kept(graph, {"$icontains": "çÉDILLE"}) == {"word", "list"}
    assert kept(graph, {"$icontains": "DILL"}) == {"word"}
    assert kept(graph, {"$icontains": "red"}) == {"list"}


@pytest.mark.parametrize("needle", ["k", "\u212a", "i", "\u0130", "ß", "ẞ", "x\x00é", "σ", "Σ", "aé", ""])
def test_icontains_lowers_letters_as_python_does(needle):
    """SQLite lowers ASCII alone, and counts characters up to the first NUL."""
    names = ["K", "\u212a", "İI", "straẞe", "X\x00É", "ΟΔΟΣ", "abc", "aÉ", "7"]
    with Retriever(embedder=lambda texts: [[1.0]] * len(texts)) as retriever:
        retriever.add(Node(str(i), name, metadata={"tag": [name], "own": name}) for i, name in enumerate(names))
        lowered = needle.lower()
        holding = [str(i) for i, name in enumerate(names) if lowered in name.lower()]
        same = [str(i) for i, name in enumerate(names) if lowered == name.lower()]
        assert retriever.matching({"own": {"$icontains": needle}}) == holding
        assert retriever.matching({"$name": {"$icontains": needle}}) == holding
        assert retriever.matching({"tag": {"$icontains": needle}}) == same


@pytest.mark.parametrize("condition", [{"$empty": 1}, {"$icontains": 7}, {"$icontains": ["a"]}])
def test_operands_of_the_wrong_kind(graph, condition):
    with pytest.raises(FilterError, match="tag"):
        kept(graph, condition)
