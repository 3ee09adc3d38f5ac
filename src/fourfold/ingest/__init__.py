"""Documents become a graph: cut where long, linked where they name each other, kept up at the cost of change."""

from fourfold.ingest.documents import Document, IngestConfig, Section
from fourfold.ingest.folder import index_folder, index_paths
from fourfold.ingest.graphs import from_networkx, read_graphml, read_jsonl
from fourfold.ingest.nodes import add_linked, delete_linked
from fourfold.ingest.parts import Cut, add_parts, documents_of_parts, parts_of
from fourfold.ingest.report import Problem, Report
from fourfold.ingest.triples import join_triples, read_triples
from fourfold.ingest.writing import add_documents, delete_documents, list_documents, replace_sources

__all__ = [
    "Cut",
    "Document",
    "IngestConfig",
    "Problem",
    "Report",
    "Section",
    "add_documents",
    "add_linked",
    "add_parts",
    "delete_documents",
    "delete_linked",
    "documents_of_parts",
    "from_networkx",
    "index_folder",
    "index_paths",
    "join_triples",
    "list_documents",
    "parts_of",
    "read_graphml",
    "read_jsonl",
    "read_triples",
    "replace_sources",
]
