"""What a graph teaches an embedder: ends of an edge are near, a title and a fragment are near their node.

A tenth of the edges, the titles and the fragments is held out: it says when to stop, and whether anything was gained.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from fourfold.embed.contextual.composition import Composition, Floats
from fourfold.embed.contextual.neighbour_mixing import Neighbours
from fourfold.embed.contextual.rows import Ints, TokenRows, joined

Measured = dict[str, NDArray[np.float64]]
"""Reciprocal ranks of the held-out questions, by kind: ``edges`` (all in one direction, then all in the other),
``titles``, ``fragments``."""

POOL = 4_000
"""Nodes among which a held-out question must find its own."""

_ASKED = 500
"""Held-out questions of a kind, at most."""

_LEAST_TOKENS = 4
"""Below it a text has no fragment worth asking with."""


@dataclass(frozen=True)
class Lessons:
    """The graph as the training reads it; every row of tokens belongs to the node of the same number.

    Args:
        documents: what the embedder reads of each node.
        titles: the names alone; empty where a node has no name or nothing but its name.
        bodies: the nodes without their names; empty as ``titles``.
        edges: ends of the edges, each pair once, int64 (n_edges, 2).
        weights: how strong they are, (n_edges,).
        seed: chooses what is held out.
        held_out: share of the edges, titles and fragments that is held out.

    """

    documents: TokenRows
    titles: TokenRows
    bodies: TokenRows
    edges: Ints
    weights: Floats
    seed: int = 0
    held_out: float = 0.1

    def __len__(self) -> int:
        return len(self.documents)

    @cached_property
    def vocabulary(self) -> Ints:
        """The tokens that occur, ascending."""
        return np.unique(joined(self.documents, self.titles).ids)

    @cached_property
    def title_groups(self) -> Ints:
        """A number for each node; equal titles have equal ones."""
        numbers: dict[bytes, int] = {}
        rows = (self.titles.ids[a:b].tobytes() for a, b in pairwise(self.titles.starts))
        return np.fromiter((numbers.setdefault(row, len(numbers)) for row in rows), np.int64, len(self))

    def renumbered(self, used: Ints, n_tokens: int, longest: int) -> Lessons:
        """Return the lessons with tokens numbered by their place in ``used``, and texts cut to ``longest`` tokens."""
        place = np.zeros(n_tokens, np.int64)
        place[used] = np.arange(len(used))

        def own(rows: TokenRows) -> TokenRows:
            cut = rows.first(longest)
            return TokenRows(place[cut.ids], cut.starts)

        return replace(self, documents=own(self.documents), titles=own(self.titles), bodies=own(self.bodies))

    @cached_property
    def _held_edges(self) -> NDArray[np.bool_]:
        return self._chosen(len(self.edges), 0)

    @cached_property
    def _held_nodes(self) -> NDArray[np.bool_]:
        return self._chosen(len(self), 1)

    def _chosen(self, count: int, stream: int) -> NDArray[np.bool_]:
        chance = np.random.default_rng([self.seed, stream])
        chosen = np.zeros(count, bool)
        chosen[chance.permutation(count)[: int(count * self.held_out)]] = True
        return chosen

    @cached_property
    def training_edges(self) -> tuple[Ints, Floats]:
        """The edges that are not held out, and their weights."""
        return self.edges[~self._held_edges], self.weights[~self._held_edges]

    @cached_property
    def neighbours(self) -> Neighbours:
        """Who is joined to whom by an edge that is not held out."""
        return Neighbours(*self.training_edges, len(self))

    @cached_property
    def titled(self) -> Ints:
        """Nodes with a title to train on."""
        return np.nonzero((self.titles.lengths > 0) & ~self._held_nodes)[0]

    @cached_property
    def told(self) -> Ints:
        """Nodes with a text to train on by fragments."""
        return np.nonzero((self.documents.lengths >= _LEAST_TOKENS) & ~self._held_nodes)[0]

    def fragments(self, nodes: Ints, chance: np.random.Generator) -> TokenRows:
        """Draw a tenth to a half of each text's tokens, in order, two at least."""
        rows = self.documents.take(nodes)
        share = chance.uniform(0.1, 0.5, len(nodes))
        wanted = np.maximum(2, (rows.lengths * share).astype(np.int64))
        text = rows.text_of_token
        order = np.lexsort((chance.random(len(rows.ids)), text))
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order)) - np.repeat(rows.starts[:-1], rows.lengths)
        return rows.where(rank < wanted[text])

    # -- held out ---------------------------------------------------------------------------------------------------

    def measure(self, table: Floats) -> Measured:
        """Return the reciprocal ranks at which token vectors, (n_tokens, dimensions), find what was held out.

        By the texts alone, without fusion: with it the neighbours answer, and say nothing about the tokens. Titles look
        for their node's body, so that a name does not find itself.
        """
        questions = self._questions
        model = Composition(table, np.zeros(len(table), table.dtype))
        place = np.full(len(self), -1, np.int64)
        place[questions.pool] = np.arange(len(questions.pool))
        nodes = model.compose(self.documents.take(questions.pool)).vectors
        found: Measured = {}
        if len(questions.edges):
            left, right = place[questions.edges].T
            found["edges"] = _reciprocal_ranks(nodes[left], nodes, right, besides=left)
        if len(questions.titles):
            bodies = model.compose(self.bodies.take(questions.pool)).vectors
            told = np.where((self.bodies.lengths[questions.pool] > 0)[:, None], bodies, nodes)
            asked = model.compose(self.titles.take(questions.titles)).vectors
            found["titles"] = _reciprocal_ranks(asked, told, place[questions.titles])
        if len(questions.fragments):
            asked = model.compose(questions.fragment_rows).vectors
            found["fragments"] = _reciprocal_ranks(asked, nodes, place[questions.fragments])
        return found

    @cached_property
    def _questions(self) -> _Questions:
        chance = np.random.default_rng([self.seed, 2])

        def some(nodes: Ints) -> Ints:
            return chance.permutation(nodes)[:_ASKED]

        edges = chance.permutation(self.edges[self._held_edges])[: _ASKED // 2]
        edges = np.concatenate((edges, edges[:, ::-1]))
        titles = some(np.nonzero((self.titles.lengths > 0) & self._held_nodes)[0])
        fragments = some(np.nonzero((self.documents.lengths >= _LEAST_TOKENS) & self._held_nodes)[0])
        needed = np.unique(np.concatenate((edges.ravel(), titles, fragments)))
        rest = np.setdiff1d(np.arange(len(self)), needed)
        pool = np.sort(np.concatenate((needed, chance.permutation(rest)[: max(0, POOL - len(needed))])))
        return _Questions(pool, edges, titles, fragments, self.fragments(fragments, chance))


@dataclass(frozen=True)
class _Questions:
    pool: Ints
    edges: Ints
    titles: Ints
    fragments: Ints
    fragment_rows: TokenRows


def _reciprocal_ranks(queries: Floats, nodes: Floats, own: Ints, besides: Ints | None = None) -> NDArray[np.float64]:
    """Return 1 / rank of each query's own node, (n,); of equal scores the own node's counts as the last."""
    ranks = np.empty(len(queries))
    for start in range(0, len(queries), 64):
        scores = queries[start : start + 64] @ nodes.T
        rows = np.arange(len(scores))
        if besides is not None:
            scores[rows, besides[start : start + 64]] = -np.inf
        ranks[start : start + 64] = (scores >= scores[rows, own[start : start + 64]][:, None]).sum(axis=1)
    return 1 / ranks


def lessons_of(
    documents: TokenRows, titles: TokenRows, bodies: TokenRows, edges: Ints, weights: Floats, *, seed: int
) -> Lessons:
    """Make lessons of a graph's edges as they are: loops dropped, each pair of nodes once with its largest weight."""
    ends = np.sort(edges, axis=1)
    kept = (ends[:, 0] != ends[:, 1]) & (weights > 0)
    ends, weights = ends[kept], weights[kept]
    order = np.lexsort((-weights, ends[:, 1], ends[:, 0]))
    ends, weights = ends[order], weights[order]
    first = np.ones(len(ends), bool)
    first[1:] = (ends[1:] != ends[:-1]).any(axis=1)
    return Lessons(documents, titles, bodies, ends[first], weights[first], seed)
