"""A LangChain VectorStore over one SQLite file, searched by four signals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.runnables import run_in_executor
from langchain_core.vectorstores import VectorStore

from fourfold import Hit, InvalidValueError, RetrievalConfig, Retriever, SearchResult
from fourfold.arguments import finite_number, whole_number
from fourfold.embed import Embedder
from fourfold.ingest import delete_linked
from fourfold.ingest.nodes import name_keys_of
from fourfold.listing import by_filter
from fourfold.mmr import diverse
from fourfold.open_graph import closed_on_failure, no_open_graph, open_graph
from langchain_fourfold import chunks
from langchain_fourfold.chunks import Contexts
from langchain_fourfold.documents import as_given, documents_of, listed, plain_filter, to_document, to_plain_document
from langchain_fourfold.embeddings import FourfoldEmbeddings, LangChainEmbedder, as_embedder, no_graph
from langchain_fourfold.options import require_known


class FourfoldVectorStore(Contexts, VectorStore):
    """A vector store whose searches weigh embedding, text, graph and intent edges.

    For whatever wants a ``VectorStore``: ``as_retriever`` with every ``search_type``, ``ParentDocumentRetriever``,
    ``MultiVectorRetriever``, ``SelfQueryRetriever`` (with ``FourfoldTranslator``), ``index``. Chunks of a text splitter
    are joined to their document and to the next chunk; texts that name another document's title are linked to it.

    Args:
        embedding: the embedding model; None is the one that ships with Fourfold. Whatever ``fourfold.Retriever`` takes
            will do, too.
        path: the SQLite file, created if missing; ``":memory:"``, the default, keeps the graph in memory.
        retriever: an open ``fourfold.Retriever`` instead of ``embedding``, ``path`` and ``config``.
        config: the constants of retrieval.
        must_exist: whether a missing file is an error (StoreError) instead of a new graph.
        read_only: whether the file, which must exist, is opened without ever writing to it.
        breakdown: whether documents found tell what their score is made of, as those of ``FourfoldRetriever`` do.
        name_key: the metadata key that holds a document's title, or several to try; None for no names.

    Raises:
        fourfold.StoreError: the file cannot be used.
        fourfold.EmbedderMismatchError: the file was made with another embedder.
        fourfold.InvalidValueError: an argument that cannot be meant (a ValueError).

    """

    def __init__(
        self,
        embedding: object = None,
        *,
        path: str | Path = ":memory:",
        retriever: Retriever | None = None,
        config: RetrievalConfig | None = None,
        must_exist: bool = False,
        read_only: bool = False,
        breakdown: bool = False,
        name_key: str | Sequence[str] | None = ("title", "name"),
    ) -> None:
        no_open_graph(embedding, "embedding")
        no_open_graph(path, "path")
        keys = name_keys_of(name_key)
        if retriever is None:  # one without nodes is false
            retriever = Retriever(
                path,
                embedder=no_graph(as_embedder(embedding)),
                config=config,
                read_only=read_only,
                must_exist=must_exist,
            )
        elif embedding is not None or path != ":memory:" or config is not None or read_only:
            raise InvalidValueError("embedding, path, config and read_only belong to the retriever that was given.")
        self.retriever = open_graph(retriever)
        self.breakdown = breakdown
        self._name_keys = keys

    def __repr__(self) -> str:
        """Name the graph without reading it."""
        return f"<{type(self).__name__} {self.retriever.path!r}>"

    @classmethod
    def from_texts(
        cls,
        texts: list[str],
        embedding: Embeddings | None = None,
        metadatas: list[dict[str, Any]] | None = None,
        *,
        ids: list[str] | None = None,
        **options: Any,
    ) -> Self:
        """Return a store over texts; ``options`` are those of the class."""
        made = cls(embedding, **options)
        with closed_on_failure(made.retriever, options.get("retriever")):
            made.add_texts(texts, metadatas, ids=ids)
        return made

    @classmethod
    def from_documents(cls, documents: list[Document], embedding: Embeddings | None = None, **options: Any) -> Self:
        """Return a store over documents; ``options`` are those of the class, and ``ids``.

        LangChain's own asks for a model; here None is the one that ships with Fourfold.
        """
        ids = options.pop("ids", None)
        made = cls(embedding, **options)
        with closed_on_failure(made.retriever, options.get("retriever")):
            made.add_documents(documents, ids)
        return made

    @classmethod
    async def afrom_texts(
        cls,
        texts: list[str],
        embedding: Embeddings | None = None,
        metadatas: list[dict[str, Any]] | None = None,
        *,
        ids: list[str] | None = None,
        **options: Any,
    ) -> Self:
        """Like ``from_texts``, in a thread."""
        return await run_in_executor(None, cls.from_texts, texts, embedding, metadatas, ids=ids, **options)

    @classmethod
    async def afrom_documents(
        cls, documents: list[Document], embedding: Embeddings | None = None, **options: Any
    ) -> Self:
        """Like ``from_documents``, in a thread."""
        return await run_in_executor(None, cls.from_documents, documents, embedding, **options)

    @property
    def embeddings(self) -> Embeddings:
        """The embedding model."""
        embedder: Embedder = self.retriever.embedder
        return embedder.embeddings if isinstance(embedder, LangChainEmbedder) else FourfoldEmbeddings(embedder)

    # -- documents ----------------------------------------------------------------------------------------------

    def add_documents(
        self, documents: Iterable[Document], ids: Iterable[str | None] | None = None, **kwargs: Any
    ) -> list[str]:
        """Add or replace documents; return their ids.

        Args:
            documents: any iterable of them; one without an id gets a hash of its text and metadata for an id, so that
                adding it again replaces it.
            ids: instead of the documents' own.
            kwargs: passed over, as by other stores.

        Raises:
            fourfold.InvalidValueError: there are not as many ids as documents, or metadata that JSON cannot hold.

        """
        if ids is not None:
            documents, ids = list(listed(documents)), list(ids)
            if len(ids) != len(documents):
                raise InvalidValueError(f"There are {len(documents)} documents and {len(ids)} ids; give one for each.")
            documents = [
                Document(id=id_, page_content=document.page_content, metadata=document.metadata)
                if id_ is not None and id_ != document.id
                else document
                for document, id_ in zip(documents, ids, strict=True)
            ]
        return chunks.add_documents(self.retriever, documents, name_keys=self._name_keys)

    def add_texts(
        self,
        texts: Iterable[str],
        metadatas: list[dict[str, Any]] | None = None,
        *,
        ids: list[str] | None = None,
        **kwargs: Any,
    ) -> list[str]:
        """Add or replace texts; return their ids.

        LangChain's own pairs them as far as the shorter goes, and of a generator of texts it adds none.

        Args:
            texts: any iterable of them.
            metadatas: one for each.
            ids: one for each; see ``add_documents``.
            kwargs: passed over, as by other stores.

        Raises:
            fourfold.InvalidValueError: there is not one of each for each text, or metadata that JSON cannot hold.

        """
        return self.add_documents(documents_of(texts, metadatas or None, ids))

    def delete(self, ids: list[str] | None = None, **kwargs: Any) -> bool | None:
        """Delete documents by id, all of them where ``ids`` is None; unknown ones are passed over."""
        if ids is None:
            self.retriever.delete(self.retriever.manifest())
        else:
            delete_linked(self.retriever, ids)
        return True

    def get_by_ids(self, ids: Sequence[str], /) -> list[Document]:
        """Return the documents of these ids as they were given; unknown ids are left out."""
        return [as_given(node) for node in self.retriever.get(ids)]

    # -- searching ----------------------------------------------------------------------------------------------

    def similarity_search(
        self, query: str, k: int = 4, *, filter: Mapping[str, Any] | None = None, **options: Any
    ) -> list[Document]:
        """Return the ``k`` best documents.

        Args:
            query: plain words; without any, the documents that pass the filter, each with a score of 0.
            k: how many.
            filter: what the metadata must meet, such as ``{"lang": "en"}``; see ``fourfold.filters``.
            options: of ``fourfold.Retriever.search``: ``weights``, ``intent``, ``mode``, ``min_score``,
                ``min_confidence``, ``group_by``, ``max_per_source``, ``timeout``, ``rerank``, ``query_vector``.

        Raises:
            fourfold.InvalidValueError: an option that cannot be meant.

        """
        return [document for document, _ in self.similarity_search_with_score(query, k, filter=filter, **options)]

    def similarity_search_with_score(
        self, query: str, k: int = 4, *, filter: Mapping[str, Any] | None = None, **options: Any
    ) -> list[tuple[Document, float]]:
        """Return the ``k`` best documents with their scores, from 0 to 1, more is better; see ``similarity_search``."""
        return self._told(self._search(query, k, filter, options))

    def similarity_search_by_vector(
        self, embedding: list[float], k: int = 4, *, filter: Mapping[str, Any] | None = None, **options: Any
    ) -> list[Document]:
        """Return the documents nearest to a vector; see ``similarity_search``."""
        found = self.similarity_search_with_score_by_vector(embedding, k, filter=filter, **options)
        return [document for document, _ in found]

    def similarity_search_with_score_by_vector(
        self, embedding: list[float], k: int = 4, *, filter: Mapping[str, Any] | None = None, **options: Any
    ) -> list[tuple[Document, float]]:
        """Return the documents nearest to a vector with their scores, from 0 to 1; see ``similarity_search``."""
        return self._told(self._search_by_vector(embedding, k, filter, options))

    def max_marginal_relevance_search(
        self,
        query: str,
        k: int = 4,
        fetch_k: int = 20,
        lambda_mult: float = 0.5,
        *,
        filter: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> list[Document]:
        """Return ``k`` of the best ``fetch_k`` documents, each good and unlike those before it.

        Maximal marginal relevance with the score of the four signals as the relevance; see ``fourfold.mmr.diverse``.

        Args:
            query: plain words.
            k: how many.
            fetch_k: among how many.
            lambda_mult: from 0, most different, to 1, as without this.
            filter: see ``similarity_search``.
            options: see ``similarity_search``.

        """
        return self._diverse(self._search(query, _among(k, fetch_k), filter, options), k, lambda_mult)

    def max_marginal_relevance_search_by_vector(
        self,
        embedding: list[float],
        k: int = 4,
        fetch_k: int = 20,
        lambda_mult: float = 0.5,
        *,
        filter: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> list[Document]:
        """Return ``k`` of the ``fetch_k`` documents nearest to a vector; see ``max_marginal_relevance_search``."""
        return self._diverse(self._search_by_vector(embedding, _among(k, fetch_k), filter, options), k, lambda_mult)

    def _search(self, query: str, k: int, filter: Mapping[str, Any] | None, options: Mapping[str, Any]) -> SearchResult:
        require_known(options)
        condition = None if filter is None else plain_filter(filter)
        found = self.retriever.search(query, k=k, filter=condition, **options)
        if not condition or any(options.get(name) for name in ("min_score", "min_confidence")):
            return found
        grouped = {name: options[name] for name in ("group_by", "max_per_source") if name in options}
        return found if "query_vector" in options else by_filter(self.retriever, found, condition, k=k, **grouped)

    def _search_by_vector(
        self, vector: list[float], k: int, filter: Mapping[str, Any] | None, options: Mapping[str, Any]
    ) -> SearchResult:
        return self._search("", k, filter, {"mode": "embedding", **options, "query_vector": vector})

    def _told(self, result: SearchResult) -> list[tuple[Document, float]]:
        return [(self._document(hit, result), hit.score) for hit in result.hits]

    def _document(self, hit: Hit, result: SearchResult) -> Document:
        return (to_document if self.breakdown else to_plain_document)(hit, result)

    def _diverse(self, result: SearchResult, k: int, lambda_mult: float) -> list[Document]:
        share = finite_number(lambda_mult, "lambda_mult", least=0, most=1)
        return [self._document(hit, result) for hit in diverse(self.retriever, result, k=k, relevance=share)]

    def _select_relevance_score_fn(self) -> Callable[[float], float]:
        return float  # scores are from 0 to 1 as they are

    def _similarity_search_with_relevance_scores(
        self, query: str, k: int = 4, **kwargs: Any
    ) -> list[tuple[Document, float]]:
        """Return the ``k`` best documents with their confidence: what a ``score_threshold`` can cut on."""
        result = self._search(query, k, kwargs.pop("filter", None), kwargs)
        return [(self._document(hit, result), hit.confidence) for hit in result.hits]

    async def _asimilarity_search_with_relevance_scores(
        self, query: str, k: int = 4, **kwargs: Any
    ) -> list[tuple[Document, float]]:
        """Like ``similarity_search_with_relevance_scores``, in a thread: LangChain's own would give the scores."""
        return await run_in_executor(None, self._similarity_search_with_relevance_scores, query, k, **kwargs)


def _among(k: object, fetch_k: object) -> int:
    """Return among how many documents ``k`` are chosen."""
    return max(whole_number(k, "k"), whole_number(fetch_k, "fetch_k", least=0))
