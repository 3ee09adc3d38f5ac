"""The constants in groups: how they are changed, checked, told apart and stored."""

import dataclasses
import json
import time
from dataclasses import replace

import numpy as np
import pytest

from fourfold import (
    Edge,
    EmbedderMismatchError,
    EmbeddingConfig,
    GraphConfig,
    InvalidValueError,
    Node,
    RetrievalConfig,
    Retriever,
    TextField,
    Weights,
)
from fourfold.config import Bridge, Coverage, IntentConfig, LateInteraction, Paths, Priors
from fourfold.config_history import FLAT_NAMES, changes_of, with_changes
from fourfold.engines.sqlite.backend import SqliteBackend as Store
from fourfold.intent import IntentSpec

OTHER = {
    "tokenizer": "suffix",
    "hub_cap": 7,
    "exact": True,
    "language": "german",
    "phrase": "never",
    "scaling": "max",
    "first_stage": "numpy",
    "fields": (TextField(("text",)),),
    "weights": Weights(1, 1, 1, 1),
    "partial_weights": Weights(1, 1, 1, 1),
    "type_weights": {"own": 0.125},
    "specs": (IntentSpec("own"),),
    "edge_weights": "raw",
    "late": LateInteraction(depth=7),
    "priors": Priors(recency="at", half_life=1.0),
    "bridge": Bridge(weight=0.5),
    "coverage": Coverage(weight=0.5),
    "paths": Paths(steps=2),
}


def constants():
    """Return (group, constant) of every constant; the group of ``limit`` is empty."""
    config = RetrievalConfig()
    for group in dataclasses.fields(config):
        value = getattr(config, group.name)
        if dataclasses.is_dataclass(value):
            yield from ((group.name, field.name) for field in dataclasses.fields(value))
        else:
            yield "", group.name


def changed(config, group, name):
    """Return the config with one constant set to something else."""
    now = getattr(getattr(config, group) if group else config, name)
    other = OTHER[name] if name in OTHER else not now if isinstance(now, bool) else now / 2 + 0.1
    if isinstance(now, int) and not isinstance(now, bool):
        other = int(now) + 1
    return config.replace(**{group: {name: other}} if group else {name: other})


def test_nine_fields_hold_every_constant():
    assert len(dataclasses.fields(RetrievalConfig)) <= 9
    assert len(list(constants())) == len(set(constants())) == 64


@pytest.mark.parametrize(("group", "name"), list(constants()))
def test_every_constant_counts(group, name):
    default = RetrievalConfig()
    other = changed(default, group, name)
    assert other != default
    assert other.fingerprint() != default.fingerprint()
    assert changes_of(other).keys() == {group or name}
    assert with_changes(default, json.loads(json.dumps(changes_of(other)))) == other


def test_a_group_is_changed_in_part_or_as_a_whole():
    config = RetrievalConfig().replace(limit=5, graph={"second_hop": 0.3})
    assert (config.limit, config.graph.second_hop, config.graph.backward) == (5, 0.3, 0.7)
    assert config.replace(graph=GraphConfig()) == RetrievalConfig(limit=5)
    assert dataclasses.replace(config, graph=dataclasses.replace(config.graph, second_hop=0.5)).graph == GraphConfig()
    assert RetrievalConfig().graph.second_hop == 0.5


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"second_hop": 0.3}, r"no constant second_hop; there are limit, text"),
        ({"graph": {"second_hops": 0.3}}, r"no constant graph\.second_hops; .*second_hop"),
        ({"graph": 0.3}, r"graph is 0\.3; it must be a GraphConfig"),
        ({"limit": 0}, r"limit is 0"),
        ({"graph": {"second_hop": -1}}, r"graph\.second_hop is -1"),
        ({"graph": {"type_weights": {"t": -1.0}}}, r"graph\.type_weights\['t'\] is -1"),
        ({"text": {"phrase": "sometimes"}}, r"text\.phrase is 'sometimes'; .*'never', 'quoted', 'always'"),
        ({"text": {"fields": ()}}, r"text\.fields is empty"),
        ({"text": {"fields": (TextField(("text",)),) * 21}}, r"text\.fields has 21 .* it can have 20"),
        ({"text": {"fields": (TextField(("text",) * 100_000),)}}, r"text\.fields has 100,000 "),
        ({"embedding": {"name_times": -1}}, r"embedding\.name_times is -1"),
        ({"fusion": {"candidate_multiplier": 0}}, r"fusion\.candidate_multiplier is 0"),
        ({"seeds": {"per_component": -1}}, r"seeds\.per_component is -1"),
        ({"diversity": {"bonus": float("inf")}}, r"diversity\.bonus is inf"),
        ({"index": {"first_stage": "magic"}}, r"index\.first_stage is 'magic'"),
        ({"index": {"exact": "yes"}}, r"index\.exact is 'yes'"),
    ],
)
def test_what_no_search_can_use_is_told_by_its_place(changes, told):
    with pytest.raises(InvalidValueError, match=told):
        RetrievalConfig().replace(**changes)


def test_a_node_that_gives_to_no_edge_gives_nothing(caplog):
    with Retriever(config=RetrievalConfig().replace(graph={"hub_cap": 0})) as retriever:
        retriever.add([Node("a", "alpha"), Node("b", "beta")], [Edge("a", "b", "needs"), Edge("b", "a", "needs")])
        result = retriever.search("what does alpha need")
    assert not result.degraded and all(hit.components.graph == 0 for hit in result)


def test_many_intents_are_told_apart_in_time_that_grows_with_their_number():
    specs = tuple(IntentSpec(f"intent {number}") for number in range(50_000))
    begin = time.process_time()
    assert len(IntentConfig(specs=specs).specs) == len(specs)
    assert time.process_time() - begin < 10
    with pytest.raises(InvalidValueError, match="'intent 7'"):
        IntentConfig(specs=(*specs, IntentSpec("intent 7")))


def test_an_index_depends_on_edge_types_only_where_vectors_are_mixed():
    config = RetrievalConfig()
    for group, name in (("text", "fields"), ("text", "k1"), ("text", "b")):
        assert changed(config, group, name).index_key(1.0) != config.index_key(1.0)
    for name in ("type_weights", "unknown_weight", "related_types", "untyped_weight"):
        other = changed(config, "graph", name)
        assert other.index_key(1.0) == config.index_key(1.0)
        assert other.index_key(0.6) != config.index_key(0.6)
    assert changed(config, "graph", "second_hop").index_key(0.6) == config.index_key(0.6)


def test_a_variant_is_scored_by_the_index_it_would_have(tmp_path):
    path = tmp_path / "kg.sqlite"
    vectors = {"a": [1.0, 0.0], "b": [0.0, 1.0], "c": [0.6, 0.8]}
    with Retriever(path) as retriever:
        retriever.add([Node(i, i, vector=v) for i, v in vectors.items()], [Edge("a", "b", "x"), Edge("a", "c", "y")])
        with retriever.backend.transaction() as writer:
            writer.set_meta("own_share", "0.6")
    other = RetrievalConfig().replace(graph={"type_weights": {"x": 0.0, "y": 2.0}}, text={"k1": 0.5})
    with Retriever(path) as retriever, Retriever(path, config=other) as expected:
        nodes = np.array([1, 2, 3])
        found, right = retriever.analysis.snapshot(other), expected.analysis.snapshot()
        assert not np.allclose(found.vectors.at(nodes), retriever.analysis.snapshot().vectors.at(nodes))
        assert np.array_equal(found.vectors.at(nodes), right.vectors.at(nodes))
        term = found.term_numbers(["a"]).get("a") or next(iter(found.term_numbers(["b", "c"]).values()))
        assert np.array_equal(found.text.worth([term], nodes), right.text.worth([term], nodes))


NAME, ALL = TextField(("name",), 1.0), TextField(("name", "type", "text"), 1.0)


@pytest.mark.parametrize(
    ("text", "reads"),
    [
        ({"fields": (ALL, replace(NAME, weight=2.0))}, False),
        ({"fields": (ALL,), "k1": 0.5}, False),
        ({"fields": (NAME, ALL, NAME), "b": 0.2}, False),
        ({"fields": (NAME,)}, True),  # who holds a word in the text alone does not hold it any more
        ({"fields": (ALL, TextField(("type",)))}, True),
    ],
)
def test_a_variant_that_weighs_the_same_words_otherwise_reads_no_rows(tmp_path, text, reads):
    path, statements = tmp_path / "kg.sqlite", []
    nodes = [Node(f"n{n}", f"ant bee {n}", "kind", "ant " * (n % 4) + "wasp " * (n % 3)) for n in range(50)]
    with Retriever(path) as retriever:
        retriever.add(nodes)
        retriever.delete(["n7"])
    other = RetrievalConfig().replace(text=text)
    with Retriever(path) as retriever, Retriever(path, config=other) as expected:
        retriever.add([replace(nodes[3], text="wasp")])  # a second segment
        retriever.analysis.snapshot()
        with retriever.backend.reading() as connection:
            connection.set_trace_callback(statements.append)
        found = retriever.analysis.snapshot(other).text
        with retriever.backend.reading() as connection:
            connection.set_trace_callback(None)
        right, terms = expected.analysis.snapshot().text, expected.backend.term_numbers(["ant", "bee", "kind", "wasp"])
        for term in terms.values():
            own, theirs = (part.ask({term: 1.0}) for part in (found, right))
            assert own.moments == theirs.moments
            own, theirs = own.best(60), theirs.best(60)
            assert np.array_equal(own.nodes, theirs.nodes) and np.array_equal(own.values, theirs.values)
            assert np.array_equal(found.df(np.array([term])), right.df(np.array([term])))
    assert any("tokens" in sql for sql in statements) == reads


# -- files written before there were groups -------------------------------------------------------------------------

FLAT = {
    "limit": 20,
    "text_fields": [{"columns": ["name", "type"], "weight": 1.0}],
    "phrase_quoted_only": False,
    "weights": {"embedding": 0.1, "text": 0.8, "graph": 0.1, "intent": 0.0},
    "intent_tilt": None,
    "seed_sharpness": None,
    "edge_type_weights": {"needs": 0.9},
    "unknown_edge_weight": 0.25,
    "hub_cap": None,
    "intents": [
        {
            "name": "own",
            "patterns": ["x"],
            "keywords": [],
            "profile": {"embedding": 1.0, "text": 0.0, "graph": 0.0, "intent": 0.0},
            "edge_types": ["needs"],
            "second_hop": False,
        }
    ],
    "chosen_types": 0.0,
    "diversity_bonus": 0.0,
    "embed_name_times": 1,
    "embed_type": True,
}


def test_a_file_with_flat_names_keeps_its_config(tmp_path):
    path = tmp_path / "kg.sqlite"
    version = {"number": 1, "applied": "2026-01-01T00:00:00+00:00", "changes": FLAT, "evidence": {}}
    store = Store(path)
    with store.transaction() as writer:
        writer.set_meta("config", json.dumps({"in_force": 1, "versions": [version]}))
    store.close()
    with Retriever(path) as retriever:
        config = retriever.config
    assert config == RetrievalConfig().replace(
        limit=20,
        text={"fields": (TextField(("name", "type"), 1.0),), "phrase": "always"},
        fusion={"weights": Weights(0.1, 0.8, 0.1, 0.0), "intent_tilt": None},
        seeds={"sharpness": None},
        graph={"type_weights": {"needs": 0.9}, "unknown_weight": 0.25, "hub_cap": None},
        intents={
            "specs": (IntentSpec("own", patterns=("x",), profile=Weights(1, 0, 0, 0), edge_types=("needs",)),),
            "chosen_types": 0.0,
        },
        diversity={"bonus": 0.0},
        embedding={"name_times": 1, "with_type": True},
    )


@pytest.mark.parametrize(
    ("flags", "phrase"),
    [
        ({}, "always"),
        ({"phrase_quoted_only": True}, "quoted"),
        ({"phrase_search": False}, "never"),
        ({"phrase_search": False, "phrase_quoted_only": False}, "never"),
        ({"phrase_quoted_only": False}, "always"),
    ],
)
def test_two_flags_became_one_choice(flags, phrase):
    assert with_changes(RetrievalConfig(), flags).text.phrase == phrase


def test_every_flat_name_stands_for_a_constant():
    since = {("index", "exact"), ("index", "first_stage"), ("graph", "background")}
    since |= {
        ("text", "phrase_nodes"),
        ("text", "topic"),
        ("text", "called"),
        ("text", "spelling"),
        ("fusion", "foreign"),
    }
    since |= {
        ("fusion", "late"),
        ("fusion", "priors"),
        ("fusion", "encoder_share"),
        ("graph", "bridge"),
        ("intents", "paths"),
    }
    since |= {("graph", "to_parts"), ("diversity", "coverage"), ("diversity", "sides"), ("diversity", "depth")}
    renamed = {("", "limit"), ("text", "phrase"), ("graph", "edge_weights")}
    assert set(FLAT_NAMES.values()) | renamed == set(constants()) - since


# -- what the embedder reads of a node is stored with the vectors ---------------------------------------------------

PUBLISHED = EmbeddingConfig(name_times=1, with_type=True)
READ: list[str] = []


def embed(texts):
    READ.extend(texts)
    return [[float(len(text)), 1.0] for text in texts]


@pytest.fixture
def published_file(tmp_path):
    path = tmp_path / "kg.sqlite"
    with Retriever(path, embedder=embed, config=RetrievalConfig(embedding=PUBLISHED)) as retriever:
        retriever.add([Node("a", "alpha", "tool", "one")])
    READ.clear()
    return path


def test_another_reading_of_nodes_is_refused_and_the_default_follows(published_file):
    other = RetrievalConfig(embedding=EmbeddingConfig(name_times=3))
    with pytest.raises(EmbedderMismatchError, match="name_times=1, with_type=True.*name_times=3"):
        Retriever(published_file, embedder=embed, config=other)
    configs = {"two": None, "three": RetrievalConfig(), "four": RetrievalConfig(embedding=PUBLISHED)}
    for text, config in configs.items():
        with Retriever(published_file, embedder=embed, config=config) as retriever:
            READ.clear()
            retriever.add([Node("b", "beta", "tool", text)])
        (read,) = READ
        assert read == f"beta tool {text}"


def test_an_applied_reading_waits_for_the_vectors_to_be_made_anew(published_file):
    other = RetrievalConfig(embedding=EmbeddingConfig(name_times=3))
    with Retriever(published_file, embedder=embed) as retriever:
        retriever.learning.apply_config(other)
        with pytest.raises(EmbedderMismatchError, match="reembed"):
            retriever.add([Node("b", "beta", "tool", "two")])
        assert retriever.manifest().keys() == {"a"}
    with Retriever(published_file, embedder=embed) as retriever:  # opens all the same, and searches
        assert retriever.search("one", mode="text").ids == ["a"]
        READ.clear()
        retriever.maintenance.reembed(embed)
        retriever.add([Node("b", "beta", "tool", "two")])
    assert [text for text in READ if text != "one"] == ["alpha alpha alpha one", "beta beta beta two"]


def test_a_file_that_does_not_say_was_read_by_the_default(tmp_path):
    path = tmp_path / "kg.sqlite"
    with Retriever(path, embedder=embed) as retriever:
        retriever.add([Node("a", "alpha", "tool", "one")])
    store = Store(path)
    with store.transaction() as writer:
        writer.set_meta("embedding", None)
    store.close()
    with pytest.raises(EmbedderMismatchError, match="name_times=2, with_type=False"):
        Retriever(path, embedder=embed, config=RetrievalConfig(embedding=PUBLISHED))
    empty = tmp_path / "empty.sqlite"
    Retriever(empty).close()
    with Retriever(empty, embedder=embed, config=RetrievalConfig(embedding=PUBLISHED)) as retriever:
        READ.clear()
        retriever.add([Node("a", "alpha", "tool", "one")])
    assert READ == ["alpha tool one"]


def test_vectors_of_ones_own_can_stand_beside_any_reading(tmp_path):
    path = tmp_path / "kg.sqlite"
    with Retriever(path) as retriever:
        retriever.add([Node("a", "alpha", vector=[1.0, 0.0]), Node("b", vector=[0.0, 1.0])], [Edge("a", "b")])
    with Retriever(path, config=RetrievalConfig(embedding=PUBLISHED)) as retriever:
        retriever.add([Node("c", "gamma", vector=[1.0, 0.0])])
        assert len(retriever) == 3


def test_two_retrievers_cannot_mix_their_readings(tmp_path):
    path = tmp_path / "kg.sqlite"
    with (
        Retriever(path, embedder=embed) as first,
        Retriever(path, embedder=embed, config=RetrievalConfig(embedding=PUBLISHED)) as second,
    ):
        second.add([Node("a", "alpha", "tool", "one")])
        with pytest.raises(EmbedderMismatchError, match="open it again"):
            first.add([Node("b", "beta", "tool", "two")])
        assert len(first) == 1


def test_whatever_fields_a_graph_is_opened_with_it_answers_as_one_made_with_them(tmp_path, monkeypatch):
    """All three texts of a node are kept apart, so other fields are read, not refused."""
    monkeypatch.setattr("fourfold.engines.sqlite.parts._DERIVED_FROM", 10)
    nodes = [Node(f"n{n}", f"save {'file' * (n % 3)}", f"kind{n % 4}", f"load {'save ' * n}disk") for n in range(20)]
    changes = (
        {},
        {"fields": (TextField(("text",)),)},
        {"fields": (TextField(("name", "type"), 1.0), TextField(("text",), 0.5))},
    )
    for first in changes:
        path = tmp_path / f"{len(first)}-{len(first.get('fields', ()))}.sqlite"
        with Retriever(path, config=RetrievalConfig().replace(text=first)) as retriever:
            retriever.add(nodes)
            retriever.search("save")
        for other in changes:
            config = RetrievalConfig().replace(text=other)
            with Retriever(config=config) as made, Retriever(path, config=config) as opened:
                made.add(nodes)
                for question in ("save file", "kind2", "load disk"):
                    expected = [(hit.node.id, round(hit.score, 6)) for hit in made.search(question)]
                    assert [(hit.node.id, round(hit.score, 6)) for hit in opened.search(question)] == expected
