"""What a caller gave → an Embedder."""

from __future__ import annotations

from pathlib import Path

from fourfold.arguments import model_name
from fourfold.embed.base import CallableEmbedder, Embedder
from fourfold.embed.encoder import EncoderEmbedder, is_encoder
from fourfold.embed.gemini import PREFIX, GeminiEmbedder
from fourfold.embed.static import StaticEmbedder, bundled
from fourfold.errors import EmbedderError


def as_embedder(given: object) -> Embedder:
    """Make an Embedder of what a caller gave.

    None → the embedded static model; a path or name → that Model2Vec model; ``"gemini:gemini-embedding-001:768"`` →
    that ``GeminiEmbedder``; an object with ``name``, ``embed_documents`` and ``embed_query`` → itself; a model with
    ``encode`` or ``embed``, such as sentence-transformers' and fastembed's → ``EncoderEmbedder``; any callable →
    ``CallableEmbedder``.

    Raises:
        EmbedderError: it is none of these.
        InvalidValueError: it has a name that cannot be kept with vectors.

    """
    if given is None:
        return bundled()
    if isinstance(given, str) and given.startswith(PREFIX):
        return GeminiEmbedder.named(given)
    if isinstance(given, (str, Path)):
        return StaticEmbedder(given)
    if isinstance(given, Embedder):
        model_name(given.name, "The name of the embedder")
        return given
    if is_encoder(given):  # before callables: a torch module is one, but not of texts
        return EncoderEmbedder(given)
    if callable(given):
        return CallableEmbedder(given)
    raise EmbedderError(
        f"{type(given).__name__} is no embedder: give a callable, a Model2Vec folder or name, a model with "
        "encode(texts), or an object with name, embed_documents(texts) and embed_query(text)."
    )
