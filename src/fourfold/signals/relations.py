"""What the words of a question mean among the edge types of a graph.

A type is known by its label, whatever it is written like: ``film.film.directed_by``, ``dbo:starring``, ``hasAuthor``.
What stands in most labels (``film``, ``has``) tells no type from another and is left out. A word means the types whose
labels hold it, or a word of the same family ("director", "directed"), or are close to it in the static embedding; how
far it is trusted follows from the best of these. What English calls the same stands in ``wording``, what a word does in
its sentence in ``syntax``.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourfold.config import Paths
from fourfold.edge_types import label, reading
from fourfold.signals import wording
from fourfold.signals.late import Pieces, TokenTable
from fourfold.signals.names import Named, Words
from fourfold.signals.syntax import TOGETHER, WHICH, Sentence, behind_verb
from fourfold.signals.wording import ASKING, Families
from fourfold.types import FloatArray

_REMEMBERED = 100_000
SAME_WORD, SAME_FAMILY = 1.0, 0.9
"""Similarity of a word of the label itself, and of one of its family."""

_COMPOUND = 0.85
"""Similarity of a word that is made of one of the label's, or stands in one."""

_ANY = 3.0
"""What is added to similarities where any edge may be meant."""

_SATISFIED = 0.9
"""A step that a word such as "where" asks for so much, by another word, is the step it asks for."""

_ABOUT, _BY = "about", "by"
_OR = "or"
"""Stands between two words for one thing: "her husband or wife"."""

_WHOSE = "whose"
"""Turns the word after it round where it opens a question: "whose child is X" asks for the other end of the edge."""

_COULD = 0.1
"""So much a word must ask for a type to mean it where a word such as "when" asks for it, too."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """What one word asks for.

    Args:
        similarity: (n_types,) in [0, 1], how similar each label is to it.
        slots: (n_types,) int64, which word of each label is.
        factor: how far to trust it, of what a word as similar is trusted.
        turned: as ``Meaning`` has it.
        kind: as ``Meaning`` has it.
        by_itself: whether it does so whatever stands beside it: a question word.

    """

    similarity: FloatArray
    slots: NDArray[np.int64]
    factor: float = 1.0
    turned: bool = False
    kind: bool = False
    by_itself: bool = False


@dataclass(frozen=True, slots=True)
class Meaning:
    """What each word of a question asks for.

    Args:
        asked: (n_words, n_types) float64 in [0, 1], how much each word asks for each edge type.
        slots: (n_words, n_types) int64, which word of the type's label it stands for; a label's word counts once.
        trust: (n_words,) float64 in [0, 1], whether the word asks for any.
        mirrors: (n_words,) bool, whether it leads back along the step before.
        turned: (n_words,) bool, whether it asks for the other end of its edges than it says.
        kind: (n_words,) bool, whether it says what the answer is: the end of an edge, not where one begins.

    """

    asked: FloatArray
    slots: NDArray[np.int64]
    trust: FloatArray
    mirrors: NDArray[np.bool_]
    turned: NDArray[np.bool_]
    kind: NDArray[np.bool_]

    @classmethod
    def none(cls, n_words: int, n_types: int) -> Meaning:
        """Return what words mean that ask for nothing."""
        asked, slots = np.zeros((n_words, n_types)), np.zeros((n_words, n_types), np.int64)
        return cls(asked, slots, np.zeros(n_words), *(np.zeros(n_words, bool) for _ in range(3)))

    def of(self, places: Sequence[int]) -> Meaning:
        """Return the meaning of some words, in that order, without those that ask for nothing."""
        kept = [place for place in places if self.trust[place] > 0]
        return Meaning(*(array[kept] for array in self.arrays))

    @property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        """All of them, in their order."""
        return self.asked, self.slots, self.trust, self.mirrors, self.turned, self.kind


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
        self.names = tuple(names)
        self.numbers = np.array(numbers, np.int64)
        self._embed, self._terms, self._families_of, self._is_word = embed, terms, Families(terms), is_word
        plain = [label(name).split() for name in names]
        labels = [words or [name or "edge"] for words, name in zip(_without_common(plain), names, strict=True)]
        self._words = [[word for word in words if terms(word)] or words for words in labels]
        self._starts = np.concatenate(([0], np.cumsum([len(words) for words in self._words])))
        flat = [word for words in self._words for word in words]
        self._type_of = np.repeat(np.arange(len(names)), np.diff(self._starts))
        stems = [frozenset(terms(word)) for word in flat]
        self._stems = _rows(stems)
        self._families = _rows([frozenset(map(self._families_of.of, own)) for own in stems])
        self._forms = _rows([self._families_of.forms(own) for own in stems])
        agents = [any(stem.endswith(wording.AGENTS) for stem in own) for own in stems]
        self._agent = np.logical_or.reduceat(agents, self._starts[:-1]) if len(names) else np.empty(0, bool)
        self._agent |= np.array([_BY in words for words in plain], bool)
        self._readings = [reading(name) for name in names]
        several = np.repeat([len(words) > 1 for words in self._words], np.diff(self._starts))
        self._qualifies = several & np.array([word.endswith("ing") for word in flat], bool)
        self._behind_verb = [behind_verb(words, terms) for words in plain]
        self._labels = _unit(embed([" ".join(words) for words in labels]))
        self._vectors = _unit(embed(flat))
        self._pieces: Pieces | None = None
        self._known: dict[str, tuple[FloatArray, NDArray[np.int64]]] = {}
        self._asking = self._by_stem(wording.ASKING)
        self._same, self._inverse = self._by_stem(wording.SAME), self._by_stem(wording.INVERSE)

    def __len__(self) -> int:
        return len(self.names)

    def read(self, words: Words, settings: Paths, named: Sequence[Named] = ()) -> Meaning:
        """Return what each word of a question asks for; ``named`` are the nodes that it names."""
        meaning = Meaning.none(len(words), len(self))
        sentence = Sentence(words, named, [self._in_label(word.lower(), terms) for word, terms in words])
        for place in range(len(words)):  # a question has few
            if sentence.mirrors(place):
                meaning.mirrors[place], meaning.trust[place] = True, 1.0
            elif (asked := self._asked(sentence, place, words[place][1], settings)) is not None:
                self._put(meaning, sentence, place, asked, settings)
        self._tell_once(meaning, sentence, words)
        _satisfy(meaning, sentence)
        _join_alternatives(meaning, sentence)
        _turn_round(meaning, sentence)
        _put_mirrors_behind(meaning, sentence)
        return meaning

    def _tell_once(self, meaning: Meaning, sentence: Sentence, words: Words) -> None:
        """Let what kind of answer is asked for be no step beside one of the same family: "which players play for X"."""
        sure = sentence.free() & (meaning.trust >= SAME_FAMILY)
        for place in np.nonzero(sure)[0].tolist():
            own = {self._families_of.of(term) for term in words[place][1]}
            later = [self._families_of.of(t) for p in np.nonzero(sure)[0].tolist() if p > place for t in words[p][1]]
            if sentence.opens(place) and not own.isdisjoint(later):
                meaning.trust[place], meaning.asked[place] = 0.0, 0.0

    def _put(self, meaning: Meaning, sentence: Sentence, place: int, asked: _Asked, settings: Paths) -> None:
        """Put down what one word asks for: how much, and which way."""
        similarity, best, factor = asked.similarity, float(asked.similarity.max()), asked.factor
        meaning.slots[place], meaning.turned[place], meaning.kind[place] = asked.slots, asked.turned, asked.kind
        if not asked.by_itself and sentence.is_kind(place, far=best < settings.high):
            factor, meaning.kind[place] = min(factor, settings.kind), True
        if best > settings.low:
            meaning.trust[place] = factor * min((best - settings.low) / (settings.high - settings.low), 1.0)
            meaning.asked[place] = meaning.trust[place] * (similarity / best) ** settings.sharpness
            if best >= SAME_FAMILY:
                meaning.turned[place] |= self._backwards(int(similarity.argmax()), sentence, place)
        meaning.turned[place] ^= sentence.is_role(place)

    def _backwards(self, kind: int, sentence: Sentence, place: int) -> bool:
        """Tell whether a word asks for where the edges of a type begin: by a label such as directed_by, or acquired."""
        if self._agent[kind]:
            return sentence.named_does(place)
        preposition = self._behind_verb[kind]
        return preposition is not None and sentence.named_is_done_to(place, preposition)

    def nearest(self, words: Words, named: Sequence[Named], meaning: Meaning) -> Meaning:
        """Return what the question may ask for where what is sure of its ``meaning`` leads nowhere.

        A word that asks for no edge may mean any, the rather the nearer it is to it: "the gender of X's other half".
        Where nothing stands beside the name, its instances are asked for: what any edge leads to it from.
        """
        sentence = Sentence(words, named)
        free = [place for place, (_, terms) in enumerate(words) if terms and place not in sentence.names]
        unknown = [place for place in free if meaning.trust[place] <= 0]
        meaning = Meaning(*map(np.copy, meaning.arrays)) if unknown else Meaning.none(len(words), len(self))
        place = next(iter(unknown or free), sentence.instances())
        if place >= 0:
            near = [self._similarity(sentence.words[one])[0] for one in unknown or free]
            most = np.max([np.zeros(len(self)), *near], axis=0)
            meaning.trust[place], meaning.turned[place] = 1.0, not free
            meaning.asked[place] = (_ANY + most) / (_ANY + most.max())
        return meaning

    def _may_ask(self, word: str, terms: Sequence[str]) -> bool:
        """Tell whether a word is no stop word, or one that a label is made of: "own" of owns."""
        return bool(terms) or word in self._stems

    def _in_label(self, word: str, terms: Sequence[str]) -> bool:
        """Tell whether a label holds a word, or one of its family."""
        return self._may_ask(word, terms) and self._similarity(word)[0].max() >= SAME_FAMILY

    def _asked(self, sentence: Sentence, place: int, terms: Sequence[str], settings: Paths) -> _Asked | None:
        """Return what one word asks for; None where it asks for nothing."""
        word = sentence.words[place]
        if not self._may_ask(word, terms):
            if word in ASKING:
                return _Asked(*self._similarity(ASKING[word]), settings.asking, kind=True, by_itself=True)
            about = wording.EXACTLY.get(word) if word != _ABOUT or not WHICH.isdisjoint(sentence.words) else None
            return None if about is None else self._exactly(about, settings.asking, kind=True, by_itself=True)
        if sentence.is_noun(place) and self._only_qualifies(terms):
            return None
        key = terms[0] if len(terms) == 1 else word
        called = self._asking.get(key) if sentence.opens(place) else None
        own = _Asked(*self._similarity(word))
        if own.similarity.max() >= SAME_FAMILY:
            return own if called is None else _Asked(*self._similarity(called), kind=True)
        for others, turned in ((self._same, False), (self._inverse, True)):
            if key in others and (found := self._exactly(others[key], turned=turned)) is not None:
                return found
        if word in wording.SAY_NOTHING:
            return None
        found = None if called is None else self._exactly(called, settings.asking, kind=True)
        if found is None and own.similarity.max() < settings.high:
            found = self._said_by_role(sentence, place)
        return found or own

    def _only_qualifies(self, terms: Sequence[str]) -> bool:
        """Tell whether labels hold a word only as what qualifies another: film in filming_location."""
        rows = [self._qualifies[self._stems[term]].all() for term in terms if term in self._stems]
        return bool(rows) and all(rows)

    def _said_by_role(self, sentence: Sentence, place: int) -> _Asked | None:
        """Return what a word asks for by what edge types are known to say: "needs" of depends_on."""
        own = reading(sentence.words[place])
        if own is None:
            return None
        same = np.array([one is not None and one.role == own.role and not one.denied for one in self._readings])
        if not same.any():
            return None
        inverse = np.array([one is not None and one.inverse for one in self._readings])
        turned = sentence.named_is_done_to(place, "") ^ own.inverse ^ bool(inverse[same].all())
        return _Asked(SAME_FAMILY * same, np.zeros(len(self), np.int64), turned=turned)

    def _exactly(self, words: str, factor: float = 1.0, **how: bool) -> _Asked | None:
        """Return what several words ask for, where a label holds one of them."""
        similarity, slots = self._similarity(words)
        return _Asked(similarity, slots, factor, **how) if similarity.max() >= SAME_FAMILY else None

    def _by_stem(self, texts: Mapping[str, str]) -> dict[str, str]:
        return {(self._terms(word) or [word])[0]: text for word, text in texts.items()}

    def pieces(self, table: TokenTable) -> Pieces:
        """Return the distinct wordpieces of all labels."""
        if self._pieces is None:
            self._pieces = table.distinct([" ".join(label(name) for name in self.names)])[0]
        return self._pieces

    def _similarity(self, word: str) -> tuple[FloatArray, NDArray[np.int64]]:
        """Return how similar each label is to a word, (n_types,) in [0, 1], and by which of its words."""
        known = self._known
        if (found := known.get(word)) is not None:
            return found
        if len(known) >= _REMEMBERED:  # the old dictionary may still be read by another thread
            self._known = known = {}
        vector = _unit(self._embed([word]))[0]
        stems = frozenset(self._terms(word) or [word])
        families = frozenset(map(self._families_of.of, stems))
        asked = {word, *stems}
        compounds = [form for form in self._forms if any(wording.compounded(one, form) for one in asked)]
        size = len(self._vectors)
        shared, related = _held(self._stems, stems, size), _held(self._families, families, size)
        parts = _held(self._forms, compounds, size)
        if " " not in word and not (shared | related | parts).any() and not self._is_word(word):
            meant = [one for one in self._stems if any(wording.misspelt(own, one) for own in stems)]
            parts = _held(self._stems, meant, size)
        close = 0.9 * np.clip(self._vectors @ vector, 0.0, 1.0)
        by_word = np.maximum.reduce((SAME_WORD * shared, SAME_FAMILY * related, _COMPOUND * parts, close))
        nearest = np.maximum.reduceat(by_word, self._starts[:-1])
        best = np.nonzero(by_word == nearest[self._type_of])[0]
        slots = best[np.unique(self._type_of[best], return_index=True)[1]] - self._starts[:-1]
        whole = np.add.reduceat(parts, self._starts[:-1], dtype=np.int64) > 1  # "birthplace" is all of a birth's place
        nearest = np.where(whole, np.maximum(nearest, SAME_FAMILY), nearest)
        known[word] = found = np.maximum(nearest, np.clip(self._labels @ vector, 0.0, 1.0)), slots
        return found


def _rows(words: Sequence[frozenset[str]]) -> dict[str, NDArray[np.int64]]:
    """Return in which rows each word stands."""
    found = defaultdict(list)
    for row, own in enumerate(words):
        for word in own:
            found[word].append(row)
    return {word: np.array(rows) for word, rows in found.items()}


def _held(rows: Mapping[str, NDArray[np.int64]], words: Iterable[str], size: int) -> NDArray[np.bool_]:
    """Return which of so many rows hold one of some words."""
    held = np.zeros(size, bool)
    for word in words:
        if word in rows:
            held[rows[word]] = True
    return held


def _satisfy(meaning: Meaning, sentence: Sentence) -> None:
    """Let a word such as "where" ask for no step of its own where another word asks for one that it could mean.

    Of the types that the other word could mean, those that both ask for come first: "when was X published" asks for the
    date of publication, not for the publisher.
    """
    nearest, free = meaning.asked.argmax(axis=1), sentence.free()
    for place in np.nonzero(meaning.kind & (meaning.trust > 0))[0].tolist():
        wanted = meaning.asked[place] >= _SATISFIED * meaning.trust[place]
        steps = free & (meaning.trust >= meaning.trust[place]) & ~meaning.kind
        same = np.nonzero(steps & wanted[nearest])[0]
        if len(same):
            meaning.asked[same[0]] *= np.where(wanted, 1.0, _SATISFIED)
        elif not _narrowed(meaning, sentence.event(place), steps, wanted):
            continue
        meaning.trust[place], meaning.asked[place] = 0.0, 0.0


def _narrowed(meaning: Meaning, event: int, steps: NDArray[np.bool_], wanted: NDArray[np.bool_]) -> bool:
    """Let what happened mean no types but the wanted; False where nothing did, or it could mean none of them."""
    if event < 0 or not steps[event]:
        return False
    could = np.where(wanted, meaning.asked[event], 0.0)
    if could.max() < _COULD:
        return False
    meaning.asked[event] = could * meaning.trust[event] / could.max()
    return True


def _put_mirrors_behind(meaning: Meaning, sentence: Sentence) -> None:
    """Let each step be led back along once, by a word that stands outside of it.

    Of "share the same" one word is enough; "together" changes places with the word whose step it leads back along.
    """
    for place in np.nonzero(meaning.mirrors)[0].tolist():
        if meaning.mirrors[place + 1 : place + 3].any():
            meaning.mirrors[place], meaning.trust[place] = False, 0.0
        elif sentence.words[place] == TOGETHER:
            before = np.nonzero((sentence.free() & (meaning.trust > 0) & ~meaning.kind)[:place])[0]
            if len(before):
                other = int(before[-1])
                for array in meaning.arrays:
                    array[[other, place]] = array[[place, other]]


def _join_alternatives(meaning: Meaning, sentence: Sentence) -> None:
    """Make one word of two with "or" between them: either asks for the step, not each for one of its own."""
    asked, trust = meaning.asked, meaning.trust
    for place in range(1, len(sentence.words) - 1):
        first, second = place - 1, place + 1
        if sentence.words[place] == _OR and trust[first] > 0 and trust[second] > 0:
            asked[second] = np.maximum(asked[first], asked[second])
            trust[second], trust[first], asked[first] = max(trust[first], trust[second]), 0.0, 0.0


def _turn_round(meaning: Meaning, sentence: Sentence) -> None:
    """Turn the word after "whose" at the beginning of a question, where that word asks for an edge type."""
    if len(sentence.words) > 1 and sentence.words[0] == _WHOSE and meaning.trust[1] > 0:
        meaning.turned[1] ^= True
        meaning.trust[0], meaning.asked[0] = 0.0, 0.0


def _without_common(labels: list[list[str]]) -> list[list[str]]:
    """Leave out the words that stand in more than half of the labels, where there are several."""
    count = Counter(word for words in labels for word in set(words))
    if len(labels) < 3:
        return labels
    return [[word for word in words if 2 * count[word] <= len(labels)] or words for words in labels]


def _unit(vectors: FloatArray) -> FloatArray:
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: FloatArray = vectors / np.where(norms > 0, norms, 1.0)
    return unit
