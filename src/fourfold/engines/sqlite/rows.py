"""Small lookups that readers and writers of a Fourfold file share."""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourfold.arguments import LONGEST_NAME, shown
from fourfold.encodings import encodable
from fourfold.engines.base import OWN_SHARE
from fourfold.engines.sqlite.schema import schema_version
from fourfold.engines.staging import STAGING
from fourfold.frozen import freeze
from fourfold.types import Node
from fourfold.validation import LONGEST_VECTOR

LARGEST_NUMBER = 2**31 - 1
"""Largest number of a node or a term; arrays are as long as the largest."""


class DamagedValueError(ValueError):
    """A value that no version of fourfold writes; the store turns it into a StoreError that names the file."""


_DIGITS = 15
_KINDS: Mapping[str, Callable[[str], bool]] = {
    "dimensions": lambda value: 0 < int(value) <= LONGEST_VECTOR,
    OWN_SHARE: lambda value: 0 <= float(value) <= 1,
    **dict.fromkeys(
        ("embedder", "tokenizer", "words"), lambda value: value.isprintable() and len(value) <= LONGEST_NAME
    ),
    **dict.fromkeys(("ingest_limit_shared", "ingest_limit_title"), lambda value: 0 <= int(value) <= LARGEST_NUMBER),
    "ingest_roots": lambda value: all(isinstance(part, str) for entry in json.loads(value).items() for part in entry),
    STAGING: lambda value: isinstance(json.loads(value)["embedder"], str),
    "copying": lambda value: isinstance(json.loads(value)["from"], str),
    **dict.fromkeys(
        ("config", "embedder_training", "embedding", "foreign_counts", "foreign_schema", "ingest"),
        lambda value: isinstance(json.loads(value), dict),
    ),
}
"""What the settings are that others than their writers read."""


def numbers(connection: sqlite3.Connection, sql: str, parameters: Sequence[Any]) -> NDArray[np.int64]:
    """Return the numbers of nodes that a statement selects as ``num``, in any order.

    As one string: a row for each of a million takes four times as long, and holds up all other threads meanwhile.

    Raises:
        DamagedValueError: one is none.

    """
    (listed,) = connection.execute(f"SELECT group_concat(num) FROM ({sql})", parameters).fetchone()
    if strange := (listed or "").encode().translate(None, b"0123456789,"):
        raise DamagedValueError(f"{shown(strange)} in the number of a node")
    return np.fromstring(listed or "", np.int64, sep=",")


def meta(connection: sqlite3.Connection, key: str) -> str | None:
    """Return a stored setting, or None; DamagedValueError where it is not of the kind that the setting has."""
    row = connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    if row is None:
        return None
    value = row[0]
    try:
        if not isinstance(value, str) or (key in _KINDS and not _KINDS[key](value)):
            raise ValueError
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise DamagedValueError(f"{shown(value)} as the setting {key!r}") from error
    return value


def generation_of(connection: sqlite3.Connection) -> int:
    """Return the number that every committed write moves on."""
    row = connection.execute("SELECT value FROM meta WHERE key = 'generation'").fetchone()
    if row is None or not (generation := str(row[0])).isdecimal() or len(generation) > _DIGITS:
        raise DamagedValueError("no generation")
    return int(generation)


def token_of(connection: sqlite3.Connection, generation: int) -> str:
    """Return the mark of the write that made a generation; empty where none was kept."""
    if schema_version(connection) < 3:  # opened read-only, as an older version of fourfold left it
        return ""
    row = connection.execute("SELECT token FROM writes WHERE generation = ?", (generation,)).fetchone()
    return "" if row is None else str(row[0])


def last_write(connection: sqlite3.Connection) -> tuple[int, str]:
    """Return the generation and the mark of the write that made it."""
    return (generation := generation_of(connection)), token_of(connection, generation)


def comes_after(connection: sqlite3.Connection, write: tuple[int, str]) -> bool:
    """Whether a file may have had this last write, or has it: another graph's copy, or an earlier one, has not."""
    generation, token = write
    return generation <= generation_of(connection) and token_of(connection, generation) in ("", token)


def nums_of(connection: sqlite3.Connection, ids: Sequence[str]) -> dict[str, int]:
    """Return the number of each id that is a node."""
    sql = "SELECT n.id, n.num FROM json_each(?) j JOIN nodes n ON n.id = j.value"
    return dict(connection.execute(sql, (id_list(ids),)).fetchall())


def node_of(row: Sequence[Any]) -> Node:
    """Return the node of a row of id, name, type, text and metadata."""
    identity, name, kind, text, metadata = texts(row)
    read = json.loads(metadata)
    if "\\ud" in metadata or "\\uD" in metadata:  # the only way in which JSON can hold half a character
        json.dumps(read, ensure_ascii=False).encode()
    if not isinstance(read, dict):
        raise TypeError(f"{type(read).__name__} in the place of metadata")
    return Node(identity, name, kind, text, freeze(read))


def texts(values: Iterable[object]) -> list[Any]:
    """Return values that must all be texts, DamagedValueError where one is not: SQLite's columns take anything."""
    listed = list(values)
    if other := set(map(type, listed)) - {str}:
        raise DamagedValueError(f"{other.pop().__name__} in the place of a text")
    return listed


def amounts(values: Iterable[object], kind: type[int] | type[float]) -> list[Any]:
    """Return values that must all be finite numbers of a kind, from 0 on; DamagedValueError where one is not."""
    listed: list[Any] = list(values)
    if other := set(map(type, listed)) - {kind}:
        raise DamagedValueError(f"{other.pop().__name__} in the place of a number")
    if listed and not 0 <= min(listed) <= max(listed) < math.inf:
        raise DamagedValueError(f"{min(listed)} to {max(listed)} in the place of numbers from 0 on")
    return listed


def id_list(ids: Sequence[str]) -> str:
    """Return as a list of JSON what can be ids: SQLite's JSON ends one at NUL, and UTF-8 has no lone surrogates."""
    return json.dumps([each for each in ids if "\x00" not in each and encodable(each)], ensure_ascii=False)
