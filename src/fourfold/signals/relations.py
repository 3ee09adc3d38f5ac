"""What the words of a question mean among the edge types of a graph.

What a word is similar to among their labels (``labels``) decides what it means, and how far it is trusted. What English
calls the same stands in ``wording`` and ``synonyms``, what a word does in its sentence in ``syntax``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fourfold.config import Paths
from fourfold.edge_types import reading
from fourfold.signals import synonyms, wording
from fourfold.signals.labels import Labels
from fourfold.signals.meaning import SAME_FAMILY, SAME_WORD, Meaning, settle
from fourfold.signals.names import Named, Words
from fourfold.signals.placed import PREPOSITIONS
from fourfold.signals.syntax import LEAD_BACK, Sentence
from fourfold.signals.wording import ASKING, TOWNS, WHICH
from fourfold.types import FloatArray

_ANY = 3.0
"""What is added to similarities where any edge may be meant."""

_SORT = 0.5
"""What is left of an edge that only says what sort of thing something is, where any may be meant."""

_COULD_SAY = 0.2
"""Trust in a word that may say what another does."""

_LESS = 0.98
"""What is left of the similarity of a label that rather says something else."""

_ABOUT, _DO, _FROM = "about", "do", "from"

_DIE, _OF = "die", frozenset({"of", "from"})
_CAUSE = "cause"

_SORTS = "kind sort type form class category style"
"""What labels call the kind of something."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """What one word asks for.

    Args:
        similarity: (n_types,) in [0, 1], how similar each label is to it.
        slots: (n_types,) int64, which word of each label is.
        best: the largest similarity.
        factor: how far to trust it, of what a word as similar is trusted.
        turned: as ``Meaning`` has it.
        kind: as ``Meaning`` has it.
        by_itself: whether it does so whatever stands beside it: a question word.
        alone: whether it does so only where no other word asks for an edge.
        loose: whether it is the thesaurus that says so.

    """

    similarity: FloatArray
    slots: NDArray[np.int64]
    best: float
    factor: float = 1.0
    turned: bool = False
    kind: bool = False
    by_itself: bool = False
    alone: bool = False
    loose: bool = False


class Relations:
    """The edge types of a graph, ready to be compared with questions.

    Args:
        names: the edge types in use.
        numbers: (len(names),) their numbers.
        embed: texts → vectors (n, dimensions), by a local model.
        terms: text → terms, the tokenizer of the index.
        is_word: whether a word is spelt as words are; another may be a label's with a letter wrong.

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
        self._roles = _by_role(names)
        self._asking = self._by_stem(wording.ASKING)
        self._same, self._inverse = self._by_stem(wording.SAME), self._by_stem(wording.INVERSE)
        self._kinds = self._by_stem(synonyms.KINDS)
        self._thesaurus = [self._by_stem(each) for each in (synonyms.TURNED, synonyms.SAME, synonyms.ALONE)]

    def __len__(self) -> int:
        return len(self.labels)

    def may_be_asked(self, words: Words, settings: Paths) -> bool:
        """Tell whether any word may ask for an edge, whatever the question names: if not, ``read`` trusts none."""
        plain = [(word.lower(), terms) for word, terms in words]
        self.labels.learn([word for word, terms in plain if self._may_ask(word, terms)])
        return any(self._may_be_asked(word, terms, settings) for word, terms in plain)

    def _may_be_asked(self, word: str, terms: Sequence[str], settings: Paths) -> bool:
        if word in LEAD_BACK:
            return True
        if not self._may_ask(word, terms):
            return word in wording.ASKING or word in wording.EXACTLY
        key = terms[0] if len(terms) == 1 else word
        listed = any(key in each for each in (self._same, self._inverse, self._asking))
        return listed or self.labels.similarity(word)[2] > settings.low or self._said(word, terms)

    def _said(self, word: str, terms: Sequence[str]) -> bool:
        """Tell whether edge types say what a word is known to say, or what the thesaurus joins it to."""
        own = reading(word)
        return (own is not None and own.role in self._roles) or self._by_thesaurus(terms) is not None

    def read(self, words: Words, settings: Paths, named: Sequence[Named] = ()) -> Meaning:
        """Return what each word of a question asks for; ``named`` are the nodes that it names."""
        meaning = Meaning.none(len(words), len(self))
        labels = [self._in_label(word.lower(), terms) for word, terms in words]
        sentence = Sentence(words, named, labels)
        by: dict[int, _Asked] = {}
        for place in range(len(words)):  # a question has few
            if sentence.mirrors(place):
                meaning.mirrors[place], meaning.trust[place] = True, 1.0
            elif (asked := self._asked(sentence, place, words[place][1], settings)) is not None:
                by[place] = asked
                self._put(meaning, sentence, place, asked, settings)
        if not meaning.trust.any():  # as with most questions: no word asks for an edge
            return meaning
        if (meaning.trust[sentence.free()] > settings.kind).any():
            self._by_itself(meaning, sentence, [place for place, asked in by.items() if asked.alone], settings)
        loose = [place for place, asked in by.items() if asked.loose and not asked.alone]
        self._by_itself(meaning, sentence, _said_again(meaning, sentence.free(), loose), settings)
        settle(meaning, sentence, [self.labels.families(terms) for _, terms in words], self.labels.to_places)
        return meaning

    def _by_itself(self, meaning: Meaning, sentence: Sentence, places: Sequence[int], settings: Paths) -> None:
        """Let words ask for what is close to them; what does something to the named node is no step from it."""
        for place in places:
            meaning.trust[place], meaning.asked[place], meaning.kind[place] = 0.0, 0.0, False
            if sentence.is_content(place) and not sentence.is_subject(place):
                self._put(meaning, sentence, place, _Asked(*self.labels.similarity(sentence.words[place])), settings)

    def _put(self, meaning: Meaning, sentence: Sentence, place: int, asked: _Asked, settings: Paths) -> None:
        """Put down what one word asks for: how much, and which way."""
        similarity, best, factor = asked.similarity, asked.best, asked.factor
        meaning.slots[place], meaning.turned[place], meaning.kind[place] = asked.slots, asked.turned, asked.kind
        if not asked.by_itself and sentence.is_kind(place, far=best < settings.high):
            factor, meaning.kind[place] = min(factor, settings.kind), True
        if best > settings.low:
            meaning.trust[place] = factor * min((best - settings.low) / (settings.high - settings.low), 1.0)
            meaning.asked[place] = meaning.trust[place] * (similarity / best) ** settings.sharpness
            if best >= SAME_FAMILY:
                meaning.turned[place] |= self._backwards(int(similarity.argmax()), sentence, place)
                meaning.turned[place] |= self._begins_there(asked, sentence.words[place])
        meaning.turned[place] ^= sentence.is_role(place)

    def _backwards(self, kind: int, sentence: Sentence, place: int) -> bool:
        """Tell whether a word asks for where the edges of a type begin: by a label such as directed_by, or acquired."""
        if self.labels.agents[kind]:
            return sentence.named_does(place)
        preposition = self.labels.verbs[kind]
        return preposition is not None and sentence.named_is_done_to(place, preposition)

    def _begins_there(self, asked: _Asked, word: str) -> bool:
        """Tell whether a word calls what the edges nearest to it begin at: "children of X" by child_of."""
        nearest = asked.similarity == asked.best
        by_label = asked.best >= SAME_WORD and self.labels.begin_at(nearest)
        return by_label or bool(self.labels.kinds(word)[1][nearest].all())

    def nearest(self, words: Words, named: Sequence[Named], meaning: Meaning, *, sorts: bool = False) -> Meaning:
        """Return what the question may ask for where what is sure of its ``meaning`` leads nowhere.

        What sort of thing the named node is (``is_a``) is hardly asked, unless it is a sort itself (``sorts``).

        A word that asks for no edge may mean any, the rather the nearer it is to it: "the gender of X's other half".
        Where nothing stands beside the name, its instances are asked for: what any edge leads to it from.
        """
        sentence = Sentence(words, named)
        free = [place for place, (_, terms) in enumerate(words) if terms and place not in sentence.names]
        unknown = [place for place in free if meaning.trust[place] <= 0]
        meaning = Meaning(*map(np.copy, meaning.arrays)) if unknown else Meaning.none(len(words), len(self))
        place = next(iter(unknown or free), sentence.instances())
        if place >= 0:
            near = [self._nearness(sentence.words[one], words[one][1]) for one in free]
            most = np.max([np.zeros(len(self)), *near], axis=0)
            meaning.trust[place], meaning.turned[place] = 1.0, not free
            meaning.asked[place] = (_ANY + most) / (_ANY + most.max())
            meaning.asked[place] *= np.where(self.labels.sorts & (not sorts), _SORT, 1.0)
        return meaning

    def _nearness(self, word: str, terms: Sequence[str]) -> FloatArray:
        """Return how similar each label is to a word, or to what the thesaurus has for it, (n_types,) in [0, 1]."""
        near, found = self.labels.similarity(word)[0], self._by_thesaurus(terms)
        return near if found is None else np.maximum(near, found.similarity)

    def calls(self, word: str, terms: Sequence[str]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return which edges end at what a word, or another for the same, calls; and which begin there, (n_types,)."""
        own = self.labels.kinds(word)
        if own[0].any() or own[1].any() or len(terms) != 1:
            return own
        others = [self.labels.kinds(other) for other in self._kinds.get(terms[0], "").split()]
        ends, begins = zip(own, *others, strict=True)
        return np.logical_or.reduce(ends), np.logical_or.reduce(begins)

    def _may_ask(self, word: str, terms: Sequence[str]) -> bool:
        """Tell whether a word is no stop word, or one that a label is made of: "own" of owns."""
        return bool(terms) or (word not in PREPOSITIONS and self.labels.hold(word))  # "in" is in "tie-ins"

    def hold(self, word: str, terms: Sequence[str]) -> bool:
        """Tell whether a label holds a word, one of its family, or what the thesaurus has for it."""
        return self.labels.similarity(word.lower())[2] >= SAME_FAMILY or self._by_thesaurus(terms) is not None

    def _in_label(self, word: str, terms: Sequence[str]) -> bool:
        """Tell whether a label holds a word, or one of its family."""
        return self._may_ask(word, terms) and self.labels.similarity(word)[2] >= SAME_FAMILY

    def _asked(self, sentence: Sentence, place: int, terms: Sequence[str], settings: Paths) -> _Asked | None:
        """Return what one word asks for; None where it asks for nothing."""
        word = sentence.words[place]
        if not self._may_ask(word, terms):
            return self._asked_by_stop_word(sentence, place, settings)
        if self._asks_nothing(sentence, place, terms):
            return None
        if sentence.says_what_it_is(place):
            return self._sort_of(word)
        key = terms[0] if len(terms) == 1 else word
        called = self._asking.get(key) if sentence.opens(place) else None
        own = self._narrowed(sentence, place, terms, settings)
        if own.best >= SAME_FAMILY:
            return self._asked_by_label(sentence, place, terms, own, called, settings)
        for others, turned in ((self._same, False), (self._inverse, True)):
            if key in others and (found := self._exactly(others[key], turned=turned)) is not None:
                return replace(found, similarity=self.labels.alone_first(found.similarity))
        if word in wording.SAY_NOTHING:
            return None
        found = None if called is None else self._exactly(called, settings.asking, kind=True)
        if found is None and sentence.may_ask():  # "I need a token" asks for none
            if own.best < settings.high:
                found = self._said_by_role(sentence, place)
            found = found or self._asked_by_thesaurus(sentence, place, terms, settings)
        return found or own

    def _asks_nothing(self, sentence: Sentence, place: int, terms: Sequence[str]) -> bool:
        """Tell whether a word that could ask for an edge asks for none where it stands."""
        if sentence.names_what_follows(place) or (sentence.is_noun(place) and self.labels.only_qualify(terms)):
            return True
        refers = self._joint(sentence, place - 1) or sentence.refers_back(place)
        return bool(refers) or sentence.only_frames(place) or sentence.sort_says_nothing(place)

    def _may_say_again(self, sentence: Sentence, place: int) -> bool:
        """Tell whether a word such as "city" may say of what is asked for what it is anyway: "the capital city of"."""
        if sentence.words[place] not in TOWNS or not sentence.is_content(place - 1) or sentence.opens(place - 1):
            return False
        return bool(self.labels.kinds(sentence.at(place - 1))[0].any())

    def _sort_of(self, word: str) -> _Asked | None:
        """Return what labels call the kind of something: form_of_government, for "what kind of government is X"."""
        similarity, slots, _ = self.labels.similarity(word)
        sorts = self.labels.similarity(_SORTS)[0] >= SAME_FAMILY
        similarity = np.where(sorts & (similarity >= SAME_FAMILY), similarity, 0.0)
        return _Asked(similarity, slots, float(similarity.max()), kind=True) if similarity.any() else None

    def _joint(self, sentence: Sentence, place: int) -> str:
        """Return the word of a label that a word makes with the next: campusfee, for "campus fee"; "" where none."""
        if not (sentence.is_content(place) and sentence.is_content(place + 1)):
            return ""
        joint = sentence.words[place] + sentence.words[place + 1]
        return joint if joint.isalpha() and all(map(self.labels.hold, self.labels.terms(joint) or [""])) else ""

    def _own(self, sentence: Sentence, place: int) -> _Asked:
        """Return what a word asks for, and with it the next where both are one word of a label."""
        own = _Asked(*self.labels.similarity(sentence.words[place]))
        if not (joint := self._joint(sentence, place)):
            return own
        whole, slots, _ = self.labels.similarity(joint)
        both = np.maximum(whole, np.minimum(own.similarity, self.labels.similarity(sentence.words[place + 1])[0]))
        return _Asked(both, slots, float(both.max()))

    def _narrowed(self, sentence: Sentence, place: int, terms: Sequence[str], settings: Paths) -> _Asked:
        """Return what a word asks for by its own name: "what did X die of" for its cause, where a label has one."""
        own = self._own(sentence, place)
        if self._may_say_again(sentence, place):
            return replace(own, factor=settings.kind, kind=True)
        if _DIE not in terms or sentence.at(place + 1) not in _OF or not WHICH.intersection(sentence.words):
            return own
        causes = self.labels.similarity(_CAUSE)[0] >= SAME_FAMILY
        return replace(own, similarity=np.where(causes, 1.0, _LESS) * own.similarity)

    def _asked_by_stop_word(self, sentence: Sentence, place: int, settings: Paths) -> _Asked | None:
        word = sentence.words[place]
        if word in ASKING:
            similarity, slots, best = self.labels.similarity(ASKING[word])
            if word in wording.LESS:
                less = self.labels.similarity(wording.LESS[word])[0] >= SAME_FAMILY
                similarity = np.where(less, _LESS, similarity)
                best = float(similarity.max())
            return _Asked(similarity, slots, best, settings.asking, kind=True, by_itself=True)
        if (
            (word == _ABOUT and WHICH.isdisjoint(sentence.words))
            or (word == _DO and not sentence.asks_what_is_done(place))
            or (word == _FROM and not sentence.asks_whence(place))
            or sentence.asks_how_much(place)
        ):
            return None
        exactly = wording.EXACTLY.get(word, "")
        if word == _FROM:  # where no other word asks for an edge
            return self._exactly(exactly, settings.kind, turned=True, alone=True)
        return self._exactly(exactly, settings.asking, kind=True, by_itself=True) if exactly else None

    def _asked_by_label(
        self, sentence: Sentence, place: int, terms: Sequence[str], own: _Asked, called: str | None, settings: Paths
    ) -> _Asked:
        """Return what a word asks for that a label holds; behind "which" it may say what the answer is."""
        if called is not None:
            asked = _Asked(*self.labels.similarity(called), kind=True)
            return replace(asked, factor=settings.kind, alone=True) if sentence.is_subject(place) else asked
        word = sentence.words[place]
        nouns, beside = self.labels.held(word)
        if sentence.is_one(place) and not nouns.any():
            return replace(own, factor=settings.kind, kind=True)
        if not sentence.opens(place):
            return own
        if (beside.any() and not nouns.any()) or sentence.is_subject(place):  # "which project": not a project lead
            return replace(own, factor=settings.kind, kind=True, alone=True)
        return replace(own, kind=bool(self.labels.kinds(word)[0].any()))

    def _asked_by_thesaurus(
        self, sentence: Sentence, place: int, terms: Sequence[str], settings: Paths
    ) -> _Asked | None:
        """Return what a word asks for by the thesaurus."""
        found = self._by_thesaurus(terms)
        if found is None or (not sentence.opens(place) and not found.alone):
            return found if found is None else replace(found, factor=settings.synonym)
        # "which wars": rather what the answer is than a step to it
        return replace(found, factor=settings.kind, kind=sentence.opens(place), alone=True)

    def _by_thesaurus(self, terms: Sequence[str]) -> _Asked | None:
        """Return what the thesaurus joins a word to, as far as a label has it."""
        for words, how in zip(self._thesaurus, ({"turned": True}, {}, {"alone": True}), strict=True):
            if len(terms) == 1 and terms[0] in words and (found := self._exactly(words[terms[0]], loose=True, **how)):
                return found
        return None

    def _said_by_role(self, sentence: Sentence, place: int) -> _Asked | None:
        """Return what a word asks for by what edge types are known to say: "needs" of depends_on."""
        own = reading(sentence.words[place])
        if own is None or own.role not in self._roles:
            return None
        same, inverse = self._roles[own.role]
        turned = sentence.named_is_done_to(place, "") ^ own.inverse ^ inverse
        return _Asked(SAME_FAMILY * same, np.zeros(len(self), np.int64), SAME_FAMILY, turned=turned)

    def _exactly(self, words: str, factor: float = 1.0, **how: bool) -> _Asked | None:
        """Return what several words ask for, where a label holds one of them."""
        similarity, slots, best = self.labels.similarity(words)
        return _Asked(similarity, slots, best, factor, **how) if best >= SAME_FAMILY else None

    def _by_stem(self, texts: Mapping[str, str]) -> dict[str, str]:
        found: dict[str, str] = {}
        for word, text in texts.items():
            key = (self.labels.terms(word) or [word])[0]
            found[key] = f"{found[key]} {text}" if key in found else text
        return found


def _said_again(meaning: Meaning, free: NDArray[np.bool_], loose: Sequence[int]) -> list[int]:
    """Return which words the thesaurus joins to what another word asks for by its own name.

    Where a step is led back along, both ends tell it: in "who appeared in the same films" the films are enough.
    """
    enough = _COULD_SAY if meaning.mirrors.any() else SAME_FAMILY
    own = free & (meaning.trust >= enough) & ~meaning.mirrors
    own[loose] = False
    said = (meaning.asked[own] >= enough).any(axis=0)
    return [place for place in loose if (meaning.asked[place, said] >= meaning.trust[place]).any()]


def _by_role(names: Sequence[str]) -> dict[str, tuple[NDArray[np.bool_], bool]]:
    """Return which edge types say each role, and whether all of them say it the other way: "is needed by"."""
    found = defaultdict(list)
    for place, name in enumerate(names):
        if (one := reading(name)) is not None and not one.denied:
            found[one.role].append((place, one.inverse))
    rows = np.arange(len(names))
    return {
        role: (np.isin(rows, [place for place, _ in own]), all(inverse for _, inverse in own))
        for role, own in found.items()
    }
