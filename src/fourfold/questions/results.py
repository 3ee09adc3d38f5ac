"""What every answer can do: print itself, become JSON, become documents, and say what it left out."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from typing import Any

from fourfold.markup import cut, escaped, html_name, html_table
from fourfold.mermaid import flowchart
from fourfold.plain_text import display_name, plain_text
from fourfold.questions.vocabulary import TypeMatch
from fourfold.snippets import snippet
from fourfold.tokenizer import USUAL, make_tokenizer
from fourfold.types import Edge, Node

_WITH_TEXT = 5
"""Of so many nodes the text is shown."""

_PASSAGE = 200
"""Characters of a text that are shown at most."""


@dataclass(frozen=True, slots=True)
class AnswerDocument:
    """One node of an answer as a document of no particular framework; the adapters make theirs of it.

    ``text`` is the node's text (its name, if it has none); ``metadata`` is the node's own, with ``score`` and, under
    ``fourfold``, what the answer says of the node, all in plain JSON types.
    """

    id: str
    text: str
    metadata: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Answer:
    """Base of all answers.

    Args:
        notes: sentences on what the answer could not take into account.
        truncated: whether a bound cut the answer; a note says which.
        edge_types: which of the graph's edge types were taken for what, where the method asks for a meaning.

    """

    notes: tuple[str, ...] = ()
    truncated: bool = False
    edge_types: tuple[TypeMatch, ...] = ()

    def rows(self) -> Iterator[tuple[Node, float, str]]:
        """Yield each node of the answer with its score and a sentence, best first."""
        yield from ()

    def headline(self) -> str:
        """Return the answer in one sentence."""
        return type(self).__name__

    @property
    def nodes(self) -> tuple[Node, ...]:
        """The nodes of the answer, best first."""
        return tuple(node for node, _, _ in self.rows())

    @property
    def ids(self) -> list[str]:
        """The ids of the nodes of the answer, best first."""
        return [node.id for node in self.nodes]

    def as_dict(self) -> dict[str, Any]:
        """Return the whole answer in plain JSON types."""
        plain: dict[str, Any] = as_json(self)
        return {"answer": type(self).__name__, "headline": self.headline(), **plain}

    def to_json(self, *, indent: int | None = None) -> str:
        """Return the whole answer as JSON."""
        return json.dumps(self.as_dict(), ensure_ascii=False, indent=indent)

    def as_documents(self) -> list[AnswerDocument]:
        """Return the nodes as documents, best first."""
        kind = type(self).__name__
        return [
            AnswerDocument(
                node.id,
                node.text or title(node),
                {
                    **as_json(node.metadata),
                    "score": float(score),
                    "fourfold": {"answer": kind, "why": why, "name": node.name, "type": node.type},
                },
            )
            for node, score, why in self.rows()
        ]

    def told(self, question: str = "") -> str:
        """Return the answer as text: its nodes line by line, of the first with the passage that fits the question."""
        lines = [self.headline()]
        for rank, (node, score, why) in enumerate(self.rows(), 1):
            lines.append(f"{rank:3}. {score:.3f}  {title(node)}  {why}")
            if rank <= _WITH_TEXT and (shown := passage(node, question)):
                lines.append(f"     {shown}")
        return "\n".join([*lines, *self._footnotes()])

    def __str__(self) -> str:
        return plain_text(self.told())

    def _texts(self, question: str) -> list[str]:
        """Return the passages of the first nodes, each after its name: for answers that draw more than a list."""
        leading = list({node.id: node for node in self.nodes}.values())[:_WITH_TEXT]
        return [f"{title(node)}: {shown}" for node in leading if (shown := passage(node, question))]

    def _repr_html_(self) -> str:
        """Show the answer as a table in a notebook."""
        rows = (
            [
                str(rank),
                html_name(escaped(cut(title(node), 200)), cut(node.type, 80), escaped(cut(node.text, 200))),
                f"{score:.3f}",
                escaped(cut(why, 600)),
            ]
            for rank, (node, score, why) in enumerate(self.rows(), 1)
        )
        notes = "".join(f"<p>{escaped(cut(note, 600))}</p>" for note in self._footnotes())
        return html_table(cut(self.headline(), 600), ("#", "node", "score", "why"), rows) + notes

    def _footnotes(self) -> list[str]:
        taken = [
            f"{match.type} taken for {match.role}"
            + (f" (similarity {match.score:.2f})" if match.how == "similar" else ", by a word in its name")
            for match in self.edge_types
            if match.how in ("word", "similar")
        ]
        return [f"Note: {note}" for note in (*self.notes, *taken)]


def passage(node: Node, question: str) -> str:
    """Return what of a node's text fits a question, on one line; nothing where the name says all of it."""
    terms = make_tokenizer(USUAL).terms
    shown = snippet(plain_text(node.text), question, terms, length=_PASSAGE)
    return "" if frozenset(terms(shown)) <= frozenset(terms(title(node))) else shown


def title(node: Node) -> str:
    """Return what a node is called."""
    return display_name(node.name, node.id)


def arrow(edge_type: str, *, along: bool) -> str:
    """Draw a step of a path, along an edge of that type or against it."""
    return f"—{edge_type}→" if along else f"←{edge_type}—"


def as_json(value: Any) -> Any:
    """Return dataclasses, mappings and sequences in plain JSON types; edges and nodes field by field."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Node):
        return {
            "id": value.id,
            "name": value.name,
            "type": value.type,
            "text": value.text,
            "metadata": as_json(value.metadata),
        }
    if hasattr(value, "as_dict") and not isinstance(value, Answer):
        return value.as_dict()
    if is_dataclass(value) and not isinstance(value, type):
        return {entry.name: as_json(getattr(value, entry.name)) for entry in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): as_json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [as_json(item) for item in value]
    return value


def mermaid(nodes: Sequence[Node], edges: Sequence[Edge], *, marked: frozenset[str] = frozenset()) -> str:
    """Draw nodes and edges as a Mermaid flowchart; ``marked`` ids are drawn with a thick border."""
    labels = {node.id: title(node) for node in nodes}
    return flowchart(labels, [(edge.source, edge.target, edge.type) for edge in edges], marked=marked)
