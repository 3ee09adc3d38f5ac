"""Commands about the graph file: ``index``, ``reembed``, ``info`` and ``check``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import Progress, TaskID

from fourfold import Edge, InvalidValueError, Node, Retriever
from fourfold.checking import check
from fourfold.cli import documents, options, output
from fourfold.cli.saying import stopping
from fourfold.engines import shown_address
from fourfold.errors import StoreError, UnknownNodeError
from fourfold.ingest.graphs import holds_documents, read_graphml
from fourfold.ingest.triples import join_triples, read_triples
from fourfold.ingest.walk import MAX_BYTES
from fourfold.jsonl import read_graph
from fourfold.plain_text import counted
from fourfold.presets import open_under


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.command()(index)
    app.command()(reembed)
    app.command()(info)
    app.command(name="check")(check_)


def index(
    sources: Annotated[
        list[Path],
        typer.Argument(
            metavar="SOURCE",
            help="Folders and files of texts; graphs: JSON Lines of nodes and edges, CSV triples, GraphML.",
            show_default=False,
        ),
    ],
    db: options.Db,
    model: options.Model = None,
    preset: options.Preset = None,
    max_bytes: Annotated[int, typer.Option("--max-bytes", min=1, help="Pass over larger files.")] = MAX_BYTES,
    follow_links: Annotated[
        bool, typer.Option("--follow-links", help="Read what links out of a folder lead to, too.")
    ] = False,
    allow_empty: Annotated[
        bool, typer.Option("--allow-empty", help="Take away all documents of a folder that has become empty.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Add folders, files and graphs to a SQLite file; the file is created if missing.

    Of a folder every file that can be read becomes a document, linked to those it names or links to; a table says what
    was passed over and why. Run again, only what changed is read, and what is gone is removed. Where a graph holds
    several folders, the ids of all but the first begin with the folder's name. A BEIR corpus is read as documents.

    A line of a graph is {"id": …, "name": …, "type": …, "text": …, "metadata": {…}} or {"source": …, "target": …,
    "type": …, "weight": …}. A node of a known id is replaced, an edge that is known gets the new weight.

    A line of CSV is subject, relation, object, weight; or as its first line names the columns, such as
    source,target,type. It names nodes, such as documents, by their ids or names; those that are not there are new.

    All of the graphs is written, or nothing; their edges may name documents by their ids.
    """
    readers = {source: _graph_reader(source) for source in sources}
    graphs = {source: read for source, read in readers.items() if read is not None}
    texts = [source for source, read in readers.items() if read is None]
    nodes: list[Node] = []
    named: list[Node] = []
    triples: list[Edge] = []
    edges: list[Edge] = []
    told: dict[str, object] = {}
    with output.progress_bar() as progress:
        for source, read in graphs.items():
            more_nodes, more_edges = read(source, progress)
            if not more_nodes and not more_edges:
                raise InvalidValueError(f"{source} holds no node and no edge.")
            (named if _is_triples(source) else nodes).extend(more_nodes)
            (triples if _is_triples(source) else edges).extend(more_edges)
        with _filled(db, preset, model) as retriever:
            if db != ":memory:" and retriever.path == ":memory:":
                raise InvalidValueError(
                    f"{shown_address(db)} was not made for the preset {preset!r}; leave --preset out, or index into a "
                    "new file."
                )
            # First the documents, for the edges of a graph may name them.
            report = (
                documents.index(
                    retriever,
                    texts,
                    progress,
                    max_bytes=max_bytes,
                    follow_links=follow_links,
                    allow_empty=allow_empty,
                )
                if texts
                else None
            )
            if graphs:
                if report:
                    named_itself = {source.resolve() for source in graphs}
                    report.passed_over = [each for each in report.passed_over if Path(each.where) not in named_itself]
                new, triples = join_triples(retriever, named, triples, beside=nodes)
                nodes, edges = list({node.id: node for node in (*new, *nodes)}.values()), [*edges, *triples]
                try:
                    add(retriever, nodes, edges, progress)
                except UnknownNodeError as error:
                    raise UnknownNodeError(
                        f"{error}{' The documents were written before, and stay.' if report else ''}"
                    ) from error
                told["graph" if texts else "added"] = {"nodes": len(nodes), "edges": len(edges)}
            facts, place = retriever.info(), retriever.path
    if json:
        output.emit_json({**told, **(asdict(report) if report else {}), **facts})
        return
    console = output.stdout()
    if graphs:
        console.print(f"Nodes added: {len(nodes):,}, edges added: {len(edges):,}.")
    if report:
        documents.show(report)
    nodes_there, edges_there = counted(facts["nodes"], "node"), counted(facts["edges"], "edge")
    console.print(f"{place} now holds {nodes_there} and {edges_there}.", soft_wrap=True)


def _graph_reader(source: Path) -> Callable[[Path, Progress], tuple[list[Node], list[Edge]]] | None:
    """Return what reads a file as a graph; None for folders and for files of texts."""
    kind = source.suffix.lower()
    if source.is_dir():
        return None
    if _is_triples(source):
        return lambda path, progress: read_triples(path)
    if kind == ".graphml":
        return lambda path, progress: read_graphml(path)
    if kind not in ("", ".json", ".jsonl", ".ndjson") or (source.is_file() and holds_documents(source)):
        return None
    return _read_graph


def _is_triples(source: Path) -> bool:
    return source.suffix.lower() in (".csv", ".tsv")


def _read_graph(source: Path, progress: Progress) -> tuple[list[Node], list[Edge]]:
    reading = progress.add_task("Reading", total=source.stat().st_size)
    try:
        return read_graph(source, progress=lambda size: progress.advance(reading, size))
    finally:
        progress.remove_task(reading)


@contextmanager
def _filled(db: str, preset: str | None, model: str | None) -> Iterator[Retriever]:
    """Open the graph, and leave no empty file behind where a new one could not be filled; an address is no file.

    One in which something was written stays: another process may be filling it at the same time.
    """
    path = Path(db)
    empty = not path.exists()
    try:
        with open_under(preset, db, embedder=model) as retriever:
            try:
                yield retriever
            finally:
                empty = empty and not retriever.generation
    except BaseException:
        if empty:
            for file in (path, path.with_name(path.name + "-wal"), path.with_name(path.name + "-shm")):
                with suppress(OSError):  # none could be made there: what is wrong is said already
                    file.unlink()
        raise


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


def reembed(db: options.Db, model: options.NewModel = None, json: options.Json = False) -> None:
    """Replace every vector by one of another model, while searches go on by the old ones.

    Stopped or failed, the same command continues where it was. Give --model to search by the new vectors, too.
    """
    with Retriever(db, must_exist=True) as retriever, output.progress_bar() as progress:
        embedding: TaskID | None = None

        def embedded(done: int, total: int) -> None:
            nonlocal embedding
            if embedding is None:  # made here: what an earlier run has done must not count for the time left
                embedding = progress.add_task("Embedding", completed=done, total=total)
            progress.update(embedding, completed=done, total=total)

        with stopping("Stopped; what was embedded is kept, and the same command continues there."):
            retriever.maintenance.reembed(model, progress=embedded)
        facts, place = retriever.info(), retriever.path
    if json:
        output.emit_json(facts)
    elif not facts["nodes"]:
        output.stdout().print(f"{place} holds no nodes; there was nothing to embed.", soft_wrap=True)
    else:
        made = f"{counted(facts['vectors'], 'vector')} of {facts['dimensions']} dimensions, by {facts['embedder']}"
        output.stdout().print(f"{place} now holds {made}.", soft_wrap=True)


def info(db: options.Db, foreign: options.Foreign = False, json: options.Json = False) -> None:
    """Show what a graph file holds."""
    with open_under(None, db, read_only=True, foreign=foreign) as retriever:
        facts = retriever.info()
    if json:
        output.emit_json(facts)
    else:
        output.show_facts(output.stdout(), {name.replace("_", " "): value for name, value in facts.items()})


def check_(
    db: options.Db,
    derived: Annotated[
        bool,
        typer.Option("--derived", help="Compare terms, values for filters, full text and vectors with the contents."),
    ] = False,
    repair: Annotated[bool, typer.Option("--repair", help="First derive these anew.")] = False,
    json: options.Json = False,
) -> None:
    """Read a whole graph file and say what is damaged in it; the exit code is 1 where something is.

    With --derived, what is derived of nodes is compared with their contents, which takes about as long as building the
    graph; with --repair it is made anew before, of contents as they are. What cannot be looked at, such as a file that
    is not there, is an error on stderr, and no damage.
    """
    if repair:
        with Retriever(db, must_exist=True) as retriever:
            retriever.maintenance.derive_anew()
    found = check(db, derived=derived)
    if not found.looked_at:
        raise StoreError(found.problems[0])
    if json:
        output.emit_json(found.as_dict())
    else:
        for problem in found.problems:
            output.stdout().print(problem, soft_wrap=True)
        if found.sound:
            nodes, edges = counted(found.nodes, "node"), counted(found.edges, "edge")
            output.stdout().print(f"{found.path}: {nodes} and {edges} are as they were written.", soft_wrap=True)
    if not found.sound:
        raise typer.Exit(1)
