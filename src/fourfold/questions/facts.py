"""Search as an answer of ``ask``: a ranked list, or what a relation of something named leads to: "the capital of X".

Such a question names a node and asks by the words of an edge type, whatever else its phrase sounds like: "what is the
capital of X" is no lesson about X. Search follows these words (``signals.paths``); where it is sure of them, what they
lead to is the answer. What asks for the graph itself stays with its own method: how something works, what a change
would break, two things side by side.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from fourfold.plain_text import display_name, plain_text
from fourfold.questions import impact
from fourfold.questions.intents import READ, QuestionIntent
from fourfold.questions.locate import Subject
from fourfold.questions.results import Answer, arrow, title
from fourfold.questions.view import View
from fourfold.types import Hit, Node, PathStep, SearchResult

SURE = 0.61
"""A path is the answer where it is surer than one that a question word alone asks for, or no word at all (.6)."""

_OUTRANKED = (
    QuestionIntent.FIND_TOOL,
    QuestionIntent.RECOMMEND,
    QuestionIntent.OPTIMIZE,
    QuestionIntent.LEARN,
    QuestionIntent.EXPLORE,
    QuestionIntent.IMPACT,
    QuestionIntent.COMPARE,
)
_ASKS_FOR_SOMETHING = re.compile(
    r"(?:(?:and|so|about|at|by|for|from|in|into|of|on|to|under|with) )?"
    r"(?:what|which|who|whom|whose|where|when|an?|the)(?:'s)? ",
    re.IGNORECASE,
)
"""How a question, or a phrase for what is looked for, begins: neither a request nor "how" and "why"."""

_ASKS_FOR_ADVICE = re.compile(r"\b(?:can|could|do|may|must|shall|should|would) (?:i|we|you|one)\b", re.IGNORECASE)

_OF_A_CHANGE = re.compile(
    r"\b(?:if|once|when(?! (?:is|are|was|were|do|does|did)\b)|change to|outage|failure|loss|downstream|upstream|blast"
    r"|impact\w*|consequence\w*"
    r"|(?:happen|break|ripple|repercussion|ramification|effect)s?"
    r"|(?:chang|remov|delet|renam|retir|replac|updat|upgrad|migrat|dropp|los|disabl)ing)\b",
    re.IGNORECASE,
)
_OR = re.compile(r"\bor\b", re.IGNORECASE)
_HOW_MANY = re.compile(r"\bhow many\b", re.IGNORECASE)
COUNTED = 0.5
"""A path is what is counted where the question names the kind of thing that it leads to: "how many orders has X"."""

_SEVERAL = 2
_NAMED = 5
"""So many of what is asked for are named at most in one sentence."""

_COUNTED_TO = 1_000
"""So many facts are counted, and along so many edges of a node search goes (``Paths.fan``)."""

_ROUNDING = 1e-9


@dataclass(frozen=True, kw_only=True)
class SearchAnswer(Answer):
    """The ranked list of a plain search: what is answered where no method fits."""

    result: SearchResult
    count: int = 0
    """How many ``facts`` there are in the graph, those beyond the hits with them; at least, where ``truncated``."""

    @property
    def how_many(self) -> bool:
        """Whether the question asks for a number of things."""
        return _HOW_MANY.search(self.result.query[:READ]) is not None

    @property
    def facts(self) -> tuple[Hit, ...]:
        """The hits that the question asks for by edges of what it names; none where search is not sure of that."""
        hits = self.result.hits
        if not hits or hits[0].grounds.path < (COUNTED if self.how_many else SURE):
            return ()
        return tuple(hit for hit in hits if hit.grounds.path >= hits[0].grounds.path - _ROUNDING)

    @property
    def path(self) -> tuple[PathStep, ...]:
        """The edges that lead from what the question names to the first of ``facts``."""
        ways = (item for hit in self.facts[:1] for item in hit.evidence if item.component == "intent" and item.path)
        return next((item.path for item in ways), ())

    def rows(self) -> Iterator[tuple[Node, float, str]]:
        """Yield the hits."""
        for hit in self.result:
            yield hit.node, hit.score, hit.why

    def headline(self) -> str:
        """Return what is asked for and how it is reached; else how many hits there are, or that nothing is known."""
        if self.facts:
            names = [f"{title(hit.node)}{_met(hit)}" for hit in self.facts[:_NAMED]]
            least = "at least " if self.truncated else ""
            more = f" and {least}{self.count - len(names)} more" if self.count > len(names) else ""
            number = f"{least}{self.count}: " if self.how_many else ""
            path = _drawn(self.path)
            return plain_text(f"{number}{', '.join(names)}{more}{path and ': '}{path}")
        if not self.result.known:
            told = f"(confidence {self.result.confidence:.2f})"
            return f"Nothing: the graph seems to know nothing of {self.result.query!r} {told}."
        return f"{len(self.result)} hits for {self.result.query!r}, searched as {self.result.intent}:"


def searched(view: View, query: str, k: int) -> SearchAnswer:
    """Return what search finds; no hits where the graph seems to know nothing of the question.

    What "how many" counts is what "which" finds, where that is nearer: "how many projects does X work on" beside an
    edge *project_of*.
    """
    found, asked = _found(view, query, k), query
    if found.how_many and len(found.path) > 1:
        which = _HOW_MANY.sub("which", query, count=1)
        nearer = _found(view, which, k)
        if 0 < len(nearer.path) < len(found.path):
            found, asked = replace(nearer, result=replace(nearer.result, query=found.result.query)), which
    if found.facts:
        return _counted(view, asked, found)
    return found if found.result.known else replace(found, result=replace(found.result, hits=()))


def _found(view: View, query: str, k: int) -> SearchAnswer:
    result = view.retriever.search(query, k=k)
    return SearchAnswer(result=result, notes=result.notes)


def _counted(view: View, query: str, found: SearchAnswer) -> SearchAnswer:
    """Return the answer with how many facts there are: where they fill the list, in a longer one."""
    facts, path = found.facts, found.path
    if len(facts) < len(found.result):
        return replace(found, count=len(facts))
    facts = replace(found, result=view.retriever.search(query, k=_COUNTED_TO)).facts
    if len(facts) == _COUNTED_TO and len(path) == 1:
        return replace(found, count=max(len(facts), _all_of_one_step(view, path[0], facts)))
    begins = np.fromiter(view.numbers([step.source for step in path]).values(), np.int64)
    cut = len(facts) == _COUNTED_TO or bool((view.snapshot.edges.degree(begins) > _COUNTED_TO).any())
    notes = (
        (*found.notes, f"Of a node with more than {_COUNTED_TO:,} edges not all were followed.") if cut else found.notes
    )
    return replace(found, count=len(facts), truncated=cut, notes=notes)


def _all_of_one_step(view: View, step: PathStep, facts: Sequence[Hit]) -> int:
    """Return how many nodes of the types of the facts all edges of the step lead to: search follows a part of them."""
    edges = [edge for edge in view.retriever.edges([step.source]) if edge.type == step.type]
    near, far = ("source", "target") if step.along else ("target", "source")
    ends = {getattr(edge, far) for edge in edges if getattr(edge, near) == step.source}
    kinds = {hit.node.type for hit in facts}
    return sum(node.type in kinds for node in view.retriever.get(ends))


def instead_of(view: View, query: str, intent: QuestionIntent | None, k: int) -> SearchAnswer | None:
    """Return what edges lead to, by the words of a question whose phrase alone would let another method answer it.

    A question for what depends on a node stays with the method that follows such edges over many steps, unless it asks
    for other edges, too, or names several nodes; and a comparison, unless it asks which of two is more of something.
    """
    asked = " ".join(query[:READ].split())
    if intent not in _OUTRANKED or not _ASKS_FOR_SOMETHING.match(asked) or _ASKS_FOR_ADVICE.search(asked):
        return None
    if intent is QuestionIntent.IMPACT and _OF_A_CHANGE.search(asked):
        return None
    if intent is QuestionIntent.COMPARE and not _OR.search(asked):
        return None
    found = searched(view, query, k)
    if not found.facts or (intent is QuestionIntent.COMPARE and len(found.facts) > 1):
        return None
    if intent is QuestionIntent.IMPACT:
        followed = {match.type for match in impact.dependents(view.vocabulary)[0]}
        named = [subject for subject in view.subjects(query) if subject.confidence == 1.0]
        if len(named) < _SEVERAL and followed.issuperset(step.type for step in found.path):
            return None
    return found


def told_of(view: View, found: SearchAnswer) -> tuple[str, tuple[Subject, ...]]:
    """Return why what a path leads to is the answer, and the node that the question names, where the path begins."""
    begins = view.numbers([step.source for step in found.path[:1]]).values()
    about = tuple(Subject(node, 1.0) for node in view.nodes(begins).values())
    sure = found.result.hits[0].grounds.path
    if _met(found.result.hits[0]):
        return f"These nodes meet what its words say of them (certainty {sure:.2f}).", about
    return f"Its words ask for what edges of a node that it names lead to (certainty {sure:.2f}).", about


def _met(hit: Hit) -> str:
    """Return in brackets what a hit meets of the question, where no path leads to it: " (state open)"; else ""."""
    return next((f" ({item.word})" for item in hit.evidence if item.kind == "condition"), "")


def _drawn(path: Sequence[PathStep]) -> str:
    """Return a path in one line: "Kestria —capital→ Dunholm"."""
    steps = [f"{arrow(step.type, along=step.along)} {display_name(step.target_name, step.target)}" for step in path]
    return " ".join([*(display_name(step.source_name, step.source) for step in path[:1]), *steps])
