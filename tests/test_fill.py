"""k hits where there are k nodes to find, even if they all lie below the corpus's mean."""

import numpy as np

from fourfold import Node, RetrievalConfig, Retriever


def graph(config=None):
    rng = np.random.default_rng(7)
    retriever = Retriever(config=config)
    retriever.add(
        Node(
            id=f"n{i:02}",
            text="word",
            metadata={"far": i >= 40},
            vector=[-1.0 if i >= 40 else 1.0, *rng.normal(size=3)],
        )
        for i in range(50)
    )
    return retriever


def test_a_tiny_graph_and_a_filter_give_as_many_hits_as_were_asked_for():
    vector = [1.0, 0.0, 0.0, 0.0]
    with graph() as retriever:
        result = retriever.search("nothing", k=50, query_vector=vector)
        assert len(set(result.ids)) == 50
        assert [hit.score for hit in result] == sorted((hit.score for hit in result), reverse=True)
        far = retriever.search("nothing", k=4, query_vector=vector, filter={"far": True})
        assert len(far) == 4
        assert all(hit.score == 0.0 and hit.node.metadata["far"] for hit in far)
        assert far.ids == retriever.search("nothing", k=10, query_vector=vector, filter={"far": True}).ids[:4]
        assert not retriever.search("nothing", k=4, query_vector=vector, filter={"far": True}, min_score=0.01).hits


def test_nothing_is_filled_in_without_a_meaning_or_when_turned_off():
    with graph() as retriever:
        assert not retriever.search("nothing", k=4, mode="text").hits
        assert not retriever.search("", k=4, query_vector=[0.0] * 4).hits
    with graph(RetrievalConfig().replace(fusion={"fill": False})) as retriever:
        assert not retriever.search("nothing", k=4, query_vector=[1.0, 0, 0, 0], filter={"far": True}).hits
