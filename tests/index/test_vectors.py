"""The vector part beside a dense product: in any order of writes, filtered or not, with codes forced on small data."""

import gc
import math
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fourfold.errors import DimensionError, InvalidValueError, MissingExtraError
from fourfold.index import quantised, vectors
from fourfold.index.base import Allowed, Beginning
from fourfold.index.files import DamagedFileError
from fourfold.index.rescoring import measure
from fourfold.index.vector_segment import FirstStage
from fourfold.index.vectors import FirstStageSettings, Vectors, VectorSegment, merge

KINDS = ("faiss", "numpy")
EXACT = FirstStageSettings(exact=True)


def forced(kind):
    return FirstStageSettings(exact=False, kind=kind)


def unit(matrix):
    wide = np.asarray(matrix, np.float64)
    norms = np.linalg.norm(wide, axis=1, keepdims=True)
    return wide / np.where(norms > 0, norms, 1)


def segment(nums, matrix, first_stage=EXACT):
    return VectorSegment.build(np.asarray(nums, np.int64), np.asarray(matrix, np.float32), first_stage=first_stage)


def clustered(n=3000, d=32, clusters=60, seed=0):
    rng = np.random.default_rng(seed)
    centres = rng.standard_normal((clusters, d))
    return (centres[rng.integers(0, clusters, n)] + 0.5 * rng.standard_normal((n, d))).astype(np.float32)


class OnDisk:
    """An array as derived files give it: indexed along the first axis, and nothing else."""

    def __init__(self, array):
        self._array = array
        self.shape, self.dtype = array.shape, array.dtype

    def __len__(self):
        return len(self._array)

    def __getitem__(self, key):
        assert isinstance(key, slice) or (isinstance(key, np.ndarray) and key.ndim == 1), key
        return self._array[key]


def on_disk(stored, folder):
    """Return the segment after its arrays were written to files and mapped."""
    folder.mkdir()
    arrays = {}
    for name, array in stored.arrays().items():
        np.save(folder / f"{name}.npy", array[:])
        arrays[name] = OnDisk(np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False))
    read = VectorSegment.from_arrays(arrays)
    return read if stored.live is None else read.without(stored.nums[~stored.live.rows])


def check(part, truth, question, count, allowed=None):
    """Compare with the dense answer; ``truth`` has the vector of each node."""
    nodes = np.array(sorted(truth), np.int64)
    width = len(question)
    vectors = unit(np.array([truth[n] for n in nodes.tolist()], np.float32).reshape(-1, width))
    dense = vectors @ unit([question])[0]
    ranking = part.ask(np.asarray(question))
    best = ranking.best(count, allowed)
    moments = ranking.moments
    assert moments.size == part.size == len(nodes)
    assert moments.total == pytest.approx(dense.sum(), abs=1e-6 * max(len(nodes), 1))
    assert moments.squares == pytest.approx((dense**2).sum(), abs=1e-6 * max(len(nodes), 1))
    assert moments.maximum == pytest.approx(dense.max() if len(nodes) else 0, abs=1e-6)
    asked = np.concatenate((nodes[::-1], [10**9]))
    values = ranking.at(asked)
    np.testing.assert_allclose(values, [*dense[::-1], 0], atol=1e-6)
    np.testing.assert_allclose(part.at(nodes), vectors[:, : part.dimensions], atol=1e-6)

    eligible = nodes if allowed is None else nodes[allowed.contains(nodes)]
    assert best.exact
    assert len(best.nodes) >= min(count, len(eligible))
    assert set(best.nodes.tolist()) <= set(eligible.tolist())
    assert len(set(best.nodes.tolist())) == len(best.nodes)
    np.testing.assert_array_equal(best.values, ranking.at(best.nodes))
    assert best.nodes.tolist() == best.nodes[np.lexsort((best.nodes, -best.values))].tolist()
    left = np.setdiff1d(eligible, best.nodes)
    if len(left):
        assert best.floor == best.values[-1] == np.sort(ranking.at(eligible))[-count]
        assert np.all(ranking.at(left) < best.floor)
    else:
        assert best.floor == -math.inf or best.floor <= best.values[-1]


@st.composite
def histories(draw):
    """Writes of coarse vectors (so many tie, are equal, or are zero), removals and merges, and a question."""
    d = draw(st.sampled_from([1, 2, 3, 9]))
    vector = st.lists(st.sampled_from([-1.0, 0.0, 0.5, 2.0]), min_size=d, max_size=d)
    write = st.dictionaries(st.integers(0, 40), vector, max_size=12)
    step = st.one_of(
        st.tuples(st.just("write"), write),
        st.tuples(st.just("remove"), st.lists(st.integers(0, 40), max_size=8)),
        st.tuples(st.just("merge"), st.integers(0, 4)),
    )
    return draw(st.lists(step, max_size=8)), draw(vector)


@settings(deadline=None, max_examples=150)
@given(histories(), st.integers(1, 15), st.one_of(st.none(), st.sets(st.integers(0, 45))))
def test_any_order_of_writes_answers_as_the_dense_product(history, count, kept):
    steps, question = history
    truth, segments = {}, []
    for kind, what in steps:
        if kind == "write":
            nums = np.array(sorted(what), np.int64)
            segments = [s.without(nums) for s in segments]
            matrix = np.array([what[n] for n in nums.tolist()], np.float32).reshape(-1, len(question))
            segments.append(segment(nums, matrix))
            truth |= what
        elif kind == "remove":
            segments = [s.without(np.array(what, np.int64)) for s in segments]
            truth = {n: v for n, v in truth.items() if n not in what}
        elif segments[what:]:
            segments[what:] = [merge(segments[what:], first_stage=EXACT)]
    allowed = None if kept is None else Allowed(np.array(sorted(kept), np.int64))
    check(Vectors(segments), truth, question, count, allowed)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("d", [1, 7, 32])
def test_exactness_can_be_demanded_of_coded_segments(kind, d):
    matrix, more = clustered(600, d), clustered(50, d, seed=2)
    segments = [segment(np.arange(600) * 3, matrix, forced(kind)), segment(np.arange(50) * 3 + 1, more)]
    gone = np.array([0, 3, 4, 300, 1000])
    segments = [s.without(gone) for s in segments]
    truth = dict(zip((np.arange(600) * 3).tolist(), matrix, strict=True))
    truth |= dict(zip((np.arange(50) * 3 + 1).tolist(), more, strict=True))
    truth = {n: v for n, v in truth.items() if n not in gone}
    part = Vectors(segments, exact=True)
    assert Vectors(segments).info().first_stage == f"{kind}, exact"
    assert part.info().first_stage == "exact"
    for question in clustered(5, d, seed=3):
        check(part, truth, question, 10)
        check(part, truth, question, 10, Allowed(np.arange(0, 1800, 7)))


@pytest.mark.parametrize("kind", KINDS)
def test_codes_find_what_the_dense_product_finds(kind):
    matrix = clustered(6000)
    part = Vectors([segment(np.arange(6000), matrix, forced(kind))])
    gone = np.arange(0, 6000, 3)
    thinned = Vectors([s.without(gone) for s in part.segments])
    half = Allowed(np.arange(1, 6000, 2))
    found, approximate = [], 0
    for question in clustered(40, seed=1):
        dense = unit(matrix) @ unit([question])[0]
        for p, allowed in ((part, None), (thinned, None), (part, half), (thinned, half)):
            ranking = p.ask(question)
            best = ranking.best(10, allowed)
            keep = np.ones(6000, bool)
            keep[gone] = p is part
            assert ranking.moments.maximum == pytest.approx(dense[keep].max(), abs=1e-6)
            if allowed is not None:
                keep &= allowed.contains(np.arange(6000))
            assert keep[best.nodes].all()
            np.testing.assert_array_equal(best.values, ranking.at(best.nodes))
            truth = np.flatnonzero(keep)[np.argsort(-dense[keep])[:10]]
            found.append(np.isin(truth, best.nodes).mean())
            approximate += allowed is None and not best.exact
            # A larger count afterwards, as the pipeline asks, has the smaller one in it.
            assert np.isin(best.nodes, ranking.best(25, allowed).nodes).all()
    assert approximate > 0.9 * len(found) / 2, "the codes were not used"
    assert np.mean(found) >= 0.995


@pytest.mark.parametrize("kind", KINDS)
def test_a_filter_that_keeps_few_is_exact(kind):
    matrix = clustered()
    part = Vectors([segment(np.arange(3000), matrix, forced(kind))])
    few = Allowed(np.array([5, 17, 18, 900, 2999, 5000]))
    ranking = part.ask(matrix[7])
    best = ranking.best(3, few)
    dense = unit(matrix) @ unit(matrix[7:8])[0]
    assert best.exact
    assert best.nodes.tolist() == few.nodes[:5][np.argsort(-dense[few.nodes[:5]])][:3].tolist()
    assert ranking.best(9, few).floor == -math.inf
    assert len(ranking.best(9, Allowed(np.array([7000]))).nodes) == 0
    assert ranking.moments.maximum == pytest.approx(1, abs=1e-6), "the maximum is over all nodes, filtered or not"


class Misleading:
    """Codes that name the worst rows."""

    kind, margin, eager, nbytes = "numpy", 2, 1, 0

    def __init__(self, matrix):
        self._matrix = unit(matrix)

    def nearest(self, question, count, mask):
        rows = np.argsort(self._matrix @ question)
        return rows[:count] if mask is None else rows[mask.rows[rows]][:count]


def test_no_value_is_above_the_maximum_even_where_codes_mislead():
    matrix = clustered()
    made = segment(np.arange(3000), matrix)
    misled = VectorSegment(made.arrays(), first_stage=FirstStage(Misleading(matrix), 50, 0.0))
    question = matrix[8]
    assert Vectors([misled]).ask(question).moments.maximum < 0.5, "the codes were not used"
    for ask in (
        lambda r: r.best(3, Allowed(np.array([8, 9]))).values,
        lambda r: r.at(np.array([8])),
        lambda r: r.best(3, Allowed(np.arange(0, 3000, 2))).values,
        lambda r: r.best(3).values,
    ):
        ranking = Vectors([misled]).ask(question)
        before = ranking.moments
        values = ask(ranking)
        ranking.at(np.array([int(np.argmin(unit(matrix) @ unit([question])[0]))]))
        assert ranking.moments.maximum >= max(values.max(), before.maximum)
    assert Vectors([misled], exact=True).ask(question).best(1).nodes.tolist() == [8]


class Blurred(Misleading):
    """Codes that tell the best 1,500 rows from the rest, and not from one another."""

    eager, mixed = 4, 1500

    def __init__(self, matrix):
        super().__init__(matrix)
        self.asked = []

    def nearest(self, question, count, mask):
        self.asked.append(count)
        rows = np.argsort(-(self._matrix @ question))
        rows[: self.mixed] = np.random.default_rng(0).permutation(rows[: self.mixed])
        return rows[:count] if mask is None else rows[mask.rows[rows]][:count]


@pytest.mark.parametrize("allowed", [None, Allowed(np.arange(0, 30_000, 3))])
def test_where_the_last_of_the_candidates_are_among_the_best_more_are_taken(allowed):
    matrix = clustered(30_000)
    stage = FirstStage(Blurred(matrix), 3200, 1.0)
    blurred = VectorSegment(segment(np.arange(30_000), matrix).arrays(), first_stage=stage)
    assert stage.begun_with == 800
    question = clustered(1, seed=5)[0]
    found, exact = (Vectors([blurred], exact=exact).ask(question).best(10, allowed) for exact in (False, True))
    assert found.nodes.tolist() == exact.nodes.tolist()
    assert not found.exact
    assert FirstStage(Blurred(matrix), 16_384, 1.0).begun_with == 16_384, "where the most are few all are taken at once"


def test_where_codes_tell_nothing_all_rows_are_read_in_turn_before_many_are_read_here_and_there(monkeypatch):
    matrix = clustered(60_000)
    codes, rescored, cosines = Blurred(matrix), [], vectors._Search._rescored
    codes.mixed = len(matrix)
    monkeypatch.setattr(
        vectors._Search, "_rescored", lambda self, rows: rescored.append(len(rows)) or cosines(self, rows)
    )
    alike = VectorSegment(
        segment(np.arange(60_000), matrix).arrays(), first_stage=FirstStage(codes, rescored=1200, recall=1.0)
    )
    found = Vectors([alike]).ask(clustered(1, seed=5)[0]).best(100)
    assert found.exact
    assert sum(rescored) <= len(matrix) // 24


@pytest.mark.parametrize("kept", [None, 1500, 400, 5, 0])
def test_what_was_begun_in_another_thread_answers_the_same_and_is_not_read_twice(kept, monkeypatch):
    monkeypatch.setattr(vectors, "_BESIDE", 1)
    part = Vectors([segment(np.arange(3000), clustered(), forced("faiss"))])
    question = clustered(n=1, seed=1)[0]
    allowed = None if kept is None else Allowed(np.arange(kept) * 2)
    at_once = part.ask(question)
    best = at_once.best(5, allowed), at_once.moments
    asked, nearest = [], quantised.ProductCodes.nearest

    def reading(codes, vector, count, mask):
        asked.append((threading.get_ident(), mask))
        return nearest(codes, vector, count, mask)

    monkeypatch.setattr(quantised.ProductCodes, "nearest", reading)
    begun = part.ask(question)
    assert isinstance(begun, Beginning)
    begun.begin(5, allowed)
    found = begun.best(5, allowed), begun.moments
    np.testing.assert_array_equal(found[0].nodes, best[0].nodes)
    np.testing.assert_array_equal(found[0].values, best[0].values)
    assert found[1] == best[1]
    unfiltered = [thread for thread, mask in asked if mask is None]
    assert len(unfiltered) == 1
    assert unfiltered[0] != threading.get_ident()


def test_what_fails_in_another_thread_fails_where_it_is_asked_for(monkeypatch):
    monkeypatch.setattr(vectors, "_BESIDE", 1)
    part = Vectors([segment(np.arange(3000), clustered(), forced("faiss"))])
    monkeypatch.setattr(quantised.ProductCodes, "nearest", lambda *_: 1 / 0)
    ranking = part.ask(clustered(n=1, seed=1)[0])
    ranking.begin(5)
    with pytest.raises(ZeroDivisionError):
        ranking.best(5)


def test_where_the_system_gives_no_thread_nothing_is_lost(monkeypatch):
    monkeypatch.setattr(vectors, "_BESIDE", 1)
    part = Vectors([segment(np.arange(3000), clustered(), forced("faiss"))])
    question = clustered(n=1, seed=1)[0]

    def refuse(thread):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    ranking = part.ask(question)
    ranking.begin(5)
    np.testing.assert_array_equal(ranking.best(5).nodes, part.ask(question).best(5).nodes)


def test_some_more_candidates_are_compared_without_asking_the_codes_again(monkeypatch):
    matrix, compared = clustered(30_000), []
    codes = Blurred(matrix)
    codes.mixed = 900
    blurred = VectorSegment(segment(np.arange(30_000), matrix).arrays(), first_stage=FirstStage(codes, 3200, 1.0))
    rescored = vectors._Search._rescored
    monkeypatch.setattr(
        vectors._Search, "_rescored", lambda search, rows: compared.append(len(rows)) or rescored(search, rows)
    )
    question = clustered(1, seed=5)[0]
    found, exact = (Vectors([blurred], exact=exact).ask(question).best(10) for exact in (False, True))
    assert found.nodes.tolist() == exact.nodes.tolist()
    assert codes.asked == [800 + vectors._ahead(800)]
    assert compared == [800, 267, 356], "a third more each time, until the last quarter has none of the best"


@pytest.mark.parametrize("kind", KINDS)
def test_moments_are_those_of_a_full_pass(kind):
    matrix = clustered()
    whole = segment(np.arange(3000), matrix, forced(kind))
    gone = np.random.default_rng(0).permutation(3000)
    part = Vectors([whole.without(gone[:100]).without(gone[50:2990])])
    question = clustered(1, seed=5)[0]
    dense = (unit(matrix) @ unit([question])[0])[np.sort(gone[2990:])]
    moments = part.ask(question).moments
    assert moments.size == 10
    assert moments.total == pytest.approx(dense.sum(), abs=1e-6)
    assert moments.squares == pytest.approx((dense**2).sum(), abs=1e-6)
    empty = Vectors([whole.without(gone)])
    assert empty.size == 0
    assert len(empty.ask(question).best(5).nodes) == 0


def test_moments_are_the_same_to_the_last_digit_in_any_order_of_rows():
    matrix, rng = unit(np.random.default_rng(3).normal(size=(500, 16))), np.random.default_rng(4)
    question = matrix[0]
    told = set()
    for _ in range(20):
        moments = Vectors([segment(range(500), rng.permutation(matrix))]).ask(question).moments
        told.add((moments.total, moments.squares))
    assert len(told) == 1


@pytest.mark.parametrize("kind", KINDS)
def test_duplicates_by_the_thousand_all_tie(kind):
    matrix = clustered(6001, 31)
    matrix[1000:5000] = matrix[5990:] = matrix[999]
    for first_stage in (EXACT, forced(kind)):
        part = Vectors([segment(np.arange(6001), matrix, first_stage)])
        best = part.ask(matrix[999]).best(10)
        assert best.nodes.tolist() == [*range(999, 5000), *range(5990, 6001)]
        assert len(set(best.values.tolist())) == 1


def test_duplicates_tie_though_a_matrix_product_rounds_its_last_rows_in_another_way():
    rng = np.random.default_rng(0)
    for d in (7, 33, 100, 257):
        vector = rng.standard_normal(d)
        part = Vectors([segment(np.arange(1003), np.tile(vector, (1003, 1)))])
        for _ in range(20):
            assert len(part.ask(vector + 0.1 * rng.standard_normal(d)).best(3).nodes) == 1003


@pytest.mark.parametrize("kind", KINDS)
def test_a_question_of_zeros_ties_everywhere(kind):
    part = Vectors([segment(np.arange(300), clustered(300), forced(kind)).without(np.array([4]))])
    ranking = part.ask(np.zeros(32))
    best = ranking.best(10)
    assert best.exact and len(best.nodes) == 299 and not best.values.any()
    assert (ranking.moments.total, ranking.moments.squares, ranking.moments.maximum) == (0, 0, 0)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("matrix", [np.zeros((300, 12)), np.ones((300, 1)), clustered(300, 1536), clustered(257, 5)])
def test_codes_of_odd_shapes(kind, matrix):
    part = Vectors([segment(np.arange(len(matrix)), matrix, forced(kind))])
    dense = unit(matrix) @ unit(matrix[3:4])[0]
    ranking = part.ask(matrix[3])
    best = ranking.best(1)
    assert 3 in best.nodes
    assert best.values[0] == pytest.approx(dense[3], abs=1e-6)
    assert ranking.moments.total == pytest.approx(dense.sum(), abs=1e-4)


def test_a_value_does_not_depend_on_where_a_row_lies():
    rng = np.random.default_rng(0)
    for d in (1, 3, 8, 31, 256, 1000):
        matrix = np.repeat(rng.standard_normal((7, d)).astype(np.float32), 5, axis=0)
        part = Vectors([segment(np.arange(35), matrix)])
        ranking = part.ask(rng.standard_normal(d))
        together = ranking.at(np.arange(35))
        alone = np.concatenate([ranking.at(np.array([i])) for i in range(35)])
        np.testing.assert_array_equal(together, alone)
        np.testing.assert_array_equal(together.reshape(7, 5), np.repeat(together[::5, None], 5, axis=1))


@pytest.mark.parametrize("kind", KINDS)
def test_a_segment_on_disk_answers_as_in_memory(kind, tmp_path):
    matrix = clustered()
    made = segment(np.arange(3000) * 2, matrix, forced(kind)).without(np.array([2, 8, 200]))
    read = on_disk(made, tmp_path / "segment")
    assert read.size == 2997 and read.nums[~read.live.rows].tolist() == [2, 8, 200]
    assert all(np.array_equal(a[:], made.arrays()[name][:]) for name, a in read.arrays().items())
    one, other = Vectors([made]), Vectors([read])
    assert one.info() == other.info()
    tenth = Allowed(np.arange(0, 6000, 20))
    for question in clustered(5, seed=9):
        for p, q in ((one, other), (Vectors([made], exact=True), Vectors([read], exact=True))):
            for allowed in (None, tenth):
                a, b = p.ask(question).best(20, allowed), q.ask(question).best(20, allowed)
                assert a.nodes.tolist() == b.nodes.tolist() and a.values.tolist() == b.values.tolist()
            assert p.ask(question).moments.squares == pytest.approx(q.ask(question).moments.squares, rel=1e-12)
    merged = merge([read, segment([1, 3, 7001], clustered(3))], first_stage=forced(kind))
    assert merged.nums.tolist() == sorted(set(range(0, 6000, 2)) - {2, 8, 200} | {1, 3, 7001})
    np.testing.assert_array_equal(Vectors([merged]).at(made.nums[5:50]), one.at(made.nums[5:50]))


@pytest.mark.parametrize("kind", KINDS)
def test_merging_keeps_the_sums(kind):
    matrix = clustered()
    parts = [segment(np.arange(s, s + 1000), matrix[s : s + 1000], forced(kind)) for s in (2000, 0)]
    parts = [*parts, segment(np.arange(1000, 2000), matrix[1000:2000])]
    parts = [p.without(np.arange(0, 3000, 11)) for p in parts]
    merged = merge(parts, first_stage=forced(kind))
    kept = np.setdiff1d(np.arange(3000), np.arange(0, 3000, 11))
    question = matrix[5]
    dense = unit(matrix)[kept] @ unit([question])[0]
    moments = Vectors([merged]).ask(question).moments
    assert (merged.size, moments.size) == (len(kept), len(kept))
    assert moments.total == pytest.approx(dense.sum(), rel=1e-6)
    assert moments.squares == pytest.approx((dense**2).sum(), rel=1e-6)


def test_codes_are_made_by_size_and_only_where_they_serve(monkeypatch):
    matrix = clustered(500)
    auto = FirstStageSettings()
    assert segment(np.arange(500), matrix, auto).first_stage is None
    assert segment(np.arange(500), matrix, None).first_stage is None
    assert segment(np.arange(256), matrix[:256], forced("auto")).first_stage is None, "a small write is quick"
    monkeypatch.setattr(quantised, "EXACT_UP_TO", {"faiss": 499, "numpy": 510})
    made = segment(np.arange(500), matrix, auto)
    assert made.first_stage is not None and made.first_stage.recall >= quantised.RECALL
    info = Vectors([made]).info()
    assert info.first_stage == "faiss"
    assert info.recall == made.first_stage.recall and info.code_bytes > 0
    assert segment(np.arange(499), matrix[1:], auto).first_stage is None
    assert segment(np.arange(500), matrix, FirstStageSettings(kind="numpy")).first_stage is None
    monkeypatch.setattr(quantised, "RECALL", 1.1)
    refused = segment(np.arange(500), matrix, auto)
    assert refused.first_stage is None and Vectors([refused]).info().recall == 1
    assert refused.sums is not None, "the moments need no full pass all the same"


@pytest.fixture
def no_faiss(monkeypatch):
    monkeypatch.setitem(sys.modules, "faiss", None)
    quantised._faiss.cache_clear()
    yield
    monkeypatch.undo()
    quantised._faiss.cache_clear()


def test_without_faiss_numpy_serves_and_stored_codes_are_passed_over(tmp_path, request):
    matrix = clustered(600)
    with_faiss = segment(np.arange(600), matrix, forced("auto"))
    assert with_faiss.first_stage.codes.kind == "faiss"
    request.getfixturevalue("no_faiss")
    assert segment(np.arange(600), matrix, forced("auto")).first_stage.codes.kind == "numpy"
    with pytest.raises(MissingExtraError, match=r"fourfold\[scale\]"):
        segment(np.arange(600), matrix, forced("faiss"))
    read = on_disk(with_faiss, tmp_path / "segment")
    assert read.first_stage is None
    check(Vectors([read]), dict(enumerate(matrix)), matrix[3], 10)


def test_an_old_faiss_counts_as_none(monkeypatch):
    monkeypatch.setattr("faiss.__version__", "1.8.0")  # it accepts selectors for fast scan, and ignores them
    quantised._faiss.cache_clear()
    try:
        assert quantised.available("auto") == "numpy"
    finally:
        quantised._faiss.cache_clear()


def test_faiss_is_imported_only_when_codes_are_made():
    code = (
        "import sys, numpy as np; from fourfold.index.vectors import *\n"
        "s = VectorSegment.build(np.arange(900), np.eye(900, dtype=np.float32), first_stage=FirstStageSettings())\n"
        "Vectors([VectorSegment.from_arrays(s.arrays())]).ask(np.ones(900)).best(3); assert 'faiss' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_a_filter_is_remembered_as_long_as_it_lives():
    stored = segment(np.arange(100), clustered(100))
    allowed = Allowed(np.arange(0, 100, 2))
    assert stored.select(allowed) is stored.select(allowed)
    assert len(stored._selections) == 1
    del allowed
    gc.collect()
    assert len(stored._selections) == 0


@pytest.mark.parametrize("kind", KINDS)
def test_threads_share_a_segment(kind, tmp_path):
    made = segment(np.arange(3000), clustered(), forced(kind))
    questions = clustered(24, seed=4)
    half = Allowed(np.arange(0, 3000, 2))
    alone = [Vectors([made]).ask(q).best(10, half).nodes.tolist() for q in questions]
    part = Vectors([on_disk(made, tmp_path / "segment")])  # its codes are loaded by whoever comes first
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda q: part.ask(q).best(10, half).nodes.tolist(), questions)) == alone


def test_removing_copies_no_vectors():
    stored = segment(np.arange(100), clustered(100))
    assert stored.without(np.array([200])) is stored
    less = stored.without(np.array([5, 5, 200]))
    assert less.size == 99 and less.vectors is stored.vectors
    assert less.arrays()["vectors"] is stored.arrays()["vectors"]
    assert stored.size == 100


def test_building_leaves_the_matrix_alone_unless_told():
    matrix = clustered(10)
    before = matrix.copy()
    segment(np.arange(10), matrix)
    np.testing.assert_array_equal(matrix, before)
    taken = VectorSegment.build(np.arange(10), matrix, first_stage=None, overwrite=True)
    assert taken.vectors is matrix


def test_what_cannot_be_meant_is_refused():
    matrix = clustered(3)
    with pytest.raises(InvalidValueError, match="ascending"):
        segment([2, 1, 3], matrix)
    with pytest.raises(InvalidValueError, match="2 numbers for 3 vectors"):
        segment([1, 2], matrix)
    with pytest.raises(InvalidValueError, match="'pq'"):
        FirstStageSettings(kind="pq")
    with pytest.raises(InvalidValueError, match="live in two segments"):
        merge([segment([1, 2, 3], matrix), segment([3, 4, 5], matrix)], first_stage=None)
    with pytest.raises(InvalidValueError, match=r"\[3, 32\] dimensions"):
        merge([segment([1, 2, 3], matrix), segment([4], matrix[:1, :3])], first_stage=None)
    with pytest.raises(DimensionError, match=r"\[3, 32\]"):
        Vectors([segment([1, 2, 3], matrix), segment([4], matrix[:1, :3])])
    with pytest.raises(DimensionError, match=r"\(3,\)"):
        Vectors([segment([1, 2, 3], matrix)]).ask(np.ones(3))


def test_no_vectors_at_all():
    part = Vectors([])
    assert (part.size, part.dimensions, part.info().first_stage) == (0, 0, "exact")
    ranking = part.ask(np.ones(4))
    assert len(ranking.best(3).nodes) == 0 and ranking.best(3).floor == -math.inf
    assert ranking.moments.size == 0 and ranking.moments.maximum == 0
    assert ranking.at(np.array([1, 2])).tolist() == [0, 0]
    assert part.at(np.array([1])).shape == (1, 0)


def test_coding_leaves_the_threads_of_faiss_as_they_were():
    faiss = pytest.importorskip("faiss")
    before = faiss.omp_get_max_threads()
    vectors = np.random.default_rng(5).standard_normal((400, 16)).astype(np.float32)
    try:
        faiss.omp_set_num_threads(3)
        with quantised._one_thread(faiss):
            assert faiss.omp_get_max_threads() == 1
        quantised.ProductCodes.build(vectors, vectors.mean(axis=0), np.cov(vectors.T))
        assert faiss.omp_get_max_threads() == 3
    finally:
        faiss.omp_set_num_threads(before)


class Late:
    """Codes that name ten others of the wrong end before each question's best; remembers how many were asked for."""

    kind, margin, eager, nbytes = "late", 4, 4, 0

    def __init__(self, matrix, late):
        self.matrix, self.late, self.asked = unit(matrix), late, set()

    def arrays(self):
        return {}

    def nearest(self, question, count, mask):
        self.asked.add(count)
        order = np.argsort(-(self.matrix @ question), kind="stable")
        return np.concatenate((order[: -self.late - 1 : -1], order))[:count]


def test_recall_is_measured_among_no_more_candidates_than_a_search_begins_with():
    matrix = clustered(12_000)
    codes = Late(matrix, 600)
    assert measure(codes, unit(matrix)) == (4 * 610, 1.0)
    assert codes.asked == {2048}, "the 2,440 that it may come to are not read to know it"
    codes = Late(matrix, 2100)
    assert measure(codes, unit(matrix)) == (6000, 0.0)
    assert codes.asked == {2048, 6000}


@pytest.mark.parametrize(("share", "gathers"), [(1.0, False), (0.5, False), (0.1, True)])
def test_most_rows_are_read_where_they_lie(share, gathers):
    """Gathered, the rows of a million tools are a gigabyte for each question."""
    stored = segment(np.arange(1000), clustered(1000))
    read = []

    class Watched(OnDisk):
        def __getitem__(self, key):
            read.append(key)
            return super().__getitem__(key)

    watched = VectorSegment.from_arrays({name: Watched(array[:]) for name, array in stored.arrays().items()})
    nodes = np.sort(np.random.default_rng(0).permutation(1000)[: int(1000 * share)])
    question = clustered(1)[0]
    found = Vectors([watched]).ask(question).at(nodes)
    assert any(isinstance(key, np.ndarray) for key in read) == gathers
    few = np.concatenate([Vectors([stored]).ask(question).at(nodes[start : start + 9]) for start in range(0, 1000, 9)])
    np.testing.assert_array_equal(found, few)  # to the bit


def _other_rows(serialised, faiss):
    index = faiss.deserialize_index(serialised)
    faiss.rev_swig_ptr(index.invlists.get_ids(0), index.ntotal)[:] = 10**9
    return faiss.serialize_index(index)


@pytest.mark.parametrize(
    "crafted",
    [
        lambda codes, faiss: faiss.serialize_index(faiss.IndexFlatIP(16)),
        lambda codes, faiss: codes[: len(codes) // 2],
        lambda codes, faiss: np.concatenate((codes[:4], np.full(200, 255, np.uint8), codes[204:])),
        lambda codes, faiss: codes[:0],
        _other_rows,
    ],
    ids=["another kind", "cut", "of any size", "empty", "other rows"],
)
def test_codes_that_faiss_did_not_write_are_damage(crafted):
    """They were given to faiss, whose own errors came out, and rows that there are not."""
    faiss = pytest.importorskip("faiss")
    vectors = np.random.default_rng(0).standard_normal((400, 16)).astype(np.float32)
    codes = quantised.encode("faiss", vectors, vectors.mean(0), np.cov(vectors.T)).arrays()
    assert quantised.load(codes) is not None
    with pytest.raises(DamagedFileError, match="codes of the vectors"):
        quantised.load(codes | {"faiss_index": crafted(codes["faiss_index"], faiss)})


CRAMPED = """
import resource
from fourfold.errors import InvalidValueError
from fourfold.index import quantised

with open("/proc/self/statm") as told:
    mapped = int(told.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (mapped + (300 << 20),) * 2)
print(quantised.available("auto"))
try:
    quantised.available("faiss")
except InvalidValueError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="how much is mapped is told there")
def test_where_address_space_is_short_faiss_is_not_loaded():
    """It ended the process, by a signal."""
    pytest.importorskip("faiss")
    done = subprocess.run([sys.executable, "-c", CRAMPED], capture_output=True, text=True, check=True)
    kind, refusal = done.stdout.splitlines()
    assert kind == ("numpy" if hasattr(np, "bitwise_count") else "None")
    assert refusal.startswith('first_stage="faiss" reserves up to 2 GB of address space, more than ulimit -v leaves')
