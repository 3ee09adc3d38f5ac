"""How often a node was used, and with what success."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Usage:
    """What was learned of one node: uses and successes ever, and ``recent`` uses as they weighed at ``used_at``."""

    uses: int = 0
    successes: int = 0
    recent: float = 0.0
    used_at: float = 0.0

    @property
    def success_rate(self) -> float:
        """Share of uses that succeeded, in [0, 1]; by Laplace's rule one success and one failure are added."""
        return (self.successes + 1) / (self.uses + 2)

    def recent_at(self, now: float, half_life: float) -> float:
        """Return the recent uses as they weigh at a moment; both arguments in seconds."""
        return float(self.recent * 0.5 ** (max(now - self.used_at, 0.0) / half_life))
