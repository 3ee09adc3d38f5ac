"""With the index that finds the nearest vectors an answer is as good: nDCG@10 within .005 of comparing them all."""

import threading
from pathlib import Path

import numpy as np
import pytest

from fourfold import Edge, Node, RetrievalConfig, Retriever, demo
from fourfold.engines.postgres import link, writer
from fourfold.evaluate import load_judgements
from fourfold.evaluate.metrics import ndcg

PROBES = load_judgements(Path(__file__).parent.parent / "data" / "stdlib_probes.jsonl")


def mean(retriever):
    return np.mean([ndcg(retriever.search(one.text, k=10).ids, one.relevant, 10) for one in PROBES])


def test_two_may_make_the_index_at_once(pg_server, pg_url):
    """Whoever waits for the turn must not be waited for: PostgreSQL would call it a deadlock."""
    schema = pg_url.rpartition("schema=")[2]
    with Retriever(pg_url) as graph, pg_server.connect() as other:
        graph.add([Node("a", "apple"), Node("b", "pear")])
        other.execute("SELECT set_config('search_path', %s, false)", (f"{schema}, public",))
        other.execute("SELECT pg_advisory_lock(hashtext('fourfold index'), hashtext(current_schema()))")
        made = []
        waiting = threading.Thread(target=lambda: made.append(graph.backend.make_index()))
        waiting.start()
        asking = "SELECT count(*) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND query LIKE '%advisory_lock%'"
        while other.execute(asking).fetchone() == (0,):
            pass
        other.execute("CREATE INDEX CONCURRENTLY another ON vectors (norm)")
        other.execute("SELECT pg_advisory_unlock(hashtext('fourfold index'), hashtext(current_schema()))")
        waiting.join(60)
        assert made == [True]


@pytest.mark.engines
def test_answers_by_the_index_are_as_good(pg_url):
    with Retriever(pg_url) as postgres:
        postgres.add([Node(**node) for node in demo.nodes()], [Edge(**edge) for edge in demo.edges()])
        assert postgres.backend.make_index()
    exact = RetrievalConfig().replace(index={"exact": True})
    with Retriever(pg_url) as by_index, Retriever(pg_url, config=exact) as by_all:
        assert not by_index.analysis.snapshot().vectors.ask(np.ones(256)).best(1).exact
        assert by_all.analysis.snapshot().vectors.ask(np.ones(256)).best(1).exact
        assert mean(by_index) == pytest.approx(mean(by_all), abs=0.005)


def test_a_write_of_many_vectors_stands_where_no_thread_can_make_the_index(pg_url, monkeypatch):
    def refuse(thread):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(writer, "INDEXED_FROM", 1)
    with Retriever(pg_url) as graph:
        with monkeypatch.context() as patched:
            patched.setattr(threading.Thread, "start", refuse)
            graph.add([Node("a", "apple")])
        assert graph.search("apple").ids == ["a"]
        graph.add([Node("b", "pear")])
        graph.backend._maintenance.join(60)
        assert graph.backend.first_stage() == ("hnsw", None)


def test_who_is_interrupted_while_it_waits_for_its_turn_leaves_no_connection_that_waits_for_ever(pg_url, monkeypatch):
    def interrupted(seconds):
        raise KeyboardInterrupt

    with Retriever(pg_url) as graph, Retriever(pg_url) as other:
        graph.add([Node("a", "apple")])
        with other.backend.link.writing() as connection:
            connection.execute("SELECT pg_advisory_xact_lock(hashtext('a turn'), hashtext(current_schema()))")
            monkeypatch.setattr(link.time, "sleep", interrupted)
            with pytest.raises(KeyboardInterrupt):
                graph.backend.link.apart("a turn")
        assert graph.backend.link.rows("SHOW statement_timeout") != [("0",)]
