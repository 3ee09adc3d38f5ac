"""What a snapshot asks its store for, it asks once, and it does not remember more and more."""

import numpy as np

from fourfold.index import snapshot
from fourfold.index.snapshot import Snapshot


class Store:
    def __init__(self):
        self.asked = []

    def ids(self, nodes):
        self.asked.append(nodes.tolist())
        return [f"n{node}" for node in nodes.tolist()]

    def term_numbers(self, terms):
        self.asked.append(list(terms))
        return {term: len(term) for term in terms if term != "nowhere"}


def of(store):
    return Snapshot(0, None, 1.0, *[None] * 7, lookup=store, structure=None)


def test_ids_and_terms_are_asked_once():
    store = Store()
    one = of(store)
    assert one.ids(np.array([7, 3])) == ["n7", "n3"]
    assert one.ids(np.array([3, 5, 7, 3])) == ["n3", "n5", "n7", "n3"]
    assert one.term_numbers(["tree", "nowhere", "tree"]) == {"tree": 4}
    assert one.term_numbers({"tree": 1.0, "nowhere": 1.0}) == {"tree": 4}
    assert one.ids(np.empty(0, np.int64)) == [] and one.term_numbers([]) == {}
    assert store.asked == [[7, 3], [5], ["tree", "nowhere"]]


def test_memory_is_bounded(monkeypatch):
    monkeypatch.setattr(snapshot, "_REMEMBERED", 3)
    store = Store()
    one = of(store)
    for nodes in ([1, 2, 3], [3, 4], [3, 4], [1]):
        assert one.ids(np.array(nodes)) == [f"n{node}" for node in nodes]
    assert store.asked == [[1, 2, 3], [4], [1]]
    many = np.arange(snapshot._AT_ONCE + 1)
    assert len(one.ids(many)) == len(one.term_numbers(map(str, many))) == len(many)
    assert len(one._ids._known) <= 3 and not one._numbers._known
