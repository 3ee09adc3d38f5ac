"""What users hold: one graph in one SQLite file, searched in plain words."""

from __future__ import annotations

import asyncio
import hashlib
import json
import math
import threading
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from numbers import Real
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from fourfold import explain, filters, pipeline
from fourfold.cache import Cache
from fourfold.config import RetrievalConfig
from fourfold.config_history import ConfigHistory, ConfigVersion, changes_of
from fourfold.edge_types import TypeLabels
from fourfold.embed import Embedder, as_embedder
from fourfold.embed.base import LARGEST_COORDINATE, checked
from fourfold.embed.static import bundled
from fourfold.errors import (
    DimensionError,
    EmbedderError,
    EmbedderMismatchError,
    InvalidValueError,
    UnknownNodeError,
)
from fourfold.index import Index, build
from fourfold.pipeline import MODES, Query, Scores
from fourfold.store import FIELDS, Follower, ForeignFile, ForeignSchema, Row, Store, Writer, index_path
from fourfold.store.documents import neighbours
from fourfold.tokenizer import make_tokenizer
from fourfold.types import Edge, Explanation, FloatArray, Hit, Node, SearchResult, Weights

Progress = Callable[[int, int], None]
"""Called with (nodes done, nodes in all) while nodes are embedded."""

_LARGEST_WEIGHT = 1e30
_EMBED_BATCH = 2048
_TOKENIZE_BATCH = 8192


class FourfoldWarning(UserWarning):
    """Something works, but not as well as it could; the sentence says what to do."""


class Retriever:
    """A four-signal retriever over one SQLite file.

    Args:
        path: the file, created if missing; ``":memory:"`` keeps everything in memory.
        embedder: None for the embedded static model; a callable, a Model2Vec folder or name, or an Embedder.
        config: the constants of retrieval; None for those applied to the file (see ``apply_config``), else the defaults.
        read_only: open an existing file without ever writing to it.

    Raises:
        StoreError: the file is no database, is another application's, or is newer than this version.
        EmbedderMismatchError: the file was made with another embedder or tokenizer than the one given.

    """

    def __init__(
        self,
        path: str | Path = ":memory:",
        *,
        embedder: object = None,
        config: RetrievalConfig | None = None,
        read_only: bool = False,
    ) -> None:
        self._foreign: Follower | None = None
        self._store = Store(path, read_only=read_only)
        try:
            self.config = config if config is not None else self._config_history().config()
            self._embedder: Embedder = as_embedder(embedder)
            self._tokenizer = make_tokenizer(self._tokenizer_name())
            if embedder is not None:
                self._check_embedder(self._store.meta("embedder"))
        except BaseException:
            self._store.close()
            raise
        self._index: Index | None = None
        self._index_lock = threading.Lock()
        self._cache: Cache[SearchResult] = Cache(self.config.cache_size, self.config.cache_seconds)
        self._masks: Cache[NDArray[np.bool_]] = Cache(64, self.config.cache_seconds)
        self._labels: TypeLabels | None = None

    @classmethod
    def open_foreign(
        cls,
        path: str | Path,
        schema: ForeignSchema | None = None,
        *,
        embedder: object = None,
        config: RetrievalConfig | None = None,
    ) -> Self:
        """Open a knowledge graph that already lives in some SQLite file, as it is.

        The file is only ever read. Its index lives in ``<path>.fourfold`` beside it, or in memory where that cannot
        be written, and follows the file: what another connection has committed, the next search sees.

        Args:
            path: the file.
            schema: what its tables and columns mean; None finds out.
            embedder: as for ``Retriever``; nodes without a vector in the file are embedded by it.
            config: the constants of retrieval.

        Raises:
            SchemaDetectionError: no node table can be recognised, or ``schema`` names what is not there.
            StoreError: there is no such file, or it is no database.
            DimensionError: the vectors in the file have different dimensions.
            InvalidValueError: a vector in the file cannot be read.

        """
        file = ForeignFile(path, schema)
        retriever: Self | None = None
        try:
            retriever = cls(index_path(file.path), embedder=embedder, config=config)
            for note in file.notes:
                warnings.warn(note, FourfoldWarning, stacklevel=2)
            retriever._foreign = Follower(file, retriever._store, retriever._write)
        except BaseException as error:
            file.close()
            if retriever is not None:
                retriever.close()
            if isinstance(error, EmbedderMismatchError):
                error.add_note(f"The index {index_path(file.path)!r} is derived; delete it to embed the graph again.")
            raise
        return retriever

    # -- writing ------------------------------------------------------------------------------------------------

    def add(
        self,
        nodes: Iterable[Node] = (),
        edges: Iterable[Edge] = (),
        *,
        progress: Progress | None = None,
        also: Callable[[Writer], None] | None = None,
    ) -> int:
        """Add or replace nodes and edges in one transaction: all of it, or nothing.

        A node of a known id is replaced and keeps its edges; an edge of a known (source, target, type) gets the new
        weight. Of several nodes with one id the last counts.

        Args:
            nodes: a node without a vector is embedded.
            edges: both ends must be in the graph or among ``nodes``.
            progress: called with (nodes done, nodes in all).
            also: run inside the transaction, after the nodes and edges are written; for rooms such as
                ``fourfold.ingest`` that keep books beside the graph.

        Returns:
            The generation of the graph after the write.

        Raises:
            InvalidValueError: a node or an edge that cannot be stored; NaN or infinity in a vector or a weight.
            DimensionError: a vector of another dimension than the graph's.
            UnknownNodeError: an edge names a node that does not exist.
            EmbedderError: the embedder failed.

        """
        if self._foreign is not None:
            self._foreign.refuse()
        latest = list({node.id: node for node in map(check_node, nodes)}.values())
        links = [_valid_edge(edge) for edge in edges]
        if not latest and not links and also is None:
            return self.generation
        return self._write(latest, links, progress=progress, also=also)

    def _write(
        self,
        nodes: Sequence[Node],
        edges: Sequence[Edge],
        *,
        progress: Progress | None = None,
        first: Callable[[Writer], None] = lambda writer: None,
        also: Callable[[Writer], None] | None = None,
    ) -> int:
        """Embed, tokenize and store valid nodes and edges in one transaction, between ``first`` and ``also``."""
        vectors, embedded = self._vectors_for(nodes, progress)
        rows = [Row(node, _content_hash(node), vector) for node, vector in zip(nodes, vectors, strict=True)]
        batches = []
        for start in range(0, len(rows), _TOKENIZE_BATCH):
            part = rows[start : start + _TOKENIZE_BATCH]
            batches.append((part, *self._tokenizer.batch([getattr(r.node, f) for r in part for f in FIELDS])))
        with self._store.transaction() as writer:
            first(writer)
            self._sign(writer, {len(v) for v in vectors if v is not None}, embedded=embedded, tokenized=bool(rows))
            for prepared in batches:
                writer.put_nodes(*prepared)
            if edges:
                writer.put_edges(edges)
            if also is not None:
                also(writer)
            generation = writer.generation
        self._cache.clear()
        return generation

    def _sign(self, writer: Writer, dimensions: set[int], *, embedded: bool, tokenized: bool) -> None:
        """Store what the vectors and terms are made with; refuse those that cannot stand beside the stored ones."""
        stored = writer.meta("dimensions")
        known = dimensions | ({int(stored)} if stored is not None else set())
        if len(known) > 1:
            new = " and ".join(map(str, sorted(dimensions)))
            raise DimensionError(
                f"The new vectors have {new} dimensions, those of {self.path!r} have {stored or 'none yet'}."
            )
        if dimensions:
            writer.set_meta("dimensions", str(*dimensions))
        if embedded:
            self._check_embedder(writer.meta("embedder"))
            writer.set_meta("embedder", self._embedder.name)
        if tokenized:
            if (name := writer.meta("tokenizer")) not in (None, self._tokenizer.name):
                raise EmbedderMismatchError(
                    f"{self.path!r} was meanwhile made with the tokenizer {name!r}, this retriever uses "
                    f"{self._tokenizer.name!r}; open it again."
                )
            writer.set_meta("tokenizer", self._tokenizer.name)

    def delete(self, ids: Iterable[str] = (), *, edges: Iterable[Edge] = ()) -> int:
        """Delete nodes with all their edges, and single edges. Unknown ones are passed over.

        Returns:
            How many nodes and edges named here were deleted.

        """
        if self._foreign is not None:
            self._foreign.refuse()
        given = [ids] if isinstance(ids, str) else list(ids)
        links = list(edges)
        if not given and not links:
            return 0
        with self._store.transaction() as writer:
            count = writer.delete_nodes(given) + writer.delete_edges(links)
        self._cache.clear()
        return count

    # -- searching ----------------------------------------------------------------------------------------------

    def search(
        self,
        query: str,
        *,
        k: int | None = None,
        filter: Mapping[str, Any] | None = None,
        intent: str | None = None,
        weights: Weights | Mapping[str, float] | None = None,
        query_vector: Sequence[float] | FloatArray | None = None,
        mode: str = "hybrid",
        min_score: float | None = None,
        group_by: str | None = None,
        max_per_source: int = 1,
    ) -> SearchResult:
        """Return the best nodes for a query, with everything their scores are made of.

        Args:
            query: plain words; may be empty (no hits by text).
            k: number of hits; None is ``config.limit``.
            filter: metadata the hits must have, see ``fourfold.filters``; binds seeds and graph expansion too.
            intent: forces an intent; ``"default"`` is none; None detects it.
            weights: the four weights, or a mapping of some of them.
            query_vector: the query's embedding, (dimensions,), instead of the embedder's.
            mode: ``"hybrid"``, ``"text"`` or ``"embedding"``: what finds the seeds.
            min_score: hits below it are left out; on the final score.
            group_by: a metadata key; at most ``max_per_source`` hits of each of its values.
            max_per_source: see ``group_by``.

        Raises:
            InvalidValueError: an argument that cannot be meant.
            FilterError: a filter that cannot be read.
            DimensionError: ``query_vector`` has another dimension than the graph.
            SearchError: every component failed.

        """
        request = self._checked_request(
            query, k, filter, intent, weights, query_vector, mode, min_score, group_by, max_per_source
        )
        for last in (False, False, True):  # a node may be deleted between the search and the reading of its text
            index = self._current_index()
            key = (index.generation, *request)
            if (known := self._cache.get(key)) is not None:
                return known
            result = self._answer(
                index, query, k, filter, intent, weights, query_vector, mode, min_score, group_by, max_per_source,
                without_gone=last,
            )  # fmt: skip
            if result is not None:
                break
        assert result is not None
        if not result.degraded:
            self._cache.put(key, result)
        return result

    async def asearch(self, query: str, **options: Any) -> SearchResult:
        """Search without blocking the event loop; the options are those of ``search``."""
        return await asyncio.to_thread(partial(self.search, query, **options))

    def search_many(self, queries: Iterable[str], **options: Any) -> list[SearchResult]:
        """Search for each query; the options are those of ``search``."""
        return [self.search(query, **options) for query in queries]

    async def asearch_many(self, queries: Iterable[str], **options: Any) -> list[SearchResult]:
        """Search for each query without blocking the event loop."""
        return await asyncio.to_thread(partial(self.search_many, list(queries), **options))

    def query_vector(self, texts: Sequence[str]) -> FloatArray:
        """Return one vector, (dimensions,), for a query that is told in several texts: the mean of their embeddings.

        Raises:
            EmbedderMismatchError: the graph's vectors were made with another embedder.
            EmbedderError: the embedder failed, or there are no texts.

        """
        self._check_embedder(self._store.meta("embedder"))
        if isinstance(texts, str) or not texts:
            raise EmbedderError(f"A query vector is made of a list of at least one text, not of {texts!r}.")
        try:
            vectors = [self._embedder.embed_query(text) for text in texts]
        except Exception as error:
            raise EmbedderError(f"The embedder {self._embedder.name!r} failed on the query: {error}") from error
        mean: FloatArray = checked(vectors, len(texts), self._embedder.name).mean(axis=0)
        return mean

    def explain(self, query: str, node_id: str, **options: Any) -> Explanation:
        """Tell in words and numbers why a node stands where it does; the options are those of ``search``.

        Raises:
            UnknownNodeError: there is no such node.

        """
        known = Retriever.search.__kwdefaults__ or {}
        if unknown := sorted(set(options) - set(known)):
            raise InvalidValueError(f"explain has no option {unknown[0]!r}; its options are {', '.join(known)}.")
        self._checked_request(query, **{**known, **options})
        index = self._current_index()
        position = index.position(node_id)
        node = self._store.nodes_by_id([node_id]).get(node_id)
        if position is None or node is None:
            raise UnknownNodeError(f"There is no node {node_id!r} in {self.path!r}.")
        request = self._query(
            index,
            query,
            options.get("k"),
            options.get("filter"),
            options.get("intent"),
            options.get("weights"),
            options.get("query_vector"),
            options.get("mode", "hybrid"),
        )
        scores = pipeline.run(index, request, self.config)
        names = self._names(index, [*scores.seeds.tolist(), *index.adjacency.neighbours(position).tolist()])
        return explain.explanation(scores, index, request, self.config, position, node, names)

    def forget_answers(self) -> None:
        """Drop every remembered answer; the next searches are computed anew."""
        self._cache.clear()

    def prepare(self, queries: Iterable[str], *, k: int | None = None) -> tuple[Index, list[Query]]:
        """Return the current index and the queries as ``pipeline.run`` takes them: for studies of the pipeline."""
        index = self._current_index()
        return index, [self._query(index, text, k, None, None, None, None, "hybrid") for text in queries]

    # -- learning ------------------------------------------------------------------------------------------------

    def feedback(self, query: str, node_id: str, relevant: bool | float = True) -> None:
        """Remember whether a node answers a query; a second word on the same pair replaces the first.

        ``fourfold tune`` and ``evaluate.feedback_judgements`` read what was collected.

        Args:
            query: as it was asked.
            node_id: a node of the graph.
            relevant: yes or no, or a grade of at least 0.

        Raises:
            UnknownNodeError: there is no such node.
            InvalidValueError: an empty query, or a grade that is negative or no number.

        """
        if not isinstance(query, str) or not query.strip():
            raise InvalidValueError(f"The query is {query!r}; feedback needs the words that were asked.")
        grade = float(relevant)
        if not (math.isfinite(grade) and grade >= 0):
            raise InvalidValueError(f"relevant is {relevant!r}; it must be True, False or a grade of at least 0.")
        if not self.get([node_id]):
            raise UnknownNodeError(f"There is no node {node_id!r} in {self.path!r}.")
        with self._store.transaction() as writer:
            writer.put_feedback(query.strip(), node_id, grade)

    def judgements(self) -> list[tuple[str, str, float]]:
        """Return all feedback as (query, node id, grade), in the order of the queries' first mention."""
        return self._store.feedback()

    def apply_config(self, config: RetrievalConfig, *, evidence: Mapping[str, Any] | None = None) -> int:
        """Store a config in the file and use it; whoever opens the file without a config gets it.

        Args:
            config: what differs from the defaults is stored.
            evidence: JSON values that say why, such as the gain that was measured.

        Returns:
            The number of this version, for ``rollback_config``.

        """
        now = datetime.now(UTC).isoformat(timespec="seconds")
        with self._store.transaction() as writer:
            history = ConfigHistory.from_json(writer.meta("config")).applied(config, now, evidence or {})
            writer.set_meta("config", history.to_json())
        self._use(config)
        return history.in_force

    def rollback_config(self, version: int | None = None) -> int:
        """Go back to a version that was applied before; None is the one before this, 0 the defaults.

        Returns:
            The number of the version now in force.

        Raises:
            StoreError: there is no such version.

        """
        with self._store.transaction() as writer:
            history = ConfigHistory.from_json(writer.meta("config"))
            history = replace(history, in_force=history.before() if version is None else version)
            config = history.config()
            writer.set_meta("config", history.to_json())
        self._use(config)
        return history.in_force

    def config_versions(self) -> list[ConfigVersion]:
        """Return every config ever applied to the file, oldest first."""
        return list(self._config_history().versions)

    def _config_history(self) -> ConfigHistory:
        return ConfigHistory.from_json(self._store.meta("config"))

    def _use(self, config: RetrievalConfig) -> None:
        with self._index_lock:
            self.config = config
            self._index = None
        self._cache.clear()

    def scores(self, query: str, **options: Any) -> tuple[Index, Query, Scores]:
        """Return the arrays behind a search: the generation, the question and every node's components, (n_nodes,).

        For rooms built on the retriever that rank by rules of their own, so without the diversity bonus. The options
        are those of ``search`` that bear on scores: k, filter, intent, weights, query_vector, mode.

        Raises:
            InvalidValueError, FilterError, DimensionError, SearchError: as ``search``.

        """
        names = ("k", "filter", "intent", "weights", "query_vector")
        k, filter, intent, weights, query_vector = (options.pop(name, None) for name in names)
        mode = options.pop("mode", "hybrid")
        if options:
            raise TypeError(f"scores() has no option {next(iter(options))!r}.")
        self._checked_request(query, k, filter, intent, weights, query_vector, mode, None, None, 1)
        index = self._current_index()
        request = self._query(index, query, k, filter, intent, weights, query_vector, mode)
        return index, request, pipeline.run(index, request, replace(self.config, diversity_bonus=0.0))

    # -- looking around -----------------------------------------------------------------------------------------

    @property
    def index(self) -> Index:
        """The arrays of the current generation, for rooms built on the retriever; they never change."""
        return self._current_index()

    @property
    def store(self) -> Store:
        """The open file, for rooms that keep more in it than nodes and edges."""
        return self._store

    @property
    def path(self) -> str:
        """The file; of a foreign graph, the foreign one."""
        return self._store.path if self._foreign is None else self._foreign.path

    @property
    def generation(self) -> int:
        """The number that every committed write moves on, whoever wrote."""
        return self._store.generation()

    @property
    def embedder(self) -> Embedder:
        """The embedding model in use."""
        return self._embedder

    def __len__(self) -> int:
        """Return the number of nodes."""
        return self._store.counts()["nodes"]

    def get(self, ids: Iterable[str]) -> list[Node]:
        """Return the nodes of these ids, in their order, without vectors; unknown ids are left out."""
        wanted = list(ids)
        found = self._store.nodes_by_id(wanted)
        return [found[identity] for identity in wanted if identity in found]

    def edges(self, ids: Iterable[str]) -> list[Edge]:
        """Return every edge that leaves or enters one of these nodes."""
        return self._store.edges_of(list(ids))

    def context(self, hit: Hit | Node | str, before: int = 1, after: int = 1) -> list[Node]:
        """Return a chunk with its neighbours in the document, in reading order.

        Args:
            hit: a hit, a node or an id; what is no part of a document stands alone.
            before: how many chunks before it.
            after: how many chunks after it.

        Raises:
            UnknownNodeError: there is no such node.

        """
        for name, number in (("before", before), ("after", after)):
            if isinstance(number, bool) or not isinstance(number, int) or number < 0:
                raise InvalidValueError(f"{name} is {number!r}; it must be a whole number of at least 0.")
        node = hit.node if isinstance(hit, Hit) else hit
        identity = node.id if isinstance(node, Node) else node
        found = neighbours(self._store, identity, before, after) or self.get([identity])
        if not found:
            raise UnknownNodeError(f"There is no node {identity!r} in {self.path!r}.")
        return found

    def matching(self, filter: Mapping[str, Any]) -> list[str]:
        """Return the ids of the nodes that meet a metadata filter, in order.

        Raises:
            FilterError: a filter that cannot be read.

        """
        index = self.index
        return sorted(index.ids[position] for position in np.nonzero(self._mask(index, filter))[0])

    def metadata_texts(self) -> tuple[NDArray[np.int64], list[str]]:
        """Return every piece of metadata as words: its node's number in the store, and "key value"."""
        return self._store.metadata_texts()

    def manifest(self) -> dict[str, str]:
        """Return the content hash of every node by id."""
        return self._store.manifest()

    def info(self) -> dict[str, Any]:
        """Return what the file holds and what is in force, in plain JSON types.

        Of a foreign graph also, under ``"foreign"``, how its file is read and what was skipped.
        """
        foreign = {}
        if self._foreign is not None:
            self._foreign.keep_in_step()
            foreign["foreign"] = self._foreign.info()
        return {
            "path": self.path,
            **self._store.counts(),
            "edge_types": self._store.edge_type_names(),
            "generation": self.generation,
            "dimensions": int(d) if (d := self._store.meta("dimensions")) else None,
            "embedder": self._store.meta("embedder"),
            "tokenizer": self._store.meta("tokenizer") or self._tokenizer.name,
            "config": self.config.fingerprint(),
            "config_version": self._config_history().in_force,
            "config_changes": changes_of(self.config),
            **foreign,
        }

    def close(self) -> None:
        """Close the file; a second call does nothing."""
        if self._foreign is not None:
            self._foreign.close()
        self._store.close()
        self._index = None
        self._cache.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # -- how a query is answered --------------------------------------------------------------------------------

    def _checked_request(
        self,
        query: str,
        k: int | None,
        filter: Mapping[str, Any] | None,
        intent: str | None,
        weights: Weights | Mapping[str, float] | None,
        query_vector: Sequence[float] | FloatArray | None,
        mode: str,
        min_score: float | None,
        group_by: str | None,
        max_per_source: int,
    ) -> tuple[object, ...]:
        """Refuse what cannot be meant, and return the key of the answer: every argument that changes it."""
        if not isinstance(query, str):
            raise InvalidValueError(f"The query is {query!r}; it must be a string.")
        for name, number in (("k", k), ("max_per_source", max_per_source)):
            if number is not None and (isinstance(number, bool) or not isinstance(number, int) or number < 1):
                raise InvalidValueError(f"{name} is {number!r}; it must be a whole number of at least 1.")
        if mode not in MODES:
            raise InvalidValueError(f"mode is {mode!r}; it must be one of {', '.join(MODES)}.")
        if min_score is not None and not (isinstance(min_score, (int, float)) and math.isfinite(min_score)):
            raise InvalidValueError(f"min_score is {min_score!r}; it must be a finite number.")
        for name, text in (("intent", intent), ("group_by", group_by)):
            if text is not None and not isinstance(text, str):
                raise InvalidValueError(f"{name} is {text!r}; it must be a string.")
        weight_key = None
        if weights is not None:
            weight_key = pipeline.explicit_weights(weights, self.config).as_tuple()
        vector_key = None if query_vector is None else _valid_vector(query_vector, "query_vector").tobytes()
        filter_key = None if filter is None else filters.canonical(filter)
        return (query, k, filter_key, intent, weight_key, vector_key, mode, min_score, group_by, max_per_source)

    def _answer(
        self,
        index: Index,
        text: str,
        k: int | None,
        filter: Mapping[str, Any] | None,
        intent: str | None,
        weights: Weights | Mapping[str, float] | None,
        query_vector: Sequence[float] | FloatArray | None,
        mode: str,
        min_score: float | None,
        group_by: str | None,
        max_per_source: int,
        *,
        without_gone: bool,
    ) -> SearchResult | None:
        """Return the answer; if one of its nodes has gone meanwhile, None, or the answer without it."""
        query = self._query(index, text, k, filter, intent, weights, query_vector, mode)
        limit = query.limit
        if group_by is not None:
            query = replace(query, limit=len(index))
        scores = pipeline.run(index, query, self.config)
        hits = self._hits(
            scores, index, query, limit, min_score, group_by, max_per_source, without_gone=without_gone
        )
        if hits is None:
            return None
        return SearchResult(
            query=text,
            hits=hits,
            intent=scores.spec.name,
            weights=scores.weights,
            mode=mode,
            degraded=scores.failed,
            generation=index.generation,
            meta=MappingProxyType({"diversity": sorted(index.ids[p] for p in scores.bonus)}),
        )

    def _query(
        self,
        index: Index,
        text: str,
        k: int | None,
        filter: Mapping[str, Any] | None,
        intent: str | None,
        weights: Weights | Mapping[str, float] | None,
        query_vector: Sequence[float] | FloatArray | None,
        mode: str,
    ) -> Query:
        """Bring a query into the form the pipeline takes: words, vector and mask for this generation."""
        stripped = text.strip().encode("utf-8", "replace").decode("utf-8")
        vector, failed = self._query_vector(index, stripped, query_vector, mode)
        words = self._tokenizer.terms_of_words(stripped)
        return Query(
            text=stripped,
            words=words,
            limit=min(k if k is not None else self.config.limit, max(len(index), 1)),
            mode=mode,
            vector=vector,
            mask=None if not filter else self._mask(index, filter),
            intent=intent,
            weights=weights,
            phrases=self._store.phrase,
            asked_types=partial(self._asked_types, index, words),
            failed=failed,
        )

    def _query_vector(
        self, index: Index, text: str, given: Sequence[float] | FloatArray | None, mode: str
    ) -> tuple[FloatArray | None, tuple[str, ...]]:
        """Return the query's vector, and the component that failed, if it did."""
        dimensions = index.matrix.shape[1]
        if given is not None:
            vector = _valid_vector(given, "query_vector")
            if index.has_vectors and len(vector) != dimensions:
                raise DimensionError(
                    f"The query vector has {len(vector)} dimensions, the vectors of {self.path!r} have {dimensions}."
                )
            return vector, ()
        if mode == "text" or not index.has_vectors or not text:
            return None, ()
        self._check_embedder(self._store.meta("embedder"))
        try:
            vector = checked([self._embedder.embed_query(text)], 1, self._embedder.name)[0]
        except Exception as error:
            if mode == "embedding":
                raise EmbedderError(f"The embedder {self._embedder.name!r} failed on the query: {error}") from error
            pipeline.logger.warning("The embedder %r failed on the query: %s", self._embedder.name, error)
            return None, ("embedding",)
        if len(vector) != dimensions:
            warnings.warn(
                f"The embedder {self._embedder.name!r} gives {len(vector)} dimensions, the vectors of {self.path!r} "
                f"have {dimensions}; the query's vector was padded or cut. Give the embedder that made the vectors, "
                "or query_vector.",
                FourfoldWarning,
                stacklevel=4,
            )
            vector = np.resize(np.pad(vector, (0, max(dimensions - len(vector), 0))), dimensions)
        return vector, ()

    def _mask(self, index: Index, condition: Mapping[str, Any]) -> NDArray[np.bool_]:
        """Return which nodes a filter keeps, (n_nodes,); remembered for the generation."""
        key = (index.generation, filters.canonical(condition))
        mask = self._masks.get(key)
        if mask is None:
            mask = np.zeros(len(index), bool)
            mask[index.positions_of(self._store.matching(*filters.to_sql(condition)))] = True
            self._masks.put(key, mask)
        return mask

    def _asked_types(
        self, index: Index, words: Sequence[tuple[str, tuple[str, ...]]], best_seed: int
    ) -> FloatArray | None:
        """Return how much the query asks for each edge type, or None where there is no choice of types.

        Words that name the best seed say where to start, not where to go.
        """
        in_use = sorted(index.adjacency.types_in_use)
        if len(in_use) < 2:
            return None
        names = tuple(index.adjacency.type_names[number] for number in in_use)
        labels = self._labels  # another thread, on another generation, may replace it
        if labels is None or labels.names != names:
            self._labels = labels = TypeLabels(names, bundled().embed_documents, self._tokenizer.terms)
        named = index.name_terms(best_seed)
        asking = [w for w, terms in words if terms and not named.issuperset(map(index.vocabulary.get, terms))]
        asked = np.zeros(len(index.adjacency.type_names))
        asked[in_use] = labels.closeness(
            asking, sharpness=self.config.chosen_sharpness, enough=self.config.chosen_enough
        )
        return asked

    def _hits(
        self,
        scores: Scores,
        index: Index,
        query: Query,
        limit: int,
        min_score: float | None,
        group_by: str | None,
        max_per_source: int,
        *,
        without_gone: bool,
    ) -> tuple[Hit, ...] | None:
        """Return the hits with their nodes; if one has gone meanwhile, None, or the hits without it."""
        order = scores.order
        if min_score is not None:
            order = [p for p in order if pipeline.final_score(scores, p, self.config) >= min_score]
        nodes: dict[int, Node] = {}
        chosen: list[int] = []
        groups: dict[str, int] = {}
        step = limit if group_by is None else max(4 * limit, 64)
        for start in range(0, len(order), step):
            batch = order[start : start + step]
            found = self._nodes_at(index, batch)
            if len(found) < len(batch) and not without_gone:
                return None
            for position, node in found.items():
                if group_by is not None:
                    group = json.dumps(node.metadata.get(group_by, ["", node.id]), sort_keys=True, default=str)
                    groups[group] = groups.get(group, 0) + 1
                    if groups[group] > max_per_source:
                        continue
                nodes[position] = node
                chosen.append(position)
                if len(chosen) == limit:
                    break
            if len(chosen) == limit:
                break
        others = [seed for seed in scores.seeds.tolist() if seed not in nodes]
        names = {p: nodes[p].name for p in chosen} | self._names(index, others)
        sentences = explain.why(scores, index, query, chosen, names)
        hits = []
        for position, sentence in zip(chosen, sentences, strict=True):
            components = explain.components_of(scores, position)
            community = None if scores.communities is None else int(scores.communities[position])
            hits.append(
                Hit(
                    node=nodes[position],
                    score=pipeline.final_score(scores, position, self.config),
                    components=components,
                    method=explain.method_of(components),
                    why=sentence,
                    community=None if community == -1 else community,
                )
            )
        return tuple(hits)

    def _nodes_at(self, index: Index, positions: Sequence[int]) -> dict[int, Node]:
        """Return the nodes by position, in the order given; those that have gone meanwhile are left out."""
        found = self._store.nodes([int(index.rows.nums[p]) for p in positions])
        nodes = ((p, found.get(int(index.rows.nums[p]))) for p in positions)
        return {p: node for p, node in nodes if node is not None and node.id == index.ids[p]}

    def _names(self, index: Index, positions: Sequence[int]) -> dict[int, str]:
        """Return the names of nodes by position."""
        by_num = self._store.nodes([int(index.rows.nums[p]) for p in positions])
        return {p: by_num[num].name for p in positions if (num := int(index.rows.nums[p])) in by_num}

    # -- keeping up ---------------------------------------------------------------------------------------------

    def _current_index(self) -> Index:
        """Return the index of the store's generation, building what changed."""
        if self._foreign is not None:
            self._foreign.keep_in_step()
        index = self._index
        if index is not None and index.generation == self._store.generation():
            return index
        with self._index_lock:
            if self._index is None or self._index.generation != self._store.generation():
                self._index = build(self._store, self.config, self._index)
            return self._index

    def _vectors_for(
        self, nodes: Sequence[Node], progress: Progress | None
    ) -> tuple[list[NDArray[np.float32] | None], bool]:
        """Return a vector for each node, and whether the embedder made any of them."""
        vectors: list[NDArray[np.float32] | None] = [
            None if node.vector is None else _valid_vector(node.vector, f"The vector of node {node.id!r}")
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
                f"The vector of node {culprit!r} has {other} dimensions, the vectors of {self.path!r} have {known}."
            )
        missing = [place for place, vector in enumerate(vectors) if vector is None]
        if not missing or (lengths and self._store.meta("embedder") is None and not self._fits(next(iter(lengths)))):
            return vectors, False
        self._check_embedder(self._store.meta("embedder"))
        for start in range(0, len(missing), _EMBED_BATCH):
            batch = missing[start : start + _EMBED_BATCH]
            texts = [self._text_of(nodes[place]) for place in batch]
            try:
                made = checked(self._embedder.embed_documents(texts), len(texts), self._embedder.name)
            except EmbedderError:
                raise
            except Exception as error:
                raise EmbedderError(
                    f"The embedder {self._embedder.name!r} failed, nothing was written: {error}"
                ) from error
            for place, vector in zip(batch, made, strict=True):
                vectors[place] = vector
            if progress is not None:
                progress(min(start + len(batch), len(missing)), len(missing))
        return vectors, bool(missing)

    def _fits(self, dimensions: int) -> bool:
        """Whether the embedder's vectors can stand beside given ones of this dimension."""
        try:
            return len(self._embedder.embed_query("dimension")) == dimensions
        except Exception:
            return False

    def _text_of(self, node: Node) -> str:
        """Return what the embedder reads of a node."""
        names = [node.name] * (self.config.embed_name_times if node.text else 1)
        parts = (*names, node.type if self.config.embed_type else "", node.text)
        return " ".join(part for part in parts if part)

    def _check_embedder(self, stored: str | None) -> None:
        if stored is not None and stored != self._embedder.name:
            raise EmbedderMismatchError(
                f"The vectors of {self.path!r} were made with the embedder {stored!r}, this retriever has "
                f"{self._embedder.name!r}; give embedder= the one they were made with, or embed the graph again."
            )

    def _tokenizer_name(self) -> str:
        """Return the stored tokenizer's name; a config that asks for another one is refused."""
        stored = self._store.meta("tokenizer")
        wanted = self.config.tokenizer_name
        if stored is None or stored == wanted or wanted == RetrievalConfig().tokenizer_name:
            return stored or wanted
        raise EmbedderMismatchError(
            f"{self.path!r} was made with the tokenizer {stored!r}, the config asks for {wanted!r}; "
            "open it with its own, or build it again."
        )


def check_node(node: Node) -> Node:
    """Return a node that can be stored, or say in an InvalidValueError why it cannot."""
    if not isinstance(node, Node):
        raise InvalidValueError(f"A node must be a fourfold.Node, not {type(node).__name__}.")
    if not isinstance(node.id, str) or not node.id:
        raise InvalidValueError(f"A node has the id {node.id!r}; it must be a string that is not empty.")
    if "\x00" in node.id:
        raise InvalidValueError(f"A node has the id {node.id!r}; it must not hold a NUL character.")
    for name in ("id", *FIELDS):
        value = getattr(node, name)
        if not isinstance(value, str):
            raise InvalidValueError(f"The {name} of node {node.id!r} is {value!r}; it must be a string.")
        if not value.isascii():
            _require_unicode(value, f"The {name} of node {node.id!r}")
    if not isinstance(node.metadata, Mapping):
        raise InvalidValueError(f"The metadata of node {node.id!r} is {node.metadata!r}; it must be a mapping.")
    try:
        json.dumps(dict(node.metadata), allow_nan=False, ensure_ascii=False, sort_keys=True).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidValueError(f"The metadata of node {node.id!r} is not made of JSON values: {error}.") from error
    return node


def _require_unicode(value: str, what: str) -> None:
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise InvalidValueError(f"{what} holds a lone surrogate: {error.reason}.") from error


def _valid_edge(edge: Edge) -> Edge:
    if not isinstance(edge, Edge):
        raise InvalidValueError(f"An edge must be a fourfold.Edge, not {type(edge).__name__}.")
    if not all(isinstance(value, str) for value in (edge.source, edge.target, edge.type)):
        raise InvalidValueError(f"Source, target and type of an edge must be strings: {edge!r}.")
    for value in (edge.source, edge.target, edge.type):
        if not value.isascii():
            _require_unicode(value, f"The edge {edge.source!r} → {edge.target!r} of type {edge.type!r}")
    weight = edge.weight
    if isinstance(weight, bool) or not isinstance(weight, Real) or not 0 <= weight <= _LARGEST_WEIGHT:
        raise InvalidValueError(
            f"The edge {edge.source!r} → {edge.target!r} has the weight {weight!r}; it must be a number from 0 to "
            f"{_LARGEST_WEIGHT:g}."
        )
    return edge


def _valid_vector(given: object, what: str) -> NDArray[np.float32]:
    try:
        with np.errstate(over="ignore"):
            vector = np.asarray(given, dtype=np.float32)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidValueError(f"{what} is no list of numbers: {error}.") from error
    if vector.ndim != 1 or not len(vector):
        raise InvalidValueError(f"{what} has shape {vector.shape}; it must be one row of numbers.")
    if not np.isfinite(vector).all():
        raise InvalidValueError(f"{what} holds NaN or infinite numbers.")
    if np.abs(vector).max() > LARGEST_COORDINATE:
        raise InvalidValueError(f"{what} holds numbers beyond {LARGEST_COORDINATE:g}; its length overflows.")
    return vector


def _content_hash(node: Node) -> str:
    content = json.dumps([node.name, node.type, node.text, dict(node.metadata)], sort_keys=True, ensure_ascii=False)
    return hashlib.blake2b(content.encode(), digest_size=16).hexdigest()
