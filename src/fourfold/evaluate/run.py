"""A run: what a system answered to a set of queries, with the time each answer took; kept as JSON or in TREC form."""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

import numpy as np
from numpy.typing import NDArray

from fourfold import encodings
from fourfold.arguments import any_path, callback, finite_number, many, said, shown, strings
from fourfold.errors import InvalidValueError
from fourfold.evaluate.collection import JudgedQuery, Judgements, require_own_ids
from fourfold.evaluate.documents import Answer, Documents
from fourfold.evaluate.metrics import DEFAULT_MEASURES, measure
from fourfold.evaluate.statistics import Interval, bootstrap_interval
from fourfold.open_graph import of_open_graph

if TYPE_CHECKING:
    from fourfold.retriever import Retriever

Progress = Callable[[int, int], None]

_ESCAPES = {mark: quote(mark) for mark in ("%", "{", "\ufeff", *filter(str.isspace, map(chr, range(0x3001))))}
"""What would end a word of a TREC file, or begin a file of another kind; what else looks escaped is left as it is."""
_ESCAPED = re.compile("|".join(_ESCAPES.values()))


@dataclass(frozen=True)
class Run:
    """The answers of one system.

    Args:
        system: what answered.
        collection: which set of queries.
        rankings: query id → ids, best first.
        scores: query id → the scores beside them.
        intents: query id → the intent that was read, where the system reads any.
        seconds: query id → how long the answer took.
        facts: JSON values about the run, such as k and the fingerprint of the config.

    """

    system: str
    collection: str
    rankings: Mapping[str, Sequence[str]]
    scores: Mapping[str, Sequence[float]] = field(default_factory=dict)
    intents: Mapping[str, str] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)

    def values(self, judgements: Sequence[JudgedQuery] | Judgements, name: str) -> NDArray[np.float64]:
        """Return a measure of each query, (n_queries,); without an answer 0, and an id counts where it comes first."""
        of = measure(name)
        once = {query.id: tuple(dict.fromkeys(self.rankings.get(query.id, ()))) for query in judgements}
        return np.array([of(once[query.id], query) for query in judgements], np.float64)

    def latency(self) -> dict[str, float]:
        """Return the median and the 95th percentile of the time of an answer, in milliseconds."""
        times = np.array(list(self.seconds.values()) or [0.0])
        return {"p50_ms": 1000 * float(np.median(times)), "p95_ms": 1000 * float(np.quantile(times, 0.95))}

    def save(self, path: str | Path) -> None:
        """Write the run as JSON."""
        any_path(path).write_text(json.dumps(asdict(self), ensure_ascii=False), encoding="utf-8")

    @classmethod
    def load(cls, path: str | Path) -> Run:
        """Read a run from JSON, or from a TREC run file.

        Raises:
            InvalidValueError: it is neither, or answers a query with one id twice.

        """
        try:
            text = encodings.read(any_path(path))
        except (OSError, UnicodeDecodeError) as error:
            raise InvalidValueError(f"The run {str(path)!r} cannot be read: {encodings.unread(error)}.") from error
        if not text.lstrip().startswith("{"):
            return _from_trec(text, Path(path))
        try:
            run = cls(**json.loads(text))
            for query_id, ranking in run.rankings.items():
                seen: set[str] = set()
                for identity in strings(many(ranking, "a ranking", "ids"), "a ranking"):
                    _require_new(identity, seen, query_id)
                    seen.add(identity)
            return run
        except (ValueError, TypeError, AttributeError, RecursionError) as error:
            raise InvalidValueError(f"{str(path)!r} is no run saved by fourfold: {said(error)}.") from error

    def save_trec(self, path: str | Path) -> None:
        """Write the run in TREC form: query-id Q0 node-id rank score system; blanks become ``%20``, as in links."""
        lines = []
        for query_id, ranking in self.rankings.items():
            scores = self.scores.get(query_id) or [1.0 / rank for rank in range(1, len(ranking) + 1)]
            for rank, (identity, score) in enumerate(zip(ranking, scores, strict=True), 1):
                lines.append(f"{_word(query_id)} Q0 {_word(identity)} {rank} {score!r} {_word(self.system)}\n")
        any_path(path).write_text("".join(lines), encoding="utf-8")


@dataclass(frozen=True)
class Summary:
    """The means of a run with their intervals, overall and per intent."""

    run: Run
    measures: Mapping[str, Interval]
    by_intent: Mapping[str, Mapping[str, Interval]]
    counts: Mapping[str, int]

    def as_dict(self) -> dict[str, Any]:
        """Return the summary in plain JSON types."""
        return {
            "system": self.run.system,
            "collection": self.run.collection,
            "queries": len(self.run.rankings),
            "measures": {name: asdict(interval) for name, interval in self.measures.items()},
            "by_intent": {
                intent: {"queries": self.counts[intent], **{name: asdict(i) for name, i in measures.items()}}
                for intent, measures in self.by_intent.items()
            },
            "latency": self.run.latency(),
        }


@of_open_graph
def evaluate(
    retriever: Retriever,
    judgements: Judgements | Sequence[JudgedQuery],
    *,
    k: int = 10,
    system: str = "fourfold",
    progress: Progress | None = None,
    **options: Any,
) -> Run:
    """Search for every query; remembered answers are not used, so that times are true.

    Where judgements name documents that are in chunks, the chunks that are found stand for their documents.

    Args:
        retriever: the graph.
        judgements: the queries.
        k: hits per query.
        system: the name of the run.
        progress: called with (queries done, queries in all).
        options: passed to ``Retriever.search``.

    Raises:
        InvalidValueError: something else than judged queries, or two of the same id.

    """
    queries = list(many(judgements, "judgements", "judged queries"))
    require_own_ids(queries)
    callback(progress)

    def search(query: JudgedQuery, depth: int) -> Answer:
        result = retriever.search(query.text, k=depth, **options)
        return str(result.intent), [(hit.node.id, hit.score) for hit in result.hits]

    for query in queries[:1]:
        search(query, k)  # what the first search of a process loads, such as the model, is no answer's time
    retriever.maintenance.forget_answers()
    run = answered(Documents(retriever, queries), queries, k, search, progress)
    collection = judgements.name if isinstance(judgements, Judgements) else ""
    facts = {"k": k, "config": retriever.config.fingerprint(), "generation": retriever.generation}
    return replace(run, system=system, collection=collection, facts=facts)


def answered(
    documents: Documents,
    queries: Sequence[JudgedQuery],
    k: int,
    search: Callable[[JudgedQuery, int], Answer],
    progress: Progress | None = None,
) -> Run:
    """Return the answers to queries, and how long each took, as a run without a name."""
    rankings, scores, intents, seconds = {}, {}, {}, {}
    for done, query in enumerate(queries, 1):
        start = time.perf_counter()
        intents[query.id], found = documents.answer(query, k, partial(search, query))
        seconds[query.id] = time.perf_counter() - start
        rankings[query.id] = [identity for identity, _ in found]
        scores[query.id] = [score for _, score in found]
        if progress is not None:
            progress(done, len(queries))
    return Run("", "", rankings, scores, intents, seconds)


def summarise(
    run: Run,
    judgements: Judgements | Sequence[JudgedQuery],
    *,
    measures: Sequence[str] = DEFAULT_MEASURES,
    confidence: float = 0.95,
) -> Summary:
    """Return the means of the run with bootstrap intervals, overall and per intent.

    The intent is the one the author of a query gave, else the one the run read.

    Raises:
        InvalidValueError: no queries, something else than judged queries, two of the same id, or no such measure.

    """
    queries = list(many(judgements, "judgements", "judged queries"))
    require_own_ids(queries)
    measures = strings(measures, "measures")
    intents = np.array([str(query.intent or run.intents.get(query.id, "")) for query in queries])
    overall: dict[str, Interval] = {}
    by_intent: dict[str, dict[str, Interval]] = {}
    for name in measures:
        values = run.values(queries, name)
        overall[name] = bootstrap_interval(values, confidence=confidence)
        for intent in sorted(set(intents.tolist()) - {""}):
            own = values[intents == intent]
            by_intent.setdefault(intent, {})[name] = bootstrap_interval(own, confidence=confidence)
    counts = {intent: int((intents == intent).sum()) for intent in by_intent}
    return Summary(run, overall, by_intent, counts)


@of_open_graph
def feedback_judgements(retriever: Retriever) -> Judgements:
    """Return what ``learning.feedback`` collected as judged queries; nodes that are gone are skipped and listed.

    Raises:
        InvalidValueError: there is none.

    """
    relevant: dict[str, dict[str, float]] = {}
    for query, node_id, grade in retriever.learning.judgements():
        relevant.setdefault(query, {})[node_id] = grade
    queries = tuple(
        JudgedQuery(str(number), text, grades)
        for number, (text, grades) in enumerate(relevant.items(), 1)
        if any(grade > 0 for grade in grades.values())
    )
    if not queries:
        raise InvalidValueError(
            f"{retriever.path!r} holds no feedback that calls a node relevant; collect some with "
            "retriever.learning.feedback(query, node_id), or name a file of judged queries."
        )
    return known_to(retriever, Judgements("feedback", queries))


@of_open_graph
def known_to(retriever: Retriever, judgements: Judgements) -> Judgements:
    """Return the judgements on nodes of the graph; the others are counted, listed and skipped.

    Raises:
        InvalidValueError: none is left.

    """
    named = {identity for query in judgements for identity in query.relevant}
    known = {node.id for node in retriever.get(sorted(named))}
    left = judgements.known_to(known.__contains__)
    if not judgements.queries:
        raise InvalidValueError(f"{judgements.name!r} holds no judged query; each needs a text and a relevant node.")
    if not left.queries:
        raise InvalidValueError(
            f"No judged query of {judgements.name!r} names a node of {retriever.path!r}. {left.notes[-1]}"
        )
    return left


def told_apart(paths: Sequence[Path], runs: Sequence[Run]) -> list[Run]:
    """Return the runs of these files; those of one system, as before and after a change are, by their files' names."""
    systems = Counter(run.system for run in runs)
    names = Counter(path.name for path in paths)
    return [
        replace(run, system=path.name if names[path.name] == 1 else str(path)) if systems[run.system] > 1 else run
        for path, run in zip(paths, runs, strict=True)
    ]


def _from_trec(text: str, path: Path) -> Run:
    found: dict[str, dict[str, tuple[float, int]]] = {}
    system = path.stem
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            query_id, _, identity, rank, score, system = line.split()
            place = -finite_number(float(score), "score"), int(rank)
        except ValueError as error:
            raise InvalidValueError(f"{path}, line {number} is no line of a TREC run: {shown(line)}.") from error
        query_id, identity = _unword(query_id), _unword(identity)
        places = found.setdefault(query_id, {})
        _require_new(identity, places, query_id, f"{path}, line {number}: ")
        places[identity] = place
    ordered = {
        query_id: sorted((*place, identity) for identity, place in places.items()) for query_id, places in found.items()
    }
    return Run(
        system=_unword(system),
        collection="",
        rankings={query_id: [identity for _, _, identity in rows] for query_id, rows in ordered.items()},
        scores={query_id: [-score for score, _, _ in rows] for query_id, rows in ordered.items()},
    )


def _require_new(identity: str, seen: Container[str], query_id: str, where: str = "") -> None:
    """Refuse an id that a query was answered with before: it would count each time."""
    if identity in seen:
        raise InvalidValueError(
            f"{where}the query {shown(query_id)} was answered with {shown(identity)} before; name each id once."
        )


def _word(text: str) -> str:
    return "".join(_ESCAPES.get(mark, mark) for mark in text) or "%"


def _unword(text: str) -> str:
    return "" if text == "%" else _ESCAPED.sub(lambda found: unquote(found[0]), text)
