"""Text → vectors."""

from fourfold.embed.base import CallableEmbedder, Embedder
from fourfold.embed.cascade import Cascade
from fourfold.embed.contextual import ContextualEmbedder
from fourfold.embed.conversion import as_embedder
from fourfold.embed.encoder import EncoderEmbedder
from fourfold.embed.gemini import GeminiEmbedder, GeminiUsage
from fourfold.embed.static import StaticEmbedder

__all__ = [
    "CallableEmbedder",
    "Cascade",
    "ContextualEmbedder",
    "Embedder",
    "EncoderEmbedder",
    "GeminiEmbedder",
    "GeminiUsage",
    "StaticEmbedder",
    "as_embedder",
]
