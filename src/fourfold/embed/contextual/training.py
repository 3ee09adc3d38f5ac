"""The loop: draw a batch, compose, fuse, contrast, step back along the gradients, stop when nothing more is gained."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fourfold.embed.contextual.composition import Composition, Floats
from fourfold.embed.contextual.contrast import info_nce
from fourfold.embed.contextual.lessons import Lessons, Measured
from fourfold.embed.contextual.neighbour_mixing import fuse
from fourfold.embed.contextual.rows import Ints, TokenRows, joined
from fourfold.embed.contextual.stored import arrays_of
from fourfold.lazy import load

if TYPE_CHECKING:
    from scipy import sparse

Progress = Callable[[int, int, float], None]
"""Called with (steps done, steps at most, the held-out measure)."""

_PARAMETERS = ("table", "attention")


@dataclass(frozen=True)
class Settings:
    """Every number of the training.

    Args:
        seed: one seed, one result.
        steps: at most.
        rate: learning rate of the token vectors, whose root mean square length is 1; falls linearly to 0.
        attention_rate: that of the attention.
        kept: how far the result goes from the static token vectors to the trained ones. Half-way, questions in
            words that the graph does not use are still understood (Wortsman et al. 2022 on averaged weights).
        temperature: of InfoNCE.
        edges: edges in a batch.
        nodes: random nodes in a batch besides.
        neighbours: neighbours drawn for each node of a batch.
        tokens: tokens read of a text.
        own_share: η of the fusion.
        check_every: steps between two looks at what is held out.
        patience: looks without a gain after which the training stops.

    """

    seed: int = 0
    steps: int = 300
    rate: float = 4e-3
    attention_rate: float = 5e-3
    kept: float = 0.5
    temperature: float = 0.05
    edges: int = 256
    nodes: int = 128
    neighbours: int = 3
    tokens: int = 64
    own_share: float = 0.6
    check_every: int = 10
    patience: int = 8


@dataclass(frozen=True)
class Trained:
    """A finished training.

    ``table`` (n_tokens, dimensions) has the attention inside: row i is ``exp(attention)ᵢ · vectorᵢ``, so that a plain
    mean over tokens, brought to length one, is the composition. ``before`` and ``after`` are measured on what was
    held out, by the vectors of texts without their neighbours; ``steps`` is where the best was found.
    """

    table: Floats
    steps: int
    before: Measured
    after: Measured


@dataclass(frozen=True)
class Checkpoint:
    """Where a training keeps its state.

    ``load`` returns what ``save`` was last given, or None; ``save`` must be all or nothing.
    """

    load: Callable[[], bytes | None] = lambda: None
    save: Callable[[bytes], None] = lambda state: None


@dataclass
class _State:
    """Everything a resumed training needs; arrays and numbers only, so that it is stored without pickle.

    ``now`` holds the parameters, ``table`` and ``attention`` of the graph's own tokens; ``best`` the finished table of
    the best look so far. ``moments`` are Adam's.
    """

    now: dict[str, Floats]
    best: Floats
    moments: dict[str, Floats]
    step: int = 0
    mark: float = 0.0
    best_step: int = 0
    looks: int = 0
    """Looks at what is held out since the best one."""

    @classmethod
    def first(cls, table: Floats, mark: float) -> _State:
        now = {"table": table.copy(), "attention": np.zeros(len(table), np.float32)}
        moments = {f"{name}{order}": np.zeros_like(now[name]) for name in _PARAMETERS for order in (1, 2)}
        return cls(now, table, moments, mark=mark)

    def to_bytes(self) -> bytes:
        arrays = {f"now_{name}": value for name, value in self.now.items()}
        arrays |= {f"moment_{name}": value for name, value in self.moments.items()}
        numbers = np.array([self.step, self.mark, self.best_step, self.looks], np.float64)
        buffer = io.BytesIO()
        np.savez(buffer, numbers=numbers, best=self.best, **arrays)  # type: ignore[arg-type]
        return buffer.getvalue()

    def resumed(self, content: bytes | None) -> _State:
        """Return the state that was kept, or this, the first, where none was, or what was kept cannot be read."""
        if content is None:
            return self
        try:
            kept = _State.from_bytes(content)
        except (zipfile.BadZipFile, EOFError, LookupError, OSError, OverflowError, TypeError, ValueError):
            return self  # such as after a power cut
        return kept if kept.shapes() == self.shapes() and min(kept.step, kept.looks) >= 0 else self

    def shapes(self) -> list[tuple[int, ...]]:
        """Return the shapes of all arrays, in one order."""
        return [array.shape for kind in (self.now, self.moments) for array in kind.values()] + [self.best.shape]

    @classmethod
    def from_bytes(cls, content: bytes) -> _State:
        with arrays_of(content) as stored:
            step, mark, best_step, looks = stored["numbers"].tolist()
            now = {name: stored[f"now_{name}"] for name in _PARAMETERS}
            moments = {f"{name}{order}": stored[f"moment_{name}{order}"] for name in _PARAMETERS for order in (1, 2)}
            return cls(now, stored["best"], moments, int(step), mark, int(best_step), int(looks))

    def adam(self, gradients: dict[str, Floats], rates: dict[str, float]) -> None:
        """Step along the gradients (Kingma and Ba 2015, with their constants)."""
        self.step += 1
        for name, gradient in gradients.items():
            first, second = self.moments[f"{name}1"], self.moments[f"{name}2"]
            first += 0.1 * (gradient - first)
            second += 0.001 * (gradient * gradient - second)
            mean, spread = first / (1 - 0.9**self.step), second / (1 - 0.999**self.step)
            self.now[name] -= rates[name] * mean / (np.sqrt(spread) + 1e-8)


def train(
    lessons: Lessons,
    table: Floats,
    settings: Settings,
    *,
    progress: Progress | None = None,
    checkpoint: Checkpoint | None = None,
) -> Trained:
    """Move the token vectors of a graph's words until its neighbours, titles and fragments find each other.

    InfoNCE (van den Oord et al. 2018); the negatives are the other nodes of a batch, some at the ends of its edges,
    some random. Tokens that do not occur in the graph stay where they are.

    A ``checkpoint`` resumes a training that was interrupted, to the same result.
    """
    size = float(np.sqrt(np.einsum("ij,ij->", table, table, dtype=np.float64) / max(len(table), 1))) or 1.0
    whole = (table / size).astype(np.float32)
    used = lessons.vocabulary
    start = whole[used]
    own = lessons.renumbered(used, len(table), settings.tokens)
    before = own.measure(start)

    checkpoint = checkpoint or Checkpoint()
    state = _State.first(start, mark_of(before)).resumed(checkpoint.load())
    while state.step < settings.steps and state.looks < settings.patience and len(used):
        batch = draw(own, settings, np.random.default_rng([settings.seed, 3, state.step]))
        _, gradients = loss_and_gradients(batch, state.now, settings)
        left = 1 - state.step / settings.steps
        state.adam(gradients, {"table": settings.rate * left, "attention": settings.attention_rate * left})
        if state.step % settings.check_every == 0 or state.step == settings.steps:
            _look(own, state, start, settings.kept)
            checkpoint.save(state.to_bytes())
            if progress is not None:
                progress(state.step, settings.steps, state.mark)

    whole[used] = state.best
    return Trained(whole, state.best_step, before, own.measure(state.best))


def _look(lessons: Lessons, state: _State, start: Floats, kept: float) -> None:
    """Measure what is held out; keep the table if it is the best so far."""
    trained = state.now["table"] * np.exp(state.now["attention"])[:, None]
    table = start + kept * (trained - start)
    mark = mark_of(lessons.measure(table))
    state.looks += 1
    if mark > state.mark:
        state.best, state.mark, state.best_step, state.looks = table, mark, state.step, 0


def mark_of(measured: Measured) -> float:
    """Return the mean over the kinds of held-out questions of their mean reciprocal rank; 0 without any."""
    return float(np.mean([ranks.mean() for ranks in measured.values()])) if measured else 0.0


# -- one batch --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Batch:
    """Questions and the nodes they shall find.

    Args:
        texts: everything that is composed.
        questions: rows of ``texts`` that ask, (n_questions,).
        own: which of ``nodes`` each shall find, (n_questions,).
        ignored: nodes that answer a question as well, (n_questions, n_nodes).
        counts: what each question counts, (n_questions,).
        nodes: rows of ``texts`` that are the nodes' own, (n_nodes,).
        means: takes the texts' vectors to the means of the nodes' neighbours, (n_nodes, n_texts).

    """

    texts: TokenRows
    questions: Ints
    own: Ints
    ignored: NDArray[np.bool_]
    counts: Floats
    nodes: Ints
    means: sparse.csr_matrix


def draw(lessons: Lessons, settings: Settings, chance: np.random.Generator) -> Batch:
    """Draw a batch: edges by weight, in either direction, and random nodes; neighbours, titles and fragments of all."""
    edges, weights = lessons.training_edges
    n_edges = min(settings.edges, len(edges))
    chosen = edges[chance.choice(len(edges), n_edges, p=weights / weights.sum())] if n_edges else edges[:0]
    turned = chance.random(n_edges) < 0.5
    left, right = np.where(turned, chosen[:, 1], chosen[:, 0]), np.where(turned, chosen[:, 0], chosen[:, 1])
    wanted = settings.nodes if n_edges else settings.edges + settings.nodes
    nodes = np.concatenate((right, chance.permutation(len(lessons))[:wanted]))

    titled, told = np.isin(nodes, lessons.titled), np.isin(nodes, lessons.told)
    bodies = titled & (chance.random(len(nodes)) < 0.5) & (lessons.bodies.lengths[nodes] > 0)
    own_texts = _either(lessons.bodies, lessons.documents, nodes, bodies)
    drawn = lessons.neighbours.sample(nodes, settings.neighbours, chance)
    drawn[:n_edges][drawn[:n_edges] == left[:, None]] = -1  # what an edge asks for must not be in the answer
    node_of, draw_of = np.nonzero(drawn >= 0)
    near, place = np.unique(drawn[node_of, draw_of], return_inverse=True)

    asked = [left, np.nonzero(titled)[0], np.nonzero(told)[0]]
    rows = (
        own_texts,
        lessons.documents.take(near),
        lessons.documents.take(left),
        lessons.titles.take(nodes[asked[1]]),
        lessons.fragments(nodes[asked[2]], chance),
    )
    texts = joined(*rows)
    first = len(rows[0]) + len(rows[1])
    own = np.concatenate((np.arange(n_edges), asked[1], asked[2]))
    asking = np.concatenate((left, nodes[asked[1]], nodes[asked[2]]))
    ignored = asking[:, None] == nodes[None, :]
    ignored[:n_edges] |= lessons.neighbours.joined(left, nodes)
    of_titles = slice(n_edges, n_edges + len(asked[1]))
    ignored[of_titles] |= lessons.title_groups[nodes[asked[1]]][:, None] == lessons.title_groups[nodes][None, :]
    counts = np.concatenate([np.full(len(kind), 1 / len(kind)) for kind in asked if len(kind)] or [np.empty(0)])
    shape = (len(nodes), len(texts))
    totals = np.bincount(node_of, minlength=len(nodes))
    csr_matrix = load("scipy.sparse", "Training an embedder").csr_matrix
    means = csr_matrix((1 / totals[node_of], (node_of, len(nodes) + place)), shape)
    return Batch(
        texts,
        np.arange(first, len(texts)),
        own,
        ignored,
        counts.astype(np.float32),
        np.arange(len(nodes)),
        means.astype(np.float32),
    )


def loss_and_gradients(
    batch: Batch, parameters: dict[str, Floats], settings: Settings
) -> tuple[float, dict[str, Floats]]:
    """Return a batch's loss, and its gradients by ``table`` and ``attention``."""
    composition = Composition(parameters["table"], parameters["attention"])
    composed = composition.compose(batch.texts)
    vectors, linked = composed.vectors, np.diff(batch.means.indptr) > 0
    fused = fuse(vectors[batch.nodes], batch.means @ vectors, linked, settings.own_share)
    loss, by_questions, by_nodes = info_nce(
        vectors[batch.questions], fused.vectors, batch.own, batch.ignored, batch.counts, settings.temperature
    )
    by_texts, by_means = fused.gradients(by_nodes)
    by_vectors = np.asarray(batch.means.T @ by_means)
    by_vectors[batch.nodes] += by_texts
    by_vectors[batch.questions] += by_questions
    by_table, by_attention = composition.gradients(composed, by_vectors)
    return loss, {"table": by_table, "attention": by_attention}


def _either(some: TokenRows, others: TokenRows, nodes: Ints, which: NDArray[np.bool_]) -> TokenRows:
    """Return for each node its row of ``some`` where ``which``, else that of ``others``."""
    both = joined(some.take(nodes[which]), others.take(nodes[~which]))
    order = np.concatenate((np.nonzero(which)[0], np.nonzero(~which)[0]))
    return both.take(np.argsort(order))
