"""Postings of some nodes, immutable: for every term the nodes that hold it, and how often, in texts of what length.

A posting is a node and a *code*: the number of a distinct combination of (term frequency, length) over all readings.
There are few of them, so BM25 at question time is one small table by code, and nothing that moves with every write
(the number of nodes, average lengths, idf) is frozen here. A term that more than an eighth of the nodes hold has a
column instead, a code for every node: smaller than its postings would be, and random access is one gather.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from fourfold import ordered
from fourfold.index.base import Nodes
from fourfold.index.places import Array, Places
from fourfold.index.posting_codes import codes_of, distinct, packed
from fourfold.ragged import bounds, firsts, spans

_COMMON = 1 / 8
"""Share of the nodes above which a term has a column."""

_NARROW = 1 << 16
"""Up to so many distinct values take two bytes each."""

_FEW = 64
"""What fewer than one in so many nodes hold is looked up node by node; for more all postings are looked through."""


@dataclass(frozen=True, eq=False)
class TextSegment:
    """The postings of n nodes under R readings; made by ``build`` or ``merge``.

    Args:
        nums: (n,) int64 store numbers, ascending.
        live: (n,) bool, False where a node was deleted or replaced.
        totals: (1 + R,) int64, how many nodes live and the sums of their lengths by reading.
        lengths: (n, R) int32, terms of each node by reading.
        terms: (t,) int32 numbers of the terms, ascending.
        df: (t, R + 1) int32, in how many live nodes each reading holds the term, and last, any of them.
        starts: (t + 1,) int64; the postings of term i are ``starts[i]:starts[i + 1]``, none where it has a column.
        nodes: (p,) int32 places of nodes in ``nums``, ascending within a term.
        codes: (p,) uint16 or uint32 rows of ``pairs``.
        pairs: (c, 2 R) int32, term frequency and length by reading, zeros where a reading lacks the term; row 0 is
            all zeros: the term is absent.
        common: (m,) int32 places in ``terms`` of those that have a column, ascending.
        columns: (m * n,) of the type of ``codes``, column by column.
        own_starts: (n + 1,) int64; node i has the postings of ``own_terms[own_starts[i]:own_starts[i + 1]]``.
        own_terms: (p,) uint16 or int32 places in ``terms``, ascending within a node; columns are left out.
        made: what was made of the postings of a reading, see ``name_terms``: the same whoever lives.

    """

    nums: Array
    live: Array
    totals: Array
    lengths: Array
    terms: Array
    df: Array
    starts: Array
    nodes: Array
    codes: Array
    pairs: Array
    common: Array
    columns: Array
    own_starts: Array
    own_terms: Array
    made: dict[int, Any] = dataclasses.field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        """Return the number of nodes, deleted ones included."""
        return len(self.nums)

    @property
    def size(self) -> int:
        """The number of nodes that are there."""
        return int(np.count_nonzero(self.live[:]))

    @classmethod
    def build(
        cls,
        nums: Nodes,
        tokens: NDArray[np.void],
        token_counts: NDArray[np.int64],
        readings: Sequence[Sequence[int]],
    ) -> Self:
        """Return the postings of nodes.

        ``tokens`` are records with the fields ``term``, ``field`` and ``count``, node by node, ``token_counts`` (n,)
        those of each node; ``readings`` has the numbers of the fields that each reads as one text.

        Raises:
            InvalidValueError: nodes and terms are too many for one segment.

        """
        n = len(nums)
        terms, term = distinct(tokens["term"])
        n_fields = max((field for reading in readings for field in reading), default=0) + 1
        fields = np.minimum(tokens["field"], n_fields)
        most = int(tokens["count"].max(initial=0))
        node = np.repeat(np.arange(n, dtype=np.uint32), token_counts)
        key = packed((term, len(terms)), (node, n), (fields, n_fields + 1), (tokens["count"], most + 1))
        del term, node, fields
        key.sort()  # by term, node and field
        counts = (key & np.uint64((1 << most.bit_length()) - 1)).astype(tokens["count"].dtype)
        key >>= np.uint64(most.bit_length())
        field = (key & np.uint64((1 << n_fields.bit_length()) - 1)).astype(np.uint8)
        key >>= np.uint64(n_fields.bit_length())
        first = firsts(key)
        read = [np.isin(np.arange(n_fields + 1), reading).astype(counts.dtype) for reading in readings]
        if len(key):
            at = first.nonzero()[0]
            tfs = [np.add.reduceat(counts * member[field], at, dtype=np.int32) for member in read]
            del at
        else:
            tfs = [np.empty(0, np.int32) for _ in read]
        del counts, field
        key = key[first]
        del first
        held = np.logical_or.reduce([tf > 0 for tf in tfs]) if tfs else np.zeros(len(key), bool)
        if not held.all():
            key, tfs = key[held], [tf[held] for tf in tfs]
        bits = max(n - 1, 0).bit_length()
        place, row = (key >> np.uint64(bits)).astype(np.int32), (key & np.uint64((1 << bits) - 1)).astype(np.int32)
        del key, held
        lengths = np.zeros((n, len(readings)), np.int32)
        for column, tf in zip(lengths.T, tfs, strict=True):
            column[:] = np.bincount(row, tf, n)
        codes, pairs = codes_of(tfs, lengths, row)
        del tfs
        return cls._of(np.asarray(nums, np.int64), lengths, terms, place, row, codes, pairs)

    @classmethod
    def merge(cls, segments: Sequence[Self]) -> Self:
        """Return one segment with the live nodes of several (at least one); their nodes must differ.

        Raises:
            InvalidValueError: nodes and terms are too many for one segment.

        """
        kept = [np.flatnonzero(segment.live[:]) for segment in segments]
        theirs = np.concatenate([segment.nums[:][rows] for segment, rows in zip(segments, kept, strict=True)])
        order = np.argsort(theirs, kind="stable")
        place = np.empty(len(order), np.int32)
        place[order] = np.arange(len(order), dtype=np.int32)
        lengths = np.concatenate([s.lengths[:][rows] for s, rows in zip(segments, kept, strict=True)])[order]
        terms = ordered.distinct(np.concatenate([segment.terms[:] for segment in segments]))
        rows_of = np.cumsum([0, *(len(segment.pairs) for segment in segments)])
        pairs, code_of = np.unique(np.concatenate([s.pairs[:] for s in segments]), axis=0, return_inverse=True)
        code_of = code_of.ravel()
        keys, begin = [], 0
        for segment, rows, first in zip(segments, kept, rows_of.tolist(), strict=False):
            where = np.full(len(segment), -1, np.int32)
            where[rows] = place[begin : begin + len(rows)]
            begin += len(rows)
            mine = code_of[first : first + len(segment.pairs)]
            own = np.searchsorted(terms, segment.terms[:]).astype(np.int32)
            term, node, codes = segment._postings(where >= 0)
            keys.append(packed((own[term], len(terms)), (where[node], len(order)), (mine[codes], len(pairs))))
            del term, node, codes
        key = np.concatenate(keys) if len(keys) > 1 else keys[0]
        del keys
        key.sort(kind="stable")  # each segment's are in order: runs that are merged
        low, high = (max(size - 1, 0).bit_length() for size in (len(pairs), len(order)))
        codes = (key & np.uint64((1 << low) - 1)).astype(np.uint32)
        key >>= np.uint64(low)
        node = (key & np.uint64((1 << high) - 1)).astype(np.int32)
        key >>= np.uint64(high)
        term = key.astype(np.int32)
        del key
        return cls._of(theirs[order], lengths, terms, term, node, codes, pairs)

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array]) -> Self:
        """Return the segment whose ``arrays()`` these are; they may lie in files."""
        return cls(**{name: arrays[name] for name in _STORED})

    def arrays(self) -> dict[str, Array]:
        """Return everything the segment consists of; ``without`` replaces ``live``, ``totals`` and ``df`` only."""
        return {name: getattr(self, name) for name in _STORED}

    def without(self, nums: Nodes) -> Self:
        """Return the segment with these nodes deleted; numbers that it does not have are left out."""
        rows = self._places.living(nums, self.live)
        if not len(rows):
            return self
        live = self.live[:].copy()
        live[rows] = False
        gone = np.concatenate(([len(rows)], self.lengths[rows].sum(axis=0, dtype=np.int64)))
        df = self.df[:].copy()
        if len(rows) * _FEW < len(self):
            _, term, codes = self.held(rows)
        else:
            place, _, codes = self._postings(self.live[:] & ~live)
            term = place.astype(np.int64)
        tfs = self.pairs[:][:, ::2]
        for reading in range(tfs.shape[1]):
            df[:, reading] -= np.bincount(term[tfs[codes, reading] > 0], minlength=len(df)).astype(np.int32)
        df[:, -1] -= np.bincount(term, minlength=len(df)).astype(np.int32)
        return dataclasses.replace(self, live=live, totals=self.totals[:] - gone, df=df)

    def places(self, nums: Nodes) -> NDArray[np.int64]:
        """Return where these store numbers stand in ``nums``, (len(nums),); -1 for those not there."""
        return self._places.of(nums)

    def place(self, term: int) -> int:
        """Return where a term stands in ``terms``; -1 where no node holds it."""
        place = int(self.vocabulary.searchsorted(np.int32(term)))  # of one type: else numpy converts all terms first
        return place if place < len(self.vocabulary) and self.vocabulary[place] == term else -1

    def term_places(self, terms: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the same for several terms, (len(terms),)."""
        if not len(self.vocabulary):
            return np.full(len(terms), -1, np.int64)
        narrow = terms.astype(np.int32)
        places = self.vocabulary.searchsorted(narrow)
        return np.where(self.vocabulary.take(places, mode="clip") == narrow, places, -1)

    def column(self, place: int) -> int:
        """Return where the column of the term at a place begins in ``columns``; -1 where it has postings."""
        column = int(self.column_terms.searchsorted(np.int32(place)))
        if column < len(self.column_terms) and self.column_terms[column] == place:
            return column * len(self)
        return -1

    def terms_in(self, rows: NDArray[np.int64], most: int | None) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return (origin, term), parallel: which terms (places) are in some nodes (places ``rows``).

        Of those that have a column only the ones that at most ``most`` live nodes hold, if given.
        """
        begins = self.own_starts[rows]
        counts = self.own_starts[rows + 1] - begins
        origin = np.arange(len(rows)).repeat(counts)
        term = self.own_terms[spans(begins, counts)].astype(np.int64)
        common = self.column_terms
        wanted = np.arange(len(common)) if most is None else (self.df[common][:, -1] <= most).nonzero()[0]
        if not len(wanted):
            return origin, term
        column, own = self._codes_in(wanted, rows).nonzero()
        return np.concatenate((origin, own)), np.concatenate((term, common[wanted[column]].astype(np.int64)))

    def _codes_in(self, columns: NDArray[np.int64], rows: NDArray[np.int64]) -> NDArray[np.integer[Any]]:
        """Return what some columns have for some nodes, (len(columns), len(rows)); 0 where a node lacks the term."""
        codes: NDArray[np.integer[Any]] = self.columns[(columns * len(self))[:, None] + rows]
        return codes

    def named(self, terms: NDArray[np.int64], reading: int) -> list[Nodes]:
        """Return the live nodes whose text, as one reading has it, holds each of these terms (numbers), ascending."""
        holding = self.pairs[:][:, 2 * reading] > 0
        found = []
        for place in self.term_places(terms).tolist():
            own = slice(int(self.starts[place]), int(self.starts[place + 1])) if place >= 0 else slice(0)
            rows = self.nodes[own][holding[self.codes[own]]]
            if place >= 0 and (column := self.column(place)) >= 0:
                rows = holding[self.columns[column : column + len(self)]].nonzero()[0]
            found.append(self.nums[:][rows[self.live[:][rows]]])
        return found

    def holders(self, terms: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return (place in ``terms``, row) of every live node that holds one of these terms (numbers), by both."""
        places = self.term_places(terms)
        known = (places >= 0).nonzero()[0]
        starts = self.starts[places[known]]
        counts = self.starts[places[known] + 1] - starts
        origin, rows = known.repeat(counts), self.nodes[spans(starts, counts)].astype(np.int64)
        if len(common := known[counts == 0]):
            columns = [self.column(int(place)) for place in places[common]]
            held = [np.flatnonzero(self.columns[column : column + len(self)]) for column in columns]
            origin, rows = (
                np.concatenate((origin, common.repeat([len(own) for own in held]))),
                np.concatenate((rows, *held)),
            )
            order = np.lexsort((rows, origin))
            origin, rows = origin[order], rows[order]
        if self.dead:
            alive = self.live[:][rows]
            origin, rows = origin[alive], rows[alive]
        return origin, rows

    def held(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Return (origin, term, code), parallel: which terms (places) are in some nodes (places ``rows``)."""
        counts = self.own_starts[rows + 1] - self.own_starts[rows]
        origin = np.repeat(np.arange(len(rows)), counts)
        term = self.own_terms[spans(self.own_starts[rows], counts)].astype(np.int64)
        low, high = self.starts[term], self.starts[term + 1] - 1
        while np.any(low < high):  # a binary search of all at once: each posting exists
            middle = (low + high) // 2
            before = self.nodes[middle] < rows[origin]
            low, high = np.where(before, middle + 1, low), np.where(before, high, middle)
        common = self.column_terms
        codes = self._codes_in(np.arange(len(common)), rows)
        column, own = codes.nonzero()
        parts = (origin, own), (term, common[column]), (self.codes[low], codes[column, own])
        origins, terms, found = (np.concatenate(part).astype(np.int64, copy=False) for part in parts)
        return origins, terms, found

    @cached_property
    def vocabulary(self) -> NDArray[np.int32]:
        """The numbers of the terms, in memory."""
        terms: NDArray[np.int32] = self.terms[:]
        return terms

    @cached_property
    def column_terms(self) -> NDArray[np.int32]:
        """The places of the terms that have a column, in memory."""
        common: NDArray[np.int32] = self.common[:]
        return common

    @cached_property
    def _places(self) -> Places:
        return Places(self.nums)

    @cached_property
    def dead(self) -> bool:
        """Whether any node was deleted."""
        return int(self.totals[:][0]) < len(self)

    def _postings(self, alive: NDArray[np.bool_]) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[Any]]:
        """Return (term, node, code) of everything; terms and nodes by their places.

        ``alive``, (len(self),), says of which nodes.
        """
        starts = self.starts[:]
        kept = slice(None) if alive.all() else alive[self.nodes[:]].nonzero()[0]
        counts = np.diff(starts if isinstance(kept, slice) else kept.searchsorted(starts))
        terms = [np.repeat(np.arange(len(counts), dtype=np.int32), counts)]
        nodes, codes = [self.nodes[kept]], [self.codes[kept]]
        del kept
        for column, place in enumerate(self.column_terms.tolist()):
            codes_of = self.columns[column * len(self) : (column + 1) * len(self)]
            own = np.flatnonzero(codes_of * alive)
            terms.append(np.full(len(own), place, np.int32))
            nodes.append(own.astype(np.int32))
            codes.append(codes_of[own])
        return np.concatenate(terms), np.concatenate(nodes), np.concatenate(codes)

    @classmethod
    def _of(
        cls,
        nums: Nodes,
        lengths: NDArray[np.int32],
        terms: NDArray[np.integer[Any]],
        term: NDArray[np.int32],
        node: NDArray[np.int32],
        codes: NDArray[np.integer[Any]],
        pairs: NDArray[np.int32],
    ) -> Self:
        """Return the segment of postings in the order of (term, node), terms and nodes by their places."""
        n, narrow = len(nums), np.uint16 if len(pairs) <= _NARROW else np.uint32
        codes = codes.astype(narrow)
        counts = np.bincount(term, minlength=len(terms))
        if not counts.all():  # terms of no reading, or of deleted nodes only
            used = counts > 0
            terms, counts, term = terms[used], counts[used], (np.cumsum(used, dtype=np.int32) - 1)[term]
        df = np.empty((len(terms), lengths.shape[1] + 1), np.int32)
        for reading in range(lengths.shape[1]):
            df[:, reading] = np.bincount(term[pairs[codes, 2 * reading] > 0], minlength=len(terms))
        df[:, -1] = counts
        common = np.flatnonzero(counts > _COMMON * n).astype(np.int32)
        columns = np.zeros(len(common) * n, narrow)
        ends = np.cumsum(counts)
        for column, place in enumerate(common.tolist()):
            span = slice(int(ends[place] - counts[place]), int(ends[place]))
            columns[column * n + node[span].astype(np.int64)] = codes[span]
        listed = np.ones(len(terms), bool)
        listed[common] = False
        own = listed[term]
        term, node, codes = term[own], node[own], codes[own]
        by_node = packed((node, n), (term, len(terms)))
        by_node.sort(kind="stable")  # the nodes of each term are in order: runs that are merged, in a third of the time
        by_node &= np.uint64((1 << max(len(terms) - 1, 0).bit_length()) - 1)
        return cls(
            nums=nums,
            live=np.ones(n, bool),
            totals=np.concatenate(([n], lengths.sum(axis=0, dtype=np.int64))),
            lengths=lengths,
            terms=terms.astype(np.int32),
            df=df,
            starts=bounds(np.where(listed, counts, 0)),
            nodes=node,
            codes=codes,
            pairs=pairs,
            common=common,
            columns=columns,
            own_starts=bounds(np.bincount(node, minlength=n)),
            own_terms=by_node.astype(np.uint16 if len(terms) <= _NARROW else np.int32),
        )


_STORED = tuple(field.name for field in dataclasses.fields(TextSegment) if field.name != "made")
