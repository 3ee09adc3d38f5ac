"""What is learnt is used at once: by whoever has the graph open, in this process or another."""

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from fourfold import Node, RetrievalConfig, Retriever
from fourfold.evaluate import feedback_judgements

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
            writer.set_meta("config", '{"in_force": 1, "versions": [{"number": 1, "applied": "", "changes": {"x": 1}}]}')
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
