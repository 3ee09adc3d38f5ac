"""Questions about what texts name and link to: asked for, such edges are facts; else they are evidence."""

import pytest

from fourfold import Edge, Node, Retriever
from fourfold.ingest import Document, add_documents
from fourfold.questions import Questions
from fourfold.relations.references import asked_for

PAGES = {
    "Vacation policy": "Every employee has 25 days of paid vacation. Requests are made in the HR portal.",
    "Sick leave": "Report sick before nine in the HR portal.",
    "HR portal": "The portal is run by Lena Vogt.",
    "Expenses": "Upload receipts in Pleo. Meals are paid.",
    "Pleo": "Pleo is a card for what you buy.",
    "Onboarding": "You get accounts for Pleo and the HR portal.",
    "Release process": "Releases are cut on Thursday. Postmortem documents mention the release manager.",
    "Rye flour": "Rye flour is dark.",
}


@pytest.fixture(scope="module")
def wiki():
    with Retriever() as retriever:
        pages = [Document(id=title, title=title, text=text) for title, text in PAGES.items()]
        pages.append(Document(id="Canteen", title="Canteen", text="Lunch is at noon.", links=("Expenses",)))
        add_documents(retriever, pages)
        yield retriever


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("which documents mention the HR portal?", {"Vacation policy", "Sick leave", "Onboarding"}),
        ("what mentions Pleo", {"Expenses", "Onboarding"}),
        ("pages that link to Pleo", {"Expenses", "Onboarding"}),
        ("where is Pleo mentioned", {"Expenses", "Onboarding"}),
        ("what links to Expenses", {"Canteen"}),
        ("which pages refer to Expenses", {"Canteen"}),
        ("what does Onboarding link to", {"Pleo", "HR portal"}),
        ("which pages does Onboarding mention", {"Pleo", "HR portal"}),
    ],
)
def test_pages_that_mention_or_link_to_a_page_are_found(wiki, question, expected):
    """The page itself stood first, or one whose text holds "mention"."""
    assert set(wiki.search(question, k=len(expected)).ids) == expected


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("which documents mention paid vacation", "Vacation policy"),
        ("which pages mention the release manager", "Release process"),
        ("what does the vacation policy mention", "Vacation policy"),
        ("what does Expenses mention about meals", "Expenses"),
        ("which pages mention rye flour", "Rye flour"),
    ],
)
def test_what_a_text_says_is_no_reference(wiki, question, first):
    """Words that are no page's whole title, or a page that nothing mentions: what the texts say counts."""
    assert wiki.search(question).ids[0] == first


def test_a_graph_asks_of_its_own_edges_as_before():
    with Retriever() as retriever:
        retriever.add(
            [Node("a", "Ann"), Node("b", "Bob"), Node("c", "Cleo")],
            [Edge("a", "b", "mentions"), Edge("a", "c", "links_to"), Edge("b", "c", "cites")],
        )
        assert retriever.search("what cites Cleo").ids[0] == "b"


def test_what_links_to_a_page_is_no_question_for_a_path(wiki):
    answer = Questions(wiki).ask("what links to the HR portal")
    assert set(answer.answer.ids[:3]) == {"Vacation policy", "Sick leave", "Onboarding"}
    assert "not found" not in answer.why


@pytest.mark.parametrize("question", ["what lınks to Expenses", "WHAT LİNKS TO Expenses", "what cıtes Expenses"])
def test_an_i_with_or_without_its_dot_is_no_fault_of_the_question(wiki, question):
    """Without regard to case they are an i, and the verb was looked up under neither: the paths component failed."""
    assert not wiki.search(question).degraded


def test_a_long_question_asks_for_no_references():
    assert asked_for("what mentions " + "x" * 300) is None
    assert asked_for("what links load_config to send_email") is None
