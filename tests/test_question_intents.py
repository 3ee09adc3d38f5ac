"""The 14 question intents: the specification's examples, the 140 committed questions, and the scoring rule."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fourfold import InvalidValueError
from fourfold.questions import QuestionIntent, classify_intent
from fourfold.questions.intents import QuestionRule

QUESTIONS = [
    json.loads(line)
    for line in (Path(__file__).parent / "data" / "question_intents.jsonl").read_text().splitlines()
    if line.strip()
]

EXAMPLES = {
    "find a tool for reading files": "find_tool",
    "can it handle binary files?": "check_capability",
    "create a workflow to chain tools together": "compose_workflow",
    "compare Read vs Bash": "compare",
    "error when running the edit command": "debug",
    "how to improve performance of searches": "optimize",
    "explain how embeddings work": "learn",
    "show me everything about file operations": "explore",
    "what depends on the read_file node": "impact",
    "trace the path from read_file to edit_file": "trace",
    "recommend the best tool for code review": "recommend",
    "create a new function for validation": "create",
    "how to setup the environment variables": "configure",
    "what are the authentication requirements": "security",
}


@pytest.mark.parametrize("question", EXAMPLES)
def test_each_example_of_the_specification(question):
    assert classify_intent(question).intent == EXAMPLES[question]


def test_there_are_fourteen():
    assert {str(intent) for intent in QuestionIntent} == set(EXAMPLES.values())


def test_top_one_on_the_committed_questions():
    wrong = [q for q in QUESTIONS if classify_intent(q["question"]).intent != q["intent"]]
    assert 1 - len(wrong) / len(QUESTIONS) >= 0.85, wrong


def test_a_phrase_counts_one_and_a_keyword_three_tenths():
    assert classify_intent("throughput latency").scores[0].score == pytest.approx(0.6)  # two keywords of optimize
    assert classify_intent("speed up inserts").scores[0].score == pytest.approx(1.3)  # a phrase and the keyword in it


def test_one_keyword_alone_is_not_over_the_threshold():
    assert classify_intent("throughput").scores == () and classify_intent("throughput").intent is None


def test_rules_of_the_caller_are_taken_and_none_are_those_of_the_package():
    mine = QuestionRule(QuestionIntent.DEBUG, phrases=(r"\bwobbly\b",), keywords="table")
    assert classify_intent("a wobbly table", [mine]).intent == QuestionIntent.DEBUG
    assert classify_intent("throughput latency", None) == classify_intent("throughput latency")


@given(st.text(max_size=200))
def test_any_text_gives_at_most_three_scores_over_the_threshold_best_first(text):
    scores = [found.score for found in classify_intent(text).scores]
    assert len(scores) <= 3 and all(score > 0.3 for score in scores) and scores == sorted(scores, reverse=True)


@given(st.sampled_from(sorted(EXAMPLES)), st.sampled_from(("{}", " {} ", "{}?", "{}\n", "  {}!")))
def test_case_spacing_and_punctuation_do_not_matter(question, frame):
    assert classify_intent(frame.format(question).upper()).intent == EXAMPLES[question]


def test_what_is_no_string_is_refused():
    with pytest.raises(InvalidValueError, match="must be a string"):
        classify_intent(None)
