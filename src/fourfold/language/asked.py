"""What one word of a question asks for among the edge types of a graph."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fourfold.types import FloatArray

SAME_WORD, SAME_FAMILY = 1.0, 0.9
"""Similarity of a word of the label itself, and of one of its family."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What one word asks for.

    Args:
        similarity: (n_types,) in [0, 1], how similar each label is to it.
        slots: (n_types,) int64, which word of each label is.
        best: the largest similarity.
        factor: how far to trust it, of what a word as similar is trusted.
        turned: as ``Meaning`` has it, or one for all types.
        kind: as ``Meaning`` has it.
        by_itself: whether it does so whatever stands beside it: a question word.
        alone: whether it does so only where no other word asks for an edge.
        loose: whether it is the thesaurus that says so.
        directed: whether ``turned`` says all of which way it goes.

    """

    similarity: FloatArray
    slots: NDArray[np.int64]
    best: float
    factor: float = 1.0
    turned: NDArray[np.bool_] | bool = False
    kind: bool = False
    by_itself: bool = False
    alone: bool = False
    loose: bool = False
    directed: bool = False

    @property
    def means(self) -> NDArray[np.bool_]:
        """Which types it means by their labels, (n_types,), not only by what stands near them."""
        return self.similarity >= SAME_FAMILY

    def rather_without(self, types: NDArray[np.bool_]) -> Asked:
        """Return the same without some types, (n_types,), where it means another, too."""
        similarity = np.where(types, 0.0, self.similarity)
        return replace(self, similarity=similarity) if (similarity >= SAME_FAMILY).any() else self

    def or_also(self, also: Asked | None) -> Asked:
        """Return the same, or what it could mean, too: "founded" may ask for a formation."""
        if also is None or also.alone or self.kind or np.any(also.turned) or np.any(self.turned):
            return self
        joined = np.where(also.means, SAME_FAMILY, 0.0)
        slots = np.where(joined > self.similarity, also.slots, self.slots)
        return replace(self, similarity=np.maximum(self.similarity, joined), slots=slots)
