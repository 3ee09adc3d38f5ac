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

    A row of a table with a key is a node. A foreign key of its is an edge, called as the column is. A table that is no
    more than two foreign keys is of edges, called as the table is; where it says more of the two, it is both. Tables
    that are in neither view are named.
    """
    stored = {table.name.lower(): table for table in tables if not table.view and words(table.name)}
    joins = [table for table in stored.values() if _joins(table)]
    things = {name: table for name, table in stored.items() if table.primary and table not in joins}
    kinds = {name: _kind(table) for name, table in things.items()}
    taken = Counter(kinds.values())  # of "user" and "users" each keeps its name
    kinds = {name: kind if taken[kind] == 1 else name for name, kind in kinds.items()}
    edges = [edge for table in stored.values() for edge in _edges(table, things, kinds)]
    if not edges:
        return ""
    nodes = map(_node, things.values(), kinds.values())
    left = [" ".join(table.name.split()) for table in stored.values() if table not in joins and not table.primary]
    remark = f"-- Left out, as no primary key tells their rows apart: {', '.join(left)}.\n" if left else ""
    return f"{remark}CREATE VIEW nodes AS\n{_union(nodes)};\nCREATE VIEW edges AS\n{_union(edges)};\n"


def _joins(table: Table) -> bool:
    """Whether a table only joins two others; how many of what, and since when, are no things."""
    said = (column for column, kind in table.columns.items() if "TEXT" in kind or "CHAR" in kind)
    referred: dict[str, Counter[str | None]] = {}
    for other, of in table.references.values():
        referred.setdefault(other.lower(), Counter())[of] += 1
    ends = sum(max(columns.values()) for columns in referred.values())  # a key of two columns is one end
    return ends == 2 and not set(said) - set(table.references)


def _node(table: Table, kind: str) -> str:
    number = f"{_text(kind.replace('_', ' ').capitalize() + ' ')} || {_joined(table.primary)}"
    personal = [column for column in table.columns if words(column) in PERSONAL]
    name = name_column(table, table.primary[0])
    name = _ending(table, _NAMES) if name is None or name in table.primary else name
    title = _ending(table, _SUBJECTS) if name is None else None
    if personal:
        parts = [f"COALESCE({quoted(column)} || ' ', '')" for column in personal]  # few have a middle name
        said = f"TRIM({' || '.join(parts)})"
    elif name is not None:
        said = quoted(name)
    else:
        said = number if title is None else f"{number} || COALESCE(': ' || {quoted(title)}, '')"
    left = {*table.primary, name, title, *personal, *table.references}
    parts = [_part(column) for column, of in table.columns.items() if column not in left and _is_said(of)]
    return (
        f"  SELECT {_id(kind, table.primary)} AS id, {said} AS name, {_text(kind)} AS type, "
        f"RTRIM({' || '.join(parts) or _text('')}, '; ') AS text FROM {quoted(table.name)}"
    )


def _edges(table: Table, things: Mapping[str, Table], kinds: Mapping[str, str]) -> Iterator[str]:
    ends = [(key, other) for other, thing in things.items() for key in _referring(table, other, thing.primary)]
    ends.sort(key=lambda end: list(table.columns).index(end[0][0]))
    needed = [column for key, _ in ends for column in key]
    if len(ends) == 2 and (_joins(table) or set(needed) == set(table.primary)):
        source, target = (_id(kinds[other], key) for key, other in ends)
        yield _edge(source, target, "_".join(words(table.name)), table, needed)
    if table.name.lower() in things:
        for key, other in ends:
            said = [word for word in words(key[0]) if word not in ("id", "fk")] or list(words(key[0]))
            its = len(key) > 1 or key[0] == things[other].primary[0]  # "sku" tells nothing of products
            kind = kinds[other] if its else "_".join(said)
            yield _edge(_id(kinds[table.name.lower()], table.primary), _id(kinds[other], key), kind, table, key)


def _referring(table: Table, other: str, primary: Sequence[str]) -> list[list[str]]:
    """Return the columns of a table that hold the key of another, each time that it does."""
    referred = {column: table.references.get(column, ("", None)) for column in table.columns}
    there = {column: of for column, (name, of) in referred.items() if name.lower() == other}
    if len(primary) == 1:
        return [[column] for column, of in there.items() if of in (None, primary[0])]
    key = [next((column for column, of in there.items() if of == part), "") for part in primary]
    return [key] if all(key) else []


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


def _id(kind: str, key: Sequence[str]) -> str:
    return f"{_text(kind + ':')} || {_joined(key)}"


def _joined(key: Sequence[str]) -> str:
    return " || ':' || ".join(map(quoted, key))


def _union(parts: Iterable[str]) -> str:
    return "\n  UNION ALL\n".join(parts)


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
