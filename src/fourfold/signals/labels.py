"""The labels of a graph's edge types, word by word: which hold a word of a question, and what it calls in them.

A type is known by its label, whatever it is written like: ``film.film.directed_by``, ``dbo:starring``, ``hasAuthor``.
What stands in most labels (``film``, ``has``) tells no type from another and is left out. A word is similar to the
types whose labels hold it, or a word of the same family ("director", "directed"), or that it is cut short in ("dept"),
or that are close to it in the static embedding. Of a label that is a path the last part is what it says of where its
edges end; what stands before that (``path_labels``) counts by its own words only.
"""

from __future__ import annotations

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
from fourfold.signals.path_labels import parts_of
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

_ENDS, _BETWEEN, _BEGINS = range(3)
"""The parts of a label, in the order of their words."""

_MOST_BEGIN = 5
"""What more paths begin at than these, a film or a person, says what something is, not which of them is asked for."""

_SORTS = frozenset({"type", "kind", "class", "category", "is a", "isa", "instance of"})
"""Labels of edges that only say what sort of thing something is."""


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
        parts = [parts_of(name) for name in names]
        plain = [label(one.ends).split() for one in parts]
        labels = [own or [name or "edge"] for own, name in zip(_without_common(plain), names, strict=True)]
        words = [[word for word in own if terms(word)] or own for own in labels]
        between = [_others(label(one.between).split(), own, terms) for one, own in zip(parts, words, strict=True)]
        said = [label(one.begins).split() for one in parts]
        begins = [
            _callers(own, [*ends, *middle], terms)
            for own, ends, middle in zip(_without_common(said, keep=False), words, between, strict=True)
        ]
        rows = [
            (kind, part, word)
            for kind, own in enumerate(zip(words, between, begins, strict=True))
            for part, of_part in enumerate(own)
            for word in of_part
        ]
        flat = [word for *_, word in rows]
        self._type_of, part = np.array([row[:2] for row in rows], np.int64).reshape(-1, 2).T
        self._at_end, self._between, self._at_begin = (part == one for one in (_ENDS, _BETWEEN, _BEGINS))
        self._starts = np.searchsorted(self._type_of, np.arange(len(names) + 1))
        count = np.bincount(3 * self._type_of + part)[3 * self._type_of + part]
        stems = [frozenset(terms(word)) for word in flat]
        self._stems = _rows(stems)
        self._families = _rows([frozenset(map(self._families_of.of, own)) for own in stems])
        self._forms = _rows([self._families_of.forms(own | {word}) for word, own in zip(flat, stems, strict=True)])
        self._parts = wording.Parts(self._forms)
        self._by_letter: dict[str, list[tuple[str, bool]]] = defaultdict(list)
        for stem in self._stems:
            self._by_letter[stem[:1]].append((stem, is_word(stem)))
        self._several = (count > 1) | self._between
        self._qualifying = self._several & np.array([word.endswith("ing") for word in flat], bool)
        agents = [any(self._is_agent(word, stem) for stem in own) for word, own in zip(flat, stems, strict=True)]
        self._agents = np.array(agents, bool)
        by = self._any(self._agents & self._at_end) | np.array([_BY in own for own in plain], bool)
        self._agents |= by[self._type_of] & self._at_end
        verbs = [behind_verb(own, terms) for own in plain]
        self.verbs = {
            behind: np.array([verb == behind for verb in verbs], bool) & ~by for behind in verbs if behind is not None
        }
        """By the preposition behind it, "": none, which labels are a verb, (n_types,) each."""
        self.sorts = np.array([" ".join(own) in _SORTS for own in plain], bool)
        self.to_places = np.array([verb in _PLACES for verb in verbs], bool)
        self._nouns = np.zeros(len(rows), bool)
        self._nouns[self._at_end] = [noun for own in zip(plain, words, strict=True) for noun in _nouns(*own)]
        self._callers = np.zeros(len(rows), bool)
        self._callers[self._at_begin] = [noun for own in zip(said, begins, strict=True) for noun in _nouns(*own)]
        at_end = np.array([own[-1] in PREPOSITIONS - {_BY} for own in labels], bool)
        phrase = np.array([_is_phrase(own, terms) for own in plain], bool)
        noun = np.array([verb is None for verb in verbs], bool)
        deeds = [
            _BY not in own and (verb is not None or is_phrase)
            for own, verb, is_phrase in zip(plain, verbs, phrase, strict=True)
        ]
        self._verbs = np.zeros(len(rows), bool)
        self._verbs[self._starts[:-1]] = deeds
        self._begins = at_end & ~phrase
        self._calls = self._begins | (noun & ~at_end)  # "shares border with" calls nothing
        self.child_of = self._begins & self._calls
        """Which types begin at what their noun calls, (n_types,)."""
        self._whole = unit(embed([" ".join(own) for own in labels]))
        many = Counter(one.begins for one in parts)
        generic = np.array([many[one.begins] > _MOST_BEGIN for one in parts], bool)
        self._generic = self._at_begin & generic[self._type_of]
        self._last = self._at_end.nonzero()[0]
        self._vectors = unit(embed([flat[row] for row in self._last.tolist()]))
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
        ends, begins, _ = self._called(word)
        return ends, begins | self._done(word)

    def _done_by(self, word: str) -> NDArray[np.bool_]:
        """Return which labels begin with a verb for what somebody does whom a word names, (n_types,)."""
        doers = [stem for stem in self.terms(word) if wording.is_doer(stem)]
        rows = self._held(self._families, self.families(doers)) & ~self._held(self._stems, doers)
        return self._any(rows & self._verbs)

    def held(self, word: str) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return which labels have a word for their noun, and which hold it beside their noun, (n_types,) each."""
        ends, begins, beside = self._called(word)
        return ends | begins, beside

    def _called_by(self, word: str) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_]]:
        rows = self._held(self._stems, self.terms(word)) | self._held(self._stems, self._shortened([word.lower()]))
        by_noun = self._any(rows & self._nouns) & self._calls
        beside = self._any(rows & self._at_end & ~self._nouns) & self._calls & ~by_noun
        return by_noun & ~self._begins, (by_noun & self._begins) | self._any(rows & self._callers), beside

    def calls_begin(self, word: str) -> bool:
        """Tell whether a word calls what edges of paths begin at: film/film/genre at a film."""
        return bool((self._held(self._stems, self.terms(word)) & self._callers).any())

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
        by_word = np.zeros((len(new), len(self._type_of)))
        by_word[:, self._last] = 0.9 * cosines.clip(0.0, 1.0)
        alike = [self._spelt_alike(word) for word in new]
        for own, each in zip(by_word, alike, strict=True):
            for rows, worth in zip(each, (_COMPOUND, SAME_FAMILY, SAME_WORD), strict=True):
                if rows:  # as hardly any word has
                    own[rows] = np.maximum(own[rows], worth)
            if len(self._last) < len(own):
                self._weigh_parts(own)
        starts = self._starts[:-1]
        nearest = np.maximum.reduceat(by_word, starts, axis=1)
        own, best = (by_word == nearest[:, self._type_of]).nonzero()
        slots = best[firsts(own * len(self) + self._type_of[best])].reshape(nearest.shape) - starts
        single = [place for place, word in enumerate(new) if " " not in word]
        nearest[single] = self.alone_first(nearest[single], slots[single])
        for own, (parts, *_) in zip(nearest, alike, strict=True):
            if len(parts) > 1:
                whole = np.bincount(self._type_of[parts], minlength=len(self)) > 1
                own[whole] = np.maximum(own[whole], SAME_FAMILY)  # "birthplace" is all of a birth's place
        cosines = np.array([self._whole @ vector for vector in vectors])
        similarity = np.maximum(nearest, cosines.clip(0.0, 1.0))
        return zip(similarity, slots, similarity.max(axis=1).tolist(), strict=True)

    def _weigh_parts(self, own: FloatArray) -> None:
        """Let what stands before the last parts of paths count less where last parts say the same; (n_rows,), changed.

        Of a kind of thing that many paths begin at no word tells them apart.
        """
        if own[self._last].max() >= SAME_WORD:
            own[self._at_begin] *= SAME_FAMILY
            own[self._at_begin & ~self._callers] = 0.0
        own[self._generic] = 0.0
        own[self._between] *= _COMPOUND if own[~self._between].max() < SAME_FAMILY else 0.0

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

    def alone_first(self, similarity: FloatArray, slots: NDArray[np.int64]) -> FloatArray:
        """Put labels that are a word, (…, n_types), behind none that hold it beside others: mission, next_mission.

        So are those that are what is nearest to it: for "movies" rather film than film_location.
        """
        most = np.maximum(similarity.max(axis=-1, keepdims=True, initial=0.0), _NEAR)
        has_it, among_others = similarity >= np.minimum(most, SAME_WORD), self._several[self._starts[:-1] + slots]
        alone = (has_it & ~among_others).any(axis=-1, keepdims=True)
        return np.where(alone & has_it & among_others, _AMONG_OTHERS * similarity, similarity)

    def ends(self, slots: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return of which types a word stands for one that says where their edges end, (n_types,): the last part."""
        ends: NDArray[np.bool_] = self._at_end[self._starts[:-1] + slots]
        return ends

    def begin(self, slots: NDArray[np.int64], *, named_does: bool) -> NDArray[np.bool_]:
        """Return which types a word asks for where their edges begin, (n_types,), by the words of labels it stands for.

        Args:
            slots: (n_types,) which word of each label it is.
            named_does: whether the named node does what the word says, if that is a deed.

        """
        rows = self._starts[:-1] + slots
        begin: NDArray[np.bool_] = self._at_begin[rows] ^ (self._agents[rows] & named_does)
        return begin

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


def _others(words: Iterable[str], known: Sequence[str], terms: Callable[[str], list[str]]) -> list[str]:
    """Return the words of another part of a label that its other parts lack."""
    stems = {stem for word in known for stem in terms(word)}
    return [
        word for word in dict.fromkeys(words) if terms(word) and not word.isdigit() and stems.isdisjoint(terms(word))
    ]


def _callers(words: Iterable[str], known: Sequence[str], terms: Callable[[str], list[str]]) -> list[str]:
    """Return the same, without participles: of written_work what edges begin at is a work."""
    others = _others(words, known, terms)
    return [word for word in others if not word.endswith("ing") and not wording.is_past(word, terms(word))]


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


def _without_common(labels: list[list[str]], *, keep: bool = True) -> list[list[str]]:
    """Leave out the words that stand in more than half of the labels, where there are several.

    With ``keep`` a label of which no word is left keeps all.
    """
    count = Counter(word for words in labels for word in set(words))
    if len(labels) < 3:
        return labels
    own = [[word for word in words if 2 * count[word] <= len(labels)] for words in labels]
    return [left or (words if keep else left) for left, words in zip(own, labels, strict=True)]


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
