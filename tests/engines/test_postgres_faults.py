"""Power cuts, hostile names, several processes."""

import multiprocessing
import os
import socket
import threading
import time
import warnings
from concurrent.futures import ProcessPoolExecutor

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pg_server import Server
from pg_work import CONFIG, pair, run

from fourfold import Edge, Node, Retriever, SearchTimeoutError
from fourfold.errors import FourfoldError, InvalidValueError, StoreError


@pytest.fixture
def own_server(pg_server):
    server = Server()
    yield server
    server.stop()


def cut_power(server, rounds):
    """Kill the server while a graph is written to, and look at what is there afterwards; so many times."""
    url = server.url("cut")
    promised, tried, at_once, failures = set(), set(), threading.Event(), []

    def write(retriever, first):
        for number in range(first, first + 10_000):
            tried.add(number)
            try:
                retriever.add(*pair("w", number))
            except StoreError:
                return
            except Exception as error:  # noqa: BLE001  (whatever it is, the test must tell it)
                failures.append(error)
                return
            promised.add(number)
            at_once.set()

    with Retriever(url, config=CONFIG) as retriever:
        for one in range(rounds):
            at_once.clear()
            writer = threading.Thread(target=write, args=(retriever, one * 10_000))
            writer.start()
            assert at_once.wait(60)
            server.kill()
            writer.join(60)
            assert not writer.is_alive()
            assert not failures
            with pytest.raises(StoreError):
                retriever.search("zebra")
            server.start()
            last = pair("w", max(promised))[0]
            found = retriever.search(last[0].text, mode="text")  # by the one that was open all the time
            assert found.degraded == ()
            assert {node.id for node in last} <= set(found.ids)
            there = {identity.rpartition(".")[0] for identity in retriever.manifest()}
            assert sorted(retriever.manifest()) == sorted(f"{name}.{side}" for name in there for side in "ab")
            assert set(retriever.matching({})) == set(retriever.manifest())
            numbers = {int(name.partition(".")[2]) for name in there}
            assert promised <= numbers <= tried
            assert retriever.backend.counts()["edges"] == len(there)
            with server.connect() as connection:
                connection.execute("SET search_path = cut, public")
                held = connection.execute(
                    "SELECT sum(held_1 + held_2 + held_3 + held_4 + held_5 + held_6 + held_7) FROM terms"
                ).fetchone()[0]
                rows = "SELECT (SELECT count(*) FROM postings), nodes, (SELECT count(*) FROM nodes) FROM state"
                assert connection.execute(rows).fetchone() == (held, 2 * len(there), 2 * len(there))


def test_a_power_cut_leaves_whole_writes_only(own_server):
    cut_power(own_server, 3)


@pytest.mark.engines
def test_fifty_power_cuts(own_server):
    cut_power(own_server, 50)


def at_once(url, readers, writers, seconds):
    context = multiprocessing.get_context("spawn")
    tasks = [("write", url, f"w{one}", seconds) for one in range(writers)] + [("read", url, seconds)] * readers
    with Retriever(url, config=CONFIG) as retriever:
        retriever.add([Node("first", "zebra")])
        with ProcessPoolExecutor(len(tasks), mp_context=context) as pool:
            done = list(pool.map(run, tasks))
        assert len(retriever) == 1 + 2 * sum(done[:writers])
        assert retriever.backend.counts()["edges"] == sum(done[:writers])
    return done


def test_processes_write_and_search_at_once(pg_url):
    assert min(at_once(pg_url, 2, 2, 2.0)) > 0


@pytest.mark.engines
def test_eight_search_and_four_write_for_a_minute(pg_url):
    assert min(at_once(pg_url, 8, 4, 60.0)) > 0


def test_a_child_of_a_fork_uses_connections_of_its_own(pg_url):
    with Retriever(pg_url, config=CONFIG) as retriever:
        retriever.add([Node("a", "zebra")])
        assert list(retriever.search("zebra").ids) == ["a"]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of threads that pytest's workers may have
            child = os.fork()
        if not child:
            code = 1
            try:
                code = 0 if list(retriever.search("zebra here").ids) == ["a"] else 2
            finally:
                os._exit(code)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert list(retriever.search("zebra there").ids) == ["a"]


def test_a_statement_that_takes_too_long_is_given_up(pg_server, pg_url):
    with Retriever(f"{pg_url}&statement_timeout=0.2", config=CONFIG) as retriever:
        retriever.add([Node("a", "zebra")])
        with pytest.raises(StoreError, match="statement_timeout"):
            retriever.backend.link.one("SELECT pg_sleep(5)")
        assert list(retriever.search("zebra").ids) == ["a"]


def test_the_first_round_trip_of_a_search_has_the_deadline_too(pg_server, pg_url):
    with Retriever(f"{pg_url}&statement_timeout=3", config=CONFIG) as retriever, pg_server.connect() as other:
        retriever.add([Node("a", "zebra")])
        with other.transaction():
            other.execute(f"LOCK {retriever.backend.link.quoted_schema}.state IN ACCESS EXCLUSIVE MODE")
            with pytest.raises(SearchTimeoutError):
                retriever.search("zebra", timeout=0.1)
            with pytest.raises(SearchTimeoutError):
                retriever.explain("zebra", "a", timeout=0.1)
            with pytest.raises(StoreError, match="statement_timeout"):
                retriever.search("zebra")
            with pytest.raises(StoreError, match="statement_timeout"):  # what the address allows is not exceeded
                retriever.search("zebra", timeout=4_000_000)
        assert retriever.search("zebra", timeout=4_000_000).ids == ["a"]


def test_a_search_waits_for_a_connection_no_longer_than_it_was_given(pg_url):
    with Retriever(f"{pg_url}&pool=2", config=CONFIG) as retriever:
        retriever.add([Node("a", "zebra")])
        link = retriever.backend.link
        with link.writing(), link.writing(), pytest.raises(SearchTimeoutError):
            retriever.search("zebra", timeout=0.1)
        assert retriever.search("zebra", timeout=60).ids == ["a"]


class Proxy:
    """Stands between a client and a server; while it hangs it takes what comes and says nothing."""

    def __init__(self, folder, server):
        self.hangs = False
        self._to = str(server / ".s.PGSQL.5432")
        self._sockets = [socket.socket(socket.AF_UNIX)]
        self._sockets[0].bind(str(folder / ".s.PGSQL.5432"))
        self._sockets[0].listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                client, _ = self._sockets[0].accept()
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX)
            server.connect(self._to)
            self._sockets += [client, server]
            for ends in ((client, server), (server, client)):
                threading.Thread(target=self._forward, args=ends, daemon=True).start()

    def _forward(self, source, target):
        try:
            while data := source.recv(65536):
                if not self.hangs:
                    target.sendall(data)
        except OSError:
            pass

    def close(self):
        for each in self._sockets:
            each.close()


@pytest.fixture
def proxy(pg_server, tmp_path_factory):
    folder = tmp_path_factory.mktemp("p")
    made = Proxy(folder, pg_server.folder)
    made.url = f"postgresql://postgres@/postgres?host={folder}"
    yield made
    made.close()


def test_a_server_that_hangs_is_waited_for_no_longer_than_a_search_was_given(proxy):
    url = f"{proxy.url}&schema=hangs&pool=2&statement_timeout=1"
    with Retriever(url, config=CONFIG) as retriever:
        retriever.add([Node("a", "zebra")])
        assert retriever.search("zebra").ids == ["a"]
        for _ in ("an open connection", "a new one"):
            proxy.hangs = True
            began = time.monotonic()
            with pytest.raises(SearchTimeoutError):
                retriever.search("zebra", timeout=0.2)
            assert time.monotonic() - began < 10  # 30 s are given to a connection without a limit
        proxy.hangs = False
        assert retriever.search("zebra").ids == ["a"]
        proxy.hangs = True
        with pytest.raises(StoreError, match="does not answer"):
            retriever.search("zebra")
        proxy.hangs = False
        assert retriever.search("zebra", timeout=60).ids == ["a"]


def test_a_write_to_a_server_that_hangs_ends(proxy):
    url = f"{proxy.url}&schema=hangs_writing&statement_timeout=.5&connect_timeout=2"
    with Retriever(url, config=CONFIG) as retriever:
        retriever.add([Node("a", "zebra")])
        with pytest.raises(StoreError, match="nothing was changed: the server does not answer"):  # noqa: SIM117
            with retriever.backend.link.writing() as connection:
                proxy.hangs = True
                connection.execute("DELETE FROM nodes")
        proxy.hangs = False
        assert retriever.search("zebra", timeout=60).ids == ["a"]
        with pytest.raises(StoreError, match="nobody knows whether it was written"), retriever.backend.link.writing():
            proxy.hangs = True
        proxy.hangs = False
        retriever.add([Node("b", "zebra")])
        assert sorted(retriever.search("zebra", timeout=60).ids) == ["a", "b"]


def test_a_write_that_lives_takes_as_long_as_it_takes(proxy):
    url = f"{proxy.url}&schema=lives&statement_timeout=.2"
    with Retriever(url, config=CONFIG) as retriever, retriever.backend.link.writing() as connection:
        assert connection.execute("SELECT pg_sleep(2) IS NULL").fetchone() == (False,)


def test_a_writer_waits_for_its_turn_no_longer_than_the_address_says(pg_url):
    with (
        Retriever(pg_url, config=CONFIG) as holding,
        Retriever(f"{pg_url}&options=-c%20lock_timeout%3D300ms", config=CONFIG) as waiting,
    ):
        holding.add([Node("a", "zebra")])
        with holding.backend.link.writing() as connection:
            connection.execute("SELECT FROM state FOR UPDATE")
            with pytest.raises(StoreError, match="nothing was changed: canceling statement due to lock timeout"):
                waiting.add([Node("b", "zebra")])
            assert waiting.search("zebra", timeout=60).ids == ["a"]
        waiting.add([Node("b", "zebra")])


@pytest.fixture
def own_database(pg_server):
    with pg_server.connect() as connection:
        connection.execute("CREATE DATABASE apart")
        connection.execute("ALTER DATABASE apart SET default_transaction_isolation = 'serializable'")
        connection.execute("ALTER DATABASE apart SET client_encoding = 'latin1'")
        yield pg_server.url("kg").replace("/postgres?", "/apart?")
        connection.execute("DROP DATABASE apart WITH (FORCE)")


def test_the_settings_of_a_database_do_not_matter(own_database):
    failed = []

    def open_and_write(writer):
        try:
            with Retriever(own_database, config=CONFIG) as retriever:
                both.wait(60)
                for number in range(10):
                    retriever.add([Node(f"日本 {writer} {number}", "zebra")])
        except Exception as error:  # noqa: BLE001  (whatever it is, the test must tell it)
            failed.append(error)
            both.abort()

    both = threading.Barrier(4)
    writers = [threading.Thread(target=open_and_write, args=(one,)) for one in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert not failed
    with Retriever(own_database, config=CONFIG) as retriever:
        assert len(retriever) == 40
        assert "日本 3 9" in retriever.manifest()


def test_a_role_that_may_make_tables_in_its_schema_only(pg_server):
    with pg_server.connect() as connection:
        connection.execute("CREATE ROLE modest LOGIN; CREATE SCHEMA made_for_it AUTHORIZATION modest")
    with Retriever(pg_server.url("made_for_it", user="modest"), config=CONFIG) as retriever:
        retriever.add([Node("a", "zebra")])
        assert list(retriever.search("zebra").ids) == ["a"]


# -- hostile names --------------------------------------------------------------------------------------------------

HOSTILE = st.text(
    st.one_of(st.sampled_from("'\"\\;-%{}$:?()[]/*\n\t ,=|&\x00`"), st.characters()), min_size=1, max_size=20
)
PHRASES = st.sampled_from(
    [
        "'; DROP TABLE nodes; --",
        '"; DROP SCHEMA public CASCADE; --',
        "%s",
        "%(terms)s",
        "{postings}",
        "$1",
        "\\'; SELECT pg_sleep(9); --",
        "E'\\x41'",
        "a%",
        "x) OR (1=1",
        "NULL",
    ]
)
NAMES = st.one_of(HOSTILE, PHRASES)
QUIET = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module")
def hostile(pg_server):
    with Retriever(pg_server.url("hostile"), config=CONFIG) as retriever, pg_server.connect() as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS public.sentinel AS SELECT 1 AS one")
        yield retriever, connection


def tables(connection):
    sql = "SELECT nspname, relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE relkind = 'r'"
    return sorted(connection.execute(f"{sql} AND nspname IN ('hostile', 'public')").fetchall())


@QUIET
@given(id=NAMES, other=NAMES, type=NAMES, key=NAMES, value=NAMES, text=NAMES)
def test_hostile_ids_types_keys_and_values(hostile, id, other, type, key, value, text):
    retriever, connection = hostile
    before = tables(connection)
    node = Node(id, text, type, text, {key: value, "list": [value]})
    try:
        retriever.add([node, Node(other, "other")], [Edge(id, other, type), Edge(other, id, key)])
    except InvalidValueError as error:
        assert "NUL" in str(error) or "surrogate" in str(error)  # noqa: PT017
        return
    if id != other:
        assert retriever.get([id]) == [node]
    retriever.search(text)
    retriever.search(f"{id} {type}", filter={"list": value}, group_by=key)
    try:
        assert id == other or id in retriever.matching({key: value})
        assert id == other or id not in retriever.matching({key: {"$ne": value}})
        retriever.matching({key: {"$icontains": value}, "$name": {"$contains": text}, "$id": {"$gt": value}})
    except FourfoldError as error:
        assert key.startswith("$"), error  # noqa: PT017  (an operator, not a key)
    retriever.explain(text, id)
    retriever.learning.feedback(f"{text} ", id) if text.strip() else None
    retriever.delete([id, other], edges=[Edge(id, other, type)])
    assert len(retriever) == 0
    assert tables(connection) == before
    assert connection.execute("SELECT one FROM public.sentinel").fetchone() == (1,)


@settings(QUIET, max_examples=8)
@given(schema=NAMES)
def test_hostile_schema_names(pg_server, schema):
    with pg_server.connect() as connection:
        try:
            with Retriever(pg_server.url(schema), config=CONFIG) as retriever:
                retriever.add([Node("a", "zebra")])
                assert list(retriever.search("zebra").ids) == ["a"]
                assert list(retriever.matching({"$name": {"$icontains": "ZEBRA"}})) == ["a"]
        except StoreError as error:
            assert "schema" in str(error).lower()  # noqa: PT017
            return
        there = connection.execute("SELECT count(*) FROM pg_namespace WHERE nspname = %s", (schema,)).fetchone()
        assert there == (1,)
        quoted = '"' + schema.replace('"', '""') + '"'
        if schema != "public":
            connection.execute(f"DROP SCHEMA {quoted} CASCADE")
