"""Commands that ask the graph: ``search`` and ``explain``."""

from __future__ import annotations

from typing import Annotated

import typer

from fourfold.cli import options, output
from fourfold.errors import UnknownNodeError
from fourfold.presets import open_under
from fourfold.questions import Questions


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.command()(search)
    app.command()(explain)


def search(
    query: options.Query,
    db: options.Db,
    k: options.Limit = None,
    filter: options.Filter = None,
    intent: options.IntentName = None,
    weights: options.WeightsOption = None,
    mode: options.Mode = "hybrid",
    min_score: Annotated[
        float | None, typer.Option("--min-score", help="Leave out hits below this score.", show_default=False)
    ] = None,
    min_confidence: Annotated[
        float | None,
        typer.Option(
            "--min-confidence", help="Leave out hits that the graph is less sure of, 0 to 1.", show_default=False
        ),
    ] = None,
    group_by: Annotated[
        str | None,
        typer.Option(
            "--group-by",
            help="A metadata key: one hit for each of its values.",
            show_default=False,
            callback=options.typed,
        ),
    ] = None,
    model: options.Model = None,
    preset: options.Preset = None,
    foreign: options.Foreign = False,
    json: options.Json = False,
) -> None:
    """Ask a question and see the best nodes, and why they are there."""
    with open_under(preset, db, embedder=model, read_only=True, foreign=foreign) as retriever:
        result = retriever.search(
            query,
            k=k,
            filter=filter,
            intent=intent,
            weights=weights,
            mode=mode,
            min_score=min_score,
            min_confidence=min_confidence,
            group_by=group_by,
        )
    if json:
        output.emit_json(result.as_dict())
    else:
        console = output.stdout()
        output.show_result(console, result)
        if result.hits:
            output.show_legend(console, [result])


def explain(
    query: options.Query,
    node: Annotated[
        str, typer.Argument(help="The id or the name of the node.", show_default=False, callback=options.typed)
    ],
    db: options.Db,
    k: options.Limit = None,
    filter: options.Filter = None,
    intent: options.IntentName = None,
    weights: options.WeightsOption = None,
    mode: options.Mode = "hybrid",
    model: options.Model = None,
    preset: options.Preset = None,
    foreign: options.Foreign = False,
    json: options.Json = False,
) -> None:
    """Take the score of one node apart: every contribution, adding up to the score that a search of -k hits gives."""
    with open_under(preset, db, embedder=model, read_only=True, foreign=foreign) as retriever:
        asked = {"k": k, "filter": filter, "intent": intent, "weights": weights, "mode": mode}
        try:
            explanation = retriever.explain(query, node, **asked)
        except UnknownNodeError:  # no id: a name, or the nearest are offered
            explanation = retriever.explain(query, Questions(retriever).node(node).id, **asked)
    if json:
        output.emit_json(explanation.as_dict())
    else:
        output.show_explanation(output.stdout(), explanation)
