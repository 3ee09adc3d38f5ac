"""Names that a question says and no node has: "who put X on the Supreme Court"."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby

from fourfold.language.placed import ARTICLES, PREPOSITIONS
from fourfold.language.syntax import Sentence


def places(written: Sequence[str], sentence: Sentence, holds: Callable[[int], bool]) -> list[int]:
    """Return which words are part of such names, which ask for no edge.

    They are written large, several in a row, behind a preposition and behind what is named; ``holds`` tells of a place
    whether an edge type has the word, as not all of theirs have.
    """
    found: list[int] = []
    behind = range(max(sentence.names, default=len(written)) + 1, len(written))
    for large, run in groupby(behind, lambda place: written[place][:1].isupper()):
        own = list(run)
        before = own[0] - 1 - (sentence.at(own[0] - 1) in ARTICLES)
        if large and len(own) > 1 and sentence.at(before) in PREPOSITIONS and not all(map(holds, own)):
            found += own
    return found
