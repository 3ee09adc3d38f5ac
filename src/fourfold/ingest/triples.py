"""Triples → nodes and edges: CSV and TSV of subject, relation, object, and what a graph knows of these already."""

from __future__ import annotations

import csv
import re
import warnings
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from fourfold.arguments import any_path, shown
from fourfold.encodings import opened
from fourfold.errors import FourfoldWarning, InvalidValueError
from fourfold.filters import any_of
from fourfold.open_graph import of_open_graph
from fourfold.retriever import Retriever
from fourfold.types import Edge, Node

_LONGEST_LINE = 10_000_000
"""Characters of a line of triples."""


def read_triples(
    path: str | Path, *, delimiter: str | None = None, header: bool | None = None
) -> tuple[list[Node], list[Edge]]:
    """Return the graph of a file of (subject, relation, object) lines, with a weight as an optional fourth column.

    A first line that names the ends (``source,target,type,weight``) may have its columns in any order, and others
    beside them, which are not read. Without one of relations, all edges are of ``relates_to``. The nodes have an id and
    a name, no more; ``join_triples`` says which of them a graph has already.

    Args:
        path: CSV or TSV, UTF-8, or as its byte order mark says (Excel's "Unicode text").
        delimiter: None takes the tab for files that end in .tsv or .txt, else the comma, or the semicolon where the
            first line has no comma.
        header: whether the first line names the columns; None looks for such names in it.

    Raises:
        InvalidValueError: a line has too few columns, an empty end, or a weight that is no number; the first line names
            the columns of a table of things; a delimiter that is none.
        OSError: the file cannot be read.

    """
    if delimiter is not None and (not isinstance(delimiter, str) or len(delimiter) != 1):
        raise InvalidValueError(f"delimiter is {shown(delimiter)}; it must be one character.")
    nodes: dict[str, Node] = {}
    edges: list[Edge] = []
    columns = _TRIPLE
    with opened(any_path(path), newline="") as file:
        lines = _lines(file, path)
        first = next(lines, "")
        if delimiter is None:
            of_tabs = any_path(path).suffix.lower() in (".tsv", ".txt")
            delimiter = "\t" if of_tabs else ";" if ";" in first and "," not in first else ","
        for number, row in _rows(_reader(chain([first], lines), delimiter), path):
            if not any(cell.strip() for cell in row):
                continue
            if number == 1 and header is not False:
                named = columns_of_edges(row)
                columns, header = named or columns, header or bool(named) or None
                if header:
                    continue
            edge = _edge(row, columns, f"{path}:{number}")
            for identity in (edge.source, edge.target):
                nodes.setdefault(identity, Node(identity, name=identity))
            edges.append(edge)
    if header is None:
        _refuse_table(edges, path)
    return list(nodes.values()), edges


def _refuse_table(edges: list[Edge], path: str | Path) -> None:
    """Refuse a table of things under the names of its columns; warn of lines that look like one without them."""
    relations, subjects = Counter(edge.type for edge in edges), {edge.source for edge in edges}
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
    if len(edges) > 1 and all(map(_NUMBER.fullmatch, relations)) and not any(map(_NUMBER.fullmatch, subjects)):
        raise InvalidValueError(
            f"{path} has numbers for relations, such as {shown(edges[-1].type)}, as a table of figures has; a line is "
            f"subject, relation, object and a weight, if any. {_OF_THINGS} Put a line subject,relation,object before "
            "edges that are so."
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
    try:
        while line := file.readline(_LONGEST_LINE + 1):
            if len(line) > _LONGEST_LINE:
                raise InvalidValueError(f"{path} has a line of more than {_LONGEST_LINE:,} characters; is it a table?")
            yield line
    except UnicodeDecodeError as error:  # it is decoded in blocks: in which line that is, nobody knows
        raise InvalidValueError(f"{path} is not {error.encoding.upper()}; save it as UTF-8.") from error


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

_OF_THINGS = "A table of things is read as a document where its folder is indexed."

_NUMBER = re.compile(r"[\d.,]+")

_MANY, _OWN = 10, 0.9
"""So many lines, and such a share of them with a relation of its own, look like a table."""

_SUBJECTS = ("subject", "source", "head", "from", "src")
_OBJECTS = ("object", "target", "tail", "to", "dst")
_SUBJECT_IDS = frozenset((*_SUBJECTS, *(f"{name}_id" for name in (*_SUBJECTS, "start"))))
_OBJECT_IDS = frozenset((*_OBJECTS, *(f"{name}_id" for name in (*_OBJECTS, "end"))))
_RELATIONS = ("relation", "predicate", "relationship", "type", "rel", "edge_type", "label", "kind")


class Columns(NamedTuple):
    """Where a line says what of an edge."""

    subject: int
    object: int
    relation: int | None
    weight: int | None


_TRIPLE = Columns(0, 2, 1, 3)


def columns_of_edges(row: list[str]) -> Columns | None:
    """Return what the columns of edges are, as a line names them; None where it names no ends of edges."""
    names = ["_".join(re.findall(r"\w+", name.lower())) for name in row]

    def place(known: Collection[str]) -> int | None:
        return next((names.index(name) for name in known if name in names), None)

    subject = next((number for number, name in enumerate(names) if name in _SUBJECT_IDS), None)
    target = next((number for number, name in enumerate(names) if name in _OBJECT_IDS), None)
    if subject is None or target is None:
        return None
    relation, weight = place(_RELATIONS), place(("weight",))
    if (subject, target) == (0, 2) and relation in (None, 1):  # whatever the others are called
        return _TRIPLE
    return Columns(subject, target, relation, weight)


def _edge(row: list[str], columns: Columns, place: str) -> Edge:
    def cell(column: int | None) -> str:
        return row[column].strip() if column is not None and column < len(row) else ""

    if not cell(columns.subject) or not cell(columns.object):
        wanted = "triple of subject, relation and object" if columns is _TRIPLE else "edge: an end is missing"
        raise InvalidValueError(f"{place}: {shown(row)} is no {wanted}. {_OF_THINGS}")
    source, target = cell(columns.subject), cell(columns.object)
    relation = cell(columns.relation) if columns.relation is not None else "relates_to"
    if not (written := cell(columns.weight)):
        return Edge(source, target, relation)
    try:
        weight = float(written)
    except ValueError as error:
        told = f"{place}: the weight {shown(written)} is no number; a line is subject, relation, object, weight."
        raise InvalidValueError(f"{told} {_OF_THINGS}") from error
    return Edge(source, target, relation, weight)


@of_open_graph
def join_triples(
    retriever: Retriever, nodes: Iterable[Node], edges: Iterable[Edge], *, beside: Iterable[Node] = ()
) -> tuple[list[Node], list[Edge]]:
    """Return what is new of triples to a graph that has some of their nodes: these stay as they are.

    An end is the node of that id, else of that name where there is just one, such as a document of that title; else it
    is a new node.

    Args:
        retriever: the graph.
        nodes: those of ``read_triples``.
        edges: those of ``read_triples``.
        beside: nodes that are to be added in the same write.

    """
    nodes, beside = list(nodes), list(beside)
    known = {node.id for node in (*retriever.get(node.id for node in nodes), *beside)}
    unknown = [node for node in nodes if node.id not in known]
    named: dict[str, set[str]] = {}
    holders = (retriever.get(retriever.matching(part)) for part in any_of("$name", (node.id for node in unknown)))
    for node in chain(*holders, beside):  # a chunk is called as its document is
        named.setdefault(node.name, set()).add(str(node.metadata.get("document", node.id)))
    meant = {node.id: next(iter(ids)) for node in unknown if len(ids := named.get(node.id, set())) == 1}
    links = [replace(e, source=meant.get(e.source, e.source), target=meant.get(e.target, e.target)) for e in edges]
    return [node for node in unknown if node.id not in meant], links
