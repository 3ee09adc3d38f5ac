"""The words of the labels of a graph's edge types, a row each, and which of them a word is spelt like.

A type is known by its label, whatever it is written like: ``film.film.directed_by``, ``dbo:starring``, ``hasAuthor``.
What stands in most labels (``film``, ``has``) tells no type from another and is left out.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fourfold.edge_types import label
from fourfold.language import lexicon
from fourfold.language.lexicon import Families
from fourfold.language.unspaced import nearness, runs_together
from fourfold.lazy import lazy
from fourfold.relations.path_labels import parts_of

Terms = Callable[[str], list[str]]
"""Text → terms, the tokenizer of the index."""

_ENDS, _BETWEEN, _BEGINS = range(3)
"""The parts of a label, in the order of their words."""

IS_A, _KIND = frozenset({"is a", "isa", "kind of", "a kind of", "subclass of", "sub class of"}), ["kind"]
"""Labels that say of what kind something is, and the word that stands for theirs."""

_MOST_BEGIN = 5
"""What more paths begin at than these, a film or a person, says what something is, not which of them is asked for."""


@dataclass(frozen=True, slots=True)
class SplitLabel:
    """The words of a label.

    ``last`` are all those of its last part, where its edges end, ``first`` all of what they begin at; ``own`` those of
    the last part that few labels have. ``ends``, ``between`` and ``begins`` are what is compared with questions.
    """

    last: list[str]
    first: list[str]
    own: list[str]
    ends: list[str]
    between: list[str]
    begins: list[str]


class LabelWords:
    """The words of all labels: rows by type, of each type by part.

    Attributes:
        labels: (n_types) their words.
        flat: (n_rows) the word of each row.
        types: (n_rows,) the place of the row's type, ascending.
        starts: (n_types,) the first row of each type.
        at_end, between, at_begin: (n_rows,) which part of its label a word stands in.
        several: (n_rows,) other words of the same part stand beside it.
        generic: (n_rows,) it is of a kind of thing that many paths begin at.
        row_stems: (n_rows) the stems of each word.
        stems, families, forms: in which rows a stem stands, what words of its family have in common, one of its forms.

    """

    def __init__(self, names: Sequence[str], terms: Terms, is_word: Callable[[str], bool]) -> None:
        self.terms, self.is_word, self._families_of = terms, is_word, Families(terms)
        self.labels = _split(names, terms)
        rows = [
            (place, part, word)
            for place, one in enumerate(self.labels)
            for part, words in enumerate((one.ends, one.between, one.begins))
            for word in words
        ]
        self.flat = [word for *_, word in rows]
        self.types, part = np.array([row[:2] for row in rows], np.int64).reshape(-1, 2).T
        self.starts = np.searchsorted(self.types, np.arange(len(names)))
        self.at_end, self.between, self.at_begin = (part == one for one in (_ENDS, _BETWEEN, _BEGINS))
        together = 3 * self.types + part
        self.several = (np.bincount(together)[together] > 1) | self.between
        begun = Counter(tuple(one.first) for one in self.labels)
        begin_alike = np.array([begun[tuple(one.first)] > _MOST_BEGIN for one in self.labels], bool)
        self.generic = self.at_begin & begin_alike[self.types]
        self.row_stems = stems = [frozenset(terms(word)) for word in self.flat]
        self.stems = _rows(stems)
        self.families = _rows([self.families_of(own) for own in stems])
        forms = self._families_of.forms
        self.forms = _rows([forms(own | {word}) for word, own in zip(self.flat, stems, strict=True)])
        self._names = names
        self._parts = lexicon.Parts(self.forms)
        self._by_letter: dict[str, list[tuple[str, bool]]] = defaultdict(list)
        for stem in self.stems:
            self._by_letter[stem[:1]].append((stem, is_word(stem)))

    def families_of(self, terms: Iterable[str]) -> frozenset[str]:
        """Return what words of the same families have in common."""
        return frozenset(map(self._families_of.of, terms))

    def rows(self, lines: Sequence[bool], among: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return the rows of some that are marked in their order, (n_rows,)."""
        found = np.zeros(len(self.flat), bool)
        found[among] = lines
        return found

    def any(self, rows: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return for which types one of the label's words is, (n_types,)."""
        found: NDArray[np.bool_] = np.logical_or.reduceat(rows, self.starts) if len(rows) else np.zeros(0, bool)
        return found

    def held(self, rows: Mapping[str, NDArray[np.int64]], words: Iterable[str]) -> NDArray[np.bool_]:
        """Return which words of all labels are one of some words, (n_rows,), by ``stems`` or ``families``."""
        return _marked(len(self.flat), rows, words)

    def name(self, terms: Iterable[str]) -> NDArray[np.bool_]:
        """Return which types hold one of some terms anywhere in their names, (n_types,): music/genre/artists, music."""
        return _marked(len(self.labels), self._anywhere, terms)

    def spelt_so(self, word: str) -> NDArray[np.bool_] | None:
        """Return which labels have a word as it is, (n_types,), in a script without word boundaries; None: in another.

        There words that share characters say other things: 女儿 and 侄女, a daughter and a niece.
        """
        if not runs_together(word):
            return None
        if word not in self._unspaced:
            return np.zeros(len(self.labels), bool)
        return self.any(np.array([one == word for one in self.flat], bool))

    def within(self, run: str) -> list[str]:
        """Return the words of labels that stand in a run of characters without word boundaries."""
        return [word for word in self._unspaced if word in run]

    def within_by_character(self, run: str) -> NDArray[np.float64]:
        """Return of each label which share of its characters stands in a run, (n_types,) in [0, 1].

        There a part of a word says much of it: "什么时候发明的" asks for 发明日期, when something was invented.
        """
        return np.array([len(own.intersection(run)) / len(own) for own in map(frozenset, self._written)])

    def sought_by(self, run: str) -> NDArray[np.float64]:
        """Return how near each label is by what such a run asks for, (n_types,) in [0, 1]: 作者 to 是谁写的."""
        return np.array([nearness(run, one) for one in self._written])

    @lazy
    def _written(self) -> list[str]:
        """Each label in one run."""
        return ["".join(one.last or one.own) for one in self.labels]

    @lazy
    def _unspaced(self) -> frozenset[str]:
        """The words of labels in scripts without word boundaries."""
        return frozenset(filter(runs_together, self.flat))

    def left_out(self, terms: Iterable[str]) -> NDArray[np.bool_]:
        """Return which labels one of some terms was left out of, as most have it, (n_types,): plays_position."""
        return _marked(len(self.labels), self._common, terms)

    @lazy
    def _common(self) -> Mapping[str, NDArray[np.int64]]:
        """Of which labels a term was left out."""
        left = (set(one.last).difference(one.own) for one in self.labels)
        return _rows([frozenset(term for word in words for term in self.terms(word)) for words in left])

    @lazy
    def wider(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Labels of several words, and others that have all of these and more: head coach, previous head coach.

        The types of both, (n_pairs,) each; of paths the words of the last part.
        """
        stems: list[frozenset[str]] = [frozenset()] * len(self.labels)
        for row in self.at_end.nonzero()[0].tolist():
            stems[self.types[row]] |= self.row_stems[row]
        holding = {stem: set(rows.tolist()) for stem, rows in _rows(stems).items()}
        pairs = [
            (place, other)
            for place, own in enumerate(stems)
            for other in (sorted(set.intersection(*map(holding.__getitem__, own))) if len(own) > 1 else ())
            if len(stems[other]) > len(own)
        ]
        plain, wider = np.array(pairs, np.int64).reshape(-1, 2).T
        return plain, wider

    @lazy
    def _anywhere(self) -> Mapping[str, NDArray[np.int64]]:
        """In which types' names a term stands; made for the first question about a kind."""
        return _rows([frozenset(self.terms(label(name))) for name in self._names])

    def spelt_alike(self, word: str) -> tuple[list[int], list[int], list[int]]:
        """Return the rows whose words are part of a word, or of its family or cut short from it, or the word itself."""
        stems = frozenset(self.terms(word) or [word])
        shared, related = _found(self.stems, stems), _found(self.families, self.families_of(stems))
        related |= _found(self.stems, self.shortened(word.split()))
        parts = _found(self.forms, frozenset().union(*map(self._parts.of, {word, *stems})))
        if " " not in word and not shared and not related and not parts:
            near = [one for own in stems for one, _ in self._by_letter.get(own[:1], ()) if lexicon.misspelt(own, one)]
            if near and not self.is_word(word):
                parts = _found(self.stems, near)
        return list(parts), list(related), list(shared)

    def shortened(self, words: Iterable[str]) -> list[str]:
        """Return the words of labels that are one of some words cut short: dept."""
        singular = {word.removesuffix("s") for word in words}
        return [
            part
            for word in singular
            for part, is_word in self._by_letter.get(word[:1], ())
            if lexicon.abbreviated(part, word, is_word=is_word)
        ]


def _split(names: Sequence[str], terms: Terms) -> list[SplitLabel]:
    """Return the words of labels; each has one at least where its edges end."""
    parts = [parts_of(name) for name in names]
    last, first = [label(one.ends).split() for one in parts], [label(one.begins).split() for one in parts]
    rare_last, rare_first = _without_common(last), _without_common(first, keep=False)
    found = []
    for place, (name, part) in enumerate(zip(names, parts, strict=True)):
        own = rare_last[place] or [name or "edge"]
        own = _KIND if not any(map(terms, last[place])) and " ".join(last[place]) in IS_A else own
        ends = [word for word in own if terms(word)] or own
        between = _others(label(part.between).split(), ends, terms)
        begins = _callers(rare_first[place], [*ends, *between], terms)
        found.append(SplitLabel(last[place], first[place], own, ends, between, begins))
    return found


def _without_common(labels: list[list[str]], *, keep: bool = True) -> list[list[str]]:
    """Leave out the words that stand in more than half of the labels, where there are several.

    With ``keep`` a label of which no word is left keeps all.
    """
    count = Counter(word for words in labels for word in set(words))
    if len(labels) < 3:
        return labels
    own = [[word for word in words if 2 * count[word] <= len(labels)] for words in labels]
    return [left or (words if keep else left) for left, words in zip(own, labels, strict=True)]


def _others(words: Iterable[str], known: Sequence[str], terms: Terms) -> list[str]:
    """Return the words of another part of a label that its other parts lack."""
    stems = {stem for word in known for stem in terms(word)}
    return [
        word for word in dict.fromkeys(words) if terms(word) and not word.isdigit() and stems.isdisjoint(terms(word))
    ]


def _callers(words: Iterable[str], known: Sequence[str], terms: Terms) -> list[str]:
    """Return the same, without participles: of written_work what edges begin at is a work."""
    others = _others(words, known, terms)
    return [word for word in others if not word.endswith("ing") and not lexicon.is_past(word, terms(word))]


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


def _marked(count: int, rows: Mapping[str, NDArray[np.int64]], words: Iterable[str]) -> NDArray[np.bool_]:
    """Return the same of so many rows, (count,)."""
    found = np.zeros(count, bool)
    found[list(_found(rows, words))] = True
    return found
