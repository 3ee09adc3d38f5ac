"""Which nodes hold which term in name, type or metadata."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fourfold.engines.wording import Wording
from fourfold.index.base import Nodes
from fourfold.tokenizer import Tokenizer

PLACES = ("name", "type", "metadata")


class WordTable:
    """Which nodes hold which term: names and types are asked of the index, the texts of the metadata are read once."""

    def __init__(self, wording: Wording, tokenizer: Tokenizer) -> None:
        self._wording = wording
        texts = wording.metadata()
        terms, counts = tokenizer.batch([text for text, _ in texts])
        self._known: dict[str, list[Any]] = defaultdict(list)
        for place, term in zip(np.repeat(np.arange(len(texts)), counts).tolist(), terms, strict=True):
            self._known[term].append(texts[place][1])

    def holders(self, terms: Sequence[str]) -> Mapping[str, list[Nodes]]:
        """Return by place the nodes that hold each term, ascending; the terms are distinct."""
        held = [*self._wording.standing(terms), [self._bearers(term) for term in terms]]
        return dict(zip(PLACES, held, strict=True))

    def _bearers(self, term: str) -> Nodes:
        return self._wording.bearers(self._known[term]) if term in self._known else np.empty(0, np.int64)
