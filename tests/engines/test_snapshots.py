"""Derived files beside a SQLite store: faster, never wrong, and worth nothing that the store could not give."""

import errno
import gc
import itertools
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
import weakref
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from fourfold import Edge, Node, RetrievalConfig, Retriever, TextField
from fourfold.cli import create_app
from fourfold.engines.sqlite import parts, snapshots
from fourfold.engines.sqlite.changes import OWN_SHARE, changes_since
from fourfold.engines.sqlite.derived import Derived
from fourfold.engines.sqlite.store import Store
from fourfold.index import files, quantised, structure
from fourfold.index.files import DamagedFileError

WORDS = "save load file read write parse tree graph node edge disk cloud alpha beta gamma delta".split()
QUESTIONS = ("save the file", "parse a tree", "alpha beta", "graph edge n07")


def nodes(count, *, first=0):
    return [
        Node(f"n{n:02d}", f"{WORDS[n % 16]} n{n:02d}", text=" ".join(WORDS[(n * k) % 16] for k in range(1, 6)))
        for n in range(first, first + count)
    ]


_times = itertools.count()


def rewritten(count):
    """Return the same with other metadata each time: what is there already would not be written again."""
    return [replace(node, metadata={"written": next(_times)}) for node in nodes(count)]


def edges(count):
    return [Edge(f"n{n:02d}", f"n{(n * 7 + 1) % count:02d}", "part_of") for n in range(count)]


def answers(retriever):
    return [[(hit.node.id, round(hit.score, 6)) for hit in retriever.search(text)] for text in QUESTIONS]


@pytest.fixture(autouse=True)
def small_files(monkeypatch):
    monkeypatch.setattr(parts, "_DERIVED_FROM", 10)


@pytest.fixture
def path(tmp_path):
    with Retriever(tmp_path / "kg.sqlite") as retriever:
        retriever.add(nodes(40), edges(40))
        answers(retriever)
    return tmp_path / "kg.sqlite"


@pytest.fixture
def read(monkeypatch):
    """Return the generations since which a store was read."""
    since = []
    whole = Store.changes

    def spy(self, generation):
        since.append(generation)
        return whole(self, generation)

    monkeypatch.setattr(Store, "changes", spy)
    return since


def derived(path):
    folder = Path(f"{path}.index")
    return sorted(folder.iterdir()) if folder.exists() else []


def test_codes_are_kept_however_few_the_rows_are(tmp_path, monkeypatch):
    monkeypatch.setattr(parts, "_DERIVED_FROM", 100_000)
    for exact in (True, False):
        with Retriever(tmp_path / f"{exact}.sqlite", config=RetrievalConfig().replace(index={"exact": exact})) as graph:
            graph.add(nodes(300))
            answers(graph)
    assert not derived(tmp_path / "True.sqlite")
    assert derived(tmp_path / "False.sqlite")


def from_scratch(path, tmp_path):
    copy = tmp_path / "copy.sqlite"
    copy.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as file, closing(sqlite3.connect(copy)) as fresh:
        file.backup(fresh)  # not as bytes: a thread that reads keeps some of the write-ahead log from them
    with Retriever(copy) as retriever:
        return answers(retriever)


def test_a_graph_is_opened_from_its_derived_files(path, tmp_path, read):
    assert len(derived(path)) == 1
    expected = from_scratch(path, tmp_path)
    read.clear()
    with Retriever(path) as retriever:
        assert answers(retriever) == expected
    assert read and min(read) > 0, "the whole store was read although derived files are there"


def test_what_was_written_after_them_is_seen(path, tmp_path, read):
    with Retriever(path) as retriever:
        retriever.add([Node("n07", "alpha beta n07", text="alpha beta"), *nodes(3, first=50)])
        retriever.add(edges=[Edge("n50", "n07", "part_of", 3.0)])
        retriever.delete(["n08"], edges=[Edge("n01", "n08", "part_of")])
        changed = answers(retriever)
    with Retriever(path) as retriever:
        assert answers(retriever) == changed
    assert changed == from_scratch(path, tmp_path)


def test_they_can_be_deleted_at_any_time(path):
    with Retriever(path) as retriever:
        expected = answers(retriever)
        shutil.rmtree(f"{path}.index")
        retriever.maintenance.forget_answers()
        assert answers(retriever) == expected
    with Retriever(path) as retriever:
        assert answers(retriever) == expected
    assert len(derived(path)) == 1


def test_a_truncated_file_is_noticed_and_made_again(path):
    with Retriever(path) as retriever:
        expected = answers(retriever)
    for place in range(len(list(derived(path)[0].glob("*.bin")))):
        file = sorted(derived(path)[0].glob("*.bin"))[place]
        if content := file.read_bytes():
            file.write_bytes(content[:-1])
            with Retriever(path) as retriever:
                assert answers(retriever) == expected
            assert file.read_bytes() == content, file.name


def test_a_flipped_byte_never_answers(path):
    with Retriever(path) as retriever:
        expected = answers(retriever)
    for name in sorted(file.name for file in derived(path)[0].iterdir()):
        file = derived(path)[0] / name
        # what the model's axes are is noted once in a process, and not again where the folder is made anew
        if file.exists() and (content := bytearray(file.read_bytes())):
            content[len(content) // 2] ^= 0x20
            file.write_bytes(content)
            with Retriever(path) as retriever:
                assert answers(retriever) == expected, file.name


def test_a_backup_put_in_its_place_does_not_take_them(path, tmp_path):
    with Retriever(path) as retriever:
        retriever.backend.select("PRAGMA wal_checkpoint(TRUNCATE)")
    shutil.copy(path, tmp_path / "backup.sqlite")
    shutil.rmtree(f"{path}.index")
    with Retriever(path) as retriever:
        retriever.add([Node("n07", "delta delta")])
        answers(retriever)
    shutil.copytree(f"{path}.index", tmp_path / "index")
    for suffix in ("", "-wal", "-shm"):
        Path(f"{path}{suffix}").unlink(missing_ok=True)
    shutil.copy(tmp_path / "backup.sqlite", path)
    with Retriever(path) as retriever:  # the same generation as the other course had, and other content
        retriever.add([Node("n07", "gamma gamma")])
    shutil.rmtree(f"{path}.index", ignore_errors=True)
    shutil.copytree(tmp_path / "index", f"{path}.index")
    with Retriever(path) as retriever:
        assert retriever.search("gamma gamma").ids[0] == "n07"
        assert answers(retriever) == from_scratch(path, tmp_path)


def test_nothing_is_written_beside_a_file_opened_for_reading(path):
    shutil.rmtree(f"{path}.index")
    with Retriever(path, read_only=True) as retriever:
        answers(retriever)
    assert derived(path) == []


def test_many_writes_are_compacted_in_the_background(path, tmp_path, monkeypatch):
    monkeypatch.setattr("fourfold.index.segments.MERGED_AT_ONCE", 4)
    with Retriever(path) as retriever:
        for n in range(50, 90):
            retriever.add(nodes(1, first=n), [Edge(f"n{n}", f"n{n % 40:02d}", "enables")])
            retriever.search("save")
        parts = retriever.backend.snapshots._state.parts
        retriever.backend.snapshots.close()
        assert answers(retriever) == from_scratch(path, tmp_path)
    assert len(parts.text) < 30


def test_a_search_after_a_write_waits_for_no_file_that_a_compaction_writes(path, tmp_path, monkeypatch):
    """Of a million nodes the derived files are gigabytes."""
    begun, go = threading.Event(), threading.Event()
    with Retriever(path) as retriever:
        retriever.delete(["n07"])
        answers(retriever)
        derived_files = retriever.backend.snapshots._derived
        written = derived_files.write

        def write(*given):
            begun.set()
            assert go.wait(90)  # longer than the search is given
            return written(*given)

        monkeypatch.setattr(derived_files, "write", write)
        compaction = threading.Thread(target=retriever.maintenance.compact)
        compaction.start()
        try:
            assert begun.wait(30)
            retriever.add([Node("late", "a late comer")])
            found = []
            search = threading.Thread(target=lambda: found.append(retriever.search("late comer")), daemon=True)
            search.start()
            search.join(30)
            assert found and found[0].ids[0] == "late"
        finally:
            go.set()
            compaction.join(30)
        assert answers(retriever) == from_scratch(path, tmp_path)
    with Retriever(path) as retriever:
        assert answers(retriever) == from_scratch(path, tmp_path)


def test_a_config_put_in_force_while_segments_are_merged_reads_them_by_itself(path, tmp_path, monkeypatch):
    merged, go = threading.Event(), threading.Event()
    names = RetrievalConfig().replace(text={"fields": (TextField(("name",), 1.0),)})
    with Retriever(path) as retriever:
        retriever.delete(["n07"])
        answers(retriever)
        compacted = parts.Parts.compacted

        def slow(self, settings):
            found = compacted(self, settings)
            merged.set()
            assert go.wait(30)
            return found

        monkeypatch.setattr(parts.Parts, "compacted", slow)
        compaction = threading.Thread(target=retriever.maintenance.compact)
        compaction.start()
        assert merged.wait(30)
        monkeypatch.setattr(parts.Parts, "compacted", compacted)
        retriever.learning.apply_config(names)
        by_names = answers(retriever)
        go.set()
        compaction.join(30)
        retriever.add([Node("late", "zebra")])
        retriever.delete(["late"])
        retriever.maintenance.forget_answers()
        assert answers(retriever) == by_names


def test_older_derived_files_of_another_process_do_not_take_a_newer_state_back(path, tmp_path):
    (older,) = derived(path)
    shutil.copytree(older, tmp_path / "older")
    with Retriever(path) as retriever:
        retriever.add([Node("late", "a late comer")])
    shutil.rmtree(f"{path}.index")
    with Retriever(path) as retriever:
        files = retriever.backend.snapshots._derived
        written = files.write

        def write(arrays, facts, knows):
            done = written(arrays, facts, knows)
            shutil.rmtree(f"{path}.index")  # another process, which has not seen the last write, does the same now
            shutil.copytree(tmp_path / "older", older)
            return done

        files.write = write
        assert retriever.search("late comer").ids[0] == "late"


WRITER = """
import sys
from pathlib import Path
from fourfold import Node, Retriever
from fourfold.engines.sqlite import parts, snapshots
from fourfold.engines.sqlite.changes import changes_since
parts._DERIVED_FROM = 10
with Retriever(sys.argv[1]) as retriever:
    for n in range(10_000):
        retriever.add([Node(f"w{n}", f"written {n}")])
        retriever.search("written")
        own = retriever.backend.snapshots
        own._state = own._kept(own._state, parts.read_by(own._config, 1.0))
        print(n, flush=True)
"""


def test_a_killed_writer_leaves_nothing_stale(path, tmp_path):
    written = -1
    for round_ in range(6):
        child = subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True)
        for _ in range(2 + round_):
            written = max(written, int(child.stdout.readline()))
        time.sleep(0.003 * round_)
        child.send_signal(signal.SIGKILL)
        child.wait()
        rest = child.stdout.read().split()
        written = max([written, *map(int, rest)])
        child.stdout.close()
        with Retriever(path) as retriever:
            assert {f"w{n}" for n in range(written + 1)} <= set(retriever.manifest())
            assert answers(retriever) == from_scratch(path, tmp_path)
    assert all(os.path.isdir(folder) for folder in derived(path))


def test_closing_while_communities_are_looked_for_raises_nothing(tmp_path, monkeypatch):
    failed = []
    monkeypatch.setattr(threading, "excepthook", failed.append)
    monkeypatch.setattr(structure, "_PATIENCE", 0.0)
    retriever = Retriever(tmp_path / "kg.sqlite")
    retriever.add([Node(f"n{i}", f"word {i}") for i in range(60)], [Edge(f"n{i}", f"n{i + 1}", "a") for i in range(59)])
    entered, closed = threading.Event(), threading.Event()
    found = structure.Structure._compact

    def slow(self):
        entered.set()
        assert closed.wait(30)
        return found(self)

    monkeypatch.setattr(structure.Structure, "_compact", slow)
    snapshot = retriever.analysis.snapshot()
    snapshot.structure._inline = 0
    snapshot.communities(exact=False)
    assert entered.wait(30)
    retriever.close()
    closed.set()
    snapshot.structure._thread.join(30)
    assert not failed


def test_what_changed_is_found_by_an_index_not_by_reading_all_rows(tmp_path):
    with Retriever(tmp_path / "kg.sqlite") as retriever:
        retriever.add([Node(f"n{i}", f"word {i}") for i in range(30)], [Edge("n0", f"n{i}", "a") for i in range(1, 30)])
        since = retriever.backend.generation()
        retriever.add([Node("n30", "new"), Node("n7", "other")], [Edge("n30", "n0", "a")])
    connection = sqlite3.connect(tmp_path / "kg.sqlite", isolation_level=None)
    statements = []
    connection.set_trace_callback(statements.append)
    assert len(changes_since(connection, since).nums) == 2
    connection.set_trace_callback(None)
    plans = [row[3] for one in statements for row in connection.execute(f"EXPLAIN QUERY PLAN {one}")]
    connection.close()
    assert any("nodes_by_generation" in plan for plan in plans)
    assert [plan for plan in plans if plan.startswith(("SCAN n", "SCAN edges", "SCAN deletions"))] == []


def test_communities_found_beside_questions_are_those_found_at_once(tmp_path, monkeypatch):
    monkeypatch.setattr(structure, "_PATIENCE", 0.0)
    monkeypatch.setattr(snapshots, "_PAGE", 7)
    rng = np.random.default_rng(0)
    ids = [f"{kind}{i}" for i, kind in enumerate(rng.choice(["ä", "a", "Z", "😀", "\uffee"], 60))]
    ends = {(a, b) for a, b in rng.integers(0, 60, (70, 2)).tolist() if a != b}
    with Retriever(tmp_path / "kg.sqlite") as retriever:
        retriever.add([Node(one, "word") for one in ids], [Edge(ids[a], ids[b], "a") for a, b in ends])
        at_once = retriever.analysis.snapshot().communities(exact=False)
        retriever.add(edges=[Edge(ids[a], ids[b], "another") for a, b in ends])
        later = retriever.analysis.snapshot()
        later.structure._inline = 0
        later.communities(exact=False)
        later.structure._thread.join(30)
        beside = later.communities(exact=False)
    assert beside is not at_once and beside.count > 3
    assert beside.nodes.tolist() == at_once.nodes.tolist() and beside.labels.tolist() == at_once.labels.tolist()


def test_a_graph_that_is_closed_leaves_no_thread_behind(tmp_path, monkeypatch):
    monkeypatch.setattr(structure, "_PATIENCE", 3600.0)
    with Retriever(tmp_path / "kg.sqlite") as retriever:
        retriever.add([Node("a", "word"), Node("b", "word")], [Edge("a", "b", "x")])
        waiting = retriever.analysis.snapshot().structure
        waiting._inline = 0
        waiting.communities(exact=False)
        retriever.add(edges=[Edge("b", "a", "x")])
        assert retriever.analysis.snapshot().structure is not waiting and waiting.busy
    waiting._thread.join(30)
    assert not waiting.busy


def test_a_write_that_touches_no_edge_keeps_what_is_known_of_all_edges(tmp_path):
    with Retriever(tmp_path / "kg.sqlite") as retriever:
        retriever.add(
            [Node(f"n{i}", f"word {i}") for i in range(9)], [Edge(f"n{i}", f"n{i + 1}", "a") for i in range(8)]
        )
        before = retriever.analysis.snapshot()
        retriever.add([Node("new", "word"), Node("n0", "another word")])
        after = retriever.analysis.snapshot()
        assert after.generation > before.generation
        assert after.structure is before.structure and after.edges is before.edges
        retriever.add(edges=[Edge("new", "n0", "a")])
        assert retriever.analysis.snapshot().structure is not before.structure
        retriever.delete(["new"])
        communities = retriever.analysis.snapshot().communities(exact=False)
        assert communities.nodes.tolist() == before.communities(exact=False).nodes.tolist()


def test_a_write_that_touches_no_node_keeps_what_is_known_of_all_texts(tmp_path):
    with Retriever(tmp_path / "kg.sqlite") as retriever, Retriever(":memory:") as fresh:
        retriever.add(nodes(60), edges(60))
        retriever.search("save the file")
        text = retriever.analysis.snapshot().text
        retriever.add(edges=[Edge("n01", "n02", "requires")])
        assert retriever.analysis.snapshot().text is text
        retriever.add([Node("new", "save the file")])
        assert retriever.analysis.snapshot().text is not text
        retriever.delete(["new"])
        fresh.add(nodes(60), [*edges(60), Edge("n01", "n02", "requires")])
        assert answers(retriever) == answers(fresh)


def test_vectors_fused_by_other_weights_are_not_taken_from_derived_files(path):
    connection = sqlite3.connect(path)
    connection.execute("INSERT OR REPLACE INTO meta (key, value) VALUES (?, '0.5')", (OWN_SHARE,))
    connection.commit()
    connection.close()
    for folder in derived(path):
        shutil.rmtree(folder)
    config = RetrievalConfig()
    other = config.replace(graph={"type_weights": {**config.graph.type_weights, "part_of": 0.0}})
    nums = np.arange(1, 41)

    def vectors(config):
        with Retriever(path, config=config) as retriever:
            assert retriever.analysis.snapshot().own_share == 0.5
            return retriever.analysis.snapshot().vectors.at(nums)

    before = vectors(config)
    assert derived(path)
    found = vectors(other)
    assert not np.allclose(found, before, atol=1e-3)
    for folder in derived(path):
        shutil.rmtree(folder)
    np.testing.assert_allclose(found, vectors(other), atol=1e-6)


def test_a_block_found_damaged_while_segments_are_merged_is_read_anew(path, monkeypatch):
    raised = []
    monkeypatch.setattr(threading, "excepthook", raised.append)
    with Retriever(path) as retriever:
        retriever.search("x")

        def damaged(*_):
            raise DamagedFileError("Block 0 is damaged.")

        with monkeypatch.context() as patch:
            patch.setattr(parts.Parts, "compacted", damaged)
            retriever.maintenance.compact()
        assert not raised
        assert retriever.search("save the file").ids
        retriever.maintenance.compact()


def test_info_says_what_names_the_nearest_vectors_and_the_recall_it_had(tmp_path, read):
    path, config = tmp_path / "coded.sqlite", RetrievalConfig().replace(index={"exact": False, "first_stage": "numpy"})
    rows = np.random.default_rng(0).normal(size=(quantised.MINIMUM + 10, 16)).astype(np.float32)
    with Retriever(path, config=config) as retriever:
        retriever.add([Node(f"n{n:05d}", "save", vector=row) for n, row in enumerate(rows)])
        unread = retriever.info()
        assert (unread["first_stage"], unread["recall"]) == (None, None)
        retriever.search("save", query_vector=rows[3])
        told = retriever.analysis.snapshot().vectors.info()
        assert told.first_stage == "numpy" and 0.5 < told.recall <= 1
        expected = ("numpy", round(told.recall, 4))
        assert (retriever.info()["first_stage"], retriever.info()["recall"]) == expected
    read.clear()
    with Retriever(path, config=config, read_only=True) as retriever:
        facts = retriever.info()
        assert (facts["first_stage"], facts["recall"]) == expected
        json.dumps(facts)
    assert not read, "the store was read for it"
    with Retriever(config=RetrievalConfig()) as retriever:
        retriever.add(nodes(20))
        retriever.search("save")
        assert (retriever.info()["first_stage"], retriever.info()["recall"]) == ("exact", 1.0)


def test_the_command_shows_it(path):
    shown = CliRunner().invoke(create_app(), ["info", "--db", str(path)])
    assert shown.exit_code == 0
    lines = [line.split() for line in shown.output.splitlines()]
    assert ["first", "stage", "exact"] in lines and ["recall", "1.0"] in lines


def test_what_is_one_piece_already_is_not_written_again(path, monkeypatch):
    written, write = [], snapshots.Derived.write
    monkeypatch.setattr(snapshots.Derived, "write", lambda self, *given: written.append(1) or write(self, *given))
    with Retriever(path) as retriever:
        before = answers(retriever)
        retriever.maintenance.compact()
        assert not written and answers(retriever) == before
        (folder,) = derived(path)
        shutil.rmtree(folder)
        retriever.maintenance.compact()
        assert written == [1] and derived(path) == [folder]
        retriever.delete(["n07"])
        retriever.maintenance.compact()
        assert written == [1, 1] and derived(path) != [folder]
    with Retriever(path) as retriever:
        assert "n07" not in retriever.search("save the file", k=40).ids


def test_a_word_that_was_asked_for_in_vain_is_found_once_it_is_written(path):
    with Retriever(path) as retriever, Retriever(path) as other:
        assert "matches zebra" not in retriever.search("zebra").hits[0].why
        other.add([Node("zebra", "zebra")])
        assert "matches zebra" in retriever.search("zebra").hits[0].why
        assert retriever.search("zebra").ids[0] == "zebra"


def test_communities_of_one_generation_at_a_time_are_looked_for(tmp_path, monkeypatch):
    monkeypatch.setattr(structure, "_PATIENCE", 0.0)
    entered, go = threading.Semaphore(0), threading.Semaphore(0)
    found = structure.Structure._compact

    def slow(self):
        entered.release()
        assert go.acquire(timeout=30)
        return found(self)

    with Retriever(tmp_path / "kg.sqlite") as retriever:
        retriever.add([Node(f"n{i}", f"word {i}") for i in range(60)])

        def present(kind):
            retriever.add(edges=[Edge(f"n{i}", f"n{i + 1}", kind) for i in range(59)])
            own = retriever.analysis.snapshot()
            own.structure._inline = 0
            return own

        monkeypatch.setattr(structure.Structure, "_compact", slow)
        first, others = present("a"), []
        first.communities(exact=False)
        assert entered.acquire(timeout=30)
        for kind in "bcd":
            others.append(present(kind))
            others[-1].communities(exact=False)
        assert not any(other.structure.busy for other in others)
        go.release()
        first.structure._thread.join(30)
        assert others[-1].communities(exact=False) is first.communities(exact=False)  # and looks for its own
        assert entered.acquire(timeout=30)
        go.release()
        others[-1].structure._thread.join(30)
        assert others[-1].communities(exact=False) is not first.communities(exact=False)


def test_texts_read_otherwise_are_all_that_is_read_for_it(tmp_path):
    """Of a million nodes the vectors and edges beside them are three gigabytes."""
    published = RetrievalConfig.published().replace(text={"tokenizer": RetrievalConfig().text.tokenizer})
    with Retriever(tmp_path / "kg.sqlite") as retriever, Retriever(tmp_path / "kg.sqlite", config=published) as own:
        retriever.add(nodes(40), edges(40))
        retriever.delete(["n07"])
        statements = []
        retriever.analysis.snapshot()
        with retriever.backend.reading() as connection:
            connection.set_trace_callback(statements.append)
        found, expected = retriever.analysis.snapshot(published).text, own.analysis.snapshot().text
        assert any("tokens" in statement for statement in statements)
        assert not [one for one in statements if any(table in one for table in ("vectors", "pieces", "FROM edges"))]
        terms = retriever.analysis.tokenizer.terms(" ".join(WORDS))
        weights = dict.fromkeys(retriever.backend.term_numbers(terms).values(), 1.0)
        here = np.array(sorted(retriever.backend.nums([f"n{n:02d}" for n in range(40)]).values()))
        assert len(weights) == len(WORDS) and len(here) == 39
        assert found.ask(weights).at(here).tolist() == expected.ask(weights).at(here).tolist()


def test_a_search_after_a_large_write_waits_for_no_codes(tmp_path, monkeypatch):
    """Of 50,000 vectors they take seconds; until they are there, these are compared one by one."""
    monkeypatch.setattr(quantised, "EXACT_UP_TO", {"faiss": 30, "numpy": 30})
    rows = np.random.default_rng(0).normal(size=(440, 16)).astype(np.float32)
    given = [Node(f"n{n:03d}", "save", vector=row) for n, row in enumerate(rows)]
    encode, begun, go, coded = quantised.encode, threading.Event(), threading.Event(), []

    def slow(*args):
        coded.append(len(args[1]))
        begun.set()
        assert go.wait(90)  # longer than the search is given
        return encode(*args)

    with Retriever(tmp_path / "kg.sqlite") as retriever:

        def nearest(row):
            return retriever.search("save", query_vector=rows[row], mode="embedding", k=5).ids

        retriever.add(given[:400])
        assert nearest(7)[0] == "n007"
        monkeypatch.setattr(quantised, "encode", slow)
        retriever.add(given[400:440])
        found = []
        search = threading.Thread(target=lambda: found.append(nearest(410)), daemon=True)
        search.start()
        search.join(30)
        assert found and found[0][0] == "n410"
        assert begun.wait(30)  # what is deleted before is not made codes of
        retriever.delete(["n410"])
        assert "n410" not in nearest(410)
        go.set()
        if (thread := retriever.backend.snapshots._compaction) is not None:
            thread.join(30)
        segments = retriever.backend.snapshots._state.parts.vectors
        assert coded == [40] and [segment.size for segment in segments] == [400, 39]
        assert not any(segment.awaits(quantised.FirstStageSettings()) for segment in segments)
        assert nearest(411)[0] == "n411" and "n410" not in nearest(410)
        retriever.add([Node("late", "save", vector=rows[0])])
        assert nearest(411)[0] == "n411" and coded == [40]


def test_vectors_that_were_written_while_others_were_coded_are_coded_too(tmp_path, monkeypatch):
    """Else all searches compare them one by one, until somebody writes again."""
    monkeypatch.setattr(quantised, "EXACT_UP_TO", {"faiss": 30, "numpy": 30})
    rows = np.random.default_rng(0).normal(size=(480, 16)).astype(np.float32)
    given = [Node(f"n{n:03d}", "save", vector=row) for n, row in enumerate(rows)]
    encode, begun, go, coded = quantised.encode, threading.Event(), threading.Event(), []

    def slow(*args):
        coded.append(len(args[1]))
        begun.set()
        assert go.wait(60)
        return encode(*args)

    with Retriever(tmp_path / "kg.sqlite") as retriever:
        snapshots = retriever.backend.snapshots
        retriever.add(given[:300])
        snapshots.current()
        monkeypatch.setattr(parts, "_DERIVED_FROM", 1000)
        monkeypatch.setattr("fourfold.index.segments.MERGED_AT_ONCE", 0)
        monkeypatch.setattr(quantised, "encode", slow)
        retriever.add(given[300:440])
        snapshots.current()
        thread = snapshots._compaction
        assert begun.wait(60)
        retriever.add(given[440:])
        snapshots.current()
        go.set()
        thread.join(60)
        assert coded == [140, 40] and snapshots._compaction is None
        assert not any(segment.awaits(quantised.FirstStageSettings()) for segment in snapshots._state.parts.vectors)


def test_files_kept_without_codes_are_not_coded_anew_at_every_opening(tmp_path, monkeypatch):
    """A command that answers one question would wait for them each time; they are made with the next compaction."""
    rows = np.random.default_rng(0).normal(size=(400, 16)).astype(np.float32)
    with Retriever(tmp_path / "kg.sqlite") as retriever:
        retriever.add([Node(f"n{n:03d}", "save", vector=row) for n, row in enumerate(rows)])
        retriever.backend.snapshot()
    monkeypatch.setattr(quantised, "EXACT_UP_TO", {"faiss": 30, "numpy": 30})  # as where faiss was installed since
    monkeypatch.setattr(quantised, "encode", pytest.fail)
    with Retriever(tmp_path / "kg.sqlite") as retriever:
        retriever.backend.snapshot()
        assert retriever.backend.snapshots._compaction is None


def test_the_codes_of_vectors_that_took_the_place_of_all_others_are_kept_with_them(tmp_path, monkeypatch):
    """They are one segment, which a compaction need not merge, though edges were written beside them."""
    monkeypatch.setattr("fourfold.index.segments.MERGED_AT_ONCE", 0)
    monkeypatch.setattr(quantised, "EXACT_UP_TO", {"faiss": 30, "numpy": 30})
    rows = np.random.default_rng(0).normal(size=(400, 16)).astype(np.float32)
    with Retriever(tmp_path / "kg.sqlite") as retriever:
        for vectors, kind in ((rows[:200], "x"), (rows[200:], "y")):
            given = [Node(f"n{n:03d}", "save", vector=row) for n, row in enumerate(vectors)]
            retriever.add(given, [Edge("n000", node.id, kind) for node in given])
            retriever.backend.snapshot()
        if (thread := retriever.backend.snapshots._compaction) is not None:
            thread.join(60)
    monkeypatch.setattr(quantised, "encode", pytest.fail)
    with Retriever(tmp_path / "kg.sqlite") as retriever:
        (segment,) = retriever.backend.snapshot().vectors.segments
        assert segment.sums is not None, "codes were made, and found too coarse for so few"


def test_what_takes_the_place_of_all_rows_is_kept_too(path, read):
    """Else every opening reads it anew: derived files went on showing what it replaced."""
    with Retriever(path) as retriever:
        retriever.add(rewritten(40), [Edge(edge.source, edge.target, "part_of", weight=2.0) for edge in edges(40)])
        expected = answers(retriever)
        if (thread := retriever.backend.snapshots._compaction) is not None:
            thread.join(60)
        generation = retriever.generation
        assert answers(retriever) == expected
    read.clear()
    with Retriever(path) as retriever:
        assert answers(retriever) == expected and read == [generation]


def test_what_cannot_be_kept_is_not_tried_again_and_again(path, monkeypatch):
    tried = []

    def full(*args):
        tried.append(args)
        raise OSError("no space left")

    with Retriever(path) as retriever:
        monkeypatch.setattr("fourfold.index.files.write", full)
        retriever.add(rewritten(40))
        for _ in range(3):
            answers(retriever)
            if (thread := retriever.backend.snapshots._compaction) is not None:
                thread.join(60)
            retriever.add(rewritten(1))
    assert len(tried) == 1


def test_what_another_process_has_compacted_is_taken_over(path, monkeypatch):
    """Else each process merges the same, and holds the files that the other deleted until it is closed."""
    monkeypatch.setattr("fourfold.index.segments.MERGED_AT_ONCE", 0)
    with Retriever(path) as retriever, Retriever(path) as other:
        answers(other)
        retriever.add(rewritten(20), edges(20))
        retriever.maintenance.compact()
        monkeypatch.setattr(parts.Parts, "compacted", pytest.fail)
        retriever.delete(["n39"])
        answers(other)
        snapshots = other.backend.snapshots
        if (thread := snapshots._compaction) is not None:
            thread.join(60)
        (folder,) = derived(path)
        assert {segment.nums.path.parent for segment in snapshots._state.parts.text} == {folder}
        assert answers(other) == answers(retriever)
        assert snapshots._compaction is None


def test_of_several_processes_one_merges_and_the_others_take_it_over(path, monkeypatch):
    """Each merged the same, at once: of a million nodes a minute and gigabytes for every process that serves it."""
    merging, go_on, merged = threading.Event(), threading.Event(), []
    real = files.write

    def write(*args):
        merging.set()
        assert go_on.wait(60)
        real(*args)

    monkeypatch.setattr("fourfold.index.segments.MERGED_AT_ONCE", 0)
    with Retriever(path) as one, Retriever(path) as other, Retriever(path) as writer:
        for retriever in (one, other):
            answers(retriever)
        monkeypatch.setattr(files, "write", write)
        whole = parts.Parts.compacted
        monkeypatch.setattr(
            parts.Parts, "compacted", lambda *args: merged.append(threading.get_ident()) or whole(*args)
        )
        writer.add(rewritten(40))
        expected = answers(one)
        assert merging.wait(60)
        assert answers(other) == expected  # and begins to merge
        thread = other.backend.snapshots._compaction
        assert thread is not None and thread.is_alive()
        time.sleep(0.5)
        assert thread.ident not in merged
        go_on.set()
        for retriever in (one, other):
            settled(retriever)
        assert thread.ident not in merged
        (folder,) = derived(path)
        for retriever in (one, other):
            assert answers(retriever) == expected
            assert {s.nums.path.parent for s in retriever.backend.snapshots._state.parts.text} == {folder}


def takes_its_turn(path):
    """Return a program that keeps others from merging until it is killed."""
    return (
        "import sys, time; from fourfold.engines.sqlite.derived import Derived\n"
        f"with Derived({str(path)!r}, writable=True).turn() as ours:\n    print(ours, flush=True); time.sleep(600)"
    )


def test_who_waits_for_another_process_to_merge_is_closed_at_once_and_merges_where_that_has_ended(path, monkeypatch):
    monkeypatch.setattr("fourfold.index.segments.MERGED_AT_ONCE", 0)
    with subprocess.Popen([sys.executable, "-c", takes_its_turn(path)], stdout=subprocess.PIPE, text=True) as another:
        try:
            assert another.stdout.readline() == "True\n"
            with Retriever(path) as retriever:
                answers(retriever)
                retriever.add(rewritten(40))
                answers(retriever)
                assert retriever.backend.snapshots._compaction.is_alive()
            (before,) = derived(path)
            with Retriever(path) as retriever:
                answers(retriever)
                another.kill()
                settled(retriever)
            (after,) = derived(path)
            assert after != before
        finally:
            another.kill()


FORKS = """
import os, sys, time
from fourfold.engines.sqlite.derived import Derived
path, how = sys.argv[1:]
begun, begins = os.pipe()
with Derived(path, writable=True).turn() as ours:
    if not (child := os.fork()):
        os.write(begins, b".")  # it has let go by now
        time.sleep(600 if how == "stays" else 0)
        os._exit(0)
    os.read(begun, 1)
    if how == "goes":
        os.waitpid(child, 0)
    print(ours, child, flush=True)
    time.sleep(600)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_child_of_who_merges_does_not_keep_the_turn_when_that_is_killed(path):
    """What a fork inherits was locked as long as the child lived: nobody else merged the file meanwhile."""
    command = [sys.executable, "-c", FORKS, str(path), "stays"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as another:
        ours, child = another.stdout.readline().split()
        try:
            another.kill()
            another.wait()
            with Derived(str(path), writable=True).turn() as free:
                assert ours == "True" and free
        finally:
            os.kill(int(child), signal.SIGKILL)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_child_that_ends_leaves_its_parent_the_turn(path):
    command = [sys.executable, "-c", FORKS, str(path), "goes"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as another:
        assert another.stdout.readline().startswith("True ")
        with Derived(str(path), writable=True).turn() as free:
            assert not free
        another.kill()


def test_who_opens_a_graph_that_another_process_derives_waits_for_it_and_reads_the_store_no_second_time(
    path, monkeypatch, read
):
    """Several processes that opened a fresh graph at once each read all of it, each in as many times the time."""
    (folder,) = derived(path)
    with Retriever(path) as retriever:
        expected = answers(retriever)
    aside = folder.rename(path.with_name("aside"))
    with subprocess.Popen([sys.executable, "-c", takes_its_turn(path)], stdout=subprocess.PIPE, text=True) as another:
        assert another.stdout.readline() == "True\n"
        waited = []

        def done(seconds):
            waited.append(seconds)
            aside.rename(folder)
            another.kill()
            another.wait()

        monkeypatch.setattr("fourfold.engines.sqlite.derived.time.sleep", done)
        monkeypatch.setattr("fourfold.engines.sqlite.derived._STILL", 1e9)
        read.clear()
        try:
            with Retriever(path) as retriever:
                assert answers(retriever) == expected
        finally:
            another.kill()
    assert waited and -1 not in read


def test_who_opens_a_graph_waits_not_for_ever_for_a_process_that_derives_it(path, monkeypatch, read):
    """It may be stopped, as by a debugger or a frozen container; a large graph was waited for in minutes."""
    with Retriever(path) as retriever:
        expected = answers(retriever)
    shutil.rmtree(f"{path}.index")
    with subprocess.Popen([sys.executable, "-c", takes_its_turn(path)], stdout=subprocess.PIPE, text=True) as another:
        try:
            assert another.stdout.readline() == "True\n"
            another.send_signal(signal.SIGSTOP)
            monkeypatch.setattr("fourfold.engines.sqlite.derived._STILL", 0.1)
            with Retriever(path) as retriever:
                assert answers(retriever) == expected
            assert -1 in read and len(derived(path)) == 1
        finally:
            another.kill()


def test_who_derives_shows_that_it_goes_on(path, monkeypatch):
    """A large graph takes minutes to be derived: whoever waits sees that it is not stopped, and waits on."""
    monkeypatch.setattr("fourfold.engines.sqlite.derived._BEAT", 0.001)
    mine = Derived(str(path), writable=True)
    with mine.turn() as ours:
        first = mine.folder.stat().st_mtime_ns
        while mine.folder.stat().st_mtime_ns == first:  # it hangs where nothing does
            assert ours
    assert not [thread for thread in threading.enumerate() if thread.name == "fourfold-turn"]


def test_compact_waits_for_no_other_process(path, monkeypatch):
    """It hung as long as another process that merged was stopped, as by a debugger or a frozen container."""
    monkeypatch.setattr("fourfold.index.segments.MERGED_AT_ONCE", 0)
    with (
        subprocess.Popen([sys.executable, "-c", takes_its_turn(path)], stdout=subprocess.PIPE, text=True) as another,
        Retriever(path) as retriever,
    ):
        try:
            assert another.stdout.readline() == "True\n"
            answers(retriever)
            retriever.add(rewritten(40))
            expected = answers(retriever)
            assert retriever.backend.snapshots._compaction.is_alive()
            compacting = threading.Thread(target=retriever.maintenance.compact, daemon=True)
            compacting.start()
            compacting.join(60)
            assert not compacting.is_alive()
            assert len(retriever.backend.snapshots._state.parts.text) == 1 and answers(retriever) == expected
        finally:
            another.kill()


def test_what_a_generation_held_is_let_go_with_it(path):
    """Arrays in memory, and files that a compaction replaced, would else wait for the collector of cycles."""
    gc.collect()
    gc.disable()
    try:
        with Retriever(path) as retriever:
            answers(retriever)
            old, own = retriever.backend.snapshot(), retriever.backend.snapshots._state.parts
            held = [weakref.ref(each) for each in (old, old.text, old.vectors, old.edges, own.text[0], own.edges[0])]
            del old, own
            retriever.add(rewritten(5))
            retriever.search("a question whose answer nobody remembers")
            retriever.maintenance.compact()
            retriever.search("a second question whose answer nobody remembers")
            assert [ref() for ref in held] == [None] * len(held)
    finally:
        gc.enable()


def settled(retriever):
    """Wait for the compaction that is under way; fail where it goes on and on."""
    thread = retriever.backend.snapshots._compaction
    if thread is not None:
        thread.join(60)
        assert not thread.is_alive()


@pytest.fixture
def written(monkeypatch):
    """Count what is written beside a file; writing without end fails."""
    done, real = [], files.write

    def write(folder, *args):
        done.append(folder)
        assert len(done) < 20, "the same is written again and again"
        real(folder, *args)

    monkeypatch.setattr(files, "write", write)
    return done


def test_two_configs_of_one_file_do_not_write_without_end(path, written):
    """The second finds the first's files in the place of its own, which are read otherwise."""
    with Retriever(path) as one, Retriever(path, config=RetrievalConfig().replace(index={"exact": True})) as other:
        answers(other)
        one.add(nodes(80))
        for retriever in (one, other):
            answers(retriever)
            settled(retriever)
        assert answers(one) == answers(other)
    assert 0 < len(written) < 5


def test_files_that_cannot_be_opened_are_not_written_without_end(path, written, monkeypatch):
    def short(folder):
        raise OSError(errno.EMFILE, "too many open files")

    with Retriever(path) as retriever:
        answers(retriever)
        monkeypatch.setattr(files, "read", short)
        retriever.add(nodes(80))
        answers(retriever)
        settled(retriever)
    assert len(written) < 3


def test_damaged_files_of_another_process_leave_ones_own_state(path, read):
    with Retriever(path) as retriever:
        expected = answers(retriever)
        read.clear()
        (own,) = derived(path)
        theirs = own.with_name("9" + own.name[1:])
        shutil.copytree(own, theirs)
        state = retriever.backend.snapshots._state
        manifest = theirs / "manifest.json"
        facts = json.loads(manifest.read_text().partition("\n")[2])
        facts["facts"]["parts"] = 7
        manifest.write_text(files._sealed(json.dumps(facts)))
        retriever.backend.snapshots._take_over()
        assert retriever.backend.snapshots._state is state and answers(retriever) == expected and not read


def test_a_folder_of_a_file_s_earlier_life_hides_no_later_one(path):
    files_of = Derived(str(path), writable=True)
    (own,) = derived(path)
    own.with_name(f"999999999999-{0:016x}").mkdir()
    files_of.newest({}, lambda generation, token: True)
    assert not files_of.have_newer()
    own.with_name(f"000000000099-{1:016x}").mkdir()
    assert files_of.have_newer()
