"""Nodes of the type that a question asks for, where its words lead to others or nowhere."""

import pytest
from fact_graphs import graph_of

SHOP = graph_of(
    """
    Brine Foods|supplies|Pickles · Brine Foods|supplies|Olives · Vinter|supplies|Cider · Oakham|supplies|Cider
    Pickles|part_of|Condiments · Olives|part_of|Condiments · Cider|part_of|Drinks · Vinter|supplies|Pickles
    Brine Foods|country|Norway · Vinter|country|Norway · Oakham|country|Latvia
    Order 1|contains|Pickles · Order 2|contains|Cider · Order 3|contains|Olives · Order 1|shipped_to|Latvia
    Ana|purchased|Order 1 · Bo|purchased|Order 2 · Cy|purchased|Order 3 · Bo|country|Latvia · Ana|phone|555 0100
    Brine Foods|phone|555 0199
    """,
    {
        **dict.fromkeys(("Brine Foods", "Vinter", "Oakham"), "supplier"),
        **dict.fromkeys(("Pickles", "Olives", "Cider"), "product"),
        **dict.fromkeys(("Condiments", "Drinks"), "category"),
        **dict.fromkeys(("Order 1", "Order 2", "Order 3"), "order"),
        **dict.fromkeys(("Ana", "Bo", "Cy"), "customer"),
    },
)


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("who are the suppliers for the Condiments category", {"Brine Foods", "Vinter"}),
        ("which categories have products supplied by Oakham", {"Drinks"}),
        ("what are the first 3 categories in which Brine Foods supplies products", {"Condiments"}),
        ("list the customers who bought Pickles", {"Ana"}),
        ("show all suppliers from Norway with products in Drinks", {"Vinter"}),
        ("which suppliers have products in both Condiments and Drinks", {"Vinter"}),
        ("list the customers whose orders were shipped to Latvia", {"Ana"}),
        ("give me the customers who bought Olives or Cider", {"Bo", "Cy"}),
    ],
)
def test_what_is_of_the_type_asked_for_comes_first(question, answers):
    result = SHOP.search(question)
    assert set(result.ids[: len(answers)]) == answers
    told = SHOP.explain(question, result.ids[0])
    assert sum(part.value for part in told.contributions) == pytest.approx(told.score, abs=1e-6)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("what is the supplier phone of Brine Foods", "555 0199"),
        ("list the phone of the supplier Brine Foods", "555 0199"),
        ("which country is the supplier Oakham from", "Latvia"),
    ],
)
def test_a_word_that_qualifies_another_or_a_name_calls_no_type(question, answer):
    assert SHOP.search(question).ids[0] == answer


def test_of_another_type_nothing_is_made_up():
    found = SHOP.search("which warehouses store Pickles")
    assert found[0].score < 0.5, "any edge of Pickles may be meant, none is sure"
    assert found.ids[0] in {"Brine Foods", "Vinter", "Condiments", "Order 1"}, (
        "what stands beside it, nobody who bought"
    )
