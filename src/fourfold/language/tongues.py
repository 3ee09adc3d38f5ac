"""Questions and labels in German, French, Spanish, Italian, Portuguese and Dutch, word by word in English.

All else reads English. Words that nothing here knows stay as they are, so that a label's own word asks for it in any of
these languages: "Qui est le réalisateur de X ?" is read as "who is the réalisateur of X". It is no translation: names
are left alone, and the words keep their order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence

from fourfold.edge_types import label
from fourfold.language.glosses import TELLING, WITHIN
from fourfold.language.name_matching import Words, lowered
from fourfold.lazy import once
from fourfold.word_breaks import without_marks

_TONGUES = ("german", "french", "spanish", "italian", "portuguese", "dutch")

_ENGLISH = frozenset("the who which where when how does did by with whose whom and from to for are".split())
"""A question that has one of these is English, whatever else it holds."""

_BOTH = frozenset(
    "a an as at con de des die do en had hat i in is la land man me no of on per pour son te van war was".split()
)
"""Words of these languages that English has, too, or its names: they tell none by themselves."""

_ENOUGH, _HALF = 2, 0.5
"""So many words tell a language; one that no English text has counts as two, one that English has as half of one."""

_SHARE = 4
"""A graph is of a language that one label in so many tells."""

_SHORT = 3
"""So short a word without its accents may be any: "où" is not "ou"."""

_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})

_WIE, _HOW, _MANNER = "wie", "how", frozenset({"many", "long", "high", "large", "deep"})
"""What "wie" is in German before one of these: "wie lang ist der Rhein"."""

_TIME = frozenset({"temps", "tiempo", "tempo"})
_LASTS, _DE = frozenset("dure durent dura duran durano duram".split()), "de"
"""What takes time, behind "combien de temps" and the like: it asks for no other time."""

_VERB_LAST = ("german", "dutch")
_HAS, _PAST = "has", {"written": "wrote"}


@once
def _telling() -> list[dict[str, str]]:
    """Return, for each language, the words that no English text has, with what they are in English."""
    return [{**dict(_spelt_out(own)), **own} for own in _by_word(TELLING)]


@once
def _known() -> list[dict[str, str]]:
    """Return the same of all words, without their accents, too."""
    every = [{**within, **telling} for telling, within in zip(_telling(), _by_word(WITHIN), strict=True)]
    return [{**dict(_plain(own)), **dict(_spelt_out(own)), **own} for own in every]


def _spelt_out(known: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Give words as German is typed where keys are missing: fluesse for Flüsse, gross for groß."""
    for word, english in known.items():
        if not word.isascii() and (typed := word.translate(_UMLAUTS)).isascii():
            yield typed, english


def _plain(known: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Give words without the accents they are often typed without: not at the end, "marié" is not Marie."""
    for word, english in known.items():
        if not word.isascii() and word[-1].isascii() and len(word) > _SHORT:
            yield without_marks(word), english


def _by_word(table: str) -> list[dict[str, str]]:
    """Return, for each language, the words of a table of glosses with what they are in English."""
    found: list[dict[str, str]] = [{} for _ in _TONGUES]
    for row in table.strip().splitlines():
        english, *cells = row.split("|")
        for own, cell in zip(found, cells, strict=True):
            own.update(dict.fromkeys(cell.split(), english))
    return found


def _tongue(words: Iterable[str], *, names: bool = False) -> int:
    """Return which language words are of; -1 where none is told, as in English: with ``names`` some may be of these."""
    typed = set(words)
    if not names and not _ENGLISH.isdisjoint(typed):
        return -1
    own = typed - _BOTH
    told = [
        sum((word in known) + (word in telling) for word in own) + _HALF * sum(word in known for word in typed - own)
        for known, telling in zip(_known(), _telling(), strict=True)
    ]
    most = max(told)
    place = told.index(most)
    return place if most >= _ENOUGH and not own.isdisjoint(_known()[place]) else -1


def in_another_tongue(words: Words) -> bool:
    """Tell whether a question may be of another language than English."""
    return _tongue(lowered(words), names=True) >= 0


def in_english(words: Words, names: Container[int], terms: Callable[[str], Sequence[str]]) -> Words:
    """Return the words of a question in English, as far as they are known; those at the places ``names`` stay.

    What German and Dutch put last stands where English has it: "wer hat X geschrieben" is "who wrote X has".
    """
    typed = lowered(words)
    tongue = _tongue(word for place, word in enumerate(typed) if place not in names)
    if tongue < 0:
        return words
    said = [None if place in names else _known()[tongue].get(word) for place, word in enumerate(typed)]
    for place, word in enumerate(typed[:-1]):
        if word == _WIE and said[place + 1] in _MANNER and said[place]:
            said[place] = _HOW
    for place, word in enumerate(typed[1:], 1):
        if without_marks(word) in _LASTS and typed[place - 1] in _TIME and place > 1 and place not in names:
            of_it = 1 + (typed[place - 2] == _DE)  # "combien de temps", "quanto tempo"
            said[max(place - 1 - of_it, 0) : place] = [_HOW, "long", *["does"] * (of_it - 1)]
    if _TONGUES[tongue] in _VERB_LAST and said[-1] and _HAS in said:
        place = said.index(_HAS)
        said[place], said[-1] = _PAST.get(said[-1], said[-1]), said[place]
    return [(one, tuple(terms(one))) if one else word for one, word in zip(said, words, strict=True)]


def labels_in_english(edge_types: Sequence[str]) -> list[str]:
    """Return edge types with their words in English, where many of them tell another language; else as they are."""
    labels = [label(edge_type).split() for edge_type in edge_types]
    told = Counter(tongue for words in labels if (tongue := _tongue(words)) >= 0)
    tongue, often = next(iter(told.most_common(1)), (-1, 0))
    if _SHARE * often < max(len(labels), 1):
        return list(edge_types)
    known = _known()[tongue]
    return [
        name if known.keys().isdisjoint(words) else " ".join(known.get(word, word) for word in words)
        for name, words in zip(edge_types, labels, strict=True)
    ]
