"""Which nodes hold the words of a question, and how often: by the sparse vectors and the lists in the rows of nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fourfold.engines.milvus import records
from fourfold.engines.milvus.array_text import unpacked_terms
from fourfold.engines.milvus.link import MOST, Found, Link, digest
from fourfold.engines.milvus.records import HELD_OF
from fourfold.engines.milvus.row_cache import RowCache
from fourfold.engines.milvus.rows import LOTS
from fourfold.engines.milvus.state import State
from fourfold.index.base import Nodes
from fourfold.index.changes import FIELDS

_TURNS = 8
"""All holders are read in up to so many turns; where it would take more, the best and a sample."""
_REMEMBERED = 200_000
"""Postings that are kept for the questions to come."""
_LISTS = 5_000
"""Nodes whose lists of words are kept."""
_LEAST = 1e-3
"""What a word is worth at least when holders are looked for: none is passed over."""
_ROW = ("num", "terms")


@dataclass(frozen=True)
class Postings:
    """Where a term stands: ``nodes`` ascending; how often in each field (n, 3), and the fields' lengths (n, 3)."""

    nodes: Nodes
    times: NDArray[np.int64]
    lengths: NDArray[np.int64]


@dataclass(frozen=True)
class Holders:
    """The holders of some terms.

    Args:
        best: by term, where it stands: everywhere, or in the best nodes only.
        sample: None where ``best`` is everywhere; else the same of the nodes of a sample.
        step: one of so many nodes is in the sample.

    """

    best: Mapping[int, Postings]
    sample: Mapping[int, Postings] | None = None
    step: int = 1


class Words:
    """The words of one commit; shared by threads and by all configs."""

    def __init__(self, link: Link, state: State) -> None:
        self._link, self._state = link, state
        self._terms: dict[str, int] = {}
        self._held: dict[int, NDArray[np.int32]] = {}
        self._postings: dict[int, Postings] = {}
        self._kept = 0
        self._lists = RowCache(_LISTS, self._read_lists)

    def numbers(self, terms: Sequence[str]) -> dict[str, int]:
        """Return the number of each term that was ever used."""
        known = self._terms
        if missing := [term for term in terms if term not in known]:
            keys = {digest(term): term for term in missing}
            found = records.read(self._link, self._state.commit, records.TERM, keys)
            known.update((keys[key], int(number)) for key, number in found.items())
            known.update(dict.fromkeys([term for term in missing if term not in known], -1))
        return {term: known[term] for term in terms if known[term] >= 0}

    def held(self, terms: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return in how many nodes each term stands in exactly the fields of each mask, (len(terms), 7)."""
        known = self._held
        if missing := [portion for portion in HELD_OF.of(terms) if portion not in known]:
            found = HELD_OF.read(self._link, self._state.commit, missing)
            known.update((portion, found.get(portion, HELD_OF.empty())) for portion in missing)
        counts = np.zeros((len(terms), HELD_OF.width), np.int64)
        for portion in HELD_OF.of(terms):
            own = terms // HELD_OF.rows == portion
            counts[own] = known[portion][terms[own] % HELD_OF.rows]
        return counts

    def lists(self, nodes: Sequence[int]) -> dict[int, str]:
        """Return the packed terms of these nodes; those that are gone are left out."""
        known = self._lists.of(nodes)
        return {num: known[num] for num in nodes if num in known}

    def _read_lists(self, nodes: Sequence[int]) -> dict[int, str]:
        rows = self._link.keyed("nodes", "num", nodes, self._state.visible, _ROW)
        return {row["num"]: row["terms"] for row in rows}

    def known(self, terms: Sequence[int]) -> Mapping[int, Postings] | None:
        """Return where these terms stand everywhere, if a question has asked for all of them."""
        postings = self._postings
        return {term: postings[term] for term in terms} if all(term in postings for term in terms) else None

    def within(self, terms: Sequence[int], nodes: Nodes) -> Mapping[int, Postings]:
        """Return where these terms stand in some nodes."""
        lists = self.lists(nodes.tolist())
        return _postings(list(lists), list(lists.values()), terms)

    def among(self, worths: Mapping[int, float], nodes: Nodes) -> Mapping[int, Postings]:
        """Return where terms stand in the nodes that a filter keeps; of very many in the best of them."""
        if len(nodes) <= _LISTS:
            return self.within(list(worths), nodes)
        return _of_rows(self._search(worths, f"num in {nodes.tolist()}"), list(worths))

    def holders(self, worths: Mapping[int, float]) -> Holders:
        """Return where terms stand; their worths rank nodes where there are more than can be had at once."""
        known = self._postings
        missing = {term: worth for term, worth in worths.items() if term not in known}
        if missing:
            rows = self._search(missing, "row >= 0")
            if len(rows) == MOST and self._state.next_node > _TURNS * MOST:
                return self._sampled(worths)
            if len(rows) == MOST:
                rows = self._in_turns(missing)
            found = _of_rows(rows, list(missing))
            self._remember(found, worths)  # another question may make it forget them at once
            known = {**known, **found}
        return Holders({term: known[term] for term in worths})

    def labelled(self, terms: Sequence[int], fields: Sequence[str] = FIELDS[:2]) -> Mapping[int, Postings]:
        """Return where these terms stand in the nodes whose name or type, or name alone, holds any of them."""
        if not terms:
            return {}
        worths = dict.fromkeys(terms, 1.0)
        rows = self._search(worths, "row >= 0", fields)
        return _of_rows(rows if len(rows) < MOST else self._in_turns(worths, fields), terms)

    def _remember(self, found: Mapping[int, Postings], wanted: Mapping[int, float]) -> None:
        known = self._postings
        if self._kept > _REMEMBERED:
            known = {term: known[term] for term in wanted if term in known}
        self._postings = {**known, **found}
        self._kept = sum(len(own.nodes) for own in self._postings.values())

    def _in_turns(self, worths: Mapping[int, float], fields: Sequence[str] = FIELDS) -> Found:
        found: Found = []
        for first in range(0, self._state.next_node, MOST - 1):  # a node has one row that is visible
            found += self._search(worths, f"num >= {first} and num < {first + MOST - 1}", fields)
        return found

    def _sampled(self, worths: Mapping[int, float]) -> Holders:
        step = -(-2 * self._state.next_node // MOST)
        best, sample = self._search(worths, "row >= 0"), self._search(worths, f"lot < {LOTS // step}")
        return Holders(_of_rows(best, list(worths)), _of_rows(sample, list(worths)), step)

    def _search(self, worths: Mapping[int, float], condition: str, read: Sequence[str] = FIELDS) -> Found:
        terms, fields = np.divmod(np.arange(len(read) * len(worths)), len(read))
        words = words_of(np.array(list(worths), np.int64)[terms], fields)
        values = [max(worth, _LEAST) for worth in worths.values() for _ in read]
        query = dict(zip(words, values, strict=True))
        return self._link.search("nodes", "words", query, MOST, f"{condition} and {self._state.visible}", _ROW, "IP")


def words_of(terms: NDArray[np.int64], fields: NDArray[np.int64]) -> list[int]:
    """Return the dimensions of terms in fields of the sparse vectors; 0 is every node's."""
    found: list[int] = (len(FIELDS) * terms + fields + 1).tolist()
    return found


def _of_rows(rows: Found, terms: Sequence[int]) -> dict[int, Postings]:
    return _postings([row["num"] for row in rows], [row["terms"] for row in rows], terms)


def _postings(nodes: Sequence[int], lists: Sequence[str], terms: Sequence[int]) -> dict[int, Postings]:
    """Return where some terms stand in nodes whose packed terms these are."""
    asked, nums, width = np.unique(np.array(terms, np.int64)), np.array(nodes, np.int64), len(nodes) + 1
    lengths, tokens, counts = unpacked_terms(lists)
    place = np.repeat(np.arange(len(nodes)), counts)
    own = np.isin(tokens["term"], asked)
    tokens, place = tokens[own], place[own]
    key, which = np.unique(tokens["term"].astype(np.int64) * width + place, return_inverse=True)
    times = np.zeros((len(key), len(FIELDS)), np.int64)
    times[which, tokens["field"]] = tokens["count"]
    term, place = np.divmod(key, width)
    starts = np.searchsorted(term, asked)
    found = {}
    for number, start, end in zip(asked.tolist(), starts, np.append(starts[1:], len(term)), strict=True):
        order = start + np.argsort(nums[place[start:end]])
        rows = place[order]
        found[number] = Postings(nums[rows], times[order], lengths[rows])
    return found
