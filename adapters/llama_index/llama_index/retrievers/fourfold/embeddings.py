"""LlamaIndex embedding models as Fourfold embedders."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from llama_index.core.base.embeddings.base import BaseEmbedding

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


def is_model(embedder: object, embed_model: BaseEmbedding) -> bool:
    """Whether an embedder asks this very model, or one that equals it."""
    return isinstance(embedder, LlamaIndexEmbedder) and embedder.embed_model == embed_model


def as_embedder(given: object) -> object:
    """Wrap a ``BaseEmbedding``; what else Fourfold takes as an embedder passes through."""
    return LlamaIndexEmbedder(given) if isinstance(given, BaseEmbedding) else given
