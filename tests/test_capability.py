"""Questions for a capability: that they are read as such, and what is answered from which limitation."""

import json
from pathlib import Path

import pytest

from fourfold import Edge, Node, RetrievalConfig, Retriever
from fourfold.intent import DEFAULT_INTENTS, PUBLISHED_INTENTS, classify
from fourfold.questions import Questions

ASKED = [
    json.loads(line)
    for line in (Path(__file__).parent / "data" / "capability_questions.jsonl").read_text("utf-8").splitlines()
]

NODES = [
    Node("json", "JSON", "format", "A text format for data exchange. It stores objects, arrays, numbers and strings."),
    Node("no_comments", "No comments", "limitation", "Comments are no part of the format and make a parser fail."),
    Node("no_dates", "No dates", "limitation", "Dates and times have no type of their own."),
    Node("iso", "ISO strings", "workaround", "Write dates as ISO 8601 strings."),
    Node("csv", "CSV", "format", "Rows of values separated by commas."),
    Node("quotes", "Quoting", "limitation", "Quotes inside values have to be doubled."),
    Node("claude", "Claude", "model", "A language model that reads text, images and PDF documents, and calls tools."),
    Node("no_audio", "No audio", "limitation", "Audio cannot be heard."),
    Node("transcribe", "Transcription", "workaround", "Transcribe audio to text first."),
    Node("yaml", "YAML", "format", "A format for configuration with comments and anchors."),
    Node("tabs", "Indentation", "limitation", "Tabs are refused in indentation."),
]
EDGES = [
    Edge("json", "no_comments", "has_limitation"),
    Edge("json", "no_dates", "has_limitation"),
    Edge("no_dates", "iso", "has_workaround"),
    Edge("csv", "quotes", "has_limitation"),
    Edge("claude", "no_audio", "has_limitation"),
    Edge("no_audio", "transcribe", "has_workaround"),
    Edge("yaml", "tabs", "has_limitation"),
]


@pytest.fixture(scope="module")
def questions():
    with Retriever() as retriever:
        retriever.add(NODES, EDGES)
        yield Questions(retriever)


@pytest.mark.parametrize("case", ASKED, ids=[case["question"] for case in ASKED])
def test_a_question_for_a_capability_is_read_as_one(case):
    assert (classify(case["question"], DEFAULT_INTENTS) == "capability_check") is case["capability"]


def test_the_published_patterns_stay():
    assert RetrievalConfig.published().intents.specs == PUBLISHED_INTENTS
    published = next(spec for spec in PUBLISHED_INTENTS if spec.name == "capability_check")
    assert published.patterns == (
        r"\bcan\s+(it|you|this)\b",
        r"\bdoes\s+\w+\s+support\b",
        r"\bis\s+\w+\s+(able|capable)\b",
    )
    assert classify("Can Claude read PDFs?", PUBLISHED_INTENTS) != "capability_check"


@pytest.mark.parametrize(
    ("question", "verdict", "counting"),
    [
        ("can json handle comments?", "no", ["no_comments"]),
        ("does JSON support comments", "no", ["no_comments"]),
        ("can it handle comments?", "no", ["no_comments"]),
        ("can json handle dates?", "yes_with_limitations", ["no_dates"]),
        ("can json store arrays?", "yes", []),
        ("does json support numbers?", "yes", []),
        ("can json be streamed?", "unknown", []),
        ("can json do anything?", "no", ["no_comments", "no_dates"]),
        ("Can Claude read PDFs?", "yes", []),
        ("can Claude call tools", "yes", []),
        ("can Claude hear audio?", "yes_with_limitations", ["no_audio"]),
        ("Can Claude fly?", "unknown", []),
        ("does csv support comments?", "unknown", []),
        ("can CSV be compressed?", "unknown", []),
        ("can yaml handle comments?", "yes", []),
        ("does yaml support anchors", "yes", []),
        ("can yaml use tabs", "no", ["tabs"]),
    ],
)
def test_a_limitation_counts_where_it_is_about_what_was_asked(questions, question, verdict, counting):
    answer = questions.can_it(question)
    assert answer.verdict == verdict
    assert [limitation.node.id for limitation in answer.limitations] == counting
    listed = {limitation.node.id for limitation in (*answer.limitations, *answer.others)}
    assert listed == {
        edge.target for edge in EDGES if edge.source == answer.subject.id and edge.type == "has_limitation"
    }
    if verdict == "unknown":
        assert answer.confidence < 0.5 and "Nothing tells whether" in answer.notes[-1]


def test_a_lone_surrogate_is_passed_over(questions):
    assert questions.can_it("can json handle new\ud800 comments?").verdict == "no"


def test_ask_takes_the_same_way(questions):
    assert questions.ask("can json handle comments?").answer.verdict == "no"


def test_what_tells_of_a_failure_is_no_capability():
    retriever = Retriever(":memory:")
    nodes = [
        Node("refund", "refund payment", "tool", "Refund a card payment to the customer."),
        Node(
            "t17", "Ticket 17", "ticket", "Refunding an AMEX card failed with error 402; the gateway does not take it."
        ),
        Node("no_binary", "no binary files", "limitation", "Binary files stay closed."),
        Node("retry", "retry_jobs", "tool", "Retry failed jobs that can't go on."),
        Node("read", "read_file", "tool", "Read a text. Fails where there is none."),
    ]
    retriever.add(nodes, [Edge("retry", "read", "requires")])
    questions = Questions(retriever)
    ticket = questions.can_it("refund AMEX")
    assert ticket.subject.id == "t17" and ticket.verdict == "unknown" and "('failed')" in ticket.notes[-1]
    assert "has_limitation" in ticket.notes[-1]
    assert questions.can_it("can it open binary files?").verdict == "unknown"
    assert questions.can_it("can it retry jobs?").verdict == "yes"
    assert questions.can_it("can it read a file?").verdict == "yes"
