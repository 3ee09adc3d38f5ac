"""LangChain documents → Fourfold nodes, and hits → documents."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

from langchain_core.documents import Document
from pydantic_core import PydanticSerializationError, to_jsonable_python

from fourfold import Hit, InvalidValueError, Node, SearchResult

BREAKDOWN = "fourfold"
"""The metadata key under which a result tells what its score is made of."""

SCORE = "score"
"""The metadata key of the score, where tracing looks for it."""

RESERVED = "_fourfold"
"""The metadata key of a stored node that belongs to the adapters."""


def to_node(document: Document, name_keys: Sequence[str] = ("title", "name")) -> Node:
    """Return the node that stands for a document.

    Args:
        document: its id is kept; without one, the id is a hash of its text and metadata. Dates, paths, sets and the
            like in the metadata become what pydantic writes for them in JSON.
        name_keys: metadata keys that may hold the node's name; the first that has a string counts.

    Raises:
        InvalidValueError: the metadata has a value that JSON cannot hold.

    """
    metadata = plain(document.metadata, f"The metadata of the document {document.id or document.page_content[:40]!r}")
    names = (metadata.get(key) for key in name_keys)
    return Node(
        id=document.id if document.id is not None else content_id(document.page_content, metadata),
        name=next((name for name in names if isinstance(name, str) and name), ""),
        text=document.page_content,
        metadata=metadata,
    )


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
    metadata = {key: deepcopy(value) for key, value in node.metadata.items() if key != RESERVED}  # answers are cached
    breakdown = {
        "intent": str(result.intent),
        "weights": result.weights.as_dict(),
        "components": hit.components.as_dict(),
        "method": hit.method,
        "why": hit.why,
        "community": hit.community,
        "name": node.name,
        "type": node.type,
        "degraded": list(result.degraded),
    }
    if shadowed := {key: metadata[key] for key in (SCORE, BREAKDOWN) if key in metadata}:
        breakdown["metadata"] = shadowed
    parts = (node.name, node.text) if name_in_content or not node.text else (node.text,)
    return Document(
        id=node.id,
        page_content="\n".join(part for part in parts if part),
        metadata={**metadata, SCORE: hit.score, BREAKDOWN: breakdown},
    )


def plain(value: Mapping[str, Any], what: str) -> dict[str, Any]:
    """Return a mapping in plain JSON types.

    Raises:
        InvalidValueError: it has a value that JSON cannot hold; the sentence begins with ``what``.

    """
    try:
        converted: dict[str, Any] = to_jsonable_python(dict(value), fallback=_number)
        json.dumps(converted, allow_nan=False)
    except (PydanticSerializationError, TypeError, ValueError) as error:
        raise InvalidValueError(f"{what} is not made of JSON values: {error}.") from error
    return converted


def _number(value: object) -> object:
    """Unwrap a numpy array or scalar."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{value!r} is a {type(value).__name__}")
