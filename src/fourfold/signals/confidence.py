"""Whether the graph knows anything about a question: raw evidence of a node, and one calibrated number.

    evidence(d)   = max(0, cosine(d)) · (share + Σ idf of the question's terms in d / Σ idf of all its terms)
    confidence    = 1 / (1 + exp(−slope · (ln evidence − middle)))

A score says which node is best, not whether any is good: it is scaled by the best. The evidence is not. What it is
worth depends on the graph and the embedder, so slope and middle are fitted once per graph (logistic regression), with
no labels: questions made of pieces of its own texts are known, questions of words drawn from the embedder's vocabulary
are foreign. Without vectors the words stand in for the cosine.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fourfold.index.base import Nodes, TextPart
from fourfold.types import FloatArray

_SHARE = 0.3
_LEAST = 1e-3
_SOFT = 0.01
_SHORTEST, _LONGEST = 5, 12
_PART, _FEWEST = 3, 2
_KEPT = 0.6


@dataclass(frozen=True, slots=True)
class Calibration:
    """From evidence to confidence; fitted on one graph.

    Args:
        slope: how fast confidence rises with the logarithm of the evidence, at least 0.
        middle: the logarithm of the evidence at which it is one half.
        chance: the cosine that two texts of the graph have by chance; cosines count from there.

    """

    slope: float = 2.5
    middle: float = -1.5
    chance: float = 0.0

    def evidence(self, cosines: FloatArray | None, covered: FloatArray) -> FloatArray:
        """Return the raw evidence of each node, (n,) float64 in [0, 1.3].

        ``cosines`` (n,) are None where there are no vectors; ``covered`` (n,) is the share of the question's idf mass
        that each node holds.
        """
        if cosines is None:
            meant = covered
        else:
            meant = np.maximum(cosines.astype(np.float64) - self.chance, 0.0) / (1.0 - self.chance)
        found: FloatArray = meant * (_SHARE + covered)
        return found

    def of(self, evidence: FloatArray) -> FloatArray:
        """Return the confidence of each, (n,) float64 in [0, 1]; 0 without any evidence."""
        found = 1.0 / (1.0 + np.exp(-self.slope * (np.log(np.maximum(evidence, _LEAST)) - self.middle)))
        return np.where(evidence > 0, found, 0.0)


def fit(known: FloatArray, foreign: FloatArray) -> Calibration:
    """Fit on the evidence of the best node for questions that are known and foreign; the default where one is missing.

    Newton's method on the log loss with a small ridge on the slope, which stays finite where the two do not overlap.
    """
    if not len(known) or not len(foreign):
        return Calibration()
    x = np.log(np.maximum(np.concatenate((known, foreign)), _LEAST))
    centre = float(x.mean())
    rows = np.stack((x - centre, np.ones(len(x))), axis=1)
    wanted = np.concatenate((np.ones(len(known)), np.zeros(len(foreign))))
    weights = np.concatenate((np.full(len(known), 0.5 / len(known)), np.full(len(foreign), 0.5 / len(foreign))))
    ridge = np.diag([2 * _SOFT, 1e-6])
    solution = np.zeros(2)
    for _ in range(50):  # converges in ten
        told = 1.0 / (1.0 + np.exp(-rows @ solution))
        gradient = rows.T @ (weights * (told - wanted)) + ridge @ solution
        curvature = (rows * (weights * told * (1.0 - told))[:, None]).T @ rows + ridge
        step = np.linalg.solve(curvature, gradient)
        solution -= step * min(1.0, 4.0 / max(float(np.abs(step).max()), 1e-12))
    slope, height = float(solution[0]), float(solution[1])
    return Calibration(slope, centre - height / slope) if slope > 0.1 else Calibration()


def known_questions(texts: Sequence[str]) -> list[str]:
    """Return a question from each text: a stretch of it, 5 to 12 words and at most a third, some left out."""
    chance = random.Random(0)
    questions = []
    for text in texts:
        words = text.split()
        length = min(chance.randint(_SHORTEST, _LONGEST), max(_FEWEST, len(words) // _PART))
        start = chance.randint(0, max(0, len(words) - length))
        stretch = words[start : start + length]
        questions.append(" ".join(word for word in stretch if chance.random() < _KEPT) or " ".join(stretch))
    return questions


def foreign_questions(vocabulary: Sequence[str], count: int) -> list[str]:
    """Return questions of 5 to 12 words drawn from a vocabulary, commonest words first, the common ones more often."""
    chance = random.Random(0)
    return [
        " ".join(
            vocabulary[int(len(vocabulary) * chance.random() ** 2)] for _ in range(chance.randint(_SHORTEST, _LONGEST))
        )
        for _ in range(count if vocabulary else 0)
    ]


def covered(
    text: TextPart,
    size: int,
    known: Sequence[int],
    unknown: int,
    nodes: Nodes,
    either: Sequence[Sequence[int]] = (),
) -> FloatArray:
    """Return the share of a question's idf mass that each node holds, (len(nodes),) in [0, 1].

    Args:
        text: the postings.
        size: how many nodes there are.
        known: the numbers of the question's distinct terms.
        unknown: how many further terms it has, which no node holds: they count all the more.
        nodes: whose share is wanted.
        either: the numbers of terms any one of which is as good as all: a further term of the question each.

    """
    frequency = np.zeros(len(known) + len(either) + unknown)
    frequency[: len(known)] = text.df(np.array(known, np.int64))
    held = np.empty((len(nodes), len(known) + len(either)), bool)
    held[:, : len(known)] = text.holds(known, nodes)
    for place, same in enumerate(either, len(known)):  # a question has few words
        frequency[place] = min(int(text.df(np.array(same, np.int64)).sum()), size)
        held[:, place] = text.holds(same, nodes).any(axis=1)
    idf = np.log((size - frequency + 0.5) / (frequency + 0.5) + 1.0)
    return covered_share(held, idf)


def covered_share(held: NDArray[np.bool_], idf: FloatArray) -> FloatArray:
    """Return the share of the question's idf mass that each node holds, (n_nodes,); 0 for a question without terms.

    ``held`` is (n_nodes, n_known); ``idf`` (n_terms,) that of these terms, and then of those that no node holds.
    """
    total = float(idf.sum())
    share: FloatArray = held @ idf[: held.shape[1]] / total if total > 0 else np.zeros(len(held))
    return share
