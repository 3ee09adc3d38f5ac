"""Words that say of which sex somebody is: of the siblings of a parent the aunts are the women."""

from __future__ import annotations

from collections.abc import Iterable

from fourfold.language.lexicon import MEN, WOMEN
from fourfold.language.syntax import Sentence

FEMALE, MALE, UNKNOWN = 1, -1, 0

KIN = {
    FEMALE: "mother sister daughter wife aunt niece grandmother granddaughter".split(),
    MALE: "father brother son husband uncle nephew grandfather grandson".split(),
}
"""Kin of either sex: labels of edges are called by them, too."""

_SAID = {
    FEMALE: {*WOMEN, *KIN[FEMALE], *(f"{word}s" for word in KIN[FEMALE]), "female", "f", "actress", "queen"},
    MALE: {*MEN, *KIN[MALE], *(f"{word}s" for word in KIN[MALE]), "male", "m", "king"},
}


def said_by(words: Iterable[str]) -> int:
    """Return which sex words in lower case say: ``FEMALE``, ``MALE`` or ``UNKNOWN``."""
    return next((sex for word in words for sex, own in _SAID.items() if word in own), UNKNOWN)


def asked_for(sentence: Sentence) -> int:
    """Return of which sex who is asked for is: by the first word before a name, by the last behind it.

    "Whose mother is X" asks for her children.
    """
    content = [place for place in range(len(sentence.words)) if sentence.is_content(place)]
    before = [place for place in content if place < min(sentence.names, default=0)]
    place = next(iter(before or content[::-1]), -1)
    if place < 0 or sentence.at(place - 1) == "whose" or sentence.hangs(place):
        return UNKNOWN
    return said_by([sentence.words[place]])
