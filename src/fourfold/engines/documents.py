"""What ``fourfold.ingest`` keeps beside the graph: documents, their passages, and the labels that join them.

A document bears labels (its title, its id) and uses labels (a title named in its text, a link, a value it shares); an
edge leads from every user of a label to every bearer. Edges are therefore a function of what is stored, whatever the
order in which it came, and a write touches only the labels that it changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from fourfold.types import Edge, Node

Kind = Literal["title", "link", "shared"]

EDGE_TYPE: Mapping[Kind, str] = {"title": "mentions", "link": "relates_to", "shared": "relates_to"}
"""The type of the edge from a user of a label to a bearer."""


@dataclass(frozen=True, slots=True)
class Label:
    """One label, in normal form. ``head`` is set for titles; ``qualifier`` is what a title had in parentheses."""

    kind: Kind
    label: str
    head: str | None = None
    qualifier: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """A document to be booked; its node and its passages' nodes are in the graph already.

    ``passages`` are node ids in reading order: the document's own, or those of its chunks.
    """

    id: str
    source: str
    hash: str
    passages: tuple[str, ...]
    bears: tuple[Label, ...] = ()
    uses: tuple[Label, ...] = ()


@dataclass(frozen=True, slots=True)
class Booked:
    """What is known of a document: its id, source and content hash.

    The hash is "" where its node was written by others since, or some of its chunks were deleted.
    """

    id: str
    source: str
    hash: str


class Documents(Protocol):
    """The books, for reading."""

    def booked(self, *, ids: Iterable[str] | None = None, sources: Iterable[str] | None = None) -> list[Booked]:
        """Return the documents with these ids or of these sources, by id; all of them without either."""
        ...

    def is_unlinked(self) -> bool:
        """Whether some documents were written, or deleted, without their edges being brought up to date."""
        ...

    def neighbours(self, node_id: str, before: int, after: int) -> list[Node]:
        """Return a passage with those before and after it in its document, in reading order; [] for other nodes."""
        ...

    def children(self, document_id: str) -> list[str]:
        """Return the ids of a document's passages in reading order; [] if there is no such document."""
        ...

    def of(self, ids: Iterable[str]) -> dict[str, str]:
        """Return the document of each of these nodes that is a chunk of one."""
        ...


class Books(Protocol):
    """The books inside one write transaction. Texts and labels are known by number."""

    def setting(self, key: str, value: str) -> str:
        """Return a stored setting; store ``value`` if there is none."""
        ...

    def put(self, entries: Sequence[Entry]) -> None:
        """Book documents: passages that are no longer theirs go, and all their texts are to be read again."""
        ...

    def children(self, document_id: str) -> list[str]:
        """Return the ids of a document's chunks in reading order."""
        ...

    def release(self, ids: Sequence[str]) -> None:
        """Forget nodes as documents of their own: they are to be chunks of others."""
        ...

    def delete(self, *, ids: Iterable[str] | None = None, sources: Iterable[str] | None = None) -> int:
        """Delete documents with their chunks; return how many documents there were."""
        ...

    def replace_structure(self, entries: Sequence[Entry], edges: Sequence[Edge]) -> None:
        """Replace the edges inside documents: ``part_of`` and ``followed_by``."""
        ...

    def changed_titles(self) -> tuple[list[str], list[int]]:
        """Return the titles (their labels) that are new to the old texts, and the numbers of those nobody bears.

        From now on the former count as known, the latter as unknown.
        """
        ...

    def count_passages(self) -> int:
        """Return the number of texts."""
        ...

    def count_titles(self) -> int:
        """Return the number of titles, and perhaps some that nobody bears any more."""
        ...

    def read_unread(self, gone: Sequence[int]) -> None:
        """Mark for reading the texts that are new and those that named a title which is gone."""
        ...

    def read_all(self) -> None:
        """Mark every text for reading."""
        ...

    def read_holding(self, words: Sequence[str]) -> None:
        """Mark for reading the texts that hold these words in a row."""
        ...

    def read_containing(self, characters: Sequence[str]) -> None:
        """Mark for reading the texts that contain these characters, wherever; every text is looked at."""
        ...

    def count_reading(self) -> int:
        """Return the number of texts marked for reading."""
        ...

    def texts(self) -> Iterator[list[tuple[int, str]]]:
        """Return (node number, text) of the texts marked for reading, some thousand at a time."""
        ...

    def titles(self, heads: Iterable[str] | None = None) -> list[tuple[int, str]]:
        """Return (number, label) of the titles that are borne; only those with these heads, if given."""
        ...

    def set_mentions(self, found: Mapping[int, set[int]]) -> None:
        """Replace the titles that texts name: node number → label numbers."""
        ...

    def derive_edges(self, limits: Mapping[Kind, int | None]) -> None:
        """Bring the derived edges up to date with the labels.

        Args:
            limits: a label of this kind with more users than that makes no edges; None is without limit.

        """
        ...
