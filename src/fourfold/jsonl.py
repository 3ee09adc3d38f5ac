"""Graphs as JSON Lines: one node or edge an object, one object a line.

    {"kind": "node", "id": "a", "name": "write_file", "type": "tool", "text": "…", "metadata": {"lang": "en"}}
    {"kind": "edge", "source": "a", "target": "b", "type": "depends_on", "weight": 1.0}

``kind`` may be left out: what has a source or a target is an edge. Nodes and edges may come in any order.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from io import BufferedReader, TextIOWrapper
from itertools import count
from pathlib import Path
from typing import Any

from fourfold.arguments import any_path, shown
from fourfold.encodings import LONGEST_MARK, UTF_8, marked
from fourfold.errors import InvalidValueError
from fourfold.types import Edge, Node

_LONGEST_LINE = 100_000_000
_TEXT = "a string"
_NODE = {"id": _TEXT, "name": _TEXT, "type": _TEXT, "text": _TEXT, "metadata": "an object", "vector": "a list"}
_EDGE = {"source": _TEXT, "target": _TEXT, "type": _TEXT, "weight": "a number"}
_PYTHON: dict[str, type | tuple[type, ...]] = {_TEXT: str, "an object": dict, "a list": list, "a number": (int, float)}


def read_graph(path: str | Path, *, progress: Callable[[int], None] | None = None) -> tuple[list[Node], list[Edge]]:
    """Read the nodes and edges of a JSON Lines file (UTF-8, or as its byte order mark says).

    Args:
        path: the file.
        progress: called with the number of bytes of each line that was read.

    Raises:
        InvalidValueError: a line that is no node and no edge; the sentence has its number.
        OSError: the file cannot be read.

    """
    nodes: list[Node] = []
    edges: list[Edge] = []
    for number, line in lines(path):
        if progress is not None:
            progress(len(line))
        try:
            item = _parse(line)
        except ValueError as error:
            raise InvalidValueError(f"{path}, line {number}: {error}.") from error
        if isinstance(item, Node):
            nodes.append(item)
        elif item is not None:
            edges.append(item)
    return nodes, edges


def lines(path: str | Path) -> Iterator[tuple[int, bytes]]:
    """Return the lines of a file, as UTF-8, with their numbers, from 1.

    Args:
        path: where a byte order mark says UTF-16 or UTF-32, it is read so.

    Raises:
        InvalidValueError: a line of more than 100 million bytes, of which no more is read, or one that is not in the
            marked encoding.
        OSError: the file cannot be read.

    """
    with any_path(path).open("rb") as raw, _as_marked(raw) as file:
        for number in count(1):
            try:
                line = file.readline(_LONGEST_LINE + 1)
            except UnicodeDecodeError as error:
                raise InvalidValueError(f"{path}, line {number}: this is not {error.encoding.upper()}.") from error
            if len(line) > _LONGEST_LINE:
                raise InvalidValueError(f"{path}, line {number}: this is longer than {_LONGEST_LINE:,} bytes.")
            if not line:
                return
            yield number, line if isinstance(line, bytes) else line.encode()


def _as_marked(file: BufferedReader) -> BufferedReader | TextIOWrapper:
    """Return a file as it is where it is UTF-8: a line of it that is not is told alone, and the rest is read."""
    encoding = marked(file.peek(LONGEST_MARK))
    return file if encoding == UTF_8 else TextIOWrapper(file, encoding, newline="\n")


def _parse(line: bytes) -> Node | Edge | None:
    """Return what a line holds; None if it is empty."""
    try:
        text = line.decode("utf-8-sig").strip()
    except UnicodeDecodeError as error:
        raise ValueError(f"this is not UTF-8 (byte {error.start + 1})") from error
    if not text:
        return None
    try:
        item = json.loads(text, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        raise ValueError(
            f"this is no JSON ({error.msg}, column {error.colno}); a line is a whole node or edge"
        ) from error
    except RecursionError as error:
        raise ValueError("this is nested too deeply") from error
    if not isinstance(item, dict):
        raise ValueError(f"this is {_kind_of(item)}; a line is an object with the keys of a node or of an edge")
    kind = item.pop("kind", "edge" if "source" in item or "target" in item else "node")
    if kind == "node":
        return Node(**_checked(item, kind, _NODE, needed=("id",)))
    if kind == "edge":
        return Edge(**_checked(item, kind, _EDGE, needed=("source", "target")))
    raise ValueError(f'"kind" is {_kind_of(kind)}; it must be "node" or "edge"')


def _checked(item: dict[str, Any], kind: str, allowed: Mapping[str, str], needed: tuple[str, ...]) -> dict[str, Any]:
    """Return the fields of a node or an edge; null counts as left out."""
    if unknown := sorted(item.keys() - allowed.keys()):
        advice = '; further fields of a node belong into "metadata"' if kind == "node" else ""
        raise ValueError(f"the {kind} has the unknown key {shown(unknown[0])}, not one of {', '.join(allowed)}{advice}")
    fields = {name: value for name, value in item.items() if value is not None}
    for name in needed:
        if not fields.get(name, ""):
            raise ValueError(f"the {kind} has no {name}")
    for name, value in fields.items():
        expected = allowed[name]
        if not isinstance(value, _PYTHON[expected]) or isinstance(value, bool):
            raise ValueError(f"the {name} of the {kind} is {_kind_of(value)}; it must be {expected}")
    weight = fields.get("weight", 1.0)
    if not 0 <= weight < math.inf:
        raise ValueError(f"the weight of the edge is {weight}; it must be finite and at least 0")
    return fields


def _kind_of(value: object) -> str:
    """Name a JSON value for people; short ones are shown."""
    written = json.dumps(value, ensure_ascii=False)
    if len(written) <= 40:
        return written
    return "an object" if isinstance(value, dict) else "a list" if isinstance(value, list) else "a long value"


def _refuse(constant: str) -> object:
    raise ValueError(f"{constant} is no JSON number")
