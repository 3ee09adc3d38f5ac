"""Shadow mode: the old retriever answers, Fourfold answers beside it, and the differences are told with reasons."""

from __future__ import annotations

import asyncio
import inspect
import logging
import warnings
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any

from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.vectorstores import VectorStoreRetriever

from fourfold import FourfoldError, FourfoldWarning, Retriever, SearchResult
from fourfold.arguments import said
from fourfold.threads import beside

logger = logging.getLogger(__name__)
"""One INFO record a query; its ``comparison`` attribute holds the Comparison."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """How two answers to a query differ, both cut to the first ``k`` documents.

    ``shared`` are the ids of both; ``gained`` and ``lost`` are (id, reason) of those that only Fourfold, or only the
    old retriever, returns; a document without an id goes by the beginning of its text.
    """

    query: str
    shared: tuple[str, ...]
    gained: tuple[tuple[str, str], ...]
    lost: tuple[tuple[str, str], ...]
    k: int

    @property
    def overlap(self) -> float:
        """Share of all documents that both return, in [0, 1]; 1.0 for two empty answers."""
        every = len(self.shared) + len(self.gained) + len(self.lost)
        return len(self.shared) / every if every else 1.0

    def __str__(self) -> str:
        lines = [f"{self.query!r}: {self.overlap:.0%} of the first {self.k} in common"]
        lines += [f"  + {identity}: {reason}" for identity, reason in self.gained]
        lines += [f"  - {identity}: {reason}" for identity, reason in self.lost]
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Shadow:
    """One question to both.

    Args:
        query: the question.
        retriever: the graph.
        options: of Fourfold's search, ready to be given; called in the shadow, where a failure is only told.
        told: called with the Comparison; None logs it only.

    """

    query: str
    retriever: Retriever
    options: Callable[[], dict[str, Any]]
    told: Callable[[Comparison], object] | None

    def beside(self, old: Callable[[], list[Document]]) -> list[Document]:
        """Return the old answer; Fourfold answers at the same time in a thread of its own."""
        coming = beside(self._search)
        answer = old()
        with self._watched():
            self._tell(answer, *coming.result())
        return answer

    async def abeside(self, old: Awaitable[list[Document]]) -> list[Document]:
        """Return the old answer; Fourfold answers at the same time, and the event loop stays free."""
        coming = asyncio.create_task(asyncio.to_thread(self._search))
        try:
            answer = await old
        except BaseException:
            coming.cancel()
            raise
        with self._watched():
            await asyncio.to_thread(self._tell, answer, *(await coming))
        return answer

    def _search(self) -> tuple[SearchResult, dict[str, Any]]:
        options = self.options()
        return self.retriever.search(self.query, **options), options

    def _tell(self, old: Sequence[Document], new: SearchResult, options: dict[str, Any]) -> None:
        if self.told is None and not logger.isEnabledFor(logging.INFO):
            return
        limit = options["k"] or self.retriever.config.limit
        comparison = compare(self.query, old, new, self.retriever, k=min(len(old), limit) or limit, options=options)
        logger.info("%s", comparison, extra={"comparison": comparison})
        if self.told is not None:
            with self._watched("on_comparison", "told how Fourfold's answer differs"):
                self.told(comparison)

    @contextmanager
    def _watched(self, who: str = "Fourfold", when: str = "in its shadow") -> Iterator[None]:
        """Log and warn of what goes wrong inside; none of it may reach the caller, whom the old retriever serves."""
        try:
            yield
        except Exception as error:
            logger.warning("%s failed on %r", who, self.query, exc_info=True)
            with suppress(FourfoldWarning):  # where warnings are errors
                warnings.warn(
                    f"The old retriever answered {self.query!r}; {who}, {when}, failed: {said(error)}.",
                    FourfoldWarning,
                    stacklevel=2,
                )


Options = dict[str, Any]


def divided(
    old: BaseRetriever, method: Callable[..., Any], called: Mapping[str, Any], ours: Sequence[str]
) -> tuple[Options, Options]:
    """Return the options of a call that are the old retriever's, and those that are Fourfold's.

    The old one gets what ``method``, by which it is asked, declares, a vector store's also ``k``, and all that Fourfold
    does not know: the call may have been written for it. Fourfold gets what it knows.
    """
    given = {name: value for name, value in called.items() if value is not None and name != "verbose"}
    declared = set(inspect.signature(method).parameters)
    if isinstance(old, VectorStoreRetriever):
        declared.add("k")
        if not isinstance(given.get("filter"), Mapping):  # in the store's own terms
            declared.add("filter")
    theirs = {name: value for name, value in given.items() if name in declared or name not in ours}
    known = {name: value for name, value in given.items() if name in ours}
    if not isinstance(known.get("filter", {}), Mapping):
        del known["filter"]
    return theirs, known


def first(documents: list[Document], k: object) -> list[Document]:
    """Return the first ``k`` documents, all where it is no such number."""
    return documents[:k] if isinstance(k, int) and k > 0 else documents


def own_k(old: BaseRetriever) -> int | None:
    """Return how many documents the old retriever is set to return, where it says so."""
    told = getattr(old, "search_kwargs", {}).get("k", getattr(old, "k", None))
    return told if isinstance(told, int) else None


def compare(
    query: str,
    old: Sequence[Document],
    new: SearchResult,
    retriever: Retriever,
    *,
    k: int | None = None,
    options: Mapping[str, Any] | None = None,
) -> Comparison:
    """Return how an old answer and a new one differ; documents are the same if their ids are, or else their texts.

    Args:
        query: the question of both.
        old: the old retriever's documents.
        new: Fourfold's answer.
        retriever: the graph that gave it.
        k: how many of each are compared; None for all.
        options: those of the search that gave ``new``.

    """
    old, new = old[:k], replace(new, hits=new.hits[:k])
    by_text = {hit.node.text: hit.node.id for hit in new.hits}
    ids = set(new.ids)
    shared: list[str] = []
    lost: list[tuple[str, str]] = []
    for document in old:
        match = document.id if document.id in ids else by_text.get(document.page_content)
        if match is None:
            lost.append((document.id or document.page_content[:60], _why_not(document, new, retriever, options or {})))
        elif match not in shared:
            shared.append(match)
    gained = [(hit.node.id, hit.why) for hit in new.hits if hit.node.id not in shared]
    most = max(len(old), len(new.hits)) if k is None else k
    return Comparison(query, tuple(shared), tuple(gained), tuple(lost), most)


def _why_not(document: Document, new: SearchResult, retriever: Retriever, options: Mapping[str, Any]) -> str:
    if document.id is None:
        return "it has no id, and no node has its text among the hits"
    try:
        found = retriever.explain(new.query, document.id, **options)
    except FourfoldError as error:
        return str(error)
    last = f", the last hit has {new.hits[-1].score:.3f}" if new.hits else ""
    return f"score {found.score:.3f}{last}"
