"""Tables that others made in PostgreSQL are read as they are: followed, never touched."""

import itertools
import json
import threading

import numpy as np
import pytest

from fourfold import Edge, Node, Retriever
from fourfold.engines import ForeignSchema
from fourfold.errors import (
    DimensionError,
    EmbedderMismatchError,
    FourfoldWarning,
    InvalidValueError,
    SchemaDetectionError,
    StoreError,
)

NUMBERS = itertools.count()


@pytest.fixture
def theirs(pg_server):
    """A schema of another application, with a connection of its own; and what opens it."""
    number = next(NUMBERS)
    name, mirror = f"their {number}%s", f"mirror {number}%s"
    with pg_server.connect() as connection:
        connection.execute(f'CREATE SCHEMA "{name}"')
        connection.execute("SELECT set_config('search_path', %s, false)", (f'"{name}", public',))
        connection.url = pg_server.url(name, index=mirror)
        connection.mine, connection.mirror = name, mirror
        yield connection


def letters(texts):
    return [[1.0 + text.count(c) for c in "abcdefg"] for text in texts]


def foreign(theirs, schema=None, **options):
    more = options.pop("more", "")
    return Retriever.open_foreign(theirs.url + more, schema, **{"embedder": letters, **options})


def everything(theirs, tables):
    """Return every row with its place and its writer: what any touch of it would change."""
    columns = "tableoid::regclass::text, ctid::text, xmin::text, xmax::text, *"
    return [theirs.execute(f'SELECT {columns} FROM "{t}" ORDER BY ctid').fetchall() for t in tables]


NODES_AND_EDGES = """
CREATE TABLE nodes (id text PRIMARY KEY, name text, type text, "the description" text, lang text, stars int,
    added timestamptz, metadata jsonb, tags text[], picture bytea);
CREATE TABLE edges (source text REFERENCES nodes, target text REFERENCES nodes, type text, weight numeric);
INSERT INTO nodes VALUES
    ('w', 'write_file', 'tool', 'Save data to disk', 'en', 5, '2024-01-02 03:04:05+00', '{"os": "linux", "size": {"mb": 3}}',
        '{a,b}', '\\x00ff'),
    ('p', 'permission', 'concept', NULL, 'de', NULL, NULL, NULL, NULL, NULL), ('r', 'read_file', 'tool', '', '', 1, NULL, '[1]', '{}', NULL);
INSERT INTO edges VALUES ('w', 'p', 'requires', 0.5), ('w', 'r', 'similar_to', 2), ('r', 'p', 'requires', NULL);
"""


def test_nodes_and_edges_are_read_and_not_a_row_is_touched(theirs):
    theirs.execute(NODES_AND_EDGES)
    before = everything(theirs, ("nodes", "edges"))
    with foreign(theirs) as graph:
        assert graph.get(["w", "p"]) == [
            Node(
                "w",
                "write_file",
                "tool",
                "Save data to disk",
                {
                    "os": "linux",
                    "size": {"mb": 3},
                    "lang": "en",
                    "stars": 5,
                    "added": "2024-01-02T03:04:05+00:00",
                    "tags": ["a", "b"],
                },
            ),
            Node("p", "permission", "concept", "", {"lang": "de"}),
        ]
        assert graph.edges(["w"]) == [Edge("w", "p", "requires", 0.5), Edge("w", "r", "similar_to", 2.0)]
        assert graph.edges(["r"])[0] == Edge("r", "p", "requires", 1.0)
        assert graph.search("save data", mode="text").ids[0] == "w"
        assert graph.search("disk", filter={"size.mb": {"$gt": 2}, "tags": "b"}).ids == ["w"]
        assert graph.search("disk", filter={"lang": {"$in": ["de"]}, "$type": "concept"}).ids == ["p"]
        with pytest.raises(StoreError, match="only read"):
            graph.add([Node("x")])
        json.dumps(graph.info())
        assert graph.info()["foreign"]["altered"] is False
    assert everything(theirs, ("nodes", "edges")) == before


@pytest.mark.parametrize("more", ["", "&alter=trigger"])
def test_what_another_connection_commits_the_next_search_sees(theirs, more):
    theirs.execute(NODES_AND_EDGES)
    with foreign(theirs, more=more) as graph, foreign(theirs, more=more) as other:
        theirs.execute("INSERT INTO nodes (id, name) VALUES ('z', 'zebra')")
        theirs.execute("INSERT INTO edges VALUES ('z', 'w', 'near', 3)")
        assert graph.search("zebra", mode="text").ids[0] == other.search("zebra", mode="text").ids[0] == "z"
        assert Edge("z", "w", "near", 3.0) in graph.edges(["z"])
        theirs.execute(
            "UPDATE nodes SET name = 'giraffe' WHERE id = 'z'; UPDATE edges SET weight = 4 WHERE source = 'z'"
        )
        assert "z" not in graph.search("zebra", mode="text", weights={"graph": 0}).ids
        assert other.search("giraffe").ids[0] == "z"
        assert other.edges(["z"]) == [Edge("z", "w", "near", 4.0)]
        theirs.execute("DELETE FROM edges WHERE source = 'z'; DELETE FROM nodes WHERE id = 'z'")
        assert (
            set(graph.search("giraffe file", k=9).ids) == set(other.search("giraffe file", k=9).ids) == {"w", "p", "r"}
        )
        with theirs.transaction():
            theirs.execute("INSERT INTO nodes (id, name) VALUES ('u', 'unicorn')")
            assert "u" not in graph.search("unicorn", mode="text").ids
        assert "u" in graph.search("unicorn", mode="text").ids
        theirs.execute("TRUNCATE nodes, edges")
        assert len(graph) == 3 + 1  # whoever asks sees it; a length is not a question
        assert graph.search("file").total == 0
        assert (len(graph), len(other)) == (0, 0)
        assert graph.info()["edges"] == 0


@pytest.mark.parametrize("more", ["", "&alter=trigger"])
def test_nodes_that_name_their_parent_are_a_tree(theirs, more):
    """In a SQLite file they were; here the parent was metadata, and a note asked for a view."""
    theirs.execute("CREATE TABLE nodes (id int PRIMARY KEY, name text, parent_id int REFERENCES nodes)")
    theirs.execute("INSERT INTO nodes VALUES (1, 'root', NULL), (2, 'branch', 1), (3, 'leaf', 2)")
    with foreign(theirs, more=more) as graph:
        assert set(graph.edges(["2"])) == {Edge("2", "1"), Edge("3", "2")}
        assert graph.info()["foreign"]["skipped"] == {} and graph.info()["foreign"]["notes"] == []
        theirs.execute("UPDATE nodes SET parent_id = 1 WHERE id = 3")
        graph.search("leaf")
        assert set(graph.edges(["3"])) == {Edge("3", "1")}
        theirs.execute("DELETE FROM nodes WHERE id = 3")
        graph.search("leaf")
        assert graph.info()["edges"] == 1


def test_only_what_changed_is_embedded_and_what_only_moved_is_not_written(theirs):
    theirs.execute(NODES_AND_EDGES)
    asked = []

    def model(texts):
        asked.extend(texts)
        return letters(texts)

    with foreign(theirs, embedder=model) as graph:
        graph.search("file")
        asked.clear()
        generation = graph.generation
        theirs.execute("VACUUM FULL nodes")  # every row lies elsewhere
        theirs.execute("UPDATE nodes SET name = name")  # and has another writer
        graph.search("file", mode="text")
        assert (asked, graph.generation) == ([], generation)
        theirs.execute("UPDATE nodes SET name = 'store_file' WHERE id = 'w'")
        graph.search("file", mode="text")
        assert len(asked) == 1 and "store_file" in asked[0]
        asked.clear()
    with foreign(theirs, embedder=model) as graph:
        graph.search("file", mode="text")
        assert asked == []


def test_where_nobody_writes_one_statement_is_asked(theirs):
    theirs.execute(NODES_AND_EDGES)
    states, trips = [], []
    with foreign(theirs) as graph:
        link = graph._session.foreign._link
        for number in range(10):
            before = link.round_trips
            graph.search(f"file {number}")
            trips.append(link.round_trips - before)
            states.append(theirs.execute("SELECT pg_current_snapshot()::text").fetchone())
    # the server writes, too, when it vacuums: what counts is who asks where it did not
    quiet = [n for n in range(2, len(trips)) if states[n - 2] == states[n - 1] == states[n]]
    assert quiet
    assert {trips[n] for n in quiet} == {1}


LAYOUTS = {
    "integer ids, unusual names, by foreign keys alone": (
        """CREATE TABLE people (pid integer PRIMARY KEY, title text, class text, bio text);
        CREATE TABLE knows (who integer REFERENCES people (pid), whom integer REFERENCES people (pid), label varchar(20));
        CREATE TABLE audit (id integer PRIMARY KEY, name text, text text);
        INSERT INTO people VALUES (1, 'Ada Lovelace', 'person', 'wrote a program'), (2, 'Engine', '', '');
        INSERT INTO knows VALUES (1, 2, 'used')""",
        ["1", "Ada Lovelace", "person", "wrote a program"],
        Edge("1", "2", "used", 1.0),
    ),
    "by the data": (
        """CREATE TABLE concepts (id uuid PRIMARY KEY, label text, category text, definition text);
        CREATE TABLE links (from_id uuid, to_id uuid, link_type text, strength real);
        INSERT INTO concepts VALUES ('00000000-0000-0000-0000-000000000001', 'Ada Lovelace', 'person', 'wrote a program'),
            ('00000000-0000-0000-0000-000000000002', 'Engine', 'machine', NULL);
        INSERT INTO links VALUES ('00000000-0000-0000-0000-000000000001', '00000000-0000-0000-0000-000000000002', 'used', 0.25)""",
        ["00000000-0000-0000-0000-000000000001", "Ada Lovelace", "person", "wrote a program"],
        Edge("00000000-0000-0000-0000-000000000001", "00000000-0000-0000-0000-000000000002", "used", 0.25),
    ),
    "views": (
        """CREATE TABLE t1 (a text, b text, c text, d text); CREATE TABLE t2 (a text, b text, c text);
        INSERT INTO t1 VALUES ('a', 'Ada Lovelace', 'person', 'wrote a program'), ('b', 'Engine', '', '');
        INSERT INTO t2 VALUES ('a', 'b', 'used');
        CREATE VIEW nodes AS SELECT a AS id, b AS name, c AS type, d AS body FROM t1;
        CREATE VIEW edges AS SELECT a AS source, b AS target, c AS type FROM t2""",
        ["a", "Ada Lovelace", "person", "wrote a program"],
        Edge("a", "b", "used", 1.0),
    ),
    "nodes with two columns that go together": (
        """CREATE TABLE entities (id text PRIMARY KEY, name text, type text, body text, valid_from date, valid_to date);
        CREATE TABLE relations (source_id text REFERENCES entities, target_id text REFERENCES entities, type text);
        CREATE TABLE topics (id integer PRIMARY KEY, name text); INSERT INTO topics VALUES (1, 'engines');
        INSERT INTO entities VALUES ('a', 'Ada Lovelace', 'person', 'wrote a program', '1815-12-10', NULL), ('b', 'Engine', '', '', NULL, NULL);
        INSERT INTO relations VALUES ('a', 'b', 'used')""",
        ["a", "Ada Lovelace", "person", "wrote a program"],
        Edge("a", "b", "used", 1.0),
    ),
    "partitions": (
        """CREATE TABLE nodes (id text, name text, type text, body text) PARTITION BY LIST (type);
        CREATE TABLE nodes_p PARTITION OF nodes FOR VALUES IN ('person'); CREATE TABLE nodes_x PARTITION OF nodes DEFAULT;
        CREATE TABLE edges (source text, target text, type text);
        INSERT INTO nodes VALUES ('a', 'Ada Lovelace', 'person', 'wrote a program'), ('b', 'Engine', '', '');
        INSERT INTO edges VALUES ('a', 'b', 'used')""",
        ["a", "Ada Lovelace", "person", "wrote a program"],
        Edge("a", "b", "used", 1.0),
    ),
    "odd identifiers": (
        """CREATE TABLE "my ""no%sdes" ("node id" text PRIMARY KEY, "name {x}" text, "type" text, "text; --" text);
        CREATE TABLE "select" ("from" text REFERENCES "my ""no%sdes", "to" text REFERENCES "my ""no%sdes", "%(group)s type" text);
        INSERT INTO "my ""no%sdes" VALUES ('a', 'Ada Lovelace', 'person', 'wrote a program'), ('b', 'E', '', '');
        INSERT INTO "select" VALUES ('a', 'b', 'used')""",
        ["a", "", "person", "wrote a program"],
        Edge("a", "b", "used", 1.0),
    ),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(theirs, layout):
    script, expected, edge = LAYOUTS[layout]
    theirs.execute(script)
    with foreign(theirs) as graph:
        node = graph.get([expected[0]])[0]
        named = [node.id, "" if layout == "odd identifiers" else node.name, node.type, node.text]
        assert named == expected
        assert graph.edges([node.id]) == [edge]
        hits = graph.search("program").hits
        assert next(h for h in hits if h.node.id == edge.target).components.graph > 0
        if layout == "views":
            theirs.execute("UPDATE t1 SET d = 'built a zebra' WHERE a = 'b'; DELETE FROM t2")
        elif layout == "partitions":
            theirs.execute("UPDATE nodes SET body = 'built a zebra', type = 'person' WHERE id = 'b'")
        else:
            return
        assert graph.search("zebra", mode="text").ids[0] == "b"


def test_tables_of_a_business_get_views_keys_of_two_columns_too(theirs):
    theirs.execute(
        """CREATE TABLE orders (id integer PRIMARY KEY, status text);
        CREATE TABLE products (sku text PRIMARY KEY, name text);
        CREATE TABLE order_lines (order_id integer REFERENCES orders, sku text REFERENCES products, note text,
            PRIMARY KEY (order_id, sku));
        CREATE TABLE parcels (id integer PRIMARY KEY, carrier text, order_id integer REFERENCES orders, sku text,
            FOREIGN KEY (order_id, sku) REFERENCES order_lines);
        CREATE TABLE scans (id integer PRIMARY KEY, line_sku text, line_order integer,
            FOREIGN KEY (line_sku, line_order) REFERENCES order_lines (sku, order_id));
        INSERT INTO orders VALUES (17, 'open'); INSERT INTO products VALUES ('T1', 'Polar Tent');
        INSERT INTO order_lines VALUES (17, 'T1', 'gift wrap'); INSERT INTO parcels VALUES (3, 'DHL', 17, 'T1');
        INSERT INTO scans VALUES (9, 'T1', 17)"""
    )
    with pytest.raises(SchemaDetectionError) as caught:
        foreign(theirs)
    theirs.execute(caught.value.views)
    columns = {"id": "id", "name": "name", "type": "type", "text": "text"}
    edges = {"edge_table": "edges", "source": "source", "target": "target", "edge_type": "type"}
    with foreign(theirs, ForeignSchema(node_table="nodes", **columns, **edges)) as graph:
        (line,) = graph.get(["order_line:17:T1"])
        assert (line.name, line.text) == ("Order line 17:T1", "gift wrap")
        assert {(edge.source, edge.type, edge.target) for edge in graph.edges(graph.manifest())} == {
            ("order:17", "order_lines", "product:T1"),
            ("order_line:17:T1", "order", "order:17"),
            ("order_line:17:T1", "product", "product:T1"),
            ("parcel:3", "order", "order:17"),
            ("parcel:3", "order_line", "order_line:17:T1"),
            ("scan:9", "order_line", "order_line:17:T1"),
        }


def test_tables_of_edges_that_are_not_read_are_told_of(theirs):
    theirs.execute(
        """CREATE TABLE nodes (id text PRIMARY KEY, name text); CREATE TABLE edges (source text, target text);
        CREATE TABLE owns (source text, target text); CREATE VIEW seen AS SELECT source, target FROM edges;
        INSERT INTO nodes VALUES ('a', 'Ada'), ('b', 'Bob'); INSERT INTO edges VALUES ('b', 'a')"""
    )
    with foreign(theirs) as graph:
        assert not graph.info()["foreign"]["notes"]
    theirs.execute("INSERT INTO owns VALUES ('a', 'b')")
    with pytest.warns(FourfoldWarning, match="One table of edges is read, 'edges' of .* in 'owns', too, and are left"):
        graph = foreign(theirs)
    assert "'owns'" in graph.info()["foreign"]["notes"][0]
    graph.close()


def vector_rows(kind):
    found = {1: [1, 0, 0], 2: [0, 1, 0], 3: [0, 0, 2]}
    if kind == "bytea":
        return {key: np.array(vector, "<f4").tobytes() for key, vector in found.items()}
    return {key: vector if kind == "real[]" else json.dumps(vector) for key, vector in found.items()}


@pytest.mark.parametrize("kind", ["vector(3)", "halfvec", "real[]", "jsonb", "bytea", "text"])
@pytest.mark.parametrize("apart", [False, True])
def test_vectors(theirs, kind, apart):
    theirs.execute(f"""CREATE TABLE nodes (id integer PRIMARY KEY, name text{"" if apart else f", embedding {kind}"});
        INSERT INTO nodes VALUES (1, 'one'), (2, 'two'), (3, 'three');
        CREATE TABLE node_embeddings (node_id integer REFERENCES nodes, embedding {kind})""") if apart else theirs.execute(
        f"""CREATE TABLE nodes (id integer PRIMARY KEY, name text, embedding {kind});
        INSERT INTO nodes VALUES (1, 'one'), (2, 'two'), (3, 'three')"""
    )
    for key, value in vector_rows(kind).items():
        into = (
            "INSERT INTO node_embeddings VALUES (%s, %s)" if apart else "UPDATE nodes SET embedding = %s WHERE id = %s"
        )
        theirs.execute(into, (key, value) if apart else (value, key))
    with foreign(theirs) as graph:
        assert (graph.info()["vectors"], graph.info()["dimensions"], graph.info()["embedder"]) == (3, 3, None)
        nearest = graph.search("", query_vector=[0, 1, 0], mode="embedding").hits
        assert [h.node.id for h in nearest if h.score > 0] == ["2"]
        with pytest.raises(StoreError, match="only read"):
            graph.maintenance.reembed(letters)
        if apart:
            theirs.execute("UPDATE node_embeddings SET embedding = %s WHERE node_id = 1", (vector_rows(kind)[2],))
            assert {"1", "2"} == {
                h.node.id for h in graph.search("", query_vector=[0, 1, 0], mode="embedding").hits if h.score > 0
            }


def test_vectors_that_come_and_go_take_the_place_of_the_embedders(theirs):
    theirs.execute(
        "CREATE TABLE nodes (id text, name text, embedding vector); INSERT INTO nodes VALUES ('a', 'x'), ('b', 'y')"
    )
    with foreign(theirs) as graph:
        assert graph.info()["dimensions"] == 7
        theirs.execute("UPDATE nodes SET embedding = '[1,0]'")
        assert (graph.info()["dimensions"], graph.info()["embedder"]) == (2, None)
        theirs.execute("UPDATE nodes SET embedding = '[1,0,2]'")
        assert graph.info()["dimensions"] == 3
        theirs.execute("UPDATE nodes SET embedding = NULL")
        assert graph.info()["dimensions"] == 7 and graph.info()["embedder"] is not None
        theirs.execute("UPDATE nodes SET embedding = CASE id WHEN 'a' THEN '[1,0]' ELSE '[1]' END::vector")
        with pytest.raises(DimensionError, match="2 .*'a'.* and 1 .*'b'"):
            graph.search("x")
        theirs.execute("UPDATE nodes SET embedding = '[1,0]'")
        assert graph.search("x", query_vector=[1, 0]).ids


def test_what_has_to_be_skipped_is_counted(theirs):
    theirs.execute(
        """CREATE TABLE nodes (id text, name text, type text, text text);
        CREATE TABLE edges (source text, target text, type text, weight text);
        INSERT INTO nodes VALUES ('a', 'alpha', NULL, NULL), ('b', 'beta', NULL, NULL), (NULL, 'no id', '', ''), ('b', 'beta', '', '');
        INSERT INTO edges VALUES ('a', 'b', 'x', 1), ('a', 'b', 'x', 3), ('a', 'nobody', 'x', 1), ('a', NULL, 'x', 1),
          ('b', 'a', NULL, 'heavy'), ('b', 'b', 'y', -1), ('b', 'b', 'z', '1e31')"""
    )
    with foreign(theirs) as graph:
        assert (graph.info()["nodes"], graph.info()["edges"]) == (2, 4)
        assert graph.info()["foreign"]["skipped"] == {
            "nodes without an id": 1,
            "nodes with an id seen before": 1,
            "edges naming missing nodes": 1,
            "edges without two ends": 1,
            "edges listed more than once": 1,
            "edges whose weight is no number from 0 on (taken as 1)": 3,
        }
        assert Edge("a", "b", "x", 3.0) in graph.edges(["a"])
        assert Edge("b", "a", "", 1.0) in graph.edges(["a"])


def test_texts_that_no_row_of_ours_can_hold(theirs):
    theirs.execute("CREATE TABLE nodes (id text, name text, metadata json)")
    theirs.execute("INSERT INTO nodes VALUES ('a', 'alpha', %s)", ('{"x": "a\\u0000b\\\\u0000", "y": "\\ud83d"}',))
    with foreign(theirs) as graph:
        assert graph.get(["a"])[0].metadata == {"x": "ab\\u0000", "y": "?"}


def test_json_that_python_does_not_read_harms_no_other_row(theirs):
    theirs.execute("CREATE TABLE nodes (id text, name text, metadata json, n numeric)")
    deep = "[" * 5000 + "]" * 5000
    theirs.execute("INSERT INTO nodes VALUES ('a', 'alpha', '{}', repeat('9', 5000)::numeric), ('b', 'beta', NULL, 1)")
    theirs.execute("INSERT INTO nodes VALUES ('c', 'gamma', %s, 1)", (f'{{"x": {deep}}}',))
    theirs.execute("INSERT INTO nodes VALUES ('d', 'delta', %s, 1)", (f'{{"x": {"[" * 300}{"]" * 300}}}',))
    with foreign(theirs) as graph:
        assert graph.get(["a"])[0].metadata == {"n": "9" * 5000}
        assert graph.matching({"n": 1}) == ["b", "d"]
        assert graph.search("gamma", mode="text").ids[0] == "c"


@pytest.mark.parametrize("more", ["", "&alter=trigger"])
def test_tables_that_change_while_they_are_open_are_understood_again(theirs, more):
    theirs.execute(
        "CREATE TABLE nodes (id text PRIMARY KEY, name text, text text); INSERT INTO nodes VALUES ('a', 'b', 'c')"
    )
    with foreign(theirs, more=more) as graph:
        theirs.execute("ALTER TABLE nodes RENAME COLUMN text TO body; ALTER TABLE nodes ADD COLUMN lang text")
        theirs.execute("INSERT INTO nodes VALUES ('z', 'zebra', 'striped', 'en')")
        assert graph.search("striped", mode="text").ids[0] == "z"
        assert graph.matching({"lang": "en"}) == ["z"]
        theirs.execute("ALTER TABLE nodes RENAME COLUMN id TO key")
        theirs.execute("INSERT INTO nodes VALUES ('y', 'yak', 'hairy', 'de')")  # with a trigger that knows the old name
        assert graph.search("hairy", mode="text").ids[0] == "y"
        theirs.execute("ALTER TABLE nodes RENAME TO elsewhere; INSERT INTO elsewhere VALUES ('x', 'xerus')")
        with pytest.raises(SchemaDetectionError):
            graph.search("xerus")
        theirs.execute("ALTER TABLE elsewhere RENAME TO nodes")
        assert graph.search("xerus", mode="text").ids[0] == "x"


def test_a_schema_can_be_given_and_part_of_a_table(theirs):
    theirs.execute(
        """CREATE TABLE stuff (k integer, what text, blurb text, tenant text, a int, b text); CREATE TABLE joins (x int, y int, how text);
        INSERT INTO stuff VALUES (1, 'write', 'Save data', 'mine', 5, 'x'), (2, 'read', '', 'mine', 6, 'y'), (3, 'hide', '', 'yours', 7, 'z');
        INSERT INTO joins VALUES (1, 2, 'before'), (1, 3, 'before')"""
    )
    schema = ForeignSchema("stuff", "k", name="what", text=("what", "blurb"), metadata=("a",), edge_table="joins", source="x",
                           target="y", edge_type="how", only=("tenant", "mine"))  # fmt: skip
    with foreign(theirs, schema) as graph:
        assert graph.get(["1", "2", "3"]) == [
            Node("1", "write", "", "write\nSave data", {"a": 5}),
            Node("2", "read", "", "read", {"a": 6}),
        ]
        assert graph.edges(["1"]) == [Edge("1", "2", "before")]
        theirs.execute("UPDATE stuff SET tenant = 'mine' WHERE k = 3")
        assert graph.search("hide", mode="text").ids[0] == "3"
        assert len(graph.edges(["1"])) == 2
    theirs.execute("UPDATE stuff SET tenant = NULL WHERE k = 2")
    with foreign(theirs, ForeignSchema("stuff", "k", name="what", only=("tenant", None))) as graph:
        assert list(graph.manifest()) == ["2"]
        theirs.execute("UPDATE stuff SET tenant = NULL WHERE k = 1")
        assert graph.search("write", mode="text").ids[0] == "1"
    wrong = ForeignSchema("stuff", "k", only=("nobody", "mine"))
    with pytest.raises(SchemaDetectionError, match="only='nobody'"):
        foreign(theirs, wrong)


def test_what_cannot_be_read_is_said(theirs, pg_server):
    with pytest.raises(SchemaDetectionError, match="it has no tables"):
        foreign(theirs)
    with pytest.raises(StoreError, match="no schema 'nowhere'"):
        Retriever.open_foreign(pg_server.url("nowhere"))
    theirs.execute("CREATE TABLE nodes (id text, name text, vector text); INSERT INTO nodes VALUES ('a', 'x', 'hello')")
    with pytest.raises(InvalidValueError, match="node 'a'"):
        foreign(theirs)
    with pytest.raises(SchemaDetectionError, match=r"no table 'other'; it has 'nodes'"):
        foreign(theirs, more="&table=other")
    with pytest.raises(StoreError, match="alter"):
        foreign(theirs, more="&alter=everything")
    with pytest.raises(StoreError, match="open_foreign"):
        Retriever(pg_server.url("kg", table="nodes"))


SHOP = """
CREATE TYPE order_state AS ENUM ('open', 'shipped'); CREATE DOMAIN email AS text;
CREATE TABLE customers (id uuid PRIMARY KEY, name jsonb, mail email, prefs jsonb);
CREATE TABLE products (tenant int, sku varchar(9), name text, PRIMARY KEY (tenant, sku));
CREATE TABLE "order" (tenant int, id bigint, state order_state, customer uuid REFERENCES customers, sku varchar(9),
    bonus varchar(9), PRIMARY KEY (tenant, id), FOREIGN KEY (tenant, sku) REFERENCES products,
    FOREIGN KEY (tenant, bonus) REFERENCES products);
INSERT INTO customers VALUES ('00000000-0000-0000-0000-000000000001', '"Fjord Tours"', 'a@b', '{"lang": "no"}');
INSERT INTO products VALUES (1, 'T1', 'Tent'), (1, 'M1', 'Mug');
INSERT INTO "order" VALUES (1, 17, 'shipped', '00000000-0000-0000-0000-000000000001', 'T1', 'M1');
"""


def test_the_views_that_the_error_suggests_run_as_they_are_and_leave_nothing_out(theirs):
    """Of enumerations, domains and JSON no word was read, names of JSON were no text, and the views went elsewhere."""
    theirs.execute(SHOP)
    with pytest.raises(SchemaDetectionError) as caught:
        foreign(theirs)
    theirs.execute("RESET search_path")
    theirs.execute(caught.value.views)
    with foreign(theirs) as graph:
        customer, order, *_ = graph.get(graph.manifest())
        assert (customer.name, customer.text) == ('"Fjord Tours"', 'mail: a@b; prefs: {"lang": "no"}')
        assert order.text == "state: shipped"
        assert {(edge.type, edge.target) for edge in graph.edges([order.id])} == {
            ("customer", customer.id),
            ("product", "product:1:T1"),
            ("bonus", "product:1:M1"),
        }


def test_the_views_that_the_error_suggests_show_a_role_no_row_that_is_hidden_from_it(theirs):
    """A view reads as its owner: a role found every tenant's rows in it."""
    theirs.execute(SHOP)
    theirs.execute(
        "ALTER TABLE customers ENABLE ROW LEVEL SECURITY; CREATE POLICY own ON customers USING (mail = current_user);"
        "CREATE TABLE edges (x int); DROP ROLE IF EXISTS guest; CREATE ROLE guest LOGIN;"
        f'GRANT USAGE ON SCHEMA "{theirs.mine}" TO guest; GRANT CREATE ON DATABASE postgres TO guest'
    )
    with pytest.raises(SchemaDetectionError) as caught:
        foreign(theirs)
    theirs.execute(caught.value.views)  # though there is a table called edges
    theirs.execute(f'GRANT SELECT ON ALL TABLES IN SCHEMA "{theirs.mine}" TO guest')
    try:
        with Retriever.open_foreign(theirs.url.replace("postgres@", "guest@"), embedder=letters) as graph:
            assert list(graph.manifest()) == ["order:1:17", "product:1:M1", "product:1:T1"]
    finally:
        theirs.execute("DROP OWNED BY guest; DROP ROLE guest")


def test_a_graph_of_ours_is_left_alone(theirs, pg_server, pg_url):
    theirs.execute(NODES_AND_EDGES)
    with Retriever(pg_url, embedder=letters) as own:
        own.add([Node("mine", "mine")])
    with pytest.raises(StoreError, match=r"Retriever\(url\)"):
        Retriever.open_foreign(pg_url)
    name = pg_url.rpartition("schema=")[2]
    url = theirs.url.partition("&index=")[0] + f"&index={name}"
    with pytest.raises(StoreError, match="graph of its own"):
        Retriever.open_foreign(url, embedder=letters)
    with Retriever(pg_url, embedder=letters) as own:
        assert own.get(["mine"])


def test_another_embedder_is_refused_with_what_to_do(theirs):
    theirs.execute(NODES_AND_EDGES)
    foreign(theirs).close()
    with pytest.raises(EmbedderMismatchError, match="lambda") as caught:
        foreign(theirs, embedder=lambda texts: [[1.0]] * len(texts))
    assert "delete it" in caught.value.__notes__[0] and "mirror" in caught.value.__notes__[0]


def test_a_role_that_may_only_read_their_tables(theirs, pg_server):
    theirs.execute(NODES_AND_EDGES)
    theirs.execute("CREATE TABLE secret (id text, name text)")
    theirs.execute("DROP ROLE IF EXISTS reader; CREATE ROLE reader LOGIN; GRANT CREATE ON DATABASE postgres TO reader")
    theirs.execute(f'GRANT USAGE ON SCHEMA "{theirs.mine}" TO reader; GRANT SELECT ON nodes, edges TO reader')
    url = theirs.url.replace("postgres@", "reader@")
    try:
        with pytest.warns(match="'secret'"), Retriever.open_foreign(url, embedder=letters) as graph:
            assert graph.search("save data", mode="text").ids[0] == "w"
        with pytest.warns(match="'secret'"), pytest.raises(StoreError, match="must be owner|permission denied"):
            Retriever.open_foreign(f"{url}&alter=trigger", embedder=letters)
    finally:
        theirs.execute("DROP OWNED BY reader; DROP ROLE reader")


def test_a_role_that_may_not_do_what_it_takes_is_told_what_that_is(theirs, pg_server):
    """The server's words alone told of a database, of a table "meta", or that a table was not there."""
    theirs.execute(NODES_AND_EDGES)
    theirs.execute("DROP ROLE IF EXISTS guest; CREATE ROLE guest LOGIN")
    theirs.execute(f'GRANT USAGE ON SCHEMA "{theirs.mine}" TO guest; GRANT SELECT ON nodes TO guest')
    theirs.execute("GRANT SELECT (source, target) ON edges TO guest")
    url = theirs.url.replace("postgres@", "guest@")
    try:
        schema = ForeignSchema("nodes", "id", edge_table="edges", source="source", target="target")
        with pytest.raises(SchemaDetectionError, match="may not read the table 'edges'"):
            Retriever.open_foreign(url, schema, embedder=letters)
        theirs.execute("GRANT SELECT ON edges TO guest")
        with pytest.raises(StoreError, match=f'CREATE SCHEMA "{theirs.mirror}" AUTHORIZATION'.replace("(", "[(]")):
            Retriever.open_foreign(url, embedder=letters)
        theirs.execute("ALTER ROLE guest SET default_transaction_read_only = on")
        with pytest.raises(StoreError, match="the role has to write"):
            Retriever.open_foreign(url, embedder=letters)
        theirs.execute("ALTER ROLE guest RESET default_transaction_read_only")
        foreign(theirs).close()
        with pytest.raises(StoreError, match="another role's.*&index=NAME"):
            Retriever.open_foreign(url, embedder=letters)
        mine = url.replace("mirror", "own")
        theirs.execute(f'CREATE SCHEMA "{theirs.mirror.replace("mirror", "own")}" AUTHORIZATION guest')
        with Retriever.open_foreign(mine, embedder=letters) as graph:
            assert graph.search("save data", mode="text").ids[0] == "w"
    finally:
        theirs.execute("DROP OWNED BY guest; DROP ROLE guest")


@pytest.mark.parametrize("more", ["", "&alter=trigger"])
def test_an_index_that_is_dropped_while_it_is_open_is_told_so_and_made_anew(theirs, more):
    theirs.execute(NODES_AND_EDGES)
    with foreign(theirs, more=more) as graph:
        theirs.execute(f'DROP SCHEMA "{theirs.mirror}" CASCADE')
        with pytest.raises(StoreError, match="dropped while it was open"):
            graph.search("save data")
    with foreign(theirs, more=more) as graph:
        assert graph.search("save data", mode="text").ids[0] == "w"


def test_triggers_go_with_the_schema_of_ours(theirs):
    theirs.execute(NODES_AND_EDGES)
    with foreign(theirs, more="&alter=trigger") as graph:
        assert graph.info()["foreign"]["altered"] is True
    count = "SELECT count(*) FROM pg_trigger WHERE tgrelid = 'nodes'::regclass AND NOT tgisinternal"
    assert theirs.execute(count).fetchone() == (2,)
    foreign(theirs, more="&alter=trigger").close()
    assert theirs.execute(count).fetchone() == (2,)
    theirs.execute(f'DROP SCHEMA "{theirs.mirror}" CASCADE')
    assert theirs.execute(count).fetchone() == (0,)
    theirs.execute("INSERT INTO nodes (id) VALUES ('free')")


def test_triggers_find_tables_that_are_altered_replaced_or_given_a_partition(theirs):
    """No trigger told of it, and new tables had none: searches stayed at the old ones for good."""
    theirs.execute(NODES_AND_EDGES)
    with foreign(theirs, more="&alter=trigger") as graph:
        theirs.execute("ALTER TABLE edges DROP COLUMN type")
        graph.search("file")
        assert Edge("w", "p", "", 0.5) in graph.edges(["w"])
        theirs.execute(
            "CREATE TABLE next (LIKE nodes INCLUDING ALL); INSERT INTO next (id, name) VALUES ('z', 'zebra')"
        )
        theirs.execute(
            "ALTER TABLE edges DROP CONSTRAINT edges_source_fkey, DROP CONSTRAINT edges_target_fkey;"
            "ALTER TABLE nodes RENAME TO previous; ALTER TABLE next RENAME TO nodes"
        )
        assert graph.search("zebra").ids == ["z"]
        theirs.execute("INSERT INTO nodes (id, name) VALUES ('g', 'giraffe')")
        assert graph.search("giraffe").ids[0] == "g"
        theirs.execute("CREATE TABLE part AS SELECT * FROM nodes; ALTER TABLE part ALTER id SET NOT NULL")
        theirs.execute("DROP TABLE nodes; CREATE TABLE nodes (LIKE previous INCLUDING ALL) PARTITION BY LIST (id)")
        assert graph.search("giraffe").ids == []
        theirs.execute("ALTER TABLE nodes ATTACH PARTITION part DEFAULT")
        assert graph.search("giraffe").ids[0] == "g"
        theirs.execute("UPDATE nodes SET name = 'okapi' WHERE id = 'g'")
        assert graph.search("okapi", mode="text").ids == ["g"]
        theirs.execute("ALTER TABLE nodes DETACH PARTITION part")
        assert graph.search("okapi").ids == []


@pytest.mark.parametrize("more", ["", "&alter=trigger"])
def test_searching_while_another_connection_writes(theirs, more):
    theirs.execute(NODES_AND_EDGES)
    retrievers = [foreign(theirs, more=more) for _ in range(2)]
    errors, done = [], threading.Event()

    def search(graph):
        try:
            while not done.is_set():
                total = graph.search("zebra", k=99, mode="text", weights={"graph": 0}).total
                assert graph.info()["edges"] - 3 >= total  # both in one transaction
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=search, args=(graph,)) for graph in retrievers]
    for thread in threads:
        thread.start()
    for number in range(10):
        with theirs.transaction():
            theirs.execute("INSERT INTO nodes (id, name) VALUES (%s, %s)", (f"n{number}", f"item{number} zebra"))
            theirs.execute("INSERT INTO edges VALUES (%s, 'w', 'near', 1)", (f"n{number}",))
        for graph in retrievers:
            assert f"n{number}" in graph.search(f"item{number}", mode="text").ids
    done.set()
    for thread in threads:
        thread.join(60)
    assert not errors, errors[0]
    assert [len(graph) for graph in retrievers] == [13, 13]
    for graph in retrievers:
        graph.close()
