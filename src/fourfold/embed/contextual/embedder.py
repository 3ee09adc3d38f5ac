"""The trained model as an Embedder, and as bytes that live in the graph's file."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from fourfold.embed.contextual.composition import Floats
from fourfold.embed.contextual.stored import arrays_of, require_plain
from fourfold.encodings import in_utf8
from fourfold.errors import EmbedderError
from fourfold.types import FloatArray

PREFIX = "contextual:"
"""What the names of these embedders begin with."""

_FORMAT = 1


class ContextualEmbedder:
    """Token vectors trained from one graph; a text's vector is their mean at length one.

    Args:
        table: token vectors with the attention inside, (n_tokens, dimensions); kept as int8, scaled by row.
        tokenizer: the tokenizer's JSON (Hugging Face ``tokenizers``).
        own_share: η of the graph fusion, see ``embed.contextual.neighbour_mixing``; the index applies it.

    """

    def __init__(self, table: Floats, tokenizer: str, own_share: float) -> None:
        largest = np.abs(table).max(axis=1, initial=0.0)
        self._scales = (largest / 127).astype(np.float32)
        self._whole = np.rint(table / np.where(largest > 0, largest, 1)[:, None] * 127).astype(np.int8)
        self._tokenizer = tokenizer
        self.own_share = float(own_share)

    @cached_property
    def name(self) -> str:
        """``contextual:<hash of the model>``."""
        content = hashlib.blake2b(digest_size=6)  # not of the bytes: another zlib compresses the same model otherwise
        for part in (
            self._whole.tobytes(),
            self._scales.tobytes(),
            self._tokenizer.encode(),
            str(self.own_share).encode(),
        ):
            content.update(part)
        return PREFIX + content.hexdigest()

    def embed_documents(self, texts: Sequence[str]) -> FloatArray:
        """Return one vector per text, shape (len(texts), dimensions), float32; half a character is read as ``?``.

        Raises:
            EmbedderError: the tokenizer broke down, as one can that nobody trained.

        """
        if not len(texts):
            return np.empty((0, self._whole.shape[1]), np.float32)
        try:
            vectors: FloatArray = self._model.encode([*map(in_utf8, texts)], use_multiprocessing=False)
        except BaseException as error:
            if type(error).__name__ == "PanicException":  # Rust's, which is no Exception
                raise EmbedderError(f"The tokenizer of the trained embedder broke down ({error}).") from error
            raise
        return vectors

    def embed_query(self, text: str) -> FloatArray:
        """Return the vector of a query, shape (dimensions,), float32."""
        return self.embed_documents([text])[0]  # type: ignore[no-any-return]

    @cached_property
    def _model(self) -> Any:
        from model2vec import StaticModel
        from tokenizers import Tokenizer

        table = self._whole * self._scales[:, None]
        return StaticModel(table, Tokenizer.from_str(self._tokenizer), normalize=True)

    def to_bytes(self) -> bytes:
        """Return the model, numpy's ``.npz`` without pickle; equal models give equal bytes."""
        buffer = io.BytesIO()
        np.savez_compressed(
            buffer,
            format=np.array(_FORMAT),
            table=self._whole,
            scales=self._scales,
            tokenizer=np.frombuffer(self._tokenizer.encode(), np.uint8),
            own_share=np.array(self.own_share),
        )
        return buffer.getvalue()

    @classmethod
    def from_bytes(cls, content: bytes, where: str) -> ContextualEmbedder:
        """Read a model; ``where`` names its place in errors.

        Raises:
            EmbedderError: it is truncated, of another format, or would take far more memory than its size.

        """
        try:
            with arrays_of(content) as stored:
                if int(stored["format"]) != _FORMAT:
                    raise EmbedderError(
                        f"The trained embedder in {where} has format {int(stored['format'])}, this version of fourfold "
                        f"reads {_FORMAT}; upgrade fourfold."
                    )
                model = cls.__new__(cls)
                model._whole, model._scales = stored["table"], stored["scales"]
                model._tokenizer = stored["tokenizer"].tobytes().decode()
                require_plain(model._tokenizer)
                model.own_share = float(stored["own_share"])
                return model
        except EmbedderError:
            raise
        except Exception as error:
            raise EmbedderError(
                f"The trained embedder in {where} cannot be read ({error}); train it again, or embed the graph again "
                "with another model."
            ) from error
