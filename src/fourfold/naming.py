"""What nodes are called, of which types they are and what their metadata says: read once for one state of the graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from fourfold.cache import Remembered
from fourfold.engines import Backend
from fourfold.index.base import Nodes
from fourfold.language.properties import Row, values_of
from fourfold.tokenizer import Tokenizer

T = TypeVar("T")

_MOST = 10_000
"""So many nodes are remembered."""


class Naming:
    """Names, types and metadata of nodes as one write left them; "" of those that are gone."""

    def __init__(self, backend: Backend, tokenizer: Tokenizer, write: tuple[int, str]) -> None:
        self.write = write
        """Of which state of the graph this is, see ``Snapshot.write``."""

        def names(nums: list[int]) -> list[str]:
            return [name for _, name in _each(backend.labels, nums, ("", ""))]

        def words(nums: list[int]) -> list[tuple[str, ...]]:
            return [tuple([word for word, _ in tokenizer.terms_of_words(name)]) for name in self._names.of(nums)]

        def lowered(nums: list[int]) -> list[tuple[str, ...]]:
            return [tuple(map(str.lower, written)) for written in self._words.of(nums)]

        def types(nums: list[int]) -> list[str]:
            return _each(backend.types, nums, "")

        def rows(nums: list[int]) -> list[Row]:
            nodes = backend.nodes(nums)
            return [values_of(nodes[num].metadata) if num in nodes else {} for num in nums]

        self._terms = tokenizer.terms
        self._names = Remembered(names, _MOST)
        self._words = Remembered(words, _MOST)
        self._lowered = Remembered(lowered, _MOST)
        self._types = Remembered(types, _MOST)
        self._rows = Remembered(rows, _MOST)

    def names_of(self, nodes: Nodes) -> list[str]:
        """Return the names of nodes."""
        return self._names.of(nodes.tolist())

    def types_of(self, nodes: Nodes) -> list[str]:
        """Return the types of nodes."""
        return self._types.of(nodes.tolist())

    def rows_of(self, nodes: Nodes) -> list[Row]:
        """Return the values of nodes' metadata, see ``language.properties``."""
        return self._rows.of(nodes.tolist())

    def words_of(self, nodes: Nodes) -> list[tuple[str, ...]]:
        """Return the words of nodes' names, in lower case."""
        return self._lowered.of(nodes.tolist())

    def written_of(self, nodes: Nodes) -> list[tuple[str, ...]]:
        """Return the words of nodes' names, as they are written."""
        return self._words.of(nodes.tolist())

    def terms_of(self, node: int) -> frozenset[str]:
        """Return the terms of a node's name."""
        return frozenset(self._terms(self._names.one(node)))


def _each(read: Callable[[Sequence[int]], Mapping[int, T]], nums: list[int], gone: T) -> list[T]:
    found = read(nums)
    return [found.get(num, gone) for num in nums]
