"""A config applied to a file is used by whoever opens it, is numbered, and can be taken back."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fourfold import (
    EmbedderMismatchError,
    IntentSpec,
    InvalidValueError,
    Node,
    RetrievalConfig,
    Retriever,
    SeedConfig,
    StoreError,
    TextField,
    UnknownNodeError,
    Weights,
)
from fourfold.config_history import ConfigHistory, changes_of, with_changes
from fourfold.engines.sqlite.backend import SqliteBackend as Store
from fourfold.evaluate import feedback_judgements
from fourfold.evaluate.learner import with_profiles

weights = st.builds(Weights, *[st.floats(0.01, 2)] * 4)


@given(
    weights=weights,
    profile=weights,
    tilt=st.none() | st.floats(0, 1),
    types=st.dictionaries(st.text(), st.floats(0, 2)),
    sharpness=st.none() | st.floats(0, 50),
    seeds=st.integers(0, 50),
)
def test_any_config_survives_json(weights, profile, tilt, types, sharpness, seeds):
    own = IntentSpec("own", patterns=(r"\bown\b",), edge_types=("a", "b"))
    config = RetrievalConfig().replace(
        text={"fields": (TextField(("name", "text"), 2.0),)},
        fusion={"weights": weights},
        seeds={"sharpness": sharpness, "per_component": seeds},
        graph={"type_weights": types},
        intents={"specs": (*RetrievalConfig().intents.specs, own)},
    )
    config = with_profiles(config, {"workflow": profile}).replace(fusion={"intent_tilt": tilt})
    again = with_changes(RetrievalConfig(), json.loads(json.dumps(changes_of(config))))
    assert again == config
    assert again.fingerprint() == config.fingerprint()


def test_the_published_config_survives_json():
    config = RetrievalConfig.published()
    assert with_changes(RetrievalConfig(), json.loads(json.dumps(changes_of(config)))) == config
    assert changes_of(RetrievalConfig()) == {}


def test_an_applied_config_is_in_force_for_all_who_open_the_file(tmp_path):
    path = tmp_path / "kg.sqlite"
    learnt = RetrievalConfig().replace(
        fusion={"weights": Weights(0.1, 0.8, 0.1, 0.0)}, text={"fields": (TextField(("name",), 1.0),)}
    )
    with Retriever(path) as retriever:
        retriever.add([Node("a", "alpha", text="beta"), Node("b", "beta", text="alpha")])
        assert set(retriever.search("beta", mode="text").ids) == {"a", "b"}
        assert retriever.learning.apply_config(learnt, evidence={"gain": 0.1}) == 1
        assert retriever.search("beta", mode="text", weights=Weights(0, 1, 0, 0)).ids == ["b"]
        with Retriever(path, read_only=True) as other:
            assert other.config == learnt
            assert other.info()["config_version"] == 1
            assert {name: set(group) for name, group in other.info()["config_changes"].items()} == {
                "fusion": {"weights"},
                "text": {"fields"},
            }
        with Retriever(path, config=RetrievalConfig()) as explicit:
            assert explicit.config == RetrievalConfig()


def test_configs_are_numbered_and_taken_back(tmp_path):
    first, second = (RetrievalConfig(seeds=SeedConfig(per_component=n)) for n in (3, 4))
    with Retriever(tmp_path / "kg.sqlite") as retriever:
        retriever.learning.apply_config(first)
        retriever.learning.apply_config(second, evidence={"gain": 0.2})
        assert [version.number for version in retriever.learning.config_versions()] == [1, 2]
        assert retriever.learning.config_versions()[1].evidence == {"gain": 0.2}
        assert retriever.learning.rollback_config() == 1 and retriever.config == first
        assert retriever.learning.rollback_config() == 0 and retriever.config == RetrievalConfig()
        assert retriever.learning.rollback_config() == 0
        assert retriever.learning.rollback_config(2) == 2 and retriever.config == second
        with pytest.raises(StoreError, match="no config version 7"):
            retriever.learning.rollback_config(7)
        assert retriever.config == second and retriever.info()["config_version"] == 2
        assert retriever.learning.apply_config(first) == 3


def test_what_was_taken_back_does_not_come_again_with_the_next(tmp_path):
    with Retriever(tmp_path / "kg.sqlite") as retriever:
        learning = retriever.learning
        for n in (3, 4):
            learning.apply_config(RetrievalConfig(seeds=SeedConfig(per_component=n)))
        assert learning.rollback_config() == 1
        third = RetrievalConfig(seeds=SeedConfig(per_component=5))
        assert learning.apply_config(third) == 3
    with Retriever(tmp_path / "kg.sqlite") as retriever:
        assert retriever.learning.rollback_config() == 1
        assert retriever.learning.rollback_config() == 0
        assert retriever.learning.rollback_config(3) == 3 and retriever.config == third
        assert retriever.learning.rollback_config() == 1


def history(**version):
    known = {"number": 1, "applied": "2026-01-01", "changes": {}, "evidence": {}}
    return json.dumps({"in_force": 1, "versions": [{**known, **version}]})


DAMAGED = [
    "{",
    "[]",
    '{"in_force": 4, "versions": []}',
    '{"in_force": 1e999, "versions": []}',
    '{"in_force": "1", "versions": []}',
    '{"in_force": 0, "versions": [], "over": {"x": 1}}',
    '{"in_force": 0, "versions": [], "over": [1]}',
    history(number="x"),
    history(changes=7),
    history(changes={"graph": {"type_weights": {"a": float("inf")}}}),
    history(changes={"intents": {"specs": [{"name": "x", "patterns": ["(((("]}]}}),
]


@pytest.mark.parametrize("stored", DAMAGED)
def test_a_damaged_history_is_told_and_can_be_passed_over(tmp_path, stored):
    path = tmp_path / "kg.sqlite"
    store = Store(path)
    with store.transaction() as writer:
        writer.set_meta("config", stored)
    store.close()
    with pytest.raises(StoreError, match="config"):
        Retriever(path)
    with Retriever(path, config=RetrievalConfig()) as retriever:
        assert len(retriever) == 0


def test_a_constant_of_a_later_version_is_named():
    with pytest.raises(StoreError, match="warp_factor"):
        with_changes(RetrievalConfig(), {"warp_factor": 9})
    with pytest.raises(StoreError, match=r"graph\.warp_factor"):
        with_changes(RetrievalConfig(), {"graph": {"warp_factor": 9}})
    with pytest.raises(StoreError, match="limit"):
        with_changes(RetrievalConfig(), {"limit": 0})


def test_feedback_becomes_judged_queries(tmp_path):
    with Retriever(tmp_path / "kg.sqlite") as retriever:
        retriever.add([Node("a", "alpha"), Node("b", "beta"), Node("c", "gamma")])
        retriever.learning.feedback("first?", "a")
        retriever.learning.feedback("second?", "b", False)
        retriever.learning.feedback(" first? ", "b", 2)
        retriever.learning.feedback("first?", "a", False)
        retriever.learning.feedback("third?", "c", True)
        with pytest.raises(UnknownNodeError, match="'z'"):
            retriever.learning.feedback("first?", "z")
        for bad in (-1, float("nan")):
            with pytest.raises(ValueError, match="relevant"):
                retriever.learning.feedback("first?", "a", bad)
        with pytest.raises(ValueError, match="query"):
            retriever.learning.feedback("  ", "a")
    with Retriever(tmp_path / "kg.sqlite") as retriever:
        assert retriever.learning.judgements() == [
            ("first?", "a", 0.0),
            ("first?", "b", 2.0),
            ("second?", "b", 0.0),
            ("third?", "c", 1.0),
        ]
        retriever.delete(["c"])
        judged = feedback_judgements(retriever)
        assert [(query.text, dict(query.relevant)) for query in judged] == [("first?", {"a": 0.0, "b": 2.0})]
        assert judged.unknown == ("c",)


def test_a_config_of_another_tokenizer_is_not_applied(tmp_path):
    path = str(tmp_path / "kg.sqlite")
    with Retriever(path) as retriever:
        retriever.add([Node("a", "zip files")])
        with pytest.raises(EmbedderMismatchError, match="made with the tokenizer 'snowball-english', the config asks"):
            retriever.learning.apply_config(RetrievalConfig.published())
        assert retriever.learning.config_versions() == [] and retriever.config == RetrievalConfig()
    with Retriever(path) as retriever:
        assert retriever.search("files").ids == ["a"]


def test_a_graph_without_terms_begins_with_the_tokenizer_that_is_applied(tmp_path):
    path = str(tmp_path / "kg.sqlite")
    german = RetrievalConfig().replace(text={"language": "german"})
    with Retriever(path) as retriever, Retriever(path) as beside:
        with pytest.raises(InvalidValueError, match="There is no tokenizer 'snowball-klingon'"):
            retriever.learning.apply_config(RetrievalConfig().replace(text={"language": "klingon"}))
        retriever.learning.apply_config(german)
        beside.add([Node("a", "Häuser")])
        assert retriever.info()["tokenizer"] == beside.info()["tokenizer"] == "snowball-german"
    with Retriever(path) as retriever:
        assert retriever.search("Haus", mode="text").ids == ["a"]


def test_a_graph_with_an_applied_config_of_another_tokenizer_opens_with_its_own(tmp_path):
    """Versions before could apply one, and then nothing opened the file."""
    path = str(tmp_path / "kg.sqlite")
    with Retriever(path) as retriever:
        retriever.add([Node("a", "zip files")])
    store = Store(path)
    with store.transaction() as writer:
        history = ConfigHistory().applied(RetrievalConfig.published(), "2026-01-01T00:00:00+00:00", {})
        writer.set_meta("config", history.to_json())
    store.close()
    with Retriever(path) as retriever:
        assert retriever.info()["tokenizer"] == "snowball-english" and retriever.search("file").ids == ["a"]
        assert retriever.learning.rollback_config() == 0
