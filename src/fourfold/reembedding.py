"""From one embedder to another while the graph is searched: ``Retriever.maintenance.reembed``.

Every node gets a new vector beside the searched one. Batch after batch is committed, without moving the generation, so
a run that was cut short is continued by the next. When no node is without one, a single transaction puts the new
vectors in the place of the old.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourfold.arguments import said
from fourfold.config import RetrievalConfig
from fourfold.embed.base import checked
from fourfold.engines.base import Backend, Writer
from fourfold.engines.staging import STAGING, Unstaged
from fourfold.errors import EmbedderError, StoreError
from fourfold.graph_embedding import GraphEmbedding, Progress

BATCH = 2048
"""Nodes embedded and committed at a time: what is lost at most when the process is killed."""


class Reembedding:
    """One run over a graph.

    ``progress`` is called with (nodes done, nodes in all), first with those done by an earlier run.
    """

    def __init__(
        self, backend: Backend, embedding: GraphEmbedding, config: RetrievalConfig, progress: Progress | None
    ) -> None:
        self._backend = backend
        self._embedding = embedding
        self._name = embedding.embedder.name
        self._recipe = json.dumps(
            {"embedder": self._name, "name_times": config.embedding.name_times, "type": config.embedding.with_type}
        )
        self._progress = progress or (lambda done, total: None)
        self._owner = False
        """Whether this run has staged vectors; before, it may drop those of another embedder."""

    def run(self, also: Callable[[Writer], None] | None) -> int:
        """Embed every node anew and return the generation that is searched by the new vectors.

        Raises:
            StoreError: the file cannot be written, its vectors are a foreign file's, or another run interfered.
            EmbedderError: the embedder failed; the batches before are kept.

        """
        self._backend.refuse_foreign_vectors()
        with self._backend.transaction(moves=False):
            pass  # a file that cannot be written is refused before anything is embedded
        while True:
            self._stage()
            with self._backend.transaction(moves=False) as writer:  # nobody else writes from here on
                late = self._backend.staged.unstaged(self._recipe, 0, BATCH)
                if len(late) < BATCH:  # more are staged first: meanwhile others can write
                    self._put(writer, late, self._embed(late))
                    return self._switch(writer, also)

    def _stage(self) -> None:
        """Embed the nodes without a fresh staged vector, in their order."""
        total = self._backend.counts()["nodes"]
        done = self._backend.staged.count(self._recipe)
        self._progress(min(done, total), total)
        after = 0
        while batch := self._backend.staged.unstaged(self._recipe, after, BATCH):
            vectors = self._embed(batch)
            with self._backend.transaction(moves=False) as writer:
                self._put(writer, batch, vectors)
            after = batch[-1].num
            done += len(batch)
            self._progress(min(done, total), total)
            if len(batch) < BATCH:  # what others add meanwhile is embedded at the end: they might go on for ever
                return

    def _embed(self, batch: Sequence[Unstaged]) -> NDArray[np.float32]:
        """Return the new vectors of a batch, (len(batch), dimensions)."""
        if not batch:
            return np.empty((0, 0), np.float32)
        texts = [self._embedding.text_of(entry.node) for entry in batch]
        try:
            return checked(self._embedding.embedder.embed_documents(texts), len(texts), self._name)
        except Exception as error:
            known = isinstance(error, EmbedderError)
            cause = str(error) if known else f"The embedder {self._name!r} failed: {said(error)}"
            raise EmbedderError(f"{cause.rstrip('.')}. {self._kept()}") from error

    def _kept(self) -> str:
        done, total = self._backend.staged.count(self._recipe), self._backend.counts()["nodes"]
        return (
            f"Searches of {self._backend.path!r} go on with its old vectors; the new ones of {done:,} of its {total:,} "
            "nodes are kept, and re-embedding again with this embedder continues there."
        )

    def _put(self, writer: Writer, batch: Sequence[Unstaged], vectors: NDArray[np.float32]) -> None:
        if not batch:
            return
        staging = writer.staging()
        staged, length = writer.meta(STAGING), staging.dimensions()
        if not self._owner:
            if staged != self._recipe or length not in (None, vectors.shape[1]):
                staging.begin(self._recipe)
            self._owner = True
        elif staged != self._recipe:
            raise StoreError(
                f"Another re-embedding of {self._backend.path!r} has begun or ended meanwhile; see which embedder it "
                "has now, and call reembed again if that is not the one."
            )
        elif length not in (None, vectors.shape[1]):
            raise EmbedderError(
                f"The embedder {self._name!r} returned {vectors.shape[1]} dimensions, before it was {length}. "
                f"{self._kept()}"
            )
        staging.put(batch, vectors)

    def _switch(self, writer: Writer, also: Callable[[Writer], None] | None) -> int:
        """Put the new vectors in the place of the old, inside the transaction; every index takes them in."""
        writer.move()
        staging = writer.staging()
        length = staging.dimensions()
        staging.take_in()
        writer.set_meta("dimensions", None if length is None else str(length))
        self._embedding.settle(writer)
        if length is None:  # a graph without nodes has no vectors, and nothing made them
            writer.set_meta("embedder", None)
        if also is not None:
            also(writer)
        return writer.generation


def unfinished(backend: Backend) -> dict[str, Any]:
    """Return the embedder of a run that has not ended, and how many nodes it has done; {} if there is none."""
    recipe = backend.meta(STAGING)
    if recipe is None:
        return {}
    return {"embedder": json.loads(recipe)["embedder"], "nodes": backend.staged.count(recipe)}
