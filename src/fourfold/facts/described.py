"""What a question describes instead of naming it: the memo of "who wrote the memo about mould".

Of the best candidates the one that covers the description best, if it has a text to be described.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fourfold.facts.covering import Covering
from fourfold.language.descriptions import descriptions
from fourfold.language.name_matching import Named
from fourfold.query import Query
from fourfold.relations.asked_types import Relations
from fourfold.scores import Scores

_LEAST = 0.4
"""So much of a description what is meant must cover."""


def described(scores: Scores, query: Query, relations: Relations) -> Iterator[Named]:
    """Give what the question describes: a node, where the words stand that do."""
    if not (found := [*descriptions(query.words)]) or (covering := Covering.of(scores, query, relations)) is None:
        return
    texts = covering.texts & (scores.snapshot.edges.degree(covering.nodes) > 0)
    for one in found:
        sort = covering.are(one.head) if one.head >= 0 else texts
        if not sort.any() and (one.end == one.head + 1 or relations.hold(*query.words[one.head])):
            continue  # "the author of the memo on mould"
        of_it = texts & sort if sort.any() else texts
        places = [place for place in range(one.start, one.end) if place != one.head and query.words[place][1]]
        told, _ = covering.share(places)
        told = np.where(of_it, told, 0.0)
        best = int(told.argmax())
        if told[best] >= _LEAST:
            words = " ".join(word for word, _ in query.words[one.start : one.end])
            yield Named(covering.nodes[best : best + 1], one.start, one.end, words)
