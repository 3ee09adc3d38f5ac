"""Late interaction: the question's wordpieces against each candidate's."""

import base64
import json

import numpy as np
import pytest

from fourfold import Node
from fourfold.config import LateInteraction
from fourfold.errors import InvalidValueError
from fourfold.signals import late
from fourfold.signals.late import Asked, TokenTable


def csr(rows):
    starts = np.concatenate(([0], np.cumsum([len(row) for row in rows])))
    return starts, np.concatenate([np.asarray(row, np.int32) for row in rows])


@pytest.fixture(scope="module")
def table() -> TokenTable:
    return late.token_table()


def test_the_table_is_small_and_its_cosines_are_those_of_the_model(table):
    from fourfold.embed.static import bundled

    _, vectors = bundled().token_vectors()
    assert table.unit.nbytes + table.norms.nbytes < 21e6
    pieces = np.array([2000, 3000, 4000, 5000], np.int32)
    unit = vectors[pieces] / np.linalg.norm(vectors[pieces], axis=1, keepdims=True)
    whole = TokenTable.of(bundled(), dimensions=vectors.shape[1])
    np.testing.assert_allclose(whole.cosines(pieces, pieces), unit @ unit.T, atol=1e-5)
    np.testing.assert_allclose(table.cosines(pieces, pieces), unit @ unit.T, atol=0.2)
    np.testing.assert_allclose(np.diag(table.cosines(pieces, pieces)), 1, atol=1e-5)
    assert late.token_table() is table


def test_the_axes_are_found_once_and_laid_down_for_other_processes(monkeypatch, table):
    """Among busy processes LAPACK's threads wait seconds for one another."""
    from fourfold.embed.static import bundled

    class Laid(dict):
        note, put_note = dict.get, dict.__setitem__

    laid = Laid()
    first = TokenTable.of(bundled(), notes=laid)
    np.testing.assert_array_equal(first.unit, table.unit)
    laid = Laid(json.loads(json.dumps(laid)))
    monkeypatch.setattr(np.linalg, "eigh", None)
    np.testing.assert_array_equal(TokenTable.of(bundled(), notes=laid).unit, table.unit)
    with pytest.raises(TypeError):  # those of another model, or so many others, are no axes of this one
        TokenTable.of(bundled(), dimensions=64, notes=laid)


@pytest.mark.parametrize("axes", [None, 5, "", "x", "AAAA", [], pytest.param(b"", id="NaN")])
def test_axes_that_are_not_what_was_laid_are_found_anew(axes):
    unit = np.eye(8, dtype=np.float32)
    axes = base64.b64encode(np.full((8, 2), np.nan, "<f4")).decode() if axes == b"" else axes

    class Laid(dict):
        note, put_note = dict.get, dict.__setitem__

    laid = Laid(axes={"of": ["model", 8, 2], "axes": axes})
    found = late._main_axes(unit, 2, "model", laid)
    assert found.shape == (8, 2) and np.isfinite(found).all()
    np.testing.assert_array_equal(late._main_axes(unit, 2, "model", laid), found)


def test_coverage_is_the_largest_cosine_above_the_threshold(table):
    question, *nodes = table.distinct(["delete", "throw away old files", "write a file", "", "delete delete"])
    starts, pieces = csr(nodes)
    asked = Asked(question, np.ones(len(question), np.float32) / len(question))
    covered = late.maxsim(table, asked, starts, pieces, threshold=0.2)
    cosines = [table.cosines(node, question).max(axis=0) if len(node) else np.zeros(len(question)) for node in nodes]
    np.testing.assert_allclose(covered, np.clip((np.array(cosines) - 0.2) / 0.8, 0, 1), atol=1e-6)
    assert covered.shape == (4, len(question))
    assert covered[3].min() > 0.999, "the word itself covers itself"
    assert covered[2].max() == 0, "a node without wordpieces covers nothing"


def test_weights_are_rarity_times_length_and_sum_to_one(table):
    pieces = table.distinct(["delete the old file"])[0]
    frequency = np.array([1, 50, 99, 3][: len(pieces)])
    asked = late.ask(table, pieces, frequency, 100, LateInteraction(least_weight=0))
    raw = np.log((100 - frequency + 0.5) / (frequency + 0.5) + 1) * table.norms[pieces]
    np.testing.assert_allclose(asked.weights, raw / raw.sum(), rtol=1e-6)
    fewer = late.ask(table, pieces, frequency, 100, LateInteraction(least_weight=0.5))
    assert set(fewer.pieces) == set(pieces[raw >= 0.5 * raw.max()])
    assert fewer.weights.sum() == pytest.approx(1)


@pytest.mark.parametrize(
    ("pieces", "settings"),
    [
        ([], LateInteraction()),
        ([2000], LateInteraction(depth=0)),
        ([2000, 2001, 2002], LateInteraction(longest=2)),
    ],
)
def test_nothing_is_asked_where_there_is_nothing_to_compare(table, pieces, settings):
    assert late.ask(table, np.array(pieces, np.int32), np.ones(len(pieces), np.int64), 9, settings) is None


def test_factors_follow_the_formula_and_hold_back_long_texts():
    asked = Asked(np.array([7, 8], np.int32), np.array([0.75, 0.25], np.float32))
    covered = np.array([[1, 0], [0, 1], [0, 0]], np.float32)
    settings = LateInteraction(length=0.1)
    counts = np.array([10, 40, 10])
    expected = 0.1 + np.maximum([0.75 - 0.1 * np.log(10 / 20), 0.25 - 0.1 * np.log(40 / 20), 0.1 * np.log(2)], 0)
    np.testing.assert_allclose(late.factors(covered, counts, asked, settings), expected, rtol=1e-6)


def test_a_text_of_another_script_has_the_mean_factor_of_the_others():
    asked = Asked(np.array([7], np.int32), np.ones(1, np.float32))
    covered = np.array([[0.8], [0.0], [0.4]], np.float32)
    found = late.factors(covered, np.array([5, 0, 5]), asked, LateInteraction())
    np.testing.assert_allclose(found, [0.9, 0.7, 0.5], rtol=1e-6)
    np.testing.assert_array_equal(late.factors(covered, np.zeros(3, int), asked, LateInteraction()), 1)


@pytest.mark.parametrize("wrong", [{"threshold": 1.0}, {"threshold": -0.1}, {"depth": -1}, {"floor": float("inf")}])
def test_constants_no_search_can_use_are_refused(wrong):
    with pytest.raises(InvalidValueError, match=next(iter(wrong))):
        LateInteraction(**wrong)


def test_of_a_text_without_end_the_beginning_is_cut_into_wordpieces():
    """A million characters in one node took a second of every write."""
    assert late.wordpiece_text(Node("a", "a name", "page", "a text")) == "a name a name a text"
    long = late.wordpiece_text(Node("a", "x" * 1_000_000, "page"))
    assert len(long) == late.LONGEST_READ
