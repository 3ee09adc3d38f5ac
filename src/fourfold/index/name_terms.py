"""The terms of names, both ways round: whose names hold a term, and which terms a name has.

Made of the postings when first asked, as only graphs of texts are that nobody has linked.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fourfold import ordered
from fourfold.index.base import HeldNames, Nodes
from fourfold.index.text_segment import TextSegment
from fourfold.ragged import bounds, spans
from fourfold.types import FloatArray

_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class NameTerms:
    """What names one segment has, deleted nodes included; terms and nodes by their places in it.

    ``rows[starts[i]:starts[i + 1]]`` (int32) are the nodes whose names hold term i, and
    ``terms[own_starts[j]:own_starts[j + 1]]`` (int32) the distinct terms of the name of node j.
    """

    starts: NDArray[np.int64]
    rows: NDArray[np.int32]
    own_starts: NDArray[np.int64]
    terms: NDArray[np.int32]

    @classmethod
    def of(cls, segment: TextSegment, reading: int) -> NameTerms:
        """Return the terms of names, which one reading reads and nothing else; made once for a segment."""
        made: NameTerms | None = segment.made.get(reading)
        if made is None:
            made = segment.made[reading] = cls._read(segment, reading)
        return made

    @classmethod
    def _read(cls, segment: TextSegment, reading: int) -> NameTerms:
        size, holding = len(segment), segment.pairs[:][:, 2 * reading] > 0
        held = holding[segment.codes[:]]
        before = np.concatenate(([0], held.cumsum(dtype=np.int32)))[segment.starts[:]]
        terms = [np.arange(len(segment.terms), dtype=np.int32).repeat(np.diff(before))]
        rows = [segment.nodes[:][held].astype(np.int32)]
        for column, place in enumerate(segment.column_terms.tolist()):
            own = holding[segment.columns[column * size : (column + 1) * size]].nonzero()[0]
            terms.append(np.full(len(own), place, np.int32))
            rows.append(own.astype(np.int32))
        term, row = np.concatenate(terms), np.concatenate(rows)
        starts = bounds(np.bincount(term, minlength=len(segment.terms)))
        own_starts = bounds(np.bincount(row, minlength=size))
        return cls(starts, row[term.argsort(kind="stable")], own_starts, term[row.argsort(kind="stable")])

    def holding(self, places: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return (origin, row), parallel: whose names hold the term at each of some places, none at −1."""
        known = (places >= 0).nonzero()[0]
        begin = self.starts[places[known]]
        counts = self.starts[places[known] + 1] - begin
        return known.repeat(counts), self.rows[spans(begin, counts)].astype(np.int64)

    def of_rows(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Return how many terms the names of some nodes have, and these, one name after the other."""
        begin = self.own_starts[rows]
        counts = self.own_starts[rows + 1] - begin
        return counts, self.terms[spans(begin, counts)]


def told_by(
    terms: NDArray[np.int64], names: NDArray[np.int64], most: int, besides: Collection[int]
) -> NDArray[np.bool_]:
    """Return which terms tell names apart: those of at most ``most`` names, but for some, (n_terms,)."""
    few: NDArray[np.bool_] = (names > 0) & (names <= most)
    return few & ~ordered.contains(np.sort(np.fromiter(besides, np.int64, len(besides))), terms)


def shares_held(
    origin: NDArray[np.int64],
    terms: NDArray[np.int64],
    whose: NDArray[np.int64],
    named: Nodes,
    counts: NDArray[np.int64],
    name: NDArray[np.int64],
    idf: FloatArray,
    size: int,
) -> HeldNames:
    """Return how much of some names texts hold: half at least, and what tells a name from all but √size texts.

    What is less is held by chance: "library materials" by texts on libraries, a year by those of that year.

    Args:
        origin: (n_terms,) places of texts.
        terms: (n_terms,) their distinct terms, parallel.
        whose: (n,) places of texts, each with …
        named: (n,) … a node whose name it may hold.
        counts: (n,) how many terms that name has.
        name: the terms of all these names, one name after the other.
        idf: parallel to ``name``.
        size: how many nodes there are.

    """
    pair = np.arange(len(named)).repeat(counts)
    held = ordered.contains(np.sort(origin << 32 | terms), whose[pair] << 32 | name)
    whole, share = np.bincount(pair, idf, len(named)), np.bincount(pair, idf * held, len(named))
    some = share >= np.maximum(whole, math.log(max(size, 2))) / 2 - _ROUNDING
    return HeldNames(whose[some], named[some], share[some] / whole[some])


def names_listed(
    nodes: Nodes,
    origin: NDArray[np.int64],
    terms: NDArray[np.int64],
    rare: NDArray[np.bool_],
    holders: tuple[NDArray[np.int64], Nodes],
    names: tuple[Nodes, NDArray[np.int64]],
    df: Callable[[NDArray[np.int64]], NDArray[np.int64]],
    size: int,
) -> HeldNames:
    """Return how much of names texts hold, where those are listed: as a database tells.

    Args:
        nodes: whose texts these are.
        origin: (n_terms,) places in ``nodes``.
        terms: (n_terms,) the distinct terms of these texts, parallel.
        rare: (n_terms,) which of them few names have.
        holders: (term, node), parallel and ascending: whose names have rare terms.
        names: (node, term), parallel and ascending: the terms of these names.
        df: terms → in how many nodes each occurs.
        size: how many nodes there are.

    """
    term, holder = holders
    begin, end = term.searchsorted(terms[rare]), term.searchsorted(terms[rare], side="right")
    whose, named = ordered.distinct_pairs(origin[rare].repeat(end - begin), holder[spans(begin, end - begin)])
    others = named != nodes[whose]
    whose, named = whose[others], named[others]
    owner, own = names
    begin, end = owner.searchsorted(named), owner.searchsorted(named, side="right")
    name = own[spans(begin, end - begin)]
    distinct, place = ordered.numbered(name)
    idf = np.log(size / df(distinct))[place]
    return shares_held(origin, terms, whose, named, end - begin, name, idf, size)
