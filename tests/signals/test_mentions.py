"""Mentions as links: between texts, and between documents that were cut into parts."""

import numpy as np
import pytest

from fourfold import Retriever
from fourfold.index.base import Allowed
from fourfold.index.edge_segment import EdgeSegment
from fourfold.index.edges import Edges
from fourfold.ingest import Document, IngestConfig, add_documents
from fourfold.signals.mentions import any_mention, links

TYPES = ("mentions", "part_of", "knows")
NO_NODES = np.empty(0, np.int64)

# 1 is a document of the parts 11 and 12, 2 one of 21 and 22; 3 and 4 are whole.
CUT = np.array([1, 2])
PARTS = [(11, 1, 1), (12, 1, 1), (21, 2, 1), (22, 2, 1)]


def edges(rows):
    """Return a part of (source, target, type) rows."""
    columns = [np.array([row[place] for row in rows]) for place in range(3)]
    kinds = (np.int64, np.int64, np.int32)
    built = [column.astype(kind) for column, kind in zip(columns, kinds, strict=True)]
    segment = EdgeSegment.build(np.arange(len(rows)), *built, np.ones(len(rows), np.float32))
    return Edges((segment,), TYPES, lambda nodes: [f"n{node:05d}" for node in nodes.tolist()])


def linked(rows, passages, cut=CUT, most=9, allowed=None):
    found = links(edges(rows), cut, np.array(passages), most, allowed)
    assert (found.links == 1).all()
    return sorted(set(zip(found.passages.tolist(), found.nodes.tolist(), strict=True)))


def test_texts_are_linked_both_ways():
    rows = [(3, 4, 0), (5, 3, 0), (3, 6, 2)]
    assert linked(rows, [3, 4], NO_NODES) == [(0, 4), (0, 5), (1, 3)]
    assert linked(rows, [6], NO_NODES) == []
    assert linked([(3, 6, 2)], [3], NO_NODES) == []


def test_who_mentions_a_document_that_was_cut_is_linked_to_its_parts():
    assert linked([*PARTS, (3, 1, 0)], [3, 4]) == [(0, 11), (0, 12)]


def test_a_part_is_linked_to_what_any_part_of_its_document_mentions():
    assert linked([*PARTS, (12, 2, 0), (12, 4, 0)], [11]) == [(0, 4), (0, 21), (0, 22)]


def test_a_part_is_linked_to_what_mentions_its_document():
    assert linked([*PARTS, (3, 1, 0), (22, 1, 0)], [12]) == [(0, 3), (0, 22)]


def test_a_document_that_mentions_itself_links_its_parts():
    assert linked([*PARTS, (11, 1, 0)], [11]) == [(0, 12)]


def test_a_filter_keeps_parts_whatever_it_says_of_their_document():
    rows = [*PARTS, (12, 2, 0), (3, 1, 0), (4, 1, 0)]
    allowed = Allowed(np.array([4, 11, 21]))
    assert linked(rows, [11], allowed=allowed, most=1) == [(0, 4), (0, 21)]


def test_of_a_long_document_32_parts_are_looked_at():
    rows = [(100 + part, 1, 1) for part in range(40)] + [(3, 1, 0)]
    assert linked(rows, [3], np.array([1])) == [(0, 100 + part) for part in range(32)]


@pytest.mark.parametrize(("nodes", "there"), [([3], True), ([4], True), ([5, 6], False)])
def test_a_text_with_mentions_is_told(nodes, there):
    assert any_mention(edges([(3, 4, 0), (5, 6, 2)]), np.array(nodes), 9) is there


DOCUMENTS = [
    Document(
        id="film",
        title="Harbour Lights",
        text="Harbour Lights is a drama of 1931 about two sisters. It was shot by the sea in winter. "
        "The picture was directed by Edward Sloman for a small company.",
    ),
    Document(
        id="man",
        title="Edward Sloman",
        text="Edward Sloman made many silent pictures in California. He was born in London and went to sea. "
        "Later he wrote for the radio and taught.",
    ),
    *(
        Document(id=f"d{num}", title=f"Person {num}", text=f"Number {num} was born in the town of {num} and films.")
        for num in range(30)
    ),
]


def test_a_question_of_two_steps_is_answered_where_documents_are_cut():
    """The part that names the director is not the one that looks like the question; nor is he a part himself."""
    retriever = Retriever(":memory:")
    add_documents(retriever, DOCUMENTS, config=IngestConfig(whole_length=60, chunk_length=60))
    hits = retriever.search("Where was the director of the drama Harbour Lights born?", k=5)
    found = next(
        hit for hit in hits if hit.node.metadata.get("document") == "man" and "born in London" in hit.node.text
    )
    assert any(item.component == "bridge" for item in found.evidence)
