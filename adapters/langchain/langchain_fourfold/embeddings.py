"""LangChain embedding models as Fourfold embedders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from langchain_core.embeddings import Embeddings

from fourfold import InvalidValueError
from fourfold.embed import as_embedder as fourfold_embedder
from fourfold.types import FloatArray

_MODEL_ATTRIBUTES = ("model", "model_name", "model_id", "deployment", "repo_id", "model_path")
"""Where LangChain's embedding classes keep the name of their model, the first that is a string."""


_OF_GRAPHS = (".sqlite", ".sqlite3", ".db", ".db3")
"""What the names of SQLite's files end in."""


class LangChainEmbedder:
    """A Fourfold embedder over a LangChain ``Embeddings``.

    Args:
        embeddings: the model.
        name: the identity stored with the vectors; by default ``langchain:<class>:<model>``. Vectors of embedders with
            different names are never compared, so give one where the class does not tell its model.

    """

    def __init__(self, embeddings: Embeddings, name: str | None = None) -> None:
        self.embeddings = embeddings
        self.name = name or _name_of(embeddings)

    def embed_documents(self, texts: Sequence[str]) -> FloatArray:
        """Return one vector per text, shape (len(texts), dimensions)."""
        return np.asarray(self.embeddings.embed_documents(list(texts)))

    def embed_query(self, text: str) -> FloatArray:
        """Return the vector of a query, shape (dimensions,)."""
        return np.asarray(self.embeddings.embed_query(text))


class FourfoldEmbeddings(Embeddings):
    """A Fourfold embedder as a LangChain ``Embeddings``; by default the model that ships with Fourfold, offline.

    Args:
        embedder: whatever ``fourfold.Retriever`` takes.

    """

    def __init__(self, embedder: object = None) -> None:
        self.embedder = fourfold_embedder(embedder)

    @property
    def model(self) -> str:
        """The name of the embedder."""
        return self.embedder.name

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return one vector per text."""
        vectors: list[list[float]] = np.asarray(self.embedder.embed_documents(texts), np.float64).tolist()
        return vectors

    def embed_query(self, text: str) -> list[float]:
        """Return the vector of a query."""
        vector: list[float] = np.asarray(self.embedder.embed_query(text), np.float64).tolist()
        return vector


def as_embedder(given: object) -> object:
    """Wrap a LangChain ``Embeddings``; what else Fourfold takes as an embedder passes through."""
    if isinstance(given, FourfoldEmbeddings):
        return given.embedder
    return LangChainEmbedder(given) if isinstance(given, Embeddings) else given


def no_graph(embedding: object) -> object:
    """Refuse the path of a graph where LangChain's vector stores have the model: as a name it would find none."""
    if isinstance(embedding, str | Path):
        path = str(embedding)
        if "://" in path:
            raise InvalidValueError("embedding is an address and no embedding model; give that of a graph as path=….")
        if path == ":memory:" or Path(path).suffix.lower() in _OF_GRAPHS or Path(path).is_file():
            raise InvalidValueError(
                f"embedding is {path!r}, a file and no embedding model; give the graph as path={path!r}."
            )
    return embedding


def one_embedder(embeddings: object, fields: Mapping[str, Any]) -> object:
    """Return what one of the two names ``embeddings`` and ``embedder`` gives, None if neither does."""
    if embeddings is not None and fields.get("embedder") is not None:
        raise InvalidValueError("embeddings and embedder are two names of one argument; give one of them.")
    return embeddings if embeddings is not None else fields.get("embedder")


def is_model(embedder: object, embeddings: Embeddings | None) -> bool:
    """Whether an embedder asks this very LangChain model, or one that equals it."""
    if isinstance(embeddings, FourfoldEmbeddings):
        return embedder is embeddings.embedder
    return embeddings is not None and isinstance(embedder, LangChainEmbedder) and embedder.embeddings == embeddings


def _name_of(embeddings: Embeddings) -> str:
    cached = getattr(embeddings, "underlying_embeddings", None)  # CacheBackedEmbeddings
    if isinstance(cached, Embeddings):
        return _name_of(cached)
    values = (getattr(embeddings, attribute, None) for attribute in _MODEL_ATTRIBUTES)
    model = next((value for value in values if isinstance(value, str) and value), None)
    parts = ["langchain", type(embeddings).__name__, model]
    return ":".join(part for part in parts if part)
