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

import numpy as np
from numpy.typing import NDArray

from fourfold.config import Paths
from fourfold.edge_types import label, reading
from fourfold.signals import wording
from fourfold.signals.late import Pieces, TokenTable
from fourfold.signals.meaning import SAME_FAMILY, SAME_WORD, Meaning, settle
from fourfold.signals.names import Named, Words
from fourfold.signals.syntax import Sentence, behind_verb
from fourfold.signals.wording import ASKING, WHICH, Families
from fourfold.types import FloatArray

_REMEMBERED = 100_000

_COMPOUND = 0.85
"""Similarity of a word that is made of one of the label's, or stands in one."""

_ANY = 3.0
"""What is added to similarities where any edge may be meant."""

_ABOUT, _BY = "about", "by"


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
        agents = [any(self._is_agent(word, stem) for stem in own) for word, own in zip(flat, stems, strict=True)]
        self._agent = np.logical_or.reduceat(agents, self._starts[:-1]) if len(names) else np.empty(0, bool)
        self._agent |= np.array([_BY in words for words in plain], bool)
        self._roles = _by_role(names)
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
        settle(meaning, sentence, [frozenset(map(self._families_of.of, terms)) for _, terms in words])
        return meaning

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
        if found is None and own.similarity.max() < settings.high and sentence.asks():  # "I need a token" asks for none
            found = self._said_by_role(sentence, place)
        return found or own

    def _is_agent(self, word: str, stem: str) -> bool:
        """Tell whether a word of a label is somebody who does something: directors are, "offers" is no doer."""
        deed = wording.deed(stem)
        return bool(deed) and (not word.endswith("s") or self._is_word(deed))

    def _only_qualifies(self, terms: Sequence[str]) -> bool:
        """Tell whether labels hold a word only as what qualifies another: film in filming_location."""
        rows = [self._qualifies[self._stems[term]].all() for term in terms if term in self._stems]
        return bool(rows) and all(rows)

    def _said_by_role(self, sentence: Sentence, place: int) -> _Asked | None:
        """Return what a word asks for by what edge types are known to say: "needs" of depends_on."""
        own = reading(sentence.words[place])
        if own is None or own.role not in self._roles:
            return None
        same, inverse = self._roles[own.role]
        turned = sentence.named_is_done_to(place, "") ^ own.inverse ^ inverse
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


def _held(rows: Mapping[str, NDArray[np.int64]], words: Iterable[str], size: int) -> NDArray[np.bool_]:
    """Return which of so many rows hold one of some words."""
    held = np.zeros(size, bool)
    for word in words:
        if word in rows:
            held[rows[word]] = True
    return held


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
