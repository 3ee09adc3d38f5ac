"""Static Model2Vec models: the one that ships inside the package, and any other by folder or name."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from fourfold.errors import EmbedderError
from fourfold.types import FloatArray

BUNDLED_FOLDER = Path(__file__).parent / "model"


class StaticEmbedder:
    """A Model2Vec model, loaded when the first text is embedded.

    Args:
        source: a local folder, or a name on the hub.

    """

    def __init__(self, source: str | Path) -> None:
        self._source = source
        self._model: Any = None
        self._name: str | None = None
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """``static:<folder or hub name>:<hash of the weights>``; moving the folder keeps the hash comparable."""
        if self._name is None:
            folder = Path(self._source)
            if folder.is_dir():
                self._name = f"static:{_fingerprint(folder)}"
            else:
                self._name = f"static:{self._source}"
        return self._name

    def embed_documents(self, texts: Sequence[str]) -> FloatArray:
        """Return one vector per text, shape (len(texts), dimensions), float32."""
        vectors: FloatArray = self._loaded().encode(list(texts), use_multiprocessing=False)
        return vectors

    def embed_query(self, text: str) -> FloatArray:
        """Return the vector of a query, shape (dimensions,), float32."""
        return self.embed_documents([text])[0]  # type: ignore[no-any-return]

    def tokenize(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the token ids of each text; unknown words have none."""
        ids: list[list[int]] = self._loaded().tokenize(list(texts))
        return ids

    def token_vectors(self) -> tuple[str, FloatArray]:
        """Return the tokenizer's JSON, and the vector of each token, (n_tokens, dimensions), float32."""
        model = self._loaded()
        table = np.asarray(model.embedding, np.float32)
        if model.token_mapping is not None:
            table = table[model.token_mapping]
        if model.weights is not None:
            table = table * np.asarray(model.weights, np.float32)[:, None]
        return model.tokenizer.to_str(), table

    def _loaded(self) -> Any:
        with self._lock:
            if self._model is None:
                self._model = _load(self._source)
            return self._model


@cache
def bundled() -> StaticEmbedder:
    """Return the embedder over the model that ships in the package (256 dimensions; see its README).

    One for the whole process: it never changes, and loading it takes longer than a thousand searches.
    """
    return StaticEmbedder(BUNDLED_FOLDER)


def _load(source: str | Path) -> Any:
    from model2vec import StaticModel

    try:
        return StaticModel.from_pretrained(str(source))
    except Exception as error:
        raise EmbedderError(f"The embedding model {str(source)!r} cannot be loaded: {error}") from error


def _fingerprint(folder: Path) -> str:
    weights = folder / "model.safetensors"
    try:
        return hashlib.blake2b(weights.read_bytes(), digest_size=6).hexdigest()
    except OSError as error:
        raise EmbedderError(f"The model folder {str(folder)!r} has no readable model.safetensors: {error}.") from error
