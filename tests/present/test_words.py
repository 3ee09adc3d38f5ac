"""Evidence in sentences."""

import pytest

from fourfold import Edge, Node, Retriever
from fourfold.present.words import path_in_words
from fourfold.types import PathStep


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ([PathStep("a", "b", "uses", True, "A", "B"), PathStep("b", "c", "has", False, "B", "C")],
         "from A via uses to B and on against has"),
        ([PathStep("a", "b", "uses")], "from a via uses"),
        ([PathStep("a", "b", "", True, "A", "A")], "from a via an edge"),
        ([PathStep("a", "b", "uses", True, "A", "B"), PathStep("b", "a", "uses", False, "B", "A")],
         "from A via uses to B and on against uses"),
    ],
)  # fmt: skip
def test_a_path_names_its_nodes_and_tells_namesakes_apart_by_their_ids(path, told):
    assert path_in_words(path) == told


def test_a_chunk_is_not_reached_from_what_has_its_own_name():
    with Retriever() as retriever:
        chunks = [
            Node(f"guide#{n}", "Guide › Keys", text=text) for n, text in enumerate(("Rotate the keys.", "Daily."))
        ]
        retriever.add(chunks, [Edge("guide#0", "guide#1", "followed_by")])
        why = {hit.node.id: hit.why for hit in retriever.search("rotate the keys")}
        assert "reached from guide#0 via followed_by" in why["guide#1"]


def test_the_cosine_is_told_where_it_says_something():
    with Retriever() as retriever:
        nodes = [
            Node("write", "write_file", "tool", "Save text or bytes to a file."),
            Node("lock", "lock_file", "tool", "Keep others from changing a file."),
            Node("path", "resolve_path", "tool", "Turn a relative path into an absolute one."),
        ]
        retriever.add(nodes, [Edge("write", "path", "requires")])
        for question in ("x", "quantum physics of black holes"):
            first = retriever.search(question).hits[0]
            assert first.components.embedding == 1.0 and first.grounds.cosine < 0.1
            assert "similar" not in first.why and "nothing stands out" in first.why
        hits = {hit.node.id: hit for hit in retriever.search("save data").hits}
        assert f"similar in meaning (cosine {hits['write'].grounds.cosine:.2f})" in hits["write"].why
        assert f"similar in meaning (cosine {hits['lock'].grounds.cosine:.2f})" in hits["lock"].why
