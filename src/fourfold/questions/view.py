"""What a method needs to answer: one generation of a graph, its vocabulary and words, and the retriever's search."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from fourfold.arguments import shown
from fourfold.errors import InvalidValueError, UnknownNodeError
from fourfold.frozen import bare
from fourfold.index.base import Nodes
from fourfold.index.snapshot import Snapshot
from fourfold.language.name_matching import named
from fourfold.questions import locate
from fourfold.questions.graph import GoneError, Graph
from fourfold.questions.intents import READ
from fourfold.questions.results import title
from fourfold.questions.vocabulary import Vocabulary
from fourfold.questions.words import WordTable
from fourfold.retriever import Retriever
from fourfold.tokenizer import Tokenizer
from fourfold.types import FloatArray, Hit, Node, SearchResult

BY_WORDS = {"embedding": 0.4, "text": 0.6, "graph": 0.0, "intent": 0.0}
"""Weights of a search that looks for what is named, not for what lies near it."""

_FEW = 50_000
"""Of more nodes not all ids are compared with one that there is not: a tenth of a second."""

CANDIDATES = 10
"""How many hits of a search are considered as the node that is meant."""


class View:
    """One generation of a graph; what is derived from it is made when first asked for."""

    def __init__(
        self,
        retriever: Retriever,
        snapshot: Snapshot,
        tokenizer: Tokenizer,
        aliases: Mapping[str, Sequence[str]],
        words: WordTable,
    ) -> None:
        self.retriever = retriever
        self.snapshot = snapshot
        self.tokenizer = tokenizer
        self.terms = tokenizer.terms
        self.graph = Graph(snapshot)
        self.words = words
        self.vocabulary = Vocabulary(snapshot.edges.type_names, snapshot.edges.types_in_use, self.terms, aliases)

    def holders(self, terms: Sequence[str]) -> Mapping[str, list[Nodes]]:
        """Return by place the nodes that hold each of these distinct terms, see ``WordTable``."""
        return self.words.holders(terms, self.snapshot.write)

    def search(self, text: str, k: int, **options: Any) -> SearchResult:
        """Search by words and meaning only; ``options`` are those of ``Retriever.search``."""
        return self.retriever.search(text, **{"k": k, "weights": BY_WORDS, **options})

    def numbers(self, ids: Sequence[str]) -> dict[str, int]:
        """Return the number of each id that is a node."""
        return self.retriever.backend.nums(ids)

    def numbered(self, result: SearchResult) -> list[tuple[int, Hit]]:
        """Return a search's hits, each with the number of its node, as far as they are still there."""
        numbers = self.numbers(result.ids)
        return [(numbers[hit.node.id], hit) for hit in result if hit.node.id in numbers]

    def known(self, result: SearchResult) -> tuple[Nodes, FloatArray]:
        """Return the numbers and scores of a search's hits, as far as they are still there."""
        hits = self.numbered(result)
        return np.array([num for num, _ in hits], np.int64), np.array([hit.score for _, hit in hits], np.float64)

    def nodes(self, numbers: Iterable[int]) -> dict[int, Node]:
        """Return nodes by number.

        Raises:
            GoneError: one was deleted meanwhile.

        """
        wanted = list(dict.fromkeys(map(int, numbers)))
        found = self.retriever.backend.nodes(wanted)
        if len(found) < len(wanted):
            raise GoneError
        return {number: found[number] for number in wanted}

    def number(self, node: str | Node) -> int:
        """Return a node's number: by id, else by a name that only one node has.

        Raises:
            UnknownNodeError: there is none, or several; the sentence offers the nearest.
            InvalidValueError: neither a string nor a node.

        """
        wanted = bare(node.id if isinstance(node, Node) else node)
        if not isinstance(wanted, str):
            raise InvalidValueError(f"A node is given by its id or name, not by {shown(wanted)}.")
        known = self.numbers([wanted])
        if wanted in known:
            return known[wanted]
        near = self._near(wanted)
        same = _named(wanted, near)
        if len(same) == 1 and (known := self.numbers([same[0].id])):
            return known[same[0].id]
        if same:
            listed = ", ".join(repr(found.id) for found in same)
            raise UnknownNodeError(f"{len(same)} nodes are named {shown(wanted)}: {listed}; give one of these ids.")
        ids = list(self.retriever.manifest()) if self.snapshot.size <= _FEW else []
        offers = [*locate.nearest_ids(wanted, ids), *map(title, near)]
        nearest = ", ".join(repr(offer) for offer in list(dict.fromkeys(offers))[:5])
        hint = f"; the nearest are {nearest}" if nearest else ""
        raise UnknownNodeError(f"There is no node {shown(wanted)} in {self.retriever.path!r}{hint}.")

    def node(self, given: str | Node) -> Node:
        """Return the node that is given by its id, or by a name that only one node has; raises as ``number``."""
        number = self.number(given)
        return self.nodes([number])[number]

    def named(self, name: str) -> list[Node]:
        """Return the nodes of a name, as far as the search for it, or the index of names, finds them."""
        return _named(name, {node.id: node for node in (*self._near(name), *self._called(name))}.values())

    def _near(self, name: str) -> list[Node]:
        return [hit.node for hit in self.search(name, CANDIDATES, mode="text")] if name.strip() else []

    def _called(self, text: str) -> list[Node]:
        """Return what a text calls by its name: of *unittest* a search may find ten of its parts before itself."""
        words = self.tokenizer.terms_of_words(text[:READ])
        known = self.snapshot.term_numbers(list({term for _, terms in words for term in terms}))
        found = [one.nodes[:CANDIDATES].tolist() for one in named(words, known, self.snapshot.names)]
        return list(self.nodes(chain(*found)).values())

    def subjects(self, text: str) -> list[locate.Subject]:
        """Return the nodes a text may be about, surest first: those whose ids or names it writes, or a search finds."""
        if not text.strip():
            return []
        written = self.nodes(self.numbers(locate.spelled(text)).values()).values()
        hits = [hit.node for hit in self.search(text, CANDIDATES)]
        found = {node.id: node for node in (*written, *hits, *self._called(text))}
        return locate.rate(self.graph, text, list(found.values()), self.terms)


def _named(name: str, nodes: Iterable[Node]) -> list[Node]:
    return [node for node in nodes if node.name.casefold() == name.casefold()]


def lacking(roles: Iterable[str], consequence: str) -> str:
    """Return the sentence that says which meanings the graph's edges do not have."""
    return f"The graph has no edges that mean {', '.join(roles)}; {consequence}."
