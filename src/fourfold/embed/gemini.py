"""Gemini's embedding models, over the google-genai SDK (the extra ``gemini``)."""

from __future__ import annotations

import importlib.util
import logging
import math
import os
import random
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from fourfold.arguments import finite_number, whole_number
from fourfold.embed.base import checked
from fourfold.errors import EmbedderError, KeyRefusedError
from fourfold.types import FloatArray

PREFIX = "gemini:"
MODEL = "gemini-embedding-001"
LARGEST_DIMENSION = 3072
KEY_VARIABLES = ("GEMINI_API_KEY", "GOOGLE_API_KEY")
"""Environment variables with a key; the first that is set counts."""

PRICES = {MODEL: 0.15}
"""US dollars per million input tokens, the list price of April 2026; ``GeminiUsage.cost_usd`` is reckoned with it."""

_CHARACTERS_PER_TOKEN = 4  # Google's rule of thumb for English
_SHORTEST_SERVER_TIMEOUT = 10  # seconds; the service refuses a shorter one with status 400
_PASSING = {408, 429, 500, 502, 503, 504}
_DOCUMENT_PATIENCE = 180.0
_QUERY_PATIENCE = 10.0  # somebody waits for the answer

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class GeminiUsage:
    """What an embedder has asked of the service so far.

    ``requests`` counts every HTTP request, those that failed too; ``characters`` and ``tokens`` the texts that were
    embedded. Where the service does not tell its tokens they are reckoned at four characters each. ``cost_usd`` is an
    estimate from ``PRICES``, None for a model that is not listed there.
    """

    requests: int = 0
    characters: int = 0
    tokens: int = 0
    cost_usd: float | None = None


@dataclass(frozen=True, slots=True)
class _Failure:
    """Why a request was not answered, and whether and when (seconds) to ask again."""

    why: str
    passing: bool = True
    refused: bool = False
    pause: float | None = None


class GeminiEmbedder:
    """Vectors from Gemini's embedding service, of length one.

    Documents are embedded as ``RETRIEVAL_DOCUMENT``, questions as ``RETRIEVAL_QUERY``. Status 408, 429 and 5xx,
    timeouts, broken connections and broken answers are asked again, each time after about twice as long, or after as
    long as the service says. A question gets ten seconds for all of it, a batch of documents three minutes. A blank
    text gets a vector of zeros without being sent.

    Args:
        dimensions: length of the vectors, 1 to 3072; Google recommends 768, 1536 and 3072.
        model: the embedding model.
        api_key: by default the environment variable GEMINI_API_KEY, or GOOGLE_API_KEY.
        base_url: another address that speaks the same HTTP, such as a proxy.
        timeout: seconds for one answer.
        attempts: how often a request is made at most, the first time included.
        batch: texts in one request; the service takes 100 at most.
        backoff: seconds before the second attempt, about.

    Raises:
        InvalidValueError: a number that cannot be meant.
        EmbedderError: there is no key, or google-genai is not installed.

    """

    def __init__(
        self,
        dimensions: int = 768,
        model: str = MODEL,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        timeout: float = 30.0,
        attempts: int = 6,
        batch: int = 100,
        backoff: float = 1.0,
    ) -> None:
        limits = {"dimensions": (dimensions, LARGEST_DIMENSION), "attempts": (attempts, None), "batch": (batch, 100)}
        for name, (number, most) in limits.items():
            whole_number(number, name, most=most)
        timeout = finite_number(timeout, "timeout", least=0.001)
        backoff = finite_number(backoff, "backoff", least=0)
        key = (api_key or key_in_environment() or "").strip()
        if not key:
            raise EmbedderError(f"There is no Gemini key: give api_key=, or set {' or '.join(KEY_VARIABLES)}.")
        if not (key.isascii() and key.isprintable()):  # the HTTP client's complaint would show it
            raise EmbedderError("The Gemini key holds characters that no key has; copy it again.")
        if not installed():
            raise EmbedderError("Gemini embeddings need google-genai: pip install 'fourfold[gemini]'.")
        self.dimensions = dimensions
        self.model = model.removeprefix("models/")
        self._key = key
        self._base_url = base_url
        self._timeout = timeout
        self._attempts = attempts
        self._batch = batch
        self._backoff = backoff
        self._client: Any = None
        self._lock = threading.Lock()
        self._usage = GeminiUsage(cost_usd=0.0 if self.model in PRICES else None)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle without the key: the environment gives it where it is unpickled."""
        options = {name: getattr(self, f"_{name}") for name in ("base_url", "timeout", "attempts", "batch", "backoff")}
        return partial(type(self), self.dimensions, self.model, **options), ()

    @classmethod
    def named(cls, name: str, **options: Any) -> Self:
        """Return the embedder of a name such as ``"gemini:gemini-embedding-001:768"``; options as for the class.

        Raises:
            EmbedderError: it is no such name, and what the class raises.

        """
        model, _, dimensions = name.removeprefix(PREFIX).rpartition(":")
        if not (name.startswith(PREFIX) and model and dimensions.isdecimal()):
            raise EmbedderError(f"{name!r} names no Gemini embedder; give for instance '{PREFIX}{MODEL}:768'.")
        return cls(int(dimensions), model, **options)

    @property
    def name(self) -> str:
        """``gemini:<model>:<dimensions>``."""
        return f"{PREFIX}{self.model}:{self.dimensions}"

    @property
    def usage(self) -> GeminiUsage:
        """What was asked of the service so far, and what it cost, about."""
        return self._usage

    def __repr__(self) -> str:
        return f"GeminiEmbedder({self.dimensions}, {self.model!r})"

    def embed_documents(self, texts: Sequence[str]) -> FloatArray:
        """Return one vector per text, shape (len(texts), dimensions), float32.

        Raises:
            KeyRefusedError: the service refused the key.
            EmbedderError: it did not answer in time, or with something else than such vectors.

        """
        return self._embed(list(texts), "RETRIEVAL_DOCUMENT", self._timeout, _DOCUMENT_PATIENCE)

    def embed_query(self, text: str) -> FloatArray:
        """Return the vector of a question, shape (dimensions,), float32; raises as ``embed_documents``."""
        timeout = min(self._timeout, _QUERY_PATIENCE)
        return self._embed([text], "RETRIEVAL_QUERY", timeout, _QUERY_PATIENCE)[0]  # type: ignore[no-any-return]

    def _embed(self, texts: list[str], task: str, timeout: float, patience: float) -> FloatArray:
        vectors = np.zeros((len(texts), self.dimensions), np.float32)
        spoken = [place for place, text in enumerate(texts) if text.strip()]
        for start in range(0, len(spoken), self._batch):
            batch = spoken[start : start + self._batch]
            vectors[batch] = self._ask([texts[place] for place in batch], task, timeout, patience)
        return vectors

    def _ask(self, texts: list[str], task: str, timeout: float, patience: float) -> NDArray[np.float32]:
        """Return the vectors of one batch, (len(texts), dimensions), asking again where that may help."""
        began = time.monotonic()
        for attempt in count(1):
            answer = self._request(texts, task, timeout)
            if isinstance(answer, list):
                return self._unit(answer, len(texts))
            pause = answer.pause
            if pause is None:  # jitter, so that many who were turned away together do not come back together
                pause = self._backoff * 2 ** (attempt - 1) * random.uniform(0.5, 1.5)
            if answer.refused:
                raise KeyRefusedError(f"The Gemini API refused the key: {answer.why}")
            if not answer.passing or attempt == self._attempts or time.monotonic() - began + pause > patience:
                tried = f" at the {attempt}. attempt" if attempt > 1 else ""
                raise EmbedderError(f"The Gemini API gave no vectors{tried}: {answer.why}")
            logger.info("The embedder %r asks again in %.1f s: %s", self.name, pause, answer.why)
            time.sleep(pause)
        raise AssertionError("unreachable")

    def _request(self, texts: list[str], task: str, timeout: float) -> list[object] | _Failure:
        """Make one request; every failure comes back as a value, so that no traceback shows the SDK's own frames."""
        from google.genai.errors import APIError

        config = {
            "task_type": task,
            "output_dimensionality": self.dimensions,
            "http_options": {
                "timeout": math.ceil(timeout * 1000),
                "headers": {"X-Server-Timeout": str(max(_SHORTEST_SERVER_TIMEOUT, math.ceil(timeout)))},
            },
        }
        # As contents of their own: newer models read a list of strings as the parts of one text.
        contents = [{"parts": [{"text": text}]} for text in texts]
        self._count(requests=1)
        try:
            answer = self._connected().models.embed_content(model=self.model, contents=contents, config=config)
        except APIError as error:
            return self._failure(error.code, error.details, getattr(error.response, "headers", None) or {})
        except Exception as error:
            # Timeouts, broken connections and JSON cut short come as classes of several libraries that change.
            return _Failure(self._without_key(f"{type(error).__name__}, {str(error).rstrip('.')}."))
        if not answer.embeddings:
            return _Failure("its answer holds no vectors.")
        told = getattr(answer, "usage_metadata", None)  # early versions of the SDK lack it
        self._count(texts=texts, tokens=told.prompt_token_count if told else None)
        return [embedding.values for embedding in answer.embeddings]

    def _failure(self, code: int, details: object, headers: Mapping[str, str]) -> _Failure:
        told = details.get("error", details) if isinstance(details, Mapping) else {}
        error = told if isinstance(told, Mapping) else {}
        message, notes = str(error.get("message") or ""), error.get("details")
        facts: dict[str, Any] = {}
        for note in notes if isinstance(notes, list) else ():
            facts.update(note if isinstance(note, Mapping) else {})
        reason = str(facts.get("reason") or error.get("status") or "")
        pause = _seconds(headers.get("retry-after")) or _seconds(facts.get("retryDelay"))
        why = f"status {code} {reason}".strip() + (f", {message.rstrip('.')}" if message else "")
        return _Failure(
            self._without_key(why) + ("." if pause is None else f"; it asks to wait {pause:g} s."),
            passing=code in _PASSING,
            refused=code in (401, 403) or reason.startswith("API_KEY"),
            pause=pause,
        )

    def _unit(self, given: list[object], count: int) -> NDArray[np.float32]:
        """Return vectors of length one; the service gives shortened ones as they were cut."""
        vectors = checked(given, count, self.name)
        if vectors.shape[1] != self.dimensions:
            raise EmbedderError(
                f"The embedder {self.name!r} got vectors of {vectors.shape[1]} dimensions where it asked for "
                f"{self.dimensions}; does the model {self.model!r} give that many?"
            )
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        unit: NDArray[np.float32] = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
        return unit

    def _connected(self) -> Any:
        with self._lock:
            if self._client is None:
                from google import genai

                # vertexai=False: a variable of another product must not send this key elsewhere.
                options = genai.types.HttpOptions(base_url=self._base_url)
                self._client = genai.Client(api_key=self._key, vertexai=False, http_options=options)
            return self._client

    def _count(self, *, requests: int = 0, texts: Sequence[str] = (), tokens: int | None = None) -> None:
        characters = sum(map(len, texts))
        with self._lock:
            told = tokens if tokens is not None else math.ceil(characters / _CHARACTERS_PER_TOKEN)
            used = self._usage
            price = PRICES.get(self.model)
            self._usage = replace(
                used,
                requests=used.requests + requests,
                characters=used.characters + characters,
                tokens=used.tokens + told,
                cost_usd=None if price is None else (used.tokens + told) * price / 1e6,
            )

    def _without_key(self, text: str) -> str:
        """Return a message without the key, which some of the service's quote."""
        return text.replace(self._key, "…")


def _seconds(told: object) -> float | None:
    """Read ``Retry-After: 3`` or Google's ``"retryDelay": "3.5s"``; None where neither is told."""
    try:
        seconds = float(str(told).removesuffix("s"))
    except ValueError:  # a date is possible, too
        return None
    return seconds if math.isfinite(seconds) and seconds >= 0 else None


def key_in_environment() -> str | None:
    """Return the key that the environment holds, if it does."""
    return next((key for name in KEY_VARIABLES if (key := os.environ.get(name, "").strip())), None)


def installed() -> bool:
    """Whether google-genai, the extra ``gemini``, is installed."""
    try:
        return importlib.util.find_spec("google.genai") is not None
    except ModuleNotFoundError:  # there is no package "google" at all
        return False
