"""What the words of a question mean among the edge types of a graph.

A type is known by its label, whatever it is written like: ``film.film.directed_by``, ``dbo:starring``, ``hasAuthor``.
What stands in most labels (``film``, ``has``) tells no type from another and is left out. A word means the types whose
labels hold it, or a word of the same family ("director", "directed"), or are close to it in the static embedding; how
far it is trusted follows from the best of these.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from fourfold.config import Paths
from fourfold.edge_types import label
from fourfold.signals.late import Pieces, TokenTable
from fourfold.signals.names import Named
from fourfold.types import FloatArray

_REMEMBERED = 100_000
SAME_WORD, SAME_FAMILY = 1.0, 0.9
"""Similarity of a word of the label itself, and of one of its family."""

_AGENTS = ("or", "er")
"""Endings of stems that make the doer of a deed: director, player."""

_ASKING: Mapping[str, str] = MappingProxyType(
    {"where": "place location country city", "when": "date year time", "whose": "owner"}
)
"""Words that ask for a kind of answer by themselves, and the words that labels use for it."""

_WHICH = frozenset({"what", "which"})
_RELATIVE = frozenset({"that", "which", "who", "whose", "where"})
"""A word before one of them says what stands there: "the company that …" is no step."""

_QUESTION_WORDS = frozenset({"who", "whom", "whose", "where", "when", "which", "what"})
_MIRRORS = frozenset({"same", "share", "shares", "shared", "sharing", "common"})
"""Words that lead back along the step before: the films with the same director."""

_OR = "or"
"""Stands between two words for one thing: "her husband or wife"."""

_WHOSE = "whose"
"""Turns the word after it round where it opens a question: "whose child is X" asks for the other end of the edge."""

Words = Sequence[tuple[str, tuple[str, ...]]]
"""Each word of the question as typed, with its terms."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """What each word of a question asks for.

    Args:
        asked: (n_words, n_types) float64 in [0, 1], how much each word asks for each edge type.
        slots: (n_words, n_types) int64, which word of the type's label it stands for; a label's word counts once.
        trust: (n_words,) float64 in [0, 1], whether the word asks for any.
        mirrors: (n_words,) bool, whether it leads back along the step before.
        turned: (n_words,) bool, whether it asks for the other end of its edges than it says.

    """

    asked: FloatArray
    slots: NDArray[np.int64]
    trust: FloatArray
    mirrors: NDArray[np.bool_]
    turned: NDArray[np.bool_]

    def of(self, places: Sequence[int]) -> Meaning:
        """Return the meaning of some words, in that order, without those that ask for nothing."""
        kept = [place for place in places if self.trust[place] > 0]
        return Meaning(self.asked[kept], self.slots[kept], self.trust[kept], self.mirrors[kept], self.turned[kept])


class Relations:
    """The edge types of a graph, ready to be compared with questions.

    Args:
        names: the edge types in use.
        numbers: (len(names),) their numbers.
        embed: texts → vectors (n, dimensions), by a local model.
        terms: text → terms, the tokenizer of the index.

    """

    def __init__(
        self,
        names: Sequence[str],
        numbers: Sequence[int],
        embed: Callable[[list[str]], FloatArray],
        terms: Callable[[str], list[str]],
    ) -> None:
        self.names = tuple(names)
        self.numbers = np.array(numbers, np.int64)
        self._embed, self._terms = embed, terms
        labels = [_telling(words, self.names) for words in _without_common([label(name).split() for name in names])]
        self._words = [[word for word in words if terms(word)] or words for words in labels]
        self._starts = np.concatenate(([0], np.cumsum([len(words) for words in self._words])))
        flat = [word for words in self._words for word in words]
        self._stems = [frozenset(terms(word)) for word in flat]
        self._families = [frozenset(map(_family, stems)) for stems in self._stems]
        self._labels = _unit(embed([" ".join(words) for words in labels]))
        self._vectors = _unit(embed(flat))
        self._pieces: Pieces | None = None
        self._known: dict[str, tuple[FloatArray, NDArray[np.int64]]] = {}

    def __len__(self) -> int:
        return len(self.names)

    def read(self, words: Words, settings: Paths) -> Meaning:
        """Return what each word of a question asks for."""
        asked = np.zeros((len(words), len(self)))
        slots = np.zeros((len(words), len(self)), np.int64)
        trust, mirrors = np.zeros(len(words)), np.zeros(len(words), bool)
        after_which = False
        for place, (word, terms) in enumerate(words):  # a question has few words
            lowered = word.lower()
            mirrors[place] = lowered in _MIRRORS
            if mirrors[place]:
                trust[place] = 1.0
                continue
            factor = 1.0
            if not terms:
                after_which = lowered in _WHICH
                if lowered not in _ASKING:
                    continue
                lowered, factor = _ASKING[lowered], settings.asking
            similarity, slots[place] = self._similarity(lowered)
            best = float(similarity.max())
            said = after_which and best < settings.high  # "which films …"
            if terms and (said or (best < SAME_FAMILY and _follows(words, place) in _RELATIVE)):
                factor = settings.kind  # it says what the answer is, or what stands there, and is no step
            after_which = False
            if best > settings.low:
                trust[place] = factor * min((best - settings.low) / (settings.high - settings.low), 1.0)
                asked[place] = trust[place] * (similarity / best) ** settings.sharpness
        meaning = Meaning(asked, slots, trust, mirrors, np.zeros(len(words), bool))
        _join_alternatives(meaning, words)
        _turn_round(meaning, words)
        return meaning

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
        stems = frozenset(self._terms(word))
        families = frozenset(map(_family, stems))
        shared = np.array([SAME_WORD * bool(stems & own) for own in self._stems])
        related = np.array([SAME_FAMILY * bool(families & own) for own in self._families])
        by_word = np.maximum(np.maximum(shared, related), 0.9 * np.clip(self._vectors @ vector, 0.0, 1.0))
        slots = np.array(
            [int(np.argmax(by_word[a:b])) for a, b in zip(self._starts[:-1], self._starts[1:], strict=True)]
        )
        nearest = by_word[self._starts[:-1] + slots]
        known[word] = found = np.maximum(nearest, np.clip(self._labels @ vector, 0.0, 1.0)), slots
        return found


def _follows(words: Words, place: int) -> str:
    """Return the next word."""
    return words[place + 1][0].lower() if place + 1 < len(words) else ""


def asks_beside(words: Words, named: Sequence[Named]) -> bool:
    """Tell whether a question has a question word, and beside the nodes it names words that ask for something."""
    taken = {place for name in named for place in range(name.start, name.end)}
    free = [(word.lower(), terms) for place, (word, terms) in enumerate(words) if place not in taken]
    asking = any(word in _QUESTION_WORDS for word, _ in free)
    return asking and any(terms or word in _ASKING for word, terms in free)


def _join_alternatives(meaning: Meaning, words: Words) -> None:
    """Make one word of two with "or" between them: either asks for the step, not each for one of its own."""
    asked, slots, trust = meaning.asked, meaning.slots, meaning.trust
    for place in range(1, len(words) - 1):
        first, second = place - 1, place + 1
        if words[place][0].lower() == _OR and trust[first] > 0 and trust[second] > 0:
            slots[second] = np.where(asked[first] > asked[second], slots[first], slots[second])
            asked[second] = np.maximum(asked[first], asked[second])
            trust[second], trust[first], asked[first] = max(trust[first], trust[second]), 0.0, 0.0


def _turn_round(meaning: Meaning, words: Words) -> None:
    """Turn the word after "whose" at the beginning of a question, where that word asks for an edge type."""
    if len(words) > 1 and words[0][0].lower() == _WHOSE and meaning.trust[1] > 0:
        meaning.turned[1] = True
        meaning.trust[0], meaning.asked[0] = 0.0, 0.0


def _without_common(labels: list[list[str]]) -> list[list[str]]:
    """Leave out the words that stand in more than half of the labels, where there are several."""
    count = Counter(word for words in labels for word in set(words))
    if len(labels) < 3:
        return labels
    return [[word for word in words if 2 * count[word] <= len(labels)] or words for words in labels]


def _telling(words: list[str], names: Sequence[str]) -> list[str]:
    """Return the words of a label; an edge type without any is its own word."""
    return words or [names[0] or "edge"]


def _family(stem: str) -> str:
    """Return a stem without the ending that makes the doer of a deed."""
    return stem[:-2] if stem.endswith(_AGENTS) and len(stem) >= 5 else stem


def _unit(vectors: FloatArray) -> FloatArray:
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: FloatArray = vectors / np.where(norms > 0, norms, 1.0)
    return unit
