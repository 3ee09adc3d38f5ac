"""Words that the graph writes otherwise: in two parts where the question has one, or in one where it has two.

"github" finds the GitHub, "wifi" the Wi-Fi, "filename" the file name; "PyTorch" finds what is pytorch there. Texts are
read by the parts of words, so that "readFile" is found by either; a word whose letters stand together in the question
alone would find nothing. Words that no node holds are read so, and only as a node writes them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from itertools import islice, pairwise

from fourfold.index.base import Nodes
from fourfold.index.snapshot import Snapshot
from fourfold.language.name_matching import Words
from fourfold.word_breaks import stretches

_SHORTEST, _LONGEST = 4, 30
"""Letters of a word that may be written otherwise."""
_MOST = 4
"""So many words of a question are looked for in parts, the first of them, …"""
_WAYS = 3
"""… each in so many ways, those of the longest parts, …"""
_READ = 8
"""… and so many nodes that hold both parts are read, the best, to see whether they write them together."""
_BETWEEN = ("", "-", " ", "_", ".", "'", "’")
"""What stands between the parts: in camelCase nothing, in node.js a full stop, in O'Brien an apostrophe."""

Parts = tuple[int, frozenset[str]]
"""Where a word is parted, and the terms of its parts."""


def written_otherwise(
    question: str,
    words: Words,
    known: Set[str],
    snapshot: Snapshot,
    terms_of: Callable[[str], Sequence[str]],
    texts_of: Callable[[Nodes], Sequence[str]],
) -> dict[str, str]:
    """Return what of a question the graph writes otherwise, as typed, each with what it is there.

    ``known`` are the terms that a node or an edge type has. ``terms_of`` is asked about many words that nobody wrote;
    ``texts_of`` returns all that is written in each node.
    """
    unknown = {word: terms for word, terms in words if not known >= set(terms)}
    whole = {typed: word for typed, word in _joined(question, dict(words), unknown.keys()) if _is_word(word)}
    term = {word: own[0] for word in whole.values() if len(own := terms_of(word)) == 1}
    apart = [word for word, terms in unknown.items() if len(terms) == 1 and _is_word(word)]
    parted = {word: [*_parted(word, terms_of)] for word in apart[:_MOST]}
    wanted = {one for ways in parted.values() for _, terms in ways for one in terms}.union(term.values())
    numbers = snapshot.term_numbers(wanted) if wanted else {}  # once: a server may be asked
    found = {typed: word for typed, word in whole.items() if term.get(word) in numbers}
    joined = words_in(found)
    for word, ways in parted.items():
        if word not in joined:
            held = islice(((at, terms) for at, terms in ways if numbers.keys() >= terms), _WAYS)
            for at, terms in held:
                nodes = snapshot.text.ask({numbers[term]: 1.0 for term in terms}).best(_READ).nodes
                if (written := _written(word, at, texts_of(nodes))) is not None:
                    found[word] = written
                    break
    return found


def words_in(found: Iterable[str]) -> frozenset[str]:
    """Return the words, as typed, of what is written otherwise."""
    return frozenset(word[0] for typed in found for word in stretches(typed))


def _is_word(letters: str) -> bool:
    return _SHORTEST <= len(letters) <= _LONGEST and letters.isalpha()


def _joined(question: str, terms: Mapping[str, Sequence[str]], unknown: Set[str]) -> Iterator[tuple[str, str]]:
    """Yield what of a question may be one word, as typed and joined: "PyTorch", "wi-fi", "git hub"."""
    for word in unknown:
        if len(terms[word]) > 1:
            yield word, word.lower()
    for first, second in pairwise(stretches(question)):
        between, parts = question[first.end() : second.start()], (first[0], second[0])
        missing = [part in unknown for part in parts]
        if between in _BETWEEN and all(map(terms.get, parts)) and (all(missing) if between == " " else any(missing)):
            yield question[first.start() : second.end()], "".join(parts).lower()


def _parted(word: str, terms_of: Callable[[str], Sequence[str]]) -> Iterator[Parts]:
    """Yield the ways to part a word, those of the longest parts first; a part may say nothing, as that of YouTube."""
    for at in sorted(range(1, len(word)), key=lambda at: -min(at, len(word) - at)):
        parts = terms_of(word[:at].lower()), terms_of(word[at:].lower())
        if any(parts) and max(map(len, parts)) == 1:
            yield at, frozenset(term for terms in parts for term in terms)


def _written(word: str, at: int, texts: Sequence[str]) -> str | None:
    """Return how the first text that has both parts of a word together writes them; None where none has."""
    forms = [f"{word[:at]}{between}{word[at:]}".lower() for between in _BETWEEN]
    return next((written for text in texts for form in forms if (written := _as_a_word(form, text))), None)


def _as_a_word(form: str, text: str) -> str | None:
    """Return what stands in a text, in whatever case, as a word of its own."""
    small = text.lower()
    at = small.find(form) if len(small) == len(text) else -1  # "İ" is longer in small letters
    while at >= 0:
        end = at + len(form)
        if not (small[at - 1 : at].isalnum() or small[end : end + 1].isalnum()):
            return text[at:end]
        at = small.find(form, end)
    return None
