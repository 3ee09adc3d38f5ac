"""Fourfold for LangChain: a retriever with four signals over one SQLite file."""

from langchain_fourfold.embeddings import LangChainEmbedder
from langchain_fourfold.indexing import FourfoldDocumentIndex
from langchain_fourfold.retrievers import FourfoldRetriever
from langchain_fourfold.shadow import Comparison
from langchain_fourfold.tools import answer_documents, as_tools

__version__ = "0.1.0"

__all__ = [
    "Comparison",
    "FourfoldDocumentIndex",
    "FourfoldRetriever",
    "LangChainEmbedder",
    "__version__",
    "answer_documents",
    "as_tools",
]
