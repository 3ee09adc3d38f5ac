"""The words of a question as they are read for what they ask: as one says them, and without what says nothing.

"Who produced Tide (film)" asks for no film, "whats" is "what", and a "part of the world" is a continent.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from fourfold.signals.names import Named, Words
from fourfold.signals.wording import PHRASES, QUESTION

Word = tuple[str, tuple[str, ...]]
"""A word as typed, with its terms."""


def read_aloud(
    text: str, words: Words, named: Sequence[Named], terms: Callable[[str], Sequence[str]]
) -> tuple[Words, list[Named]]:
    """Return the words of a question that are read, and what it names by places among these.

    Args:
        text: the question, as the words stand in it.
        words: each as typed, with its terms.
        named: the nodes that it names.
        terms: text → terms, the tokenizer of the index.

    """
    said: list[Word | None] = [_parted(word) for word in words]
    for place in _in_brackets(text, words, {one.end for one in named}) if "(" in text else ():
        said[place] = None
    typed = [word.lower() for word, _ in words]
    for phrase, word in PHRASES.items():
        start = next((at for at in range(len(typed)) if tuple(typed[at : at + len(phrase)]) == phrase), len(typed))
        others = [one for one in named if one.end <= start or one.start >= start + len(phrase)]
        if others and start < len(typed):  # a node Centre is not meant beside them
            said[start : start + len(phrase)] = [(word, tuple(terms(word))), *[None] * (len(phrase) - 1)]
            named = others
    if None not in said:
        return [word for word in said if word], list(named)
    before = [sum(word is not None for word in said[:place]) for place in range(len(said) + 1)]
    moved = [replace(one, start=before[one.start], end=before[one.end]) for one in named]
    return [word for word in said if word], moved


def _parted(word: Word) -> Word:
    """Return "what" of "whats"; another word as it is."""
    typed = word[0].lower()
    return (typed[:-1], ()) if typed.endswith("s") and typed[:-1] in QUESTION else word


def _in_brackets(text: str, words: Words, ends: set[int]) -> list[int]:
    """Return which words stand in brackets that open where a name ends."""
    found, at, opened = [], 0, False
    for place, (word, _) in enumerate(words):
        begin = max(text.find(word, at), at)
        between, at = text[at:begin], begin + len(word)
        opened = (opened and ")" not in between) or (place in ends and "(" in between)
        if opened:
            found.append(place)
    return found
