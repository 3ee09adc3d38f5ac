"""What is shown holds nothing that steers a terminal or hides from the eye."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fourfold import Edge, Node, Retriever
from fourfold.lens.drawing import draw
from fourfold.markup import cut
from fourfold.plain_text import beginning, display_name, plain_text
from fourfold.questions import Questions


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


@pytest.mark.parametrize(
    "name", ["", " ", "\t\n", "\u200b", "\u200d", "\u2060", "\u00ad", "\u3164", "\u2800\ufe0f", "\u115f"]
)
def test_a_node_of_whose_name_no_eye_sees_anything_is_called_by_its_id_wherever_it_is_shown(name):
    assert display_name(name, "row-7") == "row-7"
    nodes = [Node("row-7", name, text="Save data to disk."), Node("lim", name, type="limitation", text="no bytes")]
    with Retriever() as retriever:
        retriever.add(nodes, [Edge("row-7", "lim", "feeds_into")])
        result = retriever.search("save data")
        assert "0  row-7  [" in str(result).replace(f"{result.hits[0].score:.3f}", "0")
        assert "<b>row-7</b>" in result._repr_html_()
        assert "from row-7 via feeds_into" in result.hits[1].why
        found = Questions(retriever).ask("how is row-7 related to lim?")
        assert str(found.answer).splitlines()[0] == "row-7 —feeds_into→ lim"
        assert not found.notes, "who names nodes by their ids is not told how many have no name"


@pytest.mark.parametrize(
    ("one", "whole"),
    [
        ("👩\u200d💻", "the parts of an emoji"),
        ("👍🏽", "an emoji and its colour"),
        ("❤\ufe0f", "a sign and how it is drawn"),
        ("e\u0301\u0323", "a letter and its accents"),
        ("🇨🇭", "the halves of a flag"),
        ("\u1112\u1161\u11ab", "the parts of a syllable"),
    ],
)
def test_what_the_eye_sees_as_one_is_not_cut(one, whole):
    text = f"ab{one}{one}c" if one[0] == "🇨" else f"ab{one}cdef"
    for limit in range(2, len(text)):
        kept = beginning(text, limit)
        assert len(kept) <= limit
        assert kept.removeprefix("ab").rstrip("cdef") in ("", one, one * 2), whole
    assert plain_text(text, len(one) + 2) == "ab…"
    assert cut(text, 3) == f"ab… (the first 2 of {len(text)} characters)"
    assert beginning(one, 1) == one[0], "rather a part than nothing"
    for before in range(1, 20):  # in a picture letters take room, too
        name = f"{'m' * before}{one}{'W' * 30}"
        (spot,) = draw({"a": name}, (), kinds={}, address=lambda _: None, label="").spots
        assert spot.label.removeprefix("m" * before).rstrip("W…") in ("", one) or set(spot.label) == {"m", "…"}


def test_a_text_that_is_cut_says_so_though_what_is_left_has_room():
    assert plain_text("a\u200b" + "b" * 100, 10) == "abbbbbbbb…"
