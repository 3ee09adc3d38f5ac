"""Every constant of the method: ``RetrievalConfig`` and the groups it is made of."""

from fourfold.config.groups import (
    PUBLISHED_PROFILE,
    DiversityConfig,
    EmbeddingConfig,
    FusionConfig,
    GraphConfig,
    IndexConfig,
    IntentConfig,
    SeedConfig,
    TextConfig,
    TextField,
)
from fourfold.config.retrieval import RetrievalConfig

__all__ = [
    "PUBLISHED_PROFILE",
    "DiversityConfig",
    "EmbeddingConfig",
    "FusionConfig",
    "GraphConfig",
    "IndexConfig",
    "IntentConfig",
    "RetrievalConfig",
    "SeedConfig",
    "TextConfig",
    "TextField",
]
