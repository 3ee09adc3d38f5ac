"""LangChain's own tests of vector stores, unmodified, in memory and in a file."""

import pytest
from langchain_fourfold import FourfoldVectorStore
from langchain_tests.integration_tests import VectorStoreIntegrationTests


class TestInMemory(VectorStoreIntegrationTests):
    @pytest.fixture
    def vectorstore(self):
        store = FourfoldVectorStore(self.get_embeddings())
        yield store
        store.retriever.close()


class TestInAFile(VectorStoreIntegrationTests):
    @pytest.fixture
    def vectorstore(self, tmp_path):
        store = FourfoldVectorStore(self.get_embeddings(), path=tmp_path / "kg.sqlite")
        yield store
        store.retriever.close()


class TestWithTheBreakdown(VectorStoreIntegrationTests):
    @pytest.fixture
    def vectorstore(self):
        store = FourfoldVectorStore(self.get_embeddings(), breakdown=True)
        yield store
        store.retriever.close()
