"""Shadow mode: the old retriever answers, Fourfold answers beside it, and the differences are logged with reasons."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from langchain_core.documents import Document

from fourfold import FourfoldError, Retriever, SearchResult

logger = logging.getLogger(__name__)
"""One INFO record a query; its ``comparison`` attribute holds the Comparison."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """How two answers to a query differ.

    ``shared`` are the ids of both; ``gained`` and ``lost`` are (id, reason) of those that only Fourfold, or only the
    old retriever, returns; a document without an id goes by the beginning of its text.
    """

    query: str
    shared: tuple[str, ...]
    gained: tuple[tuple[str, str], ...]
    lost: tuple[tuple[str, str], ...]

    @property
    def overlap(self) -> float:
        """Share of all documents that both return, in [0, 1]; 1.0 for two empty answers."""
        every = len(self.shared) + len(self.gained) + len(self.lost)
        return len(self.shared) / every if every else 1.0

    def __str__(self) -> str:
        lines = [f"{self.query!r}: {self.overlap:.0%} in common"]
        lines += [f"  + {identity}: {reason}" for identity, reason in self.gained]
        lines += [f"  - {identity}: {reason}" for identity, reason in self.lost]
        return "\n".join(lines)


def compare(query: str, old: Sequence[Document], new: SearchResult, retriever: Retriever) -> Comparison:
    """Return how an old answer and a new one differ; documents are the same if their ids are, or else their texts."""
    by_text = {hit.node.text: hit.node.id for hit in new.hits}
    ids = set(new.ids)
    shared: list[str] = []
    lost: list[tuple[str, str]] = []
    for document in old:
        match = document.id if document.id in ids else by_text.get(document.page_content)
        if match is None:
            lost.append((document.id or document.page_content[:60], _why_not(query, document, new, retriever)))
        elif match not in shared:
            shared.append(match)
    gained = [(hit.node.id, hit.why) for hit in new.hits if hit.node.id not in shared]
    return Comparison(query, tuple(shared), tuple(gained), tuple(lost))


def log(query: str, old: Sequence[Document], new: SearchResult, retriever: Retriever) -> None:
    """Log how the two answers differ."""
    if logger.isEnabledFor(logging.INFO):
        comparison = compare(query, old, new, retriever)
        logger.info("%s", comparison, extra={"comparison": comparison})


@contextmanager
def watched(query: str) -> Iterator[None]:
    """Log what goes wrong inside; nothing of it may reach the caller, who is served by the old retriever."""
    try:
        yield
    except Exception:
        logger.warning("Fourfold failed on %r", query, exc_info=True)


def _why_not(query: str, document: Document, new: SearchResult, retriever: Retriever) -> str:
    if document.id is None:
        return "it has no id, and no node has its text among the hits"
    try:
        found = retriever.explain(query, document.id)
    except FourfoldError as error:
        return str(error)
    last = f", the last hit has {new.hits[-1].score:.3f}" if new.hits else ""
    return f"score {found.score:.3f}{last}"
