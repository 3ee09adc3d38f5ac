"""The embedder of a graph whose caller gave none: the one trained from the graph, else the model in the package.

Nothing here ever picks a network service: what Gemini made is asked of Gemini only where the program gives it.
"""

from __future__ import annotations

from collections.abc import Callable

from fourfold.embed.base import Embedder
from fourfold.embed.contextual import ContextualEmbedder
from fourfold.embed.contextual.embedder import PREFIX as CONTEXTUAL
from fourfold.embed.gemini import KEY_VARIABLES, PREFIX, key_in_environment
from fourfold.embed.gemini import installed as gemini_installed
from fourfold.embed.static import bundled


class Cascade:
    """Picks the embedder of a graph whose caller gave none: the one trained from it, else the model in the package.

    Args:
        model: returns the model that the graph's file keeps under an embedder's name, or None.

    """

    def __init__(self, model: Callable[[str], bytes | None] = lambda name: None) -> None:
        self._model = model
        self._trained: dict[str, ContextualEmbedder] = {}

    def embedder(self, stored: str | None) -> Embedder:
        """Return the embedder of the graph's own vectors and of its questions.

        Args:
            stored: the name of the embedder that made the vectors, None where nobody knows.

        Raises:
            EmbedderError: the file keeps the model, but it cannot be read.

        """
        if stored is not None and stored.startswith(CONTEXTUAL):
            return self._trained_named(stored) or bundled()
        return bundled()

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
    needs = []
    if not gemini_installed():
        needs.append("pip install 'fourfold[gemini]'")
    if key_in_environment() is None:
        needs.append(f"set {' or '.join(KEY_VARIABLES)}")
    return " and ".join([*needs, f"give embedder={name!r} (on the command line --model {name})"])
