"""Threads and processes on one file: no error, and no stale answer after a write has returned."""

import sqlite3
import subprocess
import sys
import threading

import pytest

from fourfold import Edge, Node, Retriever, StoreError
from fourfold.embed import CallableEmbedder

LETTERS = CallableEmbedder(lambda texts: [[float(len(t)), float(t.count("e")), 1.0] for t in texts], "letters")


def batch(step):
    nodes = [Node(f"s{step}n{n}", name=f"step{step}", text="common words", metadata={"step": step}) for n in range(5)]
    return nodes, [Edge(f"s{step}n0", f"s{step}n{n}", f"type{step % 7}") for n in range(1, 5)]


@pytest.mark.parametrize("memory", [False, True])
def test_eight_threads_search_while_one_writes(tmp_path, memory, check_file):
    path = ":memory:" if memory else tmp_path / "graph.sqlite"
    with Retriever(path, embedder=LETTERS) as retriever:
        retriever.add(*batch(0))
        errors, done, written, searches = [], threading.Event(), [0], [0] * 8

        def search(number):
            try:
                while not done.is_set():
                    expected = written[0]
                    result = retriever.search(f"step{expected} common", k=200, filter={"step": {"$gte": expected - 3}})
                    assert result.degraded == ()
                    if written[0] < expected + 5:  # else the writer may have deleted what we look for
                        assert {f"s{expected}n{n}" for n in range(5)} <= set(result.ids)
                        steps = [hit.node.metadata["step"] for hit in result.hits]
                        assert all(steps.count(step) == 5 for step in steps if step >= expected)  # whole calls only
                    retriever.explain("common", "s0n1")
                    searches[number] += 1
            except BaseException as error:
                errors.append(error)

        threads = [threading.Thread(target=search, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for step in range(1, 25):
            retriever.add(*batch(step))
            written[0] = step
            if step > 9:
                retriever.delete([f"s{step - 8}n{n}" for n in range(5)])
        done.set()
        for thread in threads:
            thread.join(timeout=60)
        assert not errors, errors[0]
        assert all(searches)
    if not memory:
        check_file(path)


def test_what_is_deleted_is_gone_when_delete_returns(tmp_path):
    with (
        Retriever(tmp_path / "g.sqlite", embedder=LETTERS) as one,
        Retriever(tmp_path / "g.sqlite", embedder=LETTERS) as two,
    ):
        for step in range(8):
            one.add(*batch(step))
            for retriever in (one, two):
                assert f"s{step}n3" in retriever.search(f"step{step}", k=50).ids
            two.delete([f"s{step}n3"])
            for retriever in (one, two):
                assert f"s{step}n3" not in retriever.search(f"step{step}", k=50).ids
                assert retriever.get([f"s{step}n3"]) == []


CHILD = """
import sys
from test_concurrency import LETTERS, batch
from fourfold import Retriever
with Retriever(sys.argv[1], embedder=LETTERS) as retriever:
    for line in sys.stdin:
        kind, step = line.split()
        if kind == "add":
            retriever.add(*batch(int(step)))
            print("added", flush=True)
        else:
            print(len(retriever.search(f"step{step}", k=99, mode="text", weights={"graph": 0}).hits), flush=True)
"""


def test_two_processes_on_one_file(tmp_path, check_file):
    path = tmp_path / "graph.sqlite"
    folder = __file__.rsplit("/", 1)[0]
    child = subprocess.Popen(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {folder!r})\n{CHILD}", str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )

    def ask(line):
        print(line, file=child.stdin, flush=True)
        return child.stdout.readline().strip()

    with Retriever(path, embedder=LETTERS) as retriever:
        for step in range(0, 24, 2):
            retriever.add(*batch(step))
            assert ask(f"search {step}") == "5"
            assert ask(f"add {step + 1}") == "added"
            assert retriever.search(f"step{step + 1}", k=99, mode="text", weights={"graph": 0}).total == 5
        # both write at once
        print("\n".join(f"add {step}" for step in range(100, 115)), file=child.stdin, flush=True)
        for step in range(200, 215):
            retriever.add(*batch(step))
        assert [child.stdout.readline().strip() for _ in range(15)] == ["added"] * 15
        assert len(retriever) == 5 * (24 + 30)
        for step in (0, 23, 100, 114, 200, 214):
            assert ask(f"search {step}") == "5"
            assert retriever.search(f"step{step}", k=99, mode="text", weights={"graph": 0}).total == 5
    child.stdin.close()
    child.stdout.close()
    assert child.wait(timeout=60) == 0
    check_file(path)


def test_many_open_a_new_file_at_once(tmp_path):
    """None takes the tables that another is just creating for those of another application."""
    for attempt in range(30):
        path, errors, start = tmp_path / f"new{attempt}.sqlite", [], threading.Barrier(8)

        def work(number, path=path, errors=errors, start=start, write=attempt == 29):
            try:
                start.wait()
                with Retriever(path, embedder=LETTERS) as retriever:
                    if write:
                        retriever.add([Node(f"n{number}", name="new")])
            except BaseException as error:
                errors.append(error)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=90)
        assert not errors, errors[0]
    with Retriever(path, embedder=LETTERS) as retriever:
        assert len(retriever) == 8


def test_a_new_file_that_another_is_just_writing_is_waited_for(tmp_path):
    """SQLite refuses the switch to a write-ahead log at once, whatever the timeout, while another holds the file."""
    path = tmp_path / "new.sqlite"
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    release = threading.Timer(0.5, other.rollback)
    release.start()
    with Retriever(path, embedder=LETTERS) as retriever:
        retriever.add([Node("a", "alpha")])
        assert retriever.search("alpha").ids == ["a"]
    release.join()
    other.close()


def test_who_waits_for_a_writer_that_was_stopped_is_told_so_and_searches_go_on(tmp_path, monkeypatch):
    monkeypatch.setattr("fourfold.engines.sqlite.connection._BUSY_SECONDS", 0.05)
    with Retriever(tmp_path / "kg.sqlite") as stopped, Retriever(tmp_path / "kg.sqlite") as retriever:
        stopped.add([Node("a", "alpha")])
        with stopped.backend.transaction():
            with pytest.raises(StoreError, match=r"locked; another process has been writing for 0\.05 seconds: try ag"):
                retriever.add([Node("b", "beta")])
            assert retriever.search("alpha").ids == ["a"]
        retriever.add([Node("b", "beta")])
