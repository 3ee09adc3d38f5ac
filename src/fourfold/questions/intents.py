"""The 14 question intents: which query method answers a question.

A question scores +1.0 for each phrase of an intent that it holds and +0.3 for each keyword; the best three scores over
0.3 are kept. Phrases are regular expressions over the lower-cased question, keywords whole words. Phrases say how
people ask for something, keywords name what they ask about; neither names anything of a particular graph.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from fourfold.plain_text import plain_text

PHRASE_SCORE = 1.0
KEYWORD_SCORE = 0.3
THRESHOLD = 0.3
KEPT = 3
READ = 500
"""Only so many characters are read: what a text wants stands at its beginning."""


class QuestionIntent(StrEnum):
    """What a question wants of a graph."""

    FIND_TOOL = "find_tool"
    CHECK_CAPABILITY = "check_capability"
    COMPOSE_WORKFLOW = "compose_workflow"
    COMPARE = "compare"
    DEBUG = "debug"
    OPTIMIZE = "optimize"
    LEARN = "learn"
    EXPLORE = "explore"
    IMPACT = "impact"
    TRACE = "trace"
    RECOMMEND = "recommend"
    CREATE = "create"
    CONFIGURE = "configure"
    SECURITY = "security"


@dataclass(frozen=True)
class QuestionRule:
    """One intent as data: its phrases (regular expressions) and keywords (words; ``*`` at the end is any ending)."""

    intent: QuestionIntent
    phrases: tuple[str, ...]
    keywords: str

    @cached_property
    def _phrases(self) -> tuple[re.Pattern[str], ...]:
        return tuple(re.compile(phrase) for phrase in self.phrases)

    @cached_property
    def _keywords(self) -> re.Pattern[str]:
        endings = (
            re.escape(word[:-1]) + r"\w*" if word.endswith("*") else re.escape(word) for word in self.keywords.split()
        )
        return re.compile(rf"\b(?:{'|'.join(endings)})\b")

    def score(self, lowered: str) -> float:
        """Return the score of a lower-cased question."""
        phrases = sum(1 for phrase in self._phrases if phrase.search(lowered))
        keywords = len(set(self._keywords.findall(lowered)))
        return round(PHRASE_SCORE * phrases + KEYWORD_SCORE * keywords, 6)

    def words_in(self, lowered: str) -> list[tuple[int, int]]:
        """Return the spans of the question that are phrases of the intent, without what their groups stand for."""
        return [span for phrase in self._phrases for found in phrase.finditer(lowered) for span in _around(found)]


def _around(found: re.Match[str]) -> list[tuple[int, int]]:
    """Return the span of a match, or what of it stands before and after its group, where that has matched."""
    if found.lastindex is None:
        return [found.span()]
    return [(found.start(), found.start(1)), (found.end(1), found.end())]


@dataclass(frozen=True, slots=True)
class IntentScore:
    """One intent and its score."""

    intent: QuestionIntent
    score: float


@dataclass(frozen=True, slots=True)
class Classification:
    """The intents of a question, best first, at most three and each over 0.3; none if nothing was recognised."""

    query: str
    scores: tuple[IntentScore, ...]

    @property
    def intent(self) -> QuestionIntent | None:
        """The best intent, or None."""
        return self.scores[0].intent if self.scores else None

    def as_dict(self) -> dict[str, object]:
        """Return the classification in plain JSON types."""
        return {
            "query": self.query,
            "intent": None if self.intent is None else str(self.intent),
            "scores": [{"intent": str(found.intent), "score": found.score} for found in self.scores],
        }

    def __str__(self) -> str:
        listed = ", ".join(f"{found.intent} {found.score:.1f}" for found in self.scores)
        return plain_text(f"{self.query!r}: {listed or 'no question intent recognised'}")
