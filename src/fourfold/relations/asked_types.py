"""What the words of a question mean among the edge types of a graph.

What a word is similar to among their labels (``labels``) decides what it means, and how far it is trusted
(``one_word``). What English calls the same stands in ``language.lexicon`` and ``language.synonyms``, what a word does
in its sentence in ``language.syntax``; what words settle among themselves in ``language.meaning``.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fourfold.config import Paths
from fourfold.index.base import EdgePart
from fourfold.language.amounts import is_one
from fourfold.language.asked import SAME_FAMILY, Asked
from fourfold.language.meaning import Meaning, said_again, say_all, settle
from fourfold.language.name_matching import Named, Words, nodes_of
from fourfold.language.syntax import Sentence
from fourfold.language.unspaced import asks, runs_together
from fourfold.relations import directions, sought
from fourfold.relations.label_grammar import Types
from fourfold.relations.one_word import OneWord
from fourfold.relations.relations import Relations
from fourfold.types import FloatArray

_ANY = 2.0
"""What is added to similarities where any edge may be meant: to the nearest word's, and twice the whole question's."""

_SORT = 0.5
"""What is left of an edge that only says what sort of thing something is, where any may be meant."""


class Reader:
    """Reads one question among the edge types of a graph; ``named`` are the nodes that it names."""

    def __init__(self, relations: Relations, words: Words, named: Sequence[Named], settings: Paths) -> None:
        self._relations, self._words, self._named, self._settings = relations, words, named, settings
        self._labels = labels = relations.labels
        self._sentence = Sentence(words, named, [labels.hold(word.lower(), terms) for word, terms in words])
        self._word = OneWord(relations, self._sentence, [terms for _, terms in words], settings)

    def meaning(self, there: Types | None = None) -> Meaning:
        """Return what each word of the question asks for.

        ``there`` (n_types,) are the types of edges that there are at what is named. Given, a word that only labels of
        others hold asks for what the thesaurus joins it to.
        """
        words, sentence, settings, thesaurus = self._words, self._sentence, self._settings, self._relations.thesaurus
        meaning = Meaning.none(len(words), len(self._relations))
        events = sentence.events()
        haunts = thesaurus.haunts([words[place][1] for place in sentence.events("where")])
        by: dict[int, Asked] = {}
        for place in range(len(words)):  # a question has few
            if sentence.mirrors(place):
                meaning.mirrors[place], meaning.trust[place] = True, 1.0
            elif (asked := self._word.asked(place)) is not None:
                if place in events:
                    asked = asked.or_also(thesaurus.joined(words[place][1])).or_also(haunts)
                elif there is not None and (place not in sentence.of_type() or sentence.opens(place)):
                    asked = self._word.of_others(asked, place, there) or asked
                by[place] = asked
                self._put(meaning, place, asked)
        if not meaning.trust.any():  # as with most questions: no word asks for an edge
            return meaning
        if (meaning.trust[sentence.free()] > settings.kind).any():
            self._by_itself(meaning, [place for place, asked in by.items() if asked.alone])
        label_words = self._labels.words
        loose = [place for place, asked in by.items() if asked.loose and not asked.alone]
        left_out = [label_words.left_out(words[place][1]) for place in loose]
        self._by_itself(meaning, said_again(meaning, sentence.free(), loose, left_out))
        to_places = self._labels.grammar.to_places | (haunts is not None and haunts.means)
        sought.end_there(
            meaning, sentence, lambda place: thesaurus.calls(sentence.words[place], words[place][1]), settings
        )
        say_all(meaning, sentence.free(), *label_words.wider)
        settle(meaning, sentence, [label_words.families_of(terms) for _, terms in words], to_places)
        sought.price(meaning, sentence, settings)
        return meaning

    def loosely(self, edges: EdgePart) -> Meaning:
        """Return the same where words that only labels of other nodes' edges hold ask for what means the same."""
        found = edges.expand(nodes_of(self._named), weights="none", cap=self._settings.fan)
        return self.meaning(np.isin(self._relations.numbers, found.types))

    def _by_itself(self, meaning: Meaning, places: Sequence[int]) -> None:
        """Let words ask for what is close to them; what does something to the named node is no step from it."""
        for place in places:
            meaning.drop(place)
            meaning.kind[place] = False
            if self._sentence.is_content(place) and not self._sentence.is_subject(place):
                self._put(meaning, place, Asked(*self._labels.similarity(self._sentence.words[place])))

    def _put(self, meaning: Meaning, place: int, asked: Asked) -> None:
        """Put down what one word asks for: how much, and which way."""
        sentence, grammar, settings = self._sentence, self._labels.grammar, self._settings
        similarity, best, factor = asked.similarity * self._relations.denied.left(sentence), asked.best, asked.factor
        meaning.slots[place], meaning.turned[place], meaning.kind[place] = asked.slots, asked.turned, asked.kind
        if not asked.by_itself and sentence.is_kind(place, far=best < settings.high):
            factor, meaning.kind[place] = min(factor, settings.kind), True
        if best > settings.low:
            meaning.trust[place] = factor * min((best - settings.low) / (settings.high - settings.low), 1.0)
            meaning.asked[place] = meaning.trust[place] * (similarity / best) ** settings.sharpness
            if best >= SAME_FAMILY and not asked.directed:
                meaning.turned[place] = directions.backwards(grammar, asked, sentence, place)
        if not asked.directed:
            meaning.turned[place] ^= directions.by_role(grammar, sentence, place)

    def nearest(self, meaning: Meaning, *, sorts: bool) -> Meaning:
        """Return what the question may ask for where what is sure of its ``meaning`` leads nowhere.

        What sort of thing the named node is (``is_a``) is hardly asked, unless it is a sort itself (``sorts``).

        A word that asks for no edge may mean any, the rather the nearer it and all words are: "X's other half".
        Where nothing stands beside the name, its instances are asked for: what any edge leads to it from.
        """
        words, sentence, n_types = self._words, self._sentence, len(self._relations)
        free = [p for p, (word, terms) in enumerate(words) if (terms or asks(word)) and p not in sentence.names]
        free = [p for p in free if not is_one(sentence.words[p])] or free  # "the tallest player from X"
        instances = sentence.instances()
        free = free if instances < 0 else []
        unknown = [place for place in free if meaning.trust[place] <= 0]
        meaning = Meaning(*map(np.copy, meaning.arrays)) if unknown else Meaning.none(len(words), n_types)
        place = next(iter(unknown or free), instances)
        if place >= 0:
            near = [self._nearness(sentence.words[one], words[one][1]) for one in free]
            runs = "".join(sentence.words[one] for one in free if runs_together(sentence.words[one]))
            near += [self._nearness(runs, ())] if runs else []  # of one label parts may stand apart: 周边还有其他景点吗
            most = np.max([np.zeros(n_types), *near], axis=0) + 2.0 * self._labels.like(sentence.beside())
            meaning.trust[place], meaning.turned[place] = 1.0, not free
            most *= self._relations.denied.left(sentence)
            meaning.asked[place] = (_ANY + most) / (_ANY + most.max())
            meaning.asked[place] *= np.where(self._labels.grammar.sorts & (not sorts), _SORT, 1.0)
        return meaning

    def _nearness(self, word: str, terms: Sequence[str]) -> FloatArray:
        """Return how similar each label is to a word, or to what the thesaurus has for it, (n_types,) in [0, 1]."""
        if runs_together(word):
            return np.minimum(self._labels.words.within_by_character(word) + self._labels.words.sought_by(word), 1.0)
        near, found = self._labels.similarity(word)[0], self._relations.thesaurus.joined(terms)
        return near if found is None else np.maximum(near, found.similarity)
