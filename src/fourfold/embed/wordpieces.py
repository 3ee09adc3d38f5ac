"""Texts → wordpieces, each distinct word cut once.

A tokenizer of BERT's kind reads each word between blanks by itself, and texts repeat their words. So what it made of a
word is remembered, as ``tokenizer.WordTokenizer`` does for terms.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourfold.encodings import in_utf8
from fourfold.ragged import bounds, firsts

_REMEMBERED = 50_000
"""So many words are remembered: fifteen megabytes."""

_LONGEST = 100
"""What is longer is remembered by nobody: few texts share it."""

_ALONE = 1_000
"""So many characters are read sooner than the threads wake that would share a batch: on busy cores, milliseconds."""


@dataclass(frozen=True, slots=True)
class Pieces:
    """The wordpieces of texts, one text after the other: text i has ``ids[starts[i]:starts[i + 1]]``, int32."""

    ids: NDArray[np.int32]
    starts: NDArray[np.int64]

    def __len__(self) -> int:
        """Return the number of texts."""
        return len(self.starts) - 1

    def lists(self) -> list[list[int]]:
        """Return the ids of each text, in order."""
        ids = self.ids.tolist()
        return [ids[start:end] for start, end in pairwise(self.starts.tolist())]

    def distinct(self) -> list[NDArray[np.int32]]:
        """Return the distinct ids of each text, ascending."""
        if len(self) == 1:  # a question: sooner without all that many texts need
            return [np.array(sorted(set(self.ids.tolist())), np.int32)]
        width = int(self.ids.max(initial=0)) + 1
        keys = np.arange(len(self)).repeat(np.diff(self.starts)) * width + self.ids
        keys.sort()
        keys = keys[firsts(keys)]
        ids = (keys % width).astype(np.int32)
        ends = keys.searchsorted(np.arange(len(self) + 1) * width).tolist()
        return [ids[start:end] for start, end in pairwise(ends)]


class Wordpieces:
    """What a tokenizer makes of texts.

    What has no wordpiece stands as ``unknown``, and is left out.
    """

    def __init__(self, tokenizer: Any, unknown: int | None) -> None:
        self._tokenizer = tokenizer
        self._unknown = unknown
        self._known: dict[str, bytes] | None = {} if _reads_words_apart(tokenizer) else None
        """Ids as bytes of int32: those of many words are joined sooner than lists."""
        self._lowers = self._known is not None and tokenizer.normalizer.lowercase
        self._most = None if tokenizer.truncation is None else tokenizer.truncation["max_length"]

    def of(self, texts: Sequence[str]) -> Pieces:
        """Return the ids of the wordpieces of each text, in order; half a character is read as ``?``."""
        texts = [*map(in_utf8, texts)]
        if self._known is None:
            parts, counts = self._cut(texts), [1] * len(texts)
        else:
            parts, counts = self._words(texts, self._known)
        ids = np.frombuffer(b"".join(parts), np.int32)
        ends = list(accumulate(map(len, parts), initial=0))
        starts = np.array([ends[words] // ids.itemsize for words in accumulate(counts, initial=0)], np.int64)
        if self._most is not None and len(ids) > self._most:  # or no text has more than are read of one
            early = np.arange(len(ids)) - starts[:-1].repeat(starts[1:] - starts[:-1]) < self._most
            ids, starts = ids[early], bounds(early)[starts]
        if not (known := ids != self._unknown).all():
            ids, starts = ids[known], bounds(known)[starts]
        return Pieces(ids, starts)

    def place(self, word: str) -> int | None:
        """Return the id of a word that is a wordpiece as it is; None of any other."""
        if self._known is None or not word.isascii() or not word.isalnum():
            ids = self.of([word]).ids.tolist()
            return ids[0] if len(ids) == 1 else None
        found = self._tokenizer.token_to_id(word.lower() if self._lowers else word)
        return None if found == self._unknown else found

    def _words(self, texts: list[str], known: dict[str, bytes]) -> tuple[list[bytes], list[int]]:
        """Return the wordpieces of all words of all texts, and how many words each text has."""
        words = [_between_blanks(text) for text in texts]
        new = set(chain.from_iterable(words)).difference(known)
        if len(known) + len(new) > _REMEMBERED:  # the old dictionary may still be read by another thread
            self._known = known = {}
            new = set(chain.from_iterable(words))
        long = {word for word in new if len(word) > _LONGEST}
        learnt = list(new - long)
        known.update(zip(learnt, self._cut(learnt), strict=True))
        if long:  # a text that has one is read as a whole
            for place, own in enumerate(words):
                if not long.isdisjoint(own):
                    words[place] = [texts[place]]
            whole = list({own[0] for own in words if len(own) == 1}.difference(known))
            known = known | dict(zip(whole, self._cut(whole), strict=True))
        return list(map(known.__getitem__, chain.from_iterable(words))), list(map(len, words))

    def _cut(self, texts: list[str]) -> list[bytes]:
        cut = self._tokenizer.encode_batch_fast
        if sum(map(len, texts)) <= _ALONE:
            found = [cut([text], add_special_tokens=False)[0] for text in texts]
        else:
            found = cut(texts, add_special_tokens=False)
        return [array("i", encoding.ids).tobytes() for encoding in found]


def _between_blanks(text: str) -> list[str]:
    """Return what stands between blanks; other white space is the tokenizer's business: some joins what it divides."""
    return text.replace("\n", " ").replace("\t", " ").replace("\r", " ").split(" ")


def _reads_words_apart(tokenizer: Any) -> bool:
    """Tell whether a text's wordpieces are those of its words between blanks, one after the other."""
    from tokenizers.models import WordPiece
    from tokenizers.normalizers import BertNormalizer
    from tokenizers.pre_tokenizers import BertPreTokenizer

    truncation = tokenizer.truncation
    return (
        isinstance(tokenizer.model, WordPiece)
        and isinstance(tokenizer.normalizer, BertNormalizer)
        and isinstance(tokenizer.pre_tokenizer, BertPreTokenizer)
        and tokenizer.padding is None
        and (truncation is None or truncation["direction"].lower() == "right")
        and not any(len(_between_blanks(token.content)) > 1 for token in tokenizer.get_added_tokens_decoder().values())
    )
