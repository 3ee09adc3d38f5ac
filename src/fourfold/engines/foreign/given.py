"""A schema of foreign tables that somebody gave: whether they are so, and which columns are metadata."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fourfold.engines.foreign import ForeignSchema
from fourfold.engines.foreign.detect import seen
from fourfold.engines.foreign.tables import Table
from fourfold.errors import SchemaDetectionError

_COLUMNS = {
    "node_table": ("id", "name", "type", "text", "metadata", "vector"),
    "edge_table": ("source", "target", "edge_type", "weight"),
    "vector_table": ("vector_node", "vector_column"),
}
"""What a schema says of the columns of each of its tables."""

_NEEDED = {"node_table": ("id",), "edge_table": ("source", "target"), "vector_table": ("vector_node", "vector_column")}


def check(schema: ForeignSchema, tables: Sequence[Table], path: str) -> None:
    """Refuse a schema that names what is not there, or only half of what is needed."""
    by_name = {table.name: table for table in tables}
    for role, parts in _COLUMNS.items():
        name = getattr(schema, role)
        given = {part: value for part in parts if (value := getattr(schema, part))}
        if role == "node_table" and schema.only is not None:
            given["only"] = schema.only[:1]
        if name is None:
            if given:
                raise SchemaDetectionError(f"The ForeignSchema has {next(iter(given))}= but no {role}=.")
            continue
        if name not in by_name:
            raise SchemaDetectionError(
                f"The ForeignSchema names the {role} {name!r}, which {path!r} does not have; {seen(tables)}"
            )
        if missing := [part for part in _NEEDED[role] if part not in given]:
            raise SchemaDetectionError(f"The ForeignSchema has {role}={name!r} but no {missing[0]}=.")
        _check_columns(given, by_name[name], path)


def _check_columns(given: Mapping[str, str | Sequence[str]], table: Table, path: str) -> None:
    """Refuse columns that a table does not have; ``given`` has one column, or several, by what they are to be."""
    for part, value in given.items():
        for column in (value,) if isinstance(value, str) else value:
            if column not in table.columns:
                raise SchemaDetectionError(
                    f"The ForeignSchema says {part}={column!r}, but the table {table.name!r} of {path!r} has no such "
                    f"column; it has {', '.join(map(repr, table.columns))}."
                )


def with_metadata(schema: ForeignSchema, tables: Sequence[Table]) -> tuple[str, ...]:
    """Return the metadata columns: those given, or every column not named otherwise."""
    if schema.metadata is not None:
        return schema.metadata
    named = {schema.id, schema.name, schema.type, schema.vector, *schema.text, *(schema.only or ())[:1]}
    table = next(table for table in tables if table.name == schema.node_table)
    return tuple(column for column in table.columns if column not in named)
