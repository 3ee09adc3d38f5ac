"""What a question is about: its words without those that only frame a request for something to read.

"I am interested in articles on packet routing" asks a collection of articles for packet routing. There "articles" is as
good as in every text, whatever word the texts themselves use for it; yet few of them write "interested", so both would
count as rare words. In a graph of tools the same words say what the tool is to find. So the frame is left out only
where the texts are such writings: where many of them speak of a paper, an article or a study.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fourfold.index.snapshot import Snapshot
from fourfold.reading.frames import after, left_of, may_hold, past, says_something, words

_SELF_NAMES = ("paper", "article", "study")
"""What a text that is one calls itself."""

_MANY = 0.1
"""The share of texts that have one of these words, from which on a graph is a collection of writings."""


_FIND = "(?:find|see|read|get|have)"

_WE = words(r"(?:i|we)(?:['’](?:m|re|d)|\s+(?:am|are|would))?")
_DEGREE = words("also|especially|particularly|currently|mainly|primarily|really|only|most")
_INTERESTED = words(r"interested\s+in")
_WISH = words(rf"interested\s+in|looking\s+for|(?:like|want|need)(?:\s+to\s+{_FIND})?|rather\s+{_FIND}")
_REQUEST = words(r"(?:please\s+)?(?:find|list|give|show|get|retrieve|search\s+for|look\s+for)(?:\s+me)?")
_QUESTION = words(r"what|which|are\s+there|is\s+there")
_HOW_MANY = words("all|any|some|the|other|more|every|recent|further")
_WRITINGS = words("articles?|papers?|documents?|publications?|literature|information|material|anything")
_REPORTS = words("reports?|studies|abstracts?|discussions?|descriptions?")
_THAT = words(r"exist|there\s+are|available|that|which")
_OF = words("of")
_ABOUT = words(
    r"deal(?:s|ing)?\s+with|describ(?:es?|ing)|discuss(?:es|ing)?|cover(?:s|ing)?|written(?:\s+either)?\s+by"
    r"|on|about|concerning|regarding|relat(?:ing|ed)\s+to"
)
_INTEREST = words(
    r"(?:(?:areas?|(?:sub)?topics?)\s+)?of\s+(?:particular|special|great)\s+interest\s+(?:are|is|include)"
)

_TELLING = frozenset(
    (
        "interest interested looking like want need rather find list give show get retrieve search look "
        "article articles paper papers document documents publication publications literature information material "
        "anything report reports studies abstract abstracts discussion discussions description descriptions"
    ).split()
)
"""No frame is without one of these words: questions that have none, as most, are not searched for frames."""


def topic_of(question: str, snapshot: Snapshot, terms_of: Callable[[str], list[str]]) -> str:
    """Return the question without what frames a request, where the graph's texts are writings; else as it is."""
    left = without_frame(question)
    return left if left != question and _holds_writings(snapshot, terms_of) else question


def without_frame(question: str) -> str:
    """Return the question without what frames a request; as it is where nothing else would be left."""
    if question.isascii() and not may_hold(question, _TELLING):
        return question
    left = left_of(question, _end_of_frame)
    return left if says_something(left) else question


def _end_of_frame(text: str, begin: int) -> int | None:
    """Return where a frame ends that begins at some place: "I am interested in | any | articles that deal with"."""
    if (interest := after(_INTEREST, text, begin)) is not None:
        return interest
    we = after(_WE, text, begin)
    wish = after(_INTERESTED if we is None else _WISH, text, past(_DEGREE, text, begin if we is None else we))
    if wish is not None:
        many = past(_HOW_MANY, text, wish)
        return _end_of_writings(text, many) or many
    request = after(_REQUEST, text, begin)
    if request is not None:
        many = past(_HOW_MANY, text, request)
        return _end_of_writings(text, many) or (many if many > request else None)
    question = after(_QUESTION, text, begin)
    return _end_of_writings(text, past(_HOW_MANY, text, begin if question is None else question))


def _end_of_writings(text: str, begin: int) -> int | None:
    """Return where "articles that deal with" ends, or "discussions of"."""
    reports = after(_REPORTS, text, begin)
    if reports is not None and (of := after(_OF, text, reports)) is not None:
        return of
    writings = reports if reports is not None else after(_WRITINGS, text, begin)
    return None if writings is None else after(_ABOUT, text, past(_THAT, text, writings))


def _holds_writings(snapshot: Snapshot, terms_of: Callable[[str], list[str]]) -> bool:
    """Tell whether many of the texts call themselves what one reads."""
    numbers = snapshot.term_numbers({term for word in _SELF_NAMES for term in terms_of(word)})
    frequency = snapshot.text.df(np.array(list(numbers.values()), np.int64))
    return bool(frequency.max(initial=0) >= _MANY * max(snapshot.size, 1))
