"""What evidence is worth in one graph: ``signals.confidence`` fitted on the graph's own texts, once for its size.

Fitting asks a few dozen questions of text and vectors, about the work of as many searches. It is done with the first
search of a graph, and again where the graph has grown or shrunk by half: what evidence is worth moves with the
logarithm of the size. Where a graph has derived files, it lies with them for the processes to come.
"""

from __future__ import annotations

import json
import threading
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from fourfold import deadline, ordered
from fourfold.arguments import finite_number, whole_number
from fourfold.config import RetrievalConfig
from fourfold.embed.static import bundled
from fourfold.engines import Backend
from fourfold.errors import InvalidValueError
from fourfold.graph_embedding import GraphEmbedding
from fourfold.index.base import Nodes, Ranking
from fourfold.index.snapshot import Snapshot
from fourfold.lazy import once
from fourfold.scores import best
from fourfold.signals import confidence
from fourfold.signals.confidence import Calibration
from fourfold.tokenizer import Tokenizer
from fourfold.types import FloatArray

_QUESTIONS = 32
"""So many known questions: the middle is then known within ± .1 of a logarithm."""

_MOST_WITHOUT = 32
"""Where one node in so many has a vector, or fewer, the sample is smaller."""

_FEWEST_NODES = 16
_GROWN = 1.5
_LEADING = 10
"""Evidence is looked for in so many best nodes by text, and as many by embedding."""

_SHORTEST_WORD = 3
_MOST_CHANCE = 0.95

_NOTE = "calibration"
_FORM = 2
"""Moves with every change of how a calibration is fitted."""

_FITTED = ("slope", "middle", "chance")


@dataclass(frozen=True)
class _Fitted:
    """A calibration, and the embedder and the size of the graph that it was fitted on."""

    embedder: str | None
    size: int
    calibration: Calibration

    def serves(self, snapshot: Snapshot) -> bool:
        """Whether a graph has these vectors and about this size."""
        return self.embedder == snapshot.embedder and self.size / _GROWN < snapshot.size < self.size * _GROWN


class Calibrator:
    """Fits a graph's calibration when it is first asked for, and keeps it."""

    def __init__(
        self, backend: Backend, embedding: GraphEmbedding, tokenizer: Tokenizer, config: RetrievalConfig
    ) -> None:
        self._backend = backend
        self._embedding = embedding
        self._tokenizer = tokenizer
        self._config = config
        self._lock = threading.Lock()
        self._fitted: _Fitted | None = None

    def of(self, snapshot: Snapshot) -> Calibration:
        """Return the calibration of a graph of about this size, with vectors of this embedder."""
        with deadline.held(self._lock):
            if self._fitted is None:
                self._fitted = self._noted(snapshot)
            if self._fitted is None or not self._fitted.serves(snapshot):
                with deadline.lifted():  # cut short, every search would begin it anew and none end it
                    self._fitted = _Fitted(snapshot.embedder, snapshot.size, self._fit(snapshot))
                if snapshot.notes is not None:
                    snapshot.notes.put_note(_NOTE, {"key": self._key, **asdict(self._fitted)})
            return self._fitted.calibration

    def _noted(self, snapshot: Snapshot) -> _Fitted | None:
        """Return what another process fitted, by the same constants; None where nothing can be read."""
        note = None if snapshot.notes is None else snapshot.notes.note(_NOTE)
        try:
            if note is None or note["key"] != self._key:
                return None
            slope, middle, chance = (finite_number(note["calibration"][name], name) for name in _FITTED)
            if slope >= 0 and 0 <= chance <= _MOST_CHANCE:
                return _Fitted(note["embedder"], whole_number(note["size"], "size"), Calibration(slope, middle, chance))
        except (LookupError, TypeError, InvalidValueError):
            pass
        return None  # of another version, or not what was written

    @property
    def _key(self) -> list[Any]:
        """Return what a fit depends on beside the graph and its embedder."""
        return [_FORM, self._tokenizer.name, self._config.fingerprint()]

    def _fit(self, snapshot: Snapshot) -> Calibration:
        if snapshot.size < _FEWEST_NODES or not snapshot.vectors.size:
            return Calibration()
        sample = self._sample(snapshot)
        nodes = self._backend.nodes(sample.tolist())
        texts = [f"{nodes[num].name} {nodes[num].text}" for num in sample.tolist() if num in nodes]
        known = confidence.known_questions(texts)
        foreign = confidence.foreign_questions(_vocabulary())
        vectors = self._embedding.queries_at_no_cost([*known, *foreign], snapshot)
        if vectors is None:  # another's model is not asked for this: cosines count from what they are by chance
            return Calibration(chance=_chance(snapshot, sample))
        found = [
            self._evidence(snapshot, text, vector) for text, vector in zip([*known, *foreign], vectors, strict=True)
        ]
        return confidence.fit(np.array(found[: len(known)]), np.array(found[len(known) :]))

    def _sample(self, snapshot: Snapshot) -> Nodes:
        """Return nodes with a vector that stand for the graph, chosen by their ids."""
        without = min(snapshot.size // snapshot.vectors.size, _MOST_WITHOUT)
        nodes = np.array(self._backend.sample(_QUESTIONS * max(without, 1)), np.int64)
        nodes = nodes[snapshot.vectors.at(nodes).any(axis=1)]
        return nodes[np.linspace(0, len(nodes) - 1, min(_QUESTIONS, len(nodes))).astype(np.int64)]

    def _evidence(self, snapshot: Snapshot, text: str, vector: FloatArray) -> float:
        """Return the evidence of the best node for a question."""
        terms = dict.fromkeys(term for _, terms in self._tokenizer.terms_of_words(text) for term in terms)
        numbers = snapshot.term_numbers(terms)
        by_meaning, by_words = snapshot.vectors.ask(vector), snapshot.text.ask(dict.fromkeys(numbers.values(), 1.0))
        nodes = ordered.union((_leading(by_meaning, snapshot), _leading(by_words, snapshot)))
        unknown = len(terms) - len(numbers)
        covered = confidence.covered(snapshot.text, snapshot.size, list(numbers.values()), unknown, nodes)
        return float(Calibration().evidence(by_meaning.at(nodes), covered).max(initial=0.0))


def _leading(ranking: Ranking, snapshot: Snapshot) -> Nodes:
    """Return the best nodes of a ranking; ties go to the smaller id."""
    found = ranking.best(_LEADING)
    return best(found.nodes, found.values, _LEADING, snapshot, positive=False)


def _chance(snapshot: Snapshot, sample: Nodes) -> float:
    """Return the mean cosine between two of these nodes, at least 0."""
    vectors = snapshot.vectors.at(sample).astype(np.float64)
    pairs = len(sample) * (len(sample) - 1)
    return min(max(float(((vectors @ vectors.T).sum() - (vectors**2).sum()) / max(pairs, 1)), 0.0), _MOST_CHANCE)


@once
def _vocabulary() -> list[str]:
    """Return the words of the model in the package, commonest first."""
    vocabulary = json.loads(bundled().token_vectors()[0])["model"]["vocab"]
    words = sorted(vocabulary, key=vocabulary.__getitem__)
    return [word for word in words if len(word) >= _SHORTEST_WORD and word.isascii() and word.isalpha()]
