"""What words call by the labels of edge types, and which words labels are cut short from."""

import pytest

from fourfold.embed.static import bundled
from fourfold.relations.label_grammar import LabelGrammar
from fourfold.relations.label_words import LabelWords
from fourfold.tokenizer import make_tokenizer

TERMS = make_tokenizer("snowball-english").terms


def grammar(*names):
    return LabelGrammar(LabelWords(names, TERMS, bundled().is_word))


def kinds(names, word):
    ends, begins = grammar(*names).calls(word)
    return [name for name, own in zip(names, ends, strict=True) if own], [
        name for name, own in zip(names, begins, strict=True) if own
    ]


@pytest.mark.parametrize(
    ("word", "ends", "begins"),
    [
        ("currency", ["currency"], []),
        ("capitals", [], ["capitalOf"]),
        ("child", [], ["CHILD_OF"]),
        ("country", ["country of citizenship"], []),
        ("party", ["member of political party"], []),
        ("rivers", ["liesOnRiver"], []),
        ("owner", [], []),  # of owned_by: another word of the family calls its end
        ("border", [], []),  # "shares border with" calls nothing
        ("project", [], []),  # of project_lead: it only qualifies
        ("lead", ["project_lead"], []),
        ("department", ["dept"], []),
        ("buildings", ["bldg"], []),
        ("prerequisites", ["prereq"], []),
        ("suppliers", [], ["SUPPLIES_WITH"]),
        ("trainers", [], ["TRAINED"]),
        ("directors", [], []),  # of directed_by they are the end
        ("supply", [], []),
    ],
)
def test_what_a_word_calls_stands_at_one_end_of_the_edges(word, ends, begins):
    names = (
        *("currency", "capitalOf", "CHILD_OF", "country of citizenship", "member of political party", "liesOnRiver"),
        *("owned_by", "shares border with", "project_lead", "dept", "bldg", "prereq"),
        *("SUPPLIES_WITH", "TRAINED", "directed_by"),
    )
    assert kinds(names, word) == (ends, begins)


def test_a_word_that_qualifies_the_next_is_known_by_the_labels():
    found = grammar("causes_side_effect", "treats", "inhibits")
    assert (
        found.qualifies("side", "effects") and not found.qualifies("effects", "of") and not found.qualifies("effects")
    )
