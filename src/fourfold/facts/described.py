"""What a question describes instead of naming it: the memo of "who wrote the memo about mould".

Of the best candidates the one that covers the description best, if it has a text to be described.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fourfold.facts import edge_only
from fourfold.facts.covering import Covering
from fourfold.facts.kinds import Kinds
from fourfold.facts.question import Question
from fourfold.index.base import Nodes
from fourfold.language.descriptions import descriptions
from fourfold.language.name_matching import Named

_LEAST = 0.4
"""So much of a description what is meant must cover."""

_MOST_EDGES = 200
"""So many of its edges are looked at for what is asked for."""


def described(question: Question) -> Iterator[Named]:
    """Give what the question describes: a node, where the words stand that do."""
    words = question.query.words
    if not (found := [*descriptions(words)]) or (covering := Covering.of(question)) is None:
        return
    texts = covering.texts & (question.edges.degree(covering.nodes) > 0)
    for one in found:
        sort = covering.are(one.head) if one.head >= 0 else texts
        if not sort.any() and (one.end == one.head + 1 or question.may_ask(one.head)):
            continue  # "the author of the memo on mould"
        of_it = texts & sort if sort.any() else texts
        places = [place for place in range(one.start, one.end) if place != one.head and words[place][1]]
        told, _ = covering.share(places)
        told = np.where(of_it, told, 0.0)
        if told.max() < _LEAST:
            continue
        node = covering.nodes[told == told.max()]
        if len(node) > 1:
            ids = question.scores.snapshot.ids(node)
            node = node[[ids.index(min(ids))]]
        known = one.asked < 0 or question.may_ask(one.asked) or _is_beside(question, one.asked, node)
        if known and not edge_only.is_silent(question, [], node, by_names=True):
            yield Named(node, one.start, one.end, " ".join(word for word, _ in words[one.start : one.end]))


def _is_beside(question: Question, place: int, node: Nodes) -> bool:
    """Tell whether what a word calls stands beside a node: by the type of what stands there, or by edges so called."""
    kinds = Kinds.of(question)
    near = question.neighbours(node, cap=_MOST_EDGES)
    return bool(kinds.typed([place], near).any() or kinds.ended([place], near).any())
