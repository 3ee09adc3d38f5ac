"""The text part against BM25 spelt out: any order of writes, any segments, whole walks and bounded ones."""

import math
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fourfold.errors import InvalidValueError
from fourfold.index import bm25, posting_codes, text_segment, text_walk
from fourfold.index.base import Allowed
from fourfold.index.changes import TOKEN
from fourfold.index.text import Text, TextSegment

READINGS = ((0, 1, 2), (0,))
WEIGHTS = (1.0, 0.3)
N_TERMS = 12

words = st.tuples(st.integers(0, N_TERMS - 1).map(lambda n: n * n), st.integers(0, 2))
texts = st.dictionaries(words, st.integers(1, 5), max_size=6)
writes = st.lists(
    st.tuples(
        st.dictionaries(st.integers(1, 40), texts, max_size=20),
        st.lists(st.integers(1, 40), max_size=4),
        st.sampled_from(["keep", "merge all", "merge last", "file"]),
    ),
    min_size=1,
    max_size=5,
)
counts = st.sampled_from([1.0, 1.0, 1.0, 0.5, 2.0, 3.0])
questions = st.dictionaries(st.integers(0, N_TERMS).map(lambda n: n * n), counts, max_size=5)
readings = st.sampled_from(
    [(READINGS, WEIGHTS), (((2,),), (1.0,)), (((0,), (2,)), (0.5, 2.0)), (((0,), (2,)), (1.0, -0.5))]
)
constants = st.sampled_from([(1.2, 0.75), (1.5, 0.0), (0.9, 1.0), (0.0, 0.5)])


def records(texts):
    """Return (nums, tokens, counts) of {num: {(term, field): count}} as the store has them."""
    nums = np.array(sorted(texts), np.int64)
    rows = [(term, field, texts[num][term, field]) for num in nums.tolist() for field, term in by_field(texts[num])]
    return nums, np.array(rows, TOKEN), np.array([len(texts[num]) for num in nums.tolist()], np.int64)


def by_field(text):
    return sorted((field, term) for term, field in text)


def frequency(text, reading, term):
    return sum(text.get((term, field), 0) for field in reading)


def scores(texts, readings, weights, k1, b, question):
    """Return {num: score}: BM25 spelt out, one node and one term at a time."""
    found = dict.fromkeys(texts, 0.0)
    for reading, weight in zip(readings, weights, strict=True):
        lengths = {num: sum(n for (_, field), n in text.items() if field in reading) for num, text in texts.items()}
        average = sum(lengths.values()) / len(texts) if texts else 0.0
        for term, times in question.items():
            tfs = {num: frequency(text, reading, term) for num, text in texts.items()}
            df = sum(tf > 0 for tf in tfs.values())
            idf = math.log((len(texts) - df + 0.5) / (df + 0.5) + 1.0)
            for num, tf in tfs.items():
                norm = k1 * (1.0 - b + b * lengths[num] / average) if average else k1
                found[num] += times * weight * idf * tf * (k1 + 1.0) / (tf + norm) if tf else 0.0
    return found


class InFile:
    """An array that can only be sliced, or indexed by whole numbers, along its first axis; as from a checked file."""

    def __init__(self, array):
        self._array = array
        self.shape, self.dtype = array.shape, array.dtype

    def __len__(self):
        return len(self._array)

    def __getitem__(self, key):
        assert isinstance(key, slice) or (isinstance(key, np.ndarray) and key.dtype.kind in "iu"), key
        assert not isinstance(key, slice) or key.step is None
        found = self._array[key].view()
        found.flags.writeable = False
        return found


def built(texts, readings=READINGS):
    return TextSegment.build(*records(texts), readings)


def written(history, readings):
    """Return the texts that are there after some writes, and the segments that they left."""
    known, segments = {}, []
    for added, deleted, then in history:
        gone = np.array([*added, *deleted], np.int64)
        segments = [segment.without(gone) for segment in segments]
        known = {num: text for num, text in {**known, **added}.items() if num in added or num not in deleted}
        segments.append(built(added, readings))
        if then == "merge all":
            segments = [TextSegment.merge(segments)]
        elif then == "merge last":
            segments = [*segments[:-2], TextSegment.merge(segments[-2:])]
        elif then == "file":
            segments[-1] = in_file(segments[-1])
    return known, segments


def in_file(segment):
    return TextSegment.from_arrays({name: InFile(array[:]) for name, array in segment.arrays().items()})


def forced(common, block=3):
    """Let even the smallest segment have columns, and walk only the rarer words wherever there are any."""
    stack = ExitStack()
    stack.enter_context(mock.patch.object(text_segment, "_COMMON", common))
    stack.enter_context(mock.patch.object(text_walk, "_SMALL", 0))
    stack.enter_context(mock.patch.object(text_walk, "_SHARE", math.inf))
    stack.enter_context(mock.patch.object(bm25, "_BLOCK", block))
    return stack


def check(ranking, expected, count, allowed):
    """Compare one ranking with the scores spelt out, over the nodes of ``expected``."""
    found = ranking.best(count, allowed)
    nums = np.array(sorted(expected), np.int64)
    values = np.array([expected[num] for num in nums.tolist()])
    got = ranking.at(nums)
    np.testing.assert_allclose(got, values, rtol=1e-6, atol=1e-9)
    kept = got if allowed is None else np.where(allowed.contains(nums), got, 0.0)
    positive = np.sort(kept[kept > 0])[::-1]
    least = positive[count - 1] if len(positive) >= count else 0.0
    wanted = nums[(kept > 0) & (kept >= least)]
    assert sorted(found.nodes.tolist()) == wanted.tolist()
    assert found.floor == least
    assert found.exact
    order = np.lexsort((found.nodes, -found.values))
    np.testing.assert_array_equal(order, np.arange(len(order)))
    np.testing.assert_array_equal(found.values, ranking.at(found.nodes))


def check_moments(moments, expected):
    values = np.array([*expected.values(), 0.0])
    assert moments.total == pytest.approx(values.sum(), rel=1e-9, abs=1e-9)
    assert moments.squares == pytest.approx((values**2).sum(), rel=1e-9, abs=1e-9)
    assert moments.maximum == pytest.approx(values.max(), rel=1e-6)
    assert moments.size == len(expected)


@settings(max_examples=300, deadline=None)
@given(
    history=writes,
    question=questions,
    how=readings,
    constants=constants,
    count=st.integers(1, 12),
    allowed=st.none() | st.lists(st.integers(1, 41), max_size=20),
    common=st.sampled_from([None, 0.0, 0.2, 0.5, 1.0]),
    moments_first=st.booleans(),
)
def test_ranks_as_bm25_spelt_out(history, question, how, constants, count, allowed, common, moments_first):
    readings, weights = how
    k1, b = constants
    filtered = None if allowed is None else Allowed(np.array(allowed, np.int64))
    with ExitStack() if common is None else forced(common):
        known, segments = written(history, readings)
        text = Text(segments, weights=weights, k1=k1, b=b)
        expected = scores(known, readings, weights, k1, b, question)
        for _ in range(2):  # the second time, what is remembered of the words is asked
            ranking = text.ask(question)
            if moments_first:
                check_moments(ranking.moments, expected)
            for wanted in (count, 2 * count):
                check(ranking, expected, wanted, filtered)
                check(ranking, expected, wanted, None)
            check_moments(ranking.moments, expected)
        assert not ranking.at(np.array([0, 41, 99])).any()
        for term in question:
            alone = scores(known, readings, weights, k1, b, {term: 1.0})
            worth = text.worth([term], np.array([77, *alone], np.int64))[0]
            np.testing.assert_allclose(worth, [0.0, *alone.values()], rtol=1e-6, atol=1e-9)
        assert text.size == len(known)


@settings(max_examples=150, deadline=None)
@given(history=writes, common=st.sampled_from([0.0, 0.2, 1.0]))
def test_terms_and_holders_are_those_of_the_live_nodes(history, common):
    with forced(common):
        known, segments = written(history, READINGS)
        text = Text(segments, weights=WEIGHTS, k1=1.2, b=0.75)
        terms = np.array([n * n for n in range(N_TERMS, -1, -1)], np.int64)
        starts, holders = text.holders(terms)
        df = text.df(terms).tolist()
        for place, term in enumerate(terms.tolist()):
            wanted = sorted(num for num, words in known.items() if frequency(words, READINGS[0], term))
            assert holders[slice(*starts[place : place + 2])].tolist() == wanted
            assert df[place] == len(wanted)
        nums = np.array([*sorted(known, reverse=True), 77], np.int64)
        origin, own = text.terms_of(nums)
        shared = text.shared(nums, 3, [4])
        told = list(zip(shared.origin.tolist(), shared.df.tolist(), shared.starts[:-1], shared.starts[1:], strict=True))
        for place, num in enumerate(nums.tolist()):
            held = sorted({term for term, _ in known.get(num, {})})
            assert sorted(own[origin == place].tolist()) == held
            of = {term: [n for n in sorted(known) if frequency(known[n], READINGS[0], term)] for term in held}
            rare = sorted(of[term] for term in held if 2 <= len(of[term]) <= 3 and term != 4)
            found = [(df, shared.nodes[start:end].tolist()) for at, df, start, end in told if at == place]
            assert sorted(found, key=lambda one: one[1]) == [(len(nodes), nodes) for nodes in rare]


@settings(max_examples=150, deadline=None)
@given(
    history=writes, common=st.sampled_from([0.0, 0.2, 1.0]), most=st.integers(1, 4), besides=st.sets(st.integers(0, 9))
)
def test_whose_names_texts_hold(history, common, most, besides):
    besides = {term * term for term in besides}
    with forced(common):
        known, segments = written(history, READINGS)
        nums = np.array(sorted({*known, 99})[:6], np.int64)
        found = Text(segments, weights=WEIGHTS, k1=1.2, b=0.75, names=1).names_held(nums, most, besides)
    shares = {}
    terms = {num: {term for term, _ in text} for num, text in known.items()}
    names = {num: {term for term, field in text if field == 0} for num, text in known.items()}
    for place, num in enumerate(nums.tolist()):
        for other in known.keys() - {num}:
            held = names[other] & terms.get(num, set())
            few = {term for term in held if sum(term in name for name in names.values()) <= most}
            idf = {term: math.log(len(known) / sum(term in own for own in terms.values())) for term in names[other]}
            whole, share = math.fsum(idf.values()), math.fsum(idf[term] for term in held)
            if few - besides and share >= max(whole, math.log(max(len(known), 2))) / 2 - 1e-9:
                shares[place, other] = share / whole
    told = dict(zip(zip(found.origin.tolist(), found.nodes.tolist(), strict=True), found.shares.tolist(), strict=True))
    assert len(told) == len(found.nodes) and told.keys() == shares.keys()
    assert all(told[pair] == pytest.approx(share) for pair, share in shares.items())
    for (place, other), share in told.items():
        assert (share == 1.0) == all(
            term in terms[int(nums[place])] or sum(term in own for own in terms.values()) == len(known)
            for term in names[other]
        )


def test_without_a_reading_of_names_none_are_held():
    text = Text([built({1: {(1, 2): 1}, 2: {(1, 0): 1}})], weights=WEIGHTS, k1=1.2, b=0.75)
    assert len(text.names_held(np.array([1]), 9).nodes) == 0


@settings(max_examples=100, deadline=None)
@given(history=writes, question=questions, common=st.sampled_from([0.0, 0.2, 1.0]))
def test_segments_do_not_show(history, question, common):
    """Scores are the same to the last bit however the nodes lie in segments, and whatever else lies there."""
    known, whole = written([*history[:-1], (*history[-1][:2], "merge all")], READINGS)
    once = Text([built(known)], weights=WEIGHTS, k1=1.2, b=0.75).ask(question)
    with forced(common):
        _, several = written(history, READINGS)
        nums = np.array(sorted(known), np.int64)
        for segments in (several, whole):
            ranking = Text(segments, weights=WEIGHTS, k1=1.2, b=0.75).ask(question)
            np.testing.assert_array_equal(ranking.at(nums), once.at(nums))
            np.testing.assert_array_equal(ranking.best(5).nodes, once.best(5).nodes)


def zipf(n, seed, first=1, n_terms=2000):
    """Return the token records of n nodes with texts of about forty words."""
    rng = np.random.default_rng(seed)
    weights = 1.0 / np.arange(1, n_terms + 1)
    lengths = rng.integers(30, 50, n)
    terms = rng.choice(n_terms, lengths.sum(), p=weights / weights.sum())
    fields = rng.choice([0, 2], lengths.sum(), p=[0.1, 0.9])
    nodes = np.repeat(np.arange(n), lengths)
    keys, times = np.unique((nodes * 3 + fields) * n_terms + terms, return_counts=True)
    tokens = np.zeros(len(keys), TOKEN)
    tokens["term"], tokens["field"], tokens["count"] = keys % n_terms, keys // n_terms % 3, times
    return np.arange(first, first + n), tokens, np.bincount(keys // (3 * n_terms), minlength=n)


def asked(rng):
    """Return a question of a few common words and a few rare ones."""
    return {int(term): 1.0 for term in (*rng.integers(0, 8, 2), *rng.integers(100, 2000, 3))}


@pytest.fixture(scope="module")
def large():
    """Two segments that are large enough for bounded walks without being forced, one of them with deleted nodes."""
    first = TextSegment.build(*zipf(40_000, 1), READINGS).without(np.arange(5, 40_000, 7))
    return [first, TextSegment.build(*zipf(36_000, 2, first=50_000), READINGS)]


@pytest.mark.parametrize("keeps", [None, 2, 10, 1000])
def test_a_bounded_walk_answers_as_a_whole_one(large, monkeypatch, keeps):
    allowed = None if keeps is None else Allowed(np.arange(3, 90_000, keeps))
    rng = np.random.default_rng(3)
    questions = [asked(rng) for _ in range(20)]
    bounded = [Text(large, weights=WEIGHTS, k1=1.2, b=0.75).ask(question) for question in questions]
    assert sum(walk.rows is not None for ranking in bounded for walk in ranking._walks) > 20
    monkeypatch.setattr(text_walk, "_SMALL", 1 << 30)
    text = Text(large, weights=WEIGHTS, k1=1.2, b=0.75)
    nums = np.arange(0, 90_000, 3)
    for question, ranking in zip(questions, bounded, strict=True):
        whole = text.ask(question)
        assert all(walk.rows is None for walk in whole._walks)
        np.testing.assert_array_equal(ranking.at(nums), whole.at(nums))
        assert ranking.moments.total == pytest.approx(whole.moments.total, rel=1e-12)
        assert ranking.moments.squares == pytest.approx(whole.moments.squares, rel=1e-12)
        assert ranking.moments.maximum == whole.moments.maximum
        for count in (1, 10, 100, 30_000):
            ours, theirs = ranking.best(count, allowed), whole.best(count, allowed)
            np.testing.assert_array_equal(ours.nodes, theirs.nodes)
            np.testing.assert_array_equal(ours.values, theirs.values)
            assert ours.floor == theirs.floor


def test_a_filter_that_keeps_only_the_worst(large):
    text = Text(large, weights=WEIGHTS, k1=1.2, b=0.75)
    question = {0: 1.0, 1: 1.0, 300: 1.0, 1500: 1.0}
    every = text.ask(question).best(100_000)
    last = every.nodes[-5000:]
    found = text.ask(question).best(3, Allowed(last))
    np.testing.assert_array_equal(found.nodes, last[: len(found.nodes)])
    assert len(found.nodes) >= 3


def test_a_bounded_walk_touches_no_more_than_it_must(large):
    text = Text(large, weights=WEIGHTS, k1=1.2, b=0.75)
    ranking = text.ask({0: 1.0, 1: 1.0, 1500: 1.0})
    assert len(ranking.best(10).nodes) == 10
    _ = ranking.moments
    assert all(0 < len(walk.rows) < 500 for walk in ranking._walks)


def test_many_nodes_are_deleted_by_one_pass_over_the_postings(large, monkeypatch):
    monkeypatch.setattr(TextSegment, "held", None)  # looks up each posting of each node
    gone, kept = large[1].nums[::20], np.delete(large[1].nums, np.s_[::20])
    nums, tokens, counts = zipf(36_000, 2, first=50_000)
    own = np.isin(nums, kept)
    alone = TextSegment.build(nums[own], tokens[np.repeat(own, counts)], counts[own], READINGS)
    ours = large[1].without(gone)
    np.testing.assert_array_equal(ours.totals, alone.totals)
    np.testing.assert_array_equal(ours.df[ours.df[:, -1] > 0], alone.df)


def test_what_was_learnt_before_serves_questions(large, monkeypatch):
    question = {0: 1.0, 1: 2.0, 3: 1.0, 1500: 1.0}
    cold = Text(large, weights=WEIGHTS, k1=1.2, b=0.75).ask(question)
    moments, best = cold.moments, cold.best(5)
    text = Text(large, weights=WEIGHTS, k1=1.2, b=0.75)
    _ = text.ask({term: 1.0 for term in question}).moments
    ranking = text.ask(question)
    monkeypatch.setattr(bm25.Word, "block", None)  # columns are walked no more
    assert ranking.moments == moments
    np.testing.assert_array_equal(ranking.best(5).nodes, best.nodes)


def test_words_are_forgotten_and_what_common_ones_sum_up_to_is_not(large, monkeypatch):
    text = Text(large, weights=WEIGHTS, k1=1.2, b=0.75)
    moments = text.ask({0: 1.0, 1: 1.0, 1500: 1.0}).moments
    monkeypatch.setattr(bm25, "_HELD", 0)
    text.ask({2: 1.0}).best(1)
    assert not text._memory.words
    monkeypatch.setattr(bm25.Word, "block", None)  # columns are walked no more
    assert text.ask({0: 1.0, 1: 1.0, 1500: 1.0}).moments == moments


def test_sums_of_pairs_are_bounded(large, monkeypatch):
    monkeypatch.setattr(bm25, "_PAIRS", 2)
    text = Text(large, weights=WEIGHTS, k1=1.2, b=0.75)
    for one in range(5):
        question = {one: 1.0, one + 1: 1.0, 1500: 1.0}
        assert text.ask(question).moments == Text(large, weights=WEIGHTS, k1=1.2, b=0.75).ask(question).moments
    assert len(text._memory.products) <= 2


def test_threads_share_a_generation(large, monkeypatch):
    monkeypatch.setattr(bm25, "_HELD", 200_000)  # words are forgotten under the threads' feet
    rng = np.random.default_rng(5)
    questions = [asked(rng) for _ in range(30)]
    text = Text(large, weights=WEIGHTS, k1=1.2, b=0.75)

    def answer(question):
        ranking = text.ask(question)
        return ranking.best(10).nodes.tolist(), ranking.moments

    alone = [answer(question) for question in questions]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(answer, questions * 4)) == alone * 4


def test_equal_texts_tie_in_different_segments_with_other_words_around():
    same = {(1, 0): 1, (2, 2): 3, (3, 2): 1, (4, 2): 2}
    others = {num: {(num % 5, 2): 1, (7, 2): num} for num in range(10, 30)}
    segments = [built({1: same, **others}), built({2: same}), built({3: same, 4: {(1, 2): 1}})]
    with forced(0.5):
        found = Text(segments, weights=WEIGHTS, k1=1.2, b=0.75).ask({3: 1.0, 1: 1.0, 4: 1.0, 2: 1.0}).best(1)
    assert found.nodes.tolist() == [1, 2, 3]
    assert len(set(found.values.tolist())) == 1


def test_a_node_outside_that_ties_with_the_last_is_found():
    x, y = {(1, 2): 1}, {(2, 2): 1}  # each is common in one segment and rare in the other
    with forced(0.5):
        segments = [built({1: x, 2: x, 3: x, 4: y}), built({5: y, 6: y, 7: y, 8: x})]
        ranking = Text(segments, weights=WEIGHTS, k1=1.2, b=0.75).ask({1: 1.0, 2: 1.0})
        assert all(walk.rows is not None for walk in ranking._walks)
        assert ranking.best(1).nodes.tolist() == [1, 2, 3, 4, 5, 6, 7, 8]


@pytest.mark.parametrize("count", [1.0, 0.3, 40.0])
def test_sums_of_worths_are_exact_in_any_order(count):
    texts = {num: {(term, term % 3): 1 + num % (term + 2) for term in range(12)} for num in range(1, 30)}
    texts |= {num: {(num % 12, 2): 1} for num in range(30, 400)}
    question = {term: count for term in range(12)}
    walk = Text([built(texts)], weights=WEIGHTS, k1=1.2, b=0.75).ask(question)._walks[0]
    rows = np.arange(29)
    worths = [walk._scaled(word.at(rows), times) for word, times in (*walk._lists, *walk._columns)]
    rng = np.random.default_rng(1)
    sums = {tuple(np.add.reduce([worths[place] for place in rng.permutation(12)], axis=0)) for _ in range(50)}
    assert len(sums) == 1


def test_worth_is_what_one_occurrence_gives():
    texts = {1: {(5, 2): 2}, 2: {(5, 0): 1, (6, 2): 1}, 3: {(6, 2): 4}}
    text = Text([built(texts)], weights=WEIGHTS, k1=1.2, b=0.75)
    worth = scores(texts, READINGS, WEIGHTS, 1.2, 0.75, {5: 1.0})
    np.testing.assert_allclose(text.worth([5], np.array([3, 2, 1, 9]))[0], [0.0, worth[2], worth[1], 0.0], rtol=1e-6)
    assert not text.worth([8], np.array([1, 2])).any()


def test_a_text_without_segments_or_nodes():
    for segments in ([], [built({})], [built({1: {(1, 0): 1}}).without(np.array([1]))]):
        text = Text(segments, weights=WEIGHTS, k1=1.2, b=0.75)
        ranking = text.ask({1: 1.0})
        assert text.size == len(ranking.best(3).nodes) == 0
        assert ranking.at(np.array([1, 2])).tolist() == [0.0, 0.0]
        assert ranking.moments.size == ranking.moments.maximum == ranking.moments.total == 0
        assert len(text.holders(np.array([1]))[1]) == len(text.terms_of(np.array([1]))[1]) == 0
        assert len(text.shared(np.array([1]), 9).nodes) == 0
        assert text.df(np.array([1])).tolist() == [0]


def test_arrays_come_back_and_deletion_replaces_only_small_ones():
    segment = built({num: {(num % 7, 0): 1, (num % 3, 2): 2} for num in range(1, 60)})
    again = TextSegment.from_arrays(segment.arrays())
    assert set(again.arrays()) == set(segment.arrays())
    without = segment.without(np.array([3, 4, 4, 99]))
    assert segment.without(np.array([99])) is segment
    assert {name for name, array in without.arrays().items() if array is not segment.arrays()[name]} == {
        "live",
        "totals",
        "df",
    }
    assert segment.live.all()
    assert without.without(np.array([3])) is without


def test_numbers_as_large_as_the_store_allows():
    texts = {1: {(2**31 - 2, 0): 65_535, (2**31 - 2, 1): 65_535, (2**31 - 2, 2): 65_535}, 2**40: {(0, 0): 1}}
    expected = scores(texts, READINGS, WEIGHTS, 1.2, 0.75, {2**31 - 2: 1.0, 0: 1.0})
    ranking = Text([built(texts)], weights=WEIGHTS, k1=1.2, b=0.75).ask({2**31 - 2: 1.0, 0: 1.0})
    check(ranking, expected, 2, None)


def test_many_distinct_lengths_need_wider_codes():
    texts = {num: {(1, 2): num, (2, 2): 65_000} for num in range(1, 800)}
    with mock.patch.object(text_segment, "_NARROW", 500):
        segment = built(texts)
        merged = TextSegment.merge([segment])
    assert segment.codes.dtype == segment.columns.dtype == merged.columns.dtype == np.uint32
    expected = scores(texts, READINGS, WEIGHTS, 1.2, 0.75, {1: 1.0})
    for one in (segment, merged):
        check(Text([one], weights=WEIGHTS, k1=1.2, b=0.75).ask({1: 1.0}), expected, 5, None)


def test_what_is_too_much_for_one_segment_is_refused():
    with pytest.raises(InvalidValueError, match="build it in several parts"):
        posting_codes.packed((np.zeros(1, np.int64), 1 << 40), (np.zeros(1, np.int64), 1 << 30))
