"""What words ask for that no label holds: what English calls the same, as far as labels have it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from fourfold.language import lexicon, synonyms
from fourfold.language.asked import SAME_FAMILY, Asked
from fourfold.relations.label_grammar import Types
from fourfold.relations.labels import Labels


def exactly(labels: Labels, words: str, factor: float = 1.0, **how: bool) -> Asked | None:
    """Return what several words ask for, where a label holds one of them; ``how`` as ``Asked`` has it."""
    similarity, slots, best = labels.similarity(words)
    return Asked(similarity, slots, best, factor, **how) if best >= SAME_FAMILY else None


def key_of(word: str, terms: Sequence[str]) -> str:
    """Return what a word is looked up by: its term, where it has exactly one."""
    return terms[0] if len(terms) == 1 else word


class Thesaurus:
    """The words of ``language.lexicon`` and ``language.synonyms``, by their stems."""

    def __init__(self, labels: Labels) -> None:
        self._labels = labels
        self._asking, self._haunts = self._by_stem(lexicon.ASKING), self._by_stem(lexicon.HAUNTS)
        self._same, self._inverse = self._by_stem(lexicon.SAME), self._by_stem(lexicon.INVERSE)
        self._kinds, self._own = self._by_stem(synonyms.KINDS), self._by_stem(synonyms.OWN)
        self._joined = [self._by_stem(each) for each in (synonyms.TURNED, synonyms.SAME, synonyms.ALONE)]

    def lists(self, key: str) -> bool:
        """Tell whether a word asks for a kind of answer, or for an edge that everybody has a word for."""
        return any(key in each for each in (self._same, self._inverse, self._asking))

    def called(self, key: str) -> str | None:
        """Return the words that labels use for what a word such as "town" calls; None where it calls nothing."""
        return self._asking.get(key)

    def of_every_life(self, key: str) -> Asked | None:
        """Return what a word of every life asks for, such as "wife"; None where no label has it."""
        for others, turned in ((self._same, False), (self._inverse, True)):
            if key in others and (found := exactly(self._labels, others[key], turned=turned)) is not None:
                return replace(found, similarity=self._labels.alone_first(found.similarity, found.slots))
        return None

    def of_same_life(self, terms: Sequence[str]) -> Asked | None:
        """Return what a word of every life asks for in its own direction, as its label does."""
        same = _of(self._same, terms)
        return exactly(self._labels, same) if same else None

    def joined(self, terms: Sequence[str], *, others: bool = False) -> Asked | None:
        """Return what a word asks for by the groups that it stands in; None where no label has it.

        With ``others`` by labels that have another word of these, not only the word itself.
        """
        for groups, how in zip(self._joined, ({"turned": True}, {}, {"alone": True}), strict=True):
            words = _of(groups, terms)
            if others:
                words = " ".join(word for word in words.split() if self._labels.terms(word) != list(terms))
            if words and (found := exactly(self._labels, words, loose=True, **how)) is not None:
                return found
        return None

    def haunts(self, happened: Sequence[Sequence[str]]) -> Asked | None:
        """Return the edges that lead to where somebody does what words say, whatever their labels call it."""
        said = [words for terms in happened if (words := _of(self._haunts, terms))]
        return exactly(self._labels, " ".join(said)) if said else None

    def nouns(self, terms: Sequence[str]) -> list[str]:
        """Return the nouns for the same kind of thing as a word."""
        return _of(self._kinds, terms).split()

    def calls(self, word: str, terms: Sequence[str]) -> tuple[Types, Types]:
        """Return which edges end at what a word, or another for the same, calls; and which begin there, (n_types,).

        Where no label has either, what nothing else has tells: a country its currency.
        """
        own = self._labels.grammar.calls(word)
        if own[0].any() or own[1].any():
            return own
        others = [self._labels.grammar.calls(other) for other in self.nouns(terms)]
        ends, begins = map(np.logical_or.reduce, zip(own, *others, strict=True))
        return ends, begins if ends.any() or begins.any() else self.own(terms)

    def own(self, terms: Sequence[str]) -> Types:
        """Return which edges only what a word calls has, (n_types,)."""
        words = _of(self._own, terms)
        similarity = self._labels.similarity(words)[0] if words else np.zeros(len(self._labels))
        owned: Types = (similarity >= SAME_FAMILY) | self._labels.grammar.became(terms)
        return owned

    def _by_stem(self, texts: Mapping[str, str]) -> dict[str, str]:
        """Return texts by the stems of their words; those of one stem as one text."""
        found: dict[str, str] = {}
        for word, text in texts.items():
            key = (self._labels.terms(word) or [word])[0]
            found[key] = f"{found[key]} {text}" if key in found else text
        return found


def _of(texts: Mapping[str, str], terms: Sequence[str]) -> str:
    """Return the text of a word by its one term; "" where it has none, or several terms."""
    return texts.get(terms[0], "") if len(terms) == 1 else ""
