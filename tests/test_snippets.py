"""The passage of a long text that a question is about."""

from hypothesis import given
from hypothesis import strategies as st

from fourfold.snippets import snippet
from fourfold.tokenizer import make_tokenizer

terms = make_tokenizer("snowball-english").terms
FILLER = "Nothing of interest stands here at all. " * 40


def test_the_passage_with_most_of_the_words_is_shown():
    text = f"{FILLER}Keys are old. {FILLER}Rotate the signing keys every month, or sooner. {FILLER}"
    shown = snippet(text, "how often are signing keys rotated?", terms)
    assert shown.startswith("…Rotate the signing keys every month") and shown.endswith("…")
    assert len(shown) <= 300


def test_short_texts_are_shown_whole_and_others_from_their_beginning():
    assert snippet("One\n  line.", "nothing", terms) == "One line."
    assert snippet(FILLER, "zzz", terms).startswith("Nothing of interest")
    assert snippet("", "zzz", terms) == ""


def test_texts_without_spaces():
    text = "无关的话。" * 200 + "密钥每月轮换。" + "无关的话。" * 200
    assert "密钥每月轮换" in snippet(text, "密钥轮换", terms, length=80)


@given(st.text(), st.text(), st.integers(100, 400))
def test_any_text_gives_a_line_of_at_most_the_length(text, question, length):
    shown = snippet(text * 20, question, terms, length=length)
    assert len(shown) <= length and "\n" not in shown
