"""Tables of a business → the SQL of two views, one of nodes and one of edges, as keys and names of columns suggest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from fourfold.engines.foreign.spellings import PERSONAL, TEXTS, singular, words
from fourfold.engines.foreign.tables import Table, name_column, quoted

_SAID = ("TEXT", "CHAR", "CLOB", "INT", "REAL", "NUM", "DEC", "DOUBLE", "FLOAT", "DATE", "TIME", "BOOL", "MONEY")
"""What the types of columns hold that say something in a text; keys, pictures and vectors do not."""

_NAMES, _SUBJECTS = ("company", "firm"), ("subject",)
"""Columns that name a row, besides those that name nodes; those that tell of one that goes by its number."""


def suggested(tables: Sequence[Table]) -> str:
    """Return the statements that make the views; "" where no foreign key joins rows.

    A row of a table with a key of one column is a node. A foreign key of its is an edge, called as the column is. A
    table that is no more than two foreign keys is of edges, called as the table is.
    """
    stored = {table.name.lower(): table for table in tables if not table.view and words(table.name)}
    joins = [table for table in stored.values() if _joins(table)]
    things = {name: table for name, table in stored.items() if len(table.primary) == 1 and table not in joins}
    kinds = {name: _kind(table) for name, table in things.items()}
    taken = Counter(kinds.values())  # of "user" and "users" each keeps its name
    kinds = {name: kind if taken[kind] == 1 else name for name, kind in kinds.items()}
    edges = [edge for table in stored.values() for edge in _edges(table, things, kinds, joined=table in joins)]
    if not edges:
        return ""
    nodes = map(_node, things.values(), kinds.values())
    return f"CREATE VIEW nodes AS\n{_union(nodes)};\nCREATE VIEW edges AS\n{_union(edges)};\n"


def _joins(table: Table) -> bool:
    """Whether a table only joins two others; how many of what, and since when, are no things."""
    said = (column for column, kind in table.columns.items() if "TEXT" in kind or "CHAR" in kind)
    return len(table.references) == 2 and not set(said) - set(table.references)


def _node(table: Table, kind: str) -> str:
    key = table.primary[0]
    number = f"{_text(kind.replace('_', ' ').capitalize() + ' ')} || {quoted(key)}"
    personal = [column for column in table.columns if words(column) in PERSONAL]
    name = name_column(table, key)
    name = _ending(table, _NAMES) if name in (None, key) else name
    title = _ending(table, _SUBJECTS) if name is None else None
    if personal:
        parts = [f"COALESCE({quoted(column)} || ' ', '')" for column in personal]  # few have a middle name
        said = f"TRIM({' || '.join(parts)})"
    elif name is not None:
        said = quoted(name)
    else:
        said = number if title is None else f"{number} || COALESCE(': ' || {quoted(title)}, '')"
    left = {key, name, title, *personal, *table.references}
    parts = [_part(column) for column, of in table.columns.items() if column not in left and _is_said(of)]
    return (
        f"  SELECT {_id(kind, key)} AS id, {said} AS name, {_text(kind)} AS type, "
        f"RTRIM({' || '.join(parts) or _text('')}, '; ') AS text FROM {quoted(table.name)}"
    )


def _edges(table: Table, things: Mapping[str, Table], kinds: Mapping[str, str], *, joined: bool) -> Iterator[str]:
    ends = []
    for column in table.columns:
        other, referred = table.references.get(column, ("", None))
        known = things.get(other.lower())
        if known is not None and referred in (None, known.primary[0]):
            ends.append((column, _id(kinds[other.lower()], column)))
    if joined:
        if len(ends) == 2:
            (_, source), (_, target) = ends
            yield _edge(source, target, "_".join(words(table.name)), table, [column for column, _ in ends])
    elif table.name.lower() in things:
        for column, end in ends:
            said = [word for word in words(column) if word not in ("id", "fk")] or list(words(column))
            yield _edge(_id(kinds[table.name.lower()], table.primary[0]), end, "_".join(said), table, [column])


def _edge(source: str, target: str, kind: str, table: Table, needed: Sequence[str]) -> str:
    there = " AND ".join(f"{quoted(column)} IS NOT NULL" for column in needed)
    ends = f"{source} AS source, {target} AS target, {_text(kind)} AS type"
    return f"  SELECT {ends} FROM {quoted(table.name)} WHERE {there}"


def _kind(table: Table) -> str:
    *before, last = words(table.name)
    return "_".join([*before, singular(last)])


def _ending(table: Table, ends: Sequence[str]) -> str | None:
    return next((column for column in table.columns if words(column)[-1:] and words(column)[-1] in ends), None)


def _part(column: str) -> str:
    label = "" if words(column)[-1:] and words(column)[-1] in TEXTS else f"{' '.join(words(column))}: "
    return f"COALESCE({_text(label)} || CAST({quoted(column)} AS TEXT) || '; ', '')"


def _is_said(kind: str) -> bool:
    return not kind or any(each in kind for each in _SAID)


def _id(kind: str, column: str) -> str:
    return f"{_text(kind + ':')} || {quoted(column)}"


def _union(parts: Iterable[str]) -> str:
    return "\n  UNION ALL\n".join(parts)


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
