"""What reaches a document that was cut is handed on to its parts; see test_dense_sum for the rest of the walk."""

from dataclasses import replace

import numpy as np
import pytest

from fourfold import Edge, Node, RetrievalConfig, Retriever
from fourfold.index.base import Allowed
from fourfold.index.edge_segment import EdgeSegment
from fourfold.index.edges import Edges
from fourfold.ingest import Document, IngestConfig, add_documents
from fourfold.signals import graph
from fourfold.signals.graph import Spread

TYPES = ("mentions", "part_of")
SPREAD = Spread(np.array([1.0, 0.5]), 1.0, 0.5)
SEED, OTHER, WHOLE, FIRST, SECOND = 1, 2, 5, 6, 7
CUT = np.array([WHOLE])


def walked(rows, seeds, allowed=None, **options):
    """Return {node: proximity} over (source, target, type) rows."""
    columns = [np.array([row[place] for row in rows]) for place in range(3)]
    kinds = (np.int64, np.int64, np.int32)
    built = [column.astype(kind) for column, kind in zip(columns, kinds, strict=True)]
    segment = EdgeSegment.build(np.arange(len(rows)), *built, np.ones(len(rows), np.float32))
    edges = Edges((segment,), TYPES, lambda nodes: [f"n{node}" for node in nodes.tolist()])
    walk = graph.score(edges, np.array(seeds), np.ones(len(seeds)), replace(SPREAD, cut=CUT, **options), allowed)
    assert dict(zip(walk.reached.nodes.tolist(), walk.reached.values.tolist(), strict=True)) == pytest.approx(
        {node: sum(hop.gains[hop.targets == node].sum() for hop in walk.hops) for node in walk.reached.nodes.tolist()}
    )
    return dict(zip(walk.reached.nodes.tolist(), walk.reached.values.tolist(), strict=True))


ROWS = [(SEED, WHOLE, 0), (FIRST, WHOLE, 1), (SECOND, WHOLE, 1)]


def test_parts_have_what_reached_their_document():
    assert walked(ROWS, [SEED], to_parts=1.0) == {WHOLE: 1.0, FIRST: 1.0, SECOND: 1.0}
    assert walked(ROWS, [SEED], to_parts=0.5) == {WHOLE: 1.0, FIRST: 0.5, SECOND: 0.5}
    assert walked(ROWS, [SEED]) == {WHOLE: 1.0}


def test_what_came_from_parts_is_not_handed_back():
    assert walked(ROWS, [FIRST], to_parts=1.0) == {WHOLE: 0.5}


def test_what_is_no_document_hands_nothing_on():
    assert walked([(SEED, OTHER, 0), (FIRST, OTHER, 1)], [SEED], to_parts=1.0) == {OTHER: 1.0}


def test_a_filter_is_kept():
    allowed = Allowed(np.array([WHOLE, SECOND]))
    assert walked(ROWS, [SEED], to_parts=1.0, allowed=allowed) == {WHOLE: 1.0, SECOND: 1.0}


def test_hits_that_are_parts_explain_how_the_graph_led_to_them():
    """Before, what led to a document that was cut reached its parts a second hop away, at a third."""
    texts = ["The lamp house keeper writes letters.", "A ferry leaves at noon for the island.", "Bread is baked here."]
    document = Document(id="d", title="Notes", text=" ".join(texts))
    found = {}
    for share in (0.0, 1.0):
        config = RetrievalConfig().replace(graph={"to_parts": share}, text={"called": False})
        retriever = Retriever(":memory:", config=config)
        others = [Node(f"n{i}", f"Thing {i}", "thing", f"Number {i} is a thing of its own.") for i in range(20)]
        retriever.add([Node("anna", "Anna Berg", "person", "Anna Berg is a painter."), *others])
        add_documents(retriever, [document], config=IngestConfig(whole_length=45, chunk_length=45))
        retriever.add(edges=[Edge("anna", "d", "wrote")])
        hits = retriever.search("Anna Berg", k=8)
        found[share] = next(hit for hit in hits if hit.node.metadata.get("document") == "d")
        for hit in hits:
            assert sum(item.value for item in hit.evidence) == pytest.approx(hit.score, abs=1e-6)
    assert found[1.0].components.graph > 2 * found[0.0].components.graph
    path = next(item.path for item in found[1.0].evidence if item.component == "graph")
    assert [(step.source, step.type, step.target) for step in path] == [
        ("anna", "wrote", "d"),
        ("d", "part_of", found[1.0].node.id),
    ]
