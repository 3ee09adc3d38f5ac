"""The tokens of many texts in one array."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fourfold.ragged import bounds, spans

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class TokenRows:
    """Token ids of n texts: those of text i are ``ids[starts[i] : starts[i + 1]]``.

    Args:
        ids: int64, (n_tokens,).
        starts: int64, (n + 1,).

    """

    ids: Ints
    starts: Ints

    @classmethod
    def of(cls, texts: Sequence[Sequence[int]]) -> TokenRows:
        """Join the token ids of single texts."""
        starts = bounds([len(text) for text in texts])
        return cls(np.fromiter((token for text in texts for token in text), np.int64, starts[-1]), starts)

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def lengths(self) -> Ints:
        """Tokens of each text, (n,)."""
        lengths: Ints = np.diff(self.starts)
        return lengths

    @property
    def text_of_token(self) -> Ints:
        """Which text each token belongs to, (n_tokens,)."""
        return np.repeat(np.arange(len(self)), self.lengths)

    def take(self, texts: Ints) -> TokenRows:
        """Return some texts, in this order; a text may be taken twice."""
        lengths = self.lengths[texts]
        return TokenRows(self.ids[spans(self.starts[texts], lengths)], bounds(lengths))

    def where(self, kept: NDArray[np.bool_]) -> TokenRows:
        """Return the texts without the tokens that are not ``kept``, (n_tokens,)."""
        return TokenRows(self.ids[kept], bounds(kept)[self.starts])

    def first(self, count: int) -> TokenRows:
        """Return the first ``count`` tokens of each text."""
        within = np.arange(len(self.ids)) - np.repeat(self.starts[:-1], self.lengths)
        return self.where(within < count)


def joined(*several: TokenRows) -> TokenRows:
    """Return the texts of all, one after the other."""
    return TokenRows(
        np.concatenate([rows.ids for rows in several]),
        bounds(np.concatenate([rows.lengths for rows in several])),
    )
