"""The parts of a snapshot, number by number; nodes and terms are compared by what they stand for."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest

from fourfold.filters import parse
from fourfold.index.base import Nodes, Ranking
from fourfold.index.snapshot import Snapshot
from fourfold.retriever import Retriever
from fourfold.signals.late import distinct_pieces
from fourfold.testing.compared import TOLERANCE, Both, Compared
from fourfold.testing.graphs import QUESTIONS


def _terms(one: Retriever, text: str) -> dict[str, int]:
    return one.analysis.snapshot().term_numbers(dict.fromkeys(text.split()))


def _ids(snapshot: Snapshot, nodes: Nodes) -> list[str]:
    return list(snapshot.ids(nodes))


def _values(snapshot: Snapshot, ranking: Ranking, count: int) -> dict[str, float]:
    scored = ranking.best(count)
    assert (np.diff(scored.values) <= 0).all()
    return dict(zip(_ids(snapshot, scored.nodes), map(float, scored.values), strict=True))


class PartsTests(Compared):
    """Text, vectors, wordpieces, names and edges answer alike."""

    def _pairs(self, filled: Both) -> Iterable[tuple[Retriever, Snapshot]]:
        return [(one, one.analysis.snapshot()) for one in (filled.own, filled.other)]

    @pytest.mark.parametrize("words", ["deploy", "deploy server releas", "zzz", "write file nod edg graph vector"])
    def test_text(self, filled: Both, words: str) -> None:
        """The best, the moments, and the values of single nodes."""
        found = []
        for one, snapshot in self._pairs(filled):
            terms = dict.fromkeys(_terms(one, words).values(), 1.0)
            ranking = snapshot.text.ask(terms)
            moments = ranking.moments
            nums = one.backend.nums(["n1", "n2", "n50"])
            at = ranking.at(np.array([nums[i] for i in ("n1", "n2", "n50")], np.int64))
            found.append((_values(snapshot, ranking, 20), moments, at))
        (own, mine, at), (other, theirs, there) = found
        assert own == pytest.approx(other, abs=TOLERANCE)
        assert (mine.total, mine.squares, mine.maximum) == pytest.approx(
            (theirs.total, theirs.squares, theirs.maximum), rel=1e-4, abs=TOLERANCE
        )
        assert mine.size == theirs.size
        assert at == pytest.approx(there, abs=TOLERANCE)

    def test_vectors(self, filled: Both) -> None:
        """The nearest, the moments, and the values of single nodes."""
        question = np.random.default_rng(3).normal(size=filled.own.analysis.snapshot().vectors.dimensions)
        found = []
        for one, snapshot in self._pairs(filled):
            ranking = snapshot.vectors.ask(question)
            moments = ranking.moments
            nums = one.backend.nums(["n1", "n2", "n50"])
            nodes = np.array([nums[i] for i in ("n1", "n2", "n50")], np.int64)
            assert (np.abs(np.linalg.norm(snapshot.vectors.at(nodes), axis=1) - 1) < 1e-5).all()
            found.append((_values(snapshot, ranking, 20), moments, ranking.at(nodes)))
        (own, mine, at), (other, theirs, there) = found
        assert own == pytest.approx(other, abs=TOLERANCE)
        assert (mine.total, mine.squares) == pytest.approx((theirs.total, theirs.squares), rel=1e-4, abs=1e-3)
        assert mine.maximum == pytest.approx(theirs.maximum, abs=TOLERANCE)
        assert mine.size == theirs.size
        assert at == pytest.approx(there, abs=TOLERANCE)

    def test_terms(self, filled: Both) -> None:
        """How many nodes hold a term, whether one does, and which rare terms nodes share with others."""
        found = []
        for one, snapshot in self._pairs(filled):
            numbers = _terms(one, "deploy server owner")
            node = np.array([one.backend.nums(["n7"])["n7"]], np.int64)
            df = snapshot.text.df(np.array(list(numbers.values()), np.int64)).tolist()
            holds = snapshot.text.holds(list(numbers.values()), node)[0].tolist()
            shared = snapshot.text.shared(node, 40, [numbers["deploy"]])
            held = [sorted(_ids(snapshot, nodes)) for nodes in np.split(shared.nodes, shared.starts[1:-1])]
            found.append((sorted(zip(numbers, df, holds, strict=True)), sorted(shared.df.tolist()), sorted(held)))
        assert found[0] == found[1]
        assert found[0][1]

    def test_wordpieces(self, filled: Both) -> None:
        """The wordpieces of nodes, and how common each is."""
        pieces = distinct_pieces([" ".join(QUESTIONS)])[0].astype(np.int64)
        found = []
        for one, snapshot in self._pairs(filled):
            nums = one.backend.nums(["n1", "n9"])
            starts, own = snapshot.tokens.of(np.array([nums["n1"], nums["n9"], 10**12], np.int64))
            frequency = snapshot.tokens.frequency(pieces).tolist()
            found.append((starts.tolist(), own.tolist(), frequency, snapshot.tokens.size))
        assert found[0] == found[1]

    @pytest.mark.parametrize("cap", [None, 5, 1000])
    @pytest.mark.parametrize("weights", ["raw", "log1p", "none"])
    @pytest.mark.parametrize("forward", [True, False])
    def test_edges(self, filled: Both, cap: int | None, weights: str, forward: bool) -> None:
        """Steps in both directions, by worth, and of a hub only the strongest, under a filter of those it allows."""
        found = []
        for one, snapshot in self._pairs(filled):
            edges = snapshot.edges
            names = list(edges.type_names)
            ids = ["n1", "n144", "n5", " "]
            nums = one.backend.nums(ids)
            nodes = np.array([nums[i] for i in ids], np.int64)
            worth = np.array([{"depends_on": 1.0, "part_of": 0.5, "mentions": 0.0}.get(name, 0.25) for name in names])
            rows = []
            for allowed in (None, one.backend.allowed(parse({"lang": "en"})), one.backend.allowed(parse({"no": 1}))):
                steps = edges.expand(nodes, forward=forward, worth=worth, weights=weights, cap=cap, allowed=allowed)
                told = zip(
                    (ids[place] for place in steps.origin),
                    _ids(snapshot, steps.targets),
                    (names[number] for number in steps.types),
                    (round(float(weight), 5) for weight in steps.weights),
                    strict=True,
                )
                rows.append(sorted(told))
            degrees = edges.degree(nodes).tolist()
            found.append((rows, degrees, len(edges), sorted(names[n] for n in edges.types_in_use)))
        assert found[0] == found[1]

    def test_structure(self, filled: Both) -> None:
        """PageRank and communities of all edges."""
        found = []
        for _, snapshot in self._pairs(filled):
            ranks, parts = snapshot.pagerank(), snapshot.communities(exact=True)
            by_id = dict(zip(_ids(snapshot, ranks.nodes), ranks.values.tolist(), strict=True))
            groups: dict[int, set[str]] = {}
            for identity, label in zip(_ids(snapshot, parts.nodes), parts.labels.tolist(), strict=True):
                groups.setdefault(label, set()).add(identity)
            found.append((by_id, sorted(map(sorted, groups.values()))))
        assert found[0][0] == pytest.approx(found[1][0], abs=1e-6)
        assert found[0][1] == found[1][1]
