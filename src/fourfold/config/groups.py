"""The groups of constants that a ``RetrievalConfig`` is made of: one for each part of the method."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Literal

from fourfold.arguments import constants, whole_number
from fourfold.config.steps import Bridge, Coverage, LateInteraction, Paths, Priors
from fourfold.edge_types import DEFAULT_TYPE_WEIGHTS, UNTYPED, type_weights
from fourfold.errors import InvalidValueError
from fourfold.intent import DEFAULT_INTENTS, IntentSpec
from fourfold.types import FloatArray, Weights

MOST_FIELDS = 20
"""TextFields, and columns of one: so many times is every text read."""

PUBLISHED_PROFILE = Weights(0.40, 0.45, 0.15, 0.0)
"""The profile without an intent; by the published rule also what a caller's mapping of weights leaves out."""


@dataclass(frozen=True, slots=True)
class TextField:
    """Columns of a node read as one text by BM25, and the weight of that reading in the sum."""

    columns: tuple[Literal["name", "type", "text"], ...]
    weight: float = 1.0

    def __post_init__(self) -> None:
        """Refuse what nothing can be read of."""
        constants(self, "TextField.")


@dataclass(frozen=True, slots=True, kw_only=True)
class TextConfig:
    """The text component: what is read of a node, and how words count.

    Args:
        language: Snowball language of a new index; an existing index keeps its own.
        tokenizer: name of the tokenizer if not ``snowball-{language}``; ``"suffix"`` is the published one.
        fields: what BM25 reads, and how much each reading counts.
        k1: saturation of the term frequency, at least 0.
        b: strength of the length normalisation, from 0 to 1.
        topic: leave out what is said to whoever answers ("Hi! Could you please tell me …"), see ``reading.courtesy``,
            and where the texts are such writings what only frames a request ("I am interested in articles on …"), see
            ``reading.topic``.
        keyword_boost: how often a query token counts that is a keyword of the intent.
        keyword_prefix: keywords are prefixes of the token as typed; else they are compared with its stem.
        phrase: when a phrase is looked up by FTS5: ``"never"``; ``"quoted"``, what the query holds in quotation marks;
            ``"always"``, the whole query where it quotes nothing.
        phrase_nodes: the whole query is looked up as a phrase only where its rarest word is in at most so many nodes,
            which bounds the time; None: always, quotation marks and all (published).
        called: what the question calls by its whole name, in two words or more that are written as names are, has all
            of the text component and leads on as the best match does, see ``signals.called``.
        spelling: a word that no node holds is read as the graph writes it ("github" as GitHub), see ``reading.joined``,
            and in English as a word that is a slip of the keyboard away, see ``reading.spelling``;
            ``SearchResult.notes`` say so.

    """

    language: str = "english"
    tokenizer: str | None = None
    fields: tuple[TextField, ...] = (TextField(("name", "type", "text"), 1.0), TextField(("name",), 0.3))
    k1: float = 1.5
    b: float = 0.75
    topic: bool = True
    keyword_boost: float = 1.0
    keyword_prefix: bool = True
    phrase: Literal["never", "quoted", "always"] = "always"
    phrase_nodes: int | None = 2_000
    called: bool = True
    spelling: bool = True

    def __post_init__(self) -> None:
        """Refuse constants no search can use."""
        constants(self, "text.", b=1)
        if not self.fields:
            raise InvalidValueError("text.fields is empty; BM25 needs at least one TextField to read.")
        if (most := max(len(self.fields), *(len(field.columns) for field in self.fields))) > MOST_FIELDS:
            raise InvalidValueError(f"text.fields has {most:,} TextFields or columns; it can have {MOST_FIELDS}.")

    @property
    def tokenizer_name(self) -> str:
        """The name of the tokenizer a new index is made with."""
        return self.tokenizer or f"snowball-{self.language}"

    @property
    def names(self) -> int | None:
        """The place of the field that reads names and nothing else; None where there is none."""
        return next((place for place, field in enumerate(self.fields) if field.columns == ("name",)), None)

    def weights_over(self, fields: Sequence[TextField]) -> tuple[float, ...] | None:
        """Return how much each of other fields counts here; None where they do not tell what these read.

        One that is not among these counts nothing, as long as these read all of its columns: who holds a word must not
        depend on it.
        """
        columns, own = ([each.columns for each in read] for read in (fields, self.fields))
        if not set(own) <= set(columns) or set(chain(*own)) != set(chain(*columns)):
            return None
        weights = [0.0] * len(columns)
        for read, weight in zip(own, (each.weight for each in self.fields), strict=True):
            weights[columns.index(read)] += weight
        return tuple(weights)


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingConfig:
    """What the embedder reads of a node; stored with the vectors, which two readings must not share.

    Args:
        name_times: how often the name stands before the text; a mean over tokens then weighs it more.
        with_type: whether the node's type is part of it.

    """

    name_times: int = 2
    with_type: bool = False

    def __post_init__(self) -> None:
        """Refuse constants no embedder can use."""
        constants(self, "embedding.", name_times=100)


@dataclass(frozen=True, slots=True, kw_only=True)
class FusionConfig:
    """How the components are scaled, weighed and added up.

    Args:
        scaling: ``"min-max"``: the ``candidate_multiplier * limit`` best of each component, from 0 to 1 (two-signal
            search); ``"standard"``: standard scores, negatives to 0, text and embedding divided by the query's single
            largest, the graph component as the share of the seeds' weight that arrives; ``"max"``: each component
            divided by its own maximum (published).
        background: number of imaginary nodes without any match in the mean and deviation of standard scores, so that
            tiny graphs have scores too.
        candidate_multiplier: of embeddings and phrases, the ``candidate_multiplier * limit`` best are kept
            (not with ``scaling="standard"``).
        weights: global weights. With ``intent_tilt=None`` they serve only queries without an intent.
        encoder_share: embedding's share of embedding and text together, from 0 to 1, where an encoder makes the vectors
            (a transformer, a service, any function; no table of tokens) and ``weights`` are the default's; None: as
            ``weights`` say. With it late interaction counts half on embedding, see ``late.on_embedding``. Measured in
            docs/evaluation.md, "Beside a transformer".
        foreign: the factor of embedding's weight, from 0 to 1, in a question whose words the model in the package
            knows only in pieces: it reads English. Measured in docs/reading-questions.md, "Other languages".
        partial_weights: what a caller's mapping of weights leaves out (published); None: as without the mapping.
        intent_tilt: exponent τ in w ∝ global · (profile / mean profile)^τ; 0 ignores the intent; None takes the
            profile itself (published).
        normalize_weights: divide weights by their sum, and give the weight of a component without data to the others.
        clip: cut final scores to 1.
        fill: where fewer nodes than asked for have a score, add the nearest by embedding, with a score of 0.
        late: the question's wordpieces against each candidate's, a factor of text and embedding.
        priors: how recent a node is, and whether it is pinned: a factor of the final score.

    """

    scaling: Literal["standard", "max", "min-max"] = "standard"
    background: int = 10
    candidate_multiplier: int = 3
    weights: Weights = Weights(0.31, 0.25, 0.26, 0.18)
    encoder_share: float | None = 0.65
    foreign: float = 0.25
    partial_weights: Weights | None = None
    intent_tilt: float | None = 0.25
    normalize_weights: bool = True
    clip: bool = True
    fill: bool = True
    late: LateInteraction = LateInteraction()
    priors: Priors = Priors()

    def __post_init__(self) -> None:
        """Refuse constants no search can use."""
        constants(self, "fusion.", intent_tilt=100, encoder_share=1, foreign=1)
        whole_number(self.candidate_multiplier, "fusion.candidate_multiplier")
        for weights in (self.weights, self.partial_weights):
            if weights is not None:
                constants(weights, "a weight of fusion: ")


@dataclass(frozen=True, slots=True, kw_only=True)
class SeedConfig:
    """The nodes from which graph and intent edges are followed.

    Args:
        per_component: seeds are the union of that many best by text and by embedding.
        sharpness: seed weight ``exp(sharpness · (score / best − 1))``; None gives every seed 1 (published).

    """

    per_component: int = 10
    sharpness: float | None = 8.0

    def __post_init__(self) -> None:
        """Refuse constants no search can use."""
        constants(self, "seeds.")


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphConfig:
    """The graph component: how scores spread along edges.

    Args:
        type_weights: weight of an edge by its type.
        unknown_weight: weight of an edge of any other type.
        related_types: see ``edge_types.type_weight``.
        forward: factor along the arrow.
        backward: factor against it.
        untyped_weight: weight of an edge without a type.
        untyped_backward: its factor against the arrow (the method: +0.5 along, +0.3 = 0.5 · 0.6 against).
        edge_weights: what ``Edge.weight`` counts: ``"log1p"``: its logarithm, 1 for a weight of 1, as weights are often
            counts and one frequent edge would drown the rest; ``"raw"``: itself; ``"none"``: nothing.
        degree_exponent: a step from a node counts ``degree ** -exponent``.
        hub_cap: a node gives to at most that many edges of each direction; None is without bound.
        second_hop: share of what the first hop reached that goes one hop further.
        published_second_hop: the published rule instead: for intents that ask for it, +0.15 along each arrow from the
            20 best so far to a node that is no seed.
        to_parts: where the first hop reaches a document that was cut, each of its parts gets this share of what
            arrived.
        pagerank_share: share of PageRank in the component.
        pagerank_min_edges: only from that many edges on.
        background: so many times its mean over all nodes (and ``fusion.background`` imaginary ones) is taken off the
            component, so that a dense graph does not lift everything.
        bridge: the second hop that the question conditions.

    """

    type_weights: Mapping[str, float] = field(default_factory=lambda: DEFAULT_TYPE_WEIGHTS, hash=False)
    unknown_weight: float = 0.5
    related_types: bool = True
    forward: float = 1.0
    backward: float = 0.7
    untyped_weight: float = 0.5
    untyped_backward: float = 0.6
    edge_weights: Literal["none", "raw", "log1p"] = "log1p"
    degree_exponent: float = 0.25
    hub_cap: int | None = 1000
    second_hop: float = 0.5
    published_second_hop: bool = False
    to_parts: float = 1.0
    pagerank_share: float = 0.0
    pagerank_min_edges: int = 20
    background: float = 4.0
    bridge: Bridge = Bridge()

    def __post_init__(self) -> None:
        """Refuse constants no search can use."""
        constants(self, "graph.")

    def weights_of(self, types: Sequence[str]) -> FloatArray:
        """Return the weight of an edge of each type, (n_types,) float64."""
        known = {**self.type_weights, UNTYPED: self.untyped_weight}
        return type_weights(tuple(types), tuple(known.items()), self.unknown_weight, related=self.related_types)


@dataclass(frozen=True, slots=True, kw_only=True)
class IntentConfig:
    """The intents, and the intent component: edges of the types that a query asks for.

    Args:
        specs: what a query can be read as; the first that matches wins.
        chosen_types: how much edge types count whose label is close to the query's words, beside the intent's own; 0
            turns them off.
        chosen_sharpness: how much less a farther type gets, see ``relations.type_labels``.
        chosen_enough: the similarity from which a word is trusted fully, see there.
        chosen_second_hop: share of the second hop along chosen types.
        paths: what a question asks for that names a node and the edges that lead away from it.

    """

    specs: tuple[IntentSpec, ...] = DEFAULT_INTENTS
    chosen_types: float = 1.0
    chosen_sharpness: float = 4.0
    chosen_enough: float = 0.45
    chosen_second_hop: float = 1.0
    paths: Paths = Paths()

    def __post_init__(self) -> None:
        """Refuse constants no search can use."""
        constants(self, "intents.")
        names = Counter(spec.name for spec in self.specs)
        if twice := next((name for name, times in names.items() if times > 1), None):
            raise InvalidValueError(f"Two intents have the name {twice!r}; a name must be unique.")
        if not self.chosen_enough:
            raise InvalidValueError("intents.chosen_enough is 0; it must be above 0.")


@dataclass(frozen=True, slots=True, kw_only=True)
class DiversityConfig:
    """The bonus for the first hit of each community, and answers that one kind of hit does not fill.

    Args:
        bonus: the share of its score that the first hit gains; 0 turns it off.
        min_edges: only in graphs of at least that many edges.
        min_hits: only among more hits than that.
        exact_communities: greedy modularity at every size (published); else by size, see ``index.communities``.
        coverage: the best re-ordered by what of the question is not yet covered, where their texts mention others.
        sides: comparisons ("json vs pickle") have both sides first, and then take turns, see ``signals.sides``.
        depth: the bonus, coverage and sides look at so many of the best, however few are asked for, so that the best 3
            are the first of the best 10, with the same scores; 0: only at those that are asked for.

    """

    bonus: float = 0.05
    min_edges: int = 10
    min_hits: int = 3
    exact_communities: bool = False
    coverage: Coverage = Coverage()
    sides: bool = True
    depth: int = 10

    def __post_init__(self) -> None:
        """Refuse constants no search can use."""
        constants(self, "diversity.")


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexConfig:
    """How answers are found and kept; none of it changes what the method is.

    Args:
        cache_seconds: life of a cached answer; 0 turns the cache off.
        cache_size: number of cached answers.
        exact: whether every vector is compared with the query's: True always; False never where a first stage is to
            be had; None leaves it to the size of the graph.
        first_stage: what finds candidates where not every vector is compared: ``"faiss"``, ``"numpy"``, or ``"auto"``,
            faiss where it is installed.

    """

    cache_seconds: float = 300.0
    cache_size: int = 1024
    exact: bool | None = None
    first_stage: Literal["auto", "faiss", "numpy"] = "auto"

    def __post_init__(self) -> None:
        """Refuse constants no index can use."""
        constants(self, "index.")
