"""Commands that ask what a ranked list does not answer: ``ask``, ``path`` and ``impact``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from fourfold import InvalidValueError, Retriever
from fourfold.cli import options, output
from fourfold.plain_text import plain_text
from fourfold.presets import open_under
from fourfold.questions import Answer, AskAnswer, Questions

NodeName = Annotated[
    str, typer.Argument(help="The id or the name of a node.", show_default=False, callback=options.typed)
]
Mermaid = Annotated[bool, typer.Option("--mermaid", help="Print a Mermaid drawing.")]


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.command()(ask)
    app.command()(path)
    app.command()(impact)


def ask(
    question: options.Query,
    db: options.Db,
    node: Annotated[
        str | None,
        typer.Option("--node", help="The node it is about.", show_default="found by search", callback=options.typed),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option(
            "--to", help="The other node, for a question about two.", show_default=False, callback=options.typed
        ),
    ] = None,
    k: Annotated[int, typer.Option("-k", help="Length of lists.")] = 10,
    mermaid: Mermaid = False,
    model: options.Model = None,
    preset: options.Preset = None,
    foreign: options.Foreign = False,
    json: options.Json = False,
) -> None:
    """Ask a question; the method that fits answers it, or search."""
    opened = open_under(preset, db, embedder=model, read_only=True, foreign=foreign)
    _show(opened, lambda questions: questions.ask(question, node=node, to=to, k=k), json=json, mermaid=mermaid)


def path(
    a: NodeName,
    b: NodeName,
    db: options.Db,
    depth: Annotated[int, typer.Option("--depth", help="Number of steps at most.")] = 5,
    directed: Annotated[bool, typer.Option("--directed", help="Follow edges along their arrows only.")] = False,
    mermaid: Mermaid = False,
    foreign: options.Foreign = False,
    json: options.Json = False,
) -> None:
    """Find the shortest path between two nodes."""
    opened = open_under(None, db, read_only=True, foreign=foreign)
    _show(opened, lambda questions: questions.trace_path(a, b, depth, directed=directed), json=json, mermaid=mermaid)


def impact(
    node: NodeName,
    db: options.Db,
    direction: Annotated[
        str, typer.Option("--direction", help="dependents, dependencies, downstream, upstream or both.")
    ] = "dependents",
    depth: Annotated[int, typer.Option("--depth", help="Number of steps at most.")] = 3,
    limit: Annotated[int, typer.Option("--limit", help="Number of nodes listed.")] = 100,
    mermaid: Mermaid = False,
    foreign: options.Foreign = False,
    json: options.Json = False,
) -> None:
    """See what a change to a node touches, and how risky that is."""
    _show(
        open_under(None, db, read_only=True, foreign=foreign),
        lambda questions: questions.impact_analysis(node, direction, depth, limit=limit),  # type: ignore[arg-type]
        json=json,
        mermaid=mermaid,
    )


def _show(opened: Retriever, call: Callable[[Questions], Answer], *, json: bool, mermaid: bool) -> None:
    """Answer and print as text, JSON or a drawing, and close the graph."""
    with opened as retriever:
        answer = call(Questions(retriever))
    drawn = answer.answer if isinstance(answer, AskAnswer) else answer
    if json:
        output.emit_json(answer.as_dict())
    else:
        typer.echo(plain_text(_drawing(drawn) if mermaid else str(answer)))


def _drawing(answer: Answer) -> str:
    """Return an answer as a Mermaid drawing; what names no node is told in words."""
    draw = getattr(answer, "mermaid", None)
    if draw is None:
        raise InvalidValueError("This answer is no path, tree or plan, so there is nothing to draw.")
    drawing: str = draw()
    if "\n" not in drawing:
        raise InvalidValueError(f"There is nothing to draw: {answer.headline()}")
    return drawing
