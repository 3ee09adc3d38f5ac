"""Train an embedder from a graph, and keep it in the graph's file if what was held out says that it helps."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from fourfold import ordered
from fourfold.analysis import of_whole_files
from fourfold.arguments import callback, shown
from fourfold.embed import ContextualEmbedder, StaticEmbedder
from fourfold.embed.contextual.lessons import Lessons, Measured, lessons_of
from fourfold.embed.contextual.rows import TokenRows, joined
from fourfold.embed.contextual.training import Checkpoint, Settings, Trained, train
from fourfold.embed.static import bundled
from fourfold.errors import InvalidValueError, StoreError, UnsupportedError
from fourfold.evaluate.statistics import mean_bound
from fourfold.filters import EVERY_NODE
from fourfold.open_graph import of_open_graph
from fourfold.retriever import Retriever
from fourfold.types import Node

Progress = Callable[[str, int, int], None]
"""Called with (what is being done, steps done, steps in all)."""

_BATCH = 8192
_SURELY_BETTER, _BETTER, _WORSE = 0.99, 0.95, 0.95
_ENOUGH = 20
"""Held-out questions of a kind without which it is not heard."""


@dataclass(frozen=True)
class EmbedderTraining:
    """What a training came to.

    Args:
        embedder: the trained embedder.
        trained: steps and held-out measures.
        worthwhile: whether the held-out measures let it pass.
        verdict: the reason, a sentence.
        generation: of the graph after the new vectors were written; None if nothing was applied.
        facts: base model, seed, steps and held-out measures, in JSON types; ``Retriever.info`` tells them afterwards.

    """

    embedder: ContextualEmbedder
    trained: Trained
    worthwhile: bool
    verdict: str
    generation: int | None = None
    facts: dict[str, Any] = field(default_factory=dict)


@of_open_graph
def train_embedder(
    retriever: Retriever,
    *,
    settings: Settings | None = None,
    base: StaticEmbedder | None = None,
    apply: bool = True,
    force: bool = False,
    progress: Progress | None = None,
) -> EmbedderTraining:
    """Train an embedder on a graph's own edges, titles and texts; no query and no judgement is read.

    An interrupted training goes on where it stopped: its state is kept in ``<file>.training`` until it is done.

    Args:
        retriever: the graph.
        settings: the numbers of the training.
        base: the static model to start from; None is the bundled one.
        apply: embed the graph with it if it is worthwhile (see ``Retriever.maintenance.reembed``).
        force: with ``apply``, embed the graph with it whatever was held out says; the file keeps the verdict.
        progress: called along the way.

    Raises:
        InvalidValueError: the graph has no texts, or nothing that could teach.
        StoreError: the file cannot be written.
        UnsupportedError: the engine keeps no trained embedder.

    """
    if not retriever.backend.capabilities.models:
        raise UnsupportedError(
            f"{retriever.path!r} keeps no embedder that was trained from its graph (capabilities.models is False); "
            "train one from a graph in a SQLite file, such as a copy: fourfold copy."
        )
    settings = settings or Settings()
    base = base or bundled()
    for value, kind, what in ((settings, Settings, "settings"), (base, StaticEmbedder, "base")):
        if not isinstance(value, kind):
            raise InvalidValueError(f"{what} is {shown(value)}; it must be a {kind.__name__}, or None.")
    say = callback(progress) or (lambda what, done, total: None)
    if apply:
        with retriever.backend.transaction(moves=False):
            pass  # a file that cannot be written is refused before the work, not after it
    tokenizer, table = base.token_vectors()
    lessons = read_lessons(retriever, base, seed=settings.seed)
    if not (len(lessons.edges) or len(lessons.titled) or len(lessons.told)):
        raise InvalidValueError(
            f"{retriever.path!r} holds no edges, titles or texts of four words to train an embedder from."
        )
    kept = _kept(retriever.backend.path, lessons, settings, base.name)
    trained = train(
        lessons,
        table,
        settings,
        progress=lambda done, total, mark: say("training", done, total),
        checkpoint=kept,
    )
    embedder = ContextualEmbedder(trained.table, tokenizer, settings.own_share if len(lessons.edges) else 1.0)
    worthwhile, verdict = judge(trained.before, trained.after)
    facts = {
        "base": base.name,
        "seed": settings.seed,
        "steps": trained.steps,
        "own_share": embedder.own_share,
        "held_out": _held_out(trained),
    }
    if force and not worthwhile:
        facts |= {"forced": True, "verdict": verdict}
    generation = None
    if apply and (worthwhile or force):
        generation = retriever.maintenance.reembed(
            embedder,
            progress=lambda done, total: say("embedding", done, total),
            also=lambda writer: writer.set_meta("embedder_training", json.dumps(facts)),
        )
    if kept.file is not None:
        kept.file.unlink(missing_ok=True)
    return EmbedderTraining(embedder, trained, worthwhile, verdict, generation, facts)


def _held_out(trained: Trained) -> dict[str, dict[str, float]]:
    """Return the held-out measures of a training by kind of question, in JSON types."""
    return {
        kind: {
            "questions": len(before),
            "before": round(float(before.mean()), 4),
            "after": round(float(trained.after[kind].mean()), 4),
        }
        for kind, before in trained.before.items()
    }


def judge(before: Measured, after: Measured) -> tuple[bool, str]:
    """Say whether a trained embedder may replace the static one, and why, from what was held out.

    The mean reciprocal rank, averaged over the kinds of questions, must be better at 99 %, and no kind worse at 95 %.
    Edges, or titles where there are no edges, must be better themselves at 95 %: what shares its words with the node it
    asks for is found by the text component already (docs/embeddings.md tells what this refuses).
    """
    told = "; ".join(
        f"{kind} {before[kind].mean():.3f} → {after[kind].mean():.3f} ({len(before[kind])})" for kind in before
    )
    changes = {kind: after[kind] - before[kind] for kind in before}
    if "edges" in changes:  # each edge was asked in both directions: one piece of evidence
        changes["edges"] = changes["edges"].reshape(2, -1).mean(axis=0)
    changes = {kind: change for kind, change in changes.items() if len(change) >= _ENOUGH}
    if not changes:
        told = f" ({told})" if told else ""
        return False, f"Nothing was changed: fewer than {_ENOUGH} questions of a kind could be held out{told}."
    worse = [kind for kind, change in changes.items() if mean_bound([-change], confidence=_WORSE) > 0]
    if worse:
        return False, f"Nothing was changed: held-out {' and '.join(worse)} are found worse than before. {told}."
    deciding = "edges" if "edges" in before else "titles"
    if deciding not in changes or mean_bound([changes[deciding]], confidence=_BETTER) <= 0:
        return False, f"Nothing was changed: it is not sure that held-out {deciding} are found better. {told}."
    if mean_bound(list(changes.values()), confidence=_SURELY_BETTER) <= 0:
        return False, f"Nothing was changed: it is not sure that what was held out is found better. {told}."
    return True, f"What was held out is found better (mean reciprocal rank): {told}."


@of_whole_files
def read_lessons(retriever: Retriever, base: StaticEmbedder, *, seed: int) -> Lessons:
    """Read what a graph teaches: its nodes as the embedder reads them, their names and bodies, its edges."""
    nums = retriever.backend.allowed(EVERY_NODE).nodes
    ids = retriever.backend.ids(nums)
    batches: list[list[TokenRows]] = [[], [], []]
    for start in range(0, len(ids), _BATCH):
        nodes = retriever.get(ids[start : start + _BATCH])
        if len(nodes) != len(ids[start : start + _BATCH]):
            raise InvalidValueError(f"{retriever.path!r} was changed while it was read for training; start again.")
        named = [node if _has_both(node) else Node(node.id) for node in nodes]
        texts = [
            [retriever.analysis.text_of(node) for node in nodes],
            [node.name for node in named],
            [node.text for node in named],
        ]
        for kind, read in zip(batches, texts, strict=True):
            kind.append(TokenRows.of(base.tokenize(read)))
    links = retriever.analysis.snapshot().edges
    steps = links.expand(nums, forward=True)
    place, here = ordered.places(nums, steps.targets)
    if not here.all():
        raise InvalidValueError(f"{retriever.path!r} was changed while it was read for training; start again.")
    edges = np.stack((steps.origin, place), axis=1).astype(np.int64)
    of_types = np.append(retriever.config.graph.weights_of(links.type_names), 0.0)
    weights = of_types[steps.types] * steps.weights
    documents, titles, bodies = (joined(*kind) if kind else TokenRows.of([]) for kind in batches)
    return lessons_of(documents, titles, bodies, edges, weights, seed=seed)


def _has_both(node: Node) -> bool:
    return bool(node.name.strip() and node.text.strip() and node.name.strip() != node.text.strip())


@dataclass(frozen=True)
class _KeptState(Checkpoint):
    file: Path | None = None


def _kept(path: str, lessons: Lessons, settings: Settings, base: str) -> _KeptState:
    """Keep the training's state beside the graph's file, marked with what it was made from."""
    if path == ":memory:":
        return _KeptState()
    made_from = hashlib.blake2b(f"{base} {settings!r}".encode(), digest_size=16)
    for rows in (lessons.documents, lessons.titles, lessons.bodies):
        made_from.update(rows.ids.tobytes() + rows.starts.tobytes())
    made_from.update(lessons.edges.tobytes() + np.asarray(lessons.weights, np.float64).tobytes())
    mark = made_from.digest()
    file = Path(f"{path}.training")

    def load() -> bytes | None:
        try:
            content = file.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StoreError(f"The state of the training in {str(file)!r} cannot be read: {error.strerror}.") from error
        return content[len(mark) :] if content.startswith(mark) else None

    def save(state: bytes) -> None:
        part = file.with_name(file.name + ".part")
        try:
            part.write_bytes(mark + state)
            part.replace(file)
        except OSError as error:
            raise StoreError(f"The state of the training cannot be kept in {str(file)!r}: {error.strerror}.") from error

    return _KeptState(load, save, file)
