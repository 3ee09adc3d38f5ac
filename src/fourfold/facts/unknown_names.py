"""Names that a question says and no node has: "who put X on the Supreme Court"."""

from __future__ import annotations

from itertools import groupby

from fourfold.facts.answers import About
from fourfold.language.placed import PREPOSITIONS, place_before


def places(about: About) -> list[int]:
    """Return which words are part of such names, which ask for no edge.

    They are written large, several in a row, behind a preposition and behind what is named; not all of them are words
    of edge types.
    """
    found: list[int] = []
    words, sentence = about.query.words, about.sentence
    behind = range(max(sentence.names, default=len(words)) + 1, len(words))
    for large, run in groupby(behind, lambda place: words[place][0][:1].isupper()):
        own = list(run)
        before = place_before(sentence.words, own[0])
        if large and len(own) > 1 and sentence.at(before) in PREPOSITIONS and not all(map(about.may_ask, own)):
            found += own
    return found
