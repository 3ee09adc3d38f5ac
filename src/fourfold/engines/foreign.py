"""What the tables of a graph that others keep mean."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ForeignSchema:
    """What the tables and columns of a foreign graph mean. It is taken as it is given: None means "there is none".

    Args:
        node_table: a table or view with one row per node.
        id: its key; integers become strings.
        name: what people call the node.
        type: the node's type.
        text: columns joined into ``Node.text``.
        metadata: columns that become metadata; a column of JSON objects named like ``metadata`` or ``properties``
            is merged in. None is every column not named otherwise.
        vector: a column of embeddings in the node table: float32 blobs or JSON lists.
        edge_table: a table or view with one row per edge.
        source, target: its ends, holding values of ``id``.
        edge_type: the edge's type; without it the graph is untyped.
        weight: the edge's weight.
        vector_table: a table of embeddings, if they live in one of their own.
        vector_node: its column with the node's ``id``.
        vector_column: its column with the embedding.

    """

    node_table: str
    id: str
    name: str | None = None
    type: str | None = None
    text: tuple[str, ...] = ()
    metadata: tuple[str, ...] | None = None
    vector: str | None = None
    edge_table: str | None = None
    source: str | None = None
    target: str | None = None
    edge_type: str | None = None
    weight: str | None = None
    vector_table: str | None = None
    vector_node: str | None = None
    vector_column: str | None = None
