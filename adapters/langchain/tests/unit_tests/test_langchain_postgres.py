"""LangChain's own PGVector stores, filled by LangChain, answered without touching a row of theirs."""

import asyncio
import itertools

import pytest
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_fourfold import FourfoldRetriever
from langchain_postgres import Column, PGEngine, PGVector, PGVectorStore
from pg_server import running
from sqlalchemy import create_engine

from fourfold.errors import SchemaDetectionError

MODEL = DeterministicFakeEmbedding(size=16)
NUMBERS = itertools.count()
DOCUMENTS = [
    Document("Save data to disk.", metadata={"title": "write_file", "lang": "en", "stars": 5}, id="w"),
    Document("Find the place of a file.", metadata={"lang": "de", "stars": 1}, id="p"),
    Document("Bananas are yellow.", metadata={"lang": "en"}, id="b"),
]


@pytest.fixture(scope="module")
def server():
    with running() as server:
        yield server


@pytest.fixture
def database(server):
    """A database of its own: LangChain's PGVector knows no schemas."""
    name = f"database_{next(NUMBERS)}"
    with server.connect() as connection:
        connection.execute(f"CREATE DATABASE {name}")
    yield f"postgresql+psycopg://postgres@/{name}?host={server.folder}", name


def rows(server, database, table):
    """Return every row with its place and its writer: what any touch of it would change."""
    with server.connect(dbname=database) as connection:
        return connection.execute(
            f"SELECT ctid::text, xmin::text, xmax::text, t::text FROM {table} t ORDER BY ctid"
        ).fetchall()


@pytest.fixture
def pool(database):
    """LangChain's own connections, closed at the end."""
    engine = create_engine(database[0])
    yield engine
    engine.dispose()


def test_pgvector(server, database, pool):
    url, name = database
    store = PGVector(MODEL, connection=pool, collection_name="docs")
    store.add_documents(DOCUMENTS)
    before = [rows(server, name, table) for table in ("langchain_pg_embedding", "langchain_pg_collection")]
    with FourfoldRetriever.from_postgres(url, embeddings=MODEL).retriever as graph:
        retriever = FourfoldRetriever(retriever=graph, breakdown=False)
        found = retriever.invoke("save data")
        assert found[0] == DOCUMENTS[0]
        nearest = store.similarity_search("Bananas are yellow.", k=1)[0]
        assert retriever.invoke("Bananas are yellow.", mode="embedding")[0] == nearest == DOCUMENTS[2]
        assert [d.id for d in retriever.invoke("file", filter={"stars": {"$lt": 3}})] == ["p"]
        assert graph.info()["dimensions"] == 16
        assert [rows(server, name, t) for t in ("langchain_pg_embedding", "langchain_pg_collection")] == before
        store.add_documents([Document("A zebra.", id="z"), Document("Save zebras to disk.", id="w")])
        store.delete(["p"])
        assert {d.id for d in retriever.invoke("zebra", k=9)} == {"w", "z", "b"}
        # By words alone: the vectors of a made-up model are chance, and weigh as much as those of a real one.
        assert retriever.invoke("zebras disk", mode="text")[0].page_content == "Save zebras to disk."
        other = PGVector(DeterministicFakeEmbedding(size=8), connection=pool, collection_name="other")
        other.add_documents([Document("A zebra of another herd.", id="o")])
        assert "o" not in {d.id for d in retriever.invoke("zebra herd", k=9)}
    with pytest.raises(SchemaDetectionError, match=r"'docs', 'other'; .*&collection="):
        FourfoldRetriever.from_postgres(url, embeddings=MODEL)
    one = FourfoldRetriever.from_postgres(url, collection_name="other", embeddings=other.embeddings)
    with one.retriever as graph:
        assert [d.id for d in one.invoke("zebra herd")] == ["o"]
        assert graph.get(["o"])[0].metadata == {}


def test_pgvectorstore(server, database):
    url, name = database
    engine = PGEngine.from_connection_string(url)
    for table in ("My docs", "others"):
        engine.init_vectorstore_table(table, 16, metadata_columns=[Column("lang", "TEXT"), Column("stars", "INTEGER")],
                                      id_column=Column("langchain_id", "TEXT", nullable=False))  # fmt: skip
    store = PGVectorStore.create_sync(engine, MODEL, "My docs", metadata_columns=["lang", "stars"])
    store.add_documents(DOCUMENTS)
    before = rows(server, name, '"My docs"')
    with pytest.raises(SchemaDetectionError, match="several vector stores: 'My docs', 'others'"):
        FourfoldRetriever.from_postgres(url, embeddings=MODEL)
    options = {"table_name": "My docs", "embeddings": MODEL, "breakdown": False}
    retriever = FourfoldRetriever.from_postgres(url, **options)
    with retriever.retriever as graph:
        assert retriever.invoke("save data")[0] == store.similarity_search("Save data to disk.", k=1)[0] == DOCUMENTS[0]
        assert graph.get(["w"])[0].name == "write_file"
        assert [d.id for d in retriever.invoke("file", filter={"lang": "de", "stars": 1})] == ["p"]
        assert rows(server, name, '"My docs"') == before
        store.add_documents([Document("A zebra.", id="z")])
        store.delete(["b"])
        assert {d.id for d in retriever.invoke("zebra", k=9)} == {"w", "z", "p"}
    asyncio.run(engine.close())


async def test_in_an_event_loop(database, pool):
    url, _ = database
    store = PGVector(MODEL, connection=pool, collection_name="docs")
    store.add_documents(DOCUMENTS)
    retriever = FourfoldRetriever.from_postgres(url, embeddings=MODEL)
    with retriever.retriever:
        assert (await retriever.ainvoke("save data"))[0].id == "w"
