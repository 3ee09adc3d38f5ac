"""Text → terms. One tokenizer serves documents and queries; its name is stored with the index.

A tokenizer finds words and turns each distinct word into its terms once: identifiers are split
(``read_file``, ``readFile``, ``HTTPServer``), stop words dropped, the rest stemmed, and runs of scripts without word
boundaries (CJK, Thai, …) become character bigrams.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, chain, pairwise
from typing import Protocol

from fourfold.errors import InvalidValueError
from fourfold.lazy import load
from fourfold.word_breaks import UNSPACED, plain_words, words

_IDENTIFIER_PART = re.compile(
    r"[A-Z]+(?=[A-Z][a-z])"  # the HTTP of HTTPServer
    r"|[A-Z]?[a-z]+|[A-Z]+"  # Server, file, ID
    r"|\d+"
    r"|[^\W\dA-Za-z_]+"
)
_UNSPACED = re.compile(f"[{UNSPACED}]+")

_PUBLISHED_SUFFIXES = (
    *("ation", "tion", "sion", "ment", "ness", "able", "ible", "ful", "less", "ous"),
    *("ive", "ing", "ed", "er", "est", "ly", "al", "ity"),
)

ENGLISH_STOP_WORDS = frozenset(
    """
    a about above after again all am an and any are as at be because been before being below between both but by
    can could did do does doing down during each few for from further had has have having he her here hers him his
    how i if in into is it its itself just me more most my no nor not of off on once only or other our ours out
    over own same she should so some such than that the their theirs them then there these they this those through
    to too under until up us very was we were what when where which while who whom whose why will with would you
    your yours
    """.split()
)


class Tokenizer(Protocol):
    """What the index needs of a tokenizer."""

    name: str
    """Identity, stored with the index; another name means other terms."""

    def terms(self, text: str) -> list[str]:
        """Return the terms of a text in order, with repetitions."""

    def terms_of_words(self, text: str) -> list[tuple[str, tuple[str, ...]]]:
        """Return each word of the text, as written, with its terms."""

    def terms_of_word(self, word: str) -> tuple[str, ...]:
        """Return the terms of a word that need not be remembered."""

    def batch(self, texts: Sequence[str]) -> tuple[list[str], list[int]]:
        """Return the terms of all texts in one list, and the number of terms of each text."""


class WordTokenizer:
    """Words by regular expression, each distinct word analysed once and remembered."""

    _REMEMBERED = 1_000_000

    def __init__(
        self, name: str, analyse: Callable[[str], tuple[str, ...]], find: Callable[[str], list[str]] = words
    ) -> None:
        self.name = name
        self._analyse = analyse
        self._find = find
        self._known: dict[str, tuple[str, ...]] = {}

    def terms(self, text: str) -> list[str]:
        """Return the terms of a text in order, with repetitions."""
        found = self._find(text)
        return list(chain.from_iterable(map(self._learn(found).__getitem__, found)))

    def terms_of_words(self, text: str) -> list[tuple[str, tuple[str, ...]]]:
        """Return each word of the text, as written, with its terms."""
        found = self._find(text)
        known = self._learn(found)
        return [(word, known[word]) for word in found if word]

    def terms_of_word(self, word: str) -> tuple[str, ...]:
        """Return the terms of a word that need not be remembered."""
        return self._analyse(word)

    def batch(self, texts: Sequence[str]) -> tuple[list[str], list[int]]:
        """Return the terms of all texts in one list, and the number of terms of each text."""
        read = [self._find(text) for text in texts]
        known = self._learn(chain.from_iterable(read))
        found = list(map(known.__getitem__, chain.from_iterable(read)))
        terms = list(chain.from_iterable(found))
        ends = list(accumulate(map(len, found), initial=0))  # of words, counted in terms
        texts_end = list(accumulate(map(len, read), initial=0))  # of texts, counted in words
        return terms, [ends[end] - ends[start] for start, end in pairwise(texts_end)]

    def _learn(self, found: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """Analyse the words not seen before, and return what is known.

        Concurrent callers may do so twice, with the same outcome.
        """
        known = self._known
        if len(known) > self._REMEMBERED:
            self._known = known = {}
        for word in set(found).difference(known):
            known[word] = self._analyse(word)
        return known


_WITHOUT_STEMMER = (
    ", or begin the graph with the suffix stemmer, which needs nothing: "
    'RetrievalConfig().replace(text={"tokenizer": "suffix"})'
)


USUAL = "snowball-english"
"""What reads texts where nothing names a tokenizer."""


_CUT = "@1"
"""Ends the name of a tokenizer that cuts words at combining marks, as that of a graph from before they were kept."""
_WHOLE = "2"
"""What a graph has under ``words`` whose words are whole."""


def make_tokenizer(name: str) -> Tokenizer:
    """Return the tokenizer of that name: ``"suffix"`` (published) or ``"snowball-<language>"``.

    ``"snowball-<language>@1"`` reads words as the graphs have them that were made before combining marks were kept.

    Raises:
        InvalidValueError: no such tokenizer.
        MissingExtraError: PyStemmer is not installed; the tokenizer "suffix" needs nothing.

    """
    if name == "suffix":
        return WordTokenizer(name, _published_terms, plain_words)
    kind, _, language = name.removesuffix(_CUT).partition("-")
    stemmer = load("Stemmer", f"The tokenizer {name!r}", instead=_WITHOUT_STEMMER)
    if kind != "snowball" or language not in stemmer.algorithms():
        known = ", ".join(sorted(stemmer.algorithms()))
        raise InvalidValueError(f"There is no tokenizer {name!r}; Snowball languages are: {known}.")
    analyse = _snowball_analyser(language, stemmer.Stemmer(language, 0).stemWord)
    return WordTokenizer(name, analyse, plain_words if name.endswith(_CUT) else words)


def stored_tokenizer(meta: Callable[[str], str | None]) -> str | None:
    """Return the name of the tokenizer that made a graph's terms, None where there are none yet."""
    name = meta("tokenizer")
    whole = name is None or name == "suffix" or meta("words") == _WHOLE
    return name if whole else f"{name}{_CUT}"


def tokenizer_settings(name: str) -> dict[str, str | None]:
    """Return the settings by which ``stored_tokenizer`` knows a tokenizer again."""
    cut = name == "suffix" or name.endswith(_CUT)
    return {"tokenizer": name.removesuffix(_CUT), "words": None if cut else _WHOLE}


def same_language(stored: str, wanted: str) -> bool:
    """Whether a graph whose tokenizer is ``stored`` may be opened by who wants another: however it finds words."""
    return wanted in (stored, stored.removesuffix(_CUT))


def suffix_stem(token: str) -> str:
    """Strip the first published suffix that leaves at least 3 characters."""
    for suffix in _PUBLISHED_SUFFIXES:
        if token.endswith(suffix) and len(token) - len(suffix) >= 3:
            return token[: -len(suffix)]
    return token


def _published_terms(word: str) -> tuple[str, ...]:
    return tuple(suffix_stem(token) for token in re.findall(r"\w+", word.lower()) if len(token) >= 2)


def _snowball_analyser(language: str, stem: Callable[[str], str]) -> Callable[[str], tuple[str, ...]]:
    stop_words = ENGLISH_STOP_WORDS if language in ("english", "porter") else frozenset()

    def analyse(word: str) -> tuple[str, ...]:
        if word.isascii() and word.isalpha() and word.islower():  # as most are
            return () if word in stop_words else (stem(word),)
        terms: list[str] = []
        parts = split_identifier(word) if word else []  # the empty word stands for a possessive 's
        for part in parts:
            lowered = part.lower()
            if _UNSPACED.search(lowered):
                terms += _bigrams(lowered)
            elif lowered not in stop_words:
                terms.append(stem(lowered))
        if not terms and len(parts) > 1:  # `can_it`: all stop words, yet a name that somebody will look for
            terms.append(stem("".join(parts).lower()))
        return tuple(terms)

    return analyse


def is_unspaced(term: str) -> bool:
    """Whether a term is of a script without word boundaries."""
    return _UNSPACED.match(term) is not None


def split_identifier(word: str) -> list[str]:
    """Split snake_case, camelCase and acronyms; a word of one part, or of other scripts, stays whole."""
    if word.isalpha() and (word.islower() or word.isupper() or word.istitle()):
        return [word]
    if not word.isascii():
        return [part for part in word.split("_") if part]
    return _IDENTIFIER_PART.findall(word) or [word]


def _bigrams(text: str) -> list[str]:
    """Cut runs of unspaced script into overlapping character pairs; what stands between stays a word."""
    terms: list[str] = []
    end = 0
    for run in _UNSPACED.finditer(text):
        if run.start() > end:
            terms.append(text[end : run.start()])
        characters = run.group()
        pairs = [a + b for a, b in pairwise(characters)]
        terms += pairs or [characters]
        end = run.end()
    if end < len(text):
        terms.append(text[end:])
    return terms
