"""Which nodes a question names, word for word: by hashes of names, without a pass over nodes.

A name's key is the sum of the hashes of its terms, so that it is made from a node's tokens in any order and compared
with every span of the question by one look-up. Where names overlap, the longest counts, then the leftmost.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fourfold.index.base import Nodes

Keys = NDArray[np.uint64]

LONGEST = 12
"""Names of more terms are not looked for in questions."""

_ODD = np.uint64(0x9E3779B97F4A7C15)
_MIX = np.uint64(0xBF58476D1CE4E5B9)


@dataclass(frozen=True, slots=True)
class Named:
    """Nodes that the words ``start … end − 1`` of a question name; several where names are the same."""

    nodes: Nodes
    start: int
    end: int


class NamePart(Protocol):
    """The names of nodes, by key."""

    def holders(self, keys: Keys) -> tuple[NDArray[np.int64], Nodes]:
        """Return (starts, nodes): the nodes whose name has key i are ``nodes[starts[i]:starts[i + 1]]``, ascending."""
        ...


class Names:
    """The names of nodes in this process (a ``NamePart``): 16 bytes a node.

    Args:
        keys: (n,) the key of each node's name; 0 is no name.
        nodes: (n,) their numbers.

    """

    def __init__(self, keys: Keys, nodes: Nodes) -> None:
        order = np.lexsort((nodes, keys))
        order = order[keys[order] > 0]
        self._keys, self._nodes = keys[order], nodes[order]

    def holders(self, keys: Keys) -> tuple[NDArray[np.int64], Nodes]:
        """Return (starts, nodes), see ``NamePart``."""
        begin = np.searchsorted(self._keys, keys)
        counts = np.searchsorted(self._keys, keys, side="right") - begin
        starts = np.concatenate(([0], np.cumsum(counts)))
        return starts, self._nodes[np.arange(int(starts[-1])) + np.repeat(begin - starts[:-1], counts)]


def name_keys(terms: NDArray[np.int64], counts: NDArray[np.int64], starts: NDArray[np.int64]) -> Keys:
    """Return the key of each name, (n_names,); 0 where there is none.

    Args:
        terms: the numbers of the terms of all names, one name after the other.
        counts: (len(terms),) how often each stands in its name.
        starts: (n_names + 1,) name i has ``terms[starts[i]:starts[i + 1]]``.

    """
    sums = np.concatenate((np.zeros(1, np.uint64), np.cumsum(_hashes(terms) * counts.astype(np.uint64))))
    keys: Keys = sums[starts[1:]] - sums[starts[:-1]]
    return keys


def named(words: Sequence[tuple[str, tuple[str, ...]]], vocabulary: Mapping[str, int], names: NamePart) -> list[Named]:
    """Return the nodes that a question names, in its order.

    Args:
        words: each word of the question as typed, with its terms.
        vocabulary: term → its number.
        names: the names of the graph.

    """
    terms = [(place, vocabulary.get(term, -1)) for place, (_, own) in enumerate(words) for term in own]
    if not terms:
        return []
    numbers = np.array([number for _, number in terms], np.int64)
    sums = np.concatenate((np.zeros(1, np.uint64), np.cumsum(_hashes(numbers))))
    unknown = np.concatenate(([0], np.cumsum(numbers < 0)))
    begin = np.repeat(np.arange(len(terms)), LONGEST)
    end = begin + np.tile(np.arange(1, LONGEST + 1), len(terms))
    begin, end = begin[end <= len(terms)], end[end <= len(terms)]
    known = unknown[end] == unknown[begin]
    begin, end = begin[known], end[known]
    starts, nodes = names.holders(sums[end] - sums[begin])
    found = np.nonzero(np.diff(starts))[0]
    taken = np.zeros(len(terms), bool)
    spans = []
    for span in sorted(found.tolist(), key=lambda s: (begin[s] - end[s], begin[s])):  # a question names few nodes
        if not taken[begin[span] : end[span]].any():
            taken[begin[span] : end[span]] = True
            first, last = terms[begin[span]][0], terms[end[span] - 1][0]
            spans.append(Named(nodes[starts[span] : starts[span + 1]], first, last + 1))
    return sorted(spans, key=lambda one: one.start)


def _hashes(terms: NDArray[np.int64]) -> Keys:
    """Return well-mixed 64-bit numbers, (len(terms),) (Steele, Lea & Flood, "SplitMix", 2014)."""
    mixed: Keys = (terms.astype(np.uint64) + np.uint64(2)) * _ODD
    mixed ^= mixed >> np.uint64(30)
    mixed *= _MIX
    mixed ^= mixed >> np.uint64(31)
    return mixed
