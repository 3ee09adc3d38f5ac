"""The command about two graphs: ``copy``."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from fourfold import Retriever
from fourfold.cli import options, output
from fourfold.cli.saying import stopping
from fourfold.copying import copy as copied
from fourfold.plain_text import counted


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(copy)


def copy(
    source: Annotated[str, typer.Argument(metavar="FROM", help="A file, or postgresql://…", show_default=False)],
    target: Annotated[str, typer.Argument(metavar="TO", help="An empty place, of any engine.", show_default=False)],
    json: options.Json = False,
) -> None:
    """Copy a graph from one engine to another: nodes, vectors, edges, settings, feedback and usage.

    Nothing is embedded anew. A copy that was cut short goes on where it stopped. At the end both are compared: counts,
    and hashes of every node, vector and edge. It is no backup: the books of indexed documents stay behind.
    """
    with (
        Retriever(source, read_only=True, must_exist=True) as own,
        Retriever(target) as other,
        output.progress_bar() as progress,
    ):
        task = progress.add_task("Copying", total=None)
        with stopping("Stopped; what was copied is kept, and the same command continues there."):
            result = copied(own, other, progress=lambda done, total: progress.update(task, completed=done, total=total))
        path = other.path
    if json:
        output.emit_json(asdict(result))
        return
    nodes, edges = counted(result.nodes, "node"), counted(result.edges, "edge")
    vectors = counted(result.vectors, "vector")
    output.stdout().print(
        f"{path} holds {nodes}, {edges} and {vectors}, the same as the source: {result.hash}.", soft_wrap=True
    )
