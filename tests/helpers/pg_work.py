"""What child processes do with a graph in PostgreSQL."""

import itertools
import time
import warnings

from fourfold import Edge, Node, RetrievalConfig, Retriever

TWINS = "ab"
CONFIG = RetrievalConfig().replace(index={"cache_seconds": 0.0})


def pair(writer, number):
    """Return the nodes and the edge of one write: twins score alike, so an answer has both or none."""
    text = f"zebra {writer} number{number} bucket{number % 40}"
    nodes = [Node(f"{writer}.{number}.{side}", "twin", text=text) for side in TWINS]
    return nodes, [Edge(nodes[0].id, nodes[1].id, "twin_of")]


def write(url, writer, seconds):
    """Write pairs, and find each at once; return how many were written."""
    until = time.monotonic() + seconds
    with Retriever(url, config=CONFIG) as own:
        for number in itertools.count():
            nodes, edges = pair(writer, number)
            generation = own.add(nodes, edges)
            found = own.search(f"zebra {writer} number{number}", mode="text")
            assert found.generation >= generation, "an older state was answered from"
            assert {node.id for node in nodes} <= set(found.ids), f"{nodes[0].id} is not found: {found.ids}"
            if time.monotonic() > until:
                return number + 1


def read(url, seconds):
    """Search; every answer has both nodes of a pair or none. Return how many searches there were."""
    until, last = time.monotonic() + seconds, 0
    with Retriever(url, config=CONFIG) as own:
        for number in itertools.count(1):
            found = own.search(f"bucket{number % 40}", k=100_000, mode="text")
            assert found.degraded == (), found.degraded
            assert found.generation >= last, "time ran backwards"
            last = found.generation
            pairs = [identity.rpartition(".")[0] for identity in found.ids if identity.count(".") == 2]
            assert all(pairs.count(one) == 2 for one in set(pairs)), "half of a write was seen"
            if time.monotonic() > until:
                return number


def run(task):
    """Run one of the above in a child, with warnings as errors."""
    warnings.simplefilter("error")
    name, *arguments = task
    return globals()[name](*arguments)
