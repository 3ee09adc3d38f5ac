"""Which nodes a question names, word for word: by hashes of names, without a pass over nodes.

A name's key is the sum of the hashes of its terms, so that it is made from a node's tokens in any order and compared
with every span of the question by one look-up. Where names overlap, the longest counts, then the leftmost.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate, takewhile
from operator import attrgetter, itemgetter

import numpy as np
from numpy.typing import NDArray

from fourfold import ordered
from fourfold.index.base import Keys, NamePart, Nodes
from fourfold.index.names import LONGEST, hashes
from fourfold.language.initials import stands_for
from fourfold.language.lexicon import AUXILIARIES, QUESTION, RELATIVE, SAY_NOTHING, misspelt
from fourfold.ragged import bounds
from fourfold.tokenizer import is_unspaced, split_identifier
from fourfold.word_breaks import without_marks

Word = tuple[str, tuple[str, ...]]
"""A word of a question as typed, with its terms."""

Words = Sequence[Word]


NamesOf = Callable[[Nodes], Sequence[tuple[str, ...]]]
"""Nodes → the words of each name, in lower case."""

_PARTING = AUXILIARIES | QUESTION | RELATIVE | {"or"}
"""Words that no name goes on over, unless it holds them: "allergy does egg" names no Egg Allergy."""

_OWNS = ("'s", "\u2019s", "s'", "s\u2019")
_OWNERS = re.compile("['’]s$")
_PART = 4
"""The share of a name's letters that names a node is one of so many."""

_LONGEST_TOLD = _PART * LONGEST
"""Words that a name has at most which is told by a part: a question could be read against a longer one for ever."""

MOST_NAMESAKES = 1000
"""What more nodes are called by names none of them: ``__init__`` in a graph of code, "Untitled" in one of notes."""

_LONG = 6
"""Letters that a name of one word has at least of which one may be wrong."""

_STEM = 4
"""So many letters at the beginning tell a word, whatever its ending."""

_READ_FIRST = (16, 128)
"""The names of so many nodes are read before those of the next: the first of them tell mostly."""


@dataclass(frozen=True, slots=True)
class Named:
    """Nodes that the words ``start … end − 1`` of a question name; several where names are the same.

    ``whole`` is the name where they are only a part of it.
    """

    nodes: Nodes
    start: int
    end: int
    whole: str = ""

    @property
    def places(self) -> range:
        """Where its words stand."""
        return range(self.start, self.end)


Reading = tuple[Words, list[Named]]
"""The words of a question as they are read, and what it names by places among these."""


def keys_of(words: Words, vocabulary: Mapping[str, int]) -> Keys:
    """Return the keys of all names that a question could hold: what ``named`` will ask for."""
    return _spans(_numbered(words, vocabulary))[2]


def named(words: Words, vocabulary: Mapping[str, int], names: NamePart, names_of: NamesOf | None = None) -> list[Named]:
    """Return the nodes that a question names, in its order; what very many are called by names none.

    ``names_of`` gives the names as they are written, and is asked only where a word such as "does" stands among those
    of a name.
    """
    terms = _numbered(words, vocabulary)
    if not terms:
        return []
    parting = [place for place, (word, own) in enumerate(words) if not own and word.lower() in _PARTING]
    begin, end, keys = _spans(terms)
    starts, nodes = names.holders(keys)
    found = [
        (first, last, Named(nodes[starts[span] : starts[span + 1]], terms[first][0], terms[last - 1][0] + 1))
        for span in (starts[1:] > starts[:-1]).nonzero()[0].tolist()  # a question names few nodes
        for first, last in [(int(begin[span]), int(end[span]))]
    ]
    taken = np.zeros(len(terms), bool)
    spans = []
    for first, last, one in sorted(found, key=partial(_precedence, found, words, names_of)):
        if taken[first:last].any():
            continue
        if len(one.nodes) > MOST_NAMESAKES:
            taken[first:last] = True  # a shorter name among these words is not meant either
            continue
        if names_of and (apart := {words[place][0].lower() for place in parting if one.start < place < one.end - 1}):
            one = replace(one, nodes=_holding(apart, one.nodes, names_of))
        if len(one.nodes):
            taken[first:last] = True
            spans.append(one)
    return by_place(spans)


def by_place(named: Iterable[Named]) -> list[Named]:
    """Return what is named in the order of the question."""
    return sorted(named, key=attrgetter("start"))


def with_apart(named: Sequence[Named], others: Iterable[Named]) -> list[Named]:
    """Return what is named with others whose words stand in no name of it, in the order of the question."""
    taken = places_of(named)
    return by_place([*named, *(one for one in others if taken.isdisjoint(one.places))])


def _precedence(
    found: Sequence[tuple[int, int, Named]], words: Words, names_of: NamesOf | None, span: tuple[int, int, Named]
) -> tuple[int, bool, int]:
    """Return what a span that names nodes is sorted by: the longest first, then the leftmost.

    Of two as long that overlap the one that is spelt so is meant: in "the movie Last Dance" it is not The Last Movie.
    """
    first, last, one = span
    rivals = [(begin, end) for begin, end, _ in found if end - begin == last - first and begin < last and first < end]
    scrambled = names_of is not None and len(rivals) > 1 and not spelt(one, words, names_of)
    return first - last, scrambled, first


def _holding(words: set[str], nodes: Nodes, names_of: NamesOf) -> Nodes:
    """Return the nodes whose names hold some words, too."""
    return nodes[[words.issubset(name) for name in names_of(nodes)]]


def as_written(found: Named, words: Words, names_of: NamesOf) -> Named:
    """Return, of nodes whose names have the same terms, those that the question names as they are written.

    "The Mirror" and "A Mirror" have the same terms. Where the question holds none of the names as a whole, all stay.
    """
    if len(found.nodes) < 2:
        return found
    typed = lowered(words)
    written = names_of(found.nodes)
    length = {name: _length(list(name), typed, found) for name in set(written)}  # many nodes may share a name
    lengths = np.array([length[name] for name in written])
    return replace(found, nodes=found.nodes[lengths == lengths.max()])


def said_in_words(name: Sequence[str]) -> bool:
    """Tell whether texts may say a name word by word, as it is written: identifiers they have in one piece.

    A word of it begins with a capital letter, or has no small ones: figures, scripts without capitals. None has an
    underscore, and it is not one word of several: "Kim Basinger", "Rosewood", "1931", but not ``extract``,
    ``handover_to_agent``, ``playSong``.
    """
    # as a title begins: Unicode has capitals for Georgian, with which nobody begins a name
    written = any(word[0] != word[0].lower() or word in (word.upper(), word.title()) for word in name)
    return written and not any("_" in word for word in name) and (len(name) > 1 or len(split_identifier(name[0])) == 1)


def spelt(found: Named, words: Words, names_of: NamesOf) -> bool:
    """Tell whether the question writes one of the nodes' names as it is: "films" is another form of Film."""
    if len(found.nodes) > MOST_NAMESAKES:
        return True
    typed = lowered(words)
    parts = np.split(found.nodes, _READ_FIRST)
    return any(_length(list(name), typed, found) for part in parts if len(part) for name in set(names_of(part)))


def in_order(found: Named, words: Words, names_of: NamesOf) -> bool:
    """Tell whether the question has the words of one of the nodes' names in their order, whatever their endings.

    "Soccer clubs" is in that of Soccer Club, "which artist performed" not in that of Performing Artist.
    """
    typed = [word.lower()[:_STEM] for word, terms in words[found.start : found.end] if terms]
    names = {tuple(word[:_STEM] for word in name) for name in names_of(found.nodes[: _READ_FIRST[0]])}
    return any(all(stem in left for stem in typed) for name in names for left in [iter(name)])


def _length(name: list[str], typed: list[str], found: Named) -> int:
    """Return how many words a name has, 0 where the question has not all of them in a row about the place found."""
    return len(name) if begin_of(name, typed, found) >= 0 else 0


def begin_of(name: list[str], typed: list[str], found: Named) -> int:
    """Return where a name begins in the question, about the place found; -1 where not all of its words stand there."""
    begins = range(max(found.end - len(name), 0), found.start + 1)
    return next((begin for begin in begins if typed[begin : begin + len(name)] == name), -1)


def partly(
    words: Words, nodes: Nodes, written: Sequence[tuple[str, ...]], asks: Callable[[str, Sequence[str]], bool]
) -> Named | None:
    """Return the node that a question names by a part of its name; None where no part tells one node.

    "Electromagnetism" is enough for "PHYS220 Electromagnetism". The part is a quarter of the name's letters at least, a
    run of its words that stands in the question, and no other of the nodes has a longer run, nor as long a one that is
    so much of its name. Words that may ask for an edge do not count: "mother of Ysolde" does not name Mother Cinder.

    ``written`` has the words of the names of ``nodes``, in lower case; ``asks`` tells whether a word may ask for an
    edge.
    """
    found = parts(words, nodes, written, asks)
    longest = max((letters for letters, _ in found), default=0)
    told = [one for letters, one in found if letters == longest and tells(letters, one)]
    return told[0] if len(told) == 1 else None


def parts(
    words: Words, nodes: Nodes, written: Sequence[tuple[str, ...]], asks: Callable[[str, Sequence[str]], bool]
) -> list[tuple[int, Named]]:
    """Return the nodes whose names have words that stand so in a question, with the letters of these; as ``partly``."""
    typed = [_OWNERS.sub("", word.lower()) for word, _ in words]
    content = [(word, own, terms) for word, (own, terms) in zip(typed, words, strict=True) if terms]
    letters = {word: len(word) for word, own, terms in content if word not in SAY_NOTHING and not asks(own, terms)}
    runs = [_longest_run(name, typed, letters) for name in written]
    return [
        (known, Named(nodes[place : place + 1], start, end, " ".join(written[place])))
        for place, (known, start, end) in enumerate(runs)
        if known
    ]


def tells(letters: int, one: Named) -> bool:
    """Tell whether a part of so many letters is enough of a name."""
    return _PART * letters >= _letters(one.whole.split())


def in_full(words: Words, nodes: Nodes, written: Sequence[tuple[str, ...]]) -> Named | None:
    """Return the nodes whose name a question writes in full, the longest; None where it writes none.

    In scripts without word boundaries what stands beside it may be one run with it: 就选7天连锁酒店(天坛东门店)吧.
    ``written`` has the words of the names of ``nodes``, in lower case.
    """
    typed = lowered(words)
    ends = [0, *accumulate(map(len, typed))]
    text, found = "".join(typed), Named(nodes[:0], 0, 0)
    for name in sorted(set(written), key=lambda name: (_letters(name), name)):
        begin = text.find("".join(name))
        end = begin + _letters(name)
        if begin >= 0 and (is_unspaced(name[-1][-1]) or {begin, end} <= set(ends)):
            own = [place for place, other in enumerate(written) if other == name]
            found = Named(nodes[own], bisect_right(ends, begin) - 1, bisect_left(ends, end), " ".join(name))
    return found if len(found.nodes) else None


def _letters(name: Sequence[str]) -> int:
    return sum(map(len, name))


def is_owned(typed: str) -> bool:
    """Tell whether what somebody has is asked for: "X's tickets"."""
    return any(own in typed for own in _OWNS)


def places_of(named: Iterable[Named]) -> set[int]:
    """Return the places of the words that names stand for."""
    return {place for one in named for place in one.places}


def lowered(words: Words) -> list[str]:
    """Return the words as typed, in lower case."""
    return [word.lower() for word, _ in words]


def content_beside(words: Words, taken: Collection[int]) -> list[int]:
    """Return the places of the words that say something, but for those taken, in their order."""
    return [place for place, (_, terms) in enumerate(words) if terms and place not in taken]


def word_beside(words: Words, named: Sequence[Named]) -> int:
    """Return the place of the one word that the only name leaves of a question: "X tickets"; -1 where there is none."""
    left = set(range(len(words))) - places_of(named)
    return left.pop() if len(named) == len(left) == 1 else -1


def nodes_of(named: Iterable[Named]) -> Nodes:
    """Return all nodes of some names, distinct and ascending."""
    return ordered.distinct(np.concatenate([one.nodes for one in named]))


def replaced(words: Words, named: Sequence[Named], start: int, end: int, said: Words) -> Reading:
    """Return a question with others for some of its words, of no name, and what it names by places among these."""
    more = len(said) - (end - start)
    moved = [replace(one, start=one.start + more, end=one.end + more) if one.start >= end else one for one in named]
    return [*words[:start], *said, *words[end:]], moved


def nearly(
    words: Words, nodes: Nodes, written: Sequence[tuple[str, ...]], known: Callable[[int], bool]
) -> Named | None:
    """Return the nodes that a question names without accents, with a letter wrong, or by first letters; None if none.

    "Noel Coward" names Noël Coward, "Harry Nilson" Harry Nilsson, and "leonardo dicaprio" Leonardo DiCaprio, which is
    read as three words. One word of a name may be misspelt; of a name of one word it must be no word of the graph, nor
    may "MLK" be one, for Martin Luther King.

    ``nodes`` are the likeliest first; ``written`` has the words of their names, in lower case; ``known`` tells whether
    the graph has the word at a place.
    """
    typed = [_plain(word) for word, _ in words]
    best: tuple[int, int, int] = (0, 0, 0)
    meant: list[int] = []
    for place, name in enumerate(written):
        for found in _near(name, typed, words, known):
            if found > best:
                best, meant = found, []
            if found == best and (not meant or written[meant[0]] == name):
                meant.append(place)
    return Named(np.sort(nodes[meant]), -best[2], best[0] - best[2]) if meant else None


def _near(
    name: Sequence[str], typed: Sequence[str], words: Words, known: Callable[[int], bool]
) -> Iterator[tuple[int, int, int]]:
    """Yield where a question nearly has a name, so that the best is the largest.

    As (words of the name, − words with a letter wrong, − where it begins).
    """
    plain = [_plain(word) for word in name[: LONGEST + 1]]
    for start in range(len(typed) - len(plain) + 1 if len(plain) <= LONGEST else 0):
        wrong = [start + at for at, word in enumerate(plain) if typed[start + at] != word]
        if len(wrong) > 1 or not any(terms for _, terms in words[start : start + len(plain)]):
            continue
        if wrong and not misspelt(typed[wrong[0]], plain[wrong[0] - start]):
            continue
        as_it_is = all(own == words[start + at][0].lower() for at, own in enumerate(name))
        if (len(plain) == 1 or as_it_is) and all(map(known, range(start, start + len(plain)))):
            continue
        if not wrong or len(plain) > 1 or len(plain[0]) >= _LONG:
            yield len(plain), -len(wrong), -start
    for place, word in enumerate(typed):
        if not known(place) and stands_for(word, plain):
            yield 1, -1, -place


def _plain(word: str) -> str:
    """Return a word in lower case without what marks its letters: "noel" of Noël."""
    return _OWNERS.sub("", without_marks(word.lower()))


def _longest_run(name: Sequence[str], typed: Sequence[str], letters: Mapping[str, int]) -> tuple[int, int, int]:
    """Return the letters of the words of a name that stand in a row in the question, and where these begin and end.

    ``letters``: how many each word has that is no stop word.
    """
    best = (0, 0, 0)
    for start, word in enumerate(typed if len(name) <= _LONGEST_TOLD else ()):
        for begin in [place for place, own in enumerate(name) if own == word]:
            if start and begin and typed[start - 1] == name[begin - 1]:
                continue  # the rest of a run that was looked at
            pairs = zip(typed[start : start + len(name)], name[begin:], strict=False)
            run = [word for word, _ in takewhile(lambda pair: pair[0] == pair[1], pairs)]
            best = max(best, (sum(letters.get(word, 0) for word in run), start, start + len(run)), key=itemgetter(0))
    return best


def _numbered(words: Words, vocabulary: Mapping[str, int]) -> list[tuple[int, int]]:
    """Return the place of the word and the number of every term; -1 for those that no node holds."""
    return [(place, vocabulary.get(term, -1)) for place, (_, own) in enumerate(words) for term in own]


def _spans(terms: Sequence[tuple[int, int]]) -> tuple[NDArray[np.int64], NDArray[np.int64], Keys]:
    """Return where the spans of known terms begin and end, and their keys."""
    numbers = np.array([number for _, number in terms], np.int64)
    sums = np.zeros(len(terms) + 1, np.uint64)
    np.cumsum(hashes(numbers), out=sums[1:])
    unknown = bounds(numbers < 0)
    ends = np.arange(len(terms))[:, None] + np.arange(1, LONGEST + 1)
    known = (ends <= len(terms)) & (unknown.take(ends, mode="clip") == unknown[:-1, None])
    begin = known.nonzero()[0]
    end = ends[known]
    return begin, end, sums[end] - sums[begin]
