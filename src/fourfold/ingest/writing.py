"""Documents into a graph and out of it, at the cost of what changed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fourfold import arguments
from fourfold.arguments import said, shown
from fourfold.edge_types import PART_OF
from fourfold.engines.base import Writer
from fourfold.engines.documents import Booked, Entry
from fourfold.errors import InvalidValueError, StoreError
from fourfold.ingest.chunking import chunks
from fourfold.ingest.documents import Document, IngestConfig, Section, shortened
from fourfold.ingest.linking import labels_borne, labels_used, link
from fourfold.ingest.report import Report
from fourfold.open_graph import of_open_graph
from fourfold.retriever import Retriever
from fourfold.types import Edge, Node
from fourfold.validation import check_node

Progress = Callable[[int], None]
"""Called with the number of documents written so far."""

_BATCH = 5_000
"""Documents of one transaction: what a cancelled run loses at most."""

_BATCH_CHARACTERS = 20_000_000


def add_documents(
    retriever: Retriever,
    documents: Iterable[Document],
    *,
    config: IngestConfig | None = None,
    vectors: Mapping[str, Any] | None = None,
    vectors_by: str | None = None,
    progress: Progress | None = None,
) -> Report:
    """Add or replace documents, cut the long ones into chunks, and link them all.

    Documents that did not change are passed over. Some thousand documents at a time are written in one transaction,
    so a run that is broken off keeps what it had written, and the same call again goes on from there.

    Args:
        retriever: where they go.
        documents: an iterable of any length; it is read once.
        config: how they are cut and linked; None takes what the file was begun with.
        vectors: existing vectors by document id; a document with one stays whole, the others are embedded.
        vectors_by: the name of the embedder that made them, as for ``Retriever.add``.
        progress: called with the number of documents written.

    Returns:
        What was done, and which documents were left out and why: a document without a text and a title, one that
        cannot be stored, a second one with an id that this call had before.

    Raises:
        InvalidValueError: ``documents`` is no list of them; ``config`` is not the one that the file was begun with.
        EmbedderError: the embedder failed; what was written before stays.
        MissingExtraError: ``ahocorasick-rs`` is not installed.

    """
    return put_documents(
        retriever, documents, config=config, vectors=vectors, vectors_by=vectors_by, progress=progress, empty=False
    )


@of_open_graph
def put_documents(
    retriever: Retriever,
    documents: Iterable[Document],
    *,
    config: IngestConfig | None,
    vectors: Mapping[str, Any] | None = None,
    vectors_by: str | None = None,
    progress: Progress | None = None,
    empty: bool,
) -> Report:
    """Do what ``add_documents`` does, with documents that have neither a text nor a title, or without them."""
    report = Report()
    seen: set[str] = set()
    arguments.callback(progress)
    config = resolve_config(retriever, config)
    stream = _accepted(arguments.many(documents, "documents", "documents"), seen, report, empty=empty)
    for batch, last in _batches(stream):
        known = {entry.id: entry.hash for entry in retriever.backend.documents.booked(ids=[d.id for d in batch])}
        hashes = {document.id: document.content_hash() for document in batch}
        changed = [document for document in batch if known.get(document.id) != hashes[document.id]]
        report.unchanged += len(batch) - len(changed)
        rows = [_rows(document, hashes[document.id], config, (vectors or {}).get(document.id)) for document in changed]
        report.added += _write(retriever, rows, config, report, last=last, vectors_by=vectors_by)
        if progress is not None:
            progress(report.added + report.unchanged)
    if retriever.backend.documents.is_unlinked():
        retriever.add(also=lambda writer: link(writer.books(), config))
    return report


@of_open_graph
def delete_documents(
    retriever: Retriever, ids: Iterable[str] | None = None, *, sources: Iterable[str] | None = None
) -> int:
    """Delete documents by id or by source, with their chunks and edges; return how many there were.

    A string alone is one id, or one source.
    """
    ids = [] if ids is None else arguments.strings(ids, "ids")
    sources = [] if sources is None else arguments.strings(sources, "sources")
    if not ids and not sources:
        return 0
    count = 0

    def also(writer: Writer) -> None:
        nonlocal count
        books = writer.books()
        count = books.delete(ids=ids, sources=sources)
        link(books, stored_config(writer.meta(SETTING)))

    retriever.add(also=also)
    return count


def replace_sources(
    retriever: Retriever,
    documents: Iterable[Document],
    *,
    sources: Iterable[str] = (),
    config: IngestConfig | None = None,
    progress: Progress | None = None,
) -> Report:
    """Make each source hold exactly these documents: add or replace them, and delete the others of their sources.

    Args:
        retriever: where they go.
        documents: each with its source.
        sources: sources that may have nothing left; those of ``documents`` are meant anyway.
        config: see ``add_documents``.
        progress: see ``add_documents``.

    """
    kept: set[str] = set()
    meant = set(arguments.strings(sources, "sources"))
    given = arguments.many(documents, "documents", "documents")

    def noted() -> Iterator[Document]:
        for document in given:
            kept.add(document.id)
            meant.add(document.source)
            yield document

    report = add_documents(retriever, noted(), config=config, progress=progress)
    kept.difference_update(report.left_out)
    meant.discard("")
    booked = list_documents(retriever, sources=meant) if meant else []
    report.removed = delete_documents(retriever, [entry.id for entry in booked if entry.id not in kept])
    return report


@of_open_graph
def list_documents(
    retriever: Retriever, *, ids: Iterable[str] | None = None, sources: Iterable[str] | None = None
) -> list[Booked]:
    """Return id, source and content hash of the documents with these ids or of these sources; of all without either.

    A string alone is one id, or one source.
    """
    wanted_ids = None if ids is None else arguments.strings(ids, "ids")
    wanted_sources = None if sources is None else arguments.strings(sources, "sources")
    return retriever.backend.documents.booked(ids=wanted_ids, sources=wanted_sources)


SETTING = "ingest"
"""Where the file keeps the config it was begun with."""


def stored_config(stored: str | None) -> IngestConfig:
    """Return the config that a file was begun with, the default for a new one; StoreError where it cannot be read."""
    try:
        return IngestConfig() if stored is None else IngestConfig.from_json(stored)
    except InvalidValueError as error:
        raise StoreError(f"How documents are read is stored in a form that cannot be ({said(error)}).") from error


def resolve_config(retriever: Retriever, given: IngestConfig | None) -> IngestConfig:
    """Return the config in force.

    Raises:
        InvalidValueError: another one than the file was begun with.

    """
    if given is not None and not isinstance(given, IngestConfig):
        raise InvalidValueError(f"config is {shown(given)}; it must be an IngestConfig.")
    stored = retriever.backend.meta(SETTING)
    if given is None or stored is None:
        return given or stored_config(stored)
    if given.to_json() != stored:
        raise InvalidValueError(
            f"{retriever.path!r} was begun with {stored_config(stored)}, now {given} is asked for; "
            "leave config out, or index into a new file."
        )
    return given


def _accepted(documents: Iterable[Document], seen: set[str], report: Report, *, empty: bool) -> Iterator[Document]:
    """Pass on the documents that can be stored; report the others, once each."""
    for document in documents:
        problem = _problem(document, empty=empty)
        if problem is None and document.id in seen:
            where = document.source or shown(document.id)
            report.leave_out(where, "a document with this id came before; this one is left out.")
            continue
        if problem is not None:
            identity = getattr(document, "id", document)
            where = getattr(document, "source", "") or shown(identity)
            report.leave_out(where, problem, identity if isinstance(identity, str) else None)
            continue
        seen.add(document.id)
        yield document


def _problem(document: Document, *, empty: bool) -> str | None:
    if not isinstance(document, Document):
        return f"a document must be a fourfold.ingest.Document, not {type(document).__name__}."
    if not isinstance(document.id, str) or not document.id:
        return f"the id is {shown(document.id)}; it must be a string that is not empty."
    if wrong := _wrong_part(document):
        return wrong
    if any("\x00" in name for name in (document.id, document.source)):
        return f"id or source of document {shown(document.id)} holds a NUL character."
    if not (empty or document.text.strip() or document.title.strip()):
        return f"document {shown(document.id)} has neither a text nor a title."
    try:
        (document.id + document.text + document.title + document.type + document.source).encode()
    except UnicodeEncodeError:
        return f"document {shown(document.id)} holds a lone surrogate, which is no text."
    return None


_COLLECTIONS = (("links", str, "strings"), ("aliases", str, "strings"), ("sections", Section, "Sections"))


def _wrong_part(document: Document) -> str | None:
    """Return what is wrong with the types of a document's fields."""
    of = f"of document {shown(document.id)}"
    for name in ("text", "title", "type", "source"):
        if not isinstance(one := getattr(document, name), str):
            return f"the {name} {of} is {shown(one)}; it must be a string."
    for name, kind, kinds in _COLLECTIONS:
        if not _holds(several := getattr(document, name), kind):
            return f"the {name} {of} are {shown(several)}; they must be a tuple of {kinds}."
    if not isinstance(document.metadata, Mapping):
        return f"the metadata {of} are {shown(document.metadata)}; they must be a mapping, as {{}}."
    return None


def _holds(several: object, kind: type) -> bool:
    """Whether something is a collection of such values; a string is not one of its letters."""
    is_one = isinstance(several, (str, bytes))
    return isinstance(several, Collection) and not is_one and all(isinstance(each, kind) for each in several)


def _batches(documents: Iterable[Document]) -> Iterator[tuple[list[Document], bool]]:
    """Cut the stream where a transaction is to end, and say which batch is the last."""
    batch: list[Document] = []
    size = 0
    for document in documents:
        if len(batch) >= _BATCH or size >= _BATCH_CHARACTERS:
            yield batch, False
            batch, size = [], 0
        batch.append(document)
        size += len(document.text)
    if batch:
        yield batch, True


@dataclass(frozen=True, slots=True)
class _Rows:
    """A document as nodes (its own first), the edges inside it, and its entry in the books."""

    nodes: list[Node]
    edges: list[Edge]
    entry: Entry


def _write(
    retriever: Retriever,
    rows: Sequence[_Rows],
    config: IngestConfig,
    report: Report,
    *,
    last: bool,
    vectors_by: str | None,
) -> int:
    """Write documents in one transaction, and link them if no more are to come; return how many were written.

    A document that cannot be stored is reported and left out.
    """
    rows = _without_clashes(retriever, rows, report)
    entries = [row.entry for row in rows]

    def also(writer: Writer) -> None:
        books = writer.books()
        if books.setting(SETTING, config.to_json()) != config.to_json():
            raise InvalidValueError(f"{retriever.path!r} was meanwhile begun with another IngestConfig.")
        books.put(entries)
        books.replace_structure(entries, [edge for row in rows for edge in row.edges])
        if last:
            link(books, config)

    if not rows:
        return 0
    try:
        retriever.add([node for row in rows for node in row.nodes], vectors_by=vectors_by, also=also)
    except InvalidValueError:
        kept = _storable(rows, report)
        if len(kept) == len(rows):
            raise
        return _write(retriever, kept, config, report, last=last, vectors_by=vectors_by)
    return len(rows)


def _without_clashes(retriever: Retriever, rows: Sequence[_Rows], report: Report) -> list[_Rows]:
    """Leave out and report documents with the id of another's chunk, or with chunks of another document's id."""
    written = {row.entry.id for row in rows}
    chunk_ids = [node.id for row in rows for node in row.nodes[1:]]
    taken = written | ({entry.id for entry in list_documents(retriever, ids=chunk_ids)} if chunk_ids else set())
    chunk_of = retriever.backend.documents.of(written)  # or the part of one that others cut, which may be replaced
    kept = []
    for row in rows:
        where = row.entry.source or shown(row.entry.id)
        owner = chunk_of.get(row.entry.id)
        if owner is not None and owner not in written and row.entry.id.rpartition("#")[0] == owner:
            report.leave_out(
                where, f"its id {shown(row.entry.id)} is that of a chunk of document {shown(owner)}.", row.entry.id
            )
        elif clash := next((node.id for node in row.nodes[1:] if node.id in taken), None):
            report.leave_out(where, f"its chunk {shown(clash)} would have the id of another document.", row.entry.id)
        else:
            kept.append(row)
    return kept


def _storable(rows: Sequence[_Rows], report: Report) -> list[_Rows]:
    """Return what the graph can hold; report the rest."""
    kept = []
    for row in rows:
        try:
            for node in row.nodes:
                check_node(node)
        except InvalidValueError as error:
            report.leave_out(row.entry.source or shown(row.entry.id), str(error), row.entry.id)
        else:
            kept.append(row)
    return kept


def _rows(document: Document, content_hash: str, config: IngestConfig, vector: Any) -> _Rows:
    """Return a document as it is to be stored; one with a vector stays whole."""
    metadata = dict(document.metadata)
    if document.source:
        metadata.setdefault("source", document.source)
    whole = vector is not None or len(document.text) <= config.whole_length
    parts = [] if whole else chunks(document.text, document.sections, config.chunk_length)
    own = Node(
        id=document.id,
        name=document.title,
        type=document.type,
        text=document.text if len(parts) < 2 else "",
        metadata=metadata,
        vector=vector,
    )
    nodes, edges = [own], []
    passages = [document.id]
    if len(parts) > 1:
        metadata.setdefault("source", document.id)
        passages = [f"{document.id}#{place}" for place in range(len(parts))]
        for place, (part, identity) in enumerate(zip(parts, passages, strict=True)):
            below = {**metadata, "document": document.id, "chunk": place}
            nodes.append(Node(identity, _chunk_name(document.title, part.heading), document.type, part.text, below))
            edges.append(Edge(identity, document.id, PART_OF))
            if place:
                edges.append(Edge(passages[place - 1], identity, "followed_by"))
    entry = Entry(
        id=document.id,
        source=document.source,
        hash=content_hash,
        passages=tuple(passages),
        bears=tuple(labels_borne(document, config)),
        uses=tuple(labels_used(document, config)),
    )
    return _Rows(nodes, edges, entry)


def _chunk_name(title: str, heading: str) -> str:
    return " › ".join(shortened(part) for part in (title, heading if heading != title else "") if part)
