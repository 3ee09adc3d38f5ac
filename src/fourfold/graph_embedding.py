"""The vectors of one graph: every node's and the query's, all from one embedder and of one dimension."""

from __future__ import annotations

import json
import logging
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from fourfold import arguments, node_text
from fourfold.arguments import said
from fourfold.config import EmbeddingConfig
from fourfold.embed import Cascade, ContextualEmbedder, Embedder
from fourfold.embed.base import Vectors, checked
from fourfold.embed.cascade import how_to_have
from fourfold.embed.static import StaticEmbedder, bundled
from fourfold.engines.base import OWN_SHARE, Backend, Settings, Writer
from fourfold.errors import (
    DimensionError,
    EmbedderError,
    EmbedderMismatchError,
    InvalidValueError,
    KeyRefusedError,
    warn,
)
from fourfold.index.snapshot import Snapshot
from fourfold.types import FloatArray, Node
from fourfold.validation import check_vector
from fourfold.weighting import legible

Progress = Callable[[int, int], None]
"""Called with (nodes done, nodes in all) while nodes are embedded."""

logger = logging.getLogger(__name__)
_BATCH = 2048


@dataclass(frozen=True, slots=True)
class VectorsOf:
    """What the stored vectors are: their dimension, who made them and of what; None where that is not known yet."""

    dimensions: str | None
    embedder: str | None
    reads: EmbeddingConfig | None

    @classmethod
    def stored(cls, store: Settings) -> VectorsOf:
        """Read it."""
        embedder = store.meta("embedder")
        return cls(store.meta("dimensions"), embedder, node_text.stored_reads(store))


class GraphEmbedding:
    """An embedder together with what the graph's vectors were made with.

    ``source`` makes the vectors that callers do not bring; a Cascade chooses what does.
    """

    def __init__(self, backend: Backend, source: Embedder | Cascade, reads: EmbeddingConfig) -> None:
        self._backend = backend
        self.source = source
        self._reads = reads

    @property
    def embedder(self) -> Embedder:
        """What embeds the graph's nodes."""
        return self._maker(self._backend.meta("embedder"))

    @property
    def by_encoder(self) -> bool:
        """Whether more than a table of tokens makes the vectors: a transformer, a service, or any function."""
        return not isinstance(self.source, (Cascade, StaticEmbedder, ContextualEmbedder))

    def _maker(self, stored: str | None) -> Embedder:
        """Return what embeds nodes where the vectors were made with the embedder of this name."""
        return self.source.embedder(stored) if isinstance(self.source, Cascade) else self.source

    def made(self, stored: VectorsOf) -> bool:
        """Whether the stored vectors are this embedder's, made of what it reads of a node."""
        return stored.embedder == self._maker(stored.embedder).name and stored.reads == self._reads

    def check(self, stored: str | None = None) -> None:
        """Raise EmbedderMismatchError if the stored vectors were made with another embedder."""
        stored = stored or self._backend.meta("embedder")
        if stored is not None and stored != (name := self._maker(stored).name):
            raise EmbedderMismatchError(
                f"The vectors of {self._backend.path!r} were made with the embedder {stored!r}, this retriever has "
                f"{name!r}; {how_to_have(stored)}, or embed the graph again: "
                f"Retriever({self._backend.path!r}).maintenance.reembed(embedder) or "
                f"`fourfold reembed --db {shlex.quote(self._backend.path)}`."
            )

    def sign(self, writer: Writer, dimensions: set[int], makers: set[str | None]) -> None:
        """Store what new vectors are made with; refuse those that cannot stand beside the stored ones.

        ``makers`` are the names of the embedders that made the vectors; None stands for nobody knows.
        """
        stored = writer.meta("dimensions")
        known = dimensions | ({int(stored)} if stored is not None else set())
        if len(known) > 1:
            new = " and ".join(map(str, sorted(dimensions)))
            raise DimensionError(
                f"The new vectors have {new} dimensions, those of {self._backend.path!r} have {stored or 'none yet'}."
            )
        if not dimensions:
            return
        writer.set_meta("dimensions", str(*dimensions))
        there = {writer.meta("embedder")} if stored is not None else set()
        if len(there | makers) > 1:
            self._refuse_mixture(there, makers)
        (maker,) = makers
        if maker is not None:
            self.check_reads(node_text.stored_reads(writer))
            if not there:
                self.settle(writer, maker)

    def _refuse_mixture(self, there: set[str | None], makers: set[str | None]) -> None:
        """Raise EmbedderMismatchError for vectors that nobody may compare."""
        known = sorted(name for name in there | makers if name is not None)
        if None in makers:
            told = (
                f"Nodes bring vectors of unknown origin, the others' are {known[0]!r}'s; leave the vectors out, or say "
                f"whose they are: vectors_by={known[0]!r}."
            )
        elif None in there:
            told = (
                f"Nobody knows what made the vectors of {self._backend.path!r}, those of {known[0]!r} cannot stand "
                f"beside them; embed the graph again: Retriever({self._backend.path!r}).maintenance.reembed(embedder)."
            )
        else:
            told = (
                f"The vectors of {self._backend.path!r} would be of several embedders: {', '.join(map(repr, known))}."
            )
        raise EmbedderMismatchError(told)

    def check_reads(self, stored: EmbeddingConfig | None) -> None:
        """Raise EmbedderMismatchError if the stored vectors were made of something else of each node."""
        if stored not in (None, self._reads):
            raise EmbedderMismatchError(
                f"The vectors of {self._backend.path!r} were made with {stored}, this retriever has {self._reads}; "
                "open it again and leave config.embedding out, or embed the graph again: "
                f"Retriever({self._backend.path!r}), its learning.apply_config(config), then its "
                "maintenance.reembed(embedder)."
            )

    def settle(self, writer: Writer, name: str | None = None) -> None:
        """Store what the graph's vectors are made with from now on; a model trained from it lives in its file."""
        embedder = self.embedder
        name = name or embedder.name
        writer.set_meta("embedder", name)
        writer.set_meta(node_text.READS, json.dumps(asdict(self._reads)))
        writer.set_meta(OWN_SHARE, None)
        writer.set_meta("embedder_training", None)
        writer.drop_models(name)
        if isinstance(embedder, ContextualEmbedder) and embedder.name == name:
            writer.set_meta(OWN_SHARE, str(embedder.own_share))
            writer.put_model(name, embedder.to_bytes())

    def documents(
        self,
        nodes: Sequence[Node],
        there: VectorsOf,
        progress: Progress | None,
        by: str | None = None,
        kept: Mapping[str, NDArray[np.float32]] | None = None,
    ) -> tuple[Iterator[list[NDArray[np.float32] | None]], set[str | None]]:
        """Return the vectors of the nodes, made batch by batch as they are asked for, and the names of their makers.

        Beside vectors of unknown origin, in the graph or among these nodes, none is made: such nodes get None.

        ``by`` is the name of the embedder that made the vectors which nodes bring; None where nobody knows. ``kept``
        are vectors that it made of the same before, by id.
        """
        vectors: list[NDArray[np.float32] | None] = [
            None if node.vector is None else check_vector(node.vector, f"The vector of node {node.id!r}")
            for node in nodes
        ]
        lengths = {len(v): n.id for v, n in zip(vectors, nodes, strict=True) if v is not None}
        makers: set[str | None] = {None if by is None else arguments.model_name(by, "vectors_by")} if lengths else set()
        stored = there.dimensions
        if stored is not None:
            lengths.setdefault(int(stored), "")
        if len(lengths) > 1:
            known = stored or next(iter(lengths))
            other, culprit = next((n, i) for n, i in lengths.items() if n != int(known))
            raise DimensionError(
                f"The vector of node {culprit!r} has {other} dimensions, "
                f"the vectors of {self._backend.path!r} have {known}."
            )
        vectors = [kept.get(node.id) if kept and v is None else v for node, v in zip(nodes, vectors, strict=True)]
        missing = sum(vector is None for vector in vectors)
        unknown = there.embedder is None if stored is not None else None in makers
        if (not missing and not kept) or unknown:
            return iter([vectors]), makers
        self.check(there.embedder if stored is not None else by)
        self.check_reads(there.reads)
        embedder = self._maker(there.embedder)
        return self._made(embedder, nodes, vectors, missing, progress), makers | {embedder.name}

    def _made(
        self,
        embedder: Embedder,
        nodes: Sequence[Node],
        vectors: Sequence[NDArray[np.float32] | None],
        missing: int,
        progress: Progress | None,
    ) -> Iterator[list[NDArray[np.float32] | None]]:
        """Return the vectors of successive nodes, in lists; ``missing`` of them are made here."""
        done = 0
        for start in range(0, len(nodes), _BATCH):
            found = list(vectors[start : start + _BATCH])
            places = [place for place, vector in enumerate(found) if vector is None]
            if places:
                fresh = self._embedded(embedder, [nodes[start + place] for place in places])
                for place, vector in zip(places, fresh, strict=True):
                    found[place] = vector
                done += len(places)
                if progress is not None:
                    progress(done, missing)
            yield found

    def _embedded(self, embedder: Embedder, nodes: Sequence[Node]) -> Vectors:
        texts = [self.text_of(node) for node in nodes]
        try:
            return checked(embedder.embed_documents(texts), len(texts), embedder.name)
        except EmbedderError:
            raise
        except Exception as error:
            raise EmbedderError(
                f"The embedder {embedder.name!r} failed, nothing was written: {said(error)}."
            ) from error

    def text_of(self, node: Node) -> str:
        """Return what the embedder reads of a node."""
        return node_text.text_of(node, self._reads)

    def query(
        self, snapshot: Snapshot, text: str, given: Sequence[float] | FloatArray | None, mode: str
    ) -> tuple[FloatArray | None, tuple[str, ...]]:
        """Return the query's vector, and the component that failed, if it did."""
        dimensions = snapshot.vectors.dimensions
        if given is not None:
            vector = check_vector(given, "query_vector")
            if snapshot.vectors.size and len(vector) != dimensions:
                raise DimensionError(
                    f"The query vector has {len(vector)} dimensions, "
                    f"the vectors of {self._backend.path!r} have {dimensions}."
                )
            return vector, ()
        if mode == "text" or not snapshot.vectors.size or not text:
            return None, ()
        if snapshot.embedder is not None:  # not what the file says now: its vectors may be replaced at this moment
            self.check(snapshot.embedder)
        try:
            vectors, name = self._ask([text], snapshot.embedder)
        except EmbedderError as error:
            if mode == "embedding":
                raise
            logger.warning("%s", error)
            return None, ("embedding",)
        return self._fitted(vectors, name, dimensions)[0], ()

    def reads(self, snapshot: Snapshot, words: Sequence[str]) -> float:
        """Return how far the model in the package can read a question, in [0, 1]; 1 over any other embedder."""
        if not snapshot.vectors.size or self._maker(snapshot.embedder).name != bundled().name:
            return 1.0
        return legible(words, bundled().whole(words))

    def mean_query(self, given: Iterable[str]) -> FloatArray:
        """Return one vector, (dimensions,), for a query that is told in several texts."""
        texts = [arguments.question(text, "A text of the query") for text in given]
        if not texts:
            raise InvalidValueError("texts is empty; a query vector is made of at least one text.")
        self.check()
        stored = self._backend.meta("dimensions")
        dimensions = None if stored is None else int(stored)
        vectors, name = self._ask(texts, self._backend.meta("embedder"))
        mean: FloatArray = self._fitted(vectors, name, dimensions or vectors.shape[1]).mean(axis=0)
        return mean

    def queries_at_no_cost(self, texts: Sequence[str], snapshot: Snapshot) -> Vectors | None:
        """Return the vectors, (len(texts), dimensions), of questions nobody asked; None where a model would be paid.

        Tables that live in this process answer; functions, transformers and services of others are left alone.
        """
        embedder = self._maker(snapshot.embedder)
        if not isinstance(embedder, StaticEmbedder | ContextualEmbedder) or embedder.name != snapshot.embedder:
            return None
        return self._ask(texts, snapshot.embedder)[0]

    def _ask(self, texts: Sequence[str], stored: str | None) -> tuple[Vectors, str]:
        """Return the vectors of a question's texts, as long as their maker makes them, and its name."""
        embedder = self._maker(stored)
        try:
            return checked([embedder.embed_query(text) for text in texts], len(texts), embedder.name), embedder.name
        except KeyRefusedError:
            raise
        except Exception as error:
            raise EmbedderError(f"The embedder {embedder.name!r} failed on the query: {said(error)}.") from error

    def _fitted(self, vectors: Vectors, name: str, dimensions: int) -> Vectors:
        """Return vectors padded with zeros or cut to the graph's dimensions, with a warning."""
        length = vectors.shape[1]
        if length == dimensions:
            return vectors
        warn(
            f"The embedder {name!r} gives {length} dimensions, the vectors of {self._backend.path!r} have "
            f"{dimensions}; the query's vector was padded or cut. Give the embedder that made the vectors, or "
            "query_vector."
        )
        return np.pad(vectors, ((0, 0), (0, max(dimensions - length, 0))))[:, :dimensions]
