"""Which phrase of a question the text part is asked for: what stands in quotes, or the whole question.

Of a long one its first words are looked up: FTS5 takes 70 µs for each over 5,000 texts, and whoever has those has the
text that was pasted.

The whole question is looked up only where its rarest word is rare enough (``text.phrase_nodes``) and one of the best by
words holds all of them: anywhere else there is no phrase to be found, and looking costs as much as the search.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from fourfold import refine
from fourfold.config import TextConfig
from fourfold.query import Query
from fourfold.scores import Scores
from fourfold.word_breaks import has_marks, words

_MOST_WORDS = 128
"""Of a phrase that are looked up; nobody quotes so much but by pasting a text."""
_WORD = re.compile(r"[^\W_]+")  # as FTS5 reads them


def to_look_up(scores: Scores, query: Query, settings: TextConfig) -> str | None:
    """Return the phrase to look up by FTS5, None for none."""
    if settings.phrase == "never" or query.phrases is None:
        return None
    if settings.phrase == "always" and settings.phrase_nodes is None:
        return query.topic
    phrase = _told(scores, query, settings)
    if phrase is None or len(phrase) <= _MOST_WORDS:
        return phrase
    ends = [word.end() for word in islice(_WORD.finditer(phrase), _MOST_WORDS)]
    return phrase[: ends[-1]] if len(ends) == _MOST_WORDS else phrase


def _told(scores: Scores, query: Query, settings: TextConfig) -> str | None:
    if len(parts := query.topic.split('"')) >= 3 and (quoted := max(parts[1::2], key=len).strip()):
        return quoted
    known = [scores.term_numbers.get(term) for term in scores.term_weights]
    terms = [term for term in known if term is not None]
    if settings.phrase == "quoted" or len(terms) < 2 or len(terms) < len(known):
        return None
    text = scores.snapshot.text
    if text.df(np.array(terms, np.int64)).min() > (settings.phrase_nodes or 0):
        return None
    leading = scores.best_of("text", query, refine.FIRST_CANDIDATES).nodes
    return query.topic if text.holds(terms, leading).all(axis=1).any() else None


def holders(phrase: str, scores: Scores, query: Query, limit: int | None) -> Sequence[tuple[int, float]]:
    """Return (node number, rank > 0) of the nodes that hold a phrase, best first.

    FTS5 cuts words at combining marks, and knows none of them: what it finds of such a phrase holds its letters, and is
    kept where the words are there with their marks.
    """
    if query.phrases is None:
        return ()
    rows = query.phrases(phrase, limit)
    if not rows or not has_marks(phrase):
        return rows
    known = dict(query.words)
    terms = [scores.term_numbers.get(term) for word in words(phrase) for term in known.get(word, ())]
    numbers = [term for term in terms if term is not None]
    if len(numbers) < len(terms):  # a word that no text has
        return ()
    held: NDArray[np.bool_] = scores.snapshot.text.holds(numbers, np.array([num for num, _ in rows], np.int64))
    return [rows[place] for place in np.flatnonzero(held.all(axis=1)).tolist()]
