"""Products in pieces are the products."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from fourfold.index import inner_products


def assert_product(found: np.ndarray, rows: np.ndarray, questions: np.ndarray) -> None:
    """Allow what float32 may lose in the sum of d products, in whatever order a processor's BLAS takes them."""
    one, other = rows.astype(np.float64), questions.astype(np.float64)
    lost = rows.shape[1] * np.finfo(np.float32).eps * (np.abs(one) @ np.abs(other))
    assert found.shape == lost.shape
    assert (np.abs(found - one @ other) <= lost).all()


@pytest.mark.parametrize("count", [0, 1, 127, 128, 129, 1000, 4096])
@pytest.mark.parametrize("asked", [None, 0, 1, 7, 100, 5000])
def test_rows_with_each_question(count: int, asked: int | None) -> None:
    rng = np.random.default_rng(count)
    rows = rng.standard_normal((count, 64)).astype(np.float32)
    question = rng.standard_normal(64 if asked is None else (64, asked)).astype(np.float32)
    found = inner_products.with_each(rows, question)
    assert found.dtype == np.float32
    assert_product(found, rows, question)


def test_turned_questions_and_rows_of_a_read_only_map() -> None:
    rows = np.random.default_rng(1).standard_normal((300, 16)).astype(np.float32)
    mapped = np.frombuffer(rows.tobytes(), np.float32).reshape(300, 16)  # as a derived file is read: not writable
    questions = rows[:5]
    assert_product(inner_products.with_each(mapped, questions.T), rows, questions.T)


def test_beyond_what_one_thread_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inner_products, "_ALONE", 1000)
    rows = np.random.default_rng(2).standard_normal((500, 8)).astype(np.float32)
    assert_product(inner_products.with_each(rows, rows[0]), rows, rows[0])


class Stack(ctypes.Structure):
    """What a call leaves behind on the stack when it is passed by value."""

    _fields_ = (("words", ctypes.c_uint32 * (1 << 14)),)


def test_what_an_earlier_call_left_on_the_stack_is_no_invalid_operation() -> None:
    """A search fell back on fewer steps for it where warnings are errors, in one of some hundred thousand."""
    call = ctypes.CDLL(None).abs
    call.argtypes = [Stack]
    no_numbers = Stack((ctypes.c_uint32 * (1 << 14))(*[0x7FA00000] * (1 << 14)))  # signalling NaN, read as float32
    for count in range(1, 60):
        rows = np.random.default_rng(count).random((count, 5), np.float32)
        call(no_numbers)
        with np.errstate(all="raise"):
            assert_product(inner_products.with_each(rows, rows[0]), rows, rows[0])


@pytest.mark.parametrize("count", [0, 1, 8191, 8192, 8193, 40_000])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_inner_products(count: int, dtype: type) -> None:
    rng = np.random.default_rng(count)
    one, other = rng.random(count).astype(dtype), rng.random(count).astype(dtype)
    assert inner_products.inner(one, other) == pytest.approx(float(one.astype(np.float64) @ other), rel=1e-6)
