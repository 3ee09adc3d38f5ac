"""Texts that others have cut already, as nodes: linked like documents, kept as they are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fourfold import arguments
from fourfold.ingest.documents import Document, IngestConfig
from fourfold.ingest.parts import close_gaps, documents_of_parts
from fourfold.ingest.writing import delete_documents, put_documents
from fourfold.open_graph import of_open_graph
from fourfold.retriever import Retriever
from fourfold.types import Edge, Node
from fourfold.validation import check_node

_WHOLE = IngestConfig(whole_length=1_000_000_000)
"""The config of a file that is begun with nodes: no text is cut."""


def name_keys_of(name_key: str | Iterable[str] | None) -> tuple[str, ...]:
    """Return the metadata keys that may hold a text's title, where they are given as ``name_key=``: none, one, several.

    Raises:
        InvalidValueError: it is neither a string nor a list of strings.

    """
    return () if name_key is None else tuple(arguments.strings(name_key, "name_key"))


@of_open_graph
def add_linked(
    retriever: Retriever, nodes: Iterable[Node], edges: Sequence[Edge] = (), *, vectors_by: str | None = None
) -> None:
    """Add or replace nodes, with an edge ``mentions`` from each text that names another node's name.

    What ``Retriever.add`` does, plus the links of ``add_documents``; node by node nothing is cut or left out, except
    that a file begun with another ``IngestConfig`` cuts by that. ``vectors_by`` is that of ``Retriever.add``.

    Raises:
        InvalidValueError: a node that cannot be stored; nothing was written.
        UnknownNodeError: an edge names a node that does not exist.
        MissingExtraError: ``ahocorasick-rs`` is not installed.

    """
    latest = {node.id: node for node in map(check_node, nodes)}
    torn = documents_of_parts(retriever, latest).values()
    config = None if retriever.backend.meta("ingest") is not None else _WHOLE
    vectors = {node.id: node.vector for node in latest.values() if node.vector is not None}
    documents = map(_document, latest.values())
    report = put_documents(retriever, documents, config=config, vectors=vectors, vectors_by=vectors_by, empty=True)
    if report.left_out:  # what has the id of a part of another document, or would have such parts
        retriever.add([latest[identity] for identity in report.left_out], vectors_by=vectors_by)
    close_gaps(retriever, torn)
    if edges:
        retriever.add(edges=edges)


@of_open_graph
def delete_linked(retriever: Retriever, ids: Iterable[str]) -> list[str]:
    """Delete nodes that came by ``add_linked`` or by ``Retriever.add``; return the ids of those there were."""
    wanted = list(dict.fromkeys(arguments.strings(ids, "ids")))
    there = [node.id for node in retriever.get(wanted)]
    torn = set(documents_of_parts(retriever, there).values()) - set(there)
    delete_documents(retriever, there)
    retriever.delete(there)
    close_gaps(retriever, torn)
    return there


def _document(node: Node) -> Document:
    source = node.metadata.get("source")
    return Document(
        id=node.id,
        text=node.text,
        title=node.name,
        type=node.type,
        metadata=node.metadata,
        source=source if isinstance(source, str) and "\x00" not in source else "",
    )
