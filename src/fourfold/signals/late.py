"""L: late interaction, the words of the question against the words of each candidate, one by one.

A vector of a whole text says what it is about; it does not say whether each thing asked for is there. So every
wordpiece of the question looks for its nearest wordpiece in the candidate (MaxSim: Khattab & Zaharia, "ColBERT",
2020), over the static token table that ships in the package: "throw away" meets "delete". What is found scales text
and embedding as a factor; added, it would drown the graph.

    w_t    = idf(t) · ‖v_t‖, those under ``least_weight`` of the largest dropped, divided by their sum
    c_t(d) = max(0, max over wordpieces u of d of cos(t, u) − threshold) / (1 − threshold)
    x(d)   = Σ w_t c_t(d) − length · (ln #distinct(d) − ln mean #distinct of the candidates)
    y(d)   = floor + max(0, x(d))

Everything here is arrays over candidates; where they come from is the caller's business.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourfold import ordered
from fourfold.config import LateInteraction
from fourfold.embed import wordpieces
from fourfold.embed.static import StaticEmbedder, bundled
from fourfold.index.base import Nodes
from fourfold.index.inner_products import row_by_row, with_each
from fourfold.index.snapshot import Notes
from fourfold.lazy import once
from fourfold.types import FloatArray, Node

Pieces = NDArray[np.int32]
"""Numbers of wordpieces: rows of the token table."""

DIMENSIONS = 128
"""Of the token table: as good as all 256 of the model, at half the cost."""

LONGEST_READ = 100_000
"""So many characters of a node are cut into wordpieces; what is longer is for chunks, and would make a write wait."""

_AXES = "axes"
_SAMPLED = 8
"""The main axes are those of every eighth vector: a tenth of a second once in a process."""


@dataclass(frozen=True)
class TokenTable:
    """The vectors of a tokenizer's wordpieces, at length one.

    Args:
        unit: (n_pieces, dimensions) float32, rows of length one.
        norms: (n_pieces,) float32 lengths of the vectors before: how much each wordpiece says.
        read: texts → the wordpieces of each; unknown words have none.

    """

    unit: NDArray[np.float32]
    norms: NDArray[np.float32]
    read: Callable[[Sequence[str]], wordpieces.Pieces]

    @classmethod
    def of(cls, model: StaticEmbedder, dimensions: int = DIMENSIONS, notes: Notes | None = None) -> TokenTable:
        """Return the table of a static model, turned to its main axes; the model's own vectors are not kept.

        ``notes``: where another process may have laid the axes.
        """
        vectors = model.table()
        norms = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
        unit = vectors / np.where(norms > 0, norms, 1.0)[:, None]
        if dimensions < unit.shape[1]:
            unit = unit @ _main_axes(unit, dimensions, model.name, notes)
            lengths = np.sqrt(np.einsum("ij,ij->i", unit, unit))
            unit /= np.where(lengths > 0, lengths, 1.0)[:, None]
        return cls(np.ascontiguousarray(unit, np.float32), norms, model.pieces)

    def distinct(self, texts: Sequence[str]) -> list[Pieces]:
        """Return the distinct wordpieces of each text, ascending."""
        return self.read(texts).distinct()

    def cosines(self, left: NDArray[np.integer[Any]], right: Pieces) -> NDArray[np.float32]:
        """Return the cosine of each pair, (len(left), len(right)) float32."""
        return with_each(self.unit.take(left, axis=0), self.unit.take(right, axis=0).T)


def wordpiece_text(node: Node) -> str:
    """Return the text whose wordpieces stand for a node: as embedders read it by default, so it is cut up once."""
    return (f"{node.name} {node.name} {node.text}" if node.text else node.name)[:LONGEST_READ]


@once
def token_table(notes: Notes | None = None) -> TokenTable:
    """Return the table of the model that ships in the package: one for the whole process, 16 MB."""
    return TokenTable.of(bundled(), notes=notes)


def distinct_pieces(texts: Sequence[str]) -> list[Pieces]:
    """Return the distinct wordpieces of each text, ascending; without the table, which searches alone need."""
    return bundled().pieces(texts).distinct()


def _main_axes(unit: FloatArray, count: int, model: str, notes: Notes | None) -> FloatArray:
    """Return the main axes of unit vectors as columns, (dimensions, count) float32.

    LAPACK finds them in many short steps whose threads wait for one another: on idle cores for hundredths of a second,
    on busy ones for seconds.
    """
    shape = unit.shape[1], count
    note = None if notes is None else notes.note(_AXES)
    if note is not None and note.get("of") == [model, *shape]:
        with suppress(LookupError, TypeError, ValueError):  # it is not what was written: they are found anew
            told = np.frombuffer(base64.b64decode(note["axes"]), "<f4").reshape(shape)
            if np.isfinite(told).all():
                return told
    sample = unit[::_SAMPLED]
    axes = np.ascontiguousarray(np.linalg.eigh(sample.T @ sample)[1][:, -count:])
    if notes is not None:
        notes.put_note(_AXES, {"of": [model, *shape], "axes": base64.b64encode(axes.astype("<f4").tobytes()).decode()})
    return axes


@dataclass(frozen=True, slots=True)
class Asked:
    """The wordpieces of a question that say something, and how much.

    ``pieces`` (n_asked,) distinct and ascending; ``weights`` (n_asked,) float32, positive, summing to 1.
    """

    pieces: Pieces
    weights: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.pieces)


@dataclass(frozen=True, slots=True)
class Late:
    """What late interaction makes of the best candidates.

    ``factors`` (n,), y(d), are parallel to ``nodes``, which ascend; all other nodes have the factor
    ``least``. Embedding has them to the power ``on_embedding``. Both are divided by ``top``, the largest component that
    they leave, which brings both components back to [0, 1].
    """

    asked: Asked
    nodes: Nodes
    factors: FloatArray
    least: float
    on_embedding: float
    top: float

    def factors_of(self, nodes: Nodes) -> dict[str, FloatArray]:
        """Return the factors of text and of embedding of these nodes, each (len(nodes),)."""
        place, here = ordered.places(self.nodes, nodes)
        return self._divided(np.where(here, self.factors[place], self.least))

    @property
    def lowest(self) -> dict[str, FloatArray]:
        """The factors of text and of embedding of a node that was not looked at."""
        return self._divided(np.array(self.least))

    def _divided(self, factor: FloatArray) -> dict[str, FloatArray]:
        text = factor / self.top
        return {"text": text, "embedding": text if self.on_embedding == 1.0 else factor**self.on_embedding / self.top}


def ask(
    table: TokenTable, pieces: Pieces, frequency: NDArray[np.int64], size: int, settings: LateInteraction
) -> Asked | None:
    """Weigh the distinct wordpieces of a question; None where there is nothing to compare.

    ``pieces`` (n,) are distinct; ``frequency`` (n,) is in how many nodes each occurs, ``size`` how many nodes there
    are.
    """
    if not settings.depth or not 0 < len(pieces) <= settings.longest:
        return None
    weights = np.log((size - frequency + 0.5) / (frequency + 0.5) + 1.0) * table.norms[pieces]
    kept = weights >= settings.least_weight * weights.max()
    total = float(weights[kept].sum())
    return Asked(pieces[kept], (weights[kept] / total).astype(np.float32)) if total > 0 else None


def maxsim(
    table: TokenTable,
    asked: Asked,
    starts: NDArray[np.int64],
    pieces: NDArray[np.integer[Any]],
    *,
    threshold: float,
) -> NDArray[np.float32]:
    """Return how well each node has each wordpiece of the question, (n_nodes, n_asked) float32 in [0, 1].

    Node i has the distinct ``pieces[starts[i]:starts[i + 1]]``.
    """
    found = np.zeros((len(starts) - 1, len(asked)), np.float32)
    filled = (starts[1:] > starts[:-1]).nonzero()[0]
    if len(filled):
        here, place = _numbered(pieces, len(table.norms))
        cosines = table.cosines(here, asked.pieces).take(place, axis=0)
        nearest = np.maximum.reduceat(cosines, starts[filled], axis=0)
        nearest -= np.float32(threshold)
        nearest *= np.float32(1.0 / (1.0 - threshold))
        np.maximum(nearest, 0.0, out=nearest)
        np.minimum(nearest, 1.0, out=nearest)
        found[filled] = nearest
    return found


def factors(
    covered: NDArray[np.float32], counts: NDArray[np.int64], asked: Asked, settings: LateInteraction
) -> NDArray[np.float32]:
    """Return y(d) of each candidate, (n_candidates,) float32, at least ``floor``.

    A candidate without a known wordpiece (another script) can neither meet nor miss the question: it has the mean of
    the others. Where none has any, all have 1.

    ``covered`` (n_candidates, n_asked) is what ``maxsim`` found; ``counts`` (n_candidates,) how many distinct
    wordpieces each has.
    """
    known = counts > 0
    if not known.any():
        return np.ones(len(counts), np.float32)
    sizes = counts[known]
    x = row_by_row(covered[known], asked.weights) - settings.length * (np.log(sizes) - np.log(sizes.mean()))
    y = settings.floor + np.maximum(x, 0.0)
    found = np.empty(len(counts), np.float32)
    found[known] = y
    if len(y) < len(found):
        found[~known] = y.mean()
    return found


def _numbered(pieces: NDArray[np.integer[Any]], size: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the distinct wordpieces of ``size`` there are, ascending, and the place of each of ``pieces`` among them.

    By marking them: they are so many beside all there are that sorting takes twice as long.
    """
    numbers = pieces.astype(np.int64)
    marked = np.zeros(size, bool)
    marked[numbers] = True
    here = marked.nonzero()[0]
    place = np.empty(size, np.int32)
    place[here] = np.arange(len(here), dtype=np.int32)
    return here, place.take(numbers)
