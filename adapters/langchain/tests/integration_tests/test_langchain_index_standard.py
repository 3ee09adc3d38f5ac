"""LangChain's own standard tests for document indices."""

import pytest
from langchain_fourfold import FourfoldDocumentIndex
from langchain_tests.integration_tests.indexer import AsyncDocumentIndexTestSuite, DocumentIndexerTestSuite


class TestDocumentIndex(DocumentIndexerTestSuite):
    @pytest.fixture
    def index(self):
        yield FourfoldDocumentIndex()


class TestAsyncDocumentIndex(AsyncDocumentIndexTestSuite):
    @pytest.fixture
    async def index(self):
        yield FourfoldDocumentIndex()
