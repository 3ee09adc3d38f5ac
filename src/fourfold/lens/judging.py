"""What to judge: the nodes that any signal brings for a question, and those on which the signals disagree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from fourfold import Hit, Weights
from fourfold.lens.rows import marked_name, marked_text, why_address
from fourfold.lens.session import Session
from fourfold.lens.state import Asked
from fourfold.markup import Piece
from fourfold.plain_text import counted

SIGNALS = {
    "embedding": Weights(1, 0, 0, 0),
    "text": Weights(0, 1, 0, 0),
    "graph": Weights(0.15, 0.15, 0.5, 0.2),
}
"""What is asked beside the whole method; the graph needs seeds, and so a little of the other two."""

PROPOSED = 5
"""Nodes of one question that are proposed to be judged next."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A node that some signal brings for a question.

    ``ranks`` is its rank by the whole method ("all") and by each of ``SIGNALS``, where it is among their first;
    ``disagreement`` is the largest difference of its reciprocal ranks; ``grade`` is None where it is not judged.
    """

    id: str
    name: Sequence[Piece]
    type: str
    snippet: Sequence[Piece]
    why: str | None
    ranks: Mapping[str, int]
    disagreement: float
    grade: float | None
    proposed: bool = False

    @property
    def standing(self) -> str:
        """Return where it stands by each signal, in words."""
        told = [f"{name} {self.ranks[name]}" if name in self.ranks else f"{name} –" for name in SIGNALS]
        return ", ".join(told)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the judgements are: questions, those with a relevant node, judgements, and how many the tuner wants."""

    questions: int
    answered: int
    judgements: int
    wanted: int

    def in_words(self) -> str:
        """Return it as a sentence."""
        if not self.questions:
            return f"Nothing is judged yet. The tuner wants {self.wanted} questions with a relevant hit."
        so_far = f"{counted(self.judgements, 'judgement')} on {counted(self.questions, 'question')}"
        if self.answered >= self.wanted:
            return f"{so_far}: enough for the tuner. More questions make its verdict surer."
        more = self.wanted - self.answered
        return (
            f"{so_far}; {self.answered} of them with a relevant hit. The tuner wants {self.wanted}: "
            f"{counted(more, 'more question')}."
        )


def progress(session: Session, judged: Mapping[str, Mapping[str, float]]) -> Progress:
    """Return how far the file's judgements are."""
    answered = sum(any(grade > 0 for grade in grades.values()) for grades in judged.values())
    return Progress(len(judged), answered, sum(map(len, judged.values())), session.wanted_questions)


def candidates(session: Session, asked: Asked, grades: Mapping[str, float]) -> list[Candidate]:
    """Return what is to be judged for a question: the answer in its order, then what a single signal brings."""
    plain = asked.untouched()
    answers = {"all": session.search(plain)}
    answers |= {name: session.search(replace(plain, weights=weights)) for name, weights in SIGNALS.items()}
    ranks: dict[str, dict[str, int]] = {}
    hits: dict[str, Hit] = {}
    for name, result in answers.items():
        for rank, hit in enumerate(result.hits, 1):
            ranks.setdefault(hit.node.id, {})[name] = rank
            hits.setdefault(hit.node.id, hit)
    pool = [_candidate(session, plain, hits[node_id], own, grades) for node_id, own in ranks.items()]
    open_ones = sorted((each for each in pool if each.grade is None), key=lambda each: (-each.disagreement, each.id))
    proposed = {each.id for each in open_ones[:PROPOSED]}
    return [replace(each, proposed=each.id in proposed) for each in pool]


def _candidate(
    session: Session, asked: Asked, hit: Hit, ranks: Mapping[str, int], grades: Mapping[str, float]
) -> Candidate:
    reciprocal = [1.0 / ranks[name] if name in ranks else 0.0 for name in SIGNALS]
    return Candidate(
        id=hit.node.id,
        name=marked_name(session, hit.node, asked.question),
        type=hit.node.type,
        snippet=marked_text(session, session.snippet(hit.node, asked.question), asked.question),
        why=why_address(asked, hit.node.id),
        ranks=ranks,
        disagreement=max(reciprocal) - min(reciprocal),
        grade=grades.get(hit.node.id),
    )
