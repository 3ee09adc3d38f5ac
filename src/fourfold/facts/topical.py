"""Where no word asks for an edge: what stands beside the named node and is about the rest of the question.

"Nadia Petrova's papers about sparse retrieval" says nothing that an edge type is called by; what the paper has of
"sparse retrieval" and its author has not tells it from her other papers. So does "nadia on sparse retrieval", where a
part of the name and the text beside it tell each other.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from fourfold import ordered, refine
from fourfold.config import Paths, RetrievalConfig
from fourfold.facts import subjects
from fourfold.facts.answers import AS_GOOD
from fourfold.facts.covering import A_TEXT, Covering
from fourfold.index.base import EdgePart, Nodes, NodeValues
from fourfold.language import name_matching
from fourfold.language.name_matching import Named
from fourfold.language.syntax import FRAMES
from fourfold.query import Query
from fourfold.relations.asked_types import Relations
from fourfold.scores import Scores
from fourfold.signals.common_ends import nodes_of, single_steps
from fourfold.signals.paths import Answer, beside

_SURE, _SURER = 0.4, 0.7
"""How sure what covers the rest is to be meant: beside what has a text, and may answer, too; and beside a mere name."""

_LEAST = 0.15
"""So large a share of what a question says must stand beside the name."""

_MORE = 0.12
"""So much more of it than the named node must what stands beside it cover …"""

_MUCH, _NEARLY_ALL = 0.5, 0.8
"""… and so much of it where a part of the name is all that names it, or a word that alone would not tell it."""

_ANY = 0.3
"""What of the words that are left an end must cover to be told from others by them."""

_BEHIND = 0.2
"""An end that covers none of them is worth so much less than what covers most."""

_OTHERS = 0.5
"""What the ends of paths are worth where what stands behind them covers these words."""

_MOST_ENDS, _MOST_BEHIND = 50, 200
"""Of more ends none are told apart, and with more edges none is looked behind."""

_MOST_EDGES = 20_000
"""What stands beside nodes of more edges is not looked at."""


@dataclass(frozen=True, slots=True)
class _Beside:
    """What stands beside ``named`` and covers the rest of a question: ``told`` has the share of it that each does."""

    named: Sequence[Named]
    told: NodeValues
    sure: float


def on_topic(scores: Scores, query: Query, relations: Relations, settings: Paths) -> Answer | None:
    """Return what stands beside the named nodes and covers the rest of the question better than they do; or None.

    Of the best candidates, by late interaction without the words of the names.
    """
    if len(relations) == 1 or (covering := Covering.of(scores, query, relations)) is None:
        return None
    edges, ids = scores.snapshot.edges, scores.snapshot.ids
    if named := subjects.named_in(scores, query):
        ways = [_beside(edges, covering, named)]
    else:
        ways = [_beside(edges, covering, [one], least=least) for one, least in _in_part(covering, relations)]
    best = max(filter(None, ways), key=lambda one: float(one.told.values.max()), default=None)
    if best is None:
        return None
    steps = single_steps(edges, best.named, relations.numbers, settings, query.allowed, ids)
    answer = beside(steps, best.named, partial(ordered.contains, best.told.nodes))
    return answer and replace(answer, values=best.told.at(answer.nodes) / best.told.values.max(), sure=best.sure)


def first_on_topic(
    scores: Scores, query: Query, relations: Relations, config: RetrievalConfig, answer: Answer
) -> Answer:
    """Return an answer with those of its best ends first that cover what words are left: "what did X write about Y".

    What is left are words that belong to no name and ask for no edge; ends without texts cannot cover them. Where none
    does, or none is what the question asks for first, a text beside them may: "tickets about crashes of X's products".
    """
    ends = answer.best(AS_GOOD)
    if scores.covered is None or not 0 < len(ends) <= _MOST_ENDS:
        return answer
    called = {word for name in query.names_of(answer.named) for word in name}
    words = [place for place in _left(query, ()) if query.words[place][0].lower() not in called]
    left = [place for place in words if not relations.hold(*query.words[place])]
    if not words or (covering := _covering(scores, query, relations, config, ends)) is None:
        return answer
    at, head = covering.nodes.searchsorted(ends), words[0]
    are = covering.are(head)
    if are.any() and not are[at].any():
        return _behind(scores, query, relations, config, answer, [head, *left], of_type=True)
    told, share = covering.share([place for place in left if place != head or not are.any()])
    told = np.where(covering.sizes[at] >= A_TEXT, told[at], 0.0)
    if share >= _LEAST and told.max() < _ANY and not are.any():
        return _behind(scores, query, relations, config, answer, left)
    if share < _LEAST or np.ptp(told) < _MORE:
        return answer
    values = answer.values.copy()
    values[answer.nodes.searchsorted(ends)] *= 1.0 - _BEHIND * (1.0 - told / told.max())
    return replace(answer, values=values)


def _covering(
    scores: Scores, query: Query, relations: Relations, config: RetrievalConfig, nodes: Nodes
) -> Covering | None:
    """Return how candidates cover a question, some nodes among them."""
    refine.covered_by(scores, nodes, config)
    return Covering.of(scores, query, relations)


def _behind(
    scores: Scores,
    query: Query,
    relations: Relations,
    config: RetrievalConfig,
    answer: Answer,
    left: Sequence[int],
    *,
    of_type: bool = False,
) -> Answer:
    """Return an answer with the texts first that stand beside its best ends and cover the words that are left.

    With ``of_type`` they are of the type that the first of these words calls.
    """
    edges, ends = scores.snapshot.edges, answer.best(AS_GOOD)
    if edges.degree(ends).sum() > _MOST_BEHIND:
        return answer
    steps = edges.expand(ends, weights="none", allowed=query.allowed)
    steps = steps.of(~np.isin(steps.targets, np.concatenate((ends, answer.named))))
    beside = ordered.distinct(steps.targets.astype(np.int64))
    if not len(beside) or (covering := _covering(scores, query, relations, config, beside)) is None:
        return answer
    tells = (covering.share(left)[0] >= _MUCH) & (covering.sizes >= A_TEXT)
    telling = covering.nodes[tells & covering.are(left[0]) if of_type else tells]
    steps = steps.of(ordered.contains(telling, steps.targets.astype(np.int64)))
    if not len(steps):
        return answer
    new = steps.of(~ordered.contains(answer.nodes, steps.targets.astype(np.int64)))
    if len(new):
        answer = answer.extended(ends, new, np.ones(len(new)))
    return answer.first(ordered.contains(np.sort(steps.targets), answer.nodes), _OTHERS)


def _left(query: Query, taken: Collection[int]) -> list[int]:
    """Return the places of the words that say something, but for those taken."""
    words = enumerate(query.words)
    return [place for place, (word, terms) in words if terms and place not in taken and word.lower() not in FRAMES]


def _in_part(covering: Covering, relations: Relations) -> Iterator[tuple[Named, float]]:
    """Give the best candidates that the question names by a part of their name, and what must cover the rest."""
    query, nodes = covering.query, covering.nodes
    for letters, one in name_matching.parts(query.words, nodes, query.names_of(nodes), relations.hold):
        yield one, _MUCH if name_matching.tells(letters, one) else _NEARLY_ALL


def _beside(edges: EdgePart, covering: Covering, named: Sequence[Named], *, least: float = 0.0) -> _Beside | None:
    """Return the candidates beside the named nodes that cover more of the rest of the question; None where none does.

    What sort of thing is named belongs to the name. A part of a name is enough only for what has a text itself, a
    longer one than what is named, and covers ``least`` of the rest.
    """
    own = nodes_of(named)
    if not 0 < edges.degree(own).sum() <= _MOST_EDGES:
        return None
    names, is_named = name_matching.places_of(named), ordered.contains(own, covering.nodes)
    left = _left(covering.query, names)
    told, share = covering.share([place for place in left if not (covering.are(place) & is_named).any()])
    if share < _LEAST:
        return None
    better = ~is_named & (told >= told[is_named].max(initial=0.0) + _MORE)
    longest = int(covering.sizes[is_named].max(initial=0))
    if least:
        better &= (told >= least) & (covering.sizes >= A_TEXT) & (covering.sizes > longest)
    if better.any():
        near = np.sort(edges.expand(own, weights="none").targets.astype(np.int64))
        better &= ordered.contains(near, covering.nodes)
    sure = _SURER if 0 < longest < A_TEXT else _SURE
    return _Beside(named, NodeValues(covering.nodes[better], told[better]), sure) if better.any() else None
