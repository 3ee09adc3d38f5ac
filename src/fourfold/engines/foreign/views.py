"""Tables of a business → the SQL of two views, one of nodes and one of edges, as keys and names of columns suggest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from fourfold.engines.foreign.spellings import PERSONAL, TEXTS, singular, words
from fourfold.engines.foreign.tables import Key, Table, name_column, quoted

_UNSAID = (
    *("BLOB", "BYTEA", "BINARY", "IMAGE", "PICTURE", "RASTER", "GEOMETRY", "GEOGRAPHY", "UUID", "GUID", "VECTOR"),
    *("HALFVEC", "SPARSEVEC", "TSQUERY"),
)
"""What the types of columns hold that say nothing in a text: keys, pictures, vectors. A type of the database's own,
such as an enumeration, says something."""

_WORDS = ("TEXT", "CHAR", "CLOB")

_MEASURES = ("INT", "REAL", "NUM", "DEC", "DOUBLE", "FLOAT", "DATE", "TIME", "BOOL", "MONEY")
"""Numbers and moments: how many of what, and since when."""

_NAMES, _SUBJECTS = ("company", "firm"), ("subject",)
"""Columns that name a row, besides those that name nodes; those that tell of one that goes by its number."""


def suggested(tables: Sequence[Table]) -> str:
    """Return the statements that make the views; "" where no foreign key joins rows.

    A row of a table with a key is a node. A foreign key of its is an edge, called as the column is. A table that is no
    more than two foreign keys is of edges, called as the table is; where it says more of the two, it is both. Tables
    that are in neither view are named, and keys that refer to something else than a primary key.
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
    left = [_said(table.name) for table in stored.values() if table not in joins and not table.primary]
    remark = f"-- Left out, as no primary key tells their rows apart: {', '.join(left)}.\n" if left else ""
    lost = [each for table in stored.values() for each in _unfollowed(table, things)]
    remark += f"-- Left out, as they refer to something else than a primary key: {', '.join(lost)}.\n" if lost else ""
    place = next(iter(stored.values())).schema
    into = f"{quoted(place)}." if place else ""
    if {"nodes", "edges"} & {table.name.lower() for table in tables}:
        into += "graph_"
    # else a view reads as its owner, past the policies on the tables
    as_asked = " WITH (security_invoker = true)" if any(table.guarded for table in stored.values()) else ""
    views = {"nodes": map(_node, things.values(), kinds.values()), "edges": edges}
    made = (f"CREATE VIEW {into}{name}{as_asked} AS\n{_union(rows)};\n" for name, rows in views.items())
    return remark + "".join(made)


def _joins(table: Table) -> bool:
    """Whether a table only joins two others; how many of what, and since when, are no things."""
    said = {column for column, kind in table.columns.items() if _is_said(kind) and not _measures(kind)}
    return len({key.columns for key in table.keys}) == 2 and not said - _referring_columns(table)


def _referring_columns(table: Table) -> set[str]:
    return {column for key in table.keys for column in key.columns}


def _unfollowed(table: Table, things: Mapping[str, Table]) -> Iterator[str]:
    """Yield the foreign keys of a table, as a comment names them, that lead to things, but not by their primary key."""
    for key in table.keys:
        if (other := things.get(key.table.lower())) and set(key.referred) != set(other.primary):
            yield _said(f"{table.name} ({', '.join(key.columns)})")


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
        said = _words(table, name)
    else:
        said = number if title is None else f"{number} || COALESCE(': ' || {quoted(title)}, '')"
    left = {*table.primary, name, title, *personal, *_referring_columns(table)}
    parts = [_part(column) for column, of in table.columns.items() if column not in left and _is_said(of)]
    return (
        f"  SELECT {_id(kind, table.primary)} AS id, {said} AS name, {_text(kind)} AS type, "
        f"RTRIM({' || '.join(parts) or _text('')}, '; ') AS text FROM {_place(table)}"
    )


def _edges(table: Table, things: Mapping[str, Table], kinds: Mapping[str, str]) -> Iterator[str]:
    ends = [(key, key.table.lower()) for key in _followed(table, things)]
    needed = list(dict.fromkeys(column for key, _ in ends for column in key.columns))
    if len(ends) == 2 and (_joins(table) or set(needed) == set(table.primary)):
        source, target = (_id(kinds[other], key.columns) for key, other in ends)
        yield _edge(source, target, "_".join(words(table.name)), table, needed)
    if table.name.lower() in things:
        row, led = _id(kinds[table.name.lower()], table.primary), Counter(other for _, other in ends)
        for key, other in ends:
            own = [column for column, of in zip(key.columns, key.referred, strict=True) if column != of]
            tells = len(own) == 1 and (len(key.columns) == 1 or led[other] > 1)  # "sku" tells nothing of products
            kind = _role(own[0]) if tells else kinds[other]
            yield _edge(row, _id(kinds[other], key.columns), kind, table, key.columns)


def _role(column: str) -> str:
    """Return what a column of a foreign key says of the other: ``approved_by_id`` is "approved_by"."""
    return "_".join([word for word in words(column) if word not in ("id", "fk")] or words(column))


def _followed(table: Table, things: Mapping[str, Table]) -> list[Key]:
    """Return the foreign keys of a table that hold the primary key of a thing, in the order of its columns."""
    found: dict[tuple[str, tuple[str, ...]], Key] = {}
    for key in table.keys:
        other = things.get(key.table.lower())
        own = dict(zip(key.referred, key.columns, strict=True))
        if other is not None and set(own) == set(other.primary):
            columns = tuple(own[column] for column in other.primary)
            found.setdefault((key.table.lower(), columns), Key(columns, key.table, other.primary))
    order = list(table.columns)
    return sorted(found.values(), key=lambda key: [order.index(column) for column in key.columns])


def _edge(source: str, target: str, kind: str, table: Table, needed: Sequence[str]) -> str:
    there = " AND ".join(f"{quoted(column)} IS NOT NULL" for column in needed)
    ends = f"{source} AS source, {target} AS target, {_text(kind)} AS type"
    return f"  SELECT {ends} FROM {_place(table)} WHERE {there}"


def _kind(table: Table) -> str:
    *before, last = words(table.name)
    return "_".join([*before, singular(last)])


def _ending(table: Table, ends: Sequence[str]) -> str | None:
    return next((column for column in table.columns if words(column)[-1:] and words(column)[-1] in ends), None)


def _part(column: str) -> str:
    label = "" if words(column)[-1:] and words(column)[-1] in TEXTS else f"{' '.join(words(column))}: "
    return f"COALESCE({_text(label)} || CAST({quoted(column)} AS TEXT) || '; ', '')"


def _is_said(kind: str) -> bool:
    return not any(each in kind for each in _UNSAID)


def _measures(kind: str) -> bool:
    return not any(each in kind for each in _WORDS) and (not kind or any(each in kind for each in _MEASURES))


def _words(table: Table, column: str) -> str:
    """Return a column as SQL of a text: PostgreSQL unites no others with texts."""
    kind = table.columns[column]
    plain = not kind or any(each in kind for each in _WORDS)
    return quoted(column) if plain else f"CAST({quoted(column)} AS TEXT)"


def _place(table: Table) -> str:
    return f"{quoted(table.schema)}.{quoted(table.name)}" if table.schema else quoted(table.name)


def _said(name: str) -> str:
    """Return a name as a comment of one line holds it."""
    return " ".join(name.split())


def _id(kind: str, key: Sequence[str]) -> str:
    return f"{_text(kind + ':')} || {_joined(key)}"


def _joined(key: Sequence[str]) -> str:
    return " || ':' || ".join(map(quoted, key))


def _union(parts: Iterable[str]) -> str:
    return "\n  UNION ALL\n".join(parts)


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
