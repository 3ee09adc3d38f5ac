"""What labels of edge types call, which words they are cut short from, and what stands before their last part."""

import pytest

from fourfold.embed.static import bundled
from fourfold.signals.labels import Labels
from fourfold.tokenizer import make_tokenizer

TERMS = make_tokenizer("snowball-english").terms


def labels(*names):
    return Labels(names, bundled().embed_documents, TERMS, bundled().is_word)


def kinds(found, word):
    ends, begins = found.kinds(word)
    return [name for name, own in zip(found.names, ends, strict=True) if own], [
        name for name, own in zip(found.names, begins, strict=True) if own
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
    found = labels(
        *("currency", "capitalOf", "CHILD_OF", "country of citizenship", "member of political party", "liesOnRiver"),
        *("owned_by", "shares border with", "project_lead", "dept", "bldg", "prereq"),
        *("SUPPLIES_WITH", "TRAINED", "directed_by"),
    )
    assert kinds(found, word) == (ends, begins)


def test_a_word_that_qualifies_the_next_is_known_by_the_labels():
    found = labels("causes_side_effect", "treats", "inhibits")
    assert (
        found.qualifies("side", "effects") and not found.qualifies("effects", "of") and not found.qualifies("effects")
    )


def test_of_a_label_that_is_a_path_the_last_part_counts():
    found = labels("/book/author/works_written", "/book/written_work/date_of_first_publication", "/people/person/dept.")
    similarity, _, best = found.similarity("wrote")
    assert best == similarity.max()
    assert similarity[0] >= 0.9 > similarity[1]
    assert found.similarity("department")[0][2] >= 0.9


def test_a_label_that_is_the_word_alone_comes_before_those_that_hold_it_beside_others():
    others = ["previous_mission", "crew", "rocket", "launch_site"]
    similarity, _, best = labels(*others, "mission").similarity("mission")
    assert best == similarity[4] > similarity[0] > similarity[1:4].max()
    similarity, _, best = labels(*others).similarity("mission")
    assert best == similarity[0] == 1.0
