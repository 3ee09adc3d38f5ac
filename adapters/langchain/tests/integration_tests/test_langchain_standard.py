"""LangChain's own tests of a retriever, unmodified."""

import pytest
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_fourfold import FourfoldRetriever
from langchain_tests.integration_tests import RetrieversIntegrationTests

from fourfold import Node, Retriever

TEXTS = (
    "read_file reads a file and returns its text",
    "write_file writes text to a file",
    "delete_file removes a file from the disk",
    "list_files lists the files of a folder",
)


class TestOpenedFile(RetrieversIntegrationTests):
    """The constructor over a graph on disk."""

    @pytest.fixture(autouse=True)
    def graph_on_disk(self, tmp_path):
        self.path = tmp_path / "kg.sqlite"
        with Retriever(self.path) as graph:
            graph.add(Node(id=text.split()[0], text=text) for text in TEXTS)

    @property
    def retriever_constructor(self):
        return FourfoldRetriever

    @property
    def retriever_constructor_params(self):
        return {"path": self.path}

    @property
    def retriever_query_example(self):
        return "how do I read a file"


class FromDocuments(FourfoldRetriever):
    """A retriever whose constructor takes documents, as the standard tests want a constructor."""

    def __new__(cls, **params):
        return FourfoldRetriever.from_documents([Document(page_content=text) for text in TEXTS], **params)


class TestFromDocuments(RetrieversIntegrationTests):
    """Documents with a LangChain embedding model."""

    @property
    def retriever_constructor(self):
        return FromDocuments

    @property
    def retriever_constructor_params(self):
        return {"embeddings": DeterministicFakeEmbedding(size=16)}

    @property
    def retriever_query_example(self):
        return "of what no document speaks"
