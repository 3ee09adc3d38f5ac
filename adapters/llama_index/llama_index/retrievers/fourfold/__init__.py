"""Fourfold for LlamaIndex: a retriever with four signals over one SQLite file."""

from llama_index.retrievers.fourfold.base import FourfoldRetriever
from llama_index.retrievers.fourfold.embeddings import FourfoldEmbedding, LlamaIndexEmbedder
from llama_index.retrievers.fourfold.events import FourfoldRetrievalEvent
from llama_index.retrievers.fourfold.tools import answer_nodes, as_tools
from llama_index.retrievers.fourfold.vector_store import FourfoldVectorStore

__version__ = "0.1.0"

__all__ = [
    "FourfoldEmbedding",
    "FourfoldRetrievalEvent",
    "FourfoldRetriever",
    "FourfoldVectorStore",
    "LlamaIndexEmbedder",
    "__version__",
    "answer_nodes",
    "as_tools",
]
