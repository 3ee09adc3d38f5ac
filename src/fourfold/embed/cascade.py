"""The embedder of a graph whose caller gave none: the static model, or Gemini where its vectors ask for it.

As in the method: vectors of 256 dimensions → the static model; others, with a Gemini key → ``gemini-embedding-001``;
else the static model's vectors, padded with zeros or cut.
"""

from __future__ import annotations

from collections.abc import Callable

from fourfold.embed.base import Embedder
from fourfold.embed.contextual import ContextualEmbedder
from fourfold.embed.contextual.embedder import PREFIX as CONTEXTUAL
from fourfold.embed.gemini import KEY_VARIABLES, LARGEST_DIMENSION, MODEL, PREFIX, GeminiEmbedder, key_in_environment
from fourfold.embed.gemini import installed as gemini_installed
from fourfold.embed.static import bundled
from fourfold.errors import EmbedderError, KeyRefusedError

_STATIC_DIMENSIONS = 256


class Cascade:
    """Chooses by what a graph tells of its vectors; one for each open graph.

    Args:
        model: returns the model that the graph's file keeps under an embedder's name, or None.

    """

    def __init__(self, model: Callable[[str], bytes | None] = lambda name: None) -> None:
        self._model = model
        self._gemini: dict[str, GeminiEmbedder] = {}
        self._trained: dict[str, ContextualEmbedder] = {}
        self.refusal: str | None = None
        """What the service said when it refused the key; from then on it is not asked again."""

    def embedder(self, stored: str | None) -> Embedder:
        """Return the embedder of the graph's own vectors.

        Args:
            stored: the name of the embedder that made them, None where nobody knows.

        Raises:
            EmbedderError: the file keeps the model, but it cannot be read.

        """
        if stored is not None and stored.startswith(PREFIX):
            return self._gemini_named(stored) or bundled()
        if stored is not None and stored.startswith(CONTEXTUAL):
            return self._trained_named(stored) or bundled()
        return bundled()

    def for_questions(self, stored: str | None, dimensions: int | None) -> Embedder:
        """Return the embedder of questions.

        Args:
            stored: the name of the embedder that made the graph's vectors, None where nobody knows.
            dimensions: those of the graph's vectors, None if it has none.

        Raises:
            KeyRefusedError: Gemini made the vectors, and has refused the key.
            EmbedderError: Gemini made them, and the key cannot even be sent.

        """
        if stored is not None or dimensions is None:
            chosen = self.embedder(stored)
            if self.refusal is not None and isinstance(chosen, GeminiEmbedder):
                raise KeyRefusedError(self.refusal)
            return chosen
        if dimensions == _STATIC_DIMENSIONS or dimensions > LARGEST_DIMENSION or self.refusal is not None:
            return bundled()
        try:
            return self._gemini_named(f"{PREFIX}{MODEL}:{dimensions}") or bundled()
        except EmbedderError as error:
            self.refusal = str(error)
            return bundled()

    def _gemini_named(self, name: str) -> GeminiEmbedder | None:
        """Return Gemini's embedder of this name, or None without a key or without the extra."""
        known = self._gemini.get(name)
        if known is None and key_in_environment() is not None and gemini_installed():
            known = self._gemini.setdefault(name, GeminiEmbedder.named(name))
        return known

    def _trained_named(self, name: str) -> ContextualEmbedder | None:
        """Return the embedder of this name that was trained from the graph, or None if its file has it no more."""
        known = self._trained.get(name)
        if known is None and (content := self._model(name)) is not None:
            known = self._trained.setdefault(name, ContextualEmbedder.from_bytes(content, "the graph's file"))
        return known


def how_to_have(name: str) -> str:
    """Return what a caller can do who lacks the embedder of this name."""
    if not name.startswith(PREFIX):
        return "give embedder= the one they were made with"
    need = f"set {' or '.join(KEY_VARIABLES)}"
    if not gemini_installed():
        need = f"pip install 'fourfold[gemini]' and {need}"
    return f"{need} to ask in the same model"
