"""The file: round trips, sequences of writes against a fresh build, and that its parts stay consistent."""

# ruff: noqa: E501 (tables of cases read better on one line)

import gc
import os
import random
import shutil
import sqlite3
import sys
import time
import warnings
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fourfold import Edge, FourfoldWarning, Node, RetrievalConfig, Retriever, StoreError, UnknownNodeError
from fourfold.engines.sqlite import connection
from fourfold.engines.sqlite.connection import Connection
from fourfold.questions import Questions
from fourfold.tools import ToolCatalog

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
IDS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1, max_size=5)
JSON = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(-(2**70), 2**70), st.floats(allow_nan=False, allow_infinity=False), TEXT
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXT, inner, max_size=3)),
    max_leaves=6,
)
VECTORS = st.lists(st.floats(-100, 100, width=32), min_size=3, max_size=3)
NODES = st.builds(
    Node, IDS, name=TEXT, type=TEXT, text=TEXT, metadata=st.dictionaries(TEXT, JSON, max_size=3), vector=VECTORS
)


@settings(max_examples=40, deadline=None)
@given(st.lists(NODES, max_size=5, unique_by=lambda node: node.id), st.lists(TEXT, min_size=1, max_size=2), st.data())
def test_round_trip(nodes, types, data):
    ids = [node.id for node in nodes]
    edges = {}
    if ids:
        ends = st.sampled_from(ids)
        for _ in range(data.draw(st.integers(0, 4))):
            edge = Edge(
                data.draw(ends), data.draw(ends), data.draw(st.sampled_from(types)), data.draw(st.floats(0, 1e6))
            )
            edges[edge.source, edge.target, edge.type] = edge
    with Retriever() as retriever:
        retriever.add(nodes, edges.values())
        assert retriever.get(ids) == nodes
        assert set(retriever.edges(ids)) == set(edges.values())
        stored = retriever.backend.changes(-1)
        for place, identity in enumerate(retriever.backend.ids(stored.nums)):
            assert stored.vectors[place].tolist() == next(n.vector for n in nodes if n.id == identity)
        before = retriever.manifest()
        retriever.add(nodes, edges.values())
        assert retriever.manifest() == before


WORDS = [
    "save",
    "load",
    "file",
    "read",
    "write",
    "parse",
    "tree",
    "graph",
    "node",
    "edge",
    "disk",
    "cloud",
    "fast",
    "slow",
    "error",
]
TYPES = ("requires", "enables", "similar_to", "", "loves")
QUERIES = ("save a file", "how to parse a tree", "node vs edge", '"load file"')


def random_node(rng, identity):
    words = lambda n: " ".join(rng.choices(WORDS, k=rng.randint(0, n)))  # noqa: E731
    vector = None if rng.random() < 0.2 else np.random.default_rng(rng.randrange(2**32)).normal(size=8).astype("f4")
    return Node(
        identity,
        name=words(3),
        type=rng.choice(["tool", "idea", ""]),
        text=words(12),
        metadata={"n": rng.randint(0, 3)},
        vector=vector,
    )


def answers(retriever):
    found = {}
    vector = np.random.default_rng(7).normal(size=8)
    for query in QUERIES:
        for options in (
            {"query_vector": vector},
            {"mode": "text", "filter": {"n": {"$lt": 2}}},
            {"query_vector": vector, "intent": "debugging"},
        ):
            for hit in retriever.search(query, k=99, **options).hits:
                found[query, str(options.keys()), hit.node.id, "score"] = hit.score
                for name, value in hit.components.as_dict().items():
                    found[query, str(options.keys()), hit.node.id, name] = value
    return found


def random_writes(rng, nodes, edges):
    """Return a function that applies one random write to a retriever and keep ``nodes`` and ``edges`` in step."""
    kind = rng.random()
    if kind < 0.6 or len(nodes) < 4:
        new = [random_node(rng, f"n{rng.randint(0, 25)}") for _ in range(rng.randint(0, 5))]
        nodes.update({node.id: node for node in new})
        pool = sorted(nodes)
        links = [
            Edge(rng.choice(pool), rng.choice(pool), rng.choice(TYPES), rng.choice([0, 0.5, 1, 3]))
            for _ in range(rng.randint(0, 8))
            if pool
        ]
        edges.update({(e.source, e.target, e.type): e for e in links})
        return lambda retriever: retriever.add(new, links)
    gone = rng.sample(sorted(nodes), rng.randint(0, 3))
    for identity in gone:
        del nodes[identity]
    for key in [key for key in edges if key[0] not in nodes or key[1] not in nodes]:
        del edges[key]
    cut = [edges.pop(key) for key in rng.sample(sorted(edges), min(len(edges), rng.randint(0, 2)))]
    return lambda retriever: retriever.delete(gone, edges=cut)


@pytest.mark.parametrize("preset", ["default", "published"])
@pytest.mark.parametrize("seed", range(3))
def test_any_sequence_of_writes_equals_a_fresh_build(tmp_path, seed, preset, check_file):
    config = RetrievalConfig() if preset == "default" else RetrievalConfig.published()
    constant = lambda texts: [[1.0] * 8] * len(texts)  # noqa: E731
    rng, nodes, edges = random.Random(seed), {}, {}
    with (
        Retriever(tmp_path / "grown.sqlite", embedder=constant, config=config) as grown,
        Retriever(tmp_path / "grown.sqlite", embedder=constant, config=config) as other,
    ):
        for _ in range(12):
            random_writes(rng, nodes, edges)(rng.choice([grown, other]))
            if rng.random() < 0.5:
                with Retriever(embedder=constant, config=config) as fresh:
                    shuffled = rng.sample(sorted(nodes), len(nodes))
                    fresh.add((nodes[identity] for identity in shuffled), edges.values())
                    expected = answers(fresh)
                    for retriever in (grown, other):
                        found = answers(retriever)
                        assert found.keys() == expected.keys()
                        assert found == pytest.approx(expected, abs=1e-6)
                        assert retriever.manifest() == fresh.manifest()
                        assert retriever.edges(nodes) == fresh.edges(nodes)
    check_file(tmp_path / "grown.sqlite")


def test_a_replaced_node_keeps_its_edges_and_the_last_of_several_counts():
    with Retriever(embedder=lambda texts: [[1.0]] * len(texts)) as retriever:
        retriever.add(
            [Node("a", name="old"), Node("b"), Node("a", name="new")], [Edge("a", "b", "x", 1), Edge("a", "b", "x", 2)]
        )
        assert len(retriever) == 2 and retriever.get(["a"])[0].name == "new"
        retriever.add([Node("a", name="newer")])
        assert retriever.edges(["a"]) == [Edge("a", "b", "x", 2.0)]
        assert retriever.search("new", mode="text").total == 0
        assert retriever.search("newer", mode="text").ids[0] == "a"


def test_deleting_everything_and_beginning_again():
    with Retriever(embedder=lambda texts: [[1.0]] * len(texts)) as retriever:
        retriever.add([Node("a", name="alpha"), Node("b", name="beta")], [Edge("a", "b")])
        assert retriever.search("alpha").total == 2
        assert retriever.delete(["a", "b", "nobody"]) == 2
        assert retriever.search("alpha").total == 0 and len(retriever) == 0
        retriever.add([Node("a", name="alpha")])
        assert retriever.search("alpha").ids == ["a"]


# -- files that cannot be used ------------------------------------------------------------------------------------------


def test_files_that_cannot_be_used_are_named(tmp_path):
    text = tmp_path / "text.sqlite"
    text.write_text("hello" * 400)
    short = tmp_path / "short.sqlite"
    short.write_text("hello")
    other = tmp_path / "other.sqlite"
    connection = sqlite3.connect(other)
    connection.execute("CREATE TABLE things (a)")
    connection.close()
    newer = tmp_path / "newer.sqlite"
    Retriever(newer).close()
    connection = sqlite3.connect(newer)
    connection.execute("PRAGMA user_version = 999")
    connection.close()
    cases = {
        text: "no SQLite database",
        short: "no SQLite database",
        other: "another application.*open_foreign",
        newer: "schema version 999.*upgrade",
        tmp_path: "cannot be opened: it is a folder",
        tmp_path / "no" / "folder.sqlite": r"cannot be opened: there is no folder .*no.\.",
        "~/no/kg.sqlite": r"there is no folder '~/no', and ~ is not read as your own; give os.path.expanduser\(path\)\.",
    }
    for path, says in cases.items():
        with pytest.raises(StoreError, match=says) as caught:
            Retriever(path)
        assert str(path) in str(caught.value)
    with pytest.raises(StoreError, match="no file"):
        Retriever(tmp_path / "missing.sqlite", read_only=True)
    for look in (partial(Retriever, read_only=True), partial(Retriever, must_exist=True), Retriever.open_foreign):
        with pytest.raises(StoreError, match=r"no file '~/no.sqlite' .*, and ~ is not read as your own; give os.path"):
            look("~/no.sqlite")
    for look in (partial(Retriever, read_only=True), partial(Retriever, must_exist=True), Retriever.open_foreign):
        with pytest.raises(StoreError, match="cannot be opened: it is a folder"):
            look(tmp_path)
    assert text.read_text() == "hello" * 400
    assert not (tmp_path / "missing.sqlite").exists()


def test_an_empty_file_becomes_a_graph(tmp_path):
    path = tmp_path / "empty.sqlite"
    path.touch()
    with Retriever(path) as retriever:
        assert len(retriever) == 0


def test_read_only(tmp_path):
    path = tmp_path / "graph.sqlite"
    constant = lambda texts: [[1.0]] * len(texts)  # noqa: E731
    with Retriever(path, embedder=constant) as retriever:
        retriever.add([Node("a", name="alpha")])
    before = Path(path).read_bytes()
    with Retriever(path, embedder=constant, read_only=True) as retriever:
        assert retriever.search("alpha").ids == ["a"]
        with pytest.raises(StoreError, match="read-only"):
            retriever.add([Node("b")])
        with pytest.raises(StoreError, match="read-only"):
            retriever.delete(["a"])
    assert Path(path).read_bytes() == before


def test_a_closed_retriever_says_so(tmp_path):
    retriever = Retriever(tmp_path / "graph.sqlite", embedder=lambda texts: [[1.0]] * len(texts))
    retriever.add([Node("a")])
    retriever.close()
    retriever.close()
    for use in (lambda: retriever.search("a"), lambda: retriever.add([Node("b")]), lambda: len(retriever)):
        with pytest.raises(StoreError, match=r"graph\.sqlite' is closed; open it again\.$"):
            use()


def test_the_connections_of_a_dropped_retriever_are_closed(tmp_path, monkeypatch):
    """Python 3.13 warns of each that was not: hardly anyone closes the retriever of a chain."""
    closed = []

    class Told(Connection):
        def close(self):
            closed.append(self)
            super().close()

    monkeypatch.setattr(connection, "Connection", Told)
    retriever = Retriever(str(tmp_path / "g.db"), embedder=None)
    retriever.add([Node("a", "alpha")])
    retriever.search("alpha")
    assert not closed
    del retriever
    gc.collect()
    assert closed


def test_a_full_disk_changes_nothing(tmp_path, check_file):
    with Retriever(tmp_path / "graph.sqlite", embedder=lambda texts: [[1.0]] * len(texts)) as retriever:
        retriever.add([Node("a", name="alpha")])
        writer = retriever.backend._writer
        pages = writer.execute("PRAGMA page_count").fetchone()[0]
        writer.execute(f"PRAGMA max_page_count = {pages + 2}")
        with pytest.raises(StoreError, match=r"full.*"):
            retriever.add(Node(str(n), name=f"word{n}", text="long " * 2000) for n in range(50))
        assert retriever.search("word7 alpha", mode="text").ids == ["a"]
        writer.execute("PRAGMA max_page_count = 1000000")
        retriever.add(Node(str(n), name=f"word{n}", text="long " * 2000) for n in range(50))
        assert retriever.search("word7", mode="text").ids == ["7"]
    check_file(tmp_path / "graph.sqlite")


@pytest.mark.parametrize("weight", [5e18, 1e30])
def test_the_largest_weights_are_no_damage(tmp_path, check_file, weight):
    path = str(tmp_path / "kg.sqlite")
    with Retriever(path) as graph:
        graph.add([Node("a", "zip file"), Node("b", "read file")], [Edge("a", "b", "requires", weight)])
        assert graph.search("zip").ids == ["a", "b"]
    with Retriever(path) as graph:
        assert graph.search("zip").ids == ["a", "b"]
    check_file(path)


@pytest.mark.parametrize("searched_before", [False, True])
def test_an_id_that_is_no_text_is_damage(tmp_path, searched_before):
    path = str(tmp_path / "kg.sqlite")
    with Retriever(path) as graph:
        nodes = [Node(f"n{i}", f"zip file {i % 3}") for i in range(12)]
        graph.add(nodes, [Edge(f"n{i}", f"n{i + 1}", "requires") for i in range(11)])
        if searched_before:
            graph.search("zip")
        connection = sqlite3.connect(path)
        connection.execute("UPDATE nodes SET id = CAST(id AS BLOB) WHERE num % 2")
        connection.commit()
        connection.close()
        with pytest.raises(StoreError, match="is damaged, it holds what fourfold does not write"):
            graph.search("file")


def test_many_new_nodes_enter_the_full_text_at_once_and_not_one_by_one(tmp_path, check_file):
    nodes = [Node(f"n{i}", f"name {i}", text="alpha beta") for i in range(200)]
    ran = []
    with Retriever(tmp_path / "kg.sqlite", embedder=lambda texts: [[1.0]] * len(texts)) as retriever:
        retriever.add(nodes[:2])
        retriever.backend._writer.set_trace_callback(ran.append)
        retriever.add([Node("n1", "other", text="gamma"), *nodes[2:]])  # one that is replaced, too
        assert len(retriever.backend.phrase("alpha beta", None)) == 199
        assert len(retriever.backend.phrase("gamma", None)) == 1
    assert sum("INTO 'main'.'fts_data'" in statement for statement in ran) < 50
    check_file(tmp_path / "kg.sqlite")


def test_the_full_text_does_not_read_anew_what_stays_as_it_is(tmp_path, check_file):
    nodes = [Node(f"n{i}", f"name {i}", text="alpha beta") for i in range(5)]
    ran = []
    with Retriever(tmp_path / "kg.sqlite", embedder=lambda texts: [[1.0]] * len(texts)) as retriever:
        retriever.add(nodes)
        retriever.backend._writer.set_trace_callback(ran.append)
        retriever.add([replace(node, metadata={"year": 1999}) for node in nodes])
        assert not any("'fts_data'" in statement for statement in ran)
        retriever.add([replace(nodes[0], text="gamma", metadata={"year": 2000}), nodes[1]])
        assert [node.metadata for node in retriever.get(["n0", "n1", "n2"])] == [{"year": 2000}, {}, {"year": 1999}]
        assert len(retriever.backend.phrase("alpha beta", None)) == 4
        assert len(retriever.backend.phrase("gamma", None)) == 1
    check_file(tmp_path / "kg.sqlite")


@pytest.mark.parametrize("fails", [False, True])
def test_after_a_write_of_many_nodes_the_full_text_follows_whoever_writes(tmp_path, check_file, fails):
    path = tmp_path / "kg.sqlite"
    nodes = [Node(f"n{i}", f"name {i}", text="alpha beta") for i in range(100)]
    with Retriever(path, embedder=lambda texts: [[1.0]] * len(texts)) as retriever, Retriever(path) as other:
        assert other.backend.phrase("alpha beta", None) == []
        if fails:
            with pytest.raises(UnknownNodeError):
                retriever.add(nodes, [Edge("n1", "nobody")])
        else:
            retriever.add(nodes)
        with closing(sqlite3.connect(path)) as outside, outside:
            outside.execute("INSERT INTO nodes VALUES (1000, 'x', 'x', '', 'alpha beta', '{}', '', 1)")
            outside.execute("INSERT INTO tokens VALUES (1000, x'')")
        outside.close()
        assert len(other.backend.phrase("alpha beta", None)) == (1 if fails else 101)
        retriever.delete(["n1"])
        retriever.add([Node("y", text="alpha beta")])
        assert len(other.backend.phrase("alpha beta", None)) == (2 if fails else 101)
    check_file(path)


def test_only_while_it_is_written_many_pages_are_held(tmp_path):
    def held(connection):
        return -connection.execute("PRAGMA cache_size").fetchone()[0]

    with Retriever(tmp_path / "kg.sqlite", embedder=lambda texts: [[1.0]] * len(texts)) as retriever:
        writer, meanwhile = retriever.backend._writer, []
        retriever.add([Node("a")], also=lambda _: meanwhile.append(held(writer)))
        assert held(writer) <= 2_000 < 65_000 < meanwhile.pop()
        with pytest.raises(UnknownNodeError):
            retriever.add([], [Edge("a", "nobody")])
        assert held(writer) <= 2_000


@pytest.mark.parametrize("most", [True, False])
def test_many_edges_are_written_with_few_pages_read(tmp_path, monkeypatch, check_file, most):
    """At a million nodes the ends of edges lie on pages all over the file, and so does the index by target."""
    monkeypatch.setattr("fourfold.engines.sqlite.writer._MANY_EDGES", 30)
    path, told = tmp_path / "kg.sqlite", []
    nodes = [Node(f"n{i}", text="x") for i in range(40)]
    edges = [Edge(f"n{i}", f"n{i * 7 % 40}", "uses", i / 40) for i in range(40)]
    with Retriever(path) as retriever:
        if not most:
            retriever.add(nodes, [Edge(f"n{i}", f"n{(i + 1) % 40}", "likes") for i in range(40)] + edges[:10])
        retriever.backend._writer.set_trace_callback(told.append)
        retriever.add(nodes, edges)
        retriever.add(edges=edges)  # the same once more
        retriever.backend._writer.set_trace_callback(None)
        assert sum(line.startswith("DROP INDEX edges_by_target") for line in told) == (2 if most else 0)
        with pytest.raises(UnknownNodeError, match="'nobody'"):
            retriever.add([Node("late")], [*edges, Edge("late", "nobody")])
        with pytest.raises(UnknownNodeError, match="'nobody'"):
            retriever.add([], [*edges, Edge("n1", "nobody")])
        retriever.add([Node("new")], [Edge("new", "n0"), Edge("n0", "new")])
        assert {(e.source, e.target) for e in retriever.edges(["new"])} == {("new", "n0"), ("n0", "new")}
        retriever.delete(["n0"])
    check_file(path)
    with closing(sqlite3.connect(path)) as outside, outside:
        assert outside.execute("PRAGMA foreign_key_check").fetchall() == []
        count = outside.execute("SELECT count(*) FROM edges").fetchone()[0]
        by_target = "SELECT count(*) FROM edges INDEXED BY edges_by_target WHERE target > 0"
        assert outside.execute(by_target).fetchone()[0] == count > 0
    outside.close()


@pytest.mark.parametrize("writes", [1, 40])
def test_a_plain_copy_of_an_idle_file_holds_what_was_written(tmp_path, writes):
    path, backup = tmp_path / "kg.sqlite", tmp_path / "backup.sqlite"
    with Retriever(path) as retriever:
        for number in range(writes):
            retriever.add([Node(f"n{number}", text=f"note {number}")])
        until = time.monotonic() + 30
        while not_yet_in_the_file(retriever) and time.monotonic() < until:
            time.sleep(0.01)
        shutil.copy(path, backup)
        with Retriever(backup, must_exist=True) as copied:
            assert len(copied) == writes and copied.search("note", mode="text", k=99).ids


def not_yet_in_the_file(retriever):
    """Whether something is in the log alone, and will be taken in soon."""
    with retriever.backend.locks[0]:
        return retriever.backend._log is not None and retriever.backend._log._written


def test_writes_in_a_row_seldom_wait_for_the_file(tmp_path, monkeypatch):
    with Retriever(tmp_path / "kg.sqlite") as retriever:
        log, taken = retriever.backend._log, []
        monkeypatch.setattr(log, "_connection", Slow(log._connection, taken))
        begun = time.monotonic()
        while (lasted := time.monotonic() - begun) < 2.0:
            retriever.add([Node("n", text=f"note {lasted}")])
        assert 1 <= len(taken) <= 2 + lasted / (30 * Slow.SECONDS)


class Slow:
    """A connection to a file on a slow disk."""

    SECONDS = 0.02

    def __init__(self, connection, taken):
        self.connection, self.taken = connection, taken

    def execute(self, sql):
        self.taken.append(sql)
        time.sleep(self.SECONDS)
        return self.connection.execute(sql)


def test_what_a_file_holds_is_counted_once_for_every_state(tmp_path):
    path, statements = tmp_path / "kg.sqlite", []
    with Retriever(path) as retriever, Retriever(path) as other, Retriever(path, read_only=True) as reader:
        graphs = (retriever, other, reader)
        retriever.add([Node("a", "a"), Node("b", "b")])
        assert [len(one) for one in graphs] == [2, 2, 2]
        for one in graphs:
            with one.backend.reading() as connection:
                connection.set_trace_callback(statements.append)
        assert [(len(one), one.info()["edges"]) for one in graphs] == [(2, 0)] * 3
        assert not [statement for statement in statements if "count(" in statement]
        other.add([Node("c", "c")], [Edge("a", "c", "x")])
        assert [(len(one), one.info()["edges"]) for one in graphs] == [(3, 1)] * 3
        retriever.delete(["a"])
        assert [(len(one), one.info()["edges"]) for one in graphs] == [(2, 0)] * 3
    with Retriever() as memory:
        assert len(memory) == 0
        memory.add([Node("a", "a")])
        assert len(memory) == 1
        with memory.backend.transaction() as writer:
            assert memory.delete([]) == 0 and writer.delete_nodes(["a"]) == 1
            assert memory.backend.counts()["nodes"] == 0
        assert len(memory) == 0


def counts_told(retriever, statements):
    """Return what ``info`` tells of nodes, edges and vectors, in this order; what SQLite is asked goes to a list."""
    with retriever.backend.reading() as connection:
        connection.set_trace_callback(statements.append)
    found = retriever.info()
    assert list(found)[1:4] == ["nodes", "edges", "vectors"]
    return found["nodes"], found["edges"], found["vectors"]


def test_vectors_are_counted_without_reading_them(tmp_path, monkeypatch):
    """Of a million nodes they are a gigabyte; the index knows how many there are."""
    monkeypatch.setattr("fourfold.engines.sqlite.parts._DERIVED_FROM", 2)
    path, statements = tmp_path / "kg.sqlite", []
    counted = partial(counts_told, statements=statements)
    with Retriever(path) as retriever:
        retriever.add([Node("a", "a"), Node("b", "b"), Node("c", "c")], [Edge("a", "b", "x")])
        assert counted(retriever) == (3, 1, 3)
        assert any("FROM vectors" in statement for statement in statements)  # no index is there yet
        retriever.delete(["c"])
        retriever.search("a")
        statements.clear()
        assert counted(retriever) == (2, 1, 2)
    with Retriever(path) as retriever, Retriever(path, read_only=True) as reader:
        assert counted(retriever) == counted(reader) == (2, 1, 2)
    assert not any("FROM vectors" in statement for statement in statements)


def statements_over(statements, *tables):
    return [one for one in statements if one in {f"SELECT count(*) FROM {table}" for table in tables}]


def test_what_an_open_graph_holds_is_counted_by_its_index(tmp_path, monkeypatch):
    """Of a million nodes SQLite reads an index of each table from end to end: seconds for ``fourfold info``."""
    monkeypatch.setattr("fourfold.engines.sqlite.parts._DERIVED_FROM", 2)
    path, statements = tmp_path / "kg.sqlite", []
    counted = partial(counts_told, statements=statements)
    with Retriever(path) as retriever:
        retriever.add([Node(name, name) for name in "abcd"], [Edge("a", b, "x") for b in "bcd"])
        retriever.search("a")
        retriever.delete(["d"], edges=[Edge("a", "c", "x")])
        retriever.search("a")
        assert counted(retriever) == (3, 1, 3)
        retriever.maintenance.compact()
    with Retriever(path) as retriever, Retriever(path, read_only=True) as reader:
        assert counted(retriever) == counted(reader) == (3, 1, 3)
        assert not statements_over(statements, "nodes", "edges", "vectors")
    for place in tmp_path.glob("kg.sqlite.index/*/*.bin"):
        place.write_bytes(bytes(byte ^ 1 for byte in place.read_bytes()))
    with Retriever(path) as retriever:
        assert counted(retriever) == (3, 1, 3)


def test_questions_begin_without_counting_what_a_file_holds(tmp_path, monkeypatch):
    with Retriever(tmp_path / "kg.sqlite") as retriever:
        retriever.add([Node("a", "quagga")])
        monkeypatch.setattr(type(retriever.backend), "counts", None)
        assert Questions(retriever).keyword_match("quagga").ids == ["a"]
        assert ToolCatalog(retriever).get("a").id == "a"


@pytest.mark.skipif(sys.platform == "win32", reason="links of this kind are rare there")
def test_a_file_of_two_names_is_warned_of_where_it_may_be_written(tmp_path):
    path, other = tmp_path / "kg.sqlite", tmp_path / "other.sqlite"
    Retriever(path).close()
    os.symlink(path, tmp_path / "link.sqlite")
    Retriever(tmp_path / "link.sqlite").close()
    os.link(path, other)
    with pytest.warns(FourfoldWarning, match="other.sqlite' has a further name, a hard link"):
        Retriever(other).close()
    Retriever(other, read_only=True).close()
    with warnings.catch_warnings(action="error"), pytest.raises(FourfoldWarning) as refused:
        Retriever(other)
    assert refused.value.args and not Path(f"{other}-wal").exists(), "its connections stay open"
