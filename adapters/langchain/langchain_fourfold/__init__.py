"""Fourfold for LangChain: a retriever with four signals over one SQLite file."""

from langchain_fourfold.embeddings import FourfoldEmbeddings, LangChainEmbedder
from langchain_fourfold.indexing import FourfoldDocumentIndex
from langchain_fourfold.retrievers import FourfoldRetriever
from langchain_fourfold.shadow import Comparison
from langchain_fourfold.structured_query import FourfoldTranslator
from langchain_fourfold.tools import answer_documents, as_tools
from langchain_fourfold.vectorstores import FourfoldVectorStore

__version__ = "0.1.0"

__all__ = [
    "Comparison",
    "FourfoldDocumentIndex",
    "FourfoldEmbeddings",
    "FourfoldRetriever",
    "FourfoldTranslator",
    "FourfoldVectorStore",
    "LangChainEmbedder",
    "__version__",
    "answer_documents",
    "as_tools",
]
