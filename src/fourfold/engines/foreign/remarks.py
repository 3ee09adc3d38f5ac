"""What is to be said of a reading of foreign tables that was found, not given: which of them are not read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fourfold.engines.foreign import ForeignSchema, detect
from fourfold.engines.foreign.detect import Matches
from fourfold.engines.foreign.tables import Table

_LISTED = 8


def remarks(schema: ForeignSchema, tables: Sequence[Table], path: str, matches: Matches) -> Iterator[str]:
    """Yield, a sentence each, that no word of the nodes is read but the id, and which tables of edges are not."""
    if not schema.text and schema.name in (None, schema.id) and schema.metadata:
        yield (
            f"No column of the table {schema.node_table!r} of {path!r} is called like a name or a text, so searches "
            f"read no word of {', '.join(map(repr, schema.metadata[:_LISTED]))}; say what they are: "
            "Retriever.open_foreign(path, ForeignSchema(name=…, text=(…,), …))."
        )
    by_name = {table.name: table for table in tables}
    found = by_name.get(schema.edge_table or "")
    left = detect.to_itself(by_name[schema.node_table], schema.id)
    left = [column for column in left if column != schema.target]
    if left and not (found is not None and found.view):  # a view was made by somebody who knew
        yield (
            f"{', '.join(map(repr, left[:_LISTED]))} of the table {schema.node_table!r} of {path!r} leads from node to "
            "node, too, and is read as metadata, not as edges; to have both, make a view of all edges (SELECT … UNION "
            "ALL SELECT …) and name it: Retriever.open_foreign(path, ForeignSchema(edge_table=…, …))."
        )
    if beside := detect.unread(schema, tables, matches):
        more = f" and {len(beside) - _LISTED} more" if len(beside) > _LISTED else ""
        yield (
            f"One table of edges is read, {schema.edge_table!r} of {path!r}; edges seem to be in "
            f"{', '.join(map(repr, beside[:_LISTED]))}{more}, too, and are left out. To read them all, make a view of "
            "the nodes and one of the edges (SELECT … UNION ALL SELECT …) and name these: "
            "Retriever.open_foreign(path, ForeignSchema(node_table=…, edge_table=…, …))."
        )
