"""What the retriever tells LlamaIndex's instrumentation."""

from __future__ import annotations

from typing import Any

from llama_index.core.instrumentation.events.base import BaseEvent  # type: ignore[attr-defined]

from fourfold import SearchResult


class FourfoldRetrievalEvent(BaseEvent):
    """How a query was read, and what every score is made of; sent once per retrieval, before its end event."""

    query: str
    intent: str
    weights: dict[str, float]
    degraded: list[str]
    hits: list[dict[str, Any]]
    """Of each hit, best first: id, score, components, method, why."""

    @classmethod
    def class_name(cls) -> str:
        """Return the name of the event."""
        return "FourfoldRetrievalEvent"

    @classmethod
    def of(cls, result: SearchResult) -> FourfoldRetrievalEvent:
        """Return the event for a result."""
        return cls(
            query=result.query,
            intent=str(result.intent),
            weights=result.weights.as_dict(),
            degraded=list(result.degraded),
            hits=[
                {
                    "id": hit.node.id,
                    "score": hit.score,
                    "components": hit.components.as_dict(),
                    "method": hit.method,
                    "why": hit.why,
                }
                for hit in result.hits
            ],
        )
