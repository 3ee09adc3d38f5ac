"""One open graph: its engine, and what is in force there. Every face of a Retriever works on the same one."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from fourfold import arguments, deadline
from fourfold.asking import Asker
from fourfold.batches import known, lacking, prepared
from fourfold.cache import Cache
from fourfold.config import RetrievalConfig
from fourfold.config_history import ConfigHistory, changes_of
from fourfold.embed import Cascade, Embedder, as_embedder
from fourfold.engines import open_backend
from fourfold.engines.base import Settings, Writer
from fourfold.engines.foreign import Follower, ForeignSource
from fourfold.errors import DimensionError, EmbedderMismatchError, InvalidValueError, StoreError, warn
from fourfold.graph_embedding import GraphEmbedding, Progress, VectorsOf
from fourfold.index.files import DamagedFileError
from fourfold.index.snapshot import Snapshot
from fourfold.node_text import reads_in_force, stored_reads
from fourfold.reembedding import Reembedding, unfinished
from fourfold.tokenizer import make_tokenizer, same_language, stored_tokenizer, tokenizer_settings
from fourfold.types import Edge, Node, SearchResult
from fourfold.weighting import over_encoder

logger = logging.getLogger(__name__)

A = TypeVar("A")


class Session:
    """An engine together with the config, the embedder and the tokenizer in force. Safe to use from threads.

    The arguments, and what is raised, are those of ``Retriever``.
    """

    def __init__(
        self,
        address: str,
        *,
        embedder: object,
        config: RetrievalConfig | None,
        read_only: bool,
        must_exist: bool,
        durable: bool,
    ) -> None:
        if config is not None:
            require_config(config)
        self.backend = open_backend(address, read_only=read_only, must_exist=must_exist, durable=durable)
        self.foreign: Follower | None = None
        self._follows = config is None
        """Whether the config in force is the one applied to the graph, whoever applies it."""
        self._followed_at: tuple[int, str] = (-1, "")
        try:
            self._wanted = wanted = config if config is not None else self.history().config()
            source = Cascade(self.backend.model) if embedder is None else as_embedder(embedder)
            self.embedding = GraphEmbedding(self.backend, source, reads_in_force(self.backend, wanted.embedding))
            self.config = _over(self.embedding, wanted)
            self.tokenizer = make_tokenizer(self._tokenizer_name(self.config))
            if embedder is not None:
                self.embedding.check()
            if config is not None:
                self.embedding.check_reads(stored_reads(self.backend))
        except BaseException:
            self.backend.close()
            raise
        self.backend.use(self.config)
        self.answers: Cache[SearchResult] = Cache(self.config.index.cache_size, self.config.index.cache_seconds)
        """Remembered answers, by generation and question."""
        self._asker = Asker(self.backend, self.embedding, self.tokenizer, self.config)
        self._current: tuple[Snapshot, Asker] | None = None
        self._coming: tuple[GraphEmbedding, Asker] | None = None
        self._lock = threading.Lock()

    @property
    def path(self) -> str:
        """What messages call the graph; of a foreign one, the foreign file."""
        return self.backend.path if self.foreign is None else self.foreign.path

    @property
    def address(self) -> str:
        """What opens it again."""
        return self.backend.address if self.foreign is None else self.foreign.address

    def opened_with(self) -> tuple[Any, dict[str, Any] | None, bool, Any]:
        """Return what opens the graph again as it is, beside its address: embedder, config, read-only, foreign schema.

        None for an embedder and a config that the graph has itself.
        """
        source = self.embedding.source
        config = None if self._follows else changes_of(self._wanted)
        schema = None if self.foreign is None else self.foreign.schema
        return None if isinstance(source, Cascade) else source, config, self.backend.read_only, schema

    def follow(self, source: ForeignSource) -> None:
        """Keep this graph in step with foreign tables, which are only read."""
        for note in source.notes:
            warn(note)
        self.foreign = source.follow(self.backend, self.write)

    def close(self) -> None:
        """Close everything; a second call does nothing."""
        if self.foreign is not None:
            self.foreign.close()
        if self._current is not None:
            self._current[0].structure.leave()
        self.backend.close()
        self._current = None
        self.answers = Cache(0, 0)  # whoever was forked must not wait for a lock of its parent's

    def info(self) -> dict[str, Any]:
        """Return what the graph holds and what is in force, see ``Retriever.info``."""
        more: dict[str, Any] = {}
        self.follow_config()
        if self.foreign is not None:
            self.foreign.keep_in_step()
            more["foreign"] = self.foreign.info()
        first_stage, recall = self.from_whole_files(self.backend.first_stage) or (None, None)
        if begun := unfinished(self.backend):
            more["reembedding"] = begun
        if (trained := self.backend.meta("embedder_training")) is not None:
            more["embedder_training"] = json.loads(trained)
        return {
            "path": self.path,
            **self.backend.counts(),
            "edge_types": self.backend.edge_type_names(),
            "generation": self.backend.generation(),
            "dimensions": int(d) if (d := self.backend.meta("dimensions")) else None,
            "first_stage": first_stage,
            "recall": None if recall is None else round(recall, 4),
            "embedder": self.backend.meta("embedder"),
            "tokenizer": stored_tokenizer(self.backend.meta) or self.tokenizer.name,
            "config": self.config.fingerprint(),
            "config_version": self.history().in_force,
            "config_changes": changes_of(self.config),
            **more,
        }

    # -- the present --------------------------------------------------------------------------------------------

    def present(self) -> tuple[Snapshot, Asker]:
        """Return the snapshot of the present generation, and who reads questions for it.

        The two go together: a search that began before ``reembed`` ended has the old vectors and the old embedder.
        """
        self._keep_in_step()
        return self._present()

    @contextmanager
    def question(self, text: str = "") -> Iterator[tuple[Snapshot, Asker]]:
        """Ask of one state of the graph: see ``Backend.question``."""
        self._keep_in_step()
        with self.backend.question(partial(self.tokenizer.terms, text)):
            yield self._present()

    def _keep_in_step(self) -> None:
        if self.foreign is not None:
            with deadline.lifted():
                self.foreign.keep_in_step()

    def _present(self) -> tuple[Snapshot, Asker]:
        while True:
            asker, begun = self._asker, time.perf_counter()
            snapshot = self.backend.snapshot()
            current = self._current
            if current is not None and current[0] is snapshot:
                return current
            self._tell(snapshot, time.perf_counter() - begun)
            self.follow_config(snapshot.write)
            with self._lock:
                if asker is not self._asker:  # the snapshot may be one that another config reads
                    continue
                coming = self._coming  # read before the asker, which takes its place
                arrived = coming is not None and coming[0].embedder.name == snapshot.embedder
                self._current = snapshot, coming[1] if coming is not None and arrived else asker
                return self._current

    def _tell(self, snapshot: Snapshot, seconds: float) -> None:
        """Write into the log that another state of the graph was read, and how long whoever asks waited for it."""
        level = logging.INFO if self._current is None or seconds >= deadline.SLOW else logging.DEBUG
        told = "Generation %d of %r was read in %.3f s: nodes %d."
        logger.log(level, told, snapshot.generation, self.path, seconds, snapshot.size)

    def from_whole_files(self, answer: Callable[[], A]) -> A:
        """Return an answer; where a derived file shows damage while it is made, it is made anew from the store.

        Whatever reads a snapshot is asked through here: blocks are verified when they are first touched, so damage may
        show in any of them. ``answer`` must take the snapshot itself, for its second attempt needs another one.
        """
        try:
            return answer()
        except DamagedFileError:
            logger.warning("A derived file of %r is damaged; the graph is read from the store again.", self.path)
            self.backend.forget()
            self._current = None
        return answer()

    # -- what is in force ---------------------------------------------------------------------------------------

    def history(self) -> ConfigHistory:
        """Return the configs that were ever applied to the graph."""
        return ConfigHistory.from_json(self.backend.meta("config"))

    def follow_config(self, write: tuple[int, str] | None = None) -> None:
        """Go on with the config applied to the graph since, by whomever; one given by the caller stays in force.

        Where another file was put in the place of the graph, its words may be another tokenizer's.
        One that cannot be read, such as a later version's, is left aside with a warning in the log: whoever has the
        graph open goes on as before.
        """
        now = write or self.backend.write()
        if now == self._followed_at:
            return
        config = self._wanted
        try:
            config = self.history().config() if self._follows else config
        except StoreError as error:
            logger.warning("%r goes on with the config it has: %s", self.path, error)
        if config != self._wanted or self._tokenizer_name(config) != self.tokenizer.name:
            self.use(config)
        self._followed_at = now  # last: until then whoever else asks looks for himself

    def apply(self, config: RetrievalConfig) -> None:
        """Go on with a config that is now the graph's own, and follow it from here on."""
        self._follows = True
        self.use(config)

    def use(self, config: RetrievalConfig, embedder: Embedder | None = None) -> None:
        """Go on with another config, or another embedder."""
        with self._lock:
            reads, name = reads_in_force(self.backend, config.embedding), self._tokenizer_name(config)
            tokenizer = self.tokenizer if name == self.tokenizer.name else make_tokenizer(name)
            self.embedding = GraphEmbedding(self.backend, embedder or self.embedding.source, reads)
            self._wanted, self.config = config, _over(self.embedding, config)
            self.tokenizer = tokenizer  # another one only where nothing has been read by the one before
            self._current = None
            self.backend.use(self.config)
            self._asker = Asker(self.backend, self.embedding, self.tokenizer, self.config)
        self.answers.clear()

    def reembed(self, embedder: object, progress: Progress | None, also: Callable[[Writer], None] | None) -> int:
        """Replace every vector by one of another embedder, see ``Maintenance.reembed``."""
        arguments.callback(progress)
        self._keep_in_step()
        new = GraphEmbedding(self.backend, as_embedder(embedder), self.config.embedding)
        self._coming = (new, Asker(self.backend, new, self.tokenizer, _over(new, self._wanted)))
        try:
            generation = Reembedding(self.backend, new, self.config, progress).run(also)
            self.use(self._wanted, new.embedder)
        finally:
            self._coming = None
        return generation

    # -- writing ------------------------------------------------------------------------------------------------

    def write(
        self,
        nodes: Sequence[Node],
        edges: Sequence[Edge],
        *,
        vectors_by: str | None = None,
        progress: Progress | None = None,
        first: Callable[[Writer], None] | None = None,
        also: Callable[[Writer], None] | None = None,
    ) -> int:
        """Embed, tokenize and store valid nodes and edges in one transaction, between ``first`` and ``also``.

        What is new in its metadata alone is not embedded again; what was embedded while ``reembed`` switched to another
        model is, by that one. Nodes that are stored just so are left as they are, unless ``first`` may take them away.
        """
        arguments.callback(progress)
        while True:
            self.follow_config()  # which may name the tokenizer that the graph is to begin with
            seen, there = self.backend.generation(), VectorsOf.stored(self.backend)
            embedding = self._embedding_of(there)
            same, kept = self._known(nodes, there, embedding)
            same = same if first is None else set()
            new = [node for node in nodes if node.id not in same]
            try:
                with _told_of_a_switch(self.backend, there):
                    made, makers = embedding.documents(new, there, progress, vectors_by, kept)
                    batches, dimensions = prepared(new, made, self.tokenizer)
                with self.backend.transaction(deletes=first is not None or also is not None) as writer:
                    if writer.generation != seen + 1 and not self._are_still(same, nodes, there, embedding):
                        raise _ChangedError
                    if first is not None:
                        first(writer)
                    with _told_of_a_switch(writer, there):
                        embedding.sign(writer, dimensions, makers)
                    if there.embedder is None and writer.meta("embedder") is not None and lacking(batches):
                        raise _ChangedError
                    if new:
                        self._sign_tokenizer(writer)
                    batches.reverse()
                    while batches:  # what is written is let go: of a million nodes, gigabytes
                        writer.put_nodes(*batches.pop())
                    if edges:
                        writer.put_edges(edges)
                    if also is not None:
                        also(writer)
                    generation = writer.generation
            except _ChangedError:
                continue
            self.answers.clear()
            return generation

    def _known(
        self, nodes: Sequence[Node], there: VectorsOf, embedding: GraphEmbedding
    ) -> tuple[set[str], dict[str, NDArray[np.float32]]]:
        """Return which nodes are stored just so, with vectors of the embedder, and its vectors of those it read so."""
        if there.dimensions is None or there.embedder is None or not embedding.made(there):
            return set(), {}
        return known(self.backend, nodes, int(there.dimensions), embedding.text_of)

    def _are_still(self, same: set[str], nodes: Sequence[Node], there: VectorsOf, embedding: GraphEmbedding) -> bool:
        """Whether nodes that are left as they are say what they said before others wrote."""
        return same == self._known([node for node in nodes if node.id in same], there, embedding)[0]

    def _embedding_of(self, there: VectorsOf) -> GraphEmbedding:
        """Return what embeds beside these vectors: ``reembed`` puts the new model into the graph before it is ours."""
        coming = self._coming
        return coming[0] if coming is not None and coming[0].made(there) else self.embedding

    def delete(self, ids: Sequence[str], edges: Iterable[Edge]) -> int:
        """Delete nodes and edges; return how many there were."""
        with self.backend.transaction() as writer:
            count = writer.delete_nodes(ids) + writer.delete_edges(list(edges))
        self.answers.clear()
        return count

    def _sign_tokenizer(self, writer: Writer) -> None:
        """Store which tokenizer made the terms; refuse to mix two."""
        if (name := stored_tokenizer(writer.meta)) not in (None, self.tokenizer.name):
            raise EmbedderMismatchError(
                f"{self.path!r} was meanwhile made with the tokenizer {name!r}, this retriever uses "
                f"{self.tokenizer.name!r}; open it again."
            )
        for key, value in tokenizer_settings(self.tokenizer.name).items():
            writer.set_meta(key, value)

    def require_tokenizer(self, config: RetrievalConfig) -> None:
        """Refuse a config that asks for another tokenizer than the one the graph's terms were made by.

        Raises:
            EmbedderMismatchError: it does; or as ``make_tokenizer``, where no terms were made yet.

        """
        stored, wanted = stored_tokenizer(self.backend.meta), config.text.tokenizer_name
        if stored is None:
            make_tokenizer(wanted)
        elif wanted != RetrievalConfig().text.tokenizer_name and not same_language(stored, wanted):
            raise EmbedderMismatchError(
                f"{self.path!r} was made with the tokenizer {stored!r}, the config asks for {wanted!r}; "
                "leave that out, or build the graph again."
            )

    def _tokenizer_name(self, config: RetrievalConfig) -> str:
        """Return the stored tokenizer's name; a config given by the caller that asks for another one is refused."""
        if not self._follows:
            self.require_tokenizer(config)
        return stored_tokenizer(self.backend.meta) or config.text.tokenizer_name


class _ChangedError(Exception):
    """While new vectors were made, those of the graph became another embedder's, or nodes left as they are others."""


@contextmanager
def _told_of_a_switch(store: Settings, there: VectorsOf) -> Iterator[None]:
    """Where vectors do not fit the graph's, and these are others than those that were there, say just that."""
    try:
        yield
    except (EmbedderMismatchError, DimensionError) as error:
        if VectorsOf.stored(store) != there:
            raise _ChangedError from error
        raise


def _over(embedding: GraphEmbedding, config: RetrievalConfig) -> RetrievalConfig:
    """Return a config as it holds over what makes the vectors."""
    return over_encoder(config) if embedding.by_encoder else config


def require_config(config: object) -> None:
    """Refuse what is no config."""
    if not isinstance(config, RetrievalConfig):
        raise InvalidValueError(f"config is {arguments.shown(config)}; it must be a RetrievalConfig.")
