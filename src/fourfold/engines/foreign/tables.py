"""A table of a foreign database, how it is called in SQL, and which of its columns names what a row tells of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from fourfold.engines.foreign.spellings import NAMES, singular, words


@dataclass(frozen=True, slots=True)
class Key:
    """A foreign key: the columns that hold it, and the table and columns that it refers to, in the same order."""

    columns: tuple[str, ...]
    table: str
    referred: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A readable table or view: declared types by column, the primary key, and (table, column) by foreign key.

    ``view``: whether it is known to be a view. ``keys``: its foreign keys as a whole; a column may be part of several,
    of which ``references`` has one. ``schema``: the schema it is in, where its name alone does not find it.
    ``guarded``: whether who asks decides which rows are there (row-level security).
    """

    name: str
    columns: Mapping[str, str]
    primary: tuple[str, ...] = ()
    references: Mapping[str, tuple[str, str | None]] = field(default_factory=dict)
    view: bool = False
    keys: Sequence[Key] = ()
    schema: str = ""
    guarded: bool = False


def name_column(table: Table, key: str) -> str | None:
    """Return the column with the node's name; a key of words names the node itself."""
    own = singular(words(table.name)[-1]) if words(table.name) else ""
    spellings = [("name",), (own, "name"), ("display", "name"), ("full", "name"), ("title",), (own,)]
    spellings += [(word,) for word in NAMES]
    for spelling in spellings:
        for column in table.columns:
            if words(column) == spelling:
                return column
    ending = next((column for column in table.columns if words(column)[-1:] in (("name",), ("title",))), None)
    if ending is not None:
        return ending
    return key if any(kind in table.columns[key] for kind in ("TEXT", "CHAR")) else None


def quoted(name: str) -> str:
    """Return an identifier as SQL takes it, whatever is in it."""
    return '"' + name.replace('"', '""') + '"'
