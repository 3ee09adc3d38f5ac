"""What the adapters tell of a hit in its metadata, in plain JSON, and how it is told from a user's own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeGuard

from fourfold import Hit, SearchResult

BREAKDOWN = "fourfold"
"""The metadata key under which a hit tells what its score is made of."""

_KEYS = frozenset({"intent", "weights", "components", "method", "why"})
_READ_BACK = {"name": str, "type": str, "metadata": dict}


def breakdown_of(hit: Hit, result: SearchResult) -> dict[str, Any]:
    """Return what is told of one of the hits of a result."""
    return {
        "intent": str(result.intent),
        "weights": result.weights.as_dict(),
        "components": hit.components.as_dict(),
        "method": hit.method,
        "why": hit.why,
        "community": hit.community,
        "confidence": hit.confidence,
        "name": hit.node.name,
        "type": hit.node.type,
        "degraded": list(result.degraded),
    }


def is_breakdown(value: object, **read_back: type) -> TypeGuard[Mapping[str, Any]]:
    """Tell a breakdown from a user's own ``fourfold``, by its keys and by what is read back of it.

    ``read_back`` are further keys that an adapter reads back, where they are there, and what they hold.
    """
    if not isinstance(value, Mapping) or not value.keys() >= _KEYS:
        return False
    kinds: dict[str, type] = {**_READ_BACK, **read_back}
    return all(isinstance(value[key], kind) for key, kind in kinds.items() if key in value)
