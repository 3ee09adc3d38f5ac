"""A search ends within the time it was given, with a sentence; what it leaves behind is as good as before."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from fourfold import Edge, FourfoldError, InvalidValueError, Node, Retriever, SearchTimeoutError, deadline
from fourfold.calibration import Calibrator
from fourfold.engines.sqlite import connection

FOREVER = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"


@pytest.fixture
def retriever():
    with Retriever() as retriever:
        nodes = [Node(f"n{i}", f"name {i}", text=f"compress files {i}", metadata={"i": i}) for i in range(40)]
        retriever.add(nodes, [Edge(f"n{i}", f"n{i + 1}", "requires") for i in range(39)])
        yield retriever


class Clock:
    """Time that goes on by a second whenever somebody looks at it."""

    def __init__(self):
        self.now = 0.0

    def monotonic(self):
        self.now += 1.0
        return self.now


def test_whenever_the_time_is_up_the_search_ends_and_the_next_one_is_right(retriever, monkeypatch):
    question = {"query": "how do I compress files", "filter": {"i": {"$gte": 3}}}
    right = Retriever.search(retriever, **question)
    ended = 0
    for seconds in range(1, 60):
        retriever.maintenance.forget_answers()
        with monkeypatch.context() as patched:
            patched.setattr(deadline, "time", Clock())
            try:
                found = retriever.search(**question, timeout=seconds)
            except SearchTimeoutError as error:
                assert str(error).startswith(f"The search was given {seconds} s (timeout=) and had not ended by then")
                ended += 1
                continue
        assert found == right and found.degraded == ()
        break
    assert ended >= 8, "the clock is looked at between the steps"
    assert retriever.search(**question) == right


def test_an_explanation_has_a_deadline_too(retriever, monkeypatch):
    monkeypatch.setattr(deadline, "time", Clock())
    with pytest.raises(TimeoutError, match="2 s"):
        retriever.explain("compress files", "n1", timeout=2)
    assert retriever.explain("compress files", "n1", timeout=1000).score > 0


def test_the_database_is_interrupted_while_it_reads(retriever, tmp_path):
    with Retriever(tmp_path / "kg.sqlite") as in_file:
        for backend in (retriever.backend, in_file.backend):
            with deadline.Deadline(0.05).in_force(), pytest.raises(SearchTimeoutError):
                backend.select(FOREVER)
            assert backend.select("SELECT 1") == [(1,)]


def test_the_making_of_an_index_is_not_cut_short_or_it_would_never_end(tmp_path, monkeypatch):
    with Retriever(tmp_path / "kg.sqlite") as retriever:
        retriever.add([Node(f"n{i}", f"name {i}") for i in range(300)])
        monkeypatch.setattr(connection, "_STEPS_BETWEEN_LOOKS", 1000)
        with deadline.Deadline(1e-9).in_force():
            with pytest.raises(SearchTimeoutError):
                retriever.backend.manifest()
            assert retriever.backend.snapshot().size == 300


def test_what_evidence_is_worth_is_not_cut_short_or_it_would_never_be_known(retriever, monkeypatch):
    fit, limits = Calibrator._fit, []
    monkeypatch.setattr(
        Calibrator, "_fit", lambda self, snapshot: limits.append(deadline.current()) or fit(self, snapshot)
    )
    assert retriever.search("compress files", timeout=60).ids
    assert limits == [None]


def test_an_embedder_that_takes_too_long_leaves_no_half_an_answer(monkeypatch):
    clock = Clock()

    def slow(texts):
        clock.now += 100
        return [[1.0, float(len(text))] for text in texts]

    with Retriever(embedder=slow) as retriever:
        retriever.add([Node("a", "alpha")])
        monkeypatch.setattr(deadline, "time", clock)
        with pytest.raises(SearchTimeoutError):
            retriever.search("alpha", timeout=90)
        assert retriever.search("alpha", timeout=900).ids == ["a"]


def test_an_answer_that_is_remembered_takes_no_time(retriever):
    found = retriever.search("compress files")
    assert retriever.search("compress files", timeout=0.001) is found


@pytest.mark.parametrize("timeout", [0, -1, float("nan"), True, "1"])
def test_a_time_that_cannot_be_meant_is_refused(retriever, timeout):
    with pytest.raises(InvalidValueError, match=r"timeout is .*; it must be a finite number of at least 0\.001"):
        retriever.search("files", timeout=timeout)


def test_the_error_is_caught_as_ours_and_as_python_s():
    assert issubclass(SearchTimeoutError, FourfoldError) and issubclass(SearchTimeoutError, TimeoutError)


def test_who_waits_for_another_searchs_calibration_waits_no_longer_than_given(retriever, monkeypatch):
    fit, begun, may_end = Calibrator._fit, Event(), Event()

    def slow(self, snapshot):
        begun.set()
        assert may_end.wait(60)
        return fit(self, snapshot)

    monkeypatch.setattr(Calibrator, "_fit", slow)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(retriever.search, "how do I compress files")
        try:
            assert begun.wait(60)
            with pytest.raises(SearchTimeoutError, match=r"given 0\.3 s"):
                retriever.search("compress files faster", timeout=0.3)
        finally:
            may_end.set()
        assert first.result(60).hits
    assert retriever.search("compress files faster", timeout=60).hits
