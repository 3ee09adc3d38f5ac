"""The tables of a Fourfold file, and the steps from each schema version to the next."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

APPLICATION_ID = 0x464F5552  # "FOUR": tells a Fourfold file from any other SQLite file
SCHEMA_VERSION = 3

OLDEST_SEARCHED = 1
"""Files from this version on are searched as they are when opened read-only: later versions only added tables."""

FULL_TEXT_TOKENIZER = "porter unicode61"
"""How FTS5 cuts texts into words."""

FULL_TEXT_TRIGGER = """CREATE TRIGGER fts_insert AFTER INSERT ON nodes BEGIN
    INSERT INTO fts (rowid, name, type, text) VALUES (new.num, new.name, new.type, new.text);
END;
"""
"""What takes a new node into the full text."""

EDGES_BY_TARGET = "CREATE INDEX edges_by_target ON edges (target);"

_VERSION_1 = f"""
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

-- num is the row's place in the index; an id keeps its num when it is replaced.
CREATE TABLE nodes (
    num INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    type TEXT NOT NULL,
    text TEXT NOT NULL,
    metadata TEXT NOT NULL,
    hash TEXT NOT NULL,
    generation INTEGER NOT NULL
);
CREATE INDEX nodes_by_generation ON nodes (generation);

-- Little-endian float32.
CREATE TABLE vectors (
    node INTEGER PRIMARY KEY REFERENCES nodes (num) ON DELETE CASCADE,
    vector BLOB NOT NULL
);

-- The terms of each node: records of (term int32, field uint8, count uint16), as the tokenizer made them.
CREATE TABLE terms (num INTEGER PRIMARY KEY, term TEXT NOT NULL UNIQUE);
CREATE TABLE tokens (
    node INTEGER PRIMARY KEY REFERENCES nodes (num) ON DELETE CASCADE,
    terms BLOB NOT NULL
);

-- Metadata flattened for filters (see filters.attributes): nested keys are joined by dots; kind 0 is a scalar, 1 an
-- element of a list, 2 a null, 3 says that a list or an object stands under the key.
CREATE TABLE attributes (
    key TEXT NOT NULL,
    value NOT NULL,
    node INTEGER NOT NULL REFERENCES nodes (num) ON DELETE CASCADE,
    kind INTEGER NOT NULL,
    PRIMARY KEY (key, value, node, kind)
) WITHOUT ROWID;
CREATE INDEX attributes_by_node ON attributes (node);

CREATE TABLE edge_types (num INTEGER PRIMARY KEY, type TEXT NOT NULL UNIQUE);
CREATE TABLE edges (
    num INTEGER PRIMARY KEY AUTOINCREMENT,
    source INTEGER NOT NULL REFERENCES nodes (num) ON DELETE CASCADE,
    target INTEGER NOT NULL REFERENCES nodes (num) ON DELETE CASCADE,
    type INTEGER NOT NULL REFERENCES edge_types (num),
    weight REAL NOT NULL,
    generation INTEGER NOT NULL,
    UNIQUE (source, target, type)
);
{EDGES_BY_TARGET}
CREATE INDEX edges_by_generation ON edges (generation);

-- What users said of answers; a node may be gone meanwhile.
CREATE TABLE feedback (
    num INTEGER PRIMARY KEY,
    query TEXT NOT NULL,
    node TEXT NOT NULL,
    grade REAL NOT NULL,
    UNIQUE (query, node)
);

-- What an index of an older generation must forget.
CREATE TABLE deletions (kind TEXT NOT NULL, num INTEGER NOT NULL, generation INTEGER NOT NULL);
CREATE INDEX deletions_by_generation ON deletions (generation);
CREATE TRIGGER node_deleted AFTER DELETE ON nodes BEGIN
    INSERT INTO deletions VALUES ('node', old.num, (SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'generation'));
END;
CREATE TRIGGER edge_deleted AFTER DELETE ON edges BEGIN
    INSERT INTO deletions VALUES ('edge', old.num, (SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'generation'));
END;

CREATE VIRTUAL TABLE fts USING fts5 (name, type, text, content='nodes', content_rowid='num',
                                     tokenize='{FULL_TEXT_TOKENIZER}');
{FULL_TEXT_TRIGGER}CREATE TRIGGER fts_delete AFTER DELETE ON nodes BEGIN
    INSERT INTO fts (fts, rowid, name, type, text) VALUES ('delete', old.num, old.name, old.type, old.text);
END;
CREATE TRIGGER fts_update AFTER UPDATE OF name, type, text ON nodes BEGIN
    INSERT INTO fts (fts, rowid, name, type, text) VALUES ('delete', old.num, old.name, old.type, old.text);
    INSERT INTO fts (rowid, name, type, text) VALUES (new.num, new.name, new.type, new.text);
END;

INSERT INTO meta VALUES ('generation', '0');
"""

_DOCUMENTS = """
-- What ingest keeps beside the graph (see engines.documents). A document is a node; the texts it is read in are its
-- passages: the node itself, or its chunks, whose document then holds no text and is no answer of its own.
CREATE TABLE documents (
    node INTEGER PRIMARY KEY REFERENCES nodes (num) ON DELETE CASCADE,
    source TEXT NOT NULL,
    hash TEXT NOT NULL,
    node_hash TEXT NOT NULL,  -- of the node as ingest wrote it: another one says that somebody else wrote it since
    chunks INTEGER NOT NULL
);
CREATE INDEX documents_by_source ON documents (source);
CREATE INDEX documents_in_chunks ON documents (node) WHERE chunks > 0;
CREATE TABLE passages (
    node INTEGER PRIMARY KEY REFERENCES nodes (num) ON DELETE CASCADE,
    document INTEGER NOT NULL,
    place INTEGER NOT NULL,
    unread INTEGER NOT NULL
);
CREATE INDEX passages_by_document ON passages (document, place);
CREATE INDEX passages_unread ON passages (node) WHERE unread;

-- Labels join documents: a document bears some (its title, its id), texts and documents use some (a title named in a
-- text, a link, a shared value), and an edge leads from every user to every bearer. kind is "title", "link" or
-- "shared"; known says whether the old texts have been read for it; changed, whether its edges are due. head: the first
-- two words of a title, by which titles are looked up for a text.
CREATE TABLE labels (
    num INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    label TEXT NOT NULL,
    head TEXT,
    known INTEGER NOT NULL DEFAULT 0,
    changed INTEGER NOT NULL DEFAULT 1,
    uses INTEGER NOT NULL DEFAULT 0,
    UNIQUE (label, kind)
);
CREATE INDEX labels_by_head ON labels (head) WHERE head IS NOT NULL;
CREATE INDEX labels_by_uses ON labels (uses);
CREATE INDEX labels_changed ON labels (num) WHERE changed;
CREATE TABLE bearers (
    label INTEGER NOT NULL REFERENCES labels (num),
    node INTEGER NOT NULL REFERENCES documents (node) ON DELETE CASCADE,
    qualifier TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (label, node)
) WITHOUT ROWID;
CREATE INDEX bearers_by_node ON bearers (node);
CREATE TABLE uses (
    label INTEGER NOT NULL REFERENCES labels (num),
    node INTEGER NOT NULL REFERENCES nodes (num) ON DELETE CASCADE,
    PRIMARY KEY (label, node)
) WITHOUT ROWID;
CREATE INDEX uses_by_node ON uses (node);
CREATE TRIGGER bearer_added AFTER INSERT ON bearers BEGIN
    UPDATE labels SET changed = 1 WHERE num = new.label;
END;
CREATE TRIGGER bearer_removed AFTER DELETE ON bearers BEGIN
    UPDATE labels SET changed = 1 WHERE num = old.label;
END;
CREATE TRIGGER use_removed AFTER DELETE ON uses BEGIN
    UPDATE labels SET changed = 1 WHERE num = old.label;
END;
-- The edges that came of labels, and may go with them.
CREATE TABLE derived_edges (edge INTEGER PRIMARY KEY REFERENCES edges (num) ON DELETE CASCADE) WITHOUT ROWID;
"""

_VERSION_2 = """
-- The vectors of the embedder the graph is about to change to (see engines.staging); hash is that of the node they were
-- made from. Searches read ``vectors`` until every node has one here.
CREATE TABLE staged_vectors (
    node INTEGER PRIMARY KEY REFERENCES nodes (num) ON DELETE CASCADE,
    hash TEXT NOT NULL,
    vector BLOB NOT NULL
);

-- Embedding models that live in the file, by the embedder's name.
CREATE TABLE models (name TEXT PRIMARY KEY, content BLOB NOT NULL);
"""

_VERSION_3 = """
-- The last writes, each with a random mark: what was derived from one of them is known by it, and a file that took
-- another course (a backup put in its place) does not have the mark.
CREATE TABLE writes (generation INTEGER PRIMARY KEY, token TEXT NOT NULL);
-- The distinct wordpieces of each node's name and text, by the bundled model's tokenizer: uint16, ascending. A node of
-- an older file has none here until it is written again; they are then read from its text.
CREATE TABLE pieces (node INTEGER PRIMARY KEY REFERENCES nodes (num) ON DELETE CASCADE, ids BLOB NOT NULL);
INSERT INTO writes SELECT CAST(value AS INTEGER), lower(hex(randomblob(8))) FROM meta WHERE key = 'generation';
"""

MIGRATIONS: dict[int, str] = {0: _VERSION_1 + _DOCUMENTS, 1: _VERSION_2, 2: _VERSION_3}
"""SQL that takes a file from the version that is the key to the next."""


def migrate(connection: sqlite3.Connection) -> None:
    """Bring an open file from its version to ``SCHEMA_VERSION``; the caller holds the transaction."""
    version = schema_version(connection)
    while version < SCHEMA_VERSION:
        for statement in _statements(MIGRATIONS[version]):
            connection.execute(statement)
        version += 1
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")


def schema_version(connection: sqlite3.Connection) -> int:
    """Return the schema version of an open file; 0 for an empty one."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def strangers(connection: sqlite3.Connection) -> Iterator[str]:
    """Yield what runs when a file is read or written and is not as our schema has it; tables of others do not run."""
    ours = {statement for statements in _schema().values() for statement in statements}
    names = tables()
    for kind, name, sql in connection.execute("SELECT type, name, sql FROM sqlite_master"):
        if (kind in ("view", "trigger") or name in names) and _plain(str(sql)) not in ours:
            yield f"the {kind} {name!r}"


def tables() -> set[str]:
    """Return the names of our tables."""
    made = (re.match(r"CREATE (?:VIRTUAL )?TABLE (\w+)", each) for own in _schema().values() for each in own)
    return {found[1] for found in made if found}


def missing(connection: sqlite3.Connection, version: int) -> Iterator[str]:
    """Yield the tables and triggers that a file of a version was made with, and that this one has not."""
    there = set(connection.execute("SELECT type, name FROM sqlite_master"))
    for statement in (statement for before, own in _schema().items() if before < version for statement in own):
        made = re.match(r"CREATE (?:VIRTUAL )?(TABLE|TRIGGER) (\w+)", statement)
        if made and (made[1].lower(), made[2]) not in there:
            yield f"the {made[1].lower()} {made[2]!r}"


@cache
def _schema() -> Mapping[int, Sequence[str]]:
    """Return the plain statements that take a file from the version that is the key to the next."""
    return {before: [_plain(statement) for statement in _statements(script)] for before, script in MIGRATIONS.items()}


def _plain(statement: str) -> str:
    """Return a statement without comments, quotation marks and line breaks."""
    return " ".join(re.sub(r"--[^\n]*", "", statement).replace('"', "").split()).rstrip(";")


def _statements(script: str) -> list[str]:
    """Split a script into statements; ``executescript`` would commit the caller's transaction."""
    statements: list[str] = []
    current = ""
    for line in script.splitlines(keepends=True):
        current += line
        if sqlite3.complete_statement(current):
            statements.append(current)
            current = ""
    return statements
