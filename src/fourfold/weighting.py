"""Step 2: the four weights of a question, from its intent or from the caller."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from fourfold.arguments import LARGEST_CONSTANT, finite_number
from fourfold.config import FusionConfig, LateInteraction, RetrievalConfig
from fourfold.intent import IntentSpec
from fourfold.types import COMPONENTS, Intent, Weights

_EIGHT = frozenset(Intent)
_LATE_ON_ENCODER = 0.5
"""Late interaction reads words one by one: on vectors that have read them in their order, the root of its factor."""

_LOST = 1e-15
"""A smaller share of the sum is less than its rounding."""


def choose_weights(
    spec: IntentSpec,
    given: Weights | Mapping[str, float] | None,
    config: RetrievalConfig,
    has_data: Mapping[str, bool],
) -> Weights:
    """Return the caller's weights, or the intent's.

    Args:
        spec: the intent.
        given: what the caller said; None or an empty mapping is nothing.
        config: the constants of retrieval.
        has_data: which components can have a score at all.

    """
    fusion = config.fusion
    weights = explicit_weights(given, spec, config) if isinstance(given, Weights) or given else of_intent(spec, config)
    return _usable(weights, has_data) if fusion.normalize_weights else weights


def explicit_weights(given: Weights | Mapping[str, float], spec: IntentSpec, config: RetrievalConfig) -> Weights:
    """Return a caller's weights; those a mapping does not name stay as they were, or are the config's.

    Raises:
        InvalidValueError: a weight that no sum can use; beyond ``LARGEST_CONSTANT`` where they are not normalised.

    """
    if isinstance(given, Weights):
        weights = given
    else:
        others = config.fusion.partial_weights or _usable(of_intent(spec, config), dict.fromkeys(COMPONENTS, True))
        weights = Weights(**{**others.as_dict(), **given})
    if not config.fusion.normalize_weights:
        for name, value in weights.as_dict().items():
            finite_number(value, f"The weight of {name}", most=LARGEST_CONSTANT)
    return weights


def of_intent(spec: IntentSpec, config: RetrievalConfig) -> Weights:
    """Return the weights of an intent, where a caller names none."""
    fusion = config.fusion
    return (spec.profile or fusion.weights) if fusion.intent_tilt is None else tilted(spec, config)


def tilted(spec: IntentSpec, config: RetrievalConfig) -> Weights:
    """Return the global weights, tilted towards the intent's profile: w ∝ global · (profile / mean profile)^τ."""
    weights, tilt = config.fusion.weights, config.fusion.intent_tilt
    profiles = [s.profile.as_tuple() for s in config.intents.specs if s.profile is not None and s.name in _EIGHT]
    if spec.profile is None or not tilt or not profiles:
        return weights
    means = [sum(values) / len(profiles) for values in zip(*profiles, strict=True)]
    triples = zip(weights.as_tuple(), spec.profile.as_tuple(), means, strict=True)
    return Weights(*(w * (own / mean if mean > 0 else 1.0) ** tilt for w, own, mean in triples))


def over_encoder(config: RetrievalConfig) -> RetrievalConfig:
    """Return the config as it holds over an encoder's vectors: see ``fusion.encoder_share``."""
    share, weights, late = config.fusion.encoder_share, config.fusion.weights, config.fusion.late
    if share is None or weights != FusionConfig().weights:
        return config
    both = weights.embedding + weights.text
    moved = replace(weights, embedding=round(share * both, 4), text=round((1 - share) * both, 4))
    if late.on_embedding == LateInteraction().on_embedding:
        late = replace(late, on_embedding=_LATE_ON_ENCODER)
    return config.replace(fusion={"weights": moved, "late": late})


def _usable(weights: Weights, has_data: Mapping[str, bool]) -> Weights:
    """Give the weight of components without data to the others, and divide by the sum."""
    given = weights.as_dict()
    kept = {name: value for name, value in given.items() if has_data[name] and value} or given
    largest = max(kept.values())
    total = sum(value / largest for value in kept.values())  # the sum itself might overflow
    shares = {name: kept.get(name, 0.0) / largest / total for name in COMPONENTS}
    return Weights(**{name: share if share > _LOST else 0.0 for name, share in shares.items()})
