"""From the pipeline's candidates to the hits a caller reads: nodes, numbers, evidence and one sentence each."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from fourfold import grounds
from fourfold.asking import Options
from fourfold.config import RetrievalConfig
from fourfold.engines import Backend
from fourfold.evidence import IN_HITS, Paths, components_of, evidence_of, method_of, ways_to
from fourfold.index.base import Nodes
from fourfold.present import why
from fourfold.query import Query
from fourfold.scores import Scores, final_scores
from fourfold.signals.confidence import Calibration
from fourfold.signals.ways import Ways
from fourfold.types import Components, Evidence, Grounds, Hit, Node

_GROUPED_BATCH = 64


class Groups:
    """Takes so many nodes of each value of a metadata key; all of them without a key, or where one lacks it."""

    def __init__(self, key: str | None, most: int) -> None:
        self._key, self._most = key, most
        self._taken: Counter[str] = Counter()

    def take(self, node: Node) -> bool:
        """Tell whether a node is one of these."""
        if self._key is None or self._key not in node.metadata:
            return True
        group = json.dumps(node.metadata[self._key], sort_keys=True, default=str)
        self._taken[group] += 1
        return self._taken[group] <= self._most


class NodeGoneError(Exception):
    """A node was deleted between the search and the reading of its text."""


def collect(
    backend: Backend,
    query: Query,
    scores: Scores,
    limit: int,
    options: Options,
    config: RetrievalConfig,
    calibration: Calibration,
    *,
    without_gone: bool,
) -> tuple[tuple[Hit, ...], Grounds]:
    """Return the best ``limit`` hits that the options let through, best first, and what stands behind the answer.

    ``min_score``, ``min_confidence``, ``group_by`` and ``max_per_source`` of the options are applied here.

    Raises:
        NodeGoneError: a node is gone, and ``without_gone`` is false.

    """
    chosen: dict[int, Node] = {}
    groups = Groups(options.group_by, options.max_per_source)
    ranked = np.array(scores.order, np.int64)
    ways = ways_to(ranked, scores)
    behind, of_answer = grounds.grounds_of(scores, query, ranked, ways, calibration)
    grounds_of = dict(zip(scores.order, behind, strict=True))
    for num, node in _nodes(backend, _order(scores, grounds_of, options, config), limit, options, without_gone):
        if groups.take(node):
            chosen[num] = node
            if len(chosen) == limit:
                break
    nums = ranked
    if list(chosen) != scores.order:
        nums = np.array(list(chosen), np.int64)
        ways = ways_to(nums, scores)
    components = components_of(scores, nums)
    known = {num: (node.id, node.name) for num, node in chosen.items()}
    cosines = [grounds_of[num].cosine for num in chosen]
    evidence_of_each = named_evidence(backend, scores, query, config, nums, ways, components, cosines, known)
    final = final_scores(scores, nums.tolist(), config).tolist()
    hits = tuple(
        [
            Hit(
                node,
                score,
                own,
                method_of(own, scores.weights),
                why(evidence),
                None if (community := scores.communities.get(num, -1)) == -1 else community,
                evidence,
                grounds_of[num],
            )
            for (num, node), score, own, evidence in zip(
                chosen.items(), final, components, evidence_of_each, strict=True
            )
        ]
    )
    return hits, of_answer


def named_evidence(
    backend: Backend,
    scores: Scores,
    query: Query,
    config: RetrievalConfig,
    nodes: Nodes,
    ways: Ways,
    components: Sequence[Components],
    cosines: Sequence[float | None],
    known: Mapping[int, tuple[str, str]],
    *,
    paths_shown: int = IN_HITS,
) -> list[tuple[Evidence, ...]]:
    """Return the evidence of nodes, with the names of all that stand on their paths.

    ``known`` has (id, name) by number of nodes whose names were read already.
    """
    paths = Paths.to(nodes, scores, ways, paths_shown)
    labels = {**known, **backend.labels(sorted(paths.nodes().difference(known)))}
    return evidence_of(scores, query, config, nodes, components, cosines, paths, labels)


def _order(
    scores: Scores, grounds_of: Mapping[int, Grounds], options: Options, config: RetrievalConfig
) -> Sequence[int]:
    """Return the nodes that are good enough, and sure enough, to be hits."""
    order = scores.order
    if options.min_confidence is not None:
        order = [num for num in order if grounds_of[num].confidence >= options.min_confidence]
    if options.min_score is not None:
        final = final_scores(scores, order, config).tolist()
        order = [num for num, score in zip(order, final, strict=True) if score >= options.min_score]
    return order


def _nodes(
    backend: Backend, order: Sequence[int], limit: int, options: Options, without_gone: bool
) -> Iterator[tuple[int, Node]]:
    """Read the nodes of a ranking in batches, as far as they are wanted."""
    step = limit if options.group_by is None else max(4 * limit, _GROUPED_BATCH)
    for start in range(0, len(order), step):
        batch = order[start : start + step]
        found = backend.nodes(batch)
        for num in batch:
            if num in found:
                yield num, found[num]
            elif not without_gone:
                raise NodeGoneError
