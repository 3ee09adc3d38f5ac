"""``fourfold index`` of folders and files."""

import json

import pytest
from typer.testing import CliRunner

from fourfold import InvalidValueError, RetrievalConfig, Retriever
from fourfold.cli import create_app, documents
from fourfold.ingest.files import document_of


def fourfold(*words, code=0):
    """Run the command line; return what it printed."""
    result = CliRunner().invoke(create_app(), [str(word) for word in words], env={"COLUMNS": "200"})
    assert result.exit_code == code, result.output
    return result


def test_a_folder_is_indexed_and_indexed_again(tmp_path):
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("# Ann\n\nAnn knows Bob.")
    (notes / "b.md").write_text("# Bob\n\nBob builds boats.")
    (notes / "empty.md").write_text("")

    def run():
        return json.loads(fourfold("index", notes, "--db", tmp_path / "n.sqlite", "--json").stdout)

    first = run()
    assert (first["added"], first["nodes"], first["edges"]) == (2, 2, 1)
    assert [problem["where"] for problem in first["problems"]] == [str(notes / "empty.md")]
    (notes / "b.md").unlink()
    again = run()
    assert (again["added"], again["unchanged"], again["removed"], again["edges"]) == (0, 1, 1, 0)


def test_a_folder_without_anything_to_read_is_an_error_that_says_why_and_leaves_no_file(tmp_path):
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "letter.odt").write_bytes(b"PK")
    (notes / "other.odt").write_bytes(b"PK")
    (notes / "empty.md").write_text("")
    told = fourfold("index", notes, "--db", tmp_path / "n.sqlite", code=1).stderr
    assert told.startswith(f"fourfold: Nothing could be read in {notes}. 2 files: there is no reader for .odt. ")
    assert f"{notes / 'empty.md'}: the file is empty. Read are files that end in .md, .markdown, .txt" in told
    assert sorted(path.name for path in tmp_path.iterdir()) == ["notes"]
    (notes / "empty").mkdir()
    assert "There is no file." in fourfold("index", notes / "empty", "--db", tmp_path / "n.sqlite", code=1).stderr


def test_what_was_passed_over_is_listed_with_the_reason(tmp_path):
    (tmp_path / "a.md").write_text("fine")
    (tmp_path / "b\x1b[1m.md").write_text("")
    (tmp_path / ".hidden").mkdir()
    for name in ("one.odt", "two.odt", "three.odt"):
        (tmp_path / name).write_bytes(b"PK")
    table = fourfold("index", tmp_path, "--db", tmp_path / "n.sqlite").stdout
    assert "1 added or changed, 0 unchanged, 0 removed." in table and "\x1b" not in table
    rows = " ".join(table.split())
    assert "3 there is no reader for .odt." in rows and "and 2 more" in rows
    assert "its name begins with a dot." in rows and "the file is empty." in rows
    answer = json.loads(fourfold("index", tmp_path, "--db", tmp_path / "n.sqlite", "--json").stdout)
    assert len(answer["passed_over"]) == 5 and len(answer["problems"]) == 1


def test_edges_in_a_folder_are_passed_over_and_told_how_to_be_read(tmp_path):
    """They had no reader, and the same command reads them where it names them."""
    (tmp_path / "a.md").write_text("fine")
    (tmp_path / "facts.CSV").write_text("a,likes,b")
    answer = json.loads(fourfold("index", tmp_path, "--db", tmp_path / "n.sqlite", "--json").stdout)
    (passed,) = [each for each in answer["passed_over"] if "CSV" in str(each)]
    told = "edges are read where the command names the file itself, or by ingest.read_triples."
    assert told in str(passed)
    (tmp_path / "b.md").write_text("# Bee")
    answer = json.loads(
        fourfold("index", tmp_path, tmp_path / "facts.CSV", "--db", tmp_path / "n.sqlite", "--json").stdout
    )
    assert answer["graph"] == {"nodes": 1, "edges": 1} and "CSV" not in str(answer["passed_over"])
    (tmp_path / "facts.CSV").write_text("target;source;type\nBee;a;likes")  # by its title, and by the name of its file
    answer = json.loads(
        fourfold("index", tmp_path, tmp_path / "facts.CSV", "--db", tmp_path / "m.sqlite", "--json").stdout
    )
    assert answer["graph"] == {"nodes": 0, "edges": 1} and answer["nodes"] == 2


def test_how_large_a_file_may_be_is_said_on_the_command_line(tmp_path):
    (tmp_path / "a.txt").write_text("short")
    (tmp_path / "b.txt").write_text("long " * 100)
    db = tmp_path / "n.sqlite"
    answer = json.loads(fourfold("index", tmp_path, "--db", db, "--json", "--max-bytes", 99).stdout)
    assert answer["added"] == 1 and "more than max_bytes=99 (--max-bytes)" in str(answer["passed_over"])
    assert json.loads(fourfold("index", tmp_path, "--db", db, "--json").stdout)["added"] == 1


def test_files_folders_corpora_and_graphs_together(tmp_path):
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "README.md").write_text("# Notes")
    (tmp_path / "page.md").write_text("# A page\n\nThis is no JSON.")
    (tmp_path / "corpus.jsonl").write_text('{"_id": "d1", "title": "One", "text": "first", "metadata": {"url": "x"}}')
    (tmp_path / "graph.jsonl").write_text('{"id": "a"}\n{"source": "a", "target": "a", "type": "is"}')
    (tmp_path / "triples.csv").write_text("a,likes,b")
    names = ("notes", "page.md", "corpus.jsonl", "graph.jsonl", "triples.csv")
    answer = json.loads(fourfold("index", *(tmp_path / n for n in names), "--db", tmp_path / "g.db", "--json").stdout)
    assert answer["graph"] == {"nodes": 2, "edges": 2} and answer["added"] == 3 and answer["nodes"] == 5
    found = json.loads(fourfold("search", "first", "--db", tmp_path / "g.db", "--json", "-k", "1").stdout)
    assert found["hits"][0]["name"] == "One" and found["hits"][0]["metadata"]["url"] == "x"
    (tmp_path / "letter.odt").write_bytes(b"PK")
    told = fourfold("index", tmp_path / "letter.odt", "--db", tmp_path / "x.db", code=1).stderr
    assert f"{tmp_path / 'letter.odt'}: there is no reader for .odt." in told


def test_edges_of_a_graph_may_name_documents_of_the_same_run(tmp_path):
    notes, graph, db = tmp_path / "notes", tmp_path / "graph.jsonl", tmp_path / "g.sqlite"
    notes.mkdir()
    (notes / "a.md").write_text("# A")
    (notes / "b.md").write_text("# B")
    graph.write_text('{"id": "t"}\n{"source": "a.md", "target": "t", "type": "about"}')
    answer = json.loads(fourfold("index", graph, notes, "--db", db, "--json").stdout)
    assert answer["graph"] == {"nodes": 1, "edges": 1} and (answer["added"], answer["edges"]) == (2, 1)
    (notes / "a.md").unlink()
    (tmp_path / "triples.csv").write_text("a.md,about,t")
    answer = json.loads(fourfold("index", tmp_path / "triples.csv", notes, "--db", db, "--json").stdout)
    assert (answer["removed"], answer["nodes"], answer["edges"]) == (1, 3, 1)  # as any other node that triples name
    graph.write_text('{"source": "b.md", "target": "nobody", "type": "about"}')
    told = fourfold("index", graph, notes, "--db", tmp_path / "new.sqlite", code=1).stderr
    assert "'nobody'. Nothing was written. The documents were written before, and stay." in " ".join(told.split())
    with Retriever(tmp_path / "new.sqlite", must_exist=True) as retriever:
        assert list(retriever.manifest()) == ["b.md"]


def test_a_new_file_that_another_process_has_begun_to_write_stays_where_nothing_can_be_read(tmp_path, monkeypatch):
    db = tmp_path / "notes.db"
    (tmp_path / "notes").mkdir()

    def meanwhile(*_, **__):
        with Retriever(db) as other:
            other.learning.apply_config(RetrievalConfig(limit=5))
        raise InvalidValueError("nothing to read")

    monkeypatch.setattr(documents, "index", meanwhile)
    fourfold("index", tmp_path / "notes", "--db", db, code=1)
    with Retriever(db, must_exist=True) as retriever:
        assert retriever.config.limit == 5


def test_a_first_run_that_is_stopped_keeps_what_it_had_written(tmp_path, monkeypatch):
    notes, db = tmp_path / "notes", tmp_path / "n.sqlite"
    notes.mkdir()
    for name in "abcd":
        (notes / f"{name}.md").write_text(f"# {name}")

    def stopped_at(last):
        def read(path, *rest):
            if path.stem == last:
                raise KeyboardInterrupt
            return document_of(path, *rest)

        monkeypatch.setattr("fourfold.ingest.folder.document_of", read)

    monkeypatch.setattr("fourfold.ingest.writing._BATCH", 2)
    stopped_at("a")
    fourfold("index", notes, "--db", db, code=130)
    assert not list(tmp_path.glob("n.sqlite*"))
    stopped_at("d")
    fourfold("index", notes, "--db", db, code=130)
    stopped_at("none")
    answer = json.loads(fourfold("index", notes, "--db", db, "--json").stdout)
    assert (answer["added"], answer["unchanged"], answer["nodes"]) == (2, 2, 4)


@pytest.mark.parametrize(
    "runs", [("graph.jsonl triples.csv",), ("graph.jsonl", "triples.csv"), ("triples.csv", "graph.jsonl")]
)
def test_triples_take_no_text_away_from_the_nodes_they_name(tmp_path, runs):
    db = tmp_path / "g.sqlite"
    (tmp_path / "graph.jsonl").write_text('{"id": "a", "name": "Ann", "type": "person", "text": "Founded a firm."}')
    (tmp_path / "triples.csv").write_text("a,likes,b")
    for names in runs:
        fourfold("index", *(tmp_path / name for name in names.split()), "--db", db)
    with Retriever(db) as retriever:
        ann, b = retriever.get(["a", "b"])
        assert (ann.name, ann.type, ann.text) == ("Ann", "person", "Founded a firm.") and b.name == "b"
        assert [edge.target for edge in retriever.edges(["a"])] == ["b"]


def test_the_texts_of_a_beir_collection_are_read_and_its_questions_are_not(tmp_path):
    (tmp_path / "corpus.jsonl").write_text('{"_id": "d1", "title": "One", "text": "first"}\n{"_id": "", "text": "x"}')
    (tmp_path / "queries.jsonl").write_text('{"_id": "q1", "text": "what?"}')
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\n")
    answer = json.loads(fourfold("index", tmp_path, "--db", tmp_path / "n.sqlite", "--json").stdout)
    assert answer["nodes"] == 1 and answer["problems"][0]["where"] == f"{tmp_path / 'corpus.jsonl'}:2"
