"""What studies of the retrieval itself ask: snapshots, prepared questions, and the components of chosen nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial, wraps
from typing import Any, TypeVar, cast

from fourfold import arguments, pipeline
from fourfold.asking import Options
from fourfold.config import RetrievalConfig
from fourfold.index.base import Nodes
from fourfold.index.snapshot import Snapshot
from fourfold.node_text import text_of
from fourfold.query import Query
from fourfold.session import Session
from fourfold.tokenizer import Tokenizer
from fourfold.types import FloatArray, Node, Weights

A = TypeVar("A")
F = TypeVar("F", bound=Callable[..., Any])


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

        def taken() -> Snapshot:
            snapshot, _ = self._session.present()
            return snapshot if config is None else self._session.backend.snapshot(config)

        return self._session.from_whole_files(taken)

    @property
    def tokenizer(self) -> Tokenizer:
        """What makes the terms of the graph's texts, and of questions to them."""
        self._session.follow_config()
        return self._session.tokenizer

    def from_whole_files(self, answer: Callable[[], A]) -> A:
        """Return what ``answer`` makes of a snapshot that it takes itself; see ``of_whole_files``."""
        return self._session.from_whole_files(answer)

    def prepare(self, queries: Iterable[str], *, k: int | None = None) -> tuple[Snapshot, list[Query]]:
        """Return the present generation and the queries as ``pipeline.run`` takes them."""
        texts = [arguments.question(text) for text in arguments.many(queries, "queries", "questions")]

        def prepared() -> tuple[Snapshot, list[Query]]:
            snapshot, asker = self._session.present()
            return snapshot, [asker.query(snapshot, text, Options(k=k)) for text in texts]

        return self._session.from_whole_files(prepared)

    def scores(self, query: str, nodes: Nodes, *, plain: bool = False, **options: Any) -> tuple[Query, NodeScores]:
        """Return the question as it was read, and the components of these nodes, whether they are hits or not.

        For rooms that rank by rules of their own, so without what diversifies an answer: bonus, coverage, sides.

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

        def made() -> tuple[Query, NodeScores]:
            with self._session.question(query) as (snapshot, asker):
                config = asker.config.replace(diversity={"bonus": 0.0})
                if plain:
                    config = config.replace(fusion={"late": {"depth": 0}}, graph={"bridge": {"weight": 0.0}})
                request = asker.query(snapshot, query, wanted)
                scores = pipeline.run(snapshot, request, config)
                gained = 0.0 * nodes if scores.bridges is None else scores.bridges.gained.at(nodes)
                return request, NodeScores(scores.weights, scores.components_at(nodes), gained)

        return self._session.from_whole_files(made)

    def text_of(self, node: Node) -> str:
        """Return what an embedder reads of a node by the config, as ``reembed`` does."""
        return text_of(node, self._session.config.embedding)


def of_whole_files(study: F) -> F:
    """Make a function of a retriever begin once more, from the store, where a derived file shows damage on its way.

    A snapshot is read where it is asked, so whoever holds one may meet a damaged block; what the function is based on
    it must take itself.
    """

    @wraps(study)
    def begun(retriever: Any, *args: Any, **kwargs: Any) -> Any:
        return retriever.analysis.from_whole_files(partial(study, retriever, *args, **kwargs))

    return cast(F, begun)
