"""Graphs that exist already → nodes and edges: triples, JSON Lines of documents, NetworkX, GraphML."""

from __future__ import annotations

import csv
import json
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TextIO

from fourfold.arguments import any_path, said, shown
from fourfold.encodings import opened
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
_LONGEST_LINE = 10_000_000
"""Characters of a line of triples."""

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


def read_triples(
    path: str | Path, *, delimiter: str | None = None, header: bool | None = None
) -> tuple[list[Node], list[Edge]]:
    """Return the graph of a file of (subject, relation, object) lines, with a weight as an optional fourth column.

    The nodes have an id and a name, no more: to a graph that has some of them with a text, add the others only.

    Args:
        path: CSV or TSV, UTF-8, or as its byte order mark says (Excel's "Unicode text").
        delimiter: None takes the tab for files that end in .tsv or .txt, else the comma.
        header: whether the first line names the columns; None looks for such names in it.

    Raises:
        InvalidValueError: a line has fewer than three columns, an empty end, or a weight that is no number; the first
            line names the columns in another order, or those of a table of things; a delimiter that is none.
        OSError: the file cannot be read.

    """
    if delimiter is not None and (not isinstance(delimiter, str) or len(delimiter) != 1):
        raise InvalidValueError(f"delimiter is {shown(delimiter)}; it must be one character.")
    if delimiter is None:
        delimiter = "\t" if any_path(path).suffix.lower() in (".tsv", ".txt") else ","
    nodes: dict[str, Node] = {}
    edges: list[Edge] = []
    with opened(any_path(path), newline="") as file:
        for number, row in _rows(_reader(_lines(file, path), delimiter), path):
            if not any(cell.strip() for cell in row):
                continue
            if number == 1 and header is not False:
                header = _names_columns(row, path) or header
                if header:
                    continue
            edge = _edge(row, f"{path}:{number}")
            for identity in (edge.source, edge.target):
                nodes.setdefault(identity, Node(identity, name=identity))
            edges.append(edge)
    if header is None:
        _refuse_table(edges, path)
    return list(nodes.values()), edges


def _refuse_table(edges: list[Edge], path: str | Path) -> None:
    """Refuse a table of things under the names of its columns; warn of lines that look like one without them."""
    relations = Counter(edge.type for edge in edges)
    ends = Counter(end for edge in edges for end in (edge.source, edge.target))
    first = edges[0] if edges else None
    if first and ends[first.source] == ends[first.target] == relations[first.type] == 1:  # none of them is told of
        names = (first.source, first.type, first.target)
        if sum(name.lower() in _COLUMNS or name.lower().endswith("_id") for name in names) > 1:
            raise InvalidValueError(
                f"{path}:1: {', '.join(map(shown, names))} look like the columns of a table of things; a line is "
                "subject, relation, object and a weight, if any. A table is read as a document where its folder is "
                "indexed; or make a node of each row. Put a line subject,relation,object before edges that begin so."
            )
    if len(edges) >= _MANY and len(relations) > _OWN * len(edges):
        warnings.warn(
            f"{path} has {len(relations)} relations in {len(edges)} lines, as a table of things has; a line is read "
            "as subject, relation, object and a weight, if any.",
            FourfoldWarning,
            stacklevel=3,
        )


def _lines(file: TextIO, path: str | Path) -> Iterator[str]:
    """Return the lines of a file, of which one that never ends is refused."""
    while line := file.readline(_LONGEST_LINE + 1):
        if len(line) > _LONGEST_LINE:
            raise InvalidValueError(f"{path} has a line of more than {_LONGEST_LINE:,} characters; is it a table?")
        yield line


def _reader(lines: Iterable[str], delimiter: str) -> Iterator[list[str]]:
    """Return the cells of each line; between tabs a quotation mark is one, unless it stands at both ends of a cell."""
    if delimiter != "\t":
        return csv.reader(lines, delimiter=delimiter)
    rows = csv.reader(lines, delimiter=delimiter, quoting=csv.QUOTE_NONE)
    return ([_unquoted(cell) for cell in row] for row in rows)


def _unquoted(cell: str) -> str:
    quoted = len(cell) > 1 and cell[0] == cell[-1] == '"'
    return cell[1:-1].replace('""', '"') if quoted else cell


def _rows(reader: Any, path: str | Path) -> Iterator[tuple[int, list[str]]]:
    """Return the rows of a CSV reader with their numbers, from 1."""
    number = 1
    while True:
        try:
            row = next(reader, None)
        except UnicodeDecodeError as error:  # it is decoded in blocks: in which line that is, nobody knows
            raise InvalidValueError(f"{path} is not {error.encoding.upper()}; save it as UTF-8.") from error
        except csv.Error as error:
            raise InvalidValueError(f"{path}:{number}: the line cannot be read: {error}.") from error
        if row is None:
            return
        yield number, row
        number += 1


_COLUMNS = frozenset(
    "id _id sku key code uuid name title label text description summary body content category kind type status price"
    " cost amount quantity count total date year email phone address city country url link brand color colour"
    " size".split()
)
"""What columns of tables are called; two of them in a first line that shares nothing with the others are a header."""

_MANY, _OWN = 10, 0.9
"""So many lines, and such a share of them with a relation of its own, look like a table."""

SUBJECTS = frozenset({"subject", "source", "head", "from"})
OBJECTS = frozenset({"object", "target", "tail", "to"})


def _names_columns(row: list[str], path: str | Path) -> bool:
    """Whether a line names the columns; one that names the ends of an edge in others is refused: ``source,target``."""
    if len(row) >= 3 and row[0].strip().lower() in SUBJECTS and row[2].strip().lower() in OBJECTS:
        return True
    names = {cell.strip().lower() for cell in row}
    if names & SUBJECTS and names & OBJECTS:
        raise InvalidValueError(
            f"{path}:1: the columns are called {', '.join(map(shown, row[:9]))}; a line is subject, relation, "
            "object and a weight, if any. Put the columns in that order."
        )
    return False


def _edge(row: list[str], place: str) -> Edge:
    if len(row) < 3 or not row[0].strip() or not row[2].strip():
        raise InvalidValueError(f"{place}: {shown(row)} is no triple of subject, relation and object.")
    source, relation, target = (cell.strip() for cell in row[:3])
    if len(row) < 4 or not row[3].strip():
        return Edge(source, target, relation)
    try:
        weight = float(row[3])
    except ValueError as error:
        told = f"{place}: the weight {shown(row[3])} is no number; a line is subject, relation, object, weight. "
        told += "A table of things is read as a document where its folder is indexed."
        raise InvalidValueError(told) from error
    return Edge(source, target, relation, weight)


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
    metadata = json.loads(
        json.dumps({str(key): value for key, value in attributes.items()}, default=str, skipkeys=True)
    )
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
            .bz2) holds far more than its size.

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
    return from_networkx(_without_ids(graph), edge_type=edge_type)


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
