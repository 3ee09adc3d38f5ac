"""From a question in plain words, with its options, to the Query that the pipeline takes."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from fourfold import filters
from fourfold.arguments import finite_number, one_of, shown, string, whole_number
from fourfold.cache import Cache
from fourfold.calibration import Calibrator
from fourfold.config import RetrievalConfig
from fourfold.edge_types import MENTIONS, OF_DOCUMENTS
from fourfold.embed.static import bundled
from fourfold.engines import Backend
from fourfold.errors import InvalidValueError
from fourfold.following import MOST_WORDS
from fourfold.graph_embedding import GraphEmbedding
from fourfold.index.base import Allowed, Nodes
from fourfold.index.snapshot import Snapshot
from fourfold.pipeline import MODES, Query
from fourfold.rerank import as_reranker
from fourfold.signals.names import Words
from fourfold.signals.relations import Relations
from fourfold.signals.type_labels import TypeLabels
from fourfold.spelling import corrections, put_right
from fourfold.tokenizer import Tokenizer, is_unspaced
from fourfold.topic import topic_of
from fourfold.types import COMPONENTS, FloatArray, Weights
from fourfold.validation import check_vector

_MOST_PAIRS = 64
"""So many pairs stand for one character, the commonest."""
_REMEMBERED_FILTERS = 64


@dataclass(frozen=True, slots=True)
class Options:
    """The options of ``Retriever.search``, see there."""

    k: int | None = None
    filter: Mapping[str, Any] | filters.Clause | None = None
    intent: str | None = None
    weights: Weights | Mapping[str, float] | None = None
    query_vector: Sequence[float] | FloatArray | None = None
    mode: str = "hybrid"
    min_score: float | None = None
    group_by: str | None = None
    max_per_source: int = 1
    min_confidence: float | None = None
    timeout: float | None = None
    rerank: Any = None

    def __post_init__(self) -> None:
        """Refuse what cannot be meant, and keep the rest as the pipeline takes it: filter read, vector an array.

        Raises:
            InvalidValueError: naming the argument and its value.
            FilterError: a filter that cannot be read.

        """
        if self.filter is not None and not isinstance(self.filter, filters.Clause):
            self._set(filter=filters.parse(self.filter))
        if self.k is not None:
            self._set(k=whole_number(self.k, "k"))
        self._set(max_per_source=whole_number(self.max_per_source, "max_per_source"))
        self._set(mode=one_of(self.mode, "mode", MODES))
        if self.min_score is not None:
            self._set(min_score=finite_number(self.min_score, "min_score"))
        if self.min_confidence is not None:
            self._set(min_confidence=finite_number(self.min_confidence, "min_confidence", least=0, most=1))
        if self.timeout is not None:
            self._set(timeout=finite_number(self.timeout, "timeout", least=0.001))
        if self.rerank is not None:
            self._set(rerank=as_reranker(self.rerank))
        for name, given in (("intent", self.intent), ("group_by", self.group_by)):
            if given is not None:
                self._set(**{name: string(given, name)})
        self._set(weights=_checked_weights(self.weights))
        if self.query_vector is not None:
            self._set(query_vector=check_vector(self.query_vector, "query_vector"))

    def _set(self, **checked: object) -> None:
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Options:
        """Return options given by name.

        Raises:
            TypeError: an unknown name, as Python itself says of one.
            InvalidValueError: an option that cannot be meant.

        """
        known = cls.__slots__
        if unknown := sorted(set(given) - set(known)):
            raise TypeError(f"There is no option {unknown[0]!r}; the options are {', '.join(known)}.")
        return cls(**given)

    def key(self, query: str, config: RetrievalConfig) -> tuple[Hashable, ...]:
        """Return the key of the answer to a query: every argument that changes it.

        ``timeout`` does not, and what a model of the caller's says is not remembered.

        Raises:
            InvalidValueError: weights that no sum can use.

        """
        return (
            query,
            self.k,
            self.filter,
            self.intent,
            tuple(self.weights.items()) if isinstance(self.weights, Mapping) else self.weights,
            None if self.query_vector is None else np.asarray(self.query_vector).tobytes(),
            self.mode,
            self.min_score,
            self.group_by,
            self.max_per_source,
            self.min_confidence,
        )


def _checked_weights(weights: object) -> Weights | dict[str, float] | None:
    """Return a Weights, or a mapping of some components in the order of the sum; an empty one is None."""
    if weights is None or isinstance(weights, Weights):
        return weights
    if not isinstance(weights, Mapping):
        raise InvalidValueError(
            f"weights is {shown(weights)}; it must be a Weights or a mapping of some of the components."
        )
    if unknown := sorted(shown(name) for name in weights if name not in COMPONENTS):
        raise InvalidValueError(f"Unknown weights {', '.join(unknown)}; a weight is one of {', '.join(COMPONENTS)}.")
    given = {name: weights[name] for name in COMPONENTS if name in weights}
    return {name: finite_number(value, f"The weight of {name}", least=0) for name, value in given.items()} or None


class Asker:
    """Reads questions against one graph: words, vector, filter and edge-type labels.

    Args:
        backend: the graph.
        embedding: makes the query's vector.
        tokenizer: the tokenizer of the index.
        config: the constants of retrieval.

    """

    def __init__(
        self, backend: Backend, embedding: GraphEmbedding, tokenizer: Tokenizer, config: RetrievalConfig
    ) -> None:
        self._backend = backend
        self._embedding = embedding
        self._tokenizer = tokenizer
        self.config = config
        """The constants that questions are read and answered by."""
        self._filters: Cache[Allowed] = Cache(_REMEMBERED_FILTERS, config.index.cache_seconds)
        self._labels: TypeLabels | None = None
        self._relations_of: Relations | None = None
        self._type_terms: tuple[tuple[str, ...], frozenset[str]] | None = None
        self.calibrator = Calibrator(backend, embedding, tokenizer, config)
        """What evidence is worth in this graph."""

    def query(self, snapshot: Snapshot, text: str, options: Options) -> Query:
        """Bring a question into the form the pipeline takes, for one generation of the graph."""
        stripped = text.strip().encode("utf-8", "replace").decode("utf-8")
        topic = topic_of(stripped, snapshot, self._tokenizer.terms) if self.config.text.topic else stripped
        words = self._tokenizer.terms_of_words(topic)
        slips = self._slips(snapshot, topic, words)
        if slips:
            topic = put_right(topic, slips)
            words = self._tokenizer.terms_of_words(topic)
        own = options.query_vector is None
        read = self._embedding.reads(snapshot, [word for word, _ in words]) if own else 1.0
        vector, failed = self._embedding.query(snapshot, topic, options.query_vector, options.mode)
        return Query(
            text=stripped,
            topic=topic,
            words=words,
            limit=min(options.k if options.k is not None else self.config.limit, max(snapshot.size, 1)),
            mode=options.mode,
            vector=vector,
            read=read,
            allowed=self._kept(snapshot, options.filter),
            intent=options.intent,
            weights=options.weights,
            phrases=self._backend.phrase if self._backend.capabilities.phrases else None,
            asked_types=partial(self._asked_types, snapshot, words),
            relations=partial(self._relations, snapshot),
            names_of=self._names_of,
            types_of=self._types_of,
            pairs=_pairs(snapshot, words),
            read_as=slips,
            failed=failed,
        )

    def _slips(self, snapshot: Snapshot, question: str, words: Words) -> Mapping[str, str]:
        """Return the misspelt words of a question with what is meant; none of a long one, which is a text."""
        if not self.config.text.spelling or '"' in question or len(words) > MOST_WORDS:
            return {}
        spoken = partial(self._spoken, snapshot)
        return corrections(words, snapshot, spoken, self._tokenizer.terms_of_word, bundled().whole)

    def _spoken(self, snapshot: Snapshot) -> frozenset[str]:
        """Return the terms of all edge types; remembered as long as there are no others."""
        types, known = tuple(snapshot.edges.type_names), self._type_terms
        if known is None or known[0] != types:
            known = types, frozenset(term for name in types for term in self._tokenizer.terms(name))
            self._type_terms = known
        return known[1]

    def _kept(self, snapshot: Snapshot, condition: Mapping[str, Any] | filters.Clause | None) -> Allowed | None:
        """Return the nodes a filter keeps; None where it keeps every node."""
        if condition is None or (clause := _clause(condition)) == filters.EVERY_NODE:
            return None
        return self.allowed(snapshot, clause)

    def allowed(self, snapshot: Snapshot, condition: Mapping[str, Any] | filters.Clause) -> Allowed:
        """Return the nodes a filter keeps; remembered for the generation."""
        clause = _clause(condition)
        key = (snapshot.generation, clause)
        allowed = self._filters.get(key)
        if allowed is None:
            allowed = self._backend.allowed(clause)
            self._filters.put(key, allowed)
        return allowed

    def _names_of(self, nodes: Nodes) -> list[tuple[str, ...]]:
        """Return the words of nodes' names, in lower case."""
        labels = self._backend.labels(nodes.tolist())
        names = [labels.get(node, ("", ""))[1] for node in nodes.tolist()]
        words = {name: tuple(word.lower() for word, _ in self._tokenizer.terms_of_words(name)) for name in set(names)}
        return [words[name] for name in names]

    def _types_of(self, nodes: Nodes) -> list[str]:
        """Return the types of nodes; "" of those that are gone."""
        found = self._backend.types(nodes.tolist())
        return [found.get(node, "") for node in nodes.tolist()]

    def _relations(self, snapshot: Snapshot) -> Relations | None:
        """Return the edge types that state facts, to be compared with questions; None where there is no choice of them.

        Where texts mention one another, what documents are read into states none: there the named page is evidence.
        """
        types, in_use = snapshot.edges.type_names, sorted(snapshot.edges.types_in_use)
        if any(types[number] == MENTIONS for number in in_use):
            in_use = [number for number in in_use if types[number] not in OF_DOCUMENTS]
        if len(in_use) < 2:
            return None
        names = tuple(types[number] for number in in_use)
        known = self._relations_of  # another thread, on another generation, may replace it
        if known is None or known.labels.names != names or known.numbers.tolist() != in_use:
            known = Relations(names, in_use, bundled().embed_documents, self._tokenizer.terms, bundled().is_word)
            self._relations_of = known
        return known

    def _asked_types(
        self, snapshot: Snapshot, words: Sequence[tuple[str, tuple[str, ...]]], best_seed: int
    ) -> FloatArray | None:
        """Return how much the query asks for each edge type, or None where there is no choice of types.

        Words that name the best seed say where to start, not where to go.
        """
        types, in_use = snapshot.edges.type_names, sorted(snapshot.edges.types_in_use)
        if len(in_use) < 2:
            return None
        names = tuple(types[number] for number in in_use)
        labels = self._labels  # another thread, on another generation, may replace it
        if labels is None or labels.names != names:
            self._labels = labels = TypeLabels(names, bundled().embed_documents, self._tokenizer.terms)
        named = frozenset(self._tokenizer.terms(self._backend.labels([best_seed]).get(best_seed, ("", ""))[1]))
        asking = [word for word, terms in words if terms and not named.issuperset(terms)]
        asked = np.zeros(len(types))
        asked[in_use] = labels.closeness(
            asking, sharpness=self.config.intents.chosen_sharpness, enough=self.config.intents.chosen_enough
        )
        return asked


def _clause(condition: Mapping[str, Any] | filters.Clause) -> filters.Clause:
    return condition if isinstance(condition, filters.Clause) else filters.parse(condition)


def _pairs(snapshot: Snapshot, words: Sequence[tuple[str, tuple[str, ...]]]) -> dict[str, tuple[str, ...]]:
    """Return, for each term that is one character of a script without word boundaries, the pairs that hold it.

    Texts are read by pairs, and hold the character alone only where nothing of its script stands beside it.
    """
    found = {}
    for term in dict.fromkeys(term for _, terms in words for term in terms if len(term) == 1 and is_unspaced(term)):
        if known := snapshot.lookup.pairs(term):
            often = snapshot.text.df(np.fromiter(known.values(), np.int64, len(known)))
            pairs = list(known)
            found[term] = tuple(pairs[place] for place in np.argsort(-often, kind="stable")[:_MOST_PAIRS].tolist())
    return found
