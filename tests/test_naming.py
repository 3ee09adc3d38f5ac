"""Names and types are read once for all questions to one state of the graph."""

import pytest

from fourfold import Edge, Node, Retriever
from fourfold.engines.sqlite.store import Store

NODES = [Node("a", "Mirror", "film"), Node("b", "Ann Lee", "person"), Node("c", "Bo Lee", "person")]
EDGES = [Edge("a", "b", "directed_by"), Edge("a", "c", "produced_by")]


@pytest.fixture
def reads(monkeypatch):
    found = []
    for name in ("labels", "types"):
        read = getattr(Store, name)
        monkeypatch.setattr(Store, name, lambda store, nums, read=read: found.extend(nums) or read(store, nums))
    return found


def test_names_that_were_read_for_one_question_are_not_read_for_the_next(reads):
    with Retriever() as films:
        films.add(NODES, EDGES)
        films.search("who directed Mirror")
        assert reads
        reads.clear()
        films.search("who is Mirror directed by?")
        assert not reads


def test_after_a_write_nodes_are_called_as_they_are_called_now():
    with Retriever() as films:
        films.add(NODES, EDGES)
        assert films.search("who directed Mirror").ids[0] == "b"
        films.add([Node("a", "Stalker", "film"), Node("c", "Mirror", "film")], [Edge("c", "a", "directed_by")])
        assert films.search("who directed Mirror").ids[0] == "a"
