"""The statements that read foreign tables: identifiers are quoted, values are parameters."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from fourfold.engines.foreign import ForeignSchema
from fourfold.engines.postgres.foreign import stores
from fourfold.engines.postgres.foreign.tables import Tables, quoted
from fourfold.validation import LARGEST_WEIGHT

MIRRORED = "foreign_nodes"
"""Our table of the foreign rows that were taken in: id, version and the hash of the content."""

_NUMBER = r"^\s*[+]?([0-9]{1,200}[.]?[0-9]{0,200}|[.][0-9]{1,200})([eE][+-]?[0-9]{1,2})?\s*$"
_BINARY = ("BYTEA", "TSVECTOR", "VECTOR", "HALFVEC", "SPARSEVEC")
_VECTORS = ("VECTOR", "HALFVEC")


@dataclass(frozen=True)
class Statements:
    """SQL for a schema of foreign tables, and for ``ours``, the quoted name of our schema that mirrors them."""

    tables: Tables
    schema: ForeignSchema
    ours: str

    # -- nodes --------------------------------------------------------------------------------------------------

    @cached_property
    def key(self) -> str:
        """A node's id, of the row ``t``."""
        return f't.{quoted(self.schema.id)}::text COLLATE "C"'

    @cached_property
    def nodes(self) -> str:
        """The rows of the node table as ``t``, beside ``v`` where vectors live in a table of their own."""
        s, found = self.schema, f"{self.tables.quoted(self.schema.node_table)} t"
        if s.vector_table and s.vector_node and s.vector_column:
            owner = f'v.{quoted(s.vector_node)}::text COLLATE "C"'
            found += (
                f" LEFT JOIN (SELECT DISTINCT ON ({owner}) {owner} AS owner, v.{quoted(s.vector_column)} AS vector, "
                f"{self._version('v', s.vector_table)} AS version FROM {self.tables.quoted(s.vector_table)} v "
                f"ORDER BY {owner}, 3) v ON v.owner = {self.key}"
            )
        return f"{found} WHERE {self._chosen}"

    @cached_property
    def _chosen(self) -> str:
        if self.schema.only is None:
            return "true"
        column, value = self.schema.only
        return f"t.{quoted(column)} IS NULL" if value is None else f"t.{quoted(column)}::text = %(only)s"

    def _version(self, alias: str, table: str) -> str:
        """Return SQL of a number that changes with a row: its place and its writer, else its content."""
        if self.tables.stored(table):
            row = f"{alias}.tableoid::oid::text || {alias}.ctid::text || {alias}.xmin::text"
        else:
            row = f"ROW({alias}.*)::text"
        return f"hashtextextended({row}, 0)"

    @cached_property
    def version(self) -> str:
        """The same of a node, its vector included."""
        own = self._version("t", self.schema.node_table)
        if not self.schema.vector_table:
            return own
        return f"hashtextextended(({own})::text || coalesce(v.version::text, ''), 0)"

    @cached_property
    def stamps(self) -> list[str]:
        """For each table: how many rows it has, the sum of their versions, and whether vectors are there."""
        s = self.schema
        own = "bool_or(t." + quoted(s.vector) + " IS NOT NULL)" if s.vector else "false"
        found = [self._stamp("t", s.node_table, own, self._chosen)]
        if s.vector_table and s.vector_column:
            found.append(self._stamp("v", s.vector_table, f"bool_or(v.{quoted(s.vector_column)} IS NOT NULL)", "true"))
        if s.edge_table and s.edge_table != s.node_table:
            found.append(self._stamp("e", s.edge_table, "false", "true"))
        return found

    def _stamp(self, alias: str, table: str, vectors: str, condition: str) -> str:
        return (
            f"SELECT count(*), coalesce(sum({self._version(alias, table)}), 0)::text, coalesce({vectors}, false) "
            f"FROM {self.tables.quoted(table)} {alias} WHERE {condition}"
        )

    def _theirs(self, *, some: bool) -> str:
        """Return SQL of (id, version, place) of the nodes that count; place is where a stored row lies."""
        place = "t.ctid::text" if self.tables.stored(self.schema.node_table) else "NULL::text"
        rows = f"SELECT {self.key} AS id, {self.version} AS version, {place} AS place FROM {self.nodes}"
        rows += f" AND {self.key} = ANY(%(ids)s::text[])" if some else ""
        if self.tables.is_key(self.schema.node_table, self.schema.id):
            return f"SELECT * FROM ({rows}) x WHERE x.id <> ''"
        return f"SELECT DISTINCT ON (x.id) x.* FROM ({rows}) x WHERE x.id <> '' ORDER BY x.id, x.version"

    def difference(self, *, some: bool) -> str:
        """Return SQL of (id, version, place, our id, our hash): new and changed rows, and those that are gone."""
        mirrored = f"{self.ours}.{MIRRORED}"
        ours = f"(SELECT * FROM {mirrored} WHERE id = ANY(%(ids)s::text[]))" if some else mirrored
        return (
            f"SELECT t.id, t.version, t.place, o.id, o.hash FROM ({self._theirs(some=some)}) t "
            f"FULL JOIN {ours} o ON o.id = t.id WHERE o.version IS DISTINCT FROM t.version"
        )

    @cached_property
    def skipped_nodes(self) -> str:
        """The numbers of rows without an id, and of those with an id seen before."""
        named = f"({self.key}) <> ''"
        return (
            f"SELECT count(*) - count(*) FILTER (WHERE {named}), "
            f"count(*) FILTER (WHERE {named}) - count(DISTINCT {self.key}) FILTER (WHERE {named}) FROM {self.nodes}"
        )

    def rows(self, *, by_place: bool) -> str:
        """Return SQL of (id, name, type, metadata, vector, text …) of rows by their places, or of ids."""
        s = self.schema
        place = "t.ctid = ANY(%(places)s::text[]::tid[])" if by_place else f"{self.key} = ANY(%(ids)s::text[])"
        columns = [self.key, self._words(s.name), self._words(s.type), self._metadata, self._vector]
        columns += [self._words(column) for column in s.text]
        return f"SELECT {', '.join(columns)} FROM {self.nodes} AND {place}"

    def _words(self, column: str | None) -> str:
        if column is None:
            return "NULL::text"
        if self.tables.type_of(self.schema.node_table, column) == "BYTEA":
            return f"encode(t.{quoted(column)}, 'hex')"
        return f"t.{quoted(column)}::text"

    @cached_property
    def _metadata(self) -> str:
        """SQL of a JSON object of the metadata columns, but for those that hold no words or numbers."""
        kind = self.tables.type_of
        columns = [
            f"t.{quoted(column)}"
            for column in self.schema.metadata or ()
            if not _is(kind(self.schema.node_table, column), _BINARY)
        ]
        return f"(SELECT row_to_json(m)::text FROM (SELECT {', '.join(columns)}) m)" if columns else "NULL::text"

    @cached_property
    def _vector_column(self) -> tuple[str, str]:
        """The column of vectors as SQL, and its declared type; "" where there is none."""
        s = self.schema
        if s.vector:
            return f"t.{quoted(s.vector)}", self.tables.type_of(s.node_table, s.vector)
        if s.vector_table and s.vector_column:
            return "v.vector", self.tables.type_of(s.vector_table, s.vector_column)
        return "NULL::bytea", ""

    @cached_property
    def _vector(self) -> str:
        column, declared = self._vector_column
        if self.sends_vectors:
            of = quoted(self.tables.vectors)
            return f"{of}.vector_send({column}::{of}.vector)"
        if declared in ("BYTEA", ""):
            return column
        return f"to_json({column})::text" if declared.endswith("[]") else f"{column}::text"

    @property
    def sends_vectors(self) -> bool:
        """Whether vectors come as pgvector sends them."""
        return _is(self._vector_column[1], _VECTORS)

    # -- edges --------------------------------------------------------------------------------------------------

    @cached_property
    def edges(self) -> str | None:
        """SQL of (source, target, type, weight) of all edges; a weight that is none is NULL. None: there are none."""
        s = self.schema
        if not (s.edge_table and s.source and s.target):
            names = {"table": self.tables.quoted(s.node_table), "id": quoted(s.id)}
            return stores.relations(s, {**names, "metadata": quoted((s.metadata or ("",))[0])})
        kind = f"coalesce(e.{quoted(s.edge_type)}::text, '')" if s.edge_type else "''"
        weight = "1::float8"
        if s.weight:
            own = f"e.{quoted(s.weight)}::text"
            weight = (
                f"CASE WHEN {own} IS NULL THEN 1 WHEN {own} ~ '{_NUMBER}' THEN CASE WHEN {own}::float8 <= "
                f"{LARGEST_WEIGHT} THEN {own}::float8 END END"
            )
        return (
            f"SELECT e.{quoted(s.source)}::text AS source, e.{quoted(s.target)}::text AS target, {kind} AS type, "
            f"{weight} AS weight FROM {self.tables.quoted(s.edge_table)} e"
        )

    @cached_property
    def _known_edges(self) -> str:
        """SQL of two tables: ``listed``, the edges that count, several times where they are, and ``theirs``, once."""
        return (
            f"node AS MATERIALIZED ({self._theirs(some=False)}), "
            'listed AS MATERIALIZED (SELECT a.id AS source, b.id AS target, l.type COLLATE "C" AS type, '
            f"coalesce(l.weight, 1) AS weight FROM ({self.edges}) l "
            'JOIN node a ON a.id = l.source COLLATE "C" JOIN node b ON b.id = l.target COLLATE "C"), '
            "theirs AS (SELECT DISTINCT ON (source, target, type) * FROM listed "
            "ORDER BY source, target, type, weight DESC)"
        )

    @cached_property
    def changed_edges(self) -> str:
        """(source, target, type, weight) of new and changed edges; of those that are gone the weight is NULL."""
        ours = (
            f"SELECT s.id AS source, t.id AS target, y.type, e.weight FROM {self.ours}.edges e "
            f"JOIN {self.ours}.nodes s ON s.num = e.source JOIN {self.ours}.nodes t ON t.num = e.target "
            f"JOIN {self.ours}.edge_types y ON y.num = e.type"
        )
        return (
            f"WITH {self._known_edges}, ours AS ({ours}) "
            "SELECT coalesce(t.source, o.source), coalesce(t.target, o.target), coalesce(t.type, o.type), t.weight "
            "FROM theirs t FULL JOIN ours o ON o.source = t.source AND o.target = t.target AND o.type = t.type "
            "WHERE o.weight IS DISTINCT FROM t.weight"
        )

    @cached_property
    def skipped_edges(self) -> str:
        """The numbers of edges without two ends, naming missing nodes, listed before, and with no weight."""
        return (
            f"WITH {self._known_edges}, every AS (SELECT count(*) AS rows, "
            "count(*) FILTER (WHERE source <> '' AND target <> '') AS whole FROM "
            f"({self.edges}) l), weightless AS (SELECT count(*) AS rows FROM ({self.edges}) l "
            'JOIN node a ON a.id = l.source COLLATE "C" JOIN node b ON b.id = l.target COLLATE "C" '
            "WHERE l.weight IS NULL) "
            "SELECT e.rows - e.whole, e.whole - (SELECT count(*) FROM listed), "
            "(SELECT count(*) FROM listed) - (SELECT count(*) FROM theirs), w.rows FROM every e, weightless w"
        )


def _is(declared: str, kinds: tuple[str, ...]) -> bool:
    """Whether a declared type, such as ``public.vector(3)``, is one of some."""
    return declared.partition("(")[0].rpartition(".")[2].strip('"') in kinds
