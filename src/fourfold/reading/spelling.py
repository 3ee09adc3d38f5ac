"""Slips of the keyboard: a word that no node holds is read as one of the graph that is a letter away.

"Who directed Terminatr?" asks about The Terminator. One letter too many, too few, another, or two that changed places,
but for the first, make four of five misspelt words (Damerau 1964). Of several words of the graph the likelier slip is
meant, then the more frequent word.

A word that lacks the marks of its letters, or has some too many, is read so in every language: "Gerard" is Gérard. One
of English in small letters is not.

Otherwise read so are questions in English, and of these only words that are none of it: a word that the model in the
package has, as it is or but for endings, may be one that the graph just does not hold. A question with double quotes is
read as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from itertools import zip_longest
from string import ascii_lowercase

import numpy as np

from fourfold.index.snapshot import Snapshot
from fourfold.language.name_matching import Words
from fourfold.reading.marks import with_one, with_two
from fourfold.weighting import legible
from fourfold.word_breaks import stretches

Whole = Callable[[Sequence[str]], Sequence[bool]]
"""Words → which of them the model's vocabulary has as they are."""

_SHORTEST, _SHORT, _LONG, _LONGEST = 3, 5, 6, 30
"""Letters of a word in which a mark may be wrong, of one in which a likely slip is looked for, and of one in which any,
as the shorter have more words near; and of the longest: it is a letter away from so many times 53 others."""

_MOST = 4
"""So many words of a question are looked at, the first of them."""

_ENDINGS = (
    (re.compile(r"(?:s|d|r|y|ly|ful|ness|less|ment|like)$"), ("",)),
    (re.compile(r"(?:ed|er|es|al|ic|en|est|ing|ism|ist|able|ation)$"), ("", "e")),
    (re.compile(r"(?:ies|ied|ier|iest|ily|iness|ication)$"), ("y",)),
)
"""What English puts behind words, and what is cut off for it."""
_BEGINNING = re.compile(r"^(?:un|re|in|im|non|dis|mis|over|under|pre|anti|micro|multi|bio|sub|super|inter)")


def put_right(question: str, meant: Mapping[str, str]) -> str:
    """Return a question with what is meant in the place of what was typed, words or two side by side."""
    words = [*stretches(question)]
    found, done = [], 0
    for word, beside in zip_longest(words, words[1:]):
        for end in (word.end() if beside is None else beside.end(), word.end()):
            typed = question[word.start() : end]
            if word.start() >= done and typed in meant:
                found += [question[done : word.start()], meant[typed]]
                done = end
    return "".join((*found, question[done:]))


def corrections(
    words: Words,
    known: Set[str],
    snapshot: Snapshot,
    terms_of: Callable[[str], Sequence[str]],
    whole: Whole,
) -> dict[str, str]:
    """Return the misspelt words of a question, as typed, each with what is meant.

    ``known`` are the terms that a node or an edge type has. ``terms_of`` is asked about many words that nobody wrote,
    ``whole`` about words in lower case.
    """
    asked = {word: terms for word, terms in words if _SHORTEST <= len(word) <= _LONGEST and word.isalpha()}
    unknown = [word for word, terms in asked.items() if terms and known.isdisjoint(terms)]
    near = {}
    for word in unknown[:_MOST]:
        others = [other for other, _ in words if other != word]
        ways = _ways(word, others, whole, alone=len(unknown) == 1)
        near[word] = [_with_terms(way, terms_of) for way in ways]
    often = _frequencies(snapshot, {term for ways in near.values() for way in ways for term in way.values()})
    return {word: _as_typed(meant, word) for word, ways in near.items() if (meant := _nearest(ways, often))}


def _ways(word: str, others: Sequence[str], whole: Whole, *, alone: bool) -> Iterator[Iterator[str]]:
    """Yield what else a word may be, the likeliest slips first; ``others`` tell whether the question is in English.

    Only what is ``alone`` among words that the graph holds is read with two marks: there are many ways to put them.
    """
    lowered = word.lower()
    is_word = any(whole(_without_affixes(lowered)))
    if word[0].isupper() or not is_word:
        yield with_one(lowered)
        if alone:
            yield with_two(lowered)
    if word.isascii() and not is_word and legible(others, whole(others)) == 1.0:
        if len(word) >= _SHORT:
            yield _likely(lowered)
        if len(word) >= _LONG:
            yield _any(lowered)


def _with_terms(way: Iterable[str], terms_of: Callable[[str], Sequence[str]]) -> dict[str, str]:
    """Return the term of each word that has exactly one."""
    return {meant: own[0] for meant in way if len(own := terms_of(meant)) == 1}


def _frequencies(snapshot: Snapshot, terms: Set[str]) -> Mapping[str, int]:
    """Return in how many nodes terms are; all at once, for a server may be asked."""
    numbers = snapshot.term_numbers(terms) if terms else {}
    df = snapshot.text.df(np.array(list(numbers.values()), np.int64)).tolist() if numbers else []
    return dict(zip(numbers, df, strict=True))


def _nearest(ways: Sequence[Mapping[str, str]], often: Mapping[str, int]) -> str | None:
    """Return the word of the graph that may be meant, by the first way that leads to one; None where none does.

    Each way has words, and the term of each; ``often`` says in how many nodes a term is, 0 where the texts are gone.
    """
    for way in ways:
        held = {meant: often[term] for meant, term in way.items() if often.get(term)}
        if held:
            return max(held, key=held.__getitem__)
    return None


def _as_typed(meant: str, word: str) -> str:
    """Return a word in capitals, or with one, where another is written so."""
    return meant.upper() if word.isupper() else meant.capitalize() if word[0].isupper() else meant


def _without_affixes(word: str) -> list[str]:
    """Return a word with and without what English puts before and behind words."""
    found = [word]
    for _ in range(2):
        for ending, ends in _ENDINGS:
            cut = [short for one in found if (short := ending.sub("", one)) != one]
            found += [short + end for short in cut for end in ends]
            found += [short[:-1] for short in cut if short[-2:-1] == short[-1:]]
    found += [short for one in found if (short := _BEGINNING.sub("", one)) != one]
    return [one for one in dict.fromkeys(found) if len(one) > 2]


def _likely(word: str) -> Iterator[str]:
    """Yield the words in which two letters of this one change places, or one is doubled or not."""
    for at in range(1, len(word)):
        yield word[:at] + word[at : at + 2][::-1] + word[at + 2 :]
        yield word[:at] + word[at] + word[at:]
        if word[at] == word[at - 1]:
            yield word[:at] + word[at + 1 :]


def _any(word: str) -> Iterator[str]:
    """Yield the words that have one letter more than this one, one less, or another, but for the first."""
    places = range(1, len(word) + 1)
    yield from (word[:at] + letter + word[at:] for at in places for letter in ascii_lowercase)
    yield from (word[:at] + word[at + 1 :] for at in places)
    yield from (word[:at] + letter + word[at + 1 :] for at in places for letter in ascii_lowercase)
