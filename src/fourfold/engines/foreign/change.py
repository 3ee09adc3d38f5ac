"""What it takes to bring a graph of ours in step with the foreign tables it mirrors."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from fourfold.engines.foreign import ForeignSchema
from fourfold.types import Edge, Node


@dataclass(frozen=True, slots=True)
class Change:
    """What must be written so that the index of ``generation`` is the foreign graph.

    ``hashes`` (by node id) are those of ``nodes``, in their order.
    """

    generation: int
    nodes: list[Node]
    hashes: list[tuple[str, bytes]]
    edges: list[Edge]
    gone_nodes: list[str]
    gone_edges: list[Edge]

    @property
    def empty(self) -> bool:
        """Whether the index is the foreign graph already."""
        return not (self.nodes or self.edges or self.gone_nodes or self.gone_edges)


class MovedError(Exception):
    """Somebody else has kept the index in step meanwhile: what was read of it is old."""


def schema_as_json(schema: ForeignSchema) -> str:
    """Return a schema as one string, equal for equal schemas; what it leaves open is left out."""
    given = {name: value for name, value in asdict(schema).items() if name != "only" or value is not None}
    return json.dumps(given, sort_keys=True)
