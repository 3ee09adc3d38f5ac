"""The LlamaIndex retriever: translates words, decides nothing."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import llama_index.core.instrumentation as instrument
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.callbacks.base import CallbackManager
from llama_index.core.schema import BaseNode, IndexNode, MetadataMode, NodeWithScore, QueryBundle
from llama_index.core.tools import FunctionTool
from llama_index.core.vector_stores import MetadataFilters
from llama_index.retrievers.fourfold.embeddings import as_embedder, is_model, maker_of
from llama_index.retrievers.fourfold.events import FourfoldRetrievalEvent
from llama_index.retrievers.fourfold.filters import translate
from llama_index.retrievers.fourfold.indices import graph_of, nodes_of, require_index
from llama_index.retrievers.fourfold.nodes import (
    add_nodes,
    context,
    delete_nodes,
    delete_ref_doc,
    listed,
    to_llama_index_node,
)
from llama_index.retrievers.fourfold.tools import as_tools

from fourfold import (
    EmbedderError,
    EmbedderMismatchError,
    ForeignSchema,
    InvalidValueError,
    RetrievalConfig,
    Retriever,
    SearchResult,
    Weights,
)
from fourfold.arguments import whole_number
from fourfold.asking import Options
from fourfold.engines.foreign import address_with
from fourfold.ingest.nodes import name_keys_of
from fourfold.open_graph import closed_on_failure, no_open_graph, open_graph
from fourfold.presets import open_under

if TYPE_CHECKING:
    from llama_index.core import PropertyGraphIndex, VectorStoreIndex

_OPTIONS = tuple(each.name for each in fields(Options) if each.name not in ("k", "filter", "query_vector"))
"""The options of ``Retriever.search`` that have the same name here."""

dispatcher = instrument.get_dispatcher(__name__)  # type: ignore[attr-defined]


class FourfoldRetriever(BaseRetriever):
    """A retriever over one SQLite file that weighs embedding, text, graph and intent edges, and explains each score.

    Each result is a new ``NodeWithScore``: the node as it was given to ``from_nodes``, a score in [0, 1], and under
    ``metadata["fourfold"]`` intent, weights, components, method, why, community, confidence, name, type and degraded.
    That breakdown is in no prompt, no embedded text and no ``hash``.

    Args:
        path: the SQLite file, created if missing; ``":memory:"``, the default, keeps the graph in memory.
        retriever: an open ``fourfold.Retriever`` instead of ``path``, ``embedder`` and ``config``.
        embedder: a ``BaseEmbedding``, or whatever ``fourfold.Retriever`` takes; None is the model that ships with it.
        embed_model: another name for ``embedder``.
        config: the constants of retrieval.
        preset: ``"default"``, ``"published"`` or ``"two-signal"`` instead of ``config``, see ``fourfold.presets``.
        must_exist: whether a missing file is an error (StoreError) instead of a new graph.
        read_only: whether the file, which must exist, is opened without ever writing to it.
        similarity_top_k: number of nodes.
        filters: ``MetadataFilters``, nested as you like, or a Fourfold filter such as ``{"lang": "en"}``.
        weights: the four weights, or some of them; None leaves them to the intent.
        intent: forces an intent; ``"default"`` is none; None reads it from the query.
        mode: what finds the seeds: ``"hybrid"``, ``"text"`` or ``"embedding"``.
        min_score: nodes below this score are left out.
        min_confidence: nodes that the graph is less sure of are left out, from 0 to 1.
        group_by: a metadata key of which each value has at most ``max_per_source`` nodes.
        max_per_source: see ``group_by``.
        timeout: seconds after which a search raises ``fourfold.SearchTimeoutError``, a TimeoutError.
        rerank: what puts the best in order: a cross-encoder, a callable ``(query, texts) -> scores`` or a
            ``fourfold.Reranker``. LlamaIndex's node postprocessors go into a query engine as ever.
        callback_manager, object_map, objects, verbose: as in LlamaIndex's ``BaseRetriever``.

    Raises:
        InvalidValueError: an option that cannot be meant (a ValueError).
        FilterError: filters that cannot be translated (a ValueError).
        StoreError: the file cannot be used.
        EmbedderMismatchError: the file was made with another embedder.

    """

    def __init__(
        self,
        path: str | Path | None = None,
        *,
        retriever: Retriever | None = None,
        embedder: object = None,
        embed_model: object = None,
        config: RetrievalConfig | None = None,
        preset: str | None = None,
        must_exist: bool = False,
        read_only: bool = False,
        similarity_top_k: int = 10,
        filters: MetadataFilters | Mapping[str, Any] | None = None,
        weights: Weights | Mapping[str, float] | None = None,
        intent: str | None = None,
        mode: str = "hybrid",
        min_score: float | None = None,
        min_confidence: float | None = None,
        group_by: str | None = None,
        max_per_source: int = 1,
        timeout: float | None = None,
        rerank: object = None,
        callback_manager: CallbackManager | None = None,
        object_map: dict[str, Any] | None = None,
        objects: list[IndexNode] | None = None,
        verbose: bool = False,
    ) -> None:
        self.similarity_top_k = similarity_top_k
        self.filters = filters
        self.weights = weights
        self.intent = intent
        self.mode = mode
        self.min_score = min_score
        self.min_confidence = min_confidence
        self.group_by = group_by
        self.max_per_source = max_per_source
        self.timeout = timeout
        self.rerank = rerank
        Options(**self._options())
        if embedder is not None and embed_model is not None:
            raise InvalidValueError("embedder and embed_model are two names of one argument; give one of them.")
        model = embedder if embedder is not None else embed_model
        if retriever is not None:
            given = {
                "path": path,
                "embedder": model,
                "config": config,
                "preset": preset,
                "read_only": read_only or None,
            }
            if extra := [name for name, value in given.items() if value is not None]:
                raise InvalidValueError(f"{extra[0]} belongs to the retriever that was given; leave {extra[0]} out.")
        if retriever is None:  # one without nodes is false
            no_open_graph(path, "path")
            retriever = open_under(
                preset,
                ":memory:" if path is None else path,
                embedder=as_embedder(model),
                config=config,
                read_only=read_only,
                must_exist=must_exist,
            )
        self.retriever = open_graph(retriever)
        self._model = model
        super().__init__(callback_manager=callback_manager, object_map=object_map, objects=objects, verbose=verbose)

    @classmethod
    def from_nodes(
        cls,
        nodes: Iterable[BaseNode],
        *,
        name_key: str | Sequence[str] | None = ("title", "name"),
        metadata_mode: MetadataMode = MetadataMode.NONE,
        **options: Any,
    ) -> Self:
        """Return a retriever over nodes.

        Relationships become edges: NEXT and PREVIOUS ``followed_by``, SOURCE, PARENT and CHILD ``part_of``; one whose
        other end is not in the graph is passed over. A node's ``embedding`` is taken as its vector, made by the
        ``BaseEmbedding`` that is given here, or by nobody knows what. The objects of ``IndexNode``s are retrieved from,
        as in LlamaIndex's own retrievers; they live as long as this retriever.

        Args:
            nodes: added to what the file already holds; a known id is replaced.
            name_key: the metadata key that holds a node's title, or several to try; None for no names.
            metadata_mode: which metadata is searched and embedded with the text; ``MetadataMode.EMBED`` for what
                LlamaIndex's own indices embed.
            options: the arguments of the constructor.

        """
        given = listed(nodes)
        objects = {node.index_id: node.obj for node in given if isinstance(node, IndexNode) and node.obj is not None}
        made = cls(**{**options, "object_map": {**objects, **(options.get("object_map") or {})}})
        with closed_on_failure(made.retriever, options.get("retriever")):
            made.insert_nodes(given, name_key=name_key, metadata_mode=metadata_mode)
        return made

    @classmethod
    def from_vector_index(cls, index: VectorStoreIndex, **options: Any) -> Self:
        """Return a retriever over the nodes of a ``VectorStoreIndex``; their vectors are taken over, not made again.

        So it is over LlamaIndex's own vector store, FAISS and Chroma; of other stores that list their nodes the nodes
        are taken, and embedded where the store does not give their vectors. The index's objects are retrieved from.
        The graph remembers whose vectors it took: opened again, it refuses another model by name.

        Args:
            index: its embedding model embeds the queries, and what is added later.
            options: those of ``from_nodes``; where they give another embedding model, the nodes are embedded anew.

        Raises:
            InvalidValueError: the index's vector store does not list its nodes.

        """
        nodes = nodes_of(index)
        given = next((v for n in ("embedder", "embed_model") if (v := options.get(n)) is not None), None)
        graph = options.get("retriever")
        options["object_map"] = {**index._object_map, **(options.get("object_map") or {})}
        if given is None and graph is None:
            options["embedder"] = index._embed_model
        else:
            embedder = as_embedder(given) if graph is None else graph.embedder
            if maker_of(embedder, given) is None or not is_model(embedder, index._embed_model):
                nodes = [node.model_copy(update={"embedding": None}) for node in nodes]
        return cls.from_nodes(nodes, **options)

    @classmethod
    def from_postgres(
        cls,
        connection: str,
        *,
        embed_model: object = None,
        table_name: str | None = None,
        schema_name: str | None = None,
        schema: ForeignSchema | None = None,
        config: RetrievalConfig | None = None,
        **options: Any,
    ) -> Self:
        """Return a retriever over a ``PGVectorStore``, or any tables in PostgreSQL, as they are.

        They are only read; what is derived follows every write, in a schema of its own (docs/foreign-graphs.md).
        Relations among the nodes become edges.

        Args:
            connection: ``postgresql://user@host/database``, with or without SQLAlchemy's ``+psycopg2``.
            embed_model: the store's model, which embeds the questions.
            table_name: the store's, as ``from_params`` takes it, where there are several.
            schema_name: the PostgreSQL schema of the tables; ``public`` where it is left out.
            schema: what the tables and columns mean, where they are not the store's.
            config: the constants of retrieval.
            options: the other arguments of the constructor.

        """
        table = None if table_name is None else f"data_{table_name.lower()}"  # as the store calls it
        address = address_with(connection, table=table, schema=schema_name)
        graph = Retriever.open_foreign(address, schema, embedder=as_embedder(embed_model), config=config)
        with closed_on_failure(graph):
            return cls(retriever=graph, **options)

    @classmethod
    def from_property_graph(cls, index: PropertyGraphIndex, **options: Any) -> Self:
        """Return a retriever over the texts, entities and relations of a ``PropertyGraphIndex``.

        Args:
            index: relations keep their labels as edge types.
            options: those of ``from_nodes``.

        """
        require_index(index, "property_graph_store", "PropertyGraphIndex")
        texts, entities, edges = graph_of(index.property_graph_store)
        made = cls.from_nodes(texts, **options)
        with closed_on_failure(made.retriever, options.get("retriever")):
            made.retriever.add(entities, edges)
        return made

    def insert_nodes(
        self,
        nodes: Sequence[BaseNode],
        *,
        name_key: str | Sequence[str] | None = ("title", "name"),
        metadata_mode: MetadataMode = MetadataMode.NONE,
    ) -> None:
        """Add or replace nodes, at the cost of what changed; see ``from_nodes``."""
        keys = name_keys_of(name_key)
        add_nodes(self.retriever, nodes, name_keys=keys, metadata_mode=metadata_mode, vectors_by=self._vectors_by)

    def delete_nodes(self, node_ids: Iterable[str]) -> None:
        """Delete nodes by id; unknown ones are passed over."""
        delete_nodes(self.retriever, node_ids)

    def delete_ref_doc(self, ref_doc_id: str) -> None:
        """Delete the nodes of a source document, and the document if it is a node itself."""
        delete_ref_doc(self.retriever, ref_doc_id)

    def context(self, node: NodeWithScore | BaseNode | str, before: int = 1, after: int = 1) -> list[BaseNode]:
        """Return a node with its neighbours in the document it was cut from, in reading order.

        Args:
            node: a node that was found, or an id.
            before: how many nodes before it.
            after: how many nodes after it.

        Raises:
            UnknownNodeError: there is no such node.

        """
        return context(self.retriever, node if isinstance(node, str) else node.node_id, before, after)

    @property
    def path(self) -> str:
        """The file of the graph, ``":memory:"`` where it has none."""
        return self.retriever.path

    @property
    def _vectors_by(self) -> str | None:
        """Who made the vectors that nodes bring: the embedding model given, as LlamaIndex's pipelines embed."""
        return maker_of(self.retriever.embedder, self._model)

    def as_tools(self) -> list[FunctionTool]:
        """Return the graph questions (paths, impact, plans and the like) as tools for an agent; see ``as_tools``."""
        return as_tools(self.retriever)

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return self._told(self._search(query_bundle))

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return self._told(await asyncio.to_thread(self._search, query_bundle))

    def _search(self, query_bundle: QueryBundle) -> SearchResult:
        return self.retriever.search(
            query_bundle.query_str,
            query_vector=self._query_vector(query_bundle),
            **self._options(),
        )

    def _options(self) -> dict[str, Any]:
        """Return the options of a search as they are now: every one of them may have been set since."""
        return {
            "k": whole_number(self.similarity_top_k, "similarity_top_k"),
            "filter": translate(self.filters),
            **{name: getattr(self, name) for name in _OPTIONS},
        }

    def _query_vector(self, query_bundle: QueryBundle) -> Any:
        """Return the query's vector where the bundle brings one, or other texts to embed than the query."""
        if query_bundle.embedding is not None:
            return query_bundle.embedding
        if not query_bundle.custom_embedding_strs or self.mode == "text":
            return None
        try:
            return self.retriever.query_vector(query_bundle.custom_embedding_strs)
        except EmbedderMismatchError:
            raise
        except EmbedderError:
            return None  # the search meets the same failure, answers without embeddings and says so

    def _told(self, result: SearchResult) -> list[NodeWithScore]:
        """Return new nodes with scores, and tell the instrumentation how they came about."""
        dispatcher.event(FourfoldRetrievalEvent.of(result))
        found = []
        for hit in result.hits:
            node = to_llama_index_node(hit, result)
            # recursive retrieval takes an index node's score of 0.0 for none at all, and makes it 1.0
            score = max(hit.score, sys.float_info.min) if isinstance(node, IndexNode) else hit.score
            found.append(NodeWithScore(node=node, score=score))
        return found
