"""What LlamaIndex's indices hold → nodes with vectors, entities and relations."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from llama_index.core.graph_stores.types import TRIPLET_SOURCE_KEY, ChunkNode, LabelledNode, PropertyGraphStore
from llama_index.core.schema import BaseNode, NodeRelationship, TextNode
from pydantic_core import to_jsonable_python

from fourfold import Edge, InvalidValueError
from fourfold import Node as GraphNode

if TYPE_CHECKING:
    from llama_index.core import VectorStoreIndex

_AT_ONCE = 500
_IMPLICIT = {relationship.name for relationship in NodeRelationship}
"""The labels that ``ImplicitPathExtractor`` gives to what texts say of each other."""


def require_index(index: object, over: str, kind: str) -> None:
    """Refuse what is not over such a store."""
    if getattr(index, over, None) is None:
        raise InvalidValueError(f"index is a {type(index).__name__}; it must be a {kind}.")


def nodes_of(index: VectorStoreIndex) -> list[BaseNode]:
    """Return the nodes of a vector index, with their vectors where its store gives them.

    Raises:
        InvalidValueError: the nodes live in a vector store that does not list them; it is no vector index.

    """
    require_index(index, "vector_store", "VectorStoreIndex")
    nodes = _listed(index.vector_store) if index.vector_store.stores_text else None
    if nodes is None:
        nodes = list(index.docstore.docs.values())
        ids = set(index.index_struct.nodes_dict.values())
        known = [node for node in nodes if node.node_id in ids]
        if not index.vector_store.stores_text or index._store_nodes_override:
            nodes = known if ids else nodes
        elif len(known) == len(nodes):  # its image and index nodes: the others are in the store alone
            raise InvalidValueError(
                f"{type(index.vector_store).__name__} does not list the nodes it holds; give them to from_nodes."
            )
    vectors = _vectors_of(index)
    return [node.model_copy(update={"embedding": vectors.get(node.node_id, node.embedding)}) for node in nodes]


def _listed(store: Any) -> list[BaseNode] | None:
    """Return the nodes of a vector store that has the texts, None if it does not list them.

    What an index's docstore has beside such a store are its image and index nodes, and whatever its user keeps there:
    the parents of the nodes, or the documents they were cut from.
    """
    try:
        return list(store.get_nodes(node_ids=None, filters=None))
    except (NotImplementedError, TypeError, ValueError, AttributeError, AssertionError):
        return None


def _vectors_of(index: VectorStoreIndex) -> dict[str, Any]:
    """Return the vectors by node id, as far as the index's vector store tells them: LlamaIndex's own, FAISS, Chroma."""
    store: Any = index.vector_store
    if (held := getattr(getattr(store, "data", None), "embedding_dict", None)) is not None:
        return dict(held)
    if hasattr(store, "_faiss_index"):
        rows = index.index_struct.nodes_dict
        return {node_id: store._faiss_index.reconstruct(int(row)).tolist() for row, node_id in rows.items()}
    if hasattr(store, "_collection"):
        found = store._collection.get(include=["embeddings"])
        return {id_: list(map(float, vector)) for id_, vector in zip(found["ids"], found["embeddings"], strict=True)}
    return {}


def graph_of(store: PropertyGraphStore) -> tuple[list[BaseNode], list[GraphNode], list[Edge]]:
    """Return the texts, the entities and the relations of a property graph store.

    A relation keeps its label as type; a text gets an edge ``mentions`` to each entity that was found in it. What an
    ``ImplicitPathExtractor`` made of the texts' own relationships is left out: they say it themselves, and the
    documents it leads to have no text in the store.
    """
    held = store.get()
    chunks = {node.id for node in held if isinstance(node, ChunkNode)}
    texts = store.get_llama_nodes(list(chunks)) if chunks else []
    whole = {text.node_id for text in texts}
    texts += [_text(node) for node in held if isinstance(node, ChunkNode) and node.id not in whole]
    every = list(_relations(store, [node.id for node in held]))
    relations = [relation for relation in every if not (relation.source in chunks and relation.type in _IMPLICIT)]
    related = {end for relation in relations for end in (relation.source, relation.target)}
    implied = {relation.target for relation in every} - related
    entities = [
        _entity(node)
        for node in held
        if not (isinstance(node, ChunkNode) or (node.id in implied and not node.properties))
    ]
    here = {text.node_id for text in texts} | {entity.id for entity in entities}
    edges = {
        (edge.source, edge.target, edge.type): edge
        for edge in [*relations, *_found_in(held)]
        if edge.source in here and edge.target in here
    }
    return texts, entities, list(edges.values())


def _relations(store: PropertyGraphStore, ids: list[str]) -> Iterable[Edge]:
    for start in range(0, len(ids), _AT_ONCE):
        for source, relation, target in store.get_triplets(ids=ids[start : start + _AT_ONCE]):
            yield Edge(source.id, target.id, relation.label)


def _found_in(nodes: Iterable[LabelledNode]) -> Iterable[Edge]:
    for node in nodes:
        source = node.properties.get(TRIPLET_SOURCE_KEY)
        if isinstance(source, str) and not isinstance(node, ChunkNode):
            yield Edge(source, node.id, "mentions")


def _text(node: ChunkNode) -> TextNode:
    """Return the node of a text that was put into the store as such, without the node it was made of."""
    return TextNode(id_=node.id, text=node.text, metadata=_own_properties(node))


def _own_properties(node: LabelledNode) -> dict[str, Any]:
    return {key: value for key, value in node.properties.items() if key[:1] != "_" and key != TRIPLET_SOURCE_KEY}


def _entity(node: Any) -> GraphNode:
    properties = _own_properties(node)
    text = next((properties[key] for key in ("description", "text") if isinstance(properties.get(key), str)), "")
    return GraphNode(node.id, name=node.name, type=node.label, text=text, metadata=to_jsonable_python(properties))
