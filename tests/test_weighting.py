"""What the default weights follow: the kind of model that makes the vectors."""

import numpy as np
import pytest

from fourfold import Edge, Node, RetrievalConfig, Retriever, Weights
from fourfold.config_history import changes_of
from fourfold.embed import StaticEmbedder
from fourfold.embed.static import BUNDLED_FOLDER
from fourfold.weighting import legible, over_encoder

NODES = [Node("a", "alpha", text="the first letter"), Node("b", "beta", text="the second letter")]
DEFAULT = RetrievalConfig().fusion.weights


def letters(texts):
    """Count each letter: nobody's table of tokens."""
    return np.array([[text.count(chr(c)) + 0.1 for c in range(97, 123)] for text in texts])


def test_over_an_encoder_embedding_has_its_share_of_what_it_and_text_have_together():
    with Retriever(embedder=letters) as retriever:
        retriever.add(NODES)
        weights = retriever.config.fusion.weights
        assert weights.embedding + weights.text == pytest.approx(DEFAULT.embedding + DEFAULT.text)
        assert weights.embedding / (weights.embedding + weights.text) == pytest.approx(0.65, abs=1e-3)
        assert (weights.graph, weights.intent) == (DEFAULT.graph, DEFAULT.intent)
        used = retriever.search("alpha").weights
    with Retriever(embedder=letters, config=RetrievalConfig().replace(fusion={"weights": weights})) as retriever:
        retriever.add(NODES)
        assert retriever.search("alpha").weights == used


@pytest.mark.parametrize("embedder", [None, BUNDLED_FOLDER, StaticEmbedder(BUNDLED_FOLDER)])
def test_over_a_table_of_tokens_the_weights_are_as_they_stand(embedder):
    with Retriever(embedder=embedder) as retriever:
        assert retriever.config == RetrievalConfig()


@pytest.mark.parametrize(
    "config",
    [
        RetrievalConfig().replace(fusion={"encoder_share": None}),
        RetrievalConfig().replace(fusion={"weights": Weights(0.3, 0.3, 0.2, 0.2)}),
        RetrievalConfig.published(),
        RetrievalConfig.two_signal(),
    ],
)
def test_weights_of_ones_own_stand(config):
    with Retriever(embedder=letters, config=config) as retriever:
        assert retriever.config == config


def test_other_constants_of_a_callers_config_leave_the_share_in_force():
    with Retriever(embedder=letters, config=RetrievalConfig(limit=3)) as retriever:
        assert retriever.config == over_encoder(RetrievalConfig(limit=3)) != RetrievalConfig(limit=3)


def test_the_weights_follow_another_embedder_and_what_was_applied_stays_applied(tmp_path):
    path = tmp_path / "g.db"
    with Retriever(path) as retriever:
        retriever.add(NODES)
        retriever.maintenance.reembed(letters)
        assert retriever.config == over_encoder(RetrievalConfig())
        retriever.maintenance.reembed(None)
        assert retriever.config == RetrievalConfig()
        retriever.maintenance.reembed(letters)
        learnt = retriever.config.replace(graph={"second_hop": 0.4})
        retriever.learning.apply_config(learnt)
        assert retriever.config == learnt
        retriever.maintenance.reembed(None)
        assert retriever.config == learnt
        retriever.learning.rollback_config(0)
        assert retriever.config == RetrievalConfig()


def test_a_copy_of_the_retriever_is_given_what_its_original_was_given():
    config = RetrievalConfig(limit=3)
    with Retriever(embedder=letters, config=config) as retriever:
        assert retriever._session.opened_with()[1] == changes_of(config)


SAYINGS = [
    Node("a", "tidy up", text="throw away what nobody reads any more"),
    Node("b", "keep", text="store the letters of the archive in a box"),
    Node("c", "post", text="send letters to whoever asks for them"),
    Node("d", "paint", text="colour a wall in the kitchen"),
]


def by_component(edges=(), **late):
    """Return (embedding, text) of each hit, by id."""
    with Retriever(config=RetrievalConfig().replace(fusion={"late": late}, index={"cache_size": 0})) as retriever:
        retriever.add(SAYINGS, edges)
        hits = retriever.search("delete old letters")
        return {hit.node.id: (hit.components.embedding, hit.components.text) for hit in hits}


def test_over_an_encoder_late_interaction_counts_half_on_embedding():
    assert over_encoder(RetrievalConfig()).fusion.late.on_embedding == 0.5
    given = RetrievalConfig().replace(fusion={"late": {"on_embedding": 0.8}})
    assert over_encoder(given).fusion.late.on_embedding == 0.8, "what a caller says stands"


@pytest.mark.parametrize("edges", [[], [Edge("a", "b", "mentions")]])
def test_in_graphs_of_documents_embedding_has_a_power_of_the_factor_that_text_has(edges):
    none, half, whole = (by_component(edges, on_embedding=power) for power in (0.0, 0.5, 1.0))
    both = [node for node in whole if min(*none[node], *half[node], *whole[node]) > 0]
    assert len(both) >= 2
    factor, root = (
        np.array([whole[n][0] / other[n][0] * other[n][1] / whole[n][1] for n in both]) for other in (none, half)
    )
    assert factor.max() / factor.min() > 1.05, "the factors are equal: nothing is tested"
    assert root / root[0] == pytest.approx(np.sqrt(factor / factor[0]))


def test_among_edges_that_state_facts_it_counts_wholly():
    edges = [Edge("a", "b", "depends_on")]
    assert by_component(edges, on_embedding=0.0) == by_component(edges, on_embedding=1.0)


NOT_ENGLISH = {
    "Russian": "какая из двух букв стоит первой в этой книге",
    "Chinese": "这本书中的两个字母哪一个排在第一位",
    "Turkish": "kitaptaki iki harften hangisi önce gelmektedir ve neden böyledir",
    "Arabic": "أي من الحرفين يأتي أولا في هذا الكتاب",
}
IN_FULL = RetrievalConfig().replace(fusion={"foreign": 1.0})


def weights_of(question, config=None, embedder=None, **options):
    with Retriever(config=config, embedder=embedder) as retriever:
        retriever.add(NODES)
        told = retriever.explain(question, "a", **options)
        assert sum(part.value for part in told.contributions) == pytest.approx(told.score, abs=1e-6)
        return told.weights


@pytest.mark.parametrize("question", NOT_ENGLISH.values(), ids=NOT_ENGLISH)
def test_a_question_that_the_model_cannot_read_is_answered_by_its_words(question):
    before, weights = weights_of(question, IN_FULL), weights_of(question)
    assert weights.embedding / weights.text == pytest.approx(0.25 * before.embedding / before.text)
    assert weights.embedding + weights.text == pytest.approx(before.embedding + before.text)
    assert (weights.graph, weights.intent) == (before.graph, before.intent)


@pytest.mark.parametrize(
    "question", ["which letter stands first in a book", "kubectl", "42", "Łódź", "INC-1057", "猫", "🐍"]
)
def test_english_and_what_is_too_short_to_tell_are_read(question):
    assert weights_of(question) == weights_of(question, IN_FULL)


@pytest.mark.parametrize(
    "own",
    [
        {"weights": DEFAULT},
        {"query_vector": np.ones(256)},
        {"embedder": letters},
    ],
    ids=lambda own: next(iter(own)),
)
def test_weights_vectors_and_embedders_of_ones_own_are_as_good_in_any_language(own):
    question = NOT_ENGLISH["Russian"]
    assert weights_of(question, **own) == weights_of(question, IN_FULL, **own)


@pytest.mark.parametrize("config", [RetrievalConfig.published(), RetrievalConfig.two_signal()])
def test_the_published_and_the_two_signal_method_know_no_language(config):
    assert config.fusion.foreign == 1.0
    changed = config.replace(fusion={"foreign": 0.25})
    assert weights_of(NOT_ENGLISH["Russian"], config) != weights_of(NOT_ENGLISH["Russian"], changed)


def test_how_far_a_question_can_be_read():
    words = "the quick brown fox jumps over".split()
    assert legible(words, np.ones(6, bool)) == 1.0
    assert legible(words, np.zeros(6, bool)) == 0.0
    some = [legible(words, np.arange(6) < known) for known in range(7)]
    assert some == sorted(some)
    assert legible([], np.ones(0, bool)) == 1.0
    assert legible(["1984"] * 99, np.zeros(99, bool)) == 1.0
