"""Milvus answers as SQLite does, and says what it cannot do."""

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fourfold import Edge, Node, RetrievalConfig, Retriever
from fourfold.copying import copy
from fourfold.errors import FourfoldError, InvalidValueError, StoreError, UnsupportedError
from fourfold.index.base import Allowed
from fourfold.questions import Questions
from fourfold.testing import sample
from fourfold.testing.compared import Both
from fourfold.testing.graphs import QUESTIONS

pytestmark = pytest.mark.engines

DATA = Path(__file__).parent.parent / "data"
GRAPHS = json.loads((DATA / "published.json").read_text())["graphs"]
CONFIGS = {
    "default": RetrievalConfig().replace(text={"phrase": "never"}),  # phrases: FTS5 only, see capabilities
    "published": RetrievalConfig.published().replace(text={"phrase": "never"}),
    "two signals": RetrievalConfig.two_signal().replace(text={"phrase": "never"}),
}
CONFIG = CONFIGS["default"].replace(index={"cache_seconds": 0.0})


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)
@pytest.mark.parametrize("data", GRAPHS, ids=lambda data: f"{len(data['nodes'])} nodes")
def test_every_golden_case(milvus_url, data, config):
    nodes, edges = [Node(**node) for node in data["nodes"]], [Edge(**edge) for edge in data["edges"]]
    with Retriever(":memory:", config=config) as sqlite, Retriever(milvus_url, config=config) as milvus:
        sqlite.add(nodes, edges)
        milvus.add(nodes, edges)
        both = Both(milvus, sqlite)
        for case in data["cases"]:
            options = {"k": case["limit"], "query_vector": case["query_vector"], **case.get("options", {})}
            assert both.agree(case["query"], **options).degraded == ()


def test_to_postgres_and_milvus_and_back(milvus_url, pg_url, tmp_path):
    back = str(tmp_path / "back.sqlite")
    with Retriever(str(tmp_path / "kg.sqlite"), config=CONFIG) as filled:
        filled.add(*sample())
        filled.learning.apply_config(CONFIG)
        filled.learning.feedback("deploy", "n1", 0.5)
        with Retriever(pg_url) as postgres, Retriever(milvus_url) as milvus, Retriever(back) as sqlite:
            there = [copy(*way) for way in ((filled, postgres), (postgres, milvus), (milvus, sqlite))]
            assert there[0].hash == there[1].hash == there[2].hash
        with Retriever(milvus_url) as milvus, Retriever(back) as sqlite:
            for one in (milvus, sqlite):
                assert one.manifest() == filled.manifest()
                assert one.config == CONFIG
                assert one.learning.judgements() == [("deploy", "n1", 0.5)]
                for question in QUESTIONS:
                    Both(one, filled).agree(question)


def test_a_copy_that_was_cut_short_goes_on(milvus_url, tmp_path, monkeypatch):
    monkeypatch.setattr("fourfold.copying._BATCH", 50)

    def cut(done, total):
        if done >= 100:
            raise KeyboardInterrupt

    with Retriever(str(tmp_path / "kg.sqlite")) as filled, Retriever(milvus_url) as target:
        filled.add(*sample())
        with pytest.raises(KeyboardInterrupt):
            copy(filled, target, progress=cut)
        begun = len(target)
        assert 0 < begun < len(filled)
        assert copy(filled, target).sent <= len(filled) - begun
        Both(target, filled).same_state()


def test_what_cannot_be_kept_is_said(milvus_url):
    with Retriever(milvus_url, config=CONFIG) as retriever:
        with pytest.raises(InvalidValueError, match="70,000 bytes; Milvus keeps 65,535"):
            retriever.add([Node(id="a", name="a", text="é" * 35_000)])
        with pytest.raises(InvalidValueError, match="keys and values to filter by"):
            retriever.add([Node(id="a", name="a", metadata={"list": list(range(5000))})])
        assert len(retriever) == 0
        with pytest.raises(UnsupportedError, match="SQLite"):
            retriever.backend.documents  # noqa: B018


def test_a_graph_that_must_be_there_is_not_made(milvus_url, tmp_path):
    with pytest.raises(StoreError, match="There is no graph"):
        Retriever(milvus_url, must_exist=True)
    assert not list(tmp_path.iterdir())
    with Retriever(milvus_url) as retriever:
        retriever.add([Node(id="a", name="a")])
        with pytest.raises(StoreError, match="There is no graph"):
            Retriever(f"{milvus_url}?graph=another", must_exist=True)
    with Retriever(milvus_url, read_only=True) as reader:
        assert reader.search("a").ids == ["a"]
        with pytest.raises(StoreError, match="read-only"):
            reader.add([Node(id="b", name="b")])


@pytest.mark.parametrize("name", ["nodes", "edges", "records", "commits"])
def test_a_collection_of_another_application_is_refused_by_name(milvus_url, name):
    with Retriever(f"{milvus_url}?graph=own") as own:
        own.backend.link.client.create_collection(f"shop_{name}", dimension=4, metric_type="L2")
        with pytest.raises(StoreError, match=f"'shop_{name}'.* is another application's.*[?]graph=NAME"):
            Retriever(f"{milvus_url}?graph=shop")


def test_vectors_of_another_application_are_not_dropped(milvus_url):
    """A collection with the name of the graph's first vectors was taken for the remains of a writer, and dropped."""
    with Retriever(f"{milvus_url}?graph=own") as own, Retriever(f"{milvus_url}?graph=shop") as graph:
        client, names = own.backend.link.client, [f"shop_vectors_{number}" for number in range(3)]
        for name in names:
            client.create_collection(name, dimension=2)
            client.insert(name, [{"id": 7, "vector": [1.0, 0.0]}])
        with pytest.raises(StoreError, match="'shop_vectors_1'.* is another application's"):
            graph.add([Node("a", vector=[1.0, 0.0])])
        assert [client.get(name, [7])[0]["id"] for name in names] == [7, 7, 7]


def test_a_file_that_is_no_folder_of_milvus_lite_is_called_so(milvus, tmp_path):
    (tmp_path / "kg.db").write_text("hello")
    for path in ("kg.db", "kg.db/inner.db"):
        with pytest.raises(StoreError, match="kg.db' is a file of something else"):
            Retriever(f"milvus://{tmp_path}/{path}")


def test_a_local_file_belongs_to_one_process(milvus_url):
    code = "import sys; from fourfold import Retriever; Retriever(sys.argv[1])"
    with Retriever(milvus_url):
        other = subprocess.run([sys.executable, "-c", code, milvus_url], capture_output=True, text=True, check=False)
    assert "One process at a time can have a local file open" in other.stderr
    again = subprocess.run([sys.executable, "-c", code, milvus_url], capture_output=True, text=True, check=False)
    assert again.returncode == 0, again.stderr


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("milvus://", "names no place"),
        ("milvus:///f.db?graph=a b", "is no name"),
        ("milvus:///f.db?graph=a;drop", "is no name"),
        ("milvus:///f.db?index=IVF", "The index 'IVF' is unknown"),
        ("milvus:///f.db?indx=FLAT", "'indx' of the address is unknown"),
        ("milvus:///f.db?claim=soon", "claim is 'soon'"),
        ("milvus://host:port/db", "no number"),
    ],
)
def test_an_address_that_cannot_be_meant_is_told(milvus, address, told):
    with pytest.raises(StoreError, match=told):
        Retriever(address)


def test_an_address_shows_no_password_and_keeps_it(milvus):
    from fourfold.engines.milvus.address import Address

    address = Address.of("milvus://me:sec%20ret@example.org/db?graph=kg&secure=true")
    assert address.shown == "milvus://me@example.org/db?graph=kg"
    assert (address.token, address.uri, address.database) == ("me:sec ret", "https://example.org:19530", "db")


def test_an_index_that_is_approximate_says_so(milvus_url):
    with Retriever(f"{milvus_url}?index=HNSW", config=CONFIG) as retriever:
        retriever.add(*sample())
        assert not retriever.backend.capabilities.exact_vectors
        vectors = retriever.vectors(["n7"])["n7"]
        best = retriever.analysis.snapshot().vectors.ask(vectors).best(3)
        assert (retriever.backend.ids(best.nodes)[0], best.exact) == ("n7", False)


@pytest.fixture
def many(milvus_url):
    with Retriever(milvus_url, config=CONFIG) as retriever, Retriever(":memory:", config=CONFIG) as other:
        both = Both(retriever, other)
        both.add(*sample(400))
        yield both


def test_more_holders_than_come_at_once_come_in_turns(many, monkeypatch):
    monkeypatch.setattr("fourfold.engines.milvus.words.MOST", 100)
    for question in QUESTIONS[:3]:
        assert many.agree(question).degraded == ()
    for question in (QUESTIONS[0], "tool person service"):
        own, other = (Questions(one).keyword_match(question, 400) for one in (many.own, many.other))
        assert (own.matches, own.total) == (other.matches, other.total)
    assert own.total > 100


def test_of_very_many_holders_the_best_and_a_sample_are_read(many, monkeypatch):
    monkeypatch.setattr("fourfold.engines.milvus.words.MOST", 150)
    monkeypatch.setattr("fourfold.engines.milvus.words._TURNS", 2)
    monkeypatch.setattr("fourfold.engines.milvus.words._LISTS", 100)
    found = []
    for one in (many.own, many.other):
        snapshot = one.analysis.snapshot()
        ranking = snapshot.text.ask(dict.fromkeys(snapshot.term_numbers(["deploy", "server", "releas"]).values(), 1.0))
        nums = np.sort(np.array(list(one.backend.nums(list(one.manifest())).values()), np.int64))
        best = [ranking.best(20), *(ranking.best(5, Allowed(nums[:size])) for size in (50, 250))]
        values = [dict(zip(snapshot.ids(b.nodes), map(float, b.values), strict=True)) for b in best]
        found.append((values, ranking.moments, dict(zip(snapshot.ids(nums), ranking.at(nums).tolist(), strict=True))))
        assert best[0].exact == (one is many.other)
    (own, mine, at), (other, theirs, there) = found
    assert at == pytest.approx(there, abs=1e-4)
    assert own == [pytest.approx(values, abs=1e-4) for values in other]
    assert (mine.maximum, mine.size) == (pytest.approx(theirs.maximum, abs=1e-4), theirs.size)
    assert mine.mean() == pytest.approx(theirs.mean(), rel=0.2)
    assert mine.deviation() == pytest.approx(theirs.deviation(), rel=0.2)
    assert many.own.search("deploy the server").degraded == ()


def test_what_was_replaced_long_ago_is_deleted(milvus_url, monkeypatch):
    monkeypatch.setattr("fourfold.engines.milvus.state.GRACE", 0.0)
    with Retriever(milvus_url, config=CONFIG) as retriever, Retriever(":memory:", config=CONFIG) as other:
        both = Both(retriever, other)
        for number in range(5):
            both.add([Node("a", f"name {number}"), Node(f"n{number}", "zebra")], [Edge("a", f"n{number}", "t", number)])
        both.delete(["n0"])
        link = retriever.backend.link
        assert len(link.rows("nodes", "row >= 0", ("row",))) <= 5 + 3
        assert len(link.rows("commits", "row >= -1", ("row",))) == 1
        both.same_state()
        both.agree("zebra name")


# -- hostile names --------------------------------------------------------------------------------------------------

HOSTILE = st.text(
    st.one_of(st.sampled_from("'\"\\;-%{}$:?()[]/*\n\t ,=|&\x00`"), st.characters()), min_size=1, max_size=20
)
PHRASES = st.sampled_from(["' or row >= 0 or key == '", '"] or row >= 0', "row >= 0", "\\", "\\'", "{a}", "a%", "null"])
NAMES = st.one_of(HOSTILE, PHRASES)
SURROGATE = re.compile("[\ud800-\udfff]")


@pytest.fixture(scope="module")
def hostile(milvus, tmp_path_factory):
    with Retriever(f"milvus://{tmp_path_factory.mktemp('hostile')}/kg.db", config=CONFIG) as retriever:
        retriever.add([Node("bystander", "zebra", metadata={"bystander": True})])
        yield retriever


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(id=NAMES, other=NAMES, type=NAMES, key=NAMES, value=NAMES, text=NAMES)
def test_hostile_ids_types_keys_and_values(hostile, id, other, type, key, value, text):
    node = Node(id, text, type, text, {key: value, "list": [value]})
    nodes, edges = [node, Node(other, "other")], [Edge(id, other, type), Edge(other, id, key)]
    if "\0" in id + other or SURROGATE.search(id + other + type + key + value + text):
        with pytest.raises(InvalidValueError, match=r"a NUL character\.|a lone surrogate: "):
            hostile.add(nodes, edges)
        return
    hostile.add(nodes, edges)
    if id != other:
        assert hostile.get([id]) == [node]
    hostile.search(text)
    hostile.search(f"{id} {type}", filter={"list": value}, group_by=key)
    try:
        assert id == other or id in hostile.matching({key: value})
        assert id == other or id not in hostile.matching({key: {"$ne": value}})
        assert "bystander" not in hostile.matching({key: {"$icontains": value}, "$id": {"$ne": "bystander"}})
    except FourfoldError as error:
        assert key.startswith("$"), error  # noqa: PT017  (an operator, not a key)
    hostile.learning.feedback(f"{text} ", id) if text.strip() else None
    hostile.delete([id, other], edges=[Edge(id, other, type)])
    assert set(hostile.manifest()) == {"bystander"}
    assert hostile.backend.counts()["edges"] == 0
