"""LangChain documents → Fourfold nodes, and hits → documents."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any

from langchain_core.documents import Document
from pydantic_core import to_jsonable_python

from fourfold import Hit, InvalidValueError, Node, SearchResult
from fourfold.arguments import many, plain_metadata, shown, string
from fourfold.breakdown import BREAKDOWN, breakdown_of, is_breakdown
from fourfold.ingest.documents import RESERVED, of_others

SCORE = "score"
"""The metadata key of the score, where tracing looks for it."""


class FoundDocument(Document):
    """A Document that tells what its score is made of, and otherwise is the document it was.

    ``score`` and ``fourfold`` are in the metadata, but in no comparison: the same document found by two questions is
    equal, and equal to the one that was added.
    """

    @classmethod
    def lc_id(cls) -> list[str]:
        """Serialise as LangChain's own class."""
        return Document.lc_id()

    def __reduce__(self) -> tuple[Callable[..., FoundDocument], tuple[dict[Any, Any]]]:
        return _restored, (self.__getstate__(),)  # not by its name, which is another's

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Document):
            return NotImplemented
        return _identity(self) == _identity(other)

    __hash__ = None  # type: ignore[assignment]  # documents are mutable


# Who stores objects by the name of their class, as LangGraph's checkpoints do, gets LangChain's own, which is there
# wherever they are loaded, and which they let pass.
FoundDocument.__module__ = Document.__module__
FoundDocument.__name__ = FoundDocument.__qualname__ = Document.__name__


def _restored(state: dict[Any, Any]) -> FoundDocument:
    """Return the document of a pickle."""
    document = FoundDocument.__new__(FoundDocument)
    document.__setstate__(state)
    return document


def _identity(document: Document) -> tuple[str | None, str, dict[str, Any]]:
    return document.id, document.page_content, own_metadata(document.metadata)


def own_metadata(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document's metadata as they were before it was found."""
    breakdown = metadata.get(BREAKDOWN)
    if not is_breakdown(breakdown, content_begins=str):
        return dict(metadata)
    own = {key: value for key, value in metadata.items() if key not in (SCORE, BREAKDOWN)}
    return {**own, **breakdown.get("metadata", {})}


def to_node(document: Document, name_keys: Sequence[str] = ("title", "name")) -> Node:
    """Return the node that stands for a document; of one that was found, the score and the breakdown leave no trace.

    Args:
        document: its id is kept; without one, the id is a hash of its text and metadata. Sets in the
            metadata become sorted lists; dates, paths and the like what pydantic writes for them in JSON.
        name_keys: metadata keys that may hold the node's name; the first that has a string counts.

    Raises:
        InvalidValueError: the metadata has a value that JSON cannot hold.

    """
    if not isinstance(document, Document):
        raise InvalidValueError(f"{str(document)[:40]!r} is no Document; texts are added by from_texts.")
    own = own_metadata(document.metadata)
    found: Mapping[str, Any] = document.metadata[BREAKDOWN] if own != document.metadata else {}
    metadata = plain(of_others(own), f"The metadata of the document {document.id or document.page_content[:40]!r}")
    names = (metadata.get(key) for key in name_keys)
    return Node(
        id=document.id if document.id is not None else content_id(document.page_content, metadata),
        name=next((name for name in names if isinstance(name, str) and name), found.get("name", "")),
        type=found.get("type", ""),
        text=document.page_content.removeprefix(found.get("content_begins", "")),
        metadata=metadata,
    )


def listed(documents: Iterable[Document]) -> Iterator[Document]:
    """Return an iterator over a list of documents; one alone, which would tell its fields one by one, is none."""
    if isinstance(documents, Document):
        raise InvalidValueError(f"documents is one Document, {shown(documents.id)}; give a list of documents.")
    return many(documents, "documents", "documents")


def documents_of(
    texts: Iterable[str],
    metadatas: Iterable[Mapping[str, Any] | None] | None = None,
    ids: Iterable[str | None] | None = None,
) -> list[Document]:
    """Return a document for each text.

    Raises:
        InvalidValueError: ``metadatas`` or ``ids`` are not as many as ``texts``, ``texts`` is one string, or something
            is no text and no metadata.

    """
    if isinstance(texts, str):
        raise InvalidValueError(f"{texts[:40]!r} is one text; give a list of texts.")
    contents = [string(text, "a text") for text in many(texts, "texts", "texts")]
    columns: list[list[Any]] = []
    for name, given in (("metadatas", metadatas), ("ids", ids)):
        column = [None] * len(contents) if given is None else list(many(given, name, name))
        if len(column) != len(contents):
            raise InvalidValueError(f"There are {len(contents)} texts and {len(column)} {name}; give one for each.")
        columns.append(column)
    made = []
    for text, metadata, identity in zip(contents, *columns, strict=True):
        if not isinstance(metadata, Mapping | None):
            raise InvalidValueError(f"The metadata of {shown(text)} is {shown(metadata)}; it must be a mapping.")
        made.append(Document(id=identity, page_content=text, metadata=dict(metadata or {})))
    return made


def content_id(text: str, metadata: Mapping[str, Any]) -> str:
    """Return an id that equal documents share, in every process: 32 hexadecimal digits."""
    content = json.dumps([text, dict(metadata)], sort_keys=True)
    return hashlib.blake2b(content.encode(), digest_size=16).hexdigest()


def to_document(hit: Hit, result: SearchResult, name_in_content: bool = False) -> Document:
    """Return the document for a hit: the user's metadata, ``score``, and the breakdown under ``fourfold``.

    Args:
        hit: one of the hits of ``result``.
        result: tells the intent and the weights.
        name_in_content: begin the content with the node's name on a line of its own.

    """
    node = hit.node
    document = to_plain_document(hit, result, name_in_content)
    metadata = document.metadata
    breakdown = breakdown_of(hit, result)
    if shadowed := {key: metadata[key] for key in (SCORE, BREAKDOWN) if key in metadata}:
        breakdown["metadata"] = shadowed
    if document.page_content != node.text:
        breakdown["content_begins"] = document.page_content.removesuffix(node.text)
    return FoundDocument(
        id=node.id,
        page_content=document.page_content,
        metadata={**metadata, SCORE: hit.score, BREAKDOWN: breakdown},
    )


def to_plain_document(hit: Hit, result: SearchResult, name_in_content: bool = False) -> Document:
    """Return the document for a hit without score and breakdown; see ``to_document``."""
    node, document = hit.node, as_given(hit.node)
    parts = (node.name, node.text) if name_in_content or not node.text else (node.text,)
    document.page_content = "\n".join(part for part in parts if part)
    return document


def as_given(node: Node) -> Document:
    """Return the document that a node was made of."""
    metadata = {key: deepcopy(value) for key, value in node.metadata.items() if key != RESERVED}  # answers are cached
    return Document(id=node.id, page_content=node.text, metadata=metadata)


def plain(value: Mapping[str, Any], what: str) -> dict[str, Any]:
    """Return a mapping in plain JSON types; see ``fourfold.arguments.plain_metadata``."""
    return plain_metadata(value, what, to_jsonable_python)


def plain_filter(condition: object) -> Any:
    """Bring a filter's dates and the like into the form that ``to_node`` gives those of the metadata.

    What is no mapping, such as the function that ``InMemoryVectorStore`` takes, is the core's to refuse.
    """
    return plain(condition, "The filter") if isinstance(condition, Mapping) else condition
