"""Text → vectors."""

from fourfold.embed.base import CallableEmbedder, Embedder, as_embedder
from fourfold.embed.contextual import ContextualEmbedder
from fourfold.embed.static import StaticEmbedder

__all__ = ["CallableEmbedder", "ContextualEmbedder", "Embedder", "StaticEmbedder", "as_embedder"]
