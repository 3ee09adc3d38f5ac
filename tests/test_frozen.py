"""Answers cannot be changed at any depth, and can be pickled, copied and written as JSON."""

import copy
import dataclasses
import json
import pickle
from enum import Enum

import numpy as np
import pytest

from fourfold import Edge, Node, RetrievalConfig, Retriever
from fourfold.frozen import FrozenDict, FrozenList, freeze, thaw
from fourfold.questions import Questions
from fourfold.tools import ToolCatalog

METADATA = {"tags": ["a", {"deep": [1]}], "more": {"x": {"y": [2, 3]}}, "price": 3, "text": "ä"}


@pytest.fixture(scope="module")
def graph():
    with Retriever(config=RetrievalConfig().replace(diversity={"min_edges": 1, "min_hits": 1})) as retriever:
        retriever.add(
            [Node(c, name=f"{c} file reader", type="tool", text="reads a file", metadata=METADATA) for c in "abcdef"],
            [Edge("a", "b", "requires"), Edge("b", "c", "feeds_into"), Edge("d", "e", "has_limitation")],
        )
        yield retriever


ANSWERS = {
    "search": lambda g: g.search("file reader", filter={"price": 3}),
    "explain": lambda g: g.explain("file reader", "a"),
    "get": lambda g: g.get(["a"])[0],
    "ask": lambda g: Questions(g).ask("what does a need?"),
    "intent_search": lambda g: Questions(g).intent_search("read a file", filters={"price": {"min": 1}}),
    "want_to": lambda g: Questions(g).want_to("read a file"),
    "can_it": lambda g: Questions(g).can_it("read a file"),
    "compose_for": lambda g: Questions(g).compose_for("read a file and read b file"),
    "similar_to": lambda g: Questions(g).similar_to("a"),
    "impact_analysis": lambda g: Questions(g).impact_analysis("a"),
    "trace_path": lambda g: Questions(g).trace_path("a", "c"),
    "explore_smart": lambda g: Questions(g).explore_smart("a"),
    "edge_type_boost": lambda g: Questions(g).edge_type_boost(["a"], ["requires"]),
    "keyword_match": lambda g: Questions(g).keyword_match("file"),
    "dimension_filter": lambda g: Questions(g).dimension_filter({"price": {"min": 1}}),
    "classify_intent": lambda g: Questions(g).classify_intent("read a file"),
    "search_tools": lambda g: ToolCatalog(g).search_tools("read a file"),
    "suggest_workflow": lambda g: ToolCatalog(g).suggest_workflow("read a file, then read b file"),
    "config": lambda g: g.config,
}


@pytest.fixture(scope="module", params=ANSWERS)
def answer(request, graph):
    return ANSWERS[request.param](graph)


def parts(value):
    """Yield everything an answer is made of."""
    yield value
    if dataclasses.is_dataclass(value):
        inner = [getattr(value, field.name) for field in dataclasses.fields(value)]
    elif isinstance(value, dict):
        inner = [*value, *value.values()]
    elif isinstance(value, (list, tuple)):
        inner = list(value)
    else:
        assert isinstance(value, (str, int, float, Enum, type(None))) and not isinstance(value, np.generic), value
        return
    for each in inner:
        yield from parts(each)


def test_every_part_of_an_answer_is_frozen(answer):
    for part in parts(answer):
        if dataclasses.is_dataclass(part):
            assert type(part).__dataclass_params__.frozen, type(part)
        elif isinstance(part, (dict, list)):
            assert isinstance(part, (FrozenDict, FrozenList)), part


def test_an_answer_is_pickled_copied_and_written_down(answer):
    for again in (
        *(pickle.loads(pickle.dumps(answer, protocol)) for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1)),
        copy.copy(answer),
        copy.deepcopy(answer),
    ):
        assert again == answer and type(again) is type(answer)
    frozen = pickle.loads(pickle.dumps(answer))
    assert [type(part) for part in parts(frozen)] == [type(part) for part in parts(answer)]
    assert dataclasses.asdict(answer) == dataclasses.asdict(frozen)


def test_as_dict_is_plain_json_of_one_s_own(answer, graph):
    if not hasattr(answer, "as_dict"):
        return
    plain = answer.as_dict()
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    assert {type(part) for part in parts(plain)} <= {dict, list, str, int, float, bool, type(None)}


def test_no_caller_changes_the_next_one_s_answer(graph):
    first = graph.search("file reader").hits[0].node.metadata
    for change in (
        lambda: first.update(price=0),
        lambda: first["more"]["x"].clear(),
        lambda: first["tags"].append("b"),
        lambda: first["tags"][1].setdefault("new", 1),
        lambda: first["tags"].__setitem__(0, "b"),
        lambda: graph.search("file reader").meta["diversity"].append("x"),
    ):
        with pytest.raises(TypeError, match="deepcopy"):
            change()
    own = copy.deepcopy(first)
    own["tags"].append("b")
    own["more"]["x"]["y"] = 0
    graph.search("file reader").hits[0].as_dict()["metadata"]["tags"].append("b")
    assert graph.search("file reader").hits[0].node.metadata == METADATA
    with pytest.raises(dataclasses.FrozenInstanceError):
        graph.search("file reader").query = "another"


def test_every_method_that_changes_a_dict_or_a_list_is_refused():
    changed = {
        FrozenDict: {name for name in dir(dict) if name not in dir(FrozenDict({}).keys()) and _changes(dict, name)},
        FrozenList: {name for name in dir(list) if _changes(list, name)},
    }
    assert changed[FrozenDict] >= {"update", "pop", "__setitem__", "__ior__"} and "sort" in changed[FrozenList]
    for kind, names in changed.items():
        for name in names:
            with pytest.raises(TypeError, match="cannot be changed"):
                getattr(kind(), name)()


def _changes(kind, name):
    """Whether a method of dict or list changes the object, as trying it with any arguments tells."""
    start = {"a": 1, "b": 2} if kind is dict else [2, 1]
    for arguments in ((), ("a",), (0,), ("c", 3), (0, 3), ({"c": 3},), ([3],), (3,)):
        tried = copy.copy(start)
        if name in ("__init__", "__class__", "__setattr__", "__delattr__", "__setstate__"):
            return False
        try:
            getattr(tried, name)(*arguments)
        except Exception:
            continue
        if tried != start:
            return True
    return False


def test_frozen_values_are_dicts_and_lists_to_all_that_reads():
    frozen = freeze({"a": [1, {"b": (2,)}], "c": {}})
    assert (
        frozen == {"a": [1, {"b": [2]}], "c": {}}
        and thaw(frozen) == frozen
        and json.dumps(frozen) == json.dumps(thaw(frozen))
    )
    assert isinstance(frozen, dict) and {**frozen} == frozen and (frozen | {"d": 1})["d"] == 1
    with Retriever() as graph:  # and can be stored again
        graph.add([Node("x", metadata=frozen)])
        assert graph.add(graph.get(["x"])) == graph.generation and graph.get(["x"])[0].metadata == frozen
