"""What one word of a question asks for among the edge types of a graph, where it stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from fourfold.config import Paths
from fourfold.language import lexicon
from fourfold.language.asked import SAME_FAMILY, Asked
from fourfold.language.lexicon import ASKING, TOWNS, WHICH
from fourfold.language.placed import takes_place
from fourfold.language.syntax import Sentence
from fourfold.relations import sought
from fourfold.relations.label_grammar import Types
from fourfold.relations.relations import Relations
from fourfold.relations.thesaurus import exactly, key_of

_LESS = 0.98
"""What is left of the similarity of a label that rather says something else."""

_SAID_SO, _SAID_OTHERWISE = 0.1, 0.95
"""How much nearer to a verb a label with its preposition is; what is left of one that holds the verb without."""

_ABOUT, _DO, _FROM, _ON, _WHERE = "about", "do", "from", "on", "where"
_HAVE, _HAS = "have", "has have"
_DIE, _CAUSE, _OF = "die", "cause", frozenset({"of", "from"})


class OneWord:
    """Tells of a word, by its place in a question, what it asks for; ``terms`` are those of each word."""

    def __init__(
        self, relations: Relations, sentence: Sentence, terms: Sequence[Sequence[str]], settings: Paths
    ) -> None:
        self._relations, self._sentence, self._terms, self._settings = relations, sentence, terms, settings
        self._labels, self._thesaurus = relations.labels, relations.thesaurus

    def asked(self, place: int) -> Asked | None:
        """Return what one word asks for; None where it asks for nothing."""
        sentence, terms, word = self._sentence, self._terms[place], self._sentence.words[place]
        if (succession := self._relations.succession.asked(sentence, place, terms)) is not None:
            return succession
        if not self._labels.may_hold(word, terms):
            return self._by_stop_word(place)
        if (found := sought.at_once(self._labels, sentence, place)) is not None:
            return found
        if self._asks_nothing(place):
            return None
        if sentence.for_a_living(place):
            return exactly(self._labels, lexicon.EXACTLY[_DO])
        key = key_of(word, terms)
        called = self._thesaurus.called(key) if sentence.opens(place) else None
        own = self._as_said(place, self._narrowed(place))
        if own.best < SAME_FAMILY:
            found = self._thesaurus.of_every_life(key)
            if found is not None or word in lexicon.SAY_NOTHING:
                return found
            return self._otherwise(place, own, called) or own
        if word not in lexicon.SAY_NOTHING and self._is_only_noun(place, own):
            found = self._otherwise(place, own, called)
            if found is not None:
                return found.rather_without(own.means)
        return self._by_label(place, own, called)

    def of_others(self, asked: Asked, place: int, there: Types) -> Asked | None:
        """Return what the thesaurus joins a word to, where that is there, and what its own labels ask for is not."""
        if asked.best < SAME_FAMILY or asked.means[there].any():
            return None
        ways = (self._thesaurus.of_same_life(self._terms[place]), self._by_thesaurus(place))
        return next((one for one in ways if one is not None and one.means[there].any()), None)

    def _otherwise(self, place: int, own: Asked, called: str | None) -> Asked | None:
        """Return what a word asks for that no label holds: a kind of answer, a role, what the thesaurus joins it to."""
        settings = self._settings
        if called is not None and (found := exactly(self._labels, called, settings.asking, kind=True)) is not None:
            return found
        if not self._sentence.may_ask():  # "I need a token" asks for none
            return None
        role = self._relations.roles.asked(self._sentence, place) if own.best < settings.high else None
        return role or self._by_thesaurus(place, others=own.best >= SAME_FAMILY)

    def _is_only_noun(self, place: int, own: Asked) -> bool:
        """Tell whether labels have a noun or a place for a verb: who X works for is no notable work, nor signed_at."""
        sentence, grammar = self._sentence, self._labels.grammar
        if not sentence.is_verb(place):
            return False
        nouns = np.logical_or(*grammar.held(sentence.words[place])) & self._labels.several(own.slots)
        nouns &= ~grammar.done(own.slots)
        if sentence.named_is_done_to(place, ""):
            nouns |= grammar.to_places
        return bool(nouns[own.means].all())

    def _asks_nothing(self, place: int) -> bool:
        """Tell whether a word that could ask for an edge asks for none where it stands."""
        sentence, grammar = self._sentence, self._labels.grammar
        if sentence.belongs(place) or sentence.names_what_follows(place):
            return True
        if sentence.is_noun(place) and grammar.only_qualify(self._terms[place]):
            return True
        sort = sentence.sort_of(place)
        if sort >= 0 and sought.sort_of(self._labels, sentence, sort) is not None:
            return True
        if sentence.says_what_it_is(place) or takes_place(sentence.words, place):
            return True
        if sentence.makes_part(place) and sentence.is_in_label(sentence.object_of(place)):
            return True
        if sought.is_told_by_order(self._labels, sentence, place, self._settings):
            return True
        refers = bool(self._joint(place - 1)) or sentence.refers_back(place)
        return refers or sentence.only_frames(place) or sentence.sort_says_nothing(place)

    def _may_say_again(self, place: int) -> bool:
        """Tell whether a word such as "city" may say of what is asked for what it is anyway: "the capital city of"."""
        sentence = self._sentence
        if sentence.words[place] not in TOWNS or not sentence.is_content(place - 1) or sentence.opens(place - 1):
            return False
        return bool(self._labels.grammar.calls(sentence.at(place - 1))[0].any())

    def _joint(self, place: int) -> str:
        """Return the word of a label that a word makes with the next: campusfee, for "campus fee"; "" where none."""
        sentence = self._sentence
        if not (sentence.is_content(place) and sentence.is_content(place + 1)):
            return ""
        joint = sentence.words[place] + sentence.words[place + 1]
        held = self._labels.words.stems.keys() >= set(self._labels.terms(joint) or [""])
        return joint if joint.isalpha() and held else ""

    def _own(self, place: int) -> Asked:
        """Return what a word asks for, and with it the next where both are one word of a label."""
        words, labels = self._sentence.words, self._labels
        similarity, slots, _ = labels.similarity(words[place])
        own = Asked(left := similarity * self._relations.denied.left(self._sentence), slots, float(left.max()))
        if not (joint := self._joint(place)):
            return own
        whole, slots, _ = labels.similarity(joint)
        both = np.maximum(whole, np.minimum(own.similarity, labels.similarity(words[place + 1])[0]))
        return Asked(both, slots, float(both.max()))

    def _narrowed(self, place: int) -> Asked:
        """Return what a word asks for by its own name: "what did X die of" for its cause, where a label has one."""
        own, sentence = self._own(place), self._sentence
        if self._may_say_again(place):
            return replace(own, factor=self._settings.kind, kind=True)
        if (
            _DIE not in self._terms[place]
            or sentence.at(place + 1) not in _OF
            or not WHICH.intersection(sentence.words)
        ):
            return own
        causes = self._labels.similarity(_CAUSE)[0] >= SAME_FAMILY
        return replace(own, similarity=np.where(causes, 1.0, _LESS) * own.similarity)

    def _as_said(self, place: int, own: Asked) -> Asked:
        """Return what a verb asks for, the rather by labels with its preposition: "made from X" by crafted_from."""
        verbs = self._labels.grammar.behind(self._sentence.at(place + 1))
        if not verbs.any():
            return own
        if own.best < SAME_FAMILY:
            similarity = own.similarity + _SAID_SO * (verbs & (own.similarity > 0))
            return replace(own, similarity=similarity, best=float(similarity.max()))
        others = own.means & ~verbs & (own.means & verbs).any()
        return replace(own, similarity=np.where(others, _SAID_OTHERWISE, 1.0) * own.similarity)

    def _by_stop_word(self, place: int) -> Asked | None:
        """Return what a word asks for that no label is made of: "where", "how", "from"."""
        sentence, word, asking = self._sentence, self._sentence.words[place], self._settings.asking
        if word in ASKING:
            similarity, slots, best = self._labels.similarity(ASKING[word])
            if word == _WHERE and best < SAME_FAMILY and sentence.asks_where_it_is():
                near, where, _ = self._labels.similarity(lexicon.SOMEWHERE)
                is_there = (near >= SAME_FAMILY) & ~self._labels.grammar.verbs.get(_ON, np.False_)  # not based_on
                similarity, slots = np.where(is_there, near, similarity), np.where(is_there, where, slots)
                best = float(similarity.max())
            if word == _WHERE and sentence.at(len(sentence.words) - 1) == _FROM:
                origins = self._labels.similarity(lexicon.ORIGINS)[0] >= SAME_FAMILY
                similarity = np.where(origins, similarity, _LESS * similarity)
            if word in lexicon.LESS:
                less = self._labels.similarity(lexicon.LESS[word])[0] >= SAME_FAMILY
                similarity = np.where(less, _LESS, similarity)
                best = float(similarity.max())
            return Asked(similarity, slots, best, asking, kind=True, by_itself=True)
        if (
            (word == _ABOUT and WHICH.isdisjoint(sentence.words))
            or (word == _DO and not sentence.asks_what_is_done(place))
            or (word == _FROM and not sentence.asks_whence(place))
            or sentence.asks_how_much(place)
        ):
            return None
        if word == _HAVE and place == len(sentence.words) - 1 and sentence.at(0) in WHICH:  # "what does X have"
            return exactly(self._labels, _HAS)
        others = lexicon.EXACTLY.get(word, "")
        if word == _FROM:  # where no other word asks for an edge
            return exactly(self._labels, others, self._settings.kind, turned=True, alone=True)
        return exactly(self._labels, others, asking, kind=True, by_itself=True) if others else None

    def _by_label(self, place: int, own: Asked, called: str | None) -> Asked:
        """Return what a word asks for that a label holds; behind "which" it may say what the answer is."""
        sentence, kind = self._sentence, self._settings.kind
        if called is not None:
            asked = Asked(*self._labels.similarity(called), kind=True)
            asked = replace(asked, similarity=np.where(own.means, 1.0, _LESS) * asked.similarity)
            return replace(asked, factor=kind, alone=True) if sentence.is_subject(place) else asked
        nouns, beside = self._labels.grammar.held(sentence.words[place])
        if not sentence.opens(place):
            return own
        if (beside.any() and not nouns.any()) or sentence.is_subject(place):  # "which project": not a project lead
            return replace(own, factor=kind, kind=True, alone=True)
        return replace(own, kind=bool(nouns.any()))

    def _by_thesaurus(self, place: int, *, others: bool = False) -> Asked | None:
        """Return what a word asks for by the thesaurus; with ``others`` as ``Thesaurus.joined`` has it."""
        found = self._thesaurus.joined(self._terms[place], others=others)
        opens = self._sentence.opens(place)
        if found is not None and found.means.sum() == 1 and self._sentence.does_to_named(place):
            opens = False  # "what causes X", not of two of which one is where and one is how: "what killed X"
        if found is None or not (opens or found.alone):
            return found and replace(found, factor=self._settings.synonym)
        # "which wars": rather what the answer is than a step to it
        return replace(found, factor=self._settings.kind, kind=opens, alone=True)
