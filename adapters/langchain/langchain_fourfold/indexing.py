"""Documents that are kept up: LangChain's DocumentIndex, and graph documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from langchain_core.documents import Document
from langchain_core.indexing import DeleteResponse, DocumentIndex, UpsertResponse

from fourfold import Edge, InvalidValueError, Node
from fourfold.ingest import delete_linked, list_documents, parts_of
from fourfold.validation import check_edge, check_node
from langchain_fourfold.chunks import add_documents
from langchain_fourfold.documents import as_given, plain
from langchain_fourfold.retrievers import FourfoldRetriever

_TEXTS = ("description", "text")
"""The properties that may hold an entity's text, the first that is a string."""

_NO_TYPE = "Node"
"""The type that LangChain gives to an entity without one."""


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

        An entity that was found before, here or in the graph, keeps the properties, name and text that it is not given
        anew. Properties of relations are passed over: an edge has its type alone.

        Args:
            graph_documents: ``GraphDocument`` objects of langchain-community, langchain-experimental or the like.
            include_source: add the source documents too, as ``upsert`` does, with a ``mentions`` edge to each entity
                found in them.

        Raises:
            InvalidValueError: an entity, a relation or a document that cannot be stored; nothing was written.

        """
        graphs = list(graph_documents)
        for entity in _entities(graphs):  # before anything is written
            check_node(_entity(entity, None))
        edges = [
            check_edge(Edge(str(relation.source.id), str(relation.target.id), relation.type))
            for graph in graphs
            for relation in graph.relationships
        ]
        if include_source:
            of_sources = [graph for graph in graphs if getattr(graph, "source", None) is not None]
            sources = add_documents(self.retriever, [graph.source for graph in of_sources])
            for source, graph in zip(sources, of_sources, strict=True):
                edges += [Edge(source, str(entity.id), "mentions") for entity in graph.nodes]
        named = dict.fromkeys(str(entity.id) for entity in _entities(graphs))
        known = {node.id: node for node in self.retriever.get(named)}
        nodes = dict(known)
        for entity in _entities(graphs):
            nodes[str(entity.id)] = _entity(entity, nodes.get(str(entity.id)))
        self.retriever.add([node for node in nodes.values() if node != known.get(node.id)], edges)


def _entities(graphs: Iterable[Any]) -> Iterator[Any]:
    for graph in graphs:
        yield from graph.nodes
        for relation in graph.relationships:
            yield from (relation.source, relation.target)


def _entity(entity: Any, before: Node | None) -> Node:
    """Return the node of an entity, with what was known of it before."""
    identity = str(entity.id)
    properties = plain(entity.properties or {}, f"The properties of the entity {entity.id!r}")
    known = Node(identity) if before is None else before
    return Node(
        identity,
        name=str(properties.get("name") or known.name or identity),
        type=known.type if known.type and entity.type == _NO_TYPE else entity.type,
        text=next((properties[key] for key in _TEXTS if isinstance(properties.get(key), str)), known.text),
        metadata={**known.metadata, **properties},
    )
