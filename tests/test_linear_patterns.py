"""Patterns that somebody else's file brings along find what ``re`` finds, in time that grows with the text alone."""

import json
import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fourfold import IntentSpec, InvalidValueError, Node, RetrievalConfig, Retriever, StoreError
from fourfold.intent import DEFAULT_INTENTS, classify, of_file
from fourfold.linear_patterns import LONGEST_PATTERNS, LONGEST_READ, MOST_STEPS, LinearPattern, require_few

ATOMS = st.sampled_from(
    ["a", "b", "ab", ".", r"\w", r"\s", "[^a]", "[a-b ]", r"\b", r"\B", "^", "$", "(?!b)", "(?<=a)", "(?=a|b)"]
)
REPEATS = st.sampled_from(["*", "+", "?", "*?", "+?", "??", "{2}", "{1,3}", "{2,}", "{0}"])
PATTERNS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map("".join),
        st.lists(inner, min_size=1, max_size=3).map(lambda ways: f"({'|'.join(ways)})"),
        st.builds("(?:{}){}".format, inner, REPEATS),
        st.builds("(?i:{})".format, inner),
    ),
    max_leaves=6,
)  # fmt: skip


@settings(max_examples=600, deadline=None)
@given(PATTERNS, st.text("abAB \n_", max_size=7))
def test_what_is_found_is_what_re_finds(pattern, text):
    assert LinearPattern(pattern).search(text) == bool(re.search(pattern, text))


@pytest.mark.parametrize(
    "text", ["does it really support that?", "can I go", "can you go", "__init__", "how to save", ""]
)
def test_the_patterns_of_the_defaults_are_found_likewise(text):
    for pattern in (pattern for spec in DEFAULT_INTENTS for pattern in spec.patterns):
        assert LinearPattern(pattern).search(text) == bool(re.search(pattern, text)), pattern


@pytest.mark.parametrize("flags", ["(?i)É", "(?x) a  b # c", "(?s)a.b", "(?m)^b$", r"(?a)\bé", "(?i:A)b"])
def test_flags_are_kept(flags):
    for text in ("é", "ab", "a\nb", "a\nb\n", "Ab", "aB", "É"):
        assert LinearPattern(flags).search(text) == bool(re.search(flags, text)), text


@pytest.mark.parametrize(
    "pattern",
    ["(a+)+$", "(a|a)*b", "a*a*a*a*b", "(a?){50}a{50}b", "(.*)*!", "(a|aa)+$", "(?:){3,}(?:a*)*b", "(((a*)*)*)*b"],
)
def test_no_pattern_of_a_file_takes_long(pattern):
    (spec,) = of_file([IntentSpec("own", patterns=(pattern,))])
    begin = time.process_time()
    classify("a" * 50_000, [spec])
    assert time.process_time() - begin < 5


def test_what_is_found_lies_at_the_beginning():
    found = LinearPattern("needle$").search
    assert found("x" * (LONGEST_READ - 6) + "needle")
    assert not found("x" * LONGEST_READ + "needle")
    assert not LinearPattern("x$").search("x" * 2 * LONGEST_READ)  # it does not end where no more is read


@pytest.mark.parametrize(
    ("patterns", "says"),
    [
        ([r"(a)\1"], "back-reference"),
        (["(?>a+)"], "back-reference"),
        (["(?=.*a)"], "look-around of several ways"),
        (["(?=(a|b)(a|b))"], "look-around of several ways"),
        (["((a{100}){100}){100}"], f"more than {MOST_STEPS:,} steps"),
        ([f"{'a' * n}b?" for n in range(1, 1_000)], "characters"),
        (["(a?){200}"] * 4 + ["a{500}"], "take 2,"),
        (["x" * (LONGEST_PATTERNS + 1)], "characters"),
        (["(?<=ab?)c"], "look-around of several ways"),
        (["(?<=a|bc)d"], "no regular expression"),
        (["(("], "no regular expression"),
    ],
)
def test_what_could_take_long_is_refused_with_a_sentence(patterns, says):
    spec = IntentSpec("own", patterns=tuple(patterns), from_file=True)
    with pytest.raises(InvalidValueError, match=re.escape(says)):
        of_file([spec])


def stored(path, *patterns):
    """Make a file whose own config has an intent with these patterns, whoever let them in."""
    with Retriever(path) as retriever:
        retriever.add([Node("a", "alpha")])
        changes = {"intents": {"specs": [{"name": "own", "patterns": patterns, "from_file": False}]}}
        version = {"number": 1, "applied": "2026-01-01", "changes": changes, "evidence": {}}
        with retriever._session.backend.transaction() as writer:
            writer.set_meta("config", json.dumps({"in_force": 1, "versions": [version]}))


def test_the_file_of_somebody_else_is_opened_and_asked(tmp_path):
    stored(path := tmp_path / "kg.sqlite", "(a+)+$", r"\bown\b")
    with Retriever(path) as retriever:
        begin = time.process_time()
        assert retriever.search("a" * 40 + "!").intent == "default"
        assert time.process_time() - begin < 5
        assert retriever.search("my own").intent == "own"


def test_a_file_with_a_pattern_that_could_take_long_is_told_and_can_be_passed_over(tmp_path):
    stored(path := tmp_path / "kg.sqlite", r"(a)\1")
    with pytest.raises(StoreError, match="back-reference.*give Retriever a config="):
        Retriever(path)
    Retriever(path, config=RetrievalConfig()).close()


def test_patterns_in_code_are_run_as_they_are_and_those_a_file_cannot_keep_are_refused(tmp_path):
    own = IntentSpec("own", patterns=(r"\b(\w)\1",))
    config = RetrievalConfig().replace(intents={"specs": (own, *DEFAULT_INTENTS)})
    with Retriever(tmp_path / "kg.sqlite", config=config) as retriever:
        retriever.add([Node("a", "alpha")])
        assert retriever.search("x" * 600 + " llama").intent == "own"
        with pytest.raises(InvalidValueError, match="back-reference"):
            retriever.learning.apply_config(config)
        assert retriever.learning.config_versions() == []


def test_an_intent_read_from_a_file_is_the_one_that_was_applied():
    own = IntentSpec("own", patterns=("x",))
    (read,) = of_file([own])
    assert read == own and read.from_file
    configs = [RetrievalConfig().replace(intents={"specs": (spec,)}) for spec in (own, read)]
    assert len({config.fingerprint() for config in configs}) == 1


@pytest.mark.parametrize(
    "patterns",
    [
        [f"{chr(97 + number % 26)}{{{1_999 - number // 26}}}" for number in range(2_000)],
        ["(?i)" + "[\x00-\uffff]" * 3_000],
        ["(?i)" + "[^a-\uffff]" * 30 + str(number) for number in range(80)],
        ["(?i)" + "(?=[\x00-\uffff])" * 2_000],
    ],
)
def test_patterns_that_take_long_to_read_are_refused_before_they_are_read(patterns):
    begin = time.process_time()
    with pytest.raises(InvalidValueError, match="steps"):
        require_few(patterns)
    assert time.process_time() - begin < 2  # the first took 45 s
    require_few(["[\u4e00-\u9fff]{2}", "[a-z]+ [\u0400-\u04ff]+"])
