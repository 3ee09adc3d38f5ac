"""Terms of nodes as rows of ``postings``: arrays, before anything is written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourfold.index.changes import counted_terms
from fourfold.index.names import name_keys


def postings_of(
    nums: NDArray[np.int64], numbered: NDArray[np.int64], lengths: NDArray[np.int64]
) -> dict[str, NDArray[Any]]:
    """Return one posting for each term of each node, parallel arrays by the names of the columns."""
    records, starts = counted_terms(numbered, lengths)
    node = np.arange(len(nums)).repeat(np.diff(starts))
    pair, place = np.unique(node << 32 | records["term"], return_inverse=True)
    times = np.zeros((len(pair), 3), np.int16)
    times[place, records["field"]] = np.minimum(records["count"], np.iinfo(np.int16).max)
    node, term = np.divmod(pair, 1 << 32)
    sizes = lengths.reshape(-1, 3).astype(np.int32)[node]
    found: dict[str, NDArray[Any]] = {"node": nums[node], "term": term.astype(np.int32)}
    for field_number, name in enumerate(("name", "type", "text")):
        found[f"{name}_length"] = sizes[:, field_number]
        found[f"in_{name}"] = times[:, field_number]
    return found


def masks(postings: Mapping[str, NDArray[Any]]) -> NDArray[np.int32]:
    """Return which fields hold the term of each posting, as bits: 1 name, 2 type, 4 text."""
    return sum(
        (bit * (postings[f"in_{name}"] > 0).astype(np.int32) for name, bit in (("name", 1), ("type", 2), ("text", 4))),
        np.zeros(len(postings["node"]), np.int32),
    )


def keys_of_names(postings: Mapping[str, NDArray[Any]], nums: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the key of each node's name, (len(nums),), as signed numbers."""
    named = postings["in_name"] > 0
    node, term, times = (postings[name][named] for name in ("node", "term", "in_name"))
    order = np.argsort(node, kind="stable")
    by_num = np.argsort(nums)
    starts = np.append(0, np.searchsorted(node[order], nums[by_num], side="right"))
    keys = np.empty(len(nums), np.uint64)
    keys[by_num] = name_keys(term[order].astype(np.int64), times[order].astype(np.int64), starts)
    return keys.view(np.int64)
