"""Graphs in tables that others made: what these mean, and what is asked of whoever reads them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any, NoReturn, Protocol

from fourfold.arguments import shown, string, strings
from fourfold.engines.addresses import options_of, parts_of, with_options
from fourfold.engines.base import Backend, Writer
from fourfold.errors import InvalidValueError, StoreError
from fourfold.types import Edge, Node


@dataclass(frozen=True, slots=True)
class ForeignSchema:
    """What the tables and columns of a foreign graph mean. It is taken as it is given: None means "there is none".

    Args:
        node_table: a table or view with one row per node.
        id: its key; integers become strings.
        name: what people call the node.
        type: the node's type.
        text: columns joined into ``Node.text``; a string is one column, also as ``metadata``.
        metadata: columns that become metadata; a column of JSON objects named like ``metadata`` or ``properties``
            is merged in. None is every column not named otherwise.
        vector: a column of embeddings in the node table: float32 blobs, JSON lists, or pgvector's types.
        edge_table: a table or view with one row per edge.
        source, target: its ends, holding values of ``id``.
        edge_type: the edge's type; without it the graph is untyped.
        weight: the edge's weight.
        vector_table: a table of embeddings, if they live in one of their own.
        vector_node: its column with the node's ``id``.
        vector_column: its column with the embedding.
        only: a column of the node table and the value, as a text, that its rows have, None for NULL (as of rows that
            are not marked as deleted); other rows are passed over.

    Raises:
        InvalidValueError: a field that holds no string, or no list of strings.

    """

    node_table: str
    id: str
    name: str | None = None
    type: str | None = None
    text: tuple[str, ...] = ()
    metadata: tuple[str, ...] | None = None
    vector: str | None = None
    edge_table: str | None = None
    source: str | None = None
    target: str | None = None
    edge_type: str | None = None
    weight: str | None = None
    vector_table: str | None = None
    vector_node: str | None = None
    vector_column: str | None = None
    only: tuple[str, str | None] | None = None

    def __post_init__(self) -> None:
        for each in fields(self):
            what, given = f"{each.name} of the ForeignSchema", getattr(self, each.name)
            if each.name == "only" and isinstance(given, tuple) and given[1:] == (None,):
                string(given[0], what)
            elif each.name in _SEVERAL:
                if given is not None:
                    object.__setattr__(self, each.name, tuple(strings(given, what)))
            elif given is not None or each.name in ("node_table", "id"):
                string(given, what)
        if self.only is not None and len(self.only) != 2:
            raise InvalidValueError(
                f"only of the ForeignSchema is {shown(self.only)}; it must be a column and the value that its rows "
                "have, such as ('tenant', '42') or ('deleted_at', None)."
            )


_SEVERAL = frozenset({"text", "metadata", "only"})
"""The fields that hold several strings; a string alone is one column."""


def address_with(url: str, **options: str | None) -> str:
    """Return an address with more options, such as ``table=``; what is None is left as it is there."""
    parts = parts_of(url)
    given = {name: value for name, value in options.items() if value is not None}
    return with_options(parts, {**options_of(parts), **given})


class Write(Protocol):
    """Embeds, tokenizes and stores nodes and edges in one transaction, which begins with ``first``."""

    def __call__(self, nodes: Sequence[Node], edges: Sequence[Edge], *, first: Callable[[Writer], None]) -> int:
        """Return the generation after the write."""
        ...


class Follower(Protocol):
    """Keeps a graph of ours in step with the foreign tables it was read from; these are never written to."""

    @property
    def path(self) -> str:
        """The foreign place, as messages call it."""
        ...

    @property
    def address(self) -> str:
        """What opens it again."""
        ...

    @property
    def schema(self) -> Any:
        """What its tables and columns mean."""
        ...

    def refuse(self) -> NoReturn:
        """Raise StoreError: a foreign graph is only read."""
        raise StoreError(
            f"{self.path!r} is a foreign graph, which is only read; change it with the application it belongs to, and "
            "the next search sees it."
        )

    def keep_in_step(self) -> None:
        """Take in what has changed there since it was last read; called before every search, so cheap where nothing."""
        ...

    def info(self) -> dict[str, Any]:
        """Return how it is read and what was skipped, in plain JSON types."""
        ...

    def close(self) -> None:
        """Close the foreign place; a second call does nothing."""
        ...


class ForeignSource(Protocol):
    """Foreign tables, understood but not yet read."""

    @property
    def index(self) -> str:
        """The URL of the graph of ours that is derived from them."""
        ...

    @property
    def index_shown(self) -> str:
        """The same as messages call it: without a password."""
        ...

    @property
    def notes(self) -> Iterable[str]:
        """Remarks on what is not read, a sentence each."""
        ...

    def follow(self, backend: Backend, write: Write) -> Follower:
        """Bring the derived graph up to date, and return what keeps it so."""
        ...

    def close(self) -> None:
        """Close the foreign place."""
        ...
