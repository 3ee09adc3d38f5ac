"""The vectors of one graph: every node's and the query's, all from one embedder and of one dimension."""

from __future__ import annotations

import logging
import shlex
import warnings
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from fourfold.config import RetrievalConfig
from fourfold.embed import Embedder
from fourfold.embed.base import checked
from fourfold.errors import DimensionError, EmbedderError, EmbedderMismatchError, FourfoldWarning
from fourfold.index import Index
from fourfold.store import Store, Writer
from fourfold.types import FloatArray, Node
from fourfold.validation import check_vector

Progress = Callable[[int, int], None]
"""Called with (nodes done, nodes in all) while nodes are embedded."""

logger = logging.getLogger(__name__)
_BATCH = 2048


class GraphEmbedding:
    """An embedder together with what the graph's vectors were made with.

    Args:
        store: holds the identity and the dimension of the stored vectors.
        embedder: makes the vectors that callers do not bring.
        config: says what of a node is embedded.

    """

    def __init__(self, store: Store, embedder: Embedder, config: RetrievalConfig) -> None:
        self._store = store
        self.embedder = embedder
        self._config = config

    def check(self, stored: str | None = None) -> None:
        """Raise EmbedderMismatchError if the stored vectors were made with another embedder."""
        stored = stored or self._store.meta("embedder")
        if stored is not None and stored != self.embedder.name:
            raise EmbedderMismatchError(
                f"The vectors of {self._store.path!r} were made with the embedder {stored!r}, this retriever has "
                f"{self.embedder.name!r}; give embedder= the one they were made with, or embed the graph again: "
                f"Retriever({self._store.path!r}).reembed(embedder) or "
                f"`fourfold reembed --db {shlex.quote(self._store.path)}`."
            )

    def sign(self, writer: Writer, dimensions: set[int], *, embedded: bool) -> None:
        """Store what new vectors are made with; refuse those that cannot stand beside the stored ones."""
        stored = writer.meta("dimensions")
        known = dimensions | ({int(stored)} if stored is not None else set())
        if len(known) > 1:
            new = " and ".join(map(str, sorted(dimensions)))
            raise DimensionError(
                f"The new vectors have {new} dimensions, those of {self._store.path!r} have {stored or 'none yet'}."
            )
        if dimensions:
            writer.set_meta("dimensions", str(*dimensions))
        if embedded:
            self.check(writer.meta("embedder"))
            writer.set_meta("embedder", self.embedder.name)

    def documents(
        self, nodes: Sequence[Node], progress: Progress | None
    ) -> tuple[list[NDArray[np.float32] | None], bool]:
        """Return a vector for each node, and whether the embedder made any of them."""
        vectors: list[NDArray[np.float32] | None] = [
            None if node.vector is None else check_vector(node.vector, f"The vector of node {node.id!r}")
            for node in nodes
        ]
        lengths = {len(v): n.id for v, n in zip(vectors, nodes, strict=True) if v is not None}
        stored = self._store.meta("dimensions")
        if stored is not None:
            lengths.setdefault(int(stored), "")
        if len(lengths) > 1:
            known = stored or next(iter(lengths))
            other, culprit = next((n, i) for n, i in lengths.items() if n != int(known))
            raise DimensionError(
                f"The vector of node {culprit!r} has {other} dimensions, "
                f"the vectors of {self._store.path!r} have {known}."
            )
        missing = [place for place, vector in enumerate(vectors) if vector is None]
        if not missing or (lengths and self._store.meta("embedder") is None and not self._fits(next(iter(lengths)))):
            return vectors, False
        self.check()
        for start in range(0, len(missing), _BATCH):
            batch = missing[start : start + _BATCH]
            texts = [self.text_of(nodes[place]) for place in batch]
            try:
                made = checked(self.embedder.embed_documents(texts), len(texts), self.embedder.name)
            except EmbedderError:
                raise
            except Exception as error:
                raise EmbedderError(
                    f"The embedder {self.embedder.name!r} failed, nothing was written: {error}"
                ) from error
            for place, vector in zip(batch, made, strict=True):
                vectors[place] = vector
            if progress is not None:
                progress(min(start + len(batch), len(missing)), len(missing))
        return vectors, bool(missing)

    def _fits(self, dimensions: int) -> bool:
        """Whether the embedder's vectors can stand beside given ones of this dimension."""
        try:
            return len(self.embedder.embed_query("dimension")) == dimensions
        except Exception:
            return False

    def text_of(self, node: Node) -> str:
        """Return what the embedder reads of a node."""
        names = [node.name] * (self._config.embed_name_times if node.text else 1)
        parts = (*names, node.type if self._config.embed_type else "", node.text)
        return " ".join(part for part in parts if part)

    def query(
        self, index: Index, text: str, given: Sequence[float] | FloatArray | None, mode: str
    ) -> tuple[FloatArray | None, tuple[str, ...]]:
        """Return the query's vector, and the component that failed, if it did."""
        dimensions = index.matrix.shape[1]
        if given is not None:
            vector = check_vector(given, "query_vector")
            if index.has_vectors and len(vector) != dimensions:
                raise DimensionError(
                    f"The query vector has {len(vector)} dimensions, "
                    f"the vectors of {self._store.path!r} have {dimensions}."
                )
            return vector, ()
        if mode == "text" or not index.has_vectors or not text:
            return None, ()
        if index.embedder is not None:  # not what the file says now: its vectors may be replaced at this moment
            self.check(index.embedder)
        try:
            vector = checked([self.embedder.embed_query(text)], 1, self.embedder.name)[0]
        except Exception as error:
            if mode == "embedding":
                raise EmbedderError(f"The embedder {self.embedder.name!r} failed on the query: {error}") from error
            logger.warning("The embedder %r failed on the query: %s", self.embedder.name, error)
            return None, ("embedding",)
        if len(vector) != dimensions:
            warnings.warn(
                f"The embedder {self.embedder.name!r} gives {len(vector)} dimensions, the vectors of "
                f"{self._store.path!r} have {dimensions}; the query's vector was padded or cut. "
                "Give the embedder that made the vectors, or query_vector.",
                FourfoldWarning,
                stacklevel=5,
            )
            vector = np.resize(np.pad(vector, (0, max(dimensions - len(vector), 0))), dimensions)
        return vector, ()

    def mean_query(self, texts: Sequence[str]) -> FloatArray:
        """Return one vector, (dimensions,), for a query that is told in several texts."""
        self.check()
        if isinstance(texts, str) or not texts:
            raise EmbedderError(f"A query vector is made of a list of at least one text, not of {texts!r}.")
        try:
            vectors = [self.embedder.embed_query(text) for text in texts]
        except Exception as error:
            raise EmbedderError(f"The embedder {self.embedder.name!r} failed on the query: {error}") from error
        mean: FloatArray = checked(vectors, len(texts), self.embedder.name).mean(axis=0)
        return mean
