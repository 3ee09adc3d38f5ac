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
from fourfold.config.steps import Bridge, Coverage, LateInteraction, Paths, Priors

__all__ = [
    "PUBLISHED_PROFILE",
    "Bridge",
    "Coverage",
    "DiversityConfig",
    "EmbeddingConfig",
    "FusionConfig",
    "GraphConfig",
    "IndexConfig",
    "IntentConfig",
    "LateInteraction",
    "Paths",
    "Priors",
    "RetrievalConfig",
    "SeedConfig",
    "TextConfig",
    "TextField",
]
