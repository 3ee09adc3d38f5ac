"""LlamaIndex embedding models as Fourfold embedders, and the other way round."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import numpy as np
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.bridge.pydantic import PrivateAttr

from fourfold.embed import Embedder
from fourfold.embed import as_embedder as fourfold_embedder
from fourfold.types import FloatArray


class LlamaIndexEmbedder:
    """A Fourfold embedder over a LlamaIndex ``BaseEmbedding``.

    Args:
        embed_model: the model.
        name: the identity stored with the vectors; by default ``llama_index:<class>:<model>``. Vectors of embedders
            with different names are never compared, so give one where ``model_name`` is not set.

    """

    def __init__(self, embed_model: BaseEmbedding, name: str | None = None) -> None:
        self.embed_model = embed_model
        self.name = name or f"llama_index:{embed_model.class_name()}:{embed_model.model_name}"

    def embed_documents(self, texts: Sequence[str]) -> FloatArray:
        """Return one vector per text, shape (len(texts), dimensions)."""
        return np.asarray(self.embed_model.get_text_embedding_batch(list(texts)))

    def embed_query(self, text: str) -> FloatArray:
        """Return the vector of a query, shape (dimensions,)."""
        return np.asarray(self.embed_model.get_query_embedding(text))


class FourfoldEmbedding(BaseEmbedding):
    """A Fourfold embedder as a LlamaIndex ``BaseEmbedding``; by default the model that ships with Fourfold, offline.

    Args:
        embedder: whatever ``fourfold.Retriever`` takes.
        fields: those of ``BaseEmbedding``, such as ``embed_batch_size``.

    """

    _embedder: Embedder = PrivateAttr()

    def __init__(self, embedder: object = None, **fields: Any) -> None:
        own = fourfold_embedder(embedder)
        super().__init__(**{"model_name": own.name, **fields})
        self._embedder = own

    @classmethod
    def class_name(cls) -> str:
        """Return the name by which LlamaIndex knows the class."""
        return "FourfoldEmbedding"

    @property
    def embedder(self) -> Embedder:
        """The Fourfold embedder."""
        return self._embedder

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        vectors: list[list[float]] = np.asarray(self._embedder.embed_documents(texts), np.float64).tolist()
        return vectors

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._get_text_embeddings([text])[0]

    def _get_query_embedding(self, query: str) -> list[float]:
        vector: list[float] = np.asarray(self._embedder.embed_query(query), np.float64).tolist()
        return vector

    # LlamaIndex's own would embed in the event loop, a text at a time.
    async def _aget_query_embedding(self, query: str) -> list[float]:
        return await asyncio.to_thread(self._get_query_embedding, query)

    async def _aget_text_embedding(self, text: str) -> list[float]:
        return await asyncio.to_thread(self._get_text_embedding, text)

    async def _aget_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return await asyncio.to_thread(self._get_text_embeddings, texts)


def is_model(embedder: object, embed_model: BaseEmbedding) -> bool:
    """Whether an embedder asks this very model, or one that equals it."""
    if isinstance(embed_model, FourfoldEmbedding):
        return embedder is embed_model.embedder
    return isinstance(embedder, LlamaIndexEmbedder) and embedder.embed_model == embed_model


def maker_of(embedder: object, given: object) -> str | None:
    """Return who made the vectors that nodes bring: the model given, as LlamaIndex embeds; None where nobody knows."""
    if isinstance(given, FourfoldEmbedding) and is_model(embedder, given):
        return given.embedder.name
    return embedder.name if isinstance(embedder, LlamaIndexEmbedder) else None


def as_embedder(given: object) -> object:
    """Wrap a ``BaseEmbedding``; what else Fourfold takes as an embedder passes through."""
    if isinstance(given, FourfoldEmbedding):
        return given.embedder
    return LlamaIndexEmbedder(given) if isinstance(given, BaseEmbedding) else given
