"""Writers that are killed at any point, and several processes at once."""

import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as TimedOut  # before Python 3.11 another than the builtin
from pathlib import Path

import pytest

from fourfold import Edge, Node, Retriever
from fourfold.errors import StoreError

pytest.importorskip("milvus_lite", reason="Milvus Lite is not installed; make test-engines installs it, where it can.")

from milvus_work import CONFIG, Server, twins, write  # noqa: E402  (it needs pymilvus)
from pymilvus import MilvusClient  # noqa: E402

from fourfold.engines.milvus import lite  # noqa: E402
from fourfold.engines.milvus.schema import UNUSED  # noqa: E402
from fourfold.engines.milvus.state import State  # noqa: E402

pytestmark = pytest.mark.engines
WORK = Path(__file__).parent.parent / "helpers" / "milvus_work.py"


@pytest.fixture(scope="module")
def server(milvus, tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("milvus"))
    yield server
    server.stop()


def child(*arguments):
    return subprocess.run([sys.executable, WORK, *map(str, arguments)], capture_output=True, text=True, check=False)


def shows(retriever, number):
    """Look at everything that a write changes: all of it is as one write has left it."""
    nodes, edges = twins(number)
    assert retriever.get([node.id for node in nodes]) == nodes
    assert set(retriever.manifest()) == {node.id for node in nodes}
    assert retriever.edges(["a"]) == edges
    assert retriever.backend.counts() == {"nodes": 3, "edges": 1, "vectors": 3}
    assert set(retriever.matching({"number": number})) == {"a", "b"}
    assert retriever.backend.meta("number") == str(number)
    assert retriever.learning.judgements() == [("zebra", "a", number / 1000)]
    found = retriever.search(f"zebra number{number}", k=10)
    assert found.degraded == () and set(found.ids) == {node.id for node in nodes}
    with Retriever(":memory:", config=CONFIG) as other:
        other.add(nodes, edges)
        twin = other.search(f"zebra number{number}", k=10)
        assert [(hit.node.id, pytest.approx(hit.score, abs=1e-4)) for hit in found.hits] == [
            (hit.node.id, hit.score) for hit in twin.hits
        ]


def test_a_writer_killed_at_any_point_leaves_the_former_generation(server):
    url = server.url("killed")
    with Retriever(url, config=CONFIG) as reader:
        for number in (1, 2):
            write(reader, number)
        patient = url.replace("claim=0.5", "claim=60")  # a slow machine renews a short claim, and counts it
        told = child("count", patient, 3)
        changes = int(told.stdout)
        assert changes > 10, told.stderr
        number, generation = 3, reader.generation
        for at in range(changes):
            ended = child("die", url, number + 1, at)
            assert ended.returncode == -9, ended.stderr
            if reader.generation != generation:  # its commit was made, what came after it was not
                number += 1
            shows(reader, number)
            write(reader, number := number + 1)  # over the remains
            generation = reader.generation
            shows(reader, number)


def test_a_process_killed_with_its_local_file_open_leaves_the_former_generation(milvus_url):
    with Retriever(milvus_url, config=CONFIG) as retriever:
        write(retriever, 1)
    number = 1
    for at in (0, 4, 8, 12):
        ended = child("die", milvus_url, number + 1, at)
        assert ended.returncode == -9, ended.stderr
        with Retriever(milvus_url, config=CONFIG) as retriever:
            number = int(retriever.backend.meta("number"))
            shows(retriever, number)
            write(retriever, number := number + 1)
            shows(retriever, number)


def test_a_server_that_was_killed_is_found_again(milvus, tmp_path):
    server = Server(tmp_path)
    try:
        with Retriever(server.url("again"), config=CONFIG) as retriever:
            for number in (1, 2, 3):
                write(retriever, number)
                server.stop()
                with pytest.raises(StoreError, match="failed"):
                    retriever.search("zebra twin")
                with pytest.raises(StoreError, match="failed"):
                    write(retriever, number + 1)
                server.start()
                shows(retriever, number)  # by the one that was open all the time
    finally:
        server.stop()


def test_processes_take_turns(server):
    url = server.url("turns")
    with Retriever(url, config=CONFIG) as retriever:
        retriever.add([Node("first", "zebra")])
        with ThreadPoolExecutor(4) as pool:
            code = (
                "import sys; from fourfold import Edge, Node, Retriever\n"
                "with Retriever(sys.argv[1]) as own:\n"
                "    for number in range(5):\n"
                "        own.add([Node(f'{sys.argv[2]} {number}', 'zebra')], "
                "[Edge('first', f'{sys.argv[2]} {number}', 't')])\n"
                "        assert len(own.search('zebra', k=100).hits) > number\n"
            )
            command = [sys.executable, "-c", code, url.replace("claim=0.5", "claim=20")]
            done = [pool.submit(subprocess.run, [*command, name], capture_output=True, text=True) for name in "wxyz"]
            for one in done:
                assert one.result().returncode == 0, one.result().stderr
        assert retriever.backend.counts() == {"nodes": 21, "edges": 20, "vectors": 21}


@pytest.mark.parametrize("ticket", [None, 0])
def test_who_comes_in_the_same_moment_waits_and_is_not_turned_away(server, ticket):
    with Retriever(server.url(f"moment{ticket}").replace("claim=0.5", "claim=20"), config=CONFIG) as retriever:
        retriever.add([Node("first", "zebra")])
        link = retriever.backend._link
        claim = {"row": -7, "value": json.dumps({"ticket": ticket, "time": time.time()}), "unused": UNUSED}
        link.change("commits", [claim])  # it chooses, or came before
        with ThreadPoolExecutor(1) as pool:
            waits = pool.submit(retriever.add, [Node("second", "zebra")])
            with pytest.raises(TimedOut):
                waits.result(1)
            later = {"ticket": 9, "time": time.time()}  # it has chosen a ticket after this one, or comes again
            link.change("commits", [{**claim, "value": json.dumps(later)}])
            waits.result(10)
        assert list(State.read(link)[1]) == [-7]  # who waits is not taken for dead


@pytest.mark.parametrize(
    "said", [{"ticket": 1, "time": time.time() + 3_600}, {"ticket": 1}, {"ticket": "x", "time": ""}]
)
def test_who_died_with_a_clock_ahead_of_all_others_is_waited_for_no_longer_than_others(server, said):
    with Retriever(server.url(f"ahead{len(str(said))}").replace("claim=0.5", "claim=2"), config=CONFIG) as retriever:
        write(retriever, 1)
        claim = {"row": -7, "value": json.dumps(said), "unused": UNUSED}
        retriever.backend._link.change("commits", [claim])
        write(retriever, 2)
        shows(retriever, 2)
        assert -7 not in State.read(retriever.backend._link)[1]


def test_who_was_taken_for_dead_changes_nothing(server):
    url = server.url("slow")
    with Retriever(url, config=CONFIG) as slow, Retriever(url, config=CONFIG) as reader:
        slow.add([Node("a", "zebra")])

        def late(writer):
            assert child("count", url, 1).returncode == 0  # another process waits until the claim has run out

        with pytest.raises(StoreError, match="took this one for dead; nothing was changed"):
            slow.add([Node("late", "zebra")], also=late)
        assert set(reader.manifest()) == {"a", "b", "only 1"}
        reader.add([Node("c", "zebra")], [Edge("a", "c", "t")])
        assert set(reader.manifest()) == {"a", "b", "c", "only 1"}


@pytest.mark.parametrize("name", ["__init__", "get_server_version"])
def test_what_could_not_be_opened_is_let_go(milvus_url, monkeypatch, name):
    """Else nobody else could open the file as long as the process goes on."""

    def broken(*args, **kwargs):
        raise ValueError("a broken client")

    with monkeypatch.context() as patched:
        patched.setattr(MilvusClient, name, broken)
        with pytest.raises(ValueError, match="a broken client"):
            Retriever(milvus_url)
    assert not lite._open
    with Retriever(milvus_url) as graph:
        graph.add([Node("a", "apple")])
    assert not lite._open
