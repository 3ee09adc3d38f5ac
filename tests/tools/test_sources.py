"""Descriptions of tools that hold anything at all: read, or refused with a sentence."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from fourfold.errors import InvalidValueError
from fourfold.tools.sources import read_tools
from fourfold.tools.types import Tool
from fourfold.types import Node

ANYTHING = [
    np.array([1.0, 2.0]),
    np.zeros(0),
    5,
    0,
    float("nan"),
    True,
    object(),
    b"x",
    {"a": np.ones(2)},
    [np.ones(2)],
    {3},
]
KEYS = (
    "name",
    "server",
    "description",
    "inputSchema",
    "input_schema",
    "parameters",
    "outputSchema",
    "function",
    "tools",
)


def read_or_refused(source: object) -> None:
    try:
        assert all(isinstance(tool, Tool) for tool in read_tools(source))
    except InvalidValueError as error:
        assert str(error)


@pytest.mark.parametrize("value", ANYTHING, ids=lambda value: type(value).__name__)
def test_dictionaries(value: object) -> None:
    for key in KEYS:
        read_or_refused({"name": "a", key: value})
        read_or_refused([{key: value}])


@pytest.mark.parametrize("value", ANYTHING, ids=lambda value: type(value).__name__)
def test_objects(value: object) -> None:
    for key in (*KEYS, "metadata", "tool_call_schema", "args_schema"):
        read_or_refused(SimpleNamespace(**{"name": "a", key: value}))


@pytest.mark.parametrize("value", ANYTHING, ids=lambda value: type(value).__name__)
def test_openapi(value: object) -> None:
    for key in ("operationId", "summary", "description", "parameters", "requestBody", "responses"):
        read_or_refused({"openapi": "3", "paths": {"/a": {"get": {key: value}}}})
    for key in ("info", "paths", "components"):
        read_or_refused({"openapi": "3", "paths": {5: {"get": {"summary": "s"}}}, key: value})
    for key in ("name", "in", "required", "schema", "description", "$ref"):
        parameter = {"name": "p", "schema": {"type": "string"}, key: value}
        read_or_refused({"openapi": "3", "paths": {"/a": {"parameters": [parameter], "get": {"summary": "s"}}}})


def test_what_says_nothing_leaves_the_default() -> None:
    (tool,) = read_tools({"name": "a", "server": None, "description": None, "inputSchema": {}}, server="s")
    assert tool == Tool("a", "s")


def test_a_node_is_no_tool_without_its_text() -> None:
    with pytest.raises(InvalidValueError, match="'s:a' is a node and describes no tool; Retriever.add adds nodes"):
        read_tools([Node("s:a", "a", "tool", "What it does.")])
