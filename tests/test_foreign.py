"""Knowledge graphs in other people's SQLite files: opened as they are, never altered, always in step."""

# ruff: noqa: E501 (tables of cases read better on one line)

import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fourfold import (
    DimensionError,
    Edge,
    EmbedderMismatchError,
    ForeignSchema,
    FourfoldWarning,
    InvalidValueError,
    Node,
    RetrievalConfig,
    Retriever,
    SchemaDetectionError,
    StoreError,
)
from fourfold.checking import check


def letters(texts):
    """Embed by counting letters: real vectors, without a model."""
    return [[1.0, *(text.lower().count(letter) for letter in "aeiost")] for text in texts]


@pytest.fixture
def make(tmp_path):
    """Return a function that makes a database of a script and rows."""

    def made(script, rows=(), *, name="theirs.db", wal=False):
        path = tmp_path / name
        connection = sqlite3.connect(path)
        if wal:
            connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript(script)
        for sql, many in rows:
            connection.executemany(sql, many)
        connection.commit()
        connection.close()
        return path

    return made


def change(path, *statements):
    connection = sqlite3.connect(path, timeout=30)
    with connection:
        for statement in statements:
            connection.execute(*statement) if isinstance(statement, tuple) else connection.execute(statement)
    connection.close()


def foreign(path, schema=None, **options):
    return Retriever.open_foreign(path, schema, embedder=letters, **options)


NODES_AND_EDGES = """
CREATE TABLE nodes (id TEXT PRIMARY KEY, name TEXT, type TEXT, description TEXT, lang TEXT, stars INTEGER, properties TEXT);
CREATE TABLE edges (id INTEGER PRIMARY KEY, source TEXT, target TEXT, type TEXT, weight REAL);
INSERT INTO nodes VALUES
 ('w', 'write_file', 'tool', 'Save data to disk', 'en', 5, '{"os": "linux", "size": {"mb": 3}}'),
 ('r', 'read_file', 'tool', 'Load data from disk', 'en', 4, NULL),
 ('p', 'permission', 'concept', NULL, 'de', NULL, 'not json');
INSERT INTO edges VALUES (1, 'w', 'p', 'requires', 0.5), (2, 'r', 'p', 'requires', NULL), (3, 'w', 'r', 'similar_to', 2);
"""


def test_nodes_and_edges(make):
    with foreign(make(NODES_AND_EDGES)) as graph:
        assert graph.get(["w", "p"]) == [
            Node(
                "w",
                "write_file",
                "tool",
                "Save data to disk",
                {"lang": "en", "stars": 5, "os": "linux", "size": {"mb": 3}},
            ),
            Node("p", "permission", "concept", "", {"lang": "de", "properties": "not json"}),
        ]
        assert graph.edges(["w"]) == [Edge("w", "p", "requires", 0.5), Edge("w", "r", "similar_to", 2.0)]
        assert graph.edges(["r"])[0] == Edge("r", "p", "requires", 1.0)
        assert graph.search("save data", mode="text").ids[0] == "w"
        assert graph.search("disk", filter={"size.mb": {"$gt": 2}}).ids == ["w"]


LAYOUTS = {
    "entities/relations": (
        """CREATE TABLE entities (entity_id TEXT PRIMARY KEY, entity_name TEXT, entity_type TEXT, summary TEXT);
        CREATE TABLE relations (head TEXT REFERENCES entities, relation TEXT, tail TEXT REFERENCES entities, confidence REAL);
        INSERT INTO entities VALUES ('a', 'Ada Lovelace', 'person', 'wrote a program'), ('b', 'Analytical Engine', 'machine', '');
        INSERT INTO relations VALUES ('a', 'used', 'b', 0.25)""",
        ["a", "Ada Lovelace", "person", "wrote a program"],
        Edge("a", "b", "used", 0.25),
    ),
    "concepts/links, integer ids": (
        """CREATE TABLE concepts (id INTEGER PRIMARY KEY, label TEXT, category TEXT, definition TEXT);
        CREATE TABLE links (from_id INTEGER, to_id INTEGER, link_type TEXT, strength REAL);
        INSERT INTO concepts VALUES (1, 'Ada Lovelace', 'person', 'wrote a program'), (2, 'Engine', 'machine', NULL);
        INSERT INTO links VALUES (1, 2, 'used', 0.25)""",
        ["1", "Ada Lovelace", "person", "wrote a program"],
        Edge("1", "2", "used", 0.25),
    ),
    "untyped edges": (
        """CREATE TABLE nodes (id TEXT, name TEXT, type TEXT, text TEXT); CREATE TABLE edges (src TEXT, dst TEXT);
        INSERT INTO nodes VALUES ('a', 'Ada Lovelace', 'person', 'wrote a program'), ('b', 'Engine', '', '');
        INSERT INTO edges VALUES ('a', 'b')""",
        ["a", "Ada Lovelace", "person", "wrote a program"],
        Edge("a", "b", "", 1.0),
    ),
    "camel case": (
        """CREATE TABLE Vertices (Id TEXT PRIMARY KEY, DisplayName TEXT, NodeType TEXT, LongDescription TEXT);
        CREATE TABLE Relationships (Id INTEGER PRIMARY KEY, sourceNodeId TEXT, targetNodeId TEXT, relationshipType TEXT);
        INSERT INTO Vertices VALUES ('a', 'Ada Lovelace', 'person', 'wrote a program'), ('b', 'Engine', '', '');
        INSERT INTO Relationships VALUES (1, 'a', 'b', 'used')""",
        ["a", "Ada Lovelace", "person", "wrote a program"],
        Edge("a", "b", "used", 1.0),
    ),
    "subject/object by name": (
        """CREATE TABLE entity (id INTEGER PRIMARY KEY, name TEXT UNIQUE, kind TEXT, content TEXT);
        CREATE TABLE triples (subject TEXT, predicate TEXT, object TEXT);
        INSERT INTO entity VALUES (1, 'Ada Lovelace', 'person', 'wrote a program'), (2, 'Engine', '', '');
        INSERT INTO triples VALUES ('Ada Lovelace', 'used', 'Engine')""",
        ["Ada Lovelace", "Ada Lovelace", "person", "wrote a program"],
        Edge("Ada Lovelace", "Engine", "used", 1.0),
    ),
    "unusual names, by foreign keys alone": (
        """CREATE TABLE people (pid INTEGER PRIMARY KEY, title TEXT, class TEXT, bio TEXT);
        CREATE TABLE knows (who INTEGER REFERENCES people (pid), whom INTEGER REFERENCES people (pid), label TEXT);
        CREATE TABLE audit (id INTEGER PRIMARY KEY, name TEXT, text TEXT);
        INSERT INTO people VALUES (1, 'Ada Lovelace', 'person', 'wrote a program'), (2, 'Engine', '', '');
        INSERT INTO knows VALUES (1, 2, 'used')""",
        ["1", "Ada Lovelace", "person", "wrote a program"],
        Edge("1", "2", "used", 1.0),
    ),
    "views": (
        """CREATE TABLE t1 (a TEXT, b TEXT, c TEXT, d TEXT); CREATE TABLE t2 (a TEXT, b TEXT, c TEXT);
        INSERT INTO t1 VALUES ('a', 'Ada Lovelace', 'person', 'wrote a program'), ('b', 'Engine', '', '');
        INSERT INTO t2 VALUES ('a', 'b', 'used');
        CREATE VIEW nodes AS SELECT a AS id, b AS name, c AS type, d AS body FROM t1;
        CREATE VIEW edges AS SELECT a AS source, b AS target, c AS type FROM t2""",
        ["a", "Ada Lovelace", "person", "wrote a program"],
        Edge("a", "b", "used", 1.0),
    ),
    "odd identifiers": (
        """CREATE TABLE "my ""nodes" ("node id" TEXT PRIMARY KEY, "the ""name" TEXT, "order" TEXT, "type" TEXT, "text; --" TEXT);
        CREATE TABLE "select" ("from" TEXT REFERENCES "my ""nodes", "to" TEXT REFERENCES "my ""nodes", "group type" TEXT);
        INSERT INTO "my ""nodes" VALUES ('a', 'Ada Lovelace', '1st', 'person', 'wrote a program'), ('b', 'E', '', '', '');
        INSERT INTO "select" VALUES ('a', 'b', 'used')""",
        ["a", "", "person", "wrote a program"],
        Edge("a", "b", "used", 1.0),
    ),
    "metadata of time intervals": (
        """CREATE TABLE nodes (id TEXT PRIMARY KEY, name TEXT, type TEXT, notes TEXT, parent_id TEXT);
        CREATE TABLE edges (edge_id TEXT, source_id TEXT, target_id TEXT, rel_type TEXT, valid_from TEXT, valid_to TEXT);
        INSERT INTO nodes VALUES ('a', 'Ada Lovelace', 'person', 'wrote a program', NULL), ('b', 'Engine', '', '', 'a');
        INSERT INTO edges VALUES ('e', 'a', 'b', 'used', '1842', '1843')""",
        ["a", "Ada Lovelace", "person", "wrote a program"],
        Edge("a", "b", "used", 1.0),
    ),
}


PAGES = """CREATE TABLE pages (slug TEXT PRIMARY KEY, title TEXT, body TEXT, parent_slug TEXT REFERENCES pages (slug));
    INSERT INTO pages VALUES ('root', 'Root', 'all of it', NULL), ('a', 'Alpha', 'first', 'root'), ('b', 'Beta', 'second', 'a')"""


def test_a_column_that_leads_to_the_table_itself_is_an_edge(make):
    with foreign(path := make(PAGES)) as graph:
        assert graph.edges(["a"]) == [Edge("a", "root"), Edge("b", "a")]
        told = graph.info()["foreign"]
        assert not told["skipped"] and not told["notes"] and graph.get(["a"])[0].metadata == {"parent_slug": "root"}
        change(path, "UPDATE pages SET parent_slug = 'root' WHERE slug = 'b'")
        graph.search("alpha")
        assert graph.edges(["b"]) == [Edge("b", "root")]


def test_beside_a_table_of_edges_such_a_column_is_told_of(make):
    links = "; CREATE TABLE links (source TEXT REFERENCES pages, target TEXT REFERENCES pages, kind TEXT); INSERT INTO links VALUES ('a', 'b', 'sees')"
    with pytest.warns(FourfoldWarning, match="'parent_slug' of the table 'pages' .* leads from node to node"):
        graph = Retriever.open_foreign(make(PAGES + links), embedder=letters)
    assert graph.edges(["a"]) == [Edge("a", "b", "sees")] and len(graph.info()["foreign"]["notes"]) == 1
    graph.close()


def test_nodes_of_which_no_word_is_read_are_told_of(make):
    script = """CREATE TABLE entities (id TEXT PRIMARY KEY, brief TEXT); CREATE TABLE links (source TEXT, target TEXT);
        INSERT INTO entities VALUES ('e1', 'the engine of Babbage')"""
    with pytest.warns(FourfoldWarning, match="'entities' of .* read no word of 'brief'; say .*ForeignSchema"):
        graph = Retriever.open_foreign(make(script), embedder=letters)
    assert "'brief'" in graph.info()["foreign"]["notes"][0]
    said = replace(ForeignSchema(**{**graph.info()["foreign"]["schema"], "text": ("brief",)}), metadata=None)
    graph.close()
    with Retriever.open_foreign(make("", name="theirs.db"), said, embedder=letters) as graph:
        assert graph.get(["e1"])[0].text == "the engine of Babbage" and not graph.info()["foreign"]["notes"]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(make, layout):
    script, expected, edge = LAYOUTS[layout]
    with foreign(make(script)) as graph:
        node = graph.get([expected[0]])[0]
        if layout == "odd identifiers":
            assert node.name == "Ada Lovelace" and node.metadata == {"order": "1st"}
        else:
            assert [node.id, node.name, node.type, node.text] == expected
        assert graph.edges([node.id]) == [edge]
        hits = graph.search("program").hits
        assert {hit.node.id for hit in hits} >= {node.id, edge.target}
        assert next(h for h in hits if h.node.id == edge.target).components.graph > 0


MORE_EDGES = {
    "of the same nodes": "CREATE TABLE owns (source TEXT, target TEXT); INSERT INTO owns VALUES ('a', 'b')",
    "by foreign keys": "CREATE TABLE owns (who TEXT REFERENCES nodes, what TEXT REFERENCES nodes); INSERT INTO owns VALUES ('a', 'b')",
    "of other nodes": """CREATE TABLE parts (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO parts VALUES (7, 'bolt'), (8, 'nut');
        CREATE TABLE owns (source_id INTEGER, target_id INTEGER); INSERT INTO owns VALUES (7, 8)""",
}
NO_EDGES = {
    "a view of the same": "CREATE VIEW owns AS SELECT source, target FROM edges",
    "an empty one": "CREATE TABLE owns (source TEXT, target TEXT)",
    "ends that are no nodes": "CREATE TABLE owns (source TEXT, target TEXT); INSERT INTO owns VALUES ('wiki', 'book')",
    "two columns of anything": "CREATE TABLE owns (a TEXT, b TEXT); INSERT INTO owns VALUES ('a', 'b')",
}
ONE_GRAPH = """CREATE TABLE nodes (id TEXT PRIMARY KEY, name TEXT); CREATE TABLE edges (source TEXT{0}, target TEXT{0});
    INSERT INTO nodes VALUES ('a', 'Ada'), ('b', 'Bob'); INSERT INTO edges VALUES ('b', 'a');"""


@pytest.mark.parametrize("more", MORE_EDGES)
def test_tables_of_edges_that_are_not_read_are_told_of(make, more):
    with pytest.warns(FourfoldWarning, match="One table of edges is read, 'edges' of .* in 'owns', too, and are left"):
        graph = foreign(make(ONE_GRAPH.format(" REFERENCES nodes") + MORE_EDGES[more]))
    assert "'owns'" in graph.info()["foreign"]["notes"][0] and graph.edges(["a"]) == [Edge("b", "a", "", 1.0)]
    graph.close()


@pytest.mark.parametrize("more", NO_EDGES)
def test_what_holds_no_further_edges_is_not_told_of(make, more):
    with foreign(make(ONE_GRAPH.format("") + NO_EDGES[more])) as graph:
        assert not graph.info()["foreign"]["notes"]


def test_a_view_of_all_edges_says_enough(make):
    script = (
        ONE_GRAPH.format("").replace("TABLE edges", "TABLE knows").replace("INTO edges", "INTO knows")
        + MORE_EDGES["of the same nodes"]
    )
    union = ";CREATE VIEW edges AS SELECT *, 'knows' AS type FROM knows UNION ALL SELECT *, 'owns' FROM owns"
    with foreign(make(script + union)) as graph:
        assert not graph.info()["foreign"]["notes"]
        assert graph.edges(["a"]) == [Edge("a", "b", "owns", 1.0), Edge("b", "a", "knows", 1.0)]


@pytest.mark.parametrize(
    ("columns", "values", "name", "text"),
    [
        ("title, full_name", ["Countess", "Ada Lovelace"], "Ada Lovelace", ""),
        ("Title, FirstName, LastName", ["Countess", "Ada", "Lovelace"], "Countess", "Ada\nLovelace"),
        ("first_name, surname, bio", ["Ada", "Lovelace", "wrote"], "Ada", "Lovelace\nwrote"),
    ],
)
def test_people_are_found_by_their_names(make, columns, values, name, text):
    script = f"CREATE TABLE nodes (id INTEGER PRIMARY KEY, {columns})"
    row = f"INSERT INTO nodes VALUES (1, {', '.join('?' * len(values))})"
    with foreign(make(script, [(row, [values])])) as graph:
        node = graph.get(["1"])[0]
        assert (node.name, node.text) == (name, text)
        assert graph.search("lovelace", mode="text").ids == ["1"]


JSON_GRAPH = """CREATE TABLE nodes (body TEXT, id TEXT GENERATED ALWAYS AS (json_extract(body, '$.id')) VIRTUAL NOT NULL UNIQUE);
    CREATE TABLE edges (source TEXT REFERENCES nodes(id), target TEXT REFERENCES nodes(id), properties TEXT);
    INSERT INTO nodes VALUES ('{"id": "1", "name": "Apple"}'), ('{"id": "2", "name": "Steve Wozniak"}');
    INSERT INTO edges VALUES ('2', '1', '{"action": "founded"}');"""


def test_columns_and_views_made_of_json_are_read(make):
    with foreign(make(JSON_GRAPH)) as graph:  # the layout of simple-graph
        assert graph.search("Wozniak").ids[0] == "2" and graph.edges(["2"]) == [Edge("2", "1", "", 1.0)]
    views = (
        'CREATE TABLE raw (payload TEXT); INSERT INTO raw VALUES (\'{"key": "a", "title": "Ada"}\');'
        "CREATE VIEW nodes AS SELECT json_extract(payload, '$.key') AS id, json_extract(payload, '$.title') AS name FROM raw"
    )
    with foreign(make(views, name="views.db")) as graph:
        assert graph.get(["a"])[0].name == "Ada" and not graph.info()["foreign"]["notes"]


@pytest.mark.parametrize("levels", [300, 900, 2000, 5000, 100_000])
def test_json_of_any_depth_harms_no_other_row(make, levels):
    deep = f'{{"x": {"[" * levels}{"]" * levels}}}'
    rows = [("INSERT INTO nodes VALUES (?, ?, ?)", [("a", "alpha", deep), ("b", "beta", '{"n": 1}')])]
    path = make("CREATE TABLE nodes (id TEXT, name TEXT, metadata JSON);", rows)
    with Retriever.open_foreign(path) as graph:
        assert graph.search("alpha", mode="text").ids == ["a"]
        assert graph.matching({"n": 1}) == ["b"]
        assert graph.get(["a"])[0].metadata.keys() == ({"x"} if levels == 300 else {"metadata"})


def test_a_file_with_columns_made_of_json_is_sent_to_open_foreign(make):
    with pytest.raises(
        StoreError, match="database of another application; open .* with Retriever.open_foreign"
    ) as told:
        Retriever(make(JSON_GRAPH))
    assert "--foreign" in str(told.value)  # a command cannot call it, and had nothing to go on with


def test_a_view_calls_no_function_that_reaches_further(make):
    script = (
        "CREATE TABLE nodes (id TEXT, name TEXT); INSERT INTO nodes VALUES ('a', 'Ada');"
        "CREATE VIEW edges AS SELECT load_extension('x') AS source, 'a' AS target"
    )
    with pytest.warns(FourfoldWarning, match="load_extension"), foreign(make(script)) as graph:
        assert graph.search("Ada").ids == ["a"]


def vector_rows(kind):
    vectors = {1: [1, 0, 0], 2: [0, 1, 0], 3: [0, 0, 91 / 3]}  # the last begins with b"[" or so in some byte order
    pack = json.dumps if kind == "json" else lambda v: np.array(v, "<f4").tobytes()
    return [(key, pack(vector)) for key, vector in vectors.items()]


@pytest.mark.parametrize("kind", ["json", "blob"])
@pytest.mark.parametrize("table", ["embeddings", "node_embeddings", "vec_embeddings", None])
def test_vectors(make, kind, table):
    script = (
        "CREATE TABLE nodes (id INTEGER PRIMARY KEY, name TEXT, embedding);"
        "CREATE TABLE edges (source INTEGER, target INTEGER, type TEXT);"
        "INSERT INTO nodes VALUES (1, 'one', NULL), (2, 'two', NULL), (3, 'three', NULL);"
    )
    rows = [("UPDATE nodes SET embedding = ?2 WHERE id = ?1", vector_rows(kind))]
    if table:
        script = (
            script.replace(", embedding)", ", colour)")
            + f"CREATE TABLE {table} (node_id INTEGER, model TEXT, embedding);"
        )
        rows = [(f"INSERT INTO {table} (node_id, embedding) VALUES (?, ?)", vector_rows(kind))]
    with foreign(make(script, rows)) as graph:
        assert graph.info()["vectors"] == 3 and graph.info()["dimensions"] == 3
        assert graph.info()["embedder"] is None
        hits = graph.search("", query_vector=[0, 1, 0], mode="embedding").hits
        assert [h.node.id for h in hits if h.score > 0] == ["2"]
        with pytest.raises(DimensionError, match=r"2 dimensions.*3"):
            graph.search("x", query_vector=[1, 2])


def test_a_float32_blob_may_begin_with_a_bracket(make):
    script = "CREATE TABLE nodes (id TEXT PRIMARY KEY, name TEXT, vector BLOB)"
    blob = b"[" + np.array([1, 2], "<f4").tobytes()[1:]
    with foreign(make(script, [("INSERT INTO nodes VALUES ('a', 'x', ?)", [(blob,)])])) as graph:
        assert graph.info()["dimensions"] == 2


def test_vectors_of_mixed_dimension_are_named(make):
    script = "CREATE TABLE nodes (id TEXT PRIMARY KEY, name TEXT, vector BLOB)"
    rows = [("INSERT INTO nodes VALUES (?, 'x', ?)", [(str(n), np.ones(n, "<f4").tobytes()) for n in (3, 4)])]
    with pytest.raises(DimensionError, match=r"3 \(node '3'\) and 4 \(node '4'\)"):
        foreign(make(script, rows))


@pytest.mark.parametrize(
    "bad", ["[" * 100_000, b"abc", "[1, NaN]", "hello", 5, "[[1, 2]]", '[1, "x"]', np.array([np.nan], "<f4").tobytes()]
)
def test_a_vector_that_cannot_be_read_is_named(make, bad):
    path = make("CREATE TABLE nodes (id TEXT PRIMARY KEY, vector)", [("INSERT INTO nodes VALUES ('a', ?)", [(bad,)])])
    with pytest.raises(InvalidValueError, match="node 'a'"):
        foreign(path)


def test_untyped_edges_count_a_half_out_and_three_tenths_in(make):
    path = make(
        "CREATE TABLE nodes (id TEXT, name TEXT); CREATE TABLE edges (source TEXT, target TEXT);"
        "INSERT INTO nodes VALUES ('m', 'middle'), ('o', 'x'), ('i', 'y');"
        "INSERT INTO edges VALUES ('m', 'o'), ('i', 'm')"
    )
    with foreign(path, config=RetrievalConfig.published()) as graph:
        hits = {h.node.id: h.components for h in graph.search("middle", mode="text").hits}
        assert hits["o"].graph == pytest.approx(1.0) and hits["i"].graph == pytest.approx(0.3 / 0.5)
        assert all(c.intent == 0 for c in hits.values())
        explanation = graph.explain("middle", "i", mode="text")
        assert sum(c.value for c in explanation.contributions) == pytest.approx(explanation.score, abs=1e-9)
    with foreign(path) as graph:  # no edge has a type: the weight of the intent goes to the others
        weights = graph.search("middle").weights
        assert weights.intent == 0 and sum(weights.as_tuple()) == pytest.approx(1)


def test_what_has_to_be_skipped_is_counted(make):
    path = make(
        """CREATE TABLE nodes (id TEXT, name TEXT, type TEXT, text TEXT);
        CREATE TABLE edges (source TEXT, target TEXT, type TEXT, weight);
        INSERT INTO nodes VALUES ('a', 'alpha', NULL, NULL), ('b', NULL, NULL, NULL), (NULL, 'no id', '', ''), ('b', 'beta', '', '');
        INSERT INTO edges VALUES ('a', 'b', 'x', 1), ('a', 'b', 'x', 3), ('a', 'nobody', 'x', 1), ('a', NULL, 'x', 1),
          ('b', 'a', NULL, 'heavy'), ('b', 'b', 'y', -1)"""
    )
    with foreign(path) as graph:
        info = graph.info()
        assert (info["nodes"], info["edges"]) == (2, 3)
        assert info["foreign"]["skipped"] == {
            "nodes without an id": 1,
            "nodes with an id seen before": 1,
            "edges naming missing nodes": 1,
            "edges without two ends": 1,
            "edges listed more than once": 1,
            "edges whose weight is no number from 0 on (taken as 1)": 2,
        }
        json.dumps(info)
        assert graph.get(["b"])[0].name == "beta"
        assert Edge("a", "b", "x", 3.0) in graph.edges(["a"])
        assert Edge("b", "a", "", 1.0) in graph.edges(["a"])


def test_a_schema_can_be_given(make):
    path = make(
        """CREATE TABLE stuff (k TEXT, "what it is" TEXT, blurb TEXT, a, b); CREATE TABLE joins (x TEXT, y TEXT, how TEXT, n REAL);
        CREATE TABLE numbers (k TEXT, v BLOB);
        INSERT INTO stuff VALUES ('1', 'hammer', 'drives nails', 7, 8), ('2', 'nail', 'holds wood', 9, 10);
        INSERT INTO joins VALUES ('1', '2', 'drives', 0.5)""",
        [("INSERT INTO numbers VALUES (?, ?)", [(str(n), np.eye(3, dtype="<f4")[n].tobytes()) for n in (1, 2)])],
    )
    with pytest.raises(SchemaDetectionError) as caught:
        foreign(path)
    for part in ("stuff (k, what it is, blurb, a, b)", "joins (x, y, how, n)", "ForeignSchema(node_table=", str(path)):
        assert part in str(caught.value)
    schema = ForeignSchema(
        node_table="stuff", id="k", name="what it is", text=("blurb",), metadata=("a",), edge_table="joins", source="x",
        target="y", edge_type="how", weight="n", vector_table="numbers", vector_node="k", vector_column="v",
    )  # fmt: skip
    with foreign(path, schema) as graph:
        assert graph.get(["1"]) == [Node("1", "hammer", "", "drives nails", {"a": 7})]
        assert graph.edges(["1"]) == [Edge("1", "2", "drives", 0.5)]
        assert graph.info()["vectors"] == 2
    with foreign(path, ForeignSchema("stuff", "k", text=("blurb",))) as graph:  # another reading of the same file
        assert graph.get(["1"]) == [Node("1", "", "", "drives nails", {"what it is": "hammer", "a": 7, "b": 8})]
        assert graph.edges(["1"]) == []


@pytest.mark.parametrize(
    ("schema", "says"),
    [
        (ForeignSchema("nodez", "id"), "'nodez'"),
        (ForeignSchema("nodes", "idd"), "id='idd'"),
        (ForeignSchema("nodes", "id", text=("description", "poem")), "'poem'"),
        (ForeignSchema("nodes", "id", edge_table="edges", source="source"), "no target="),
        (ForeignSchema("nodes", "id", source="source", target="target"), "no edge_table="),
        (ForeignSchema("nodes", "id", vector_table="edges", vector_node="id"), "no vector_column="),
        (ForeignSchema("nodes", ""), "no id="),
    ],
)
def test_a_schema_that_names_what_is_not_there(make, schema, says):
    with pytest.raises(SchemaDetectionError) as caught:
        foreign(make(NODES_AND_EDGES), schema)
    assert says in str(caught.value)


def test_a_column_alone_is_one_and_what_is_no_schema_is_told(make):
    path = make(
        "CREATE TABLE nodes (id TEXT PRIMARY KEY, description TEXT); INSERT INTO nodes VALUES ('a', 'Save data.')"
    )
    assert ForeignSchema("nodes", "id", text="description") == ForeignSchema("nodes", "id", text=("description",))
    with foreign(path, ForeignSchema("nodes", "id", text="description")) as graph:
        assert graph.get(["a"])[0].text == "Save data."
    with pytest.raises(InvalidValueError, match=r"schema is .*'nodes'.*; it must be a fourfold.ForeignSchema"):
        foreign(path, {"node_table": "nodes", "id": "id"})
    for wrong, said in (
        ({"only": "tenant"}, "only of the ForeignSchema is .*a column and the value"),
        ({"only": ("tenant", 42)}, "only of the ForeignSchema holds 42; each must be a string"),
        ({"name": 5}, "name of the ForeignSchema is 5; it must be a string"),
        ({"node_table": None}, "node_table of the ForeignSchema is None"),
    ):
        with pytest.raises(InvalidValueError, match=said):
            ForeignSchema(**{"node_table": "nodes", "id": "id"} | wrong)


def test_a_graph_of_our_own_that_is_read_as_tables_of_others_is_told(tmp_path):
    path = tmp_path / "kg.sqlite"
    with Retriever(path) as graph:
        graph.add([Node("a", text="Save data.")])
    with pytest.warns(FourfoldWarning, match=r"a graph of Fourfold's own.*; open it with Retriever\(path\)"):
        theirs = foreign(path)
    with theirs:
        assert theirs.search("save data").hits


def test_a_file_that_another_keeps_locked_is_not_read_behind_its_back(make, monkeypatch):
    monkeypatch.setattr("fourfold.engines.sqlite.connection._BUSY_SECONDS", 0.0)
    path = make("CREATE TABLE nodes (id TEXT PRIMARY KEY, name TEXT); INSERT INTO nodes VALUES ('a', 'alpha')")
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreError, match="cannot be read: database is locked"):
            foreign(path)


def test_an_empty_database_and_files_that_are_none(tmp_path, make):
    with pytest.raises(SchemaDetectionError, match="no tables"):
        foreign(make(""))
    with pytest.raises(StoreError, match="no-such"):
        foreign(tmp_path / "no-such.db")
    (tmp_path / "text.db").write_text("not a database at all, whatever its name may say" * 30)
    with pytest.raises(StoreError, match=r"text\.db"):
        foreign(tmp_path / "text.db")
    if Path("/proc/self/mem").is_file():
        with pytest.raises(StoreError, match="cannot be read: disk I/O error"):
            foreign("/proc/self/mem")


def test_the_name_of_a_file_is_bytes(make, tmp_path):
    """What is no UTF-8 names a file as well, on systems where it does."""
    path = tmp_path / os.fsdecode(b"caf\xff?%41#.sqlite")
    try:
        path.write_bytes(Path(make(NODES_AND_EDGES)).read_bytes())
    except OSError:
        pytest.skip("the names of files are Unicode here")
    with foreign(path) as theirs:
        assert len(theirs)
    assert check(f"{path}.fourfold").sound


def test_a_table_of_a_missing_extension_is_left_out_with_a_warning(make):
    path = make(NODES_AND_EDGES)
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA writable_schema = ON")
    connection.execute(
        "INSERT INTO sqlite_master VALUES ('table', 'vec_embeddings', 'vec_embeddings', 0, "
        "'CREATE VIRTUAL TABLE vec_embeddings USING vec0(id, embedding float[3])')"
    )
    connection.commit()
    connection.close()
    with pytest.warns(FourfoldWarning, match="vec0"):
        graph = foreign(path)
    assert graph.search("save data", mode="text").ids[0] == "w"
    assert "vec0" in graph.info()["foreign"]["notes"][0]
    graph.close()


# -- never altered ----------------------------------------------------------------------------------------------------


def fingerprint(path):
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


@pytest.mark.parametrize("wal", [False, True])
def test_the_file_is_never_altered(make, wal):
    path = make(NODES_AND_EDGES, wal=wal)
    keeper = sqlite3.connect(path)  # an open application keeps its WAL file
    if wal:
        with keeper:
            keeper.execute("INSERT INTO nodes (id, name) VALUES ('new', 'zebra')")
    files = [path, Path(f"{path}-wal")] if wal else [path]
    before = [fingerprint(file) for file in files]
    with foreign(path) as graph:
        assert graph.search("save data", mode="text").ids[0] == "w"
        assert not wal or graph.search("zebra", mode="text").ids == ["new"]
        for refused in (lambda: graph.add([Node("x")]), lambda: graph.delete(["w"])):
            with pytest.raises(StoreError, match="only read"):
                refused()
    with foreign(path) as graph:
        graph.search("again")
    assert [fingerprint(file) for file in files] == before
    keeper.close()


def test_a_wal_database_that_nobody_has_open(make):
    path = make(NODES_AND_EDGES, wal=True)
    before = fingerprint(path)
    foreign(path).close()
    assert fingerprint(path) == before
    with foreign(path) as graph:
        assert graph.search("save data", mode="text").ids[0] == "w"
        change(path, "INSERT INTO nodes (id, name) VALUES ('new', 'zebra')")
        assert graph.search("zebra", mode="text").ids == ["new"]
    assert graph.path == str(path)
    connection = sqlite3.connect(path)  # whoever comes next finds all that was written
    assert connection.execute("SELECT count(*) FROM nodes").fetchone() == (4,)
    connection.close()


UNWRITABLE = """
import os, sys
from fourfold import Retriever
from fourfold.signals.late import token_table
token_table()
with Retriever(embedder=len) as warm:
    warm.search("import what is imported late")
if os.getuid() == 0:
    os.setgid(65534); os.setuid(65534)
with Retriever.open_foreign(sys.argv[1], embedder=lambda texts: [[1.0, len(t)] for t in texts]) as graph:
    print(graph.search("save data", mode="text").ids[0], graph.info()["foreign"]["index"])
"""


@pytest.mark.parametrize("wal", [False, True])
def test_a_folder_that_cannot_be_written_is_indexed_in_memory(make, wal):
    home = Path(tempfile.mkdtemp())  # pytest's own folders are closed to the user the child becomes
    path = home / "theirs.db"
    shutil.move(make(NODES_AND_EDGES, wal=wal), path)
    path.chmod(0o444)
    home.chmod(0o555)
    try:
        done = subprocess.run([sys.executable, "-c", UNWRITABLE, str(path)], capture_output=True, text=True, timeout=60)
        left = sorted(file.name for file in home.iterdir())
    finally:
        home.chmod(0o755)
        shutil.rmtree(home)
    assert done.stdout.split() == ["w", ":memory:"], done.stderr
    assert left == ["theirs.db"]


# -- in step ----------------------------------------------------------------------------------------------------------


def scores(graph, query, **options):
    return {h.node.id: h.score for h in graph.search(query, k=99, **options).hits}


@pytest.mark.parametrize("wal", [False, True])
def test_what_another_connection_commits_the_next_search_sees(make, wal, tmp_path):
    path = make(NODES_AND_EDGES, wal=wal)
    with foreign(path) as graph:
        generation = graph.generation
        assert graph.search("zebra", mode="text").total == 0
        assert graph.generation == generation  # nothing has changed, nothing was written
        steps = [
            ["INSERT INTO nodes (id, name, type) VALUES ('z', 'zebra', 'animal')"],
            ["INSERT INTO edges VALUES (9, 'z', 'w', 'likes', 1)", "UPDATE edges SET weight = 3 WHERE id = 1"],
            ["UPDATE nodes SET description = 'A striped horse', lang = 'fr' WHERE id = 'z'"],
            ["DELETE FROM edges WHERE id = 9"],
            ["DELETE FROM nodes WHERE id = 'p'"],
            ["UPDATE nodes SET id = 'zz' WHERE id = 'z'"],
        ]
        for number, statements in enumerate(steps):
            change(path, *statements)
            copy = tmp_path / f"copy{number}.db"
            source, target = sqlite3.connect(path), sqlite3.connect(copy)
            source.backup(target)
            source.close(), target.close()
            with foreign(copy) as fresh:
                for query in ("zebra horse", "save data", "permission to read"):
                    assert scores(graph, query) == pytest.approx(scores(fresh, query), abs=1e-6), (statements, query)
                assert graph.manifest() == fresh.manifest()
                assert graph.edges(["w", "zz", "z"]) == fresh.edges(["w", "zz", "z"])


def test_only_what_changed_is_embedded_again(make):
    path = make(NODES_AND_EDGES)
    seen = []

    def spy(texts):
        seen.extend(texts)
        return letters(texts)

    with Retriever.open_foreign(path, embedder=spy) as graph:
        assert len(seen) == 3
        seen.clear()
        change(
            path, "UPDATE nodes SET description = 'changed' WHERE id = 'r'", "UPDATE edges SET weight = 9 WHERE id = 1"
        )
        graph.search("anything", mode="text")
        assert len(seen) == 1 and seen[0].endswith("read_file changed")
    seen.clear()
    with Retriever.open_foreign(path, embedder=spy) as graph:
        assert seen == []
        assert graph.get(["r"])[0].text == "changed"
    change(path, "UPDATE nodes SET description = 'again' WHERE id = 'r'")
    with Retriever.open_foreign(path, embedder=spy) as graph:  # changed while nobody looked
        assert len(seen) == 1 and seen[0].endswith("read_file again")


def test_an_old_unchanged_file_is_not_read_again(make, monkeypatch):
    path = make(NODES_AND_EDGES)
    long_ago = time.time() - 3600
    os.utime(path, (long_ago, long_ago))
    foreign(path).close()
    from fourfold.engines.sqlite.foreign import ForeignFile

    monkeypatch.setattr(ForeignFile, "read", lambda self: pytest.fail("the file was read again"))
    with foreign(path) as graph:
        assert graph.search("save data", mode="text").ids[0] == "w"


def test_what_is_in_the_log_of_a_file_is_seen_by_a_link_to_it(make, tmp_path):
    """SQLite keeps the log beside the file itself, so that the state of the link tells nothing of it."""
    path, link = make(NODES_AND_EDGES, wal=True), tmp_path / "link.db"
    link.symlink_to(path)
    long_ago = time.time() - 3600
    os.utime(path, (long_ago, long_ago))
    foreign(link).close()
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("UPDATE nodes SET description = 'changed' WHERE id = 'r'")
    with foreign(link) as graph:
        assert graph.get(["r"])[0].text == "changed"
    writer.close()


def test_a_file_that_is_replaced(make, tmp_path):
    path = make(NODES_AND_EDGES)
    with foreign(path) as graph:
        assert graph.search("save data", mode="text").ids[0] == "w"
        other = make(LAYOUTS["entities/relations"][0], name="other.db")
        os.replace(other, path)
        assert graph.search("program").ids[0] == "a"
        assert len(graph) == 2


def test_rows_that_are_marked_as_deleted_are_passed_over(make):
    path = make(
        "CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT, deleted_at TEXT);"
        "INSERT INTO items VALUES (1, 'tent', NULL), (2, 'mug', '2026-01-01')"
    )
    with foreign(path, ForeignSchema("items", "id", name="name", only=("deleted_at", None))) as graph:
        assert [node.name for node in graph.get(graph.manifest())] == ["tent"]
        change(path, "UPDATE items SET deleted_at = NULL WHERE id = 2")
        assert graph.search("mug").ids[0] == "2"
    for wrong in ((None, None), ("a", None, None), ("a",)):
        with pytest.raises(InvalidValueError, match="only of the ForeignSchema"):
            ForeignSchema("items", "id", only=wrong)


def test_a_file_that_is_removed_before_another_is_put_in_its_place(make, tmp_path):
    """A search between the two closed the connection, and every one after it failed."""
    path = make(NODES_AND_EDGES)
    with foreign(path) as graph:
        os.remove(path)
        for _ in range(2):
            with pytest.raises(StoreError, match="no file"):
                graph.search("save data")
        make(LAYOUTS["entities/relations"][0], name=path.name)
        assert graph.search("program").ids[0] == "a"


def test_a_file_that_another_process_keeps_for_itself_is_told_so(make, monkeypatch):
    monkeypatch.setattr("fourfold.engines.sqlite.connection._BUSY_SECONDS", 0.01)
    path = make(NODES_AND_EDGES)
    writer = sqlite3.connect(path, isolation_level=None)
    with foreign(path) as graph:
        writer.execute("DELETE FROM nodes WHERE id = 'w'")
        writer.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreError, match="locked; another process has been writing"):
            graph.search("save data")
        with pytest.raises(StoreError, match="locked; another process has been writing"):
            foreign(path)
        writer.execute("COMMIT")
        assert "w" not in graph.search("save data").ids
    writer.close()


def test_a_relative_path_stays_what_it_was_when_the_program_goes_elsewhere(make, monkeypatch, tmp_path):
    path = make(NODES_AND_EDGES)
    monkeypatch.chdir(path.parent)
    with foreign(path.name) as graph:
        assert "w" in scores(graph, "save data")
        (tmp_path / "elsewhere").mkdir()
        monkeypatch.chdir(tmp_path / "elsewhere")
        change(path, "DELETE FROM nodes WHERE id = 'w'")
        assert "w" not in scores(graph, "save data") and "r" in scores(graph, "load data")


def test_columns_that_change_while_it_is_open_are_understood_again(make):
    path = make(NODES_AND_EDGES)
    with foreign(path) as graph:
        change(path, "ALTER TABLE nodes RENAME COLUMN description TO summary")
        assert graph.search("save data").ids[0] == "w"
        assert graph.get(["w"])[0].text == "Save data to disk"
        change(path, "ALTER TABLE edges DROP COLUMN type", "ALTER TABLE nodes DROP COLUMN type")
        assert graph.search("save data").hits[0].node.type == ""
        assert {edge.type for edge in graph.edges(["w"])} == {""}
        change(path, "ALTER TABLE nodes RENAME COLUMN id TO uuid")
        assert graph.search("save data").ids[0] == "w" and len(graph) == 3
        change(path, "ALTER TABLE nodes ADD COLUMN colour TEXT", "UPDATE nodes SET colour = 'red' WHERE uuid = 'r'")
        assert graph.search("disk", filter={"colour": "red"}).ids == ["r"]


def test_a_schema_given_says_what_has_left_it(make):
    path = make(NODES_AND_EDGES)
    with foreign(path, ForeignSchema(node_table="nodes", id="id", text=("description",))) as graph:
        change(path, "ALTER TABLE nodes RENAME COLUMN description TO summary")
        for _ in range(2):
            with pytest.raises(SchemaDetectionError, match=r"text='description'.*no such column; it has .*'summary'"):
                graph.search("save data")
        change(path, "ALTER TABLE nodes RENAME COLUMN summary TO description")
        assert graph.search("save data").ids[0] == "w"


def test_a_column_that_is_not_there_is_never_read_as_its_name(make):
    from fourfold.engines.sqlite.foreign import ForeignFile

    file = ForeignFile(make(NODES_AND_EDGES))
    file.schema = replace(file.schema, text=("gone",))
    with pytest.raises(StoreError, match=r"no such column: nodes\.gone"):
        file.read()
    file.close()


def test_vectors_that_come_and_go_take_the_place_of_the_embedders(make):
    path = make("CREATE TABLE nodes (id TEXT PRIMARY KEY, name TEXT, vector TEXT); INSERT INTO nodes (id, name) VALUES "
                "('a', 'alpha'), ('b', 'beta')")  # fmt: skip
    with Retriever.open_foreign(path) as graph:
        assert graph.search("alpha").ids[0] == "a" and graph.info()["embedder"] == graph.embedder.name
        change(path, f"UPDATE nodes SET vector = '{[1] * 256}' WHERE id = 'b'")
        assert graph.search("", mode="embedding", query_vector=[1] * 256).ids == ["b"]
        assert graph.info()["vectors"] == 1 and graph.info()["embedder"] is None
        change(path, "UPDATE nodes SET vector = NULL")
        assert graph.search("alpha").ids[0] == "a" and graph.info()["vectors"] == 2
        assert graph.info()["embedder"] == graph.embedder.name


def test_vectors_of_another_dimension_throughout(make):
    path = make(
        "CREATE TABLE nodes (id TEXT PRIMARY KEY, name TEXT, vector TEXT);"
        "INSERT INTO nodes VALUES ('a', 'x', '[1, 0]'), ('b', 'y', '[0, 1]')"
    )
    with foreign(path) as graph:
        assert graph.info()["dimensions"] == 2
        change(path, "UPDATE nodes SET vector = CASE id WHEN 'a' THEN '[1, 0, 0]' ELSE '[0, 0, 1]' END")
        assert graph.search("", mode="embedding", query_vector=[0, 0, 1]).ids[0] == "b"
        assert graph.info()["dimensions"] == 3


def test_a_closed_foreign_graph_says_so(make):
    graph = foreign(make(NODES_AND_EDGES))
    graph.close()
    graph.close()
    with pytest.raises(StoreError, match="closed"):
        graph.search("save data")


def test_a_failed_sync_is_tried_again(make):
    path = make(NODES_AND_EDGES)
    with foreign(path) as graph:
        change(path, "ALTER TABLE nodes ADD COLUMN vector", "UPDATE nodes SET vector = 'rubbish' WHERE id = 'w'")
        with pytest.raises(InvalidValueError, match="rubbish"):
            graph.search("disk")
    for _ in range(2):
        with pytest.raises(InvalidValueError, match="rubbish"):
            foreign(path)
    change(path, "UPDATE nodes SET vector = NULL")
    with foreign(path) as graph:
        assert graph.search("save data", mode="text").ids[0] == "w"


def test_another_embedder_is_refused_with_what_to_do(make):
    path = make(NODES_AND_EDGES)
    foreign(path).close()
    with pytest.raises(EmbedderMismatchError, match=r"fourfold.*letters.*lambda") as caught:
        Retriever.open_foreign(path, embedder=lambda texts: [[1.0]] * len(texts))
    assert "delete it" in caught.value.__notes__[0]


def test_a_graph_of_its_own_in_the_place_of_the_index_is_left_alone(make):
    path = make(NODES_AND_EDGES)
    with Retriever(f"{path}.fourfold", embedder=letters) as own:
        own.add([Node("mine", name="mine")])
    with pytest.raises(StoreError, match="graph of its own"):
        foreign(path)
    with Retriever(f"{path}.fourfold", embedder=letters) as own:
        assert own.get(["mine"])


WRITER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], timeout=30)
for number in range(int(sys.argv[2])):
    with connection:
        connection.execute("INSERT INTO nodes (id, name) VALUES (?, ?)", (f"n{number}", f"item{number} zebra"))
        connection.execute("INSERT INTO edges (source, target, type) VALUES (?, 'w', 'near')", (f"n{number}",))
    print(number, flush=True)
"""


def test_searching_while_another_process_writes(make):
    """Two retrievers, each with four threads, over one WAL file that a child process writes."""
    path = make(NODES_AND_EDGES, wal=True)
    retrievers = [foreign(path) for _ in range(2)]
    errors, done = [], threading.Event()

    def search(graph):
        try:
            while not done.is_set():
                total = graph.search("zebra", k=99, mode="text", weights={"graph": 0}).total
                edges = graph.info()["edges"]
                assert edges - 3 >= total  # both in one transaction
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=search, args=(graph,)) for graph in retrievers for _ in range(4)]
    for thread in threads:
        thread.start()
    child = subprocess.Popen([sys.executable, "-c", WRITER, str(path), "25"], stdout=subprocess.PIPE, text=True)
    for line in child.stdout:
        written = int(line)
        for graph in retrievers:  # what the child says it has written is found
            assert f"n{written}" in graph.search(f"item{written}", mode="text").ids
    assert child.wait(timeout=60) == 0
    child.stdout.close()
    done.set()
    for thread in threads:
        thread.join(timeout=60)
    assert not errors, errors[0]
    assert [len(graph) for graph in retrievers] == [28, 28]
    for graph in retrievers:
        graph.close()


def test_a_copy_laid_over_the_file_with_its_times_is_seen(make):
    """It counts as many changes, and SQLite's own cache kept the pages of the first."""
    script = "CREATE TABLE nodes (id TEXT PRIMARY KEY, name TEXT); CREATE TABLE edges (source TEXT, target TEXT);"
    first = make(f"{script} INSERT INTO nodes VALUES ('a', 'alpha')")
    other = make(f"{script} INSERT INTO nodes VALUES ('a', 'omega')", name="other.db")
    with Retriever.open_foreign(first) as retriever:
        assert [node.name for node in retriever.get(["a"])] == ["alpha"]
        times = os.stat(first)
        shutil.copyfile(other, first)
        os.utime(first, ns=(times.st_atime_ns, times.st_mtime_ns))
        assert retriever.search("omega", mode="text").hits[0].node.name == "omega"


def test_a_file_that_is_removed_while_it_is_read_has_no_stamp(make):
    from fourfold.engines.sqlite.foreign import ForeignFile

    path = make(NODES_AND_EDGES)
    file = ForeignFile(path)
    file.read()
    os.remove(path)
    assert file.stamp() == ""
    file.close()
