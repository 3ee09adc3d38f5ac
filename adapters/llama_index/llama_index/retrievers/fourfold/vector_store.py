"""A LlamaIndex vector store over one SQLite file, searched by four signals."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from inspect import signature
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from llama_index.core.bridge.pydantic import PrivateAttr, model_validator
from llama_index.core.schema import BaseNode, MetadataMode
from llama_index.core.vector_stores.simple import DEFAULT_VECTOR_STORE, NAMESPACE_SEP
from llama_index.core.vector_stores.types import (
    DEFAULT_PERSIST_DIR,
    DEFAULT_PERSIST_FNAME,
    BasePydanticVectorStore,
    MetadataFilters,
    VectorStoreQuery,
    VectorStoreQueryMode,
    VectorStoreQueryResult,
)
from llama_index.retrievers.fourfold.embeddings import as_embedder, maker_of
from llama_index.retrievers.fourfold.filters import translate
from llama_index.retrievers.fourfold.nodes import (
    KEPT_BY_INDICES,
    LAST_KEPT,
    REF_DOC_ID,
    add_chunks,
    as_given,
    delete_nodes,
    delete_ref_doc,
    ids_where,
    remember_kept,
    to_llama_index_node,
)
from pydantic import ModelWrapValidatorHandler

from fourfold import InvalidValueError, RetrievalConfig, Retriever, SearchResult, StoreError
from fourfold.arguments import finite_number, shown, strings, whole_number
from fourfold.ingest.nodes import name_keys_of
from fourfold.listing import by_filter
from fourfold.mmr import diverse
from fourfold.open_graph import OpenedOnce, no_open_graph, open_graph

_HYBRID = (VectorStoreQueryMode.DEFAULT, VectorStoreQueryMode.HYBRID, VectorStoreQueryMode.SEMANTIC_HYBRID)
_TEXT = (VectorStoreQueryMode.TEXT_SEARCH, VectorStoreQueryMode.SPARSE)
_PREFETCH = 4
"""Maximal marginal relevance chooses among so many times the nodes asked for, as LlamaIndex's own stores do."""


def _kept(path: Path) -> Path:
    """Return where a store in memory is kept: beside the JSON of LlamaIndex's own, which would be read as theirs."""
    return path.with_suffix(".sqlite")


class FourfoldVectorStore(OpenedOnce, BasePydanticVectorStore):
    """A vector store whose queries weigh embedding, text, graph and intent edges.

    For whatever wants a vector store: ``VectorStoreIndex``, ``StorageContext``, ``IngestionPipeline``. Nodes of one
    source document are joined to it and to the next; texts that name another node's title are linked to it.

    A query's embedding is the query's vector, and its words are its words: with both, as ``VectorStoreIndex`` asks,
    all four signals answer, also in the modes ``hybrid`` and ``semantic_hybrid``, where ``alpha`` divides the weight
    between embedding (1) and text (0), and ``hybrid_top_k``, where given, is the number of nodes. ``text_search`` and
    ``sparse`` seed from words only, ``mmr`` wants what it finds to differ.

    Args:
        path: the SQLite file, created if missing; ``":memory:"``, the default, keeps the graph in memory, until
            ``persist`` keeps it in a file.
        retriever: an open ``fourfold.Retriever`` instead of ``path``, ``embed_model`` and ``config``.
        embed_model: what makes the embeddings that nodes bring: remembered with the file, which then refuses another.
            Left out, the embeddings are of unknown origin, and it is for the caller to ask with the same model.
        config: the constants of retrieval.
        must_exist: whether a missing file is an error (StoreError) instead of a new graph.
        read_only: whether the file, which must exist, is opened without ever writing to it.
        breakdown: whether nodes found tell what their score is made of, as those of ``FourfoldRetriever`` do.
        name_key: the metadata key that holds a node's title, or several to try; None for no names.
        metadata_mode: which metadata is searched with the text.

    Raises:
        InvalidValueError: an argument that cannot be meant (a ValueError).
        StoreError: the file cannot be used.
        EmbedderMismatchError: the file was made with another model.

    """

    stores_text: bool = True
    is_embedding_query: bool = True
    opened_with: ClassVar[tuple[str, ...]] = ("path", "read_only")

    flat_metadata: bool = False
    breakdown: bool = False
    name_key: str | Sequence[str] | None = ("title", "name")
    metadata_mode: MetadataMode = MetadataMode.NONE
    path: str = ":memory:"
    read_only: bool = False

    _retriever: Retriever = PrivateAttr()
    _model: object = PrivateAttr(None)

    def __init__(
        self,
        path: str | Path | None = None,
        *,
        retriever: Retriever | None = None,
        embed_model: object = None,
        config: RetrievalConfig | None = None,
        must_exist: bool = False,
        read_only: bool = False,
        breakdown: bool = False,
        name_key: str | Sequence[str] | None = ("title", "name"),
        metadata_mode: MetadataMode = MetadataMode.NONE,
    ) -> None:
        no_open_graph(path, "path")
        if retriever is None:  # one without nodes is false
            retriever = Retriever(
                ":memory:" if path is None else path,
                embedder=as_embedder(embed_model),
                config=config,
                read_only=read_only,
                must_exist=must_exist,
            )
        elif path is not None or embed_model is not None or config is not None or read_only:
            raise InvalidValueError("path, embed_model, config and read_only belong to the retriever that was given.")
        open_graph(retriever)
        fields: dict[str, Any] = {"breakdown": breakdown, "name_key": name_key, "metadata_mode": metadata_mode}
        fields |= {"path": retriever.path, "read_only": retriever.backend.read_only}
        super().__init__(**fields)
        self._retriever = retriever
        self._model = embed_model

    @model_validator(mode="wrap")
    @classmethod
    def _known_fields(cls, given: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        """Open a store again from what ``model_dump`` gives, as ``from_dict`` does; refuse by name what none has."""
        if isinstance(given, dict):
            dumped = cls.model_fields.keys() <= given.keys()
            taken = [*cls.model_fields, "class_name"] if dumped else list(signature(cls).parameters)
            if unknown := [name for name in given if name not in taken]:
                raise InvalidValueError(
                    f"{cls.__name__} has no argument {shown(unknown[0])}; the arguments are {', '.join(taken)}."
                )
            if dumped:
                own = cls.model_fields.keys() - FourfoldVectorStore.model_fields.keys()
                return cls.from_dict(given, **{name: given[name] for name in own})
        return handler(given)

    @classmethod
    def from_dict(cls, data: dict[str, Any], **options: Any) -> Self:
        """Open the file of a store again with the settings that its ``to_dict`` holds.

        Args:
            data: a store's ``to_dict()``, or what JSON made of it.
            options: those of the class, which come first: ``embed_model`` and ``config`` are in no dictionary, nor is a
                password of ``path``; ``retriever``, open already, stands for ``path`` and ``read_only``.

        Raises:
            StoreError: a store in memory; the file is gone, or another application's.

        """
        given: dict[str, Any] = {name: data[name] for name in ("breakdown", "name_key") if name in data}
        if "metadata_mode" in data:
            given["metadata_mode"] = MetadataMode(data["metadata_mode"])
        if "retriever" not in options:
            given |= {"path": data.get("path"), "read_only": data.get("read_only", False), "must_exist": True}
        given |= options
        if given.get("path") in (None, ":memory:") and "retriever" not in options:
            raise StoreError(
                "A graph in memory is in no dictionary; make the store with a path, FourfoldVectorStore('kg.sqlite'), "
                "or give the open graph: from_dict(data, retriever=store.client)."
            )
        return cls(**given)

    @classmethod
    def from_persist_dir(
        cls, persist_dir: str | Path = DEFAULT_PERSIST_DIR, namespace: str = DEFAULT_VECTOR_STORE, **options: Any
    ) -> FourfoldVectorStore:
        """Open what ``persist`` has kept of a store in memory; ``options`` are those of the class.

        It is a file like any other from then on: what is added is written to it at once.

        Raises:
            StoreError: nothing was kept there.

        """
        path = _kept(Path(persist_dir) / f"{namespace}{NAMESPACE_SEP}{DEFAULT_PERSIST_FNAME}")
        if not path.exists():
            raise StoreError(
                f"No store of memory was kept in {str(persist_dir)!r}: there is no {path.name!r}. One made with a path "
                "is opened by it: FourfoldVectorStore(path)."
            )
        return cls(path, **options)

    def persist(self, persist_path: str, fs: Any = None) -> None:
        """Keep a store in memory in a SQLite file, for ``from_persist_dir``; one with a file of its own is kept there.

        Raises:
            InvalidValueError: ``fs`` is not this machine's: a graph cannot be opened elsewhere.
            StoreError: the file cannot be written.

        """
        if self._retriever.path != ":memory:":
            return
        if fs is not None and "file" not in getattr(fs, "protocol", ()):
            raise InvalidValueError(
                "A FourfoldVectorStore in memory is persisted to a folder of this machine only; leave fs out, or make "
                "the store with a path."
            )
        path = _kept(Path(persist_path))
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"The folder {str(path.parent)!r} cannot be made: {error.strerror}.") from error
        self._retriever.maintenance.save(path, replace=True)  # as LlamaIndex's own stores do

    def __getstate__(self) -> dict[str, Any]:
        """Pickle with what opens the graph's file again; a graph in memory raises StoreError.

        LlamaIndex leaves out of a pickle what has none, and the store would have no graph where it is unpickled.
        """
        return {**super().__getstate__(), "__pydantic_private__": {"_retriever": self._retriever}}

    @classmethod
    def class_name(cls) -> str:
        """Return the name of the store."""
        return "FourfoldVectorStore"

    @property
    def client(self) -> Retriever:
        """The graph: give it to ``FourfoldRetriever(retriever=…)`` for retrieval that tells why."""
        return self._retriever

    # -- nodes --------------------------------------------------------------------------------------------------

    def add(self, nodes: Sequence[BaseNode], **kwargs: Any) -> list[str]:
        """Add or replace nodes with their embeddings; return their ids.

        Raises:
            InvalidValueError: a node that cannot be stored.
            DimensionError: an embedding of another dimension than the others.
            EmbedderMismatchError: embeddings of unknown origin beside known ones.

        """
        return add_chunks(
            self._retriever,
            nodes,
            name_keys=name_keys_of(self.name_key),
            metadata_mode=self.metadata_mode,
            vectors_by=maker_of(self._retriever.embedder, self._model),
        )

    async def async_add(self, nodes: Sequence[BaseNode], **kwargs: Any) -> list[str]:
        """Add nodes without blocking the event loop."""
        return await asyncio.to_thread(self.add, nodes, **kwargs)

    def delete(self, ref_doc_id: str, **delete_kwargs: Any) -> None:
        """Delete the nodes of a source document."""
        delete_ref_doc(self._retriever, ref_doc_id)

    async def adelete(self, ref_doc_id: str, **delete_kwargs: Any) -> None:
        """Delete the nodes of a source document without blocking the event loop."""
        await asyncio.to_thread(self.delete, ref_doc_id)

    def delete_nodes(
        self, node_ids: list[str] | None = None, filters: MetadataFilters | None = None, **delete_kwargs: Any
    ) -> None:
        """Delete the nodes with these ids that meet the filters; without both, all of them."""
        delete_nodes(self._retriever, self._ids(node_ids, filters))

    async def adelete_nodes(
        self, node_ids: list[str] | None = None, filters: MetadataFilters | None = None, **delete_kwargs: Any
    ) -> None:
        """Delete nodes without blocking the event loop."""
        await asyncio.to_thread(self.delete_nodes, node_ids, filters)

    def clear(self) -> None:
        """Delete every node."""
        ids = self._retriever.manifest()
        remember_kept(self._retriever, ids)
        self._retriever.delete(ids)

    async def aclear(self) -> None:
        """Delete every node without blocking the event loop."""
        await asyncio.to_thread(self.clear)

    def get_nodes(self, node_ids: list[str] | None = None, filters: MetadataFilters | None = None) -> list[BaseNode]:
        """Return the nodes with these ids that meet the filters, as they were given, with their embeddings."""
        ids = self._ids(node_ids, filters)
        vectors = self._retriever.vectors(ids)
        return [as_given(node, vectors.get(node.id)) for node in self._retriever.get(ids)]

    async def aget_nodes(
        self, node_ids: list[str] | None = None, filters: MetadataFilters | None = None
    ) -> list[BaseNode]:
        """Return nodes without blocking the event loop."""
        return await asyncio.to_thread(self.get_nodes, node_ids, filters)

    def _ids(self, node_ids: list[str] | None, filters: MetadataFilters | None) -> list[str]:
        condition = translate(filters) or {}
        if node_ids is None:
            return ids_where(self._retriever, condition)
        wanted = strings(node_ids, "node_ids")
        found = set(ids_where(self._retriever, {"$and": [{"$id": {"$in": wanted}}, condition]}))
        return [id_ for id_ in dict.fromkeys(wanted) if id_ in found]

    # -- searching ----------------------------------------------------------------------------------------------

    def query(self, query: VectorStoreQuery, **kwargs: Any) -> VectorStoreQueryResult:
        """Return the best nodes for a query; similarities are scores from 0 to 1.

        Args:
            query: see the class; ``doc_ids``, ``node_ids`` and ``filters`` bind all signals. ``node_ids`` that are
                none, or just the image and index nodes of the store, mean any: so ``VectorStoreIndex`` asks. Without
                words and embedding, or with one of zeros, the nodes that they leave, each with a similarity of 0.
            kwargs: ``mmr_threshold`` (0 for the most different, 1 for the most relevant; 0.5 if not given) and
                ``mmr_prefetch_k``; others are passed over, as by other stores.

        Raises:
            InvalidValueError: a mode that is none of those of the class, an ``alpha`` that is not from 0 to 1, a number
                of nodes below 1.
            FilterError: filters that cannot be translated.
            DimensionError: an embedding of another dimension than the nodes'.

        """
        if query.mode == VectorStoreQueryMode.MMR:
            wanted = self._count("similarity_top_k", query.similarity_top_k)
            among = self._count("mmr_prefetch_k", kwargs.get("mmr_prefetch_k") or _PREFETCH * wanted)
            found = self._search(query, max(among, wanted))
            threshold = kwargs.get("mmr_threshold", query.mmr_threshold)
            share = 0.5 if threshold is None else finite_number(threshold, "mmr_threshold", least=0, most=1)
            hits = diverse(self._retriever, found, k=wanted, relevance=share)
        else:
            hybrid = query.mode in _HYBRID[1:] and query.hybrid_top_k is not None
            name = "hybrid_top_k" if hybrid else "similarity_top_k"
            found = self._search(query, self._count(name, getattr(query, name)))
            hits = list(found.hits)
        nodes = [to_llama_index_node(hit, found) if self.breakdown else as_given(hit.node) for hit in hits]
        return VectorStoreQueryResult(
            nodes=nodes, similarities=[hit.score for hit in hits], ids=[hit.node.id for hit in hits]
        )

    async def aquery(self, query: VectorStoreQuery, **kwargs: Any) -> VectorStoreQueryResult:
        """Return the best nodes for a query without blocking the event loop."""
        return await asyncio.to_thread(self.query, query, **kwargs)

    def _count(self, name: str, given: int | None) -> int:
        """Return a number of nodes that a query asks for; where it says none, that of the config."""
        return self._retriever.config.limit if given is None else whole_number(given, name)

    def _search(self, query: VectorStoreQuery, count: int) -> SearchResult:
        if query.mode not in (*_HYBRID, *_TEXT, VectorStoreQueryMode.MMR):
            known = ", ".join(mode.value for mode in (*_HYBRID, *_TEXT, VectorStoreQueryMode.MMR))
            raise InvalidValueError(f"The query mode {query.mode!r} is not one of {known}.")
        conditions = [translate(query.filters) or {}]
        if query.doc_ids is not None:
            conditions.append({REF_DOC_ID: {"$in": query.doc_ids}})
        if query.node_ids and not self._means_any(query.node_ids):
            conditions.append({"$id": {"$in": query.node_ids}})
        mode = "text" if query.mode in _TEXT else "hybrid" if query.query_str else "embedding"
        alpha = query.alpha if query.mode in _HYBRID else None
        if alpha is not None:
            alpha = finite_number(alpha, "alpha", least=0, most=1)
        bound = {"$and": conditions} if (conditions := [each for each in conditions if each]) else {}
        found = self._retriever.search(
            query.query_str or "",
            k=count,
            filter=bound,
            query_vector=None if mode == "text" else query.query_embedding,
            mode=mode,
            weights=None if alpha is None else {"embedding": alpha, "text": 1 - alpha},
        )
        return found if np.any(query.query_embedding) else by_filter(self._retriever, found, bound, k=count)

    def _means_any(self, node_ids: Sequence[str]) -> bool:
        """Tell ids that bind from those that an index names without meaning them.

        Over a store that has the texts, ``VectorStoreIndex`` knows of image and index nodes only, and its retriever
        names what it knows: all of these, deleted ones too, or, where there were none, [].
        """
        known = {node.id for node in self._retriever.get(node_ids)}
        kept = set(ids_where(self._retriever, KEPT_BY_INDICES))
        return known == kept and (bool(kept) or self._retriever.backend.meta(LAST_KEPT) in node_ids)
