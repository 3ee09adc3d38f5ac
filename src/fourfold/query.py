"""A question as the pipeline takes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from fourfold.frozen import FrozenDict
from fourfold.index.base import NO_NODES, Allowed, Nodes
from fourfold.language.name_matching import NamesOf, Words
from fourfold.language.properties import Row
from fourfold.relations.relations import Relations
from fourfold.types import FloatArray, Weights

MODES = ("hybrid", "text", "embedding")
"""What may find the first candidates."""

MOST_WORDS = 128
"""A question of more words is a text: which of them names what, and asks for which edge, takes their square."""


@dataclass(frozen=True)
class Query:
    """One question, with what is asked of the graph only where a step needs it."""

    typed: str
    """The question as typed, in characters that can be written down."""
    text: str
    """The same without what is said to whoever answers, see ``reading.courtesy``."""
    topic: str
    """The same without what only frames a request, see ``reading.topic``."""
    words: Words
    """The words of the topic as typed, each with its terms."""
    limit: int
    mode: str = "hybrid"
    vector: FloatArray | None = None
    """That of the topic; None where there is none, or the embedder failed."""
    read: float = 1.0
    """How far the embedder can read the words, in [0, 1]."""
    allowed: Allowed | None = None
    """The nodes the filter keeps; None for all."""
    intent: str | None = None
    weights: Weights | Mapping[str, float] | None = None
    phrases: Callable[[str, int | None], Sequence[tuple[int, float]]] | None = None
    """A phrase → its rows in FTS5; None where nothing ranks phrases."""
    asked_types: Callable[[int], FloatArray | None] = lambda node: None
    """A node → how much the words that do not name it ask for each edge type, (n_types,) in [0, 1]; None where there is
    no choice."""
    relations: Callable[[], Relations | None] = lambda: None
    """The edge types to be compared with the question; None where they say nothing."""
    names_of: NamesOf = lambda nodes: [()] * len(nodes)
    """Nodes → the words of their names, in lower case …"""
    written_of: NamesOf = lambda nodes: [()] * len(nodes)
    """… and as they are written."""
    called_of: Callable[[Nodes], Sequence[str]] = lambda nodes: [""] * len(nodes)
    """Nodes → their names."""
    types_of: Callable[[Nodes], Sequence[str]] = lambda nodes: [""] * len(nodes)
    """Nodes → their types."""
    rows_of: Callable[[Nodes], Sequence[Row]] = lambda nodes: [{}] * len(nodes)
    """Nodes → the values of their metadata, see ``language.properties``."""
    texts_of: Callable[[Nodes], Sequence[str]] = lambda nodes: [""] * len(nodes)
    """Nodes → their texts, read anew each time."""
    themselves: Callable[[], Nodes] = lambda: NO_NODES
    """The node that stands for who asks, in an assistant's memory; none elsewhere."""
    pairs: Mapping[str, tuple[str, ...]] = field(default_factory=FrozenDict)
    """For a term that is one character of a script without word boundaries the terms of two characters that hold it."""
    read_as: Mapping[str, str] = field(default_factory=FrozenDict)
    """Misspelt words, and those meant."""
    failed: tuple[str, ...] = ()
    """Components that cannot be asked."""
