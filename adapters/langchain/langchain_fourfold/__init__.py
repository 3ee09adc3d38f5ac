"""Fourfold for LangChain: a retriever with four signals over one SQLite file."""

from langchain_fourfold.embeddings import LangChainEmbedder
from langchain_fourfold.retrievers import FourfoldRetriever
from langchain_fourfold.tools import answer_documents, as_tools

__version__ = "0.1.0"

__all__ = ["FourfoldRetriever", "LangChainEmbedder", "__version__", "answer_documents", "as_tools"]
