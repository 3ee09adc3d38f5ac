"""What users hold: one graph in one SQLite file, searched in plain words."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from fourfold import arguments, pipeline
from fourfold.arguments import shown, whole_number
from fourfold.asking import Asker, Options
from fourfold.cache import Cache
from fourfold.config import RetrievalConfig
from fourfold.config_history import ConfigHistory, ConfigVersion, changes_of, with_changes
from fourfold.embed import Cascade, Embedder, as_embedder
from fourfold.engines import Backend, ForeignSchema, open_backend, open_foreign
from fourfold.engines.base import Follower, Row, Writer
from fourfold.errors import EmbedderMismatchError, FourfoldWarning, InvalidValueError, StoreError, UnknownNodeError
from fourfold.evidence import IN_EXPLANATIONS, components_of
from fourfold.frozen import freeze
from fourfold.graph_embedding import GraphEmbedding, Progress, reads_in_force, stored_reads, text_of
from fourfold.hits import NodeGoneError, collect, told_of
from fourfold.index import Index, WholeScores, build
from fourfold.index.changes import FIELDS
from fourfold.index.files import DamagedFileError
from fourfold.index.snapshot import Snapshot
from fourfold.pipeline import Query, Scores
from fourfold.present import explanation_text, in_words
from fourfold.reembedding import Reembedding, unfinished
from fourfold.signals.confidence import Calibration
from fourfold.signals.late import token_table, wordpiece_text
from fourfold.tokenizer import make_tokenizer
from fourfold.types import Contribution, Edge, Explanation, FloatArray, Grounds, Hit, Node, SearchResult, Weights
from fourfold.validation import check_edge, check_node, content_hash, name_edge

_TOKENIZE_BATCH = 8192
_GROUPS_WITHIN = 8
"""Groups are looked for among so many times as many hits as are wanted, then among so many times more."""

logger = logging.getLogger(__name__)


class Retriever:
    """A four-signal retriever over one SQLite file.

    Args:
        path: a file, created if missing; ``":memory:"`` keeps everything in memory; or the address of another engine,
            ``postgresql://…`` or ``milvus://…`` (see ``fourfold.engines``).
        embedder: a callable, a Model2Vec folder or name, a model object of sentence-transformers or fastembed, or an
            Embedder. None for the one trained from the graph, where it has one, else the static model in the
            package; never a network service (see docs/embeddings.md).
        config: the constants of retrieval; None for those applied to the file (``apply_config``), else the defaults.
        read_only: open an existing file without ever writing to it.
        must_exist: raise StoreError where there is no such file, instead of beginning one.

    Raises:
        StoreError: the file is no database, is another application's, or is newer than this version.
        MissingExtraError: the engine of the address needs packages that are not installed.
        EmbedderMismatchError: the file was made with another embedder or tokenizer than the one given, or its vectors
            of something else of each node (``config.embedding``).

    """

    def __init__(
        self,
        path: str | Path = ":memory:",
        *,
        embedder: object = None,
        config: RetrievalConfig | None = None,
        read_only: bool = False,
        must_exist: bool = False,
    ) -> None:
        self._foreign: Follower | None = None
        path = arguments.file_path(path)
        if config is not None:
            _require_config(config)
        self._backend = open_backend(path, read_only=read_only, must_exist=must_exist)
        try:
            self.config = config if config is not None else self._config_history().config()
            source = Cascade(self._backend.model) if embedder is None else as_embedder(embedder)
            self._embedding = GraphEmbedding(
                self._backend, source, reads_in_force(self._backend, self.config.embedding)
            )
            self._tokenizer = make_tokenizer(self._tokenizer_name())
            if embedder is not None:
                self._embedding.check()
            if config is not None:
                self._embedding.check_reads(stored_reads(self._backend))
        except BaseException:
            self._backend.close()
            raise
        self._backend.use(self.config)
        self._current: tuple[Snapshot, Asker] | None = None
        self._whole: Index | None = None
        self._index_lock = threading.Lock()
        self._cache: Cache[SearchResult] = Cache(self.config.index.cache_size, self.config.index.cache_seconds)
        self._asker = Asker(self._backend, self._embedding, self._tokenizer, self.config)
        self._coming: tuple[str, Asker] | None = None

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
        source = open_foreign(arguments.file_path(path), schema)
        retriever: Self | None = None
        try:
            retriever = cls(source.index, embedder=embedder, config=config)
            for note in source.notes:
                warnings.warn(note, FourfoldWarning, stacklevel=2)
            retriever._foreign = source.follow(retriever._backend, retriever._write)
        except BaseException as error:
            source.close()
            if retriever is not None:
                retriever.close()
            if isinstance(error, EmbedderMismatchError):
                error.add_note(f"The index {source.index!r} is derived; delete it to embed the graph again.")
            raise
        return retriever

    # -- writing ------------------------------------------------------------------------------------------------

    def add(
        self,
        nodes: Iterable[Node] = (),
        edges: Iterable[Edge] = (),
        *,
        vectors_by: str | None = None,
        progress: Progress | None = None,
        also: Callable[[Writer], None] | None = None,
    ) -> int:
        """Add or replace nodes and edges in one transaction: all of it, or nothing.

        A node of a known id is replaced and keeps its edges; an edge of a known (source, target, type) gets the new
        weight. Of several nodes with one id the last counts.

        Args:
            nodes: a node without a vector is embedded, unless vectors of unknown origin are there: those never get
                company.
            edges: both ends must be in the graph or among ``nodes``.
            vectors_by: the name of the embedder that made the vectors which nodes bring, such as
                ``retriever.embedder.name``; stored with the graph, which from then on refuses another. None: unknown.
            progress: called with (nodes done, nodes in all).
            also: run inside the transaction, after the nodes and edges are written; for rooms such as
                ``fourfold.ingest`` that keep books beside the graph.

        Returns:
            The generation of the graph after the write.

        Raises:
            InvalidValueError: a node or an edge that cannot be stored; NaN or infinity in a vector or a weight.
            DimensionError: a vector of another dimension than the graph's.
            EmbedderMismatchError: vectors of two embedders, or of unknown origin beside known ones.
            UnknownNodeError: an edge names a node that does not exist.
            EmbedderError: the embedder failed.

        """
        if self._foreign is not None:
            self._foreign.refuse()
        latest = list({node.id: node for node in map(check_node, arguments.many(nodes, "nodes", "nodes"))}.values())
        links = [check_edge(edge) for edge in arguments.many(edges, "edges", "edges")]
        if not latest and not links and also is None:
            return self.generation
        return self._write(latest, links, vectors_by=vectors_by, progress=progress, also=also)

    def _write(
        self,
        nodes: Sequence[Node],
        edges: Sequence[Edge],
        *,
        vectors_by: str | None = None,
        progress: Progress | None = None,
        first: Callable[[Writer], None] = lambda writer: None,
        also: Callable[[Writer], None] | None = None,
    ) -> int:
        """Embed, tokenize and store valid nodes and edges in one transaction, between ``first`` and ``also``."""
        vectors, makers = self._embedding.documents(nodes, progress, vectors_by)
        pieces = token_table().distinct([wordpiece_text(node) for node in nodes])
        rows = [
            Row(node, content_hash(node), vector, own) for node, vector, own in zip(nodes, vectors, pieces, strict=True)
        ]
        batches = []
        for start in range(0, len(rows), _TOKENIZE_BATCH):
            part = rows[start : start + _TOKENIZE_BATCH]
            batches.append((part, *self._tokenizer.batch([getattr(r.node, f) for r in part for f in FIELDS])))
        with self._backend.transaction() as writer:
            first(writer)
            self._embedding.sign(writer, {len(v) for v in vectors if v is not None}, makers)
            if rows:
                self._sign_tokenizer(writer)
            for prepared in batches:
                writer.put_nodes(*prepared)
            if edges:
                writer.put_edges(edges)
            if also is not None:
                also(writer)
            generation = writer.generation
        self._cache.clear()
        return generation

    def _sign_tokenizer(self, writer: Writer) -> None:
        """Store which tokenizer made the terms; refuse to mix two."""
        if (name := writer.meta("tokenizer")) not in (None, self._tokenizer.name):
            raise EmbedderMismatchError(
                f"{self.path!r} was meanwhile made with the tokenizer {name!r}, this retriever uses "
                f"{self._tokenizer.name!r}; open it again."
            )
        writer.set_meta("tokenizer", self._tokenizer.name)

    def delete(self, ids: Iterable[str] = (), *, edges: Iterable[Edge] = ()) -> int:
        """Delete nodes with all their edges, and single edges. Unknown ones are passed over.

        A document that was cut into chunks goes with its chunks.

        Returns:
            How many nodes and edges named here were deleted.

        """
        if self._foreign is not None:
            self._foreign.refuse()
        given = arguments.strings(ids, "ids")
        links = [name_edge(edge) for edge in arguments.many(edges, "edges", "edges")]
        if not given and not links:
            return 0
        with self._backend.transaction() as writer:
            count = writer.delete_nodes(given) + writer.delete_edges(links)
        self._cache.clear()
        return count

    def reembed(
        self,
        embedder: object = None,
        *,
        progress: Progress | None = None,
        also: Callable[[Writer], None] | None = None,
    ) -> int:
        """Replace every vector by one of another embedder, while searches go on by the old ones.

        The new vectors are kept beside the old and committed batch by batch; a run that failed or was killed is
        continued by the next call with an embedder of the same name. When every node has one, those added or changed
        meanwhile too, a single transaction puts them in the place of the old. From then on this retriever searches
        with the new embedder; others must be opened anew with it.

        Vectors that callers brought (``Node.vector``) are replaced too. Of a foreign graph the derived index is
        embedded again, the file is only read.

        Args:
            embedder: as for ``Retriever``; None is the bundled static model. ``config.embedding`` says what it reads.
            progress: called with (nodes done, nodes in all), first with those an earlier run has done.
            also: run inside the last transaction, after the vectors are replaced.

        Returns:
            The generation of the graph from which on the new vectors are searched.

        Raises:
            EmbedderError: the embedder failed, or returned no matrix of finite vectors; finished batches are kept.
            StoreError: the file is read-only, its vectors are those of a foreign file, or another re-embedding of it
                began or ended meanwhile.

        """
        if self._foreign is not None:
            self._foreign.keep_in_step()
        new = GraphEmbedding(self._backend, as_embedder(embedder), self.config.embedding)
        self._coming = (new.embedder.name, Asker(self._backend, new, self._tokenizer, self.config))
        try:
            generation = Reembedding(self._backend, new, self.config, progress).run(also)
            self._use(self.config, new.embedder)
        finally:
            self._coming = None
        return generation

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
        min_confidence: float | None = None,
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
            min_confidence: hits the graph is less sure of are left out, from 0 to 1 (``hit.confidence``): .25 leaves
                out what hardly has to do with the question, .5 all that is not likely to.

        Raises:
            InvalidValueError: an argument that cannot be meant.
            FilterError: a filter that cannot be read.
            DimensionError: ``query_vector`` has another dimension than the graph.
            EmbedderError: the embedder failed, and ``mode`` is ``"embedding"``.
            SearchError: every component failed.

        """
        query = arguments.question(query)
        options = Options(
            k, filter, intent, weights, query_vector, mode, min_score, group_by, max_per_source, min_confidence
        )
        asked = options.key(query, self.config)
        for last in (False, False, True):  # a node may be deleted between the search and the reading of its text
            with self._question(query) as (snapshot, asker):
                key = (snapshot.generation, *asked)
                if (known := self._cache.get(key)) is not None:
                    return known
                try:
                    result = self._answer(snapshot, asker, query, options, without_gone=last)
                except NodeGoneError:
                    continue
                except EmbedderMismatchError:
                    if last or self.generation == snapshot.generation:
                        raise
                    continue  # the vectors were replaced between the reading of the snapshot and of who asks it
                except DamagedFileError:
                    if last:
                        raise
                    self._read_anew()
                    continue
                break
        if not result.degraded:
            self._cache.put(key, result)
        return result

    def _answer(
        self, snapshot: Snapshot, asker: Asker, text: str, options: Options, *, without_gone: bool
    ) -> SearchResult:
        query = asker.query(snapshot, text, options)
        calibration = asker.calibrator.of(snapshot)
        scores, hits, grounds = self._ranked(snapshot, query, options, calibration, without_gone=without_gone)
        bonus = [hit.node.id for hit in hits if any(item.kind == "bonus" for item in hit.evidence)]
        return SearchResult(
            query=text,
            hits=hits,
            intent=scores.spec.name,
            weights=scores.weights,
            mode=options.mode,
            degraded=scores.failed,
            generation=snapshot.generation,
            meta=freeze({"diversity": sorted(bonus)}),
            grounds=grounds,
        )

    def _ranked(
        self, snapshot: Snapshot, query: Query, options: Options, calibration: Calibration, *, without_gone: bool
    ) -> tuple[Scores, tuple[Hit, ...], Grounds]:
        """Rank, and read the hits and what stands behind the answer.

        Groups are searched further down until there are enough of them for certain.
        """
        limit, depth = query.limit, query.limit
        if options.group_by is not None:
            depth = min(_GROUPS_WITHIN * limit, snapshot.size) or 1
        while True:
            scores = pipeline.run(snapshot, replace(query, limit=depth), self.config)
            hits, grounds = collect(
                self._backend, query, scores, limit, options, self.config, calibration, without_gone=without_gone
            )
            if options.group_by is None or depth >= snapshot.size or len(scores.order) < depth:
                return scores, hits, grounds
            # what stands further down may still rise by the bonus of its community
            highest = scores.table.totals(np.array(scores.order[-1:]))[0] * (1 + self.config.diversity.bonus)
            if len(hits) == limit and hits[-1].score > highest:
                return scores, hits, grounds
            depth = min(depth * _GROUPS_WITHIN, snapshot.size)

    async def asearch(self, query: str, **options: Any) -> SearchResult:
        """Search without blocking the event loop; the options are those of ``search``."""
        return await asyncio.to_thread(partial(self.search, query, **options))

    def search_many(self, queries: Iterable[str], **options: Any) -> list[SearchResult]:
        """Search for each query; the options are those of ``search``."""
        return [self.search(query, **options) for query in arguments.many(queries, "queries", "queries")]

    async def asearch_many(self, queries: Iterable[str], **options: Any) -> list[SearchResult]:
        """Search for each query without blocking the event loop."""
        return await asyncio.to_thread(partial(self.search_many, list(queries), **options))

    def query_vector(self, texts: Sequence[str]) -> FloatArray:
        """Return one vector, (dimensions,), for a query that is told in several texts: the mean of their embeddings.

        Raises:
            EmbedderMismatchError: the graph's vectors were made with another embedder.
            InvalidValueError: there are no texts, or something that is none.
            EmbedderError: the embedder failed.

        """
        asked = [arguments.question(text, "A text of the query") for text in arguments.many(texts, "texts", "texts")]
        if not asked:
            raise InvalidValueError("texts is empty; a query vector is made of at least one text.")
        return self._embedding.mean_query(asked)

    def explain(self, query: str, node_id: str, **options: Any) -> Explanation:
        """Tell in words and numbers why a node stands where it does; the options are those of ``search``.

        Raises:
            UnknownNodeError: there is no such node.

        """
        query = arguments.question(query)
        wanted = Options.of(options)
        node_id = arguments.string(node_id, "node_id")
        with self._question(query) as (snapshot, asker):
            node = self._backend.nodes_by_id([node_id]).get(node_id)
            if node is None:
                raise UnknownNodeError(f"There is no node {shown(node_id)} in {self.path!r}.")
            num = self._backend.nums([node_id])[node_id]
            request = asker.query(snapshot, query, wanted)
            calibration = asker.calibrator.of(snapshot)
            scores, hits, _ = self._ranked(snapshot, request, wanted, calibration, without_gone=True)
            rank = next((place for place, hit in enumerate(hits, 1) if hit.node.id == node_id), None)
            pipeline.include(scores, request, num)
            known = {num: (node.id, node.name)}
            here = np.array([num], np.int64)
            components = components_of(scores, here)
            evidence = told_of(
                self._backend, scores, request, self.config, here, components, known, paths_shown=IN_EXPLANATIONS
            )[0]
            masked = any(item.kind == "masked" for item in evidence)
            score = 0.0 if masked else float(pipeline.final_scores(scores, [num], self.config)[0])
        explanation = Explanation(
            query=request.text,
            node=node,
            rank=rank,
            score=score,
            intent=scores.spec.name,
            weights=scores.weights,
            components=components[0],
            evidence=evidence,
            text="",
            contributions=tuple(Contribution(item.component, in_words(item), item.value) for item in evidence),
        )
        return replace(explanation, text=explanation_text(explanation, scores.failed))

    def forget_answers(self) -> None:
        """Drop every remembered answer; the next searches are computed anew."""
        self._cache.clear()

    def prepare(self, queries: Iterable[str], *, k: int | None = None) -> tuple[Snapshot, list[Query]]:
        """Return the current snapshot and the queries as ``pipeline.run`` takes them: for studies of the pipeline."""
        self._keep_in_step()
        snapshot, asker = self._snapshot_and_asker()
        return snapshot, [asker.query(snapshot, arguments.question(text), Options(k=k)) for text in queries]

    def snapshot(self, config: RetrievalConfig | None = None) -> Snapshot:
        """Return the present generation as ``pipeline.run`` asks it; with its texts as another config reads them."""
        self._keep_in_step()
        snapshot, _ = self._snapshot_and_asker()
        return snapshot if config is None else self._backend.snapshot(config)

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
        if not arguments.question(query).strip():
            raise InvalidValueError(f"The query is {shown(query)}; feedback needs the words that were asked.")
        arguments.text(query, "The query")
        given = float(relevant) if isinstance(relevant, bool) else relevant
        grade = arguments.finite_number(given, "relevant", least=0)
        if not self.get([arguments.string(node_id, "node_id")]):
            raise UnknownNodeError(f"There is no node {shown(node_id)} in {self.path!r}.")
        with self._backend.transaction() as writer:
            writer.put_feedback(query.strip(), node_id, grade)

    def judgements(self) -> list[tuple[str, str, float]]:
        """Return all feedback as (query, node id, grade), in the order of the queries' first mention."""
        return self._backend.feedback()

    def apply_config(self, config: RetrievalConfig, *, evidence: Mapping[str, Any] | None = None) -> int:
        """Store a config in the file and use it; whoever opens the file without a config gets it.

        Args:
            config: what differs from the defaults is stored.
            evidence: JSON values that say why, such as the gain that was measured.

        Returns:
            The number of this version, for ``rollback_config``.

        """
        _require_config(config)
        reasons = arguments.json_mapping({} if evidence is None else evidence, "evidence")
        now = datetime.now(UTC).isoformat(timespec="seconds")
        with self._backend.transaction() as writer:
            history = ConfigHistory.from_json(writer.meta("config")).applied(config, now, reasons)
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
        wanted = None if version is None else whole_number(version, "version", least=0)
        with self._backend.transaction() as writer:
            history = ConfigHistory.from_json(writer.meta("config"))
            history = replace(history, in_force=history.before() if wanted is None else wanted)
            config = history.config()
            writer.set_meta("config", history.to_json())
        self._use(config)
        return history.in_force

    def config_versions(self) -> list[ConfigVersion]:
        """Return every config ever applied to the file, oldest first."""
        return list(self._config_history().versions)

    def _config_history(self) -> ConfigHistory:
        return ConfigHistory.from_json(self._backend.meta("config"))

    def _use(self, config: RetrievalConfig, embedder: Embedder | None = None) -> None:
        with self._index_lock:
            self.config = config
            self._current = self._whole = None
            self._backend.use(config)
            reads = reads_in_force(self._backend, config.embedding)
            self._embedding = GraphEmbedding(self._backend, embedder or self._embedding.source, reads)
            self._asker = Asker(self._backend, self._embedding, self._tokenizer, config)
        self._cache.clear()

    def scores(self, query: str, *, plain: bool = False, **options: Any) -> tuple[Index, Query, WholeScores]:
        """Return every node's components: the generation, the question and arrays by position, (n_nodes,).

        For rooms built on the retriever that rank by rules of their own, so without the diversity bonus. The options
        are those of ``search`` that bear on scores: k, filter, intent, weights, query_vector, mode. ``plain`` leaves
        out late interaction and bridges: for rules that compare the scores of different questions.

        Raises:
            InvalidValueError, FilterError, DimensionError, SearchError: as ``search``.

        """
        query = arguments.question(query)
        wanted = Options.of(options)
        index = self.index
        with self._question(query) as (snapshot, asker):
            request = asker.query(snapshot, query, wanted)
            config = self.config.replace(diversity={"bonus": 0.0})
            if plain:
                config = config.replace(fusion={"late": {"depth": 0}}, graph={"bridge": {"weight": 0.0}})
            scores = pipeline.run(snapshot, request, config)
            nums = index.rows.nums
            gained = np.zeros(len(nums)) if scores.bridges is None else scores.bridges.gained.at(nums)
            return index, request, WholeScores(scores.weights, scores.components_at(nums), gained)

    # -- looking around -----------------------------------------------------------------------------------------

    @property
    def index(self) -> Index:
        """The whole graph of the current generation as arrays, for rooms built on the retriever; they never change."""
        self._keep_in_step()
        generation = self._snapshot_and_asker()[0].generation
        with self._index_lock:
            if self._whole is None or self._whole.generation < generation:
                self._whole = build(self._backend, self.config, self._whole)
            return self._whole

    @property
    def backend(self) -> Backend:
        """The open engine, for rooms that keep more in it than nodes and edges (see ``engines.base``)."""
        return self._backend

    @property
    def path(self) -> str:
        """The file; of a foreign graph, the foreign one."""
        return self._backend.path if self._foreign is None else self._foreign.path

    @property
    def generation(self) -> int:
        """The number that every committed write moves on, whoever wrote."""
        return self._backend.generation()

    @property
    def embedder(self) -> Embedder:
        """The embedding model of the graph's nodes."""
        return self._embedding.embedder

    def __len__(self) -> int:
        """Return the number of nodes."""
        return self._backend.counts()["nodes"]

    def get(self, ids: Iterable[str]) -> list[Node]:
        """Return the nodes of these ids, in their order, without vectors; unknown ids are left out."""
        wanted = arguments.strings(ids, "ids")
        found = self._backend.nodes_by_id(wanted)
        return [found[identity] for identity in wanted if identity in found]

    def vectors(self, ids: Iterable[str]) -> dict[str, NDArray[np.float32]]:
        """Return the vector, (dimensions,) float32, of each of these nodes that has one, as it is stored."""
        return self._backend.vectors_of(arguments.strings(ids, "ids"))

    def text_of(self, node: Node) -> str:
        """Return what an embedder reads of a node by the config, as ``reembed`` does."""
        return text_of(node, self.config.embedding)

    def edges(self, ids: Iterable[str]) -> list[Edge]:
        """Return every edge that leaves or enters one of these nodes."""
        return self._backend.edges_of(arguments.strings(ids, "ids"))

    def context(self, hit: Hit | Node | str, before: int = 1, after: int = 1) -> list[Node]:
        """Return a chunk with its neighbours in the document, in reading order.

        Args:
            hit: a hit, a node or an id; what is no part of a document stands alone.
            before: how many chunks before it.
            after: how many chunks after it.

        Raises:
            UnknownNodeError: there is no such node.

        """
        before, after = whole_number(before, "before", least=0), whole_number(after, "after", least=0)
        node = hit.node if isinstance(hit, Hit) else hit
        identity = arguments.string(node.id if isinstance(node, Node) else node, "hit")
        alone = self.get([identity])
        if not alone:
            raise UnknownNodeError(f"There is no node {shown(identity)} in {self.path!r}.")
        most = len(self)
        return self._backend.documents.neighbours(identity, min(before, most), min(after, most)) or alone

    def matching(self, filter: Mapping[str, Any]) -> list[str]:
        """Return the ids of the nodes that meet a metadata filter, in order.

        Raises:
            FilterError: a filter that cannot be read.

        """
        with self._question() as (snapshot, asker):
            return sorted(self._backend.ids(asker.allowed(snapshot, filter).nodes))

    def metadata_texts(self) -> tuple[NDArray[np.int64], list[str]]:
        """Return every piece of metadata as words: its node's number in the store, and "key value"."""
        return self._backend.texts("metadata")

    def manifest(self) -> dict[str, str]:
        """Return the content hash of every node by id."""
        return self._backend.manifest()

    def info(self) -> dict[str, Any]:
        """Return what the file holds and what is in force, in plain JSON types.

        Of a foreign graph also, under ``"foreign"``, how its file is read and what was skipped; after ``reembed`` was
        cut short, under ``"reembedding"``, the embedder it is for and how many nodes have a new vector.
        """
        more: dict[str, Any] = {}
        if self._foreign is not None:
            self._foreign.keep_in_step()
            more["foreign"] = self._foreign.info()
        if begun := unfinished(self._backend):
            more["reembedding"] = begun
        if (trained := self._backend.meta("embedder_training")) is not None:
            more["embedder_training"] = json.loads(trained)
        return {
            "path": self.path,
            **self._backend.counts(),
            "edge_types": self._backend.edge_type_names(),
            "generation": self.generation,
            "dimensions": int(d) if (d := self._backend.meta("dimensions")) else None,
            "embedder": self._backend.meta("embedder"),
            "tokenizer": self._backend.meta("tokenizer") or self._tokenizer.name,
            "config": self.config.fingerprint(),
            "config_version": self._config_history().in_force,
            "config_changes": changes_of(self.config),
            **more,
        }

    def close(self) -> None:
        """Close the file; a second call does nothing."""
        if self._foreign is not None:
            self._foreign.close()
        self._backend.close()
        self._current = self._whole = None
        self._cache.clear()

    def __copy__(self) -> Self:
        """Return this very retriever: it is a handle of an open file, which its copies share."""
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as what opens the same file again, in this process or another."""
        if self._backend.address == ":memory:":
            raise StoreError("A graph in memory cannot be pickled; keep it in a file: Retriever('kg.sqlite').")
        source = self._embedding.source
        config = None if self.config == self._config_history().config() else changes_of(self.config)
        schema = None if self._foreign is None else self._foreign.schema
        return _reopened, (
            type(self),
            self._backend.address if self._foreign is None else self._foreign.address,
            None if isinstance(source, Cascade) else source,
            config,
            self._backend.read_only,
            schema,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # -- keeping up ---------------------------------------------------------------------------------------------

    def _keep_in_step(self) -> None:
        if self._foreign is not None:
            self._foreign.keep_in_step()

    @contextmanager
    def _question(self, text: str = "") -> Iterator[tuple[Snapshot, Asker]]:
        """Ask of one state: see ``Backend.question``."""
        self._keep_in_step()
        with self._backend.question(partial(self._tokenizer.terms, text)):
            yield self._snapshot_and_asker()

    def _snapshot_and_asker(self) -> tuple[Snapshot, Asker]:
        """Return the snapshot of the store's generation, taking in what changed, and who reads questions for it.

        The two go together: a search that began before ``reembed`` ended has the old vectors and the old embedder.
        """
        snapshot = self._backend.snapshot()
        current = self._current
        if current is not None and current[0] is snapshot:
            return current
        with self._index_lock:
            coming = self._coming  # read before the asker, which takes its place
            arrived = coming is not None and coming[0] == snapshot.embedder
            self._current = snapshot, coming[1] if coming is not None and arrived else self._asker
            return self._current

    def _read_anew(self) -> None:
        """Leave damaged derived files aside: the store is the truth."""
        logger.warning("A derived file of %r is damaged; the graph is read from the store again.", self.path)
        self._backend.forget()
        self._current = None

    def _tokenizer_name(self) -> str:
        """Return the stored tokenizer's name; a config that asks for another one is refused."""
        stored = self._backend.meta("tokenizer")
        wanted = self.config.text.tokenizer_name
        if stored is None or stored == wanted or wanted == RetrievalConfig().text.tokenizer_name:
            return stored or wanted
        raise EmbedderMismatchError(
            f"{self.path!r} was made with the tokenizer {stored!r}, the config asks for {wanted!r}; "
            "open it with its own, or build it again."
        )


def _reopened(
    cls: type[Retriever],
    path: str,
    embedder: object,
    changes: Mapping[str, Any] | None,
    read_only: bool,
    schema: ForeignSchema | None,
) -> Retriever:
    """Open what a pickled retriever had open."""
    config = None if changes is None else with_changes(RetrievalConfig(), changes)
    if schema is not None:
        return cls.open_foreign(path, schema, embedder=embedder, config=config)
    return cls(path, embedder=embedder, config=config, read_only=read_only, must_exist=True)


def _require_config(config: object) -> None:
    if not isinstance(config, RetrievalConfig):
        raise InvalidValueError(f"config is {shown(config)}; it must be a RetrievalConfig.")
