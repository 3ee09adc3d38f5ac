"""What it takes to bring a graph of ours in step with the foreign tables it mirrors."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from fourfold.engines.foreign import ForeignSchema
from fourfold.types import Edge, Node


@dataclass(frozen=True, slots=True)
class Difference:
    """What the graph that is derived from foreign tables lacks to show them.

    Args:
        nodes: new ones, and those whose content is another.
        edges: new ones, and those with another weight.
        gone_nodes: their ids.
        gone_edges: edges that are no more.

    """

    nodes: list[Node]
    edges: list[Edge]
    gone_nodes: list[str]
    gone_edges: list[Edge]

    @property
    def empty(self) -> bool:
        """Whether it shows the tables already."""
        return not (self.nodes or self.edges or self.gone_nodes or self.gone_edges)


class MovedError(Exception):
    """Somebody else has kept the index in step meanwhile: what was read of it is old."""


def schema_as_json(schema: ForeignSchema) -> str:
    """Return a schema as one string, equal for equal schemas; what it leaves open is left out."""
    given = {name: value for name, value in asdict(schema).items() if name != "only" or value is not None}
    return json.dumps(given, sort_keys=True)
