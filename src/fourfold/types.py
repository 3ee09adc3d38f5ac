"""The words all else speaks: nodes, edges, weights, hits and results. Frozen, without behaviour beyond display."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourfold.arguments import finite_number
from fourfold.errors import InvalidValueError
from fourfold.frozen import FrozenDict, thaw
from fourfold.markup import cut, escaped, html_name, html_table, marked, marked_html
from fourfold.plain_text import display_name, plain_text
from fourfold.snippets import snippet
from fourfold.tokenizer import USUAL, make_tokenizer

FloatArray = NDArray[np.floating[Any]]
"""A numpy array of floating point numbers (float32 or float64)."""

UNKNOWN_BELOW = 0.25
"""Confidence below which the graph is taken to know nothing of a question: keyboard noise stays under it."""

COMPONENTS = ("embedding", "text", "graph", "intent")
"""The four components in the order of the formula: α, β, γ, δ."""


class Intent(StrEnum):
    """The eight intents a query can have; users may add their own as IntentSpecs in the config."""

    EXACT_MATCH = "exact_match"
    DEBUGGING = "debugging"
    CAPABILITY_CHECK = "capability_check"
    WORKFLOW = "workflow"
    COMPARISON = "comparison"
    GOAL_BASED = "goal_based"
    EXPLORATORY = "exploratory"
    SEMANTIC = "semantic"


@dataclass(frozen=True, slots=True)
class Node:
    """One thing that can be found.

    Args:
        id: unique and not empty; adding a node with a known id replaces it.
        name: what people call it; weighs more than the text. A node with neither, nor a vector, is called by its id.
        type: a label such as "tool" or "person"; searchable.
        text: any length; searchable and embedded.
        metadata: JSON values; filters bind on them.
        vector: the node's embedding, shape (dimensions,); None lets the retriever's embedder make it.

    """

    id: str
    name: str = ""
    type: str = ""
    text: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    vector: Sequence[float] | FloatArray | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Edge:
    """A typed, directed edge, identified by (source, target, type); adding it again replaces its weight.

    ``weight`` multiplies the weight of the type (except in ``RetrievalConfig.published()``) and must be finite and ≥ 0.
    """

    source: str
    target: str
    type: str = ""
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Weights:
    """The four weights of the sum; each finite and ≥ 0, not all zero."""

    embedding: float
    text: float
    graph: float
    intent: float

    def __post_init__(self) -> None:
        """Refuse weights that no sum can use."""
        for name, value in self.as_dict().items():
            object.__setattr__(self, name, finite_number(value, f"The weight of {name}", least=0))
        if not any(self.as_tuple()):
            raise InvalidValueError("All four weights are 0; at least one of them must be above 0.")

    def __str__(self) -> str:
        return " ".join(f"{name} {value:.2f}" for name, value in self.as_dict().items())

    def as_tuple(self) -> tuple[float, float, float, float]:
        """Return (α, β, γ, δ)."""
        return (self.embedding, self.text, self.graph, self.intent)

    def as_dict(self) -> dict[str, float]:
        """Return the weights by component name."""
        return dict(zip(COMPONENTS, self.as_tuple(), strict=True))


@dataclass(frozen=True, slots=True)
class Components:
    """The four component scores of one hit, each in [0, 1], before weighting."""

    embedding: float = 0.0
    text: float = 0.0
    graph: float = 0.0
    intent: float = 0.0

    def as_dict(self) -> dict[str, float]:
        """Return the scores by component name."""
        return {"embedding": self.embedding, "text": self.text, "graph": self.graph, "intent": self.intent}


@dataclass(frozen=True, slots=True)
class PathStep:
    """One edge of a path, followed ``along`` its arrow or against it; the ends are ids, the nodes' names beside."""

    source: str
    target: str
    type: str
    along: bool = True
    source_name: str = ""
    target_name: str = ""


@dataclass(frozen=True, slots=True)
class Evidence:
    """One thing that a score comes from, and how much of the score it is; a hit's evidence adds up to its score.

    ``component`` is one of the four, or "bridge", "diversity", "coverage", "sides", "rerank", "recency", "pinned",
    "clip", "filter" or "chunks". ``kind`` says what stands beside the value:

    | kind | of | tells |
    |---|---|---|
    | "similarity" | embedding | ``cosine``, the raw cosine |
    | "term" | text | ``word``, as typed in the question |
    | "phrase", "name" | text | ``word``, the phrase that FTS5 found; the name by which the question calls it |
    | "path" | graph, intent | ``path``, the edges from a seed to the node |
    | "condition" | intent | ``word``, what the node meets of the question: "state open" |
    | "pagerank" | graph | how central it is in the whole graph, whatever is asked; only where it is blended in |
    | "rest" | any | what is too small to be told one by one |
    | "bridge" | bridge | ``path``, from the passage it adds to; ``word`` that this one lacks, if any |
    | "named" | bridge | the same where that passage, which no mention links, holds all words of its name |
    | "bonus" | diversity | first hit of its community |
    | "coverage" | coverage | how much of the question it adds to the hits before it, relative to the first |
    | "side" | sides | so that neither side of a comparison fills the answer |
    | "rerank" | rerank | moved by the reranker; ``word``, the score it gave |
    | "recency" | recency | faded; ``word``, its age in days |
    | "pinned" | pinned | gained by being pinned |
    | "clipped" | clip | the sum was above 1 |
    | "masked" | filter | the filter leaves the node out |
    | "hidden" | chunks | a document that was cut: its chunks are the answers |
    """

    component: str
    kind: str
    value: float
    word: str = ""
    cosine: float | None = None
    path: tuple[PathStep, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the evidence in plain JSON types."""
        found: dict[str, Any] = {"component": self.component, "kind": self.kind, "value": self.value}
        if self.word:
            found["word"] = self.word
        if self.cosine is not None:
            found["cosine"] = self.cosine
        if self.path:
            found["path"] = [
                {"source": step.source, "target": step.target, "type": step.type, "along": step.along}
                for step in self.path
            ]
        return found


@dataclass(frozen=True, slots=True)
class Grounds:
    """What stands behind a hit, or behind the best of a whole answer.

    ``confidence`` says how surely the graph knows what is asked, in [0, 1], calibrated on the graph's own texts;
    ``cosine`` is that of question and node, unscaled, None without vectors; ``covered`` the share of the question's idf
    mass that the node holds (as in BM25); ``path`` how surely words of the question ask for edges that lead there from
    what it names, in [0, 1]: 0 where none do.
    """

    confidence: float = 0.0
    cosine: float | None = None
    covered: float = 0.0
    path: float = 0.0

    def as_dict(self) -> dict[str, Any]:
        """Return all in plain JSON types, without a path where there is none."""
        found = {"confidence": self.confidence, "cosine": self.cosine, "covered": self.covered}
        return {**found, "path": self.path} if self.path else found


@dataclass(frozen=True, slots=True)
class Hit:
    """One result: the node, its score and everything the score is made of.

    ``method`` names the components that scored the node, such as "text+graph"; ``why`` is one sentence; ``evidence``
    is what the score is made of, piece by piece, adding up to it; ``community`` is the number of the node's community
    or None; ``grounds`` say how surely the graph knows what is asked; ``vector`` of the node is not loaded.
    """

    node: Node
    score: float
    components: Components
    method: str
    why: str = ""
    community: int | None = None
    evidence: tuple[Evidence, ...] = ()
    grounds: Grounds = Grounds()

    @property
    def confidence(self) -> float:
        """How surely this hit has to do with the question, in [0, 1]: what ``min_confidence`` cuts on."""
        return self.grounds.confidence

    def _repr_html_(self) -> str:
        """Show the hit in a notebook, the words of the question that its evidence names marked."""
        words = " ".join(item.word for item in self.evidence if item.kind in ("term", "phrase", "name"))
        return html_table("", _HEAD, [_cells(self, words, make_tokenizer(USUAL).terms)])

    def as_dict(self) -> dict[str, Any]:
        """Return the hit in plain JSON types."""
        return {
            "id": self.node.id,
            "name": self.node.name,
            "type": self.node.type,
            "text": self.node.text,
            "metadata": thaw(self.node.metadata),
            "score": self.score,
            "components": self.components.as_dict(),
            "method": self.method,
            "why": self.why,
            "community": self.community,
            "grounds": self.grounds.as_dict(),
            "evidence": [item.as_dict() for item in self.evidence],
        }


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The answer to one query: hits, best first, with the intent that was read and the weights in force.

    ``degraded`` names the components that failed; ``generation`` is the state of the graph; ``meta`` tells what
    diversity changed; ``grounds`` say how surely the graph knows anything of the question; ``notes`` why there is no
    hit, or what was asked for in vain; ``tokenizer`` names the index's, by which words are marked when shown.
    """

    query: str
    hits: tuple[Hit, ...]
    intent: str
    weights: Weights
    mode: str = "hybrid"
    degraded: tuple[str, ...] = ()
    generation: int = 0
    meta: Mapping[str, Any] = field(default_factory=FrozenDict)
    grounds: Grounds = Grounds()
    notes: tuple[str, ...] = ()
    tokenizer: str = field(default="", compare=False, repr=False)

    @property
    def confidence(self) -> float:
        """How surely the graph knows anything of the question, in [0, 1]."""
        return self.grounds.confidence

    @property
    def known(self) -> bool:
        """Whether the graph seems to know anything of the question: its confidence is at least ``UNKNOWN_BELOW``."""
        return self.grounds.confidence >= UNKNOWN_BELOW

    @property
    def total(self) -> int:
        """Number of hits."""
        return len(self.hits)

    def __len__(self) -> int:
        return len(self.hits)

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __getitem__(self, place: int) -> Hit:
        return self.hits[place]

    @property
    def ids(self) -> list[str]:
        """The ids of the hits, best first."""
        return [hit.node.id for hit in self.hits]

    def as_dict(self) -> dict[str, Any]:
        """Return the whole answer in plain JSON types."""
        return {
            "query": self.query,
            "mode": self.mode,
            "total": self.total,
            "intent": str(self.intent),
            "weights": self.weights.as_dict(),
            "degraded": list(self.degraded),
            "generation": self.generation,
            "meta": thaw(self.meta),
            "grounds": self.grounds.as_dict(),
            "notes": list(self.notes),
            "hits": [hit.as_dict() for hit in self.hits],
        }

    def __str__(self) -> str:
        lines = [f"{self.query!r}: intent {self.intent}, weights {self.weights}"]
        if not self.known:
            lines.append(f"     {_UNKNOWN} (confidence {self.confidence:.2f})")
        lines += [f"     {note}" for note in self.notes]
        for rank, hit in enumerate(self.hits, 1):
            name = display_name(hit.node.name, hit.node.id)
            lines.append(f"{rank:3}. {hit.score:.3f}  {name}  [{hit.method}]  {hit.why}")
        return "\n".join(plain_text(line.replace("\n", " ")) for line in lines)

    def _repr_html_(self) -> str:
        """Show the answer as a table in a notebook: names, snippets with the question's words marked, and why."""
        terms = make_tokenizer(self.tokenizer or USUAL).terms
        rows = ([str(rank), *_cells(hit, self.query, terms)] for rank, hit in enumerate(self.hits, 1))
        caption = f"{self.query} — {self.intent}, {self.weights}" + ("" if self.known else f" — {_UNKNOWN}")
        return html_table(caption, ("#", *_HEAD), rows)


@dataclass(frozen=True, slots=True)
class Contribution:
    """One summand of a score: which component, what evidence, how much of the score it is."""

    component: str
    evidence: str
    value: float


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a node stands where it does: ``sum(item.value for item in evidence) == score``.

    ``rank`` counts from 1 and is None where the node is no hit (masked by the filter, or without any score).
    """

    query: str
    node: Node
    rank: int | None
    score: float
    intent: str
    weights: Weights
    components: Components
    evidence: tuple[Evidence, ...]
    text: str
    contributions: tuple[Contribution, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the explanation in plain JSON types."""
        return {
            "query": self.query,
            "id": self.node.id,
            "name": self.node.name,
            "rank": self.rank,
            "score": self.score,
            "intent": str(self.intent),
            "weights": self.weights.as_dict(),
            "components": self.components.as_dict(),
            "evidence": [item.as_dict() for item in self.evidence],
            "contributions": [asdict(one) for one in self.contributions],
            "text": self.text,
        }

    def __str__(self) -> str:
        return plain_text(self.text)

    def _repr_html_(self) -> str:
        """Show the contributions as a table in a notebook."""
        rows = [[escaped(c.component), escaped(cut(c.evidence, 300)), f"{c.value:+.4f}"] for c in self.contributions]
        rows.append(["", "<b>score</b>", f"<b>{self.score:.4f}</b>"])
        return html_table(cut(self.text.partition("\n")[0], 300), (), rows)


_UNKNOWN = "the graph seems to know nothing of this"
_HEAD = ("node", "score", *COMPONENTS, "why")
_SNIPPET = 200


def _cells(hit: Hit, question: str, terms: Callable[[str], Sequence[str]]) -> Sequence[str]:
    """Return a hit as cells of HTML, the question's words marked in its name and its text."""
    wanted = frozenset(terms(question))
    passage = plain_text(snippet(hit.node.text, question, terms, length=_SNIPPET))
    name = marked_html(marked(cut(display_name(hit.node.name, hit.node.id), _SNIPPET), wanted, terms))
    numbers = (hit.score, *hit.components.as_dict().values())
    shown = html_name(name, cut(hit.node.type, _SNIPPET), marked_html(marked(passage, wanted, terms)))
    return [shown, *(f"{number:.3f}" for number in numbers), escaped(cut(hit.why, 600))]
