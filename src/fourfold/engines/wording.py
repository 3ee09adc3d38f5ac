"""Where words stand in the names, types and metadata of nodes, at the cost of the words that are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from fourfold import ordered
from fourfold.index.base import Nodes


class Wording(Protocol):
    """The words of one graph, as it is now.

    Those of names and types are the terms that were indexed. Of the metadata every string, number and boolean is a text
    of its own, "key value", which no engine has tokenised.
    """

    def standing(self, terms: Sequence[str]) -> tuple[list[Nodes], list[Nodes]]:
        """Return the nodes whose name holds each of these distinct terms, and those whose type does, ascending."""
        ...

    @property
    def mark(self) -> str:
        """What ``metadata`` knows the present state by later; empty where all is read anew after every write."""
        ...

    def metadata(self, since: str = "") -> list[tuple[str, Any]] | None:
        """Return every text of the metadata, and what ``bearers`` knows it by, hashable; some may be no node's.

        Of the nodes written ``since`` a state, which is given by its mark; None where that is not known any more.
        """
        ...

    def bearers(self, chosen: Sequence[Any]) -> Nodes:
        """Return the nodes whose metadata has any of these texts, ascending."""
        ...


def holders(
    count: int, terms: NDArray[np.int64], fields: NDArray[np.int64], nodes: Nodes
) -> tuple[list[Nodes], list[Nodes]]:
    """Return what ``standing`` does of ``count`` terms from parallel arrays: their places, 0 name or 1 type, nodes."""
    name, kind = ([ordered.distinct(nodes[(terms == n) & (fields == f)]) for n in range(count)] for f in (0, 1))
    return name, kind
