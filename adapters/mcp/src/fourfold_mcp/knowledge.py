"""What the server offers over any graph: search, one node whole, questions, explanations."""

from __future__ import annotations

from typing import Annotated, Any

from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field, StrictFloat, StrictInt

from fourfold import Edge, Node, Retriever, SearchResult
from fourfold.arguments import shown
from fourfold.plain_text import display_name
from fourfold.questions import AskAnswer, Questions
from fourfold.snippets import snippet
from fourfold_mcp.answers import (
    AnsweringNode,
    Asked,
    Explained,
    FoundKnowledge,
    FoundNode,
    GotNode,
    Link,
)
from fourfold_mcp.calling import READS, Limit, Query, Server
from fourfold_mcp.fitting import fitted

_TEXT_AT_ONCE = 20_000
_EDGES_SHOWN = 50

# of no length that is too long: an id may have any, and what an answer gives can be asked with
NodeId = Annotated[str, Field(min_length=1, description="The id of a node, as search answers have it.")]
Named = Annotated[str | None, Field(description="A node, by its id or by a name that only one has; null: found.")]
Filter = Annotated[
    dict[str, Any] | None,
    Field(
        description='Metadata that hits must have: {"lang": "en"}, {"year": {"$gte": 2020}}; also $ne $in $nin $gt $lt '
        "$lte $contains $icontains $exists $empty $and $or $not; $type, $name and $id are the node's own."
    ),
]
MinScore = Annotated[StrictFloat | None, Field(description="Hits with a lower score are left out.")]
MinConfidence = Annotated[
    StrictFloat | None,
    Field(description="Hits the graph is less sure of are left out, 0 to 1; 0.25 keeps what has to do with the query."),
]
Offset = Annotated[StrictInt, Field(ge=0, description="Where in the text to begin, in characters.")]


def offer_knowledge(server: Server, retriever: Retriever) -> None:
    """Add the calls that any graph can answer to a server."""
    questions = Questions(retriever)

    @server.tool(annotations=READS)
    async def search_knowledge(
        query: Query,
        limit: Limit = 10,
        filter: Filter = None,
        min_score: MinScore = None,
        min_confidence: MinConfidence = None,
    ) -> FoundKnowledge:
        """Search all nodes of the graph by meaning, words and edges, and say why each was found."""

        def search() -> FoundKnowledge:
            found = retriever.search(query, k=limit, filter=filter, min_score=min_score, min_confidence=min_confidence)
            terms = retriever.analysis.tokenizer.terms
            return fitted(_knowledge(found, {hit.node.id: snippet(hit.node.text, query, terms) for hit in found}))

        return await server.apart(search)

    @server.tool(annotations=READS)
    async def get_node(node_id: NodeId, offset: Offset = 0) -> GotNode:
        """Get a node whole: its text (20,000 characters at a time), its metadata and its edges."""
        return await server.apart(lambda: fitted(_node(retriever, node_id, offset)))

    @server.tool(annotations=READS)
    async def ask(query: Query, node: Named = None, to: Named = None, limit: Limit = 10) -> Asked:
        """Ask of the graph itself: what depends on X, who made X, how X and Y connect, can X do Y, what is like X."""

        def answered() -> Asked:
            found = questions.ask(query, node=node, to=to, k=limit)
            terms = retriever.analysis.tokenizer.terms
            return fitted(_asked(found, {n.id: snippet(n.text, query, terms) for n in found.nodes[:limit]}, limit))

        return await server.apart(answered)

    @server.tool(annotations=READS)
    async def explain(query: Query, node_id: NodeId) -> Explained:
        """Explain, in numbers and words, why a node stands where it does for a query."""
        explained = (await server.apart(retriever.explain, query, node_id)).as_dict()
        return fitted(Explained.model_validate(explained))


def _knowledge(found: SearchResult, snippets: dict[str, str]) -> FoundKnowledge:
    notes = list(found.notes)
    if found.hits and not found.known:  # a model reads the answer, not the schema that says what .25 means
        sure = f"(confidence {found.confidence:.2f})"
        notes.append(f"The graph seems to know nothing of this {sure}; the hits are only nearest to it.")
    return FoundKnowledge(
        query=found.query,
        intent=str(found.intent),
        weights=found.weights.as_dict(),
        confidence=found.confidence,
        notes=notes,
        hits=[
            FoundNode(
                id=hit.node.id,
                name=hit.node.name,
                type=hit.node.type,
                snippet=snippets[hit.node.id],
                source=_source(hit.node),
                metadata=dict(hit.node.metadata),
                score=hit.score,
                confidence=hit.confidence,
                components=hit.components.as_dict(),
                why=hit.why,
            )
            for hit in found
        ],
    )


def _asked(found: AskAnswer, snippets: dict[str, str], limit: int) -> Asked:
    draw = getattr(found.answer, "mermaid", None)
    return Asked(
        question=found.question,
        method=found.method,
        why=found.why,
        headline=found.headline(),
        text=str(found.answer),
        nodes=[
            AnsweringNode(
                id=node.id, name=node.name, type=node.type, snippet=snippets.get(node.id, ""), score=score, why=why
            )
            for node, score, why in list(found.rows())[:limit]
        ],
        notes=list(found.notes),
        truncated=found.truncated,
        mermaid=draw() if draw is not None else None,
    )


def _node(retriever: Retriever, node_id: str, offset: int) -> GotNode:
    found = retriever.get([node_id])
    if not found:
        raise ToolError(f"There is no node {shown(node_id)} in the graph; search_knowledge finds ids.")
    node = found[0]
    edges = sorted(retriever.edges([node_id]), key=lambda edge: (-edge.weight, edge.type, edge.source, edge.target))
    listed = edges[:_EDGES_SHOWN]
    names = {n.id: display_name(n.name, n.id) for n in retriever.get([_other(edge, node_id) for edge in listed])}
    end = offset + _TEXT_AT_ONCE
    return GotNode(
        id=node.id,
        name=node.name,
        type=node.type,
        text=node.text[offset:end],
        length=len(node.text),
        next_offset=end if end < len(node.text) else None,
        source=_source(node),
        metadata=dict(node.metadata),
        edges=[
            Link(
                direction="out" if edge.source == node_id else "in",
                type=edge.type,
                weight=edge.weight,
                id=_other(edge, node_id),
                name=names.get(_other(edge, node_id), _other(edge, node_id)),
            )
            for edge in listed
        ],
        edges_in_all=len(edges),
    )


def _other(edge: Edge, node_id: str) -> str:
    return edge.target if edge.source == node_id else edge.source


def _source(node: Node) -> str:
    source = node.metadata.get("source")
    return source if isinstance(source, str) else ""
