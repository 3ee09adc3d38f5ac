"""Where words stand in names, types and metadata; see ``engines.wording``."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np

from fourfold import ordered
from fourfold.engines.milvus.json_text import mapping
from fourfold.engines.milvus.reading import Reading
from fourfold.engines.wording import holders
from fourfold.filters import ELEMENT, SCALAR, attributes
from fourfold.index.base import Nodes


class Wording:
    """The words of one commit."""

    mark = ""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading

    def standing(self, terms: Sequence[str]) -> tuple[list[Nodes], list[Nodes]]:
        """Return the holders of terms in names and in types, however many nodes hold them."""
        numbers = self._reading.words.numbers(terms)
        postings = self._reading.words.labelled(list(numbers.values()))
        found = [np.empty((3, 0), np.int64)]
        for place in [place for place, term in enumerate(terms) if term in numbers]:
            own = postings[numbers[terms[place]]]
            row, field = np.nonzero(own.times[:, :2])
            found.append(np.stack([np.full(len(row), place), field, own.nodes[row]]))
        return holders(len(terms), *np.concatenate(found, axis=1))

    def metadata(self, since: str = "") -> list[tuple[str, tuple[int, ...]]]:
        """Return every text with its nodes, read from the metadata of all nodes: Milvus keeps it as it came."""
        found: dict[str, list[int]] = {}
        for row in self._reading.link.rows("nodes", self._reading.state.visible, ("num", "metadata")):
            for key, value, kind in attributes(mapping(row["metadata"])):
                if kind in (SCALAR, ELEMENT):
                    found.setdefault(f"{key} {value}", []).append(row["num"])
        return [(text, tuple(nums)) for text, nums in found.items()]

    def bearers(self, chosen: Sequence[tuple[int, ...]]) -> Nodes:
        """Return the nodes of texts, which are known by these."""
        return ordered.distinct(np.array(list(chain.from_iterable(chosen)), np.int64))
