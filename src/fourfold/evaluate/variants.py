"""The ladder of the method, and each component switched off in turn: named configs to run side by side."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from fourfold import pipeline
from fourfold.analysis import of_whole_files
from fourfold.arguments import callback, finite_number, many, one_of, whole_number
from fourfold.config import RetrievalConfig
from fourfold.evaluate.collection import JudgedQuery, Judgements, require_own_ids
from fourfold.evaluate.documents import Answer, Documents
from fourfold.evaluate.run import Run, answered
from fourfold.index.snapshot import Snapshot
from fourfold.open_graph import of_open_graph
from fourfold.scores import final_scores
from fourfold.types import COMPONENTS, Weights
from fourfold.weighting import over_encoder

if TYPE_CHECKING:
    from fourfold.retriever import Retriever

Progress = Callable[[int, int], None]

KEYWORD_BOOST = 5.0
"""The published boost, the ladder's third step where the default has none."""

REFINEMENTS: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "late interaction": {"fusion": {"late": {"depth": 0}}},
        "graph background": {"graph": {"background": 0.0}},
        "bridges": {"graph": {"bridge": {"weight": 0.0}}},
        "coverage": {"diversity": {"coverage": {"weight": 0.0}}},
        "paths": {"intents": {"paths": {"weight": 0.0}}},
    }
)
"""The steps that refine an answer, in the order of the ladder, and what switches each off."""


@dataclass(frozen=True, slots=True)
class Variant:
    """A config under a name; ``mode`` says what finds the seeds."""

    name: str
    config: RetrievalConfig
    mode: str = "hybrid"


def ladder(config: RetrievalConfig) -> list[Variant]:
    """Return the steps from BM25 and embedding alone to the whole method; the last is ``config``.

    Beside the default and what is tuned from it, the published method and others that do not add up standard scores
    have a shorter one: the four components, one after the other.
    """
    if config.fusion.scaling != "standard":
        return _components(config)
    default = RetrievalConfig()
    if config == over_encoder(default):
        default = config
    weights = default.fusion.weights
    plain = default.replace(text={"keyword_boost": 1.0}, fusion={"intent_tilt": 0.0}, diversity={"bonus": 0.0})
    for changes in REFINEMENTS.values():
        plain = plain.replace(**changes)
    both = plain.replace(fusion={"weights": replace(weights, graph=0.0, intent=0.0)})
    boost = default.text.keyword_boost
    graph = both.replace(text={"keyword_boost": boost}, fusion={"weights": replace(weights, intent=0.0)})
    edges = graph.replace(fusion={"weights": weights})
    bonus = {"bonus": default.diversity.bonus}
    boosted = both.replace(text={"keyword_boost": boost if boost != 1.0 else KEYWORD_BOOST})
    steps = [
        Variant("BM25", both.replace(fusion={"weights": Weights(0.0, 1.0, 0.0, 0.0)}), "text"),
        Variant("embedding", both.replace(fusion={"weights": Weights(1.0, 0.0, 0.0, 0.0)}), "embedding"),
        Variant("+ BM25", both),
        Variant("+ keyword boost", boosted),
        Variant("+ graph", graph),
        Variant("+ intent edges", edges),
        Variant("+ intents", edges.replace(fusion={"intent_tilt": default.fusion.intent_tilt}, diversity=bonus)),
    ]
    for place, name in enumerate(REFINEMENTS, 1):
        whole = default
        for changes in list(REFINEMENTS.values())[place:]:
            whole = whole.replace(**changes)
        steps.append(Variant(f"+ {name}", whole))
    if config != default:
        steps.append(Variant("+ tuned", config))
    return steps


def _components(config: RetrievalConfig) -> list[Variant]:
    both = without(without(config, "graph"), "intent")
    return [
        Variant("BM25", without(both, "embedding"), "text"),
        Variant("embedding", without(both, "text"), "embedding"),
        Variant("+ BM25", both),
        Variant("+ graph", without(config, "intent")),
        Variant("whole", config),
    ]


def ablations(config: RetrievalConfig) -> list[Variant]:
    """Return the whole config, and the same with one part of it switched off, part by part."""
    found = [Variant("whole", config)]
    found += [Variant(f"− {name}", without(config, name)) for name in COMPONENTS]
    tilt = None if config.fusion.intent_tilt is None else 0.0
    no_name = tuple(field for field in config.text.fields if field.columns != ("name",))
    off: dict[str, Mapping[str, Any]] = {
        "keyword boost": {"text": {"keyword_boost": 1.0}},
        "name field": {"text": {"fields": no_name or config.text.fields}},
        "intent tilt": {"fusion": {"intent_tilt": tilt}},
        "second hop": {"graph": {"second_hop": 0.0}, "intents": {"chosen_second_hop": 0.0}},
        "sharp seeds": {"seeds": {"sharpness": None}},
        "types chosen by words": {"intents": {"chosen_types": 0.0}},
        "edge type weights": {"graph": {"type_weights": {}}},
        "edges against the arrow": {"graph": {"backward": 0.0}},
        "diversity": {"diversity": {"bonus": 0.0}},
        **REFINEMENTS,
    }
    changed = {name: config.replace(**changes) for name, changes in off.items()}
    return found + [Variant(f"− {name}", other) for name, other in changed.items() if other != config]


def without(config: RetrievalConfig, component: str) -> RetrievalConfig:
    """Return the config with one component's weight set to 0, in every intent's profile too where those rule."""

    def dropped(weights: Weights) -> Weights:
        left = {**weights.as_dict(), component: 0.0}
        return Weights(**left) if any(left.values()) else weights

    if config.fusion.intent_tilt is not None:
        return config.replace(fusion={"weights": dropped(config.fusion.weights)})
    specs = tuple(
        spec if spec.profile is None else replace(spec, profile=dropped(spec.profile)) for spec in config.intents.specs
    )
    return config.replace(fusion={"weights": dropped(config.fusion.weights)}, intents={"specs": specs})


def weight_sweep(config: RetrievalConfig, component: str, weights: Sequence[float]) -> list[Variant]:
    """Return the config with one global weight set to each of these.

    Raises:
        InvalidValueError: no such component, or a weight that is none.

    """
    now = config.fusion.weights
    component = one_of(component, "component", COMPONENTS)
    given = [finite_number(weight, "A weight", least=0) for weight in many(weights, "weights", "numbers")]
    return [
        Variant(f"{component} {weight:g}", config.replace(fusion={"weights": replace(now, **{component: weight})}))
        for weight in given
    ]


@of_open_graph
@of_whole_files
def run_variants(
    retriever: Retriever,
    judgements: Judgements | Sequence[JudgedQuery],
    variants: Sequence[Variant],
    *,
    k: int = 10,
    progress: Progress | None = None,
) -> list[Run]:
    """Run every variant over the queries, as ``evaluate`` does; the retriever's own config stays as it is.

    Times are those of the pipeline, without reading nodes and writing sentences.

    Raises:
        InvalidValueError: as ``evaluate``.

    """
    queries = list(many(judgements, "judgements", "judged queries"))
    require_own_ids(queries)
    callback(progress)
    k = whole_number(k, "k")
    collection = judgements.name if isinstance(judgements, Judgements) else ""
    _, prepared = retriever.analysis.prepare([query.text for query in queries], k=k)
    documents = Documents(retriever, queries)

    asked = {judged.id: query for judged, query in zip(queries, prepared, strict=True)}

    def search(snapshot: Snapshot, variant: Variant, judged: JudgedQuery, depth: int) -> Answer:
        query = replace(asked[judged.id], mode=variant.mode, limit=depth)
        found = pipeline.run(snapshot, query, variant.config)
        scores = final_scores(found, found.order, variant.config).tolist()
        return str(found.spec.name), list(zip(snapshot.ids(np.array(found.order, np.int64)), scores, strict=True))

    runs = []
    for place, variant in enumerate(variants):
        snapshot = retriever.analysis.snapshot(variant.config)
        run = answered(documents, queries, k, partial(search, snapshot, variant))
        facts = {"k": k, "config": variant.config.fingerprint()}
        runs.append(replace(run, system=variant.name, collection=collection, facts=facts))
        if progress is not None:
            progress(place + 1, len(variants))
    return runs
