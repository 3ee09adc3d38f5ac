"""Edge types that say something is not so: ``not_indicated_for`` answers "what should not be given for X"."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fourfold.edge_types import DENIALS
from fourfold.language.syntax import Sentence
from fourfold.types import FloatArray

_OTHERWISE = 0.5
"""What is left of the similarity of a label that denies what the question does not, or the other way."""


class Denied:
    """Which labels deny, by the words of each."""

    def __init__(self, labels: Sequence[Sequence[str]]) -> None:
        self._denied = np.array([not DENIALS.isdisjoint(words) for words in labels], bool)

    def left(self, sentence: Sentence) -> FloatArray:
        """Return what is left of the similarity of each label to words of a question, (n_types,)."""
        if not self._denied.any():
            return np.ones(len(self._denied))
        denies = not DENIALS.isdisjoint(sentence.beside())
        return np.where(self._denied == denies, 1.0, _OTHERWISE)
