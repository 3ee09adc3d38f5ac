"""PostgreSQL answers as SQLite does, in few round trips, and says what it cannot do."""

import contextlib
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fourfold import Edge, Node, RetrievalConfig, Retriever, SearchTimeoutError, deadline, filters
from fourfold.checking import check
from fourfold.cli import create_app
from fourfold.engines.postgres.address import Address
from fourfold.engines.postgres.link import Link
from fourfold.errors import InvalidValueError, StoreError, UnsupportedError
from fourfold.questions import Questions
from fourfold.testing.compared import Both

GRAPHS = json.loads((Path(__file__).parent.parent / "data" / "published.json").read_text())["graphs"]
CONFIGS = {
    "default": RetrievalConfig().replace(text={"phrase": "never"}),  # phrases: FTS5 only, see capabilities
    "published": RetrievalConfig.published().replace(text={"phrase": "never"}),
    "two signals": RetrievalConfig.two_signal().replace(text={"phrase": "never"}),
}


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)
@pytest.mark.parametrize("data", GRAPHS, ids=lambda data: f"{len(data['nodes'])} nodes")
def test_every_golden_case(pg_url, data, config):
    nodes, edges = [Node(**node) for node in data["nodes"]], [Edge(**edge) for edge in data["edges"]]
    with Retriever(":memory:", config=config) as sqlite, Retriever(pg_url, config=config) as postgres:
        sqlite.add(nodes, edges)
        postgres.add(nodes, edges)
        for case in data["cases"]:
            options = {"k": case["limit"], "query_vector": case["query_vector"], **case.get("options", {})}
            expected, found = (one.search(case["query"], **options) for one in (sqlite, postgres))
            assert found.ids == expected.ids, case["query"]
            assert (found.intent, found.weights, found.degraded) == (expected.intent, expected.weights, ())
            for hit, other in zip(found.hits, expected.hits, strict=True):
                assert hit.score == pytest.approx(other.score, abs=1e-4)
                assert hit.components.as_dict() == pytest.approx(other.components.as_dict(), abs=1e-4)
                assert hit.why == other.why


def test_a_search_is_at_most_eight_round_trips(pg_url):
    data = GRAPHS[-1]
    with Retriever(pg_url) as retriever:
        retriever.add([Node(**node) for node in data["nodes"]], [Edge(**edge) for edge in data["edges"]])
        retriever.search("warm", query_vector=data["cases"][0]["query_vector"])
        for case in data["cases"]:
            before = retriever.backend.link.round_trips
            found = retriever.search(case["query"], query_vector=case["query_vector"])
            assert retriever.backend.link.round_trips - before <= 8, case["query"]
            before = retriever.backend.link.round_trips
            retriever.explain(case["query"], found.ids[-1], query_vector=case["query_vector"])
            assert retriever.backend.link.round_trips - before <= 10, case["query"]


@pytest.mark.parametrize("mentions", [[], [("f1", "n2"), ("n3", "f2"), ("f3", "m3"), ("n1", "n2"), ("m5", "n7")]])
def test_a_search_over_texts_is_at_most_eight_round_trips(pg_url, mentions):
    with Retriever(pg_url) as retriever:
        nodes = [Node(f"f{i}", f"Film {i}", text=f"A drama by Quentza {'abcdefgh'[i]}rhault.") for i in range(8)]
        people = [Node(f"m{i}", f"Quentza {'abcdefgh'[i]}rhault the Elder", text="He was a native.") for i in range(8)]
        items = [Node(f"n{i}", f"Item {i}", text=f"Stock {i}.") for i in range(30)]
        retriever.add([*nodes, *people, *items], [Edge(*ends, "mentions") for ends in mentions])
        retriever.search("warm")
        for question in ("Who directed Film 3?", "Where was the director of film 5 born?"):
            before = retriever.backend.link.round_trips
            found = retriever.search(question)
            assert retriever.backend.link.round_trips - before <= 8, question
            assert any(one.component == "bridge" for hit in found.hits for one in hit.evidence), question


def test_an_address_shows_no_password_and_keeps_it():
    address = Address.of("postgresql://me:secret@example.org:5432/db?schema=kg&sslmode=require&pool=3")
    assert address.shown == "postgresql://me@example.org:5432/db?schema=kg"
    assert "secret" in address.conninfo and "schema" not in address.conninfo and address.connections == 3


@pytest.mark.parametrize(("given", "set_to"), [("0.0004", "1"), ("0", "0"), ("60", "60000")])
def test_a_limit_of_less_than_a_millisecond_is_one(given, set_to):
    link = Link(Address.of(f"postgresql://example.org/db?statement_timeout={given}"))
    assert link._settings()[1][1] == set_to  # to the server 0 is no limit at all


def test_a_number_that_is_too_large_is_told_the_bound():
    with pytest.raises(StoreError, match=r"pool is '1e9' in the address; .* at least 2 and below 1,000,000\."):
        Address.of("postgresql://example.org/db?pool=1e9")


@pytest.mark.parametrize("schema", ["pg_catalog", "information_schema", "x" * 64])
def test_a_schema_that_cannot_be_ours_is_refused(pg_server, schema):
    with pytest.raises(StoreError, match="schema"):
        Retriever(pg_server.url(schema))


def test_a_schema_of_another_application_is_left_alone(pg_server):
    with pg_server.connect() as connection:
        connection.execute("CREATE SCHEMA theirs; CREATE TABLE theirs.nodes (id text)")
    with pytest.raises(StoreError, match="another application"):
        Retriever(pg_server.url("theirs"))


def test_a_graph_that_must_be_there_is_not_made(pg_server, pg_url):
    with pytest.raises(StoreError, match="There is no graph"):
        Retriever(pg_url, must_exist=True)
    with Retriever(pg_url) as retriever:
        retriever.add([Node(id="a", name="a")])
    with Retriever(pg_url, read_only=True) as reader:
        assert reader.search("a").ids == ["a"]
        with pytest.raises(StoreError, match="read-only"):
            reader.add([Node(id="b", name="b")])


def test_what_cannot_be_kept_is_said(pg_url):
    with Retriever(pg_url) as retriever:
        with pytest.raises(InvalidValueError, match="NUL"):
            retriever.add([Node(id="a", name="a", text="x\x00y")])
        with pytest.raises(InvalidValueError, match="bytes"):
            retriever.add([Node(id="é" * 1500, name="a")])
        assert len(retriever) == 0
        with pytest.raises(UnsupportedError, match="SQLite"):
            retriever.backend.documents  # noqa: B018


def test_a_server_that_is_not_there_is_told_at_once(tmp_path):
    with pytest.raises(StoreError, match="cannot be opened"):
        Retriever(f"postgresql://me:secret@/db?host={tmp_path}")


def test_the_server_is_interrupted_while_it_reads(pg_url):
    with Retriever(pg_url) as retriever:
        retriever.add([Node("a", "alpha")])
        link = retriever.backend.link
        with retriever.backend.question(), deadline.Deadline(0.2).in_force(), pytest.raises(SearchTimeoutError):
            link.one("SELECT pg_sleep(60)")
        assert link.one("SELECT current_setting('statement_timeout')") == ("1min",)
        taken = []
        for timeout in (None, None, 60):
            retriever.maintenance.forget_answers()
            before = link.round_trips
            assert retriever.search("alpha", timeout=timeout).ids == ["a"]
            taken.append(link.round_trips - before)
        assert taken[1] == taken[2], "the clock costs no round trip"


def test_the_command_line_takes_an_address(pg_url, tmp_path):
    app, lines = create_app(), [{"kind": "node", "id": n, "name": f"{n} name"} for n in ("alpha", "beta")]
    (tmp_path / "graph.jsonl").write_text("\n".join(map(json.dumps, lines)))
    for arguments in (
        ["index", str(tmp_path / "graph.jsonl")],
        ["search", "alpha"],
        ["explain", "alpha", "alpha"],
        ["info"],
    ):
        done = CliRunner().invoke(app, [*arguments, "--db", pg_url, "--json"])
        assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["nodes"] == 2
    assert not list(tmp_path.glob("postgresql*")) and not Path("postgresql:").exists()


def test_a_filter_of_many_under_a_negation_or_a_choice_is_answered(pg_url, pg_server):
    """Where a hash of those that match has no room, IN compares every node with each of them."""
    many = 20_000
    with Retriever(pg_url, embedder=lambda texts: [[1.0]] * len(texts)) as graph:
        graph.add([Node("1", metadata={"n": 1})])
        with pg_server.connect() as other:
            other.execute("SELECT set_config('search_path', %s, false)", (pg_url.rpartition("schema=")[2],))
            other.execute(
                "INSERT INTO nodes SELECT n, n::text, name, type, text, metadata, hash, generation, name_key, "
                "name_length, type_length, text_length FROM nodes, generate_series(2, %s) n",
                (many,),
            )
            other.execute(
                "INSERT INTO attributes SELECT n, 0, 'n', n %% 5, NULL FROM generate_series(2, %s) n", (many,)
            )
            other.execute("ANALYZE nodes, attributes")
        broad, other_broad = {"n": {"$lt": 4}}, {"n": {"$gt": 0}}
        for condition, kept in (
            ({"n": {"$exists": False}}, 0),
            ({"$not": broad}, many // 5),
            ({"$or": [broad, other_broad]}, many),
            ({"$not": {"$or": [broad, other_broad]}}, 0),
            ({"$not": {"$and": [broad, other_broad]}}, 2 * many // 5),
        ):
            with graph.backend.question():
                graph.backend.link.rows("SELECT set_config('work_mem', '64kB', true)")
                graph.backend.link.rows("SELECT set_config('statement_timeout', '3s', true)")
                assert len(graph.backend.allowed(filters.parse(condition))) == kept, condition


def test_a_check_that_compares_nothing_says_so(pg_url):
    with Retriever(pg_url) as retriever:
        retriever.add([Node("a", text="One cat.")])
    assert check(pg_url).sound
    found = check(pg_url, derived=True)
    assert not found.looked_at and found.problems[0].startswith("What is derived of contents is compared in SQLite")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("UPDATE meta SET value = 'two' WHERE key = 'schema_version'", "has schema version 'two', which no version"),
        ("UPDATE state SET edges = -1", "is damaged, its table 'state' counts"),
        ("DELETE FROM meta WHERE key = 'dimensions'", "is damaged, its vectors have None dimensions"),
        ("UPDATE vectors SET vector = '[1]' WHERE node = 1", "vectors of several lengths|different vector dimensions"),
        ("UPDATE postings SET type_length = -2147483648", None),  # a floor that no node comes up to: it looked for ever
    ],
)
def test_rows_that_no_writer_leaves_end_in_a_sentence_or_an_answer(pg_server, pg_url, change, says):
    with Retriever(pg_url) as retriever:
        nodes = [Node(f"n{n}", f"name{n} zebra", text="alpha beta gamma", metadata={"k": n}) for n in range(30)]
        retriever.add(nodes, [Edge(f"n{n}", f"n{(n * 7 + 1) % 30}", "t") for n in range(30)])
    schema = pg_url.rpartition("schema=")[2]
    with pg_server.connect() as connection:
        connection.execute(f"SET search_path TO {schema}, public")
        connection.execute(change)
    with pytest.raises(StoreError, match=says) if says else contextlib.nullcontext(), Retriever(pg_url) as retriever:
        retriever.search("alpha", filter={"k": {"$gt": 3}}, timeout=20)
        retriever.vectors(["n0", "n1"])


def test_a_graph_without_its_state_is_told_to_be_damaged(pg_server, pg_url):
    with Retriever(pg_url) as retriever:
        retriever.add([Node("a", text="One cat.")])
        with pg_server.connect() as connection:
            connection.execute(f"DELETE FROM {Address.of(pg_url).schema}.state")
        for ask in (lambda: retriever.search("cat"), lambda: retriever.add([Node("b")]), lambda: retriever.delete("a")):
            with pytest.raises(StoreError, match="is damaged, its table 'state' is empty; restore a backup"):
                ask()


@pytest.mark.parametrize("weight", ["NaN", "Infinity", "-1"])
def test_a_weight_that_none_can_have_is_told_of_in_a_sentence(pg_server, pg_url, weight):
    """Written by another program, it made scores that are no numbers."""
    with Retriever(pg_url) as retriever:
        retriever.add([Node("a", "cat"), Node("b", "dog")], [Edge("a", "b", "chases")])
        with pg_server.connect() as connection:
            connection.execute(f"UPDATE {Address.of(pg_url).schema}.edges SET weight = '{weight}'")
    with Retriever(pg_url) as retriever:
        for ask in (retriever.search, Questions(retriever).impact_analysis):
            with pytest.raises(StoreError, match="is damaged, an edge has a weight or a type that none can have"):
                ask("cat")


def test_a_name_that_stands_for_another_schema_is_none():
    with pytest.raises(StoreError, match=r"'\$user' is PostgreSQL's own; name another"):
        Address.of("postgresql:///kg?schema=$user")


def test_characters_that_stand_alone_stand_for_the_same_pairs_as_in_a_file(pg_url):
    with Retriever(pg_url) as own, Retriever(":memory:") as other:
        both = Both(own, other)
        both.add([Node(id=f"n{place}", text=f"的{chr(0x4E00 + 37 * place % 300)}") for place in range(300)])
        for question in ("的", "一 丁", " ".join(chr(0x4E00 + place) for place in range(50))):
            both.agree(question, mode="text", k=70)


def test_a_question_may_hold_characters_that_the_encoding_of_the_database_lacks(pg_server):
    """The server refused the parameter, and with it every search, filter or id with such a character."""
    with pg_server.connect() as connection:
        connection.execute("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0")
    url = pg_server.url("kg").replace("/postgres?", "/latin?")
    with Retriever(url) as graph:
        graph.add([Node("a", "M\u00fcller", metadata={"city": "K\u00f6ln"}), Node("b", "\x1a5929.")])
        assert graph.search("M\u00fcller \U0001f600 \u5929 \u20ac").ids[0] == "a"
        assert graph.search("\u5929\u5e55", mode="text").ids == []
        assert graph.search("M\u00fcller", filter={"city": {"$ne": "\u6771\u4eac"}}).ids[0] == "a"
        assert graph.search("M\u00fcller", filter={"$or": [{"city": "\u6771"}, {"\u20ac": 1}]}).ids == []
        assert graph.get(["a", "\u5929"])[0].id == "a" and graph.edges(["\u5929"]) == []
        with pytest.raises(StoreError, match="LATIN1"):
            graph.add([Node("c", "\u5929")])


def test_a_graph_that_is_dropped_while_it_is_open_is_told_so(pg_server):
    with Retriever(pg_server.url("dropped")) as graph, pg_server.connect() as connection:
        graph.add([Node("a", "alpha")])
        connection.execute("DROP SCHEMA dropped CASCADE")
        for call in (lambda: graph.search("alpha"), lambda: graph.add([Node("b")]), lambda: graph.get(["a"])):
            with pytest.raises(StoreError, match="dropped or moved while it was open; open it again"):
                call()
