"""The shapes of the server's answers: what clients see as output schemas."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field


class FoundTool(BaseModel):
    """One tool; the description is text of whoever wrote the tool, cut to length."""

    id: str
    name: str
    server: str
    description: str
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
    name: str
    server: str
    description: str
    reason: str
    stage: int
    confidence: float
    after: list[str]


class SuggestedWorkflow(BaseModel):
    """Tools in the order in which to call them, also as text and as a Mermaid chart."""

    request: str
    steps: list[WorkflowStep]
    stages: list[list[str]]
    cycles: list[list[str]]
    confidence: float
    meta: dict[str, Any]
    text: str
    mermaid: str


class FoundNode(BaseModel):
    """One node of the graph, with the scores it was found by; the text is data, cut to length."""

    id: str
    name: str
    type: str
    text: str
    score: float
    components: dict[str, float]
    why: str


class FoundKnowledge(BaseModel):
    """Nodes, best first, with the intent read in the query and the weights in force."""

    query: str
    intent: str
    weights: dict[str, float]
    hits: list[FoundNode]


class Explained(BaseModel):
    """Why a node stands where it does."""

    query: str
    id: str
    name: str
    rank: int | None = Field(description="Place in the ranking, from 1; null if the node is no hit.")
    score: float
    intent: str
    weights: dict[str, float]
    components: dict[str, float]
    text: str


class Recorded(BaseModel):
    """What was learned from."""

    tools: list[str]
    success: bool
    graph_edges: int
