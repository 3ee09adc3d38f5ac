"""The labels of a graph's edge types, compared with the words of questions.

A word is similar to the types whose labels hold it, or a word of the same family ("director", "directed"), or that it
is cut short in ("dept"), or that are close to it in the static embedding. Of a label that is a path the last part is
what it says of where its edges end; what stands before that (``path_labels``) counts by its own words only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from fourfold.cache import Remembered, remembered
from fourfold.edge_types import label
from fourfold.embed.base import unit
from fourfold.language.asked import SAME_FAMILY, SAME_WORD
from fourfold.language.placed import PREPOSITIONS
from fourfold.language.unspaced import runs_together
from fourfold.lazy import lazy
from fourfold.ragged import firsts
from fourfold.relations.label_grammar import LabelGrammar
from fourfold.relations.label_words import IS_A, LabelWords, Terms
from fourfold.signals.late import Pieces, distinct_pieces
from fourfold.types import FloatArray

Similarity = tuple[FloatArray, NDArray[np.int64], float]
"""How similar each label is to a word, (n_types,) in [0, 1]; which word of it is, (n_types,); the most."""

_AMONG_OTHERS = 0.95
"""What is left of a word's similarity to labels that have other words beside it, where one is the word alone."""

_NEAR = 0.45
"""So near a label must be to a word to be what it calls."""

_OF_PLACES = "capital border population"
"""What labels call that places have, and nothing else."""

_COMPOUND = 0.85
"""Similarity of a word that is made of one of the label's, or stands in one."""


class Labels:
    """The labels of the edge types in use.

    Attributes:
        words: of all labels.
        grammar: what these words do in their labels.
        most_words: how many words are remembered with what they have to do with each type.

    """

    def __init__(
        self,
        names: Sequence[str],
        embed: Callable[[list[str]], FloatArray],
        terms: Terms,
        is_word: Callable[[str], bool],
    ) -> None:
        self.names, self.terms, self._embed = tuple(names), terms, embed
        self.words = words = LabelWords(names, terms, is_word)
        self.grammar = LabelGrammar(words)
        self._last = words.at_end.nonzero()[0]
        self._vectors = unit(embed([words.flat[row] for row in self._last.tolist()]))
        self._whole = unit(embed([" ".join(one.own) for one in words.labels]))
        self.most_words = remembered(len(names))
        self._known = Remembered(self._compared, self.most_words)
        self._pieces: Pieces | None = None

    def __len__(self) -> int:
        return len(self.names)

    def pieces(self) -> Pieces:
        """Return the distinct wordpieces of all labels."""
        if self._pieces is None:
            # one by one: of a text only the beginning is cut in pieces, and the labels of a large graph are a long one
            self._pieces = np.unique(np.concatenate(distinct_pieces([label(name) for name in self.names])))
        return self._pieces

    def say(self, phrase: tuple[str, ...]) -> bool:
        """Tell whether a label has several words in a row."""
        said = f" {' '.join(phrase)} "
        return any(said in f" {label(name)} " for name in self.names)

    def similarity(self, word: str) -> Similarity:
        """Return how similar labels are to words."""
        return self._known.one(word)

    @lazy
    def of_places(self) -> NDArray[np.bool_]:
        """Which edges places have, (n_types,)."""
        return self.similarity(_OF_PLACES)[0] >= SAME_FAMILY

    @lazy
    def are_kinds(self) -> NDArray[np.bool_]:
        """Which edges say of what kind something is, or that it is one of several, (n_types,)."""
        return np.array([" ".join(one.last) in IS_A for one in self.words.labels], bool)

    def like(self, words: Sequence[str]) -> FloatArray:
        """Return how similar each label is to words together, (n_types,) in [0, 1]; 0 to those of unspaced scripts."""
        said = " ".join(word for word in words if not runs_together(word))
        cosines: FloatArray = self._whole @ unit(self._embed([said]))[0]
        return cosines.clip(0.0, 1.0)

    def may_hold(self, word: str, terms: Sequence[str]) -> bool:
        """Tell whether a word is no stop word, or one that a label is made of: "own" of owns."""
        return bool(terms) or (word not in PREPOSITIONS and word in self.words.stems)  # "in" is in "tie-ins"

    def hold(self, word: str, terms: Sequence[str]) -> bool:
        """Tell whether a label holds a word, or one of its family."""
        return self.may_hold(word, terms) and self.similarity(word)[2] >= SAME_FAMILY

    def learn(self, words: Sequence[str]) -> None:
        """Compare labels with words, all new ones at once."""
        self._known.of(words)

    def alone_first(self, similarity: FloatArray, slots: NDArray[np.int64]) -> FloatArray:
        """Put labels that are a word, (…, n_types), behind none that hold it beside others: mission, next_mission.

        So are those that are what is nearest to it: for "movies" rather film than film_location.
        """
        most = np.maximum(similarity.max(axis=-1, keepdims=True, initial=0.0), _NEAR)
        has_it, among_others = similarity >= np.minimum(most, SAME_WORD), self.several(slots)
        alone = (has_it & ~among_others).any(axis=-1, keepdims=True)
        return np.where(alone & has_it & among_others, _AMONG_OTHERS * similarity, similarity)

    def _deed_first(self, similarity: FloatArray, slots: NDArray[np.int64]) -> FloatArray:
        """Put labels that have who does something beside other words, (n_types,), behind what is done by him.

        The director is who a film is directed_by, rather than its casting_director.
        """
        among_others = self.several(slots)
        deed = self.grammar.by & (similarity >= SAME_FAMILY) & (similarity < SAME_WORD) & ~among_others
        if not deed.any():
            return similarity
        return np.where(among_others, _AMONG_OTHERS * np.minimum(similarity, SAME_FAMILY), similarity)

    def several(self, slots: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Tell of which labels a word stands beside others, (…, n_types)."""
        several: NDArray[np.bool_] = self.words.several[self.words.starts + slots]
        return several

    def _compared(self, new: list[str]) -> Iterable[Similarity]:
        """Return how similar labels are to each of some words, see ``similarity``."""
        vectors, types, starts = unit(self._embed(new)), self.words.types, self.words.starts
        cosines = np.array([self._vectors @ vector for vector in vectors])  # a product of all would round otherwise
        by_word = np.zeros((len(new), len(types)))
        by_word[:, self._last] = 0.9 * cosines.clip(0.0, 1.0)
        alike = [self.words.spelt_alike(word) for word in new]
        for own, each in zip(by_word, alike, strict=True):
            for rows, worth in zip(each, (_COMPOUND, SAME_FAMILY, SAME_WORD), strict=True):
                if rows:  # as hardly any word has
                    own[rows] = np.maximum(own[rows], worth)
            if len(self._last) < len(own):
                self._weigh_parts(own)
        nearest = np.maximum.reduceat(by_word, starts, axis=1)
        own, best = (by_word == nearest[:, types]).nonzero()
        slots = best[firsts(own * len(self) + types[best])].reshape(nearest.shape) - starts
        single = [place for place, word in enumerate(new) if " " not in word]
        nearest[single] = self.alone_first(nearest[single], slots[single])
        for place, (own, (parts, *_)) in enumerate(zip(nearest, alike, strict=True)):
            own[:] = self._deed_first(own, slots[place])
            if len(parts) > 1:
                whole = np.bincount(types[parts], minlength=len(self)) > 1
                own[whole] = np.maximum(own[whole], SAME_FAMILY)  # "birthplace" is all of a birth's place
        cosines = np.array([self._whole @ vector for vector in vectors])
        similarity = np.maximum(nearest, cosines.clip(0.0, 1.0))
        for place, word in enumerate(new):
            if (spelt := self.words.spelt_so(word)) is not None:
                similarity[place] *= np.where(spelt, 1.0, _COMPOUND if spelt.any() else 0.0)
        return zip(similarity, slots, similarity.max(axis=1).tolist(), strict=True)

    def _weigh_parts(self, own: FloatArray) -> None:
        """Let what stands before the last parts of paths count less where last parts say the same; (n_rows,), changed.

        Of a kind of thing that many paths begin at no word tells them apart.
        """
        words = self.words
        if own[self._last].max() >= SAME_WORD:
            own[words.at_begin] *= SAME_FAMILY
            own[words.at_begin & ~self.grammar.callers] = 0.0
        own[words.generic] = 0.0
        own[words.between] *= _COMPOUND if own[~words.between].max() < SAME_FAMILY else 0.0
