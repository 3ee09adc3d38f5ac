"""Which table of a foreign database holds the nodes, which the edges, which the vectors, and what their columns mean.

Foreign keys decide where there are any; else spellings propose and the data disposes: of several node tables and key
columns the one wins in which the ends of the edges are found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cache

from fourfold.engines.foreign import ForeignSchema
from fourfold.engines.foreign.spellings import (
    EDGE_TABLES,
    ENDS,
    IDS,
    JSON,
    NAMES,
    NODE_TABLES,
    OF_GRAPHS,
    PERSONAL,
    PLAIN,
    RELATIONS,
    TEXTS,
    TYPES,
    VECTOR_VALUES,
    VECTORS,
    WEIGHTS,
    singular,
    words,
)
from fourfold.engines.foreign.tables import Table, name_column
from fourfold.engines.foreign.views import suggested
from fourfold.errors import SchemaDetectionError

Matches = Callable[[str, str, str, str], float]
"""(edge table, end column, node table, key column) → share of the ends that are keys, in [0, 1]."""

_MOST_ENDS = 0.5

_MOST_PAIRS = 1_000_000
"""Pairs of a table that may hold edges and a column that may be the key of nodes: some ten seconds."""


@dataclass(frozen=True, slots=True)
class _Edges:
    table: Table
    source: str
    target: str
    refers_to: tuple[str, str | None] | None
    rank: int


def detect(
    tables: Sequence[Table], path: str, matches: Matches, node_table: str | None = None, *, itself: bool = False
) -> ForeignSchema:
    """Return what the tables mean.

    Args:
        tables: all that can be read.
        path: where they are, for messages.
        matches: see ``Matches``.
        node_table: the one that holds the nodes, where somebody has said so.
        itself: a column of the nodes that refers to the nodes is taken for edges where there is no table of them.

    Raises:
        SchemaDetectionError: no node table can be recognised.

    """
    matches = cache(matches)
    edge_tables = [edges for edges in _edges_among(tables, matches) if edges.table.name != node_table]
    readings = [
        reading
        for nodes in tables
        if nodes.name == node_table or (node_table is None and _may_hold_nodes(nodes, edge_tables))
        for reading in _readings(nodes, edge_tables, matches, given=nodes.name == node_table)
    ]
    if not readings:
        raise _not_recognised(tables, path)
    _, nodes, key, found = max(readings, key=lambda reading: reading[0])  # of equal ones the first
    if found is None:  # nothing refers to the nodes: take an edge table by its name, if there is one
        found = next((edges for edges in edge_tables if _is_called(edges.table, EDGE_TABLES)), None)
    if found is None and itself and (columns := to_itself(nodes, key)):
        found = _Edges(nodes, key, columns[0], (nodes.name, key), 0)
    if found is None and node_table is None and _is_of_business(nodes, tables):
        raise _not_recognised(tables, path)
    return _described(nodes, key, found, tables, matches)


def _may_hold_nodes(table: Table, edge_tables: Sequence[_Edges]) -> bool:
    return not _is_vector_table(table) and all(edges.table is not table for edges in edge_tables)


def _readings(
    nodes: Table, edge_tables: Sequence[_Edges], matches: Matches, *, given: bool
) -> Iterator[tuple[float, Table, str, _Edges | None]]:
    """Yield (how likely it is, the table of nodes, its key, the edges that go with it) for a table and its keys.

    Without edges that go with it, a table is of nodes where its name says so, or somebody has said so (``given``).
    """
    called = _is_called(nodes, NODE_TABLES)
    for place, key in enumerate(_keys(nodes)):
        likely = 3.0 * called + 1.0 * (name_column(nodes, key) is not None) - 0.1 * place
        for edges in edge_tables:
            if (fit := _fit(edges, nodes, key, matches)) > 0:
                yield likely + fit, nodes, key, edges
        if called or given:
            yield likely, nodes, key, None


def _is_of_business(table: Table, tables: Sequence[Table]) -> bool:
    """Whether a table that may be called as one of nodes is one of several that foreign keys join: items of orders."""
    own, others = table.name.lower(), [each for each in tables if not _is_vector_table(each)]
    keys = [{each.name.lower(), to.lower()} for each in others for to, _ in each.references.values()]
    is_joined = any(own in ends and len(ends) > 1 for ends in keys)
    return is_joined and not _is_called(table, OF_GRAPHS) and bool(suggested(others))


def to_itself(nodes: Table, key: str) -> list[str]:
    """Return the columns of a node table by which a node refers to another, as to its parent."""
    primary = nodes.primary[0] if len(nodes.primary) == 1 else None
    return [
        column
        for column, (table, referred) in nodes.references.items()
        if table.lower() == nodes.name.lower() and (referred or primary) == key and column != key
    ]


def unread(schema: ForeignSchema, tables: Sequence[Table], matches: Matches) -> list[str]:
    """Return the tables of edges beside the one that was found, whose ends are nodes of some table.

    None where that one is a view: it was made by somebody who knew. Other views may say what the table says.
    """
    matches = cache(matches)
    stored = [table for table in tables if not table.view]
    if all(table.name != schema.edge_table for table in stored):
        return []
    known = (schema.node_table, schema.edge_table, schema.vector_table)
    of_edges = _edges_among(stored, matches)
    found = [edges for edges in of_edges if edges.table.name not in known]
    found = [each for each in found if each.refers_to or each.rank < PLAIN or _is_called(each.table, EDGE_TABLES)]
    nodes = [t for t in stored if t.name == schema.node_table or all(edges.table is not t for edges in of_edges)]
    return [edges.table.name for edges in found if any(_joins(edges, table, matches) for table in nodes)]


def _joins(edges: _Edges, nodes: Table, matches: Matches) -> bool:
    """Whether at least half of the ends of some edges are nodes of a table."""
    ends = (edges.source, edges.target)
    return any(
        _fit(edges, nodes, key, matches) > 0
        and min(matches(edges.table.name, end, nodes.name, key) for end in ends) >= _MOST_ENDS
        for key in _keys(nodes)
    )


def is_json_column(column: str) -> bool:
    """Whether a column of this name holds JSON objects to be merged into the metadata."""
    return words(column)[-1:] != () and words(column)[-1] in JSON


def _is_called(table: Table, names: frozenset[str]) -> bool:
    return bool(table_words := words(table.name)) and singular(table_words[-1]) in names


def _is_vector_table(table: Table) -> bool:
    return any(word in VECTORS for word in words(table.name)) and _first(table, VECTOR_VALUES) is not None


def _edges_among(tables: Sequence[Table], matches: Matches) -> list[_Edges]:
    """Return the tables of edges.

    Nodes, too, may have two columns that go together, such as "valid from" and "valid to": a table is of edges where
    foreign keys, its own name or the data say so.
    """
    found = [edges for table in tables if (edges := _as_edges(table)) is not None]
    referred = {each.refers_to[0].lower() for each in found if each.refers_to and not _is_of_itself(each)}
    keys = [(table, key) for table in tables for key in _keys(table)]
    if len(found) * len(keys) > _MOST_PAIRS:
        raise SchemaDetectionError(
            f"{len(found):,} of {len(tables):,} tables may hold edges, too many to tell by their rows; say what "
            "they mean with Retriever.open_foreign(path, ForeignSchema(node_table=…, id=…, edge_table=…, source=…, …))."
        )

    def is_sure(edges: _Edges) -> bool:
        if edges.refers_to is not None:
            return not _is_of_itself(edges)
        told_of = edges.table.name.lower() in referred
        if _is_called(edges.table, EDGE_TABLES) and not told_of:
            return True
        if edges.rank >= PLAIN and (told_of or _is_called(edges.table, NODE_TABLES)):
            return False  # of nodes, two numbers such as ratings are the ids of some other table only by chance
        return any(table is not edges.table and _fit(edges, table, key, matches) > 0 for table, key in keys)

    return [edges for edges in found if is_sure(edges)]


def _is_of_itself(edges: _Edges) -> bool:
    """Whether the ends are rows of the same table, which are nodes then: their two parents, say."""
    return edges.refers_to is not None and edges.refers_to[0].lower() == edges.table.name.lower()


def _as_edges(table: Table) -> _Edges | None:
    """Return the table with its two ends, if it looks like one of edges."""
    candidates = []
    for source, target, rank in _end_pairs(table):
        refers_to = table.references.get(source)
        same = refers_to is not None and refers_to == table.references.get(target)
        candidates.append(_Edges(table, source, target, refers_to if same else None, rank))
    if not any(edges.refers_to for edges in candidates):
        candidates += _by_foreign_keys(table)
    return min(candidates, key=lambda edges: (edges.refers_to is None, edges.rank), default=None)


def _end_pairs(table: Table) -> Iterable[tuple[str, str, int]]:
    """Yield (source column, target column, rank): two columns that differ only in the word for the end."""
    by_words = {words(column): column for column in table.columns}
    for rank, (source, target) in enumerate(ENDS):
        for spelling, column in by_words.items():
            other = tuple(target if word == source else word for word in spelling)
            if source in spelling and other in by_words:
                yield column, by_words[other], 2 * rank + (spelling[-1] not in IDS)


def _by_foreign_keys(table: Table) -> list[_Edges]:
    """Two foreign keys to one table are the ends of an edge, whatever they are called."""
    by_target: dict[tuple[str, str | None], list[str]] = {}
    for column in table.columns:
        if column in table.references:
            by_target.setdefault(table.references[column], []).append(column)
    return [
        _Edges(table, columns[0], columns[1], target, len(ENDS) * 2)
        for target, columns in by_target.items()
        if len(columns) == 2 and target[0] != table.name
    ]


def _keys(table: Table) -> list[str]:
    """Return the columns that may be a node's id, the likeliest first."""
    keys = list(table.primary) if len(table.primary) == 1 else []
    own = singular(words(table.name)[-1]) if words(table.name) else ""
    spellings = [("id",), (own, "id"), ("node", "id"), *((word,) for word in IDS), (own,), *((n,) for n in NAMES)]
    for spelling in (*spellings, (own, "name"), (own, "key"), (own, "uuid")):
        keys += [column for column in table.columns if words(column) == spelling]
    return list(dict.fromkeys(keys))


def _fit(edges: _Edges, nodes: Table, key: str, matches: Matches) -> float:
    """Return how well an edge table goes with a node table; 0 if not at all."""
    if edges.refers_to is not None:
        table, column = edges.refers_to
        primary = nodes.primary[0] if len(nodes.primary) == 1 else None
        return 20.0 if table.lower() == nodes.name.lower() and (column or primary) == key else 0.0
    ends = (edges.source, edges.target)
    share = min(matches(edges.table.name, end, nodes.name, key) for end in ends)
    named = _is_called(edges.table, EDGE_TABLES)
    return 5.0 * share + 2.0 * named - 0.05 * edges.rank if share >= (0.1 if named else 0.5) else 0.0


def _described(
    nodes: Table, key: str, edges: _Edges | None, tables: Sequence[Table], matches: Matches
) -> ForeignSchema:
    name = name_column(nodes, key)
    taken = {key, name}
    vector = _first(nodes, VECTORS, taken)
    type_ = _first(nodes, TYPES, {*taken, vector})
    taken |= {vector, type_}
    free = [column for column in nodes.columns if column not in taken and words(column)]
    text = tuple(column for column in free if words(column)[-1] in TEXTS or words(column) in PERSONAL)
    relation, weight = (None, None) if edges is None or edges.table is nodes else _relation_and_weight(edges)
    owner = None if vector is not None else _vector_owner(nodes, key, edges, tables, matches)
    return ForeignSchema(
        node_table=nodes.name,
        id=key,
        name=name,
        type=type_,
        text=text,
        vector=vector,
        edge_table=edges.table.name if edges else None,
        source=edges.source if edges else None,
        target=edges.target if edges else None,
        edge_type=relation,
        weight=weight,
        vector_table=owner[0].name if owner else None,
        vector_node=owner[1] if owner else None,
        vector_column=owner[2] if owner else None,
    )


def _relation_and_weight(edges: _Edges) -> tuple[str | None, str | None]:
    """Return the columns that say the type of an edge and its weight; a key of the table says neither."""
    ends = {edges.source, edges.target}
    keys = set(edges.table.primary) if len(edges.table.primary) == 1 else set()
    relation = _first(edges.table, RELATIONS, ends | keys)
    return relation, _first(edges.table, WEIGHTS, {*ends, relation})


def _vector_owner(
    nodes: Table, key: str, edges: _Edges | None, tables: Sequence[Table], matches: Matches
) -> tuple[Table, str, str] | None:
    """Return the embedding table with its columns for node and vector."""
    known = {("embeddings",): 0, ("node", "embeddings"): 1, ("vec", "embeddings"): 2}
    candidates = [t for t in tables if _is_vector_table(t) and t is not nodes and (not edges or t is not edges.table)]
    for table in sorted(candidates, key=lambda t: known.get(words(t.name), 9)):
        vector = _first(table, VECTOR_VALUES)
        referring = [c for c, (target, _) in table.references.items() if target.lower() == nodes.name.lower()]
        owners = [c for c in (*referring, *table.columns) if c != vector and words(c)[-1:] and _may_name_node(c, nodes)]
        if vector is None or not (owners := list(dict.fromkeys(owners))):
            continue
        shares = {column: matches(table.name, column, nodes.name, key) for column in owners}
        best = max(owners, key=lambda column: (column in referring, shares[column], -owners.index(column)))
        return table, best, vector
    return None


def _may_name_node(column: str, nodes: Table) -> bool:
    own = {singular(word) for word in words(nodes.name)}
    known = {*IDS, "node", "entity", "concept", "name", *own}
    return column.lower() == "rowid" or any(word in known for word in words(column))


def _first(table: Table, last_words: Sequence[str], taken: Iterable[str | None] = ()) -> str | None:
    """Return the first column, in the order of the words, that is or ends in one of them."""
    free = [column for column in table.columns if column not in set(taken)]
    for word in last_words:
        for wanted in ((word,), None):
            for column in free:
                spelling = words(column)
                if spelling == wanted or (wanted is None and spelling[-1:] == (word,)):
                    return column
    return None


def seen(tables: Sequence[Table]) -> str:
    """Return the sentence that names the tables, the first of them with their columns."""
    if not tables:
        return "it has no tables."
    listed = "; ".join(f"{table.name} ({', '.join(table.columns)})" for table in tables[:12])
    more = f"; and {len(tables) - 12} more" if len(tables) > 12 else ""
    return f"the tables seen are: {listed}{more}."


def _not_recognised(tables: Sequence[Table], path: str) -> SchemaDetectionError:
    options = ", ".join(f.name for f in fields(ForeignSchema))
    views = suggested(tables)
    several = (
        " Several tables become one graph by a view of nodes and one of edges; `views` of this error has the SQL that "
        "their foreign keys suggest."
    )
    error = SchemaDetectionError(
        f"No node table could be recognised in {path!r}; {seen(tables)}{several if views else ''} Say what they mean "
        "with Retriever.open_foreign(path, ForeignSchema(node_table=…, id=…, name=…, edge_table=…, source=…, target=…, "
        f"edge_type=…)); its fields are {options}."
    )
    error.views = views
    return error
