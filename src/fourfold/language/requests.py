"""Requests for what is of a kind, read as the question that they are: "I am looking for a film by X", which film by X.

What is said before it names neither a node nor an edge. A request to do something ("I want to book a film") is none.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from fourfold.language.name_matching import Named, Reading, Words, places_of, replaced
from fourfold.language.placed import ONE_OF

_SAID = frozenset(
    "i m im am we re are d id would like want need looking searching look search to find for in can could you please"
    " help me us recommend suggest is there hi hello yes so know of if do also just really get have and".split()
)
"""Words of a request before what is asked for, …"""

_BIDS = frozenset("like want need looking searching look search find recommend suggest there".split())
"""… one of which says that something is, …"""

_LAST = frozenset("for there want need like me us find recommend suggest".split()) | ONE_OF | {"any", "some", "the"}
"""… and of which it follows one of these."""

_WHICH, _LIST = ("which", ()), ("list", ("list",))


def as_question(words: Words, named: Sequence[Named]) -> Reading:
    """Return the words of a question that begins as a request with "which" in its place, and what it names by these."""
    names = places_of(named)
    free = (word.lower() if place not in names else "" for place, (word, _) in enumerate(words))
    frame = list(takewhile((_SAID | _LAST).__contains__, free))
    end = len(frame)
    if not 1 < end < len(words) or frame[-1] not in _LAST or _BIDS.isdisjoint(frame):
        return words, list(named)
    one_of_it = frame[-1] in ONE_OF and [(one.start, one.end) for one in named] == [(end, len(words))]
    said = [_LIST, words[end - 1]] if one_of_it else [_WHICH]  # what has the type is asked for, not what is called so
    return replaced(words, named, 0, end, said)
