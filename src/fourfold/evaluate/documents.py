"""Judgements that name documents: where a document's text is in its chunks, a chunk that is found finds it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import numpy as np

from fourfold.evaluate.collection import JudgedQuery

if TYPE_CHECKING:
    from fourfold.retriever import Retriever

Scored = list[tuple[str, float]]
Answer = tuple[str, Scored]
"""The intent that was read, and ids with their scores, best first."""

_FURTHER = 4
"""So many times deeper is searched where several chunks of a document take the places of others."""


class Documents:
    """What hits stand for under a set of judgements.

    Where any judgement names a document that is cut, the set is about documents: a hit stands for its document, the
    first of each counts, and hits are searched until there are enough documents. Not so in queries that name chunks
    and no such document, and never for a chunk that its query names.
    """

    def __init__(self, retriever: Retriever, queries: Iterable[JudgedQuery]) -> None:
        named = sorted({identity for query in queries for identity in query.relevant})
        nums = retriever.backend.nums(named)
        is_cut = np.isin(list(nums.values()), retriever.analysis.snapshot().hidden).tolist()
        self.cut = frozenset(identity for identity, cut in zip(nums, is_cut, strict=True) if cut)
        self._backend = retriever.backend
        self._chunks = frozenset(retriever.backend.documents.of(named)) if self.cut else frozenset()

    def answer(self, query: JudgedQuery, k: int, search: Callable[[int], Answer]) -> Answer:
        """Return the answer to a query as it is to be judged: its first ``k``.

        ``search`` returns the answer with a number of hits.
        """
        intent, hits = search(k)
        if not self.cut or (self.cut.isdisjoint(query.relevant) and not self._chunks.isdisjoint(query.relevant)):
            return intent, hits
        depth = k
        while len(found := self._stood_for(query, hits)) < k and len(hits) == depth:
            depth *= _FURTHER
            intent, hits = search(depth)
        return intent, found[:k]

    def _stood_for(self, query: JudgedQuery, hits: Scored) -> Scored:
        document_of = self._backend.documents.of([identity for identity, _ in hits])
        found: dict[str, float] = {}
        for identity, score in hits:
            found.setdefault(identity if identity in query.relevant else document_of.get(identity, identity), score)
        return list(found.items())
