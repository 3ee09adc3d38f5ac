"""What rows keep as JSON, read back: Milvus keeps no other values, and what no version writes is damage."""

from __future__ import annotations

import json
from typing import Any

from fourfold.arguments import said
from fourfold.errors import StoreError


def damaged(why: str) -> StoreError:
    """Return what is said of a row that is not as it was written."""
    return StoreError(f"A row of the graph in Milvus is not as it was written: {why}; copy the graph anew.")


def mapping(text: str) -> dict[str, Any]:
    """Return the object of a text; StoreError where it holds none."""
    found = _read(text)
    if not isinstance(found, dict):
        raise damaged(f"{type(found).__name__} in the place of an object")
    return found


def values(text: str, *kinds: type) -> list[Any]:
    """Return the list of a text, one value of each of these kinds; StoreError where it holds another."""
    found = _read(text)
    if not isinstance(found, list) or [type(value) for value in found] != list(kinds):
        raise damaged(f"a list of {', '.join(kind.__name__ for kind in kinds)} is missing")
    return found


def _read(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise damaged(said(error)) from error
