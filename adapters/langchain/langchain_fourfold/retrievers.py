"""The LangChain retriever: translates words, decides nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Self

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool
from langchain_core.vectorstores import VectorStore
from pydantic import Field, InstanceOf, field_serializer, field_validator, model_validator
from pydantic.json_schema import SkipJsonSchema

from fourfold import Edge, InvalidValueError, RetrievalConfig, Retriever, SearchResult, Weights
from fourfold.arguments import file_path, shown
from fourfold.asking import Options
from fourfold.ingest.nodes import name_keys_of
from fourfold.open_graph import OpenedOnce, closed_on_failure, no_open_graph, open_graph
from fourfold.presets import open_under
from langchain_fourfold import shadow
from langchain_fourfold.chunks import Contexts, add_documents
from langchain_fourfold.documents import documents_of, plain_filter, to_document, to_plain_document
from langchain_fourfold.embeddings import as_embedder, is_model, one_embedder
from langchain_fourfold.options import SEARCH_OPTIONS, require_known
from langchain_fourfold.postgres import OverPostgres
from langchain_fourfold.stores import contents_of
from langchain_fourfold.tools import as_tools
from langchain_fourfold.tracing import Traced

_FIELDS = tuple(name for name in SEARCH_OPTIONS if name != "query_vector")
"""The options of a search that are fields here, too."""


class FourfoldRetriever(OpenedOnce, Contexts, OverPostgres, Traced):
    """A retriever over one SQLite file that weighs embedding, text, graph and intent edges, and explains each score.

    Open a graph with ``FourfoldRetriever("kg.sqlite")`` or share an open one with ``retriever=``; make one of
    documents with ``from_documents`` or of texts with ``from_texts``. ``k``, ``filter``, ``weights``, ``intent`` and
    the other options of a search are fields and may be given per call: ``invoke("…", k=3)``.

    Each result is a ``Document`` whose ``id`` is the node's, with ``metadata["score"]`` (a float in [0, 1]) and
    ``metadata["fourfold"]``: intent, weights, components, method, why, community, confidence, name, type and degraded.
    Documents are equal if they are without the two, whatever the question was; ``breakdown=False`` leaves both out.

    Raises:
        pydantic.ValidationError (a ValueError): an option that cannot be meant, such as ``k=0``.
        fourfold.StoreError: the file cannot be used.
        fourfold.EmbedderMismatchError: the file was made with another embedder.

    """

    path: str | Path = ":memory:"
    """The SQLite file, created if missing; ``":memory:"`` keeps the graph in memory."""

    embedder: Any = Field(default=None, exclude=True, repr=False)
    """A LangChain ``Embeddings``, or whatever ``fourfold.Retriever`` takes; None is the model that ships with it."""

    config: InstanceOf[RetrievalConfig] | None = Field(default=None, exclude=True, repr=False)
    """The constants of retrieval."""

    preset: str | None = None
    """``"default"``, ``"published"`` or ``"two-signal"`` instead of ``config``, see ``fourfold.presets``."""

    must_exist: bool = False
    """Whether a missing file is an error (StoreError) instead of a new graph: for a path that may be mistyped."""

    read_only: bool = False
    """Whether the file, which must exist, is opened without ever writing to it."""

    opened_with: ClassVar[tuple[str, ...]] = (
        "path",
        "embedder",
        "config",
        "preset",
        "must_exist",
        "read_only",
        "retriever",
    )

    retriever: SkipJsonSchema[InstanceOf[Retriever]] = Field(default=None, exclude=True, repr=False)  # type: ignore[assignment]
    """The engine; given instead of ``path``, ``embedder`` and ``config``, or opened from them."""

    k: int | None = None
    """Number of documents; None is the config's limit (10)."""

    filter: dict[str, Any] | None = None
    """What the metadata must meet, such as ``{"lang": "en"}``; see ``fourfold.filters``. Per call, ``{}`` lifts it."""

    weights: InstanceOf[Weights] | dict[str, float] | None = None
    """The four weights, or some of them; None leaves them to the intent."""

    intent: str | None = None
    """Forces an intent; ``"default"`` is none; None reads it from the query."""

    mode: str = "hybrid"
    """What finds the seeds: ``"hybrid"``, ``"text"`` or ``"embedding"``."""

    min_score: float | None = None
    """Documents below this score are left out."""

    min_confidence: float | None = None
    """Documents that the graph is less sure of are left out, from 0 to 1; .25 rejects keyboard noise."""

    group_by: str | None = None
    """A metadata key of which each value has at most ``max_per_source`` documents."""

    max_per_source: int = 1
    """See ``group_by``."""

    timeout: float | None = None
    """Seconds after which a search raises fourfold.SearchTimeoutError, a TimeoutError."""

    rerank: Any = Field(default=None, exclude=True, repr=False)
    """What puts the best in order: a cross-encoder, a callable ``(query, texts) -> scores`` or a ``Reranker``."""

    compare_with: InstanceOf[BaseRetriever] | None = Field(default=None, exclude=True, repr=False)
    """Shadow mode: this retriever answers, and how Fourfold would have is logged (``langchain_fourfold.shadow``)."""

    on_comparison: SkipJsonSchema[Callable[[shadow.Comparison], object] | None] = Field(
        default=None, exclude=True, repr=False
    )
    """Called with each Comparison of shadow mode: ``print``, or a list's ``append``."""

    breakdown: bool = True
    """Whether ``metadata`` tells ``score`` and ``fourfold``; False for idioms that compare serialised documents."""

    name_in_content: bool = False
    """Whether ``page_content`` begins with the node's name: for graphs whose texts do not say what they are about."""

    # -- making one ---------------------------------------------------------------------------------------------

    def __init__(self, *path: str | Path, **fields: Any) -> None:
        """Take ``path`` with or without its name, and the other fields by theirs."""
        if len(path) > 1:
            raise InvalidValueError(f"{shown(path[1])} stands without a name; only the path does: k=…, filter=….")
        named: dict[str, Any] = {"path": path[0]} if path else {}
        super().__init__(**named, **fields)

    @classmethod
    def from_documents(
        cls,
        documents: Iterable[Document],
        *,
        path: str | Path = ":memory:",
        embeddings: object = None,
        edges: Iterable[Edge] = (),
        name_key: str | Sequence[str] | None = ("title", "name"),
        **fields: Any,
    ) -> Self:
        """Return a retriever over documents.

        Args:
            documents: an id is kept; a document without one gets a hash of its content for an id, so that adding it
                again replaces it.
            path: the SQLite file to put them in; what it already holds stays.
            embeddings: the ``embedder``.
            edges: edges between the documents, by id, beside those of texts that name another document's title.
            name_key: the metadata key that holds a document's title, or several to try; None for no names.
            fields: the other fields of the retriever.

        """
        if (embedder := one_embedder(embeddings, fields)) is not None:
            fields["embedder"] = embedder
        made = cls(path=path, **fields)
        with closed_on_failure(made.retriever, fields.get("retriever")):
            add_documents(made.retriever, documents, name_keys=name_keys_of(name_key), edges=list(edges))
        return made

    @classmethod
    def from_vectorstore(
        cls, store: VectorStore, *, ids: Iterable[str] | None = None, embeddings: object = None, **fields: Any
    ) -> Self:
        """Return a retriever over what a vector store holds: texts, ids, metadata and, where it gives them, vectors.

        Vectors are taken over from InMemoryVectorStore, FAISS and Chroma, and nothing is embedded again; from other
        stores that return documents by id, the documents of ``ids`` are taken and embedded. The graph remembers whose
        vectors it took: opened again, it refuses another model by name.

        Args:
            store: the vector store; its embedding model embeds the queries, and what is added later.
            ids: which documents; None for all, where the store can tell.
            embeddings: another embedding model than the store's: the documents are embedded anew by it. So they are,
                by the model that ships with Fourfold, where the store does not tell its model.
            fields: ``path`` and the other fields.

        Raises:
            InvalidValueError: the store cannot list what it holds, and ``ids`` is not given.
            fourfold.EmbedderMismatchError: ``path`` holds vectors of another model.

        """
        documents, vectors = contents_of(store, ids)
        if (embedder := one_embedder(embeddings, fields)) is not None or fields.get("retriever") is None:
            fields["embedder"] = embedder if embedder is not None else store.embeddings
        made = cls(**fields)
        own = vectors if is_model(made.retriever.embedder, store.embeddings) else {}
        with closed_on_failure(made.retriever, fields.get("retriever")):
            add_documents(made.retriever, documents, vectors=own, vectors_by=made.retriever.embedder.name)
        return made

    @classmethod
    def from_texts(
        cls,
        texts: Iterable[str],
        metadatas: Iterable[Mapping[str, Any] | None] | None = None,
        ids: Iterable[str | None] | None = None,
        **options: Any,
    ) -> Self:
        """Return a retriever over texts; ``options`` are those of ``from_documents``.

        Raises:
            InvalidValueError: ``metadatas`` or ``ids`` are not as many as ``texts``, or ``texts`` is one string.

        """
        return cls.from_documents(documents_of(texts, metadatas, ids), **options)

    @field_validator("k", "max_per_source", mode="before")
    @classmethod
    def _at_least_one(cls, value: object) -> object:
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
            raise InvalidValueError(f"{value!r} is no number of results; it must be a whole number of at least 1.")
        return value

    @model_validator(mode="after")
    def _can_be_meant(self) -> Self:
        Options.of(self._options())
        return self

    @model_validator(mode="before")
    @classmethod
    def _known_fields(cls, given: Any) -> Any:
        unknown = sorted(set(given) - set(cls.model_fields)) if isinstance(given, dict) else []
        if unknown:
            raise InvalidValueError(
                f"{cls.__name__} has no field {unknown[0]!r}; the fields are {', '.join(cls.model_fields)}."
            )
        if isinstance(given, dict):
            no_open_graph(given.get("path"), "path")
            file_path(given.get("path", ":memory:"))
            if "retriever" in given:
                open_graph(given["retriever"])
        return given

    @model_validator(mode="after")
    def _open(self) -> Self:
        # RunnableConfigurableFields makes a copy for each call from all fields: it must share the engine, and it gives
        # path, embedder and config beside it, as they are set here.
        given = self.retriever is not None
        if not given:
            opened = open_under(
                self.preset,
                self.path,
                embedder=as_embedder(self.embedder),
                config=self.config,
                read_only=self.read_only,
                must_exist=self.must_exist,
            )
            BaseRetriever.__setattr__(self, "retriever", opened)
        own = {
            "path": self.retriever.path,
            "embedder": self.retriever.embedder,
            "config": self.retriever.config,
            "read_only": self.retriever.backend.read_only,
        }
        if given:
            self._require_own(own)
        for name, value in own.items():
            BaseRetriever.__setattr__(self, name, value)
        return self

    def _require_own(self, own: Mapping[str, Any]) -> None:
        """Refuse what a graph is opened with beside one that is open already, unless it is that graph's own."""
        copied = "path" in self.model_fields_set and str(self.path) == self.retriever.path
        if self.preset is not None and not copied:
            raise InvalidValueError("preset belongs to the retriever that was given; leave preset out.")
        for name, value in own.items():
            if copied and name == "config":  # another one may have been applied to the graph since
                continue
            given = str(self.path) if name == "path" else getattr(self, name)
            if name in self.model_fields_set and given is not None and given is not value and given != value:
                raise InvalidValueError(f"{name} belongs to the retriever that was given; leave {name} out.")

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> Self:
        """Return a copy over the same open graph."""
        return self.model_copy()

    def __getstate__(self) -> dict[Any, Any]:
        """Pickle with what opens the graph's file again; a graph in memory raises fourfold.StoreError."""
        state = super().__getstate__()
        fields = {name: value for name, value in state["__dict__"].items() if name not in ("embedder", "config")}
        return {**state, "__dict__": fields}  # the retriever brings them

    def __setstate__(self, state: dict[Any, Any]) -> None:
        opened = state["__dict__"]["retriever"]
        super().__setstate__(
            {**state, "__dict__": {**state["__dict__"], "embedder": opened.embedder, "config": opened.config}}
        )

    @field_serializer("must_exist")
    def _is_there(self, value: bool) -> bool:
        """Say of an open graph that it is there: what is read back opens it again, and begins none in its place."""
        return True

    def as_tools(self) -> list[BaseTool]:
        """Return the graph questions (paths, impact, plans and the like) as tools for an agent; see ``as_tools``."""
        return as_tools(self.retriever)

    # -- answering ----------------------------------------------------------------------------------------------

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,
        k: int | None = None,
        filter: Mapping[str, Any] | None = None,
        weights: Weights | Mapping[str, float] | None = None,
        intent: str | None = None,
        **options: Any,
    ) -> list[Document]:
        called = {"k": k, "filter": filter, "weights": weights, "intent": intent, **options}
        if (old := self.compare_with) is None:
            return self._documents(self.retriever.search(query, **self._options(**called)))
        theirs, ours = shadow.divided(old, old._get_relevant_documents, called, SEARCH_OPTIONS)
        config = RunnableConfig(callbacks=run_manager.get_child())
        return self._shadow(query, ours).beside(lambda: shadow.first(old.invoke(query, config, **theirs), k))

    async def _aget_relevant_documents(
        self,
        query: str,
        *,
        run_manager: AsyncCallbackManagerForRetrieverRun,
        k: int | None = None,
        filter: Mapping[str, Any] | None = None,
        weights: Weights | Mapping[str, float] | None = None,
        intent: str | None = None,
        **options: Any,
    ) -> list[Document]:
        called = {"k": k, "filter": filter, "weights": weights, "intent": intent, **options}
        if (old := self.compare_with) is None:
            return self._documents(await self.retriever.asearch(query, **self._options(**called)))
        theirs, ours = shadow.divided(old, old._aget_relevant_documents, called, SEARCH_OPTIONS)
        config = RunnableConfig(callbacks=run_manager.get_child())
        found = await self._shadow(query, ours).abeside(old.ainvoke(query, config, **theirs))
        return shadow.first(found, k)

    def _shadow(self, query: str, given: dict[str, Any]) -> shadow.Shadow:
        k = self.k if self.compare_with is None or self.k is not None else shadow.own_k(self.compare_with)
        return shadow.Shadow(query, self.retriever, lambda: self._options(**{"k": k, **given}), self.on_comparison)

    def _documents(self, result: SearchResult) -> list[Document]:
        tell = to_document if self.breakdown else to_plain_document
        return [tell(hit, result, self.name_in_content) for hit in result.hits]

    def _options(self, **given: Any) -> dict[str, Any]:
        """Return the options of one search: what the call gives, else the fields."""
        given.pop("verbose", None)  # BaseRetriever reads it and passes it on
        require_known(given)
        options = {name: getattr(self, name) for name in _FIELDS}
        options.update((name, value) for name, value in given.items() if value is not None)
        if options["filter"] is not None:
            options["filter"] = plain_filter(options["filter"])
        return options
