"""Gemini's embedder against a server that speaks the service's HTTP."""

import json
import logging
import math
import time
import traceback

import numpy as np
import pytest

from fourfold import EmbedderError, InvalidValueError, KeyRefusedError
from fourfold.embed import Embedder, GeminiEmbedder, as_embedder
from fourfold.embed import gemini as module

KEY = "AIzaSy-a-secret-of-39-characters-abcdef"


def make(dimensions=5, **options):
    return GeminiEmbedder(dimensions, **{"api_key": KEY, "backoff": 0.001, **options})


def refusal(status, message, reason):
    error = {"code": status, "message": message, "status": "PERMISSION_DENIED", "details": [{"reason": reason}]}
    return status, json.dumps({"error": error}), {}


def test_what_is_asked_and_what_comes_back(gemini):
    embedder = make()
    assert isinstance(embedder, Embedder) and embedder.name == "gemini:gemini-embedding-001:5"
    vectors = embedder.embed_documents(["abba", "ccd", "eee"])
    assert vectors.shape == (3, 5) and vectors.dtype == np.float32
    np.testing.assert_allclose(vectors[1], np.array([0, 0, 2, 1, 0]) / math.sqrt(5), rtol=1e-6)
    path, headers, body = gemini.requests[0]
    assert path.endswith("/models/gemini-embedding-001:batchEmbedContents")
    assert headers["x-goog-api-key"] == KEY and KEY not in path
    assert int(headers["X-Server-Timeout"]) >= 10  # the service refuses less
    assert [r["taskType"] for r in body["requests"]] == ["RETRIEVAL_DOCUMENT"] * 3
    assert [r["outputDimensionality"] for r in body["requests"]] == [5] * 3
    vector = embedder.embed_query("ab")
    assert vector.shape == (5,) and np.linalg.norm(vector) == pytest.approx(1)
    assert gemini.requests[-1][2]["requests"][0]["taskType"] == "RETRIEVAL_QUERY"


def test_batches_keep_their_order_and_blank_texts_are_not_sent(gemini):
    texts = ["a", " ", "b", "c", "", "d", "e"]
    vectors = make(batch=2).embed_documents(texts)
    assert gemini.texts == [["a", "b"], ["c", "d"], ["e"]]
    assert [row.argmax() if row.any() else None for row in vectors] == [0, None, 1, 2, None, 3, 4]
    assert make().embed_query("").tolist() == [0] * 5 and make().embed_documents([]).shape == (0, 5)
    assert len(gemini.requests) == 3


def test_newer_models_get_each_text_by_itself(gemini):
    assert make(model="models/gemini-embedding-2").embed_documents(["a", "b"]).shape == (2, 5)
    assert gemini.texts == [["a", "b"]]


def test_usage(gemini):
    embedder = make(attempts=3)
    assert (embedder.usage.requests, embedder.usage.cost_usd) == (0, 0)
    gemini.faults = [500]
    embedder.embed_documents(["abcd" * 10, "efgh" * 10])
    assert (embedder.usage.requests, embedder.usage.characters, embedder.usage.tokens) == (2, 80, 20)
    gemini.usage = {"usageMetadata": {"promptTokenCount": 1_000}}
    embedder.embed_query("abc")
    assert (embedder.usage.requests, embedder.usage.characters, embedder.usage.tokens) == (3, 83, 1_020)
    assert embedder.usage.cost_usd == pytest.approx(1_020 * 0.15 / 1e6)
    assert make(model="another").usage.cost_usd is None


BROKEN = ["slow", "truncated", "cut", "empty", (200, "[]", {}), (200, '{"embeddings": 5}', {}), (200, "<html>", {})]


@pytest.mark.parametrize("fault", [408, 429, 500, 502, 503, 504, *BROKEN])
def test_what_may_pass_is_asked_again(gemini, fault):
    gemini.faults = [fault, fault]
    assert make(timeout=1 if fault == "slow" else 30).embed_query("ab").shape == (5,)
    assert len(gemini.requests) == 3


def test_the_attempts_are_counted(gemini):
    gemini.faults = [503] * 9
    with pytest.raises(EmbedderError, match=r"4\. attempt: status 503 UNAVAILABLE, It is status 503"):
        make(attempts=4).embed_documents(["a"])
    assert len(gemini.requests) == 4


def test_nobody_listens(gemini):
    with pytest.raises(EmbedderError, match=r"2\. attempt: Connect"):
        make(base_url="http://127.0.0.1:9", attempts=2).embed_query("a")


def test_waiting_grows_and_is_not_the_same_for_all(gemini, monkeypatch):
    pauses = []
    monkeypatch.setattr(time, "sleep", pauses.append)
    gemini.faults = [503] * 4
    make(backoff=0.1, attempts=5).embed_documents(["a"])
    assert all(0.05 * 2**n <= pause <= 0.15 * 2**n for n, pause in enumerate(pauses)) and len(pauses) == 4
    assert len({pause / 2**n for n, pause in enumerate(pauses)}) == 4


def told_to_wait(seconds, header=True):
    detail = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": f"{seconds}s"}
    error = {"code": 429, "message": "Quota", "status": "RESOURCE_EXHAUSTED", "details": [] if header else [detail]}
    return 429, json.dumps({"error": error}), {"Retry-After": str(seconds)} if header else {}


@pytest.mark.parametrize("header", [True, False])
def test_the_service_says_how_long_to_wait(gemini, monkeypatch, header):
    pauses = []
    monkeypatch.setattr(time, "sleep", pauses.append)
    gemini.faults = [told_to_wait(7, header)]
    make().embed_query("a")
    assert pauses == [7.0]


def test_a_question_does_not_wait_long(gemini, monkeypatch):
    pauses = []
    monkeypatch.setattr(time, "sleep", pauses.append)
    gemini.faults = [told_to_wait(60)]
    with pytest.raises(EmbedderError, match="status 429 RESOURCE_EXHAUSTED, Quota; it asks to wait 60 s"):
        make().embed_query("a")
    assert len(gemini.requests) == 1 and pauses == []
    gemini.faults = [told_to_wait(60)]
    make().embed_documents(["a"])
    assert pauses == [60]


@pytest.mark.parametrize(
    "answer",
    [
        refusal(400, "API key not valid. Please pass a valid API key.", "API_KEY_INVALID"),
        refusal(400, "API key expired. Please renew the API key.", "API_KEY_INVALID"),
        refusal(401, "Request had invalid authentication credentials.", "CREDENTIALS_MISSING"),
        refusal(403, f"Permission denied: Consumer 'api_key:{KEY}' has been suspended.", "CONSUMER_SUSPENDED"),
        (403, f"<html>{KEY}</html>", {}),
    ],
)
def test_a_refused_key(gemini, answer, caplog):
    caplog.set_level(logging.DEBUG)
    gemini.faults = [answer]
    with pytest.raises(KeyRefusedError, match=f"The Gemini API refused the key: status {answer[0]}") as caught:
        make().embed_query("a")
    assert len(gemini.requests) == 1
    shown = "".join(traceback.format_exception(caught.value)) + caplog.text + repr(caught.value)
    assert KEY not in shown
    error, chain = caught.value, []
    while error is not None:
        chain.append(str(error))
        error = error.__cause__ or error.__context__
    assert KEY not in "".join(chain)


def test_the_key_is_not_shown(gemini):
    embedder = make()
    assert KEY not in repr(embedder) + embedder.name + repr(embedder.usage)
    with pytest.raises(EmbedderError, match="no key has") as caught:
        make(api_key="secret\nkey")
    assert "secret" not in "".join(traceback.format_exception(caught.value, limit=0))


def test_another_bad_request_is_no_refused_key_and_not_asked_again(gemini):
    for code in (400, 404):
        gemini.faults = [code]
        with pytest.raises(EmbedderError, match=f"status {code}") as caught:
            make().embed_query("a")
        assert not isinstance(caught.value, KeyRefusedError)
    assert len(gemini.requests) == 2


@pytest.mark.parametrize(
    ("values", "match"),
    [
        (lambda text, dimensions: [1.0] * 7, "7 dimensions where it asked for 5"),
        (lambda text, dimensions: [math.nan] * 5, "NaN"),
        (lambda text, dimensions: [math.inf] * 5, "infinite"),
        (lambda text, dimensions: [1.0] * len(text), "no matrix of numbers"),
        (lambda text, dimensions: [], "shape"),
    ],
)
def test_vectors_that_cannot_be(gemini, values, match):
    gemini.values = values
    with pytest.raises(EmbedderError, match=match):
        make().embed_documents(["abcde", "ab"])


def test_fewer_vectors_than_texts(gemini):
    gemini.faults = [(200, '{"embeddings": [{"values": [1, 2, 3, 4, 5]}]}', {})]
    with pytest.raises(EmbedderError, match=r"shape \(1, 5\) for 2 texts"):
        make().embed_documents(["a", "b"])


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"dimensions": 0}, "dimensions is 0"),
        ({"dimensions": 3073}, "dimensions is 3073.*3072"),
        ({"dimensions": True}, "dimensions"),
        ({"attempts": 0}, "attempts is 0"),
        ({"batch": 101}, "batch is 101.*100"),
        ({"timeout": 0}, "timeout is 0"),
        ({"backoff": -1}, "backoff is -1"),
        ({"timeout": None}, "timeout is None"),
        ({"timeout": float("inf")}, "timeout is inf"),
    ],
)
def test_numbers_that_cannot_be_meant(gemini, options, match):
    with pytest.raises(InvalidValueError, match=match):
        make(**options)


def test_without_a_key_or_the_extra(gemini, monkeypatch):
    with pytest.raises(EmbedderError, match="GEMINI_API_KEY or GOOGLE_API_KEY"):
        GeminiEmbedder()
    monkeypatch.setattr(module, "installed", lambda: False)
    with pytest.raises(EmbedderError, match=r"pip install 'fourfold\[gemini\]'"):
        make()


def test_keys_of_the_environment(gemini, monkeypatch):
    monkeypatch.setenv("GOOGLE_API_KEY", "the-other")
    monkeypatch.setenv("GOOGLE_GENAI_USE_VERTEXAI", "true")  # this is another product's, with other keys
    assert GeminiEmbedder(5, backoff=0.001)._key == "the-other"
    monkeypatch.setenv("GEMINI_API_KEY", KEY)
    assert GeminiEmbedder(5).embed_query("a").shape == (5,)
    assert gemini.requests[0][1]["x-goog-api-key"] == KEY


def test_by_name(gemini, monkeypatch):
    monkeypatch.setenv("GEMINI_API_KEY", KEY)
    assert as_embedder("gemini:gemini-embedding-001:768").name == "gemini:gemini-embedding-001:768"
    for name in ("gemini:", "gemini:768", "gemini:model:many"):
        with pytest.raises(EmbedderError, match=f"{name!r} names no Gemini"):
            as_embedder(name)
