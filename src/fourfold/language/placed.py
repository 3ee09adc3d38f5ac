"""The words of a question by their places: which belong to names, which say something, and what stands beside them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fourfold.language.lexicon import QUESTION, RELATIVE, is_past
from fourfold.language.name_matching import Named, Words, content_beside, lowered, places_of

ONE_OF = frozenset({"a", "an"})
ARTICLES = ONE_OF | {"the"}
BACK = frozenset({"this", "these", "those"})
"""Words before what stands for something that was named before."""

PREPOSITIONS = frozenset("about against at by for from in into of on to under with".split())

_TAKE = frozenset({"take", "takes", "took", "taken"})


def word_at(words: Sequence[str], place: int) -> str:
    """Return a word; "" outside the question."""
    return words[place] if 0 <= place < len(words) else ""


def place_before(words: Sequence[str], place: int) -> int:
    """Return the place before a word and its article."""
    return place - 1 - (word_at(words, place - 1) in ARTICLES)


def refers_back(words: Sequence[str], place: int, named: int) -> bool:
    """Tell whether a word stands for what was named before it, first at the place ``named``: "this exception"."""
    return named < place and words[place - 1] in BACK


def takes_place(words: Sequence[str], place: int) -> bool:
    """Tell whether a word is the place of "take place", which asks for no place of birth."""
    return place > 0 and words[place : place + 1] == ["place"] and words[place - 1] in _TAKE


class Placed:
    """The words of a question.

    ``labels`` (len(words),) tell which words stand in the label of an edge type; none if left out.
    """

    def __init__(self, words: Words, named: Sequence[Named], labels: Sequence[bool] = ()) -> None:
        self.words = lowered(words)
        self.names = places_of(named)
        self._named_first = min(self.names, default=len(words))
        self._starts = {name.start for name in named}
        self._begins = {name.end: name.start for name in named}
        self._ends = {name.start: name.end for name in named}
        self._content = set(content_beside(words, self.names))
        self._labels = labels = labels or [False] * len(words)
        self._in_label = [one and place not in self.names for place, one in enumerate(labels)]
        past = {place for place, (_, terms) in enumerate(words) if is_past(self.words[place], terms)}
        self._done = past - self.names
        self._deeds = {place for place in self._done if self._in_label[place]}
        self._last_deed = max(self._deeds, default=-1)

    def at(self, place: int) -> str:
        """Return a word in lower case; "" outside the question."""
        return word_at(self.words, place)

    def is_in_label(self, place: int) -> bool:
        """Tell whether a label holds a word."""
        return bool(self._in_label[place])

    def all_content(self) -> bool:
        """Tell whether words stand beside the names, and none that English makes sentences of: another language may."""
        return 0 < len(self._content) == len(self.words) - len(self.names)

    def is_content(self, place: int) -> bool:
        """Tell whether a word is neither a stop word nor a part of a name."""
        return place in self._content

    def refers_back(self, place: int) -> bool:
        """Tell whether a word stands for what was named before it: "this exception"."""
        return refers_back(self.words, place, self._named_first)

    def hangs(self, place: int) -> str:
        """Return the preposition behind a word that has nothing behind it: "what is X strong against"; "": none.

        That of "against what is X strong" hangs behind the last word, too.
        """
        if place == len(self.words) - 1 and self._is_fronted():
            return self.at(0)
        after = self.at(place + 2)
        return self.at(place + 1) if self.at(place + 1) in PREPOSITIONS and (not after or after in QUESTION) else ""

    def _is_fronted(self) -> bool:
        return self.at(0) in PREPOSITIONS and self.at(1) in QUESTION

    def belongs(self, place: int) -> bool:
        """Tell whether a preposition belongs to a word before it that a label holds: "strong against X"."""
        fronted = place == 0 and self._is_fronted()
        return self.at(place) in PREPOSITIONS and bool((fronted or place) and self._in_label[place - 1])

    def free(self) -> NDArray[np.bool_]:
        """Return which words belong to no name, (len(words),)."""
        free = np.ones(len(self.words), bool)
        free[sorted(self.names)] = False
        return free

    def clause(self) -> int:
        """Return where a clause begins that goes on behind a name: "the country where the author of X died"; or -1."""
        relative = [place for place in range(1, min(self.names, default=0)) if self.at(place) in RELATIVE]
        return next((place for place in relative[::-1] if place - 1 in self._content), -1)

    def _past_article(self, place: int) -> int:
        """Return a place, or the next one where an article stands there."""
        return place + (self.at(place) in ARTICLES)

    def _before(self, place: int) -> int:
        """Return the place before a word and its article."""
        return place_before(self.words, place)

    def _name_behind(self, place: int) -> bool:
        """Tell whether a name begins right behind a word, or behind an article there."""
        return self._past_article(place + 1) in self._starts

    def _end_of_run(self, place: int) -> int:
        """Return the last of the words of their own, but deeds, that stand in a row from a place on."""
        while place + 1 in self._content and place + 1 not in self._done:
            place += 1
        return place

    def _begin_of_run(self, place: int) -> int:
        while place - 1 in self._content and place - 1 not in self._done:
            place -= 1
        return place
