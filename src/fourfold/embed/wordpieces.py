"""Texts → wordpieces, each distinct word cut once.

A tokenizer of BERT's kind reads each word between blanks by itself, and texts repeat their words. So what it made of a
word is remembered, as ``tokenizer.WordTokenizer`` does for terms.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain, islice
from typing import Any

_WORD = re.compile(r"[^ \t\r\n]+")
"""What stands between blanks. Other white space is the tokenizer's business: some of it joins what it divides."""

_REMEMBERED = 50_000
"""So many words are remembered: fifteen megabytes."""

_LONGEST = 100
"""What is longer is remembered by nobody: few texts share it."""

_ALONE = 1_000
"""So many characters are read sooner than the threads wake that would share a batch: on busy cores, milliseconds."""


class Wordpieces:
    """What a tokenizer makes of texts.

    Args:
        tokenizer: a ``tokenizers.Tokenizer``.
        unknown: the id that stands for what has no wordpiece; it is left out.

    """

    def __init__(self, tokenizer: Any, unknown: int | None) -> None:
        self._tokenizer = tokenizer
        self._unknown = unknown
        self._known: dict[str, list[int]] | None = {} if _reads_words_apart(tokenizer) else None
        self._most = None if tokenizer.truncation is None else tokenizer.truncation["max_length"]

    def of(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the ids of the wordpieces of each text, in order; lone surrogates have none."""
        texts = [text if text.isascii() else text.encode("utf-8", "replace").decode() for text in texts]
        found = self._cut(texts) if self._known is None else self._put_together(texts, self._known)
        unknown = self._unknown
        return [[piece for piece in own if piece != unknown] if unknown in own else own for own in found]

    def _put_together(self, texts: list[str], known: dict[str, list[int]]) -> list[list[int]]:
        words = [_WORD.findall(text) for text in texts]
        new = set(chain.from_iterable(words)).difference(known)
        if len(known) + len(new) > _REMEMBERED:  # the old dictionary may still be read by another thread
            self._known = known = {}
            new = set(chain.from_iterable(words))
        long = {word for word in new if len(word) > _LONGEST}
        learnt = list(new - long)
        known.update(zip(learnt, self._cut(learnt), strict=True))
        apart = [place for place, own in enumerate(words) if not long.isdisjoint(own)] if long else []
        for place in apart:
            words[place] = []
        found = [list(islice(chain.from_iterable(map(known.__getitem__, own)), self._most)) for own in words]
        for place, whole in zip(apart, self._cut([texts[place] for place in apart]), strict=True):
            found[place] = whole
        return found

    def _cut(self, texts: list[str]) -> list[list[int]]:
        cut = self._tokenizer.encode_batch_fast
        if sum(map(len, texts)) <= _ALONE:
            return [cut([text], add_special_tokens=False)[0].ids for text in texts]
        return [encoding.ids for encoding in cut(texts, add_special_tokens=False)]


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
        and not any(_WORD.fullmatch(token.content) is None for token in tokenizer.get_added_tokens_decoder().values())
    )
