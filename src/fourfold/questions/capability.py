"""``can_it``: yes, yes with limitations, no or unknown, from what the graph says of limitations and workarounds.

The subject is the node that the capability's words find; where they find a limitation or a workaround, it is the
node that has it. A limitation counts as far as it is about what was asked: about the words that are not the subject's
name, if there are any ("can json handle comments?"). No such limitation: yes. Every one has a workaround, its own or
the subject's: yes with limitations. One without: no. No node found with confidence, a subject of which nothing tells
what was asked or whose own words tell of a failure, or a graph without any of these edge types: unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from fourfold.embed.static import bundled
from fourfold.index.base import Nodes
from fourfold.questions import locate
from fourfold.questions.graph import Graph
from fourfold.questions.results import Answer, title
from fourfold.questions.view import CANDIDATES, View, lacking
from fourfold.questions.vocabulary import Vocabulary
from fourfold.ragged import distinct
from fourfold.types import Node

RECORDED = ("has_limitation", "has_workaround")
"""What edges mean that tell what cannot be done."""

ROLES = (*RECORDED, "requires")

COVERED = 0.5
"""Least share of the question's words, by rarity, that a subject must hold to be judged by."""

ABOUT = 0.5
"""Least share of what was asked, by rarity, or least cosine with it, of a text that is about it."""

_ASIDE = re.compile(
    r"\b(?:can|could|does|do|is|are|will|would|it|you|this|that|possible|able|capable|impossible|unable|incapable|not|ability|supports?|supported|handles?"
    r"|works?|to|anything|everything|something|all|at|will|has|have|uses?)\b",
    re.IGNORECASE,
)
"""Words that ask for a capability without naming it."""

_FAILS = re.compile(
    r"^no\b|\b(?:fails|unable|unsupported|impossible)\b"
    r"|(?<!that )(?<!which )(?<!who )\b(?:cannot|(?:ca|do|does|did|could|wo)n['’]?t)\b"
    r"|\bnot (?:supported|possible|allowed|permitted|available|implemented|able|work)\b"
    r"|\b(?:failed|failure|crashed|rejected|declined|denied|broken)\b"
    r"(?=\W*$| (?:with|to|on|for|by|because|when|in|at|as)\b)",
    re.IGNORECASE,
)
"""How a name, or the first sentence of a text, tells what does not work; "retry failed jobs" does not."""

_DENIED = re.compile(
    r"\b(?:impossible|unable|incapable|cannot)\b|\b(?:ca|could|do|does|is|are|wo)n['’]t\b"
    r"|(?<!\bis )(?<!are )(?<!was )(?<!\bdo )(?<!does )(?<!\bor )(?<!\bbut )(?<!\band )(?<!\bif )\bnot\b(?! only)",
    re.IGNORECASE,
)
"""How a question asks whether something can not be done; "files that are not text" does not."""

_PUT_IN_THE_NEGATIVE = "The question is put in the negative; the verdict tells whether it can."

_SENTENCE_END = re.compile(r"[.!?;](?:\s|$)")

LISTED = 50
"""At most that many limitations, workarounds and prerequisites are listed each."""


class Verdict(StrEnum):
    """The four answers."""

    YES = "yes"
    YES_WITH_LIMITATIONS = "yes_with_limitations"
    NO = "no"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Limitation:
    """A limitation of the subject and what works around it; no workaround means it stands."""

    node: Node
    workarounds: tuple[Node, ...]


@dataclass(frozen=True, kw_only=True)
class CapabilityAnswer(Answer):
    """Whether ``subject`` can do what was asked; ``confidence`` in [0, 1] tells how surely it is the subject.

    ``limitations`` are about what was asked, ``others`` are the subject's limitations that are not.
    """

    capability: str
    verdict: Verdict
    subject: Node | None = None
    confidence: float = 0.0
    limitations: tuple[Limitation, ...] = ()
    others: tuple[Limitation, ...] = ()
    workarounds: tuple[Node, ...] = ()
    prerequisites: tuple[Node, ...] = ()

    def rows(self) -> Iterator[tuple[Node, float, str]]:
        """Yield the subject, its limitations, workarounds and prerequisites."""
        if self.subject is not None:
            yield self.subject, self.confidence, "the subject"
        for limitation in self.limitations:
            by = ", ".join(map(title, limitation.workarounds)) or "nothing"
            yield limitation.node, self.confidence, f"limitation, worked around by {by}"
        for limitation in self.others:
            yield limitation.node, self.confidence, "limitation of something else"
        for node in self.workarounds:
            yield node, self.confidence, "workaround"
        for node in self.prerequisites:
            yield node, self.confidence, "prerequisite"

    def headline(self) -> str:
        """Return the verdict in a sentence."""
        who = f"{title(self.subject)} (confidence {self.confidence:.2f})" if self.subject is not None else "no node"
        return f"{self.capability!r}: {self.verdict.replace('_', ' ')}, judging by {who}."


@dataclass(frozen=True)
class Evidence:
    """What the graph says of a subject, as positions."""

    limitations: dict[int, list[int]]
    workarounds: list[int]
    prerequisites: list[int]
    truncated: bool

    @property
    def nodes(self) -> list[int]:
        """All of them; one may be there twice."""
        around = (workaround for found in self.limitations.values() for workaround in found)
        return [*self.limitations, *self.workarounds, *self.prerequisites, *around]


def owner(graph: Graph, vocabulary: Vocabulary, position: int) -> int:
    """Return the node that has this limitation or workaround; the node itself if it is neither."""
    here = position
    for role in ("has_workaround", "has_limitation"):  # a workaround may be a limitation's, which is a node's
        above = _linked(graph, vocabulary, role, here, backwards=True)
        if len(above):
            here = int(above[0])
    return here


def evidence(graph: Graph, vocabulary: Vocabulary, subject: int) -> Evidence:
    """Return limitations with their workarounds, workarounds and prerequisites of a node, each in the order of ids."""
    limits = _linked(graph, vocabulary, "has_limitation", subject)
    own = _linked(graph, vocabulary, "has_workaround", subject)
    needed = _linked(graph, vocabulary, "requires", subject)
    limitations = {
        int(limit): _linked(graph, vocabulary, "has_workaround", int(limit))[:LISTED].tolist()
        for limit in limits[:LISTED]
    }
    spoken_for = {workaround for found in limitations.values() for workaround in found}
    # what the subject's other workarounds serve: every limitation that has none of its own
    general = [int(w) for w in own if int(w) not in spoken_for]
    limitations = {limit: found or general for limit, found in limitations.items()}
    everything = _by_id(graph, distinct(np.array([*own[:LISTED], *spoken_for], np.int64))).tolist()
    truncated = max(len(limits), len(own), len(needed)) > LISTED
    return Evidence(limitations, everything, needed[:LISTED].tolist(), truncated)


def verdict(limitations: Mapping[int, Sequence[int]]) -> Verdict:
    """Return the answer that the limitations, each with its workarounds, give."""
    if not limitations:
        return Verdict.YES
    return Verdict.YES_WITH_LIMITATIONS if all(limitations.values()) else Verdict.NO


def _about(view: View, asked: str, subject: Node, texts: Sequence[str]) -> list[float]:
    """Return how far each text is about what is asked of the subject, in [0, 1]: 1 where only the subject is named.

    The larger of the share of the words, by rarity, that the text holds, and the cosine of both.
    """
    named = frozenset(view.terms(title(subject)))
    rest = [word for word in asked.split() if any(term not in named for term in view.terms(word))]
    wanted = [term for term in dict.fromkeys(view.terms(" ".join(rest))) if term not in named]
    if not wanted:
        return [1.0] * len(texts)
    rarity = view.graph.rarity(wanted)
    vectors = bundled().embed_documents([" ".join(rest), *texts])
    lengths = np.linalg.norm(vectors, axis=1)
    cosines = (vectors[1:] @ vectors[0]) / np.maximum(lengths[1:] * lengths[0], 1e-12)
    held = [frozenset(view.terms(text)) for text in texts]
    shares = [float(np.dot(rarity, [term in own for term in wanted]) / rarity.sum()) for own in held]
    return [max(share, float(cosine)) for share, cosine in zip(shares, cosines, strict=True)]


def _linked(graph: Graph, vocabulary: Vocabulary, role: str, node: int, *, backwards: bool = False) -> Nodes:
    """Return the distinct nodes at the other end of a role's edges, in the order of ids."""
    along, against = vocabulary.numbers(vocabulary.role(role))
    if backwards:
        along, against = against, along
    targets = graph.walk(np.array([node], np.int64), along=along, against=against).targets
    return _by_id(graph, distinct(targets[targets != node]))


def _by_id(graph: Graph, nodes: Nodes) -> Nodes:
    return nodes[np.argsort(graph.id_rank(nodes), kind="stable")]


def _subject(view: View, asked: str, question: str, node: str | Node | None) -> tuple[int | None, float]:
    """Return the position of the node a capability is asked of, and the confidence that it is the one."""
    if node is not None:
        return view.number(node), 1.0
    rated = []
    for place, hit in view.numbered(view.search(asked, CANDIDATES)):
        subject = owner(view.graph, view.vocabulary, place)
        both = [hit.node] if subject == place else [hit.node, view.nodes([subject])[subject]]
        named = locate.rate(view.graph, question, both[-1:], view.terms)[0].confidence
        covered = locate.coverage(view.graph, asked, both, view.terms)
        rated.append((max(covered, named if named == 1.0 else 0.0), subject))
    if not rated:
        return None, 0.0
    confidence, best = max(rated, key=lambda pair: pair[0])  # of equal ones the first, as the search ranked them
    return best, round(confidence, 4)


def answer(view: View, capability: str, node: str | Node | None) -> CapabilityAnswer:
    """Return whether it can; the arguments are those of ``Questions.can_it``."""
    known = view.vocabulary.roles(ROLES)
    asked = " ".join(_ASIDE.sub(" ", capability).split())
    place, confidence = _subject(view, asked or capability, capability, node)
    notes = _unrecorded(view)
    if place is None or not known or confidence < COVERED:
        return _unjudged(view, capability, place, confidence, notes)
    said = evidence(view.graph, view.vocabulary, place)
    nodes = view.nodes([place, *said.nodes])
    subject = nodes[place]
    if said.truncated:
        notes.append(f"At most {LISTED} limitations, workarounds and prerequisites are listed each.")
    own, *about = _about(view, asked, subject, [_text(nodes[number]) for number in (place, *said.limitations)])
    close = {limit for limit, share in zip(said.limitations, about, strict=True) if share >= ABOUT}
    limitations = {limit: around for limit, around in said.limitations.items() if limit in close}
    others = {limit: around for limit, around in said.limitations.items() if limit not in close}
    judged = verdict(limitations)
    if judged is Verdict.YES and (doubt := _doubt(view, subject, own, capability)):
        judged, confidence = Verdict.UNKNOWN, confidence if own >= ABOUT else round(min(confidence, own), 4)
        notes.append(doubt)
    if judged is not Verdict.UNKNOWN and _DENIED.search(capability):
        notes.append(_PUT_IN_THE_NEGATIVE)
    return CapabilityAnswer(
        capability=capability,
        verdict=judged,
        subject=subject,
        confidence=confidence,
        limitations=_limitations(nodes, limitations),
        others=_limitations(nodes, others),
        workarounds=tuple(nodes[w] for w in said.workarounds),
        prerequisites=tuple(nodes[p] for p in said.prerequisites),
        edge_types=known,
        truncated=said.truncated,
        notes=tuple(notes),
    )


def _unjudged(
    view: View, capability: str, place: int | None, confidence: float, notes: Sequence[str]
) -> CapabilityAnswer:
    """Return the answer where no node is known to be meant, or the graph says nothing of capabilities."""
    near = None if place is None else view.nodes([place])[place]
    if near is not None and confidence < COVERED:
        notes = [*notes, f"The nearest node is {title(near)!r}, too far from the question to judge by."]
    return CapabilityAnswer(
        capability=capability,
        verdict=Verdict.UNKNOWN,
        subject=near,
        confidence=confidence,
        edge_types=view.vocabulary.roles(ROLES),
        notes=tuple(notes) or ("No node matches the question.",),
    )


def _unrecorded(view: View) -> list[str]:
    """Return the sentence that says what the graph's edges do not tell of capabilities, if there is anything."""
    if not view.vocabulary.roles(ROLES):
        return [lacking(ROLES, "the question cannot be answered from it")]
    if not view.vocabulary.role("has_limitation"):
        return ["The graph has no edges that mean has_limitation; limitations, if any, are not recorded."]
    return []


def _doubt(view: View, subject: Node, own: float, capability: str) -> str:
    """Return why a subject without limitations may not be able to do it; "" where its own words, too, say that it can.

    ``own`` tells how far its words are about what was asked.
    """
    if own < ABOUT:
        return f"Nothing tells whether {title(subject)!r} can do what was asked."
    if failure := _failure(view, subject, capability):
        return (
            f"{title(subject)!r} tells of what does not work ({failure!r}); "
            "an edge has_limitation from what has it would make that an answer."
        )
    return ""


def _limitations(nodes: Mapping[int, Node], found: Mapping[int, Sequence[int]]) -> tuple[Limitation, ...]:
    return tuple(Limitation(nodes[limit], tuple(nodes[w] for w in around)) for limit, around in found.items())


def _failure(view: View, node: Node, asked: str) -> str:
    """Return the words by which a node tells of something that does not work, unless they were asked for."""
    wanted = frozenset(view.terms(asked))
    told = (node.name.replace("_", " "), _SENTENCE_END.split(node.text, maxsplit=1)[0])
    found = (match[0] for text in told for match in _FAILS.finditer(text))
    return next((words for words in found if wanted.isdisjoint(view.terms(words))), "")


def _text(node: Node) -> str:
    return f"{node.name} {node.text}"
