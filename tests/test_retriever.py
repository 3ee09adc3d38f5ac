"""What a search promises: scores, weights, masks, thresholds, groups, the cache, explanations."""

# ruff: noqa: E501 (tables of cases read better on one line)

import json
import random
import time
from operator import attrgetter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fourfold import Components, Edge, Node, RetrievalConfig, Retriever, Weights, deprecated, pipeline

WORDS = [
    "save",
    "load",
    "file",
    "read",
    "write",
    "parse",
    "tree",
    "graph",
    "node",
    "edge",
    "disk",
    "cloud",
    "fast",
    "slow",
    "error",
]
TYPES = ("requires", "enables", "similar_to", "", "has_limitation", "loves")
QUERIES = (
    "save a file",
    "how to parse a tree",
    "error reading disk",
    "node vs edge",
    "fast cloud graph",
    '"load file"',
    "Tree",
)


def embed(texts):
    return [np.random.default_rng(sum(map(ord, text))).normal(size=6).tolist() for text in texts]


def random_graph(seed, config=None, size=40, edges=90):
    rng = random.Random(seed)
    retriever = Retriever(embedder=embed, config=config)
    text = lambda n: " ".join(rng.choices(WORDS, k=rng.randint(0, n)))  # noqa: E731
    nodes = [
        Node(
            f"n{n:02}",
            name=text(3),
            type=rng.choice(["tool", "idea"]),
            text=text(10),
            metadata={"n": n % 4, "doc": f"d{n % 9}"},
        )
        for n in range(size)
    ]
    pick = lambda: f"n{rng.randrange(size):02}"  # noqa: E731
    retriever.add(nodes, [Edge(pick(), pick(), rng.choice(TYPES), rng.choice([0.5, 1, 2])) for _ in range(edges)])
    return retriever


PRESETS = {"default": RetrievalConfig(), "published": RetrievalConfig.published()}


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("seed", range(3))
def test_contributions_add_up_to_the_score_of_the_hit(preset, seed):
    with random_graph(seed, PRESETS[preset]) as retriever:
        for query in QUERIES[seed::2]:
            for options in (
                {},
                {"intent": "workflow"},
                {"filter": {"n": {"$lt": 3}}, "k": 5},
                {"mode": "text"},
                {"weights": {"graph": 2}},
            ):
                result = retriever.search(query, **options)
                for rank, hit in enumerate(result.hits, 1):
                    told = retriever.explain(query, hit.node.id, **options)
                    assert sum(c.value for c in told.contributions) == pytest.approx(hit.score, abs=1e-9)
                    assert told.score == pytest.approx(hit.score, abs=1e-12)
                    assert told.rank == rank and told.components == hit.components
                    assert told.intent == result.intent and told.weights == result.weights
                    if hit.score < 1:  # "rounding" hides nothing
                        assert abs(sum(c.value for c in told.contributions if c.component == "rounding")) < 1e-6
                    json.dumps(told.as_dict(), allow_nan=False)
                    told._repr_html_()


@pytest.mark.parametrize("preset", PRESETS)
def test_every_node_can_be_explained_hit_or_not(preset):
    with random_graph(9, PRESETS[preset]) as retriever:
        hits = set(retriever.search("save a file", filter={"n": 1}).ids)
        for n in range(40):
            told = retriever.explain("save a file", f"n{n:02}", filter={"n": 1})
            assert sum(c.value for c in told.contributions) == pytest.approx(told.score, abs=1e-9)
            assert (told.rank is not None) == (f"n{n:02}" in hits)
            assert n % 4 == 1 or told.score == 0


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 10**6),
    st.lists(st.sampled_from([*WORDS, "how", "to", "vs", "error"]), max_size=6).map(" ".join),
    st.one_of(st.none(), st.tuples(*[st.floats(0, 1e6)] * 4).filter(any).map(lambda w: Weights(*w))),
    st.sampled_from(["hybrid", "text", "embedding"]),
)
def test_scores_lie_between_0_and_1(seed, query, weights, mode):
    with random_graph(seed, size=12, edges=25) as retriever:
        result = retriever.search(query, weights=weights, mode=mode)
        assert [result[rank] for rank in range(len(result))] == [*result] == [*result.hits]
        scores = [hit.score for hit in result.hits]
        assert scores == sorted(scores, reverse=True)
        assert all(0 <= score <= 1 for score in scores)
        assert all(0 <= value <= 1 + 1e-6 for hit in result.hits for value in hit.components.as_dict().values())
        assert all(type(hit.score) is float for hit in result.hits)
        assert not any(weights is None for weights in result.weights.as_tuple())
        json.dumps(result.as_dict(), allow_nan=False)


# -- weights ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("alone", ["embedding", "text", "graph", "intent"])
def test_a_single_weight_ranks_by_that_component_alone(preset, alone):
    config = PRESETS[preset].replace(diversity={"bonus": 0.0})
    weights = Weights(**{name: float(name == alone) for name in ("embedding", "text", "graph", "intent")})
    with random_graph(3, config) as retriever:
        hits = retriever.search("error reading disk", weights=weights, intent="debugging", k=40).hits
        assert hits[0].score > 0
        assert all(hit.score == pytest.approx(getattr(hit.components, alone), abs=1e-6) for hit in hits)
        assert all(alone in hit.method.split("+") for hit in hits if hit.score > 0)


def test_weights_make_the_score():
    with random_graph(4, RetrievalConfig().replace(diversity={"bonus": 0.0})) as retriever:
        for weights in (Weights(1, 2, 3, 4), {"embedding": 0, "text": 0.7}, {"graph": 0.0}, None):
            result = retriever.search("save a file", weights=weights)
            assert sum(result.weights.as_tuple()) == pytest.approx(1)
            for hit in result.hits:
                parts = zip(result.weights.as_tuple(), hit.components.as_dict().values(), strict=True)
                assert hit.score == pytest.approx(min(sum(w * c for w, c in parts), 1), abs=1e-6)


@pytest.mark.parametrize("query", ["save a file", "error reading disk", "how to open a pipe"])
@pytest.mark.parametrize("named", [{"graph": 0}, {"embedding": 0, "text": 0.7}, {"intent": 0.5}, {"text": 1.0}])
def test_weights_a_caller_does_not_name_stay_as_they_were(query, named):
    with random_graph(4) as retriever:
        before = retriever.search(query).weights.as_dict()
        after = retriever.search(query, weights=named).weights.as_dict()
    others = {name: weight for name, weight in before.items() if name not in named}
    total = sum(others.values()) + sum(named.values())
    assert after == pytest.approx({name: weight / total for name, weight in {**others, **named}.items()})


def test_the_published_preset_fills_in_its_own_profile():
    with random_graph(4, RetrievalConfig.published()) as retriever:
        assert retriever.search("save a file", weights={"graph": 0}).weights == Weights(0.40, 0.45, 0.0, 0.0)
        assert retriever.search("save a file", weights={"text": 0.7}).weights == Weights(0.40, 0.7, 0.15, 0.0)
        assert retriever.search("save a file", weights={}).weights == retriever.search("save a file").weights


def test_paths_answer_unless_the_caller_names_the_weight_of_intent():
    nodes = [Node("ada", "Ada Byron", "person"), Node("lord", "Lord Byron", "person"), Node("rex", "Rex", "dog")]
    with Retriever() as retriever:
        retriever.add(nodes, [Edge("lord", "ada", "child"), Edge("ada", "rex", "dog")])
        question = "who is the child of Lord Byron?"
        assert retriever.search(question).ids[0] == "ada"
        assert retriever.search(question, weights={"graph": 0}).ids[0] == "ada"
        assert retriever.search(question, weights={"intent": 0}).weights.intent == 0
        assert retriever.search(question, weights=Weights(1, 1, 0, 0.1)).weights.intent == pytest.approx(0.1 / 2.1)


# -- filters and the graph ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", PRESETS)
def test_a_masked_node_is_neither_hit_nor_seed_nor_passed_through(preset):
    nodes = [
        Node("seed", name="alpha", metadata={"ok": True}),
        Node("far", metadata={"ok": True}),
        Node("hidden", name="alpha alpha"),
    ]
    with Retriever(embedder=lambda texts: [[0.0, 0.0]] * len(texts), config=PRESETS[preset]) as retriever:
        retriever.add(nodes, [Edge("seed", "hidden", "requires"), Edge("hidden", "far", "requires")])
        open_ids = retriever.search("alpha", intent="workflow").ids
        assert set(open_ids) == {"seed", "hidden", "far"}
        masked = retriever.search("alpha", intent="workflow", filter={"ok": True})
        assert masked.ids == ["seed"]  # `far` can only be reached through or from `hidden`
        told = retriever.explain("alpha", "hidden", intent="workflow", filter={"ok": True})
        assert told.score == 0 and told.rank is None


def test_a_node_that_the_filter_leaves_out_is_told_so_also_where_nothing_speaks_for_it():
    with Retriever(embedder=lambda texts: [[0.0, 0.0]] * len(texts)) as retriever:
        retriever.add([Node("a", "alpha", metadata={"ok": True}), Node("b", "beta"), Node("c", "gamma")])
        told = retriever.explain("alpha", "b", filter={"ok": True})
        assert [(item.kind, item.value) for item in told.evidence] == [("masked", 0.0)]
        assert "is left out by the filter" in told.text and told.score == 0 and told.rank is None
        assert not retriever.explain("alpha", "b").evidence


@pytest.mark.parametrize("seed", range(3))
def test_masked_nodes_never_appear(seed):
    with random_graph(seed) as retriever:
        for query in QUERIES:
            hits = retriever.search(query, k=40, filter={"n": {"$in": [0, 2]}}).hits
            assert hits and {hit.node.metadata["n"] for hit in hits} <= {0, 2}
            assert retriever.search(query, filter={"n": 17}).hits == ()


# -- thresholds and groups ----------------------------------------------------------------------------------------------


def test_min_score_cuts_on_the_score_the_caller_sees():
    with random_graph(5) as retriever:
        everything = retriever.search("save a file", k=40).hits
        middle = everything[len(everything) // 2].score
        kept = retriever.search("save a file", k=40, min_score=middle).hits
        assert kept == tuple(hit for hit in everything if hit.score >= middle)
        assert retriever.search("save a file", min_score=1.01).hits == ()
        assert retriever.search("save a file", k=40, min_score=-1).hits == everything


def test_an_answer_says_that_nothing_could_be_grouped_or_passes():
    retriever = Retriever(":memory:")
    assert retriever.search("save").notes == ("The graph is empty; fourfold index and Retriever.add fill it.",)
    retriever.add([Node(id=str(n), text="Save text.", metadata={"source": "a.md"}) for n in range(3)])
    assert len(retriever.search("save", group_by="source")) == 1
    found = retriever.search("save", group_by="sorce")
    assert len(found) == 3 and found.notes == ("No hit has 'sorce' in its metadata, so nothing was grouped.",)
    (said,) = retriever.search("save", filter={"source": "b.md"}).as_dict()["notes"]
    assert said.startswith("No node passes the filter")
    assert not retriever.search("save", group_by="source").notes
    empty = retriever.search(" \n")
    assert not empty.hits and empty.notes == ("The question is empty; ask it in words, or by query_vector.",)
    assert not retriever.search("", query_vector=retriever.vectors(["0"])["0"]).notes


def test_a_group_gives_at_most_so_many_hits_and_k_is_still_filled():
    with random_graph(6) as retriever:
        for most in (1, 2):
            hits = retriever.search("save a file", k=9, group_by="doc", max_per_source=most).hits
            documents = [hit.node.metadata["doc"] for hit in hits]
            assert len(hits) == 9 and max(map(documents.count, documents)) <= most
        ungrouped = retriever.search("save a file", k=9, group_by="no such key").ids
        assert len(set(ungrouped)) == 9  # nodes without the key are groups of their own


def test_groups_are_looked_for_no_further_where_coverage_orders_the_best(monkeypatch):
    words = ["harbour", "ferry", "lantern", "gravel", "orchard", "thunder", "velvet", "copper"]
    texts = [" ".join(words[(n * step) % 8] for step in range(1, 2 + n % 7)) for n in range(400)]
    nodes = [Node(str(n), f"note {n}", text=text, metadata={"shelf": n % 5}) for n, text in enumerate(texts)]
    asked, run = [], pipeline.run
    with Retriever() as retriever:
        retriever.add(nodes, [Edge(str(n), str(n * 7 % 400), "mentions") for n in range(400)])
        whole = retriever.search("lantern in the harbour and the velvet orchard", k=400).hits
        monkeypatch.setattr(pipeline, "run", lambda *given: asked.append(given) or run(*given))
        found = retriever.search("lantern in the harbour and the velvet orchard", k=5, group_by="shelf").hits
    assert any(item.kind == "coverage" for hit in found for item in hit.evidence)
    first = {}
    for hit in whole:
        first.setdefault(hit.node.metadata["shelf"], hit)
    assert [(hit.node.id, hit.score) for hit in found] == [(hit.node.id, hit.score) for hit in first.values()]
    assert len(asked) == 1


# -- the cache ----------------------------------------------------------------------------------------------------------


def test_every_argument_that_changes_the_answer_is_part_of_the_key():
    vector = [1.0, 0, 0, 0, 0, 0]
    variants = [
        {}, {"k": 3}, {"k": 4}, {"filter": {"n": 1}}, {"filter": {"n": 2}}, {"intent": "debugging"}, {"intent": "default"},
        {"weights": {"text": 2}}, {"weights": {"text": 3}}, {"query_vector": vector}, {"query_vector": vector[::-1]},
        {"mode": "text"}, {"mode": "embedding"}, {"min_score": 0.3}, {"group_by": "n"}, {"group_by": "n", "max_per_source": 2},
        {"group_by": "doc"},
    ]  # fmt: skip
    uncached = RetrievalConfig().replace(index={"cache_seconds": 0})
    with random_graph(7) as retriever, random_graph(7, uncached) as plain:
        for _ in range(2):
            for options in variants:
                assert retriever.search("save a file", **options) == plain.search("save a file", **options), options
        first = retriever.search("save a file")
        assert retriever.search("save a file") is first
        assert retriever.search("save a file ") is not first
        assert plain.search("save a file") is not plain.search("save a file")


def test_the_cache_forgets_after_its_life_and_on_a_write(monkeypatch):
    with random_graph(8) as retriever:
        first = retriever.search("save a file")
        now = time.monotonic()
        monkeypatch.setattr("fourfold.cache.time.monotonic", lambda: now + 299)
        assert retriever.search("save a file") is first
        monkeypatch.setattr("fourfold.cache.time.monotonic", lambda: now + 301)
        second = retriever.search("save a file")
        assert second is not first and second == first
        retriever.add([Node("new", name="save a file")])
        third = retriever.search("save a file")
        assert "new" in third.ids and third.generation > second.generation


def test_other_graphs_keep_their_answers():
    with random_graph(1) as one, random_graph(2) as two:
        kept = two.search("save a file")
        one.add([Node("new", name="save a file")])
        assert two.search("save a file") is kept


def test_hits_carry_what_the_caller_needs():
    with random_graph(1) as retriever:
        hit = retriever.search("save a file").hits[0]
        assert isinstance(hit.components, Components) and hit.why and hit.node.text
        with pytest.raises(TypeError):
            hit.node.metadata["n"] = 5
        assert retriever.get([hit.node.id])[0] == hit.node


def test_names_of_the_last_version_say_what_they_are_called_now():
    with Retriever() as retriever:
        retriever.add([Node("a", "alpha")])
        with pytest.warns(DeprecationWarning, match=r"Retriever\.feedback is now Retriever\.learning\.feedback"):
            retriever.feedback("first?", "a")
        assert retriever.learning.judgements() == [("first?", "a", 1.0)]
        with pytest.warns(DeprecationWarning, match=r"Retriever\.store is now Retriever\.backend"):
            assert retriever.store is retriever.backend
        for name, there in deprecated.MOVED.items():
            with pytest.warns(DeprecationWarning, match=rf"Retriever\.{name} is now Retriever\.{there};"):
                assert getattr(retriever, name) == attrgetter(there)(retriever)
        with pytest.raises(AttributeError, match=r"no attribute 'scores'; see Retriever\.analysis\.scores"):
            _ = retriever.scores
        with pytest.raises(AttributeError, match="no attribute 'nothing'$"):
            _ = retriever.nothing


def test_the_face_is_small():
    public = [name for name, value in vars(Retriever).items() if callable(value) and not name.startswith("_")]
    assert len(public) <= 18, public


def test_equal_nodes_tie_and_comparisons_order_them_by_id_in_any_order_of_writes():
    texts = [("json", "text format"), ("json", "text format"), ("pickle", "binary format"), ("pickle", "binary format")]
    nodes = [Node(f"n{i}", name, text=text) for i, (name, text) in enumerate([*texts, ("yaml", "another format")])]
    found = []
    for order in (nodes, nodes[::-1]):
        with Retriever() as retriever:
            retriever.add(order)
            found.append([(hit.node.id, hit.score) for hit in retriever.search("compare json and pickle", k=3)])
    assert found[0] == found[1]
    same = [Node(f"n{i:02d}", "Paris gamma", text="how json write author tree alpha reading file") for i in range(17)]
    others = [Node(f"z{i}", f"other {i}", text="nothing of this kind " * (i % 3)) for i in range(30)]
    with Retriever() as retriever:
        retriever.add([*same, *others])
        for question in ("write how tree author gamma json Paris", "alpha beta gamma", "reading a file"):
            result = retriever.search(question, k=17)
            assert result.ids == [node.id for node in same]
