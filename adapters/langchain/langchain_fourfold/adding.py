"""Documents into an open graph, linked by the titles they name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fourfold import Edge, Node, Retriever
from fourfold.ingest import Document, IngestConfig, add_documents

_WHOLE = IngestConfig(whole_length=1_000_000_000)
"""Documents stay as they are: LangChain's text splitters have cut them already."""


def add_linked(
    retriever: Retriever,
    nodes: Iterable[Node],
    edges: Sequence[Edge] = (),
    *,
    vectors: Mapping[str, Any] | None = None,
) -> None:
    """Add or replace documents, given as nodes; texts that name a document's name get an edge to it.

    Raises:
        InvalidValueError: a node that cannot be stored; those before it may be there already.

    """
    latest = {node.id: node for node in nodes}
    config = None if retriever.store.meta("ingest") is not None else _WHOLE
    report = add_documents(retriever, map(_document, latest.values()), config=config, vectors=vectors)
    if report.problems:  # without a text, or not to be stored at all: the graph takes it or says why
        there = {node.id for node in retriever.get(latest)}
        retriever.add([node for node in latest.values() if node.id not in there])
    if edges:
        retriever.add(edges=edges)


def _document(node: Node) -> Document:
    source = node.metadata.get("source")
    return Document(
        id=node.id,
        text=node.text,
        title=node.name,
        type=node.type,
        metadata=node.metadata,
        source=source if isinstance(source, str) else "",
    )
