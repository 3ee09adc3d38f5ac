"""What a filter alone finds: the answer to a question without words, as vector stores give it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import Any

from fourfold import arguments
from fourfold.filters import parse
from fourfold.hits import Groups
from fourfold.ragged import difference
from fourfold.retriever import Retriever
from fourfold.types import Components, Hit, Node, SearchResult

_AT_ONCE = 500
_WHY = "passes the filter; the question has no words"


def by_filter(
    retriever: Retriever,
    result: SearchResult,
    filter: Mapping[str, Any],
    *,
    k: int | None = None,
    group_by: str | None = None,
    max_per_source: int = 1,
) -> SearchResult:
    """Return the answer to a question without words: the first ``k`` nodes that pass its filter, each of score 0.

    A model that turns "films rated above 8.5" into a search leaves no words, only a filter. Of questions with words,
    and of answers that have hits, the answer is returned as it is.

    Args:
        retriever: where the answer is from.
        result: of a search with this filter.
        filter: see ``fourfold.filters``; an empty one lists nothing.
        k: how many; None is the config's limit.
        group_by: see ``Retriever.search``.
        max_per_source: see ``Retriever.search``.

    Raises:
        FilterError: a filter that cannot be read.
        InvalidValueError: ``k`` or ``max_per_source`` out of range.

    """
    if result.hits or result.query.strip() or not filter:
        return result
    most = arguments.whole_number(max_per_source, "max_per_source")
    limit = retriever.config.limit if k is None else arguments.whole_number(k, "k")
    groups = Groups(group_by, most)
    nodes = islice((node for node in _passing(retriever, filter) if groups.take(node)), limit)
    hits = tuple(Hit(node, 0.0, Components(), method="", why=_WHY) for node in nodes)
    return replace(result, hits=hits, notes=()) if hits else result


def _passing(retriever: Retriever, filter: Mapping[str, Any]) -> Iterator[Node]:
    """Yield the nodes that pass a filter and have a text of their own, in the order in which they came."""
    passing = retriever.backend.allowed(parse(filter)).nodes
    numbers = difference(passing, retriever.analysis.snapshot().hidden).tolist()
    for start in range(0, len(numbers), _AT_ONCE):
        found = retriever.backend.nodes(numbers[start : start + _AT_ONCE])
        yield from (node for _, node in sorted(found.items()))
