"""What an embedder reads of a node: its name, its type, its text, and what of these the stored vectors were made of."""

from __future__ import annotations

import json

from fourfold.config import EmbeddingConfig
from fourfold.engines.base import Settings
from fourfold.errors import StoreError
from fourfold.types import Node

READS = "embedding"
"""Where the file keeps what the embedder read of each node."""

_BEFORE_IT_WAS_STORED = '{"name_times": 2, "with_type": false}'


def text_of(node: Node, reads: EmbeddingConfig) -> str:
    """Return what an embedder reads of a node."""
    names = [node.name] * (reads.name_times if node.text else 1)
    parts = (*names, node.type if reads.with_type else "", node.text)
    return " ".join(part for part in parts if part)


def stored_reads(store: Settings) -> EmbeddingConfig | None:
    """Return what was read of the nodes whose vectors an embedder made; None if it made none.

    Raises:
        StoreError: it cannot be read.

    """
    if store.meta("embedder") is None:
        return None
    try:
        return EmbeddingConfig(**json.loads(store.meta(READS) or _BEFORE_IT_WAS_STORED))
    except (TypeError, ValueError) as error:
        raise StoreError(f"What was embedded of each node cannot be read ({error}); embed the graph again.") from error


def reads_in_force(store: Settings, wanted: EmbeddingConfig) -> EmbeddingConfig:
    """Return what an embedder is to read of new nodes: where the config leaves it open, what it read of the others."""
    stored = stored_reads(store)
    return stored if stored is not None and wanted == EmbeddingConfig() else wanted
