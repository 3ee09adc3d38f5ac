"""Every constant of the method, in groups, and the two presets beside the default.

``RetrievalConfig.published()`` is the published method to the letter. ``RetrievalConfig()`` is what users get: the
same four components, eight intents and weighted sum, with the changes that measurement asked for (docs/defaults.md
tells each with its figures).
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, TypeVar

from fourfold.arguments import LARGEST_CONSTANT, shown, whole_number
from fourfold.config.groups import (
    PUBLISHED_PROFILE,
    DiversityConfig,
    EmbeddingConfig,
    FusionConfig,
    GraphConfig,
    IndexConfig,
    IntentConfig,
    SeedConfig,
    TextConfig,
    TextField,
)
from fourfold.config.steps import Bridge, Coverage, LateInteraction, Paths
from fourfold.edge_types import EDGE_TYPE_WEIGHTS
from fourfold.errors import InvalidValueError
from fourfold.intent import PUBLISHED_INTENTS
from fourfold.types import Weights

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalConfig:
    """The constants of retrieval, in groups. Change some with ``config.replace(limit=5, graph={"second_hop": 0.3})``.

    Args:
        limit: number of hits when ``k`` is not given.
        text: the text component.
        embedding: what the embedder reads of a node.
        fusion: scales and weights of the components, and their sum.
        seeds: where the edges are followed from.
        graph: the graph component.
        intents: the intents and their edges.
        diversity: the bonus for the first hit of each community.
        index: cache and exactness.

    """

    limit: int = 10
    text: TextConfig = TextConfig()
    embedding: EmbeddingConfig = EmbeddingConfig()
    fusion: FusionConfig = FusionConfig()
    seeds: SeedConfig = SeedConfig()
    graph: GraphConfig = GraphConfig()
    intents: IntentConfig = IntentConfig()
    diversity: DiversityConfig = DiversityConfig()
    index: IndexConfig = IndexConfig()

    def __post_init__(self) -> None:
        """Refuse what is no group, and constants no search can use."""
        object.__setattr__(self, "limit", whole_number(self.limit, "limit", most=int(LARGEST_CONSTANT)))
        for name, group in _groups().items():
            if not isinstance(value := getattr(self, name), group):
                raise InvalidValueError(
                    f"{name} is {shown(value)}; it must be a {group.__name__}, or use config.replace({name}={{…}})."
                )

    def replace(self, **changes: Any) -> RetrievalConfig:
        """Return the config with some constants changed: ``config.replace(limit=5, graph={"second_hop": 0.3})``.

        A group is given as a mapping of the constants that change, or as a whole, such as ``graph=GraphConfig()``.

        Raises:
            InvalidValueError: there is no such group or constant, or no search can use the value.

        """
        return _replaced(self, changes)

    def index_key(self, own_share: float) -> tuple[Hashable, ...]:
        """Return what of the config an index depends on; equal for configs that can share one.

        Args:
            own_share: the share of a node's own text in its vector; the rest is its neighbours', by edge type.

        """
        text = (self.text.fields, self.text.k1, self.text.b)
        if own_share >= 1:
            return text
        graph = self.graph
        of_types = tuple(sorted(graph.type_weights.items()))
        return (*text, of_types, graph.unknown_weight, graph.related_types, graph.untyped_weight)

    def as_dict(self) -> dict[str, Any]:
        """Return every constant in JSON types, group by group."""
        plain: dict[str, Any] = _plain(self)
        return plain

    def fingerprint(self) -> str:
        """Return a short hash of every constant: equal for equal configs, in every process."""
        return hashlib.blake2b(json.dumps(self.as_dict(), sort_keys=True).encode(), digest_size=8).hexdigest()

    @classmethod
    def published(cls) -> RetrievalConfig:
        """Return the published method, constant by constant."""
        return cls(
            limit=20,
            text=TextConfig(
                tokenizer="suffix",
                fields=(TextField(("name", "type"), 1.0),),
                topic=False,
                keyword_boost=5.0,
                keyword_prefix=False,
                phrase_nodes=None,
                called=False,
                spelling=False,
            ),
            embedding=EmbeddingConfig(name_times=1, with_type=True),
            fusion=FusionConfig(
                scaling="max",
                weights=PUBLISHED_PROFILE,
                foreign=1.0,
                partial_weights=PUBLISHED_PROFILE,
                intent_tilt=None,
                normalize_weights=False,
                clip=False,
                fill=False,
                late=LateInteraction(depth=0),
            ),
            seeds=SeedConfig(sharpness=None),
            graph=GraphConfig(
                type_weights=EDGE_TYPE_WEIGHTS,
                related_types=False,
                edge_weights="none",
                degree_exponent=0.0,
                hub_cap=None,
                second_hop=0.0,
                published_second_hop=True,
                to_parts=0.0,
                pagerank_share=0.3,
                background=0.0,
                bridge=Bridge(weight=0.0),
            ),
            intents=IntentConfig(specs=PUBLISHED_INTENTS, chosen_types=0.0, paths=Paths(weight=0.0)),
            diversity=DiversityConfig(exact_communities=True, coverage=Coverage(weight=0.0), sides=False, depth=0),
        )

    @classmethod
    def two_signal(
        cls, *, vector_weight: float = 0.7, bm25_weight: float = 0.3, limit: int = 5, candidate_multiplier: int = 3
    ) -> RetrievalConfig:
        """Return two-signal search for plain documents: vectors and BM25, each min–max scaled, no graph, no intents."""
        weights = Weights(vector_weight, bm25_weight, 0.0, 0.0)
        return cls(
            limit=limit,
            text=TextConfig(
                fields=(TextField(("name", "type", "text"), 1.0),),
                topic=False,
                phrase="never",
                called=False,
                spelling=False,
            ),
            fusion=FusionConfig(
                scaling="min-max",
                candidate_multiplier=candidate_multiplier,
                weights=weights,
                foreign=1.0,
                intent_tilt=0.0,
                late=LateInteraction(depth=0),
            ),
            seeds=SeedConfig(per_component=0),
            graph=GraphConfig(bridge=Bridge(weight=0.0)),
            intents=IntentConfig(specs=(), paths=Paths(weight=0.0)),
            diversity=DiversityConfig(bonus=0.0, coverage=Coverage(weight=0.0), sides=False, depth=0),
        )


def _groups() -> dict[str, type]:
    """Return the class of each group by its name in ``RetrievalConfig``."""
    return {f.name: type(f.default) for f in dataclasses.fields(RetrievalConfig) if dataclasses.is_dataclass(f.default)}


def _replaced(old: T, changes: Mapping[str, Any], where: str = "") -> T:
    """Return a group with some of its constants changed; an unknown name is told with the known ones."""
    known = [f.name for f in dataclasses.fields(old)]  # type: ignore[arg-type]
    if unknown := [name for name in changes if name not in known]:
        raise InvalidValueError(f"There is no constant {where}{unknown[0]}; there are {', '.join(known)}.")
    nested = {
        name: _replaced(getattr(old, name), change, f"{where}{name}.")
        if dataclasses.is_dataclass(getattr(old, name)) and isinstance(change, Mapping)
        else change
        for name, change in changes.items()
    }
    return dataclasses.replace(old, **nested)  # type: ignore[type-var]


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value):
        return {f.name: _plain(getattr(value, f.name)) for f in dataclasses.fields(value) if f.compare}
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, (tuple, list)):
        return [_plain(each) for each in value]
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, Integral):
        return int(value)
    return float(value) if isinstance(value, Real) else str(value)
