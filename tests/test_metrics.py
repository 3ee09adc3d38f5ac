"""Measures agree with trec_eval's own code, and with what the definitions say where it has none."""

import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from fourfold import InvalidValueError, Node, Retriever
from fourfold.evaluate import JudgedQuery, evaluate, feedback_judgements, measure, summarise, tune
from fourfold.evaluate.metrics import semantic_recall

IDS = [f"d{number:02d}" for number in range(30)]
THEIRS = {
    "ndcg@10": "ndcg_cut_10",
    "ndcg": "ndcg",
    "recall@5": "recall_5",
    "recall@10": "recall_10",
    "hit@5": "success_5",
    "precision@5": "P_5",
    "mrr": "recip_rank",
    "map": "map",
    "map@10": "map_cut_10",
}
grades = st.dictionaries(st.sampled_from(IDS), st.integers(0, 3), min_size=1, max_size=12)
rankings = st.lists(st.sampled_from(IDS), unique=True, max_size=30)


@given(relevant=grades, ranking=rankings)
def test_every_measure_is_that_of_trec_eval(relevant, ranking):
    families = {"ndcg_cut.10", "ndcg", "recall.5,10", "success.5", "P.5", "recip_rank", "map", "map_cut.10"}
    scores = {identity: float(len(ranking) - place) for place, identity in enumerate(ranking)}
    found = pytrec_eval.RelevanceEvaluator({"q": relevant}, families).evaluate({"q": scores})
    query = JudgedQuery("q", "", relevant)
    for ours, theirs in THEIRS.items():
        # trec_eval has no line for a query without an answer; it counts 0, and so it does here.
        expected = found["q"][theirs] if ranking else 0.0
        assert measure(ours)(ranking, query) == pytest.approx(expected, abs=1e-9), ours


def test_graded_judgements_weigh_in_ndcg_by_their_grade():
    query = JudgedQuery("q", "", {"main": 2, "side": 1})
    best, worse = measure("ndcg@10")(["main", "side"], query), measure("ndcg@10")(["side", "main"], query)
    assert best == 1.0
    assert worse == pytest.approx((1 + 2 / 1.5849625007211562) / (2 + 1 / 1.5849625007211562))


def test_an_equivalent_counts_for_semantic_recall_only():
    query = JudgedQuery("q", "", {"a": 1, "b": 1}, {"a": ("a2", "a3")})
    assert measure("recall@5")(["a2", "b"], query) == 0.5
    assert semantic_recall(["a2", "b"], query, 5) == 1.0
    assert semantic_recall(["a2", "a3"], query, 5) == 0.5  # two equivalents of one id are one find
    assert measure("semantic_recall@1")(["x", "a2"], query) == 0.0


@pytest.mark.parametrize("name", ["ndgc@10", "recall@0", "recall@ten", "recall@-1", "recall@", "", 10])
def test_an_unknown_measure_is_refused_in_a_sentence(name):
    with pytest.raises(InvalidValueError, match="measure"):
        measure(name)


@pytest.mark.parametrize("size", [1e308, 1.7e308, 2.0**-1070])
def test_grades_of_any_size_are_measured_and_tuned_by(size):
    names = ["amber", "basil", "cedar", "dahlia"]
    with Retriever() as retriever:
        retriever.add([Node(f"{name}{number}", name) for name in names for number in range(3)])
        for number in range(3):
            retriever.learning.feedback("amber", f"amber{number}", size)
        judged = feedback_judgements(retriever)
        assert summarise(evaluate(retriever, judged), judged).measures["ndcg@10"].mean == 1.0
        learnt = []
        for grade in (size, 1.0):
            queries = [JudgedQuery(name, name, {f"{name}{number}": grade for number in range(3)}) for name in names]
            learnt.append(tune(retriever, queries, folds=2))
        assert learnt[0] == learnt[1]
