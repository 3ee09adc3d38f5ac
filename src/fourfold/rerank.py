"""The best nodes put in order by a model of the caller's, such as a cross-encoder.

The order is the model's; the scores stay Fourfold's: the same scores, dealt out anew in the model's order. So they stay
comparable and in [0, 1], whatever scale the model has, and the explanation adds up: evidence of the kind "rerank" tells
how far a node was moved, and what the model gave it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from fourfold import deadline
from fourfold.arguments import shown, whole_number
from fourfold.config import RetrievalConfig
from fourfold.engines import Backend
from fourfold.errors import FourfoldError, InvalidValueError
from fourfold.query import Query
from fourfold.scores import Moved, Scores, final_scores
from fourfold.types import FloatArray, Node

logger = logging.getLogger(__name__)

_DEPTH = 30


@dataclass(frozen=True, slots=True)
class Reranker:
    """A model that says how well texts answer a question, and how many of the best nodes it is asked about.

    Args:
        model: a callable ``(query, texts) -> scores``; or a cross-encoder: an object with ``predict(pairs)``
            (sentence-transformers), ``score(pairs)`` (LangChain) or ``rerank(query, texts)`` (fastembed). The higher
            a score, the better the answer; the scale is its own.
        depth: so many of the best nodes are put in order; what comes after them stays as it is.

    """

    model: Any
    depth: int = _DEPTH

    def __post_init__(self) -> None:
        """Refuse what cannot be asked."""
        _asks(self.model)
        object.__setattr__(self, "depth", whole_number(self.depth, "depth"))

    def scores(self, query: str, texts: Sequence[str]) -> FloatArray:
        """Return the model's scores, (len(texts),).

        Raises:
            InvalidValueError: the model returned something that is not a finite number for each text.

        """
        returned = _asks(self.model)(query, list(texts))
        try:
            listed = returned if hasattr(returned, "__len__") else list(islice(returned, len(texts) + 1))
            values = np.asarray(listed, np.float64).reshape(-1)
        except (TypeError, ValueError) as error:
            raise InvalidValueError(f"The reranker returned {shown(returned)}; it must return numbers.") from error
        if len(values) != len(texts) or not np.isfinite(values).all():
            raise InvalidValueError(
                f"The reranker returned {shown(returned)} for {len(texts)} texts; it must return a finite number for "
                "each."
            )
        return values


def as_reranker(given: object) -> Reranker:
    """Return a Reranker: the one given, or one of the model given."""
    return given if isinstance(given, Reranker) else Reranker(given)


def rerank(
    backend: Backend,
    scores: Scores,
    query: Query,
    config: RetrievalConfig,
    reranker: Reranker,
    given: dict[int, float],
) -> None:
    """Put the best nodes in the model's order. Where the model fails they stay in theirs, and the answer says so.

    ``given`` remembers what the model gave each node: a question ranked twice is put to it once.
    """
    texts = {num: text_of(node) for num, node in backend.nodes(scores.order[: reranker.depth]).items()}
    leading = [num for num in scores.order[: reranker.depth] if num in texts]
    if not leading:
        return
    new = [num for num in leading if num not in given]
    try:
        if new:
            given.update(zip(new, reranker.scores(query.text, [texts[num] for num in new]).tolist(), strict=True))
    except FourfoldError:
        raise
    except Exception:
        logger.exception("The reranker failed and is left out of this answer")
        scores.failed = (*scores.failed, "rerank")
        return
    deadline.check()
    final = final_scores(scores, leading, config)
    places = np.argsort([-given[num] for num in leading], kind="stable").tolist()
    dealt = np.sort(final)[::-1]
    for place, worth in zip(places, dealt.tolist(), strict=True):
        node = leading[place]
        scores.move(node, Moved("rerank", worth - float(final[place]), f"{given[node]:.4g}"), worth)
    scores.order = [leading[place] for place in places] + [num for num in scores.order if num not in texts]


def text_of(node: Node) -> str:
    """Return what the model reads of a node: its name and its text."""
    return "\n".join(part for part in (node.name, node.text) if part) or node.id


def _asks(model: Any) -> Callable[[str, list[str]], Any]:
    """Return how a model is asked."""
    for name in ("predict", "score"):
        if callable(ask := getattr(model, name, None)):
            return lambda query, texts, ask=ask: ask([(query, text) for text in texts])  # type: ignore[misc]
    asked = getattr(model, "rerank", model)
    if isinstance(model, str) or not callable(asked):
        raise InvalidValueError(
            f"rerank is {shown(model)}; it must be a callable (query, texts) -> scores, or a cross-encoder with "
            "predict(pairs), score(pairs) or rerank(query, texts)."
        )
    return asked  # type: ignore[no-any-return]
