"""What a question calls by its name, written as names are: "Which is older, Good People (film) or The Last Dance?".

A page that is named so is meant, however common its words are and however much of the question is about something
else. A word of edge types need not stand beside it, as in ``signals.paths``: here the named page is evidence.

Such a name has two words or more; of those that say something half begin with a capital letter or a digit, and one of
these does not begin the question, so that "place of birth" calls no page Place of birth. Where a question is typed in
letters of one case, they tell nothing, and the page's own name has to be written so, beside its first word.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from fourfold.index.base import NO_NODES, Nodes
from fourfold.language.name_matching import Named, NamesOf, Words, begin_of, lowered

MOST = 8
"""So many things a question calls by their names, the first of them: what each leads on to is looked at."""

_READ = 128
"""Of more nodes of the same words the names of the first are read: the parts of a long document have one name."""


@dataclass(frozen=True, slots=True)
class Called:
    """Nodes that a question calls by their names; parallel: ``nodes`` ascend, ``names`` as the question has them."""

    nodes: Nodes
    names: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.nodes)


NOTHING = Called(NO_NODES)


def may_call(words: Words, *, of_documents: bool) -> bool:
    """Tell whether a question may call anything by its name: told before any name is looked up.

    In letters of one case only where edges state no facts: elsewhere paths begin at what it names.
    """
    return _capitals(words[1:]) > 0 or (of_documents and _of_one_case(words))


def called(found: Sequence[Named], words: Words, written_of: NamesOf, best_of: Callable[[Nodes], int | None]) -> Called:
    """Return the nodes that a question calls by their names.

    ``found`` stands in the order of the question. ``best_of`` returns which of several nodes of one name is meant, as
    the parts of a document are; None where none may be.
    """
    meant: dict[int, str] = {}
    typed, one_case = lowered(words), _of_one_case(words)
    for one in found:
        if len(meant) == MOST:
            break
        if not (one_case or _capitals(words[max(one.start, 1) : one.end])):
            continue  # before its name is read
        spans: dict[tuple[int, int], list[int]] = {}
        nodes = one.nodes[:_READ]
        for node, name in zip(nodes.tolist(), written_of(nodes), strict=True):
            begin = begin_of([word.lower() for word in name], typed, one)
            end = begin + len(name)
            if begin < 0 or not 1 < len(name) < len(typed):
                continue
            said, first = words[begin:end], 0 if begin else 1
            if one_case:
                said, first = [(word, terms) for word, (_, terms) in zip(name, said, strict=True)], 1
            if _written_as_a_name(said, first):
                spans.setdefault((begin, end), []).append(node)
        if spans:
            begin, end = max(spans, key=lambda span: span[1] - span[0])
            if (best := best_of(np.array(spans[begin, end], np.int64))) is not None:
                meant[best] = " ".join(word for word, _ in words[begin:end])
    order = sorted(meant)
    return Called(np.array(order, np.int64), tuple(meant[node] for node in order))


def _written_as_a_name(words: Words, first: int) -> bool:
    """Tell whether half of the words are written as names are, one of them behind the ``first`` words."""
    telling = sum(bool(terms) for _, terms in words)
    return 2 * _capitals(words) >= telling and _capitals(words[first:]) > 0


def _of_one_case(words: Words) -> bool:
    typed = "".join(word for word, _ in words)
    return typed in (typed.lower(), typed.upper())


def _capitals(words: Words) -> int:
    """Return how many words that say something begin with a capital letter or a digit."""
    return sum(bool(terms) and (word[0].isupper() or word[0].isdigit()) for word, terms in words)
