"""Graphs whose edges are all of one type: who reports to whom, what depends on what."""

import pytest
from fact_graphs import graph_of

from fourfold import Edge, Node, Retriever

STAFF = graph_of("Ann Moe|reports_to|Bo Weiss · Cy Lund|reports_to|Bo Weiss · Bo Weiss|reports_to|Di Poe")
SERVICES = graph_of("payments|depends_on|ledger · ledger|depends_on|postgres · checkout|depends_on|payments")
FAMILY = graph_of("Ann Moor|parent of|Ben Moor · Ben Moor|parent of|Dan Moor · Ann Moor|parent of|Cleo Moor")


@pytest.mark.parametrize(
    ("graph", "question", "answers"),
    [
        (STAFF, "who does Ann Moe report to", {"Bo Weiss"}),
        (STAFF, "who reports to Bo Weiss", {"Ann Moe", "Cy Lund"}),
        (STAFF, "who is Ann Moe's manager?", {"Bo Weiss"}),
        (STAFF, "who is the boss of the boss of Ann Moe", {"Di Poe"}),
        (STAFF, "who has the same boss as Ann Moe", {"Cy Lund"}),
        (SERVICES, "what does payments depend on?", {"ledger"}),
        (SERVICES, "what depends on payments", {"checkout"}),
        (SERVICES, "dependencies of ledger", {"postgres"}),
        (FAMILY, "grandchildren of Ann Moor", {"Dan Moor"}),
        (FAMILY, "who is the aunt of Dan Moor?", {"Cleo Moor"}),
    ],
)
def test_the_words_of_its_label_ask_for_it(graph, question, answers):
    assert set(graph.search(question).ids[: len(answers)]) == answers


@pytest.mark.parametrize(
    "question", ["Bo Weiss", "tell me about Bo Weiss", "how tall is Bo Weiss", "when was Bo Weiss born?"]
)
def test_what_its_edges_cannot_tell_is_asked_of_what_is_named(question):
    assert STAFF.search(question).ids[0] == "Bo Weiss"


def test_a_text_is_left_for_the_words_of_the_label_alone():
    texts = {"orders": "id, date, amount, customer id", "customers": "id, name, city", "shops": "id, name, rent"}
    with Retriever() as tables:
        tables.add(
            [Node(name, name, text=f"Columns: {text}") for name, text in texts.items()],
            [Edge("orders", "customers", "foreign_key"), Edge("orders", "shops", "foreign_key")],
        )
        assert tables.search("what are the amounts of all orders").ids[0] == "orders"
        assert set(tables.search("foreign keys of orders").ids[:2]) == {"customers", "shops"}
