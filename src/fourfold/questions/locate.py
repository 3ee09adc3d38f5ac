"""Which node a question is about: found by the retriever's own search, with a confidence.

``confidence = 0.7 · share of the node's name that the question says + 0.3 · share of the question that the name says``,
terms weighted by rarity, and 1 where the question writes the node's id or name as it is, and not merely as a part of a
longer name that it writes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from fourfold.questions.graph import Graph
from fourfold.questions.intents import READ
from fourfold.questions.results import title
from fourfold.types import Node

CONFIDENT = 0.6
"""Least confidence at which a question is taken to be about a node."""

_AMOUNT = (
    r"(?! (?!(?:and|or|to|is|are|was|if|when|with|from|by|vs|versus|goes|does|do|has|have"
    r"|(?:fail|break|stop|change|depend|affect|connect|link|need|use|work|close|crash)\w*)\b)[^\W\d])"
)
"""What must not follow a number that is an id: "12 Angry Men" and "10 films" name no node 12 or 10."""

_AROUND = " \t\n.,;:!?\"'`()[]{}<>“”‘’«»"

_NAME, _QUESTION = 0.7, 0.3
_NEAREST = 5


@dataclass(frozen=True, slots=True)
class Subject:
    """A node that a question may be about, and how surely, in [0, 1]."""

    node: Node
    confidence: float


def rate(graph: Graph, text: str, nodes: Sequence[Node], terms: Callable[[str], list[str]]) -> list[Subject]:
    """Return the nodes with the confidence that the text is about them, surest first, ties in the order given."""
    asked = list(dict.fromkeys(terms(text)))
    weight = dict(zip(asked, graph.rarity(asked).tolist(), strict=True))
    places = [_places(node, text) for node in nodes]
    apart = _in_no_longer({place for found in places for place in found})
    subjects = []
    for node, own in zip(nodes, places, strict=True):
        named = list(dict.fromkeys(terms(title(node))))
        rarity = dict(zip(named, graph.rarity(named).tolist(), strict=True))
        said = sum(value for term, value in rarity.items() if term in weight)
        share = said / total if (total := sum(rarity.values())) else 0.0
        covered = said / whole if (whole := sum(weight.values())) else 0.0
        confidence = _NAME * share + _QUESTION * min(covered, 1.0)
        longest = max((end - start for start, end in own if (start, end) in apart), default=0)
        if longest:
            confidence = 1.0
        subjects.append((Subject(node, round(min(confidence, 1.0), 4)), longest))
    subjects.sort(key=lambda rated: (-rated[0].confidence, -rated[1], -len(rated[0].node.name)))
    return [subject for subject, _ in subjects]


def coverage(graph: Graph, text: str, nodes: Sequence[Node], terms: Callable[[str], list[str]]) -> float:
    """Return the share of the text's terms, weighted by rarity, that the nodes hold; in [0, 1]."""
    asked = list(dict.fromkeys(terms(text)))
    if not asked:
        return 0.0
    rarity = graph.rarity(asked)
    held = frozenset(terms(" ".join(part for node in nodes for part in (node.name, node.type, node.text))))
    return float(np.dot(rarity, [term in held for term in asked]) / rarity.sum())


def nearest_ids(wanted: str, ids: Sequence[str]) -> list[str]:
    """Return the ids that share the most character pairs with a name that is none (Dice coefficient), at most five."""
    pairs = _pairs(wanted)
    near = []
    for identity in ids:
        if abs(len(identity) - len(wanted)) <= max(3, len(wanted) // 2):
            own = _pairs(identity)
            dice = 2 * len(pairs & own) / (len(pairs) + len(own) or 1)
            if dice >= 0.4:
                near.append((-dice, identity))
    return [identity for _, identity in sorted(near)[:_NEAREST]]


_ENDS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\bfrom (?P<a>.+?) (?:back )?to (?P<b>.+)$",
        r"\bbetween (?P<a>.+?) and (?P<b>.+)$",
        r"^how (?:is|are|was|were|does|do|did) (?P<a>.+?) (?:connected|linked|related|tied|connect|link|relate|lead)"
        r" (?:to|with) (?P<b>.+)$",
        r"\b(?:is|are) (?P<a>.+?) (?:connected|linked|related|tied) (?:to|with) (?P<b>.+)$",
        r"\b(?:links?|connects?|ties|joins) (?P<a>.+?) (?:to|and|with) (?P<b>.+)$",
        r"^how (?:is|are|was|were) (?P<a>.+?) and (?P<b>.+?) (?:connected|linked|related|tied)\b",
        r"\breach (?P<b>.+?) from (?P<a>.+)$",
        r"\bdoes (?P<a>.+?) (?:own|control|reach|know|influence|feed|call|use) (?P<b>.+)$",
        r"\bcompare (?P<a>.+?) (?:vs\.?|versus|with|and|to) (?P<b>.+)$",
        r"^(?P<a>.+?) (?:vs\.?|versus|or) (?P<b>.+)$",
    )
)


_FAR_ENDS = tuple(re.compile(ends.pattern.replace("(?P<a>.+?)", "(?P<a>.+)"), re.IGNORECASE) for ends in _ENDS)
"""The same, parted as late as can be: "from Back to the Future to Jaws"."""


def ways_to_part(question: str) -> list[tuple[str, str]]:
    """Return the two things a question speaks of, such as "from … to …"; empty if it speaks of none.

    They are parted as early and as late as can be, where that makes a difference.
    """
    text = " ".join(question[:READ].split()).rstrip("?.! ")
    for early, late in zip(_ENDS, _FAR_ENDS, strict=True):
        if found := [ends for ends in (early.search(text), late.search(text)) if ends]:
            parted = (
                (ends["a"].strip(), re.split(r", (?:and|along|which|what)\b", ends["b"])[0].strip()) for ends in found
            )
            return list(dict.fromkeys(parted))
    return []


def spelled(text: str) -> list[str]:
    """Return the words of a text that look like an id rather than a word, such as INC-4711, as ids may be written.

    A number is one only where it is all that the text says.
    """
    found = []
    for word in text.split():
        plain = word.strip(_AROUND)
        if not plain or plain.isalpha() and plain[1:].islower() or (plain.isdecimal() and plain != text.strip(_AROUND)):
            continue
        found += [plain, plain.upper(), plain.lower()]
    return list(dict.fromkeys(found))


def without(text: str, node: Node) -> str:
    """Return a text without the id and the name of a node, where it writes them as they are."""
    kept, read = [], 0
    for start, end in sorted(_places(node, text)):
        kept.append(text[read:start])
        read = max(read, end)
    return " ".join([*kept, text[read:]])


def _places(node: Node, text: str) -> list[tuple[int, int]]:
    """Return where a text writes a node's id or name as it is, between word boundaries; of one character, alone."""
    places = []
    for written in dict.fromkeys((node.name, node.id)):
        alone = written.casefold() == text.strip(_AROUND).casefold()
        if (len(written) < 2 and not alone) or written.lower() not in text.lower():
            continue
        amount = _AMOUNT if written.isdecimal() and written != node.name and node.name else ""
        pattern = rf"(?<!\w){re.escape(written)}(?!\w){amount}"
        places += [found.span() for found in re.finditer(pattern, text, re.IGNORECASE)]
    return places


def _in_no_longer(places: Iterable[tuple[int, int]]) -> set[tuple[int, int]]:
    """Return the places that are no part of a longer one."""
    kept: set[tuple[int, int]] = set()
    reached = -1
    for start, end in sorted(places, key=lambda place: (place[0], -place[1])):
        if end > reached:
            kept.add((start, end))
            reached = end
    return kept


def _pairs(text: str) -> frozenset[str]:
    lowered = f"^{text.lower()}$"
    return frozenset(a + b for a, b in pairwise(lowered))
