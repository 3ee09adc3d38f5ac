"""Model objects of other libraries as embedders: sentence-transformers, fastembed, and those that look like them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np

from fourfold.types import FloatArray

_FOR_DOCUMENTS = ("encode_document", "passage_embed", "encode", "embed")
_FOR_QUESTIONS = ("encode_query", "query_embed", "encode", "embed")
"""Methods from a list of texts to their vectors: sentence-transformers' and fastembed's, the special ones first."""

_NAMES = (
    "name",
    "model_name",  # fastembed
    "model_card_data.model_id",
    "model_card_data.base_model",  # sentence-transformers: what the model was loaded from
    "transformers_model.config._name_or_path",
    "name_or_path",
    "config._name_or_path",  # transformers, optimum
)


class EncoderEmbedder:
    """An Embedder from a model object with ``encode(texts)`` or ``embed(texts)``.

    Models that embed documents and questions differently are asked for each: by ``encode_document`` and
    ``encode_query``, by ``passage_embed`` and ``query_embed``, or by their prompts called "document" and "query".

    Args:
        model: such as a ``sentence_transformers.SentenceTransformer`` or a ``fastembed.TextEmbedding``.
        name: the identity to store; by default the name of the class and that of the model.

    """

    def __init__(self, model: Any, name: str | None = None) -> None:
        self._documents = _method(model, _FOR_DOCUMENTS, "document")
        self._questions = _method(model, _FOR_QUESTIONS, "query")
        self.name = name or _name_of(model)

    def embed_documents(self, texts: Sequence[str]) -> FloatArray:
        """Return one vector per text, shape (len(texts), dimensions)."""
        return self._documents(list(texts))

    def embed_query(self, text: str) -> FloatArray:
        """Return the vector of a query, shape (dimensions,)."""
        return self._questions([text])[0]  # type: ignore[no-any-return]


def is_encoder(given: object) -> bool:
    """Whether ``EncoderEmbedder`` takes it."""
    return any(callable(getattr(given, method, None)) for method in _FOR_DOCUMENTS)


def _method(model: Any, methods: Sequence[str], prompt: str) -> Callable[[list[str]], FloatArray]:
    name = next(method for method in methods if callable(getattr(model, method, None)))
    options: dict[str, str] = {}
    if name == "encode" and prompt in (getattr(model, "prompts", None) or {}):
        options["prompt_name"] = prompt  # sentence-transformers before version 5
    return lambda texts: _rows(getattr(model, name)(texts, **options))


def _rows(given: Any) -> FloatArray:
    """Return what a model gave as an array: fastembed yields row after row."""
    return np.asarray(given if hasattr(given, "__array__") else list(given))


def _name_of(model: object) -> str:
    kind = f"{type(model).__module__.partition('.')[0]}.{type(model).__qualname__}"
    for place in _NAMES:
        try:
            name = attrgetter(place)(model)
        except AttributeError:
            continue
        if isinstance(name, str) and name:
            return f"{kind}:{Path(name).name if Path(name).is_absolute() else name}"
    return kind
