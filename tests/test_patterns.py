"""No text makes a pattern, or anything else that reads texts, work for longer than in proportion to its length.

Each is measured in a child process that the system ends: what is exponential is a failure here, not a hang.
"""

import json
import re
import subprocess
import sys

import growth
import pytest

from fourfold import Intent
from fourfold.intent import DEFAULT_INTENTS, classify

_ENOUGH = 60.0  # seconds of computing for starting Python and a linear answer
_COMPUTING = 300  # seconds of computing for one pattern with all its texts; a linear one takes about one
_PARTS = 3  # of what reads texts, for processes that test side by side

SEARCH = "from fourfold import *; r = Retriever(); r.add([Node(id='a', name='alpha')]); r.search({question})"
WORKFLOW = "from fourfold.planning import parts_of; parts_of({question})"


@pytest.mark.parametrize(
    ("program", "question"),
    [
        (SEARCH, "'a_' * 30 + '!'"),
        (SEARCH, "'Name' + '_' * 40 + ': John'"),
        (WORKFLOW, "' ' * 20_000 + '!'"),
    ],
)
def test_a_question_that_hung_the_process_is_answered(program, question):
    bounded = f"import signal; signal.setitimer(signal.ITIMER_VIRTUAL, {_ENOUGH}); {program.format(question=question)}"
    subprocess.run([sys.executable, "-c", bounded], check=True)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(_PARTS))
def test_all_that_reads_texts_takes_time_in_proportion(part):
    """Every pattern in the source of the four packages, tokenizers, classifiers and readers of documents."""
    program = [sys.executable, growth.__file__, str(_COMPUTING), str(part), str(_PARTS)]
    child = subprocess.run(program, stdout=subprocess.PIPE, text=True)
    told = [json.loads(line) for line in child.stdout.splitlines()]
    assert child.returncode == 0, f"ended ({child.returncode}) after {told[-1:]}"
    assert [what for what in told if what.get("fault")] == []
    assert len(told) > 200


@pytest.mark.parametrize(
    "pattern",
    [
        r"^[A-Za-z]\w*(?:[-_]\w+)+(?:\(\))?$",
        r"(a|a)*b",
        r"\s*(?:;|\n+|,?\s*\bthen\b,?|^\s*\d+[.)])\s*",
        r"\s*,?\s*after",
        r"\s+$",
        r"`+x`+",
        r"from (.+?) to \w+!",
        r"[^\W\d]+(?=\()",
    ],
)
def test_the_measure_finds_what_is_worse(pattern):
    fault = growth.fault_of(growth.runner(pattern, re.MULTILINE, "finditer"), growth.texts(pattern, re.MULTILINE))
    assert fault is not None


def test_the_walk_finds_patterns_wherever_they_stand():
    found = set(growth.patterns())
    places = {where for where, *_ in found}
    assert {"fourfold.tokenizer", "fourfold.ingest.readers.html", "fourfold.questions.locate"} <= places
    assert {pattern for spec in DEFAULT_INTENTS for pattern in spec.patterns} <= {pattern for _, pattern, *_ in found}
    assert ("fourfold.engines.foreign.spellings", r"[\W_]+", 0, "finditer") in found  # inside a function
    assert {module.__name__ for module in growth.modules()} >= {"langchain_fourfold", "fourfold_mcp"}


@pytest.mark.parametrize("name", ["snake_case", "a_b()", "kebab-case", "a__b", "a_-b", "x1-y2_z", "a___", "aé-b"])
def test_identifiers_are_read_as_before(name):
    assert classify(name, DEFAULT_INTENTS) == Intent.EXACT_MATCH


@pytest.mark.parametrize("name", ["a_", "a-", "a--b", "1_a", "_a", "a_b-", "a b_c", "a_()"])
def test_what_was_no_identifier_is_none(name):
    assert classify(name, DEFAULT_INTENTS) != Intent.EXACT_MATCH
