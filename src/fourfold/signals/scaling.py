"""Raw scores → components in [0, 1], node by node: a scale needs the moments of the population, never all of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from fourfold import ordered
from fourfold.index.base import Moments, Nodes
from fourfold.types import FloatArray


class Scale(Protocol):
    """How raw scores become a component; where ``kept`` is given (ascending), all other nodes have 0."""

    @property
    def kept(self) -> Nodes | None:
        """The only nodes that have a component at all."""

    def component(self, nodes: Nodes, raw: FloatArray) -> FloatArray:
        """Return the component of these nodes, (len(nodes),) float64, from their raw scores."""

    def bound(self, floor: float) -> float:
        """Return the most that a node can have whose raw score is at most ``floor``."""


@dataclass(frozen=True, slots=True)
class StandardScale:
    """Standard deviations above the mean, negatives to 0, divided by ``top``; a raw score of 0 is no evidence."""

    mean: float
    deviation: float
    top: float = 1.0
    kept: None = None

    @classmethod
    def of(cls, moments: Moments, background: int) -> StandardScale:
        """Return the scale of a population with ``background`` imaginary nodes of score 0."""
        return cls(moments.mean(background), moments.deviation(background))

    def component(self, nodes: Nodes, raw: FloatArray) -> FloatArray:
        """Return ``max(0, (raw − mean) / deviation) / top``."""
        if self.deviation <= 0:
            return np.zeros(len(nodes))
        standard: FloatArray = raw.astype(np.float64)
        standard -= self.mean
        standard /= self.deviation
        np.maximum(standard, 0.0, out=standard)
        standard /= self.top
        standard[raw == 0] = 0.0
        return standard

    def bound(self, floor: float) -> float:
        """Return the component of a raw score of ``floor``."""
        return max(floor - self.mean, 0.0) / self.deviation / self.top if self.deviation > 0 else 0.0


@dataclass(frozen=True, slots=True)
class MaximumScale:
    """Divided by the largest; where ``kept`` is given (ascending), all other nodes have 0 (published)."""

    top: float
    kept: Nodes | None = None

    def component(self, nodes: Nodes, raw: FloatArray) -> FloatArray:
        """Return ``raw / top``. In float64, for equal sums of different summands must tie."""
        if self.top <= 0:
            return np.zeros(len(nodes))
        scaled = raw.astype(np.float64) / self.top
        return scaled if self.kept is None else scaled * ordered.contains(self.kept, nodes)

    def bound(self, floor: float) -> float:
        """Return the component of a raw score of ``floor``; 0 where only the kept nodes have one."""
        return max(floor, 0.0) / self.top if self.top > 0 and self.kept is None else 0.0


@dataclass(frozen=True, slots=True)
class MinMaxScale:
    """From 0 for the smallest of the kept nodes (ascending) to 1 for the largest; 0 for all others (two-signal)."""

    low: float
    high: float
    kept: Nodes

    def component(self, nodes: Nodes, raw: FloatArray) -> FloatArray:
        """Return (raw − low) / (high − low) of the kept nodes; 1 where there is one, or all are equal."""
        spread = self.high - self.low
        scaled = (raw.astype(np.float64) - self.low) / spread if spread > 0 else np.ones(len(nodes))
        return scaled * ordered.contains(self.kept, nodes)

    def bound(self, floor: float) -> float:
        """Return 0: no node outside the kept ones has a score."""
        return 0.0


def by_maximum(raw: FloatArray) -> FloatArray:
    """Divide by the largest; all zeros stay zeros."""
    top = raw.max(initial=0.0)
    return raw / top if top > 0 else np.zeros_like(raw)
