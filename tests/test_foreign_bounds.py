"""A foreign file makes nobody read, or compare, what is out of all proportion to it."""

import sqlite3
from contextlib import closing

import pytest

from fourfold import Retriever, StoreError
from fourfold.engines.foreign import detect
from fourfold.engines.foreign.tables import Table
from fourfold.engines.sqlite.matches import Matches
from fourfold.errors import SchemaDetectionError


def made(path, script):
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)
    return path


NUMBERS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 50000)"


@pytest.mark.parametrize(
    "view",
    [f"{NUMBERS} SELECT x AS id, hex(zeroblob(1000)) AS name FROM n", "SELECT 1 AS id, hex(zeroblob(1e8)) AS name"],
    ids=["many", "long"],
)
def test_a_view_that_makes_gigabytes_of_a_few_bytes_is_refused(tmp_path, view):
    path = made(tmp_path / "bomb.db", f"CREATE VIEW nodes AS {view}")
    with pytest.raises(StoreError, match=r"'nodes' .*(more than 20,\d+,\d+ bytes, for a file of its size|too big)"):
        Retriever.open_foreign(path, embedder=lambda texts: [[1.0]] * len(texts))


def test_what_a_large_file_holds_is_read_whole(tmp_path):
    path = made(tmp_path / "large.db", "CREATE TABLE nodes (id, name, text)")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executemany("INSERT INTO nodes VALUES (?, 'one', ?)", ((n, "abc " * 800_000) for n in range(8)))
    with Retriever.open_foreign(path, embedder=lambda texts: [[1.0]] * len(texts)) as retriever:
        assert [len(node.text) for node in retriever.get(["0", "7"])] == [3_200_000] * 2


def test_each_column_is_read_once_however_many_it_is_compared_with():
    """Fifty tables with two ends each were compared in three seconds, a hundred and fifty in twenty-four."""
    with closing(sqlite3.connect(":memory:")) as connection:
        for n in range(20):
            connection.execute(f"CREATE TABLE t{n} (id, source, target)")
            connection.execute(f"INSERT INTO t{n} VALUES (1, 1, '1'), (2.0, x'01', 3)")
        asked = []
        connection.set_trace_callback(asked.append)
        matches = Matches(connection)
        tables = [f"t{n}" for n in range(20)]
        found = {matches(a, end, b, "id") for a in tables for end in ("source", "target") for b in tables}
    assert found == {0.5} and len(asked) == 60


def test_more_tables_than_can_be_compared_are_refused():
    tables = [Table(f"t{n}", {"id": "", "source": "", "target": ""}) for n in range(1_001)]
    with pytest.raises(SchemaDetectionError, match=r"^1,001 of 1,001 tables may hold edges, too many .* ForeignSchema"):
        detect.detect(tables, "many.db", lambda *places: 0.0)
