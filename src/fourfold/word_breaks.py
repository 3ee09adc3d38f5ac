r"""Where words begin and end, in any script, and which of their characters count.

Python's ``\w`` knows no combining marks, and so cuts the words of Hindi, Tamil or Thai at every vowel sign. Here those
marks belong to their word; points that writers of Arabic and Hebrew leave out are folded away; what only a font makes
different, full-width letters say, is folded too; and an emoji is a word. In texts of Latin, Greek, Cyrillic, Chinese
and Japanese letters the words are those of ``\w``, to the character: graphs made before stay as they are.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

LONGEST_WORD = 1_000
"""What is longer than so many characters is read as several words: each look at a vocabulary passes its terms."""

UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
)
"""Character ranges of the scripts without word boundaries, as a regular expression takes them between brackets."""

_MARKED_BLOCKS = ((0x07A6, 0x1AB0), (0x1B00, 0x1CD0), (0xA800, 0xAC00))
"""The scripts whose marks are letters to their writers; those of Latin letters stand elsewhere.

Below 0x10000 a set of any size is looked up at once; what nobody writes any more is not worth that each costs.
"""
MARKS = "".join(
    chr(code) for block in _MARKED_BLOCKS for code in range(*block) if unicodedata.category(chr(code)) in ("Mn", "Mc")
)
"""Marks that belong to the word they stand in: vowel signs, viramas, tones."""
POINTS = (
    "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"  # Hebrew
    "\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0898-\u089f\u08ca-\u08e1"
    "\u08e3-\u08ff"  # Arabic, with the stroke that only makes a word longer
    "\u0711\u0730-\u074a"  # Syriac
)
"""What stands above and below the letters of words that are mostly written without."""
_JOINERS = "\u200c\u200d"
"""How two characters are drawn together, in Indic scripts; elsewhere they part words."""
_EMOJI = (
    "\u2600-\u26ff\u2705\u2728\u274c\u274e\u2753-\u2757\u2763\u2764\u2795-\u2797"
    "\U0001f000-\U0001f3fa\U0001f400-\U0001faff"  # without the tones of skin
)
_WIDTHS = "\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\uff66-\uff9f\ufb50-\ufdfb\ufe80-\ufefc"
"""Full-width letters and digits, half-width kana, and Arabic letters in the shape that they have in their word."""

_OTHER = re.compile(f"[\u0590-\u1cff\ua800-\uabff\ufb1d-\ufb4f{_WIDTHS}{_EMOJI}]")
"""What a text has that is not read by ``\\w`` alone."""
_WIDE = re.compile(f"[{_WIDTHS}]+")
_LEFT_OUT = re.compile(f"[{POINTS}]+|(?<=[{MARKS}])[{_JOINERS}]+")
_PLAIN_WORD = re.compile(rf"['’][sS]\b|(\w{{1,{LONGEST_WORD}}})")
"""Finds words; a possessive 's is passed over (its group is empty), or every "s" would find "Ulysses S. Grant"."""
_WORD = re.compile(
    rf"['’][sS]\b|(\w[\w{MARKS}]{{0,{LONGEST_WORD - 1}}}|[\U0001f1e6-\U0001f1ff]{{2}}|[{_EMOJI}])"  # two: a flag
)
_POSSESSIVE = re.compile(r"'[sS]\b")
_NO_WORD = {code: " " for code in range(128) if not (chr(code).isalnum() or chr(code) == "_")}
_MARK = re.compile(f"[{MARKS}]")
_PLAIN_STRETCH = re.compile(r"\w+")
_STRETCH = re.compile(rf"\w[\w{MARKS}{POINTS}{_JOINERS}]*|[\U0001f1e6-\U0001f1ff]{{2}}|[{_EMOJI}]")


def words(text: str) -> list[str]:
    """Return the words of a text as they are compared; an empty one stands for a possessive 's."""
    if text.isascii():
        return _ascii_words(text)
    if _OTHER.search(text) is None:
        return _PLAIN_WORD.findall(unicodedata.normalize("NFC", text))
    narrow = _WIDE.sub(lambda wide: unicodedata.normalize("NFKC", wide.group()), text)
    return _WORD.findall(_LEFT_OUT.sub("", unicodedata.normalize("NFC", narrow)))


def plain_words(text: str) -> list[str]:
    r"""Return the words of a text as ``\w`` alone finds them: the published method, and older graphs."""
    return _ascii_words(text) if text.isascii() else _PLAIN_WORD.findall(unicodedata.normalize("NFC", text))


def has_marks(text: str) -> bool:
    """Whether words of a text have marks that belong to them."""
    return not text.isascii() and _MARK.search(text) is not None


STROKES = {
    **{"ł": "l", "ø": "o", "đ": "d", "ð": "d", "ı": "i", "ħ": "h", "ŧ": "t"},
    **{"þ": "th", "ß": "ss", "æ": "ae", "œ": "oe"},
}
"""Letters whose mark is a part of them, and what is written for them without."""
_WITHOUT_STROKES = str.maketrans(STROKES | {"Ł": "L", "Ø": "O", "Đ": "D", "Ð": "D", "Þ": "Th", "Æ": "Ae", "Œ": "Oe"})


def without_marks(text: str) -> str:
    """Return a text without what stands above, below and across its letters: "Gerard" of Gérard, "Lodz" of Łódź."""
    if text.isascii():
        return text
    plain = "".join(one for one in unicodedata.normalize("NFD", text) if not unicodedata.combining(one))
    return plain.translate(_WITHOUT_STROKES)


def stretches(text: str) -> Iterator[re.Match[str]]:
    """Find the words of a text where they stand in it, as they are written."""
    return (_PLAIN_STRETCH if text.isascii() or _OTHER.search(text) is None else _STRETCH).finditer(text)


def _ascii_words(text: str) -> list[str]:
    """Return the words of ASCII, in half the time."""
    if "'" in text:
        text = _POSSESSIVE.sub(" ", text)
    found = text.translate(_NO_WORD).split()
    if len(text) <= LONGEST_WORD or max(map(len, found), default=0) <= LONGEST_WORD:
        return found
    return [word[start : start + LONGEST_WORD] for word in found for start in range(0, len(word), LONGEST_WORD)]
