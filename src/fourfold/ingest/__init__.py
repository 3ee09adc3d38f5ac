"""Documents become a graph: cut where they are long, linked where they name each other, kept up at the cost of change."""

from fourfold.ingest.documents import Document, IngestConfig, Section
from fourfold.ingest.writing import (
    Problem,
    Report,
    add_documents,
    delete_documents,
    list_documents,
    replace_sources,
)

__all__ = [
    "Document",
    "IngestConfig",
    "Problem",
    "Report",
    "Section",
    "add_documents",
    "delete_documents",
    "list_documents",
    "replace_sources",
]
