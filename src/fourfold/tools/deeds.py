"""What a request asks to have done, and what a tool does: "get rid of the old file" asks for what deletes.

Tools about one thing differ in what they do with it (``create_issue``, ``close_issue``), and say so by the verb that
their name has and their description begins with.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import takewhile

from fourfold.planning import MOST_PARTS, parts_of
from fourfold.planning.denied import LONGEST_READ
from fourfold.planning.verbs import infinitives, verbs_of
from fourfold.reading.courtesy import without_courtesy
from fourfold.tokenizer import split_identifier
from fourfold.tools.wording import DEEDS, Phrases

_SENTENCE = re.compile(r"(?<=\w[.!?])\s")
"""Also after "24.5.", where no plan is cut: what begins there only adds to what is asked for."""

_WORD = re.compile(r"[a-z]+")
_ASKING = frozenset("what which who whose when where how is are was were do does did has have any".split())
_TELLING = frozenset("get list show search find read retrieve query check view fetch describe lookup".split())
"""What a question asks for."""

_THINGS = frozenset(
    """
    back bill book call charge check copy cut design diff draft email file group invoice label link list log mail
    message name note order phone place plan plot query record report review schedule share summary table text
    trim zip
    """.split()
)
"""Verbs that are as often the name of a thing: ``file_copy``, ``order_cancel``."""

_LAST_PART = re.compile(r"[./:]|__")
_JOINING = frozenset(("and", "or", "to"))

_SWITCHED = frozenset(("on", "off"))
_DONE = frozenset(verb for verbs in DEEDS.values() for verb in verbs.split())
_PHRASES = Phrases(DEEDS)


def asked_for(request: str) -> frozenset[str]:
    """Return the verbs of tools that do what a request asks for, of any of its parts; none where it does not say.

    The first 4,000 characters are read, and twelve sentences of them.
    """
    sentences = _SENTENCE.split(without_courtesy(request[:LONGEST_READ]), MOST_PARTS)[:MOST_PARTS]
    parts = (part for sentence in sentences for part in parts_of(sentence))
    return frozenset(verb for part in parts for verb in _asked(_WORD.findall(part.text.lower())))


def done_by(name: str, description: str) -> frozenset[str]:
    """Return the verbs by which a tool's name and the beginning of its description say what it does.

    Of a name such as ``zipfile.ZipFile.write`` the last part says it, of "Read and write archives" both verbs do.
    """
    first, *rest = [*_WORD.findall(description[:60].lower()), ""]
    joined = takewhile(lambda pair: pair[0] in _JOINING, zip(rest[::2], rest[1::2], strict=False))
    begins = [first, *(word for _, word in joined)]
    return _of_name(_LAST_PART.split(name)[-1]).union(*(_first_verb([word]) for word in begins))


def _asked(words: list[str]) -> Iterator[str]:
    """Give the verbs for what a part asks for by its first word, or by the phrase that begins with it."""
    if not words:
        return
    if words[0] in _ASKING:
        yield from _TELLING
        return
    places = _PHRASES.at(words, 0)
    yield from DEEDS.get(" ".join(words[at] for at in places), "").split()
    if len(places) < 2:  # noqa: PLR2004
        yield from _first_verb(words[:1])


def _of_name(name: str) -> frozenset[str]:
    """Return the verb of a tool's name: ``turn_off``; ``FileCopy``, whose words may all be things, says none."""
    parts = [part.lower() for part in split_identifier(name)]
    pairs = zip(parts, parts[1:], strict=False)
    verbs = _first_verb([f"{one}_{other}" for one, other in pairs if other in _SWITCHED] or parts)
    return frozenset() if name[:1].isupper() and verbs <= _THINGS else verbs


def _first_verb(words: Iterable[str]) -> frozenset[str]:
    """Return the first of some words that can only be a verb, or else all that may be one, in their first form."""
    unsure: set[str] = set()
    for word in words:
        forms = infinitives(word)
        verbs = _DONE.intersection(forms) or verbs_of(word)
        if verbs and _THINGS.isdisjoint(forms):
            return verbs
        unsure |= verbs
    return frozenset(unsure)
