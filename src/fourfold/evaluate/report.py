"""One HTML file that shows an evaluation: tables, plots and the wins and losses, each with its explanation.

Plots need the extra ``report``. Nothing is loaded from elsewhere; every text of the graph is escaped.
"""

from __future__ import annotations

import base64
import html
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fourfold.arguments import any_path
from fourfold.errors import MissingExtraError, UnknownNodeError
from fourfold.evaluate.collection import JudgedQuery, Judgements
from fourfold.evaluate.metrics import DEFAULT_MEASURES
from fourfold.evaluate.run import Run, Summary, summarise
from fourfold.evaluate.statistics import compare, p_in_words
from fourfold.markup import escaped

if TYPE_CHECKING:
    from fourfold.retriever import Retriever

_STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;max-width:62rem;margin:2rem auto;padding:0 1rem;color:#222}"
    "table{border-collapse:collapse;margin:1rem 0}td,th{padding:.25rem .6rem;border-bottom:1px solid #ddd;"
    "text-align:left}td.n{text-align:right;font-variant-numeric:tabular-nums}img{max-width:100%}"
    "details{margin:.5rem 0}.win{color:#176d2d}.loss{color:#a61b1b}"
)
_SHOWN = 12

Sweeps = Mapping[str, Mapping[float, Run]]


def write_report(
    path: str | Path,
    judgements: Judgements,
    runs: Sequence[Run],
    *,
    retriever: Retriever | None = None,
    sweeps: Sweeps | None = None,
    main_measure: str = "ndcg@10",
    measures: Sequence[str] = DEFAULT_MEASURES,
    title: str = "Fourfold evaluation",
) -> None:
    """Write the report.

    Args:
        path: the HTML file.
        judgements: the queries.
        runs: what to show side by side; wins and losses are those of the last against the first. Of a single run the
            questions that it answers worst are shown.
        retriever: explains the wins and losses, as its own config has them; of nodes that it lacks it says so.
        sweeps: component → weight → run, for the plot of weights against score.
        main_measure: what plots and comparisons show.
        measures: what the table of means shows beside it.
        title: the headline.

    Raises:
        MissingExtraError: matplotlib is not installed.

    """
    shown = list(dict.fromkeys((main_measure, *measures)))
    summaries = [summarise(run, judgements, measures=shown) for run in runs]
    parts = [
        f"<h1>{html.escape(title)}</h1>",
        f"<p>{html.escape(judgements.title)}; intervals hold 95 %.</p>",
        *(f"<p>{html.escape(note)}</p>" for note in judgements.notes),
        _means(summaries),
        _image(_ladder_plot(summaries, main_measure), f"{main_measure} of each run"),
        _image(_recall_plot(runs, judgements), "recall over k"),
    ]
    if summaries[-1].by_intent:
        parts.append(_image(_intent_plot(summaries, main_measure), f"{main_measure} per intent"))
    if sweeps:
        parts.append(_image(_sweep_plot(sweeps, judgements, main_measure), "weights against score"))
    if len(runs) > 1:
        parts.append(_comparisons(runs, judgements, main_measure))
        parts.append(_wins_and_losses(runs[0], runs[-1], judgements, main_measure, retriever))
    else:
        parts.append(_worst(runs[0], judgements, main_measure, retriever))
    page = (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{html.escape(title)}</title>'
        f"<style>{_STYLE}</style><body>{''.join(parts)}</body></html>"
    )
    any_path(path).write_bytes(page.encode("utf-8", "replace"))  # a question may hold half a character


# -- tables -------------------------------------------------------------------------------------------------------


def _means(summaries: Sequence[Summary]) -> str:
    names = list(summaries[0].measures)
    rows = []
    for summary in summaries:
        cells = "".join(f'<td class="n">{interval}</td>' for interval in summary.measures.values())
        latency = summary.run.latency()["p50_ms"]
        time = f"{latency:.1f}" if latency else ""
        rows.append(f'<tr><td>{html.escape(summary.run.system)}</td>{cells}<td class="n">{time}</td></tr>')
    head = "".join(f"<th>{name}</th>" for name in ("run", *names, "median ms"))
    return f"<table><tr>{head}</tr>{''.join(rows)}</table>"


def _comparisons(runs: Sequence[Run], judgements: Judgements, measure: str) -> str:
    first, *others = (run.values(judgements, measure) for run in runs)
    rows = []
    for run, found in zip(runs[1:], compare(first, others), strict=True):
        counts = f"{found.wins} / {found.ties} / {found.losses}"
        rows.append(
            f'<tr><td>{html.escape(run.system)}</td><td class="n">{found.difference}</td><td class="n">{counts}</td>'
            f'<td class="n">{html.escape(p_in_words(found.p_value))}</td>'
            f'<td class="n">{html.escape(p_in_words(found.p_adjusted))}</td></tr>'
        )
    head = "".join(f"<th>{n}</th>" for n in ("run", f"Δ {measure}", "wins / ties / losses", "p", "p (Holm)"))
    return f"<h2>Against {html.escape(runs[0].system)}</h2><table><tr>{head}</tr>{''.join(rows)}</table>"


def _wins_and_losses(first: Run, last: Run, judgements: Judgements, measure: str, retriever: Retriever | None) -> str:
    differences = last.values(judgements, measure) - first.values(judgements, measure)
    order = np.argsort(-differences, kind="stable").tolist()
    queries = list(judgements)
    wins = [place for place in order[:_SHOWN] if differences[place] > 0]
    losses = [place for place in order[::-1][:_SHOWN] if differences[place] < 0]
    rows, details = [], []
    for place in (*wins, *losses):
        query, kind = queries[place], "win" if differences[place] > 0 else "loss"
        anchor = f"query-{place}"
        rows.append(
            f'<tr><td class="n {kind}">{differences[place]:+.3f}</td>'
            f'<td><a href="#{anchor}">{html.escape(query.text)}</a></td></tr>'
        )
        details.append(_detail(anchor, query, last, retriever))
    head = f"<h2>Wins and losses of {html.escape(last.system)}</h2>"
    return f"{head}<table>{''.join(rows)}</table><h2>Explanations</h2>{''.join(details)}"


def _worst(run: Run, judgements: Judgements, measure: str, retriever: Retriever | None) -> str:
    """Show the questions that are answered worst, the worst first; none where all are answered in full."""
    values, queries = run.values(judgements, measure), list(judgements)
    worst = [place for place in np.argsort(values, kind="stable").tolist()[:_SHOWN] if values[place] < 1]
    if not worst:
        return ""
    rows = (
        f'<tr><td class="n loss">{values[place]:.3f}</td>'
        f'<td><a href="#query-{place}">{html.escape(queries[place].text)}</a></td></tr>'
        for place in worst
    )
    details = (_detail(f"query-{place}", queries[place], run, retriever) for place in worst)
    return f"<h2>Answered worst</h2><table>{''.join(rows)}</table><h2>Explanations</h2>{''.join(details)}"


def _detail(anchor: str, query: JudgedQuery, run: Run, retriever: Retriever | None) -> str:
    found = run.rankings.get(query.id, ())
    wanted = [identity for identity, grade in query.relevant.items() if grade > 0]
    ranks = {identity: found.index(identity) + 1 for identity in wanted if identity in found}
    places = ", ".join(f"{html.escape(i)} (rank {ranks[i]})" if i in ranks else html.escape(i) for i in wanted)
    body = f"<p>Relevant: {places}.</p>"
    if retriever is not None:
        shown = dict.fromkeys([*list(found)[:1], *wanted[:2]])
        body += "".join(_explained(retriever, query.text, identity) for identity in shown)
    return f'<details id="{anchor}" open><summary>{html.escape(query.text)}</summary>{body}</details>'


def _explained(retriever: Retriever, question: str, identity: str) -> str:
    try:
        return retriever.explain(question, identity)._repr_html_()
    except UnknownNodeError:  # judged, or found at the time, and not in this graph
        return f"<p>{escaped(identity)} is not in the graph.</p>"


# -- plots --------------------------------------------------------------------------------------------------------


def _ladder_plot(summaries: Sequence[Summary], measure: str) -> Any:
    figure, axes = _axes(0.5 + 0.4 * len(summaries))
    means = [summary.measures[measure] for summary in summaries]
    errors = [[m.mean - m.lower for m in means], [m.upper - m.mean for m in means]]
    axes.barh([s.run.system for s in summaries], [m.mean for m in means], xerr=errors, color="#4477aa", capsize=3)
    axes.invert_yaxis()
    axes.set_xlabel(measure)
    return figure


def _recall_plot(runs: Sequence[Run], judgements: Judgements) -> Any:
    figure, axes = _axes(3.5)
    deepest = max((len(ranking) for run in runs for ranking in run.rankings.values()), default=1) or 1
    cuts = range(1, deepest + 1)
    for run in runs:
        axes.plot(cuts, [run.values(judgements, f"recall@{k}").mean() for k in cuts], label=run.system)
    axes.set_xlabel("k")
    axes.set_ylabel("recall@k")
    axes.legend(fontsize=7)
    return figure


def _intent_plot(summaries: Sequence[Summary], measure: str) -> Any:
    intents = list(summaries[-1].by_intent)
    figure, axes = _axes(3.5)
    width = 0.8 / len(summaries)
    for place, summary in enumerate(summaries):
        means = [summary.by_intent.get(i, {}).get(measure) for i in intents]
        heights = [m.mean if m is not None else 0.0 for m in means]
        axes.bar(np.arange(len(intents)) + place * width, heights, width, label=summary.run.system)
    labels = [f"{intent}\n({summaries[-1].counts[intent]})" for intent in intents]
    axes.set_xticks(np.arange(len(intents)) + 0.4 - width / 2, labels, fontsize=7, rotation=20)
    axes.set_ylabel(measure)
    axes.legend(fontsize=7)
    return figure


def _sweep_plot(sweeps: Sweeps, judgements: Judgements, measure: str) -> Any:
    figure, axes = _axes(3.5)
    for component, runs in sweeps.items():
        axes.plot(
            list(runs), [r.values(judgements, measure).mean() for r in runs.values()], marker=".", label=component
        )
    axes.set_xlabel("weight, the other three as they are")
    axes.set_ylabel(measure)
    axes.legend(fontsize=7)
    return figure


def figures() -> Any:
    """Return matplotlib's class of figures.

    Raises:
        MissingExtraError: matplotlib is not installed.

    """
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError as error:
        raise MissingExtraError("Plots need matplotlib; run: pip install 'fourfold[report]'") from error
    return Figure


def _axes(height: float) -> tuple[Any, Any]:
    figure = figures()(figsize=(7, height), layout="constrained")
    return figure, figure.subplots()


def _image(figure: Any, caption: str) -> str:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=110)
    data = base64.b64encode(buffer.getvalue()).decode()
    return f'<h2>{html.escape(caption)}</h2><img alt="{html.escape(caption)}" src="data:image/png;base64,{data}">'
