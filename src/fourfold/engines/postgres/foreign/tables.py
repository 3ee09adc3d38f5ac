"""What the tables of a schema are: their columns, keys and references, and which of them hold the graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

from psycopg import sql

from fourfold.engines.foreign import ForeignSchema, detect
from fourfold.engines.foreign.given import check, with_metadata
from fourfold.engines.foreign.tables import Key, Table
from fourfold.engines.postgres.address import PUBLIC, ForeignAddress
from fourfold.engines.postgres.foreign import stores
from fourfold.engines.postgres.link import Link
from fourfold.engines.postgres.schema import EXTENSION
from fourfold.errors import SchemaDetectionError, StoreError

_COLUMNS = """
SELECT c.relname, c.relkind::text, has_table_privilege(c.oid, 'SELECT'),
    array_agg(a.attname::text ORDER BY a.attnum), array_agg(format_type(a.atttypid, a.atttypmod) ORDER BY a.attnum),
    c.relrowsecurity
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
WHERE c.relnamespace = to_regnamespace(quote_ident(%(schema)s)) AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
    AND NOT c.relispartition AND a.attnum > 0 AND NOT a.attisdropped
    AND (%(tables)s::text[] IS NULL OR c.relname = ANY(%(tables)s))
GROUP BY c.oid ORDER BY c.relname
"""
_KEYS = """
SELECT c.relname, i.indisprimary, array_agg(a.attname::text ORDER BY k.place)
FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
    CROSS JOIN LATERAL unnest(i.indkey::int2[]) WITH ORDINALITY AS k (num, place)
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.num
WHERE c.relnamespace = to_regnamespace(quote_ident(%(schema)s)) AND i.indisunique AND i.indisvalid
    AND i.indpred IS NULL AND i.indexprs IS NULL AND k.place <= i.indnkeyatts
GROUP BY c.relname, i.indexrelid, i.indisprimary
"""
_REFERENCES = """
SELECT c.relname, array_agg(a.attname::text ORDER BY k.place), t.relname, array_agg(b.attname::text ORDER BY k.place)
FROM pg_constraint f JOIN pg_class c ON c.oid = f.conrelid JOIN pg_class t ON t.oid = f.confrelid
    CROSS JOIN LATERAL unnest(f.conkey, f.confkey) WITH ORDINALITY AS k (own, other, place)
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.own
    JOIN pg_attribute b ON b.attrelid = t.oid AND b.attnum = k.other
WHERE f.contype = 'f' AND t.relnamespace = c.relnamespace AND NOT c.relispartition AND NOT t.relispartition
    AND c.relnamespace = to_regnamespace(quote_ident(%(schema)s))
GROUP BY c.relname, t.relname, f.oid, f.conkey, f.conname
ORDER BY cardinality(f.conkey) DESC, c.relname, f.conname
"""
"""Of a column that is a key by itself and a part of another, what it refers to by itself comes last, and is kept."""
_VIEWS = frozenset("vm")
_STORED = frozenset("rpm")
"""Kinds of relations whose rows have a place and a writer; of views and foreign tables only the content tells."""


@dataclass(frozen=True)
class Tables:
    """The relations of a schema.

    Args:
        schema: its name.
        listed: the readable ones.
        kinds: of each, as PostgreSQL calls it.
        unique: of each, the single columns that are keys.
        vectors: the schema of pgvector; empty where it is not installed.
        notes: remarks on those that cannot be read.

    """

    schema: str
    listed: Sequence[Table]
    kinds: Mapping[str, str]
    unique: Mapping[str, frozenset[str]]
    vectors: str
    notes: tuple[str, ...]

    @classmethod
    def read(cls, link: Link, schema: str) -> Tables:
        """Read the catalogue; StoreError where there is no such schema, or it holds a graph of ours."""
        asked = {"schema": schema, "tables": None}
        extension, there, columns, keys, references = link.ask(
            (EXTENSION, ()),
            ("SELECT to_regnamespace(quote_ident(%(schema)s)) IS NOT NULL", asked),
            (_COLUMNS, asked),
            (_KEYS, asked),
            (_REFERENCES, asked),
        )
        if not there[0][0]:
            raise StoreError(f"There is no schema {schema!r} at {link.path!r}.")
        if {"meta", "state", "postings"} <= {row[0] for row in columns}:
            raise StoreError(f"The schema {schema!r} holds a graph of fourfold itself; open it with Retriever(url).")
        unique: dict[str, frozenset[str]] = {
            name: frozenset(names[0] for table, _, names in keys if table == name and len(names) == 1)
            for name, *_ in columns
        }
        notes = tuple(
            f"The table {name!r} of {link.path!r} cannot be read and is left out: permission denied."
            for name, _, readable, *_ in columns
            if not readable
        )
        kinds = {name: kind for name, kind, *_ in columns}
        listed = _readable(columns, keys, references, "" if schema == PUBLIC else schema)
        return cls(schema, listed, kinds, unique, extension[0][0] if extension else "", notes)

    def are_as(self, link: Link, schema: ForeignSchema) -> bool:
        """Whether the relations that hold a graph still have the columns that were read here."""
        used = [name for name in (schema.node_table, schema.edge_table, schema.vector_table) if name is not None]
        rows = link.ask((_COLUMNS, {"schema": self.schema, "tables": used}))[0]
        return {name: _columns(names, kinds) for name, *_, names, kinds, _ in rows} == {
            name: dict(self.by_name[name].columns) for name in used
        }

    @cached_property
    def by_name(self) -> Mapping[str, Table]:
        """The readable relations by name."""
        return {table.name: table for table in self.listed}

    def quoted(self, table: str) -> str:
        """Return a relation's name as SQL takes it, with its schema."""
        return f"{quoted(self.schema)}.{quoted(table)}"

    def type_of(self, table: str, column: str) -> str:
        """Return the declared type of a column, in capitals."""
        return self.by_name[table].columns[column]

    def stored(self, table: str) -> bool:
        """Whether rows have a place and a writer."""
        return self.kinds[table] in _STORED

    def is_key(self, table: str, column: str) -> bool:
        """Whether no two rows have the same value in a column."""
        return column in self.unique.get(table, ())


def quoted(name: str) -> str:
    """Return an identifier as a statement with parameters takes it, whatever is in it."""
    return sql.Identifier(name).as_string(None).replace("%", "%%")


def _columns(names: Sequence[str], kinds: Sequence[str]) -> dict[str, str]:
    """Return a relation's columns with their types."""
    return {column: kind.upper() for column, kind in zip(names, kinds, strict=True)}


def understood(link: Link, tables: Tables, address: ForeignAddress, given: ForeignSchema | None) -> ForeignSchema:
    """Return what the tables mean: as given, as known of other libraries, or as detected.

    Raises:
        SchemaDetectionError: no node table can be recognised, several could be meant, or what was given names what is
            not there.

    """
    named = (address.table,) if given is None else (given.node_table, given.edge_table, given.vector_table)
    for name in named:
        if name in tables.kinds and name not in tables.by_name:
            raise SchemaDetectionError(
                f"The role may not read the table {name!r} of {link.path!r}: it needs SELECT on the whole of it, or on "
                "a view of the columns that it may read."
            )
    if given is not None:
        check(given, tables.listed, link.path)
        schema = given
    else:
        schema = _found(link, tables, address)
    return replace(schema, metadata=with_metadata(schema, tables.listed))


def _found(link: Link, tables: Tables, address: ForeignAddress) -> ForeignSchema:
    if address.table is not None and address.table not in tables.by_name:
        listed = ", ".join(map(repr, tables.by_name)) or "none"
        raise SchemaDetectionError(f"{link.path!r} has no table {address.table!r}; it has {listed}.")
    known = [s for s in stores.stores_among(tables.listed) if address.table in (None, s.node_table)]
    if len(known) > 1:
        listed = ", ".join(repr(schema.node_table) for schema in known)
        raise SchemaDetectionError(
            f"{link.path!r} holds several vector stores: {listed}; say which in the address: "
            f"&table={known[0].node_table}."
        )
    if not known:
        found = partial(matches, link, tables)
        return detect.detect(tables.listed, link.path, found, address.table, itself=True)
    return _of_collection(link, tables, known[0], address.collection)


def _readable(columns: Sequence[Any], keys: Sequence[Any], references: Sequence[Any], schema: str) -> list[Table]:
    """Return the relations that may be read, as the rows of the catalogue tell of them."""
    primary = {table: tuple(names) for table, is_primary, names in keys if is_primary}
    return [
        Table(
            name,
            _columns(names, kinds),
            primary.get(name, ()),
            {
                column: (other, of)
                for table, own, other, referred in references
                if table == name
                for column, of in zip(own, referred, strict=True)
            },
            view=kind in _VIEWS,
            keys=tuple(Key(tuple(own), other, tuple(of)) for table, own, other, of in references if table == name),
            schema=schema,
            guarded=guarded,
        )
        for name, kind, readable, names, kinds, guarded in columns
        if readable
    ]


def _of_collection(link: Link, tables: Tables, schema: ForeignSchema, wanted: str | None) -> ForeignSchema:
    """Choose the collection of LangChain's PGVector."""
    if not stores.has_collections(schema):
        return schema
    rows = link.rows(f"SELECT uuid::text, name FROM {tables.quoted(stores.COLLECTIONS)} ORDER BY name")
    found = [uuid for uuid, name in rows if wanted in (None, name)]
    if len(found) != 1 or schema.only is None:
        listed = ", ".join(repr(name) for _, name in rows) or "none"
        asked = "say which in the address: &collection=NAME" if wanted is None else f"{wanted!r} is not among them"
        raise SchemaDetectionError(f"{link.path!r} holds the collections {listed}; {asked}.")
    return replace(schema, only=(schema.only[0], found[0]))


def matches(link: Link, tables: Tables, edges: str, column: str, nodes: str, key: str) -> float:
    """Return the share of the first edges whose end is a value of the node table's column."""
    try:
        ends = link.rows(
            f"SELECT DISTINCT {quoted(column)}::text FROM {tables.quoted(edges)} "
            f"WHERE {quoted(column)} IS NOT NULL LIMIT 200"
        )
        if not ends:
            return 0.0
        found = link.one(
            f"SELECT count(DISTINCT {quoted(key)}::text) FROM {tables.quoted(nodes)} "
            f"WHERE {quoted(key)}::text = ANY(%s::text[])",
            [end for (end,) in ends],
        )[0]
    except StoreError:  # a view that takes too long, or fails
        return 0.0
    return int(found) / len(ends)
