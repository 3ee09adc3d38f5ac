"""``check`` finds the vectors that searches go astray by, and names what makes them anew."""

import sqlite3
from contextlib import closing

import numpy as np
import pytest

from fourfold import Node, Retriever, checking
from fourfold.checking import check
from fourfold.ingest import Cut, add_parts

REPAIR = "; fourfold reembed, or retriever.maintenance.reembed(embedder), makes all vectors anew."


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "kg.sqlite"
    with Retriever(path) as retriever:
        retriever.add(Node(f"n{n}", f"name {n}", text=f"Something about {n} cats.") for n in range(5))
    assert check(path, derived=True).sound
    return path


def altered(path, sql, *values):
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(sql, values)
    return path


def blob(*, length=256, scale=1.0, first=None):
    vector = np.random.default_rng(0).normal(size=length) * scale
    vector[0] = vector[0] if first is None else first
    return vector.astype("<f4").tobytes()


ONE = "UPDATE vectors SET vector = ? WHERE node = 3"
FAULTS = {
    "missing": ("DELETE FROM vectors WHERE node = ?", 3, "is missing"),
    "length": (ONE, blob(length=100), "has another length than the graph's, which is 256"),
    "nan": (ONE, blob(first=np.nan), "holds NaN or infinite numbers"),
    "infinite": (ONE, blob(first=np.inf), "holds NaN or infinite numbers"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_vector_that_is_none_is_told_and_made_anew(path, fault):
    sql, value, told = FAULTS[fault]
    altered(path, sql, value)
    assert f"The vector of the node 'n2' {told}{REPAIR}" in check(path).problems
    with Retriever(path) as retriever:
        retriever.maintenance.reembed()
    assert check(path, derived=True).sound


def test_vectors_of_another_length_throughout_are_told_once(path):
    altered(path, "UPDATE vectors SET vector = ?", blob(length=100))
    told = f"The vector of the node 'n0' has another length than the graph's, which is 256 (and 4 more){REPAIR}"
    assert check(path).problems == (told,)


@pytest.mark.parametrize("value", [blob(), blob(scale=7), bytes(1024)], ids=["another", "long", "zero"])
def test_a_vector_of_something_else_is_told_where_it_is_compared(path, value):
    altered(path, ONE, value)
    assert check(path).sound
    (told,) = check(path, derived=True).problems
    assert told.startswith("The vector of the node 'n2' is not what static:") and told.endswith(REPAIR)


def test_one_fault_hides_no_other_and_all_are_counted(path, monkeypatch):
    monkeypatch.setattr(checking, "_TOGETHER", 2)
    altered(path, "UPDATE vectors SET vector = ? WHERE node IN (2, 3, 5)", blob())
    altered(path, "DELETE FROM vectors WHERE node = 1")
    missing, others = check(path, derived=True).problems
    assert missing == f"The vector of the node 'n0' is missing{REPAIR}"
    assert others.startswith("The vector of the node 'n1' is not what static:") and "text (and 2 more)" in others


def test_no_vector_that_was_given_is_a_fault(tmp_path):
    path = tmp_path / "theirs.sqlite"
    with Retriever(path) as retriever:
        retriever.add([Node("a", text="cats", vector=[1.0, 2.0]), Node("b", text="dogs")])
    assert check(path, derived=True).sound
    path = tmp_path / "parts.sqlite"
    with Retriever(path) as retriever:
        vectors = retriever.embedder.embed_documents(["cats", "dogs"])
        parts = [Node(t, f"title of {t}", text=t, vector=v) for t, v in zip(["cats", "dogs"], vectors, strict=True)]
        add_parts(retriever, [Cut("whole", parts, title="Zoology")], vectors_by=retriever.embedder.name)
    assert check(path, derived=True).sound
