"""Wordpieces, names and edges over rows of Milvus; see ``index.base``."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fourfold import ordered
from fourfold.engines.milvus.reading import EDGE, Reading
from fourfold.index.base import Allowed, Keys, Nodes, Steps
from fourfold.ragged import bounds, laid_out
from fourfold.types import FloatArray


class Tokens:
    """Wordpieces; see ``index.base.TokenPart``."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading

    @property
    def size(self) -> int:
        """How many nodes there are."""
        return self._reading.state.nodes

    def of(self, nodes: Nodes) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Return (starts, pieces) of some nodes."""
        return laid_out(self._reading.pieces(nodes), np.int32)

    def frequency(self, pieces: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return in how many nodes each wordpiece occurs."""
        return self._reading.frequency[pieces]


class Names:
    """The names of nodes, by key; see ``index.base.NamePart``."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading

    def holders(self, keys: Keys) -> tuple[NDArray[np.int64], Nodes]:
        """Return (starts, nodes): the nodes whose name has key i are ``nodes[starts[i]:starts[i + 1]]``, ascending."""
        signed = keys.view(np.int64)
        asked = np.unique(signed[keys > 0]).tolist()
        link, state = self._reading.link, self._reading.state
        rows = link.keyed("nodes", "name_key", asked, state.visible, ("num", "name_key")) if asked else []
        by_key: dict[int, list[int]] = {}
        for row in rows:
            by_key.setdefault(row["name_key"], []).append(row["num"])
        found = [sorted(by_key.get(key, ())) if key else [] for key in signed.tolist()]
        starts = bounds([len(own) for own in found])
        return starts, np.array([num for own in found for num in own], np.int64)


class Edges:
    """Typed edges; see ``index.base.EdgePart``. All edges at the nodes that are asked for come at once."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading

    def __len__(self) -> int:
        """Return the number of edges."""
        return self._reading.state.edges

    @property
    def type_names(self) -> Sequence[str]:
        """Every edge type ever used; the place is the type's number."""
        return tuple(self._reading.types)

    @property
    def types_in_use(self) -> frozenset[int]:
        """The numbers of the types that have an edge."""
        return frozenset(number for number, count in self._reading.types.values() if count)

    def expand(
        self,
        nodes: Nodes,
        *,
        forward: bool | None = None,
        worth: FloatArray | None = None,
        weights: str = "raw",
        cap: int | None = None,
        allowed: Allowed | None = None,
    ) -> Steps:
        """Return the steps from these nodes; see ``index.base.EdgePart``."""
        known = self._reading.edges_at(nodes)
        return known.expand(nodes, forward=forward, worth=worth, weights=weights, cap=cap, allowed=allowed)

    def degree(self, nodes: Nodes) -> NDArray[np.int64]:
        """Return the number of edges at each node, both directions."""
        return self._reading.edges_at(nodes).degree(nodes)

    def pairs(self) -> NDArray[np.int64]:
        """Return the distinct (source, target) pairs of nodes, (n_pairs, 2), sorted."""
        found = self._reading.link.rows("edges", self._reading.state.visible, EDGE[1:3])
        pairs = np.array([(row["source"], row["target"]) for row in found], np.int64).reshape(-1, 2)
        return np.stack(ordered.distinct_pairs(*pairs.T), axis=1)
