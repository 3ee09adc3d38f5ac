"""Damaged and crafted files: a StoreError or an answer, never a raw error or endless memory; ``check`` tells."""

import json
import sqlite3
import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from fourfold import Edge, FourfoldError, Node, Retriever, StoreError
from fourfold.checking import check
from fourfold.engines.sqlite import changes, integrity
from fourfold.engines.sqlite.backend import SqliteBackend
from fourfold.ingest import index_paths
from fourfold.tools import ToolCatalog

SOAK = Path(__file__).parents[2] / "benchmarks" / "soak"


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "kg.sqlite"
    with Retriever(path) as retriever:
        nodes = [Node(f"n{n}", f"save file {n}", "tool", "Saves a file." * n, {"n": n}) for n in range(9)]
        retriever.add(nodes, [Edge(f"n{n}", f"n{n - 1}", "requires") for n in range(1, 9)])
    return path


def alter(path, *statements):
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA foreign_keys = OFF")
    for sql, *parameters in statements:
        connection.execute(sql, parameters)
    connection.close()


CRAFTED = {
    "node number": [("UPDATE nodes SET num = ? WHERE id = 'n1'", 2**40)],
    "term number": [("UPDATE tokens SET terms = ? WHERE node = 1", (2**31 - 1).to_bytes(4, "little") + b"\0\1\0")],
    "negative term": [("UPDATE tokens SET terms = ? WHERE node = 1", b"\xff\xff\xff\xff\0\1\0")],
    "blob length": [("UPDATE tokens SET terms = ? WHERE node = 1", b"\0\0\0")],
    "vector length": [("UPDATE vectors SET vector = ? WHERE node = 1", b"\0" * 40)],
    "vector text": [("UPDATE vectors SET vector = 'x' WHERE node = 1",)],
    "metadata": [("UPDATE nodes SET metadata = '{' WHERE id = 'n1'",)],
    "metadata of a number": [("UPDATE nodes SET metadata = '5' WHERE id = 'n1'",)],
    "metadata of a list": [("UPDATE nodes SET metadata = '[]' WHERE id = 'n1'",)],
    "deep metadata": [("UPDATE nodes SET metadata = ? WHERE id = 'n1'", '{"a": ' * 100_000)],
    "edge type": [("UPDATE edges SET type = 77",)],
    "edge end": [("UPDATE edges SET target = ?", 2**40)],
    "edge weight": [("UPDATE edges SET weight = 'heavy'",)],
    "generation": [("UPDATE meta SET value = 'x' WHERE key = 'generation'",)],
    "no generation": [("DELETE FROM meta WHERE key = 'generation'",)],
    "dimensions": [("UPDATE meta SET value = '1e9' WHERE key = 'dimensions'",)],
    "staging": [("INSERT INTO meta VALUES ('staging', '{}')",)],
    "half a character": [("UPDATE nodes SET metadata = ? WHERE id = 'n1'", '{"a": "\\ud800"}')],
    "name of an edge type": [("UPDATE edge_types SET type = ?", b"\xff")],
    "no table": [("DROP TABLE passages",)],
    "no trigger": [("DROP TRIGGER node_deleted",)],
    "version": [("PRAGMA user_version = -3",)],
    "view": [
        ("ALTER TABLE nodes RENAME TO old",),
        ("CREATE VIEW nodes AS WITH RECURSIVE n AS (SELECT 1 UNION ALL SELECT 1 FROM n) SELECT * FROM old, n",),
    ],
}


@pytest.mark.parametrize("what", CRAFTED)
def test_a_crafted_file_is_refused_in_a_sentence_and_check_says_so(path, what):
    alter(path, *CRAFTED[what])
    with pytest.raises(StoreError, match=str(path)), Retriever(path, read_only=True) as retriever:
        retriever.search("save file")
        retriever.get(["n1"])
        retriever.vectors(["n1", "n2"])
        retriever.info()
        pytest.fail("everything was answered")
    report = check(path)
    assert not report.sound and all(problem.endswith(".") for problem in report.problems)


def test_a_number_of_a_node_that_is_none_is_not_taken_for_another(path):
    alter(path, ("UPDATE attributes SET node = 'x' WHERE node = 1",))
    with Retriever(path, read_only=True) as retriever, pytest.raises(StoreError, match="damaged.*'x'"):
        retriever.matching({"n": {"$lt": 5}})


@pytest.mark.parametrize(
    "crafted",
    [
        ("UPDATE feedback SET node = ?", b"n1"),
        ("UPDATE feedback SET query = ?", b"save"),
        ("UPDATE feedback SET grade = 'good'",),
        ("UPDATE feedback SET grade = 9e999",),
        ("UPDATE usage SET uses = 'many'",),
        ("UPDATE usage SET successes = 1e30",),
        ("UPDATE usage SET recent = -1.0",),
        ("UPDATE usage SET used_at = ?", b"now"),
    ],
    ids=lambda crafted: crafted[0].removeprefix("UPDATE "),
)
def test_what_was_learned_is_checked_when_it_is_read(path, crafted):
    with Retriever(path) as retriever:
        retriever.learning.feedback("save", "n1")
        ToolCatalog(retriever).record_use(["n1"])
    assert check(path).sound
    alter(path, crafted)
    with Retriever(path) as retriever, pytest.raises(StoreError, match="damaged"):
        ToolCatalog(retriever).search_tools("save")
        retriever.learn()
    assert "is damaged" in check(path).problems[0]


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        *[("ingest_roots", value) for value in ("[]", "[1]", '{"": null}', '{"/": 5}', '[["x", "y"]]')],
        *[("ingest_limit_title", value) for value in ("x", "", "9" * 5000, "-1", "1e9")],
        *[("ingest", value) for value in ('{"shared_keys": 5}', '{"chunk_length": "x"}', '{"max_shared": NaN}', "[]")],
        ("embedder", "x" * 5000),
    ],
)
def test_what_is_noted_of_documents_is_checked_when_it_is_read(path, tmp_path, setting, value):
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "a.md").write_text("# Alpha\n\nOf beta.\n")
    with Retriever(path) as retriever:
        index_paths(retriever, [tmp_path / "texts"])
    alter(path, ("INSERT OR REPLACE INTO meta VALUES (?, ?)", setting, value))
    (tmp_path / "texts" / "b.md").write_text("# Beta\n\nOf alpha.\n")
    with pytest.raises(StoreError, match=r"\.$") as told, Retriever(path) as retriever:
        index_paths(retriever, [tmp_path / "texts"])
    assert len(str(told.value)) < 1000


def test_a_check_holds_a_part_of_a_graph_at_a_time(tmp_path, monkeypatch):
    monkeypatch.setattr(changes, "_PAGE", 100)
    with Retriever(tmp_path / "kg.sqlite") as retriever:
        vectors = np.ones((2_000, 1_000), np.float32)
        nodes = [Node(f"n{i}", vector=vector) for i, vector in enumerate(vectors)]
        retriever.add(nodes, [Edge(f"n{i}", f"n{i + 1}", "next") for i in range(450)])
        tracemalloc.start()
        try:
            assert retriever.backend.problems() == []
            _, most = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert most < vectors.nbytes / 2


def test_a_check_looks_at_the_last_row(path, monkeypatch):
    monkeypatch.setattr(changes, "_PAGE", 2)
    assert check(path).sound
    alter(path, ("UPDATE tokens SET terms = ? WHERE node = 9", (2**31 - 1).to_bytes(4, "little") + b"\0\1\0"))
    assert "the number of a term is beyond" in check(path).problems[0]
    alter(path, ("DELETE FROM tokens WHERE node = 9",), ("UPDATE edges SET weight = 2e30 WHERE num = 8",))
    assert any("the weight of an edge is beyond" in problem for problem in check(path).problems)


def test_rows_that_point_nowhere_are_told_by_their_number_and_looked_for_only_where_there_are_some(path):
    """SQLite looks up the ends of every row one by one: half of the time that a check of a million nodes took."""

    def found():
        connection, asked = sqlite3.connect(path), []
        connection.set_trace_callback(asked.append)
        said = list(integrity.problems(connection))
        connection.close()
        return said, [statement for statement in asked if "foreign_key_check" in statement]

    assert found() == ([], [])
    alter(path, ("UPDATE edges SET target = 77 WHERE num = 3",), ("INSERT INTO attributes VALUES ('k', 1, 78, 0)",))
    said, _ = found()
    assert "Row 3 of 'edges' points to a row of 'nodes' that is not there." in said
    assert "Row None of 'attributes' points to a row of 'nodes' that is not there." in said
    alter(path, ('CREATE TABLE "it\'s" ("b\'c" REFERENCES nodes (id))',), ("INSERT INTO \"it's\" VALUES ('n99')",))
    alter(path, ("UPDATE edges SET target = 'x' WHERE num = 4",))
    said, _ = found()
    assert "Row 1 of \"it's\" points to a row of 'nodes' that is not there." in said
    assert "Row 4 of 'edges' points to a row of 'nodes' that is not there." in said


def test_check_finds_by_the_content_hash_what_sqlite_cannot(path):
    assert check(path).as_dict() == {"path": str(path), "nodes": 9, "edges": 8, "problems": []}
    data = path.read_bytes()
    for place in range(len(data)):  # a byte falls over inside the text of n8, where SQLite keeps it as it is
        if data[place : place + 104] == b"Saves a file." * 8:
            path.write_bytes(data[: place + 3] + b"X" + data[place + 4 :])
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.close()
    (problem,) = check(path).problems
    assert problem == "The content of the node 'n8' is not what was written: its hash is another."


def test_what_is_no_graph_is_a_problem_and_no_exception(tmp_path):
    (tmp_path / "text.sqlite").write_text("This is no database. " * 100)
    assert "no SQLite database" in check(tmp_path / "text.sqlite").problems[0]
    assert "no file" in check(tmp_path / "missing.sqlite").problems[0]
    assert not (tmp_path / "missing.sqlite").exists()


ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT"


@pytest.mark.parametrize(
    ("view", "says"),
    [
        (f"CREATE VIEW zzz AS {ENDLESS} i FROM n WHERE i < 0", None),
        (f"CREATE VIEW zzz AS {ENDLESS} i AS source, i AS target FROM n WHERE i < 0", None),
        (f"DROP TABLE entities; CREATE VIEW entities AS {ENDLESS} i AS id, 'x' AS name, 'y' AS text FROM n", "rows"),
    ],
)
def test_an_endless_view_does_not_hang(tmp_path, view, says):
    path = tmp_path / "foreign.db"
    connection = sqlite3.connect(path)
    connection.executescript(
        "CREATE TABLE entities (id TEXT PRIMARY KEY, name TEXT, text TEXT);"
        "INSERT INTO entities VALUES ('a', 'alpha', ''), ('b', 'beta', '');"
        "CREATE TABLE relations (source TEXT, target TEXT, type TEXT); INSERT INTO relations VALUES ('a', 'b', 'r');"
        + view
    )
    connection.close()
    program = "import sys, warnings; warnings.simplefilter('ignore'); from fourfold import Retriever\n"
    program += "with Retriever.open_foreign(sys.argv[1]) as r: print(r.search('alpha').ids[0])"
    done = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True, timeout=300)
    if says is None:
        assert done.stdout == "a\n", done.stderr
    else:
        assert "StoreError" in done.stderr and says in done.stderr.splitlines()[-1]


@pytest.mark.slow
def test_any_damage_is_refused_or_answered():
    """A little of what ``make soak`` does with thousands."""
    command = [sys.executable, SOAK, "damaged", "--count", "40", "--seed", "900"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "40 of 40 files hold" in done.stdout


def test_the_command_says_what_is_wrong(path):
    from typer.testing import CliRunner

    from fourfold.cli import create_app

    fine = CliRunner().invoke(create_app(), ["check", "--db", str(path)])
    assert fine.exit_code == 0 and "9 nodes and 8 edges are as they were written" in fine.output
    alter(path, ("UPDATE nodes SET text = 'another' WHERE id = 'n3'",))
    wrong = CliRunner().invoke(create_app(), ["check", "--db", str(path), "--json"])
    assert wrong.exit_code == 1
    assert any("'n3'" in problem for problem in json.loads(wrong.stdout)["problems"])


OF_ANOTHER = "(SELECT {0} FROM {1} WHERE node = 4) WHERE node = 3"
DERIVED = {
    "terms": [("UPDATE tokens SET terms = x'' WHERE node = 3",)],
    "terms of another": [(f"UPDATE tokens SET terms = {OF_ANOTHER.format('terms', 'tokens')}",)],
    "no terms": [("DELETE FROM tokens WHERE node = 3",)],
    "terms cut short": [("UPDATE tokens SET terms = x'00' WHERE node = 3",)],
    "the number of a term": [("UPDATE terms SET term = 'other' WHERE term = 'file'",)],
    "a term": [("DELETE FROM terms WHERE term = 'file'",)],
    "values": [("DELETE FROM attributes WHERE node = 3",)],
    "another value": [("UPDATE attributes SET value = 7 WHERE node = 3",)],
    "wordpieces": [(f"UPDATE pieces SET ids = {OF_ANOTHER.format('ids', 'pieces')}",)],
    "half a wordpiece": [("UPDATE pieces SET ids = x'01' WHERE node = 3",)],
    "a row of the full text": [
        ("INSERT INTO fts (fts, rowid, name, type, text) SELECT 'delete', num, name, type, text FROM nodes LIMIT 1",)
    ],
    "words of the full text": [
        ("INSERT INTO fts (fts) VALUES ('delete-all')",),
        *[("INSERT INTO fts (rowid, name, type, text) VALUES (?, 'save file', 'tool', 'x')", n) for n in range(1, 10)],
    ],
    "pages of the full text": [("UPDATE fts_data SET block = zeroblob(length(block)) WHERE id > 10",)],
}


def told(path):
    with Retriever(path) as retriever:
        hits = [(hit.node.id, round(hit.score, 6)) for hit in retriever.search("save file 2")]
        named = [retriever.matching({"$name": {"$icontains": f"file {n}"}}) for n in range(9)]
        return hits, named, retriever.matching({"n": 2}), retriever.backend.phrase("save file", None)


@pytest.mark.parametrize("what", DERIVED)
def test_what_is_derived_of_whole_nodes_is_compared_with_them_and_derived_anew(path, what):
    """``add`` leaves a node alone that is stored just so: nothing found the damage, and nothing mended it."""
    before = told(path)
    alter(path, *DERIVED[what])
    problems = check(path, derived=True).problems
    assert any(problem.endswith("; fourfold check --repair derives them anew.") for problem in problems), problems
    with Retriever(path) as retriever:
        retriever.maintenance.derive_anew()
    assert check(path, derived=True).sound
    assert told(path) == before


def test_what_is_derived_of_a_damaged_content_is_left_as_it_is(path):
    alter(
        path,
        ("UPDATE attributes SET value = 70 WHERE node = 4",),
        ("UPDATE nodes SET text = 'another' WHERE id = 'n3'",),
        ("DELETE FROM attributes WHERE node = 2",),
    )
    with Retriever(path) as retriever:
        retriever.maintenance.derive_anew()
        assert (retriever.matching({"n": 1}), retriever.matching({"n": 70})) == (["n1"], ["n3"])
    assert check(path, derived=True).problems == (
        "The content of the node 'n3' is not what was written: its hash is another.",
    )


def test_the_command_derives_anew(path):
    from typer.testing import CliRunner

    from fourfold.cli import create_app

    alter(path, ("DELETE FROM attributes WHERE node IN (2, 3)",))
    wrong = CliRunner().invoke(create_app(), ["check", "--db", str(path), "--derived"])
    assert wrong.exit_code == 1
    assert "The values for filters of 2 nodes, such as 'n1', are not those of their contents" in wrong.output
    mended = CliRunner().invoke(create_app(), ["check", "--db", str(path), "--repair", "--derived"])
    assert mended.exit_code == 0 and "are as they were written" in mended.output


def test_what_is_derived_in_memory_is_derived_anew_too():
    with Retriever() as retriever:
        retriever.add([Node("a", "alpha", metadata={"n": 1}), Node("b", "beta")])
        with retriever.backend.transaction() as writer:
            writer.execute("DELETE FROM attributes")
        assert retriever.matching({"n": 1}) == []
        retriever.maintenance.derive_anew()
        assert retriever.matching({"n": 1}) == ["a"]


@pytest.mark.parametrize("writes", [2, 1000])
def test_what_others_write_while_a_file_is_checked_is_no_damage(path, monkeypatch, writes):
    """The hashes were of one moment and the contents of a later one: each node that was written between was damaged."""
    read, left = SqliteBackend.manifest, list(range(writes))

    def manifest(backend):
        found = read(backend)
        if left:
            with Retriever(path) as another:
                another.add([Node("n3", "save file 3", "tool", f"Written anew {left.pop()}.")])
                another.delete(["n4"])
        return found

    monkeypatch.setattr(SqliteBackend, "manifest", manifest)
    found = check(path)
    if writes == 2:
        assert found.sound and found.nodes == 8
    else:
        assert not found.looked_at and "check it when nobody writes" in found.problems[0]


def test_check_refuses_what_is_no_path():
    with pytest.raises(FourfoldError, match="path"):
        check(5)


def test_a_path_too_long_for_the_system_is_none_of_a_graph():
    """The system's own error came through."""
    found = check("m" * 5000)
    assert not found.looked_at and len(found.problems) == 1
