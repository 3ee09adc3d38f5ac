"""The tables of one graph in one schema, and the steps from each version to the next.

All statistics that a question needs are kept beside the rows and moved with them, in the writing transaction: ``state``
has one row, whose lock makes writers take turns; ``terms`` and ``pieces`` say in how many nodes each occurs.
"""

from __future__ import annotations

import psycopg

from fourfold.arguments import shown
from fourfold.errors import StoreError

SCHEMA_VERSION = 1

EXTENSION = (
    "SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'vector'"
)
"""What asks for the schema that pgvector is installed in."""

_VERSION_1 = """
CREATE TABLE meta (key text PRIMARY KEY, value text NOT NULL);

-- One row: its lock is the turn to write. next_* are the numbers to be given next; *_length the terms of all nodes.
CREATE TABLE state (
    single boolean PRIMARY KEY DEFAULT true CHECK (single),
    generation bigint NOT NULL,
    next_node bigint NOT NULL, next_edge bigint NOT NULL, next_term integer NOT NULL,
    nodes bigint NOT NULL, edges bigint NOT NULL, vectors bigint NOT NULL,
    name_length bigint NOT NULL, type_length bigint NOT NULL, text_length bigint NOT NULL,
    edges_generation bigint NOT NULL,  -- that of the last write that touched an edge
    moments bigint NOT NULL,  -- the generation of the sums over all vectors (see moments); -1 where none are kept
    moved bigint NOT NULL  -- how many changes of vectors these do not know yet
);
INSERT INTO state VALUES (true, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, -1, 0);

-- metadata is json, not jsonb: what comes out is what went in.
CREATE TABLE nodes (
    num bigint PRIMARY KEY,
    id text COLLATE "C" NOT NULL UNIQUE,
    name text NOT NULL, type text NOT NULL, text text NOT NULL,
    metadata json NOT NULL,
    hash text NOT NULL,
    generation bigint NOT NULL,
    name_key bigint NOT NULL,  -- of its words (see index.names); 0 is none
    name_length integer NOT NULL, type_length integer NOT NULL, text_length integer NOT NULL
);
CREATE INDEX nodes_by_name ON nodes (name_key) WHERE name_key <> 0;

-- As they came, not of length one; a vector of zeros has the norm 1, and so the cosine 0 with everything.
CREATE TABLE vectors (
    node bigint PRIMARY KEY REFERENCES nodes (num) ON DELETE CASCADE,
    vector vector NOT NULL,
    norm double precision GENERATED ALWAYS AS (coalesce(nullif(vector_norm(vector), 0), 1)) STORED
);
ALTER TABLE vectors ALTER COLUMN vector SET STORAGE PLAIN;

-- The distinct terms and wordpieces (uint16, little-endian) of each node.
CREATE TABLE words (
    node bigint PRIMARY KEY REFERENCES nodes (num) ON DELETE CASCADE,
    terms integer[] NOT NULL,
    pieces bytea NOT NULL
);

-- How often a term stands in each field of a node, and how many terms the field has: BM25 needs no other row. held_m is
-- in how many nodes the term stands in exactly the fields of the bits of m (1 name, 2 type, 4 text).
CREATE TABLE terms (
    num integer PRIMARY KEY, term text COLLATE "C" NOT NULL UNIQUE,
    held_1 bigint NOT NULL DEFAULT 0, held_2 bigint NOT NULL DEFAULT 0, held_3 bigint NOT NULL DEFAULT 0,
    held_4 bigint NOT NULL DEFAULT 0, held_5 bigint NOT NULL DEFAULT 0, held_6 bigint NOT NULL DEFAULT 0,
    held_7 bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 70);
CREATE TABLE postings (
    node bigint NOT NULL,
    term integer NOT NULL,
    name_length integer NOT NULL, type_length integer NOT NULL, text_length integer NOT NULL,
    in_name smallint NOT NULL, in_type smallint NOT NULL, in_text smallint NOT NULL,
    PRIMARY KEY (term, node) INCLUDE (name_length, type_length, text_length, in_name, in_type, in_text)
);
CREATE TABLE pieces (piece integer PRIMARY KEY, nodes bigint NOT NULL) WITH (fillfactor = 70);

-- Metadata flattened for filters (see filters.attributes). A btree row has its limit, so long strings are found by
-- their beginning.
CREATE TABLE attributes (
    node bigint NOT NULL REFERENCES nodes (num) ON DELETE CASCADE,
    kind smallint NOT NULL,
    key text COLLATE "C" NOT NULL,
    number numeric, string text COLLATE "C"
);
CREATE INDEX attributes_by_node ON attributes (node);
CREATE INDEX attributes_by_number ON attributes (md5(key), number);
CREATE INDEX attributes_by_string ON attributes (md5(key), left(string, 100));

CREATE TABLE edge_types (num integer PRIMARY KEY, type text COLLATE "C" NOT NULL UNIQUE, edges bigint NOT NULL);
CREATE TABLE edges (
    num bigint PRIMARY KEY,
    source bigint NOT NULL REFERENCES nodes (num) ON DELETE CASCADE,
    target bigint NOT NULL REFERENCES nodes (num) ON DELETE CASCADE,
    type integer NOT NULL REFERENCES edge_types (num),
    weight double precision NOT NULL,
    UNIQUE (source, target, type)
);
CREATE INDEX edges_by_target ON edges (target);

-- Sums over the unit vectors of all nodes, once there are many; changes wait in moved_vectors until enough are there.
CREATE TABLE moments (single boolean PRIMARY KEY DEFAULT true CHECK (single), total bytea NOT NULL,
    squares bytea NOT NULL);
CREATE TABLE moved_vectors (num bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, sign smallint NOT NULL,
    vector vector NOT NULL, norm double precision NOT NULL);

CREATE TABLE feedback (num bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, query text NOT NULL, node text NOT NULL,
    grade double precision NOT NULL, pair text NOT NULL UNIQUE);
CREATE TABLE models (name text PRIMARY KEY, content bytea NOT NULL);
CREATE TABLE usage (node bigint PRIMARY KEY REFERENCES nodes (num) ON DELETE CASCADE, uses bigint NOT NULL,
    successes bigint NOT NULL, recent double precision NOT NULL, used_at double precision NOT NULL);
CREATE TABLE staged_vectors (node bigint PRIMARY KEY REFERENCES nodes (num) ON DELETE CASCADE, hash text NOT NULL,
    vector vector NOT NULL);
ALTER TABLE staged_vectors ALTER COLUMN vector SET STORAGE PLAIN;
"""

MIGRATIONS: dict[int, str] = {0: _VERSION_1}
"""SQL that takes a schema from the version that is the key to the next."""


def version_of(connection: psycopg.Connection[tuple[object, ...]], schema: str) -> int | None:
    """Return the version of a schema's tables, None without any; StoreError where they are another application's."""
    rows = connection.execute(
        "SELECT relname, has_schema_privilege(relnamespace, 'USAGE') FROM pg_class "
        "WHERE relnamespace = to_regnamespace(quote_ident(%s)) AND relkind IN ('r', 'v')",
        (schema,),
    ).fetchall()
    names = {str(name) for name, _ in rows}
    if not names:
        return None
    if not rows[0][1]:
        raise StoreError(
            f"The schema {schema!r} is another role's, and this one may not use it; name one of your own: ?schema=kg, "
            "or for the index of tables that others made &index=NAME."
        )
    found = None
    if {"meta", "state", "postings"} <= names:
        found = connection.execute("SELECT value FROM meta WHERE key = 'schema_version'").fetchone()
    if found is None:
        raise StoreError(
            f"The schema {schema!r} holds tables of another application; name one of your own: ?schema=kg, or read "
            "the tables that are there with Retriever.open_foreign(url), or a command's --foreign."
        )
    if not (version := str(found[0])).isdecimal():
        raise StoreError(
            f"The schema {schema!r} has schema version {shown(version)}, which no version of fourfold writes; restore "
            "a backup."
        )
    return int(version)


def make(connection: psycopg.Connection[tuple[object, ...]], quoted: str, path: str) -> None:
    """Make a schema, by its quoted name; StoreError where the role may not, with what to do."""
    try:
        connection.execute(f"CREATE SCHEMA {quoted}".encode())
    except psycopg.errors.InsufficientPrivilege as error:
        raise StoreError(
            f"{path!r} cannot be made: {' '.join(str(error).split())}. Who may make schemas there makes one for the "
            f"role: CREATE SCHEMA {quoted} AUTHORIZATION its_name."
        ) from error
    except psycopg.errors.ReadOnlySqlTransaction as error:
        raise StoreError(
            f"{path!r} cannot be made: {' '.join(str(error).split())}. The server is a standby, or makes transactions "
            "of the role read-only; to make a graph, or to follow tables that others made, the role has to write."
        ) from error


def migrate(connection: psycopg.Connection[tuple[object, ...]], version: int) -> None:
    """Bring the tables from a version to ``SCHEMA_VERSION``; the caller holds the transaction."""
    while version < SCHEMA_VERSION:
        connection.execute(MIGRATIONS[version].encode())
        version += 1
    connection.execute(
        "INSERT INTO meta VALUES ('schema_version', %s) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        (str(SCHEMA_VERSION),),
    )


def extension_of(connection: psycopg.Connection[tuple[object, ...]], path: str, *, create: bool) -> str:
    """Return the schema that pgvector is installed in; install it where it is not and may be."""
    row = connection.execute(EXTENSION).fetchone()
    if row is None and create:
        try:
            connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
        except psycopg.errors.UniqueViolation:  # another process was first, which IF NOT EXISTS does not see
            pass
        except psycopg.Error as error:
            raise StoreError(
                f"The database of {path!r} has no pgvector, and it cannot be installed there: "
                f"{' '.join(str(error).split())} Ask its administrator for: CREATE EXTENSION vector."
            ) from error
        row = connection.execute(EXTENSION).fetchone()
    if row is None:
        raise StoreError(
            f"The database of {path!r} has no pgvector; its administrator adds it: CREATE EXTENSION vector."
        )
    return str(row[0])
