"""A graph from one engine to another: nodes with their vectors as they are, edges, settings, feedback and usage.

Nothing is embedded anew. What is copied is committed batch by batch; a copy that was cut short is continued by the next
call with the same two places: nodes that are there already, by their content hash, are not sent again. Whatever is
written to the source meanwhile is taken along, unless it is written all the time. It ends with both compared: counts,
manifests, and hashes over every vector and every edge. The books of documents stay behind: a backup is
``retriever.maintenance.save``.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count

from fourfold.arguments import callback, shown
from fourfold.batches import prepared
from fourfold.engines import Backend
from fourfold.engines.base import OWN_SHARE
from fourfold.errors import StoreError, UnsupportedError, warn
from fourfold.open_graph import open_graph
from fourfold.retriever import Retriever
from fourfold.tokenizer import USUAL, Tokenizer, make_tokenizer, tokenizer_settings

Progress = Callable[[int, int], None]
"""Called with (steps done, steps in all): a step for each node and one for its edges."""

_BATCH = 2000
_MOST_PASSES = 10
"""So often is the source gone through; one that is written all the time would never be copied."""

_MARK = "copying"
_VECTORS = ("dimensions", "embedder", "embedding", "embedder_training", OWN_SHARE)
"""What the settings say of the vectors."""
_SETTINGS = (*_VECTORS, "tokenizer", "config")
_OF_ADAPTERS = ("llama_index_last_kept",)
"""What adapters note beside the graph; an index of theirs that is kept elsewhere relies on it."""


@dataclass(frozen=True, slots=True)
class Copied:
    """What a copy has moved and compared.

    Args:
        nodes: how many there are in both.
        edges: the same of edges.
        vectors: the same of vectors.
        sent: how many nodes this call has sent; fewer where an earlier one was cut short.
        hash: over every node's content, every vector and every edge; equal in both places.

    """

    nodes: int
    edges: int
    vectors: int
    sent: int
    hash: str


def copy(source: Retriever, target: Retriever, *, progress: Progress | None = None) -> Copied:
    """Copy a graph to an empty place, or go on with a copy that was cut short.

    Args:
        source: is only read.
        target: empty, or with what an earlier call has copied from the same source.
        progress: called with (steps done, steps in all).

    Raises:
        StoreError: the target holds another graph; the source was embedded anew meanwhile, or is written faster than
            it is copied; or what arrived differs.
        UnsupportedError: the target's engine cannot keep something that the source has.

    """
    source, target = open_graph(source, "source"), open_graph(target, "target")
    return _Copy(source.backend, target.backend, source.path, target.path, progress).run()


def unfinished(backend: Backend) -> str | None:
    """Return the address of the graph whose copy was cut short in this place; None where none was."""
    mark = backend.meta(_MARK)
    return None if mark is None else str(json.loads(mark)["from"])


class _Copy:
    def __init__(
        self, source: Backend, target: Backend, source_path: str, path: str, progress: Progress | None
    ) -> None:
        self._source, self._target, self._path = source, target, path
        self._source_path = source_path
        self._progress = callback(progress) or (lambda done, total: None)
        self._settings = self._read_settings()
        self._tokenizer: Tokenizer = make_tokenizer(self._settings["tokenizer"] or USUAL)
        self._sent = 0

    def run(self) -> Copied:
        self._begin()
        for _ in range(_MOST_PASSES):
            generation = self._source.generation()
            if self._read_settings() != self._settings:
                raise StoreError(
                    f"{self._source_path!r} was embedded or configured anew while it was copied; copy it again."
                )
            self._nodes()
            if generation != self._source.generation():  # what was written to the source meanwhile comes along
                continue
            self._beside()
            try:
                return self._compared()
            except StoreError:
                if generation == self._source.generation():
                    raise
        raise StoreError(
            f"{self._source_path!r} is written faster than it is copied. Go on with the same call when it is written "
            "less, or copy a state of it that nobody writes: retriever.maintenance.save(path)."
        )

    def _compared(self) -> Copied:
        """Return what is in both places, and end the copy.

        Raises:
            StoreError: they differ.

        """
        counts = self._target.counts()
        if counts != self._source.counts() or self._target.manifest() != self._source.manifest():
            raise StoreError(f"What arrived in {self._path!r} is not what is in {self._source_path!r}: {counts}.")
        own, other = (_hash(one) for one in (self._source, self._target))
        if own != other:
            raise StoreError(f"Vectors or edges in {self._path!r} are not those of {self._source_path!r}.")
        with self._target.transaction() as writer:
            writer.set_meta(_MARK, None)
        return Copied(counts["nodes"], counts["edges"], counts["vectors"], self._sent, own)

    def _read_settings(self) -> dict[str, str | None]:
        return {key: self._source.meta(key) for key in _SETTINGS}

    def _begin(self) -> None:
        """Mark the target as the copy of this source, or see that it is."""
        mark = json.dumps({"from": self._source_path, **{key: self._settings[key] for key in _VECTORS}})
        begun = self._target.meta(_MARK)
        if begun is None and self._target.counts()["nodes"]:
            raise StoreError(
                f"{self._path!r} holds {self._target.counts()['nodes']:,} nodes already; copy to an empty place."
            )
        if begun is not None and begun != mark:
            raise StoreError(
                f"{self._path!r} holds the beginning of another copy, of {shown(json.loads(begun)['from'])}; copy to "
                "an empty place."
            )
        name = self._settings["embedder"]
        model = None if name is None else self._source.model(name)
        if model is not None and not self._target.capabilities.models:
            raise UnsupportedError(
                f"The embedder of {self._source_path!r} was trained from its graph, and {self._path!r} keeps none "
                "such; embed the graph again before: retriever.maintenance.reembed()."
            )
        if self._source.capabilities.documents and self._source.documents.booked():
            warn(
                f"The books of the documents in {self._source_path!r} stay there. In the copy, a document that was "
                "cut into chunks is a node like any other, and a folder cannot be read again. Another file with all of "
                "it is made by retriever.maintenance.save(path)."
            )
        with self._target.transaction(moves=False) as writer:
            for key, value in self._settings.items():
                writer.set_meta(key, value)
            if self._settings["tokenizer"] is not None:  # all texts are read anew: an older graph's words become whole
                for key, value in tokenizer_settings(self._tokenizer.name).items():
                    writer.set_meta(key, value)
            if model is not None and name is not None:
                writer.put_model(name, model)
            writer.set_meta(_MARK, mark)

    def _nodes(self) -> None:
        """Send what the target lacks, and take away what the source no longer has."""
        wanted, there = self._source.manifest(), self._target.manifest()
        total = 2 * len(wanted)
        gone = [identity for identity in there if identity not in wanted]
        missing = [identity for identity, digest in wanted.items() if there.get(identity) != digest]
        done = len(wanted) - len(missing)
        self._progress(done, total)
        for batch in _batches(gone):
            with self._target.transaction() as writer:
                writer.delete_nodes(batch)
        for batch in _batches(missing):
            self._send(batch)
            done += len(batch)
            self._progress(done, total)
        for batch in _batches(list(wanted)):
            self._edges(batch)
            done += len(batch)
            self._progress(done, total)

    def _send(self, ids: Sequence[str]) -> None:
        found, vectors = self._source.nodes_by_id(ids), self._source.vectors_of(ids)
        nodes = [found[identity] for identity in ids if identity in found]  # others are gone meanwhile
        (batch,), _ = prepared(nodes, [[vectors.get(node.id) for node in nodes]], self._tokenizer)
        with self._target.transaction(deletes=False) as writer:
            writer.put_nodes(*batch)
        self._sent += len(nodes)

    def _edges(self, ids: Sequence[str]) -> None:
        """Make the edges that leave these nodes those of the source."""
        own, there = (set(one.edges_from(ids, one.edge_type_names())) for one in (self._source, self._target))
        if own == there:
            return
        known = self._target.nums(list({end for edge in own for end in (edge.source, edge.target)}))
        kept = {(edge.source, edge.target, edge.type) for edge in own}
        gone = [e for e in there if (e.source, e.target, e.type) not in kept]
        with self._target.transaction(deletes=bool(gone)) as writer:
            if gone:
                writer.delete_edges(gone)
            writer.put_edges([e for e in own - there if e.source in known and e.target in known])

    def _beside(self) -> None:
        """Copy what is kept beside the graph."""
        with self._target.transaction() as writer:
            for key in _OF_ADAPTERS:
                writer.set_meta(key, self._source.meta(key))
            for number in count():  # which edges between tools their schemas suggested: fourfold.tools.linking
                marks = self._source.meta(f"schema_edges:{number}")
                writer.set_meta(f"schema_edges:{number}", marks)
                if marks is None:
                    break
            for query, node, grade in self._source.feedback():
                writer.put_feedback(query, node, grade)
            if self._source.capabilities.usage and self._target.capabilities.usage:
                writer.put_usage(self._source.usage())


def _batches(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(ids), _BATCH):
        yield ids[start : start + _BATCH]


def _hash(backend: Backend) -> str:
    """Return a hash over every node's content, vector and edges, in the order of the ids."""
    found = hashlib.blake2b(digest_size=16)
    types = backend.edge_type_names()
    manifest = backend.manifest()
    for ids in _batches(sorted(manifest)):
        vectors = backend.vectors_of(ids)
        edges = sorted((e.source, e.target, e.type, e.weight) for e in backend.edges_from(ids, types))
        found.update(json.dumps([[identity, manifest[identity]] for identity in ids]).encode())
        found.update(json.dumps(edges).encode())
        for identity in ids:
            if identity in vectors:
                found.update(identity.encode() + vectors[identity].astype("<f4").tobytes())
    return found.hexdigest()
