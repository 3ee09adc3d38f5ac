"""Which nodes hold which term in name, type or metadata."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from fourfold.engines.wording import Wording
from fourfold.index.base import Nodes
from fourfold.tokenizer import Tokenizer

PLACES = ("name", "type", "metadata")


class WordTable:
    """Which nodes hold which term: names and types are asked of the index, the texts of the metadata are read once.

    Args:
        wording: the words of the graph.
        tokenizer: that of the index.

    """

    def __init__(self, wording: Wording, tokenizer: Tokenizer) -> None:
        self._wording = wording
        texts = wording.metadata()
        self._known = [known for _, known in texts]
        self._terms, counts = tokenizer.batch([text for text, _ in texts])
        self._origins = np.repeat(np.arange(len(texts)), counts).tolist()

    def holders(self, terms: Sequence[str]) -> Mapping[str, list[Nodes]]:
        """Return by place the nodes that hold each term, ascending; the terms are distinct."""
        held = [*self._wording.standing(terms), [self._bearers(term) for term in terms]]
        return dict(zip(PLACES, held, strict=True))

    def _bearers(self, term: str) -> Nodes:
        texts = dict.fromkeys(self._origins[place] for place, held in enumerate(self._terms) if held == term)
        return self._wording.bearers([self._known[text] for text in texts]) if texts else np.empty(0, np.int64)
