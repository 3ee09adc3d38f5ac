"""What is learnt is used at once: by whoever has the graph open, in this process or another."""

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from fourfold import Edge, InvalidValueError, Node, RetrievalConfig, Retriever, StoreError
from fourfold.evaluate import Interval, JudgedQuery, TuneResult, background, feedback_judgements, tune

WORDS = ("amber", "basil", "cedar", "dahlia", "elder", "fennel", "ginger", "hazel", "iris", "juniper", "kale", "lotus")

CHILD = """
import sys
from fourfold import RetrievalConfig, Retriever, Weights

with Retriever(sys.argv[1]) as retriever:
    for line in sys.stdin:
        match line.split():
            case ["apply", limit]:
                retriever.learning.apply_config(RetrievalConfig(limit=int(limit)))
            case ["rollback"]:
                retriever.learning.rollback_config()
            case ["feedback", node]:
                retriever.learning.feedback("letters?", node)
        print("done", flush=True)
"""

NODES = [Node(f"n{place}", f"letter {name}", text="letters of the alphabet") for place, name in enumerate("abcdefgh")]


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "kg.sqlite"
    with Retriever(path) as retriever:
        retriever.add(NODES)
    return path


@pytest.fixture
def elsewhere(path):
    """Say a word to another process that has the graph open, and return when that is done."""
    command = [sys.executable, "-c", CHILD, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:

        def say(words):
            print(words, file=child.stdin, flush=True)
            assert child.stdout.readline() == "done\n"

        yield say
        child.stdin.close()


@pytest.mark.parametrize("read_only", [False, True])
def test_what_another_process_applies_is_in_force_with_the_next_search(path, elsewhere, read_only):
    with Retriever(path, read_only=read_only) as retriever, Retriever(path, config=RetrievalConfig(limit=5)) as given:
        assert len(retriever.search("letters")) == 8
        elsewhere("apply 3")
        assert len(retriever.search("letters")) == 3
        assert retriever.config.limit == 3 and retriever.info()["config_version"] == 1
        elsewhere("apply 2")
        assert retriever.config.limit == 2, "before any search"
        elsewhere("rollback")
        assert len(retriever.search("letters")) == 3
        elsewhere("feedback n3")
        assert retriever.learning.judgements() == [("letters?", "n3", 1.0)]
        assert len(feedback_judgements(retriever)) == 1
        assert len(given.search("letters")) == 5 and given.config.limit == 5, "what the caller gave stays"


def test_whoever_applies_a_config_follows_the_graph_from_then_on(path, elsewhere):
    with Retriever(path, config=RetrievalConfig(limit=5)) as retriever:
        elsewhere("apply 3")
        assert len(retriever.search("letters")) == 5
        retriever.learning.apply_config(RetrievalConfig(limit=4))
        assert len(retriever.search("letters")) == 4
        elsewhere("apply 2")
        assert len(retriever.search("letters")) == 2


def test_a_config_of_a_later_version_leaves_open_retrievers_as_they_were(path, caplog):
    with Retriever(path) as retriever, Retriever(path) as other:
        other.learning.apply_config(RetrievalConfig(limit=3))
        assert len(retriever.search("letters")) == 3
        with other.backend.transaction() as writer:
            writer.set_meta(
                "config", '{"in_force": 1, "versions": [{"number": 1, "applied": "", "changes": {"x": 1}}]}'
            )
        assert len(retriever.search("letters")) == 3
        assert len(retriever.search("letters b")) == 3
        assert len([1 for line in caplog.messages if "unknown to this version" in line]) == 1


def test_beside_threads_that_search_a_config_is_in_force_as_soon_as_it_was_applied(path):
    limits, stop = [2, 3, 4, 5, 6, 7], threading.Event()
    with Retriever(path) as applies, Retriever(path) as searches:

        def search(number):
            while not stop.is_set():
                assert 2 <= len(searches.search(f"letters {number}")) <= 8

        with ThreadPoolExecutor(3) as pool:
            running = [pool.submit(search, number) for number in range(3)]
            try:
                for limit in limits:
                    applies.learning.apply_config(RetrievalConfig(limit=limit))
                    assert len(searches.search("letters")) == limit
            finally:
                stop.set()
            for one in running:
                one.result()


# -- retriever.learn() --------------------------------------------------------------------------------------------


def planted(count=22):
    """Return nodes, edges and what users said: a question names a node, its answer is what that node requires.

    Each has a text, from which no question steps back unasked.
    """
    names = [f"{a} {b}" for a in WORDS for b in WORDS if a < b][: 2 * count]
    nodes = [Node(f"n{place:03}", name, text="sold in jars") for place, name in enumerate(names)]
    edges = [Edge(f"n{place:03}", f"n{place + count:03}", "requires") for place in range(count)]
    said = [(f"what goes with {names[place]}", f"n{place + count:03}") for place in range(count)]
    return nodes, edges, said


@pytest.fixture
def taught(tmp_path):
    nodes, edges, said = planted()
    with Retriever(tmp_path / "taught.sqlite") as retriever:
        retriever.add(nodes, edges)
        for question, answer in said:
            retriever.learning.feedback(question, answer)
        yield retriever


def test_what_is_learnt_in_the_background_is_used_by_everybody(taught):
    before = taught.config
    with Retriever(taught.path) as other:
        lesson = taught.learn()
        assert taught.search("amber basil").hits, "searches go on"
        result = lesson.wait()
        assert result is not None and result.worthwhile and lesson.verdict.startswith("Better")
        assert lesson.applied == 1 and not lesson.running
        assert taught.config == other.config == result.config != before
        assert taught.learning.config_versions()[0].evidence["queries"] == 22


def learnt(monkeypatch, **facts):
    """Let tuning come to a result at once."""
    zero = Interval(0.0, 0.0, 0.0)
    facts = {"config": RetrievalConfig(limit=7), "worthwhile": True, "verdict": "Better: said so.", **facts}
    result = TuneResult(
        changes={"limit": 7}, measure="ndcg@10", default=zero, tuned=zero, gain=zero, lower=0.0, chance=0.0,
        rankings={}, folds=5, **facts,
    )  # fmt: skip
    monkeypatch.setattr(background, "tune", lambda retriever, queries, **options: result)
    return result


def test_only_what_the_gate_lets_pass_is_applied_and_only_if_wanted(taught, monkeypatch):
    refused = learnt(monkeypatch, worthwhile=False, verdict="Not applied: chance.")
    lesson = taught.learn([JudgedQuery("1", "which?", {"n001": 1.0})])
    assert lesson.wait() is refused and lesson.applied is None and lesson.verdict == "Not applied: chance."
    passed = learnt(monkeypatch)
    only_told = taught.learn(apply=False)
    assert only_told.wait() is passed and only_told.applied is None
    assert taught.learning.config_versions() == []
    assert taught.learn().wait() is passed and taught.config.limit == 7


def test_a_config_applied_while_another_was_learnt_stays(taught, monkeypatch):
    theirs = RetrievalConfig(limit=3)

    result = learnt(monkeypatch)

    def tune_beside_others(retriever, queries, **options):
        with Retriever(taught.path) as other:
            other.learning.apply_config(theirs)
        return result

    monkeypatch.setattr(background, "tune", tune_beside_others)
    lesson = taught.learn()
    lesson.wait()
    assert (
        lesson.applied is None and "Version 1 of the config is in force by now, no longer version 0" in lesson.verdict
    )
    assert taught.config == theirs


def test_a_lesson_can_be_stopped_and_a_closed_graph_ends_it(taught, monkeypatch):
    entered, go_on = threading.Event(), threading.Event()

    def slow(retriever, queries, *, k, progress):
        entered.set()
        go_on.wait()
        return tune(retriever, queries, k=k, progress=progress)

    monkeypatch.setattr(background, "tune", slow)
    lesson = taught.learn()
    assert lesson.running and lesson.verdict == "Still learning."
    lesson.stop()
    go_on.set()
    assert lesson.wait() is None and lesson.verdict == "Stopped; nothing was applied."
    entered.clear()
    go_on.clear()
    lesson = taught.learn()
    entered.wait()
    taught.close()
    go_on.set()
    assert lesson.wait() is None and lesson.applied is None and "closed" in lesson.verdict


def test_learning_needs_feedback_and_a_graph_that_can_be_written(path, taught):
    with Retriever(path) as retriever, pytest.raises(InvalidValueError, match="holds no feedback"):
        retriever.learn()
    with Retriever(taught.path, read_only=True) as retriever, pytest.raises(StoreError, match="say apply=False"):
        retriever.learn()
