"""What users hold: one graph, searched in plain words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, Unpack

import numpy as np
from numpy.typing import NDArray

from fourfold import answering, arguments
from fourfold.analysis import Analysis
from fourfold.arguments import whole_number
from fourfold.asking import Options, SearchOptions
from fourfold.config import RetrievalConfig
from fourfold.deprecated import DeprecatedNames
from fourfold.embed import Embedder
from fourfold.engines import Backend, ForeignSchema, open_foreign
from fourfold.engines.base import Writer
from fourfold.errors import EmbedderMismatchError
from fourfold.graph_embedding import Progress
from fourfold.handle import Handle
from fourfold.learning import Learning
from fourfold.maintenance import Maintenance
from fourfold.session import Session
from fourfold.types import Edge, Explanation, FloatArray, Hit, Node, SearchResult, Weights
from fourfold.validation import check_edge, check_node, name_edge

if TYPE_CHECKING:
    from fourfold.evaluate import JudgedQuery
    from fourfold.evaluate.background import Lesson


class Retriever(Handle, DeprecatedNames):
    """A four-signal retriever over one SQLite file; with ``learning``, ``maintenance`` and ``analysis`` of its own.

    Args:
        path: a file, created if missing; ``":memory:"`` keeps everything in memory; or the address of another engine,
            ``postgresql://…`` or ``milvus://…`` (see ``fourfold.engines``).
        embedder: a callable, a Model2Vec folder or name, a model object of sentence-transformers or fastembed, or an
            Embedder. None for the one trained from the graph, where it has one, else the static model in the
            package; never a network service (see docs/embeddings.md).
        config: the constants of retrieval; None for those applied to the file (``apply_config``), else the defaults.
        read_only: open an existing file without ever writing to it or beside it.
        must_exist: raise StoreError where there is no such file, instead of creating it.
        durable: a write that has returned outlives a power cut, at the price of waiting for the disk; else the last
            ones may be lost with the power, though never in part, and never with the process.

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
        durable: bool = False,
    ) -> None:
        self._session = Session(
            arguments.file_path(path),
            embedder=embedder,
            config=config,
            read_only=read_only,
            must_exist=must_exist,
            durable=durable,
        )
        self.learning = Learning(self._session)
        """What users said of answers, and the configs that were chosen for the graph."""
        self.maintenance = Maintenance(self._session)
        """Another embedder for the graph, and what keeps it in good order."""
        self.analysis = Analysis(self._session)
        """What studies of the retrieval itself ask."""

    @classmethod
    def open_foreign(
        cls,
        path: str | Path,
        schema: ForeignSchema | None = None,
        *,
        embedder: object = None,
        config: RetrievalConfig | None = None,
    ) -> Self:
        """Open a knowledge graph that already lives in some SQLite file or in tables of PostgreSQL, as it is.

        What is theirs is only ever read. What is derived from it follows it: what another connection has committed, the
        next search sees. Of a file it lives in ``<path>.fourfold`` beside it, or in memory where that cannot be
        written; of ``postgresql://user@host/database?schema=public`` in a schema of its own in the same database.
        There the tables of LangChain's ``PGVector`` and ``PGVectorStore`` and of LlamaIndex's ``PGVectorStore`` are
        known; ``&table=`` and ``&collection=`` choose among several (see docs/foreign-graphs.md).

        Args:
            path: the file, or the address.
            schema: what the tables and columns mean; None finds out.
            embedder: as for ``Retriever``; nodes without a vector of their own are embedded by it, and so are
                questions: give the one that made the vectors that are there.
            config: the constants of retrieval.

        Raises:
            SchemaDetectionError: no node table can be recognised, or ``schema`` names what is not there.
            StoreError: there is no such file, it is no database, or the server cannot be reached.
            DimensionError: the vectors that are there have different dimensions.
            InvalidValueError: a vector cannot be read.

        """
        source = open_foreign(arguments.file_path(path), schema)
        retriever: Self | None = None
        try:
            retriever = cls(source.index, embedder=embedder, config=config)
            retriever._session.follow(source)
        except BaseException as error:
            source.close()
            if retriever is not None:
                retriever.close()
            if isinstance(error, EmbedderMismatchError):
                error.add_note(f"The index {source.index_shown!r} is derived; delete it to embed the graph again.")
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
        weight. Of several nodes with one id the last counts. A node without a vector that is stored just so, with a
        vector of the graph's embedder, is left as it is: neither embedded nor read anew.

        Args:
            nodes: a node without a vector is embedded, unless the graph holds vectors of unknown origin: the
                embedder's could not be compared with those.
            edges: both ends must be in the graph or among ``nodes``.
            vectors_by: the name of the embedder that made the vectors which nodes bring, such as
                ``retriever.embedder.name``; stored with the graph, which from then on refuses another. None: unknown.
            progress: called with (nodes done, nodes in all), anew if ``reembed`` changes the model during the write.
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
        if self._session.foreign is not None:
            self._session.foreign.refuse()
        latest = list({node.id: node for node in map(check_node, arguments.many(nodes, "nodes", "nodes"))}.values())
        links = [check_edge(edge) for edge in arguments.many(edges, "edges", "edges")]
        if not latest and not links and also is None:
            return self.generation
        return self._session.write(latest, links, vectors_by=vectors_by, progress=progress, also=also)

    def delete(self, ids: Iterable[str] = (), *, edges: Iterable[Edge] = ()) -> int:
        """Delete nodes with all their edges, and single edges. Unknown ones are passed over.

        A document that was cut into chunks goes with its chunks.

        Returns:
            How many nodes and edges named here were deleted.

        """
        if self._session.foreign is not None:
            self._session.foreign.refuse()
        given = arguments.strings(ids, "ids")
        links = [name_edge(edge) for edge in arguments.many(edges, "edges", "edges")]
        if not given and not links:
            return 0
        return self._session.delete(given, links)

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
        timeout: float | None = None,
        rerank: object = None,
    ) -> SearchResult:
        """Return the best nodes for a query, with everything their scores are made of.

        Args:
            query: plain words; may be empty (no hits by text).
            k: number of hits; None is ``config.limit``.
            filter: metadata the hits must have, see ``fourfold.filters``; binds seeds and graph expansion too.
            intent: forces an intent; ``"default"`` is none; None detects it.
            weights: the four weights, or a mapping of some of them; the others stay as they were.
            query_vector: the query's embedding, (dimensions,), instead of the embedder's.
            mode: ``"hybrid"``, ``"text"`` or ``"embedding"``: what finds the seeds.
            min_score: hits below it are left out; on the final score.
            group_by: a metadata key; at most ``max_per_source`` hits of each of its values.
            max_per_source: see ``group_by``.
            min_confidence: hits the graph is less sure of are left out, from 0 to 1 (``hit.confidence``): .25 leaves
                out what hardly has to do with the question, .5 all that is not likely to.
            timeout: seconds after which SearchTimeoutError is raised; looked at between the steps of a search and
                while the engine reads. What is made once of a graph, and a call of the embedder, are not cut short.
            rerank: what puts the best 30 in order: a callable ``(query, texts) -> scores``, a cross-encoder, or a
                ``Reranker`` that says how many.

        Raises:
            InvalidValueError: an argument that cannot be meant.
            FilterError: a filter that cannot be read.
            DimensionError: ``query_vector`` has another dimension than the graph.
            EmbedderError: the embedder failed, and ``mode`` is ``"embedding"``.
            SearchError: every component failed.
            SearchTimeoutError: the search had not ended after ``timeout`` seconds.

        """
        query = arguments.question(query)
        options = Options(
            k,
            filter,
            intent,
            weights,
            query_vector,
            mode,
            min_score,
            group_by,
            max_per_source,
            min_confidence,
            timeout,
            rerank,
        )
        return answering.search(self._session, query, options)

    async def asearch(self, query: str, **options: Unpack[SearchOptions]) -> SearchResult:
        """Search without blocking the event loop; the options are those of ``search``."""
        import asyncio  # a tenth of the time that the package takes to load

        return await asyncio.to_thread(partial(self.search, query, **options))

    def search_many(self, queries: Iterable[str], **options: Unpack[SearchOptions]) -> list[SearchResult]:
        """Search for each query; the options are those of ``search``."""
        return [self.search(query, **options) for query in arguments.many(queries, "queries", "queries")]

    async def asearch_many(self, queries: Iterable[str], **options: Unpack[SearchOptions]) -> list[SearchResult]:
        """Search for each query without blocking the event loop."""
        import asyncio  # a tenth of the time that the package takes to load

        listed = list(arguments.many(queries, "queries", "queries"))
        return await asyncio.to_thread(partial(self.search_many, listed, **options))

    def query_vector(self, texts: Sequence[str]) -> FloatArray:
        """Return one vector, (dimensions,), for a query given as several texts: the mean of their embeddings.

        Raises:
            EmbedderMismatchError: the graph's vectors were made with another embedder.
            InvalidValueError: there are no texts, or something that is none.
            EmbedderError: the embedder failed.

        """
        return self._session.embedding.mean_query(arguments.many(texts, "texts", "texts"))

    def explain(self, query: str, node_id: str, **options: Unpack[SearchOptions]) -> Explanation:
        """Tell in words and numbers why a node stands where it does; the options are those of ``search``.

        Raises:
            UnknownNodeError: there is no such node.

        """
        query = arguments.question(query)
        wanted = Options.of(options)
        return answering.explain(self._session, query, arguments.string(node_id, "node_id"), wanted)

    def learn(self, queries: Sequence[JudgedQuery] | None = None, *, k: int = 10, apply: bool = True) -> Lesson:
        """Tune in the background, and put in force what the gate of ``fourfold tune`` lets pass; searches go on.

        Args:
            queries: judged ones; None for those that ``learning.feedback`` collected.
            k: nDCG@k is maximised.
            apply: False only measures. A config that somebody else applies meanwhile stays.

        Returns:
            The work under way: ``wait()`` returns its outcome, ``verdict`` says it, ``stop()`` ends it.

        Raises:
            InvalidValueError: no feedback calls a node relevant.
            StoreError: the graph is read-only, so that nothing can be applied.

        """
        from fourfold.evaluate.background import learn  # a door up: what tunes is built on the retriever

        return learn(self, queries, k=k, apply=apply)

    # -- looking around -----------------------------------------------------------------------------------------

    @property
    def config(self) -> RetrievalConfig:
        """The constants of retrieval in force: those given when it was opened, else those applied to the graph."""
        self._session.follow_config()
        return self._session.config

    @property
    def backend(self) -> Backend:
        """The open engine, for rooms that keep more in it than nodes and edges (see ``engines.base``)."""
        return self._session.backend

    @property
    def path(self) -> str:
        """The file, or the address without its password; of a foreign graph, the foreign one."""
        return self._session.path

    @property
    def generation(self) -> int:
        """The number that every committed write moves on, whoever wrote."""
        return self._session.backend.generation()

    @property
    def embedder(self) -> Embedder:
        """The embedding model of the graph's nodes."""
        return self._session.embedding.embedder

    def __len__(self) -> int:
        """Return the number of nodes."""
        return self._session.backend.counts()["nodes"]

    def get(self, ids: Iterable[str]) -> list[Node]:
        """Return the nodes of these ids, in their order, without vectors; unknown ids are left out."""
        wanted = arguments.strings(ids, "ids")
        found = self._session.backend.nodes_by_id(wanted)
        return [found[identity] for identity in wanted if identity in found]

    def vectors(self, ids: Iterable[str]) -> dict[str, NDArray[np.float32]]:
        """Return the vector, (dimensions,) float32, of each of these nodes that has one, as it is stored."""
        return self._session.backend.vectors_of(arguments.strings(ids, "ids"))

    def edges(self, ids: Iterable[str]) -> list[Edge]:
        """Return every edge that leaves or enters one of these nodes."""
        return self._session.backend.edges_of(arguments.strings(ids, "ids"))

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
        return answering.context(self._session, identity, before, after)

    def matching(self, filter: Mapping[str, Any]) -> list[str]:
        """Return the ids of the nodes that meet a metadata filter, in order.

        Raises:
            FilterError: a filter that cannot be read.

        """
        return answering.matching(self._session, filter)

    def manifest(self) -> dict[str, str]:
        """Return the content hash of every node by id."""
        return self._session.backend.manifest()

    def info(self) -> dict[str, Any]:
        """Return what the file holds and what is in force, in plain JSON types.

        ``"edge_types"`` lists every type ever stored. ``"first_stage"`` is what proposes the nearest vectors,
        ``"recall"`` its measured recall on the graph's own vectors; both None before an index was made. A foreign graph
        has under ``"foreign"`` how its file is read and what was skipped; a graph whose ``reembed`` was cut short under
        ``"reembedding"`` the embedder it is for and how many nodes have a new vector.
        """
        return self._session.info()
