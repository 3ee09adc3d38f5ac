"""Query → intent. An intent is plain data: patterns, boosted keywords, a weight profile and edge types.

Source: the method's tables of intents, keywords, profiles and edge types. ``PUBLISHED_INTENTS`` is those tables to
the letter; ``DEFAULT_INTENTS`` mends their blind spots (a word boundary where a suffix follows, hyphenated prose
taken for an identifier), gives four of them the profiles that measurement asked for, and keeps the rest.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from fourfold.arguments import constants, shown
from fourfold.errors import InvalidValueError
from fourfold.types import Intent, Weights

NO_INTENT = "default"
"""The name that asks for the default profile: no intent, no keyword boost, no intent edges."""


@dataclass(frozen=True, slots=True)
class IntentSpec:
    """One intent as data; append your own to ``RetrievalConfig.intents.specs``.

    Args:
        name: what ``result.intent`` says.
        patterns: regular expressions, searched (not matched in full), in the lower-cased query
            unless ``case_sensitive``.
        keywords: prefixes (``published()``: stems) of query tokens that count ``text.keyword_boost`` times.
        profile: the weights for this intent; None means the default profile.
        edge_types: edge types the intent component follows.
        second_hop: whether the published graph component goes one hop further for this intent.
        min_words: without patterns, the intent holds for queries of at least this many words; 0 means never.
        fallback: the intent of a query that nothing else matched.
        from_file: the patterns are a file's, which somebody else may have made: they are searched in the first
            ``linear_patterns.LONGEST_READ`` characters, in linear time. No part of what the intent is.

    """

    name: str
    patterns: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    profile: Weights | None = None
    edge_types: tuple[str, ...] = ()
    case_sensitive: bool = False
    second_hop: bool = False
    min_words: int = 0
    fallback: bool = False
    from_file: bool = field(default=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Refuse fields of another kind, and a pattern that does not compile."""
        constants(self, "IntentSpec.")
        for pattern in () if self.from_file else self.patterns:
            try:
                re.compile(pattern)
            except re.error as error:
                raise InvalidValueError(
                    f"The pattern {shown(pattern)} of intent {shown(self.name)} is no regular expression: {error}."
                ) from error


def classify(query: str, intents: Sequence[IntentSpec]) -> str:
    """Return the name of the first intent whose pattern is found in the query.

    Without a match: the first intent with ``min_words`` that the query reaches, then the fallback intent, then
    ``"default"``.
    """
    lowered = query.lower()
    for spec in intents:
        text = query if spec.case_sensitive else lowered
        for search in _searches(spec.patterns, spec.from_file):
            if search(text):
                return spec.name
    words = len(query.split())
    for spec in intents:
        if spec.min_words and words >= spec.min_words:
            return spec.name
    return next((spec.name for spec in intents if spec.fallback), NO_INTENT)


def find_spec(name: str, intents: Sequence[IntentSpec]) -> IntentSpec:
    """Return the intent of that name; ``"default"`` is the empty one.

    Raises:
        InvalidValueError: no intent bears the name.

    """
    for spec in intents:
        if spec.name == name:
            return spec
    if name == NO_INTENT:
        return IntentSpec(NO_INTENT)
    known = ", ".join(sorted(spec.name for spec in intents))
    raise InvalidValueError(f"The intent {shown(name)} is unknown; known are: {known} and {NO_INTENT!r}.")


def of_file(specs: Sequence[IntentSpec]) -> tuple[IntentSpec, ...]:
    """Return intents as they are read from a file: no text makes their patterns take long.

    Raises:
        InvalidValueError: a pattern cannot be searched in linear time, or there are too many.

    """
    from fourfold.linear_patterns import require_few  # parts of re that are its own: only where a file brings patterns

    require_few([pattern for spec in specs for pattern in spec.patterns if pattern not in _OWN])
    return tuple(replace(spec, from_file=True) for spec in specs)


@lru_cache(maxsize=1024)
def _searches(patterns: tuple[str, ...], from_file: bool) -> tuple[Callable[[str], object], ...]:
    """Return what looks for each pattern in a text."""
    if not from_file:
        return tuple(re.compile(pattern).search for pattern in patterns)
    from fourfold.linear_patterns import linear

    return tuple(re.compile(each).search if each in _OWN else linear(each).search for each in patterns)


PUBLISHED_INTENTS: tuple[IntentSpec, ...] = (
    IntentSpec(
        Intent.EXACT_MATCH,
        patterns=(r'^"[^"]+"$', r"^[A-Z][a-zA-Z]+$", r"^[a-z]+[-_][a-z]+", r"^\w+\.\w+$"),
        profile=Weights(0.15, 0.65, 0.10, 0.10),
        case_sensitive=True,
    ),
    IntentSpec(
        Intent.DEBUGGING,
        patterns=(r"\b(error|fail|debug|fix|broken|issue|crash|bug|exception|traceback)\b",),
        keywords=("error", "fail", "debug", "fix", "broken", "issu", "crash", "bug", "except", "traceback"),
        profile=Weights(0.30, 0.45, 0.20, 0.05),
        edge_types=("has_limitation", "has_workaround", "causes", "fixes"),
    ),
    IntentSpec(
        Intent.CAPABILITY_CHECK,
        patterns=(r"\bcan\s+(it|you|this)\b", r"\bdoes\s+\w+\s+support\b", r"\bis\s+\w+\s+(able|capable)\b"),
        keywords=("support", "compat", "handl", "enabl", "provid", "capabl"),
        profile=Weights(0.30, 0.55, 0.10, 0.05),
        edge_types=("supports", "has_capability", "enables", "has_limitation"),
    ),
    IntentSpec(
        Intent.WORKFLOW,
        patterns=(r"\b(pipeline|workflow|step.by.step|automat|chain|sequenc)\b", r"^how\s+(to|do\s+i)\b"),
        keywords=("step", "pipelin", "flow", "chain", "sequenc", "automat", "process", "how"),
        profile=Weights(0.30, 0.25, 0.30, 0.15),
        edge_types=("feeds_into", "requires", "followed_by", "depends_on", "enables"),
        second_hop=True,
    ),
    IntentSpec(
        Intent.COMPARISON,
        patterns=(r"\b(vs|versus|compar|differ|which\s+is\s+better|alternative)\b",),
        keywords=("compar", "differ", "vs", "better", "altern", "versus"),
        profile=Weights(0.35, 0.30, 0.25, 0.10),
        edge_types=("similar_to", "alternative_to", "complements"),
    ),
    IntentSpec(
        Intent.GOAL_BASED,
        patterns=(
            r"\b(i\s+want\s+to|how\s+do\s+i|reduc|improv|achiev|optim)\b",
            r"\b(increase|decrease|minimize|maximize)\b",
        ),
        keywords=("cost", "reduc", "improv", "optim", "fast", "cheap", "save", "effici", "increas", "decreas"),
        profile=Weights(0.40, 0.25, 0.15, 0.20),
        edge_types=("enables", "supports", "implements", "provides", "solves", "used_for"),
        fallback=True,
    ),
    IntentSpec(
        Intent.EXPLORATORY,
        patterns=(r"\b(explor|brows|list|show\s+me|what\s+are|overview)\b", r"^tell\s+me\s+about\b"),
        keywords=("explor", "brows", "list", "show", "discov", "overview"),
        profile=Weights(0.45, 0.20, 0.25, 0.10),
        edge_types=("relates_to", "contains", "part_of"),
        second_hop=True,
    ),
    IntentSpec(
        Intent.SEMANTIC,
        profile=Weights(0.55, 0.15, 0.15, 0.15),
        edge_types=("relates_to", "similar_to", "part_of"),
        min_words=11,
    ),
)
"""The eight intents in cascade order, as published."""

_MENDED: dict[str, tuple[str, ...]] = {
    Intent.EXACT_MATCH: (
        r'^"[^"]+"$',
        r"^[A-Z][a-zA-Z]+$",
        r"^[A-Za-z][^\W_]*(?:_?-|_)\w(?:-?\w)*(?:\(\))?$",  # one way to read each text: \w holds "_" too
        r"^\w+(?:\.\w+)+(?:\(\))?$",
    ),
    Intent.DEBUGGING: (
        r"\b(errors?|fail(?:s|ed|ing|ures?)?|debug\w*|fix(?:es|ed|ing)?|broken|issues?|crash\w*|bugs?|buggy"
        r"|exceptions?|tracebacks?|stack\s?trace|not\s+working|doesn'?t\s+work|troubleshoot\w*)\b",
    ),
    Intent.CAPABILITY_CHECK: (
        r"\bcan\s+(?:it|you|this|i|we|they)\b",
        r"\b(?:does|do)\s+(?:\w+\s+){1,3}(?:support|handle|allow|provide)\b",
        r"\b(?:is|are)\s+(?:\w+\s+){1,3}(?:able|capable|compatible)\b",
        r"\bis\s+there\s+(?:support|a\s+way)\b",
        r"^(?:so\s+|and\s+|but\s+)?(?:can|could|will)\s+(?!you\b)\S+\s+\S",  # "Can Claude read PDFs?"
        r"^do(?:es)?\s+(?:\S+\s+){1,4}(?:support|handle|allow|provide|accept|work|run|read|write|include|understand"
        r"|persist|keep|have|offer|let|permit|store|export|import|integrate)\b",
        r"^(?:is|are)\s+(?:\S+\s+){1,4}(?:able|capable|compatible|supported|possible|allowed|available)\b",
        r"^(?:is|are)\s+\S+\s+(?:supported|possible|allowed|available)\b|^is\s+it\s+possible\b",
        r"^ha(?:s|ve)\s+(?:\S+\s+){1,4}(?:support|ability)\b",
    ),
    Intent.WORKFLOW: (
        r"\b(pipelines?|workflows?|step.by.step|automat\w*|chain(?:s|ed|ing)?|sequenc\w*|orchestrat\w*)\b",
        r"^how\s+(?:to|do\s+i|can\s+i|should\s+i)\b",
    ),
    Intent.COMPARISON: (
        r"\b(vs|versus|compar\w*|differ(?:s|ent|ences?|ently)?|which\s+(?:\w+\s+)?is\s+better|better\s+than"
        r"|alternatives?|instead\s+of)\b",
    ),
    Intent.GOAL_BASED: (
        r"\b(i\s+(?:want|need|would\s+like)\s+to|how\s+do\s+i|reduc\w*|improv\w*|achiev\w*|optimi\w*)\b",
        r"\b(increas\w*|decreas\w*|minimi[sz]\w*|maximi[sz]\w*|speed\s+up)\b",
    ),
    Intent.EXPLORATORY: (
        r"\b(explor\w*|brows(?:e|es|ed|ing)|list(?:s|ed|ing)?|show\s+me|what\s+are|overview|everything\s+about)\b",
        r"^tell\s+me\s+(?:more\s+)?about\b",
    ),
}

_MEASURED: dict[str, Weights] = {
    Intent.EXACT_MATCH: Weights(0.20, 0.30, 0.40, 0.10),  # what belongs to the named leads to it
    Intent.DEBUGGING: Weights(0.30, 0.30, 0.15, 0.25),
    Intent.CAPABILITY_CHECK: Weights(0.30, 0.30, 0.20, 0.20),
    Intent.WORKFLOW: Weights(0.35, 0.20, 0.25, 0.20),
}
"""Profiles that brought more than the published ones, see docs/intent-profiles.md."""

DEFAULT_INTENTS: tuple[IntentSpec, ...] = tuple(
    replace(spec, patterns=_MENDED.get(spec.name, spec.patterns), profile=_MEASURED.get(spec.name, spec.profile))
    for spec in PUBLISHED_INTENTS
)
"""The eight intents with patterns that catch what they mean to, and profiles that bring something."""

_OWN = frozenset(pattern for spec in (*PUBLISHED_INTENTS, *DEFAULT_INTENTS) for pattern in spec.patterns)
"""Patterns that are known to take linear time."""
