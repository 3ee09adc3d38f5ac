"""Which words of a question happen to be names and name nothing there: "films" beside a node Film, "together", "fall".

Where a question names something else, a word that is a name alone may ask for an edge, say of what kind something is,
be a verb, or stand for what was named before ("this exception"); one of several parts, such as ``JSONDecodeError``,
does none of that. A word that has to do with what else is named is meant all the same: "which midfielder plays for X".
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import numpy as np

from fourfold import ordered
from fourfold.index.base import EdgePart, Nodes
from fourfold.language import name_matching
from fourfold.language.deeds import TOGETHER
from fourfold.language.lexicon import WHICH, is_past
from fourfold.language.name_matching import Named, NamesOf, Words, lowered
from fourfold.language.nouns import names_sort
from fourfold.language.placed import ARTICLES, PREPOSITIONS, refers_back, takes_place
from fourfold.language.unspaced import FILLERS

_MOST_EDGES = 100_000
"""The neighbours of nodes with more edges are not looked at."""

_MOST_SHARED = 100
"""What has more edges joins too much to say that two things have to do with each other."""

_BELONGING = frozenset({"of", "for"})


def left_out(
    found: Sequence[Named],
    words: Words,
    edges: EdgePart,
    asks: Callable[[str, Sequence[str]], bool],
    names_of: NamesOf,
) -> list[Named]:
    """Return what a question names without the words that name nothing; all of it where nothing else would be left.

    ``asks`` tells whether a word, in lower case, may ask for an edge.
    """
    single = {one.start for one in found if one.end - one.start == len(words[one.start][1]) == 1}
    typed, first = lowered(words), min(one.start for one in found)

    def names_nothing(one: Named) -> bool:
        start = one.start
        if start not in single:
            in_order = name_matching.in_order(one, words, names_of) and not _is_done_by(one, words)
            return _asks_within(one, words, asks) and not in_order and not name_matching.spelt(one, words, names_of)
        apart = refers_back(typed, start, first) or takes_place(typed, start + 1)
        the = typed[start - 1] != "the" and words[start][0].islower() and _is_the(one, names_of)
        return _asks(*words[start], asks) or names_sort(typed[:start]) or apart or the

    meant = [one for one in found if not names_nothing(one)] or list(found)
    meant = [one for one in meant if not FILLERS.issuperset(names_of(one.nodes[:1])[0])] or meant
    starts = {one.start for one in meant}
    doubtful = {
        one.start
        for one in meant
        if one.start in single
        and (_may_pass(words, one.start, starts) or not name_matching.spelt(one, words, names_of))
    }
    others = [one for one in meant if one.start not in doubtful]
    if not doubtful or not others:
        return meant
    near = _neighbourhood(edges, name_matching.nodes_of(others))

    def is_meant(one: Named) -> bool:
        return one.start not in doubtful or bool(ordered.contains(near, _neighbourhood(edges, one.nodes)).any())

    return [one for one in meant if is_meant(one)]


def _is_the(one: Named, names_of: NamesOf) -> bool:
    """Tell whether what a word names is called by it with "the" alone: The Place is no "place to stay"."""
    return len(one.nodes) == 1 and names_of(one.nodes)[0][:1] == ("the",)


def only_ask(found: Sequence[Named], words: Words, asks: Callable[[str, Sequence[str]], bool]) -> bool:
    """Tell whether all that a question names are single words that may ask for an edge: "what position does X play"."""
    return all(one.end - one.start == 1 and _asks(*words[one.start], asks) for one in found)


def _asks(word: str, terms: Sequence[str], asks: Callable[[str, Sequence[str]], bool]) -> bool:
    return word.lower() == TOGETHER or asks(word.lower(), terms)


def _asks_within(one: Named, words: Words, asks: Callable[[str, Sequence[str]], bool]) -> bool:
    """Tell whether one of several words that are those of a name may ask for an edge: "which artist performed X"."""
    own = [(word, terms) for word, terms in words[one.start : one.end] if terms]
    return len(own) > 1 and any(_asks(word, terms, asks) for word, terms in own)


def _is_done_by(one: Named, words: Words) -> bool:
    """Tell whether the last word of a name is a participle there: "film produced by", beside a Film Producer."""
    behind = lowered(words[one.end : one.end + 1])
    last, terms = words[one.end - 1]
    return behind == ["by"] and is_past(last.lower(), terms)


def _may_pass(words: Words, place: int, starts: Collection[int]) -> bool:
    """Tell whether a word may name nothing where it stands: "which films", "film X", "script of X", "fall under"."""
    typed = ["", *lowered(words), "", ""]
    before, _, behind, after = typed[place : place + 4]
    if before in WHICH or (before == "the" and behind in _BELONGING) or (behind in PREPOSITIONS and not after):
        return True
    return place + 1 + (behind in ARTICLES) in starts


def _neighbourhood(edges: EdgePart, nodes: Nodes) -> Nodes:
    """Return nodes and their neighbours but for those that have very many themselves; none of nodes with very many."""
    if edges.degree(nodes).sum() > _MOST_EDGES:
        return nodes
    beside = ordered.distinct(edges.expand(nodes, weights="none").targets)
    return ordered.distinct(np.concatenate((nodes, beside[edges.degree(beside) <= _MOST_SHARED])))
