"""The words of the tools room: a tool, an answer of tool search, and a workflow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, TypedDict

from fourfold.errors import InvalidValueError
from fourfold.frozen import FrozenDict, thaw
from fourfold.plain_text import plain_text


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
            raise InvalidValueError(f"A tool has the name {self.name!r}; it must be a string that is not empty.")
        if not isinstance(self.server, str) or ":" in self.server:
            raise InvalidValueError(
                f"The server of tool {self.name!r} is {self.server!r}; it must be a string without a colon."
            )
        if not isinstance(self.description, str):
            raise InvalidValueError(f"The description of tool {self.name!r} is no string: {self.description!r}.")
        for name in ("input_schema", "output_schema"):
            if not isinstance(getattr(self, name), Mapping):
                raise InvalidValueError(f"The {name} of tool {self.name!r} is no JSON schema: {getattr(self, name)!r}.")

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

    def __str__(self) -> str:
        lines = [f"{n:3}. {tool.score:.3f}  {tool.id}  {tool.description}" for n, tool in enumerate(self.tools, 1)]
        return "\n".join(plain_text(line.replace("\n", " ")) for line in lines) or "No tool matches."


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


@dataclass(frozen=True, slots=True)
class Workflow:
    """Tools in the order in which to call them.

    ``cycles`` are the groups of tools that need each other: their order is a guess. ``confidence`` is the mean of
    the steps', 0 without any.
    """

    request: str
    steps: tuple[Step, ...]
    cycles: tuple[tuple[str, ...], ...] = ()
    meta: Mapping[str, Any] = field(default_factory=FrozenDict)

    @property
    def tools(self) -> list[str]:
        """The ids of the tools in order."""
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
        names = ("id", "name", "server", "description", "reason", "stage", "confidence")
        return {
            "request": self.request,
            "steps": [{**{n: getattr(s, n) for n in names}, "after": list(s.after)} for s in self.steps],
            "stages": self.stages,
            "cycles": [list(cycle) for cycle in self.cycles],
            "confidence": self.confidence,
            "meta": thaw(self.meta),
        }

    def to_mermaid(self) -> str:
        """Return a Mermaid flow chart; what comes first stands on top."""
        numbers = {step.id: f"t{place}" for place, step in enumerate(self.steps)}
        lines = ["flowchart TD"]
        lines += [f'    {numbers[step.id]}["{_quoted(step.id)}"]' for step in self.steps]
        lines += [f"    {numbers[before]} --> {numbers[step.id]}" for step in self.steps for before in step.after]
        return "\n".join(lines)

    def __str__(self) -> str:
        if not self.steps:
            return f"No tool matches {self.request!r}."
        lines = [
            f"{n}. {s.id}  (stage {s.stage + 1}, {s.confidence:.2f})  {s.reason}" for n, s in enumerate(self.steps, 1)
        ]
        lines += [f"These need each other, their order is a guess: {', '.join(cycle)}." for cycle in self.cycles]
        return "\n".join(plain_text(line.replace("\n", " ")) for line in lines)


def _quoted(text: str) -> str:
    """Return text that Mermaid shows and does not read."""
    return "".join(c if c.isalnum() or c in " _-./:" else f"#{ord(c)};" for c in plain_text(text))
