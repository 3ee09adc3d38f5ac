"""Fourfold: a four-signal retriever for knowledge graphs and documents, in one SQLite file.

What searches is loaded when it is first named (PEP 562): whoever wants errors, types or the config waits for no more.
"""

import importlib
import typing

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
    SearchTimeoutError,
    StoreError,
    UnknownNodeError,
    UnsupportedError,
)
from fourfold.intent import IntentSpec
from fourfold.types import (
    Components,
    Contribution,
    Edge,
    Evidence,
    Explanation,
    Hit,
    Intent,
    Node,
    PathStep,
    SearchResult,
    Weights,
)

if typing.TYPE_CHECKING:
    from fourfold.engines import ForeignSchema
    from fourfold.rerank import Reranker
    from fourfold.retriever import Retriever

__version__ = "0.1.0"

_LATER = {"ForeignSchema": "fourfold.engines", "Reranker": "fourfold.rerank", "Retriever": "fourfold.retriever"}

__all__ = [
    "Components",
    "Contribution",
    "DimensionError",
    "DiversityConfig",
    "Edge",
    "EmbedderError",
    "EmbedderMismatchError",
    "EmbeddingConfig",
    "Evidence",
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
    "PathStep",
    "Reranker",
    "RetrievalConfig",
    "Retriever",
    "SchemaDetectionError",
    "SearchError",
    "SearchResult",
    "SearchTimeoutError",
    "SeedConfig",
    "StoreError",
    "TextConfig",
    "TextField",
    "UnknownNodeError",
    "UnsupportedError",
    "Weights",
    "__version__",
]


def __getattr__(name: str) -> object:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(importlib.import_module(_LATER[name]), name)
    return found


def __dir__() -> list[str]:
    return [*globals(), *_LATER]
