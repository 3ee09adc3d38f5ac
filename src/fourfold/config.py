"""Every constant of the method in one frozen dataclass.

``RetrievalConfig.published()`` is the published method to the letter. ``RetrievalConfig()`` is what users get: the
same four components, eight intents and weighted sum, with the changes that measurement asked for (docs/defaults.md
tells each with its figures).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from fourfold.edge_types import DEFAULT_TYPE_WEIGHTS, EDGE_TYPE_WEIGHTS, UNTYPED, type_weight
from fourfold.errors import InvalidValueError
from fourfold.intent import DEFAULT_INTENTS, PUBLISHED_INTENTS, IntentSpec
from fourfold.types import FloatArray, Weights

PUBLISHED_PROFILE = Weights(0.40, 0.45, 0.15, 0.0)
"""The profile without an intent; also fills in what a caller's partial weights leave out."""


_NOT_NEGATIVE = (
    *("k1", "b", "keyword_boost", "background", "cache_seconds", "unknown_edge_weight", "forward", "backward"),
    *("degree_exponent", "second_hop", "pagerank_share", "chosen_types", "chosen_second_hop", "diversity_bonus"),
)


@dataclass(frozen=True, slots=True)
class TextField:
    """Columns of a node read as one text by BM25, and the weight of that reading in the sum."""

    columns: tuple[Literal["name", "type", "text"], ...]
    weight: float = 1.0


@dataclass(frozen=True)
class RetrievalConfig:
    """The constants of retrieval. Change some with ``dataclasses.replace(config, …)``.

    Answers
        limit: number of hits when ``k`` is not given.
        cache_seconds: life of a cached answer; 0 turns the cache off.
        cache_size: number of cached answers.

    Text
        language: Snowball language of a new index; an existing index keeps its own.
        tokenizer: name of the tokenizer if not ``snowball-{language}``; ``"suffix"`` is the published one.
        text_fields: what BM25 reads, and how much each reading counts.
        k1, b: BM25 saturation and length normalisation.
        keyword_boost: how often a query token counts that is a keyword of the intent.
        keyword_prefix: keywords are prefixes of the token as typed; else they are compared with its stem.
        phrase_search: look the query up as a phrase by FTS5.
        phrase_quoted_only: … only where the query holds a phrase in quotation marks.

    Scales
        scaling: ``"min-max"``: the ``candidate_multiplier * limit`` best of each component, from 0 to 1 (two-signal
            search); ``"standard"``: standard scores, negatives to 0, text and embedding divided by the query's single
            largest, the graph component as the share of the seeds' weight that arrives; ``"max"``: each component
            divided by its own maximum (published).
        background: number of imaginary nodes without any match in the mean and deviation of standard scores, so that
            tiny graphs have scores too.
        candidate_multiplier: of embeddings and phrases, the ``candidate_multiplier * limit`` best are kept
            (not with ``scaling="standard"``).

    Weights
        weights: global weights. With ``intent_tilt=None`` they serve only queries without an intent.
        partial_weights: what a caller's mapping leaves out.
        intent_tilt: exponent τ in w ∝ global · (profile / mean profile)^τ; 0 ignores the intent; None takes the
            profile itself (published).
        normalize_weights: divide weights by their sum, and give the weight of a component without data to the others.
        clip: cut final scores to 1.
        fill: where fewer nodes than asked for have a score, add the nearest by embedding, with a score of 0.

    Seeds
        seeds_per_component: seeds are the union of that many best by text and by embedding.
        seed_sharpness: seed weight ``exp(sharpness · (score / best − 1))``; None gives every seed 1 (published).

    Graph
        edge_type_weights, unknown_edge_weight: weight of an edge by its type.
        related_types: see ``edge_types.type_weight``.
        forward, backward: factor along and against the arrow.
        untyped_edge_weight, untyped_backward: weight of an edge without a type, and its factor against the arrow
            (the method: +0.5 along, +0.3 = 0.5 · 0.6 against).
        use_edge_weights: multiply by ``Edge.weight``.
        degree_exponent: a step from a node counts ``degree ** -exponent``.
        hub_cap: a node gives to at most that many edges of each direction; None is without bound.
        second_hop: share of what the first hop reached that goes one hop further.
        published_second_hop: the published rule instead: for intents that ask for it, +0.15 along each arrow from the
            20 best so far to a node that is no seed.
        pagerank_share, pagerank_min_edges: blend of PageRank into the component, from that many edges on.

    Intent edges
        chosen_types: how much edge types count whose label is close to the query's words, beside the intent's own; 0
            turns them off.
        chosen_sharpness, chosen_enough: see ``edge_types.TypeLabels.closeness``.
        chosen_second_hop: share of the second hop along chosen types.

    Diversity
        diversity_bonus: the first hit of each community gains this share of its score.
        diversity_min_edges, diversity_min_hits: only from that many edges, and with more hits than that.
        exact_communities: greedy modularity at every size (published); else by size, see ``index.communities``.

    Text given to the embedder
        embed_name_times: how often the name stands before the text; a mean over tokens then weighs it more.
        embed_type: whether the node's type is part of it.
    """

    limit: int = 10
    cache_seconds: float = 300.0
    cache_size: int = 1024

    language: str = "english"
    tokenizer: str | None = None
    text_fields: tuple[TextField, ...] = (TextField(("name", "type", "text"), 1.0), TextField(("name",), 0.3))
    k1: float = 1.2
    b: float = 0.75
    keyword_boost: float = 1.0
    keyword_prefix: bool = True
    phrase_search: bool = True
    phrase_quoted_only: bool = True

    scaling: Literal["standard", "max", "min-max"] = "standard"
    background: int = 10
    candidate_multiplier: int = 3

    weights: Weights = Weights(0.31, 0.25, 0.26, 0.18)
    partial_weights: Weights = PUBLISHED_PROFILE
    intent_tilt: float | None = 0.25
    normalize_weights: bool = True
    clip: bool = True
    fill: bool = True

    seeds_per_component: int = 10
    seed_sharpness: float | None = 8.0

    edge_type_weights: Mapping[str, float] = field(default_factory=lambda: DEFAULT_TYPE_WEIGHTS, hash=False)
    unknown_edge_weight: float = 0.5
    related_types: bool = True
    forward: float = 1.0
    backward: float = 0.7
    untyped_edge_weight: float = 0.5
    untyped_backward: float = 0.6
    use_edge_weights: bool = True
    degree_exponent: float = 0.25
    hub_cap: int | None = 1000
    second_hop: float = 0.5
    published_second_hop: bool = False
    pagerank_share: float = 0.0
    pagerank_min_edges: int = 20

    intents: tuple[IntentSpec, ...] = DEFAULT_INTENTS
    chosen_types: float = 1.0
    chosen_sharpness: float = 4.0
    chosen_enough: float = 0.3
    chosen_second_hop: float = 1.0

    diversity_bonus: float = 0.05
    diversity_min_edges: int = 10
    diversity_min_hits: int = 3
    exact_communities: bool = False

    embed_name_times: int = 2
    embed_type: bool = False

    def __post_init__(self) -> None:
        """Refuse constants no search can use."""
        at_least = {"limit": 1, "seeds_per_component": 0, "candidate_multiplier": 1, "background": 0, "cache_size": 0}
        for name, minimum in at_least.items():
            if getattr(self, name) < minimum:
                raise InvalidValueError(f"{name} is {getattr(self, name)}; it must be at least {minimum}.")
        numbers = {name: getattr(self, name) for name in _NOT_NEGATIVE}
        numbers |= {f"edge_type_weights[{name!r}]": weight for name, weight in self.edge_type_weights.items()}
        for name, number in numbers.items():
            if not 0 <= number < float("inf"):
                raise InvalidValueError(f"{name} is {number}; it must be a finite number of at least 0.")
        if not self.b <= 1:
            raise InvalidValueError(f"b is {self.b}; it must be from 0 to 1.")
        if self.scaling not in ("standard", "max", "min-max"):
            raise InvalidValueError(f"scaling is {self.scaling!r}; it must be 'standard', 'max' or 'min-max'.")
        names = [spec.name for spec in self.intents]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise InvalidValueError(f"Two intents have the name {twice!r}; a name must be unique.")
        if not self.text_fields:
            raise InvalidValueError("text_fields is empty; BM25 needs at least one TextField to read.")

    @property
    def tokenizer_name(self) -> str:
        """The name of the tokenizer a new index is made with."""
        return self.tokenizer or f"snowball-{self.language}"

    @property
    def index_key(self) -> tuple[object, ...]:
        """What of the config the index depends on."""
        return (self.text_fields, self.k1, self.b)

    def type_weights(self, names: Sequence[str]) -> FloatArray:
        """Return the weight of an edge of each type, (n_types,)."""
        known = {**self.edge_type_weights, UNTYPED: self.untyped_edge_weight}
        weights = [type_weight(name, known, self.unknown_edge_weight, related=self.related_types) for name in names]
        return np.array(weights, np.float64)

    def fingerprint(self) -> str:
        """Return a short hash of every constant: equal for equal configs, in every process."""
        values = [
            (name, sorted(value.items()) if isinstance(value, Mapping) else value)
            for name, value in sorted(vars(self).items())
        ]
        return hashlib.blake2b(repr(values).encode(), digest_size=8).hexdigest()

    @classmethod
    def published(cls) -> RetrievalConfig:
        """Return the published method, constant by constant."""
        return cls(
            limit=20,
            tokenizer="suffix",
            text_fields=(TextField(("name", "type"), 1.0),),
            k1=1.5,
            keyword_boost=5.0,
            keyword_prefix=False,
            phrase_quoted_only=False,
            scaling="max",
            weights=PUBLISHED_PROFILE,
            intent_tilt=None,
            normalize_weights=False,
            clip=False,
            fill=False,
            seed_sharpness=None,
            edge_type_weights=EDGE_TYPE_WEIGHTS,
            related_types=False,
            use_edge_weights=False,
            degree_exponent=0.0,
            hub_cap=None,
            second_hop=0.0,
            published_second_hop=True,
            pagerank_share=0.3,
            intents=PUBLISHED_INTENTS,
            chosen_types=0.0,
            exact_communities=True,
            embed_name_times=1,
            embed_type=True,
        )

    @classmethod
    def two_signal(
        cls, *, vector_weight: float = 0.7, bm25_weight: float = 0.3, limit: int = 5, candidate_multiplier: int = 3
    ) -> RetrievalConfig:
        """Return two-signal search for plain documents: vectors and BM25, each min–max scaled, no graph, no intents."""
        return cls(
            limit=limit,
            candidate_multiplier=candidate_multiplier,
            text_fields=(TextField(("name", "type", "text"), 1.0),),
            keyword_boost=1.0,
            phrase_search=False,
            scaling="min-max",
            weights=Weights(vector_weight, bm25_weight, 0.0, 0.0),
            partial_weights=Weights(vector_weight, bm25_weight, 0.0, 0.0),
            intent_tilt=0.0,
            seeds_per_component=0,
            intents=(),
            diversity_bonus=0.0,
        )
