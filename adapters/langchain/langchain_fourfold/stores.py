"""What vector stores hold: documents and, where the store gives them, their vectors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from langchain_core.documents import Document
from langchain_core.vectorstores import InMemoryVectorStore, VectorStore

from fourfold import InvalidValueError
from fourfold.arguments import strings
from langchain_fourfold.chunks import texts_in
from langchain_fourfold.vectorstores import FourfoldVectorStore


def contents_of(store: VectorStore, ids: Iterable[str] | None = None) -> tuple[list[Document], Mapping[str, Any]]:
    """Return the documents of a vector store and their vectors by id, as far as the store tells them.

    Args:
        store: known are InMemoryVectorStore, FAISS, Chroma and FourfoldVectorStore; others are asked for the documents
            of ``ids``.
        ids: which documents; None for all.

    Raises:
        InvalidValueError: the store cannot list what it holds, and ``ids`` is not given.

    """
    wanted = None if ids is None else strings(ids, "ids")
    if isinstance(store, InMemoryVectorStore):
        documents, vectors = _in_memory(store)
    elif hasattr(store, "index_to_docstore_id") and hasattr(store, "docstore"):
        documents, vectors = _faiss(store)
    elif hasattr(store, "_collection") and hasattr(store, "get"):
        documents, vectors = _chroma(store)
    elif isinstance(store, FourfoldVectorStore):
        documents, vectors = _fourfold(store)
    elif wanted is not None:
        documents, vectors = store.get_by_ids(wanted), {}
    else:
        kind = type(store).__name__
        if isinstance(getattr(store, "vectorstore", None), VectorStore):
            raise InvalidValueError(f"{kind} is a retriever, not a store; give the store below it, .vectorstore.")
        raise InvalidValueError(f"{kind} does not tell what it holds; give ids=, or its documents to from_documents.")
    if wanted is not None:
        asked = set(wanted)
        documents = [document for document in documents if document.id in asked]
    return documents, vectors


def _in_memory(store: InMemoryVectorStore) -> tuple[list[Document], dict[str, Any]]:
    entries = store.store
    documents = [
        Document(id=identity, page_content=entry["text"], metadata=entry["metadata"])
        for identity, entry in entries.items()
    ]
    return documents, {identity: entry["vector"] for identity, entry in entries.items()}


def _faiss(store: Any) -> tuple[list[Document], dict[str, Any]]:
    documents: list[Document] = []
    vectors: dict[str, Any] = {}
    for place, identity in store.index_to_docstore_id.items():
        found = store.docstore.search(identity)
        documents.append(Document(id=identity, page_content=found.page_content, metadata=found.metadata))
        vectors[identity] = store.index.reconstruct(int(place))
    return documents, vectors


def _chroma(store: Any) -> tuple[list[Document], dict[str, Any]]:
    held = store.get(include=["embeddings", "documents", "metadatas"])
    documents = [
        Document(id=identity, page_content=text or "", metadata=dict(metadata or {}))
        for identity, text, metadata in zip(held["ids"], held["documents"], held["metadatas"], strict=True)
    ]
    embeddings = held["embeddings"]
    return documents, {} if embeddings is None else dict(zip(held["ids"], embeddings, strict=True))


def _fourfold(store: FourfoldVectorStore) -> tuple[list[Document], dict[str, Any]]:
    ids = texts_in(store.retriever)
    return store.get_by_ids(ids), store.retriever.vectors(ids)
