"""What passages mention and what mentions them, as links of ``signals.bridge``.

A text mentions a document by its title. Where documents were cut, the edge leads to the document, which is no answer,
and the part that mentions another is seldom the one that a question finds first. So there a document mentions what any
of its parts does, and what mentions it leads to all of them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fourfold import ordered
from fourfold.edge_types import MENTIONS, PART_OF
from fourfold.index.base import Allowed, EdgePart, Nodes, only
from fourfold.ragged import bounds, spans
from fourfold.signals.bridge import Pairs
from fourfold.types import FloatArray

_PARTS = 32
"""Of a document so many parts at most stand for it, and speak for it: those with the smallest ids."""


def any_mention(edges: EdgePart, nodes: Nodes, most: int) -> bool:
    """Tell whether one of these nodes mentions another node, or is mentioned; ``most`` edges of each are looked at."""
    mentions = only(edges, MENTIONS)
    return bool(mentions.any() and len(edges.expand(nodes, worth=mentions, weights="none", cap=most)))


def links(edges: EdgePart, cut: Nodes, passages: Nodes, most: int, allowed: Allowed | None) -> Pairs:
    """Link passages to the nodes that they mention, or that mention them; all links are 1.

    Of each node the edges to ``most`` others count in each direction, those with the smallest ids. Of documents that
    were cut (``cut``, ascending) the parts are looked at.
    """
    mentions = only(edges, MENTIONS)
    if not mentions.any():
        return Pairs.none()
    if not len(cut) or PART_OF not in edges.type_names:
        steps = edges.expand(passages, worth=mentions, weights="none", cap=most, allowed=allowed)
        return Pairs.alike(steps.origin, steps.targets)
    of, nodes = _speaking(edges, passages)
    to, found = _follow(edges, nodes, mentions, forward=True, cap=most)
    by, finding = _follow(edges, nodes, mentions, forward=False, cap=most, allowed=allowed)
    whole = ordered.contains(cut, found)
    standing, parts = _follow(edges, found[whole], only(edges, PART_OF), forward=False, cap=_PARTS, allowed=allowed)
    passage = np.concatenate((of[to[~whole]], of[to[whole]][standing], of[by]))
    far = np.concatenate((found[~whole], parts, finding))
    others = far != passages[passage]
    return Pairs.alike(passage[others], far[others])


def _speaking(edges: EdgePart, passages: Nodes) -> tuple[NDArray[np.int64], Nodes]:
    """Return, as pairs of a place in ``passages`` and a node, what speaks for each: all of its document."""
    part_of = only(edges, PART_OF)
    of, documents = _follow(edges, passages, part_of, forward=True, cap=_PARTS)
    among, parts = _follow(edges, documents, part_of, forward=False, cap=_PARTS)
    own = np.arange(len(passages))
    return np.concatenate((own, of, of[among])), np.concatenate((passages, documents, parts))


def _follow(
    edges: EdgePart,
    nodes: Nodes,
    worth: FloatArray,
    *,
    forward: bool,
    cap: int,
    allowed: Allowed | None = None,
) -> tuple[NDArray[np.int64], Nodes]:
    """Return the place in ``nodes``, which may repeat, and the end of every step from there."""
    distinct, place = ordered.numbered(nodes)
    steps = edges.expand(distinct, forward=forward, worth=worth, weights="none", cap=cap, allowed=allowed)
    begin = bounds(np.bincount(steps.origin, minlength=len(distinct)))
    counts = (begin[1:] - begin[:-1])[place]
    chosen = steps.origin.argsort(kind="stable")[spans(begin[place], counts)]
    return np.arange(len(nodes)).repeat(counts), steps.targets[chosen]
