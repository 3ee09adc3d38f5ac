"""What a commit says of the whole graph: one row of the collection ``commits``, written last."""

from __future__ import annotations

import json
import math
import time
from dataclasses import asdict, dataclass, replace
from typing import Any

from fourfold.arguments import said
from fourfold.engines.milvus.link import Link
from fourfold.engines.milvus.schema import UNUSED, visible
from fourfold.errors import StoreError

FORMAT = 1
GRACE = 60.0
"""Seconds for which what was replaced stays readable: as long as a question may take that began before."""

_ALL = -(2**63)
"""The least number of a row: claims have negative ones."""
_REMEMBERED = 400
"""Commits in the history at most: a commit is one text of bounded length."""


@dataclass(frozen=True)
class State:
    """One commit.

    Args:
        commit: its number; every write makes one.
        generation: moves with every write that searches see.
        nodes: how many there are.
        edges: the same of edges.
        vectors: the same of vectors.
        lengths: the terms in all names, types and texts.
        next_row: the number of the next row of any collection.
        next_node: the same of nodes.
        next_edge: the same of edges.
        next_term: the same of terms.
        space: which collection holds the vectors; 0 where there are none.
        dimensions: of each of them.
        staged: which collection holds vectors that are not searched yet; 0 where there are none.
        staged_dimensions: of each of those.
        last_space: the number given last to a collection of vectors.
        edges_generation: that of the last write that touched an edge.
        history: (commit, when it ceased to be the newest) of those before, as long as they are readable.
        format: of the collections.

    """

    commit: int = 0
    generation: int = 0
    nodes: int = 0
    edges: int = 0
    vectors: int = 0
    lengths: tuple[int, ...] = (0, 0, 0)
    next_row: int = 1
    next_node: int = 1
    next_edge: int = 1
    next_term: int = 0
    space: int = 0
    dimensions: int = 0
    staged: int = 0
    staged_dimensions: int = 0
    last_space: int = 0
    edges_generation: int = 0
    history: tuple[tuple[int, float], ...] = ()
    format: int = FORMAT

    @property
    def visible(self) -> str:
        """The expression of the rows that are there."""
        return visible(self.commit)

    def followed(self, **changes: Any) -> State:
        """Return the next commit."""
        history = (*self.history, (self.commit, time.time()))
        if len(history) > _REMEMBERED:  # what a left-out one would allow to delete goes with the next
            history = (*history[:-1][::2], history[-1])
        return replace(self, commit=self.commit + 1, history=history, **changes)

    def unreadable(self) -> int:
        """Return the newest commit that nobody reads any more; -1 where there is none."""
        before = time.time() - GRACE
        return max((commit for commit, ended in self.history if ended < before), default=-1)

    def row(self) -> dict[str, Any]:
        """Return the row that makes it visible."""
        return {"row": self.commit, "value": json.dumps(asdict(self)), "unused": UNUSED}

    @classmethod
    def read(cls, link: Link) -> tuple[State, dict[int, dict[str, Any]]]:
        """Return the newest commit, and by row the claims of writers that wait, are at work or have died."""
        found = link.rows("commits", f"row >= {_ALL}", ("row", "value"))
        try:
            rows = {int(row["row"]): json.loads(row["value"]) for row in found}
            claims = {row: _claim({**rows.pop(row)}) for row in list(rows) if row < 0}
            return (cls._of(rows[max(rows)], link.path) if rows else cls()), claims
        except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
            raise StoreError(
                f"The graph at {link.path!r} is damaged, a row of its commits is not as it was written "
                f"({said(error)}); restore a backup."
            ) from error

    @classmethod
    def _of(cls, newest: dict[str, Any], path: str) -> State:
        """Return what the row of a commit says."""
        if newest["format"] > FORMAT:
            raise StoreError(
                f"The graph at {path!r} has format {newest['format']}, newer than {FORMAT}, the newest this "
                "version of fourfold reads; upgrade fourfold."
            )
        newest["lengths"] = tuple(newest["lengths"])
        newest["history"] = tuple((int(commit), float(ended)) for commit, ended in newest["history"])
        return cls(**newest)

    @classmethod
    def current(cls, link: Link) -> State:
        """Return the newest commit; inside a question the one that it began with."""
        known = link.known
        if known is None:
            return cls.read(link)[0]
        if "state" not in known:
            known["state"] = cls.read(link)[0]
        found: State = known["state"]
        return found


def _claim(written: dict[str, Any]) -> dict[str, Any]:
    """Return a claim's ticket, None where it has none, and time; without one it is of a clock that is ahead of all."""
    ticket, at = written.get("ticket"), written.get("time")
    known = isinstance(at, (int, float)) and math.isfinite(at)
    return {"ticket": ticket if type(ticket) is int else None, "time": at if known else math.inf}
