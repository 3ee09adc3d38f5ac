"""Metadata filters: every operator against a brute-force reading in Python, and what cannot be read."""

import math
import re
import sqlite3
from contextlib import closing
from unittest import mock

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fourfold import Edge, FilterError, Node, RetrievalConfig, Retriever, filters
from fourfold.engines.sqlite import filters as sqlite_filters
from fourfold.engines.sqlite import rows as sqlite_rows

KEYS = ("lang", "n", "tags", "deep", "deep.er")
SCALARS = st.one_of(
    st.sampled_from(["en", "de", "", "1", "EN", "e\x00n", "naïve", "日本", "%", "'", '"']),
    st.integers(-3, 3),
    st.sampled_from([2**53 + 1, -(2**63), 2**63 - 1]),
    st.floats(-3, 3, width=64),
    st.booleans(),
)
VALUES = st.one_of(
    SCALARS, st.none(), st.lists(SCALARS, max_size=3), st.dictionaries(st.just("er"), SCALARS, max_size=1)
)
METADATA = st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=4)
NUMBERS_OR_STRINGS = SCALARS.filter(lambda value: not isinstance(value, bool))
OPERATORS = st.one_of(
    st.tuples(st.sampled_from(["$eq", "$ne"]), st.one_of(SCALARS, st.none())),
    st.tuples(st.sampled_from(["$in", "$nin"]), st.lists(st.one_of(SCALARS, st.none()), max_size=4)),
    st.tuples(st.sampled_from(["$gt", "$gte", "$lt", "$lte"]), NUMBERS_OR_STRINGS),
    st.tuples(st.just("$contains"), SCALARS),
    st.tuples(st.just("$exists"), st.booleans()),
)
CONDITIONS = st.one_of(
    SCALARS,
    st.none(),
    st.lists(OPERATORS, min_size=1, max_size=2).map(dict),
    OPERATORS.map(lambda pair: {"$not": dict([pair])}),
)
FILTERS = st.recursive(
    st.dictionaries(st.sampled_from((*KEYS, "unheard")), CONDITIONS, max_size=2),
    lambda inner: st.one_of(
        st.tuples(st.sampled_from(["$and", "$or"]), st.lists(inner, min_size=1, max_size=3)).map(lambda p: dict([p])),
        inner.map(lambda condition: {"$not": condition}),
    ),
    max_leaves=6,
)


def flattened(metadata, prefix=""):
    """Yield (path, value, is_element) of everything that stands under a dotted key."""
    for key, value in metadata.items():
        yield prefix + key, value, False
        if isinstance(value, dict):
            yield from flattened(value, f"{prefix}{key}.")
        elif isinstance(value, list):
            yield from ((prefix + key, element, True) for element in value)


def same(a, b):
    return isinstance(a, str) == isinstance(b, str) and a == b


def holds(metadata, condition):
    results = []
    for key, operand in condition.items():
        if key == "$and":
            results.append(all(holds(metadata, part) for part in operand))
        elif key == "$or":
            results.append(any(holds(metadata, part) for part in operand))
        elif key == "$not":
            results.append(not holds(metadata, operand))
        else:
            results.append(key_holds(metadata, key, operand))
    return all(results)


def key_holds(metadata, key, operand):
    if not isinstance(operand, dict):
        operand = {"$eq": operand}
    return all(operator_holds(metadata, key, name, value) for name, value in operand.items())


def operator_holds(metadata, key, name, operand):  # noqa: C901 (as many branches as operators)
    if name == "$not":
        return not key_holds(metadata, key, operand)
    if name in ("$ne", "$nin"):
        return not operator_holds(metadata, key, {"$ne": "$eq", "$nin": "$in"}[name], operand)
    if name == "$in":
        return any(operator_holds(metadata, key, "$eq", value) for value in operand)
    here = [(value, element) for path, value, element in flattened(metadata) if path == key]
    if name == "$exists":
        return bool(here) is operand
    if name == "$eq" and operand is None:
        return all(value is None for value, _ in here)
    scalars = [(value, element) for value, element in here if isinstance(value, (str, int, float))]
    if name == "$eq":
        return any(same(value, operand) for value, _ in scalars)
    if name == "$contains":
        return any(
            same(value, operand)
            if element
            else isinstance(operand, str) and isinstance(value, str) and operand in value
            for value, element in scalars
        )
    compare = {"$gt": "__gt__", "$gte": "__ge__", "$lt": "__lt__", "$lte": "__le__"}[name]
    for value, element in scalars:
        if not element and isinstance(value, str) == isinstance(operand, str):
            a, b = (value.encode(), operand.encode()) if isinstance(value, str) else (value, operand)
            result = getattr(a, compare)(b)
            if getattr(b, FLIPPED[compare])(a) if result is NotImplemented else result:
                return True
    return False


FLIPPED = {"__gt__": "__lt__", "__ge__": "__le__", "__lt__": "__gt__", "__le__": "__ge__"}


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(METADATA, min_size=1, max_size=8), st.lists(FILTERS, min_size=1, max_size=6))
def test_filters_equal_brute_force(graphs, conditions):
    with Retriever(":memory:", embedder=lambda texts: [[1.0]] * len(texts)) as retriever:
        retriever.add(Node(str(i), name="same", metadata=metadata) for i, metadata in enumerate(graphs))
        for condition in conditions:
            expected = [str(i) for i, metadata in enumerate(graphs) if holds(metadata, condition)]
            assert sorted(retriever.search("same", k=99, filter=condition).ids) == expected, condition
            with mock.patch.object(sqlite_filters, "_LOOKED_UP", 0):  # for the nodes one by one, as if there were many
                looked_up = retriever.backend.allowed(filters.parse(condition)).nodes
            assert sorted(retriever.backend.ids(looked_up)) == expected, condition


@pytest.fixture(scope="module")
def retriever():
    with Retriever(":memory:", embedder=lambda texts: [[1.0]] * len(texts)) as made:
        made.add(Node(str(i), name="same", type="even" if i % 2 == 0 else "odd", metadata={"n": i}) for i in range(10))
        yield made


@pytest.mark.parametrize(
    ("condition", "says"),
    [
        ({"n": {"$near": 1}}, "$near"),
        ({"$nor": [{"n": 1}]}, "$nor"),
        ({"n": {}}, "'n'"),
        ({"n": {"$in": 5}}, "$in"),
        ({"n": {"$in": "abc"}}, "'abc'"),
        ({"n": {"$gt": None}}, "$gt"),
        ({"n": {"$gt": math.nan}}, "nan"),
        ({"n": {"$exists": 1}}, "$exists"),
        ({"n": [1, 2]}, "[1, 2]"),
        ({"$and": []}, "$and"),
        ({"$or": {"n": 1}}, "$or"),
        ({3: 1}, "3"),
        ([("n", 1)], "mapping"),
        ("n = 1", "mapping"),
        ({"n": "\ud800"}, "surrogate"),
        ({"n": {"$in": ["\ud800"]}}, "surrogate"),
        ({"n": {"$gt": "\ud800"}}, "surrogate"),
        ({"\ud800": 1}, "surrogate"),
    ],
)
def test_a_filter_that_cannot_be_read_is_named(retriever, condition, says):
    with pytest.raises(FilterError) as caught:
        retriever.search("same", filter=condition)
    assert isinstance(caught.value, ValueError)
    assert says in str(caught.value)


def nested(depth, wrap):
    condition = {"n": 1}
    for _ in range(depth):
        condition = wrap(condition)
    return condition


def test_deep_filters_are_answered_up_to_the_limit_and_refused_beyond(retriever):
    assert retriever.search("same", k=99, filter=nested(38, lambda c: {"$not": c})).ids == ["1"]
    mixed = nested(12, lambda c: {"n": {"$gte": 0}, "$and": [{"n": {"$lt": 9}}, {"$not": {"$not": c, "n": 1}}]})
    assert retriever.search("same", k=99, filter=mixed).total in range(10)
    for depth in (60, 5000):
        with pytest.raises(FilterError, match="nested more than 40 deep"):
            retriever.search("same", filter=nested(depth, lambda c: {"$not": c}))
    inner = 1
    for _ in range(300):
        inner = {"$not": inner if isinstance(inner, dict) else {"$eq": inner}}
    with pytest.raises(FilterError, match="nested"):
        retriever.search("same", filter={"n": inner})


def test_filters_of_thousands_of_terms(retriever):
    """SQLite takes no more than 500 SELECTs in one compound."""
    assert retriever.search("same", k=99, filter={"$or": [{"n": i} for i in range(5, 900)]}).total == 5
    assert retriever.search("same", k=99, filter={"$and": [{"n": {"$ne": i}} for i in range(2, 700)]}).total == 2
    assert retriever.search("same", k=99, filter={f"k{i}": {"$exists": False} for i in range(700)}).total == 10
    assert retriever.search("same", k=99, filter={"n": {"$in": list(range(5, 90_000))}}).total == 5
    assert retriever.search("same", k=99, filter={"n": {"$in": [i + 0.0 for i in range(5, 2000)]}}).total == 5


def test_infinite_and_enormous_operands(retriever):
    assert retriever.search("same", k=99, filter={"n": {"$in": [math.inf, 3]}}).ids == ["3"]
    assert retriever.search("same", k=99, filter={"n": {"$lt": math.inf}}).total == 10
    assert retriever.search("same", k=99, filter={"n": {"$lt": 10**400}}).total == 10
    assert retriever.search("same", k=99, filter={"n": {"$gt": -(10**400)}}).total == 10


def test_columns_of_the_node(retriever):
    assert retriever.search("same", k=99, filter={"$type": "odd", "n": {"$gt": 5}}).total == 2
    assert retriever.search("same", k=99, filter={"$id": {"$in": ["1", "2", "x"]}}).total == 2


def test_a_value_is_never_sql(retriever):
    for text in ("' OR 1=1 --", '"; DROP TABLE nodes; --', "%", "?", ":n"):
        assert retriever.search("same", filter={"n": text}).total == 0
        assert retriever.search("same", filter={text: 1}).total == 0
    assert len(retriever) == 10


@pytest.mark.parametrize("graph", [{"hub_cap": 3}, {"hub_cap": 3, "second_hop": 0.0}])
def test_a_hub_gives_to_the_strongest_that_a_filter_allows(graph):
    config = RetrievalConfig().replace(graph=graph)
    nodes = [Node("hub", "deploy prod", metadata={"kept": True})]
    nodes += [Node(f"o{n}", f"other {n}", metadata={"kept": n >= 5}) for n in range(10)]
    edges = [Edge("hub", f"o{n}", "depends_on", 2.0 if n < 5 else 1.0 + (n == 8)) for n in range(10)]
    with Retriever(config=config) as retriever:
        retriever.add(nodes, edges)
        every, passing = (retriever.search("deploy prod", filter=kept) for kept in (None, {"kept": True}))
    assert {hit.node.id for hit in every if hit.components.graph > 0} - {"hub"} == {"o0", "o1", "o2"}
    assert {hit.node.id for hit in passing if hit.components.graph > 0} - {"hub"} == {"o5", "o6", "o8"}


def test_a_filter_that_keeps_every_node_reads_none(monkeypatch):
    with Retriever() as retriever:
        retriever.add([Node(i, f"word {i}", metadata={"n": i}) for i in "abc"])
        without, asked = retriever.search("word"), []
        allowed = retriever.backend.allowed
        monkeypatch.setattr(retriever.backend, "allowed", lambda clause: asked.append(clause) or allowed(clause))
        for condition in ({}, {"$and": [{}, {}]}):
            assert retriever.search("word", filter=condition).hits == without.hits and asked == []
        assert retriever.search("word", filter={"$and": [{"n": "a"}, {}]}).ids == ["a"]
        assert asked == [filters.parse({"n": "a"})]


def test_few_that_are_left_are_looked_up_and_many_are_read(monkeypatch):
    asked = []
    with Retriever(embedder=lambda texts: [[1.0]] * len(texts)) as retriever:
        retriever.add(Node(f"{i:03}", "same", metadata={"tenant": i % 100, "n": i, "tag": "x"}) for i in range(400))
        select = sqlite_rows.numbers

        def recorded(connection, sql, given):
            asked.append((sql, select(connection, sql, given)))
            return asked[-1][1]

        monkeypatch.setattr("fourfold.engines.sqlite.backend.numbers", recorded)
        assert retriever.matching({"n": {"$gte": 9}, "tenant": 7, "$not": {"n": 107}}) == ["207", "307"]
        assert max(len(found) for _, found in asked) == 4, "of the broad condition only the tenant's own are read"
        asked.clear()
        either = {"$or": [{"n": n} for n in range(7, 400, 10)]}
        assert retriever.matching({"tenant": 7, **either}) == ["007", "107", "207", "307"]
        assert not any("by_node" in sql for sql, _ in asked), "many conditions are not looked up for each"
        text = {"$in": [str(n) for n in range(1000)], "$ne": "7"}
        assert retriever.matching({"tenant": 7, "tag": text}) == []
        assert retriever.matching({"tenant": 7, "$type": {"$ne": "x"}, "$id": {"$lt": "2"}}) == ["007", "107"]


def test_sets_of_many_nodes_are_combined_as_python_would():
    with Retriever(embedder=lambda texts: [[1.0]] * len(texts)) as retriever:
        retriever.add(Node(f"{i:04}", "same", metadata={"a": i % 7, "b": i % 5}) for i in range(3000))
        retriever.delete(f"{i:04}" for i in range(0, 3000, 3))
        left = [i for i in range(3000) if i % 3]
        for condition, keeps in (
            ({"a": {"$gt": 1}, "b": {"$lt": 4}}, lambda i: i % 7 > 1 and i % 5 < 4),
            ({"$or": [{"a": {"$gt": 1}}, {"b": {"$lt": 4}}]}, lambda i: i % 7 > 1 or i % 5 < 4),
            ({"a": {"$ne": 3}, "b": {"$nin": [1, 2]}}, lambda i: i % 7 != 3 and i % 5 not in (1, 2)),
            ({"$or": [{"a": {"$ne": 3}}, {"b": {"$ne": 1}}]}, lambda i: i % 7 != 3 or i % 5 != 1),
            ({"c": {"$exists": False}}, lambda i: True),
        ):
            assert retriever.matching(condition) == [f"{i:04}" for i in left if keeps(i)], condition


SPELLINGS = [
    *(
        "tool",
        "Tool",
        "tools",
        "running",
        "runs",
        "the",
        "a-b",
        "a b",
        "a_b",
        "b a",
        "x a b y",
        "naïve Zürich",
        "Zurich",
    ),
    *(
        "日本",
        "日本 x1",
        "",
        " ",
        '"',
        'a "quoted" one',
        "O'Brien",
        "a*b",
        "NEAR(a)",
        "type : b",
        "1.0",
        "c" * 600,
        "…",
    ),
]


@pytest.mark.parametrize("key", ["$name", "$type"])
def test_names_and_types_are_found_by_their_words_and_only_as_they_are_spelled(key, tmp_path, monkeypatch):
    """Each search with such a filter read the rows of all nodes: of a million, hundreds of megabytes."""
    field = key.removeprefix("$")
    nodes = [Node(f"n{i}", "some name", "thing", "tool a b") for i in range(300)]
    nodes += [
        Node(f"x{i:02d}", text="said", **{"name": "a", "type": "b"} | {field: spelling})
        for i, spelling in enumerate(SPELLINGS)
    ]
    with Retriever(tmp_path / "kg.sqlite") as retriever:
        retriever.add(nodes)
        asked = []
        with retriever.backend.reading() as connection:
            connection.set_trace_callback(asked.append)
            for i, spelling in enumerate(SPELLINGS):
                assert retriever.matching({key: spelling}) == [f"x{i:02d}"]
            assert retriever.matching({key: {"$in": ["tool", "a b", 7, "日本 x1"]}}) == ["x00", "x07", "x14"]
            assert retriever.matching({key: {"$nin": SPELLINGS}}) == sorted(f"n{i}" for i in range(300))
            assert retriever.matching({key: 7}) == retriever.matching({key: "not there"}) == []
            asked.clear()
            retriever.matching({key: "tool"})
            retriever.matching({"$and": [{key: {"$in": ["tool", "a b"]}}, {"$id": {"$ne": "x00"}}]})
            connection.set_trace_callback(None)
            own = [one for one in asked if not one.startswith("--")]  # those are the full text's own
            plans = [row[3] for one in own for row in connection.execute(f"EXPLAIN QUERY PLAN {one}")]
            assert plans and [plan for plan in plans if plan == "SCAN nodes"] == []
        monkeypatch.setattr(sqlite_filters, "_FEW", 3)
        many = {"$name": "some name", "$type": "thing"}[key]
        assert len(retriever.matching({key: many})) == 300


def test_names_and_types_are_found_where_the_full_text_is_lost(tmp_path):
    path = tmp_path / "kg.sqlite"
    with Retriever(path) as retriever:
        retriever.add([Node("a", "alpha", "tool"), Node("b", "beta", "person")])
    with closing(sqlite3.connect(path)) as file, file:
        file.execute("INSERT INTO fts (fts) VALUES ('delete-all')")
    with Retriever(path) as retriever:
        assert retriever.matching({"$type": "tool"}) == ["a"]
        assert retriever.matching({"$name": {"$in": ["beta", "gamma"]}}) == ["b"]


@pytest.mark.parametrize("condition", [["en", "fr"], {"$eq": ["en"]}, {"$ne": ("en", "fr")}])
def test_several_values_where_one_is_compared_are_told_what_takes_them(condition):
    with pytest.raises(FilterError, match=r"'lang' takes a string.*; \$in and \$nin take several values\."):
        filters.parse({"lang": condition})


@pytest.mark.parametrize("operand", [[1, 2], {"a": 1}, [[3]]])
@pytest.mark.parametrize("operator", ["$eq", "$ne", "$in", "$nin", "$contains"])
def test_a_refused_operand_is_told_with_the_operator_that_was_given(operator, operand):
    values = [operand] if operator in ("$in", "$nin") else operand
    with pytest.raises(FilterError, match=f"^{re.escape(operator)} on 'k' takes "):
        filters.parse({"k": {operator: values}})
    with pytest.raises(FilterError, match=r"^\$nin on 'k' takes a list of values, not 3\.$"):
        filters.parse({"k": {"$nin": 3}})
