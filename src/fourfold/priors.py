"""What counts beside the question, for the memory of an agent: how recent a node is, and whether it is pinned.

A prior is a factor of the final score. What fades keeps ``1 − share`` of it at the least, so no node that stands far
down can rise above the best that were looked at, but for what pinning gives: nodes are read further down until that is
certain. Off unless ``fusion.priors`` names the metadata keys; evidence of the kinds "recency" and "pinned" tells it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np

from fourfold.config import RetrievalConfig
from fourfold.config.steps import Priors
from fourfold.engines import Backend
from fourfold.scores import Moved, Scores, final_scores

_DAY = 86_400.0
_YEAR_5138 = 1e11
"""In seconds; in milliseconds it is the year 1973."""

_FINER = ("milliseconds", "microseconds", "nanoseconds")


def apply(backend: Backend, scores: Scores, config: RetrievalConfig, nodes: Sequence[int]) -> None:
    """Let the priors, where there are any, move the scores of nodes."""
    settings, now = config.fusion.priors, time.time()
    if not settings.on:
        return
    read = backend.nodes(nodes)
    known = [num for num in nodes if num in read]
    for num, score in zip(known, final_scores(scores, known, config).tolist(), strict=True):
        for kind, factor, word in _factors(read[num].metadata, settings, now):
            moved = score * factor
            if config.fusion.clip:
                moved = min(moved, 1.0)
            scores.move(num, Moved(kind, moved - score, word), moved)


def reorder(scores: Scores, config: RetrievalConfig) -> None:
    """Put the best in the order of the scores they have now; what ties keeps its order."""
    final = final_scores(scores, scores.order, config)
    scores.order = [scores.order[place] for place in np.argsort(-final, kind="stable").tolist()]


def age(value: object, now: float) -> float | None:
    """Return the age in days of a timestamp, at least 0: seconds since 1970, or a date by ISO 8601, UTC if unsaid.

    Numbers that would lie after the year 5000 are milliseconds, microseconds or nanoseconds. None for what is neither.
    """
    if isinstance(value, str):
        try:
            then = datetime.fromisoformat(value)
        except ValueError:
            return None
        seconds = (then if then.tzinfo is not None else then.replace(tzinfo=UTC)).timestamp()
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        try:
            seconds = float(value)
        except OverflowError:  # an integer beyond all floats
            return None
        if not math.isfinite(seconds):
            return None
        for _ in _FINER:
            if abs(seconds) >= _YEAR_5138:
                seconds /= 1000
    else:
        return None
    return max(now - seconds, 0.0) / _DAY


def _factors(metadata: Mapping[str, Any], settings: Priors, now: float) -> list[tuple[str, float, str]]:
    """Return (kind, factor, what evidence tells of it) of each prior that says something of a node."""
    if settings.pinned and metadata.get(settings.pinned) is True:
        return [("pinned", 1.0 + settings.pinned_gain, "")]
    if settings.recency and (days := age(metadata.get(settings.recency), now)) is not None:
        faded = 1.0 - 0.5 ** (days / settings.half_life)
        return [("recency", 1.0 - settings.share * faded, f"{days:.3g}" if days < 999.5 else f"{days:.0f}")]
    return []
