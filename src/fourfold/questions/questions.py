"""``Questions``: the twelve query methods over one retriever, and ``ask``, which picks the one that fits."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

from fourfold.arguments import one_of, question, whole_number
from fourfold.edge_types import ROLES
from fourfold.errors import InvalidValueError, StoreError
from fourfold.handle import Shared
from fourfold.open_graph import open_graph
from fourfold.questions import capability as capabilities
from fourfold.questions import compose, explore, goals, impact, lookup, paths, routing, similar
from fourfold.questions.capability import CapabilityAnswer
from fourfold.questions.compose import PlanAnswer
from fourfold.questions.explore import BoostAnswer, ExploreAnswer
from fourfold.questions.goals import GoalAnswer
from fourfold.questions.graph import GoneError
from fourfold.questions.impact import DIRECTIONS, Direction, ImpactAnswer
from fourfold.questions.intents import Classification
from fourfold.questions.locate import Subject
from fourfold.questions.lookup import FilterAnswer, KeywordAnswer
from fourfold.questions.paths import PathAnswer
from fourfold.questions.routing import AskAnswer, IntentSearchAnswer
from fourfold.questions.rules import classify_intent
from fourfold.questions.similar import SimilarAnswer
from fourfold.questions.view import View
from fourfold.questions.words import WordTable
from fourfold.retriever import Retriever
from fourfold.types import Node

MOST_COUNTED = 1_000_000
"""Largest number of steps, nodes or levels that can be asked for."""

A = TypeVar("A")
_ATTEMPTS = 5

MOST_PARTS = 100
"""Largest number of steps of a plan: each is searched for."""


class Questions(Shared):
    """Answers questions about the graph of a retriever.

    Every answer is typed and frozen, and of one state of the graph, unless that is written without a pause; it prints
    as text, becomes JSON (``as_dict``) and documents (``as_documents``). A node is given by its id, by its name where
    only one node has it, or as a Node. What a bound leaves out is said by ``truncated`` and a note. All methods raise
    InvalidValueError for an argument that cannot be meant, and UnknownNodeError, with the nearest names, for a node
    that does not exist.

    Args:
        retriever: the graph.
        aliases: role → further edge types of this graph that mean it; a leading ``~`` swaps the ends of the edge:
            ``{"requires": ["needs_first", "~unlocks"]}``. The roles are the keys of ``fourfold.questions.ROLES``.

    Raises:
        InvalidValueError: an alias for a role that does not exist.

    """

    def __init__(self, retriever: Retriever, *, aliases: Mapping[str, Sequence[str]] | None = None) -> None:
        self.retriever = open_graph(retriever)
        self.aliases = {role: tuple(types) for role, types in (aliases or {}).items()}
        for role in self.aliases:
            if role not in ROLES:
                raise InvalidValueError(
                    f"Aliases are given for {role!r}, which is no role; roles are {', '.join(ROLES)}."
                )
        self._lock = threading.Lock()
        self._latest: View | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as what asks the same graph, opened again."""
        return partial(type(self), aliases=self.aliases), (self.retriever,)

    def _view(self) -> View:
        """Return the current generation as the methods see it."""
        snapshot = self.retriever.analysis.snapshot()
        with self._lock:
            latest = self._latest
            if latest is None or latest.snapshot is not snapshot:
                tokenizer = self.retriever.analysis.tokenizer
                words = None if latest is None or latest.tokenizer is not tokenizer else latest.words
                words = words or WordTable(lambda: self.retriever.backend.wording, tokenizer)
                self._latest = latest = View(self.retriever, snapshot, tokenizer, self.aliases, words)
            return latest

    def _answered(self, answer: Callable[[View], A]) -> A:
        """Return an answer of one state of the graph: made anew where somebody wrote while it was made.

        Who writes without a pause lets no answer be of one state: the last attempt stands, if all its nodes are there.
        """

        def attempt() -> tuple[A, bool]:
            view = self._view()
            return answer(view), self.retriever.backend.write() == view.snapshot.write

        for left in reversed(range(_ATTEMPTS)):
            try:
                found, of_one = self.retriever.analysis.from_whole_files(attempt)
            except GoneError:
                continue
            if of_one or not left:
                return found
        raise StoreError(f"{self.retriever.path!r} changes faster than the question can be answered; ask again.")

    # -- what a question wants ----------------------------------------------------------------------------------

    def classify_intent(self, query: str) -> Classification:
        """Return the best three of the 14 question intents whose score is over 0.3."""
        return classify_intent(query)

    def subjects(self, query: str, k: int = 3) -> list[Subject]:
        """Return the nodes a question may be about, surest first, each with a confidence in [0, 1]."""
        return self._answered(lambda view: view.subjects(question(query)))[: _count(k, "k")]

    def ask(
        self, query: str, *, node: str | Node | None = None, to: str | Node | None = None, k: int = 10
    ) -> AskAnswer:
        """Run the method that fits the question, or search where none does.

        Args:
            query: the question.
            node: the node it is about; None finds it by search.
            to: the other node, for a question about two.
            k: length of lists, and of plans.

        """
        return self._answered(lambda view: routing.ask(view, question(query), node, to, _count(k, "k")))

    def intent_search(
        self, query: str, *, limit: int = 10, filters: Mapping[str, Any] | None = None
    ) -> IntentSearchAnswer:
        """Search with the four weights, run the intent's own method, and expand the best three by one hop.

        Args:
            query: the question.
            limit: number of ranked nodes.
            filters: numbers the nodes must have, as for ``dimension_filter``.

        """
        return self._answered(
            lambda view: routing.intent_search(view, question(query), _count(limit, "limit"), filters)
        )

    # -- by meaning of the edges --------------------------------------------------------------------------------

    def want_to(self, goal: str, k: int = 10, *, max_depth: int = 2) -> GoalAnswer:
        """Return the k nodes that best serve a goal, each with its path of at most ``max_depth`` steps."""
        depth = _count(max_depth, "max_depth", least=0)
        return self._answered(lambda view: goals.answer(view, question(goal, "The goal"), _count(k, "k"), depth))

    def can_it(self, capability: str, *, node: str | Node | None = None) -> CapabilityAnswer:
        """Return yes, yes with limitations, no, or unknown.

        Args:
            capability: what is to be done, or a whole question.
            node: whose capability it is; None finds it by search.

        """
        return self._answered(lambda view: capabilities.answer(view, question(capability, "The capability"), node))

    def compose_for(self, goal: str, max_tools: int = 5) -> PlanAnswer:
        """Return an ordered plan of at most ``max_tools`` steps for a goal of parts joined by and, then, after."""
        steps = whole_number(max_tools, "max_tools", most=MOST_PARTS)
        return self._answered(lambda view: compose.answer(view, question(goal, "The goal"), steps))

    # -- by structure -------------------------------------------------------------------------------------------

    def similar_to(self, node: str | Node, k: int = 10) -> SimilarAnswer:
        """Return the k nodes most similar in structure: 0.70 · neighbours + 0.20 · type + 0.10 · name."""
        return self._answered(lambda view: similar.answer(view, node, _count(k, "k")))

    def node(self, name: str | Node) -> Node:
        """Return the node of an id, else of a name that only one node has.

        Raises:
            UnknownNodeError: there is none, or several; the sentence offers the nearest.

        """
        return self._answered(lambda view: view.node(name))

    def impact_analysis(
        self, node: str | Node, direction: Direction = "dependents", max_depth: int = 3, *, limit: int = 100
    ) -> ImpactAnswer:
        """Return what a change to a node touches, each with its risk: 1/depth · edge weight · degree centrality.

        Args:
            node: what changes.
            direction: ``"downstream"`` along the arrows, ``"upstream"`` against them, ``"both"``, or ``"dependents"``:
                along or against by what each edge type means; ``"dependencies"`` goes the other way, to what the node
                depends on.
            max_depth: number of steps.
            limit: number of nodes listed, those with the highest risk; all are counted.

        """
        one_of(direction, "direction", DIRECTIONS)
        depth, listed = _count(max_depth, "max_depth", least=0), _count(limit, "limit")
        return self._answered(lambda view: impact.answer(view, node, direction, depth, listed))

    def trace_path(self, a: str | Node, b: str | Node, max_depth: int = 5, *, directed: bool = False) -> PathAnswer:
        """Return the shortest path between two nodes of at most ``max_depth`` hops.

        Edges are walked either way, and the answer tells which; ``directed`` follows them along their arrows only.
        """
        return self._answered(
            lambda view: paths.answer(view, a, b, _count(max_depth, "max_depth", least=0), directed=directed)
        )

    def explore_smart(self, node: str | Node, depth: int = 2, *, width: int = 50) -> ExploreAnswer:
        """Return a tree of ``depth`` levels around a node, ranked per level, hubs marked.

        ``width`` is the number of nodes listed on a level, and expanded for the next one.
        """
        return self._answered(
            lambda view: explore.answer(view, node, _count(depth, "depth", least=0), _count(width, "width"))
        )

    def edge_type_boost(self, seeds: Iterable[str | Node], types: Iterable[str], *, limit: int = 50) -> BoostAnswer:
        """Return the neighbours of the seeds through the chosen edge types: +0.5 out, +0.3 in, scaled to [0, 1].

        Args:
            seeds: where to start; a seed named twice counts once.
            types: edge types of the graph; one it does not have is looked up by meaning, as the answer tells.
            limit: number of neighbours listed.

        """
        return self._answered(lambda view: explore.boost_answer(view, seeds, types, _count(limit, "limit")))

    # -- by words and numbers -----------------------------------------------------------------------------------

    def keyword_match(self, query: str, limit: int = 20) -> KeywordAnswer:
        """Return the nodes whose name, type or metadata contain the query's terms, by how many of them they contain.

        Terms are those of the index's tokenizer: stemmed, without stop words.
        """
        return self._answered(lambda view: lookup.keyword_answer(view, question(query), _count(limit, "limit")))

    def dimension_filter(self, filters: Mapping[str, Any], limit: int = 100) -> FilterAnswer:
        """Return the nodes whose numeric metadata meet every filter, by id.

        Args:
            filters: ``{"price": {"min": 1, "max": 5}, "year": 2020}``; a bare number, or ``exact``, is equality;
                dotted keys reach nested metadata.
            limit: number of nodes listed.

        Raises:
            FilterError: filters that cannot be read.

        """
        return self._answered(lambda view: lookup.filter_answer(view, filters, _count(limit, "limit")))


def _count(value: int, what: str, *, least: int = 1) -> int:
    return whole_number(value, what, least=least, most=MOST_COUNTED)
