"""The shapes of the server's answers: what clients see as output schemas.

Ids are given as they are, to be asked with again; every other text is made plain and cut to length, see
``fourfold.plain_text``.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, ValidationInfo

from fourfold.plain_text import plain_text

_LONGEST_STRING = 1_000
_LONGEST_TEXT = 100_000
_MOST_PARTS = 100
_MOST_PARTS_IN_ALL = 1_000
_CHARACTERS_OF_A_PART = 20
"""Where there is little room: a part has quotes, a comma and a line of its own, too."""
_CUT_SHORT = "…"
_UNKNOWN = "unknown_context_tools"

MOST = "most"
"""In the context of a validation: how long a text, or the metadata of a node, may be at most; see ``fitting``."""


def _most(info: ValidationInfo, limit: int) -> int:
    return min(limit, int((info.context or {}).get(MOST, limit)))


def _name(text: str, info: ValidationInfo) -> str:
    return plain_text(text, _most(info, _LONGEST_STRING))


def _text(text: str, info: ValidationInfo) -> str:
    return plain_text(text, _most(info, _LONGEST_TEXT))


def _chart(text: str, info: ValidationInfo) -> str:
    return plain_text(text) if len(text) <= _most(info, _LONGEST_TEXT) else ""


# a name may be as long as a book, and an answer says it several times
Plain = Annotated[str, AfterValidator(_name)]
PlainText = Annotated[str, AfterValidator(_text)]
Page = Annotated[str, AfterValidator(plain_text)]
"""A text whose length whoever asks knows: the next begins where it ends."""
Chart = Annotated[str, AfterValidator(_chart)]
"""Mermaid: whole or not at all, for half a chart is none."""


def _rounded(value: Any) -> Any:
    """Return what was measured to four places: the rest tells a model nothing and fills its context."""
    if isinstance(value, float):
        return round(value, 4)
    if isinstance(value, dict):
        return {key: _rounded(part) for key, part in value.items()}
    return value


Figure = Annotated[float, AfterValidator(_rounded)]
Figures = Annotated[dict[str, float], AfterValidator(_rounded)]


def _shown(metadata: Any, info: ValidationInfo) -> Any:
    """Return a node's metadata as it may be shown: strings plain, and no more of it than an answer holds.

    However deep it goes, all of it has one budget of parts and one of characters. What lies near the top is taken
    first, so that a long list takes nothing from the keys beside it; "…" stands where parts are left out.
    """
    if not isinstance(metadata, Mapping):
        return metadata
    room = _most(info, _LONGEST_TEXT)
    parts = min(_MOST_PARTS_IN_ALL, room // _CHARACTERS_OF_A_PART)
    whole: dict[str, Any] = {}
    waiting: deque[tuple[Any, Any]] = deque([(metadata, whole)])
    while waiting:
        given, shown = waiting.popleft()
        for place, (key, part) in enumerate(given.items() if isinstance(given, Mapping) else enumerate(given)):
            full = place == _MOST_PARTS - 1 and len(given) > _MOST_PARTS
            if full or parts <= 0 or room <= 0:
                _put(shown, _CUT_SHORT, _CUT_SHORT)
                break
            name = plain_text(str(key), _LONGEST_STRING)
            value: Any = part
            if isinstance(part, str):
                value = plain_text(part, min(_LONGEST_STRING, room))
            elif isinstance(part, (Mapping, list, tuple)):
                value = {} if isinstance(part, Mapping) else []
                waiting.append((part, value))
            _put(shown, name, value)
            parts -= 1
            room -= len(name) if isinstance(given, Mapping) else 0
            room -= len(value) if isinstance(value, str) else _digits(value)
    return whole


def _put(shown: dict[str, Any] | list[Any], key: str, value: Any) -> None:
    if isinstance(shown, dict):
        shown[key] = value
    else:
        shown.append(value)


def _digits(value: Any) -> int:
    """Return about how long a value is that is no string; a whole number may be of any length."""
    return value.bit_length() // 3 + 1 if isinstance(value, int) else 1


Shown = Annotated[dict[str, Any], BeforeValidator(_shown)]


class Answer(BaseModel):
    """What a tool answers; ``fitting.fitted`` cuts it where it is too long."""

    shortened: ClassVar[tuple[str, ...]] = ()
    """The lists of which the end may be left out, in this order."""
    for_more: ClassVar[str] = ""
    """How to see what was cut, as the end of a sentence."""

    cut: Plain = Field(
        default="",
        exclude_if=lambda said: not said,
        description="Only where it was too long: what was cut of it, and how to see that.",
    )

    def with_first(self, count: int, name: str) -> Self:
        """Return the answer with so many of one of its lists."""
        return self.model_copy(update={name: getattr(self, name)[:count]})


class FoundTool(BaseModel):
    """One tool; the description is text of whoever wrote the tool, cut to length."""

    id: str
    name: Plain
    server: Plain
    description: PlainText
    score: Figure
    semantic_score: Figure
    graph_score: Figure


def _with_short_names(meta: dict[str, Any], info: ValidationInfo) -> dict[str, Any]:
    """Cut the names that are no tool's: nothing can be asked with them, and whoever gave them has them."""
    given = meta.get(_UNKNOWN)
    return meta if given is None else {**meta, _UNKNOWN: [_name(name, info) for name in given]}


class FoundTools(Answer):
    """Tools, best first, and how they were found."""

    shortened = ("tools",)
    for_more = "; limit= asks for fewer"

    tools: list[FoundTool]
    meta: Annotated[dict[str, Any], AfterValidator(_with_short_names), AfterValidator(_rounded)]

    def with_first(self, count: int, name: str) -> Self:
        """Return the answer with so many tools, and the signals of these."""
        kept = {tool.id for tool in self.tools[:count]}
        signals = {tool: found for tool, found in self.meta.get("signals", {}).items() if tool in kept}
        return super().with_first(count, name).model_copy(update={"meta": {**self.meta, "signals": signals}})


class WorkflowStep(BaseModel):
    """One tool of a workflow; steps of one stage do not wait for each other, suggested ones are no steps yet."""

    id: str
    name: Plain
    server: Plain
    description: PlainText
    reason: Plain
    stage: int = Field(description="Its place in stages, from 0; the text counts from 1.")
    confidence: Figure
    after: list[str]
    kind: str


class SuggestedWorkflow(Answer):
    """Tools in the order in which to call them, also as text and as a Mermaid chart."""

    shortened = ("suggested",)
    for_more = "; ask for a part of it"

    request: PlainText
    steps: list[WorkflowStep]
    suggested: list[WorkflowStep]
    missing: list[PlainText] = Field(description="Parts of the request that no tool serves.")
    stages: list[list[str]]
    cycles: list[list[str]]
    confidence: Figure
    notes: list[Plain] = Field(description="What the answer could not take into account.")
    meta: Annotated[dict[str, Any], AfterValidator(_rounded)]
    text: PlainText
    mermaid: Chart


class FoundNode(BaseModel):
    """One node of the graph, with the scores it was found by; ``get_node`` has the whole of it."""

    id: str
    name: Plain
    type: Plain
    snippet: Plain = Field(description="The passage of its text that the query is about.")
    source: Plain = Field(description="Where it came from: a path or a URL; empty if the graph does not say.")
    metadata: Shown
    score: Figure
    confidence: Figure = Field(description="How surely this node has to do with the query, from 0 to 1.")
    components: Figures
    why: Plain


class FoundKnowledge(Answer):
    """Nodes, best first, with the intent read in the query and the weights in force."""

    shortened = ("hits",)
    for_more = "; limit= asks for fewer, get_node for one node"

    query: PlainText
    intent: Plain
    weights: Figures
    confidence: Figure = Field(description="How surely the graph knows anything of the query; below 0.25, nothing.")
    notes: list[Plain] = Field(description="Why there is no hit, or none that answers.")
    hits: list[FoundNode]


class Link(BaseModel):
    """One edge of a node: ``out`` leads from it to the other node, ``in`` the other way."""

    direction: Literal["out", "in"]
    type: Plain
    weight: float
    id: str
    name: Plain


class GotNode(Answer):
    """A whole node: its text from an offset on, its metadata, and its edges, the heaviest first."""

    shortened = ("edges",)

    id: str
    name: Plain
    type: Plain
    text: Page
    length: int = Field(description="Characters of the text in all.")
    next_offset: int | None = Field(description="Where the text goes on; null at its end.")
    source: Plain
    metadata: Shown
    edges: list[Link]
    edges_in_all: int


class AnsweringNode(BaseModel):
    """One node of an answer to a question, and what it says there."""

    id: str
    name: Plain
    type: Plain
    snippet: Plain
    score: Figure
    why: Plain


class Asked(Answer):
    """The answer to a question about the graph: by which method, in words, and the nodes it is made of."""

    shortened = ("nodes",)
    for_more = "; limit= asks for fewer, get_node for one node"

    question: PlainText
    method: Plain
    why: Plain
    headline: Plain
    text: PlainText
    nodes: list[AnsweringNode]
    notes: list[Plain]
    truncated: bool
    mermaid: Chart | None = None


class Explained(Answer):
    """Why a node stands where it does."""

    query: PlainText
    id: str
    name: Plain
    rank: int | None = Field(description="Place in the ranking, from 1; null if the node is no hit.")
    score: Figure
    intent: Plain
    weights: Figures
    components: Figures
    text: PlainText


class Recorded(Answer):
    """What was learned from."""

    shortened = ("tools",)

    tools: list[str]
    success: bool
    graph_edges: int
