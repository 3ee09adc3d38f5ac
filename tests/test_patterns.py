"""No question makes a pattern work for longer than its length: each is asked in a child process with a time limit."""

from __future__ import annotations

import subprocess
import sys

import pytest

from fourfold import Intent
from fourfold.intent import DEFAULT_INTENTS, classify

_ENOUGH = 60.0  # seconds for starting Python and a linear answer, on a machine that does much else

SEARCH = "from fourfold import *; r = Retriever(); r.add([Node(id='a', name='alpha')]); r.search({question})"
WORKFLOW = "from fourfold.tools.workflow import clauses; clauses({question})"


@pytest.mark.parametrize(
    ("program", "question"),
    [
        (SEARCH, "'a_' * 30 + '!'"),
        (SEARCH, "'Name' + '_' * 40 + ': John'"),
        (WORKFLOW, "' ' * 20_000 + '!'"),
    ],
)
def test_a_question_that_hung_the_process_is_answered(program: str, question: str) -> None:
    subprocess.run([sys.executable, "-c", program.format(question=question)], check=True, timeout=_ENOUGH)


@pytest.mark.parametrize("name", ["snake_case", "a_b()", "kebab-case", "a__b", "a_-b", "x1-y2_z", "a___", "aé-b"])
def test_identifiers_are_read_as_before(name: str) -> None:
    assert classify(name, DEFAULT_INTENTS) == Intent.EXACT_MATCH


@pytest.mark.parametrize("name", ["a_", "a-", "a--b", "1_a", "_a", "a_b-", "a b_c", "a_()"])
def test_what_was_no_identifier_is_none(name: str) -> None:
    assert classify(name, DEFAULT_INTENTS) != Intent.EXACT_MATCH
