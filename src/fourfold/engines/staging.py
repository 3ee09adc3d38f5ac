"""Vectors that are not searched yet: those of the embedder that a graph is about to change to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fourfold.types import Node

STAGING = "staging"
"""The setting that holds the recipe of the staged vectors, see ``Staged``."""


@dataclass(frozen=True, slots=True)
class Unstaged:
    """A node without a fresh staged vector: its number, its content hash and itself, all of one moment."""

    num: int
    hash: str
    node: Node


class Staged(Protocol):
    """Vectors that are not searched yet: those of the embedder a graph is about to change to.

    They belong to one recipe, a text that says which embedder makes them and of what: the setting ``STAGING``, which is
    there while anything is staged. A staged vector is fresh while its node is still what it was made from.
    """

    def count(self, recipe: str) -> int:
        """Return how many nodes have a fresh staged vector of this recipe."""
        ...

    def unstaged(self, recipe: str, after: int, limit: int) -> list[Unstaged]:
        """Return the first nodes beyond the number ``after`` without a fresh staged vector of this recipe, in order."""
        ...


class Staging(Protocol):
    """The same inside a transaction; only ``take_in`` changes what is searched."""

    def dimensions(self) -> int | None:
        """Return the length of the staged vectors, or None if there are none."""
        ...

    def begin(self, recipe: str) -> None:
        """Drop what is staged, and stage vectors of this recipe from here on."""
        ...

    def put(self, nodes: Sequence[Unstaged], vectors: NDArray[np.float32]) -> None:
        """Stage a vector for each node, (len(nodes), dimensions); nodes deleted meanwhile are passed over."""
        ...

    def take_in(self) -> None:
        """Search the staged vectors from the transaction's generation on; those searched so far are gone."""
        ...
