"""Tokens → text vector: the mean of the token vectors, weighted by learned attention, at length one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fourfold.embed.contextual.rows import TokenRows
from fourfold.lazy import load

if TYPE_CHECKING:
    from scipy import sparse

Floats = NDArray[np.floating]


@dataclass
class Composition:
    """The parameters: a vector and an attention logit for each token of the vocabulary.

    ``t = Σ softmax(attention)ᵢ · tableᵢ`` over the tokens of a text, divided by its length. With all logits equal it
    is the static model.
    """

    table: Floats
    attention: Floats

    def compose(self, rows: TokenRows) -> Composed:
        """Return the texts' vectors, (n, dimensions), of length one; zeros for a text without tokens."""
        n, text = len(rows), rows.text_of_token
        logits = self.attention[rows.ids]
        largest = np.full(n, -np.inf, logits.dtype)
        np.maximum.at(largest, text, logits)
        raised = np.exp(logits - largest[text])
        shares = (raised / np.bincount(text, raised, n)[text]).astype(self.table.dtype)
        sparse = load("scipy.sparse", "Training an embedder")
        mixing = sparse.csr_matrix((shares, rows.ids, rows.starts), shape=(n, len(self.table)))
        sums = mixing @ self.table
        lengths = np.linalg.norm(sums, axis=1, keepdims=True)
        lengths[lengths == 0] = 1
        return Composed(rows, mixing, shares, sums / lengths, lengths)

    def gradients(self, composed: Composed, upstream: Floats) -> tuple[Floats, Floats]:
        """Return the loss's gradients by table and by attention, given those by the vectors, (n, dimensions)."""
        rows, text = composed.rows, composed.rows.text_of_token
        by_sum = through_length(upstream, composed.vectors, composed.lengths)
        by_table = composed.mixing.T @ by_sum
        by_share = np.einsum("ij,ij->i", by_sum[text], self.table[rows.ids])
        mean = np.bincount(text, composed.shares * by_share, len(rows))
        by_logit = composed.shares * (by_share - mean[text])
        by_attention = np.bincount(rows.ids, by_logit, len(self.table)).astype(self.attention.dtype)
        return by_table, by_attention


@dataclass(frozen=True)
class Composed:
    """Texts composed, and what the gradient needs of the way there."""

    rows: TokenRows
    mixing: sparse.csr_matrix
    shares: Floats
    vectors: Floats
    lengths: Floats


def through_length(upstream: Floats, unit: Floats, lengths: Floats) -> Floats:
    """Return the gradient by x, given the one by ``x / |x|``: only what is orthogonal to x turns it."""
    along = np.einsum("ij,ij->i", upstream, unit)[:, None]
    by_x: Floats = (upstream - along * unit) / lengths
    return by_x
