"""Nodes and edges that are given again just as they are stored cost a look, not a new vector and new rows."""

import sqlite3

import numpy as np
import pytest

from fourfold import Edge, Node, Retriever

NODES = [Node(f"n{i}", f"node {i}", "thing", f"text of {i}", {"n": i}) for i in range(5)]
EDGES = [Edge(f"n{i}", f"n{i + 1}", "next") for i in range(4)]


class Counting:
    name = "counting"

    def __init__(self, meanwhile=None):
        self.read, self.meanwhile = [], meanwhile

    def embed_documents(self, texts):
        self.read += texts
        if self.meanwhile is not None:
            self.meanwhile()
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text):
        return [1.0, float(len(text)), float(sum(map(ord, text)))]


@pytest.fixture
def path(tmp_path):
    with Retriever(tmp_path / "kg.sqlite", embedder=Counting()) as retriever:
        retriever.add(NODES, EDGES)
    return tmp_path / "kg.sqlite"


def test_what_is_there_already_is_neither_embedded_nor_written_again(path, check_file):
    with Retriever(path, embedder=Counting()) as retriever:
        before = retriever.generation
        heavier = Edge("n0", "n1", "next", 2.0)
        assert retriever.add([*NODES, Node("new", "new")], [*EDGES[1:], heavier, Edge("n4", "new", "next")]) > before
        assert len(retriever.embedder.read) == 1
        changes = retriever.backend.changes(before)
        assert (
            retriever.backend.ids(changes.nums) == ["new"] and len(changes.edge_nums) == 2
        )  # what the next search reads
        assert retriever.edges(["n0"]) == [heavier] and len(retriever) == 6
    check_file(path)


@pytest.mark.parametrize(
    "change", [{"type": "tool"}, {"metadata": {"n": 1.5}}, {"metadata": {"n": True}}, {"name": ""}]
)
def test_what_changed_in_type_or_metadata_alone_is_written(path, change):
    changed = Node(
        **{"id": "n1", "name": "node 1", "type": "thing", "text": "text of 1", "metadata": {"n": 1}} | change
    )
    with Retriever(path, embedder=Counting()) as retriever:
        retriever.add([changed, *NODES[2:]])
        assert retriever.get(["n1"]) == [changed]
        assert len(retriever.embedder.read) == ("name" in change)  # the embedder reads neither type nor metadata
        assert type(retriever.get(["n1"])[0].metadata["n"]) is type(changed.metadata["n"])


def test_a_vector_that_is_brought_is_kept_and_one_of_unknown_origin_goes_as_before(path, tmp_path):
    with Retriever(path, embedder=Counting()) as retriever:
        brought = Node("n1", "node 1", "thing", "text of 1", {"n": 1}, vector=[3.0, 2.0, 1.0])
        retriever.add([brought], vectors_by="counting")
        assert retriever.vectors(["n1"])["n1"].tolist() == [3.0, 2.0, 1.0]
    with Retriever(tmp_path / "own.sqlite", embedder=Counting()) as retriever:
        retriever.add([brought])
        retriever.add([NODES[1]])
        assert retriever.vectors(["n1"]) == {} and retriever.embedder.read == []


def test_another_embedder_has_embedded_all_or_embeds_what_comes(path):
    with Retriever(path, embedder=Counting()) as retriever:
        other = Counting()
        other.name = "other"
        retriever.maintenance.reembed(other)
        assert len(other.read) == 5
        retriever.add([*NODES, Node("new", "new")])
        assert len(other.read) == 6 and retriever.embedder.read == other.read


@pytest.mark.parametrize(
    "damage",
    [
        ("UPDATE nodes SET text = 'text of 7' WHERE id = 'n1'",),
        ("UPDATE nodes SET metadata = '{' WHERE id = 'n1'",),
        ("UPDATE vectors SET vector = ? WHERE node = 2", np.full(3, np.nan, "<f4").tobytes()),
        ("DELETE FROM vectors WHERE node = 2",),
    ],
    ids=lambda damage: damage[0][:20],
)
def test_what_was_damaged_is_written_anew(path, damage):
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(damage[0], damage[1:])
    connection.close()
    with Retriever(path, embedder=Counting()) as retriever:
        retriever.add(NODES)
        read = retriever.analysis.text_of(NODES[1])
        assert read in retriever.embedder.read and retriever.get(["n1"]) == [NODES[1]]
        assert retriever.vectors(["n1"])["n1"].tolist() == Counting().embed_query(read)


@pytest.mark.parametrize("others", ["replace", "delete", "write elsewhere"])
def test_what_others_write_meanwhile_does_not_outlive_it(path, others):
    once = iter([True])

    def meanwhile():
        if next(once, False):
            with Retriever(path, embedder=Counting()) as other:
                if others == "delete":
                    other.delete(["n1"])
                else:
                    other.add([Node("n1" if others == "replace" else "elsewhere", "replaced")])

    with Retriever(path, embedder=Counting(meanwhile)) as retriever:
        retriever.add([*NODES, Node("new", "new")], [Edge("n1", "new", "next")])
        assert retriever.get(["n1", "new"]) == [NODES[1], Node("new", "new")]
        assert len(retriever.embedder.read) == (1 if others == "write elsewhere" else 3)


def test_a_node_with_other_metadata_is_written_and_not_embedded_again(tmp_path):
    read = []

    def embed(texts):
        read.extend(texts)
        return [[1.0, float(len(text))] for text in texts]

    with Retriever(tmp_path / "g.sqlite", embedder=embed) as retriever:
        retriever.add([Node("a", "A", text="one", metadata={"done": False}), Node("b", "B", text="two")])
        before = len(read)
        retriever.add([Node("a", "A", text="one", metadata={"done": True}), Node("b", "B", text="three")])
        assert read[before:] == ["B B three"]
        assert retriever.search("one", filter={"done": True}).ids == ["a"]
        assert retriever.manifest().keys() == {"a", "b"} and retriever.info()["vectors"] == 2
