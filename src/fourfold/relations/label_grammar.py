"""What the words of labels do in them, and so what words of questions call: where edges end, or where they begin.

Of ``capital`` the edges end at capitals, of ``capital of`` they begin there; ``directed by`` ends at directors, and
``supplies`` begins at suppliers. Of a label that is a path the last part is what it says of where its edges end, the
first what it says of where they begin (``path_labels``).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from fourfold.cache import remembered
from fourfold.language import lexicon
from fourfold.language.placed import PREPOSITIONS
from fourfold.language.syntax import behind_verb
from fourfold.relations.label_words import LabelWords, Terms

Types = NDArray[np.bool_]
"""(n_types,), which edge types."""

_BY, _OF = "by", "of"
_PLACES = frozenset({"at", "in", "on"})

_SORTS = frozenset({"type", "kind", "class", "category", "is a", "isa", "instance of"})
"""Labels of edges that only say what sort of thing something is."""


class LabelGrammar:
    """Nouns, verbs and doers among the words of labels.

    Attributes:
        verbs: by the preposition behind it, "": none, which labels are a verb, (n_types,) each.
        sorts: (n_types,) which only say what sort of thing something is.
        to_places: (n_types,) which are a verb with "in", "at" or "on" behind it.
        by: (n_types,) which say by whom something is done.
        child_of: (n_types,) which begin at what their noun calls.
        callers: (n_rows,) which words call what edges begin at.

    """

    def __init__(self, words: LabelWords) -> None:
        self._words, labels, terms = words, words.labels, words.terms
        behind = [behind_verb(one.last, terms) for one in labels]
        phrases = [_is_phrase(one.last, terms) for one in labels]
        agents = np.array([self._is_agent(*row) for row in zip(words.flat, words.row_stems, strict=True)], bool)
        self.by = np.array([_BY in one.last for one in labels], bool)
        by = words.any(agents & words.at_end) | self.by
        self._agents = agents | (by[words.types] & words.at_end)
        doers = np.array([word.removesuffix("s").endswith(lexicon.AGENTS) for word in words.flat], bool)
        said = np.array([lexicon.is_past(word, terms(word)) for word in words.flat], bool)
        self._does = doers | (said & self._agents)
        self.verbs = {
            preposition: np.array([one == preposition for one in behind], bool) & ~by
            for preposition in behind
            if preposition is not None
        }
        self.sorts = np.array([" ".join(one.last) in _SORTS for one in labels], bool)
        self.to_places = np.array([one in _PLACES for one in behind], bool)
        self._nouns = words.rows([noun for one in labels for noun in _nouns(one.last, one.ends, terms)], words.at_end)
        self.callers = words.rows(
            [noun for one in labels for noun in _nouns(one.first, one.begins, terms)], words.at_begin
        )
        first = np.zeros(len(words.flat), bool)
        first[words.starts] = True
        deeds = [
            _BY not in one.last and (preposition is not None or phrase)
            for one, preposition, phrase in zip(labels, behind, phrases, strict=True)
        ]
        self._deeds = words.rows(deeds, first)
        open_end = np.array([one.own[-1] in PREPOSITIONS - {_BY} for one in labels], bool)
        is_noun = np.array([one is None for one in behind], bool)
        self.child_of = open_end & ~np.array(phrases, bool)
        self._calls = self.child_of | (is_noun & ~open_end)  # "shares border with" calls nothing
        self._becoming = np.array([one.last[:1] == ["became"] for one in labels], bool)
        self._qualifying = words.several & np.array([word.endswith("ing") for word in words.flat], bool)
        most = remembered(len(labels))
        self._called, self._done = lru_cache(most)(self._called_by), lru_cache(most)(self._done_by)

    def behind(self, preposition: str) -> Types:
        """Return which labels are a verb with a preposition behind it, (n_types,); "in", "at" and "on" are alike."""
        if preposition in _PLACES:
            return self.to_places
        found: Types | None = self.verbs.get(preposition) if preposition else None
        return np.zeros(len(self.sorts), bool) if found is None else found

    def calls(self, word: str) -> tuple[Types, Types]:
        """Return which edges end at what a word calls, and which begin there, (n_types,) each."""
        ends, begins, _ = self._called(word)
        return ends, begins | self._done(word)

    def held(self, word: str) -> tuple[Types, Types]:
        """Return which labels have a word for their noun, and which hold it beside their noun, (n_types,) each."""
        ends, begins, beside = self._called(word)
        return ends | begins, beside

    def qualifies(self, word: str, behind: str = "") -> bool:
        """Tell whether a word only qualifies the one behind it, as they do in a label: "side effects"."""
        return bool((self.held(word)[1] & self.held(behind)[0]).any())

    def only_qualify(self, terms: Sequence[str]) -> bool:
        """Tell whether labels hold a word only as what qualifies another: film in filming_location."""
        stems = self._words.stems
        rows = [self._qualifying[stems[term]].all() for term in terms if term in stems]
        return bool(rows) and all(rows)

    def became(self, terms: Sequence[str]) -> Types:
        """Return which labels tell that something became what a word says, (n_types,)."""
        return self._becoming & self._words.any(self._words.held(self._words.stems, terms))

    def ends(self, slots: NDArray[np.int64]) -> Types:
        """Return of which types a word stands for one that says where their edges end, (n_types,): the last part."""
        ends: Types = self._words.at_end[self._words.starts + slots]
        return ends

    def begin(self, slots: NDArray[np.int64], *, named_does: bool) -> Types:
        """Return which types a word asks for where their edges begin, (n_types,), by the words of labels it stands for.

        ``named_does``: the named node does what the word says, if that is a deed.
        """
        rows = self._words.starts + slots
        begin: Types = self._words.at_begin[rows] ^ (self._agents[rows] & named_does)
        return begin

    def done(self, slots: NDArray[np.int64]) -> Types:
        """Return of which types a word stands for a verb, or for who does something, (n_types,)."""
        rows = self._words.starts + slots
        done: Types = self._does[rows] | self._deeds[rows]
        return done

    def _called_by(self, word: str) -> tuple[Types, Types, Types]:
        """Return which edges end at what a word calls, which begin there, and which labels hold it beside a noun."""
        words = self._words
        rows = words.held(words.stems, [*words.terms(word), *words.shortened([word.lower()])])
        by_noun = words.any(rows & self._nouns) & self._calls & ~self._becoming
        beside = words.any(rows & words.at_end & ~self._nouns) & self._calls & ~by_noun
        return by_noun & ~self.child_of, (by_noun & self.child_of) | words.any(rows & self.callers), beside

    def _done_by(self, word: str) -> Types:
        """Return which labels begin with a verb for what somebody does whom a word names, (n_types,)."""
        words, stems = self._words, self._words.terms(word)
        doers = [stem for stem in stems if lexicon.is_doer(stem)]
        rows = words.held(words.families, words.families_of(doers)) & ~words.held(words.stems, doers)
        if doing := [stem for stem in stems if lexicon.are_doers(word, stem)]:
            itself = word.lower().removesuffix("s")  # headquarters are not who is headquartered_in somewhere
            held = words.held(words.stems, doing)
            rows |= held & ~np.array([label.startswith(itself) for label in words.flat], bool)
        return words.any(rows & self._deeds)

    def _is_agent(self, word: str, stems: frozenset[str]) -> bool:
        """Tell whether a word of a label is somebody who does something: directors are, "offers" is no doer."""
        deeds = [deed for stem in stems if (deed := lexicon.deed(stem))]
        return any(not word.endswith("s") or self._words.is_word(deed) for deed in deeds)


def _nouns(label: Sequence[str], words: Sequence[str], terms: Terms) -> list[bool]:
    """Return which of a label's words, some of which were left out, are its nouns, not what qualifies them.

    Its last word is, the last before "of", and the one that participles at the end say something of: project lead,
    country of citizenship, religion founded, languages spoken or written.
    """
    before = label[: label.index(_OF)] if _OF in label[1:] else []
    nouns = {len(words) - 1, max((place for place, word in enumerate(words) if word in before), default=-1)}
    said = next((place for place in reversed(range(len(words))) if not _is_said(words[place], terms)), -1)
    if 0 <= said < len(words) - 1:
        nouns.add(said)
    return [place in nouns for place in range(len(words))]


def _is_said(word: str, terms: Terms) -> bool:
    return lexicon.is_past(word, terms(word)) or not terms(word)


def _is_phrase(label: Sequence[str], terms: Terms) -> bool:
    """Tell whether a label begins with a verb, as far as its ending tells: shares_border_with, took_part_in."""
    first = next(iter(label), "")
    return first.endswith("s") or lexicon.is_past(first, terms(first))
