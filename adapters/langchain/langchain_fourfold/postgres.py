"""LangChain's own stores in PostgreSQL, answered from where they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

from fourfold import ForeignSchema, RetrievalConfig, Retriever
from fourfold.engines.foreign import address_with
from fourfold.open_graph import closed_on_failure
from langchain_fourfold.embeddings import as_embedder, one_embedder


class OverPostgres:
    """What is made over tables that others made; for classes with a field ``retriever``."""

    @classmethod
    def from_postgres(
        cls,
        connection: str,
        *,
        embeddings: object = None,
        table_name: str | None = None,
        collection_name: str | None = None,
        schema_name: str | None = None,
        schema: ForeignSchema | None = None,
        config: RetrievalConfig | None = None,
        **fields: Any,
    ) -> Self:
        """Return a retriever over a ``PGVector`` or ``PGVectorStore``, or any tables in PostgreSQL, as they are.

        They are only read; what is derived follows every write, in a schema of its own (docs/foreign-graphs.md).

        Args:
            connection: ``postgresql://user@host/database``, with or without SQLAlchemy's ``+psycopg``.
            embeddings: the store's model, which embeds the questions.
            table_name: the ``PGVectorStore``'s, where there are several.
            collection_name: the ``PGVector``'s, where there are several.
            schema_name: the PostgreSQL schema of the tables; ``public`` where it is left out.
            schema: what the tables and columns mean, where they are neither's.
            config: the constants of retrieval.
            fields: the other fields of the retriever.

        """
        address = address_with(connection, table=table_name, collection=collection_name, schema=schema_name)
        embedder = as_embedder(one_embedder(embeddings, fields))
        fields.pop("embedder", None)
        graph = Retriever.open_foreign(address, schema, embedder=embedder, config=config)
        build: Callable[..., Self] = cls
        with closed_on_failure(graph):
            return build(retriever=graph, **fields)
