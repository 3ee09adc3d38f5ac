"""What a question is about: its words without those that only frame a request for something to read.

"I am interested in articles on packet routing" asks a collection of articles for packet routing. There "articles" is as
good as in every text, whatever word the texts themselves use for it; yet few of them write "interested", so both would
count as rare words. In a graph of tools the same words say what the tool is to find. So the frame is left out only
where the texts are such writings: where many of them speak of a paper, an article or a study.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from fourfold.index.snapshot import Snapshot

_SELF_NAMES = ("paper", "article", "study")
"""What a text that is one calls itself."""

_MANY = 0.1
"""The share of texts that have one of these words, from which on a graph is a collection of writings."""

_DEGREE = r"(?:also|especially|particularly|currently|mainly|primarily|really|only|most)"
_HOW_MANY = r"(?:all|any|some|the|other|more|every|recent|further)"
_ABOUT = (
    r"(?:(?:exist|there\s+are|available)\s+)?(?:(?:that|which)\s+)?"
    r"(?:deal(?:s|ing)?\s+with|describ(?:es?|ing)|discuss(?:es|ing)?|cover(?:s|ing)?|written(?:\s+either)?\s+by"
    r"|on|about|concerning|regarding|relat(?:ing|ed)\s+to)"
)
_WRITINGS_ABOUT = (
    rf"(?:(?:articles?|papers?|documents?|publications?|literature|information|material|anything)\s+{_ABOUT}"
    rf"|(?:reports?|studies|abstracts?|discussions?|descriptions?)\s+(?:of|{_ABOUT}))"
)
_FIND = r"(?:find|see|read|get|have)"
_WISH = (
    rf"(?:i|we)(?:['’](?:m|re|d)|\s+(?:am|are|would))?\s+(?:{_DEGREE}\s+)*"
    rf"(?:interested\s+in|looking\s+for|(?:like|want|need)(?:\s+to\s+{_FIND})?|rather\s+{_FIND})"
)
_BARE_WISH = rf"(?:{_DEGREE}\s+)*interested\s+in"
_REQUEST = r"(?:please\s+)?(?:find|list|give|show|get|retrieve|search\s+for|look\s+for)(?:\s+me)?"
_QUESTION = r"(?:what|which|are\s+there|is\s+there)"
_INTEREST = r"(?:(?:areas?|(?:sub)?topics?)\s+)?of\s+(?:particular|special|great)\s+interest\s+(?:are|is|include)"

_FRAME = re.compile(
    rf"(^|[.;!?(])\s*(?:"
    rf"(?:{_WISH}|{_BARE_WISH})(?:\s+{_HOW_MANY})*(?:\s+{_WRITINGS_ABOUT})?"
    rf"|{_REQUEST}(?:\s+{_HOW_MANY})+(?:\s+{_WRITINGS_ABOUT})?"
    rf"|{_REQUEST}\s+{_WRITINGS_ABOUT}"
    rf"|(?:{_QUESTION}\s+)?(?:{_HOW_MANY}\s+)*{_WRITINGS_ABOUT}"
    rf"|{_INTEREST}"
    rf")(?!\S)",
    re.IGNORECASE,
)


def topic_of(question: str, snapshot: Snapshot, terms_of: Callable[[str], list[str]]) -> str:
    """Return the question without what frames a request, where the graph's texts are writings; else as it is.

    Args:
        question: as typed.
        snapshot: the graph.
        terms_of: text → its terms, by the tokenizer of the index.

    """
    left = without_frame(question)
    return left if left != question and _holds_writings(snapshot, terms_of) else question


def without_frame(question: str) -> str:
    """Return the question without what frames a request; as it is where nothing else would be left."""
    left = _FRAME.sub(r"\1", question).strip()
    return left if re.search(r"\w", left) else question


def _holds_writings(snapshot: Snapshot, terms_of: Callable[[str], list[str]]) -> bool:
    """Tell whether many of the texts call themselves what one reads."""
    numbers = snapshot.term_numbers({term for word in _SELF_NAMES for term in terms_of(word)})
    frequency = snapshot.text.df(np.array(list(numbers.values()), np.int64))
    return bool(frequency.max(initial=0) >= _MANY * max(snapshot.size, 1))
