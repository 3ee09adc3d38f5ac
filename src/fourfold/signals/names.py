"""Which nodes a question names, word for word: by hashes of names, without a pass over nodes.

A name's key is the sum of the hashes of its terms, so that it is made from a node's tokens in any order and compared
with every span of the question by one look-up. Where names overlap, the longest counts, then the leftmost.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fourfold.index.base import NamePart, Nodes
from fourfold.index.names import LONGEST, hashes


@dataclass(frozen=True, slots=True)
class Named:
    """Nodes that the words ``start … end − 1`` of a question name; several where names are the same."""

    nodes: Nodes
    start: int
    end: int


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
    sums = np.concatenate((np.zeros(1, np.uint64), np.cumsum(hashes(numbers))))
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
