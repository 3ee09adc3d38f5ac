"""Fourfold: a four-signal retriever for knowledge graphs and documents, in one SQLite file."""

from fourfold.config import (
    DiversityConfig,
    EmbeddingConfig,
    FusionConfig,
    GraphConfig,
    IndexConfig,
    IntentConfig,
    RetrievalConfig,
    SeedConfig,
    TextConfig,
    TextField,
)
from fourfold.errors import (
    DimensionError,
    EmbedderError,
    EmbedderMismatchError,
    FilterError,
    FourfoldError,
    FourfoldWarning,
    InvalidValueError,
    KeyRefusedError,
    MissingExtraError,
    SchemaDetectionError,
    SearchError,
    StoreError,
    UnknownNodeError,
)
from fourfold.intent import IntentSpec
from fourfold.retriever import Retriever
from fourfold.store import ForeignSchema
from fourfold.types import (
    Components,
    Contribution,
    Edge,
    Explanation,
    Hit,
    Intent,
    Node,
    SearchResult,
    Weights,
)

__version__ = "0.1.0"

__all__ = [
    "Components",
    "Contribution",
    "DimensionError",
    "DiversityConfig",
    "Edge",
    "EmbedderError",
    "EmbedderMismatchError",
    "EmbeddingConfig",
    "Explanation",
    "FilterError",
    "ForeignSchema",
    "FourfoldError",
    "FourfoldWarning",
    "FusionConfig",
    "GraphConfig",
    "Hit",
    "IndexConfig",
    "Intent",
    "IntentConfig",
    "IntentSpec",
    "InvalidValueError",
    "KeyRefusedError",
    "MissingExtraError",
    "Node",
    "RetrievalConfig",
    "Retriever",
    "SchemaDetectionError",
    "SearchError",
    "SearchResult",
    "SeedConfig",
    "StoreError",
    "TextConfig",
    "TextField",
    "UnknownNodeError",
    "Weights",
    "__version__",
]
