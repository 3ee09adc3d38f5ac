"""Changing the embedder: killed and continued, searched meanwhile, and in the end as if built anew."""

# ruff: noqa: E501 (children's scripts read better on one line)

import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

from fourfold import (
    DimensionError,
    Edge,
    EmbedderError,
    EmbedderMismatchError,
    EmbeddingConfig,
    Node,
    RetrievalConfig,
    Retriever,
    StoreError,
    reembedding,
)
from fourfold.cli import create_app
from fourfold.engines.sqlite.schema import APPLICATION_ID, MIGRATIONS, SCHEMA_VERSION
from fourfold.graph_embedding import GraphEmbedding
from fourfold.session import Session

QUESTIONS = ("save a file", "how to parse a tree", "word3 word5", "edge")
WORDS = "save load file read write parse tree graph node edge disk cloud".split()


class Letters:
    """Counts letters: real vectors without a model. ``seen`` has the texts of documents, ``before`` runs first."""

    def __init__(self, name, letters, before=lambda call: None):
        self.name, self.letters, self.before = name, letters, before
        self.seen, self.calls = [], 0

    def embed_documents(self, texts):
        self.calls += 1
        self.before(self.calls)
        self.seen += texts
        return np.array([self._vector(text) for text in texts], np.float32).reshape(len(texts), -1)

    def embed_query(self, text):
        return np.array(self._vector(text), np.float32)

    def _vector(self, text):
        return [text.count(letter) + 0.25 for letter in self.letters]


def old():
    return Letters("old", "aeio")


def new(before=lambda call: None):
    return Letters("new", "sdlrtpwn", before)


def node(n, text=""):
    name = f"{WORDS[n % len(WORDS)]} word{n}"
    return Node(
        f"n{n}",
        name=name,
        type="tool" if n % 3 else "idea",
        text=text or f"to {WORDS[n * 7 % 11]} {n}",
        metadata={"n": n},
    )


def graph(count=50):
    nodes = [node(n) for n in range(count)]
    return nodes, [Edge(f"n{n}", f"n{n * 3 % count}", ("requires", "enables")[n % 2]) for n in range(count)]


def answers(retriever, questions=QUESTIONS, **options):
    found = {}
    for question in questions:
        for hit in retriever.search(question, k=99, **options).hits:
            found[question, hit.node.id] = (hit.score, *hit.components.as_dict().values())
    return found


def same(one, other):
    assert one.keys() == other.keys() and one
    for key, numbers in one.items():
        assert numbers == pytest.approx(other[key], abs=1e-6), key


def built(embedder, nodes, edges=(), **options):
    with Retriever(embedder=embedder, **options) as fresh:
        fresh.add(nodes, edges)
        return answers(fresh)


def vectors(path):
    with closing(sqlite3.connect(path)) as connection, connection:
        rows = connection.execute("SELECT n.id, v.vector FROM vectors v JOIN nodes n ON n.num = v.node").fetchall()
    connection.close()
    return dict(rows)


def staged(path):
    with closing(sqlite3.connect(path)) as connection, connection:
        number = connection.execute("SELECT count(*) FROM staged_vectors").fetchone()[0]
    connection.close()
    return number


@pytest.fixture(autouse=True)
def small_batches(monkeypatch):
    monkeypatch.setattr(reembedding, "BATCH", 10)


@pytest.fixture
def path(tmp_path):
    with Retriever(tmp_path / "kg.sqlite", embedder=old()) as retriever:
        retriever.add(*graph())
    return tmp_path / "kg.sqlite"


# -- the result ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("config", [RetrievalConfig(), RetrievalConfig.published()], ids=["default", "published"])
@pytest.mark.parametrize("memory", [False, True], ids=["file", "memory"])
def test_answers_are_those_of_a_file_built_with_the_new_embedder(tmp_path, memory, config, check_file):
    path = ":memory:" if memory else tmp_path / "kg.sqlite"
    nodes, edges = graph()
    told = []
    with Retriever(path, embedder=old(), config=config) as retriever:
        before = retriever.add(nodes, edges)
        answers(retriever)
        after = retriever.maintenance.reembed(new(), progress=lambda *numbers: told.append(numbers))
        assert after == before + 1 == retriever.generation
        assert retriever.embedder.name == "new" == retriever.info()["embedder"]
        assert retriever.info()["dimensions"] == 8 and retriever.info()["vectors"] == 50
        assert "reembedding" not in retriever.info()
        expected = built(new(), nodes, edges, config=config)
        same(answers(retriever), expected)
        assert [done for done, _ in told if done] == [10, 20, 30, 40, 50] and {total for _, total in told} == {50}
        retriever.add([node(50)])  # written with the new embedder
        assert retriever.info()["vectors"] == 51
    if not memory:
        check_file(path)
        assert staged(path) == 0
        with Retriever(path, embedder=new(), config=config) as retriever:
            retriever.delete(["n50"])
            same(answers(retriever), expected)


def test_to_the_bundled_model_and_from_another_dimension(path):
    with Retriever(path) as retriever:
        with pytest.raises(
            EmbedderMismatchError,
            match=r"'old'.*static:.*Retriever\('.*'\)\.maintenance\.reembed\(.*fourfold reembed --db",
        ):
            retriever.search("save")
        retriever.maintenance.reembed()
        assert retriever.info()["dimensions"] == 256
        same(answers(retriever), built(None, *graph()))
        retriever.maintenance.reembed(Letters("one", "e"))
        assert retriever.info()["dimensions"] == 1
    with Retriever(path, embedder=Letters("one", "e"), read_only=True) as retriever:
        same(answers(retriever), built(Letters("one", "e"), *graph()))


def test_vectors_of_callers_and_nodes_without_one_are_embedded():
    nodes, edges = graph(25)
    given = [Node(n.id, n.name, n.type, n.text, n.metadata, vector=[1.0, 2.0, 3.0]) for n in nodes[:20]]
    with Retriever(embedder=old()) as retriever:
        retriever.add(given)
        retriever.add(nodes[20:], edges)  # the embedder has 4 dimensions: these get no vector
        assert retriever.info()["vectors"] == 20 and retriever.info()["embedder"] is None
        retriever.maintenance.reembed(new())
        assert retriever.info()["vectors"] == 25
        same(answers(retriever), built(new(), nodes, edges))


def test_the_same_embedder_after_another_config():
    nodes, edges = graph(12)
    config = RetrievalConfig(embedding=EmbeddingConfig(name_times=1, with_type=True))
    with Retriever(embedder=old()) as retriever:
        retriever.add(nodes, edges)
        retriever.learning.apply_config(config)
        retriever.maintenance.reembed(old())
        same(answers(retriever), built(old(), nodes, edges, config=config))


def test_an_empty_graph(tmp_path):
    model, told = new(), []
    with Retriever(tmp_path / "kg.sqlite", embedder=old()) as retriever:
        retriever.add([node(1)])
        retriever.delete(["n1"])
        assert retriever.maintenance.reembed(model, progress=lambda *n: told.append(n)) == retriever.generation
        assert model.calls == 0 and told == [(0, 0)]
        assert retriever.info()["embedder"] is None and retriever.info()["dimensions"] is None
        retriever.add([node(1)])
        assert retriever.info()["embedder"] == "new"


def test_also_runs_in_the_last_transaction_with_a_model_of_the_file(path):
    with Retriever(path, embedder=old()) as retriever:
        before = answers(retriever)

        def fail(writer):
            writer.put_model("new", b"\x00weights")
            raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            retriever.maintenance.reembed(new(), also=fail)
        assert retriever.backend.model("new") is None and retriever.embedder.name == "old"
        retriever.maintenance.forget_answers()
        assert answers(retriever) == before and staged(path) == 50

        def keep(writer):
            assert writer.meta("embedder") == "new"
            writer.put_model("other", b"")
            writer.put_model("new", b"\x00weights")
            writer.drop_models("new")

        again = new()
        retriever.maintenance.reembed(again, also=keep)
        assert again.seen == []
        assert retriever.backend.model("new") == b"\x00weights" and retriever.backend.model("other") is None
        with retriever.backend.transaction(moves=False) as writer:
            writer.drop_models()
        assert retriever.backend.model("new") is None


# -- meanwhile ----------------------------------------------------------------------------------------------------------

ELSEWHERE = """
import json, sys
from test_reembed import answers, old
from fourfold import Retriever
with Retriever(sys.argv[1], embedder=old(), read_only=True) as retriever:
    print(json.dumps([[*key, *numbers] for key, numbers in answers(retriever).items()]))
"""


@contextlib.contextmanager
def child(script, *arguments, **options):
    """A process of this script, killed at the end if it still runs."""
    folders = [os.path.dirname(__file__), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(folders)}
    command = [sys.executable, "-c", script, *map(str, arguments)]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True, **options) as process:
        try:
            yield process
        finally:
            process.kill()


def test_every_search_answers_from_the_old_vectors_until_the_end(path):
    with Retriever(path, embedder=old()) as retriever, Retriever(path, embedder=old()) as other:
        expected, shown, generation = answers(retriever), retriever.analysis.snapshot(), retriever.generation
        answers(other)

        def look(call):
            retriever.maintenance.forget_answers()
            same(answers(retriever), expected)
            same(answers(other), expected)
            assert retriever.analysis.snapshot() is shown and other.generation == generation  # nothing was built again
            if call == 5:
                with child(ELSEWHERE, path) as other_process:
                    out, _ = other_process.communicate(timeout=120)
                same({(question, i): tuple(n) for question, i, *n in json.loads(out)}, expected)
                assert retriever.info()["reembedding"] == {"embedder": "new", "nodes": 40}
                with pytest.raises(EmbedderMismatchError, match="'old'.*'new'"):
                    Retriever(path, embedder=new())

        model = new(look)
        retriever.maintenance.reembed(model)
        assert model.calls == 5
        same(answers(retriever), built(new(), *graph()))
        with pytest.raises(EmbedderMismatchError, match="'new'.*'old'"):
            other.search("save a file again")
        assert other.search("save", mode="text").total


def test_it_ends_though_others_go_on_adding(path, monkeypatch):
    stage, others_write = reembedding.Reembedding._stage, []

    def staged(self):
        others_write.append(True)  # not in the last transaction, which follows
        stage(self)
        others_write.clear()

    monkeypatch.setattr(reembedding.Reembedding, "_stage", staged)
    with Retriever(path, embedder=old()) as retriever, Retriever(path, embedder=old()) as other:

        def add(call):
            assert call < 12, "it waits until nobody adds"
            if others_write:
                other.add([node(100 + call)])

        model = new(add)
        retriever.maintenance.reembed(model)
        assert model.calls == 7 and retriever.info()["embedder"] == "new"


def test_nodes_added_changed_and_deleted_meanwhile(path, check_file):
    nodes, edges = graph()
    kept = {n.id: n for n in nodes}

    def change(call):
        if call == 2:  # some of the first batch, which is staged already, and of those to come
            changed = [node(n, text="changed meanwhile") for n in (0, 1, 49)]
            added = [node(n) for n in range(60, 95)]  # more than a batch: embedded before the last transaction
            other.add(changed + added)
            other.delete(["n2", "n48"])
            kept.update({n.id: n for n in changed + added})
            del kept["n2"], kept["n48"]
        if call == 4:
            other.delete(["n3"])
            other.add([node(3)])  # the same content by another number

    with Retriever(path, embedder=old()) as retriever, Retriever(path, embedder=old()) as other:
        model = new(change)
        retriever.maintenance.reembed(model)
        assert set(vectors(path)) == set(kept)
        assert len(model.seen) <= 50 + 35 + 3 + 2
        left = [e for e in edges if "n2" not in (e.source, e.target) and "n48" not in (e.source, e.target)]
        left = [e for e in left if "n3" not in (e.source, e.target)]
        same(answers(retriever), built(new(), kept.values(), left))
    check_file(path)


def test_what_comes_at_the_last_moment_is_embedded_in_the_last_transaction(path, monkeypatch):
    stage = reembedding.Reembedding._stage
    passes = []

    def late(self):
        stage(self)
        passes.append(1)
        if len(passes) < 3:
            other.add([node(n, text="late") for n in range(40, 40 + (15, 4)[len(passes) - 1])])

    monkeypatch.setattr(reembedding.Reembedding, "_stage", late)
    with Retriever(path, embedder=old()) as retriever, Retriever(path, embedder=old()) as other:
        retriever.maintenance.reembed(new())
        assert len(passes) == 2  # fifteen are too many to hold up the writers for, four are not
        nodes = [node(n, text="late" if n >= 40 else "") for n in range(55)]
        same(answers(retriever), built(new(), nodes, graph()[1]))


def test_threads_search_through_the_change_and_back(path):
    """Each answer is wholly the old one or wholly the new one; none fails, though the dimension changes."""
    small, large = (built(model, *graph()) for model in (old(), new()))
    dimensions, errors, counted, done = {}, [], [0, 0], threading.Event()
    answered, latest = threading.Condition(), [0]
    with Retriever(path, embedder=old(), config=RetrievalConfig().replace(index={"cache_seconds": 0})) as retriever:
        dimensions[retriever.generation] = small

        def search():
            try:
                while not done.is_set():
                    result = retriever.search("save a file", k=99)
                    found = {hit.node.id: hit.score for hit in result.hits}
                    expected = {
                        i: numbers[0] for (q, i), numbers in dimensions[result.generation].items() if q == "save a file"
                    }
                    assert found == pytest.approx(expected, abs=1e-6)
                    assert not result.degraded
                    with answered:
                        counted[dimensions[result.generation] is large] += 1
                        latest[0] = max(latest[0], result.generation)
                        answered.notify_all()
            except BaseException as error:
                errors.append(error)
                with answered:
                    answered.notify_all()

        threads = [threading.Thread(target=search) for _ in range(3)]
        for thread in threads:
            thread.start()
        for turn in range(8):
            dimensions[retriever.generation + 1] = small if turn % 2 else large
            retriever.maintenance.reembed(old() if turn % 2 else new())
            with answered:  # some thread has searched what there is now before it changes again
                answered.wait_for(lambda: errors or latest[0] >= retriever.generation, timeout=60)
        done.set()
        for thread in threads:
            thread.join(timeout=60)
        assert not errors, errors[0]
        assert all(counted)


def in_a_thread(work):
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(work).result(120)


@pytest.mark.parametrize("letters", ["sdlrtpwn", "sdlr"], ids=["other dimension", "same dimension"])
def test_what_is_added_while_the_model_is_switched_is_embedded_by_the_new_one(path, letters):
    """The add has embedded with the old model when another thread ends the change on the same retriever."""
    model = Letters("new", letters)
    switch = [lambda: retriever.maintenance.reembed(model)]
    late = [node(n) for n in range(60, 64)]
    with Retriever(
        path, embedder=Letters("old", "aeio", lambda call: switch and in_a_thread(switch.pop()))
    ) as retriever:
        done, edges = [], graph()[1] + [Edge("n60", "n1", "requires")]
        retriever.add(late, edges[-1:], progress=lambda *at: done.append(at), also=lambda writer: done.append("also"))
        assert done == [(4, 4), (4, 4), "also"]
        same(answers(retriever), built(model, graph()[0] + late, edges))


def test_what_is_added_between_the_switch_and_its_news_is_embedded_by_the_new_one(path, monkeypatch):
    """The file has the new model, the retriever is about to."""
    use = Session.use

    def late(*given):
        in_a_thread(lambda: retriever.add([node(60)]))
        use(*given)

    with Retriever(path, embedder=old()) as retriever:
        monkeypatch.setattr(Session, "use", late)
        retriever.maintenance.reembed(new())
        same(answers(retriever), built(new(), [*graph()[0], node(60)], graph()[1]))


def test_what_is_added_without_vectors_while_a_model_makes_them_all_gets_one(tmp_path, monkeypatch):
    documents = GraphEmbedding.documents

    def switched(*given):
        found = documents(*given)
        if retriever.info()["embedder"] is None:
            in_a_thread(lambda: retriever.maintenance.reembed(new()))
        return found

    with Retriever(tmp_path / "unknown.sqlite", embedder=old()) as retriever:
        retriever.add([replace(node(1), vector=(1.0, 0.0))])
        monkeypatch.setattr(GraphEmbedding, "documents", switched)
        retriever.add([node(2)])
        assert set(vectors(tmp_path / "unknown.sqlite")) == {"n1", "n2"}


def test_what_does_not_fit_is_refused_whatever_was_switched_meanwhile(path):
    switch = [lambda: retriever.maintenance.reembed(new())]
    with Retriever(
        path, embedder=Letters("old", "aeio", lambda call: switch and in_a_thread(switch.pop()))
    ) as retriever:
        with pytest.raises(DimensionError):
            retriever.add([node(60), replace(node(61), vector=(1.0, 2.0, 3.0, 4.0))], vectors_by="old")
        assert len(retriever) == 50


def test_two_at_once_do_not_mix(path):
    with Retriever(path, embedder=old()) as one, Retriever(path, embedder=old()) as two:
        third = Letters("third", "xyz", lambda call: None)
        with pytest.raises(StoreError, match="Another re-embedding"):
            one.maintenance.reembed(new(lambda call: two.maintenance.reembed(third) if call == 3 else None))
        assert one.info()["embedder"] == "third"
        same(answers(two), built(third, *graph()))


# -- cut short ----------------------------------------------------------------------------------------------------------

DYING = """
import sys, time
from test_reembed import Letters, new, old
from fourfold import Retriever, reembedding
reembedding.BATCH = 10

def wait(call):
    if call == int(sys.argv[2]):
        print("here", flush=True)
        time.sleep(600)

with Retriever(sys.argv[1], embedder=old()) as retriever:
    retriever.maintenance.reembed(new(wait), also=lambda writer: wait(99))
"""


@pytest.mark.parametrize(
    ("call", "kept"), [(1, 0), (3, 20), (99, 50)], ids=["at once", "in the middle", "at the very end"]
)
def test_killed_and_continued(path, tmp_path, call, kept, check_file):
    with Retriever(tmp_path / "control.sqlite", embedder=old()) as control:
        control.add(*graph())
        control.maintenance.reembed(new())
    with Retriever(path, embedder=old()) as retriever:
        before = answers(retriever)
    with child(DYING, path, call) as dying:
        assert dying.stdout.readline() == "here\n"
        os.kill(dying.pid, signal.SIGKILL)
    check_file(path)
    assert staged(path) == kept
    with Retriever(path, embedder=old()) as retriever:
        assert answers(retriever) == before
        told, model = [], new()
        retriever.maintenance.reembed(model, progress=lambda *numbers: told.append(numbers))
        assert len(model.seen) == 50 - kept and told[0] == (kept, 50)
    assert vectors(path) == vectors(tmp_path / "control.sqlite")
    check_file(path)


def test_what_changed_between_two_runs_is_embedded_again(path):
    stop = new(lambda call: 1 / (call < 4))
    with Retriever(path, embedder=old()) as retriever:
        with pytest.raises(EmbedderError):
            retriever.maintenance.reembed(stop)
        retriever.add([node(5, text="changed")])
        retriever.delete(["n6"])
        assert retriever.info()["reembedding"]["nodes"] == 28
        model = new()
        retriever.maintenance.reembed(model)
        assert len(model.seen) == 21


def test_a_failing_embedder_changes_nothing_and_says_what_is_kept(path):
    def fail(call):
        if call == 4:
            raise ConnectionError("the model is down")

    with Retriever(path, embedder=old()) as retriever:
        before, generation = answers(retriever), retriever.generation
        with pytest.raises(
            EmbedderError, match=r"'new' failed: the model is down\. .*30 of its 50 nodes are kept"
        ) as caught:
            retriever.maintenance.reembed(new(fail))
        assert isinstance(caught.value.__cause__, ConnectionError) and str(path) in str(caught.value)
        assert retriever.generation == generation and retriever.embedder.name == "old"
        retriever.maintenance.forget_answers()
        assert answers(retriever) == before
        model = new()
        retriever.maintenance.reembed(model)
        assert len(model.seen) == 20


@pytest.mark.parametrize(
    ("made", "says"),
    [
        (lambda n: np.full((n, 2), np.nan), "NaN"),
        (lambda n: np.zeros((n + 1, 2)), r"shape \(11, 2\) for 10 texts"),
        (lambda n: [[1.0]] * (n - 1) + [[1.0, 2.0]], "inhomogeneous"),
        (lambda n: None, "no matrix|shape"),
    ],
    ids=["NaN", "too many", "ragged", "nothing"],
)
def test_what_is_no_matrix_of_vectors(path, made, says):
    with Retriever(path, embedder=old()) as retriever:
        before = vectors(path)
        with pytest.raises(EmbedderError, match=f"(?s){says}.*0 of its 50 nodes are kept"):
            retriever.maintenance.reembed(lambda texts: made(len(texts)))
        assert vectors(path) == before and retriever.search("save").total


def test_a_dimension_that_changes(path):
    class Growing(Letters):
        letters = property(lambda self: "abcdefgh"[: 3 if self.calls < 3 else 4], lambda self, value: None)

    with Retriever(path, embedder=old()) as retriever:
        with pytest.raises(EmbedderError, match="4 dimensions, before it was 3"):
            retriever.maintenance.reembed(Growing("new", ""))
        assert staged(path) == 20
        retriever.maintenance.reembed(new())  # of the same name, but with 8 dimensions throughout: begins anew
        same(answers(retriever), built(new(), *graph()))


def test_another_embedder_begins_anew_once_it_has_embedded_something(path):
    with Retriever(path, embedder=old()) as retriever:
        with pytest.raises(EmbedderError):
            retriever.maintenance.reembed(new(lambda call: 1 / (call < 4)))
        with pytest.raises(EmbedderError, match="no model folder"):
            retriever.maintenance.reembed(path.parent / "no such model")
        assert staged(path) == 30  # a slip of the pen costs nothing
        third = Letters("third", "xyz")
        retriever.maintenance.reembed(third)
        assert len(third.seen) == 50
        same(answers(retriever), built(third, *graph()))


def test_read_only_is_refused_before_anything_is_embedded(path):
    model = new()
    with Retriever(path, embedder=old(), read_only=True) as retriever, pytest.raises(StoreError, match="read-only"):
        retriever.maintenance.reembed(model)
    assert model.calls == 0


# -- foreign graphs -----------------------------------------------------------------------------------------------------


def theirs(path, columns="", values=""):
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(
            f"CREATE TABLE nodes (id TEXT PRIMARY KEY, name TEXT{columns});"
            "CREATE TABLE edges (source TEXT, target TEXT, type TEXT);"
            f"INSERT INTO nodes VALUES ('a', 'save a file'{values}), ('b', 'edge'{values}); INSERT INTO edges VALUES ('a', 'b', 'x')"
        )
    connection.close()
    return path


def test_the_index_of_a_foreign_graph(tmp_path):
    path = theirs(tmp_path / "theirs.db")
    before = path.read_bytes()
    with Retriever.open_foreign(path, embedder=old()) as retriever:
        retriever.maintenance.reembed(new())
        same(answers(retriever), built(new(), [Node("a", "save a file"), Node("b", "edge")], [Edge("a", "b", "x")]))
    with Retriever.open_foreign(path, embedder=new()) as retriever:
        assert retriever.search("save").total and retriever.info()["embedder"] == "new"
    assert path.read_bytes() == before


def test_vectors_of_a_foreign_file_stay(tmp_path):
    path = theirs(tmp_path / "theirs.db", ", embedding TEXT", ", '[1, 2]'")
    with Retriever.open_foreign(path) as retriever, pytest.raises(StoreError, match="'embedding'.*'nodes'.*foreign"):
        retriever.maintenance.reembed(new())
    with Retriever(f"{path}.fourfold") as index, pytest.raises(StoreError, match="foreign"):
        index.maintenance.reembed(new())


# -- files of version 1 -------------------------------------------------------------------------------------------------


@pytest.fixture
def version_1(path, tmp_path):
    """A file with the schema of version 1 and the content of ``path``."""
    first = tmp_path / "first.sqlite"
    connection = sqlite3.connect(first, isolation_level=None)
    connection.executescript(MIGRATIONS[0])
    connection.execute("ATTACH ? AS now", (str(path),))
    sql = "SELECT name FROM main.sqlite_master WHERE type = 'table' AND name NOT LIKE 'fts%'"
    for (table,) in connection.execute(sql).fetchall():
        connection.execute(f"INSERT OR REPLACE INTO main.{table} SELECT * FROM now.{table}")
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute("PRAGMA user_version = 1")
    connection.close()
    return first


def content(path):
    connection = sqlite3.connect(path)
    tables = ("nodes", "edges", "vectors", "tokens", "terms", "attributes", "meta")
    found = {table: sorted(connection.execute(f"SELECT * FROM {table}").fetchall()) for table in tables}
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    connection.close()
    return version, found


def test_a_file_of_version_1_is_migrated_with_all_it_holds(version_1, path, check_file):
    version, before = content(version_1)
    assert version == 1 and before == content(path)[1]
    with Retriever(version_1, embedder=old()) as retriever:
        expected = built(old(), *graph())
        assert content(version_1) == (SCHEMA_VERSION, before)
        same(answers(retriever), expected)
        retriever.maintenance.reembed(new())
        same(answers(retriever), built(new(), *graph()))
    check_file(version_1)


def test_a_file_of_version_1_is_searched_read_only_as_it_is(version_1):
    before = version_1.read_bytes()
    with Retriever(version_1, embedder=old(), read_only=True) as retriever:
        same(answers(retriever), built(old(), *graph()))
        assert retriever.info()["vectors"] == 50 and retriever.backend.model("x") is None
        assert retriever.search("save", filter={"n": {"$lt": 20}}).total
    assert version_1.read_bytes() == before


def test_an_empty_file_is_not_opened_read_only(tmp_path):
    (tmp_path / "empty.sqlite").touch()
    with pytest.raises(StoreError, match="open it once for writing"):
        Retriever(tmp_path / "empty.sqlite", read_only=True)


# -- the command --------------------------------------------------------------------------------------------------------


def run(*arguments):
    return CliRunner().invoke(create_app(), [str(argument) for argument in arguments])


def test_the_command(path):
    assert "reembed" in run("search", "save", "--db", path).stderr  # by another embedder: says what to do
    done = run("reembed", "--db", path)
    assert done.exit_code == 0 and "50 vectors of 256 dimensions, by static:" in done.stdout
    assert run("search", "save", "--db", path).exit_code == 0
    facts = json.loads(run("reembed", "--db", path, "--json").stdout)
    assert facts["vectors"] == 50 and facts["dimensions"] == 256


def test_the_command_with_a_model_of_its_own(path):
    from fourfold.embed.static import BUNDLED_FOLDER

    assert run("reembed", "--db", path, "--model", BUNDLED_FOLDER).exit_code == 0
    assert run("search", "save", "--db", path, "--model", BUNDLED_FOLDER).exit_code == 0
    said = run("search", "save", "--db", path, "--model", "some/other")
    assert said.exit_code == 1 and "'static:some/other'" in said.stderr
    assert "no file" in run("reembed", "--db", path.parent / "missing.sqlite").stderr
    assert not (path.parent / "missing.sqlite").exists()
    Retriever(path.parent / "empty.sqlite").close()
    assert "nothing to embed" in run("reembed", "--db", path.parent / "empty.sqlite").stdout


INTERRUPTED = """
import signal
import time
signal.signal(signal.SIGINT, signal.default_int_handler)  # what runs in the background of a shell inherits deafness to it
from fourfold import cli, reembedding
from fourfold.embed import StaticEmbedder
reembedding.BATCH = 10
embed, calls = StaticEmbedder.embed_documents, []

def slow(self, texts):
    calls.append(1)
    if len(calls) == 3:
        print("here", flush=True)
        while True:  # a signal that another thread of the process took would not end one long sleep
            time.sleep(0.05)
    return embed(self, texts)

StaticEmbedder.embed_documents = slow
cli.main()
"""


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_the_command_interrupted_says_that_it_continues(path, number, code):
    with child(INTERRUPTED, "reembed", "--db", path, stderr=subprocess.PIPE) as stopped:
        assert stopped.stdout.readline() == "here\n"
        stopped.send_signal(number)
        out, said = stopped.communicate(timeout=60)
    assert stopped.returncode == code and out == ""
    assert said == "fourfold: Stopped; what was embedded is kept, and the same command continues there.\n"
    assert staged(path) == 20
    assert json.loads(run("info", "--db", path, "--json").stdout)["reembedding"]["nodes"] == 20
    assert run("reembed", "--db", path).exit_code == 0
    assert staged(path) == 0
