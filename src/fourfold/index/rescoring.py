"""How many of the candidates that codes name are compared exactly: measured on the vectors themselves."""

from __future__ import annotations

import math

import numpy as np

from fourfold.index.inner_products import with_each
from fourfold.index.quantised import Codes, Vectors32
from fourfold.types import FloatArray

_BLOCK = 16_384
_QUESTIONS = 100
_LEAST = 256
_NARROW = 2_048
_MOST = 16_384
_AIM = 0.998


def begun_with(codes: Codes, rescored: int) -> int:
    """Return how many of the candidates a search begins with: all where even the most there may be are few."""
    return rescored if rescored >= _MOST else rescored // codes.eager


def measure(codes: Codes, vectors: Vectors32) -> tuple[int, float]:
    """Return how many candidates to rescore, and the recall@10 of those that a search begins with.

    For questions between two own vectors; how many is what finds ``_AIM`` of their ten best, times the margin.
    """
    rng = np.random.default_rng(0)
    n, d = vectors.shape
    pairs = vectors[rng.integers(0, n, (2, _QUESTIONS))]
    noise = rng.standard_normal((_QUESTIONS, d)).astype(np.float32) * np.float32(0.5 / math.sqrt(d))
    questions = pairs[0] + np.float32(0.8) * pairs[1] + noise
    questions /= np.maximum(np.linalg.norm(questions, axis=1, keepdims=True), 1e-9)
    best = np.full((_QUESTIONS, 10), -np.inf, np.float32)
    for start in range(0, n, _BLOCK):
        scores = np.hstack((best, questions @ vectors[start : start + _BLOCK].T))
        best = np.partition(scores, scores.shape[1] - 10, axis=1)[:, -10:]
    tenth, most = best.min(axis=1), min(_MOST, n // 2)
    for width in sorted({min(_NARROW, most), most}):
        recall = _recall(codes, vectors, questions, tenth, width)
        enough = max(int(np.searchsorted(recall, _AIM)) + 1, _LEAST)
        rescored = min(enough * codes.margin, most)
        if enough <= width and begun_with(codes, rescored) <= width:
            break
    return rescored, float(recall[begun_with(codes, rescored) - 1])


def _recall(codes: Codes, vectors: Vectors32, questions: Vectors32, tenth: Vectors32, width: int) -> FloatArray:
    """Return the recall@10 among the first 1, 2, … ``width`` candidates, given each question's tenth best product."""
    hits = np.zeros(width)
    for question, least in zip(questions, tenth, strict=True):
        rows = codes.nearest(question, width, None)
        # What counts is the score, not the row: of a thousand duplicates any ten are right.
        right = with_each(vectors[rows], question) >= least - np.float32(1e-6)
        hits += np.minimum(np.cumsum(np.pad(right, (0, width - len(rows)))), 10)
    return hits / (10 * len(questions))
