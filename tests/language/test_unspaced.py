"""Questions in scripts without word boundaries: names and the words of edge types are found within a run."""

import numpy as np
import pytest
from fact_graphs import graph_of

from fourfold.language.name_matching import Named
from fourfold.language.unspaced import asks, parted, runs_together
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


SIGHTS = graph_of("""
    白炽灯|发明日期|1879年 · 白炽灯|创造者|爱迪生 · 白炽灯|动力|电 · 电话|发明日期|1876年 · 电话|创造者|贝尔
    西藏（中国自治区）|海拔|4000米 · 西藏（中国自治区）|首府|拉萨 · 黄金期货|交易单位|1000克 · 黄金期货|交易代码|AU
    黄金|交易|上海 · 橡胶期货|交易单位|10吨
""")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("白炽灯是什么时候发明的？", "1879年"),  # 发明 of 发明日期
        ("请问白炽灯靠什么发光", {"1879年", "爱迪生", "电"}),  # no label has any of it
        ("西藏的海拔是多少？", "4000米"),
        ("黄金期货的交易单位", "1000克"),  # no 交易 is meant
        ("白炽灯", "白炽灯"),
        ("白炽灯是什么？", "白炽灯"),
        ("请介绍一下白炽灯", "白炽灯"),
    ],
)
def test_what_is_said_beside_a_name_may_ask_for_any_edge(question, answer):
    assert SIGHTS.search(question).ids[0] in (answer if isinstance(answer, set) else {answer})


@pytest.mark.parametrize(
    ("run", "says"), [("在哪里", True), ("是谁", False), ("请介绍一下", False), ("とは何ですか", False), ("who", False)]
)
def test_a_run_that_asks_for_nothing_but_what_is_named(run, says):
    assert asks(run) == says


BOOKS = graph_of("""
    草房子|出版社|江苏社 · 草房子|作者|曹文轩 · 草房子|译者|林一 · 草房子|出版地|南京 · 草房子|出版时间|1997年
    · 夜歌|导演|姜山 · 夜歌|主演|白云 · 夜歌|制片人|周末 · 夜歌|上映日期|2001年 · 茶馆|出版社|人民社
""")


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("草房子是谁写的？", {"曹文轩"}),
        ("草房子在哪里出的", {"南京"}),
        ("夜歌是谁演的", {"白云"}),
        ("夜歌是谁拍的？", {"姜山"}),
        ("夜歌什么时候放的", {"2001年"}),
        ("谁弄了夜歌？", {"姜山", "周末", "白云"}),  # somebody
    ],
)
def test_a_question_for_somebody_a_place_or_a_time_asks_for_labels_of_such(question, answers):
    assert BOOKS.search(question).ids[0] in answers


def test_brackets_that_tell_which_is_meant_say_nothing_that_edges_do_not():
    graph = graph_of("胡苏（审计大学副教授）|主讲课程|财务管理 · 是什么（歌曲）|演唱|许安 · 王五（演员）|主讲课程|成本")
    assert graph.search("胡苏主讲什么课程？").ids[0] == "财务管理"
    assert graph.search("王五主讲的是什么？").ids[0] == "成本"


def test_an_article_before_a_run_of_characters_is_part_of_the_name(caplog):
    spider = graph_of("The Amazing Spider|中文名|神奇蜘蛛 · 神奇蜘蛛|编码|tt0948 · 中文|属于|语言")
    assert spider.search("你知道The Amazing Spider的中文名的编码是什么吗？").ids[0] == "tt0948"
    assert not caplog.records  # nothing failed


def test_names_that_all_stand_within_words_of_edge_types_are_not_meant(caplog):
    graph = graph_of("黄金期货|交易单位|1000克 · 黄金期货|中文名|期金 · 单位|属于|词语 · 中文|属于|语言")
    graph.search("中文名和交易单位是什么")
    assert not caplog.records
