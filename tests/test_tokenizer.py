"""Text → terms: what must hold for any text, identifiers, languages, and scripts without spaces."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fourfold import InvalidValueError, Node, RetrievalConfig, Retriever, TextConfig
from fourfold.copying import copy
from fourfold.engines.sqlite.store import Store
from fourfold.markup import marked
from fourfold.tokenizer import make_tokenizer
from fourfold.word_breaks import LONGEST_WORD, plain_words, words

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


# -- words of every script --------------------------------------------------------------------------------------------

AS_BEFORE = re.compile(rf"['’][sS]\b|(\w{{1,{LONGEST_WORD}}})")
UNCHANGED = st.characters(
    codec="utf-8",
    exclude_categories=["Cs"],
    max_codepoint=0x9FFF,
    exclude_characters="".join(map(chr, (*range(0x590, 0x1CD0), *range(0x2600, 0x2800)))),
)
"""Latin, Greek, Cyrillic, Chinese and Japanese letters, what stands between them, and marks on Latin letters."""
ONLY_TEXT = {"mode": "text", "weights": {"text": 1, "embedding": 0, "graph": 0, "intent": 0}}


@given(st.text(UNCHANGED | st.sampled_from("'’sS -_.́̈‍゙\uff0c\uff01")))
def test_what_was_read_before_is_read_the_same(text):
    before = AS_BEFORE.findall(unicodedata.normalize("NFC", text))
    assert [word for word in words(text) if word] == [word for word in before if word]
    assert plain_words(text) == words(text)


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("दिल्ली भारत", ["दिल्ली", "भारत"]),
        ("ශ්‍රී ලංකා", ["ශ්රී", "ලංකා"]),  # with and without the joiner it is one word
        ("தமிழ்நாடு", ["தமிழ்நாடு"]),
        ("เมือง", ["เม", "มื", "ือ", "อง"]),
        ("القَاهِرَة عاصمة", ["القاهرة", "عاصمة"]),
        ("القـــاهرة", ["القاهرة"]),
        ("שָׁלוֹם \ufb2dלום", ["שלום", "שלום"]),
        ("می‌خواهم", ["می", "خواهم"]),
        ("ＫＡＴＺＥ ２０２４", ["katz", "2024"]),
        ("ﾃﾞｰﾀ", ["デー", "ータ"]),
        ("x̄y", ["x", "y"]),
        ("well done 👍🏽!", ["well", "done", "👍"]),
        ("I ❤️ 🇩🇪 → ✓", ["❤", "🇩🇪"]),
    ],
)
def test_words_of_every_script_are_whole(text, terms):
    assert make_tokenizer("snowball-english").terms(text) == terms


def test_the_published_terms_stay_to_the_letter():
    assert make_tokenizer("suffix").terms("दिल्ली read ＫＡＴＺＥ") == ["read", "ｋａｔｚｅ"]


WORLD = [
    Node("delhi", text="दिल्ली भारत की राजधानी है"),
    Node("cat", text="बिल्ली दूध पीती है"),
    Node("ar", text="القَاهِرَة عاصمة مصر"),
    Node("he", text="שָׁלוֹם עולם"),
    Node("th", text="กรุงเทพเป็นเมืองหลวงของประเทศไทย"),
    Node("de", text="Die ＫＡＴＺＥ schläft"),
    Node("👍", "👍"),
    Node("dal", text="दाल चावल"),
]


@pytest.mark.parametrize(
    ("query", "ids"),
    [
        ("दिल्ली", ["delhi"]),
        ("القاهرة", ["ar"]),
        ("القَاهِرَة", ["ar"]),
        ("שלום", ["he"]),
        ("เมืองหลวง", ["th"]),
        ("Katze", ["de"]),
        ("👍", ["👍"]),
        ('"दिल चावल"', ["dal"]),
    ],
)
def test_texts_of_every_script_are_found_by_their_words(query, ids):
    with Retriever() as retriever:
        retriever.add(WORLD)
        assert retriever.search(query, **ONLY_TEXT).ids == ids


def test_a_phrase_is_found_only_where_its_words_are():
    with Retriever() as retriever:
        retriever.add([*WORLD, Node("dil", text="दिल चावल"), Node("dal, too", text="दाल चावल")])
        hits = retriever.search('"दिल चावल"', **ONLY_TEXT).hits
        assert hits[0].node.id == "dil" and all(hit.components.text < 0.8 for hit in hits[1:])


def test_a_graph_from_before_goes_on_as_it_was_read_and_a_copy_is_read_anew(tmp_path):
    path = tmp_path / "old.sqlite"
    with Retriever(path, config=RetrievalConfig(text=TextConfig(tokenizer="snowball-english@1"))) as old:
        old.add(WORLD)
        assert old.backend.meta("tokenizer") == "snowball-english" and old.backend.meta("words") is None
    for config in (None, RetrievalConfig(), RetrievalConfig(text=TextConfig(language="english"))):
        with Retriever(path, config=config) as old:
            assert old.info()["tokenizer"] == "snowball-english@1"
            old.add([Node("new", text="दिल्ली")])
            assert old.search("दिल्ली", **ONLY_TEXT).ids[0] == "new"
            assert "cat" in old.search("दिल्ली", **ONLY_TEXT).ids
    with Retriever(path, read_only=True) as old, Retriever(tmp_path / "new.sqlite") as new:
        copy(old, new)
    with Retriever(tmp_path / "new.sqlite") as new:
        assert new.info()["tokenizer"] == "snowball-english"
        assert sorted(new.search("दिल्ली", **ONLY_TEXT).ids) == ["delhi", "new"]


def test_words_with_marks_are_marked_whole():
    terms = make_tokenizer("snowball-english").terms
    pieces = marked("में दिल्ली, القَاهِرَة 👍", terms("दिल्ली القاهرة 👍"), terms)
    assert [piece.text for piece in pieces if piece.marked] == ["दिल्ली", "القَاهِرَة", "👍"]


CATS = [
    Node("cat", text="我家的猫很可爱。"),
    Node("end", text="我喜欢猫。"),
    Node("weather", text="今天天气很好。"),
    Node("tea", "茶", text="茶是一种饮料。"),
    Node("green", text="绿茶"),
    Node("cup", text="一杯 茶"),
]


@pytest.mark.parametrize(
    ("query", "ids"),
    [
        ("猫", {"cat", "end"}),
        ("茶", {"tea", "cup", "green"}),
        ("可爱", {"cat"}),
        ("很", {"cat", "weather"}),
        ("猫 饮料", {"cat", "end", "tea"}),
    ],
)
def test_one_character_is_found_wherever_it_stands(query, ids):
    with Retriever() as retriever:
        retriever.add(CATS)
        result = retriever.search(query, **ONLY_TEXT)
        assert set(result.ids) == ids
        assert all(hit.why.startswith("matches ") for hit in result.hits)
        assert ids == set(retriever.search(query).ids[: len(ids)])
        assert result.grounds.covered == 1.0 or " " in query


def test_a_common_character_stands_for_its_commonest_pairs():
    with Retriever() as retriever:
        retriever.add([Node(f"n{place}", text=f"的{chr(0x4E00 + place)}") for place in range(300)])
        retriever.add([Node(f"m{place}", text="的猫") for place in range(3)])
        found = retriever.search("的", k=100, **ONLY_TEXT).ids
        assert len(found) == 66 and {"m0", "m1", "m2"} <= set(found)


def test_many_characters_that_stand_alone_are_looked_up_in_the_vocabulary_once(monkeypatch):
    asked, select = [], Store.select
    monkeypatch.setattr(Store, "select", lambda store, sql, *given: asked.append(sql) or select(store, sql, *given))
    with Retriever() as retriever:
        retriever.add([Node(f"n{place}", text=f"的{chr(0x4E00 + place)}") for place in range(300)])
        found = retriever.search(" ".join(chr(0x4E00 + place) for place in range(200)), k=300, **ONLY_TEXT)
    assert set(found.ids) == {f"n{place}" for place in range(200)}
    assert sum("length(term) = 2" in sql for sql in asked) == 1
