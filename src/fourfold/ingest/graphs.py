"""What exists already: JSON Lines → documents; NetworkX and GraphML → nodes and edges."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from fourfold.arguments import any_path, said, shown
from fourfold.errors import FourfoldWarning, InvalidValueError
from fourfold.ingest import unpacking
from fourfold.ingest.documents import Document, of_others
from fourfold.ingest.report import Problem
from fourfold.jsonl import lines
from fourfold.lazy import load
from fourfold.types import Edge, Node

_NAMES = ("name", "label", "title")
_TYPES = ("type", "kind")
_TEXTS = ("text", "description", "content")
_OF_A_DOCUMENT = frozenset(("id", "_id", "text", "title", "type", "source", "links", "metadata"))


def read_jsonl(path: str | Path, *, problems: list[Problem] | None = None) -> Iterator[Document]:
    """Return the documents of a file with one JSON object a line.

    A line is ``{"id" (or "_id"): …, "text": …, "title": …, "type": …, "metadata": {…}, "source": …, "links": […]}``;
    what stands under other keys is metadata, too.

    Args:
        path: UTF-8, or as its byte order mark says; its path is the source of documents without one.
        problems: takes a line that cannot be read, and the rest is read; None raises.

    Raises:
        InvalidValueError: a line cannot be read, without ``problems``.

    """
    for number, line in lines(path):
        if not line.strip():
            continue
        try:
            yield _document(_object(line), str(path))
        except ValueError as error:
            problem = Problem(f"{path}:{number}", str(error))
            if problems is None:
                raise InvalidValueError(str(problem)) from error
            problems.append(problem)


def holds_documents(path: str | Path) -> bool:
    """Whether a file of JSON Lines holds documents, as a BEIR corpus does, and not nodes and edges.

    Its first object tells: documents have an ``_id`` or a ``title``.
    """
    first = next((line for _, line in lines(path) if line.strip()), b"")
    try:
        given = json.loads(first.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return False
    return isinstance(given, dict) and bool({"_id", "title"} & given.keys())


def _object(line: bytes) -> dict[str, Any]:
    try:
        given = json.loads(line.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise InvalidValueError(f"the line is no UTF-8 text (byte {error.start + 1}).") from error
    except (ValueError, RecursionError) as error:
        raise InvalidValueError(f"the line is no JSON that can be read: {error}.") from error
    if not isinstance(given, dict):
        raise InvalidValueError(f"the line holds {type(given).__name__}, not an object.")
    return given


def _document(given: Mapping[str, Any], source: str) -> Document:
    identity = given.get("id", given.get("_id"))
    if isinstance(identity, int) and not isinstance(identity, bool):
        identity = str(identity)
    if not isinstance(identity, str) or not identity:
        raise InvalidValueError(f"the object has the id {shown(identity)}; it must be a string that is not empty.")
    fields = {name: given.get(name) or "" for name in ("text", "title", "type", "source")}
    links = given.get("links") or []
    metadata = given.get("metadata") or {}
    wrong = [name for name, value in fields.items() if not isinstance(value, str)]
    if wrong or not isinstance(metadata, dict) or not isinstance(links, list):
        raise InvalidValueError(
            f"{', '.join(wrong) or 'metadata or links'} of document {shown(identity)} is of a wrong type."
        )
    return Document(
        id=identity,
        text=fields["text"],
        title=fields["title"],
        type=fields["type"],
        metadata=of_others({**{key: value for key, value in given.items() if key not in _OF_A_DOCUMENT}, **metadata}),
        source=fields["source"] or source,
        links=tuple(map(str, links)),
    )


def from_networkx(graph: Any, *, edge_type: str = "relates_to") -> tuple[list[Node], list[Edge]]:
    """Return a NetworkX graph as nodes and edges; an undirected edge becomes two.

    Args:
        graph: node attributes ``name`` (or ``label``, ``title``), ``type``, ``text`` (or ``description``) and
            ``vector`` are taken as such, the others become metadata; edge attributes ``type`` (or ``relation``,
            ``label``, or the key of a multigraph) and ``weight`` likewise.
        edge_type: the type of edges that do not say theirs.

    Raises:
        InvalidValueError: something that is no graph, a weight that is no number, or two nodes of one id, as 1 and "1"
            would be.

    """
    if not hasattr(graph, "is_multigraph"):
        raise InvalidValueError(f"graph is {shown(graph)}; it must be a graph of NetworkX.")
    named: dict[str, Any] = {}
    for identity in graph:
        if named.setdefault(str(identity), identity) is not identity:
            raise InvalidValueError(
                f"The nodes {shown(named[str(identity)])} and {shown(identity)} would both have the id "
                f"{shown(str(identity))}; rename one of them."
            )
    nodes = [_node(identity, dict(attributes)) for identity, attributes in graph.nodes(data=True)]
    edges: list[Edge] = []
    for source, target, key, attributes in _edges(graph):
        told = [attributes.get(name) for name in ("type", "relation", "label")] + [
            key if isinstance(key, str) else None
        ]
        kind = str(next((name for name in told if name), edge_type))
        weight = _number(attributes.get("weight"), f"the edge {shown(source)} → {shown(target)}")
        ends = [(source, target)] if graph.is_directed() else [(source, target), (target, source)]
        edges += [Edge(str(a), str(b), kind, weight) for a, b in ends]
    return nodes, edges


def _number(weight: Any, of: str) -> float:
    try:
        return 1.0 if weight is None else float(weight)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidValueError(f"The weight of {of} is {shown(weight)}; it must be a number.") from error


def _edges(graph: Any) -> Iterable[tuple[Any, Any, Any, dict[str, Any]]]:
    if graph.is_multigraph():
        return list(graph.edges(keys=True, data=True))
    return [(source, target, None, attributes) for source, target, attributes in graph.edges(data=True)]


def _node(identity: object, attributes: dict[str, Any]) -> Node:
    name = _taken(attributes, _NAMES)
    kind = _taken(attributes, _TYPES)
    text = _taken(attributes, _TEXTS)
    vector = attributes.pop("vector", None)
    try:
        metadata = json.loads(
            json.dumps({str(key): value for key, value in attributes.items()}, default=str, skipkeys=True)
        )
    except Exception as error:  # what stands there may be anything, and fail in any way
        raise InvalidValueError(
            f"The attributes of the node {shown(identity)} cannot be metadata: {said(error)}."
        ) from error
    return Node(str(identity), name=name or str(identity), type=kind, text=text, metadata=metadata, vector=vector)


def _taken(attributes: dict[str, Any], keys: Iterable[str]) -> str:
    for key in keys:
        if isinstance(attributes.get(key), str) and attributes[key]:
            return str(attributes.pop(key))
    return ""


def read_graphml(path: str | Path, *, edge_type: str = "relates_to") -> tuple[list[Node], list[Edge]]:
    """Return the graph of a GraphML file; see ``from_networkx``.

    The id of an edge is its type where another edge has the same one, as in files that NetworkX wrote of a multigraph;
    ids that are an edge's own say nothing.

    Raises:
        InvalidValueError: the file is no GraphML, or a node or an end of an edge has no id; a compressed file (.gz,
            .bz2), or what it says of all nodes and edges at once, holds far more than its size.

    """

    def identity(given: str | None) -> str:
        if not given:
            raise InvalidValueError(f"{path} has a node without an id, or an edge without a source or target.")
        named.add(given)
        return given

    networkx, path = load("networkx", "Reading GraphML"), any_path(path)
    named: set[str] = set()
    try:
        with unpacking.opened(path) as file:
            graph = networkx.read_graphml(file, node_type=identity)
    except (OSError, InvalidValueError):
        raise
    except Exception as error:
        raise InvalidValueError(f"{path} is no GraphML that can be read: {said(error)}.") from error
    if len(named) > len(graph):
        told = f"{path} holds several graphs; the first was read, and {len(named) - len(graph):,} nodes of others not."
        warnings.warn(told, FourfoldWarning, stacklevel=2)
    most = unpacking.most_of(path)
    for every, kind in ((graph.nodes, "node"), (graph.edges, "edge")):
        defaults = graph.graph.get(f"{kind}_default", {})
        size = len(every) * sum(len(name) + len(str(value)) for name, value in defaults.items())
        if size > most:
            raise InvalidValueError(
                f"{path} says of each {kind} what is usual; written out for all {len(every):,} that is more than "
                f"{most:,} characters, far more than its size. Leave out the <default> of its keys."
            )
        _fill_in(every.values(), defaults)
    return from_networkx(_without_ids(graph), edge_type=edge_type)


def _fill_in(every: Iterable[dict[str, Any]], defaults: Mapping[str, Any]) -> None:
    """Give attributes that are not said the values that the file has for them; NetworkX only keeps these beside."""
    for attributes in every:
        for name, value in defaults.items():
            attributes.setdefault(name, value)


def _without_ids(graph: Any) -> Any:
    """Return a graph that was read without the keys which are no more than the ids of its edges."""
    if not graph.is_multigraph():
        return graph
    keys = [key for _, _, key in graph.edges(keys=True) if isinstance(key, str)]
    if len(set(keys)) < len(keys):
        return graph
    plain = type(graph)()
    plain.add_nodes_from(graph.nodes(data=True))
    plain.add_edges_from(graph.edges(data=True))
    return plain
