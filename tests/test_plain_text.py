"""What is shown holds nothing that steers a terminal or hides from the eye."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fourfold.plain_text import plain_text


@pytest.mark.parametrize(
    ("given_text", "shown"),
    [
        ("plain\ttext\nof two lines", "plain\ttext\nof two lines"),
        ("red \x1b[31malert\x07", "red  [31malert "),
        ("abc\u202egpj.exe", "abcgpj.exe"),
        ("a\u200fb\u2066c\u2069", "abc"),
        ("hidden\U000e0041\U000e0042", "hidden"),
        ("a\u2028b\u00a0c\x85d", "a b c d"),
        ("soft\u00adhyphen", "softhyphen"),
        ("می\u200cخواهم 👩\u200d💻", "می\u200cخواهم 👩\u200d💻"),
        ("naïve 中文", "naïve 中文"),
    ],
)
def test_what_is_kept_and_what_goes(given_text, shown):
    assert plain_text(given_text) == shown


@given(st.text(), st.integers(1, 50))
def test_nothing_hidden_is_left_and_the_length_holds(text, limit):
    shown = plain_text(text, limit)
    assert len(shown) <= limit
    assert plain_text(shown, limit) == shown
    kinds = {unicodedata.category(c) for c in shown if c not in "\n\t\u200c\u200d"}
    assert not kinds & {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
