"""The labels of a graph's edge types, word by word: which hold a word of a question, and what it calls in them.

A type is known by its label, whatever it is written like: ``film.film.directed_by``, ``dbo:starring``, ``hasAuthor``.
What stands in most labels (``film``, ``has``) tells no type from another and is left out. A word is similar to the
types whose labels hold it, or a word of the same family ("director", "directed"), or that it is cut short in ("dept"),
or that are close to it in the static embedding.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from fourfold.cache import Remembered
from fourfold.edge_types import label, reading
from fourfold.embed.base import unit
from fourfold.runs import firsts
from fourfold.signals import wording
from fourfold.signals.late import Pieces, distinct_pieces
from fourfold.signals.meaning import SAME_FAMILY, SAME_WORD
from fourfold.signals.placed import PREPOSITIONS
from fourfold.signals.syntax import behind_verb
from fourfold.signals.type_labels import remembered
from fourfold.signals.wording import Families
from fourfold.types import FloatArray

Similarity = tuple[FloatArray, NDArray[np.int64], float]
"""How similar each label is to a word, (n_types,) in [0, 1]; which word of it is, (n_types,); the most."""

_AMONG_OTHERS = 0.95
"""What is left of a word's similarity to labels that have other words beside it, where one is the word alone."""

_NEAR = 0.45
"""So near a label must be to a word to be what it calls."""

_COMPOUND = 0.85
"""Similarity of a word that is made of one of the label's, or stands in one."""

_BY, _OF = "by", "of"
_PLACES = frozenset({"at", "in", "on"})

_SORTS = frozenset({"type", "kind", "class", "category", "is a", "isa", "instance of"})
"""Labels of edges that only say what sort of thing something is."""

_PATH = re.compile(r"^.*[/.#:](?=\w)")
"""What stands before a label's last part: ``/people/person/`` in ``/people/person/place_of_birth``."""


class Labels:
    """The labels of the edge types in use.

    Args:
        names: the edge types.
        embed: texts → vectors (n, dimensions), by a local model.
        terms: text → terms, the tokenizer of the index.
        is_word: whether a word is spelt as words are; another may be a label's with a letter wrong.

    """

    def __init__(
        self,
        names: Sequence[str],
        embed: Callable[[list[str]], FloatArray],
        terms: Callable[[str], list[str]],
        is_word: Callable[[str], bool],
    ) -> None:
        self.names, self.terms = tuple(names), terms
        self._embed, self._is_word, self._families_of = embed, is_word, Families(terms)
        plain = [label(_PATH.sub("", name) or name).split() for name in names]
        labels = [words or [name or "edge"] for words, name in zip(_without_common(plain), names, strict=True)]
        words = [[word for word in own if terms(word)] or own for own in labels]
        self._starts = np.concatenate(([0], np.cumsum([len(own) for own in words])))
        flat = [word for own in words for word in own]
        self._type_of = np.repeat(np.arange(len(names)), np.diff(self._starts))
        stems = [frozenset(terms(word)) for word in flat]
        self._stems = _rows(stems)
        self._families = _rows([frozenset(map(self._families_of.of, own)) for own in stems])
        self._forms = _rows([self._families_of.forms(own | {word}) for word, own in zip(flat, stems, strict=True)])
        self._parts = wording.Parts(self._forms)
        self._by_letter: dict[str, list[tuple[str, bool]]] = defaultdict(list)
        for stem in self._stems:
            self._by_letter[stem[:1]].append((stem, is_word(stem)))
        self._several = np.diff(self._starts) > 1
        self._qualifying = self._several[self._type_of] & np.array([word.endswith("ing") for word in flat], bool)
        agents = np.array(
            [any(self._is_agent(word, stem) for stem in own) for word, own in zip(flat, stems, strict=True)]
        )
        self.agents = self._any(agents) | np.array([_BY in own for own in plain], bool)
        self.verbs = [behind_verb(own, terms) for own in plain]
        self.sorts = np.array([" ".join(own) in _SORTS for own in plain], bool)
        self.to_places = np.array([verb in _PLACES for verb in self.verbs], bool)
        self._nouns = np.array([noun for own in zip(plain, words, strict=True) for noun in _nouns(*own)], bool)
        at_end = np.array([own[-1] in PREPOSITIONS - {_BY} for own in labels], bool)
        phrase = np.array([_is_phrase(own, terms) for own in plain], bool)
        noun = np.array([verb is None for verb in self.verbs], bool)
        deeds = [
            _BY not in own and (verb is not None or is_phrase)
            for own, verb, is_phrase in zip(plain, self.verbs, phrase, strict=True)
        ]
        first = np.repeat(np.array(deeds, bool), np.diff(self._starts))
        first[1:] &= self._type_of[1:] != self._type_of[:-1]
        self._verbs = first
        self._begins = at_end & ~phrase
        self._calls = self._begins | (noun & ~at_end)  # "shares border with" calls nothing
        self._whole, self._vectors = unit(embed([" ".join(own) for own in labels])), unit(embed(flat))
        self.most_words = most = remembered(len(names))
        self._called, self._done = lru_cache(most)(self._called_by), lru_cache(most)(self._done_by)
        self._pieces: Pieces | None = None
        self._known = Remembered(self._compared, most)

    def __len__(self) -> int:
        return len(self.names)

    def hold(self, stem: str) -> bool:
        """Tell whether a label holds a stem."""
        return stem in self._stems

    def families(self, terms: Iterable[str]) -> frozenset[str]:
        """Return what words of the same families have in common."""
        return frozenset(map(self._families_of.of, terms))

    def kinds(self, word: str) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return which edges end at what a word calls, and which begin there, (n_types,) each.

        Capitals are where the edges of "capital" end, and where those of "capital of" begin; suppliers are where those
        of "supplies" begin.
        """
        nouns, _ = self.held(word)
        return nouns & ~self._begins, (nouns & self._begins) | self._done(word)

    def _done_by(self, word: str) -> NDArray[np.bool_]:
        """Return which labels begin with a verb for what somebody does whom a word names, (n_types,)."""
        doers = [stem for stem in self.terms(word) if wording.is_doer(stem)]
        rows = self._held(self._families, self.families(doers)) & ~self._held(self._stems, doers)
        return self._any(rows & self._verbs)

    def held(self, word: str) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return which labels have a word for their noun, and which hold it beside their noun, (n_types,) each."""
        return self._called(word)

    def _called_by(self, word: str) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        rows = self._held(self._stems, self.terms(word)) | self._held(self._stems, self._shortened([word.lower()]))
        by_noun, beside = self._any(rows & self._nouns), self._any(rows & ~self._nouns)
        return self._calls & by_noun, self._calls & beside & ~by_noun

    def begin_at(self, types: NDArray[np.bool_]) -> bool:
        """Tell whether all of some types begin at what their noun calls: child_of."""
        return bool((self._begins & self._calls)[types].all())

    def qualifies(self, word: str, behind: str = "") -> bool:
        """Tell whether a word only qualifies the one behind it, as they do in a label: "side effects"."""
        return bool((self.held(word)[1] & self.held(behind)[0]).any())

    def only_qualify(self, terms: Sequence[str]) -> bool:
        """Tell whether labels hold a word only as what qualifies another: film in filming_location."""
        rows = [self._qualifying[self._stems[term]].all() for term in terms if term in self._stems]
        return bool(rows) and all(rows)

    def pieces(self) -> Pieces:
        """Return the distinct wordpieces of all labels."""
        if self._pieces is None:
            self._pieces = distinct_pieces([" ".join(label(name) for name in self.names)])[0]
        return self._pieces

    def similarity(self, word: str) -> Similarity:
        """Return how similar labels are to words."""
        return self._known.one(word)

    def learn(self, words: Sequence[str]) -> None:
        """Compare labels with words, all new ones at once."""
        self._known.of(words)

    def _compared(self, new: list[str]) -> Iterable[Similarity]:
        vectors = unit(self._embed(new))
        cosines = np.array([self._vectors @ vector for vector in vectors])  # a product of all would round otherwise
        by_word = (0.9 * cosines.clip(0.0, 1.0)).astype(np.float64)
        alike = [self._spelt_alike(word) for word in new]
        for own, each in zip(by_word, alike, strict=True):
            for rows, worth in zip(each, (_COMPOUND, SAME_FAMILY, SAME_WORD), strict=True):
                if rows:  # as hardly any word has
                    own[rows] = np.maximum(own[rows], worth)
        starts = self._starts[:-1]
        nearest = np.maximum.reduceat(by_word, starts, axis=1)
        own, best = (by_word == nearest[:, self._type_of]).nonzero()
        slots = best[firsts(own * len(self) + self._type_of[best])].reshape(nearest.shape) - starts
        single = [place for place, word in enumerate(new) if " " not in word]
        nearest[single] = self.alone_first(nearest[single])
        for own, (parts, *_) in zip(nearest, alike, strict=True):
            if len(parts) > 1:
                whole = np.bincount(self._type_of[parts], minlength=len(self)) > 1
                own[whole] = np.maximum(own[whole], SAME_FAMILY)  # "birthplace" is all of a birth's place
        cosines = np.array([self._whole @ vector for vector in vectors])
        similarity = np.maximum(nearest, cosines.clip(0.0, 1.0))
        return zip(similarity, slots, similarity.max(axis=1).tolist(), strict=True)

    def _spelt_alike(self, word: str) -> tuple[list[int], list[int], list[int]]:
        """Return the rows of the words of labels that are part of a word, or of its family, or the word itself."""
        stems = frozenset(self.terms(word) or [word])
        shared, related = _found(self._stems, stems), _found(self._families, self.families(stems))
        related |= _found(self._stems, self._shortened(word.split()))
        parts = _found(self._forms, frozenset().union(*map(self._parts.of, {word, *stems})))
        if " " not in word and not shared and not related and not parts:
            near = [one for own in stems for one, _ in self._by_letter.get(own[:1], ()) if wording.misspelt(own, one)]
            if near and not self._is_word(word):
                parts = _found(self._stems, near)
        return list(parts), list(related), list(shared)

    def alone_first(self, similarity: FloatArray) -> FloatArray:
        """Put labels that are a word, (…, n_types), behind none that hold it beside others: mission, next_mission.

        So are those that are what is nearest to it: for "movies" rather film than film_location.
        """
        most = np.maximum(similarity.max(axis=-1, keepdims=True, initial=0.0), _NEAR)
        has_it, among_others = similarity >= np.minimum(most, SAME_WORD), self._several
        alone = (has_it & ~among_others).any(axis=-1, keepdims=True)
        return np.where(alone & has_it & among_others, _AMONG_OTHERS * similarity, similarity)

    def _is_agent(self, word: str, stem: str) -> bool:
        """Tell whether a word of a label is somebody who does something: directors are, "offers" is no doer."""
        deed = wording.deed(stem)
        return bool(deed) and (not word.endswith("s") or self._is_word(deed))

    def _shortened(self, words: Iterable[str]) -> list[str]:
        """Return the words of labels that are one of some words cut short."""
        singular = {word.removesuffix("s") for word in words}
        return [
            part
            for word in singular
            for part, is_word in self._by_letter.get(word[:1], ())
            if wording.abbreviated(part, word, is_word=is_word)
        ]

    def _held(self, rows: Mapping[str, NDArray[np.int64]], words: Iterable[str]) -> NDArray[np.bool_]:
        """Return which words of all labels are one of some words."""
        held = np.zeros(len(self._type_of), bool)
        held[list(_found(rows, words))] = True
        return held

    def _any(self, rows: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return for which types one of the label's words is, (n_types,)."""
        return np.logical_or.reduceat(rows, self._starts[:-1]) if len(rows) else np.zeros(0, bool)


def _nouns(label: Sequence[str], words: Sequence[str]) -> list[bool]:
    """Return which of a label's words, some of which were left out, are its nouns, not what qualifies them.

    Its last word is, and the last before "of": project lead, country of citizenship.
    """
    before = label[: label.index(_OF)] if _OF in label[1:] else []
    last = max((place for place, word in enumerate(words) if word in before), default=-1)
    return [place in (last, len(words) - 1) for place in range(len(words))]


def _is_phrase(label: Sequence[str], terms: Callable[[str], list[str]]) -> bool:
    """Tell whether a label begins with a verb, as far as its ending tells: shares_border_with, took_part_in."""
    first = next(iter(label), "")
    return first.endswith("s") or wording.is_past(first, terms(first))


def _rows(words: Sequence[frozenset[str]]) -> dict[str, NDArray[np.int64]]:
    """Return in which rows each word stands."""
    found = defaultdict(list)
    for row, own in enumerate(words):
        for word in own:
            found[word].append(row)
    return {word: np.array(rows) for word, rows in found.items()}


def _found(rows: Mapping[str, NDArray[np.int64]], words: Iterable[str]) -> set[int]:
    """Return the rows that some words stand in."""
    return {row for word in words if word in rows for row in rows[word].tolist()}


def _without_common(labels: list[list[str]]) -> list[list[str]]:
    """Leave out the words that stand in more than half of the labels, where there are several."""
    count = Counter(word for words in labels for word in set(words))
    if len(labels) < 3:
        return labels
    return [[word for word in words if 2 * count[word] <= len(labels)] or words for words in labels]


def by_role(names: Sequence[str]) -> dict[str, tuple[NDArray[np.bool_], bool]]:
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
