"""What a graph learns from its users: what they said of answers, and the configs that were chosen for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from fourfold import arguments
from fourfold.arguments import shown, whole_number
from fourfold.config import RetrievalConfig
from fourfold.config_history import ConfigHistory, ConfigVersion
from fourfold.errors import InvalidValueError, StoreError
from fourfold.intent import of_file
from fourfold.session import Session, require_config


class Learning:
    """Feedback and config history of one graph: ``retriever.learning``."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def feedback(self, query: str, node_id: str, relevant: bool | float = True) -> None:
        """Remember whether a node answers a query; a second word on the same pair replaces the first.

        ``fourfold tune`` and ``evaluate.feedback_judgements`` read what was collected.

        Args:
            query: as it was asked.
            node_id: a node of the graph.
            relevant: yes or no, or a grade of at least 0.

        Raises:
            UnknownNodeError: there is no such node.
            InvalidValueError: an empty query, or a grade that is negative or no number.

        """
        query = arguments.question(query)
        if not query.strip():
            raise InvalidValueError(f"The query is {shown(query)}; feedback needs the words that were asked.")
        arguments.text(query, "The query")
        given = float(relevant) if isinstance(relevant, bool) else relevant
        grade = arguments.finite_number(given, "relevant", least=0)
        backend = self._session.backend
        if not backend.nums([arguments.string(node_id, "node_id")]):
            raise arguments.no_node(node_id, self._session.path)
        with backend.transaction() as writer:
            writer.put_feedback(query.strip(), node_id, grade)

    def judgements(self) -> list[tuple[str, str, float]]:
        """Return all feedback as (query, node id, grade), in the order of the queries' first mention."""
        return self._session.backend.feedback()

    def apply_config(
        self, config: RetrievalConfig, *, evidence: Mapping[str, Any] | None = None, over: int | None = None
    ) -> int:
        """Store a config with the graph and use it; whoever opens the graph without a config gets it.

        Args:
            config: what differs from the defaults is stored.
            evidence: JSON values that say why, such as the gain that was measured.
            over: the number of the version it is better than; refused where another one is in force by now.

        Returns:
            The number of this version, for ``rollback_config``.

        Raises:
            StoreError: another version than ``over`` is in force.
            InvalidValueError: ``evidence`` is not made of JSON values, ``over`` is no number of a version, or an intent
                has a pattern that a file cannot keep, see ``IntentSpec.from_file``.
            EmbedderMismatchError: it asks for another tokenizer than the one that made the graph's terms.

        """
        require_config(config)
        of_file(config.intents.specs)
        reasons = arguments.json_mapping({} if evidence is None else evidence, "evidence")
        expected = None if over is None else whole_number(over, "over", least=0)
        now = datetime.now(UTC).isoformat(timespec="seconds")

        def applied(history: ConfigHistory) -> ConfigHistory:
            if expected not in (None, history.in_force):
                raise StoreError(
                    f"Version {history.in_force} of the config is in force by now, no longer version "
                    f"{shown(expected)}; nothing was applied: tune again."
                )
            return history.applied(config, now, reasons)

        return self._change(applied)

    def rollback_config(self, version: int | None = None) -> int:
        """Go back to a version that was applied before; None is the one whose place this took, 0 the defaults.

        Returns:
            The number of the version now in force.

        Raises:
            StoreError: there is no such version.
            EmbedderMismatchError: as ``apply_config``.

        """
        wanted = None if version is None else whole_number(version, "version", least=0)
        return self._change(lambda history: replace(history, in_force=history.before() if wanted is None else wanted))

    def config_versions(self) -> list[ConfigVersion]:
        """Return every config ever applied to the graph, oldest first."""
        return list(self._session.history().versions)

    def _change(self, change: Callable[[ConfigHistory], ConfigHistory]) -> int:
        """Store a changed history and use what is in force then; return its number."""
        with self._session.backend.transaction() as writer:
            history = change(ConfigHistory.from_json(writer.meta("config")))
            config = history.config()
            self._session.require_tokenizer(config)
            writer.set_meta("config", history.to_json())
        self._session.apply(config)
        return history.in_force
