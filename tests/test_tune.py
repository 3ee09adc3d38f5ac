"""Tuning finds what is there, leaves noise alone, and applies nothing unasked."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fourfold import Edge, IntentSpec, InvalidValueError, Node, RetrievalConfig, Retriever, Weights
from fourfold.evaluate import JudgedQuery, Judgements, measure, tune
from fourfold.evaluate.components import ComponentScores
from fourfold.evaluate.learner import Learner
from fourfold.evaluate.tune import ERROR, answer_groups, evidence, make_folds, passes

WORDS = "amber basil cedar dahlia elder fennel ginger hazel iris juniper kale lotus maple nettle olive poppy".split()


def planted(n=60, seed=0):
    """Build a graph where each question names a node and is answered by what that node requires."""
    dice = np.random.default_rng(seed)
    names = [f"{a} {b}" for a in WORDS for b in WORDS if a < b][: 2 * n]
    nodes = [Node(f"n{i:03}", name, text=" ".join(dice.choice(WORDS, 6))) for i, name in enumerate(names)]
    edges = [Edge(f"n{i:03}", f"n{i + n:03}", "requires") for i in range(n)]
    edges += [Edge(f"n{a:03}", f"n{b:03}", "near") for a, b in dice.integers(0, 2 * n, (3 * n, 2)).tolist() if a != b]
    queries = [JudgedQuery(str(i), f"what goes with {names[i]}", {f"n{i + n:03}": 1.0}) for i in range(n)]
    return nodes, edges, queries


@pytest.fixture(scope="module")
def graph():
    nodes, edges, queries = planted()
    with Retriever(":memory:") as retriever:
        retriever.add(nodes, edges)
        yield retriever, queries


def test_judgements_are_tuned_by_as_they_were_loaded(graph):
    retriever, queries = graph
    judged = Judgements("mine", tuple(queries[:3]))
    assert tune(retriever, judged, folds=2).verdict.startswith("Not applied")
    with pytest.raises(InvalidValueError, match="folds is 1; it must be a whole number of at least 2"):
        tune(retriever, judged, folds=1)
    with pytest.raises(InvalidValueError, match="k is 0"):
        tune(retriever, judged, k=0)


def assert_cached_scores_are_the_pipelines(retriever, queries, config):
    scores = ComponentScores(retriever, queries)
    of = measure("ndcg@10")
    expected = [of(ranking, query) for ranking, query in zip(scores.pipeline_rankings(config), queries, strict=True)]
    assert scores.fast_ndcg(config) == pytest.approx(expected, abs=1e-6)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    weights=st.builds(Weights, *[st.floats(0.05, 1.5)] * 4),
    tilt=st.sampled_from([0.0, 0.25, 1.0]),
    sharpness=st.sampled_from([None, 2.0, 16.0]),
    hop=st.sampled_from([0.0, 0.5, 1.0]),
)
def test_cached_scores_are_worth_what_the_pipeline_is_worth(graph, weights, tilt, sharpness, hop):
    retriever, queries = graph
    config = retriever.config.replace(
        fusion={"weights": weights, "intent_tilt": tilt},
        seeds={"sharpness": sharpness},
        graph={"second_hop": hop, "bridge": {"weight": 0.0}},
        diversity={"bonus": 0.0, "coverage": {"weight": 0.0}},
    )
    assert_cached_scores_are_the_pipelines(retriever, queries, config)


def test_what_is_called_by_its_name_is_scored_as_the_pipeline_does(graph):
    retriever, queries = graph
    names = [node.name.title() for node in retriever.get([f"n{i:03}" for i in range(len(queries))])]
    called = [
        JudgedQuery(query.id, f"what is near {names[0]} and requires {name}", {**query.relevant, "n000": 0.5})
        for query, name in zip(queries[1:], names[1:], strict=True)
    ]
    config = RetrievalConfig().replace(
        graph={"bridge": {"weight": 0.0}},
        intents={"paths": {"weight": 0.0}},
        diversity={"bonus": 0.0, "coverage": {"weight": 0.0}},
    )
    assert_cached_scores_are_the_pipelines(retriever, called, config)


def test_what_is_planted_is_found_and_nothing_is_applied_unasked(graph):
    retriever, queries = graph
    before = retriever.config
    result = tune(retriever, queries)
    assert result.worthwhile and result.lower > 0 and result.gain.mean > 0.1
    assert result.verdict.startswith("Better")
    assert result.config != before and result.changes
    assert retriever.config is before and retriever.learning.config_versions() == []
    of = measure("ndcg@10")
    held_out = np.mean([of(result.rankings[query.id], query) for query in queries])
    assert held_out == pytest.approx(result.tuned.mean)


def test_random_labels_teach_nothing(graph):
    retriever, queries = graph
    ids = sorted(retriever.manifest())
    dice = np.random.default_rng(0)
    dealt = [replace(query, relevant={str(dice.choice(ids)): 1.0}) for query in queries]
    result = tune(retriever, dealt[:40])
    assert not result.worthwhile
    assert result.verdict.startswith("Not applied")


def test_few_queries_are_told_what_they_cannot_say(graph):
    retriever, queries = graph
    result = tune(retriever, queries[:8])
    assert not result.worthwhile
    assert result.notes[0].startswith("8 queries are few: nDCG is only known to lie between")
    assert result.notes[1].startswith("Seen on them, each answered by what the others taught: ")
    gained = [query.text for query in queries[:8] if query.text in result.notes[1]]
    assert gained, "the notes name the queries that moved"


def test_labels_on_one_node_leave_nothing_to_judge_by(graph):
    retriever, queries = graph
    same = [replace(query, relevant={"n001": 1.0}) for query in queries]
    result = tune(retriever, same)
    assert not result.worthwhile and result.folds == 0 and result.changes == {}
    assert "all queries share their answers" in result.verdict
    with pytest.raises(InvalidValueError, match="no judged queries"):
        tune(retriever, [])


def test_an_interrupted_tune_applies_nothing(tmp_path):
    nodes, edges, queries = planted(30)

    def stop(done, total):
        if done == 3:
            raise KeyboardInterrupt

    with Retriever(tmp_path / "kg.sqlite") as retriever:
        retriever.add(nodes, edges)
        before = retriever.config
        generation = retriever.generation
        with pytest.raises(KeyboardInterrupt):
            tune(retriever, queries, progress=stop)
        assert retriever.config is before and retriever.generation == generation
        assert retriever.learning.config_versions() == []


def test_a_graph_without_edges_can_be_tuned():
    nodes, _, _ = planted(40)
    queries = [JudgedQuery(node.id, node.name, {node.id: 1.0}) for node in nodes]
    with Retriever(":memory:") as retriever:
        retriever.add(nodes)
        result = tune(retriever, queries)
    assert result.default.mean > 0.8
    plain = {"name_weight", "text.keyword_boost", "fusion.intent_tilt", "fusion.weights", "profiles"}
    plain.add("graph.bridge.weight")  # words that texts share and names that they hold need no edges
    assert not set(result.changes) - plain


@given(st.lists(st.sets(st.sampled_from("abcdefgh"), min_size=1), min_size=1, max_size=60), st.integers(2, 6))
def test_queries_that_share_their_answers_share_their_fold(answers, folds):
    queries = [JudgedQuery(str(i), "q", dict.fromkeys(sorted(ids), 1.0)) for i, ids in enumerate(answers)]
    groups = answer_groups(queries)
    fold_of, used = make_folds(groups, folds, 0)
    assert used == min(folds, len(set(groups)))
    assert set(fold_of.tolist()) == set(range(used))
    for group in set(groups):
        assert len({int(fold) for fold, own in zip(fold_of, groups, strict=True) if own == group}) == 1


def made_up(count, *, lifted, random_labels=False, answers=40, seed=0):
    """Return queries that share answers, their former nDCG, and held-out rankings, a share of them lifted to 1."""
    dice = np.random.default_rng(seed)
    popularity = 1.0 / np.arange(1, answers + 1)
    own = dice.choice(answers, count, p=popularity / popularity.sum())
    served = dice.choice(answers, count, p=popularity / popularity.sum()) if random_labels else own
    queries = [JudgedQuery(str(place), "q", {f"n{answer}": 1.0}) for place, answer in enumerate(own.tolist())]
    rankings = []
    for answer, rise in zip(served.tolist(), (dice.random(count) < lifted).tolist(), strict=True):
        others = [f"n{other}" for other in dice.permutation(answers).tolist() if other != answer][:9]
        rankings.append([f"n{answer}", *others] if rise else [*others[:2], f"n{answer}", *others[2:]])
    before = np.full(count, 0.5)
    return queries, before, rankings, make_folds(answer_groups(queries), 5, 0)[0]


def test_the_gate_lets_a_planted_gain_pass_and_more_labels_do_not_hide_it():
    """A gain of .15 with shared answers: refused before, the more surely the more labels there were."""
    for count in (100, 300, 1000):
        bound, chance = evidence(*made_up(count, lifted=0.3))
        assert bound > 0 and chance <= ERROR
        assert passes(0.15, bound, chance, count)


def test_labels_that_have_nothing_to_do_with_the_queries_do_not_pass():
    """Everywhere the popular answers are lifted: a gain with any labels, so of labels at random few may pass."""
    passed = 0
    for seed in range(40):
        queries, _, rankings, folds = made_up(100, lifted=0.5, random_labels=True, answers=12, seed=seed)
        _, chance = evidence(queries, np.zeros(100), rankings, folds)
        passed += chance <= ERROR
    assert passed <= 1


@pytest.mark.parametrize("intent", [0.0, 0.2, 1.5])
def test_cached_scores_follow_paths_as_the_pipeline_does(graph, intent):
    retriever, _ = graph
    names = {node.id: node.name for node in planted()[0]}
    asked = [JudgedQuery(str(n), f"what does {names[f'n{n:03}']} require?", {f"n{n + 60:03}": 1.0}) for n in range(40)]
    weights = replace(retriever.config.fusion.weights, intent=intent)
    config = retriever.config.replace(
        fusion={"weights": weights},
        graph={"bridge": {"weight": 0.0}},
        diversity={"bonus": 0.0, "coverage": {"weight": 0.0}},
    )
    assert_cached_scores_are_the_pipelines(retriever, asked, config)
    by_paths = ComponentScores(retriever, asked).fast_ndcg(config).mean()
    without = ComponentScores(retriever, asked).fast_ndcg(config.replace(intents={"paths": {"weight": 0.0}})).mean()
    assert by_paths > without or not intent, "paths answer these questions"


def test_what_the_pipeline_does_not_confirm_is_not_learnt(graph):
    retriever, queries = graph
    learner = Learner(ComponentScores(retriever, queries), retriever.config)
    worse = retriever.config.replace(fusion={"weights": Weights(1.0, 0.0, 0.0, 0.0)})
    learner._climbed = lambda training: (worse, {"fusion.weights": "promised more"})
    learner._refinements = []
    assert learner.fit(np.ones(len(queries), bool)) == (retriever.config, {})


def test_a_gain_counts_where_most_questions_share_one_of_their_answers():
    """As 138 of 300 questions about tools do that all begin by looking whether there is a network."""
    dice = np.random.default_rng(0)
    shared = ["network"] * 140 + [f"other{n % 17}" for n in range(160)]
    queries = [JudgedQuery(str(n), f"q{n}", {f"own{n}": 1.0, one: 1.0}) for n, one in enumerate(shared)]
    after = [[f"own{n}", one] if dice.random() < 0.6 else [one] for n, one in enumerate(shared)]
    before = np.array([measure("ndcg@10")([one], query) for one, query in zip(shared, queries, strict=True)])
    folds, _ = make_folds(answer_groups(queries), 5, 0)
    bound, chance = evidence(queries, before, after, folds)
    assert bound > 0.15 and chance <= ERROR


def test_bridges_coverage_and_paths_are_learnt(graph):
    retriever, queries = graph
    scores = ComponentScores(retriever, queries)
    learner = Learner(scores, retriever.config)
    tried = {move.parameter for move in learner._whole_moves()}
    assert tried == {"graph.bridge.weight", "intents.paths.weight"}, "coverage waits for mentions"
    everywhere = np.ones(len(queries), bool)
    config, changes = learner.fit(everywhere)
    whole = {move.parameter: move for move, _ in learner._refinements or ()}
    for parameter in whole:
        group, part, name = parameter.split(".")
        assert getattr(getattr(getattr(config, group), part), name) == changes.get(
            parameter, getattr(getattr(getattr(retriever.config, group), part), name)
        )


def test_queries_that_no_intent_reads_are_learnt_from_too():
    intents = {"specs": (IntentSpec("mine", patterns=(r"\bmine\b",)),)}  # and none that takes what is left
    with Retriever(config=RetrievalConfig().replace(intents=intents)) as retriever:
        retriever.add(
            [Node(f"n{n}", f"word{n} thing{n}", text=f"alpha{n} beta{n % 7}") for n in range(100)],
            [Edge(f"n{n}", f"n{n + 1}", "uses") for n in range(99)],
        )
        asked = [f"word{n} beta{n % 7}{' mine' if n % 2 else ''}" for n in range(90)]
        queries = [JudgedQuery(str(n), text, {f"n{n}": 1.0}) for n, text in enumerate(asked)]
        learner = Learner(ComponentScores(retriever, queries), retriever.config)
        config, changes = learner.fit(np.ones(len(queries), bool))
    assert set(changes.get("profiles", {})) <= {"mine"} and len(config.intents.specs) == 1
