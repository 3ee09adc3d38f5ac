"""``read_only=True`` leaves no trace, a fork is told what to do, and ``durable`` is a choice."""

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from fourfold import Edge, Node, RetrievalConfig, Retriever, StoreError
from fourfold.engines.sqlite import connection as connections
from fourfold.lens.session import Session
from fourfold.questions import Questions
from fourfold.tools import ToolCatalog


@pytest.fixture
def path(tmp_path):
    (tmp_path / "folder").mkdir()
    path = tmp_path / "folder" / "kg.sqlite"
    with Retriever(path) as retriever:
        retriever.add([Node("a", "alpha")])
    return path


def test_reading_writes_nothing_beside_the_file(path):
    before = (os.listdir(path.parent), path.read_bytes(), os.stat(path).st_mtime_ns)
    with Retriever(path, read_only=True) as retriever:
        assert retriever.search("alpha").ids == ["a"]
        assert os.listdir(path.parent) == before[0]
    assert (os.listdir(path.parent), path.read_bytes(), os.stat(path).st_mtime_ns) == before


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="nothing is forbidden to who runs this")
def test_a_folder_that_cannot_be_written(path):
    path.parent.chmod(0o500)
    try:
        with Retriever(path, read_only=True) as retriever:
            assert retriever.search("alpha").ids == ["a"]
    finally:
        path.parent.chmod(0o700)


OPENED_TO_WRITE = """
import os, sys
from fourfold import FourfoldError, Node, Retriever
with Retriever() as warm:
    warm.add([Node("w", "import what is imported late")])
if os.getuid() == 0:
    os.setgid(65534); os.setuid(65534)
for options in ({}, {"read_only": True}):
    try:
        with Retriever(sys.argv[1], **options) as retriever:
            print(len(retriever))
    except FourfoldError as error:
        print(error)
"""


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="folders forbid nothing there")
@pytest.mark.parametrize("case", ["no place for the log", "no file", "may not be read"])
def test_what_can_only_be_read_says_how(path, case):
    home = Path(tempfile.mkdtemp())  # pytest's own folders are closed to the user the child becomes
    kept = home / "kg.sqlite"
    if case != "no file":
        shutil.move(path, kept)
        kept.chmod(0o444 if case == "no place for the log" else 0o000)
    home.chmod(0o555)
    try:
        command = [sys.executable, "-c", OPENED_TO_WRITE, str(kept)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    finally:
        home.chmod(0o755)
        shutil.rmtree(home)
    told, read = done.stdout.splitlines()
    can_be_read = case == "no place for the log"
    assert ("it can be read as it is: read_only=True" in told) == can_be_read, told
    assert ("it cannot be made in its folder" in told) == (case == "no file"), told
    assert (read == "1") == can_be_read, read


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="folders forbid nothing there")
def test_a_log_that_nobody_takes_in_where_nothing_can_be_written_is_to_be_copied_along(path):
    """Not to be opened read-only, where it was to be opened for writing; the file alone would be an older state."""
    home = Path(tempfile.mkdtemp())
    with Retriever(path) as writer:
        writer.add([Node("b", "beta")])
        for end in ("", "-wal"):
            shutil.copy(f"{path}{end}", home / f"kg.sqlite{end}")
    home.chmod(0o555)
    try:
        command = [sys.executable, "-c", OPENED_TO_WRITE, str(home / "kg.sqlite")]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        for told in done.stdout.splitlines():
            assert "a write-ahead log whose writer is gone" in told and "read_only" not in told, told
            assert "copy the file and the one that ends in -wal" in told and "once with permission to write" in told
        assert len(done.stdout.splitlines()) == 2
        copied = shutil.copytree(home, path.parent / "copied")
        copied.chmod(0o755)
        with Retriever(copied / "kg.sqlite") as retriever:  # as told
            assert len(retriever) == 2
    finally:
        home.chmod(0o755)
        shutil.rmtree(home)


def test_a_reader_follows_a_writer_that_comes_and_goes(path):
    with Retriever(path, read_only=True) as reader:
        assert len(reader) == 1
        with Retriever(path) as writer:
            writer.add([Node("b", "alpha too")])
            assert sorted(reader.search("alpha").ids) == ["a", "b"]  # beside the log of an open writer
            writer.add([Node("c", "alpha three")])
            assert len(reader) == 3
        assert sorted(reader.search("alpha").ids) == ["a", "b", "c"]
        with Retriever(path) as writer:
            writer.delete(["a"])
        assert sorted(reader.search("alpha").ids) == ["b", "c"]


def test_a_log_whose_writer_is_gone_is_not_passed_over(path, tmp_path):
    """The file alone would show an older state; to read the log, SQLite has to make a file beside it."""
    with Retriever(path) as writer:
        writer.add([Node("b", "beta")])
        copy = tmp_path / "copy.sqlite"
        shutil.copy(path, copy)
        shutil.copy(f"{path}-wal", f"{copy}-wal")
    with pytest.raises(StoreError, match="open the file once for writing"):
        Retriever(copy, read_only=True)
    assert sorted(os.listdir(tmp_path)) == ["copy.sqlite", "copy.sqlite-wal", "folder"]
    Retriever(copy).close()
    with Retriever(copy, read_only=True) as retriever:
        assert len(retriever) == 2


def test_a_reader_that_could_not_read_once_says_why_again_and_reads_on(path):
    """Its connection was closed and taken for the present one: every later question met a closed database."""
    log = Path(f"{path}-wal")
    with Retriever(path, read_only=True) as reader:
        assert reader.search("alpha").ids == ["a"]
        log.write_bytes(b"what a writer left behind")
        for _ in range(2):
            with pytest.raises(StoreError, match="a write-ahead log whose writer is gone"):
                reader.search("alpha")
        log.unlink()
        assert reader.search("alpha").ids == ["a"]


def test_a_reader_that_lacked_a_descriptor_for_once_reads_on(path, monkeypatch):
    with Retriever(path, read_only=True) as reader:
        with Retriever(path) as writer:
            writer.add([Node("b", "alpha")])
        with monkeypatch.context() as few:
            few.setattr(connections, "opened", _none_left)
            with pytest.raises(StoreError, match="unable to open"):
                reader.search("alpha")
        assert sorted(reader.search("alpha").ids) == ["a", "b"]


def _none_left(target, *, uri):
    raise sqlite3.OperationalError("unable to open database file")


FORKS = """
import os, signal, sys, threading
from fourfold import FourfoldError, Node, Retriever
signal.alarm(300)
retriever = Retriever(sys.argv[1])
def search():
    for n in range(10**9):
        retriever.search(f"alpha {n}")
threads = [threading.Thread(target=search, daemon=True) for _ in range(2)]
for thread in threads:
    thread.start()
for _ in range(25):
    child = os.fork()
    if not child:
        said = set()
        for call in (lambda: retriever.search("alpha"), lambda: retriever.add([Node("x")]), lambda: retriever.info()):
            try:
                call()
            except FourfoldError as error:
                said.add(str(error))
        retriever.close()
        os._exit(not (len(said) == 1 and "open it again here" in said.pop()))
    assert os.waitpid(child, 0)[1] == 0
print(retriever.search("alpha").ids, flush=True)
os._exit(0)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_fork_while_threads_search_is_refused_and_does_not_hang(path):
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", FORKS, str(path)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "['a']\n"


OPENED_BY_CHILDREN = """
import os, signal, sys, threading
from fourfold import Retriever
retriever = Retriever(sys.argv[1])
def read():
    while True:
        len(retriever)
for _ in range(3):
    threading.Thread(target=read, daemon=True).start()
for _ in range(60):
    child = os.fork()
    if not child:
        signal.alarm(60)
        with Retriever(sys.argv[1]) as again:
            os._exit(len(again) != 1)
    assert os.waitpid(child, 0)[1] == 0
print("opened", flush=True)
os._exit(0)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_the_child_of_a_process_that_reads_opens_the_file_anew(path):
    """SQLite's own locks are the process's: one held at the fork by a thread would be held in the child for ever."""
    done = subprocess.run([sys.executable, "-c", OPENED_BY_CHILDREN, str(path)], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "opened\n"), done.stderr


def test_a_reader_by_a_link_sees_what_a_writer_has_in_its_log(path):
    link = path.parent.parent / "link"
    link.symlink_to(path)
    with Retriever(path) as writer:
        writer.add([Node("b", "beta")])
        with Retriever(link, read_only=True) as reader:
            assert reader.search("beta").ids[0] == "b"


def test_a_reader_by_a_link_follows_it_to_another_file(path):
    """As one puts a new version in force: the link is replaced by one to the new file."""
    newer, link, next_link = path.parent / "newer.sqlite", path.parent.parent / "now", path.parent.parent / "next"
    with Retriever(newer) as other:
        other.add([Node("z", "zeta")])
    link.symlink_to(path)
    with Retriever(link, read_only=True) as reader:
        assert reader.search("alpha").ids == ["a"]
        next_link.symlink_to(newer)
        next_link.replace(link)
        assert reader.search("zeta").ids == ["z"]


def test_readers_and_writers_agree_which_folder_is_above_that_behind_a_link(tmp_path):
    """Who only read took ".." for the folder of the link: another graph, or none."""
    for folder in ("far/deep", "near"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "near" / "link").symlink_to(tmp_path / "far" / "deep")
    place = f"{tmp_path}/near/link/../kg.sqlite"
    for at, node in ((place, "meant"), (tmp_path / "near" / "kg.sqlite", "other")):
        with Retriever(at) as writer:
            writer.add([Node(node)])
    with Retriever(place, read_only=True) as reader:
        assert reader.manifest().keys() == {"meant"}
        with Retriever(place) as writer:
            writer.add([Node("further")])
        assert reader.manifest().keys() == {"meant", "further"}
    assert (tmp_path / "far" / "kg.sqlite").exists()


def other_graph(tmp_path, path):
    """Return the path of another graph with as many writes as the first."""
    other = tmp_path / "other.sqlite"
    with Retriever(path, read_only=True) as first:
        writes = first.generation
    with Retriever(other) as second:
        for number in range(writes):
            second.add([Node("elsewhere", f"nothing of that {number}"), Node("far", "away")])
        assert second.generation == writes
    return other


@pytest.mark.parametrize("way", ["renamed", "copied", "copied with its times", "linked"])
def test_a_graph_of_as_many_writes_in_its_place_is_another_one(path, tmp_path, way):
    other = other_graph(tmp_path, path)
    os.symlink(path, place := tmp_path / "place")
    with Retriever(place, read_only=True) as reader:
        before = reader.search("nothing of that", filter={"$id": {"$exists": True}})
        assert "elsewhere" not in before.ids
        questions = Questions(reader)
        assert questions.keyword_match("nothing").matches == ()
        if way == "renamed":
            os.replace(other, path)
        elif way == "copied":
            shutil.copyfile(other, path)
        elif way == "copied with its times":
            assert os.stat(other).st_size == os.stat(path).st_size
            times = os.stat(path)
            shutil.copyfile(other, path)
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
        else:
            os.symlink(other, tmp_path / "new")
            os.replace(tmp_path / "new", place)
        after = reader.search("nothing of that", filter={"$id": {"$exists": True}})
        assert after.ids == ["elsewhere", "far"] and after.generation == before.generation
        assert [match.node.id for match in questions.keyword_match("nothing").matches] == ["elsewhere"]
        with Retriever(place, read_only=True) as fresh:
            assert fresh.search("nothing of that", filter={"$id": {"$exists": True}}).hits == after.hits


@pytest.mark.parametrize("asked", [False, True], ids=["at once", "after a search"])
def test_a_graph_copied_over_one_that_is_open_for_writing_is_seen_and_not_written_into(path, tmp_path, asked):
    other = other_graph(tmp_path, path)
    with Retriever(path) as retriever:
        assert "elsewhere" not in retriever.search("nothing of that").ids
        shutil.copyfile(other, path)
        assert not asked or retriever.search("nothing of that").ids == ["elsewhere", "far"]
        with pytest.raises(StoreError, match="was written over since it was opened"):
            retriever.add([Node("new", "new")])
        assert retriever.search("nothing of that").ids == ["elsewhere", "far"]
    with Retriever(path, read_only=True) as reader:
        assert set(reader.manifest()) == {"elsewhere", "far"}


@pytest.mark.skipif(os.name == "nt", reason="an open file can be neither removed nor replaced there")
@pytest.mark.parametrize("replaced", [False, True])
def test_nothing_is_written_into_a_file_that_is_no_longer_there(path, tmp_path, replaced):
    with Retriever(tmp_path / "other.sqlite") as other:
        other.add([Node("o", "omega")])
    with Retriever(path) as retriever:
        assert os.replace(tmp_path / "other.sqlite", path) is None if replaced else path.unlink() is None
        for write in (lambda: retriever.add([Node("b", "beta")]), lambda: retriever.delete(["a"])):
            with pytest.raises(
                StoreError, match="kg.sqlite' was removed or replaced since it was opened.+open it again"
            ):
                write()
        assert retriever.search("alpha").ids == ["a"] and len(retriever) == 1


@pytest.mark.parametrize(("durable", "level"), [(False, 1), (True, 2)])
def test_durable_waits_for_the_disk(path, durable, level, monkeypatch):
    """What SQLite does at each level is its own; that the level is in force where writes are made is ours."""
    with Retriever(path, durable=durable) as retriever, retriever.backend.transaction() as writer:
        assert writer.execute("PRAGMA synchronous").fetchone() == (level,)


def test_the_trigger_of_somebody_else_is_not_run(path):
    connection = sqlite3.connect(path)
    connection.execute("CREATE TRIGGER extra AFTER INSERT ON nodes BEGIN DELETE FROM nodes; END")
    connection.commit()
    connection.close()
    with pytest.raises(StoreError, match="holds the trigger 'extra', which fourfold did not make"):
        Retriever(path)


@pytest.mark.skipif(os.name == "nt", reason="an open file can be neither removed nor replaced there")
def test_nothing_of_a_file_is_said_of_another_of_the_same_generation_in_its_place(path, tmp_path):
    """It was answered from memory, and nodes of the new file were found by the texts of the old."""
    shown = {"colour": "red"}
    for name, word, others in (("one", "apple", ()), ("two", "banana", ("cherry", "date"))):
        with Retriever(tmp_path / f"{name}.sqlite") as made:
            made.add([Node(word, word, "fruit", word, shown), *(Node(other, other) for other in others)])

    def told(retriever):
        questions = Questions(retriever)
        return [
            len(retriever),
            retriever.search("fruit").ids,
            retriever.search("fruit", filter=shown).ids,
            [hit.node.id for hit in retriever.search("what is an apple?").hits],
            retriever.matching(shown),
            [match.node.id for match in questions.keyword_match("red").matches],
        ]

    with Retriever(tmp_path / "two.sqlite", read_only=True) as retriever:
        expected, generation = told(retriever), retriever.generation
    with Retriever(tmp_path / "one.sqlite", read_only=True) as retriever:
        assert told(retriever) != expected
        os.replace(tmp_path / "two.sqlite", tmp_path / "one.sqlite")
        assert told(retriever) == expected
        assert retriever.generation == generation


@pytest.mark.skipif(os.name == "nt", reason="an open file can be neither removed nor replaced there")
@pytest.mark.parametrize("given", [None, RetrievalConfig(limit=7)], ids=["own config", "given config"])
def test_words_are_read_as_the_file_that_is_there_now_has_them(tmp_path, given):
    """A file in the place of another, of another language and as many writes, was asked in the words of the first."""
    for name, text, language in (("one", "running dogs", "english"), ("two", "laufende Hunde häuser", "german")):
        with Retriever(
            tmp_path / f"{name}.sqlite", config=RetrievalConfig().replace(text={"language": language})
        ) as made:
            made.add([Node(name, text, "note", text, {name: 1}), Node("b")], [Edge(name, "b", f"likes {name}")])

    def told(retriever, lens, questions, catalog):
        return [
            retriever.analysis.tokenizer.name,
            retriever.search("haus", mode="text").ids,
            questions.keyword_match("haus").ids,
            [tool.name for tool in catalog.search_tools("haus")],
            lens.terms("häuser"),
            lens.edge_counts(),
            lens.metadata_keys(),
            lens.keys_at_hand(),
            lens.snippet(Node("x", text="häuser " * 200), "haus"),
        ]

    def opened(name):
        retriever = Retriever(tmp_path / name, read_only=True, config=given)
        return retriever, Session(retriever), Questions(retriever), ToolCatalog(retriever)

    with (two := opened("two.sqlite"))[0]:
        expected = told(*two)
    with (one := opened("one.sqlite"))[0]:
        assert told(*one) != expected
        os.replace(tmp_path / "two.sqlite", tmp_path / "one.sqlite")
        assert told(*one) == expected
