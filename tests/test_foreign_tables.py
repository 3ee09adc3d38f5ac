"""Which of another's tables holds nodes: two columns that go together (since when, till when) make no edges of it."""

import sqlite3

import pytest

from fourfold import Edge, FourfoldWarning, Retriever


def letters(texts):
    return [[1.0, *(text.lower().count(letter) for letter in "aeiost")] for text in texts]


@pytest.fixture
def opened(tmp_path):
    """Return a function that opens what a script makes."""

    def opening(script):
        connection = sqlite3.connect(tmp_path / "theirs.db")
        connection.executescript(script)
        connection.close()
        return Retriever.open_foreign(tmp_path / "theirs.db", embedder=letters)

    return opening


PAIRS = [
    "valid_from TEXT, valid_to TEXT",
    "start_date TEXT, end_date TEXT",
    "from_date TEXT, to_date TEXT",
    "address1 TEXT, address2 TEXT",
    "phone_1 TEXT, phone_2 TEXT",
    "a TEXT, b TEXT",
    "source TEXT, target TEXT",
    "parent_id INTEGER, child_id INTEGER",
]
EDGES = {
    "no edges": "",
    "by foreign keys": "CREATE TABLE lines (source INTEGER REFERENCES {0}, target INTEGER REFERENCES {0}, type TEXT);",
    "by the data": "CREATE TABLE lines (source_id INTEGER, target_id INTEGER, type TEXT);",
}
TOPICS = "CREATE TABLE topics (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO topics VALUES (7, 'none'), (8, 'other');"


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("edges", EDGES)
@pytest.mark.parametrize("table", ["entities", "firms"])
def test_a_table_of_nodes_may_have_two_columns_that_go_together(opened, table, edges, pair):
    if table == "firms" and not EDGES[edges]:
        return  # nothing tells that these are nodes
    script = (
        f"CREATE TABLE {table} (id INTEGER PRIMARY KEY, name TEXT, description TEXT, {pair});" + EDGES[edges]
    ).format(table)
    script += f"INSERT INTO {table} (id, name, description) VALUES (1, 'Ada', 'engines'), (2, 'Bob', 'looms');"
    if EDGES[edges]:
        script += "INSERT INTO lines VALUES (1, 2, 'requires');" + TOPICS
    with opened(script) as graph:
        assert graph.info()["foreign"]["schema"]["node_table"] == table
        assert graph.get(["1"])[0].text == "engines"
        assert graph.edges(["1"]) == ([Edge("1", "2", "requires")] if EDGES[edges] else [])


def test_what_edges_refer_to_are_nodes_also_before_there_is_a_row(opened):
    script = """CREATE TABLE entities (id TEXT PRIMARY KEY, name TEXT, description TEXT, valid_from TEXT, valid_to TEXT);
        CREATE TABLE relations (source_id TEXT REFERENCES entities (id), target_id TEXT REFERENCES entities (id), type TEXT);
        CREATE TABLE topics (id INTEGER PRIMARY KEY, name TEXT)"""  # noqa: E501
    with opened(script) as graph:
        assert graph.info()["foreign"]["schema"]["node_table"] == "entities"
        assert graph.info()["foreign"]["schema"]["edge_table"] == "relations"


def test_two_parents_of_a_node_are_nodes(opened):
    script = """CREATE TABLE animals (id INTEGER PRIMARY KEY, name TEXT, parent_1 INTEGER REFERENCES animals,
        parent_2 INTEGER REFERENCES animals); CREATE TABLE lines (source INTEGER REFERENCES animals, target INTEGER
        REFERENCES animals); INSERT INTO animals VALUES (1, 'Ada', NULL, NULL), (2, 'Bob', 1, NULL);
        INSERT INTO lines VALUES (2, 1);"""
    with pytest.warns(FourfoldWarning, match="'parent_2', 'parent_1' of the table 'animals' .* node to node"):
        graph = opened(script)
    assert graph.edges(["1"]) == [Edge("2", "1")]
    graph.close()


def test_numbers_from_one_to_five_are_no_edges_of_other_nodes(opened):
    script = """CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT, rating_1 INTEGER, rating_2 INTEGER);
        INSERT INTO items VALUES (1, 'engine', 1, 2), (2, 'loom', 2, 1);
        CREATE TABLE topics (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO topics VALUES (1, 'one'), (2, 'two')"""
    with opened(script) as graph:
        assert graph.info()["foreign"]["schema"]["node_table"] == "items" and not graph.info()["edges"]


STILL_EDGES = {
    "called records": """CREATE TABLE records (id INTEGER PRIMARY KEY, subject TEXT, name TEXT, object TEXT);
        INSERT INTO records VALUES (1, 'a', 'uses', 'b')""",
    "told of by others": """CREATE TABLE triples (id INTEGER PRIMARY KEY, subject TEXT, name TEXT, object TEXT);
        INSERT INTO triples VALUES (1, 'a', 'uses', 'b'), (2, 'b', 'uses', 'a'); CREATE TABLE doubts
        (which INTEGER REFERENCES triples, other INTEGER REFERENCES triples); INSERT INTO doubts VALUES (1, 2)""",
    "between two of anything": """CREATE TABLE pairs (id INTEGER PRIMARY KEY, a TEXT, name TEXT, b TEXT);
        INSERT INTO pairs VALUES (1, 'a', 'uses', 'b')""",
}


@pytest.mark.parametrize("edges", STILL_EDGES)
def test_what_joins_the_nodes_of_another_table_is_edges(opened, edges):
    script = """CREATE TABLE people (id TEXT PRIMARY KEY, name TEXT); INSERT INTO people VALUES ('a', 'Ada'), ('b', 'Bob');
        """  # noqa: E501
    with opened(script + STILL_EDGES[edges]) as graph:
        assert graph.info()["foreign"]["schema"]["node_table"] == "people"
        assert graph.edges(["a"])[0] == Edge("a", "b", "uses")


def test_only_columns_that_are_called_so_are_looked_through_for_json(opened, monkeypatch):
    """Every text of every row was read as JSON and written again: a third of the reading of a file."""
    read = []
    monkeypatch.setattr("fourfold.engines.foreign.values.json_object", lambda text: read.append(text))
    with opened("""
        CREATE TABLE nodes (id TEXT PRIMARY KEY, name TEXT, city TEXT, metadata TEXT);
        INSERT INTO nodes VALUES ('a', 'alpha', '{"x": 1}', '{"y": 2}')
    """) as graph:
        assert graph.get(["a"])[0].metadata == {"city": '{"x": 1}', "metadata": '{"y": 2}'}
    assert set(read) == {'{"y": 2}'}
