"""What was deleted is remembered for those who hold an older generation, and forgotten in the end."""

import sqlite3
from contextlib import closing

import pytest

from fourfold import Edge, Node, Retriever
from fourfold.engines.sqlite import deletions, parts, writer


@pytest.fixture(autouse=True)
def few(monkeypatch):
    monkeypatch.setattr(deletions, "_FEW", 100)


def nodes(first, last):
    return [Node(f"n{i}", f"word{i}", vector=[1.0, 0.0]) for i in range(first, last)]


def remembered(path):
    with closing(sqlite3.connect(path)) as connection, connection:
        return connection.execute("SELECT count(*) FROM deletions").fetchone()[0]


def found(retriever):
    """Return the numbers of the nodes that a search finds."""
    return sorted(int(hit.node.id[1:]) for hit in retriever.search("word", mode="text", k=1_000))


def test_deletions_do_not_grow_for_ever(tmp_path):
    path = tmp_path / "kg.sqlite"
    with Retriever(path) as retriever:
        for _ in range(20):
            retriever.add(nodes(0, 40))
            retriever.delete([f"n{i}" for i in range(40)])
            assert remembered(path) <= 200
        retriever.add(nodes(0, 1_000))
        for i in range(300):  # they are no more than the graph has nodes
            retriever.delete([f"n{i}"])
        assert remembered(path) > 300


@pytest.mark.parametrize("derived", [False, True])
def test_who_holds_what_is_forgotten_reads_the_graph_anew(tmp_path, monkeypatch, derived, check_file):
    path = tmp_path / "kg.sqlite"
    if derived:
        monkeypatch.setattr(parts, "_DERIVED_FROM", 10)
    with Retriever(path) as other, Retriever(path) as retriever:
        retriever.add(nodes(0, 50), [Edge(f"n{i}", f"n{i + 1}", "next") for i in range(49)])
        assert found(other) == list(range(50))
        for _ in range(5):
            retriever.delete([f"n{i}" for i in range(5, 45)])
            retriever.add(nodes(10, 45))
        assert remembered(path) < 200
        left = [*range(5), *range(10, 50)]
        assert found(other) == left and len(other.backend.snapshot().edges) == 8
        retriever.backend.compact()
        assert found(other) == left
    with Retriever(path) as again:
        assert found(again) == left
    check_file(path)


def test_a_generation_that_has_no_mark_is_not_brought_up_to_date(tmp_path, monkeypatch):
    """Of so many writes the marks are kept: who held the generation before them kept what was deleted for ever."""
    monkeypatch.setattr(writer, "_REMEMBERED_WRITES", 3)
    path = tmp_path / "kg.sqlite"
    with Retriever(path) as other, Retriever(path) as retriever:
        retriever.add(nodes(0, 3))
        assert found(other) == [0, 1, 2]
        retriever.delete(["n1"])
        for i in range(3, 9):
            retriever.add(nodes(i, i + 1))
        assert remembered(path) == 0
        assert found(other) == [0, *range(2, 9)]


def test_a_write_that_forgets_the_last_of_many_deletions_is_a_write(tmp_path, monkeypatch):
    """There was nothing left to count: this write failed with a TypeError, and every one after it."""
    monkeypatch.setattr(writer, "_REMEMBERED_WRITES", 3)
    path = tmp_path / "kg.sqlite"
    with Retriever(path) as retriever:
        retriever.add(nodes(0, 150))
        retriever.delete([f"n{i}" for i in range(1, 150)])
        for i in range(150, 156):
            retriever.add(nodes(i, i + 1))
        assert remembered(path) == 0
        retriever.delete(["n0"])
        assert found(retriever) == list(range(150, 156))
