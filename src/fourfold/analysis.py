"""What studies of the retrieval itself ask: snapshots, prepared questions, and the components of chosen nodes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from fourfold import arguments, pipeline
from fourfold.asking import Options
from fourfold.config import RetrievalConfig
from fourfold.graph_embedding import text_of
from fourfold.index.base import Nodes
from fourfold.index.snapshot import Snapshot
from fourfold.pipeline import Query
from fourfold.session import Session
from fourfold.types import FloatArray, Node, Weights


@dataclass(frozen=True)
class NodeScores:
    """What a question gives chosen nodes: the weights in force, and parallel to the nodes, (n,) each, in [0, 1].

    ``gained`` is what bridges add to the weighted sum.
    """

    weights: Weights
    components: Mapping[str, FloatArray]
    gained: FloatArray


class Analysis:
    """One graph as its rankings are studied: ``retriever.analysis``."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def snapshot(self, config: RetrievalConfig | None = None) -> Snapshot:
        """Return the present generation as ``pipeline.run`` asks it; with its texts as another config reads them."""
        snapshot, _ = self._session.present()
        return snapshot if config is None else self._session.backend.snapshot(config)

    def prepare(self, queries: Iterable[str], *, k: int | None = None) -> tuple[Snapshot, list[Query]]:
        """Return the present generation and the queries as ``pipeline.run`` takes them."""
        snapshot, asker = self._session.present()
        return snapshot, [asker.query(snapshot, arguments.question(text), Options(k=k)) for text in queries]

    def scores(self, query: str, nodes: Nodes, *, plain: bool = False, **options: Any) -> tuple[Query, NodeScores]:
        """Return the question as it was read, and the components of these nodes, whether they are hits or not.

        For rooms that rank by rules of their own, so without the diversity bonus.

        Args:
            query: the question.
            nodes: (n,) node numbers.
            plain: leave out late interaction and bridges: for rules that compare the scores of different questions.
            options: those of ``Retriever.search`` that bear on scores: k, filter, intent, weights, query_vector, mode.

        Raises:
            InvalidValueError, FilterError, DimensionError, SearchError: as ``Retriever.search``.

        """
        query = arguments.question(query)
        wanted = Options.of(options)
        with self._session.question(query) as (snapshot, asker):
            config = asker.config.replace(diversity={"bonus": 0.0})
            if plain:
                config = config.replace(fusion={"late": {"depth": 0}}, graph={"bridge": {"weight": 0.0}})
            request = asker.query(snapshot, query, wanted)
            scores = pipeline.run(snapshot, request, config)
            gained = 0.0 * nodes if scores.bridges is None else scores.bridges.gained.at(nodes)
            return request, NodeScores(scores.weights, scores.components_at(nodes), gained)

    def text_of(self, node: Node) -> str:
        """Return what an embedder reads of a node by the config, as ``reembed`` does."""
        return text_of(node, self._session.config.embedding)
