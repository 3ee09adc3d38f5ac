"""Commands about the graph file: ``index``, ``reembed`` and ``info``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import Progress, TaskID

from fourfold import Edge, InvalidValueError, Node, Retriever, StoreError
from fourfold.cli import documents, options, output
from fourfold.jsonl import read_graph


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.command()(index)
    app.command()(reembed)
    app.command()(info)


def index(
    source: Annotated[
        Path,
        typer.Argument(metavar="GRAPH.jsonl|FOLDER", help="Nodes and edges, one JSON object a line; or texts."),
    ],
    db: options.Db,
    model: options.Model = None,
    json: options.Json = False,
) -> None:
    """Add a graph, or a folder of texts, to a SQLite file; the file is created if missing.

    A line is {"id": …, "name": …, "type": …, "text": …, "metadata": {…}} or {"source": …, "target": …, "type": …,
    "weight": …}. A node of a known id is replaced, an edge that is known gets the new weight. All of the graph is
    written, or nothing.

    Of a folder every Markdown, text and HTML file becomes a document, linked to those it names or links to. Run again,
    only what changed is read, and what is gone is removed.
    """
    with _whole_file(db):
        if source.is_dir():
            documents.index(source, db, model, json)
        else:
            _index_graph(source, db, model, json)


@contextmanager
def _whole_file(db: Path) -> Iterator[None]:
    """Leave no empty file behind where a new one could not be filled."""
    known = db.exists()
    try:
        yield
    except BaseException:
        if not known:
            for file in (db, db.with_name(db.name + "-wal"), db.with_name(db.name + "-shm")):
                file.unlink(missing_ok=True)
        raise


def _index_graph(source: Path, db: Path, model: str | None, json: bool) -> None:
    with output.progress_bar() as progress:
        reading = progress.add_task("Reading", total=source.stat().st_size)
        nodes, edges = read_graph(source, progress=lambda size: progress.advance(reading, size))
        progress.remove_task(reading)
        if not nodes and not edges:
            raise InvalidValueError(f"{source} holds no node and no edge.")
        with Retriever(db, embedder=model) as retriever:
            add(retriever, nodes, edges, progress)
            facts = retriever.info()
    if json:
        output.emit_json({"added": {"nodes": len(nodes), "edges": len(edges)}, **facts})
    else:
        console = output.stdout()
        console.print(f"Nodes added: {len(nodes):,}, edges added: {len(edges):,}.")
        console.print(f"{db} now holds {facts['nodes']:,} nodes and {facts['edges']:,} edges.", soft_wrap=True)


def add(retriever: Retriever, nodes: list[Node], edges: list[Edge], progress: Progress) -> None:
    """Add a graph and show how far it is."""
    embedding = progress.add_task("Embedding", total=len(nodes))
    writing = progress.add_task("Writing", total=None, visible=False)

    def embedded(done: int, total: int) -> None:
        progress.update(embedding, completed=done, total=total)
        if done == total:
            progress.update(writing, visible=True)

    retriever.add(nodes, edges, progress=embedded)
    progress.remove_task(embedding)
    progress.remove_task(writing)


def reembed(db: options.Db, model: options.Model = None, json: options.Json = False) -> None:
    """Replace every vector by one of another model, while searches go on by the old ones.

    Stopped or failed, the same command continues where it was. Give --model to search by the new vectors, too.
    """
    if not db.is_file():
        raise StoreError(f"There is no file {str(db)!r} to embed again.")
    with Retriever(db) as retriever, output.progress_bar() as progress:
        embedding: TaskID | None = None

        def embedded(done: int, total: int) -> None:
            nonlocal embedding
            if embedding is None:  # made here: what an earlier run has done must not count for the time left
                embedding = progress.add_task("Embedding", completed=done, total=total)
            progress.update(embedding, completed=done, total=total)

        try:
            retriever.reembed(model, progress=embedded)
        except KeyboardInterrupt:
            output.say("fourfold: Stopped; what was embedded is kept, and the same command continues there.")
            raise typer.Exit(130) from None
        facts = retriever.info()
    if json:
        output.emit_json(facts)
    elif not facts["nodes"]:
        output.stdout().print(f"{db} holds no nodes; there was nothing to embed.", soft_wrap=True)
    else:
        made = f"{facts['vectors']:,} vectors of {facts['dimensions']} dimensions, by {facts['embedder']}"
        output.stdout().print(f"{db} now holds {made}.", soft_wrap=True)


def info(db: options.Db, json: options.Json = False) -> None:
    """Show what a graph file holds."""
    with Retriever(db, read_only=True) as retriever:
        facts = retriever.info()
    if json:
        output.emit_json(facts)
    else:
        output.show_facts(output.stdout(), {name.replace("_", " "): value for name, value in facts.items()})
