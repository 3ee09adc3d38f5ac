"""The collections of a graph.

Every row but those of ``commits`` has two marks: it is there from the commit ``since`` on and until before the commit
``until``. A commit is one row of ``commits``, written last, so what a write brings is visible as a whole, or never.
"""

from __future__ import annotations

import re
from typing import Any

from pymilvus import DataType, MilvusClient

from fourfold.engines.milvus.link import Link
from fourfold.errors import StoreError

OPEN = 2**62
"""``until`` of rows that nobody has replaced or deleted."""
LONGEST = 65_535
"""Bytes of a text; Milvus keeps no longer."""
MOST_FACTS = 4_096
"""Values in an array; Milvus keeps no more."""
UNUSED = [0.0, 0.0]
"""Milvus wants a vector in every collection."""
COLLECTIONS = ("nodes", "edges", "records", "commits")

_NUMBER: dict[str, Any] = {"datatype": DataType.INT64}
_DIGEST: dict[str, Any] = {"datatype": DataType.VARCHAR, "max_length": 32}
_TEXT: dict[str, Any] = {"datatype": DataType.VARCHAR, "max_length": LONGEST}
_FACTS: dict[str, Any] = {
    "datatype": DataType.ARRAY,
    "element_type": DataType.VARCHAR,
    "max_capacity": MOST_FACTS,
    "max_length": 32,
}
_WORDS: dict[str, Any] = {"datatype": DataType.SPARSE_FLOAT_VECTOR}
_PLACEHOLDER: dict[str, Any] = {"datatype": DataType.FLOAT_VECTOR, "dim": len(UNUSED)}
_MARKS = {"since": _NUMBER, "until": _NUMBER}
_FIELDS: dict[str, dict[str, dict[str, Any]]] = {
    "nodes": {
        **_MARKS,
        "num": _NUMBER,
        "key": _DIGEST,
        "lot": _NUMBER,
        "name_key": _NUMBER,
        "hash": {**_TEXT, "max_length": 200},
        **dict.fromkeys(("id", "name", "type", "text", "metadata", "terms", "pieces"), _TEXT),
        "facts": _FACTS,
        "words": _WORDS,
    },
    "edges": {
        **_MARKS,
        **dict.fromkeys(("num", "source", "target", "type"), _NUMBER),
        "weight": {"datatype": DataType.DOUBLE},
        "key": _DIGEST,
        "unused": _PLACEHOLDER,
    },
    "records": {**_MARKS, "kind": _DIGEST, "key": _DIGEST, "value": _TEXT, "unused": _PLACEHOLDER},
    "commits": {"value": _TEXT, "unused": _PLACEHOLDER},
}
_INDEXED = {
    "nodes": ("num", "key", "lot", "name_key", "until"),
    "edges": ("source", "target", "key", "until"),
    "records": ("kind", "key", "until"),
    "commits": (),
}


def visible(commit: int) -> str:
    """Return the expression of the rows that are there at a commit."""
    return f"since <= {commit:d} and until > {commit:d}"


def space(number: int) -> str:
    """Return the collection of the vectors of one length and one embedder; a re-embedding makes another."""
    return f"vectors_{number:d}"


def exists(link: Link) -> bool:
    """Return whether there is a graph: ``commits`` is made last.

    Raises:
        StoreError: a collection of another application has the name of one of the graph's.

    """
    with link.trying("Opening"):
        return [_there(link, collection) for collection in COLLECTIONS][-1]


def _there(link: Link, collection: str) -> bool:
    """Return whether a collection is there; StoreError where another application made it: it is never touched."""
    name = link.name(collection)
    if not link.client.has_collection(name):
        return False
    fields = {field["name"] for field in link.client.describe_collection(name)["fields"]}
    if not {"row", *(_FIELDS["commits"] if collection == "commits" else _MARKS)} <= fields:
        raise StoreError(
            f"The collection {name!r} at {link.path!r} is another application's: it has the fields "
            f"{', '.join(sorted(fields))}. Name another graph in the address, ?graph=NAME, or another database."
        )
    return True


def make(link: Link) -> None:
    """Make the collections that are not there yet."""
    for collection in COLLECTIONS:
        with link.trying("Opening"):
            if not _there(link, collection):
                _make(link, collection, _FIELDS[collection], _INDEXED[collection])


def load(link: Link) -> None:
    """Make the collections answer; after a restart they do not."""
    with link.trying("Opening"):
        known = re.compile(f"{link.name('')}({'|'.join(COLLECTIONS)}|{space(0)[:-1]}[0-9]+)")
        for name in link.client.list_collections():
            if known.fullmatch(name):
                link.client.load_collection(name)


def make_space(link: Link, number: int, dimensions: int) -> None:
    """Make an empty collection of vectors; what a writer that died has left under this name goes."""
    with link.trying("Writing"):
        drop_space(link, number)
        vector: dict[str, Any] = {"datatype": DataType.FLOAT_VECTOR, "dim": width(dimensions)}
        fields = {**_MARKS, "num": _NUMBER, "hash": {**_TEXT, "max_length": 200}, "vector": vector}
        _make(link, space(number), fields, ("num", "until"))


def drop_space(link: Link, number: int) -> None:
    """Drop a collection of vectors of ours, where there is one."""
    if _there(link, space(number)):
        link.client.drop_collection(link.name(space(number)))


def width(dimensions: int) -> int:
    """Return how long stored vectors are: Milvus takes none of a single number, so a zero is added."""
    return max(dimensions, 2)


def _make(link: Link, collection: str, fields: dict[str, dict[str, Any]], indexed: tuple[str, ...]) -> None:
    client, name = link.client, link.name(collection)
    schema = MilvusClient.create_schema(auto_id=False, enable_dynamic_field=False)
    schema.add_field("row", DataType.INT64, is_primary=True)
    indexes = client.prepare_index_params()
    for field, options in fields.items():
        schema.add_field(field, **options)
        if options is _WORDS:
            indexes.add_index(field, index_type="SPARSE_INVERTED_INDEX", metric_type="IP")
        elif options is _PLACEHOLDER:
            indexes.add_index(field, index_type="FLAT", metric_type="L2")
        elif options["datatype"] == DataType.FLOAT_VECTOR:
            more = {"M": 16, "efConstruction": 200} if link.address.index == "HNSW" else {}
            indexes.add_index(field, index_type=link.address.index, metric_type="COSINE", params=more)
    if not link.lite:  # Milvus Lite finds rows without, and has none for arrays
        for field in (*indexed, *(field for field, options in fields.items() if options is _FACTS)):
            indexes.add_index(field, index_type="INVERTED")
    client.create_collection(name, schema=schema, consistency_level="Strong")
    client.create_index(name, indexes, sync=False)
    client.load_collection(name)
