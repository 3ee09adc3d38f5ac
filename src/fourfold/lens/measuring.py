"""What is measured by the file's judgements, as tables: quality with intervals, parts switched off, and tuning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fourfold import RetrievalConfig
from fourfold.evaluate import (
    Comparison,
    Interval,
    JudgedQuery,
    Judgements,
    TuneResult,
    ablations,
    compare,
    evaluate,
    feedback_judgements,
    measure,
    run_variants,
    summarise,
    tune,
)
from fourfold.lens.jobs import Progress
from fourfold.lens.session import Session
from fourfold.lens.state import Asked
from fourfold.markup import cut

MEASURES = ("ndcg@10", "recall@10", "hit@1", "mrr@10")
BY = "ndcg@10"
K = 10


@dataclass(frozen=True, slots=True)
class Line:
    """One question: its measure, what it was before (None: unknown), and where to look at it."""

    question: str
    address: str
    value: float
    before: float | None = None

    @property
    def change(self) -> float:
        """How much was gained."""
        return 0.0 if self.before is None else self.value - self.before


@dataclass(frozen=True, slots=True)
class Measured:
    """How good the answers are: means with intervals, the value of each question, and what changed since last time."""

    config: str
    version: int
    measures: dict[str, Interval]
    median_ms: float
    lines: tuple[Line, ...]
    values: dict[str, float]
    since: Comparison | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the method switched off: what is measured then, and how that differs from the whole."""

    name: str
    mean: float
    comparison: Comparison

    @property
    def idle(self) -> bool:
        """Whether no question is answered better or worse without it."""
        return not self.comparison.wins and not self.comparison.losses


@dataclass(frozen=True, slots=True)
class Parts:
    """What each part of the method is worth; the whole first."""

    whole: Interval
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Tuned:
    """What tuning learnt, with the questions it wins and loses, judged on queries it was not learnt from."""

    result: TuneResult
    learnt: tuple[tuple[str, str], ...]
    wins: tuple[Line, ...]
    losses: tuple[Line, ...]
    start: RetrievalConfig


def judged(session: Session) -> Judgements:
    """Return the file's feedback as judged queries; InvalidValueError where none calls a node relevant."""
    return feedback_judgements(session.retriever)


def quality(session: Session, before: Measured | None, progress: Progress) -> Measured:
    """Measure the answers to every judged question under the config in force."""
    found = judged(session)
    version = session.versions()[1]
    run = evaluate(session.retriever, found, k=K, progress=progress)
    summary = summarise(run, found, measures=MEASURES)
    values = dict(zip((q.text for q in found), run.values(found, BY).tolist(), strict=True))
    old = {} if before is None else before.values
    lines = [_line(question, value, old.get(question)) for question, value in values.items()]
    shared = [question for question in values if question in old]
    since = None
    if before is not None and before.config != session.retriever.config.fingerprint() and shared:
        since = compare([old[q] for q in shared], [[values[q] for q in shared]])[0]
    return Measured(
        config=session.retriever.config.fingerprint(),
        version=version,
        measures=dict(summary.measures),
        median_ms=run.latency()["p50_ms"],
        lines=tuple(sorted(lines, key=lambda line: (line.value, line.question))),
        values=values,
        since=since,
        notes=found.notes,
    )


def parts(session: Session, progress: Progress) -> Parts:
    """Measure with each part of the method switched off in turn."""
    found = judged(session)
    variants = ablations(session.retriever.config)
    runs = run_variants(session.retriever, found, variants, k=K, progress=progress)
    values = [run.values(found, BY) for run in runs]
    whole, *others = values
    compared = compare(whole, others)
    told = [
        Part(variant.name.removeprefix("− "), float(own.mean()), comparison)
        for variant, own, comparison in zip(variants[1:], others, compared, strict=True)
    ]
    interval = summarise(runs[0], found, measures=(BY,)).measures[BY]
    return Parts(interval, tuple(sorted(told, key=lambda part: part.comparison.difference.mean)))


def learn(session: Session, progress: Progress) -> Tuned:
    """Tune on the judged questions; nothing is applied."""
    found = judged(session)
    start = session.retriever.config
    result = tune(session.retriever, found.queries, k=K, progress=progress)
    of = measure(result.measure)
    lines = []
    for query in found:
        if query.id in result.rankings:
            usual, learnt = (of(rankings[query.id], query) for rankings in (result.before, result.rankings))
            lines.append(_line(query.text, learnt, usual))
    return Tuned(
        result=result,
        learnt=tuple((name, cut(_plain(value), 200)) for name, value in result.changes.items()),
        wins=tuple(sorted((line for line in lines if line.change > 1e-9), key=lambda line: -line.change)),
        losses=tuple(sorted((line for line in lines if line.change < -1e-9), key=lambda line: line.change)),
        start=start,
    )


def reasons(tuned: Tuned, queries: Sequence[JudgedQuery] | Judgements) -> dict[str, Any]:
    """Return what is kept beside an applied config, to say why it was applied."""
    return {**tuned.result.evidence(len(queries)), "verdict": tuned.result.verdict}


def _line(question: str, value: float, before: float | None) -> Line:
    return Line(cut(question, 120), Asked(question=question).address("/"), value, before)


def _plain(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {_plain(each)}" for name, each in value.items())
    return f"{value:.4g}" if isinstance(value, float) else str(value)
