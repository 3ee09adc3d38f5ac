"""Learn in the background from what users said, behind the gate of ``tune``: searches go on meanwhile."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

from fourfold.arguments import many
from fourfold.errors import FourfoldError, StoreError
from fourfold.evaluate.collection import JudgedQuery
from fourfold.evaluate.run import feedback_judgements
from fourfold.evaluate.tune import TuneResult, tune
from fourfold.open_graph import of_open_graph

if TYPE_CHECKING:
    from fourfold.retriever import Retriever

logger = logging.getLogger(__name__)


class Lesson:
    """Tuning under way, and what came of it.

    ``result`` is there once it has ended well, ``applied`` is the number of the config that was put in force, or None;
    ``verdict`` says why in one sentence.
    """

    def __init__(self, retriever: Retriever, queries: Sequence[JudgedQuery], k: int, apply: bool) -> None:
        self.result: TuneResult | None = None
        self.applied: int | None = None
        self.verdict = "Still learning."
        self._retriever = retriever
        self._queries, self._k, self._apply = queries, k, apply
        self._begun_from = retriever.info()["config_version"]
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="fourfold-learn", daemon=True)
        self._thread.start()

    @property
    def running(self) -> bool:
        """Whether it is still at work."""
        return self._thread.is_alive()

    def wait(self, seconds: float | None = None) -> TuneResult | None:
        """Wait until it has ended, or for so many seconds; return what came of it, None where nothing did."""
        self._thread.join(seconds)
        return self.result

    def stop(self) -> None:
        """End at the next step; nothing is applied."""
        self._stopping.set()

    def _run(self) -> None:
        try:
            result = tune(self._retriever, self._queries, k=self._k, progress=self._go_on)
            if self._apply and result.worthwhile:
                self.applied = self._retriever.learning.apply_config(
                    result.config, evidence=result.evidence(len(self._queries)), over=self._begun_from
                )
            self.result, self.verdict = result, result.verdict
        except _StoppedError:
            self.verdict = "Stopped; nothing was applied."
        except FourfoldError as error:  # another config has come into force, or the graph was closed
            self.verdict = str(error)
        except Exception as error:
            logger.exception("Learning from the feedback of %r failed", self._retriever.path)
            self.verdict = f"Learning failed, nothing was applied: {type(error).__name__}: {error}"

    def _go_on(self, done: int, steps: int) -> None:
        if self._stopping.is_set():
            raise _StoppedError


class _StoppedError(Exception):
    """The lesson was asked to end."""


@of_open_graph
def learn(
    retriever: Retriever, queries: Sequence[JudgedQuery] | None = None, *, k: int = 10, apply: bool = True
) -> Lesson:
    """Begin to tune in the background, and apply what the gate lets pass; see ``Retriever.learn``."""
    if apply and retriever.backend.read_only:
        raise StoreError(
            f"{retriever.path!r} was opened read-only, so nothing learnt can be applied; open it for writing, or say "
            "apply=False."
        )
    judged = feedback_judgements(retriever).queries if queries is None else many(queries, "queries", "JudgedQuery")
    return Lesson(retriever, tuple(judged), k, apply)
