"""Things that a question names by parts of their names: "Northwind", of Northwind Energy and of Northwind Gas.

Of the best candidates by text; not the texts about a thing that are called after it, "Belmonte Congress (2)".
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from fourfold.facts.covering import A_THING, LONGER, sizes_of
from fourfold.facts.question import Question
from fourfold.language import name_matching
from fourfold.language.name_matching import Named

_MAY_BE_MEANT = 16
"""Of so many of the best by text a question may name things by parts of their names."""

_TYPES = 2
"""Where all are of one type, or of none, and some have a text, a title is no name of a thing."""


def named_in_part(question: Question, *, things: bool = True) -> list[Named]:
    """Return what a question names by parts of names, in its order; each run of words once.

    Of several that have words which begin at one place those are meant that have most of them. Without ``things`` they
    may be texts, too, but none that is called after a thing. Read once for all who ask.
    """
    known = question.scores.in_part
    key: tuple[bool | str, ...] = (things, *question.plain)
    if key not in known:
        known[key] = _read(question, things=things)
    return known[key]


def _read(question: Question, *, things: bool) -> list[Named]:
    """Return the same, read anew."""
    words, nodes = question.query.words, question.best_by("text", _MAY_BE_MEANT)
    nodes = nodes[question.edges.degree(nodes) > 0]
    sizes = sizes_of(question, nodes)
    if len(set(question.query.types_of(nodes))) < _TYPES and (sizes >= A_THING).any():
        return []
    size_of = dict(zip(nodes.tolist(), sizes.tolist(), strict=True))
    parts = name_matching.parts(words, nodes, question.query.names_of(nodes), question.relations.hold)
    said = {word.lower() for word, terms in words if terms}
    parts = [(n, one) for n, one in parts if one.end - one.start < len(one.whole.split())]
    found: list[Named] = []
    for place in sorted({one.start for _, one in parts}):
        alike = [one for _, one in parts if one.start == place]
        most = max(_letters_said(one, said) for one in alike)
        alike = [one for one in alike if _letters_said(one, said) == most]
        least = min(size_of[int(one.nodes[0])] for one in alike)
        longer = [one for one in alike if size_of[int(one.nodes[0])] > LONGER * least]
        meant = [one for one in alike if one not in longer or not (things or _is_about_another(one, alike))]
        if not found or found[-1].end <= place:
            whole = meant[0].whole if len(meant) == 1 else ""
            found.append(Named(np.sort(np.concatenate([one.nodes for one in meant])), place, meant[0].end, whole))
    return found


def _letters_said(one: Named, said: Collection[str]) -> int:
    """Return how many letters the words of a name have that a question says: of Judge Amara Osei, "Judge Osei"."""
    return sum(len(word) for word in set(one.whole.split()) if word in said)


def _is_about_another(one: Named, others: Sequence[Named]) -> bool:
    """Tell whether a name begins with that of another: "Belmonte Congress (2)", which is a text about it."""
    return any(one.whole != other.whole and one.whole.startswith(f"{other.whole} ") for other in others)
