"""Fourfold for LlamaIndex: a retriever with four signals over one SQLite file."""

from llama_index.retrievers.fourfold.base import FourfoldRetriever
from llama_index.retrievers.fourfold.embeddings import LlamaIndexEmbedder
from llama_index.retrievers.fourfold.events import FourfoldRetrievalEvent

__version__ = "0.1.0"

__all__ = ["FourfoldRetrievalEvent", "FourfoldRetriever", "LlamaIndexEmbedder", "__version__"]
