"""Commands that measure: ``eval``, ``ablate`` and ``compare``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from fourfold import InvalidValueError, RetrievalConfig, Retriever
from fourfold.arguments import shown
from fourfold.cli import options, output
from fourfold.evaluate import (
    DEFAULT_MEASURES,
    Comparison,
    Judgements,
    Summary,
    ablations,
    compare,
    each_intent,
    evaluate,
    feedback_judgements,
    known_to,
    ladder,
    load_judgements,
    run_variants,
    summarise,
    weight_sweep,
    write_report,
)
from fourfold.evaluate.metrics import measure
from fourfold.evaluate.report import figures
from fourfold.evaluate.run import Run, told_apart
from fourfold.evaluate.statistics import p_in_words
from fourfold.presets import open_under

Queries = Annotated[
    Path,
    typer.Argument(
        help='A folder with queries.jsonl and qrels.tsv, or a file of lines {"query": …, "expected": [ID, …]}.',
        show_default=False,
    ),
]
Measures = Annotated[
    list[str] | None,
    typer.Option("--measure", "-m", help="Such as ndcg@10, recall@5, semantic_recall@5, hit@1, mrr, map; repeatable."),
]


def _to_draw(path: Path | None) -> Path | None:
    if path is not None:
        figures()  # as ``to_write``: what is missing is told before anything is measured
    return options.to_write(path)


Html = Annotated[
    Path | None,
    typer.Option("--html", help="Write a report with plots; needs matplotlib.", show_default=False, callback=_to_draw),
]
K = Annotated[int, typer.Option("-k", min=1, help="Hits per query.")]

_SWEEP = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0)


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.command("eval")(eval_)
    app.command()(ablate)
    app.command(name="compare")(compare_)


def eval_(
    queries: Queries,
    db: options.Db,
    k: K = 10,
    measures: Measures = None,
    save: Annotated[
        Path | None,
        typer.Option("--save", help="Keep the run as JSON.", show_default=False, callback=options.to_write),
    ] = None,
    trec: Annotated[
        Path | None,
        typer.Option("--trec", help="Keep the run in TREC form.", show_default=False, callback=options.to_write),
    ] = None,
    html: Html = None,
    each: Annotated[
        bool, typer.Option("--each-intent", help="Try every intent's profile on every query instead.")
    ] = False,
    model: options.Model = None,
    preset: options.Preset = None,
    foreign: options.Foreign = False,
    json: options.Json = False,
) -> None:
    """Measure the answers to judged queries: quality with intervals, per intent and overall, and time."""
    asked_for = {"--save": save, "--trec": trec, "--html": html, "the second --measure": (measures or [])[1:]}
    if each and (vain := [option for option, value in asked_for.items() if value]):
        raise InvalidValueError(f"--each-intent shows one measure and keeps nothing; leave {vain[0]} out.")
    with open_under(preset, db, embedder=model, read_only=True, foreign=foreign) as retriever:
        judged = judged_by(retriever, queries)
        names = _measures(judged, measures, k)
        if each:
            _each_intent(retriever, judged, k, names[0], json=json)
            return
        with progress("searching") as step:
            run = evaluate(retriever, judged, k=k, progress=step)
        summary = summarise(run, judged, measures=names)
        if save is not None:
            run.save(save)
        if trec is not None:
            run.save_trec(trec)
        if html is not None:
            asked = measures or DEFAULT_MEASURES
            write_report(html, judged, [run], retriever=retriever, main_measure=asked[0], measures=asked)
    if json:
        output.emit_json(summary.as_dict() | {"unknown": list(judged.unknown), "notes": list(judged.notes)})
        return
    _show([summary], judged.title)
    if len(summary.by_intent) > 1:
        _show_intents(summary)


def ablate(
    queries: Queries,
    db: options.Db,
    k: K = 10,
    measures: Measures = None,
    html: Html = None,
    model: options.Model = None,
    preset: options.Preset = None,
    foreign: options.Foreign = False,
    json: options.Json = False,
) -> None:
    """Show what each part of the method is worth: added one by one, then each switched off in turn."""
    with open_under(preset, db, embedder=model, read_only=True, foreign=foreign) as retriever:
        judged = judged_by(retriever, queries)
        names = _measures(judged, measures, k)
        found: dict[str, list[Run]] = {}
        for name, variants in (("ladder", ladder), ("ablation", ablations)):
            with progress(name) as step:
                found[name] = run_variants(retriever, judged, variants(retriever.config), k=k, progress=step)
        if html is not None:
            sweeps = _sweeps(retriever, judged, k)
            write_report(
                html,
                judged,
                found["ladder"],
                retriever=retriever,
                sweeps=sweeps,
                main_measure=names[0],
                measures=names,
                title="The ladder",
            )
    tables = {name: [summarise(run, judged, measures=names) for run in runs] for name, runs in found.items()}
    if json:
        output.emit_json({name: [summary.as_dict() for summary in table] for name, table in tables.items()})
        return
    for name, table in tables.items():
        _show(table, f"{name}: {judged.title}")


def compare_(
    runs: Annotated[list[Path], typer.Argument(help="Runs, JSON or TREC; the first is the baseline.")],
    queries: Annotated[Path, typer.Option("--queries", help="The judged queries.", show_default=False)],
    measure: Annotated[str, typer.Option("--measure", "-m", help="What is compared.")] = "ndcg@10",
    html: Html = None,
    json: options.Json = False,
) -> None:
    """Compare saved runs with the first, query by query: paired test, corrected for the number of runs (Holm)."""
    if len(runs) < 2:
        raise InvalidValueError("One run has nothing to be compared with; name two or more.")
    loaded = told_apart(runs, [Run.load(path) for path in runs])
    judged = _answered(load_judgements(queries), loaded)
    for path, run in zip(runs, loaded, strict=True):
        _require_answers(judged, run, path)
    values = [run.values(judged, measure) for run in loaded]
    found = compare(values[0], values[1:])
    if html is not None:
        write_report(html, judged, loaded, main_measure=measure, title="Comparison of runs")
    if json:
        output.emit_json([_comparison(run, one) for run, one in zip(loaded[1:], found, strict=True)])
        return
    table = _narrow("run", measure, "difference", "wins / ties / losses", "p", "p (Holm)")
    table.add_row(loaded[0].system, _share(values[0].mean()), "baseline")
    for run, own, one in zip(loaded[1:], values[1:], found, strict=True):
        counts = f"{one.wins} / {one.ties} / {one.losses}"
        p = (p_in_words(one.p_value), p_in_words(one.p_adjusted))
        table.add_row(run.system, _share(own.mean()), str(one.difference), counts, *p)
    output.stdout().print(table)


# -- helpers ------------------------------------------------------------------------------------------------------


def judged_by(retriever: Retriever, queries: Path | None) -> Judgements:
    """Return judged queries, of a file or of the graph's own feedback, and say what is to be known of them."""
    judged = feedback_judgements(retriever) if queries is None else known_to(retriever, load_judgements(queries))
    for note in judged.notes:
        output.say(note)
    if any(query.synthetic for query in judged):
        output.say("Some of these probes are synthetic: they show differences, not how good answers to people are.")
    return judged


def _measures(judged: Judgements, asked: list[str] | None, k: int) -> list[str]:
    """Return the measures asked for, or the usual ones, and say which of them look further than the hits there are."""
    names = asked or [*DEFAULT_MEASURES, *(["semantic_recall@5"] * any(query.equivalents for query in judged))]
    for name in names:
        measure(name)  # one that there is not is refused now, not once everything has been searched for
    if further := [name for name in names if int(name.partition("@")[2] or 0) > k]:
        output.say(f"Each query is asked for {k} hits (-k); what looks further is of these: {', '.join(further)}.")
    return names


def _answered(judged: Judgements, runs: Sequence[Run]) -> Judgements:
    """Return the queries that a run answers: ``eval`` leaves those out whose answers are not in the graph."""
    kept = tuple(query for query in judged if any(query.id in run.rankings for run in runs))
    if not kept or len(kept) == len(judged):
        return judged
    first = next(query.id for query in judged if query not in kept)
    gone = len(judged) - len(kept)
    output.say(f"No run has an answer to {gone} of the {judged.title}, such as {first!r}; these are left out.")
    return replace(judged, queries=kept)


def _require_answers(judged: Judgements, run: Run, path: Path) -> None:
    """Refuse a run that answers none of the queries, and say of how many it has no answer: that counts as 0."""
    missing = [query.id for query in judged if query.id not in run.rankings]
    if missing and len(missing) == len(judged):
        raise InvalidValueError(
            f"{path} answers none of the {judged.title}: it names queries such as "
            f"{shown(next(iter(run.rankings), ''))}, the judged ones are such as {shown(missing[0])}."
        )
    if missing:
        output.say(
            f"{path} has no answer to {len(missing)} of the {judged.title}, such as {missing[0]!r}; that counts 0."
        )


def _each_intent(retriever: Retriever, judged: Judgements, k: int, measure: str, *, json: bool) -> None:
    with progress("each intent") as step:
        found = each_intent(retriever, judged, k=k, measure=measure, progress=step)
    if json:
        output.emit_json(found.as_dict())
        return
    best = [found.best(place) for place in range(len(found.queries))]
    table = Table("profile", measure, "best for", box=None)
    for name, mean in found.means.items():
        table.add_row(name, _share(mean), str(sum(name in names for names in best)))
    output.stdout().print(table)
    table = Table("query", "read as", measure, "served best by", box=None)
    for place, (query, read) in enumerate(zip(found.queries, found.read, strict=True)):
        own, most = found.values[0, place], found.values[:, place].max()
        served = f"{', '.join(best[place])} ({most:.2f})" if best[place] else "all alike"
        table.add_row(query.text, read, f"{own:.2f}", served)
    output.stdout().print(table)


def _sweeps(retriever: Retriever, judged: Judgements, k: int) -> dict[str, dict[float, Run]]:
    config = retriever.config if retriever.config.fusion.intent_tilt is not None else RetrievalConfig()
    sweeps = {}
    for component in ("embedding", "text", "graph", "intent"):
        with progress(f"weight of {component}") as step:
            runs = run_variants(retriever, judged, weight_sweep(config, component, _SWEEP), k=k, progress=step)
        sweeps[component] = dict(zip(_SWEEP, runs, strict=True))
    return sweeps


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """Lend what shows on stderr how far something has come: to be called with (done, in all)."""
    with output.progress_bar() as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _show(summaries: Sequence[Summary], title: str) -> None:
    names = list(summaries[0].measures)
    table = _narrow("", *names, "ms", title=title)
    for summary in summaries:
        first, *others = summary.measures.values()
        time = summary.run.latency()["p50_ms"]
        bounds = f"[{_share(first.lower)}, {_share(first.upper)}]"
        cells = [
            f"{_share(first.mean)} {bounds}",
            *(_share(each.mean) for each in others),
            f"{time:.{int(time < 100)}f}" if time else "",
        ]
        table.add_row(summary.run.system, *cells)
    output.stdout().print(table)


def _narrow(label: str, *figures: str, title: str | None = None) -> Table:
    """Return a table that fits 80 columns, of figures that are not parted where they do not."""
    table = Table(title=title, title_justify="left", box=None, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column(label)
    for name in figures:
        table.add_column(name, no_wrap=True)
    return table


def _share(value: float) -> str:
    return output.short(value, 3)


def _show_intents(summary: Summary) -> None:
    table = Table("intent", "queries", *summary.measures, box=None)
    for intent, measures in summary.by_intent.items():
        table.add_row(intent, str(summary.counts[intent]), *(_share(each.mean) for each in measures.values()))
    output.stdout().print(table)


def _comparison(run: Run, found: Comparison) -> dict[str, Any]:
    return {
        "run": run.system,
        "difference": found.difference.mean,
        "lower": found.difference.lower,
        "upper": found.difference.upper,
        "wins": found.wins,
        "ties": found.ties,
        "losses": found.losses,
        "p": found.p_value,
        "p_holm": found.p_adjusted,
    }
