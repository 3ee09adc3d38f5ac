"""Why: one node's score taken apart, its text, and the neighbourhood that carried score to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from starlette.requests import Request
from starlette.responses import Response

from fourfold import Explanation, InvalidValueError, Node, SearchResult
from fourfold.lens.neighbourhood import neighbourhood
from fourfold.lens.page import Pages
from fourfold.lens.rows import added_by, bar_of, marked_name, why_address
from fourfold.lens.session import Session, share_by_component
from fourfold.lens.state import Asked
from fourfold.lens.why_not import why_not
from fourfold.markup import Piece, cut, marked
from fourfold.plain_text import plain_text
from fourfold.present import in_words
from fourfold.questions.results import title
from fourfold.types import COMPONENTS, Evidence

LONGEST_TEXT = 6000
"""Characters of a node's text that are shown."""

SMALL = 0.01
"""A piece of evidence that is less of the score than this is told further below."""

_MOST_METADATA = 40


@dataclass(frozen=True, slots=True)
class Reason:
    """One piece of evidence: whose colour it has, what it says, how much of the score it is."""

    component: str
    sentence: str
    value: float
    share: float

    @property
    def small(self) -> bool:
        """Whether it is too little of the score to be read one by one."""
        return abs(self.share) < SMALL


def why(pages: Pages, request: Request) -> Response:
    """Show why a node stands where it does, or why it is not among the hits."""
    asked = Asked.of(request.query_params)
    node_id = request.query_params.get("node", "")
    if not node_id:
        raise InvalidValueError("The address names no node; open this page from a hit.")
    session = pages.session
    explanation = session.explain(asked, node_id)
    node = explanation.node
    result = session.search(asked)
    reasons = reasons_of(explanation)
    context = {
        "asked": asked,
        "view": "search",
        "node": node,
        "explanation": explanation,
        "name": marked_name(session, node, asked.question),
        "reasons": reasons,
        "smaller": [reason for reason in reasons if reason.small],
        "shares": share_by_component(explanation.evidence),
        "whole": bar_of(explanation.evidence, explanation.score, max(added_by(explanation.evidence), 1e-9)),
        "text": text_of(session, node, asked.question),
        "around": around_of(session, asked, node),
        "metadata": [(cut(key, 80), value) for key, value in list(node.metadata.items())[:_MOST_METADATA]],
        "drawing": neighbourhood(session, asked, explanation),
        "missing": None if explanation.rank else why_not(session, asked, explanation),
        "beside": neighbours_in_rank(asked, result, explanation.rank),
    }
    return pages.render("why.html", context)


def reasons_of(explanation: Explanation) -> list[Reason]:
    """Return the evidence as sentences, the strongest first; their values add up to the score."""
    total = explanation.score or 1.0
    return [
        Reason(
            item.component if item.component in COMPONENTS else "other",
            sentence_of(item),
            item.value,
            item.value / total,
        )
        for item in sorted(explanation.evidence, key=lambda each: -abs(each.value))
    ]


def sentence_of(item: Evidence) -> str:
    """Return what a piece of evidence says, with names that are not longer than a sentence bears."""
    path = tuple(
        replace(
            step,
            source=cut(step.source, 60),
            target=cut(step.target, 60),
            source_name=cut(step.source_name, 60),
            target_name=cut(step.target_name, 60),
            type=cut(step.type, 40),
        )
        for step in item.path
    )
    told = in_words(replace(item, path=path, word=cut(item.word, 60)))
    return f"Reached {told}" if item.kind == "path" else told[:1].upper() + told[1:]


def text_of(session: Session, node: Node, question: str) -> tuple[list[Piece], str]:
    """Return the text of a node with its lines and the question's words marked, and a sentence where it is cut."""
    text = plain_text(node.text[:LONGEST_TEXT])
    note = "" if len(node.text) <= LONGEST_TEXT else f"The first {LONGEST_TEXT:,} of {len(node.text):,} characters."
    return marked(text, frozenset(session.terms(question)), session.terms), note


def around_of(session: Session, asked: Asked, node: Node) -> list[tuple[str, str | None, bool]]:
    """Return the chunks before and after in the document: a beginning, where it is explained, whether it is this."""
    chunks = session.around(node, 1)
    if len(chunks) < 2:
        return []
    return [(cut(chunk.text, 160), why_address(asked, chunk.id), chunk.id == node.id) for chunk in chunks]


def neighbours_in_rank(asked: Asked, result: SearchResult, rank: int | None) -> Sequence[tuple[str, str, str | None]]:
    """Return the hits before and after, to walk through the answer."""
    if rank is None:
        return []
    beside = (("Before", rank - 1), ("After", rank + 1))
    return [
        (f"{word}: {place}", cut(title(hit.node), 60), why_address(asked, hit.node.id))
        for word, place in beside
        if 1 <= place <= len(result.hits)
        for hit in (result.hits[place - 1],)
    ]
