"""``read_only=True`` leaves no trace, a fork is told what to do, and ``durable`` is a choice."""

import os
import shutil
import sqlite3
import subprocess
import sys

import pytest

from fourfold import Node, Retriever, StoreError


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
