"""What tracing is told of a retriever, asked of the graph off the event loop."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from contextvars import ContextVar
from typing import Any

from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever, LangSmithRetrieverParams
from langchain_core.runnables import RunnableConfig

from fourfold import FourfoldError
from fourfold.embed import Embedder
from langchain_fourfold.embeddings import LangChainEmbedder

_ASKED: ContextVar[tuple[object, Embedder | None]] = ContextVar("_ASKED", default=(None, None))
"""Who answers in the event loop, and what embeds its graph."""


class Traced(BaseRetriever):
    """A retriever that tells tracing its embedding model, which is read where the graph lies."""

    async def ainvoke(self, input: str, config: RunnableConfig | None = None, **kwargs: Any) -> list[Document]:
        """Answer without blocking the event loop, in which LangChain asks what tracing is told."""
        told = _ASKED.set((self, await asyncio.to_thread(self._embedder)))
        try:
            return await super().ainvoke(input, config, **kwargs)
        finally:
            _ASKED.reset(told)

    def _get_ls_params(self, **kwargs: Any) -> LangSmithRetrieverParams:
        """Tell tracing the retriever's name and the embedding model."""
        params = super()._get_ls_params(**kwargs)
        params["ls_vector_store_provider"] = "fourfold"
        asked, embedder = _ASKED.get()
        embedder = embedder if asked is self else self._embedder()
        if embedder is not None:
            wrapped = embedder.embeddings if isinstance(embedder, LangChainEmbedder) else embedder
            params["ls_embedding_provider"] = type(wrapped).__name__
            params["ls_embedding_model"] = embedder.name
        return params

    def _embedder(self) -> Embedder | None:
        """Return what embeds, None where the graph does not tell: the search itself will say what is wrong."""
        with suppress(FourfoldError):
            embedder: Embedder = self.retriever.embedder  # type: ignore[attr-defined]  # a field of those who inherit
            return embedder
        return None
