"""Documents into the graph; what a text splitter has cut is joined to its document and to the next chunk.

LangChain's splitters copy a document's metadata to its chunks and say nothing more, unless asked for ``start_index``.
So chunks of one document are those whose metadata are the same but for their place in it, and name one document: by a
title, by a ``doc_id``, or by a ``source`` that is a path or an address (``"wikipedia"`` names many). Chunks that know
their ``start_index`` and nothing else are of one document while it grows, and no chunk of another comes between.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from langchain_core.documents import Document

from fourfold import Edge, InvalidValueError, Node, Retriever
from fourfold.ingest import Cut, add_linked, add_parts, documents_of_parts, list_documents
from fourfold.validation import check_node
from langchain_fourfold.documents import as_given, listed, to_node

_PLACE = ("page", "start_index")
_PLACES = {*_PLACE, "page_number", "page_label", "chunk", "chunk_index"}
"""Metadata in which chunks of one document differ."""

_DOCUMENT_IDS = ("doc_id", "document_id", "parent_id")
_ADDRESS = re.compile(r"[/\\]|\.\w{1,8}$")


def add_documents(
    retriever: Retriever,
    documents: Iterable[Document],
    *,
    name_keys: Sequence[str] = ("title", "name"),
    edges: Sequence[Edge] = (),
    vectors: Mapping[str, Any] | None = None,
    vectors_by: str | None = None,
) -> list[str]:
    """Add or replace documents, linked where they name each other, chunks joined; return their ids, in order.

    Args:
        retriever: where they go.
        documents: see ``to_node``.
        name_keys: see ``to_node``.
        edges: between them or to nodes in the graph.
        vectors: vectors of some by document id.
        vectors_by: who made them, as for ``Retriever.add``.

    Raises:
        InvalidValueError: a document that cannot be stored; nothing was written.

    """
    known = vectors or {}
    made = (
        replace(to_node(document, name_keys), vector=known.get(document.id or "")) for document in listed(documents)
    )
    nodes = [check_node(node) for node in made]
    cuts = _cuts(retriever, list({node.id: node for node in nodes}.values()), name_keys)
    parts = {node.id for cut in cuts for node in cut.parts}
    add_linked(retriever, [node for node in nodes if node.id not in parts], vectors_by=vectors_by)
    add_parts(retriever, cuts, place=_place, vectors_by=vectors_by)
    if edges:
        retriever.add(edges=edges)
    return [node.id for node in nodes]


def texts_in(retriever: Retriever) -> list[str]:
    """Return the ids of all nodes but the documents whose texts are in their chunks."""
    ids = list(retriever.manifest())
    documents = set(documents_of_parts(retriever, ids).values())
    return [id_ for id_ in ids if id_ not in documents]


def _cuts(retriever: Retriever, nodes: Sequence[Node], name_keys: Sequence[str]) -> list[Cut]:
    """Return the documents of which there are several chunks, here and in the graph."""
    chunks: dict[str, list[Node]] = {}
    run, last = "", -1
    for node in nodes:
        start = node.metadata.get("start_index")
        start = start if isinstance(start, int) else -1
        document = _document(node.metadata, name_keys)
        if document is None and start >= 0:
            run = run if run and start > last else f"document:{node.id}"
            document, last = run, start
        else:
            run = ""
        if document is not None:
            chunks.setdefault(document, []).append(node)
    there = {node.id for node in retriever.get(chunks)}
    alone = {id_: nodes[0] for id_, nodes in chunks.items() if len(nodes) == 1 and id_ not in there}
    joined = _before(retriever, chunks, name_keys)
    return [
        Cut(id_, nodes, joined.get(id_, ()), title=nodes[0].name, source=_source(nodes[0]))
        for id_, nodes in chunks.items()
        if id_ not in alone or joined.get(id_)
    ]


def _before(
    retriever: Retriever, chunks: Mapping[str, Sequence[Node]], name_keys: Sequence[str]
) -> dict[str, list[str]]:
    """Return the chunks that came before, each alone and so as a document of its own, by their document."""
    new = {node.id for nodes in chunks.values() for node in nodes}
    sources = {source for nodes in chunks.values() if (source := _source(nodes[0]))}
    ids = [entry.id for entry in list_documents(retriever, sources=sources)] if sources else []
    found: dict[str, list[str]] = {}
    for node in retriever.get(id_ for id_ in ids if id_ not in new and id_ not in chunks):
        if (document := _document(node.metadata, name_keys)) in chunks:
            found.setdefault(str(document), []).append(node.id)
    return found


def _document(metadata: Mapping[str, Any], name_keys: Sequence[str]) -> str | None:
    """Return the id of the document that chunks with these metadata are of, None if they name none."""
    source = metadata.get("source")
    named = any(isinstance(metadata.get(key), str) and metadata[key] for key in (*name_keys, *_DOCUMENT_IDS))
    if not (named or (isinstance(source, str) and _ADDRESS.search(source))):
        return None
    common = json.dumps({key: value for key, value in metadata.items() if key not in _PLACES}, sort_keys=True)
    return f"document:{hashlib.blake2b(common.encode(), digest_size=16).hexdigest()}"


def _source(node: Node) -> str:
    source = node.metadata.get("source")
    return source if isinstance(source, str) else ""


def _place(node: Node) -> tuple[int, int] | None:
    """Return page and offset where a chunk knows its offset."""
    page, start = (node.metadata.get(key) for key in _PLACE)
    return (page if isinstance(page, int) else 0, start) if isinstance(start, int) else None


class _OverGraph(Protocol):
    """Whatever answers from an open graph."""

    retriever: Retriever


class Contexts:
    """What the retriever and the vector store tell of the chunks around one."""

    def context(self: _OverGraph, document: Document | str, before: int = 1, after: int = 1) -> list[Document]:
        """Return a chunk with its neighbours in the document it was cut from, in reading order.

        Args:
            document: a document that was found, or an id.
            before: how many chunks before it.
            after: how many chunks after it.

        Raises:
            fourfold.UnknownNodeError: there is no such document.

        """
        identity = document if isinstance(document, str) else document.id
        if identity is None:
            raise InvalidValueError("The document has no id, by which its neighbours are found; those found have one.")
        return [as_given(node) for node in self.retriever.context(identity, before, after)]
