"""Which nodes hold which term in name, type or metadata."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from fourfold.engines.wording import Wording
from fourfold.index.base import Nodes
from fourfold.tokenizer import Tokenizer

PLACES = ("name", "type", "metadata")

_GONE = 1_000
"""Once so many texts came beside twice those there were, all are read anew: many may be no node's any more."""


class WordTable:
    """Which nodes hold which term: names and types are asked of the index, the texts of the metadata are read once.

    After a write those of the nodes written since are read, where the engine tells them from the others.
    """

    def __init__(self, wording: Callable[[], Wording], tokenizer: Tokenizer) -> None:
        self._wording, self._tokenizer = wording, tokenizer
        self._lock = threading.Lock()
        self._read: tuple[tuple[int, str], str, Wording] | None = None
        """The write up to which the texts were read, its mark, and the words as they were then."""
        self._known: dict[str, list[Any]] = {}
        self._seen: set[Any] = set()
        self._most = 0
        """Beyond so many texts all are read anew."""

    def holders(self, terms: Sequence[str], write: tuple[int, str]) -> Mapping[str, list[Nodes]]:
        """Return by place the nodes that hold each term, ascending, after a write; the terms are distinct."""
        with self._lock:
            if self._read is None or self._read[0] != write:
                self._take_in(write)
            assert self._read is not None
            wording, texts = self._read[2], [self._known.get(term, ()) for term in terms]
        borne = [wording.bearers(own) if own else np.empty(0, np.int64) for own in texts]
        return dict(zip(PLACES, [*wording.standing(terms), borne], strict=True))

    def _take_in(self, write: tuple[int, str]) -> None:
        """Read what is new since it was read last, or everything."""
        wording, before = self._wording(), self._read and self._read[1]
        mark = wording.mark
        texts = wording.metadata(before) if before and len(self._seen) <= self._most else None
        if texts is None:
            self._known, self._seen, texts = {}, set(), wording.metadata() or []
            self._most = 2 * len(texts) + _GONE
        texts = [(text, bearers) for text, bearers in texts if bearers not in self._seen]
        terms, counts = self._tokenizer.batch([text for text, _ in texts])
        for place, term in zip(np.repeat(np.arange(len(texts)), counts).tolist(), terms, strict=True):
            self._known.setdefault(term, []).append(texts[place][1])
        self._seen.update(bearers for _, bearers in texts)
        self._read = write, mark, wording
