"""Where no thread can be started, nothing that goes on beside a write or a search makes it fail.

The system has no more of them, or the process is ending, when Python itself starts none.
"""

import shutil
import threading
from contextlib import contextmanager

import numpy as np
import pytest

from fourfold import Edge, Node, Retriever
from fourfold.engines.sqlite import parts
from fourfold.index.structure import Structure
from fourfold.lens.jobs import Jobs
from fourfold.tools import ToolCatalog, state


@contextmanager
def none_started():
    def refuse(thread):
        raise RuntimeError("can't start new thread")

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(threading.Thread, "start", refuse)
        yield


def test_a_write_is_in_the_file_itself(tmp_path):
    with Retriever(tmp_path / "kg.sqlite") as graph:
        with none_started():
            for number in range(3):
                graph.add([Node(f"n{number}", "save")])
        shutil.copy(tmp_path / "kg.sqlite", tmp_path / "copy.sqlite")
        with Retriever(tmp_path / "copy.sqlite") as copy:
            assert sorted(copy.search("save").ids) == ["n0", "n1", "n2"]


def test_a_search_answers_and_a_later_one_compacts(tmp_path, monkeypatch):
    monkeypatch.setattr(parts, "_DERIVED_FROM", 1)
    with Retriever(tmp_path / "kg.sqlite") as graph:
        graph.add([Node("a", "save")])
        assert graph.search("save").ids == ["a"]
        with none_started():
            graph.add([Node(f"b{number}", "save") for number in range(9)])
            assert len(graph.search("save", k=20)) == 10
        graph.add([Node("c", "save")])
        assert len(graph.search("save", k=20)) == 11
        if (thread := graph.backend.snapshots._compaction) is not None:
            thread.join(30)
        assert len(graph.backend.snapshots._state.parts.text) < 3


def test_communities_are_found_when_a_thread_can_be_had():
    class Pairs(list):
        def pairs(self):
            return np.array(self, np.int64)

    structure = Structure(Pairs([(1, 2), (2, 3)]), lambda nodes: [f"{node}" for node in nodes], inline=0)
    with none_started():
        assert structure.communities(exact=False).count == 0
        structure.leave()
    assert structure.communities(exact=False).count == 0 and structure.busy
    structure._thread.join(30)
    assert structure.communities(exact=False).count == 1


def test_a_catalogue_suggests_by_what_it_knew(monkeypatch):
    monkeypatch.setattr(state, "_INLINE_EDGES", 0)
    catalog = ToolCatalog()
    catalog.add_tools([{"name": f"tool{i}", "description": "saves"} for i in range(3)])
    catalog.add_edges([Edge("tool0", "tool1", "requires")])
    catalog.search_tools("save")
    catalog.add_edges([Edge("tool1", "tool2", "requires")])
    with none_started():
        assert set(catalog.search_tools("save").ids) == {"tool0", "tool1", "tool2"}


def test_work_that_did_not_begin_is_not_waited_for():
    jobs = Jobs()
    with none_started(), pytest.raises(RuntimeError):
        jobs.start("measure", lambda progress: 1)
    assert jobs.latest is None
    assert jobs.start("measure", lambda progress: 1).number == 1
    jobs.wait(30)
    assert jobs.latest.result == 1
