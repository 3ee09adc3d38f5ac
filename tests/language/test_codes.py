"""Codes that names begin with: which of them a question calls."""

import re

import numpy as np
import pytest

from fourfold.language import codes
from fourfold.language.name_matching import Named


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("who wrote PEP 8", ["pep 8 style guide"]),
        ("PEP 8 and RFC 2616", ["pep 8 style guide", "rfc 2616 http"]),
        ("who wrote PEP 8 1", []),
        ("who wrote PEP 81", []),
        ("CS101 lecturer", ["cs101 introduction"]),
        ("Article 6", []),
        ("what happened in 2014", []),
        ("Apollo 11", []),
    ],
)
def test_a_code_at_the_beginning_of_one_name_names_it(question, named):
    written = [
        ("pep", "8", "style", "guide"), ("rfc", "2616", "http"), ("cs101", "introduction"), ("article", "6", "scope"),
        ("article", "6", "fines"), ("2014", "games"), ("apollo", "11"),
    ]  # fmt: skip
    words = [(word, (word.lower(),)) for word in question.split()]
    found = codes.named(words, np.arange(len(written)), written, [""] * len(written))
    assert [one.whole for one in found] == named


@pytest.mark.parametrize(
    ("types", "named"),
    [
        (["incident", "page", "page"], [[0]]),
        (["incident", "page", "review"], [[0, 1, 2]]),
        (["page", "page", "page"], []),
    ],
)
def test_a_code_that_nodes_of_several_types_begin_with_names_one_of_each(types, named):
    written = [("INC", "7", "outage"), ("INC", "7", "down"), ("INC", "7", "review")]
    words = [(word, (word.lower(),)) for word in "who resolved INC 7".split()]
    found = codes.named(words, np.arange(3), written, types)
    assert [one.nodes.tolist() for one in found] == named


@pytest.mark.parametrize(
    ("question", "alone", "named"),
    [
        ("who wrote ISO 9001", False, ["iso 9001 quality"]),
        ("who wrote EN ISO 9001", False, ["en iso 9001 translated"]),  # the longest
        ("who wrote iso 9001", False, []),
        ("who wrote iso 9001", True, ["iso 9001 quality"]),
        ("who starred in season 2", True, []),
        ("WHO STARRED IN SEASON 2", True, []),
        ("who visited the World War 2 memorial", False, []),
        ("the 2nd city and the 2ND", True, []),
        ("films in 3D", True, []),
        ("who directed 3D films", True, []),
        ("who found comet 67P", True, ["67p churyumov gerasimenko"]),
        ("who found comet 67P", False, []),
    ],
)
def test_a_code_is_written_in_capitals(question, alone, named):
    names = "ISO 9001 Quality · EN ISO 9001 Translated · Season 2 Finale · World War 2 Museum · War 2 Game"
    names += " · 2nd Avenue Deli · 3D Printing Handbook · 67P Churyumov Gerasimenko"
    written = [tuple(name.split()) for name in names.split(" · ")]
    words = [(word, () if word in {"in", "who", "the"} else (word.lower(),)) for word in question.split()]
    found = codes.named(words, np.arange(len(written)), written, [""] * len(written), alone=alone)
    assert [one.whole for one in found] == named


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("which PR fixes #801?", [(3, ["#801 Cache grows"])]),
        ("who opened #80 and #801", [(2, ["#80 Tabs"]), (4, ["#801 Cache grows"])]),
        ("which PR fixes 801", []),
        ("who opened #8", []),
    ],
)
def test_a_number_behind_its_sign_is_a_code(question, named):
    names = ["#801 Cache grows", "#80 Tabs", "PR 801: evict", "Issue #801"]
    words = [(word, (word.lower(),)) for word in question.replace("#", "").rstrip("?").split()]
    found = codes.numbered(question, words, np.arange(4), names)
    assert [(one.start, [names[node] for node in one.nodes]) for one in found] == named


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("sponsor of Kitchen Ledger 14", [(2, 5, ["Kitchen Ledger 14: Beans"])]),
        ("sponsor of kitchen ledger 1", []),
        ("sponsor of Kitchen Ledger in 14 parts", []),
    ],
)
def test_a_number_behind_the_name_of_a_series_tells_one_of_it(question, named):
    names = ["Kitchen Ledger", "Kitchen Ledger 14: Beans", "Kitchen Ledger 15: Peas"]
    words = [(word, (word.lower(),)) for word in question.split()]
    series = [Named(np.array([0]), 2, 4)]
    written = [tuple(re.findall(r"\w+", name)) for name in names]
    found = [*codes.in_series(words, series, np.arange(3), written)]
    assert [(one.start, one.end, [names[node] for node in one.nodes]) for one in found] == named
