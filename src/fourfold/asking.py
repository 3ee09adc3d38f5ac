"""From a question in plain words, with its options, to the Query that the pipeline takes."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypedDict

import numpy as np

from fourfold import filters
from fourfold.arguments import finite_number, one_of, shown, string, whole_number
from fourfold.cache import Cache
from fourfold.calibration import Calibrator
from fourfold.config import RetrievalConfig
from fourfold.edge_types import MENTIONS, OF_DOCUMENTS
from fourfold.embed.static import bundled
from fourfold.encodings import in_utf8
from fourfold.engines import Backend
from fourfold.errors import InvalidValueError
from fourfold.graph_embedding import GraphEmbedding
from fourfold.index.base import NO_NODES, Allowed, Nodes
from fourfold.index.snapshot import Snapshot
from fourfold.language import first_person
from fourfold.language.name_matching import Words, content_beside, named
from fourfold.language.tongues import labels_in_english
from fourfold.lazy import lazy
from fourfold.naming import Naming
from fourfold.query import MODES, MOST_WORDS, Query
from fourfold.reading.courtesy import without_courtesy
from fourfold.reading.joined import words_in, written_otherwise
from fourfold.reading.spelling import corrections, put_right
from fourfold.reading.topic import topic_of
from fourfold.relations.references import References, asked_for
from fourfold.relations.relations import Relations
from fourfold.relations.type_labels import TypeLabels
from fourfold.rerank import as_reranker
from fourfold.tokenizer import Tokenizer, is_unspaced
from fourfold.types import COMPONENTS, FloatArray, Weights
from fourfold.validation import check_vector

_MOST_PAIRS = 64
"""So many pairs stand for one character, the commonest."""
_REMEMBERED_FILTERS = 64

_THEMSELVES = filters.parse(
    {
        "$or": [
            {"$type": {"$in": list(first_person.USERS)}},
            {"$name": {"$in": list(first_person.CALLED)}, "$type": {"$in": list(first_person.PERSONS)}},
        ]
    }
)
"""What stands for who asks."""


class SearchOptions(TypedDict, total=False):
    """The options of ``Retriever.search``, for methods that hand them on: editors complete them, mypy checks them."""

    k: int | None
    filter: Mapping[str, Any] | None
    intent: str | None
    weights: Weights | Mapping[str, float] | None
    query_vector: Sequence[float] | FloatArray | None
    mode: str
    min_score: float | None
    group_by: str | None
    max_per_source: int
    min_confidence: float | None
    timeout: float | None
    rerank: object


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

    def key(self, query: str) -> tuple[Hashable, ...]:
        """Return the key of the answer to a query: every argument that changes it.

        ``timeout`` does not, and what a model of the caller's says is not remembered.
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
    """Reads questions against one graph: words, vector, filter and edge-type labels."""

    def __init__(
        self, backend: Backend, embedding: GraphEmbedding, tokenizer: Tokenizer, config: RetrievalConfig
    ) -> None:
        self._backend = backend
        self._embedding = embedding
        self._tokenizer = tokenizer
        self.config = config
        """The constants that questions are read and answered by."""
        self._filters: Cache[Allowed] = Cache(_REMEMBERED_FILTERS, config.index.cache_seconds)
        self._naming: Naming | None = None
        self._types: _Types | None = None
        self.calibrator = Calibrator(backend, embedding, tokenizer, config)
        """What evidence is worth in this graph."""

    def query(self, snapshot: Snapshot, text: str, options: Options) -> Query:
        """Bring a question into the form the pipeline takes, for one generation of the graph."""
        typed = asked = topic = in_utf8(text.strip())
        if self.config.text.topic:
            asked = without_courtesy(typed)
            topic = topic_of(asked, snapshot, self._tokenizer.terms)
        words = self._tokenizer.terms_of_words(topic)
        read_as = self._read_as(snapshot, topic, words)
        if read_as:
            topic = put_right(topic, read_as)
            words = self._tokenizer.terms_of_words(topic)
        own = options.query_vector is None
        read = self._embedding.reads(snapshot, [word for word, _ in words]) if own else 1.0
        vector, failed = self._embedding.query(snapshot, topic, options.query_vector, options.mode)
        naming = self._naming_in(snapshot)
        return Query(
            typed=typed,
            text=asked,
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
            relations=partial(self._relations, snapshot, topic),
            names_of=naming.words_of,
            written_of=naming.written_of,
            called_of=naming.names_of,
            types_of=naming.types_of,
            rows_of=naming.rows_of,
            texts_of=self._texts_of,
            themselves=partial(self._themselves, snapshot),
            pairs=_pairs(snapshot, words),
            read_as=read_as,
            failed=failed,
        )

    def _read_as(self, snapshot: Snapshot, question: str, words: Words) -> Mapping[str, str]:
        """Return the words of a question that no node holds, each with what is meant; none of a text."""
        if not self.config.text.spelling or '"' in question or len(words) > MOST_WORDS:
            return {}
        terms = {term for _, terms in words for term in terms}
        if not terms - (held := snapshot.term_numbers(terms)).keys():  # all: texts are asked for them next
            return {}
        known = self._types_in(snapshot).spoken.union(held)
        terms_of = self._tokenizer.terms_of_word
        found = {}
        if snapshot.expect is None:  # at the far end of a wire it takes round trips more
            found = written_otherwise(question, words, known, snapshot, terms_of, self._written_in)
        done = words_in(found)
        left = [(word, terms) for word, terms in words if word not in done]
        return found | corrections(left, known, snapshot, terms_of, bundled().places)

    def _kept(self, snapshot: Snapshot, condition: Mapping[str, Any] | filters.Clause | None) -> Allowed | None:
        """Return the nodes a filter keeps; None where it keeps every node."""
        if condition is None or (clause := _clause(condition)) == filters.EVERY_NODE:
            return None
        return self.allowed(snapshot, clause)

    def allowed(self, snapshot: Snapshot, condition: Mapping[str, Any] | filters.Clause) -> Allowed:
        """Return the nodes a filter keeps; remembered for the generation."""
        clause = _clause(condition)
        return self._filters.of((snapshot.write, clause), lambda: self._backend.allowed(clause))

    def _themselves(self, snapshot: Snapshot) -> Nodes:
        """Return the one node that stands for the user of an assistant, whose memory the graph is; else none."""
        nodes = self.allowed(snapshot, _THEMSELVES).nodes
        return nodes if len(nodes) == 1 else NO_NODES

    def _texts_of(self, nodes: Nodes) -> list[str]:
        """Return the texts of nodes; "" of those that are gone."""
        found = self._backend.nodes(nodes.tolist())
        return [found[node].text if node in found else "" for node in nodes.tolist()]

    def _written_in(self, nodes: Nodes) -> list[str]:
        """Return what is written in nodes, names first; of those that are gone nothing."""
        return [f"{node.name}\n{node.type}\n{node.text}" for node in self._backend.nodes(nodes.tolist()).values()]

    def _naming_in(self, snapshot: Snapshot) -> Naming:
        """Return what nodes are called; remembered for the generation."""
        known = self._naming  # another thread, on another generation, may replace it
        if known is None or known.write != snapshot.write:
            self._naming = known = Naming(self._backend, self._tokenizer, snapshot.write)
        return known

    def _types_in(self, snapshot: Snapshot) -> _Types:
        """Return the edge types to be compared with questions; remembered as long as there are no others."""
        names, in_use = tuple(snapshot.edges.type_names), snapshot.edges.types_in_use
        known = self._types  # another thread, on another generation, may replace it
        if known is None or known.names != names or known.in_use != in_use:
            self._types = known = _Types(names, in_use, self._tokenizer, self.config)
        return known

    def _relations(self, snapshot: Snapshot, question: str) -> Relations | None:
        """Return the edge types that may state what a question asks for; references only where it asks for these."""
        types = self._types_in(snapshot)
        if not types.of_documents or (references := asked_for(question)) is None:
            return types.relations
        words = self._tokenizer.terms_of_words(references.text)
        vocabulary = snapshot.term_numbers(term for _, terms in words for term in terms)
        found = named(words, vocabulary, snapshot.names, self._naming_in(snapshot).words_of)
        only = len(found) == 1 and not content_beside(words, found[0].places)
        return types.with_references(references) if only else types.relations

    def _asked_types(self, snapshot: Snapshot, words: Words, best_seed: int) -> FloatArray | None:
        """Return how much the query asks for each edge type, or None where there is no choice of types.

        Words that name the best seed say where to start, not where to go.
        """
        types = self._types_in(snapshot)
        if types.labels is None:
            return None
        named = self._naming_in(snapshot).terms_of(best_seed)
        asked = np.zeros(len(types.names))
        asking = [word for word, terms in words if terms and not named.issuperset(terms)]
        asked[types.numbers] = types.labels.closeness(asking)
        return asked


class _Types:
    """The edge types of a graph, as questions are compared with them; what that takes is made when one first is.

    ``names`` are all types, by number; ``in_use`` the numbers of those that have an edge.
    """

    def __init__(
        self, names: tuple[str, ...], in_use: frozenset[int], tokenizer: Tokenizer, config: RetrievalConfig
    ) -> None:
        self.names, self.in_use = names, in_use
        self.numbers = sorted(in_use)
        self._tokenizer, self._intents = tokenizer, config.intents
        self._references: dict[str, Relations | None] = {}

    @lazy
    def spoken(self) -> frozenset[str]:
        """The terms of all types."""
        return frozenset(term for name in self.names for term in self._tokenizer.terms(name))

    @lazy
    def labels(self) -> TypeLabels | None:
        """The labels of those in use; None where there is no choice of them."""
        if len(self.numbers) < 2:
            return None
        return TypeLabels(
            [self.names[number] for number in self.numbers],
            bundled().embed_documents,
            self._tokenizer.terms,
            sharpness=self._intents.chosen_sharpness,
            enough=self._intents.chosen_enough,
        )

    @lazy
    def relations(self) -> Relations | None:
        """Those that state facts; None where there is no choice of them.

        Where texts mention one another, what documents are read into states none: there the named page is evidence.
        """
        numbers = self.numbers
        if any(self.names[number] == MENTIONS for number in numbers):
            numbers = [number for number in numbers if self.names[number] not in OF_DOCUMENTS]
        return self._relations([self.names[number] for number in numbers], numbers)

    def with_references(self, asked: References) -> Relations | None:
        """Return those that state facts, and what texts name and link to, called as a question calls it."""
        if (known := self._references.get(asked.says)) is None:
            said = [(name, number) for number in self.numbers if (name := asked.label(self.names[number])) is not None]
            known = self._relations([name for name, _ in said], [number for _, number in said])
            self._references[asked.says] = known
        return known

    @lazy
    def of_documents(self) -> bool:
        """Whether documents are read into some of them."""
        names = {self.names[number] for number in self.numbers}
        return MENTIONS in names or names <= OF_DOCUMENTS

    def _relations(self, names: Sequence[str], numbers: Sequence[int]) -> Relations | None:
        if not numbers:
            return None
        words = self._tokenizer.terms
        return Relations(labels_in_english(names), numbers, bundled().embed_documents, words, bundled().is_word)


def _clause(condition: Mapping[str, Any] | filters.Clause) -> filters.Clause:
    return condition if isinstance(condition, filters.Clause) else filters.parse(condition)


def _pairs(snapshot: Snapshot, words: Words) -> dict[str, tuple[str, ...]]:
    """Return, for each term that is one character of a script without word boundaries, the pairs that hold it.

    Texts are read by pairs, and hold the character alone only where nothing of its script stands beside it.
    """
    alone = dict.fromkeys(term for _, terms in words for term in terms if len(term) == 1 and is_unspaced(term))
    if not alone:
        return {}
    known = snapshot.lookup.pairs(alone)
    pairs = sorted(known)  # of those that stand as often, the same in every engine
    often = snapshot.text.df(np.array([known[pair] for pair in pairs], np.int64))
    found: dict[str, list[str]] = {character: [] for character in alone}
    for place in np.argsort(-often, kind="stable").tolist():
        for character in alone.keys() & pairs[place]:
            if len(found[character]) < _MOST_PAIRS:
                found[character].append(pairs[place])
    return {character: tuple(own) for character, own in found.items() if own}
