"""LlamaIndex's own PGVectorStore, filled by LlamaIndex, answered without touching a row of its."""

import asyncio

import pytest
from llama_index.core import Document, MockEmbedding, StorageContext, VectorStoreIndex
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.schema import TextNode
from llama_index.core.vector_stores import FilterOperator, MetadataFilter, MetadataFilters
from llama_index.retrievers.fourfold import FourfoldRetriever
from llama_index.vector_stores.postgres import PGVectorStore
from pg_server import running

from fourfold import Edge
from fourfold.errors import SchemaDetectionError

MODEL = MockEmbedding(embed_dim=8)


@pytest.fixture(scope="module")
def server():
    with running() as server:
        yield server


def rows(server, table):
    """Return every row with its place and its writer: what any touch of it would change."""
    with server.connect() as connection:
        return connection.execute(
            f"SELECT ctid::text, xmin::text, xmax::text, t::text FROM {table} t ORDER BY ctid"
        ).fetchall()


@pytest.mark.parametrize("jsonb", [False, True])
def test_pgvectorstore(server, jsonb):
    schema = "json_b" if jsonb else "json_a"
    with server.connect() as connection:
        connection.execute(f"CREATE SCHEMA {schema}")
    url = f"postgresql://postgres@/postgres?host={server.folder}"
    store = PGVectorStore(
        connection_string=url.replace("://", "+psycopg2://"), async_connection_string=url.replace("://", "+asyncpg://"),
        table_name="Docs", schema_name=schema, embed_dim=8, use_jsonb=jsonb, hybrid_search=jsonb,
    )  # fmt: skip
    text = "Save data to disk. Every write is durable. " * 4 + "Bananas are yellow. They bend. " * 4
    splitter = SentenceSplitter(chunk_size=60, chunk_overlap=0)
    disks = Document(text=text, metadata={"title": "Disks", "stars": 5})
    index = VectorStoreIndex.from_documents(
        [disks, Document(text="A lone zebra.", metadata={"stars": 1})],
        storage_context=StorageContext.from_defaults(vector_store=store), embed_model=MODEL, transformations=[splitter],
    )  # fmt: skip
    every = MetadataFilters(filters=[MetadataFilter(key="stars", value=0, operator=FilterOperator.GT)])
    stored = {node.node_id: node for node in store.get_nodes(filters=every)}
    before = rows(server, f"{schema}.data_docs")
    retriever = FourfoldRetriever.from_postgres(url, table_name="Docs", schema_name=schema, embed_model=MODEL)
    with retriever.retriever as graph:
        found = retriever.retrieve("zebra")[0].node
        assert found.text == "A lone zebra."
        own = {key: value for key, value in found.metadata.items() if key != "fourfold"}
        assert own.items() >= stored[found.node_id].metadata.items()
        assert not {"_node_content", "_node_type"} & own.keys()
        assert set(graph.manifest()) == stored.keys()
        assert graph.info()["dimensions"] == 8
        chunks = [node for node in stored.values() if node.next_node is not None]
        assert chunks
        for node in chunks:
            assert Edge(node.node_id, node.next_node.node_id, "followed_by") in graph.edges([node.node_id])
        retriever.filters = MetadataFilters(filters=[MetadataFilter(key="stars", value=1)])
        assert {one.node.text for one in retriever.retrieve("disk zebra")} == {"A lone zebra."}
        retriever.filters = None
        assert rows(server, f"{schema}.data_docs") == before
        index.insert_nodes([TextNode(text="A yellow giraffe.", id_="g")])
        assert retriever.retrieve("giraffe")[0].node.node_id == "g"
        store.delete_nodes(["g"])
        assert "g" not in {one.node.node_id for one in retriever.retrieve("giraffe yellow")}
    with pytest.raises(SchemaDetectionError, match="no table 'data_other'"):
        FourfoldRetriever.from_postgres(url, table_name="other", schema_name=schema)
    asyncio.run(store.close())
