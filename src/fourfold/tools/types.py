"""The words of the tools room: a tool, an answer of tool search, and a workflow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, TypedDict

from fourfold.arguments import shown
from fourfold.errors import InvalidValueError
from fourfold.frozen import FrozenDict, thaw
from fourfold.markup import cut, escaped, html_name, html_table
from fourfold.mermaid import flowchart
from fourfold.plain_text import display_name, plain_text


@dataclass(frozen=True, slots=True)
class Tool:
    """Something an agent can call.

    Args:
        name: as the agent calls it.
        server: who offers it; without one the id is the name alone. May not hold a colon, so that ids stay distinct.
        description: searchable, any length.
        input_schema: JSON schema of the arguments; names and descriptions of the parameters become searchable.
        output_schema: JSON schema of the result, if known.

    """

    name: str
    server: str = ""
    description: str = ""
    input_schema: Mapping[str, Any] = field(default_factory=dict)
    output_schema: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse a tool that could not be told from another."""
        if not isinstance(self.name, str) or not self.name.strip():
            raise InvalidValueError(f"A tool has the name {shown(self.name)}; it must be a string that is not empty.")
        if not isinstance(self.server, str) or ":" in self.server:
            raise InvalidValueError(
                f"The server of tool {shown(self.name)} is {shown(self.server)}; it must be a string without a colon."
            )
        if not isinstance(self.description, str):
            raise InvalidValueError(
                f"The description of tool {shown(self.name)} is no string: {shown(self.description)}."
            )
        for name in ("input_schema", "output_schema"):
            schema = getattr(self, name)
            if not isinstance(schema, Mapping):
                raise InvalidValueError(f"The {name} of tool {shown(self.name)} is no JSON schema: {shown(schema)}.")

    @property
    def id(self) -> str:
        """``server:name``."""
        return f"{self.server}:{self.name}" if self.server else self.name


class Described(TypedDict):
    """What an answer says of a tool. The description is data from whoever wrote the tool, cut to length."""

    id: str
    name: str
    server: str
    description: str


@dataclass(frozen=True, slots=True)
class ToolEntry:
    """One tool of an answer; scores in [0, 1]. The description is data from whoever wrote the tool, cut to length."""

    id: str
    name: str
    server: str
    description: str
    score: float
    semantic_score: float
    graph_score: float


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """The answer of ``search_tools``: the tools, best first, and under ``meta`` how they were found."""

    tools: tuple[ToolEntry, ...]
    meta: Mapping[str, Any]

    @property
    def ids(self) -> list[str]:
        """The ids of the tools, best first."""
        return [tool.id for tool in self.tools]

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences on what the answer could not take into account."""
        return unknown_context(self.meta.get("unknown_context_tools", ()))

    def __iter__(self) -> Iterator[ToolEntry]:
        return iter(self.tools)

    def __len__(self) -> int:
        return len(self.tools)

    def __getitem__(self, name: str) -> Any:
        """Return ``"tools"`` or ``"meta"`` in plain JSON types, as the published answer has them."""
        return self.as_dict()[name]

    def as_dict(self) -> dict[str, Any]:
        """Return the answer in plain JSON types."""
        return {"tools": [asdict(tool) for tool in self.tools], "meta": thaw(self.meta)}

    def _repr_html_(self) -> str:
        """Show the answer as a table in a notebook."""
        rows = (
            [str(rank), _shown(tool), f"{tool.score:.3f}", f"{tool.semantic_score:.3f}", f"{tool.graph_score:.3f}"]
            for rank, tool in enumerate(self.tools, 1)
        )
        return html_table("", ("#", "tool", "score", "semantic", "graph"), rows) + _told(self.notes)

    def __str__(self) -> str:
        lines = [f"{n:3}. {t.score:.3f}  {t.id}  {plain_text(t.description, 160)}" for n, t in enumerate(self.tools, 1)]
        lines = [*(lines or ["No tool matches."]), *(f"Note: {note}" for note in self.notes)]
        return "\n".join(plain_text(line.replace("\n", " ")) for line in lines)


StepKind = Literal["goal", "needed", "maybe_needed", "before", "between", "suggested"]
"""Why a step is there: the request means it, a step needs or may need it, it usually comes before a step or between
two, or it goes together with one."""


@dataclass(frozen=True, slots=True)
class Step:
    """One tool of a workflow.

    ``stage`` counts from 0; steps of one stage do not wait for each other. ``after`` names the tools of the workflow
    that come before it; ``confidence`` is in [0, 1].
    """

    id: str
    name: str
    server: str
    description: str
    reason: str
    stage: int
    confidence: float
    after: tuple[str, ...] = ()
    kind: StepKind = "goal"

    def as_dict(self) -> dict[str, Any]:
        """Return the step in plain JSON types."""
        return {**asdict(self), "after": list(self.after)}


@dataclass(frozen=True, slots=True)
class Workflow:
    """Tools in the order in which to call them.

    ``suggested`` are further tools that go together with those of the steps, and are none: nothing says that they are
    needed, or when. ``missing`` are the parts of the request that no tool of the catalogue serves. ``cycles`` are the
    groups of tools that need each other: their order is a guess. ``confidence`` is the mean of the steps', 0 without
    any. ``notes`` say what could not be taken into account.
    """

    request: str
    steps: tuple[Step, ...]
    suggested: tuple[Step, ...] = ()
    missing: tuple[str, ...] = ()
    cycles: tuple[tuple[str, ...], ...] = ()
    meta: Mapping[str, Any] = field(default_factory=FrozenDict)
    notes: tuple[str, ...] = ()

    @property
    def tools(self) -> list[str]:
        """The ids of the steps in order."""
        return [step.id for step in self.steps]

    @property
    def stages(self) -> list[list[str]]:
        """The ids by stage: the tools of one stage can run side by side."""
        count = max((step.stage for step in self.steps), default=-1) + 1
        return [[step.id for step in self.steps if step.stage == stage] for stage in range(count)]

    @property
    def confidence(self) -> float:
        """How sure the suggestion is, in [0, 1]."""
        return sum(step.confidence for step in self.steps) / len(self.steps) if self.steps else 0.0

    def as_dict(self) -> dict[str, Any]:
        """Return the workflow in plain JSON types."""
        return {
            "request": self.request,
            "steps": [step.as_dict() for step in self.steps],
            "suggested": [step.as_dict() for step in self.suggested],
            "missing": list(self.missing),
            "stages": self.stages,
            "cycles": [list(cycle) for cycle in self.cycles],
            "confidence": self.confidence,
            "notes": list(self.notes),
            "meta": thaw(self.meta),
        }

    def mermaid(self) -> str:
        """Return a Mermaid flow chart; what comes first stands on top, dotted lines lead to what is only suggested."""
        labels = {step.id: step.id for step in (*self.steps, *self.suggested)}
        arrows = [(before, step.id, "") for step in self.steps for before in step.after]
        dotted = [(before, step.id, "") for step in self.suggested for before in step.after]
        return flowchart(labels, arrows, dotted=dotted, direction="TD")

    to_mermaid = mermaid

    def _repr_html_(self) -> str:
        """Show the workflow as a table in a notebook, its steps in their order."""
        told = [(str(step.stage + 1), step) for step in self.steps] + [("suggested", step) for step in self.suggested]
        rows = ([stage, _shown(step), f"{step.confidence:.2f}", escaped(cut(step.reason, 300))] for stage, step in told)
        notes = _told((*(f"Nothing serves {cut(part, 200)}." for part in self.missing), *self.notes))
        return html_table(cut(self.request, 300), ("stage", "tool", "confidence", "why"), rows) + notes

    def __str__(self) -> str:
        lines = [] if self.steps else [f"No tool matches {self.request!r}."]
        lines += [
            f"{n}. {s.id}  (stage {s.stage + 1}, {s.confidence:.2f})  {s.reason}" for n, s in enumerate(self.steps, 1)
        ]
        lines += [f"Suggested: {s.id}  ({s.confidence:.2f})  {s.reason}" for s in self.suggested]
        lines += [f"Missing: nothing serves {part!r}." for part in self.missing]
        lines += [f"These need each other, their order is a guess: {', '.join(cycle)}." for cycle in self.cycles]
        lines += [f"Note: {note}" for note in self.notes]
        return "\n".join(plain_text(line.replace("\n", " ")) for line in lines)


def _shown(of: ToolEntry | Step) -> str:
    """Return a tool as a cell of HTML: its name, its server and the beginning of its description."""
    return html_name(
        escaped(cut(display_name(of.name, of.id), 200)), cut(of.server, 80), escaped(cut(of.description, 200))
    )


def _told(notes: Sequence[str]) -> str:
    """Return sentences as paragraphs of HTML."""
    return "".join(f"<p>{escaped(note)}</p>" for note in notes)


def unknown_context(names: Sequence[str]) -> tuple[str, ...]:
    """Return a sentence for each name in the context that is no tool, or that of several."""
    return tuple(f"No one tool is called {shown(name)}; it is left out of the context." for name in names)
