"""Training from a graph: gradients against finite differences, determinism, resumption, what must always hold."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fourfold.embed.contextual import ContextualEmbedder
from fourfold.embed.contextual.composition import Composition
from fourfold.embed.contextual.lessons import lessons_of
from fourfold.embed.contextual.neighbour_mixing import Neighbours, fuse
from fourfold.embed.contextual.rows import TokenRows, joined
from fourfold.embed.contextual.training import Checkpoint, Settings, draw, loss_and_gradients, train
from fourfold.embed.static import bundled
from fourfold.errors import EmbedderError

VOCABULARY, DIMENSIONS = 60, 12
SMALL = Settings(steps=60, edges=16, nodes=8, check_every=10, rate=0.01)


def toy_lessons(n=40, seed=0, edges=True):
    """Two camps that share no token; edges stay within a camp."""
    chance = np.random.default_rng(seed)
    half = VOCABULARY // 2
    words = [chance.integers(0, half, chance.integers(4, 12)) + half * (node % 2) for node in range(n)]
    documents = TokenRows.of(words)
    titles, bodies = TokenRows.of([w[:2] for w in words]), TokenRows.of([w[2:] for w in words])
    ends = chance.integers(0, n // 2, (3 * n, 2)) * 2 + np.arange(3 * n)[:, None] % 2
    ends = ends if edges else ends[:0]
    return lessons_of(documents, titles, bodies, ends, chance.uniform(0.5, 1, len(ends)), seed=seed)


def toy_table(seed=0, dtype=np.float32):
    return np.random.default_rng(seed).normal(size=(VOCABULARY, DIMENSIONS)).astype(dtype)


@pytest.mark.parametrize("with_edges", [True, False])
def test_gradients_agree_with_finite_differences(with_edges):
    lessons = toy_lessons(edges=with_edges)
    batch = draw(lessons, SMALL, np.random.default_rng(1))
    chance = np.random.default_rng(2)
    parameters = {
        "table": toy_table(dtype=np.float64),
        "attention": chance.normal(size=VOCABULARY),
    }
    settings = replace(SMALL, temperature=0.2)
    _, gradients = loss_and_gradients(batch, parameters, settings)
    for name, value in parameters.items():
        places = np.flatnonzero(np.abs(gradients[name]) > 1e-3)
        assert len(places) > 40
        for place in chance.choice(places, 40, replace=False):
            sides = []
            for step in (1e-5, -1e-5):
                moved = value.copy()
                moved.flat[place] += step
                sides.append(loss_and_gradients(batch, {**parameters, name: moved}, settings)[0])
            assert gradients[name].flat[place] == pytest.approx((sides[0] - sides[1]) / 2e-5, rel=1e-4, abs=1e-6)


def test_an_edge_never_reads_its_answer_from_the_neighbours():
    lessons = toy_lessons()
    for seed in range(20):
        batch = draw(lessons, SMALL, np.random.default_rng(seed))
        asked = batch.texts.take(batch.questions)
        for question in range(SMALL.edges):
            row = batch.means[batch.own[question]]
            near = batch.texts.take(row.indices.astype(np.int64))
            own = asked.take(np.array([question])).ids.tolist()
            assert own not in [near.take(np.array([i])).ids.tolist() for i in range(len(near))]


def test_one_seed_gives_identical_bytes():
    once, again = (train(toy_lessons(), toy_table(), SMALL) for _ in range(2))
    assert once.table.tobytes() == again.table.tobytes()
    assert once.steps == again.steps


def test_an_interrupted_training_resumes_to_the_same_result():
    whole = train(toy_lessons(), toy_table(), SMALL)
    kept = []

    class Stop(Exception):
        pass

    def save(state):
        kept.append(state)
        if len(kept) == 2:
            raise Stop

    with pytest.raises(Stop):
        train(toy_lessons(), toy_table(), SMALL, checkpoint=Checkpoint(save=save))
    seen = []
    resumed = train(
        toy_lessons(),
        toy_table(),
        SMALL,
        checkpoint=Checkpoint(load=lambda: kept[-1]),
        progress=lambda done, total, mark: seen.append(done),
    )
    assert seen[0] == 3 * SMALL.check_every
    assert resumed.table.tobytes() == whole.table.tobytes()


def test_a_state_that_cannot_be_read_is_no_state():
    kept = []
    whole = train(toy_lessons(), toy_table(), SMALL, checkpoint=Checkpoint(save=kept.append))
    other = []
    train(toy_lessons(n=200), toy_table()[:, :4], SMALL, checkpoint=Checkpoint(save=other.append))
    for torn in (b"", b"PK", kept[0][:100], kept[0][:-100], b"\0" * len(kept[0]), other[0]):
        again = train(toy_lessons(), toy_table(), SMALL, checkpoint=Checkpoint(load=lambda torn=torn: torn))
        assert again.table.tobytes() == whole.table.tobytes()


def test_training_brings_held_out_neighbours_together():
    trained = train(toy_lessons(n=120), toy_table(), SMALL)
    assert trained.after["edges"].mean() > trained.before["edges"].mean()
    assert trained.steps > 0


def test_words_the_graph_does_not_hold_stay_where_they_are():
    lessons, table = toy_lessons(), toy_table()
    lessons = lessons_of(
        *(TokenRows(rows.ids // 2, rows.starts) for rows in (lessons.documents, lessons.titles, lessons.bodies)),
        lessons.edges,
        lessons.weights,
        seed=0,
    )
    trained = train(lessons, table, SMALL)
    unseen = np.setdiff1d(np.arange(VOCABULARY), lessons.vocabulary)
    size = np.sqrt((table**2).sum(axis=1).mean())
    np.testing.assert_allclose(trained.table[unseen], table[unseen] / size, rtol=1e-6)


@pytest.mark.parametrize("n", [0, 1, 2])
def test_hardly_any_nodes(n):
    lessons = toy_lessons(n=40)
    nodes = np.arange(n)
    rows = [rows.take(nodes) for rows in (lessons.documents, lessons.titles, lessons.bodies)]
    few = lessons_of(*rows, np.empty((0, 2), np.int64), np.empty(0), seed=0)
    trained = train(few, toy_table(), SMALL)
    assert np.isfinite(trained.table).all()


def test_texts_without_tokens_do_not_hurt():
    rows = TokenRows.of([[], [1, 2, 3, 4, 5], [], [6, 7, 8, 9]])
    lessons = lessons_of(rows, rows, rows, np.array([[0, 1], [1, 2], [2, 3], [0, 0]]), np.ones(4), seed=0)
    with np.errstate(all="raise", under="ignore"):
        trained = train(lessons, toy_table(), SMALL)
    assert np.isfinite(trained.table).all()


# -- pieces -------------------------------------------------------------------------------------------------------

TEXTS = st.lists(st.lists(st.integers(0, VOCABULARY - 1), max_size=8), min_size=1, max_size=8)


@given(TEXTS, st.data())
def test_rows_hold_what_was_put_in(texts, data):
    rows = TokenRows.of(texts)
    order = data.draw(st.lists(st.integers(0, len(texts) - 1), max_size=8))
    taken = rows.take(np.array(order, np.int64))
    assert [taken.ids[a:b].tolist() for a, b in zip(taken.starts, taken.starts[1:], strict=False)] == [
        texts[i] for i in order
    ]
    cut = rows.first(3)
    assert [cut.ids[a:b].tolist() for a, b in zip(cut.starts, cut.starts[1:], strict=False)] == [t[:3] for t in texts]
    assert joined(rows, taken).lengths.tolist() == rows.lengths.tolist() + taken.lengths.tolist()


@given(TEXTS)
@settings(deadline=None)
def test_equal_attention_is_the_mean(texts):
    table = toy_table()
    composed = Composition(table, np.zeros(VOCABULARY, np.float32)).compose(TokenRows.of(texts))
    for text, vector in zip(texts, composed.vectors, strict=True):
        mean = table[text].mean(axis=0) if text else np.zeros(DIMENSIONS)
        length = np.linalg.norm(mean) or 1
        np.testing.assert_allclose(vector, mean / length, atol=1e-5)


def test_fusion_is_what_the_method_says():
    texts = np.eye(3)
    means = np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]], float)
    found = fuse(texts, means, np.array([True, True, False]), 0.8).vectors
    np.testing.assert_allclose(found[0], np.array([0.8, 0.2, 0]) / np.hypot(0.8, 0.2))
    np.testing.assert_allclose(found[2], texts[2])


def test_neighbours_are_drawn_by_weight():
    near = Neighbours(np.array([[0, 1], [0, 2], [3, 3]]), np.array([3.0, 1.0, 1.0]), 5)
    drawn = near.sample(np.zeros(4000, np.int64), 1, np.random.default_rng(0))
    assert (drawn == 1).mean() == pytest.approx(0.75, abs=0.03)
    assert set(near.sample(np.array([3, 4]), 2, np.random.default_rng(0)).ravel()) == {-1}
    joined_ = near.joined(np.array([0, 1, 4]), np.array([1, 1, 0, 3]))
    assert joined_.tolist() == [[True, True, False, False], [False, False, True, False], [False] * 4]


def test_the_embedder_survives_its_bytes():
    tokenizer, table = bundled().token_vectors()
    trained = ContextualEmbedder(table, tokenizer, 0.8)
    again = ContextualEmbedder.from_bytes(trained.to_bytes(), "a test")
    texts = ["a graph of tools", "", "naïve café"]
    np.testing.assert_array_equal(trained.embed_documents(texts), again.embed_documents(texts))
    assert (again.name, again.own_share) == (trained.name, 0.8)
    assert ContextualEmbedder(table, tokenizer, 0.7).name != trained.name
    np.testing.assert_allclose(
        trained.embed_documents(texts), bundled().embed_documents(texts), atol=2e-3
    )  # untrained it is the static model


def test_no_text_and_half_a_character_are_embedded_as_by_the_bundled_model():
    """Both were errors of the libraries below."""
    tokenizer, table = bundled().token_vectors()
    embedder = ContextualEmbedder(table, tokenizer, 1.0)
    assert embedder.embed_documents([]).shape == bundled().embed_documents([]).shape == (0, 256)
    texts = ["half \ud800 a character", "half ? a character"]
    np.testing.assert_array_equal(*embedder.embed_documents(texts))
    np.testing.assert_allclose(embedder.embed_documents(texts), bundled().embed_documents(texts), atol=2e-3)


@pytest.mark.parametrize("content", [b"", b"nothing", None])
def test_bytes_that_are_no_model(content):
    if content is None:
        tokenizer, table = bundled().token_vectors()
        content = ContextualEmbedder(table, tokenizer, 1.0).to_bytes()[:-1000]
    with pytest.raises(EmbedderError, match=r"in a test cannot be read"):
        ContextualEmbedder.from_bytes(content, "a test")


def test_bytes_that_would_take_far_more_memory_than_their_size():
    tokenizer, table = bundled().token_vectors()
    content = ContextualEmbedder(np.zeros((400_000, 256), np.float32), tokenizer, 1.0).to_bytes()
    with pytest.raises(EmbedderError, match=r"it has [\d,]+ bytes, and would take 10\d,\d{3},\d{3}"):
        ContextualEmbedder.from_bytes(content, "a test")


@pytest.mark.parametrize(
    ("part", "says"),
    [
        ({"padding": {"strategy": {"Fixed": 10**8}}}, "fills texts up"),
        ({"pre_tokenizer": {"type": "Split", "pattern": {"Regex": "(a+)+$"}}}, "regular expression"),
        ({"normalizer": {"type": "Replace", "pattern": {"String": "a"}, "content": "aaa"}}, "long texts"),
        ({"normalizer": {"normalizers": [{"pattern": {"Regex": r"\s+"}, "content": "    "}]}}, "long texts"),
        ({"normalizer": {"type": "Prepend", "prepend": "a"}}, "long texts"),
        ({"model": {"type": "WordPiece", "max_input_chars_per_word": 10**9}}, "more than 200 characters"),
        ({"normalizer": {"type": "Replace"}, "model": None}, "cannot be read"),
    ],
)
def test_a_tokenizer_that_may_take_any_time_or_memory_is_refused(part, says):
    tokenizer, table = bundled().token_vectors()
    content = ContextualEmbedder(table[:10], json.dumps(json.loads(tokenizer) | part), 1.0).to_bytes()
    with pytest.raises(EmbedderError, match=says):
        ContextualEmbedder.from_bytes(content, "a test")


def test_a_tokenizer_that_sets_blanks_around_marks_is_read():
    tokenizer, table = bundled().token_vectors()
    blanks = [{"type": "Replace", "pattern": {"String": mark}, "content": f" {mark} "} for mark in ",."]
    one = {"type": "Replace", "pattern": {"Regex": r"\s+"}, "content": " "}
    given = json.loads(tokenizer) | {"normalizer": {"type": "Sequence", "normalizers": [*blanks, one]}}
    content = ContextualEmbedder(table, json.dumps(given), 1.0).to_bytes()
    assert ContextualEmbedder.from_bytes(content, "a test").embed_query("a graph, of tools").any()


def test_a_tokenizer_that_breaks_down_is_an_error_of_the_embedder():
    tokenizer, table = bundled().token_vectors()
    given = json.loads(tokenizer)
    given["pre_tokenizer"] = {"type": "Split", "pattern": {"Regex": "(a+)+$"}, "behavior": "Isolated", "invert": False}
    with pytest.raises(EmbedderError, match="broke down"):
        ContextualEmbedder(table, json.dumps(given), 1.0).embed_query("a" * 40 + "!")
