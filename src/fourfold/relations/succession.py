"""What came before and what comes after: labels and words that say so, each in its own direction.

Edges of ``follows`` lead to what came before, those of ``followed by`` to what came after, and so do "the predecessor
of X" and "what came after X": of any such label and any such word it is known which way the one goes along the other.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fourfold.edge_types import label
from fourfold.language.asked import SAME_FAMILY, SAME_WORD, Asked
from fourfold.language.lexicon import AUXILIARIES
from fourfold.language.placed import ARTICLES
from fourfold.language.syntax import Sentence
from fourfold.relations.label_words import Terms
from fourfold.relations.path_labels import parts_of

_EARLIER, _LATER = -1, 1

_DEEDS = {
    **dict.fromkeys(("follow", "succeed", "replace", "supersede"), _EARLIER),
    "precede": _LATER,
}
"""What one does to another, and whether that other came before or after."""

_ROLES = {
    **dict.fromkeys(("predecessor", "prequel", "forerunner"), _EARLIER),
    **dict.fromkeys(("successor", "sequel"), _LATER),
}
"""What one is to another: its predecessor came before it."""

_QUALIFIERS = {"previous": _EARLIER, "next": _LATER, "after": _EARLIER, "before": _LATER}
"""Labels of one word that say so, too: what X comes after came before X."""

_TIMES = {"before": _EARLIER, "after": _LATER}
_COME = frozenset("come comes came".split())
_OF_IT = frozenset({"of", "to"})
_BY = "by"


class Succession:
    """The edge types of a graph that tell what came before or after; ``terms`` is the tokenizer of the index.

    Attributes:
        leads: (n_types,) int8, where their edges lead: −1 to what came before, 1 to what came after, 0: neither.

    """

    def __init__(self, names: Sequence[str], terms: Terms) -> None:
        self._deeds, self._roles = (
            {stem: way for word, way in each.items() for stem in terms(word)[:1]} for each in (_DEEDS, _ROLES)
        )
        self._terms = terms
        self.leads: NDArray[np.int8] = np.array(
            [self._leads(label(parts_of(name).ends).split()) for name in names], np.int8
        )
        self._stems = [frozenset(terms(label(name))) for name in names]
        self._any = bool(self.leads.any())

    def _leads(self, words: Sequence[str]) -> int:
        """Return where edges of a label of these words lead: to what came earlier or later; 0: to neither."""
        first, *rest = [word for word in words if word not in AUXILIARIES | ARTICLES | _COME] or [""]
        stem = next(iter(self._terms(first)), first)
        if stem in self._deeds and rest in ([], [_BY]):
            return -self._deeds[stem] if rest else self._deeds[stem]
        if stem in self._roles and (not rest or (len(rest) == 1 and rest[0] in _OF_IT)):
            return -self._roles[stem] if rest else self._roles[stem]
        return 0 if rest else _QUALIFIERS.get(first, 0)

    def has(self, terms: Sequence[str]) -> bool:
        """Tell whether a word may ask for what came before or after."""
        return self._any and any(term in each for each in (self._deeds, self._roles) for term in terms[:1])

    def asked(self, sentence: Sentence, place: int, terms: Sequence[str]) -> Asked | None:
        """Return what one word asks for; None where it, or every label, tells of neither."""
        if not self._any or not (wanted := self._wanted(sentence, place, next(iter(terms), ""))):
            return None
        own = np.array([bool(stems.intersection(terms)) for stems in self._stems]) & (self.leads == wanted)
        similarity = np.where(own, SAME_WORD, SAME_FAMILY) * (self.leads != 0)
        turned = (self.leads != wanted) & (self.leads != 0)
        slots = np.zeros(len(similarity), np.int64)
        return Asked(similarity, slots, float(similarity.max()), turned=turned, directed=True)

    def _wanted(self, sentence: Sentence, place: int, stem: str) -> int:
        """Return whether a word asks for what came before what is named, or after it; 0: for neither."""
        if stem in self._roles:
            return -self._roles[stem] if sentence.is_role(place) or sentence.hangs(place) else self._roles[stem]
        if stem in self._deeds:
            return self._deeds[stem] if sentence.named_does(place) else -self._deeds[stem]
        return _TIMES.get(sentence.words[place], 0) if sentence.at(place - 1) in _COME else 0
