"""The words of labels, by the part they stand in, and what words of questions are spelt like."""

from fourfold.embed.static import bundled
from fourfold.relations.label_words import LabelWords
from fourfold.tokenizer import make_tokenizer

TERMS = make_tokenizer("snowball-english").terms


def words(*names):
    return LabelWords(names, TERMS, bundled().is_word)


def test_what_most_labels_hold_is_left_out_unless_nothing_else_is():
    found = words("hasAuthor", "hasPrice", "has", "pages")
    assert [one.own for one in found.labels] == [["author"], ["price"], ["has"], ["pages"]]


def test_the_parts_of_a_path_are_told_apart_and_say_nothing_twice():
    found = words("/award/award_winner/awards_won./award/award_honor/award", "/film/film/genre", "/book/book/pages")
    assert found.labels[0].ends == ["award"] and found.labels[0].begins == ["winner"]
    assert [word for word, begins in zip(found.flat, found.at_begin, strict=True) if begins] == [
        "winner",
        "film",
        "book",
    ]


def test_words_of_questions_are_spelt_like_parts_families_and_the_words_themselves():
    found = words("birth_place", "directed_by", "dept", "publisher")

    def alike(word):
        return [sorted({found.flat[row] for row in rows}) for rows in found.spelt_alike(word)]

    assert alike("birthplace")[0] == ["birth", "place"]
    assert alike("director")[1] == ["directed"]
    assert alike("department")[1] == ["dept"]
    assert alike("places")[2] == ["place"]
    assert alike("pubisher")[0] == ["publisher"] and alike("pubic")[0] == []


def test_labels_that_have_all_words_of_another_and_more_are_known():
    found = words(
        "head_coach", "previousHeadCoach", "/team/coach", "coach_head", "mascot", "colour", "ground", "/a/colours"
    )
    assert [*zip(*map(list, found.wider), strict=True)] == [(0, 1), (3, 1)]
