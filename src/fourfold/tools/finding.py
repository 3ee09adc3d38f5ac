"""From a request to tools: the search, and the plan that the best of it begins."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fourfold.frozen import freeze
from fourfold.plain_text import display_name, plain_text
from fourfold.planning import Part, Permitted, Served, Settled, denies, permitted, planned, settled
from fourfold.query import Query
from fourfold.retriever import Retriever
from fourfold.tools import workflow
from fourfold.tools.config import ToolConfig
from fourfold.tools.deeds import asked_for, done_by
from fourfold.tools.search import Ranking, Weighting, best_of, cosines_of, rank, semantic_scores, similarity_of
from fourfold.tools.state import Knowledge, State
from fourfold.tools.types import Described, Step, ToolAnswer, ToolEntry, Workflow, unknown_context
from fourfold.tools.wording import as_tools_say
from fourfold.tools.workflow import Plan
from fourfold.types import Node

Goals: TypeAlias = dict[str, float]
"""The ids of the tools directly meant, and how well each matches."""

_NAME_LIMIT = 200
_MOST_SIMILAR = 3  # matches, of which the most similar tells how similar the question is to any
_COMPARED = 20  # matches of which it is told whether they do what is asked


class Finder:
    """Finds tools in one catalogue."""

    def __init__(self, retriever: Retriever, knowledge: Knowledge, config: Callable[[], ToolConfig]) -> None:
        self.retriever = retriever
        self._knowledge = knowledge
        self._config = config

    @property
    def config(self) -> ToolConfig:
        """The constants in force."""
        return self._config()

    @property
    def _terms(self) -> Callable[[str], list[str]]:
        return self.retriever.analysis.tokenizer.terms

    def search(self, query: str, limit: int, context: Sequence[str], weighting: Weighting) -> ToolAnswer:
        """Return the best tools, see ``ToolCatalog.search_tools``."""
        asked = asked_for(query) if weighting == "adaptive" else frozenset()
        ranking, request, state, unknown = self._rank(query, asked, limit, context, weighting)
        ids = state.ids
        nodes = {node.id: node for node in self.retriever.get([ids[p] for p in ranking.order])}
        found = [(p, nodes[ids[p]]) for p in ranking.order if ids[p] in nodes]
        meta: dict[str, Any] = {"query": query, "alpha": ranking.alpha, "graph_edges": state.graph.edge_count}
        meta["context"] = {ids[p]: weight for p, weight in ranking.context.items()}
        if unknown:
            meta["unknown_context_tools"] = unknown
        cosines = cosines_of(state, request, [p for p, _ in found])
        meta["signals"] = {
            node.id: {"cosine": cosine, **ranking.signals_of(p, ids)}
            for (p, node), cosine in zip(found, cosines, strict=True)
        }
        tools = [
            ToolEntry(
                **self._described(node),
                score=float(ranking.score[p]),
                semantic_score=float(ranking.semantic[p]),
                graph_score=float(ranking.graph[p]),
            )
            for p, node in found
        ]
        return ToolAnswer(tuple(tools), freeze(meta))

    def workflow(self, request: str, limit: int, context: Sequence[str]) -> Workflow:
        """Return a plan, see ``ToolCatalog.suggest_workflow``."""
        parts, left_out = planned(request)
        said = permitted(request)
        asked = self._settled(said, parts, partial(self._serve, limit, context))
        meant: dict[str, float] = {}
        for _, goals in asked.steps:
            meant |= {goal: max(score, meant.get(goal, 0.0)) for goal, score in goals.items()}
        state = self._knowledge.present()
        places = self._knowledge.places_in(state, list(meant))
        found = workflow.plan(
            {places[goal]: score for goal, score in meant.items() if goal in places},
            state.graph,
            self.config,
            successes=state.successes,
            in_turn=len(asked.steps) > 1,
        )
        steps, suggested = self._steps(found, state)
        return Workflow(
            request=request,
            steps=steps,
            suggested=suggested,
            missing=asked.missing,
            cycles=tuple(tuple(state.ids[p] for p in cycle) for cycle in found.ordered.cycles),
            meta=freeze(
                {
                    "alpha": self.config.alpha(state.graph.edge_count),
                    "graph_edges": state.graph.edge_count,
                    "clauses": [text for text, _ in asked.steps],
                }
            ),
            notes=(*said.notes, *left_out, *unknown_context(self._in_use(context, state)[1])),
        )

    def _serve(
        self, limit: int, context: Sequence[str], text: str, others: Sequence[Goals] = (), *, one: bool = True
    ) -> Served[Goals] | None:
        """Return the tools that serve a part of a request, the best or all that come close to it; None for none."""
        asked = asked_for(text)
        ranking, _, state, _ = self._rank(text, asked, limit, context, "adaptive")
        goals = {state.ids[p]: float(ranking.semantic[p]) for p in self._goals(ranking, state, one=one)}
        if not goals:
            return None
        terms, nodes = self._terms, self.retriever.get(goals)
        named = {term for node in nodes for term in terms(display_name(node.name, node.id))} <= set(terms(text))
        done = one and bool(asked) and all(asked & self._deeds_of(node) for node in nodes)
        return Served(goals, ranking.similarity, named or done)

    def _settled(
        self, said: Permitted, parts: Sequence[Part], serve: Callable[..., Served[Goals] | None]
    ) -> Settled[Goals]:
        """Return what serves each part of a request.

        Where there is one thing to do, whatever comes close to the best match is meant, too, and where nothing serves
        it, the nearest there is.
        """
        config = self.config
        if not parts and said.denied:  # the nearest to nothing would be what the request denies
            return Settled((), ())
        found = settled(parts, serve, least=config.least_match, joined=config.joined_match)
        if len(found.steps) > 1 or (found.steps and found.missing):
            return found
        text, whole = said.text, serve(said.text, one=False)
        if len(parts) == 1 and denies(text):  # "read it without editing it" is not to find what edits
            kept = serve(parts[0].text, one=False)
            if kept is not None and (whole is None or kept.worth > whole.worth):
                text, whole = parts[0].text, kept
        if whole is not None and whole.worth >= config.lone_match:
            return Settled(((text, whole.by),), ())
        return Settled(((text, whole.by if whole else {}),), found.missing or (said.text,))

    def _steps(self, found: Plan, state: State) -> tuple[tuple[Step, ...], tuple[Step, ...]]:
        """Return the steps of a plan, and those that are only suggested, as an answer shows them."""
        ids, ordered = state.ids, found.ordered
        chosen = [*ordered.steps, *found.suggested]
        nodes = {n.id: n for n in self.retriever.get([ids[p] for p in chosen])}
        names = {p: display_name(nodes[ids[p]].name, ids[p]) for p in chosen if ids[p] in nodes}

        def step(p: int, why: workflow.Chosen, stage: int, after: Sequence[int]) -> Step:
            return Step(
                **self._described(nodes[ids[p]]),
                reason=workflow.reason(p, found, names),
                stage=stage,
                confidence=min(why.confidence, 1.0),
                after=tuple(sorted(ids[before] for before in after)),
                kind=why.kind,
            )

        return (
            tuple(step(p, found.why[p], ordered.stage[p], ordered.after[p]) for p in ordered.steps if p in names),
            tuple(step(p, w, ordered.stage[w.other], [w.other]) for p, w in found.suggested.items() if p in names),
        )

    def _rank(
        self, query: str, asked: frozenset[str], limit: int, context: Sequence[str], weighting: Weighting
    ) -> tuple[Ranking, Query, State, list[str]]:
        # where no edge orders tools a plan is the best matches within `loose_tie`, measured on plain text and embedding
        state = self._knowledge.present()
        tied = state.graph.edge_count > 0 and not state.graph.orders
        query = as_tools_say(query, self.config.everyday, self._terms, state.snapshot.term_numbers)
        request, scores = self.retriever.analysis.scores(query, state.nodes, k=limit, plain=tied)
        known, unknown = self._in_use(context, state)
        nearest = best_of(semantic_scores(scores), _COMPARED if asked else _MOST_SIMILAR, state.ids)
        nodes = {node.id: node for node in self.retriever.get([state.ids[p] for p in nearest])}
        best = {p: nodes[state.ids[p]] for p in nearest if state.ids[p] in nodes}
        ranking = rank(
            state,
            scores,
            request,
            self.config,
            limit=limit,
            similarity=self._similarity(request, dict(islice(best.items(), _MOST_SIMILAR)), state),
            context=known,
            weighting=weighting,
            fits=self._fits(asked, best, state) if asked else None,
        )
        return ranking, request, state, unknown

    def _in_use(self, context: Sequence[str], state: State) -> tuple[list[int], list[str]]:
        """Return the places of the context tools, and the names that are no tool's, or several tools'."""
        meant = self._knowledge.resolve(context, strict=False)
        of_ids = self._knowledge.places_in(state, list(meant.values()))
        places = {tool: of_ids.get(meant.get(tool, tool)) for tool in context}
        known = dict.fromkeys(place for place in places.values() if place is not None)
        return list(known), [tool for tool, place in places.items() if place is None]

    def _similarity(self, request: Query, best: Mapping[int, Node], state: State) -> float:
        """Return how similar the question and the best of the tools are, in [0, 1]."""
        terms = self._terms
        texts = [terms(f"{node.name} {node.text}") for node in best.values()]
        return similarity_of(terms(request.text), texts, cosines_of(state, request, list(best)))

    def _fits(self, asked: frozenset[str], best: Mapping[int, Node], state: State) -> NDArray[np.float64]:
        """Return what each tool keeps of its semantic score, (n_tools,): less where it does something else."""
        kept = np.ones(len(state.ids))
        for place, node in best.items():
            done = self._deeds_of(node)
            if done and not done & asked:
                kept[place] -= self.config.other_deed
        return kept

    def _deeds_of(self, node: Node) -> frozenset[str]:
        return done_by(display_name(node.name, node.id), self._described(node)["description"])

    def _goals(self, ranking: Ranking, state: State, *, one: bool) -> list[int]:
        """Return the tools directly meant: the best match and those that come close to it."""
        ids = state.ids
        best = sorted(ranking.order, key=lambda p: (-ranking.semantic[p], ids[p]))
        if not best or ranking.semantic[best[0]] <= 0:
            return best[:1]
        tie = self.config.tie if state.graph.orders else self.config.loose_tie
        close = [p for p in best if ranking.semantic[p] >= tie * ranking.semantic[best[0]]]
        return close[: 1 if one else self.config.max_goals]

    def _described(self, node: Node) -> Described:
        """Return id, name, server and description as an answer shows them: data, cleaned and cut to length."""
        name = display_name(node.name, node.id)
        server = str(node.metadata.get("server") or "")
        if not server and node.id.endswith(f":{name}"):
            server = node.id[: -len(name) - 1]
        description = node.metadata.get("description")
        text = description if isinstance(description, str) else node.text
        return {
            "id": node.id,
            "name": plain_text(name, _NAME_LIMIT),
            "server": plain_text(server, _NAME_LIMIT),
            "description": plain_text(text, self.config.description_limit),
        }
