"""A reranker orders the best nodes, and the explanation goes on telling the truth."""

import itertools
import random
import re

import pytest

from fourfold import Edge, InvalidValueError, Node, Reranker, Retriever

NODES = [Node(f"n{i:02}", f"archive {i:02}", text=f"compress files {'gzip ' * (i % 5)}") for i in range(24)]


def by_number(query, texts):
    """Call the highest numbers best."""
    assert query == "compress gzip files"
    return [float(re.search(r"archive (\d+)", text)[1]) for text in texts]


class Predicts:
    def predict(self, pairs):
        return by_number(pairs[0][0], [text for _, text in pairs])


class Scores:
    def score(self, text_pairs):
        return by_number(text_pairs[0][0], [text for _, text in text_pairs])


class Reranks:
    def rerank(self, query, documents):
        return iter(by_number(query, documents))


@pytest.fixture
def retriever():
    with Retriever() as retriever:
        retriever.add(NODES, [Edge("n03", "n11", "requires"), Edge("n11", "n05", "requires")])
        yield retriever


def adds_up(hit):
    return sum(item.value for item in hit.evidence) == pytest.approx(hit.score, abs=1e-6)


@pytest.mark.parametrize("model", [by_number, Predicts(), Scores(), Reranks(), Reranker(by_number, depth=24)])
def test_the_order_is_the_model_s_and_the_scores_stay_what_they_were(retriever, model):
    plain = retriever.search("compress gzip files", k=24)
    found = retriever.search("compress gzip files", k=24, rerank=model)
    assert found.ids == sorted(plain.ids, reverse=True)
    assert [hit.score for hit in found] == pytest.approx([hit.score for hit in plain])
    for hit in found:
        told = [item for item in hit.evidence if item.kind == "rerank"]
        assert [item.word for item in told] == [f"{float(hit.node.id[1:]):.4g}"] and adds_up(hit)
        assert f"moved by the reranker, which gave it {float(hit.node.id[1:]):.4g}" in hit.why


def test_only_the_best_are_put_in_order(retriever):
    plain = retriever.search("compress gzip files", k=24)
    found = retriever.search("compress gzip files", k=10, rerank=Reranker(by_number, depth=6))
    assert found.ids == sorted(plain.ids[:6], reverse=True) + plain.ids[6:10]
    few = retriever.search("compress gzip files", k=2, rerank=Reranker(by_number, depth=6))
    assert few.ids == found.ids[:2], "more are looked at than are returned"


def test_an_explanation_says_what_the_reranker_did(retriever):
    options = {"k": 5, "rerank": Reranker(by_number, depth=6)}
    found = retriever.search("compress gzip files", **options)
    for rank, hit in enumerate(found, 1):
        explanation = retriever.explain("compress gzip files", hit.node.id, **options)
        assert (explanation.rank, explanation.score) == (rank, pytest.approx(hit.score))
        assert adds_up(explanation) and "rerank: moved by the reranker" in explanation.text
    outside = next(node.id for node in NODES if node.id not in retriever.search("compress gzip files", k=6).ids)
    assert adds_up(explanation := retriever.explain("compress gzip files", outside, **options))
    assert "reranker" not in explanation.text


def test_groups_and_thresholds_hold_after_it(retriever):
    retriever.add([Node(n.id, n.name, n.type, n.text, {"half": int(n.id[1:]) % 2}) for n in NODES])
    asked = []

    def model(query, texts):
        asked.extend(texts)
        return by_number(query, texts)

    found = retriever.search("compress gzip files", k=2, group_by="half", rerank=Reranker(model, 24))
    assert found.ids == ["n23", "n22"]
    assert len(asked) == len(set(asked)), "no text is put to the model twice"
    cut = retriever.search("compress gzip files", k=24, rerank=by_number, min_score=found.hits[0].score * 0.999)
    assert cut.ids[0] == "n23" and all(hit.score >= found.hits[0].score * 0.999 for hit in cut)


def test_a_model_that_fails_is_left_out_and_the_answer_says_so(retriever):
    def broken(query, texts):
        raise RuntimeError("no memory left")

    plain = retriever.search("compress gzip files")
    found = retriever.search("compress gzip files", rerank=broken)
    assert found.ids == plain.ids and found.degraded == ("rerank",)


@pytest.mark.parametrize("returned", [[1.0], [float("nan")] * 24, ["x"] * 24, None])
def test_scores_that_cannot_be_meant_are_refused(retriever, returned):
    with pytest.raises(InvalidValueError, match="The reranker returned"):
        retriever.search("compress gzip files", k=24, rerank=lambda query, texts: returned)


@pytest.mark.parametrize("given", ["cross-encoder/ms-marco", 3, object()])
def test_what_is_no_model_is_refused(retriever, given):
    with pytest.raises(InvalidValueError, match=r"must be a callable \(query, texts\) -> scores, or a cross-encoder"):
        retriever.search("files", rerank=given)


def test_what_a_model_said_is_not_remembered(retriever):
    order = [1.0]
    flip = Reranker(lambda query, texts: [order[0] * value for value in by_number(query, texts)], depth=24)
    first = retriever.search("compress gzip files", k=24, rerank=flip)
    order[0] = -1.0
    assert retriever.search("compress gzip files", k=24, rerank=flip).ids == first.ids[::-1]
    assert not any(i.kind == "rerank" for hit in retriever.search("compress gzip files", k=24) for i in hit.evidence)


def test_scores_descend_to_the_last_bit():
    """Differences that are added again do not: x + (y - x) is not always y."""
    rng = random.Random(0)
    words = "zip file read write compress save path data open close lock network socket json".split()
    for _ in range(100):
        texts = [" ".join(rng.choices(words, k=5)) for _ in range(12)]
        nodes = [Node(f"n{place}", " ".join(rng.sample(words, 2)), text=text) for place, text in enumerate(texts)]
        edges = [Edge(f"n{rng.randrange(12)}", f"n{rng.randrange(12)}", "t") for _ in range(10)]
        with Retriever() as retriever:
            retriever.add(nodes, edges)
            for question in words[:8]:
                found = retriever.search(question, rerank=lambda query, texts: list(map(len, texts)))
                scores = [hit.score for hit in found]
                assert scores == sorted(scores, reverse=True)
                assert all(0.0 <= score <= 1.0 for score in scores)
                assert all(map(adds_up, found))


def test_scores_without_end_are_refused():
    with Retriever() as retriever:
        retriever.add([Node("a", text="zip files")])
        with pytest.raises(InvalidValueError, match="returned repeat.* for 1 texts"):
            retriever.search("zip", rerank=lambda query, texts: itertools.repeat(1.0))
