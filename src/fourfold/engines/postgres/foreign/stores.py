"""The tables in which other libraries keep texts with vectors, known by their columns.

- LangChain's ``PGVector``: one table for all collections, which a second one names.
- LangChain's ``PGVectorStore``: a table of its own for each store, with columns of metadata.
- LlamaIndex's ``PGVectorStore``: likewise; each row also holds the whole node, with its relations to others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fourfold.engines.foreign import ForeignSchema
from fourfold.engines.foreign.tables import Table

COLLECTIONS = "langchain_pg_collection"
"""LangChain's table of collections, with ``uuid`` and ``name``."""

_COLLECTION = "collection_id"
_NODE, _INTERNAL = "_node_content", ("_node_content", "_node_type")
_NAMES = ("title", "name")

_RELATIONS = """
SELECT CASE WHEN r.kind IN ('2', '5') THEN r.other ELSE r.node END AS source,
    CASE WHEN r.kind IN ('2', '5') THEN r.node ELSE r.other END AS target,
    CASE WHEN r.kind IN ('2', '3') THEN 'followed_by' ELSE 'part_of' END AS type, 1::float8 AS weight
FROM (SELECT t.{id}::text AS node, k.key AS kind, o.value ->> 'node_id' AS other FROM {table} t
    CROSS JOIN LATERAL jsonb_each(coalesce(((t.{metadata}::jsonb ->> 'NODE')::jsonb) -> 'relationships', '{{}}')) k
    CROSS JOIN LATERAL jsonb_array_elements(
        CASE jsonb_typeof(k.value) WHEN 'array' THEN k.value ELSE jsonb_build_array(k.value) END) o
    WHERE jsonb_typeof(t.{metadata}::jsonb) = 'object') r
""".replace("NODE", _NODE)


def stores_among(tables: Sequence[Table]) -> list[ForeignSchema]:
    """Return the tables that are such a store; of LangChain's collections the first is still to be chosen."""
    found = (_langchain_collections(t) or _langchain(t) or _llama_index(t) for t in tables)
    return [schema for schema in found if schema is not None]


def has_collections(schema: ForeignSchema) -> bool:
    """Whether the node table holds several collections."""
    return schema.only is not None and schema.only[0] == _COLLECTION


def _langchain_collections(table: Table) -> ForeignSchema | None:
    if not table.columns.keys() >= {_COLLECTION, "embedding", "document", "cmetadata"}:
        return None
    key = next((c for c in ("id", "custom_id", "uuid") if c in table.columns), None)
    if key is None:
        return None
    return ForeignSchema(
        table.name, key, text=("document",), metadata=("cmetadata",), vector="embedding", only=(_COLLECTION, "")
    )


def _langchain(table: Table) -> ForeignSchema | None:
    if not table.columns.keys() >= {"langchain_id", "content", "embedding"}:
        return None
    return ForeignSchema(table.name, "langchain_id", text=("content",), vector="embedding")


def _llama_index(table: Table) -> ForeignSchema | None:
    if not table.columns.keys() >= {"node_id", "text", "metadata_", "embedding"}:
        return None
    return ForeignSchema(table.name, "node_id", text=("text",), metadata=("metadata_",), vector="embedding")


def is_store(schema: ForeignSchema) -> bool:
    """Whether a schema reads a store's table as it is recognised here."""
    return _with_relations(schema) or schema.id == "langchain_id" or has_collections(schema)


def relations(schema: ForeignSchema, quoted: Mapping[str, str]) -> str | None:
    """Return SQL of the relations that LlamaIndex keeps in its rows, as (source, target, type, weight), or None.

    Args:
        schema: of the store.
        quoted: its table and columns as SQL takes them: ``"table"``, ``"id"`` and ``"metadata"``.

    """
    return _RELATIONS.format(**quoted) if _with_relations(schema) else None


def _with_relations(schema: ForeignSchema) -> bool:
    return (schema.id, schema.metadata) == ("node_id", ("metadata_",))


def unwrapped(metadata: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return a document's name and its metadata, without what is only the library's own."""
    own = {key: value for key, value in metadata.items() if key not in _INTERNAL}
    return next((own[k] for k in _NAMES if isinstance(own.get(k), str) and own[k]), ""), own
