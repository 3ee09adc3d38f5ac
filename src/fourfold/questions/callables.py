"""The methods as plain functions for agents: JSON types in, an answer out; the adapters make their tools of these.

Their annotations are types, not the words for them, which mean nothing where a framework reads them.
"""

from collections.abc import Callable

from fourfold.questions.impact import Direction
from fourfold.questions.questions import Questions
from fourfold.questions.results import Answer


def callables(questions: Questions) -> tuple[Callable[..., Answer], ...]:
    """Return a function for each method that an agent can use; name, docstring and annotations describe the tool."""

    def ask_graph(question: str) -> Answer:
        """Answer a question about the knowledge graph by the method that fits it, or by search."""
        return questions.ask(question)

    def trace_path(a: str, b: str, max_depth: int = 5) -> Answer:
        """Find the shortest path between two nodes, given by id or name, with the edge types and directions on it."""
        return questions.trace_path(a, b, max_depth)

    def impact_analysis(
        node: str,
        direction: Direction = "dependents",
        max_depth: int = 3,
    ) -> Answer:
        """Tell what a change to a node touches, with risks; direction "dependencies": what it depends on itself."""
        return questions.impact_analysis(node, direction, max_depth)

    def similar_to(node: str, k: int = 10) -> Answer:
        """Find the nodes that stand in the graph as this one does: same neighbours, type and name words."""
        return questions.similar_to(node, k)

    def explore_smart(node: str, depth: int = 2) -> Answer:
        """Show what lies around a node as a tree, ranked per level, with hubs marked."""
        return questions.explore_smart(node, depth, width=20)

    def can_it(capability: str) -> Answer:
        """Tell whether something is possible: yes, yes with limitations, no or unknown, with workarounds."""
        return questions.can_it(capability)

    def compose_for(goal: str, max_tools: int = 5) -> Answer:
        """Plan the steps of a goal whose parts are joined by "and" or "then", with gaps and conflicts."""
        return questions.compose_for(goal, max_tools)

    def want_to(goal: str, k: int = 10) -> Answer:
        """Find the nodes that serve a goal, each with the path by which it does."""
        return questions.want_to(goal, k)

    return (ask_graph, trace_path, impact_analysis, similar_to, explore_smart, can_it, compose_for, want_to)
