"""The command ``demo``: a real graph, a few questions, and one score taken apart."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.rule import Rule

from fourfold import Edge, Node, Retriever
from fourfold.cli import options, output
from fourfold.cli.graph import add
from fourfold.types import UNKNOWN_BELOW


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(demo)


def demo(
    db: Annotated[
        Path | None, typer.Option("--db", help="Keep the graph in this file.", show_default="a file that is deleted")
    ] = None,
    k: Annotated[int, typer.Option("-k", help="Number of hits for each question.")] = 4,
    json: options.Json = False,
) -> None:
    """Graph this Python's own standard library, ask it a few questions and see why each answer is there."""
    from fourfold.demo import EXPLAINED, QUESTIONS

    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        Retriever(db or Path(folder) / "stdlib.sqlite") as retriever,
    ):
        _build(retriever)
        info = retriever.info()
        results = [retriever.search(question, k=k, min_confidence=UNKNOWN_BELOW) for question in QUESTIONS]
        explanation = retriever.explain(*EXPLAINED)
    if json:
        answers = [result.as_dict() for result in results]
        output.emit_json({"graph": info, "results": answers, "explanation": explanation.as_dict()})
        return
    console = output.stdout()
    console.print(f"This Python's standard library as a graph: {info['nodes']:,} nodes, {info['edges']:,} edges.")
    output.show_legend(console, results)
    for result in results:
        console.print()
        output.show_result(console, result)
    console.print()
    console.print(Rule(f"fourfold explain {EXPLAINED[0]!r} {EXPLAINED[1]}", style="dim", align="left"))
    output.show_explanation(console, explanation)
    console.print()
    _what_next(console, db)


def _build(retriever: Retriever) -> None:
    """Read the standard library into the graph and show how far it is."""
    from fourfold.demo import edges, nodes

    with output.progress_bar() as progress:
        reading = progress.add_task("Reading the standard library", total=None)
        graph = [Node(**node) for node in nodes()], [Edge(**edge) for edge in edges()]
        progress.remove_task(reading)
        add(retriever, *graph, progress)


def _what_next(console: Console, db: Path | None) -> None:
    """Say how to ask on."""
    if db is None:
        console.print("Keep the graph, and ask your own questions:", style="dim")
        console.print("  fourfold demo --db stdlib.sqlite")
    else:
        console.print("Ask your own questions:", style="dim")
    console.print(f'  fourfold search "run a command and read its output" --db {db or "stdlib.sqlite"}', soft_wrap=True)
