"""Faults: killed processes, failing components, a blocked event loop."""

# ruff: noqa: E501 (tables of cases read better on one line)

import asyncio
import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections import Counter

import pytest

from fourfold import (
    Edge,
    EmbedderError,
    InvalidValueError,
    Node,
    RetrievalConfig,
    Retriever,
    SearchError,
    StoreError,
    Weights,
)
from fourfold.embed import CallableEmbedder

FORKER = """
import os, sys
from fourfold import Edge, Node, Retriever
from fourfold.embed import CallableEmbedder
embedder = CallableEmbedder(lambda texts: [[float(len(t)), float(t.count("e")), 1.0] for t in texts], "letters")
for line in sys.stdin:  # imports once, then forks a process for every killing
    if child := os.fork():
        print(child, flush=True)
        os.waitpid(child, 0)
        print("dead", flush=True)
        continue
    call = int(line)
    retriever = Retriever(sys.argv[1], embedder=embedder)
    while True:
        nodes = [Node(f"c{call}n{n}", name=f"call{call} word{n % 97}", text=f"some text {n} " * 9, metadata={"call": call}) for n in range(150)]
        nodes += [Node("shared", name=f"shared call{call}", metadata={"call": call})]
        retriever.add(nodes, [Edge(f"c{call}n{n}", "shared", "part_of") for n in range(150)])
        print(call, flush=True)
        call += 1
"""


def letters():
    return CallableEmbedder(lambda texts: [[float(len(t)), float(t.count("e")), 1.0] for t in texts], "letters")


def test_a_process_killed_in_the_middle_of_add(tmp_path, check_file):
    """Twenty-five processes, each killed at a random moment of writing: the file holds whole calls only."""
    path, rng, last, cut_short = tmp_path / "graph.sqlite", random.Random(5), -1, 0
    forker = subprocess.Popen(
        [sys.executable, "-c", FORKER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    for _ in range(25):
        print(last + 1, file=forker.stdin, flush=True)
        child = int(forker.stdout.readline())
        for _ in range(rng.randint(0, 1)):
            last = int(forker.stdout.readline())
        time.sleep(rng.uniform(0.0, 0.1))
        os.kill(child, signal.SIGKILL)
        while (line := forker.stdout.readline()) != "dead\n":
            last = int(line)
        check_file(path)
        with Retriever(path, embedder=letters()) as retriever:
            calls = Counter(int(i[1:].split("n")[0]) for i in retriever.manifest() if i != "shared")
            newest = max(calls, default=-1)
            assert newest in (last, last + 1) and calls == dict.fromkeys(range(newest + 1), 150)
            cut_short += newest == last
            info = retriever.info()
            assert info["vectors"] == info["nodes"] == 150 * len(calls) + bool(calls)
            assert info["edges"] == 150 * len(calls)
            if calls:
                assert retriever.get(["shared"])[0].metadata["call"] == newest
                options = {"mode": "text", "filter": {"call": newest}, "weights": {"graph": 0}}
                assert retriever.search(f"call{newest}", k=999, **options).total == 151
        last = newest
    forker.stdin.close()
    forker.stdout.close()
    assert forker.wait(timeout=60) == 0
    assert cut_short > 5 and last > 5  # many were killed in mid-write, many calls arrived


def small(**options):
    retriever = Retriever(**options)
    nodes = [
        Node(str(n), name=name, vector=[1.0, n, 0.0]) for n, name in enumerate(["alpha save", "beta load", "gamma"])
    ]
    retriever.add(nodes, [Edge("0", "1", "requires"), Edge("1", "2", "enables")])
    return retriever


def broken(texts):
    raise ConnectionError("the model is down")


@pytest.mark.parametrize("config", [RetrievalConfig(), RetrievalConfig.published()])
def test_without_the_embedder_text_and_graph_answer(config, caplog):
    with small(embedder=broken, config=config) as retriever:
        result = retriever.search("save alpha")
        assert result.degraded == ("embedding",) and result.as_dict()["degraded"] == ["embedding"]
        assert result.ids[0] == "0" and "1" in result.ids
        assert result.hits[0].components.embedding == 0 and "graph" in result.hits[1].method
        assert "the model is down" in caplog.text
        if config.fusion.normalize_weights:
            assert result.weights.embedding == 0 and sum(result.weights.as_tuple()) == pytest.approx(1)
        assert "embedding" in retriever.explain("save alpha", "0").text
        assert retriever.search("save alpha", mode="text").degraded == ()
        assert retriever.search("save alpha", query_vector=[1, 0, 0]).degraded == ()
        with pytest.raises(EmbedderError, match="the model is down"):
            retriever.search("save alpha", mode="embedding")


def test_a_degraded_answer_is_not_remembered():
    down = [True]

    def flaky(texts):
        if down[0]:
            raise ConnectionError("down")
        return [[1.0, 0.0, 0.0]] * len(texts)

    with small(embedder=flaky) as retriever:
        assert retriever.search("save").degraded == ("embedding",)
        down[0] = False
        assert retriever.search("save").degraded == ()


STEPS = {
    "text": "fourfold.index.text.Text.ask",
    "embedding": "fourfold.index.vectors.Vectors.ask",
    "graph": "fourfold.signals.graph.score",
    "intent": "fourfold.signals.intent.score",
}


@pytest.mark.parametrize("component", STEPS)
def test_one_failing_component_is_left_out(monkeypatch, component, caplog):
    def fail(*args, **kwargs):
        raise MemoryError("no room")

    monkeypatch.setattr(STEPS[component], fail)
    with small(embedder=broken) as retriever:
        result = retriever.search("save alpha", query_vector=[1, 0, 0])
        assert component in result.degraded
        assert "0" in result.ids
        assert getattr(result.hits[0].components, component) == 0
        assert 0 <= result.hits[0].score <= 1


@pytest.mark.parametrize("component", STEPS)
def test_a_store_that_cannot_be_read_is_no_answer(monkeypatch, component):
    def fail(*args, **kwargs):
        raise StoreError("The connection was lost.")

    monkeypatch.setattr(STEPS[component], fail)
    with small() as retriever, pytest.raises(StoreError, match="was lost"):
        retriever.search("save alpha", query_vector=[1, 0, 0])


def test_a_failing_phrase_search_leaves_bm25(monkeypatch, caplog):
    def fail(*args):
        raise sqlite3.OperationalError("fts5 is broken")

    with small(embedder=broken) as retriever:
        monkeypatch.setattr(retriever.backend, "phrase", fail)
        result = retriever.search('"alpha save"', query_vector=[1, 0, 0])
        assert result.degraded == ("text",) and result.ids[0] == "0"


def test_when_all_that_could_answer_fails_there_is_an_error(monkeypatch, caplog):
    def fail(*args, **kwargs):
        raise MemoryError("no room")

    monkeypatch.setattr(STEPS["text"], fail)
    with small(embedder=broken) as retriever:
        with pytest.raises(SearchError, match="embedding, text|text, embedding"):
            retriever.search("save alpha")
        with pytest.raises(SearchError, match="text"):
            retriever.search("save alpha", mode="text")


def test_weights_that_leave_only_what_failed_are_an_error(caplog):
    with small(embedder=broken) as retriever, pytest.raises(SearchError, match="embedding"):
        retriever.search("save alpha", weights=Weights(1, 0, 0, 0))


def test_a_write_that_fails_at_its_beginning_leaves_no_transaction_open(tmp_path, check_file):
    path = tmp_path / "graph.sqlite"
    with small(path=path, embedder=broken) as retriever:
        connection = sqlite3.connect(path)
        with connection:
            connection.execute("ALTER TABLE meta RENAME TO hidden")
        from fourfold import StoreError

        for _ in range(2):
            with pytest.raises(StoreError, match="meta"):
                retriever.delete(["0"])
        with connection:
            connection.execute("ALTER TABLE hidden RENAME TO meta")
        connection.close()
        assert retriever.delete(["0"]) == 1
    check_file(path)


# -- the event loop -----------------------------------------------------------------------------------------------------


class Meeting:
    """What waits in a thread for the event loop; on the loop itself it would wait in vain."""

    def __init__(self):
        self.begun, self.come, self.met = threading.Event(), threading.Event(), False

    def wait(self):
        self.begun.set()
        self.met = self.come.wait(30)

    async def keep(self):
        while not self.begun.is_set():
            await asyncio.sleep(0.001)
        self.come.set()


async def test_asearch_never_blocks_the_event_loop(tmp_path):
    """Including the very first search, which builds the index, and several at once."""
    path = tmp_path / "graph.sqlite"
    with Retriever(path, embedder=letters()) as retriever:
        retriever.add([Node(str(n), name=f"word{n}") for n in range(50)])
    meeting = Meeting()

    def waits(texts):
        meeting.wait()
        return letters().embed_documents(texts)

    with Retriever(path, embedder=CallableEmbedder(waits, "letters")) as retriever:
        for questions in (["word1"], [f"word{n}" for n in range(2, 6)]):
            meeting = Meeting()
            *results, _ = await asyncio.gather(*map(retriever.asearch, questions), meeting.keep())
            assert meeting.met and all(result.total == 10 and not result.degraded for result in results)


async def test_asearch_many_and_errors_in_the_thread():
    with small(embedder=broken) as retriever:
        with pytest.raises(InvalidValueError, match="queries is 'save'; it must be a list"):
            await retriever.asearch_many("save")
        results = await retriever.asearch_many(["save", "load"], query_vector=[1, 0, 0])
        assert [r.query for r in results] == ["save", "load"]
        with pytest.raises(ValueError, match="k is 0"):
            await retriever.asearch("x", k=0)
        assert threading.active_count() < 50


ON_A_FULL_DISK = """
import resource, sys
from fourfold import Retriever, StoreError
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 14, 1 << 14))  # no file may grow beyond it, as on a full disk
try:
    Retriever(sys.argv[1])
except StoreError as error:
    print(error)
with Retriever(sys.argv[1], read_only=True) as retriever:
    print(retriever.search("alpha").ids)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such limit")
def test_a_file_beside_which_nothing_finds_room_says_how_it_is_read(tmp_path):
    path = tmp_path / "kg.sqlite"
    with Retriever(path) as retriever:
        retriever.add([Node("a", "alpha")])
    done = subprocess.run([sys.executable, "-c", ON_A_FULL_DISK, path], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "no room left beside it; it can be read as it is: read_only=True" in done.stdout
    assert done.stdout.splitlines()[1] == "['a']"


def test_a_file_that_was_written_over_says_what_to_do(tmp_path):
    path = tmp_path / "kg.sqlite"
    with Retriever(path) as retriever:
        retriever.add([Node(f"n{i}", f"node {i}", text="word " * 400) for i in range(60)])
    with Retriever(path, read_only=True) as retriever:
        retriever.search("node")
        size = path.stat().st_size
        with path.open("r+b") as file:
            file.seek(8192)
            file.write(b"\xff" * (size - 8192))
        with pytest.raises(
            StoreError, match="malformed; open it again if it was written over meanwhile, else fourfold"
        ):
            retriever.search("word", k=60)


class Interrupted:
    """A connection after one statement of which the user presses Ctrl-C."""

    def __init__(self, connection, after):
        self.connection, self.after = connection, after

    def execute(self, sql, *parameters):
        found = self.connection.execute(sql, *parameters)
        if sql == self.after:
            self.after = None
            raise KeyboardInterrupt
        return found

    def __getattr__(self, name):
        return getattr(self.connection, name)


def test_a_reader_that_is_interrupted_sees_what_is_written_afterwards(tmp_path):
    path = tmp_path / "kg.sqlite"
    with Retriever(path) as retriever, Retriever(path) as other:
        retriever.add([Node("a", "alpha")])
        retriever.backend._reader = Interrupted(retriever.backend._reader, "BEGIN")
        with pytest.raises(KeyboardInterrupt):
            retriever.backend.counts()
        other.add([Node("b", "beta")])
        assert retriever.search("beta").ids == ["b", "a"] and retriever.backend.counts()["nodes"] == 2


@pytest.mark.parametrize("after", ["BEGIN IMMEDIATE", "PRAGMA foreign_keys = OFF", "COMMIT"])
def test_a_writer_that_is_interrupted_holds_up_nobody_and_goes_on(tmp_path, after, check_file):
    path = tmp_path / "kg.sqlite"
    with Retriever(path) as retriever, Retriever(path) as other:
        retriever.add([Node("a", "alpha"), Node("b", "beta")], [Edge("a", "b", "t")])
        connection, retriever.backend._writer = retriever.backend._writer, Interrupted(retriever.backend._writer, after)
        with pytest.raises(KeyboardInterrupt):
            retriever.add([Node("c", "gamma")])
        assert not connection.in_transaction and connection.execute("PRAGMA foreign_keys").fetchone() == (1,)
        other.add([Node("d", "delta")])
        retriever.delete(["a"])
        assert retriever.edges(["b"]) == other.edges(["b"]) == []
    check_file(path)
