"""The ladder of the method, and each component switched off in turn: named configs to run side by side."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from fourfold import pipeline
from fourfold.config import RetrievalConfig
from fourfold.evaluate.collection import JudgedQuery, Judgements
from fourfold.evaluate.run import Run
from fourfold.index.postings import build_postings
from fourfold.types import COMPONENTS, Weights

if TYPE_CHECKING:
    from fourfold.retriever import Retriever

Progress = Callable[[int, int], None]

KEYWORD_BOOST = 5.0
"""The published boost, the ladder's third step where the default has none."""


@dataclass(frozen=True, slots=True)
class Variant:
    """A config under a name; ``mode`` says what finds the seeds."""

    name: str
    config: RetrievalConfig
    mode: str = "hybrid"


def ladder(config: RetrievalConfig) -> list[Variant]:
    """Return the steps from embedding alone to the whole method; the last is ``config``, if it is not the default."""
    default = RetrievalConfig()
    plain = replace(default, keyword_boost=1.0, intent_tilt=0.0, diversity_bonus=0.0)
    both = replace(plain, weights=replace(default.weights, graph=0.0, intent=0.0))
    boost = default.keyword_boost
    graph = replace(both, keyword_boost=boost, weights=replace(default.weights, intent=0.0))
    edges = replace(graph, weights=default.weights)
    steps = [
        Variant("embedding", replace(both, weights=Weights(1.0, 0.0, 0.0, 0.0)), "embedding"),
        Variant("+ BM25", both),
        Variant("+ keyword boost", replace(both, keyword_boost=boost if boost != 1.0 else KEYWORD_BOOST)),
        Variant("+ graph", graph),
        Variant("+ intent edges", edges),
        Variant("+ intents", default),
    ]
    if config != default:
        steps.append(Variant("+ tuned", config))
    return steps


def ablations(config: RetrievalConfig) -> list[Variant]:
    """Return the whole config, and the same with one part of it switched off, part by part."""
    found = [Variant("whole", config)]
    found += [Variant(f"− {name}", without(config, name)) for name in COMPONENTS]
    off: dict[str, dict[str, Any]] = {
        "keyword boost": {"keyword_boost": 1.0},
        "name field": {"text_fields": tuple(f for f in config.text_fields if f.columns != ("name",))},
        "intent tilt": {} if config.intent_tilt is None else {"intent_tilt": 0.0},
        "second hop": {"second_hop": 0.0, "chosen_second_hop": 0.0},
        "sharp seeds": {"seed_sharpness": None},
        "types chosen by words": {"chosen_types": 0.0},
        "edge type weights": {"edge_type_weights": {}},
        "edges against the arrow": {"backward": 0.0},
        "diversity": {"diversity_bonus": 0.0},
    }
    known = {field.name for field in fields(config)}
    for name, changes in off.items():
        if changes and set(changes) <= known and changes.get("text_fields", True):
            changed = replace(config, **changes)
            if changed != config:
                found.append(Variant(f"− {name}", changed))
    return found


def without(config: RetrievalConfig, component: str) -> RetrievalConfig:
    """Return the config with one component's weight set to 0, in every intent's profile too where those rule."""

    def dropped(weights: Weights) -> Weights:
        left = {**weights.as_dict(), component: 0.0}
        return Weights(**left) if any(left.values()) else weights

    if config.intent_tilt is not None:
        return replace(config, weights=dropped(config.weights))
    intents = tuple(
        spec if spec.profile is None else replace(spec, profile=dropped(spec.profile)) for spec in config.intents
    )
    return replace(config, weights=dropped(config.weights), intents=intents)


def weight_sweep(config: RetrievalConfig, component: str, weights: Sequence[float]) -> list[Variant]:
    """Return the config with one global weight set to each of these."""
    return [
        Variant(f"{component} {weight:g}", replace(config, weights=replace(config.weights, **{component: weight})))
        for weight in weights
    ]


def run_variants(
    retriever: Retriever,
    judgements: Judgements | Sequence[JudgedQuery],
    variants: Sequence[Variant],
    *,
    k: int = 10,
    progress: Progress | None = None,
) -> list[Run]:
    """Run every variant over the queries; the retriever's own config stays as it is.

    Times are those of the pipeline, without reading nodes and writing sentences.
    """
    queries = list(judgements)
    collection = judgements.name if isinstance(judgements, Judgements) else ""
    index, prepared = retriever.prepare([query.text for query in queries], k=k)
    postings = {retriever.config.index_key: index.postings}
    runs = []
    for place, variant in enumerate(variants):
        config, rows = variant.config, index.rows
        if config.index_key not in postings:
            postings[config.index_key] = build_postings(
                rows.tokens, rows.token_counts, config.text_fields, k1=config.k1, b=config.b
            )
        own = replace(index, postings=postings[config.index_key])
        run = Run(variant.name, collection, {}, {}, {}, {}, {"k": k, "config": config.fingerprint()})
        rankings, scores, intents, seconds = {}, {}, {}, {}
        for judged, query in zip(queries, prepared, strict=True):
            start = time.perf_counter()
            found = pipeline.run(own, replace(query, mode=variant.mode), config)
            seconds[judged.id] = time.perf_counter() - start
            rankings[judged.id] = [index.ids[position] for position in found.order]
            scores[judged.id] = [pipeline.final_score(found, position, config) for position in found.order]
            intents[judged.id] = str(found.spec.name)
        runs.append(replace(run, rankings=rankings, scores=scores, intents=intents, seconds=seconds))
        if progress is not None:
            progress(place + 1, len(variants))
    return runs
