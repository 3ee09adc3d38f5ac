"""Retrievers are handles of open files: copies share them, pickles open them again."""

import contextlib
import copy
import os
import pickle
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from fourfold import Edge, InvalidValueError, Node, RetrievalConfig, Retriever, StoreError
from fourfold.checking import check
from fourfold.embed import GeminiEmbedder, StaticEmbedder
from fourfold.embed.static import BUNDLED_FOLDER, bundled
from fourfold.engines.sqlite import saving, writer
from fourfold.questions import Questions
from fourfold.tools import ToolCatalog


def letters(texts):
    return [[1.0 + text.count("a"), float(len(text))] for text in texts]


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "kg.sqlite"
    with Retriever(path) as retriever:
        retriever.add([Node("a", "alpha"), Node("b", "beta")])
    return path


def test_a_retriever_shows_which_graph_it_is_a_handle_of(path):
    retriever = Retriever(path)
    retriever.close()
    assert repr(retriever) == f"<Retriever {str(path)!r}>"


def test_copies_share_the_open_file(path):
    with Retriever(path) as retriever, Retriever() as in_memory:
        for given in (retriever, in_memory):
            assert copy.copy(given) is given and copy.deepcopy({"held": given})["held"] is given


def test_what_is_made_of_a_graph_shares_it_with_deep_copies(path):
    with Retriever(path) as retriever, ToolCatalog() as catalog:
        catalog.add_tools([{"name": "save", "description": "Saves a file."}])
        copied = copy.deepcopy({"questions": Questions(retriever), "catalog": catalog})
        assert copied["questions"].retriever is retriever and copied["catalog"].retriever is catalog.retriever
        assert [tool.name for tool in copied["catalog"].search_tools("save")] == ["save"]


def test_a_pickle_opens_the_file_again_in_another_process(path):
    with Retriever(path, config=RetrievalConfig(limit=1), read_only=True) as retriever:
        pickled = pickle.dumps(retriever)
        found = retriever.search("alpha").ids
    script = "import pickle, sys; r = pickle.load(sys.stdin.buffer); print(r.search('alpha').ids, r.backend.read_only)"
    run = subprocess.run([sys.executable, "-c", script], input=pickled, capture_output=True)
    assert run.stdout.decode().strip() == f"{found} True", run.stderr.decode()


def test_what_is_made_of_a_graph_is_pickled_with_what_opens_it_again(path):
    with Retriever(path) as retriever, ToolCatalog(path.with_name("tools.sqlite")) as catalog:
        catalog.add_tools([{"name": "save", "description": "Saves a file."}])
        pickled = pickle.dumps((Questions(retriever, aliases={"causes": ["brings"]}), catalog))
        with pytest.raises(StoreError, match="A graph in memory cannot be pickled"):
            pickle.dumps(ToolCatalog())
    questions, again = pickle.loads(pickled)
    with questions.retriever, again:
        assert questions.aliases == {"causes": ("brings",)} and questions.subjects("alpha")[0].node.id == "a"
        assert [tool.name for tool in again.search_tools("save")] == ["save"]
    with pytest.raises(StoreError, match="is closed"):  # it was its own, and is
        again.retriever.search("save")


def test_a_pickle_follows_the_file_s_config_unless_one_was_given(path):
    with Retriever(path) as follows, Retriever(path, config=RetrievalConfig(limit=1)) as given:
        pickled = pickle.dumps(follows), pickle.dumps(given)
        follows.learning.apply_config(RetrievalConfig(limit=2))
    with pickle.loads(pickled[0]) as first, pickle.loads(pickled[1]) as second:
        assert first.config.limit == 2 and second.config.limit == 1


def test_a_pickle_keeps_the_embedder(tmp_path):
    path = tmp_path / "own.sqlite"
    with Retriever(path, embedder=letters) as retriever:
        retriever.add([Node("a", "alpha")])
        again = pickle.loads(pickle.dumps(retriever))
    with again:
        assert again.embedder.name.endswith(".letters")
        assert again.search("alpha").ids == ["a"]


def test_embedders_are_pickled_without_their_models_and_keys(monkeypatch):
    key = "AIzaSy-a-secret-of-39-characters-abcdef"
    pickled = pickle.dumps((bundled(), GeminiEmbedder(8, api_key=key, attempts=2)))
    assert key.encode() not in pickled and len(pickled) < 2000
    monkeypatch.setenv("GEMINI_API_KEY", "AIzaSy-another-key-of-the-environment-x")
    static, gemini = pickle.loads(pickled)
    assert static.name == StaticEmbedder(BUNDLED_FOLDER).name
    assert gemini.name == "gemini:gemini-embedding-001:8" and gemini._attempts == 2


def test_a_graph_in_memory_is_not_pickled():
    with Retriever() as retriever, pytest.raises(StoreError, match="in memory cannot be pickled; keep it in a file"):
        pickle.dumps(retriever)


def test_a_pickle_makes_no_file(path):
    with Retriever(path) as retriever:
        pickled = pickle.dumps(retriever)
    path.unlink()
    with pytest.raises(StoreError, match="There is no file"):
        pickle.loads(pickled)
    assert not path.exists()


def test_a_foreign_graph(tmp_path):
    path = tmp_path / "theirs.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE nodes (id TEXT PRIMARY KEY, name TEXT)")
        connection.execute("INSERT INTO nodes VALUES ('a', 'alpha')")
    connection.close()
    with Retriever.open_foreign(path) as theirs:
        again = pickle.loads(pickle.dumps(theirs))
    with again:
        assert again.search("alpha").ids == ["a"] and again.path == str(path)
        with pytest.raises(StoreError, match="foreign graph"):
            again.add([Node("b")])


def test_what_is_saved_reads_its_folder_again(tmp_path):
    from fourfold.ingest import index_paths, list_documents

    (tmp_path / "texts").mkdir()
    for name in "ab":
        (tmp_path / "texts" / f"{name}.md").write_text(f"# {name}\n\n" + f"Words of {name}. " * 2000)
    with Retriever(tmp_path / "kg.sqlite") as own:
        index_paths(own, [tmp_path / "texts"])
    with Retriever(tmp_path / "kg.sqlite", read_only=True) as own:
        own.maintenance.save(tmp_path / "backup.sqlite")
        nodes = len(own)
    (tmp_path / "texts" / "a.md").write_text("# a\n\nFew.\n")
    with Retriever(tmp_path / "backup.sqlite") as backup:
        assert len(backup) == nodes and len(list_documents(backup)) == 2
        index_paths(backup, [tmp_path / "texts"])
        assert len(backup) < nodes  # the chunks of what was long are gone
    assert check(tmp_path / "backup.sqlite").sound


def test_a_graph_of_memory_is_saved_in_a_file(tmp_path):
    path = tmp_path / "kept.sqlite"
    with Retriever(":memory:") as retriever:
        retriever.add([Node("a", "write_file"), Node("b", "open_file")], [Edge("a", "b", "requires")])
        retriever.maintenance.save(path)
        retriever.delete(["a"])
        retriever.maintenance.save(tmp_path / "later.sqlite")
        with pytest.raises(InvalidValueError, match="another file"):
            retriever.maintenance.save(":memory:")
        with pytest.raises(StoreError, match="cannot be saved"):
            retriever.maintenance.save(tmp_path / "no folder" / "kept.sqlite")
    with Retriever(path, must_exist=True) as kept:
        assert set(kept.search("file").ids) == {"a", "b"} and kept.info()["edges"] == 1
        with pytest.raises(InvalidValueError, match="another file"):
            kept.maintenance.save(path)
        kept.maintenance.save(tmp_path / "later.sqlite")
    assert check(path).sound and check(tmp_path / "later.sqlite").nodes == 2


def test_a_copy_that_somebody_writes_into_is_not_waited_for_without_end(tmp_path, monkeypatch):
    """The step that finds a lock was tried again for ever."""
    monkeypatch.setattr(saving, "_PATIENCE", 0.0)
    with Retriever(tmp_path / "kg.sqlite") as retriever:
        retriever.add([Node("a", "write_file")])
        retriever.maintenance.save(tmp_path / "backup.sqlite")
        with contextlib.closing(sqlite3.connect(tmp_path / "backup.sqlite", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(StoreError, match="another process has been writing into it"):
                retriever.maintenance.save(tmp_path / "backup.sqlite")
        retriever.maintenance.save(tmp_path / "backup.sqlite")
    assert check(tmp_path / "backup.sqlite").sound


def test_an_earlier_copy_is_known_when_its_writes_are_forgotten(tmp_path, monkeypatch):
    """It was taken for another graph: of a busy graph every backup failed that was made again."""
    monkeypatch.setattr(writer, "_REMEMBERED_WRITES", 3)
    backups = [tmp_path / name for name in ("sunday.sqlite", "monday.sqlite", "tuesday.sqlite")]
    with Retriever(tmp_path / "kg.sqlite") as retriever, Retriever(tmp_path / "another.sqlite") as another:
        for day, (backup, writes) in enumerate(zip(backups, (1, 10, 19), strict=True)):
            for write in range(writes):
                for graph in (retriever, another):
                    graph.add([Node(f"{day} {write}")])
            retriever.maintenance.save(backup)
            for earlier in backups[: day + 1]:
                retriever.maintenance.save(earlier)
        with Retriever(backups[0]) as copied:
            copied.maintenance.save(backups[1])
        for graph, backup in ((another, backups[0]), (retriever, another.path)):
            with pytest.raises(StoreError, match="another graph"):
                graph.maintenance.save(backup)
    assert all(check(path).nodes == 30 for path in backups)


def test_a_file_that_nothing_was_written_into_is_no_other_graph(tmp_path):
    Retriever(tmp_path / "new.sqlite").close()
    with Retriever(":memory:") as retriever:
        retriever.add([Node("a")])
        retriever.maintenance.save(tmp_path / "new.sqlite")
    assert check(tmp_path / "new.sqlite").nodes == 1


def test_another_graph_is_replaced_only_where_that_is_said(tmp_path):
    backup, theirs, others = tmp_path / "backup.sqlite", tmp_path / "theirs.sqlite", tmp_path / "others.db"
    with Retriever(theirs) as another, contextlib.closing(sqlite3.connect(others)) as application:
        another.add([Node("z", "their work")])
        application.execute("CREATE TABLE work (hours)")
    with Retriever(tmp_path / "kg.sqlite") as retriever:
        for day in ("monday", "tuesday"):
            retriever.add([Node(day)])
            retriever.maintenance.save(backup)
        for path, held in ((theirs, "another graph"), (others, "a database of another application")):
            before = path.read_bytes()
            with pytest.raises(StoreError, match=f"{path.name}' holds {held}, .* or say replace=True."):
                retriever.maintenance.save(path)
            assert path.read_bytes() == before
            retriever.maintenance.save(path, replace=True)
        with pytest.raises(InvalidValueError, match="replace"):
            retriever.maintenance.save(backup, replace="no")
        os.link(tmp_path / "kg.sqlite", tmp_path / "other name.sqlite")
        with pytest.raises(InvalidValueError, match="another file"):
            retriever.maintenance.save(tmp_path / "other name.sqlite", replace=True)
    assert all(check(path).nodes == 2 for path in (backup, theirs, others))


def test_searches_and_writes_go_on_while_a_graph_is_saved(tmp_path):
    with Retriever(tmp_path / "kg.sqlite") as retriever, ThreadPoolExecutor(1) as beside:
        retriever.add([Node("a", "write_file")])
        with retriever.backend.reading(), retriever.backend.transaction() as writer:  # as long ones of other threads
            writer.put_edges([Edge("a", "a", "requires")])
            beside.submit(retriever.maintenance.save, tmp_path / "saved.sqlite").result(timeout=60)
        assert retriever.info()["edges"] == 1
    found = check(tmp_path / "saved.sqlite")
    assert found.sound and (found.nodes, found.edges) == (1, 0)  # what was committed when it began


@pytest.mark.skipif(os.name == "nt", reason="an open file cannot be removed there")
def test_a_graph_whose_file_was_removed_can_still_be_saved(tmp_path):
    with Retriever(tmp_path / "kg.sqlite") as retriever:
        retriever.add([Node("a", "write_file")])
        (tmp_path / "kg.sqlite").unlink()
        retriever.maintenance.save(tmp_path / "saved.sqlite")
        assert not (tmp_path / "kg.sqlite").exists()
    assert check(tmp_path / "saved.sqlite").nodes == 1


def test_where_nothing_can_be_saved_the_sentence_says_why_and_shows_no_password(tmp_path):
    with Retriever() as retriever:
        with pytest.raises(StoreError, match="cannot be saved in .*: it is a folder"):
            retriever.maintenance.save(tmp_path)
        with pytest.raises(StoreError, match="cannot be saved in .*: there is no folder .*no'"):
            retriever.maintenance.save(tmp_path / "no" / "kg.sqlite")
        with pytest.raises(InvalidValueError, match="postgresql://.*copying.copy") as raised:
            retriever.maintenance.save("postgresql://ann:secret@host/kg")
    assert "secret" not in str(raised.value)


_SAVING = """
import resource, sys
from fourfold import Retriever, StoreError

with Retriever(sys.argv[1], read_only=True) as retriever:
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, -1))
    try:
        retriever.maintenance.save(sys.argv[2])
    except StoreError as error:
        print(error)
"""


@pytest.mark.skipif(os.name == "nt", reason="no file is bounded there")
@pytest.mark.parametrize("earlier", [False, True])
def test_a_copy_that_found_no_room_leaves_nothing_or_the_earlier_copy(tmp_path, earlier):
    path, saved = tmp_path / "kg.sqlite", tmp_path / "saved.sqlite"
    with Retriever(path) as retriever:
        retriever.add([Node("a", "alpha")])
        if earlier:
            retriever.maintenance.save(saved)
        retriever.add([Node(str(number), "much more", text=f"of all {number} " * 100) for number in range(100)])
    done = subprocess.run([sys.executable, "-c", _SAVING, path, saved], capture_output=True, text=True, check=False)
    assert "cannot be saved" in done.stdout, done.stderr
    if earlier:
        assert check(saved).nodes == 1
    else:
        assert sorted(each.name for each in tmp_path.iterdir()) == ["kg.sqlite"]


@pytest.mark.parametrize("end", ["", "-wal", "-shm", "-journal"])
def test_a_graph_is_not_saved_over_what_belongs_to_it(tmp_path, end):
    with Retriever(tmp_path / "kg.sqlite") as retriever:
        retriever.add([Node("a", "alpha")])
        with pytest.raises(InvalidValueError, match="saved in another file"):
            retriever.maintenance.save(tmp_path / f"kg.sqlite{end}")
    assert not (tmp_path / "kg.sqlite-journal").exists()


def test_closing_waits_for_a_copy_under_way(path):
    retriever = Retriever(path)
    with ThreadPoolExecutor(1) as pool:
        with retriever.backend._apart():
            closed = pool.submit(retriever.close)
            with pytest.raises(TimeoutError):
                closed.result(timeout=0.2)
        closed.result(timeout=60)
