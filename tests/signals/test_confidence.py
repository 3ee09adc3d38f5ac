"""Whether the graph knows anything about a question."""

import numpy as np
import pytest

from fourfold.signals import confidence
from fourfold.signals.confidence import Calibration


def test_evidence_wants_meaning_and_words():
    found = Calibration().evidence(np.array([0.5, 0.5, -0.2]), np.array([1.0, 0.0, 1.0]))
    np.testing.assert_allclose(found, [0.65, 0.15, 0.0])
    above_chance = Calibration(chance=0.6).evidence(np.array([0.8, 0.6, 0.2]), np.array([1.0, 1.0, 1.0]))
    np.testing.assert_allclose(above_chance, [0.65, 0.0, 0.0])
    np.testing.assert_allclose(Calibration().evidence(None, np.array([1.0, 0.5, 0.0])), [1.3, 0.4, 0.0])


def test_the_share_counts_words_that_nobody_knows():
    held = np.array([[True, False], [True, True], [False, False]])
    np.testing.assert_allclose(confidence.covered_share(held, np.array([1.0, 3.0])), [0.25, 1.0, 0.0])
    assert confidence.covered_share(np.zeros((2, 0), bool), np.zeros(0)).tolist() == [0, 0]


def test_confidence_rises_with_the_evidence_and_is_half_in_the_middle():
    told = Calibration(3.0, float(np.log(0.2))).of(np.array([0.0, 0.1, 0.2, 0.4, 1.3]))
    assert told[0] == 0
    assert told[2] == pytest.approx(0.5)
    assert (np.diff(told) > 0).all()
    assert told[-1] < 1


def test_the_fit_goes_through_a_low_known_question_and_the_middle_of_the_foreign():
    rng = np.random.default_rng(3)
    known, foreign = np.exp(rng.normal(-0.7, 0.5, 401)), np.exp(rng.normal(-2.0, 0.5, 101))
    fitted = confidence.fit(known, foreign)
    low, middle = fitted.of(np.array([np.sort(known)[80], np.sort(foreign)[50]]))
    assert low == pytest.approx(1 / (1 + np.exp(-1.6)))
    assert middle == pytest.approx(1 / (1 + np.exp(2.0)))


def test_few_questions_that_lie_near_do_not_make_the_curve_steep():
    near = confidence.fit(np.full(9, 0.11), np.full(9, 0.1))
    assert near.slope == pytest.approx(4.5)
    assert near.of(np.array([0.1]))[0] == pytest.approx(1 / (1 + np.exp(2.0)))


def test_foreign_questions_that_a_graph_has_much_of_are_not_foreign():
    assert confidence.fit(np.full(9, 0.6), np.full(9, 0.3)) == confidence.fit(np.full(9, 0.6), np.full(9, 0.16))


def test_what_does_not_overlap_has_a_finite_slope_and_what_says_nothing_the_default():
    apart = confidence.fit(np.full(9, 0.6), np.full(9, 0.1))
    assert 1 < apart.slope < 10
    assert 0.1 < np.exp(apart.middle) < 0.6
    assert confidence.fit(np.zeros(0), np.ones(3)) == Calibration()
    assert confidence.fit(np.full(5, 0.3), np.full(5, 0.3)) == Calibration()
    assert confidence.fit(np.full(5, 0.1), np.full(5, 0.6)) == Calibration(), "foreign questions are nearer than known"


def test_questions_are_made_of_what_there_is_and_always_the_same():
    texts = ["one two three four five six seven eight nine ten eleven twelve thirteen", "alone", ""]
    known = confidence.known_questions(texts)
    assert set(known[0].split()) <= set(texts[0].split())
    assert len(known[0].split()) <= 4, "at most a third of the text"
    assert known[1:] == ["alone", ""]
    assert known == confidence.known_questions(texts)
    everyday = confidence.foreign_questions([])
    foreign = confidence.foreign_questions(["a", "b", "c"])
    assert foreign[: len(everyday)] == everyday
    drawn = foreign[len(everyday) :]
    assert drawn
    assert all(5 <= len(question.split()) <= 12 for question in drawn)
    assert set(" ".join(drawn).split()) == {"a", "b", "c"}
