"""From the pipeline's arrays to the hits a caller reads: nodes, numbers and one sentence each."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import partial

from fourfold import explain
from fourfold.asking import Options
from fourfold.config import RetrievalConfig
from fourfold.index import Index
from fourfold.pipeline import Query, Scores, final_score
from fourfold.store import Store
from fourfold.types import Hit, Node

_GROUPED_BATCH = 64


class NodeGoneError(Exception):
    """A node was deleted between the search and the reading of its text."""


def collect(
    store: Store,
    index: Index,
    query: Query,
    scores: Scores,
    limit: int,
    options: Options,
    config: RetrievalConfig,
    *,
    without_gone: bool,
) -> tuple[Hit, ...]:
    """Return the best ``limit`` hits that the options let through, best first.

    Args:
        store: holds the nodes' texts.
        index: the generation that was searched.
        query: the question.
        scores: what the pipeline found.
        limit: number of hits.
        options: ``min_score``, ``group_by`` and ``max_per_source`` are applied here.
        config: the constants of retrieval.
        without_gone: leave out nodes that are gone meanwhile.

    Raises:
        NodeGoneError: a node is gone, and ``without_gone`` is false.

    """
    chosen: dict[int, Node] = {}
    groups: dict[str, int] = {}
    for position, node in _nodes(store, index, _order(scores, options, config), limit, options, without_gone):
        if options.group_by is not None:
            group = json.dumps(node.metadata.get(options.group_by, ["", node.id]), sort_keys=True, default=str)
            groups[group] = groups.get(group, 0) + 1
            if groups[group] > options.max_per_source:
                continue
        chosen[position] = node
        if len(chosen) == limit:
            break
    own = {position: node.name for position, node in chosen.items()}
    sentences = explain.why(scores, index, query, own, partial(names, store, index))
    return tuple(
        _hit(scores, position, node, sentence, config)
        for (position, node), sentence in zip(chosen.items(), sentences, strict=True)
    )


def names(store: Store, index: Index, positions: Sequence[int]) -> dict[int, str]:
    """Return the names of nodes by position."""
    by_num = store.names([int(index.rows.nums[p]) for p in positions])
    return {p: by_num[num] for p in positions if (num := int(index.rows.nums[p])) in by_num}


def _order(scores: Scores, options: Options, config: RetrievalConfig) -> Sequence[int]:
    if options.min_score is None:
        return scores.order
    return [p for p in scores.order if final_score(scores, p, config) >= options.min_score]


def _nodes(
    store: Store, index: Index, order: Sequence[int], limit: int, options: Options, without_gone: bool
) -> Iterator[tuple[int, Node]]:
    """Read the nodes of a ranking in batches, as far as they are wanted."""
    step = limit if options.group_by is None else max(4 * limit, _GROUPED_BATCH)
    for start in range(0, len(order), step):
        batch = order[start : start + step]
        found = store.nodes([int(index.rows.nums[p]) for p in batch])
        for position in batch:
            node = found.get(int(index.rows.nums[position]))
            if node is not None and node.id == index.ids[position]:
                yield position, node
            elif not without_gone:
                raise NodeGoneError


def _hit(scores: Scores, position: int, node: Node, why: str, config: RetrievalConfig) -> Hit:
    components = explain.components_of(scores, position)
    community = None if scores.communities is None else int(scores.communities[position])
    return Hit(
        node=node,
        score=final_score(scores, position, config),
        components=components,
        method=explain.method_of(components),
        why=why,
        community=None if community == -1 else community,
    )
