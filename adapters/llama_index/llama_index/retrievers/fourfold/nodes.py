"""LlamaIndex nodes → Fourfold nodes and edges, and hits → LlamaIndex nodes.

A node of LlamaIndex is more than its id, text and metadata. What is left of it (relationships, excluded keys,
templates, character offsets…) is stored beside its metadata under one reserved key, and put together again for a hit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from itertools import chain, islice
from typing import Any

import numpy as np
from llama_index.core.schema import (
    BaseNode,
    ImageNode,
    IndexNode,
    MetadataMode,
    NodeRelationship,
    RelatedNodeInfo,
    TextNode,
)
from llama_index.retrievers.fourfold.explained import (
    BY_NAME,
    EXPLAINED,
    Explained,
    is_breakdown,
    without_breakdown,
)
from pydantic_core import to_jsonable_python

from fourfold import Edge, Hit, InvalidValueError, Retriever, SearchResult
from fourfold import Node as GraphNode
from fourfold.arguments import many, plain_metadata, shown, strings
from fourfold.breakdown import BREAKDOWN, breakdown_of
from fourfold.filters import any_of, parse
from fourfold.ingest import Cut, add_linked, add_parts, delete_linked
from fourfold.ingest.documents import RESERVED
from fourfold.validation import check_node

REF_DOC_ID = f"{RESERVED}.ref_doc_id"
"""The filter key of a node's source document."""

KEPT_BY_INDICES = {f"{RESERVED}.class": {"$in": [ImageNode.class_name(), IndexNode.class_name()]}}
"""The filter of the nodes that an index of LlamaIndex keeps itself, though the store has them, too."""

LAST_KEPT = "llama_index_last_kept"
"""The setting that holds the id of such a node that was deleted: the index goes on naming it, in a file of its own."""


# -- into the graph ---------------------------------------------------------------------------------------------------


def add_nodes(
    retriever: Retriever,
    nodes: Iterable[BaseNode],
    *,
    name_keys: Sequence[str] = ("title", "name"),
    metadata_mode: MetadataMode = MetadataMode.NONE,
    vectors_by: str | None = None,
) -> None:
    """Add nodes, and their relationships as edges; a relationship to a node that is not there is passed over.

    Texts that name another node's title are linked to it. ``vectors_by`` names who made the nodes' embeddings.
    """
    given = listed(nodes)
    made = [_stored(node, name_keys, metadata_mode) for node in given]
    add_linked(retriever, made, _edges_here(retriever, given), vectors_by=vectors_by)


def listed(nodes: Iterable[BaseNode]) -> list[BaseNode]:
    """Return nodes as a list; one alone, which would tell its fields one by one, is none."""
    if isinstance(nodes, BaseNode):
        raise InvalidValueError(f"nodes is one {type(nodes).__name__}, {shown(nodes.node_id)}; give a list of nodes.")
    return list(many(nodes, "nodes", "nodes"))


def _stored(node: BaseNode, name_keys: Sequence[str], metadata_mode: MetadataMode) -> GraphNode:
    """Return the node of the graph; one that was found becomes what it was, also if it is not from LlamaIndex."""
    made = to_graph_node(_before_it_was_found(node), name_keys=name_keys, metadata_mode=metadata_mode)
    found: Any = node.metadata.get(BREAKDOWN)
    if not (is_breakdown(found) and "labels" in found):
        return made
    own = {key: value for key, value in made.metadata.items() if key != RESERVED and key not in found["labels"]}
    text = found["text"] if made.text == found["name"] else made.text
    return replace(made, name=found["name"], type=found["type"], text=text, metadata=own)


def _before_it_was_found(node: object) -> BaseNode:
    """Return a node as it was before it was found."""
    if isinstance(node, str):
        raise InvalidValueError(f"{node[:40]!r} is a string; a node is made of it by TextNode(text=…).")
    if not isinstance(node, BaseNode):
        raise InvalidValueError(f"A node must be one of LlamaIndex's, such as a TextNode, not {type(node).__name__}.")
    if isinstance(node, Explained):
        return node.without_breakdown()
    if not is_breakdown(node.metadata.get(BREAKDOWN)):
        return node
    own: dict[str, Any] = {"metadata": without_breakdown(node.metadata)}  # read back from JSON, as its own class
    for keys in ("excluded_llm_metadata_keys", "excluded_embed_metadata_keys"):
        own[keys] = [key for key in getattr(node, keys) if key != BREAKDOWN]
    return node.model_copy(update=own)


def add_chunks(
    retriever: Retriever,
    nodes: Iterable[BaseNode],
    *,
    name_keys: Sequence[str] = ("title", "name"),
    metadata_mode: MetadataMode = MetadataMode.NONE,
    vectors_by: str | None = None,
) -> list[str]:
    """Add nodes as ``add_nodes`` does, and join those of one source document to it and to the next; return their ids.

    The document becomes a node without a text, which is no answer.
    """
    given = listed(nodes)
    made = {node.id: node for node in (check_node(_stored(node, name_keys, metadata_mode)) for node in given)}
    edges = _edges_here(retriever, given)
    chunks: dict[str, list[GraphNode]] = {}
    for node in made.values():
        if document := _kept_of(node).get("ref_doc_id"):
            chunks.setdefault(document, []).append(node)
    before: dict[str, list[str]] = {}
    parts = (retriever.get(ids_where(retriever, part)) for part in any_of(REF_DOC_ID, chunks))
    for node in chain.from_iterable(parts):
        if node.id not in made and (document := _kept_of(node).get("ref_doc_id")):
            before.setdefault(document, []).append(node.id)
    cuts = [
        Cut(f"document:{document}", parts, before.get(document, ()), title=parts[0].name)
        for document, parts in chunks.items()
        if len(parts) > 1 or document in before
    ]
    joined = {node.id for cut in cuts for node in cut.parts}
    add_linked(retriever, [node for node in made.values() if node.id not in joined], vectors_by=vectors_by)
    add_parts(retriever, cuts, place=text_range_start, vectors_by=vectors_by)
    retriever.add(edges=edges)
    return [node.node_id for node in given]


def _edges_here(retriever: Retriever, nodes: Sequence[BaseNode]) -> list[Edge]:
    """Return the relationships of nodes as edges, as far as both ends are here or in the graph."""
    edges = list(dict.fromkeys(edge for node in nodes for edge in edges_of(node)))
    here = {node.node_id for node in nodes}
    elsewhere = {end for edge in edges for end in (edge.source, edge.target)} - here
    here |= {node.id for node in retriever.get(sorted(elsewhere))}
    return [edge for edge in edges if edge.source in here and edge.target in here]


def to_graph_node(
    node: BaseNode,
    *,
    name_keys: Sequence[str] = ("title", "name"),
    metadata_mode: MetadataMode = MetadataMode.NONE,
) -> GraphNode:
    """Return the node of the graph that stands for a LlamaIndex node; its embedding becomes the vector.

    Args:
        node: of one of LlamaIndex's classes; of a subclass of your own what the LlamaIndex class has is kept.
        name_keys: metadata keys that may hold the node's name; the first that has a string counts.
        metadata_mode: which metadata is searched and embedded with the text.

    Raises:
        InvalidValueError: the metadata has a value that JSON cannot hold.

    """
    content = node.get_content(metadata_mode=MetadataMode.NONE)
    text = node.get_content(metadata_mode=metadata_mode)
    rest = _rest(node)
    if text != content:
        rest["text"] = content
    reserved: dict[str, Any] = {"class": _class_of(node).class_name()}
    if isinstance(source := node.relationships.get(NodeRelationship.SOURCE), RelatedNodeInfo):
        reserved["ref_doc_id"] = source.node_id
    if rest:
        reserved["node"] = [rest]  # filters do not look into mappings inside lists
    metadata = plain_metadata(node.metadata, f"The metadata of the node {node.node_id!r}", to_jsonable_python)
    names = (metadata.get(key) for key in name_keys)
    return GraphNode(
        id=node.node_id,
        name=next((name for name in names if isinstance(name, str) and name), ""),
        text=text,
        metadata={**metadata, RESERVED: reserved},
        vector=node.embedding,
    )


def edges_of(node: BaseNode) -> Iterator[Edge]:
    """Return a node's relationships as edges: ``followed_by`` and ``part_of``."""
    for relationship, related in node.relationships.items():
        for other in related if isinstance(related, list) else [related]:
            here, there = node.node_id, other.node_id
            if relationship == NodeRelationship.NEXT:
                yield Edge(here, there, "followed_by")
            elif relationship == NodeRelationship.PREVIOUS:
                yield Edge(there, here, "followed_by")
            elif relationship == NodeRelationship.CHILD:
                yield Edge(there, here, "part_of")
            else:  # SOURCE, PARENT
                yield Edge(here, there, "part_of")


def _rest(node: BaseNode) -> dict[str, Any]:
    """Return the fields of a node that are neither id, text, metadata nor embedding, nor at their default."""
    if isinstance(node, IndexNode):
        node = node.model_copy(update={"obj": None})  # lives in the retriever's object_map
    own = {"id_", "text", "metadata", "embedding", "obj"}
    rest = node.model_dump(mode="json", exclude=own, exclude_defaults=True)
    rest = {key: value for key, value in rest.items() if key in _class_of(node).model_fields and key not in own}
    resource = rest.get("text_resource")
    if resource and resource.get("text"):
        del resource["text"]
    return rest


def _class_of(node: BaseNode) -> type[BaseNode]:
    """Return the class a node is stored as: its own, or the nearest above it that LlamaIndex has."""
    found = next((cls for cls in type(node).__mro__ if cls in EXPLAINED), None)
    if found is None:
        raise InvalidValueError(f"{type(node).__name__} is no text, image or index node of LlamaIndex.")
    return found


# -- out of the graph -------------------------------------------------------------------------------------------------


def to_llama_index_node(hit: Hit, result: SearchResult) -> BaseNode:
    """Return a new node for a hit, as it was given, with the breakdown under ``metadata["fourfold"]``.

    A node that did not come from LlamaIndex becomes a TextNode with its name and type in the metadata.
    """
    node = hit.node
    cls, fields = _class_and_fields(node)
    own = fields["metadata"]
    breakdown = breakdown_of(hit, result)
    if not _kept_of(node):
        breakdown["labels"] = [key for key in ("name", "type") if key in own and key not in node.metadata]
        breakdown["text"] = node.text
    if BREAKDOWN in own:
        breakdown["metadata"] = {BREAKDOWN: own[BREAKDOWN]}
    for keys in ("excluded_llm_metadata_keys", "excluded_embed_metadata_keys"):
        fields[keys] = [*fields.get(keys, ()), BREAKDOWN]
    fields["metadata"] = {**own, BREAKDOWN: breakdown}
    return EXPLAINED[cls](id_=node.id, **fields)


def as_given(node: GraphNode, vector: Any = None) -> BaseNode:
    """Return a node of the graph as one of LlamaIndex's own classes, as it was given.

    Args:
        node: see ``to_llama_index_node``.
        vector: becomes its embedding.

    """
    cls, fields = _class_and_fields(node)
    return cls(id_=node.id, embedding=None if vector is None else [float(x) for x in vector], **fields)


def _class_and_fields(node: GraphNode) -> tuple[type[BaseNode], dict[str, Any]]:
    """Return LlamaIndex's class of a node, and new copies of all its fields but the id."""
    own = {key: deepcopy(value) for key, value in node.metadata.items() if key != RESERVED}  # answers are cached
    if kept := _kept_of(node):
        cls, fields = _as_it_was(node, kept)
        try:
            cls(id_=node.id, **fields)
            return cls, {**fields, "metadata": own}
        except (TypeError, ValueError):  # somebody else has written what is kept
            pass
    labels = {"name": node.name if node.text else "", "type": node.type}
    shown = {**{key: value for key, value in labels.items() if value}, **own}
    return TextNode, {"text": node.text or node.name, "metadata": shown}


def _as_it_was(node: GraphNode, kept: Mapping[str, Any]) -> tuple[type[BaseNode], dict[str, Any]]:
    """Return LlamaIndex's class of a node that came from there, and the fields that were kept of it."""
    cls = BY_NAME[kept["class"]]
    fields: dict[str, Any] = deepcopy(kept["node"][0]) if "node" in kept else {}
    text = fields.pop("text", node.text)
    if issubclass(cls, TextNode):
        fields["text"] = text
    elif isinstance(resource := fields.get("text_resource"), dict):
        resource.setdefault("text", text)
    return cls, fields


def _kept_of(node: GraphNode) -> Mapping[str, Any]:
    """Return what was kept of a node of LlamaIndex; nothing of another, whatever its maker wrote under the same key."""
    kept = node.metadata.get(RESERVED)
    if not isinstance(kept, Mapping) or str(kept.get("class")) not in BY_NAME:
        return {}
    rest = kept.get("node", [{}])
    return kept if isinstance(rest, Sequence) and rest and isinstance(rest[0], Mapping) else {}


def text_range_start(node: GraphNode) -> int | None:
    """Return where in its document a node's text begins, if it says so."""
    start = _kept_of(node).get("node", [{}])[0].get("start_char_idx")
    return start if isinstance(start, int) else None


# -- what is in the graph ---------------------------------------------------------------------------------------------


def ids_where(retriever: Retriever, condition: Mapping[str, Any]) -> list[str]:
    """Return the ids of the nodes that meet a Fourfold filter and have a text of their own, in order of coming."""
    nums = np.setdiff1d(retriever.backend.allowed(parse(condition)).nodes, retriever.analysis.snapshot().hidden)
    return [node.id for _, node in sorted(retriever.backend.nodes(nums.tolist()).items())]


def delete_ref_doc(retriever: Retriever, ref_doc_id: str) -> None:
    """Delete the nodes of a source document, and the document if it is a node itself."""
    delete_nodes(retriever, [ref_doc_id, *ids_where(retriever, {REF_DOC_ID: ref_doc_id})])


def delete_nodes(retriever: Retriever, node_ids: Iterable[str]) -> None:
    """Delete nodes by id; unknown ones are passed over."""
    remember_kept(retriever, ids := strings(node_ids, "ids"))
    delete_linked(retriever, ids)


def remember_kept(retriever: Retriever, gone: Iterable[str]) -> None:
    """Note, before nodes are deleted, if one of them is of those that indices keep; see ``LAST_KEPT``."""
    if kept := set(ids_where(retriever, KEPT_BY_INDICES)).intersection(gone):
        with retriever.backend.transaction(moves=False) as writer:
            writer.set_meta(LAST_KEPT, min(kept))


def context(retriever: Retriever, node_id: str, before: int, after: int) -> list[BaseNode]:
    """Return a node with its neighbours in reading order; see ``FourfoldRetriever.context``."""
    found = retriever.context(node_id, before, after)
    if len(found) > 1:
        return [as_given(node) for node in found]
    here = as_given(found[0])
    return [
        *reversed(list(islice(_along(retriever, here, NodeRelationship.PREVIOUS), before))),
        here,
        *islice(_along(retriever, here, NodeRelationship.NEXT), after),
    ]


def _along(retriever: Retriever, node: BaseNode, relationship: NodeRelationship) -> Iterator[BaseNode]:
    """Follow a relationship from node to node, as far as the graph has them."""
    seen = {node.node_id}
    while isinstance(other := node.relationships.get(relationship), RelatedNodeInfo) and other.node_id not in seen:
        found = retriever.get([other.node_id])
        if not found:
            return
        node = as_given(found[0])
        seen.add(node.node_id)
        yield node
