"""Questions in scripts without word boundaries: names and the words of edge types are found within a run."""

import numpy as np
import pytest
from fact_graphs import graph_of

from fourfold.language.name_matching import Named
from fourfold.language.unspaced import parted, runs_together
from fourfold.tokenizer import make_tokenizer

FAMILY = graph_of("""
    刘备|父亲|刘弘 · 刘备|妻子|甘夫人 · 刘禅|父亲|刘备 · 刘弘|父亲|刘雄 · 刘备|大臣|诸葛亮
    · 刘备|女儿|刘安 · 刘备|侄女|刘宁
    · 甘夫人|父亲|甘老 · 诸葛亮|妻子|黄月英 · David Lee|父亲|李国 · 东京|国|日本 · 日本|首都|东京
""")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("刘备的父亲是谁", "刘弘"),
        ("谁是刘备的妻子？", "甘夫人"),
        ("刘备的女儿叫什么名字", "刘安"),
        ("刘备的侄女叫什么名字", "刘宁"),
        ("刘备的妻子的父亲是谁", "甘老"),
        ("David Lee的父亲是谁", "李国"),
        ("请问日本的首都在哪里", "东京"),
    ],
)
def test_what_the_edge_leads_to_answers_and_not_the_node_that_is_named(question, answer):
    assert FAMILY.search(question).ids[0] == answer


def test_a_name_alone_is_what_is_asked_for():
    assert FAMILY.search("刘备").ids[0] == "刘备"


def test_pieces_that_are_neither_name_nor_label_ask_for_nothing():
    terms = make_tokenizer("snowball-english").terms
    words = [("David", ("david",)), ("Lee的父亲是谁", tuple(terms("Lee的父亲是谁")))]
    named = [Named(np.array([7]), 0, 2)]
    parts, moved = parted(words, named, lambda nodes: [("david", "lee")], lambda run: ["父亲"], terms)
    assert [word for word, own in parts if own] == ["David", "Lee", "父亲"]
    assert "".join(word for word, _ in parts) == "DavidLee的父亲是谁"
    assert [(one.start, one.end, one.nodes.tolist()) for one in moved] == [(0, 2, [7])]


def test_other_scripts_are_left_alone():
    words = [("who", ()), ("is", ()), ("Bo", ("bo",))]
    assert parted(words, [], lambda nodes: [], lambda run: [], lambda text: []) == (words, [])
    assert [word for word in ("Café", "東京", "read_file", "ไทย", "Москва") if runs_together(word)] == ["東京", "ไทย"]
