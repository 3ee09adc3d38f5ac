"""Documents that are kept up: LangChain's DocumentIndex, and graph documents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from langchain_core.documents import Document
from langchain_core.indexing import DeleteResponse, DocumentIndex, UpsertResponse

from fourfold import Edge, InvalidValueError, Node
from fourfold.ingest import add_linked, delete_linked, list_documents, parts_of
from langchain_fourfold.chunks import add_documents
from langchain_fourfold.documents import as_given, plain, to_node
from langchain_fourfold.retrievers import FourfoldRetriever


class FourfoldDocumentIndex(FourfoldRetriever, DocumentIndex):
    """A FourfoldRetriever whose documents are added, replaced and deleted by id, at the cost of what changed.

    ``langchain_core.indexing.index(loader, record_manager, FourfoldDocumentIndex(path="kg.sqlite"))``
    keeps it in step with a source. Documents whose texts name each other's titles (``metadata["title"]`` or
    ``["name"]``) are linked, so the graph has its say without anyone having made one.
    """

    def upsert(self, items: Sequence[Document], /, **kwargs: Any) -> UpsertResponse:
        """Add or replace documents; one without an id gets a hash of its content for an id."""
        ids = add_documents(self.retriever, items)
        return UpsertResponse(succeeded=list(dict.fromkeys(ids)), failed=[])

    def delete(self, ids: list[str] | None = None, **kwargs: Any) -> DeleteResponse:
        """Delete documents by id, or by ``sources=`` (their ``metadata["source"]``); unknown ones are passed over.

        Raises:
            InvalidValueError: neither ids nor sources are given (a ValueError).

        """
        sources = kwargs.pop("sources", None)
        if ids is None and sources is None:
            raise InvalidValueError("delete needs ids or sources; it does not delete everything on its own.")
        of_sources = [] if sources is None else [entry.id for entry in list_documents(self.retriever, sources=sources)]
        texts = [id_ for document in of_sources for id_ in parts_of(self.retriever, document) or [document]]
        gone = [*delete_linked(self.retriever, ids or ()), *delete_linked(self.retriever, texts)]
        return DeleteResponse(num_deleted=len(gone), succeeded=gone, num_failed=0, failed=[])

    def get(self, ids: Sequence[str], /, **kwargs: Any) -> list[Document]:
        """Return the documents of these ids as they were given; unknown ids are left out."""
        return [as_given(node) for node in self.retriever.get(ids)]

    def add_graph_documents(self, graph_documents: Iterable[Any], include_source: bool = True) -> None:
        """Add what a graph transformer found: entities, relations, and the documents they were found in.

        Args:
            graph_documents: ``GraphDocument`` objects of langchain-community, langchain-experimental or the like.
            include_source: add the source documents too, with a ``mentions`` edge to each entity found in them.

        """
        nodes: dict[str, Node] = {}
        edges: list[Edge] = []
        for graph in graph_documents:
            relations = list(graph.relationships)
            ends = [end for relation in relations for end in (relation.source, relation.target)]
            for entity in (*graph.nodes, *ends):
                nodes.setdefault(str(entity.id), _entity(entity))
            for relation in relations:
                edges.append(Edge(str(relation.source.id), str(relation.target.id), relation.type))
            source = getattr(graph, "source", None)
            if include_source and source is not None:
                document = to_node(source)
                add_linked(self.retriever, [document])
                edges += [Edge(document.id, str(entity.id), "mentions") for entity in graph.nodes]
        self.retriever.add(nodes.values(), edges)


def _entity(entity: Any) -> Node:
    properties = plain(entity.properties or {}, f"The properties of the entity {entity.id!r}")
    text = next((properties[key] for key in ("description", "text") if isinstance(properties.get(key), str)), "")
    return Node(
        str(entity.id), name=str(properties.get("name") or entity.id), type=entity.type, text=text, metadata=properties
    )
