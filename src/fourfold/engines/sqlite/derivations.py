"""What is derived of every node beside its content: terms, values for filters, wordpieces, and the full text.

A search reads the terms and a filter the values, never the content: where they are damaged, a node is not found though
it is whole. They are compared with the content here, and made anew of it.
"""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from fourfold.arguments import shown
from fourfold.engines.base import Row
from fourfold.engines.sqlite.rows import meta, node_of
from fourfold.engines.sqlite.schema import FULL_TEXT_TOKENIZER, schema_version
from fourfold.engines.sqlite.writer import Writer, token_records
from fourfold.filters import attributes
from fourfold.index.changes import FIELDS, PIECE
from fourfold.signals.late import distinct_pieces, wordpiece_text
from fourfold.tokenizer import Tokenizer, make_tokenizer, stored_tokenizer
from fourfold.types import Node
from fourfold.validation import content_hash

_TOGETHER = 1_000
_UNKNOWN = 2**31 - 1
"""In the place of the number of a term that the file does not know."""

_CONTENT = "The content"
_REPAIR = "fourfold check --repair derives them anew"

_FULL_TEXT = (
    f"CREATE VIRTUAL TABLE temp.anew USING fts5 (name, type, text, content='', tokenize='{FULL_TEXT_TOKENIZER}')",
    "INSERT INTO temp.anew (rowid, name, type, text) SELECT num, name, type, text FROM main.nodes ORDER BY num",
    "CREATE VIRTUAL TABLE temp.anew_terms USING fts5vocab (temp, anew, col)",
    "CREATE VIRTUAL TABLE temp.held_terms USING fts5vocab (main, fts, col)",
)
_FORGOTTEN = tuple(f"DROP TABLE IF EXISTS temp.{table}" for table in ("held_terms", "anew_terms", "anew"))
_LENGTHS = ("SELECT id, sz FROM temp.anew_docsize", "SELECT id, sz FROM main.fts_docsize")
_TERMS = ("SELECT * FROM temp.anew_terms", "SELECT * FROM temp.held_terms")


def problems(connection: sqlite3.Connection) -> Iterator[str]:
    """Yield a sentence for each kind that is not what the contents say, as far as these are whole themselves."""
    wrong = defaultdict[str, list[str]](list)
    for node, kinds in _compared(connection):
        for kind in kinds:
            wrong[kind].append(node)
    damaged = wrong.pop(_CONTENT, None)  # its hash tells, and what was derived of it should differ
    for kind, nodes in wrong.items():
        first = shown(nodes[0])
        if len(nodes) == 1:
            yield f"{kind} of the node {first} are not those of its content; {_REPAIR}."
        else:
            yield f"{kind} of {len(nodes):,} nodes, such as {first}, are not those of their contents; {_REPAIR}."
    if damaged is None and not _same_full_text(connection):
        yield f"The words of the full text are not those of the nodes; {_REPAIR}."


def derive_anew(writer: Writer, connection: sqlite3.Connection, tokenizer: Tokenizer) -> None:
    """Derive everything anew in an open write, of contents and vectors as a connection reads them.

    Nodes whose content is damaged are left as they are: what is derived of them may be the last that tells of it.
    """
    for found in _pages(connection):
        whole = _whole(found)
        nodes, listed = [node for node, _ in whole], json.dumps([row[0] for _, row in whole])
        blobs = dict(connection.execute(f"SELECT node, vector FROM vectors WHERE node IN ({_LISTED})", (listed,)))
        pieces = distinct_pieces([wordpiece_text(node) for node in nodes])
        rows = [
            Row(node, digest, np.frombuffer(blobs[num], "<f4") if num in blobs else None, own)
            for (node, (num, digest, *_)), own in zip(whole, pieces, strict=True)
        ]
        writer.put_nodes(rows, *_read(tokenizer, nodes))
    writer.execute("INSERT INTO fts (fts) VALUES ('rebuild')")


_LISTED = "SELECT value FROM json_each(?)"


def _read(tokenizer: Tokenizer, nodes: Sequence[Node]) -> tuple[list[str], list[int]]:
    return tokenizer.batch([getattr(node, field) for node in nodes for field in FIELDS])


def _pages(connection: sqlite3.Connection) -> Iterator[list[tuple[Any, ...]]]:
    """Yield the rows of all nodes in their order: number, hash, content, terms, wordpieces."""
    kept, pieces = "p.ids", "LEFT JOIN pieces p ON p.node = n.num"
    if schema_version(connection) < 3:  # opened read-only, as an older version left it
        kept, pieces = "NULL", ""
    sql = (
        f"SELECT n.num, n.hash, n.id, n.name, n.type, n.text, n.metadata, t.terms, {kept} FROM nodes n "
        f"LEFT JOIN tokens t ON t.node = n.num {pieces} WHERE n.num > ? ORDER BY n.num LIMIT ?"
    )
    last = -1
    while found := connection.execute(sql, (last, _TOGETHER)).fetchall():
        yield found
        last = found[-1][0]


def _whole(found: Sequence[Sequence[Any]]) -> list[tuple[Node, Sequence[Any]]]:
    """Return the nodes of rows that are what was written, each with its row."""
    whole = []
    for row in found:
        with suppress(ValueError, TypeError, RecursionError):  # what cannot be read is not
            node = node_of(row[2:7])
            if content_hash(node) == row[1]:
                whole.append((node, row))
    return whole


def _compared(connection: sqlite3.Connection) -> Iterator[tuple[str, list[str]]]:
    """Yield the nodes of which something is not what it would be, derived now, and what."""
    name = stored_tokenizer(lambda key: meta(connection, key))
    tokenizer = None if name is None else make_tokenizer(name)
    known = dict[str, int]()
    for found in _pages(connection):
        readable = _whole(found)
        if len(readable) < len(found):
            yield "", [_CONTENT]
        if tokenizer is None or not readable:
            continue
        nodes = [node for node, _ in readable]
        terms = _records(connection, tokenizer, nodes, known)
        pieces = distinct_pieces([wordpiece_text(node) for node in nodes])
        values = _values(connection, found[0][0], found[-1][0])
        for (node, (num, *_, held, kept)), own, made in zip(readable, terms, pieces, strict=True):
            kinds = {
                "The terms": held != own,
                "The values for filters": values[num] != set(attributes(node.metadata)),
                "The wordpieces": kept not in (None, made.astype(PIECE).tobytes()),
            }
            if wrong := [kind for kind, differs in kinds.items() if differs]:
                yield node.id, wrong


def _records(
    connection: sqlite3.Connection, tokenizer: Tokenizer, nodes: Sequence[Node], known: dict[str, int]
) -> list[bytes]:
    """Return the records of terms that nodes would have, by the file's numbers; ``known`` are those read so far."""
    terms, lengths = _read(tokenizer, nodes)
    unseen = dict.fromkeys(set(terms).difference(known), _UNKNOWN)
    known |= unseen
    known |= dict(
        connection.execute(f"SELECT term, num FROM terms WHERE term IN ({_LISTED})", (json.dumps(list(unseen)),))
    )
    return token_records(np.fromiter(map(known.__getitem__, terms), np.int64, len(terms)), lengths)


def _values(connection: sqlite3.Connection, first: int, last: int) -> defaultdict[int, set[tuple[Any, ...]]]:
    """Return what filters compare of the nodes in a range of numbers."""
    sql = "SELECT node, key, value, kind FROM attributes WHERE node BETWEEN ? AND ?"
    values = defaultdict[int, set[tuple[Any, ...]]](set)
    for num, *value in connection.execute(sql, (first, last)):
        values[num].add(tuple(value))
    return values


def _same_full_text(connection: sqlite3.Connection) -> bool:
    """Whether the full text holds the words that it would, made now: how often each, and how many each node has.

    FTS5's own check of its content is a write, which a file that is only read refuses.
    """
    try:
        for statement in _FULL_TEXT:
            connection.execute(statement)
        return not any(
            connection.execute(f"SELECT EXISTS (SELECT * FROM ({one} EXCEPT {other}))").fetchone()[0]
            for pair in (_LENGTHS, _TERMS)
            for one, other in (pair, pair[::-1])
        )
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_CORRUPT:
            raise
        return False
    finally:
        for statement in _FORGOTTEN:
            connection.execute(statement)
