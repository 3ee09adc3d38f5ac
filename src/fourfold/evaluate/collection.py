"""Judged queries, and the collections they belong to, in BEIR form.

A folder in BEIR form holds ``corpus.jsonl`` {_id, title, text, metadata?}, ``queries.jsonl`` {_id, text}, ``qrels.tsv``
(query-id, corpus-id, score; or ``qrels/test.tsv``) and, where there is a graph, ``edges.jsonl`` {source, target, type,
weight?, directed?}. A file of probes is JSON Lines of {query, expected, intent?, equivalents?}.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from fourfold import encodings
from fourfold.arguments import any_path, finite_number, json_mapping, many, said, shown, string
from fourfold.errors import InvalidValueError
from fourfold.types import Edge, Node

_SHOWN = 5


@dataclass(frozen=True, slots=True)
class JudgedQuery:
    """A query and what it should find.

    Args:
        id: unique among the queries of a set.
        text: the query.
        relevant: node id → grade; a grade above 0 is relevant.
        equivalents: relevant id → ids that count as well as it does for semantic recall.
        intent: the intent its author expects, or None.
        synthetic: made from the graph, not asked by anybody.

    """

    id: str
    text: str
    relevant: Mapping[str, float]
    equivalents: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    intent: str | None = None
    synthetic: bool = False


@dataclass(frozen=True, slots=True)
class Judgements:
    """Judged queries, and what had to be left out of them on the way.

    Args:
        name: what tables and reports call the set.
        queries: every query has at least one relevant node.
        unknown: ids named by a judgement but not in the graph, sorted.
        notes: one sentence for each kind of thing that was skipped.

    """

    name: str
    queries: tuple[JudgedQuery, ...]
    unknown: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """How many queries, and what they are called."""
        return f"{len(self)} {'query' if len(self) == 1 else 'queries'} of {self.name}"

    def __len__(self) -> int:
        return len(self.queries)

    def __iter__(self) -> Iterator[JudgedQuery]:
        return iter(self.queries)

    def known_to(self, is_known: Callable[[str], bool]) -> Judgements:
        """Return the set without judgements on ids that are not known; they are counted and listed."""
        kept: list[JudgedQuery] = []
        unknown: set[str] = set()
        judgements = emptied = 0
        for query in self.queries:
            strange = [identity for identity in query.relevant if not is_known(identity)]
            if not strange:
                kept.append(query)
                continue
            unknown.update(strange)
            judgements += len(strange)
            relevant = {identity: grade for identity, grade in query.relevant.items() if is_known(identity)}
            if any(grade > 0 for grade in relevant.values()):
                kept.append(replace(query, relevant=relevant))
            else:
                emptied += 1
        if not unknown:
            return self
        listed = sorted(unknown)
        note = f"Judgements skipped, as their ids are not in the graph: {judgements} ({_some(listed)})."
        note += f" Queries left out, as they had no other judgement: {emptied}." if emptied else ""
        return replace(self, queries=tuple(kept), unknown=tuple(listed), notes=(*self.notes, note))

    def first(self, count: int | None) -> Judgements:
        """Return the first ``count`` queries; all of them for None."""
        return self if count is None else replace(self, queries=self.queries[:count])


@dataclass(frozen=True, slots=True)
class Collection:
    """A graph to search and the queries to judge it by."""

    name: str
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    judgements: Judgements


def load_collection(folder: str | Path) -> Collection:
    """Read a folder in BEIR form.

    A corpus title becomes the node's name; queries without a judgement are left out, and so are edges that end at
    themselves or at unknown ids. ``"directed": false`` adds an edge in both directions.

    Raises:
        InvalidValueError: a file is missing, or a line cannot be read; the sentence names file and line.

    """
    path = any_path(folder)
    nodes = tuple(
        Node(
            id=str(record["_id"]),
            name=str(record.get("title") or ""),
            type=str(record.get("type") or ""),
            text=str(record.get("text") or ""),
            metadata=record.get("metadata") or {},
        )
        for record in _records(path / "corpus.jsonl", ("_id",))
    )
    known = {node.id for node in nodes}
    edges = tuple(_edges(path / "edges.jsonl", known)) if (path / "edges.jsonl").is_file() else ()
    return Collection(path.name, nodes, edges, load_judgements(path).known_to(known.__contains__))


def load_judgements(path: str | Path) -> Judgements:
    """Read judged queries: a folder with ``queries.jsonl`` and ``qrels.tsv``, or a file of probes.

    Raises:
        InvalidValueError: a file is missing, or a line cannot be read; the sentence names file and line.

    """
    source = any_path(path)
    if not source.is_dir():
        probes = tuple(_probes(source))
        require_own_ids(probes, str(source))
        return Judgements(source.stem, probes)
    qrels, unsure = _graded(source)
    asked = source / "queries.jsonl"
    queries = [
        JudgedQuery(
            id=str(record["_id"]),
            text=str(record["text"] or ""),
            relevant=qrels.get(str(record["_id"]), {}),
            intent=_intent(record),
        )
        for record in _records(asked, ("_id", "text"))
    ]
    require_own_ids(queries, str(asked))
    wordless = [query.id for query in queries if not query.text.strip()]
    answered = [query for query in queries if any(grade > 0 for grade in query.relevant.values())]
    kept = [query for query in answered if query.text.strip()]
    strays = list(qrels.keys() - {query.id for query in queries})
    told = {
        "Queries left out, as no node is relevant to them": str(len(queries) - len(answered) or ""),
        "Queries left out, as they have no words": _some(wordless),
        "Judgements skipped, as there are no such queries": _some(sorted(strays)),
        "Queries with two grades for one node, of which the last counts": _some(unsure),
    }
    notes = tuple(f"{what}: {which}." for what, which in told.items() if which)
    return Judgements(source.name, tuple(kept), notes=notes)


def _graded(source: Path) -> tuple[dict[str, dict[str, float]], list[str]]:
    """Return the grade of each node by query, and the queries that give a node two grades."""
    qrels: dict[str, dict[str, float]] = {}
    unsure: dict[str, None] = {}
    for query_id, node_id, grade in _qrels(source):
        judged = qrels.setdefault(query_id, {})
        if judged.get(node_id, grade) != grade:
            unsure[query_id] = None
        judged[node_id] = grade
    return qrels, list(unsure)


def _some(ids: Sequence[str]) -> str:
    """Return the first ids as a sentence names them."""
    return ", ".join(map(shown, ids[:_SHOWN])) + (", …" if len(ids) > _SHOWN else "")


def save_probes(path: str | Path, queries: Iterable[JudgedQuery]) -> None:
    """Write queries as a file of probes; grades other than 1 are kept.

    Raises:
        InvalidValueError: something else than judged queries, or two of the same id: nobody could read the file.

    """
    lines = []
    require_own_ids(queries := list(queries))
    for query in queries:
        record: dict[str, Any] = {"id": query.id, "query": query.text, "expected": list(query.relevant)}
        if any(grade != 1 for grade in query.relevant.values()):
            record["expected"] = dict(query.relevant)
        if query.equivalents:
            record["equivalents"] = {key: list(others) for key, others in query.equivalents.items()}
        record |= {"intent": query.intent} if query.intent else {}
        record |= {"synthetic": True} if query.synthetic else {}
        lines.append(json.dumps(record, ensure_ascii=False) + "\n")
    any_path(path).write_text("".join(lines), encoding="utf-8")


def _probes(path: Path) -> Iterator[JudgedQuery]:
    for number, record in enumerate(_records(path, ("query", "expected")), 1):
        where = f"{path}, probe {number}"
        relevant = _grades(record["expected"], where)
        if not any(grade > 0 for grade in relevant.values()):
            raise InvalidValueError(f"{where}: no id is expected; a probe needs at least one.")
        yield JudgedQuery(
            id=str(record.get("id", number)),
            text=_asked(record, "query", where),
            relevant=relevant,
            equivalents=_equivalents(record.get("equivalents") or {}, where),
            intent=_intent(record),
            synthetic=bool(record.get("synthetic", False)),
        )


def _grades(expected: object, where: str) -> dict[str, float]:
    """Return ids and their grades: those of a mapping, or 1 for each id of a list."""
    if isinstance(expected, dict):
        return {key: finite_number(grade, f"{where}: the grade of {shown(key)}") for key, grade in expected.items()}
    return dict.fromkeys(_ids(expected, f"{where}: expected"), 1.0)


def _equivalents(given: object, where: str) -> dict[str, tuple[str, ...]]:
    return {
        key: _ids(ids, f"{where}: an equivalent") for key, ids in json_mapping(given, f"{where}: equivalents").items()
    }


def _ids(given: object, what: str) -> tuple[str, ...]:
    """Return ids as texts; numbers will do, too."""
    listed = [str(each) if isinstance(each, int) else string(each, what) for each in many(given, what, "ids")]
    return tuple(listed)


def _intent(record: Mapping[str, Any]) -> str | None:
    intent = record.get("intent")
    return None if intent is None else string(intent, "The intent of a judged query")


def require_own_ids(queries: Sequence[JudgedQuery], where: str = "The judged queries") -> None:
    """Refuse what is no judged query, and two of one id: the answers to one would be judged as the other's."""
    for query in queries:
        if not isinstance(query, JudgedQuery):
            raise InvalidValueError(f"{where}: {shown(query)} is no JudgedQuery; load_judgements reads a file of them.")
        if not isinstance(query.relevant, Mapping):
            raise InvalidValueError(
                f"{where}: relevant of {shown(query.id)} is {shown(query.relevant)}; it must be node ids with their "
                'grades, such as {"a": 1.0}.'
            )
        for identity, grade in query.relevant.items():
            if not isinstance(grade, bool):
                finite_number(grade, f"{where}: the grade of {shown(identity)}")
    seen = Counter(query.id for query in queries)
    if twice := [identity for identity, count in seen.items() if count > 1]:
        raise InvalidValueError(
            f"{where}: the id {shown(twice[0])} is that of {seen[twice[0]]} queries; give each its own."
        )


def _asked(record: Mapping[str, Any], key: str, where: str) -> str:
    asked = string(record[key], f"{where}: {key}")
    if not asked.strip():
        raise InvalidValueError(f"{where}: {key} is {shown(asked)}; a judged query needs words.")
    return asked


def _records(path: Path, required: Sequence[str]) -> Iterator[dict[str, Any]]:
    try:
        lines = encodings.read(path).split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidValueError(f"{str(path)!r} cannot be read: {encodings.unread(error)}.") from error
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InvalidValueError(f"{path}, line {number} is no JSON: {said(error)}.") from error
        missing = [key for key in required if not isinstance(record, dict) or key not in record]
        if missing:
            keys = list(record)[:_SHOWN] if isinstance(record, dict) else ()
            instead = f", but {', '.join(map(shown, keys))}" if keys else ""
            form = ", ".join(f'"{key}": …' for key in required)
            raise InvalidValueError(f"{path}, line {number} has no {missing[0]!r}{instead}; a line is {{{form}}}.")
        yield record


def _qrels(folder: Path) -> Iterator[tuple[str, str, float]]:
    path = next((p for p in (folder / "qrels.tsv", folder / "qrels" / "test.tsv") if p.is_file()), folder / "qrels.tsv")
    try:
        lines = encodings.read(path).splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidValueError(f"{str(path)!r} cannot be read: {encodings.unread(error)}.") from error
    for number, line in enumerate(lines, 1):
        columns = line.split("\t") if "\t" in line else line.split()
        if not line.strip() or (number == 1 and columns[0] in ("query-id", "qid")):
            continue
        if len(columns) == 4:  # TREC has a column that nobody reads after the query
            columns = [columns[0], *columns[2:]]
        try:
            query_id, node_id, grade = columns
            yield query_id, node_id, finite_number(float(grade), "score")
        except ValueError as error:
            raise InvalidValueError(
                f"{path}, line {number}: {shown(line)} is not query-id, corpus-id, score."
            ) from error


def _edges(path: Path, known: set[str]) -> Iterator[Edge]:
    for record in _records(path, ("source", "target")):
        source, target = str(record["source"]), str(record["target"])
        if source == target or source not in known or target not in known:
            continue
        kind, weight = str(record.get("type") or ""), record.get("weight", 1.0)
        yield Edge(source, target, kind, weight)
        if record.get("directed") is False:
            yield Edge(target, source, kind, weight)
