"""One generation of a graph, ready to be asked: the parts that the signals rank by, and what names its nodes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from fourfold.cache import Remembered
from fourfold.index.base import Allowed, EdgePart, Keys, NamePart, Nodes, NodeValues, TextPart, TokenPart, VectorPart
from fourfold.index.structure import Communities, Structure
from fourfold.lazy import lazy

_REMEMBERED, _AT_ONCE = 1 << 14, 1 << 10
"""So many ids and terms are remembered, 2 MB each; of what is asked for in larger numbers none: it is asked once."""


class Lookup(Protocol):
    """What only the store knows of nodes and terms."""

    def ids(self, nodes: Nodes) -> Sequence[str]:
        """Return the ids of these nodes, in their order."""

    def term_numbers(self, terms: Iterable[str]) -> dict[str, int]:
        """Return the number of each term that occurs."""

    def pairs(self, characters: Iterable[str]) -> dict[str, int]:
        """Return the number of each term of two characters that holds one of these; none where only hashes are kept.

        Texts of scripts without word boundaries are read by such pairs.
        """


class Expect(Protocol):
    """Is told what a question will ask for before it does."""

    def __call__(
        self, allowed: Allowed | None, pieces: NDArray[np.int64], keys: Keys, beside: Sequence[Mapping[int, float]]
    ) -> None:
        """Take note of the allowed nodes, the question's wordpieces, the keys of the names in it, and other terms."""


class Notes(Protocol):
    """What was found out about a graph, laid with its derived files: it may be gone, or of an older generation."""

    def note(self, name: str) -> Mapping[str, Any] | None:
        """Return a note (JSON values); None where there is none."""

    def put_note(self, name: str, note: Mapping[str, Any]) -> None:
        """Lay a note there, if there is a place."""


@dataclass(frozen=True)
class Snapshot:
    """One generation. Immutable, so searches share it while the next one is made.

    Args:
        generation: the number of the write it shows.
        embedder: what made this generation's vectors, by name; None if callers brought them all.
        own_share: the share of a node's own text in its vector; the rest is its neighbours'.
        size: how many nodes there are.
        vectors: unit vectors.
        text: postings.
        tokens: wordpieces.
        edges: typed edges.
        hidden: nodes that pass scores on, but are no answers (documents whose text is in their chunks); ascending.
        names: the nodes' names.
        lookup: ids and term numbers.
        structure: PageRank and communities.
        expect: told what a question will ask for before it does: an engine at the far end of a wire fetches it
            together. None where nothing is won by it.
        notes: what other processes found out about the graph; None where nobody keeps it.
        mark: of that write, where the engine gives it one: a file that is put in the place of another may have as many.

    """

    generation: int
    embedder: str | None
    own_share: float
    size: int
    vectors: VectorPart
    text: TextPart
    tokens: TokenPart
    edges: EdgePart
    hidden: Nodes
    names: NamePart
    lookup: Lookup
    structure: Structure
    expect: Expect | None = None
    notes: Notes | None = None
    mark: str = ""

    @property
    def write(self) -> tuple[int, str]:
        """What tells this state of the graph from any other."""
        return self.generation, self.mark

    def ids(self, nodes: Nodes) -> Sequence[str]:
        """Return the ids of these nodes, in their order."""
        return self._ids.of(nodes.tolist()) if len(nodes) <= _AT_ONCE else self.lookup.ids(nodes)

    def term_numbers(self, terms: Iterable[str]) -> dict[str, int]:
        """Return the number of each term that occurs."""
        asked = list(dict.fromkeys(terms))
        if len(asked) > _AT_ONCE or self.expect is not None:  # at the far end of a wire more is fetched with them
            return self.lookup.term_numbers(asked)
        numbers = zip(asked, self._numbers.of(asked), strict=True)
        return {term: number for term, number in numbers if number is not None}

    @lazy
    def _ids(self) -> Remembered[int, str]:
        lookup = self.lookup  # not the snapshot, whose arrays would wait for the collector of cycles
        return Remembered(lambda nodes: lookup.ids(np.array(nodes, np.int64)), _REMEMBERED)

    @lazy
    def _numbers(self) -> Remembered[str, int | None]:
        lookup = self.lookup
        return Remembered(lambda terms: map(lookup.term_numbers(terms).get, terms), _REMEMBERED)

    def pagerank(self) -> NodeValues:
        """Return the PageRank of every node that has an edge."""
        return self.structure.pagerank()

    def communities(self, *, exact: bool) -> Communities:
        """Return the communities, see ``Structure.communities``."""
        return self.structure.communities(exact=exact)
