"""Wordpieces put together from remembered words are those of the tokenizer over whole texts."""

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import AddedToken, Tokenizer, models, normalizers, pre_tokenizers

from fourfold.embed import wordpieces
from fourfold.embed.static import BUNDLED_FOLDER
from fourfold.embed.wordpieces import Wordpieces

UNKNOWN = 1
PARTS = st.one_of(
    st.text(),
    st.text(alphabet=st.characters(categories=["L", "M", "N", "P", "Z", "Cc", "Cf"])),
    st.sampled_from(
        [
            *(
                "read",
                "don't,",
                "[PAD]",
                "x[UNK]y",
                "[",
                "PAD]",
                "naïve",
                "e\u0301",
                "\u0301",
                "東京都",
                "한글",
                "a\x0bb",
                "a\x1cb",
            ),
            *(
                "a\x85b",
                "a\xa0b",
                "\u2028",
                "\ufffd",
                "\x00",
                "x" * 100,
                "x" * 101,
                "ab" * 300,
                "-" * 600,
                "zq" * 51,
                "İ",
            ),
        ]
    ),
)
TEXTS = st.builds(
    lambda parts, blanks: "".join(part + blanks[place % len(blanks)] for place, part in enumerate(parts)),
    st.lists(PARTS, max_size=12),
    st.lists(st.sampled_from([" ", "  ", "\t", "\n", "\r\n", "", "\u3000"]), min_size=1, max_size=4),
)


@pytest.fixture(scope="module")
def tokenizer():
    return Tokenizer.from_file(str(BUNDLED_FOLDER / "tokenizer.json"))


def whole(tokenizer, text):
    text = text.encode("utf-8", "replace").decode()
    return [piece for piece in tokenizer.encode(text, add_special_tokens=False).ids if piece != UNKNOWN]


@given(texts=st.lists(st.one_of(TEXTS, TEXTS.map(lambda text: text * 200)), max_size=4))
def test_they_are_those_of_the_whole_text(tokenizer, texts):
    pieces = Wordpieces(tokenizer, UNKNOWN)
    assert pieces._known == {}
    wanted = [whole(tokenizer, text) for text in texts]
    assert pieces.of(texts).lists() == wanted
    assert pieces.of(texts).lists() == wanted  # by what is remembered


@given(texts=st.lists(TEXTS, max_size=5))
def test_of_each_text_the_distinct_ones_are_told(tokenizer, texts):
    found = Wordpieces(tokenizer, UNKNOWN).of(texts).distinct()
    assert [pieces.tolist() for pieces in found] == [sorted(set(whole(tokenizer, text))) for text in texts]


@given(
    word=st.one_of(PARTS, st.from_regex(r"[A-Za-z0-9]{1,8}", fullmatch=True), st.sampled_from(["Read", "don", "3d"]))
)
def test_a_word_has_a_place_where_it_is_not_cut(tokenizer, word):
    place, ids = Wordpieces(tokenizer, UNKNOWN).place(word), whole(tokenizer, word)
    assert [place] == ids if len(ids) == 1 else place is None


def test_little_is_remembered_and_nothing_long(tokenizer, monkeypatch):
    monkeypatch.setattr(wordpieces, "_REMEMBERED", 10)
    pieces = Wordpieces(tokenizer, UNKNOWN)
    for start in range(0, 100, 5):
        texts = [f"number {n} of {'x' * n * 9} things" for n in range(start, start + 5)]
        assert pieces.of(texts).lists() == [whole(tokenizer, text) for text in texts]
        assert len(pieces._known) <= 20 and all(len(word) <= 100 for word in pieces._known)


def test_threads_that_forget_disturb_no_other(tokenizer, monkeypatch):
    monkeypatch.setattr(wordpieces, "_REMEMBERED", 50)
    pieces = Wordpieces(tokenizer, UNKNOWN)
    texts = [" ".join(f"word{n}x{m}" for m in range(20)) for n in range(40)]
    wanted = [whole(tokenizer, text) for text in texts]
    wrong = []

    def ask(first):
        for place in range(200):
            at = (first + place) % len(texts)
            if pieces.of([texts[at]]).lists() != [wanted[at]]:
                wrong.append(texts[at])

    threads = [threading.Thread(target=ask, args=(7 * n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def with_blank_in_a_token(tokenizer):
    tokenizer.add_tokens([AddedToken("new york")])


def without_truncation(tokenizer):
    tokenizer.no_truncation()


def cut_from_the_left(tokenizer):
    tokenizer.enable_truncation(8, direction="left")


def padded(tokenizer):
    tokenizer.enable_padding()


def another_normalizer(tokenizer):
    tokenizer.normalizer = normalizers.Replace(" ", "_")


def another_division(tokenizer):
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()


@pytest.mark.parametrize(
    ("change", "apart"),
    [
        (without_truncation, True),
        *((change, False) for change in (with_blank_in_a_token, cut_from_the_left, another_normalizer)),
        *((change, False) for change in (another_division, padded)),
    ],
)
def test_a_tokenizer_that_looks_beyond_words_reads_whole_texts(change, apart):
    tokenizer = Tokenizer.from_file(str(BUNDLED_FOLDER / "tokenizer.json"))
    change(tokenizer)
    pieces = Wordpieces(tokenizer, UNKNOWN)
    text = "she moved to new york and read a file there " * 30
    assert (pieces._known is not None) == apart
    assert pieces.of([text]).lists() == [whole(tokenizer, text)]


def test_a_tokenizer_of_another_kind_reads_whole_texts():
    tokenizer = Tokenizer(models.Unigram([("<unk>", 0.0), ("▁new▁york", -1.0), ("▁", -2.0), ("a", -3.0)], unk_id=0))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(split=False)
    pieces = Wordpieces(tokenizer, None)
    assert pieces.of(["new york a"]).lists() == [tokenizer.encode("new york a").ids]
    assert 1 in pieces.of(["new york a"]).lists()[0]
