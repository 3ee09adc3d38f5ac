"""What two-signal search answers with: ``RetrievalConfig.two_signal()`` over plain documents.

    retriever = Retriever("docs.sqlite", config=RetrievalConfig.two_signal())
    hits = two_signal_hits(retriever.search("rotate the keys"))

Vectors and BM25 find ``candidate_multiplier * limit`` candidates each, each scaled from 0 to 1 by min–max, merged by
id; ``combined = 0.7 · vector + 0.3 · bm25``.
"""

from __future__ import annotations

from dataclasses import dataclass

from fourfold.types import SearchResult

SOURCE_KEYS = ("source_path", "source", "path", "file_path")
"""Metadata keys that name where a document came from; the first one present counts."""


@dataclass(frozen=True, slots=True)
class TwoSignalHit:
    """One document: its content, where it came from, and the three scores, each in [0, 1]."""

    id: str
    content: str
    source_path: str
    combined: float
    vector: float
    bm25: float


def two_signal_hits(result: SearchResult) -> list[TwoSignalHit]:
    """Return the hits of a search in the form of two-signal search, best first."""
    return [
        TwoSignalHit(
            id=hit.node.id,
            content=hit.node.text,
            source_path=next((str(hit.node.metadata[key]) for key in SOURCE_KEYS if hit.node.metadata.get(key)), ""),
            combined=hit.score,
            vector=hit.components.embedding,
            bm25=hit.components.text,
        )
        for hit in result.hits
    ]
