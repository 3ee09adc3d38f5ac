"""Every intent's profile on every query: which would have served each, for a handful of probes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fourfold.arguments import callback, many
from fourfold.evaluate.collection import JudgedQuery, Judgements
from fourfold.evaluate.run import Run, evaluate
from fourfold.intent import NO_INTENT
from fourfold.open_graph import of_open_graph
from fourfold.types import FloatArray

if TYPE_CHECKING:
    from fourfold.retriever import Retriever

READ = "as read"
"""Stands for the intent that Fourfold reads from each query by itself."""


@dataclass(frozen=True)
class EachIntent:
    """What each profile is worth on each query.

    Args:
        measure: what was measured.
        queries: the judged queries.
        read: the intent that was read in each.
        profiles: "as read", "default" (the profile without an intent) and every intent of the config.
        values: (n_profiles, n_queries) the measure of each.

    """

    measure: str
    queries: tuple[JudgedQuery, ...]
    read: tuple[str, ...]
    profiles: tuple[str, ...]
    values: FloatArray

    @property
    def means(self) -> dict[str, float]:
        """Return the mean of each profile."""
        return dict(zip(self.profiles, self.values.mean(axis=1).tolist(), strict=True))

    def best(self, query: int) -> list[str]:
        """Return the profiles that serve a query best; empty where all serve it alike."""
        own = self.values[1:, query]
        if float(np.ptp(own)) < 1e-9:
            return []
        return [self.profiles[1 + place] for place in np.flatnonzero(own >= own.max() - 1e-9).tolist()]

    def as_dict(self) -> dict[str, Any]:
        """Return everything in plain JSON types."""
        return {
            "measure": self.measure,
            "means": self.means,
            "queries": [
                {
                    "query": query.text,
                    "read": read,
                    "values": dict(zip(self.profiles, self.values[:, place].tolist(), strict=True)),
                    "best": self.best(place),
                }
                for place, (query, read) in enumerate(zip(self.queries, self.read, strict=True))
            ],
        }


@of_open_graph
def each_intent(
    retriever: Retriever,
    judgements: Judgements | Sequence[JudgedQuery],
    *,
    k: int = 10,
    measure: str = "ndcg@10",
    progress: Callable[[int, int], None] | None = None,
) -> EachIntent:
    """Answer every query under every intent's profile.

    Args:
        retriever: the graph.
        judgements: the queries.
        k: hits per query.
        measure: see ``evaluate.measure``.
        progress: called with (profiles done, profiles in all).

    """
    queries = tuple(many(judgements, "judgements", "judged queries"))
    callback(progress)
    names = [None, NO_INTENT, *(spec.name for spec in retriever.config.intents.specs)]
    runs: list[Run] = []
    for name in names:
        runs.append(evaluate(retriever, judgements, k=k, intent=name))
        if progress is not None:
            progress(len(runs), len(names))
    read = tuple(str(runs[0].intents[query.id]) for query in queries)
    profiles = tuple(READ if name is None else str(name) for name in names)
    return EachIntent(measure, queries, read, profiles, np.stack([run.values(queries, measure) for run in runs]))
