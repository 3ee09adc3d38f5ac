"""A real graph that is on every machine: the running Python's own standard library, and questions to ask it."""

from fourfold.demo.questions import EXPLAINED, QUESTIONS
from fourfold.demo.stdlib_graph import edges, nodes, write

__all__ = ["EXPLAINED", "QUESTIONS", "edges", "nodes", "write"]
