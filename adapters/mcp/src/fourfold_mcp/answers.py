"""The shapes of the server's answers: what clients see as output schemas.

Ids are given as they are, to be asked with again; every other text is made plain, see ``fourfold.plain_text``.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, Field

from fourfold.plain_text import plain_text

Plain = Annotated[str, AfterValidator(plain_text)]


class FoundTool(BaseModel):
    """One tool; the description is text of whoever wrote the tool, cut to length."""

    id: str
    name: Plain
    server: Plain
    description: Plain
    score: float
    semantic_score: float
    graph_score: float


class FoundTools(BaseModel):
    """Tools, best first, and how they were found."""

    tools: list[FoundTool]
    meta: dict[str, Any]


class WorkflowStep(BaseModel):
    """One tool of a workflow; steps of one stage do not wait for each other."""

    id: str
    name: Plain
    server: Plain
    description: Plain
    reason: Plain
    stage: int
    confidence: float
    after: list[str]


class SuggestedWorkflow(BaseModel):
    """Tools in the order in which to call them, also as text and as a Mermaid chart."""

    request: Plain
    steps: list[WorkflowStep]
    stages: list[list[str]]
    cycles: list[list[str]]
    confidence: float
    meta: dict[str, Any]
    text: Plain
    mermaid: Plain


class FoundNode(BaseModel):
    """One node of the graph, with the scores it was found by; the text is data, cut to length."""

    id: str
    name: Plain
    type: Plain
    text: Plain
    score: float
    components: dict[str, float]
    why: Plain


class FoundKnowledge(BaseModel):
    """Nodes, best first, with the intent read in the query and the weights in force."""

    query: Plain
    intent: Plain
    weights: dict[str, float]
    hits: list[FoundNode]


class Explained(BaseModel):
    """Why a node stands where it does."""

    query: Plain
    id: str
    name: Plain
    rank: int | None = Field(description="Place in the ranking, from 1; null if the node is no hit.")
    score: float
    intent: Plain
    weights: dict[str, float]
    components: dict[str, float]
    text: Plain


class Recorded(BaseModel):
    """What was learned from."""

    tools: list[str]
    success: bool
    graph_edges: int
