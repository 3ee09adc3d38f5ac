"""Text → terms: what must hold for any text, identifiers, languages, and scripts without spaces."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fourfold import InvalidValueError, Node, RetrievalConfig, Retriever, TextConfig
from fourfold.tokenizer import LONGEST_WORD, make_tokenizer

NAMES = ("snowball-english", "snowball-german", "suffix")
TEXTS = st.one_of(
    st.text(),
    st.text(alphabet=st.characters(categories=["L", "M", "N", "Pc", "Po", "Cs"])),
    st.text(alphabet="aTsS's\u2019'_-. 9\t\x00\x1f"),
    st.text(alphabet="aTsS's'_-. 9\t\x00\x1f"),
)


@given(TEXTS, st.sampled_from(NAMES))
def test_any_text_becomes_storable_terms(text, name):
    terms = make_tokenizer(name).terms(text)
    for term in terms:
        assert term and "\x00" not in term
        term.encode()


@given(st.lists(TEXTS, max_size=4), st.sampled_from(NAMES))
def test_documents_and_queries_are_read_alike(texts, name):
    tokenizer = make_tokenizer(name)
    terms, lengths = tokenizer.batch(texts)
    assert sum(lengths) == len(terms) and len(lengths) == len(texts)
    words = [tokenizer.terms_of_words(text) for text in texts]
    assert [term for found in words for _, parts in found for term in parts] == terms
    assert [sum(len(parts) for _, parts in found) for found in words] == lengths


@given(TEXTS, TEXTS, st.sampled_from(NAMES))
def test_the_memory_of_words_changes_nothing(first, second, name):
    used = make_tokenizer(name)
    used.terms(first)
    assert used.terms(second) == make_tokenizer(name).terms(second)


@pytest.mark.parametrize("name", NAMES)
def test_no_term_is_longer_than_a_word_may_be(name):
    tokenizer = make_tokenizer(name)
    terms = tokenizer.terms("x" * 1_000_000 + " " + "é" * 5_000 + " Read" * 2)
    assert max(map(len, terms)) <= LONGEST_WORD and terms[-2] == terms[-1]
    assert tokenizer.terms("x" * 1_000_000) == [*dict.fromkeys(terms)][:1] * 1_000  # and is found by the same word


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("read_file", ["read", "file"]),
        ("readFile", ["read", "file"]),
        ("ReadFile", ["read", "file"]),
        ("HTTPServer", ["http", "server"]),
        ("parseHTML5Page", ["pars", "html", "5", "page"]),
        ("can_it", ["canit"]),
        ("The reading of files", ["read", "file"]),
        ("Grant's tomb", ["grant", "tomb"]),
        ("naïve café", ["naïv", "café"]),
        ("cafe\u0301", ["café"]),
        ("", []),
        ("\x00\ud800 ?!", []),
    ],
)
def test_english(text, terms):
    assert make_tokenizer("snowball-english").terms(text) == terms


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("数据库", ["数据", "据库"]),
        ("ファイルを読む", ["ファ", "ァイ", "イル", "ルを", "を読", "読む"]),
        ("水", ["水"]),
        ("Python数据库abc", ["数据", "据库", "abc", "python"]),
    ],
)
def test_scripts_without_spaces_become_bigrams(text, terms):
    assert sorted(make_tokenizer("snowball-english").terms(text)) == sorted(terms)


@pytest.mark.parametrize(
    ("language", "documents", "query", "best"),
    [
        ("german", ["Die Häuser der Stadt", "Ein Hund läuft", "Der Garten"], "Haus", 0),
        ("german", ["Verbindungen zwischen Städten", "Ein Hund läuft", "Der Garten"], "Verbindung", 0),
        ("french", ["Les continuités écologiques", "Un chien court", "Le jardin"], "continuité", 0),
        ("english", ["数据库管理系统", "天气预报", "机器学习"], "数据库", 0),
        ("english", ["天気予報", "ファイルを保存する", "機械学習"], "ファイル", 1),
    ],
)
def test_other_languages_are_found(language, documents, query, best):
    config = RetrievalConfig(text=TextConfig(language=language))
    with Retriever(embedder=lambda texts: [[1.0]] * len(texts), config=config) as retriever:
        retriever.add(Node(str(place), text=text) for place, text in enumerate(documents))
        assert retriever.info()["tokenizer"] == f"snowball-{language}"
        result = retriever.search(query, mode="text")
        assert result.ids == [str(best)]


def test_an_unknown_language_is_named():
    with pytest.raises(InvalidValueError, match="snowball-klingon.*german"):
        Retriever(config=RetrievalConfig(text=TextConfig(language="klingon")))


def test_the_language_of_a_file_is_kept(tmp_path):
    path = tmp_path / "g.sqlite"
    constant = lambda texts: [[1.0]] * len(texts)  # noqa: E731
    with Retriever(path, embedder=constant, config=RetrievalConfig(text=TextConfig(language="german"))) as retriever:
        retriever.add([Node("a", text="Verbindungen")])
    with Retriever(path, embedder=constant) as retriever:
        assert retriever.search("Verbindung", mode="text").ids == ["a"]
    from fourfold import EmbedderMismatchError

    with pytest.raises(EmbedderMismatchError, match="snowball-german.*snowball-french"):
        Retriever(path, embedder=constant, config=RetrievalConfig(text=TextConfig(language="french")))


@pytest.mark.parametrize("text", ["x" * 5_000, "é" * 5_000, "y" * 3_000 + "'s end"])
def test_a_word_without_end_is_not_remembered_whole(text):
    tokenizer = make_tokenizer("snowball-english")
    assert len(tokenizer.terms(text)) >= 3
    assert max(map(len, tokenizer._known)) <= LONGEST_WORD
