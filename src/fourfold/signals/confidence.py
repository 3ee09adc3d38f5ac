"""Whether the graph knows anything about a question: raw evidence of a node, and one calibrated number.

    evidence(d)   = max(0, cosine(d)) · (share + Σ idf of the question's terms in d / Σ idf of all its terms)
    confidence    = 1 / (1 + exp(−slope · (ln evidence − middle)))

A score says which node is best, not whether any is good: it is scaled by the best. The evidence is not. What it is
worth depends on the graph and the embedder, so slope and middle are fitted once per graph, with no labels: questions
made of pieces of its own texts are known, questions about everyday life and of words drawn from the embedder's
vocabulary are foreign. Without vectors the words stand in for the cosine.
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

_KNOWN, _KNOWN_LOGIT = 0.2, 1.6
_FOREIGN, _FOREIGN_LOGIT = 0.5, -2.0
"""The quantiles of known and of foreign questions that the curve goes through, and its logits there: .83 and .12.

Some stretches of a text hardly say anything of it, and some foreign questions may be answerable: neither counts.
"""

_MOST_FOREIGN = -1.9
"""What has more evidence (.15), as a logarithm, is hardly foreign: an encyclopaedia knows much of everyday life."""

_NEAREST = 0.8
"""The two points count as so far apart at least, in logarithms: few questions say no more."""

_SHORTEST, _LONGEST = 5, 12
_PART, _FEWEST = 3, 2
_KEPT = 0.6

_EVERYDAY = (
    "how do I remove red wine stains from a carpet",
    "who painted the ceiling of the chapel",
    "what is the capital of the country with the most islands",
    "how many players are in a volleyball team",
    "how to convert a list into a string",
    "is it safe to swim after eating",
    "what causes the northern lights",
    "show the invoices that were not paid in march",
    "which restaurant near the station is open on sunday",
    "who invented the sewing machine",
    "what is the difference between a violin and a viola",
    "find hotels with a swimming pool in lisbon",
    "are electric cars cheaper to maintain",
    "how to renew a passport abroad",
    "which planets have rings",
    "what does the error segmentation fault mean",
    "what is the melody of this song called",
    "which muscles does rowing train",
    "who is the goalkeeper of the national team",
    "turn off the lights in the kitchen",
    "what languages are spoken in the valley",
    "why do cats purr",
    "what time does the last train to the airport leave",
    "translate this letter into portuguese",
)
"""Questions that few graphs can answer, from as many walks of life."""

_DRAWN = 8
"""Beside them so many of mere words: what a question holds by chance."""


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
    """Fit on the evidence of the best node for questions that are known and foreign.

    The default where one is missing, or where foreign questions are nearer than known.
    """
    if not len(known) or not len(foreign):
        return Calibration()
    high = float(np.quantile(np.log(np.maximum(known, _LEAST)), _KNOWN))
    low = float(np.quantile(np.log(np.maximum(foreign, _LEAST)), _FOREIGN))
    if high <= low:
        return Calibration()
    low = min(low, _MOST_FOREIGN)
    slope = (_KNOWN_LOGIT - _FOREIGN_LOGIT) / max(high - low, _NEAREST)
    return Calibration(slope, low - _FOREIGN_LOGIT / slope)


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


def foreign_questions(vocabulary: Sequence[str]) -> list[str]:
    """Return questions that few graphs can answer: everyday ones, and some drawn from a vocabulary.

    The drawn have 5 to 12 words; the vocabulary begins with the commonest, which come more often.
    """
    chance = random.Random(0)
    drawn = [
        " ".join(
            vocabulary[int(len(vocabulary) * chance.random() ** 2)] for _ in range(chance.randint(_SHORTEST, _LONGEST))
        )
        for _ in range(_DRAWN if vocabulary else 0)
    ]
    return [*_EVERYDAY, *drawn]


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
