"""Several at once: writers and readers in threads, each with a graph of its own open, and all with one."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from fourfold.retriever import Retriever
from fourfold.testing.compared import Both, Compared
from fourfold.testing.graphs import QUESTIONS, sample
from fourfold.types import Edge, Node

_WRITES = 6


class TogetherTests(Compared):
    """No lost write, no torn answer, nothing stale."""

    def test_writers_and_readers(self, both: Both, address: str) -> None:
        """Each write is two nodes and an edge: an answer has both nodes or none of them."""
        both.add(*sample(40))

        def write(writer: int) -> None:
            with Retriever(address, config=both.own.config) as own:
                for number in range(_WRITES):
                    name = f"w{writer} {number}"
                    pair = [Node(f"{name} {side}", "twin", text=f"zebra {name}") for side in "ab"]
                    generation = own.add(pair, [Edge(pair[0].id, pair[1].id, "twin_of")])
                    found = own.search(f"zebra {name}", k=100, mode="text")
                    assert found.generation >= generation
                    assert {pair[0].id, pair[1].id} <= set(found.ids)

        def read(reader: int) -> None:
            for number in range(3 * _WRITES):
                found = both.own.search(f"zebra twin {reader} {number}", k=200, mode="text")
                assert found.degraded == ()
                sides = [identity[:-2] for identity in found.ids if identity.startswith("w")]
                assert all(sides.count(side) == 2 for side in set(sides)), sides

        with ThreadPoolExecutor(6) as pool:
            done = [pool.submit(write, writer) for writer in range(3)] + [pool.submit(read, one) for one in range(3)]
            for one in done:
                one.result()
        for writer in range(3):
            for number in range(_WRITES):
                name = f"w{writer} {number}"
                pair = [Node(f"{name} {side}", "twin", text=f"zebra {name}") for side in "ab"]
                both.other.add(pair, [Edge(pair[0].id, pair[1].id, "twin_of")])
        both.same_state()
        for question in QUESTIONS[:4]:
            both.agree(question, mode="text")
