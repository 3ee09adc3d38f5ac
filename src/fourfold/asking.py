"""From a question in plain words, with its options, to the Query that the pipeline takes."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourfold import filters, pipeline
from fourfold.cache import Cache
from fourfold.config import RetrievalConfig
from fourfold.edge_types import TypeLabels
from fourfold.embed.static import bundled
from fourfold.errors import InvalidValueError
from fourfold.graph_embedding import GraphEmbedding
from fourfold.index import Index
from fourfold.pipeline import MODES, Query
from fourfold.store import Store
from fourfold.tokenizer import Tokenizer
from fourfold.types import FloatArray, Weights
from fourfold.validation import check_vector

_REMEMBERED_MASKS = 64


@dataclass(frozen=True, slots=True)
class Options:
    """The options of ``Retriever.search``, see there."""

    k: int | None = None
    filter: Mapping[str, Any] | None = None
    intent: str | None = None
    weights: Weights | Mapping[str, float] | None = None
    query_vector: Sequence[float] | FloatArray | None = None
    mode: str = "hybrid"
    min_score: float | None = None
    group_by: str | None = None
    max_per_source: int = 1

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Options:
        """Return options given by name; an unknown name is an InvalidValueError that lists the known ones."""
        known = cls.__slots__
        if unknown := sorted(set(given) - set(known)):
            raise InvalidValueError(f"There is no option {unknown[0]!r}; the options are {', '.join(known)}.")
        return cls(**given)

    def key(self, query: str, config: RetrievalConfig) -> tuple[Hashable, ...]:
        """Refuse what cannot be meant, and return the key of the answer: every argument that changes it.

        Raises:
            InvalidValueError: naming the argument and its value.
            FilterError: the filter is not made of JSON values.

        """
        if not isinstance(query, str):
            raise InvalidValueError(f"The query is {query!r}; it must be a string.")
        for name, number in (("k", self.k), ("max_per_source", self.max_per_source)):
            if number is not None and (isinstance(number, bool) or not isinstance(number, int) or number < 1):
                raise InvalidValueError(f"{name} is {number!r}; it must be a whole number of at least 1.")
        if self.mode not in MODES:
            raise InvalidValueError(f"mode is {self.mode!r}; it must be one of {', '.join(MODES)}.")
        least = self.min_score
        if least is not None and not (isinstance(least, (int, float)) and math.isfinite(least)):
            raise InvalidValueError(f"min_score is {least!r}; it must be a finite number.")
        for name, text in (("intent", self.intent), ("group_by", self.group_by)):
            if text is not None and not isinstance(text, str):
                raise InvalidValueError(f"{name} is {text!r}; it must be a string.")
        return (
            query,
            self.k,
            None if self.filter is None else filters.canonical(self.filter),
            self.intent,
            None if self.weights is None else pipeline.explicit_weights(self.weights, config).as_tuple(),
            None if self.query_vector is None else check_vector(self.query_vector, "query_vector").tobytes(),
            self.mode,
            self.min_score,
            self.group_by,
            self.max_per_source,
        )


class Asker:
    """Reads questions against one graph: words, vector, mask and edge-type labels.

    Args:
        store: the graph.
        embedding: makes the query's vector.
        tokenizer: the tokenizer of the index.
        config: the constants of retrieval.

    """

    def __init__(self, store: Store, embedding: GraphEmbedding, tokenizer: Tokenizer, config: RetrievalConfig) -> None:
        self._store = store
        self._embedding = embedding
        self._tokenizer = tokenizer
        self._config = config
        self._masks: Cache[NDArray[np.bool_]] = Cache(_REMEMBERED_MASKS, config.index.cache_seconds)
        self._labels: TypeLabels | None = None

    def query(self, index: Index, text: str, options: Options) -> Query:
        """Bring a question into the form the pipeline takes, for one generation of the graph."""
        stripped = text.strip().encode("utf-8", "replace").decode("utf-8")
        vector, failed = self._embedding.query(index, stripped, options.query_vector, options.mode)
        words = self._tokenizer.terms_of_words(stripped)
        return Query(
            text=stripped,
            words=words,
            limit=min(options.k if options.k is not None else self._config.limit, max(len(index), 1)),
            mode=options.mode,
            vector=vector,
            mask=None if options.filter is None else self.mask(index, options.filter),
            intent=options.intent,
            weights=options.weights,
            phrases=self._store.phrase,
            asked_types=partial(self._asked_types, index, words),
            failed=failed,
        )

    def mask(self, index: Index, condition: Mapping[str, Any]) -> NDArray[np.bool_]:
        """Return which nodes a filter keeps, (n_nodes,); remembered for the generation."""
        key = (index.generation, filters.canonical(condition))
        mask = self._masks.get(key)
        if mask is None:
            mask = np.zeros(len(index), bool)
            mask[index.positions_of(self._store.matching(*filters.to_sql(condition)))] = True
            self._masks.put(key, mask)
        return mask

    def _asked_types(
        self, index: Index, words: Sequence[tuple[str, tuple[str, ...]]], best_seed: int
    ) -> FloatArray | None:
        """Return how much the query asks for each edge type, or None where there is no choice of types.

        Words that name the best seed say where to start, not where to go.
        """
        in_use = sorted(index.adjacency.types_in_use)
        if len(in_use) < 2:
            return None
        names = tuple(index.adjacency.type_names[number] for number in in_use)
        labels = self._labels  # another thread, on another generation, may replace it
        if labels is None or labels.names != names:
            self._labels = labels = TypeLabels(names, bundled().embed_documents, self._tokenizer.terms)
        named = index.name_terms(best_seed)
        asking = [w for w, terms in words if terms and not named.issuperset(map(index.vocabulary.get, terms))]
        asked = np.zeros(len(index.adjacency.type_names))
        asked[in_use] = labels.closeness(
            asking, sharpness=self._config.intents.chosen_sharpness, enough=self._config.intents.chosen_enough
        )
        return asked
