"""Small graphs of facts, written down as lines."""

import re
from collections.abc import Mapping

from fourfold import Edge, Node, Retriever


def graph_of(facts: str, types: Mapping[str, str] | None = None) -> Retriever:
    """Return a graph of names only, of facts ``source|type|target``, each on a line of its own or a · between two.

    Args:
        facts: the edges; blanks about their parts do not count.
        types: of nodes, by name; of the others "".

    """
    triples = [[part.strip() for part in fact.split("|")] for fact in re.split("[·\n]", facts) if fact.strip()]
    names = dict.fromkeys(name for source, _, target in triples for name in (source, target))
    nodes = [Node(name, name, (types or {}).get(name, "")) for name in names]
    retriever = Retriever()
    retriever.add(nodes, [Edge(source, target, kind) for source, kind, target in triples])
    return retriever
