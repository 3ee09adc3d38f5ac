"""What the words of a question mean among the edge types of a graph.

What a word is similar to among their labels (``labels``) decides what it means, and how far it is trusted. What English
calls the same stands in ``language.lexicon`` and ``language.synonyms``, what a word does in its sentence in
``language.syntax``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from math import inf

import numpy as np
from numpy.typing import NDArray

from fourfold.config import Paths
from fourfold.index.base import EdgePart
from fourfold.language import lexicon
from fourfold.language.amounts import is_one
from fourfold.language.asked import SAME_FAMILY, Asked
from fourfold.language.lexicon import ASKING, TOWNS, WHICH
from fourfold.language.meaning import Meaning, said_again, say_all, settle
from fourfold.language.name_matching import Named, Words
from fourfold.language.placed import PREPOSITIONS
from fourfold.language.syntax import LEAD_BACK, Sentence
from fourfold.language.unspaced import asks, runs_together
from fourfold.relations import directions, sought
from fourfold.relations.denied import Denied
from fourfold.relations.labels import Labels
from fourfold.relations.roles import Roles
from fourfold.relations.succession import Succession
from fourfold.relations.thesaurus import Thesaurus, exactly
from fourfold.types import FloatArray

Types = NDArray[np.bool_]
"""(n_types,), which edge types."""

_ANY = 2.0
"""What is added to similarities where any edge may be meant: to the nearest word's, and twice the whole question's."""

_SORT = 0.5
"""What is left of an edge that only says what sort of thing something is, where any may be meant."""

_LESS = 0.98
"""What is left of the similarity of a label that rather says something else."""

_SAID_SO, _SAID_OTHERWISE = 0.1, 0.95
"""How much nearer to a verb a label with its preposition is; what is left of one that holds the verb without."""

_ABOUT, _DO, _FROM, _WHERE = "about", "do", "from", "where"
_DIE, _CAUSE, _OF = "die", "cause", frozenset({"of", "from"})


class Relations:
    """The edge types of a graph, ready to be compared with questions.

    ``numbers`` are those of the types by ``names``. ``is_word`` tells whether a word is spelt as words are: another may
    be a label's with a letter wrong. ``nouns`` returns those for the same kind of thing as a word, by its terms;
    ``calls`` which edges end, and which begin, at what it calls, ``own`` those that nothing else has.
    """

    def __init__(
        self,
        names: Sequence[str],
        numbers: Sequence[int],
        embed: Callable[[list[str]], FloatArray],
        terms: Callable[[str], list[str]],
        is_word: Callable[[str], bool] = lambda word: True,
    ) -> None:
        self.labels = Labels(names, embed, terms, is_word)
        self.numbers = np.array(numbers, np.int64)
        self._near = lru_cache(self.labels.most_words)(self._near_by)
        self._roles = Roles(names)
        self._denied = Denied([one.own for one in self.labels.words.labels])
        self._succession = Succession(names, terms)
        self._thesaurus = Thesaurus(self.labels)
        self.nouns, self.calls, self.own = self._thesaurus.kinds, self._thesaurus.calls, self._thesaurus.own

    def __len__(self) -> int:
        return len(self.labels)

    def may_be_asked(self, words: Words, settings: Paths) -> bool:
        """Tell whether any word may ask for an edge, whatever the question names: if not, ``read`` trusts none."""
        plain = [(word.lower(), terms) for word, terms in words]
        self.labels.learn([word for word, terms in plain if self._may_ask(word, terms)])
        near = any(self._near(word, terms) > settings.low for word, terms in plain)
        return near or any(self.labels.words.within(word) for word, _ in plain)

    def _near_by(self, word: str, terms: Sequence[str]) -> float:
        """Return how near a word is to what an edge type says; ``inf`` where it may ask for one however far it is."""
        if not self._may_ask(word, terms):
            return inf if word in LEAD_BACK or word in lexicon.ASKING or word in lexicon.EXACTLY else -inf
        key = terms[0] if len(terms) == 1 else word
        listed = word in LEAD_BACK or self._thesaurus.lists(key) or self._succession.has(terms)
        if listed or self._roles.has(word) or self._thesaurus.joined(terms) is not None:
            return inf
        return self.labels.similarity(word)[2]

    def read(self, words: Words, settings: Paths, named: Sequence[Named] = (), there: Types | None = None) -> Meaning:
        """Return what each word of a question asks for.

        ``there`` (n_types,) are the types of edges that there are at what is named. Given, a word that only labels of
        others hold asks for what the thesaurus joins it to.
        """
        meaning = Meaning.none(len(words), len(self))
        labels = [self._in_label(word.lower(), terms) for word, terms in words]
        sentence = Sentence(words, named, labels)
        events = sentence.events()
        haunts = self._thesaurus.haunts([words[place][1] for place in sentence.events(_WHERE)])
        by: dict[int, Asked] = {}
        for place in range(len(words)):  # a question has few
            if sentence.mirrors(place):
                meaning.mirrors[place], meaning.trust[place] = True, 1.0
            elif (asked := self._asked(sentence, place, words[place][1], settings)) is not None:
                if place in events:
                    asked = asked.or_also(self._thesaurus.joined(words[place][1])).or_also(haunts)
                elif there is not None and (place not in sentence.of_type() or sentence.opens(place)):
                    asked = self._of_others(asked, sentence, place, words[place][1], there, settings) or asked
                by[place] = asked
                self._put(meaning, sentence, place, asked, settings)
        if not meaning.trust.any():  # as with most questions: no word asks for an edge
            return meaning
        if (meaning.trust[sentence.free()] > settings.kind).any():
            self._by_itself(meaning, sentence, [place for place, asked in by.items() if asked.alone], settings)
        loose = [place for place, asked in by.items() if asked.loose and not asked.alone]
        left_out = [self.labels.words.left_out(words[place][1]) for place in loose]
        self._by_itself(meaning, sentence, said_again(meaning, sentence.free(), loose, left_out), settings)
        to_places = self.labels.grammar.to_places | (haunts is not None and haunts.means)
        sought.end_there(meaning, sentence, lambda place: self.calls(sentence.words[place], words[place][1]), settings)
        say_all(meaning, sentence.free(), *self.labels.words.wider)
        settle(meaning, sentence, [self.labels.words.families_of(terms) for _, terms in words], to_places)
        sought.price(meaning, sentence, settings)
        return meaning

    def read_loosely(self, words: Words, settings: Paths, named: Sequence[Named], edges: EdgePart) -> Meaning:
        """Return the same where words that only labels of other nodes' edges hold ask for what means the same."""
        nodes = np.concatenate([one.nodes for one in named])
        there = np.isin(self.numbers, edges.expand(nodes, weights="none", cap=settings.fan).types)
        return self.read(words, settings, named, there)

    def _by_itself(self, meaning: Meaning, sentence: Sentence, places: Sequence[int], settings: Paths) -> None:
        """Let words ask for what is close to them; what does something to the named node is no step from it."""
        for place in places:
            meaning.trust[place], meaning.asked[place], meaning.kind[place] = 0.0, 0.0, False
            if sentence.is_content(place) and not sentence.is_subject(place):
                self._put(meaning, sentence, place, Asked(*self.labels.similarity(sentence.words[place])), settings)

    def _put(self, meaning: Meaning, sentence: Sentence, place: int, asked: Asked, settings: Paths) -> None:
        """Put down what one word asks for: how much, and which way."""
        similarity, best, factor = asked.similarity * self._denied.left(sentence), asked.best, asked.factor
        meaning.slots[place], meaning.turned[place], meaning.kind[place] = asked.slots, asked.turned, asked.kind
        if not asked.by_itself and sentence.is_kind(place, far=best < settings.high):
            factor, meaning.kind[place] = min(factor, settings.kind), True
        if best > settings.low:
            meaning.trust[place] = factor * min((best - settings.low) / (settings.high - settings.low), 1.0)
            meaning.asked[place] = meaning.trust[place] * (similarity / best) ** settings.sharpness
            if best >= SAME_FAMILY and not asked.directed:
                meaning.turned[place] = directions.backwards(self.labels.grammar, asked, sentence, place)
        if not asked.directed:
            meaning.turned[place] ^= directions.by_role(self.labels.grammar, sentence, place)

    def nearest(self, words: Words, named: Sequence[Named], meaning: Meaning, *, sorts: bool = False) -> Meaning:
        """Return what the question may ask for where what is sure of its ``meaning`` leads nowhere.

        What sort of thing the named node is (``is_a``) is hardly asked, unless it is a sort itself (``sorts``).

        A word that asks for no edge may mean any, the rather the nearer it and all words are: "X's other half".
        Where nothing stands beside the name, its instances are asked for: what any edge leads to it from.
        """
        sentence = Sentence(words, named)
        free = [p for p, (word, terms) in enumerate(words) if (terms or asks(word)) and p not in sentence.names]
        free = [p for p in free if not is_one(sentence.words[p])] or free  # "the tallest player from X"
        instances = sentence.instances()
        free = free if instances < 0 else []
        unknown = [place for place in free if meaning.trust[place] <= 0]
        meaning = Meaning(*map(np.copy, meaning.arrays)) if unknown else Meaning.none(len(words), len(self))
        place = next(iter(unknown or free), instances)
        if place >= 0:
            near = [self._nearness(sentence.words[one], words[one][1]) for one in free]
            runs = "".join(sentence.words[one] for one in free if runs_together(sentence.words[one]))
            near += [self._nearness(runs, ())] if runs else []  # of one label parts may stand apart: 周边还有其他景点吗
            most = np.max([np.zeros(len(self)), *near], axis=0) + 2.0 * self.labels.like(sentence.beside())
            meaning.trust[place], meaning.turned[place] = 1.0, not free
            most *= self._denied.left(sentence)
            meaning.asked[place] = (_ANY + most) / (_ANY + most.max())
            meaning.asked[place] *= np.where(self.labels.grammar.sorts & (not sorts), _SORT, 1.0)
        return meaning

    def _nearness(self, word: str, terms: Sequence[str]) -> FloatArray:
        """Return how similar each label is to a word, or to what the thesaurus has for it, (n_types,) in [0, 1]."""
        if runs_together(word):
            return np.minimum(self.labels.words.within_by_character(word) + self.labels.words.sought_by(word), 1.0)
        near, found = self.labels.similarity(word)[0], self._thesaurus.joined(terms)
        return near if found is None else np.maximum(near, found.similarity)

    def _may_ask(self, word: str, terms: Sequence[str]) -> bool:
        """Tell whether a word is no stop word, or one that a label is made of: "own" of owns."""
        return bool(terms) or (word not in PREPOSITIONS and word in self.labels.words.stems)  # "in" is in "tie-ins"

    def hold(self, word: str, terms: Sequence[str]) -> bool:
        """Tell whether a label holds a word, one of its family, or what the thesaurus has for it."""
        return self.labels.similarity(word.lower())[2] >= SAME_FAMILY or self._thesaurus.joined(terms) is not None

    def holds(self, word: str) -> bool:
        """Tell the same of a word that the question need not have."""
        return self.hold(word, self.labels.terms(word))

    def _in_label(self, word: str, terms: Sequence[str]) -> bool:
        """Tell whether a label holds a word, or one of its family."""
        return self._may_ask(word, terms) and self.labels.similarity(word)[2] >= SAME_FAMILY

    def _asked(self, sentence: Sentence, place: int, terms: Sequence[str], settings: Paths) -> Asked | None:
        """Return what one word asks for; None where it asks for nothing."""
        word = sentence.words[place]
        if (succession := self._succession.asked(sentence, place, terms)) is not None:
            return succession
        if not self._may_ask(word, terms):
            return self._asked_by_stop_word(sentence, place, settings)
        if (found := sought.at_once(self.labels, sentence, place)) is not None:
            return found
        if self._asks_nothing(sentence, place, terms, settings):
            return None
        if sentence.for_a_living(place):
            return exactly(self.labels, lexicon.EXACTLY["do"])
        key = terms[0] if len(terms) == 1 else word
        called = self._thesaurus.called(key) if sentence.opens(place) else None
        own = self._as_said(sentence, place, self._narrowed(sentence, place, terms, settings))
        if own.best < SAME_FAMILY:
            found = self._thesaurus.of_every_life(key)
            if found is not None or word in lexicon.SAY_NOTHING:
                return found
            return self._otherwise(sentence, place, terms, own, called, settings) or own
        if word not in lexicon.SAY_NOTHING and self._is_only_noun(sentence, place, own):
            found = self._otherwise(sentence, place, terms, own, called, settings)
            if found is not None:
                return found.rather_without(own.means)
        return self._asked_by_label(sentence, place, own, called, settings)

    def _otherwise(
        self,
        sentence: Sentence,
        place: int,
        terms: Sequence[str],
        own: Asked,
        called: str | None,
        settings: Paths,
    ) -> Asked | None:
        """Return what a word asks for that no label holds: a kind of answer, a role, what the thesaurus joins it to."""
        if called is not None and (found := exactly(self.labels, called, settings.asking, kind=True)) is not None:
            return found
        if not sentence.may_ask():  # "I need a token" asks for none
            return None
        role = self._roles.asked(sentence, place) if own.best < settings.high else None
        others = own.best >= SAME_FAMILY
        return role or self._asked_by_thesaurus(sentence, place, terms, settings, others=others)

    def _is_only_noun(self, sentence: Sentence, place: int, own: Asked) -> bool:
        """Tell whether labels have a noun or a place for a verb: who X works for is no notable work, nor signed_at."""
        grammar = self.labels.grammar
        if not sentence.is_verb(place):
            return False
        nouns = np.logical_or(*grammar.held(sentence.words[place])) & self.labels.several(own.slots)
        nouns &= ~grammar.done(own.slots)
        if sentence.named_is_done_to(place, ""):
            nouns |= grammar.to_places
        return bool(nouns[own.means].all())

    def _asks_nothing(self, sentence: Sentence, place: int, terms: Sequence[str], settings: Paths) -> bool:
        """Tell whether a word that could ask for an edge asks for none where it stands."""
        if sentence.belongs(place) or sentence.names_what_follows(place) or sentence.is_left_open(place):
            return True
        if sentence.is_noun(place) and self.labels.grammar.only_qualify(terms):
            return True
        sort = sentence.sort_of(place)
        if sort >= 0 and sought.sort_of(self.labels, sentence, sort) is not None:
            return True
        if sentence.says_what_it_is(place) or (sentence.takes_place(place) and _WHERE not in sentence.words):
            return True
        if sentence.is_apposed(place) and self.labels.grammar.calls_begin(sentence.words[place]):
            return True
        if sentence.makes_part(place) and sentence.is_in_label(sentence.object_of(place)):
            return True
        if sought.is_told_by_order(self.labels, sentence, place, settings):
            return True
        refers = self._joint(sentence, place - 1) or sentence.refers_back(place)
        return bool(refers) or sentence.only_frames(place) or sentence.sort_says_nothing(place)

    def _may_say_again(self, sentence: Sentence, place: int) -> bool:
        """Tell whether a word such as "city" may say of what is asked for what it is anyway: "the capital city of"."""
        if sentence.words[place] not in TOWNS or not sentence.is_content(place - 1) or sentence.opens(place - 1):
            return False
        return bool(self.labels.grammar.kinds(sentence.at(place - 1))[0].any())

    def _joint(self, sentence: Sentence, place: int) -> str:
        """Return the word of a label that a word makes with the next: campusfee, for "campus fee"; "" where none."""
        if not (sentence.is_content(place) and sentence.is_content(place + 1)):
            return ""
        joint = sentence.words[place] + sentence.words[place + 1]
        held = self.labels.words.stems.keys() >= set(self.labels.terms(joint) or [""])
        return joint if joint.isalpha() and held else ""

    def _own(self, sentence: Sentence, place: int) -> Asked:
        """Return what a word asks for, and with it the next where both are one word of a label."""
        similarity, slots, _ = self.labels.similarity(sentence.words[place])
        own = Asked(left := similarity * self._denied.left(sentence), slots, float(left.max()))
        if not (joint := self._joint(sentence, place)):
            return own
        whole, slots, _ = self.labels.similarity(joint)
        both = np.maximum(whole, np.minimum(own.similarity, self.labels.similarity(sentence.words[place + 1])[0]))
        return Asked(both, slots, float(both.max()))

    def _narrowed(self, sentence: Sentence, place: int, terms: Sequence[str], settings: Paths) -> Asked:
        """Return what a word asks for by its own name: "what did X die of" for its cause, where a label has one."""
        own = self._own(sentence, place)
        if sentence.takes_place(place):
            return exactly(self.labels, lexicon.SETTING) or replace(own, similarity=0.0 * own.similarity, best=0.0)
        if self._may_say_again(sentence, place):
            return replace(own, factor=settings.kind, kind=True)
        if _DIE not in terms or sentence.at(place + 1) not in _OF or not WHICH.intersection(sentence.words):
            return own
        causes = self.labels.similarity(_CAUSE)[0] >= SAME_FAMILY
        return replace(own, similarity=np.where(causes, 1.0, _LESS) * own.similarity)

    def _as_said(self, sentence: Sentence, place: int, own: Asked) -> Asked:
        """Return what a verb asks for, the rather by labels with its preposition: "made from X" by crafted_from."""
        verbs = self.labels.grammar.behind(sentence.at(place + 1))
        if not verbs.any():
            return own
        if own.best < SAME_FAMILY:
            similarity = own.similarity + _SAID_SO * (verbs & (own.similarity > 0))
            return replace(own, similarity=similarity, best=float(similarity.max()))
        others = own.means & ~verbs & (own.means & verbs).any()
        return replace(own, similarity=np.where(others, _SAID_OTHERWISE, 1.0) * own.similarity)

    def _asked_by_stop_word(self, sentence: Sentence, place: int, settings: Paths) -> Asked | None:
        word = sentence.words[place]
        if word in ASKING:
            similarity, slots, best = self.labels.similarity(ASKING[word])
            if word == _WHERE and sentence.at(len(sentence.words) - 1) == _FROM:
                origins = self.labels.similarity(lexicon.ORIGINS)[0] >= SAME_FAMILY
                similarity = np.where(origins, similarity, _LESS * similarity)
            if word in lexicon.LESS:
                less = self.labels.similarity(lexicon.LESS[word])[0] >= SAME_FAMILY
                similarity = np.where(less, _LESS, similarity)
                best = float(similarity.max())
            return Asked(similarity, slots, best, settings.asking, kind=True, by_itself=True)
        if (
            (word == _ABOUT and WHICH.isdisjoint(sentence.words))
            or (word == _DO and not sentence.asks_what_is_done(place))
            or (word == _FROM and not sentence.asks_whence(place))
            or sentence.asks_how_much(place)
        ):
            return None
        others = lexicon.EXACTLY.get(word, "")
        if word == _FROM:  # where no other word asks for an edge
            return exactly(self.labels, others, settings.kind, turned=True, alone=True)
        return exactly(self.labels, others, settings.asking, kind=True, by_itself=True) if others else None

    def _asked_by_label(self, sentence: Sentence, place: int, own: Asked, called: str | None, settings: Paths) -> Asked:
        """Return what a word asks for that a label holds; behind "which" it may say what the answer is."""
        if called is not None:
            asked = Asked(*self.labels.similarity(called), kind=True)
            asked = replace(asked, similarity=np.where(own.means, 1.0, _LESS) * asked.similarity)
            return replace(asked, factor=settings.kind, alone=True) if sentence.is_subject(place) else asked
        word = sentence.words[place]
        nouns, beside = self.labels.grammar.held(word)
        if sentence.is_one(place) and not nouns.any():
            return replace(own, factor=settings.kind, kind=True)
        if not sentence.opens(place):
            return own
        if (beside.any() and not nouns.any()) or sentence.is_subject(place):  # "which project": not a project lead
            return replace(own, factor=settings.kind, kind=True, alone=True)
        return replace(own, kind=bool(nouns.any()))

    def _of_others(
        self,
        asked: Asked,
        sentence: Sentence,
        place: int,
        terms: Sequence[str],
        there: Types,
        settings: Paths,
    ) -> Asked | None:
        """Return what the thesaurus joins a word to, where that is there, and what its own labels ask for is not."""
        if asked.best < SAME_FAMILY or asked.means[there].any():
            return None
        ways = (self._thesaurus.of_same_life(terms), self._asked_by_thesaurus(sentence, place, terms, settings))
        return next((one for one in ways if one is not None and one.means[there].any()), None)

    def _asked_by_thesaurus(
        self, sentence: Sentence, place: int, terms: Sequence[str], settings: Paths, *, others: bool = False
    ) -> Asked | None:
        """Return what a word asks for by the thesaurus; with ``others`` as ``Thesaurus.joined`` has it."""
        found = self._thesaurus.joined(terms, others=others)
        if found is None or (not sentence.opens(place) and not found.alone):
            return found if found is None else replace(found, factor=settings.synonym)
        # "which wars": rather what the answer is than a step to it
        return replace(found, factor=settings.kind, kind=sentence.opens(place), alone=True)
