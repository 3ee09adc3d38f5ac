"""BM25 by SQL over ``postings``: the same sums as ``index.text``, within rounding; equal texts tie, as there.

Source: Robertson & Zaragoza, "The Probabilistic Relevance Framework" (2009), in the variant of the method:
``idf · tf·(k1+1) / (tf + k1·(1 − b + b·|d|/avgdl))`` with ``idf = ln((N − df + 0.5)/(df + 0.5) + 1)``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from fourfold.config import RetrievalConfig
from fourfold.engines.postgres.state import State
from fourfold.index.bm25 import Statistics
from fourfold.index.changes import FIELDS

MASKS = range(1, 8)
"""Sets of fields, as bits: 1 name, 2 type, 4 text."""
_HELD_SEEN = (
    "SELECT term AS num, "
    + ", ".join(f"count(*) FILTER (WHERE mask = {mask}) AS held_{mask}" for mask in MASKS)
    + " FROM (SELECT term, (in_name > 0)::int + 2 * (in_type > 0)::int + 4 * (in_text > 0)::int AS mask "
    "FROM {postings} p WHERE term = ANY(%(terms)s::int[])) m GROUP BY term"
)
"""In how many nodes terms stand, by their fields; of the nodes that this role may read."""
_HELD = "SELECT * FROM terms WHERE num = ANY(%(terms)s::int[])"


@dataclass(frozen=True)
class Bm25:
    """The arithmetic of one generation under a config's fields, k1 and b."""

    state: State
    config: RetrievalConfig

    @cached_property
    def statistics(self) -> Statistics:
        """The constants, and the mean lengths."""
        text, size = self.config.text, self.state.nodes
        lengths = dict(zip(FIELDS, self.state.lengths, strict=True))
        averages = tuple(sum(lengths[name] for name in set(one.columns)) / max(size, 1) for one in text.fields)
        return Statistics(tuple(one.weight for one in text.fields), text.k1, text.b, size, averages)

    @cached_property
    def columns(self) -> set[str]:
        """The fields that are read."""
        return {name for one in self.config.text.fields for name in one.columns}

    @property
    def held(self) -> str:
        """SQL of the rows of ``terms`` that are asked."""
        return _HELD_SEEN if self.state.tables.guarded else _HELD

    @property
    def df(self) -> str:
        """SQL of the number of nodes that hold a row of ``held`` in any field that is read."""
        return _df(self.columns)

    @property
    def named(self) -> str:
        """SQL of the number of nodes that hold it in their name."""
        return _df({"name"})

    def df_of(self, held: Sequence[int]) -> int:
        """Return the same from the numbers of a row of ``terms``."""
        bits = _bits(self.columns)
        return sum(count for mask, count in zip(MASKS, held, strict=True) if mask & bits)

    @cached_property
    def amplitudes(self) -> str:
        """SQL of each reading's weight times idf, as columns of a row of ``held``."""
        parts = []
        for reading, one in enumerate(self.config.text.fields):
            df = _df(set(one.columns))
            parts.append(
                f"%(w{reading})s * (%(k1)s + 1.0) * ln((%(n)s - {df} + 0.5) / ({df} + 0.5) + 1.0) AS a{reading}"
            )
        return ", ".join(parts)

    @cached_property
    def worth(self) -> str:
        """SQL of what a posting ``p`` is worth for a term ``a`` that is asked once, rounded to the grid."""
        parts = []
        for reading, one in enumerate(self.config.text.fields):
            times = "(" + " + ".join(f"p.in_{name}" for name in sorted(set(one.columns))) + ")"
            length = "(" + " + ".join(f"p.{name}_length" for name in sorted(set(one.columns))) + ")"
            part = f"a.a{reading} * {times} / ({times} + %(flat)s + %(slope{reading})s * {length})"
            parts.append(
                part if len(set(one.columns)) == len(FIELDS) else f"CASE WHEN {times} > 0 THEN {part} ELSE 0 END"
            )
        return f"(({' + '.join(parts)}) + %(grid)s - %(grid)s)"

    def parameters(self, terms: Mapping[int, float]) -> dict[str, Any]:
        """Return what the statements need, for terms by number and how often each counts."""
        statistics = self.statistics
        counts = sum(map(abs, terms.values()))
        found: dict[str, Any] = {
            "terms": list(terms),
            "counts": [float(count) for count in terms.values()],
            "n": float(statistics.size),
            "k1": float(statistics.k1),
            "flat": float(statistics.k1 * (1.0 - statistics.b)),
            "grid": statistics.grid_for(counts),
            "sums": statistics.grid_for(counts),
        }
        for reading, (weight, average) in enumerate(zip(statistics.weights, statistics.averages, strict=True)):
            found[f"w{reading}"] = float(weight)
            found[f"slope{reading}"] = float(statistics.k1 * statistics.b / average) if average else 0.0
        return found

    @property
    def asked(self) -> str:
        """SQL of two common table expressions: ``held``, and ``asked``, the terms with what makes up their worth."""
        return (
            f"held AS ({self.held}), asked AS MATERIALIZED (SELECT u.place, u.term, u.count, {self.amplitudes} "
            "FROM unnest(%(terms)s::int[], %(counts)s::float8[]) WITH ORDINALITY AS u (term, count, place) "
            "JOIN held t ON t.num = u.term)"
        )

    @property
    def summed(self) -> str:
        """SQL of a node's score from its postings ``p`` and terms ``a``, as an aggregate."""
        return f"sum({self.counted(self.worth)})"

    def counted(self, worth: str) -> str:
        """Return SQL of a worth as often as its term counts, rounded so that sums are exact in any order."""
        return f"CASE WHEN a.count = 1 THEN {worth} ELSE a.count * {worth} + %(sums)s - %(sums)s END"


def _df(columns: set[str]) -> str:
    bits = _bits(columns)
    return "(" + " + ".join(f"t.held_{mask}" for mask in MASKS if mask & bits) + ")::float8"


def _bits(columns: set[str]) -> int:
    return sum(1 << FIELDS.index(name) for name in columns)
