"""Text → vectors."""

from fourfold.embed.base import CallableEmbedder, Embedder, as_embedder
from fourfold.embed.static import StaticEmbedder

__all__ = ["CallableEmbedder", "Embedder", "StaticEmbedder", "as_embedder"]
