"""Candidates answer as the sum over all nodes does, whatever was asked first and however the index was written."""

import math
from functools import partial

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fourfold import Edge, Node, RetrievalConfig, Retriever, refine
from fourfold.edge_types import OF_DOCUMENTS
from fourfold.intent import classify, find_spec
from fourfold.weighting import over_encoder

WORDS = "save load file read write parse tree graph node edge disk cloud alpha beta gamma delta".split()
TYPES = ("depends_on", "part_of", "mentions", "enables", "")
PLAIN = {
    "fusion": {"late": {"depth": 0}, "fill": False, "intent_tilt": 0.0},
    "graph": {"bridge": {"weight": 0.0}},
    "intents": {"chosen_types": 0.0, "paths": {"weight": 0.0}},
    "diversity": {"bonus": 0.0, "coverage": {"weight": 0.0}},
    "index": {"cache_size": 0},
}
"""What is left is the weighted sum of the four components."""

sentence = st.lists(st.sampled_from(WORDS), min_size=0, max_size=6).map(" ".join)
vector = st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.5, 1.0]), min_size=3, max_size=3)
nodes_of = st.lists(st.tuples(sentence, sentence, vector, st.booleans()), min_size=1, max_size=25)
edges_of = st.lists(
    st.tuples(st.integers(0, 24), st.integers(0, 24), st.sampled_from(TYPES), st.sampled_from([0.0, 0.5, 1.0, 7.0])),
    max_size=40,
)


def graph(rows, links):
    nodes = [
        Node(f"n{place:02d}", name, text=text, vector=own, metadata={"kept": kept})
        for place, (name, text, own, kept) in enumerate(rows)
    ]
    edges = {(a % len(nodes), b % len(nodes), kind): weight for a, b, kind, weight in links}
    return nodes, [Edge(nodes[a].id, nodes[b].id, kind, weight) for (a, b, kind), weight in edges.items()]


def standard(raw, population, background):
    """Return standard scores from a full pass, 0 where the raw score is 0."""
    padded = np.append(raw, np.zeros(population + background - len(raw)))
    deviation = padded.std()
    if not deviation > 1e-7:
        return np.zeros(len(raw))
    return np.where(raw == 0, 0.0, np.maximum((raw - padded.mean()) / deviation, 0.0))


def phrase(retriever, question, at, allowed, count):
    """Return the best ranks of the whole question as a phrase, divided by the largest."""
    found = dict(retriever.backend.phrase(question, None))
    ranks = np.array([found.get(num, 0.0) for num in at.tolist()]) * allowed
    kept = ranks >= np.sort(ranks)[::-1][:count][-1]
    return ranks * kept / (ranks.max() or 1.0)


def spread_by(graph, edges, nodes, allowed, gives, worth):
    """Return what each node is given along the edges, where each gives to its strongest of each direction."""
    place = {node.id: n for n, node in enumerate(nodes)}
    degree, steps = np.zeros(len(nodes)), {}
    for edge in edges:
        a, b, weight = place[edge.source], place[edge.target], math.log2(1 + edge.weight)
        degree[a] += 1
        degree[b] += 1
        back = graph.untyped_backward if edge.type == "" else graph.backward
        for start, end, along, factor in ((a, b, True, graph.forward), (b, a, False, back)):
            value = worth[edge.type] * factor
            if start in gives and allowed[end] and value:
                steps.setdefault((start, along), []).append((-value * weight, nodes[end].id, edge.type, end))
    found = np.zeros(len(nodes))
    for (start, _), of_one in steps.items():
        share = gives[start] * max(degree[start], 1) ** -graph.degree_exponent
        for value, _, _, end in sorted(of_one)[: graph.hub_cap]:
            found[end] -= share * value
    return found


def dense_sum(retriever, config, question, query_vector, kept, k):
    """Return {id: score} of all nodes by the formula, one node and one edge at a time."""
    snapshot = retriever.analysis.snapshot()
    nodes = retriever.get(sorted(retriever.manifest()))
    place = {node.id: n for n, node in enumerate(nodes)}
    nums = retriever.backend.nums(list(place))
    at = np.array([nums[node.id] for node in nodes])
    allowed = np.array([not kept or node.metadata["kept"] for node in nodes])
    terms = [term for _, own in retriever._session.tokenizer.terms_of_words(question) for term in own]
    numbers = snapshot.term_numbers(terms)
    asked = {}
    for term in terms:
        if term in numbers:
            asked[numbers[term]] = asked.get(numbers[term], 0.0) + 1.0
    raw = {
        "text": snapshot.text.ask(asked).at(at).astype(float),
        "embedding": snapshot.vectors.ask(np.array(query_vector)).at(at).astype(float),
    }
    scaled = {name: standard(values, len(nodes), config.fusion.background) for name, values in raw.items()}
    top = max(values.max() for values in scaled.values()) or 1.0
    scaled = {name: values / top for name, values in scaled.items()}
    looked_up = len(set(terms)) > 1 and set(terms) <= numbers.keys()
    scaled["text"] = np.maximum(scaled["text"], looked_up * phrase(retriever, question, at, allowed, 3 * k))
    edges = retriever.edges(list(place))
    spec = find_spec(classify(question, config.intents.specs), config.intents.specs)
    typed = any(edge.type for edge in edges)
    weights = config.fusion.weights.as_dict()
    weights["graph"] *= bool(edges)
    weights["intent"] *= typed
    weights = {name: value / sum(weights.values()) for name, value in weights.items()}

    seeds = set()
    for name in ("text", "embedding"):
        order = sorted((-scaled[name][n], nodes[n].id, n) for n in range(len(nodes)) if allowed[n])
        seeds |= {n for value, _, n in order[: config.seeds.per_component] if value < 0}
    base = weights["embedding"] * scaled["embedding"] + weights["text"] * scaled["text"]
    strongest = max((base[n] for n in seeds), default=0.0)
    gives = {n: math.exp(config.seeds.sharpness * (base[n] / strongest - 1.0)) if strongest > 0 else 1.0 for n in seeds}

    spread = partial(spread_by, config.graph, edges, nodes, allowed)
    worth = dict(zip(TYPES, config.graph.weights_of(TYPES), strict=True))
    first = spread(gives, worth)
    proximity = first + spread({n: config.graph.second_hop * v for n, v in enumerate(first) if v > 0}, worth)
    share = np.minimum(proximity / (sum(gives.values()) or 1.0), 1.0)
    mean = share.sum() / (len(nodes) + config.fusion.background)
    near = np.maximum(share - config.graph.background * mean, 0.0)
    own = spread(gives, {kind: float(kind in spec.edge_types) for kind in TYPES})
    own = own / own.max() if own.max(initial=0.0) > 0 else own
    total = base + weights["graph"] * near + weights["intent"] * own
    return {node.id: min(value, 1.0) for node, value, keep in zip(nodes, total, allowed, strict=True) if keep}


@pytest.mark.parametrize("hub_cap", [1000, 2, 1])
@given(nodes_of, edges_of, sentence, vector, st.integers(1, 8), st.booleans(), st.integers(1, 12))
@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_candidates_answer_as_the_dense_sum(hub_cap, rows, links, question, query_vector, k, kept, first):
    config = RetrievalConfig().replace(**PLAIN).replace(graph={"hub_cap": hub_cap})
    nodes, edges = graph(rows, links)
    with pytest.MonkeyPatch.context() as patch, Retriever(config=config) as retriever:
        patch.setattr(refine, "FIRST_CANDIDATES", first)
        retriever.add(nodes, edges)
        expected = dense_sum(retriever, config, question, query_vector, kept, k)
        found = retriever.search(question, k=k, query_vector=query_vector, filter={"kept": True} if kept else None)
    ranked = sorted((-score, identity) for identity, score in expected.items() if score > 1e-9)[:k]
    assert [hit.score for hit in found] == pytest.approx([-score for score, _ in ranked], abs=1e-6)
    for hit in found:
        assert hit.score == pytest.approx(expected[hit.node.id], abs=1e-6)
        assert sum(item.value for item in hit.evidence) == pytest.approx(hit.score, abs=1e-6)


PRESETS = {
    "default": RetrievalConfig(),
    "over an encoder": over_encoder(RetrievalConfig()),
    "published": RetrievalConfig.published(),
}


@given(nodes_of, edges_of, sentence, st.integers(1, 8), st.booleans(), st.sampled_from(sorted(PRESETS)))
@settings(max_examples=90, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_asking_for_more_candidates_changes_nothing(rows, links, question, k, kept, preset):
    config = PRESETS[preset]
    nodes, edges = graph(rows, links)
    if preset == "over an encoder":  # elsewhere late interaction counts for embedding as for text
        edges = [edge for edge in edges if edge.type in OF_DOCUMENTS]
    answers = []
    for few in (True, False):
        with pytest.MonkeyPatch.context() as patch, Retriever(config=config) as retriever:
            patch.setattr(refine, "FIRST_CANDIDATES", 1 if few else 10_000)
            patch.setattr(refine, "WIDER", 2 if few else 10_000)
            retriever.add([Node(n.id, n.name, text=n.text, metadata=n.metadata) for n in nodes], edges)
            found = retriever.search(question, k=k, filter={"kept": True} if kept else None)
            answers.append([(hit.node.id, hit.score) for hit in found])
            for hit in found:
                assert sum(item.value for item in hit.evidence) == pytest.approx(hit.score, abs=1e-6)
    assert [identity for identity, _ in answers[0]] == [identity for identity, _ in answers[1]]
    assert [score for _, score in answers[0]] == pytest.approx([score for _, score in answers[1]], abs=1e-9)


@given(nodes_of, edges_of, sentence, st.lists(st.integers(1, 4), min_size=1, max_size=8), st.randoms())
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_many_small_writes_answer_as_one(rows, links, question, sizes, random):
    nodes, edges = graph(rows, links)
    plain = [Node(n.id, n.name, text=n.text, metadata=n.metadata) for n in nodes]
    with Retriever() as once, Retriever() as pieces:
        once.add(plain, edges)
        left, order = list(plain), list(edges)
        random.shuffle(left)
        random.shuffle(order)
        pieces.add([Node("gone", "alpha beta save"), *[Node(n.id, "old " + n.name) for n in left[:5]]])
        while left:
            size = sizes[len(left) % len(sizes)]
            batch, left = left[:size], left[size:]
            pieces.add(batch)
            pieces.search(question)
            there = set(pieces.manifest()) - {node.id for node in left}
            ready = [edge for edge in order if {edge.source, edge.target} <= there]
            pieces.add(edges=ready)
            order = [edge for edge in order if edge not in ready]
        pieces.delete(["gone"])
        pieces.add(edges=order)
        expected, found = once.search(question, k=10), pieces.search(question, k=10)
        assert found.ids == expected.ids
        assert [hit.score for hit in found] == pytest.approx([hit.score for hit in expected], abs=1e-6)
