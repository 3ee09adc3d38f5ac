"""Evidence in sentences."""

import pytest

from fourfold import Edge, Node, Retriever
from fourfold.present.words import path_in_words, why
from fourfold.types import Evidence, PathStep


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ([PathStep("a", "b", "uses", True, "A", "B"), PathStep("b", "c", "has", False, "B", "C")],
         "from A via uses to B and on against has"),
        ([PathStep("a", "b", "uses")], "from a via uses"),
        ([PathStep("a", "b", "", True, "A", "A")], "from a via an edge"),
        ([PathStep("a", "b", "uses", True, "A", "B"), PathStep("b", "a", "uses", False, "B", "A")],
         "from A via uses to B and on against uses"),
        ([PathStep("a", "d", "wrote", True, "Anna", "Notes"), PathStep("d", "d#0", "part_of", False, "Notes", "Notes")],
         "from Anna via wrote to Notes and on against part_of"),
        ([PathStep("d#0", "d", "part_of", True, "Log", "Log"), PathStep("d", "d#1", "part_of", False, "Log", "Log")],
         "from d#0 via part_of to d and on against part_of"),
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


@pytest.mark.parametrize(("value", "told"), [(0.001, False), (0.02, True)])
def test_a_way_back_to_the_start_is_told_where_it_gave_something(value, told):
    """The best match itself was "near the best matches in the graph", by a graph component of .00."""
    back = (PathStep("a", "b", "uses", True, "A", "B"), PathStep("b", "a", "uses", False, "B", "A"))
    evidence = [Evidence("text", "term", 0.5, word="rotate"), Evidence("graph", "path", value, path=back)]
    assert ("near the best matches in the graph" in why(evidence)) is told


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


def test_a_bridge_is_told_by_the_word_that_it_adds():
    filler = [Node(f"n{place}", f"item {place}", text=f"Stock number {place} of the store.") for place in range(40)]
    with Retriever() as retriever:
        nodes = [
            Node("film", "The Silver Harbour", text="The Silver Harbour by Quentza Morhault, music by Zelbrook."),
            Node("man", "Q. Morhault", text="Quentza Morhault was born in Uppsala, a town in Sweden."),
            Node("band", "Four of Zelbrook", text="Zelbrook, whose leader grew up in a harbour, wrote music."),
        ]
        retriever.add([*nodes, *filler])
        hits = {hit.node.id: hit for hit in retriever.search("Where was the director of The Silver Harbour born?").hits}
        bridges = {name: [item for item in hits[name].evidence if item.kind == "bridge"] for name in hits}
        assert "adds 'born' to The Silver Harbour" in hits["man"].why
        assert [item.word for item in bridges["man"]] == ["born"]
        assert bridges["man"][0].as_dict()["word"] == "born"
        assert bridges["band"] and not bridges["band"][0].word and "The Silver Harbour" not in hits["band"].why
        for name, found in bridges.items():
            worth = sum(item.value for item in hits[name].evidence)
            for item in found:
                assert ("; adds " in hits[name].why) == (bool(item.word) and item.value >= 0.01 * worth), name


@pytest.mark.parametrize(("word", "value", "told"), [("zip", 0.02, True), ("zip", 0.002, False), ("", 0.2, False)])
def test_a_bridge_that_adds_no_word_or_next_to_nothing_is_not_told(word, value, told):
    evidence = (
        Evidence("text", "term", 0.5, "file"),
        Evidence("bridge", "bridge", value, word, path=(PathStep("a", "b", "", True, "zipfile", "ZipFile"),)),
    )
    assert why(evidence) == ("matches file; adds 'zip' to zipfile" if told else "matches file")
