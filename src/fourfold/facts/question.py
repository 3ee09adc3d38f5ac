"""A question about facts, with what was found of it so far, and the edge types that it may ask for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fourfold import ordered, refine
from fourfold.config import Paths
from fourfold.index.base import NO_NODES, EdgePart, Nodes, Steps
from fourfold.language import name_matching
from fourfold.language.first_person import first_person
from fourfold.language.name_matching import MOST_NAMESAKES, Named, lowered
from fourfold.query import Query
from fourfold.ragged import distinct
from fourfold.relations.relations import Relations
from fourfold.scores import Scores, best
from fourfold.signals.walks import Walker

_MOST_EDGES = 100_000
"""Where nodes have more edges than that, these are not looked at, …"""

MOST_OF_ANY_TYPE = 20_000
"""… and where they have more than that, not what stands beside the nodes by edges of whatever type."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question about facts; ``settings`` are the constants that it is answered by."""

    scores: Scores
    query: Query
    relations: Relations
    settings: Paths

    @property
    def edges(self) -> EdgePart:
        """The edges of the graph."""
        return self.scores.snapshot.edges

    @property
    def plain(self) -> list[str]:
        """Its words in lower case."""
        return lowered(self.query.words)

    @property
    def all_named(self) -> Sequence[Named]:
        """All that its words name, see ``named_in``."""
        return named_in(self.scores, self.query)

    def may_ask(self, place: int) -> bool:
        """Tell whether a word may ask for an edge, see ``Relations.hold``."""
        return self.relations.hold(*self.query.words[place])

    @property
    def walker(self) -> Walker:
        """What walks from named nodes."""
        ids, allowed = self.scores.snapshot.ids, self.query.allowed
        return Walker(self.edges, self.relations.numbers, self.settings, ids, allowed)

    def best_by(self, part: str, count: int = refine.FIRST_CANDIDATES) -> Nodes:
        """Return the ``count`` best nodes by text or by embedding, best first; none where that was not asked.

        Of equals the smaller id is first: writes have no order. There are no more than are asked for first anyway, and
        of those that tie with the last none, where these are so many that to read their ids would take long.
        """
        if part not in self.scores.rankings:
            return NO_NODES
        found = self.scores.best_of(part, self.query, refine.FIRST_CANDIDATES)
        nodes, values = found.nodes.astype(np.int64), found.values.astype(np.float64)
        if len(nodes) > MOST_NAMESAKES:
            nodes, values = nodes[values > found.values[-1]], values[values > found.values[-1]]
        return best(nodes, values, count, self.scores.snapshot, positive=False)

    def holding_words(self, most: int) -> Nodes:
        """Return the nodes that hold a word of the question, ascending; none where so many or more do."""
        if "text" not in self.scores.rankings:
            return NO_NODES
        nodes = self.scores.best_of("text", self.query, most).nodes
        return np.sort(nodes).astype(np.int64) if len(nodes) < most else NO_NODES

    def steps(self, nodes: Nodes, types: NDArray[np.bool_], *, forward: bool | None = None) -> Steps:
        """Return the steps from nodes by edges of some types, (n_types,); none where nodes have very many edges.

        ``forward``: along the arrow only, or against it only; None is both.
        """
        numbers = self.relations.numbers[types]
        if not len(numbers) or self.has_very_many(nodes):
            return Steps.joined([])
        worth = np.bincount(numbers, minlength=len(self.edges.type_names)).astype(np.float64)
        return self.edges.expand(nodes, forward=forward, worth=worth, weights="none")

    def count_having(self, nodes: Nodes, types: NDArray[np.bool_], *, forward: bool | None = None) -> int:
        """Return how many nodes have edges of some types; ``types`` and ``forward`` as ``steps`` has them."""
        return len(distinct(self.steps(nodes, types, forward=forward).origin))

    def neighbours(self, nodes: Nodes, *, cap: int | None = None) -> Nodes:
        """Return what stands beside nodes, ascending; ``cap`` as ``EdgePart.expand`` has it."""
        return ordered.distinct(self.edges.expand(nodes, weights="none", cap=cap).targets)

    def has_very_many(self, nodes: Nodes, most: int = _MOST_EDGES) -> bool:
        """Tell whether nodes have more than ``most`` edges, and so none of them is looked at."""
        return bool(self.edges.degree(nodes).sum() > most)


def named_in(scores: Scores, query: Query) -> Sequence[Named]:
    """Return the nodes that words of a question name, in its order; looked up once, for every step that asks.

    In an assistant's memory "I" and "my" name its user.
    """
    if scores.named is None:
        found = name_matching.named(query.words, scores.term_numbers, scores.snapshot.names, query.names_of)
        place = first_person(query.words, name_matching.places_of(found))
        if place >= 0 and len(nodes := query.themselves()):
            found = name_matching.by_place([*found, Named(nodes, place, place + 1)])
        scores.named = found
    return scores.named
