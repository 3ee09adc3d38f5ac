"""LangChain embedding models as Fourfold embedders."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from langchain_core.embeddings import Embeddings

from fourfold.types import FloatArray

_MODEL_ATTRIBUTES = ("model", "model_name", "model_id", "deployment")
"""Where LangChain's embedding classes keep the name of their model, the first that is a string."""


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


def as_embedder(given: object) -> object:
    """Wrap a LangChain ``Embeddings``; what else Fourfold takes as an embedder passes through."""
    return LangChainEmbedder(given) if isinstance(given, Embeddings) else given


def _name_of(embeddings: Embeddings) -> str:
    values = (getattr(embeddings, attribute, None) for attribute in _MODEL_ATTRIBUTES)
    model = next((value for value in values if isinstance(value, str) and value), None)
    parts = ["langchain", type(embeddings).__name__, model]
    return ":".join(part for part in parts if part)
