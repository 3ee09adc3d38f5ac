"""Static Model2Vec models: the one that ships inside the package, and any other by folder or name."""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourfold.arguments import finite_number
from fourfold.embed.hub import CONFIG, TOKENIZER, WEIGHTS, HubModel, find
from fourfold.embed.wordpieces import Pieces, Wordpieces
from fourfold.errors import EmbedderError
from fourfold.lazy import once
from fourfold.types import FloatArray

_BATCH = 4096
"""So many texts are tokenized at once, and remembered until the next: their tokens are many times the texts."""

_FEW = 16
"""The vectors of up to so many texts are added up one by one."""

_LONGEST = 512
"""So many wordpieces of a text are read by models that do not say how many."""

BUNDLED_FOLDER = Path(__file__).parent / "model"


class StaticEmbedder:
    """A Model2Vec model, loaded when the first text is embedded.

    A folder is read as it is, without the network. A name is looked for in the hub's cache, and only then on the hub.

    Args:
        source: a local folder, or as a string a name on the hub, such as ``"minishlab/potion-base-8M"``.
        deadline: seconds that a download may take before an EmbedderError says so.

    Raises:
        InvalidValueError: the deadline is no finite number of seconds above 0.
        EmbedderError: there is no such folder, and it is no name of the hub either.

    """

    def __init__(self, source: str | Path, *, deadline: float = 60.0) -> None:
        self._source = source
        self._deadline = deadline = finite_number(deadline, "deadline", least=0.001, most=threading.TIMEOUT_MAX)
        self._hub = None if os.path.exists(source) else HubModel(source, deadline)  # of a name too long for a path, too
        self._read: Callable[[Path], Any] = _by_library
        self._model: Any = None
        self._pieces: Wordpieces | None = None
        self._last: tuple[list[str], Pieces] | None = None
        self._name: str | None = None
        self._lock = threading.Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(StaticEmbedder, deadline=self._deadline), (self._source,)

    @property
    def name(self) -> str:
        """``static:<hash of the weights>`` of a folder, wherever it lies; ``static:<name>`` of a name on the hub."""
        if self._name is None:
            self._name = f"static:{_fingerprint(Path(self._source)) if self._hub is None else self._source}"
        return self._name

    def embed_documents(self, texts: Sequence[str]) -> FloatArray:
        """Return one vector per text, shape (len(texts), dimensions), float32.

        Raises:
            EmbedderError: a file of the model is missing or broken, or its download failed or took too long.

        """
        model = self._loaded()
        longest = model.max_length
        if longest is not None and max(map(len, texts), default=0) > longest:  # a token has a character, at least
            texts = [text[: longest * model.median_token_length] for text in texts]
        vectors = np.zeros((len(texts), model.dim), np.float32)
        for start in range(0, len(texts), _BATCH):
            pieces = self.pieces(texts[start : start + _BATCH])
            batch = vectors[start : start + _BATCH]
            _add_up(model, pieces, batch)
            batch /= np.maximum(pieces.starts[1:] - pieces.starts[:-1], 1).astype(np.float32)[:, None]
        if model.normalize:
            vectors /= np.sqrt(np.einsum("ij,ij->i", vectors, vectors))[:, None] + np.float32(1e-32)
        return vectors

    def embed_query(self, text: str) -> FloatArray:
        """Return the vector of a query, shape (dimensions,), float32; raises as ``embed_documents``."""
        return self.embed_documents([text])[0]  # type: ignore[no-any-return]

    def tokenize(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the token ids of each text; unknown words have none, half a character is read as ``?``."""
        return self.pieces(texts).lists()

    def is_word(self, text: str) -> bool:
        """Tell whether the vocabulary has a text as it is: a misspelt word comes in pieces."""
        return len(set(self.pieces([text]).ids.tolist())) == 1

    def whole(self, words: Sequence[str]) -> list[bool]:
        """Tell which words the vocabulary has as they are."""
        return [place is not None for place in self.places(words)]

    def places(self, words: Sequence[str]) -> list[int | None]:
        """Return the places of words in the vocabulary; None of those that it has not as they are.

        BERT's vocabulary, of which the model's is, has the frequent words first.
        """
        self._loaded()
        assert self._pieces is not None
        return list(map(self._pieces.place, words))

    def pieces(self, texts: Sequence[str]) -> Pieces:
        """Return the same as arrays."""
        texts = list(texts)
        last = self._last  # a batch is asked for twice: for its vectors and for its wordpieces
        if last is not None and last[0] == texts:
            return last[1]
        self._loaded()
        assert self._pieces is not None
        found = self._pieces.of(texts)
        self._last = (texts, found) if len(texts) <= _BATCH else None
        return found

    def token_vectors(self) -> tuple[str, FloatArray]:
        """Return the tokenizer's JSON, and the vector of each token, (n_tokens, dimensions), float32."""
        return self._loaded().tokenizer.to_str(), self.table()

    def table(self) -> FloatArray:
        """Return the vector of each token, (n_tokens, dimensions), float32."""
        model = self._loaded()
        table = np.asarray(model.embedding, np.float32)
        if model.token_mapping is not None:
            table = table[model.token_mapping]
        if model.weights is not None:
            table = table * np.asarray(model.weights, np.float32)[:, None]
        return table

    def _loaded(self) -> Any:
        if self._model is None:
            with self._lock:
                if self._model is None:
                    model = _load(Path(self._source) if self._hub is None else self._hub.folder(), self._read)
                    self._pieces = Wordpieces(model.tokenizer, model.unk_token_id)
                    self._model = model
        return self._model


@once
def bundled() -> StaticEmbedder:
    """Return the embedder over the model that ships in the package (256 dimensions; see its README).

    One for the whole process: it never changes, and loading it takes longer than a thousand searches.
    """
    embedder = StaticEmbedder(BUNDLED_FOLDER)
    embedder._read = _Bundled.read
    return embedder


def _add_up(model: Any, pieces: Pieces, out: FloatArray) -> None:
    """Put the sum of the vectors of each text's tokens, by their weights, in the place of its row of ``out``."""
    exact = np.result_type(*_table(model), np.float32)
    if len(pieces) > _FEW and exact == np.float32:
        from scipy.sparse import csr_array  # takes longer to load than a question takes

        seen = np.zeros(int(pieces.ids.max(initial=0)) + 1, bool)
        seen[pieces.ids] = True
        places = (seen.cumsum() - 1)[pieces.ids]
        rows = _rows(model, seen.nonzero()[0]).astype(np.float32, copy=False)
        # A product with ones adds row by row, as the loop below does: the same to the bit.
        ones = np.ones(len(places), np.float32)
        out[:] = csr_array((ones, places, pieces.starts), shape=(len(pieces), len(rows))) @ rows
        return
    for own, (start, end) in zip(out, pairwise(pieces.starts.tolist()), strict=True):
        if start < end:
            np.add.reduce(_rows(model, pieces.ids[start:end]), axis=0, dtype=exact, out=own)


def _rows(model: Any, tokens: NDArray[np.integer[Any]]) -> NDArray[Any]:
    """Return the vectors of tokens, by their weights, (len(tokens), dimensions)."""
    rows: NDArray[Any] = model.embedding.take(
        tokens if model.token_mapping is None else model.token_mapping[tokens], axis=0
    )
    if model.weights is not None:
        rows = rows * model.weights[tokens][:, None]
    return rows


def _table(model: Any) -> list[NDArray[Any]]:
    """Return what the vectors of tokens are made of."""
    return [array for array in (model.embedding, model.weights) if array is not None]


@dataclass(frozen=True)
class _Bundled:
    """The model in the package, as model2vec's StaticModel has it: plain arrays take a seventh of the time to load."""

    embedding: NDArray[np.int8]
    tokenizer: Any
    weights = None
    token_mapping = None
    normalize = True
    max_length = _LONGEST

    @classmethod
    def read(cls, folder: Path) -> _Bundled:
        """Return the model of the package's folder."""
        from safetensors.numpy import load_file
        from tokenizers import Tokenizer

        return cls(load_file(folder / WEIGHTS[0])["embeddings"], Tokenizer.from_file(str(folder / TOKENIZER[0])))

    @property
    def dim(self) -> int:
        """Numbers of a vector."""
        return int(self.embedding.shape[1])

    @property
    def unk_token_id(self) -> int | None:
        """The token of what the vocabulary does not have."""
        found: int | None = self.tokenizer.token_to_id(self.tokenizer.model.unk_token)
        return found

    @cached_property
    def median_token_length(self) -> int:
        """Characters of a token in the middle."""
        return int(np.median([len(token) for token in self.tokenizer.get_vocab()]))


def _by_library(folder: Path) -> Any:
    from model2vec import StaticModel

    return StaticModel.from_pretrained(folder, force_download=False)


def _load(folder: Path, read: Callable[[Path], Any]) -> Any:
    try:
        model = read(folder)
    except Exception as error:
        fault = _fault(folder) or f"{error}."
        raise EmbedderError(f"The embedding model {str(folder)!r} cannot be loaded: {fault}") from error
    if not hasattr(model, "max_length"):  # before 0.10 it was a default of encode, and not the tokenizer's
        model.max_length = _LONGEST
        model.tokenizer.enable_truncation(_LONGEST)
    return model


def _fault(folder: Path) -> str | None:
    """Say which file of a model is missing or broken, if it is one file's fault."""
    from safetensors import safe_open
    from tokenizers import Tokenizer

    readers: tuple[tuple[tuple[str, ...], Callable[[Path], object]], ...] = (
        (CONFIG, lambda path: json.loads(path.read_bytes())),
        (TOKENIZER, lambda path: Tokenizer.from_file(str(path))),
        (WEIGHTS, lambda path: safe_open(path, framework="numpy")),
    )
    for places, read in readers:
        path = find(folder, places)
        if path is None:
            return f"it has no {places[0]}."
        try:
            read(path)
        except Exception as error:
            return f"{str(path)!r} is truncated or broken ({error}); copy, download or save the model again."
    return None


def _fingerprint(folder: Path) -> str:
    try:
        weights = (find(folder, WEIGHTS) or folder / WEIGHTS[0]).read_bytes()
    except OSError as error:
        raise EmbedderError(f"The model folder {str(folder)!r} has no readable model.safetensors: {error}.") from error
    if not weights:
        raise EmbedderError(f"The model folder {str(folder)!r} has an empty model.safetensors; copy the model again.")
    return hashlib.blake2b(weights, digest_size=6).hexdigest()
