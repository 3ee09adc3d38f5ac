"""Slips of the keyboard: a word that no node holds is read as one that is a letter away.

"Whihc film did Cameron direcet before Terminatr?" asks for what came before The Terminator. One letter too many, too
few, another, or two that changed places, but for the first, make four of five misspelt words (Damerau 1964). What asks,
as words of edge types do, is meant first. Else the likelier slip is, and of words as likely one of the graph, the most
frequent, before one of English, by the order of the model's vocabulary.

A word that lacks the marks of its letters, or has some too many, is read so in every language: "Gerard" is Gérard. One
of English in small letters is not.

Otherwise read so are questions in English, and of these only words that are none of it: a word that the model in the
package has, as it is or but for endings, may be one that the graph just does not hold. A question with double quotes is
read as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import cache
from itertools import chain, zip_longest
from string import ascii_lowercase

import numpy as np

from fourfold.index.snapshot import Snapshot
from fourfold.language.lexicon import QUESTION
from fourfold.language.name_matching import Words
from fourfold.language.tongues import in_another_tongue
from fourfold.reading.marks import with_one, with_two
from fourfold.tokenizer import ENGLISH_STOP_WORDS
from fourfold.weighting import legible
from fourfold.word_breaks import stretches

Places = Callable[[Sequence[str]], Sequence[int | None]]
"""Words → their places in the model's vocabulary, the frequent first; None of those that it has not as they are."""

_Way = Mapping[str, Sequence[str]]
"""Words that may be meant, as likely, and the terms of each."""

_SHORTEST, _SHORTER, _SHORT, _LONG, _LONGEST = 3, 4, 5, 6, 30
"""Letters of a word in which a mark may be wrong, of one that may be meant to ask, of one in which any slip is looked
for, and of a name in which any is, as the shorter have more words near; and of the longest: it is a letter away from so
many times 53 others."""

_ASKING = QUESTION | {"about", "does"}
"""Words that ask, and stand in no index."""

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
    places: Places,
) -> dict[str, str]:
    """Return the misspelt words of a question, as typed, each with what is meant.

    ``known`` are the terms that a node or an edge type has. ``terms_of`` and ``places`` are asked about many words that
    nobody wrote, in lower case.
    """
    asked = {word: terms for word, terms in words if _SHORTEST <= len(word) <= _LONGEST and word.isalpha()}
    unknown = [word for word, terms in asked.items() if terms and known.isdisjoint(terms)]
    looked_at = unknown[:_MOST]
    strange = [word for word in looked_at if not any(place is not None for place in places(_forms(word.lower())))]
    terms_of = cache(terms_of)  # what a word may be by two ways is looked at twice

    def asks(meant: str) -> bool:
        return meant in _ASKING or (len(terms := terms_of(meant)) == 1 and terms[0] in known)

    english = _of_english(words, strange, known, places) if strange else ()
    near = {}
    for word in looked_at:
        may_lack_marks = word[0].isupper() or word in strange
        near[word] = (
            _with_terms(_marked(word, alone=len(unknown) == 1) if may_lack_marks else (), terms_of),
            _with_terms(_slips(word, asks) if word in english else (), terms_of),
        )
    df = _frequencies(snapshot, near.values())

    def often(term: str) -> int:
        return df.get(term) or int(term in known)

    has_english = any(word.lower() in ENGLISH_STOP_WORDS for word, _ in words)
    found = {}
    for word, (marked, slips) in near.items():
        may_be_name = word[0].isupper() and word != words[0][0]
        meant = _nearest(marked, often) or _nearest(slips, often, places if has_english and not may_be_name else None)
        if meant is not None:
            found[word] = _as_typed(meant, word)
    return found


def _of_english(words: Words, strange: Sequence[str], known: Set[str], places: Places) -> list[str]:
    """Return those of the strange words that stand in English, by the other words but names of the graph."""
    rest = [one for one in words if not one[0][:1].isupper() or known.isdisjoint(one[1])]
    if in_another_tongue(rest):
        return []
    whole = [place is not None for place in places([word for word, _ in rest])]
    found = []
    for word in filter(str.isascii, strange):
        others = [(other, is_whole) for (other, _), is_whole in zip(rest, whole, strict=True) if other != word]
        if legible([other for other, _ in others], [is_whole for _, is_whole in others]) == 1.0:
            found.append(word)
    return found


def _marked(word: str, *, alone: bool) -> Iterator[Iterator[str]]:
    """Yield what else a word may be with a mark or without.

    Only what is ``alone`` among words that the graph holds is read with two marks: there are many ways to put them.
    """
    yield with_one(word.lower())
    if alone:
        yield with_two(word.lower())


def _slips(word: str, asks: Callable[[str], bool]) -> Iterator[Iterator[str]]:
    """Yield what else a word of English may be, the likeliest slips first, but any that asks for something."""
    lowered = word.lower()
    if len(word) >= _SHORTER:
        yield filter(asks, chain(_likely(lowered), _any(lowered)))
    if len(word) >= _SHORT:
        yield _likely(lowered)
    if len(word) >= (_LONG if word[0].isupper() else _SHORT):
        yield _any(lowered)


def _with_terms(ways: Iterable[Iterable[str]], terms_of: Callable[[str], Sequence[str]]) -> list[_Way]:
    """Return the terms of the words of each way."""
    return [{meant: terms_of(meant) for meant in way} for way in ways]


def _frequencies(snapshot: Snapshot, near: Iterable[tuple[list[_Way], list[_Way]]]) -> dict[str, int]:
    """Return in how many nodes the terms of words are; all at once, for a server may be asked."""
    every = chain.from_iterable(way.values() for ways in near for way in chain(*ways))
    terms = {own[0] for own in every if len(own) == 1}
    numbers = snapshot.term_numbers(terms) if terms else {}
    df = snapshot.text.df(np.array(list(numbers.values()), np.int64)).tolist() if numbers else []
    return dict(zip(numbers, df, strict=True))


def _nearest(ways: Sequence[_Way], often: Callable[[str], int], places: Places | None = None) -> str | None:
    """Return the word that may be meant, by the first way that leads to one; None where none does.

    ``often`` says how often the graph has a term, 0 where its texts are gone. Where it has none of them and ``places``
    are given, a word of English is meant.
    """
    for way in ways:
        held = {meant: count for meant, terms in way.items() if len(terms) == 1 and (count := often(terms[0]))}
        if held:
            return max(held, key=held.__getitem__)
        known = zip(way, places([*way]) if places else (), strict=False)
        english = {meant: place for meant, place in known if place is not None}
        if english:
            return min(english, key=english.__getitem__)
    return None


def _as_typed(meant: str, word: str) -> str:
    """Return a word in capitals, or with one, where another is written so."""
    return meant.upper() if word.isupper() else meant.capitalize() if word[0].isupper() else meant


def _forms(word: str) -> list[str]:
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
