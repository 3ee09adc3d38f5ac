"""Questions in scripts without word boundaries, parted where names and words of edge types stand in them.

"刘备的父亲是谁" is one run of characters. Beside a node 刘备 and edges of 父亲 it is read as 刘备, 的, 父亲, 是谁.
What is neither asks for no edge by itself; but where no label stands in a run, it may ask for any.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from fourfold.index.base import Nodes
from fourfold.language.name_matching import Named, NamesOf, Reading, Words, lowered
from fourfold.word_breaks import UNSPACED

_RUN = re.compile(f"[{UNSPACED}]+|[^{UNSPACED}]+")


def runs_together(word: str) -> bool:
    """Tell whether a word has characters of a script without word boundaries."""
    return not word.isascii() and re.search(f"[{UNSPACED}]", word) is not None


_ABOUT_ITSELF = re.compile(
    "[的地是有吗嗎呢啊呀吧嘛请請问問你我他知道告诉訴什甚么麼谁誰啥介绍紹一下关關于於解释釋はがをのとかです何誰]+"
)
"""What may stand beside a name in a question about what it names itself: "X是谁", "请介绍一下X", "Xとは何ですか"."""


FILLERS = frozenset("其他 其它 没有 沒有 还有 還有 这个 這個 那个 那個 哪个 哪個 可以 一个 一個".split())
"""Words of Chinese that happen to be names, and name nothing beside another name."""

_ENDS = {
    re.compile("[谁誰]"): "者人员員家师師手",
    re.compile("哪里|哪裡|哪儿|哪兒|何处|何處|什么地方|甚麼地方|在哪"): "地处處址城",
    re.compile("什么时候|什麼時候|甚麼時候|何时|何時|哪年|哪一年|几时|幾時"): "间間期日年时時",
}
"""Questions of Chinese for somebody, a place and a time, and what labels for these end with: 作者, 出生地, 发明日期."""

_DEEDS = {
    re.compile("写|寫|著"): re.compile("作者|作家|编剧|編劇"),
    re.compile("(?<!导)演(?!唱)|(?<!導)演(?!唱)"): re.compile("主演|演员|演員"),
    re.compile("拍"): re.compile("导演|導演"),
    re.compile("唱"): re.compile("歌手|演唱"),
    re.compile("住"): re.compile("酒店|旅馆|宾馆|住宿"),
    re.compile("吃"): re.compile("餐|饭|美食"),
    re.compile("(?<!游)玩"): re.compile("景点|景区"),
}
"""What somebody does, and what labels call who does it, where they have no character in common or with others, too."""

_SOUGHT, _DONE_BY = 0.6, 0.9
"""What a label is near to a run that asks for such ends, and to one that says such a deed."""


def nearness(run: str, label: str) -> float:
    """Return how near a label is by what a run of characters asks for, in [0, 1]: 作者 to 是谁写的."""
    if any(deed.search(run) and doers.search(label) for deed, doers in _DEEDS.items()):
        return _DONE_BY
    return _SOUGHT * any(asked.search(run) is not None and label[-1:] in ends for asked, ends in _ENDS.items())


def asks(word: str) -> bool:
    """Tell whether a run of characters beside a name may ask for something of what it names: "X在哪里"."""
    return runs_together(word) and bool(_ABOUT_ITSELF.sub("", word))


def begun(words: Words, nodes: Nodes, written: Sequence[tuple[str, ...]]) -> Named | None:
    """Return the nodes whose names begin with what stands in a run of characters: 西藏, of 西藏（自治区）.

    The longest such beginning counts, of two characters at least, if it is none that any question has, as 是什么 is in
    是什么（歌曲）. ``written`` has the words of the names of ``nodes``,
    in lower case.
    """
    typed = lowered(words)
    firsts = [name[0] if name[1:] and len(name[0]) > 1 and asks(name[0]) else "" for name in written]
    places = [next((place for place, word in enumerate(typed) if first and first in word), -1) for first in firsts]
    longest = max((len(first) for first, place in zip(firsts, places, strict=True) if place >= 0), default=0)
    meant = [
        at for at, (first, place) in enumerate(zip(firsts, places, strict=True)) if place >= 0 and len(first) == longest
    ]
    if not meant:
        return None
    place = places[meant[0]]
    return Named(nodes[meant], place, place + 1, " ".join(written[meant[0]]))


def parted(
    words: Words,
    named: Sequence[Named],
    names_of: NamesOf,
    labels: Callable[[str], Sequence[str]],
    terms: Callable[[str], Sequence[str]],
) -> Reading:
    """Return the words of a question, and what it names by places among these.

    ``labels`` returns the words of edge types that stand in a run of characters.
    """
    if not any(runs_together(word) for word, _ in words):
        return words, list(named)
    called = [sorted(set(names_of(one.nodes)), key=len, reverse=True) for one in named]
    parts, starts = [], [0]
    for place, (word, own) in enumerate(words):
        here = [names for one, names in zip(named, called, strict=True) if one.start <= place < one.end]
        known = [part for names in here for name in names for part in name]
        pieces = _pieces(word, known, labels) if runs_together(word) else [(word, True)]
        parts += [(piece, () if not says else own if piece == word else tuple(terms(piece))) for piece, says in pieces]
        starts.append(len(parts))
    typed = lowered(parts)

    def moved(one: Named, names: Sequence[tuple[str, ...]]) -> Named | None:
        start, end = starts[one.start], starts[one.end]
        first = starts[max(one.start - 1, 0)]  # an article may stand there: 你知道The Amazing Spider
        begins = [name[:1] for name in names if name[1:] and runs_together(name[0])]
        ends = ((at, at + len(name), name) for name in (*names, *begins) for at in range(first, end))
        found = next(((at, to) for at, to, name in ends if tuple(typed[at:to]) == name), None)
        if found is None and any(runs_together(word) for word, _ in words[one.start : one.end]) and len(named) > 1:
            return None  # it stands within the word of an edge type: 交易, in 交易单位
        start, end = found or (start, end)
        return replace(one, start=start, end=end)

    places = (moved(one, names) for one, names in zip(named, called, strict=True))
    return parts, [one for one in places if one is not None]


def _pieces(word: str, known: Sequence[str], labels: Callable[[str], Sequence[str]]) -> list[tuple[str, bool]]:
    """Return the pieces of a word, each with whether it says anything: names and labels do, and other scripts."""
    found = []
    names = {name.lower() for name in known}
    for part, is_known in _split(word, [*known, *labels(word)]):
        for run in [part] if is_known and part.lower() in names else _RUN.findall(part):
            found.append((run, is_known or not runs_together(run)))
    return found


def _split(text: str, parts: Sequence[str]) -> list[tuple[str, bool]]:
    """Return a text in pieces, and which of them are one of some parts; the leftmost counts, then the longest."""
    longest, lower = sorted(set(parts), key=len, reverse=True), text.lower()
    pieces, begin, at = [], 0, 0
    while at < len(text):
        part = next((one for one in longest if lower.startswith(one, at)), "")
        if part:
            pieces += [(text[begin:at], False), (text[at : at + len(part)], True)]
            begin = at + len(part)
        at += max(len(part), 1)
    return [(piece, is_part) for piece, is_part in (*pieces, (text[begin:], False)) if piece]
