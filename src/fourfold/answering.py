"""From a question to an answer or an explanation, over whatever generation is the present one."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from fourfold import deadline, pipeline, priors
from fourfold.arguments import no_node, shown
from fourfold.asking import Asker, Options
from fourfold.config import RetrievalConfig
from fourfold.deadline import Deadline
from fourfold.engines import Backend
from fourfold.errors import EmbedderMismatchError
from fourfold.evidence import IN_EXPLANATIONS, components_of, ways_to
from fourfold.frozen import freeze
from fourfold.hits import NodeGoneError, collect, named_evidence
from fourfold.index.snapshot import Snapshot
from fourfold.present import explanation_text, in_words
from fourfold.query import Query
from fourfold.rerank import rerank
from fourfold.scores import EVERY_OTHER, Scores, final_scores, include
from fourfold.session import Session
from fourfold.types import Contribution, Explanation, Grounds, Hit, Node, SearchResult

logger = logging.getLogger(__name__)

A = TypeVar("A")

_FARTHEST = 2**31 - 1
"""No document has so many chunks; a larger number would be too large for a database."""

_FURTHER = 8
"""Groups are looked for among so many times as many hits as are wanted, then among so many times more."""


def search(session: Session, text: str, options: Options) -> SearchResult:
    """Return the answer to a question, remembered or new."""

    def answer(snapshot: Snapshot, asker: Asker, last: bool) -> SearchResult:
        key = (snapshot.write, asker, *options.key(text))
        if options.rerank is None and (known := session.answers.get(key)) is not None:
            return known
        query = asker.query(snapshot, text, options)
        scores, hits, grounds = _ranked(session, snapshot, asker, query, options, without_gone=last)
        bonus = [hit.node.id for hit in hits if scores.bonus and any([one.kind == "bonus" for one in hit.evidence])]
        result = SearchResult(
            query=text,
            hits=hits,
            intent=scores.spec.name,
            weights=scores.weights,
            mode=options.mode,
            degraded=scores.failed,
            generation=snapshot.generation,
            meta=freeze({"diversity": sorted(bonus)}),
            grounds=grounds,
            notes=(*_read_as(query), *_notes(query, scores, hits, options)),
            tokenizer=session.tokenizer.name,
        )
        if not result.degraded and options.rerank is None:
            session.answers.put(key, result)
        return result

    begun = time.perf_counter()
    found = _of_one_generation(session, text, options, answer)
    seconds = time.perf_counter() - begun
    logger.log(
        logging.INFO if seconds >= deadline.SLOW else logging.DEBUG,
        "Searched %r in %.3f s: hits %d, intent %s, mode %s, generation %d.",  # what was asked is nobody else's
        session.path,
        seconds,
        len(found.hits),
        found.intent,
        options.mode,
        found.generation,
    )
    return found


def explain(session: Session, text: str, node_id: str, options: Options) -> Explanation:
    """Tell why a node stands where it does.

    Raises:
        UnknownNodeError: there is no such node.

    """

    def answer(snapshot: Snapshot, asker: Asker, last: bool) -> Explanation:
        backend = session.backend
        num = backend.nums([node_id]).get(node_id)
        node = None if num is None else backend.nodes([num]).get(num)
        if num is None or node is None:
            raise no_node(node_id, session.path)
        query = asker.query(snapshot, text, options)
        scores, hits, _ = _ranked(session, snapshot, asker, query, options, without_gone=last)
        return _explanation(backend, scores, query, asker.config, hits, num, node)

    return _of_one_generation(session, text, options, answer)


def matching(session: Session, filter: Mapping[str, Any]) -> list[str]:
    """Return the ids of the nodes that meet a filter, in order."""

    def found() -> list[str]:
        with session.question() as (snapshot, asker):
            return sorted(session.backend.ids(asker.allowed(snapshot, filter).nodes))

    return session.from_whole_files(found)


def context(session: Session, node_id: str, before: int, after: int) -> list[Node]:
    """Return a chunk with its neighbours in the document; what is no part of a document stands alone."""
    backend = session.backend
    alone = list(backend.nodes_by_id([node_id]).values())
    if not alone:
        raise no_node(node_id, session.path)
    if not backend.capabilities.documents:
        return alone
    return backend.documents.neighbours(node_id, min(before, _FARTHEST), min(after, _FARTHEST)) or alone


def _of_one_generation(
    session: Session, text: str, options: Options, answer: Callable[[Snapshot, Asker, bool], A]
) -> A:
    """Return an answer of one generation: made anew where what it is made of was replaced meanwhile.

    ``answer`` is called with the present snapshot, who reads questions for it, and whether this is the last attempt,
    which passes over nodes that are gone.
    """

    def attempts() -> A:
        for last in (False, False, True):
            with session.question(text) as (snapshot, asker):
                try:
                    return answer(snapshot, asker, last)
                except NodeGoneError:  # deleted between the search and the reading of its text
                    continue
                except EmbedderMismatchError:
                    if last or session.backend.generation() == snapshot.generation:
                        raise
                    # the vectors were replaced between the reading of the snapshot and of who asks it
        raise AssertionError("the last attempt answers or raises")

    with nullcontext() if options.timeout is None else Deadline(options.timeout).in_force():
        return session.from_whole_files(attempts)


def _ranked(
    session: Session,
    snapshot: Snapshot,
    asker: Asker,
    query: Query,
    options: Options,
    *,
    without_gone: bool,
) -> tuple[Scores, tuple[Hit, ...], Grounds]:
    """Rank, and read the hits and what stands behind the answer.

    Groups, and what priors move, are searched further down until there is enough for certain.
    """
    config, calibration, backend = asker.config, asker.calibrator.of(snapshot), session.backend
    limit, recent = query.limit, config.fusion.priors
    given: dict[int, float] = {}
    depth = _first_depth(options, config, limit, snapshot.size)
    while True:
        scores = pipeline.run(snapshot, replace(query, limit=depth), config)
        everything = depth >= snapshot.size or len(scores.order) < depth
        certain = everything or not (options.group_by is not None or recent.on)
        highest = 0.0 if certain else _highest_beyond(scores, config)
        if options.rerank is not None:
            rerank(backend, scores, query, config, options.rerank, given)
        if recent.on:
            priors.apply(backend, scores, config, scores.order)
            priors.reorder(scores, config)
        hits, grounds = collect(backend, query, scores, limit, options, config, calibration, without_gone=without_gone)
        if certain:
            return scores, hits, grounds
        if options.group_by is not None:
            enough = len(hits) == limit and hits[-1].score > highest
        else:
            enough = not highest or final_scores(scores, scores.order[limit - 1 : limit], config)[0] > highest
        if enough:
            return scores, hits, grounds
        depth = min(depth * _FURTHER, snapshot.size)


def _read_as(query: Query) -> Iterator[str]:
    """Yield what misspelt words were read as."""
    for typed, meant in query.read_as.items():
        yield f"No text has the word {shown(typed)}; it was read as {shown(meant)}."


def _notes(query: Query, scores: Scores, hits: tuple[Hit, ...], options: Options) -> tuple[str, ...]:
    """Return why there is no hit, where that is known, or that what hits are to be grouped by none of them has."""
    if not scores.snapshot.size:
        return ("The graph is empty; fourfold index and Retriever.add fill it.",)
    if query.allowed is not None and not len(query.allowed):
        return (
            "No node passes the filter: none has these values, of the same type, under these keys of its metadata.",
        )
    bounds = {"min_score": options.min_score, "min_confidence": options.min_confidence}
    if scores.order and not hits and (given := [f"{name} {least:g}" for name, least in bounds.items() if least]):
        return (f"Nothing that was found passes {' and '.join(given)}.",)
    if not hits and not query.text.strip():
        return ("The question is empty; ask it in words, or by query_vector.",)
    if hits and options.group_by is not None and not any(options.group_by in hit.node.metadata for hit in hits):
        return (f"No hit has {shown(options.group_by)} in its metadata, so nothing was grouped.",)
    return ()


def _highest_beyond(scores: Scores, config: RetrievalConfig) -> float:
    """Return what stands below the last can have at most: it may rise by its community's bonus, and by being pinned.

    Beside the best, which coverage re-orders, all are told relative to the first of these.
    """
    lowest = scores.table.totals(np.array(scores.order[-1:], np.int64)).sum()
    told = 1.0 if scores.covering is None else scores.covering[EVERY_OTHER]
    return float(lowest * (1 + config.diversity.bonus) * told * config.fusion.priors.most)


def _first_depth(options: Options, config: RetrievalConfig, limit: int, size: int) -> int:
    """Return how many nodes are ranked at first."""
    depth = limit if options.rerank is None else max(limit, min(options.rerank.depth, size))
    if options.group_by is not None or config.fusion.priors.on:
        depth = max(depth, min(_FURTHER * limit, size))
    return depth or 1


def _explanation(
    backend: Backend,
    scores: Scores,
    query: Query,
    config: RetrievalConfig,
    hits: tuple[Hit, ...],
    num: int,
    node: Node,
) -> Explanation:
    rank = next((place for place, hit in enumerate(hits, 1) if hit.node.id == node.id), None)
    include(scores, query, num)
    if num not in scores.order and (query.allowed is None or query.allowed.contains(np.array([num], np.int64)).all()):
        priors.apply(backend, scores, config, [num])
    here = np.array([num], np.int64)
    components = components_of(scores, here)
    known = {num: (node.id, node.name)}
    ranking = scores.rankings.get("embedding")
    cosines = [None] if ranking is None else ranking.at(here).tolist()
    ways = ways_to(here, scores)
    evidence = named_evidence(
        backend, scores, query, config, here, ways, components, cosines, known, paths_shown=IN_EXPLANATIONS
    )[0]
    masked = any(item.kind == "masked" for item in evidence)
    explanation = Explanation(
        query=query.typed,
        node=node,
        rank=rank,
        score=0.0 if masked else float(final_scores(scores, [num], config)[0]),
        intent=scores.spec.name,
        weights=scores.weights,
        components=components[0],
        evidence=evidence,
        text="",
        contributions=tuple(Contribution(item.component, in_words(item), item.value) for item in evidence),
    )
    return replace(explanation, text=explanation_text(explanation, scores.failed))
