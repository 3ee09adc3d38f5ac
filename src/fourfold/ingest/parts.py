"""Texts that others have cut out of documents, as nodes joined to their document and to the next part.

The document itself becomes a node without a text, which is no answer of its own, as that of a document which
``add_documents`` has cut.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from fourfold.edge_types import PART_OF
from fourfold.engines.base import Writer
from fourfold.engines.documents import Books, Entry
from fourfold.ingest.documents import Document, IngestConfig
from fourfold.ingest.linking import labels_borne, link
from fourfold.ingest.writing import SETTING, stored_config
from fourfold.open_graph import of_open_graph
from fourfold.retriever import Retriever
from fourfold.types import Edge, Node

Place = Callable[[Node], Hashable]
"""A part → what its place in the document is sorted by; None where the part does not say."""


@dataclass(frozen=True, slots=True)
class Cut:
    """Parts of one document, in reading order; parts that come later under the same id join those there are.

    Attributes:
        id: the document's; no node but the document's may have it.
        parts: its texts.
        joined: ids of nodes in the graph that are parts of it, too.
        title: by which other texts may name it.
        source: where it is from, for ``delete_documents``.

    """

    id: str
    parts: Sequence[Node]
    joined: Sequence[str] = ()
    title: str = ""
    source: str = ""


@of_open_graph
def add_parts(
    retriever: Retriever, cuts: Iterable[Cut], *, place: Place = lambda node: None, vectors_by: str | None = None
) -> None:
    """Add or replace parts of documents: each ``part_of`` its document and ``followed_by`` the next.

    Args:
        retriever: where they go.
        cuts: the parts, document by document.
        place: where all parts of a document say their place they are ordered by it, else as they came.
        vectors_by: as for ``Retriever.add``.

    Raises:
        InvalidValueError: a part that cannot be stored; nothing was written.

    """
    given = list(cuts)
    if not given:
        return
    there = retriever.get([id_ for cut in given for id_ in (*parts_of(retriever, cut.id), *cut.joined)])
    places = {node.id: place(node) for node in (*there, *(node for cut in given for node in cut.parts))}
    documents = [_document(cut) for cut in given]
    torn = set(documents_of_parts(retriever, places).values()).difference(cut.id for cut in given)

    def also(writer: Writer) -> None:
        books, config = writer.books(), stored_config(writer.meta(SETTING))
        for cut, document in zip(given, documents, strict=True):
            added = [*cut.joined, *(node.id for node in cut.parts)]
            books.release(added)
            _book(books, document, _ordered([*books.children(document.id), *added], places), config)
        link(books, config)

    nodes = [node for cut, document in zip(given, documents, strict=True) for node in (document, *cut.parts)]
    retriever.add(nodes, vectors_by=vectors_by, also=also)
    close_gaps(retriever, torn)


@of_open_graph
def parts_of(retriever: Retriever, document: str) -> list[str]:
    """Return the ids of a document's parts, or of its chunks, in reading order; [] if it has none."""
    return [part for part in retriever.backend.documents.children(document) if part != document]


@of_open_graph
def documents_of_parts(retriever: Retriever, parts: Iterable[str]) -> dict[str, str]:
    """Return the document of each of these nodes that is a part of one, by id."""
    return retriever.backend.documents.of(parts)


def close_gaps(retriever: Retriever, documents: Iterable[str]) -> None:
    """Join the parts that are left of documents of which some were deleted; a document without any goes, too."""
    left = retriever.get(set(documents))

    def also(writer: Writer) -> None:
        books, config = writer.books(), stored_config(writer.meta(SETTING))
        for document in left:
            if parts := books.children(document.id):
                _book(books, document, parts, config)
            else:
                books.delete(ids=[document.id])
        link(books, config)

    if left:
        retriever.add(also=also)


def _document(cut: Cut) -> Node:
    """Return the node of a document; where its parts bring vectors their mean is its own, and nothing is embedded."""
    vectors = [node.vector for node in cut.parts if node.vector is not None]
    return Node(
        cut.id,
        name=cut.title or cut.source or cut.id,
        metadata={"source": cut.source} if cut.source else {},
        vector=np.mean(np.asarray(vectors, np.float64), axis=0) if len(vectors) == len(cut.parts) else None,
    )


def _ordered(parts: Iterable[str], places: Mapping[str, Any]) -> list[str]:
    """Return parts in reading order, each once: by their places where all have one of their own."""
    found = list(dict.fromkeys(parts))
    known = {places.get(part) for part in found}
    return sorted(found, key=places.__getitem__) if None not in known and len(known) == len(found) else found


def _book(books: Books, document: Node, parts: Sequence[str], config: IngestConfig) -> None:
    """Put down what a document consists of, and its edges."""
    source = document.metadata.get("source", "")
    bears = labels_borne(Document(document.id, "", title=document.name, source=source), config)
    entry = Entry(document.id, source, "", tuple(parts), tuple(bears))
    edges = [Edge(part, document.id, PART_OF) for part in parts]
    books.put([entry])
    books.replace_structure([entry], [*edges, *(Edge(a, b, "followed_by") for a, b in pairwise(parts))])
