"""What an engine is: the place where one graph lives, and everything that is asked of that place.

Whoever writes an engine reads this file, ``engines/documents.py`` (the books of ``fourfold.ingest``),
``engines/staging.py`` (vectors not searched yet), ``engines/foreign`` (tables that others made) and ``index/base.py``
(the parts of a snapshot); nothing else of an engine is ever asked for. The engine is a package
``fourfold.engines.<name>`` with two functions, ``open_backend(url, *, read_only, must_exist) -> Backend`` and, where it
can read tables that others made, ``open_foreign(url, schema) -> ForeignSource``; ``fourfold.engines`` finds it by the
scheme of the URL and imports it when first needed.

The words:

- A *node number* is an int64 that stands for one node for as long as it lives and is never given to another. Scores,
  parts and evidence know nodes by number; ids are looked up where people read them and where scores tie.
- The *generation* is a number that every committed write moves on, whoever wrote. Whoever has seen a write return sees
  its generation, or a later one, from every connection: nothing is ever served stale.
- A *snapshot* is one generation, immutable, made of the parts that the pipeline asks (``index.snapshot.Snapshot``).
  Whether a part holds arrays in this process, maps a file or asks a server is the engine's business. The constants of
  retrieval that reading depends on (text fields, k1, b, edge weights of trained vectors, the first stage) come by
  ``use``; ``snapshot(config)`` reads the texts of the same generation as another config would, for studies.
- A *transaction* is one write: all of it or nothing. What it reads through its ``Writer`` is what it is based on: no
  other writer commits between. ``moves=False`` leaves the generation: for what no search reads (staged vectors). With
  ``deletes=False`` no node is deleted in it, and an engine need not look for what would go along.
- A filter comes as a tree (``filters.Clause``), checked already; the engine compiles it to its own language.
- *Settings* (``meta``) are texts by key, written in a transaction with what they speak of: "embedder", "dimensions",
  "tokenizer", "config", "ingest" and so on. Nobody but their owner reads them.
- What an engine cannot do it says in ``capabilities``, and its methods raise UnsupportedError, never silently differ.

Every method may be called from any thread, and raises StoreError with a sentence that names ``path`` where the place
cannot be reached, is read-only or is damaged. Addresses with a password in them never get into ``path``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fourfold.config import RetrievalConfig
from fourfold.engines.documents import Books, Documents
from fourfold.engines.staging import Staged, Staging
from fourfold.engines.usage import Usage
from fourfold.engines.wording import Wording
from fourfold.filters import Clause
from fourfold.index.base import Allowed, Nodes
from fourfold.index.snapshot import Snapshot
from fourfold.types import Edge, Node

OWN_SHARE = "own_share"
"""The setting that holds the share of a node's own text in its vector; an embedder trained from the graph brings it."""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What an engine can do beyond what every engine must: nodes, edges, settings, filters and the four components.

    Args:
        engine: its name, such as ``"sqlite"``.
        phrases: ranks the nodes that hold a phrase (``Backend.phrase``); without, phrases find nothing.
        documents: keeps the books of ``fourfold.ingest``.
        usage: counts how often a node was used (``ToolCatalog.record_use``).
        reembedding: takes another embedder's vectors in while the old ones are searched.
        models: keeps an embedder that was trained from the graph.
        exact_vectors: finds the nearest vectors for certain; without, recall is measured, not proven.
        exact_text: reads every posting of a question's words; without, of very many holders the best and a sample.
        atomic: a write that was cut short leaves nothing behind; without, its remains are never seen.

    """

    engine: str
    phrases: bool = True
    documents: bool = True
    usage: bool = True
    reembedding: bool = True
    models: bool = True
    exact_vectors: bool = True
    exact_text: bool = True
    atomic: bool = True


@dataclass(frozen=True, slots=True)
class Row:
    """A node ready to be written.

    Args:
        node: id, name, type, text, metadata.
        hash: its content hash, for the manifest.
        vector: (dimensions,) as it came, not yet of length one; None for none.
        pieces: (n,) int32, its distinct wordpieces, ascending.

    """

    node: Node
    hash: str
    vector: NDArray[np.float32] | None
    pieces: NDArray[np.int32]


class Settings(Protocol):
    """Texts by key."""

    def meta(self, key: str) -> str | None:
        """Return a setting, or None; inside a transaction, as the transaction sees it."""
        ...


class Writer(Settings, Protocol):
    """One open write transaction. Used by the thread that opened it, until it is closed."""

    @property
    def generation(self) -> int:
        """The generation that this write makes."""
        ...

    def move(self) -> int:
        """Move the generation on in a transaction begun with ``moves=False``, and return it."""
        ...

    def set_meta(self, key: str, value: str | None) -> None:
        """Store a setting; None removes it."""
        ...

    def put_nodes(self, rows: Sequence[Row], terms: Sequence[str], lengths: Sequence[int]) -> None:
        """Insert or replace nodes; one that is replaced keeps its number and its edges.

        Args:
            rows: the nodes, each id once.
            terms: the terms of all nodes in a row, field by field as in ``index.changes.FIELDS``.
            lengths: (3 · len(rows),) how many terms each field of each node has.

        """
        ...

    def put_edges(self, edges: Sequence[Edge]) -> None:
        """Insert edges or replace their weights; UnknownNodeError names the first ends that are no nodes."""
        ...

    def delete_nodes(self, ids: Sequence[str]) -> int:
        """Delete nodes with their edges, and documents with their chunks; return how many of the ids were nodes."""
        ...

    def delete_edges(self, edges: Sequence[Edge]) -> int:
        """Delete edges by (source, target, type); return how many there were."""
        ...

    def put_feedback(self, query: str, node_id: str, grade: float) -> None:
        """Keep what a user said of an answer; a second word on the same pair replaces the first."""
        ...

    def put_model(self, name: str, content: bytes) -> None:
        """Keep an embedding model under its embedder's name; a known name is replaced."""
        ...

    def drop_models(self, except_name: str | None = None) -> None:
        """Drop the models kept, but for one."""
        ...

    def put_usage(self, usage: Mapping[str, Usage]) -> None:
        """Write the usage of nodes by id; unknown ids are passed over."""
        ...

    def books(self) -> Books:
        """Return the books of ``fourfold.ingest``, open for writing in this transaction."""
        ...

    def staging(self) -> Staging:
        """Return the staged vectors, open for writing in this transaction."""
        ...


class Backend(Settings, Protocol):
    """The place where one graph lives, open."""

    # -- what it is ---------------------------------------------------------------------------------------------

    @property
    def path(self) -> str:
        """What messages and ``info()`` call the place: a file's path, or a URL without its password."""
        ...

    @property
    def address(self) -> str:
        """What opens the place again, with everything that takes."""
        ...

    @property
    def read_only(self) -> bool:
        """Whether every write is refused."""
        ...

    @property
    def capabilities(self) -> Capabilities:
        """What it can do."""
        ...

    def use(self, config: RetrievalConfig) -> None:
        """Read by these constants from the next snapshot on; before the first call, by the defaults."""
        ...

    def close(self) -> None:
        """Wait for work in the background and close all connections; a second call does nothing."""
        ...

    # -- one generation -----------------------------------------------------------------------------------------

    def question(self, terms: Callable[[], Iterable[str]] | None = None) -> AbstractContextManager[object]:
        """Begin a question: whatever this thread reads until it ends is one and the same state.

        A question within a question is part of it. Engines whose snapshots hold their rows have nothing to do here;
        others open a transaction for reading, and remember what was fetched until the question ends.

        Args:
            terms: the question's terms, for engines that fetch their numbers on the way.

        """
        ...

    def generation(self) -> int:
        """Return the generation, committed by anybody, that a snapshot taken now would show at least."""
        ...

    def write(self) -> tuple[int, str]:
        """Return the generation with the mark of its write, as ``Snapshot.write``: what is remembered is kept by it.

        A graph that is put in the place of another may be of the same generation.
        """
        ...

    def knows(self, generation: int, mark: str) -> bool:
        """Whether a write is of this graph's history; else numbers of its state may be other nodes' in this one."""
        ...

    def snapshot(self, config: RetrievalConfig | None = None) -> Snapshot:
        """Return the present generation; with its texts read as another config says, where one is given.

        The same object is returned while the generation and the constants stay.
        """
        ...

    def compact(self) -> None:
        """Merge what many writes have left, and return when that is done; searches go on meanwhile."""
        ...

    def problems(self, *, derived: bool = False) -> list[str]:
        """Return what the engine itself finds wrong with what it keeps, and has ``derived`` of it, in sentences."""
        ...

    def forget(self) -> None:
        """Read everything anew at the next snapshot: something derived was found damaged (``DamagedFileError``)."""
        ...

    def allowed(self, clause: Clause) -> Allowed:
        """Return the nodes that meet a filter; FilterError tells of more values than the engine can compare."""
        ...

    def first_stage(self) -> tuple[str, float | None] | None:
        """Return what names the nearest vectors, and its recall@10 where it was measured; None before any are read."""
        ...

    def phrase(self, phrase: str, limit: int | None) -> list[tuple[int, float]]:
        """Return (node number, rank > 0) of the nodes that hold the words of a phrase in a row, best first; ties by id.

        The scale is SQLite's FTS5 bm25; an engine without ``capabilities.phrases`` returns [].
        """
        ...

    # -- nodes and edges ----------------------------------------------------------------------------------------

    def counts(self) -> dict[str, int]:
        """Return the numbers of ``"nodes"``, ``"edges"`` and ``"vectors"``."""
        ...

    def nodes(self, nums: Sequence[int]) -> dict[int, Node]:
        """Return the nodes of these numbers, without vectors; numbers that are gone are left out."""
        ...

    def labels(self, nums: Sequence[int]) -> dict[int, tuple[str, str]]:
        """Return (id, name) of the nodes of these numbers; numbers that are gone are left out."""
        ...

    def types(self, nums: Sequence[int]) -> dict[int, str]:
        """Return the type of the nodes of these numbers; numbers that are gone are left out."""
        ...

    def ids(self, nums: Nodes) -> list[str]:
        """Return the ids of the nodes of these numbers, in their order; "" for those that are gone."""
        ...

    def nums(self, ids: Sequence[str]) -> dict[str, int]:
        """Return the number of each id that is a node."""
        ...

    def nodes_by_id(self, ids: Sequence[str]) -> dict[str, Node]:
        """Return the nodes of these ids, without vectors; unknown ids are left out."""
        ...

    def sample(self, count: int) -> list[int]:
        """Return at most so many nodes, chosen and ordered by their ids, whatever the order in which they came."""
        ...

    def vectors_of(self, ids: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """Return the stored vector, (dimensions,), of each of these nodes that has one."""
        ...

    def edges_of(self, ids: Sequence[str]) -> list[Edge]:
        """Return every edge that leaves or enters one of these nodes, by (source, target, type)."""
        ...

    def edge_type_names(self) -> list[str]:
        """Return every edge type ever used; the place is the type's number in ``Steps.types``."""
        ...

    def manifest(self) -> dict[str, str]:
        """Return the content hash of every node by id, in the order of the ids."""
        ...

    # -- what else is kept --------------------------------------------------------------------------------------

    def transaction(self, *, moves: bool = True, deletes: bool = True) -> AbstractContextManager[Writer]:
        """Open one write; it is committed when the block ends, and undone where the block raises."""
        ...

    def feedback(self) -> list[tuple[str, str, float]]:
        """Return what users said of answers: (query, node id, grade), in the order of the queries' first mention."""
        ...

    def model(self, name: str) -> bytes | None:
        """Return the embedding model kept under this name, or None."""
        ...

    def usage(self, ids: Sequence[str] | None = None) -> dict[str, Usage]:
        """Return the usage of these nodes, or of all, by id; nodes never used are left out."""
        ...

    def edges_from(self, ids: Sequence[str], types: Sequence[str]) -> list[Edge]:
        """Return the edges of these types that leave these nodes."""
        ...

    @property
    def wording(self) -> Wording:
        """Where words stand in names, types and metadata."""
        ...

    @property
    def documents(self) -> Documents:
        """The books of ``fourfold.ingest``, for reading."""
        ...

    @property
    def staged(self) -> Staged:
        """The vectors of a re-embedding that has not ended."""
        ...

    def refuse_foreign_vectors(self) -> None:
        """Raise StoreError if the vectors come from tables that others made: those are never replaced."""
        ...
