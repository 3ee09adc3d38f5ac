"""Text → vectors: the Embedder protocol, any function as one, and what every embedder's vectors must be."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from fourfold.errors import EmbedderError
from fourfold.types import FloatArray
from fourfold.validation import LARGEST_COORDINATE

Vectors = NDArray[np.float32]


@runtime_checkable
class Embedder(Protocol):
    """What the retriever needs of an embedding model.

    ``name`` is the identity stored with the vectors: another name means vectors that cannot be compared.
    """

    @property
    def name(self) -> str:
        """Identity of the model."""

    def embed_documents(self, texts: Sequence[str]) -> FloatArray:
        """Return one vector per text, shape (len(texts), dimensions)."""

    def embed_query(self, text: str) -> FloatArray:
        """Return the vector of a query, shape (dimensions,)."""


class CallableEmbedder:
    """An Embedder from any function of a list of texts.

    Args:
        function: a list of n texts → n vectors (anything numpy reads as (n, dimensions)).
        name: the identity to store; by default the function's qualified name.

    """

    def __init__(self, function: Callable[[list[str]], Any], name: str | None = None) -> None:
        self._function = function
        self.name = name or f"{function.__module__}.{getattr(function, '__qualname__', type(function).__qualname__)}"

    def embed_documents(self, texts: Sequence[str]) -> FloatArray:
        """Return one vector per text, shape (len(texts), dimensions)."""
        return np.asarray(self._function(list(texts)))

    def embed_query(self, text: str) -> FloatArray:
        """Return the vector of a query, shape (dimensions,)."""
        return self.embed_documents([text])[0]  # type: ignore[no-any-return]


def checked(vectors: object, count: int, name: str) -> Vectors:
    """Return vectors as float32 of shape (count, dimensions).

    Raises:
        EmbedderError: another shape, or NaN or infinity inside.

    """
    try:
        given = np.asarray(vectors)
        if given.dtype.kind not in "biufO":
            raise TypeError(f"it holds {given.dtype}")
        with np.errstate(over="ignore"):
            matrix = given.astype(np.float32, copy=False)
    except (TypeError, ValueError, OverflowError) as error:
        raise EmbedderError(f"The embedder {name!r} returned no matrix of numbers: {error}.") from error
    if matrix.ndim != 2 or matrix.shape[0] != count or matrix.shape[1] == 0:
        raise EmbedderError(f"The embedder {name!r} returned shape {matrix.shape} for {count} texts.")
    largest = np.abs(matrix).max(initial=0.0)
    if not np.isfinite(largest):
        raise EmbedderError(f"The embedder {name!r} returned NaN or infinite numbers.")
    if largest > LARGEST_COORDINATE:
        raise EmbedderError(f"The embedder {name!r} returned numbers beyond {LARGEST_COORDINATE:g}.")
    return matrix


def unit(vectors: FloatArray) -> FloatArray:
    """Return vectors, (n, dimensions), at length one; those of zeros stay as they are."""
    norms = np.sqrt(np.add.reduce(vectors * vectors, axis=1, keepdims=True))
    found: FloatArray = vectors / np.where(norms > 0, norms, 1.0)
    return found
