"""Letters without their marks: "Dvorak" is Dvořák, "walesa" Wałęsa, "Mueller" Müller.

Who has no key for them leaves marks out, all of a word. What was meant is among the words that have them back, of which
there are many; no more than one language's letters stand in one.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from itertools import chain, combinations, islice, product
from string import ascii_lowercase

from fourfold.word_breaks import STROKES, without_marks

_LATIN = [chr(code) for code in chain(range(0xDF, 0x1C0), range(0x218, 0x21C), range(0x1EA0, 0x1EFA))]
_MARKED = {
    letter: [
        one for one in _LATIN if one.islower() and letter in (unicodedata.normalize("NFD", one)[0], STROKES.get(one))
    ]
    for letter in ascii_lowercase
}
"""Letters without marks, and what writers of Latin letters make of them."""

_ALPHABETS = (
    "áčďéěíňóřšťúůýž",
    "ąćęłńóśźż",
    "áéíóöőúüű",
    "áéíñóúü",
    "àáâãçéêíóôõú",
    "àâçèéêëîïôùû",
    "çğıöşüâ",
    "ăâîșț",
    "äåæöøéð",
    "čćđšž",
    "āčēģīķļņšūž",
    "ąčęėįšųūž",
)
"""The marked letters that stand together in words."""

_SPELT = {"ae": "äæ", "oe": "öøœ", "ue": "ü", "ss": "ß", "aa": "å", "th": "þ"}
"""What is written for a letter by those who have no key for it."""

_LONGEST = 10
"""Words of more letters lack one mark at most: of the rest there are too many ways."""
_MOST_WORDS = 40
"""Two letters of a word are given back their marks in so many ways for each alphabet, the first letters first."""


def with_one(word: str) -> Iterator[str]:
    """Yield the words that have one letter of this one with a mark, or all of its letters without."""
    if (plain := without_marks(word)) != word:
        yield plain
    for at, letter in enumerate(word):
        yield from (word[:at] + marked + word[at + 1 :] for marked in _MARKED.get(letter, ()))
        yield from (word[:at] + marked + word[at + 2 :] for marked in _SPELT.get(word[at : at + 2], ()))


def with_two(word: str) -> Iterator[str]:
    """Yield the words that have two letters of this one with marks of one alphabet."""
    for alphabet in _ALPHABETS if len(word) <= _LONGEST else ():
        may_be = [[one for one in _MARKED.get(letter, ()) if one in alphabet] for letter in word]
        places = [at for at, letters in enumerate(may_be) if letters]
        pairs = combinations(places, 2)
        found = (marks for pair in pairs for marks in product(*([(at, one) for one in may_be[at]] for at in pair)))
        for marks in islice(found, _MOST_WORDS):
            letters = list(word)
            for at, one in marks:
                letters[at] = one
            yield "".join(letters)
