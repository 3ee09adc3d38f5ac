"""Step 2: the four weights of a question, from its intent or from the caller."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache

from fourfold.arguments import LARGEST_CONSTANT, finite_number
from fourfold.config import FusionConfig, LateInteraction, RetrievalConfig
from fourfold.intent import IntentSpec
from fourfold.types import COMPONENTS, Intent, Weights

_EIGHT = frozenset(Intent)
_LATE_ON_ENCODER = 0.5
"""Late interaction reads words one by one: on vectors that have read them in their order, the root of its factor."""

_FOREIGN, _ENGLISH = 0.4, 0.55
"""Up to which share of known words a question is foreign to an embedder, and from which it is not."""

_BRIEF = 10
"""So many bytes of a question are known whatever they are: of a word or two nobody can tell the language."""

_LOST = 1e-15
"""A smaller share of the sum is less than its rounding."""


def choose_weights(
    spec: IntentSpec,
    given: Weights | Mapping[str, float] | None,
    config: RetrievalConfig,
    has_data: Mapping[str, bool],
    read: float = 1.0,
) -> Weights:
    """Return the caller's weights, or the intent's: less of embedding in a question that its model cannot read.

    ``has_data`` tells which components can have a score at all, ``read`` how far the embedder can read the question.
    """
    fusion = config.fusion
    if isinstance(given, Weights) or given:
        weights = explicit_weights(given, spec, config)
    else:
        weights = as_far_as_read(of_intent(spec, config), read, fusion.foreign)
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
    profiles = tuple(s.profile for s in config.intents.specs if s.profile is not None and s.name in _EIGHT)
    if spec.profile is None or not config.fusion.intent_tilt or not profiles:
        return config.fusion.weights
    return _tilted(config.fusion.weights, spec.profile, config.fusion.intent_tilt, profiles)


@lru_cache(maxsize=256)
def _tilted(weights: Weights, profile: Weights, tilt: float, profiles: tuple[Weights, ...]) -> Weights:
    means = [sum(values) / len(profiles) for values in zip(*(each.as_tuple() for each in profiles), strict=True)]
    triples = zip(weights.as_tuple(), profile.as_tuple(), means, strict=True)
    return Weights(*(w * (own / mean if mean > 0 else 1.0) ** tilt for w, own, mean in triples))


def legible(words: Iterable[str], whole: Iterable[bool]) -> float:
    """Return how far an embedder can read a question, in [0, 1], by the share of its words that are in the vocabulary.

    They count by their bytes in UTF-8: a Chinese character says about as much as three Latin letters. Numbers belong to
    no language.
    """
    read = said = _BRIEF
    for word, known in zip(words, whole, strict=True):
        size = 0 if word.isdigit() else len(word) if word.isascii() else len(word.encode("utf-8", "replace"))
        said += size
        read += size if known else 0
    return min(max((read / said - _FOREIGN) / (_ENGLISH - _FOREIGN), 0.0), 1.0)


def as_far_as_read(weights: Weights, read: float, foreign: float) -> Weights:
    """Return weights in which text has what embedding loses where its model cannot read the question."""
    kept = (foreign + (1.0 - foreign) * read) * weights.embedding
    if kept == weights.embedding or not weights.text:
        return weights
    both = weights.embedding + weights.text
    part = both / (kept + weights.text)
    return Weights(kept * part, weights.text * part, weights.graph, weights.intent)


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
    given = weights.as_tuple()
    kept = [value if has_data[name] else 0.0 for name, value in zip(COMPONENTS, given, strict=True)]
    if not any(kept):
        kept = list(given)
    largest = max(kept)
    total = sum(value / largest for value in kept)  # the sum itself might overflow
    shares = (value / largest / total for value in kept)
    return Weights(*(share if share > _LOST else 0.0 for share in shares))
