"""Questions about what texts name and link to: "which pages mention X", "what does X link to".

Beside documents such edges are evidence, not facts: who asks what X is like is not served by the pages that name it.
Only a question that says nothing else asks for them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from fourfold.edge_types import MENTIONS, OF_DOCUMENTS, RELATES_TO

_SAYS = {
    "mention": "mentions",
    "cit": "cites",
    "referenc": "references",
    "link": "links_to",
    "point": "points_to",
    "refer": "refers_to",
}
"""What edges between texts say to who asks by the verb: few tell a link from a title in a text."""

_TEXTS = r"(?:pages?|documents?|docs?|notes?|articles?|files?|texts?|posts?|chapters?|sections?|papers?)"
_WHICH = rf"(?:which|what)(?: other)? {_TEXTS}"
_ALL = rf"(?:list |show )?(?:all |the |other |any )*{_TEXTS}(?: that| which)?"
_VERB = r"(?P<verb>mention|cit|referenc|(?:link|point|refer)(?=\w* to\b))(?:es?|s|r?ed|r?ing)?(?: to)?"
_PASSIVE = r"(?P<verb>mention|cit|referenc|link)ed"
_PATTERNS = (
    rf"(?:what|who|{_WHICH}|{_ALL})(?: also| else)? {_VERB} (?P<text>.+)",
    rf"where (?:is|are|was|were) (?P<text>.+) {_PASSIVE}(?: to| from)?",
    rf"{_WHICH} (?:does|do|did) (?P<text>.+) {_VERB}",
    r"what (?:does|do|did) (?P<text>.+) (?P<verb>link|point|refer) to",
    rf"(?:{_WHICH} (?:is|are) {_PASSIVE}|what (?:is|are) linked)(?: to)? (?:from|by|in|on) (?P<text>.+)",
)
_ASKS = tuple(re.compile(f"^(?:{pattern})$", re.IGNORECASE | re.ASCII) for pattern in _PATTERNS)
"""Of ASCII, for beside it "LİNK" and "lınk" are "link" to Python, and no key of ``_SAYS``."""
_LONGEST = 300
"""Characters of a question that may ask so."""


@dataclass(frozen=True, slots=True)
class References:
    """The references that a question asks for: those of ``text``, in its words, and what it says of them."""

    text: str
    says: str

    def label(self, edge_type: str) -> str | None:
        """Return what an edge type says in this question; None where it is how the parts of a text follow."""
        if edge_type in (MENTIONS, RELATES_TO):
            return self.says
        return None if edge_type in OF_DOCUMENTS else edge_type


def asked_for(question: str) -> References | None:
    """Return the references that a question asks for, where it asks for nothing else."""
    asked = " ".join(question.split()).strip(" ?.!")
    for pattern in _ASKS if len(asked) <= _LONGEST else ():
        if found := pattern.search(asked):
            return References(found["text"], _SAYS[(found["verb"] or "link").lower()])
    return None
